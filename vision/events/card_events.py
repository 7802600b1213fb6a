"""Table events from the cards believed on the table: reported once settled, corrected when known better."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final

import numpy as np

from feltwatch.engine.model.cards import CARDS, Card
from feltwatch.engine.model.events import Clear, Correct, Dealt, Event, Move, Remove, Turn
from feltwatch.engine.model.spots import ZONES, Zone, parse_zone
from feltwatch.vision.arrays import Mask
from feltwatch.vision.detection.reader_classes import ReaderClasses
from feltwatch.vision.events.split_hands import SplitHands
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.tracking.card_tracker import CardTracker
from feltwatch.vision.tracking.four_card_hands import (
    FOUR,
    NO_FOURS,
    FourCardHands,
    are_dealt,
    box,
    is_set,
    lies_under,
    progress,
    stands_for,
)
from feltwatch.vision.tracking.revealed_faces import DEALER, RevealedFaces, revealed
from feltwatch.vision.tracking.track import CLEAR, VOTES, CardTrack, Votes, bearing, distance
from feltwatch.vision.tracking.track_changes import TrackAdded, TrackChange, TrackFlipped, TrackLost

HELD_S: Final = 1.0  # a card that is gone may turn up elsewhere: it was pushed
HELD_DOWN_S: Final = 1.6  # the same of one that lay face down: it is turned on its way
HELD_IN_HAND_S: Final = 60.0  # the same of a player's card before the dealer shows his
HELD_HIDDEN_S: Final = 3.0  # the same while a hand hides where it may lie, and
GRACE_S: Final = 0.6  # after it
PUSHED_MM: Final = 30.0  # a card that was pushed lies at least so far from where it lay
TOGETHER_S: Final = 0.1  # cards that come to rest in one place so soon after each other were drawn together
APART_S: Final = 0.3  # no hand lays two cards on two places in less
WATCHED_S: Final = 0.6  # a place that was last seen empty so long before was covered by more than who dealt there
BESIDE_MM: Final = 12.0  # those that show their faces lie so far apart: one that is boxed twice is no two
HIDDEN: Final = 0.4  # of a card's place cannot be seen: it may be there no more
LIKELY: Final = 2  # looks at a card that is not sure yet: others wait for it
PATIENCE_S: Final = 0.5  # but no longer
CROSS_DEG: Final = 30.0
WHOLE: Final = 0.06  # of a card may be covered, and yet it lies whole
BETTER: Final = 0.985  # so sure of another face than was reported: a correction


@dataclass(frozen=True, slots=True)
class TableNow:
    """What telling needs to know of the table besides the facts themselves."""

    lying: CardTracker
    sides: HandAttribution
    disturbed: Mask  # what cannot be seen for hands, or has changed
    hidden: Mapping[str, float] = field(default_factory=dict)  # hidden places for cards, and since when


@dataclass(frozen=True, slots=True)
class WaitingFace:
    """A certain card that waits for its turn to be reported."""

    card: CardTrack
    since: float


@dataclass(frozen=True, slots=True)
class CardsLeft:
    """A card whose place was seen empty, and which has not turned up elsewhere."""

    card: CardTrack
    at: float


class CardEvents:
    """Turns facts into table events, and holds what had better wait."""

    def __init__(self, layout: Layout, classes: Sequence[str]) -> None:
        self.layout = layout
        self.classes = tuple(classes)
        self.ids: set[str] = set()
        self.left: list[CardsLeft] = []
        self.waiting: list[WaitingFace] = []
        self.fours = are_dealt(layout)
        self.shown = RevealedFaces(layout, ReaderClasses(classes))
        self.splits = SplitHands(layout)
        self.fed = {area.name for area in layout.areas if area.for_cards and _is_fed(area.name)}
        self.hid: dict[str, float] = {}  # when a place of each box was last hidden
        self.last: CardTrack | None = None  # the last card that was reported
        self.dealt = False  # since the layout was clear
        self.setting = False  # hands are being set, or shown: all cards are dealt
        self.disputed: set[str] = set()  # faces that seemed to be on two cards
        self.doubted: list[CardTrack] = []  # whose face is to be taken back

    @property
    def clearing(self) -> bool:
        """True if the last cards have just gone, and the round may be over: what comes now is of the next."""
        return bool(self.dealt and self.left)

    def progress(self, lying: CardTracker) -> FourCardHands:
        """Say how far a round of hands of four has come."""
        if not self.fours:
            return NO_FOURS
        cards = self.theirs(lying)
        return progress(self.layout, cards, setting=self.setting, shown=revealed(cards))

    def facts(self, t: float, facts: Sequence[TrackChange], now: TableNow, *, first: bool = False) -> Iterator[Event]:
        """Tell what came, turned and went. A card waits for those that came to rest before it and are not sure yet."""
        for fact in facts:
            if isinstance(fact, TrackLost):
                self.waiting = [one for one in self.waiting if one.card is not fact.card]
                self.left.append(CardsLeft(fact.card, t))
        self.waiting += [WaitingFace(fact.card, t) for fact in facts if isinstance(fact, TrackAdded)]
        self.waiting.sort(key=lambda one: one.card.rested)
        for one in [*self.waiting]:
            before = any(card.rested < one.card.rested and card.looks >= LIKELY for card in now.lying.coming)
            if (before and t - one.since < PATIENCE_S) or self._alike(t, one, now.lying):
                break
            self.waiting.remove(one)
            yield from self._new(t, one.card, now, first=first)
        for fact in facts:
            if isinstance(fact, TrackFlipped) and not (self.fours and self._slid(fact.card, now.lying)):
                yield from self._turned(t, fact.card, now)

    def asks(self, t: float, lying: CardTracker) -> CardTrack | None:
        """Give a card that must be looked for, since one like it has turned up: perhaps it was pushed there."""
        found = (self._alike(t, one, lying) for one in self.waiting)
        return next((card for card in found if card is not None), None)

    def _alike(self, t: float, one: WaitingFace, lying: CardTracker) -> CardTrack | None:
        """Give a card like one that waits, and not seen since that lies there; after a while it is not waited for."""
        if not one.card.up or t - one.since >= HELD_S:
            return None
        best = self.classes[one.card.votes.best[0]]
        alike = [card for card in lying.cards if card.id and card.up and card.face == best]
        shown = [card for card in alike if lying.covered(card) <= HIDDEN]
        return next((card for card in shown if card.met_at < one.card.rested), None)

    def _new(self, t: float, card: CardTrack, now: TableNow, *, first: bool) -> Iterator[Event]:
        pushed = None if first else self._pushed(t, card, now)
        if pushed is not None:
            yield from self._moved(t, card, pushed, now)
            return
        if self._fifth(card, now.lying) or (not card.zone and not card.up and self._hands_hold_cards(now.lying)):
            return
        if not first and (hand := self._packet(card, now.lying)):
            yield from self._came_to_light(t, card, hand, now)
            return
        card.id = self._name(card.rested)
        self.dealt = True
        if not self.fours:
            card.zone = self.splits.zone_of(card, now.lying.cards)
        across = self._lies_across(card, now.lying, first=first)
        face, together = self._face(card, now.lying), not first and self._together(card)
        self.last = card
        came = Dealt(t, card.id, parse_zone(card.zone), face, card.up, crosswise=across, order_lost=together)
        came = came._replace(rested=round(card.rested, 3))
        if first:
            yield came._replace(found=True)
        else:
            hidden = self.hidden(now.hidden, card.rested, card.zone)
            yield came._replace(since=round(card.since, 3), hidden=hidden)

    def _lies_across(self, card: CardTrack, lying: CardTracker, *, first: bool) -> bool:
        """Tell whether a card lies across the hand that it came to, whichever way that lies."""
        hand = [one for one in lying.cards if one is not card and one.zone == card.zone and (first or one.id)]
        if card.zone is None or not hand:
            return False
        # The hand's way is that of most of its cards; of as many, that of the first. Cards that are found together have
        # no order, and each counts.
        counted = [*hand, card] if first else hand
        agree = {one: sum(_straight(one, other) for other in counted) for one in hand}
        way = max(hand, key=lambda one: (agree[one], -one.layer)).angle
        return abs(abs(bearing(card.angle, way)) - 90) < CROSS_DEG

    def hidden(self, zones: Mapping[str, float], before: float, own: str | None = None) -> tuple[Zone, ...]:
        """Give the other places to which a card may have come by then unreported: hidden ones, or where one waits."""
        long = (name for name, since in zones.items() if since <= before - APART_S)
        found = {*long, *(one.card.zone for one in self.waiting)} - {own, None}
        return tuple(parse_zone(zone) for zone in sorted(map(str, found)))

    def _together(self, card: CardTrack) -> bool:
        """True if a card was drawn together with the one before it; one that is boxed twice is read but once."""
        last = self.last
        if last is None or card.zone is None or last.zone != card.zone or abs(card.rested - last.rested) > TOGETHER_S:
            return False
        if any(one.rested - one.since > WATCHED_S for one in (last, card)):
            return False  # under a hand; all that is known is when it had gone
        if not (card.up or last.up):
            return True
        return card.is_read and last.is_read and distance(card.place, last.place) >= BESIDE_MM

    def _fifth(self, card: CardTrack, lying: CardTracker) -> bool:
        """True if a hand has its four cards, and what looks like one more is one of them."""
        if not self.fours or sum(bool(one.id) and box(one.zone) == box(card.zone) for one in self.theirs(lying)) < FOUR:
            return False
        return is_set(card.zone) or (card.up and not card.is_read)

    def _face(self, card: CardTrack, lying: CardTracker) -> Card | None:
        """Give the face by which a card is known from now on; None where it is not."""
        name = self.classes[card.votes.best[0]]
        card.face = None
        if card.up and card.is_read and len(name) == 2 and self._is_alone(card, name, lying):
            card.face = name
        return CARDS[name] if card.face else None

    def _is_alone(self, card: CardTrack, name: str, lying: CardTracker) -> bool:
        """True if a face is reported for one card alone: hands of four are dealt from one deck.

        Two that seem to bear it are nearly always one that is misread. Both get it if both lie whole and are
        read for certain; else none that is not.
        """
        if not self.fours:
            return True
        others = [one for one in self.theirs(lying) if one is not card and one.id and one.face == name]
        if others and name not in self.disputed:
            self.disputed.add(name)
            self.doubted += [one for one in others if not self._is_certain(one, lying)]
        return name not in self.disputed or self._is_certain(card, lying)

    def _is_certain(self, card: CardTrack, lying: CardTracker) -> bool:
        return card in lying.cards and card.whole >= VOTES and lying.covered(card) < WHOLE

    def _pushed(self, t: float, card: CardTrack, now: TableNow) -> CardTrack | None:
        """Give the card that was pushed here: one that is gone from elsewhere, or whose place cannot be seen now.

        Cards leave the shoe for the first place of a hand alone. What comes to lie in a place that is fed from there
        was pushed, and may have been turned on its way.
        """
        best = self.classes[card.votes.best[0]] if card.up else None
        own = [one for one in now.lying.cards if one is not card and one.id and box(one.zone) == box(card.zone)]
        if self.fours:
            lost = [one.card for one in self.left if one.card.id and box(one.card.zone) == box(card.zone)]
            if is_set(card.zone) or (len(own) + len(lost) >= FOUR and (card.up or self.setting)):
                found = stands_for(card, own, lost)
                known = found is None or found in lost or not is_set(found.zone) or len(own) + len(lost) >= FOUR
                return found if known or (found is not None and found.up) else None
        held = [one.card for one in self.left if not self.fours or t - one.at < self._held(one.card, now.lying, t)]
        gone = [one for one in held if one.id]
        if self.fours and not card.up:
            # of a card that is dealt, others say nothing
            gone = [one for one in gone if box(one.zone) == box(card.zone)]
        alike = [one for one in gone if one.up == card.up and one.face == best]
        alike += [one for one in own if _lies_beneath(one, card, best)]
        if card.zone in self.fed:
            far = [one for one in own if distance(one.place, card.place) > PUSHED_MM]
            hidden = [one for one in far if one.patch.share(now.disturbed) > HIDDEN]
            alike += [one for one in hidden if one.up == card.up and one.face == best]
        return max(alike, key=lambda one: (one.zone not in self.fed, one.zone != card.zone, one.layer), default=None)

    def _packet(self, card: CardTrack, lying: CardTracker) -> list[CardTrack]:
        """Give the hand from which a card comes to light once hands are set: squared cards were counted as one."""
        if card.zone is None or not (self.fours and (self.setting or is_set(card.zone))):
            return []
        hand = [one for one in self.theirs(lying) if one is not card and one.id and box(one.zone) == box(card.zone)]
        return hand if len(hand) < FOUR else []

    def _came_to_light(self, t: float, card: CardTrack, hand: Sequence[CardTrack], now: TableNow) -> Iterator[Event]:
        """Tell of a card that lay under others of its hand: it was dealt with them or after them."""
        first = min(hand, key=lambda one: int(one.id[1:]))
        card.id = self._name(card.rested)
        place = parse_zone(f"{box(card.zone)}.cards")
        since = round(first.since, 3)
        yield Dealt(t, card.id, place, None, up=False)._replace(rested=round(card.rested, 3), since=since)
        if is_set(card.zone):
            self.setting = True
            yield Move(t, card.id, parse_zone(card.zone), now.sides.by(card.zone or "", t))
        if card.up:
            yield from self._turned(t, card, now)

    def _slid(self, card: CardTrack, lying: CardTracker) -> bool:
        """True if the visible face was reported for another card of the hand: then that card lies here."""
        best, _ = card.votes.best
        own = [one for one in self.theirs(lying) if one is not card and one.id and box(one.zone) == box(card.zone)]
        other = next((one for one in own if card.up and one.up and one.face == self.classes[best]), None)
        if other is None or not card.id:
            return False
        card.id, other.id, card.face = other.id, card.id, other.face
        other.show_back()
        return True

    def _moved(self, t: float, card: CardTrack, before: CardTrack, now: TableNow) -> Iterator[Event]:
        self.left = [one for one in self.left if one.card is not before]
        if before in now.lying.cards:
            now.lying.cards.remove(before)
        card.id, card.face = before.id, before.face
        if not before.up and not card.is_read and self.progress(now.lying).closes(card.zone):
            card.show_back()  # of a hand that is not shown, what is not read lies face down
        if card.up != before.up:
            yield from self._turned(t, card, now)
        if not card.up and is_set(before.zone) and revealed(self.theirs(now.lying)):
            card.zone = before.zone  # it is taken up to be turned, and will lie there again
        if card.zone != before.zone:
            self.setting |= is_set(card.zone)
            yield Move(t, card.id, parse_zone(card.zone), now.sides.by(card.zone or "", t))

    def _turned(self, t: float, card: CardTrack, now: TableNow) -> Iterator[Event]:
        if card.id:
            by = now.sides.by(card.zone or "", t)
            self.setting |= card.up
            yield Turn(t, card.id, card.up, self._face(card, now.lying), by)

    def _name(self, rested: float) -> str:
        """Name a card by when it came to rest, so that its name does not depend on where watching began."""
        number = round(rested * 1000)
        self.ids = {one for one in self.ids if int(one[1:]) > number - 60_000}
        while f"c{number}" in self.ids:
            number += 1
        self.ids.add(f"c{number}")
        return f"c{number}"

    # ---- what time brings -------------------------------------------------------------------------------------------

    def passing(self, t: float, lying: CardTracker, hidden: Collection[str] = ()) -> Iterator[Event]:
        """Tell what is gone for good, faces that are known better by now, and when the layout is clear."""
        self.hid |= dict.fromkeys(map(box, hidden), t)
        for one in [one for one in self.left if t - one.at >= self._held(one.card, lying, t)]:
            own = sum(bool(card.id) and box(card.zone) == box(one.card.zone) for card in lying.cards)
            if self.fours and 0 < own < FOUR:
                zone = lies_under(one.card, lying.cards)  # a hand has its four cards until all are taken away
                if zone is not None:
                    one.card.zone = zone
                    yield Move(t, one.card.id, parse_zone(zone))
                continue
            self.left.remove(one)
            if one.card.id:
                yield Remove(t, one.card.id, round(one.at, 3))
        if self.fours:
            yield from self._under(t, lying)
        else:
            for card, zone in self.splits.parted(lying.cards):
                card.zone = zone
                yield Move(t, card.id, parse_zone(zone))
        yield from self._better(t, lying)
        if self.dealt and not (lying.cards or lying.coming or self.left):
            self.dealt = self.setting = False
            self.shown.forget()
            self.splits.forget()
            self.disputed.clear()
            yield Clear(t)

    def _held(self, card: CardTrack, lying: CardTracker, t: float) -> float:
        """Give how long a card that is gone may turn up elsewhere.

        That is longer if a hand hid a place of its box just now, and longest while a player may hold it.
        """
        if not self.fours and t - self.hid.get(box(card.zone), -inf) < GRACE_S:
            return HELD_HIDDEN_S
        if self._may_be_held(card, lying):
            return HELD_IN_HAND_S
        return HELD_S if card.up else HELD_DOWN_S

    def _may_be_held(self, card: CardTrack, lying: CardTracker) -> bool:
        """Tell whether a player may hold a card that is gone, to set it: the dealer's lie there, and he shows none."""
        if not self.fours or card.up or box(card.zone) == DEALER or revealed(self.theirs(lying)):
            return False
        return any(one.id and box(one.zone) == DEALER for one in lying.cards)

    def _hands_hold_cards(self, lying: CardTracker) -> bool:
        return any(one.card.id and self._may_be_held(one.card, lying) for one in self.left)

    def theirs(self, lying: CardTracker) -> list[CardTrack]:
        """Give the cards of all hands, those that were lost from sight too."""
        return [*lying.cards, *(one.card for one in self.left)]

    def _under(self, t: float, lying: CardTracker) -> Iterator[Event]:
        """Tell which faces lie under others, as they were seen before they came to lie there."""
        for card, face in self.shown.under(t, self.theirs(lying)):
            likely = np.zeros(len(self.classes))
            likely[face] = 1.0
            card.votes = Votes()
            card.votes.add(likely, CLEAR)
            if not card.up:
                card.up, card.turns = True, 0
                yield Turn(t, card.id, card.up, self._face(card, lying))

    def _better(self, t: float, lying: CardTracker) -> Iterator[Event]:
        while self.doubted:
            card = self.doubted.pop()
            card.face = None
            yield Correct(t, card.id, None)
        for card in self.theirs(lying):
            best, likely = card.votes.best
            name = self.classes[best]
            if not (card.id and card.up and len(name) == 2) or name == card.face:
                continue
            sure = card.is_read and (card.face is None or likely >= BETTER)
            if sure and self._is_alone(card, name, lying):
                card.face = name
                yield Correct(t, card.id, CARDS[name])


def _is_fed(zone: str) -> bool:
    """True if cards come to a place from another of the same hand, and not from the shoe."""
    return is_set(zone) or ZONES[zone].hand > 1


def _lies_beneath(one: CardTrack, card: CardTrack, face: str | None) -> bool:
    """Tell whether a card of that face lay where one lies now, and was not seen there since: it was pushed."""
    return face is not None and one.face == face and one.met_at < card.rested and one.patch.overlap(card.patch) > WHOLE


def _straight(one: CardTrack, other: CardTrack) -> bool:
    return abs(bearing(one.angle, other.angle)) < CROSS_DEG
