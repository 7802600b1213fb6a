"""Hands of four cards that are set in two: which of its cards one is that comes to light there.

Once four cards were dealt to a hand, it has those four until all of them are taken away. They slide, cover each other
and are turned, and backs look alike; so what is seen in a new place is one of them, and the question is only which.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from feltwatch.engine.model.spots import ZONES
from feltwatch.vision.detection.reader_classes import SURE, ReaderClasses
from feltwatch.vision.detection.roi_detection import CardGlimpse, Glimpse
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.tracking.track import CardTrack, distance

FOUR: Final = 4
GUESS: Final = 0.5  # so likely is the face of what surely has one
HALF: Final = 2  # cards of one of the two hands at the most


@dataclass(frozen=True, slots=True)
class FourCardHands:
    """How far a round of hands of four has come."""

    played: bool = False  # such hands are dealt on this table
    closed: frozenset[str] = frozenset()  # hands that lie face down, unless a face is read there for certain
    dealt: frozenset[str] = frozenset()  # hands that have not got their four cards yet
    deals: bool = False  # no hand is being set yet

    def closes(self, zone: str | None) -> bool:
        return box(zone) in self.closed

    def deals_to(self, zone: str | None, by: str | None) -> bool:
        """Tell whether what comes to a place comes from the shoe, though cards are set there: hands are still dealt.

        What a dealer brings to a Player's hand that has its four cards is one too many.
        """
        return box(zone) in self.dealt or (self.deals and by == "dealer" and box(zone) != "dealer")

    def deals_on(self, card: CardTrack, by: str | None) -> bool:
        """Tell whether the other side that shows where a card lies is another's: a dealer who deals turns none."""
        return by == "dealer" and box(card.zone) in self.dealt


NO_FOURS: Final = FourCardHands()  # on a table on which no such hands are dealt


def progress(layout: Layout, cards: Sequence[CardTrack], *, setting: bool, shown: bool) -> FourCardHands:
    """Find how far a round has come, by the reported cards."""
    if not are_dealt(layout):
        return NO_FOURS
    hands = frozenset(box(area.name) for area in layout.areas if is_set(area.name))
    own = [box(card.zone) for card in cards if card.id]
    dealt = frozenset(hand for hand in hands if not setting and own.count(hand) < FOUR)
    closed = frozenset() if shown else hands - {"dealer"} if setting else hands
    return FourCardHands(played=True, closed=closed, dealt=dealt, deals=not setting)


def are_dealt(layout: Layout) -> bool:
    """Tell whether hands of four are dealt on a layout."""
    return any(is_set(area.name) for area in layout.areas)


def sided(glimpse: Glimpse, layout: Layout, faces: ReaderClasses, fours: FourCardHands) -> Glimpse:
    """Say of a look what lies face down: some backs look like faces, but where hands are dealt, none is read there."""

    def is_back(one: CardGlimpse) -> bool:
        zone = layout.zone_at(one.place) or ""
        least = SURE if fours.closes(zone) else GUESS
        return zone.endswith(".cards") and faces.likeliest(one) < least

    return replace(glimpse, cards=tuple(replace(one, up=0.0) if is_back(one) else one for one in glimpse.cards))


def is_set(zone: str | None) -> bool:
    """Tell whether cards come to a place from another of the same hand, and not from the shoe."""
    found = ZONES.get(zone or "")
    return found is not None and found.part in ("low", "high")


def zone_of_back(layout: Layout, place: tuple[float, float], fours: FourCardHands, by: str | None) -> str | None:
    """Give the place of a back that comes: where Low and High lie within that of the hand, it is dealt to the hand."""
    zone = layout.zone_at(place)
    hand = layout.by_name.get(f"{box(zone)}.cards")
    return hand.name if hand is not None and hand.holds(place) and fours.deals_to(zone, by) else zone


def stands_for(card: CardTrack, lying: Sequence[CardTrack], gone: Sequence[CardTrack]) -> CardTrack | None:
    """Give the card of a hand that another is: of those that lie there or were lost from sight.

    One of the same face; else of the backs one that was lost, or that lies where there are too many, or that was not
    set yet, or the next one.
    """
    here = [*lying, *gone]
    if card.up:
        best = card.votes.best[0]
        alike = [one for one in here if one.up and one.votes.best[0] == best]
        if alike:
            return min(alike, key=lambda one: distance(one.place, card.place))
    backs = [one for one in here if not one.up]

    def rank(one: CardTrack) -> tuple[int, bool, float]:
        among = sum(other.zone == one.zone for other in lying if other is not one)
        same = one.zone == card.zone
        if card.up and same and one not in gone and one.met_at < card.met_at:
            kind = 0  # turned where it lay
        elif one in gone and (same or not is_set(one.zone)):
            kind = 1
        elif same and is_set(card.zone) and among >= HALF - 1:
            kind = 2  # the hand has as many as it may
        elif is_set(one.zone) and among >= HALF:
            kind = 3
        elif not is_set(one.zone):
            kind = 4
        else:
            kind = 5 if one in gone else 6
        apart = distance(one.place, card.place) if kind == 0 else -float(one.layer)
        return kind, one.met_at >= card.met_at, apart

    return min(backs, key=rank, default=None)


def lies_under(card: CardTrack, lying: Sequence[CardTrack]) -> str | None:
    """Give where a card lies that was lost from sight while its hand was set: where one is missing of two."""
    hand = box(card.zone)
    own = [one.zone or "" for one in lying if one.id and box(one.zone) == hand]
    if is_set(card.zone) or len(own) != FOUR - 1:
        return None
    parts = {f"{hand}.{part}": own.count(f"{hand}.{part}") for part in ("low", "high")}
    return min(parts, key=lambda zone: parts[zone]) if sorted(parts.values()) == [HALF - 1, HALF] else None


def box(zone: str | None) -> str:
    """Give the box of a zone, or the dealer's."""
    return (zone or "").partition(".")[0]
