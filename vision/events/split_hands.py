"""Hands of a split on a felt that has one place for a box's cards: a pair that is laid apart is two hands.

A hand is known by which cards lie together. When the two cards of a pair come to lie otherwise against each other than
they were dealt, the later one begins the next hand; a card that comes belongs to the hand of the card nearest to it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.model.spots import MAX_HANDS, ZONES, hand_zone
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.tracking.track import CardTrack, distance

APART_MM: Final = 40.0  # a pair that is split is moved apart by more: half a card's height
PAIR: Final = 2

Place = tuple[float, float]


class SplitHands:
    """Knows where each card of a box lay when it was dealt, and tells when a pair has been split."""

    def __init__(self, layout: Layout) -> None:
        hands = [ZONES[area.name] for area in layout.areas if area.for_cards and ZONES[area.name].part == "cards"]
        several = {zone.box for zone in hands if zone.hand > 1}  # boxes with a printed place for each hand
        self.shared = {zone.text for zone in hands if zone.box and zone.box not in several}
        self.dealt: dict[str, Place] = {}  # where each card came to lie, by its id

    def forget(self) -> None:
        """Start again on a table without cards."""
        self.dealt.clear()

    def zone_of(self, card: CardTrack, lying: Sequence[CardTrack]) -> str | None:
        """Give the place of a card that comes: that of the nearest hand, where the place holds several."""
        if card.zone not in self.shared:
            return card.zone
        hands = [one for one in lying if one is not card and one.id and _box(one) == _box(card)]
        return min(hands, key=lambda one: distance(one.place, card.place)).zone if hands else card.zone

    def parted(self, lying: Sequence[CardTrack]) -> Iterator[tuple[CardTrack, str]]:
        """Give each card that has been laid apart from the other of its pair, and the hand that it begins."""
        for card in lying:
            if card.id:
                self.dealt.setdefault(card.id, card.place)
        zones = {card.zone or "" for card in lying if card.id and _is_shared(card, self.shared)}
        for zone in sorted(zones):
            hand = sorted((card for card in lying if card.id and card.zone == zone), key=lambda card: int(card.id[1:]))
            if len(hand) != PAIR or not (_are_pair(hand) and self._are_apart(hand)):
                continue
            taken = {ZONES[card.zone].hand for card in lying if card.zone and card.id and _box(card) == _box(hand[0])}
            free = next((number for number in range(2, MAX_HANDS + 1) if number not in taken), None)
            if free is not None:
                box = ZONES[hand[0].zone or ""].box
                assert box is not None  # noqa: S101  a shared place is a box's
                yield hand[1], hand_zone(box, free).text

    def _are_apart(self, pair: Sequence[CardTrack]) -> bool:
        """Tell whether two cards lie otherwise against each other than they were dealt, and have been seen so."""
        one, other = pair
        (x, y), (u, v) = self.dealt[one.id], self.dealt[other.id]
        now = (one.place[0] - other.place[0], one.place[1] - other.place[1])
        settled = min(one.met_at, other.met_at) >= max(one.rested, other.rested)
        return settled and distance(now, (x - u, y - v)) > APART_MM


def _box(card: CardTrack) -> str:
    return (card.zone or "").partition(".")[0]


def _is_shared(card: CardTrack, shared: set[str]) -> bool:
    return f"{_box(card)}.cards" in shared


def _are_pair(hand: Sequence[CardTrack]) -> bool:
    values = [CARDS[card.face].value for card in hand if card.up and card.face]
    return len(values) == PAIR and values[0] == values[1]
