"""The cards on the table, by the story that explains each change of the scene."""

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Mask
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.scene.explain import GAIN, LITTLE, MARGIN, Explainer, Placement, Story, View, is_news
from feltwatch.vision.scene.scene import FeltScene, fill
from feltwatch.vision.tracking.card_tracker import FIRM, CardTracker, came_to_rest
from feltwatch.vision.tracking.roi_context import RoiContext
from feltwatch.vision.tracking.track import APART_S, VOTES, CardTrack, bearing, distance
from feltwatch.vision.tracking.track_changes import TrackAdded, TrackChange, TrackFlipped, TrackLost

CARD_MM: Final = (63.0, 88.0)  # until this table's were measured
AGREE_MM, AGREE_DEG = 5.0, 6.0  # looks at a card that came agree so well
HAND_MM: Final = 31  # so wide a margin around hands, both sides together
NEAR_PX: Final = 9  # of the small picture around what has changed is looked at too
FORGET_S: Final = 0.7  # a card that came and is not seen again was none
UNREAD_S: Final = 0.6
UNREAD: Final = 5
PATIENCE_S: Final = 0.45
ROOM_MM: Final = 5.0
SEEN_MM, SEEN_DEG = 7.0, 8.0
TWIN_DEG: Final = 20.0
TWIN_MM: Final = 18.0  # no card is laid so near another of its face: it is that one
MET_MM2: Final = 150  # of a card shows
MET: Final = 0.12  # and has not changed: it lies there still
DIM: Final = 0.75  # of the usual light of paper is paper in a shade
KEPT: Final = 12
PLAIN_MM2: Final = 70.0  # of a card's edge is no paper, and yet it is plain to see
CALM: Final = 0.15  # a point that looks so much otherwise is not as it was


