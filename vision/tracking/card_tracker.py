"""The cards on the table: which lie where, since when, with which face; what came, turned, and went.

A card is new where the felt, or other cards, changed into it; it is still there, whatever is over it, until what lies
around it is seen through the place where it was.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Floats, Mask
from feltwatch.vision.detection.reader_classes import ReaderClasses
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange
from feltwatch.vision.tracking import piles
from feltwatch.vision.tracking.card_size import CardSizes
from feltwatch.vision.tracking.face_memory import FaceMemory
from feltwatch.vision.tracking.four_card_hands import box, is_set, zone_of_back
from feltwatch.vision.tracking.roi_context import RoiContext
from feltwatch.vision.tracking.track import APART_S, VOTES, CardTrack, bearing, distance
from feltwatch.vision.tracking.track_changes import TrackAdded, TrackChange, TrackFlipped, TrackLost

SAME_MM: Final = 7.0  # a card seen so near a known one is that
FACE_MM: Final = 10.0  # of the same face
HIDDEN: Final = 0.9  # of a card lies under others: it is not that which shows
COVERED_MM: Final = 15.0  # of one that is covered the outline is not so sure
CROSS_MM: Final = 60.0  # a card is laid across others so near
NEAR_MM: Final = 30.0  # cards that lie on each other
LESS_SURE: Final = 0.03  # a look that is less sure than the one before does not change where a card lies
ALONE: Final = 6  # looks at a card in which it is measured
EXACTLY_MM: Final = 5.0  # no card is laid so exactly on another: it is that one, mostly covered and misread
SAME_DEG: Final = 11.0
AGREE_MM: Final = 6.0  # looks at a new card agree so well
STILL: Final = 0.3  # of a card may be in motion, and yet it lies still
NEW: Final = 0.5  # of what a new card newly covers has changed
READ: Final = 0.35  # the same of one whose face is read
UNLIKE: Final = 0.05  # likelihood of the face that was read before: another card lies there
ALIKE: Final = 0.06  # of a card whose face is read, where another face was read before
FIXED_MM: Final = 3.5  # a card that is known well is seen so near its place
ON_TOP: Final = 0.3  # of a card that came to lie wholly on others has changed
LAID: Final = 0.15  # of a back changes at least where another is laid on it
AT_ONCE_S: Final = 0.2
FRESH_S: Final = 0.45  # so soon after a card another does not follow in the same place
SLIVER: Final = 0.06  # of a card
PATIENCE_S: Final = 0.45  # for a face to become sure where a card was turned
MOVED_S: Final = 2.5  # where nothing has moved for so long, nothing came
UNREAD_S: Final = 0.6  # for the face of a new card to become sure, before the card is reported without
UNREAD: Final = 6  # looks, for that
DOUBLE: Final = 4  # looks at a card that lies by another of its face: one may be seen as two
FIRM: Final = 0.75  # the score of a card that is reported without a face
FORGET_S: Final = 0.7  # a new card that is not seen again was none
WHOLE: Final = 0.9  # of a card shows: nothing lies on it
SHOWS: Final = 0.25  # of a card's place is no other's: a strip between others looks like anything
CHECK_S: Final = 2.0  # a card that was not seen for so long is looked for
OPEN: Final = 0.5  # of it shows
UNSEEN: Final = 3  # looks for it that do not find it
EMPTY: Final = 0.85  # the same, where nothing has changed for long
GONE: Final = 0.62  # of a card's place looks as it did without it


class CardTracker:
    """All cards that are believed to lie on the table, and those that perhaps came just now."""

    def __init__(self, layout: Layout, classes: Sequence[str]) -> None:
        self.layout = layout
        self.faces = ReaderClasses(classes)
        self.cards: list[CardTrack] = []
        self.coming: list[CardTrack] = []
        self.layers = 0
        self.sizes = CardSizes()
        self.passing = FaceMemory(self.faces)

    def forget(self) -> None:
        """Start again on a table without cards."""
        self.layers, self.sizes, self.passing = 0, CardSizes(), FaceMemory(self.faces)

    def take(self, look: RoiContext) -> Iterator[TrackChange]:
        """Make sense of the cards of a look."""
        met: list[CardTrack] = []
        again: list[tuple[CardTrack, CardGlimpse, Patch]] = []
        unknown: list[Patch] = []
        for seen, patch, moves in self._cards_in(look, unknown):
            card = self._known(seen, look)
            laid = card is not None and self._on_top(card, seen, patch, look)
            if card is None or laid:
                unknown.append(patch)
                if not moves:
                    self._came(seen, patch, look, under=card)
            elif card not in met and not moves:
                met.append(card)
                again.append((card, seen, patch))
        for card, seen, patch in again:
            yield from self._again(card, seen, patch, unknown, look)
        yield from self._accepted(look)
        tops = [card for card, seen, _ in again if seen.exact or (seen.clear and seen.visible >= WHOLE)]
        for card in [one for one in self.cards if one not in met]:
            if piles.lifted(card, tops, look) or self._missed(card, look) or self._unseen(card, look):
                self.cards.remove(card)
                yield TrackLost(card)
        self.coming = [one for one in self.coming if look.t - max(one.missed_at, one.seen_at) < FORGET_S]

    def _cards_in(self, look: RoiContext, unknown: list[Patch]) -> Iterator[tuple[CardGlimpse, Patch, bool]]:
        """Give what a look shows of cards, as far as it says something, and whether it moves."""
        self.passing.forget(look.t)
        for seen in look.glimpse.cards:
            patch = look.patch(seen.quad)
            moves = patch.share(look.moving) > STILL
            if self.faces.none(seen) or self.layout.ignores(seen.place, cards=True):
                continue
            if moves:
                self.passing.keep(look.t, seen)
            if self.faces.up(seen) and not self.sizes.fit(seen.size):
                unknown.append(patch)  # two cards that were taken for one, or half of one
                self._in_part(seen, patch, look)
            elif self.faces.up(seen) or not piles.blurred(seen, patch, self.cards):
                yield seen, patch, moves

    def zone(self, place: tuple[float, float]) -> str | None:
        return self.layout.zone_at(place)

    def _zone_of(self, card: CardTrack, look: RoiContext) -> str | None:
        zone = self.zone(card.place)
        own = [one for one in self.cards if one.id and box(one.zone) == box(zone)]
        if card.up or not is_set(zone) or not (piles.on_most(card.patch, own) or not own):
            return zone  # a card that is dealt falls on those of its hand; what lies beside them is being set
        return zone_of_back(self.layout, card.place, look.fours, look.sides.by(zone or "", look.t))

    def nearest(self, place: Floats) -> CardTrack | None:
        """Give the face-up card on which another would be laid there."""
        found = [one for one in self.cards if one.up and distance(one.place, (place[0], place[1])) <= CROSS_MM]
        return min(found, key=lambda one: distance(one.place, (place[0], place[1])), default=None)

    def covered(self, card: CardTrack) -> float:
        """Give how much of a card lies under later ones."""
        left = card.patch.without([one.patch for one in self.cards if one.layer > card.layer])
        return 1 - left.size / max(card.patch.size, 1)

    # ---- cards that are known ---------------------------------------------------------------------------------------

    def _known(self, seen: CardGlimpse, look: RoiContext) -> CardTrack | None:
        """Give the card that this is, if it is none that came just now."""
        near = [one for one in self.cards if abs(bearing(one.angle, seen.angle)) <= SAME_DEG]
        if seen.exact and (backs := piles.near(seen, near)):
            return piles.known(seen, backs, self.cards, look)
        card = self._nearest_of(near, seen)
        if card is None:
            return None
        apart = distance(card.place, seen.place)
        if look.t - card.rested < FRESH_S and apart <= COVERED_MM and not (card.up or self.faces.up(seen)):
            return card
        if apart > self._reach(card, seen) or any(distance(one.place, seen.place) + 2 < apart for one in self.coming):
            return None
        return card

    def _nearest_of(self, near: Sequence[CardTrack], seen: CardGlimpse) -> CardTrack | None:
        """Give the card that shows where one is seen: of those that lie on each other, that of its face, or the top."""
        there = [one for one in near if distance(one.place, seen.place) <= COVERED_MM]
        if len(there) > 1:
            best = int(seen.faces.argmax())
            alike = [one for one in there if self.faces.up(seen) and one.up and one.votes.best[0] == best]
            there = alike or [one for one in there if self.covered(one) < HIDDEN] or there
        return min(there, key=lambda one: distance(one.place, seen.place), default=None)

    def _reach(self, card: CardTrack, seen: CardGlimpse) -> float:
        """Give how far off a look may see a card: further, if it is covered or bears the same face."""
        if self.covered(card) >= 0.3:
            return COVERED_MM
        return FACE_MM if card.up and card.votes.best[0] == int(seen.faces.argmax()) else SAME_MM

    def _on_top(self, card: CardTrack, seen: CardGlimpse, patch: Patch, look: RoiContext) -> bool:
        """Tell whether what lies so near a known card is another one, laid on it."""
        up, fresh = self.faces.up(seen), look.t - card.rested < FRESH_S
        if card.up != up and look.fours.played:
            sure = self.faces.reads(seen) if up else seen.exact
            return sure and not fresh and look.fours.deals_on(card, look.sides.by(card.zone or "", look.t))
        if self._is_other(card, seen, patch, look):
            return True
        backs = not (card.up or up)
        if (fresh and backs) or self.covered(card) > SLIVER:  # seen better now that the hand goes
            return False
        if backs:
            return piles.laid_on(card, seen, patch, look)
        misread = look.fours.played and distance(card.place, seen.place) <= EXACTLY_MM
        return self._other(card, seen, patch, look) and not misread

    def _is_other(self, card: CardTrack, seen: CardGlimpse, patch: Patch, look: RoiContext) -> bool:
        """Tell whether an open card bears another face than the one that was read there, and its place has changed."""
        known, best = card.votes.best[0], int(seen.faces.argmax())
        if best == known or not (card.up and card.is_read and patch.share(look.sight.changed) >= ALIKE):
            card.others = type(card.votes)()
            return False
        own = seen.clear or (self.faces.reads(seen) and not look.fours.played)  # and not of one that lies on it
        if own and self.faces.up(seen) and self.faces.is_face(best):
            card.others.add(seen.faces, 1.0)
        other, likely = card.others.best
        return other != known and card.others.looks >= VOTES and likely > 0.5 and card.others.of(known) <= UNLIKE

    def _other(self, card: CardTrack, seen: CardGlimpse, patch: Patch, look: RoiContext) -> bool:
        """Tell whether another face shows where one lies, and something has changed there."""
        best = int(seen.faces.argmax())
        other = self.faces.is_face(best) and best != card.votes.best[0] and float(seen.faces[best]) > 0.5
        sure = self.faces.reads(seen) and card.is_read
        changed = patch.share(look.sight.changed) >= (ALIKE if sure else ON_TOP)
        return card.up and self.faces.up(seen) and other and changed

    def _agrees(self, card: CardTrack, seen: CardGlimpse) -> bool:
        """Tell whether a look shows just what was known; else what has changed there must be looked at again."""
        if not card.up or card.looks <= VOTES:
            return True
        same = int(seen.faces.argmax()) == card.votes.best[0] and self.faces.reads(seen)
        return same and distance(card.place, seen.place) <= FIXED_MM

    def _again(
        self, card: CardTrack, seen: CardGlimpse, patch: Patch, unknown: list[Patch], look: RoiContext
    ) -> Iterator[TrackChange]:
        """A known card is seen again: lying as before, or turned over."""
        over = [one.patch for one in self.cards if one.layer > card.layer]
        over += [*unknown, *(one.patch for one in self.coming)]
        covered, handled = 1 - patch.without(over).size / max(patch.size, 1), look.under_hand(patch)
        clear = covered < SLIVER and not handled
        card.misses, card.missed_at, card.unseen, card.met_at = 0, 0.0, 0, look.t
        if self.faces.up(seen) == card.up:
            card.turns = 0
            card.looks += 1
            if card.up and not (card.others.looks or (look.fours.played and self._other(card, seen, patch, look))):
                card.votes.add(seen.faces, 1.0 if clear else 0.1 * (1 - covered))
                card.whole += clear and self.faces.reads(seen) and int(seen.faces.argmax()) == card.votes.best[0]
            shown = card.up or seen.exact
            if clear and shown and card.looks <= ALONE and seen.score > FIRM and not piles.touched(card, self.cards):
                self.sizes.add(seen.size)
            if clear and (seen.exact or (seen.score >= card.score - LESS_SURE and not card.exact)):
                card.settle(seen, patch)
            if (clear or not handled) and self._agrees(card, seen):
                card.known = True
                look.understand(card.patch.without(over))
            return
        if self._says_little(card, seen, look, covered):
            return
        if card.turns == 0:
            card.turned_at, card.turned = look.t, type(card.votes)()
        card.turns += 1
        card.turned.add(seen.faces, 1.0 if clear or self.faces.reads(seen) else 0.2)
        self.passing.recall(card.turned, seen, self.cards)
        tired = look.t - card.turned_at >= PATIENCE_S and not look.fours.closes(card.zone)
        sure = card.up or card.tells(card.turned) or tired
        if card.turns >= VOTES and look.t - card.turned_at >= APART_S and sure:
            card.up, card.votes, card.turns, card.whole = not card.up, card.turned, 0, 0
            self.layers += 1
            card.layer = self.layers
            card.settle(seen, patch)
            look.understand(patch)
            yield TrackFlipped(card)

    def _says_little(self, card: CardTrack, seen: CardGlimpse, look: RoiContext, covered: float) -> bool:
        """Tell whether a look at another side than before is no sign that it was turned."""
        if card.up and (covered > 0.4 or look.fours.played):
            return True  # cards of hands of four are not turned down again
        print_ = look.fours.played and seen.up < 1 - seen.up  # it may look like a face to one of the networks
        handled = card.turns == 0 and look.under_hand(look.patch(seen.quad))
        return print_ or ((covered > 0.4 or handled) and not self.faces.reads(seen))

    # ---- cards that come --------------------------------------------------------------------------------------------

    def _came(self, seen: CardGlimpse, patch: Patch, look: RoiContext, *, under: CardTrack | None) -> None:
        """What looks like a card where none was: count it, if the table has changed so, or it lies on another."""
        sure, laid = self.faces.reads(seen), under is not None
        if seen.part and (not sure or self._told(seen)):
            self._in_part(seen, patch, look)  # another look at a card that is known
            return
        up = self.faces.up(seen)
        askew = look.under_hand(patch) and self._told(seen)
        vague = not up and self.faces.vague(seen) and piles.on_known(patch, self.cards)
        if askew or vague or not (look.first or laid or self._changed(patch, look, up=up, sure=sure, exact=seen.exact)):
            return
        if self._seen_again(seen, patch, look):
            return
        rested = came_to_rest(patch, look, laid=laid, exact=seen.exact)
        if not look.first and rested < look.t - MOVED_S:
            return  # nothing has moved there
        since = max(look.sides.without(patch, look.t), 0.0)  # a hand that lies still over a card moves no more
        rested = min(max(rested, since), look.t)
        card = CardTrack(seen.quad, seen.place, seen.angle, patch, up, look.t, rested, since, looks=1, missed_at=look.t)
        card.score, card.exact, card.laid = seen.score, seen.exact, laid
        if up and under is not None and under.others.looks >= VOTES:
            card.votes = replace(under.others)  # so much is known of it by now
        elif up:
            card.votes.add(seen.faces, 0.3 if look.under_hand(patch) else 1.0)
            self.passing.recall(card.votes, seen, self.cards)
        self.coming.append(card)

    def _seen_again(self, seen: CardGlimpse, patch: Patch, look: RoiContext) -> bool:
        """Count another look at a card that came just now, if it is one."""
        card = next((one for one in self.coming if one.near(seen, AGREE_MM, SAME_DEG)), None)
        if card is None:
            return False
        up = self.faces.up(seen)
        card.looks += 1
        card.missed_at = look.t
        if up != card.up:
            card.turns += 1
        elif up:
            card.votes.add(seen.faces, 0.3 if look.under_hand(patch) else 1.0)
        if card.turns > card.looks / 2:
            card.up, card.turns, card.votes = up, 0, type(card.votes)()
        card.settle(seen, patch)
        return True

    def _in_part(self, seen: CardGlimpse, patch: Patch, look: RoiContext) -> None:
        """Half of a card, or one of two that are seen as one, may be one that came just now: it is still there."""
        best = int(seen.faces.argmax())
        for card in [one for one in self.coming if one.up and one.missed_at < look.t]:
            if card.votes.best[0] == best and card.near(seen, AGREE_MM, SAME_DEG) and patch.share(look.moving) <= STILL:
                card.looks += 1
                card.missed_at = look.t
                card.votes.add(seen.faces, 0.3)

    def _told(self, seen: CardGlimpse | CardTrack) -> bool:
        """Tell whether a card of the same face lies there already."""
        best = seen.votes.best[0] if isinstance(seen, CardTrack) else int(seen.faces.argmax())
        near = [one for one in self.cards if one.up and distance(one.place, seen.place) <= NEAR_MM]
        return self.faces.is_face(best) and any(one.votes.best[0] == best for one in near)

    def _changed(self, patch: Patch, look: RoiContext, *, up: bool, sure: bool, exact: bool) -> bool:
        """Tell whether the table has changed as it does when a card comes to lie there."""
        if not up and piles.players(patch, self.cards, look):
            return False
        if exact and piles.on_known(patch, self.cards):
            return True  # its print hides what has changed
        if not up and piles.dealt_on(patch, self.cards, look):
            return patch.share(look.sight.changed) >= LAID
        fresh = patch.without([card.patch for card in self.cards])
        if fresh.size >= SLIVER * patch.size:
            return fresh.share(look.sight.changed) >= (READ if sure else NEW)
        return patch.share(look.sight.changed) >= ON_TOP

    def _accepted(self, look: RoiContext) -> Iterator[TrackChange]:
        """Believe the new cards that were seen often enough: first those that lie where none lay, the surest first."""
        for card in sorted(self.coming, key=lambda one: (one.laid, -one.looks)):
            if card.missed_at != look.t or card not in self.coming or not self._believed(card, look):
                continue
            self.coming.remove(card)
            if self._twin(card) or not (look.first or self._still_changed(card, look)):
                continue  # another card of the same look explains what changed
            for other in self._displaced(card, look):
                self.cards.remove(other)
                yield TrackLost(other)
            self.layers += 1
            card.layer, card.zone, card.turns, card.met_at = self.layers, self._zone_of(card, look), 0, look.t
            self.cards.append(card)
            self.coming = [one for one in self.coming if not self._same(one, card)]
            card.known = not look.under_hand(card.patch)
            if card.known:
                look.understand(card.patch)
            yield TrackAdded(card)

    def _displaced(self, card: CardTrack, look: RoiContext) -> list[CardTrack]:
        """Give open cards of hands of four that lay just where one lies now: none is laid so exactly on another."""
        if not (look.fours.played and card.up and card.is_read):
            return []
        near = [one for one in self.cards if one.up and card.near(one, EXACTLY_MM, SAME_DEG)]
        return [one for one in near if one.is_read and one.votes.best[0] != card.votes.best[0]]

    def _twin(self, card: CardTrack) -> bool:
        """Tell whether it is a card that has just come, boxed twice: no two of one face fall on each other at once."""
        alike = [one for one in self.cards if one.up and card.up and one.votes.best[0] == card.votes.best[0]]
        at_once = [one for one in alike if abs(one.rested - card.rested) <= AT_ONCE_S]
        return any(card.patch.overlap(one.patch) > ON_TOP for one in at_once)

    def _still_changed(self, card: CardTrack, look: RoiContext) -> bool:
        """Tell whether there is something left that a new card explains, and the others of the look do not."""
        sure = card.is_read
        if card.laid:
            return card.patch.share(look.sight.changed) >= (ALIKE if sure else LAID)
        return self._changed(card.patch, look, up=card.up, sure=sure, exact=card.exact)

    def _same(self, one: CardTrack, card: CardTrack) -> bool:
        """Tell whether two rectangles are of one card: where its outline cannot be seen well, several fit it."""
        alike = one.up == card.up and (not card.up or one.votes.best[0] == card.votes.best[0])
        return alike and distance(one.place, card.place) <= COVERED_MM

    def _believed(self, card: CardTrack, look: RoiContext) -> bool:
        if look.first:
            return True
        if card.looks < VOTES or look.t - card.seen_at < APART_S:
            return False
        stray = not (card.up or look.fours.played or self.zone(card.place))  # a sleeve may look like a back there
        if not stray and (not card.up or card.is_read):
            return not (card.up and self._told(card)) or (card.looks >= DOUBLE and card.score >= FIRM)
        firm = card.looks >= UNREAD and card.score >= FIRM and not look.under_hand(card.patch)
        return firm and look.t - card.seen_at >= UNREAD_S

    # ---- cards that go ----------------------------------------------------------------------------------------------

    def _missed(self, card: CardTrack, look: RoiContext) -> bool:
        """A card was not seen in a look: tell whether its place was seen without it."""
        laid = any(card.patch.overlap(one.patch) > ON_TOP for one in self.coming)
        if not laid and piles.uncovered(card, self.cards, look):
            return True
        own = self._own(card)
        if own.size < 10 or look.under_hand(card.patch):
            return False
        if own.share(look.where) < 0.35 or own.share(look.moving) > STILL:
            return False
        blind = own.share(look.attention.is_bare) < 0.5  # how it looks empty is not known
        if own.share(look.bare) < GONE and not blind:
            return False
        if not card.missed_again(look.t):
            return False
        look.understand(own, empty=True)
        return True

    def _unseen(self, card: CardTrack, look: RoiContext) -> bool:
        """Tell whether a card that was looked for is not there, as was found again and again."""
        if card is not look.sought or look.under_hand(card.patch) or card.patch.share(look.moving) > 0:
            return False
        card.asked_at = look.t  # the others first
        best = card.votes.best[0]
        for seen in look.glimpse.cards:
            alike = seen.exact or (card.up and int(seen.faces.argmax()) == best)  # seen, if not in its place
            if alike and look.patch(seen.quad).overlap(card.patch) > OPEN:
                card.met_at, card.unseen = look.t, 0
                return False
        card.unseen += 1
        if card.unseen < UNSEEN:
            return False
        look.understand(self._own(card), empty=True)
        return True

    def doubtful(self, t: float, moving: Mask) -> CardTrack | None:
        """Give the card that was not seen for longest, if it shows and nothing moves there."""
        long = [one for one in self.cards if t - one.asked > CHECK_S and one.patch.share(moving) == 0]
        shown = [one for one in long if 1 - self.covered(one) > (OPEN if one.up else 1 - SLIVER)]
        return min(shown, key=lambda one: one.asked, default=None)

    def swept(self, sight: FrameChange, attention: ChangeDetector, moving: Mask) -> Iterator[TrackChange]:
        """Say which cards are gone because there is nothing but felt where they lay."""
        bare = attention.looks_bare(sight)
        for card in [*self.cards]:
            own = card.patch if card.exact else self._own(card)  # of a back on others too little shows
            before = not card.known and card.patch.share(moving) < SLIVER  # all looks as it did before it came
            if not before and (own.share(moving) > STILL or own.share(bare) < EMPTY):
                continue
            if card.missed_again(sight.t):
                self.cards.remove(card)
                yield TrackLost(card)

    def _own(self, card: CardTrack) -> Patch:
        """Give where a card would be seen, and no other; all its place, if too little of it is its own."""
        others = [one.patch for one in self.cards if one is not card]
        own = card.patch.without([*others, *(one.patch for one in self.coming)])
        return own if own.size >= SHOWS * card.patch.size else card.patch


def came_to_rest(patch: Patch, look: RoiContext, *, laid: bool, exact: bool) -> float:
    """Give when what lies in a patch came to rest: of a card on its like little moves, but what has changed tells."""
    moved = look.attention.moved_at[patch.box][patch.mask]
    changed = look.sight.changed[patch.box][patch.mask]
    if laid and changed.any():
        return float(np.median(moved[changed]))
    return float(np.quantile(moved, piles.LAST if exact else 0.5)) if len(moved) else look.t