class SceneTracker(CardTracker):
    def __init__(self, layout: Layout, classes: Sequence[str], scene: FeltScene) -> None:
        super().__init__(layout, classes)
        self.scene = scene
        self.explainer = Explainer(scene)
        self.papers: list[float] = []  # how light the edges of the last cards were
        self.back, self.none = classes.index("back"), classes.index("none")

    def take(self, look: RoiContext) -> Iterator[TrackChange]:
        """Make sense of the cards of a look."""
        if look.first:
            yield from super().take(look)
            for card in self.cards:
                card.known = True  # it is in the first picture, hand or no hand
            return
        self.passing.forget(look.t)
        seen = [*self._seen(look)]
        if look.sought is not None and self._unseen(look.sought, look):
            self.cards.remove(look.sought)
            yield TrackLost(look.sought)
        self._met(seen, look)
        came = any(card.missed_at > look.t - FORGET_S for card in self.coming)
        if came or any(is_news(one, self.cards) for one in seen) or self._shows(look):
            yield from self._explained(seen, look)
        self.coming = [one for one in self.coming if look.t - one.missed_at < FORGET_S]

    def _seen(self, look: RoiContext) -> Iterator[CardGlimpse]:
        for seen in look.glimpse.cards:
            if self.faces.none(seen) or self.layout.ignores(seen.place, cards=True) or seen.part:
                continue
            if look.patch(seen.quad).share(look.moving) > 0.3:
                self.passing.keep(look.t, seen)
            elif self.sizes.fit(seen.size) or not self.faces.up(seen):
                yield seen

    def _met(self, seen: Sequence[CardGlimpse], look: RoiContext) -> None:
        """Cards that are seen where they lie are there, and better known."""
        for one in seen:
            near = [card for card in self.cards if card.near(one, SEEN_MM, SEEN_DEG) and card.up == self.faces.up(one)]
            card = min(near, key=lambda card: (self.covered(card) > 0.5, distance(card.place, one.place)), default=None)
            if card is None or card.patch.share(look.sight.changed) > 0.06 or look.under_hand(card.patch):
                continue
            card.met_at, card.unseen = look.t, 0
            card.looks += 1
            covered = self.covered(card)
            if card.up:
                card.votes.add(one.faces, 1.0 if covered < 0.06 else 0.1 * (1 - covered))
                best = int(one.faces.argmax())
                card.whole += covered < 0.06 and self.faces.reads(one) and best == card.votes.best[0]
            alone = all(card.patch.overlap(other.patch) == 0 for other in self.cards if other is not card)
            if alone and card.looks <= 6 and one.score > 0.75 and (card.up or one.exact):
                self.sizes.add(one.size)

    def _shows(self, look: RoiContext) -> bool:
        """Tell whether anything shows that is not known, beside the hands."""
        near = cv2.dilate(look.where.view(np.uint8), np.ones((NEAR_PX, NEAR_PX), np.uint8)) > 0
        near &= ~look.moving
        hands = np.zeros(near.shape, np.uint8)
        for hand in look.hands:
            hand.onto(hands.view(bool))
        margin = round(HAND_MM * self.scene.felt.camera.scale(*self.layout.middle) / look.attention.factor)
        near &= cv2.dilate(hands, np.ones((margin, margin), np.uint8)) == 0
        return bool(near.any()) and self.scene.changed(look.sight, look.picture, near) >= LITTLE

    # ---- stories ----------------------------------------------------------------------------------------------------

    def _explained(self, seen: Sequence[CardGlimpse], look: RoiContext) -> Iterator[TrackChange]:
        view, learn = self._view(seen, look)
        stories = self.explainer.stories(view)
        best = self._believed_story(stories)
        gone = best.gone if best is not None else ()
        placed = best.placed if best is not None else ()
        was = best.was if best is not None else ()
        for card in view.cards:
            if card not in gone:
                card.misses = 0
        left = [card for card in gone if card.missed_again(look.t)]
        new: list[CardTrack] = []
        for one, before in zip(placed, was, strict=True):
            if before is None and (twin := self._twin_of(one, gone)) is not None:
                self._seen_better(twin, one, look)
                continue
            card = self._came_again(one, look, before)
            if self._is_certain(card, look):
                new.append(card)
        for card in left:
            if card in self.cards and not any(one.was is card and one.up != card.up for one in self.coming):
                self.cards.remove(card)
                look.understand(card.patch.without([one.patch for one in (*self.cards, *self.coming)]), empty=True)
                look.understand(card.patch)
                yield TrackLost(card)
        for card in new:
            self.coming.remove(card)
            yield self._settled(card, look)
        self._learn(view, look, learn, calm=not stories or not (stories[0].gone or stories[0].placed))

    def _twin_of(self, one: Placement, gone: Sequence[CardTrack]) -> CardTrack | None:
        """Give the card that this is, if one of its face lies so near that no other is laid there."""
        alike = [card for card in self.cards if card.up and one.up and card.votes.best[0] == one.best]
        near = [
            card
            for card in alike
            if card not in gone
            and distance(card.place, one.place) <= TWIN_MM
            and abs(bearing(card.angle, one.angle)) <= TWIN_DEG
        ]
        return min(near, key=lambda card: distance(card.place, one.place), default=None)

    def _seen_better(self, card: CardTrack, one: Placement, look: RoiContext) -> None:
        """A card that lies there is seen to lie a little otherwise: it was pushed, or not seen whole before."""
        self.scene.forget(card)
        card.quad, card.place, card.angle, card.patch = one.quad, one.place, one.angle, look.patch(one.quad)
        card.look, card.met_at = None, look.t
        self.scene.forget(card)
        look.understand(card.patch)

    def _believed_story(self, stories: Sequence[Story]) -> Story | None:
        if not stories:
            return None
        best = stories[0]
        if not (best.gone or best.placed) or not best.sound:
            return None
        nothing = next((one.cost for one in stories if not (one.gone or one.placed)), best.cost + 1e9)
        other = next((one.cost for one in stories[1:] if one.differs(best)), best.cost + 1e9)
        return best if nothing - best.cost >= GAIN and other - best.cost >= MARGIN else None

    def _view(self, seen: Sequence[CardGlimpse], look: RoiContext) -> tuple[View, Mask]:
        part = look.part
        rows, columns = self.scene.felt.small(part)
        near = cv2.dilate(look.where.view(np.uint8), np.ones((NEAR_PX, NEAR_PX), np.uint8)) > 0
        for card in self.coming:
            card.patch.onto(near)
        corner = self.scene.corner(part)
        hands = np.zeros(rows.shape, np.uint8)
        for hand in look.glimpse.hands:
            fill(hands, self.scene.felt.camera.to_felt(hand) - corner, 1)
        rest = self.scene.felt.shown[part] & ~look.moving[rows, columns]
        under = cv2.dilate(hands, np.ones((HAND_MM, HAND_MM), np.uint8)) > 0
        for one in seen:
            if is_news(one, self.cards):  # a hand is seen as a box, which holds more than the hand
                fill(under, self.scene.felt.camera.to_felt(one.quad) - corner, 0)
        rest &= ~under
        free = rest & near[rows, columns] & ~self.scene.unknown[part]
        order = sorted(self.cards, key=lambda card: card.layer)
        low, high = corner - ROOM_MM, corner + np.array(rows.shape[::-1]) + ROOM_MM
        here = [card for card in order if _touches(self.scene.felt.camera.to_felt(card.quad), low, high)]
        view = View(
            self.scene.now(look.sight, look.picture, part),
            part,
            free,
            rest,
            here,
            seen,
            [one.place for one in look.glimpse.stacks],
            self.sizes.usual or CARD_MM,
            self.back,
            self.none,
            look.read,
            self.coming,
            DIM * float(np.median(self.papers)) if self.papers else 0.0,
            look.again,
        )
        return view, rest

    def _came_again(self, one: Placement, look: RoiContext, was: CardTrack | None) -> CardTrack:
        """Give the card that came just now and that this look shows again, or begin with it."""
        patch = look.patch(one.quad)
        card = next(
            (
                c
                for c in self.coming
                if distance(c.place, one.place) <= AGREE_MM
                and abs(bearing(c.angle, one.angle)) <= AGREE_DEG
                and c.up == one.up
            ),
            None,
        )
        if card is None:
            rested = came_to_rest(patch, look, laid=False, exact=False)
            since = max(look.sides.without(patch, look.t), 0.0)
            rested = min(max(rested, since), look.t)
            card = CardTrack(one.quad, one.place, one.angle, patch, one.up, look.t, rested, since, missed_at=look.t)
            self.coming.append(card)
        card.quad, card.place, card.angle, card.patch = one.quad, one.place, one.angle, patch
        card.looks += 1
        card.missed_at = look.t
        card.was, card.paper = was, one.paper
        card.score = one.seen.score if one.seen is not None else 0.8
        shown = one.edge <= PLAIN_MM2 or (one.seen is not None and card.score >= FIRM)
        card.plain = shown and float(one.faces[self.none] + one.faces[self.back]) < 0.5
        if one.up:
            card.votes.add(one.faces, 0.3 if look.under_hand(patch) else 1.0)
            if one.seen is not None:
                self.passing.recall(card.votes, one.seen, self.cards)
        return card

    def _is_certain(self, card: CardTrack, look: RoiContext) -> bool:
        if card.looks < VOTES or look.t - card.seen_at < APART_S:
            return False
        if not card.up:
            return bool(self.zone(card.place))
        if card.is_read and self.faces.is_face(card.votes.best[0]):
            return True
        long = look.t - card.seen_at >= UNREAD_S and card.looks >= UNREAD
        return long and card.plain and not look.under_hand(card.patch)

    def _settled(self, card: CardTrack, look: RoiContext) -> TrackChange:
        """A card that came is one of those that lie there; one that was turned stays what it was."""
        self.layers += 1
        before = card.was
        if card.up and card.is_read:
            self.papers = [*self.papers[-KEPT:], card.paper]
        if before is not None and before in self.cards and before.up != card.up:
            before.up, before.votes, before.whole, before.look = card.up, card.votes, 0, None
            before.quad, before.place, before.angle, before.patch = card.quad, card.place, card.angle, card.patch
            before.layer, before.misses, before.met_at = self.layers, 0, look.t
            look.understand(before.patch)
            self.scene.forget(before)
            return TrackFlipped(before)
        card.layer, card.zone, card.met_at, card.known = self.layers, self._zone_of(card, look), look.t, True
        self.cards.append(card)
        look.understand(card.patch)
        self.scene.forget(card)
        return TrackAdded(card)

    def _learn(self, view: View, look: RoiContext, rest: Mask, *, calm: bool) -> None:
        """Take what is at rest and as it was, or was never seen, as what is known."""
        order = sorted(self.cards, key=lambda card: card.layer)
        change, owner = self.scene.without(view.now, view.part, order, ())
        for n, card in enumerate(order):
            shows = rest & (owner == n)
            if np.count_nonzero(shows) >= MET_MM2 and float(change[shows].mean()) <= MET:
                card.met_at, card.unseen = look.t, 0
        mine = rest & (self.scene.unknown[view.part] | (change < CALM if calm else False))
        if mine.any():
            self.scene.take(view.part, self.scene.sharp(look.sight, look.picture, view.part), mine, order)
            self.scene.unknown[view.part][mine] = False


def _touches(quad: Floats, low: Floats, high: Floats) -> bool:
    return bool((quad.max(axis=0) >= low).all() and (quad.min(axis=0) <= high).all())
