"""Rows of cards: where the first card of a hand lies, which way the others follow, and how many of them fit.

A printed way is that of the layout. Any other is fitted into its zone: the row begins where most of its cards lie
within, as near as can be to where the layout begins. The middle of a card stays within: by it the card belongs there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, radians, sin
from types import MappingProxyType
from zlib import crc32

import numpy as np

from feltwatch.datasets.scene.dealer import PRINTED, Dealer
from feltwatch.vision.arrays import Floats32, Point
from feltwatch.vision.layout.zones import Area, Layout

WAYS = MappingProxyType(  # to the right and up, as a Player sees his cards
    {
        "right": (1.0, 0.0),
        "left": (-1.0, 0.0),
        "up": (0.0, 1.0),
        "down": (0.0, -1.0),
        "up-right": (0.7, 0.7),
        "down-right": (0.7, -0.7),
        "up-left": (-0.7, 0.7),
        "down-left": (-0.7, -0.7),
    }
)
SIDES = ((1.0, 0.0), (-1.0, 0.0))
ENDS = ((0.0, 1.0), (0.0, -1.0))
CORNERS = ((0.9, 0.9), (-0.9, -0.9), (0.9, -0.9), (-0.9, 0.9))
PARTED = MappingProxyType(  # where the second hand of a split goes, best first; a hand is less wide than high
    {"along": (*ENDS, *CORNERS, *SIDES), "across": (*SIDES, *CORNERS, *ENDS), "diagonal": (*CORNERS, *ENDS, *SIDES)}
)
ACROSS = 0.85  # of `split_mm`
CLEAR_MM = 55.0  # between two hands of a box
GRID_MM, GRID_REACH_MM = 10, 130  # places that are tried for the first card
STARTS = sorted(
    (
        (float(x), float(y))
        for x in range(-GRID_REACH_MM, GRID_REACH_MM + 1, GRID_MM)
        for y in range(-GRID_REACH_MM, GRID_REACH_MM + 1, GRID_MM)
    ),
    key=lambda one: hypot(*one),
)
HOLE_MM = 3.0  # from the zone of another hand that is printed within
SAME_MM2 = 50.0  # zones that differ by less are of one size
LEAST_EDGE_MM = 4.0
BOX_CARDS, OWN_CARDS = 4, 6  # that a dealer makes room for
PARTS_MM = 44.0  # from one part of a hand of four to the other, where they overlap
STEPPED_MM = 34.0
LOOSE = 3.0  # cards of a neat pile are as much nearer to each other than its offset


@dataclass(frozen=True, slots=True)
class Hand:
    """What is to have a row: the cards of a zone in one round."""

    zone: str
    round: int = 0
    shown: bool = True
    parted: bool = False

    @property
    def place(self) -> str:
        return self.zone.partition(".")[0]

    @property
    def part(self) -> str:
        return self.zone.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Row:
    """Where the cards of a hand lie; `fits` of them (None: any number) before the next come between them."""

    zone: str  # printed on the felt
    first: Point
    step: Point
    turn: float
    fits: int | None = None
    reach: float = 1.0
    loose: float = 1.0  # how carelessly: 0 exactly

    def at(self, place: int) -> Point:
        if self.fits is None:
            far = self.reach * place
        else:
            run, far = divmod(place, self.fits)
            far = min(far + run / 2, self.fits - 1.0)
        return self.first[0] + far * self.step[0], self.first[1] + far * self.step[1]


@dataclass(frozen=True, slots=True)
class Manner:
    """Which way a row goes, how far from card to card, for how many cards, and about which point."""

    way: str
    offset_mm: float
    cards: int
    begins: Point
    loose: float = 1.0


def dice_for(seed: int, name: str) -> np.random.Generator:
    """Give the chance that belongs to one thing, whatever else happens on the table."""
    return np.random.default_rng([seed, crc32(name.encode())])


@lru_cache(maxsize=512)
def row_of(layout: Layout, dealer: Dealer, hand: Hand) -> Row | None:
    """Give the row of a hand, or nothing where no card belongs."""
    area = layout.by_name.get(hand.zone)
    if area is None or hand.parted:
        return _split(layout, dealer, hand)
    manner = _manner(layout, dealer, hand, area)
    if manner.way == PRINTED:
        return Row(area.name, area.first, area.step, area.turn, reach=dealer.reach)
    turn = area.turn + _tilt(dealer, hand)
    return _fitted(layout, dealer, area, manner, (turn, _step(dealer, hand, manner, turn)))


def _manner(layout: Layout, dealer: Dealer, hand: Hand, area: Area) -> Manner:
    if f"{hand.place}.low" in layout.by_name:
        return _four(layout, dealer, hand, area)
    if hand.place == "dealer":
        return Manner(dealer.own_way, dealer.own_mm, OWN_CARDS, area.first)
    return Manner(dealer.way, dealer.offset_mm, BOX_CARDS, area.first)


def _four(layout: Layout, dealer: Dealer, hand: Hand, area: Area) -> Manner:
    """Give how four cards lie: on a pile, or set in two parts."""
    if hand.part == "cards":
        if hand.place == "dealer" and hand.shown and dealer.show_mm:
            return Manner("right", dealer.show_mm, BOX_CARDS, area.first)
        loose = 1.0 if dealer.pile_way == PRINTED else min(1.0, dealer.pile_mm / (LOOSE * dealer.place_mm))
        return Manner(dealer.pile_way, dealer.pile_mm, BOX_CARDS, area.first, loose)
    if dealer.parts == PRINTED:
        return Manner(PRINTED, 0.0, 2, area.first)
    way = "left" if dealer.parts == "reversed" else "right"
    if dealer.parts == "apart":
        return Manner(way, dealer.part_mm, 2, area.first)
    low, high = (_middle(layout.by_name[f"{hand.place}.{part}"]) for part in ("low", "high"))
    between = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
    long = hypot(high[0] - low[0], high[1] - low[1])
    side = PARTS_MM / 2 / long * (1 if hand.part == "high" else -1)
    top = radians(area.turn)
    up = STEPPED_MM * (dealer.parts == "stepped") * (0.5 if hand.part == "high" else -0.5)
    begins = (
        between[0] + side * (high[0] - low[0]) + up * cos(top),
        between[1] + side * (high[1] - low[1]) + up * sin(top),
    )
    return Manner(way, dealer.part_mm, 2, begins)


def _middle(area: Area) -> Point:
    x, y = np.mean(area.polygon, axis=0)
    return float(x), float(y)


def _tilt(dealer: Dealer, hand: Hand) -> float:
    """Give by how much the cards of a box are turned against their place in a round."""
    if not dealer.tilt_deg:
        return 0.0
    return float(dice_for(dealer.seed, f"{hand.place} {hand.round}").uniform(-dealer.tilt_deg, dealer.tilt_deg))


def _step(dealer: Dealer, hand: Hand, manner: Manner, turn: float) -> Point:
    if manner.way in WAYS:
        return _turned(WAYS[manner.way], manner.offset_mm, turn)
    anyhow = float(dice_for(dealer.seed, f"{hand.zone} {hand.round} way").uniform(0, 2 * np.pi))
    return _turned((cos(anyhow), sin(anyhow)), manner.offset_mm, turn)


def _turned(way: Point, length: float, turn: float) -> Point:
    """Give a way to the right and up of a card whose top points there, in millimetres of the felt."""
    top = radians(turn)
    right, up = way[0] * length, way[1] * length
    return right * sin(top) + up * cos(top), -right * cos(top) + up * sin(top)


# ---- what fits ------------------------------------------------------------------------------------------------------


def _fitted(layout: Layout, dealer: Dealer, area: Area, manner: Manner, lies: tuple[float, Point]) -> Row:
    """Begin a row where most of its cards lie within the zone."""
    turn, step = lies
    for cards in range(manner.cards, 0, -1):
        for edge in (dealer.edge_mm, LEAST_EDGE_MM):
            for x, y in STARTS:
                first = (manner.begins[0] + x, manner.begins[1] + y)
                if _fit(layout, area, (first, step), cards, edge) == cards:
                    return Row(area.name, first, step, turn, cards, loose=manner.loose)
    return Row(area.name, area.first, (0.0, 0.0), turn, 1, loose=manner.loose)


def _fit(layout: Layout, area: Area, row: tuple[Point, Point], cards: int, edge: float) -> int:
    """Count the cards, up to so many, that lie within a zone and in none that is printed within it."""
    (x, y), step = row
    holes = _holes(layout, area)
    for n in range(cards):
        point = (x + n * step[0], y + n * step[1])
        if area.away(point) > -edge or any(hole.away(point) < HOLE_MM for hole in holes):
            return n
    return cards


@lru_cache(maxsize=512)
def _holes(layout: Layout, area: Area) -> tuple[Area, ...]:
    """Give the zones that take cards away from a zone: those that reach into it and are no larger."""
    near = [other for other in layout.areas if other.for_cards and other != area and _meet(other.edge, area.edge)]
    return tuple(other for other in near if other.size <= area.size + SAME_MM2)


def _meet(one: Floats32, other: Floats32) -> bool:
    return bool((one.min(axis=0) <= other.max(axis=0)).all() and (other.min(axis=0) <= one.max(axis=0)).all())


# ---- split hands without a place of their own -----------------------------------------------------------------------


def _split(layout: Layout, dealer: Dealer, hand: Hand) -> Row | None:
    """Give the row of a hand for which no place is printed: it lies beside the first hand of its box."""
    area = layout.by_name.get(f"{hand.place}.cards")
    number = int(hand.part[4:]) if hand.part[:4] == "hand" else 1
    base = row_of(layout, dealer, Hand(area.name, hand.round)) if area and (hand.parted or number > 1) else None
    if area is None or base is None:
        return None
    rows = _hands(layout, dealer, area, base)
    return rows[min(number, len(rows)) - 1]


def _hands(layout: Layout, dealer: Dealer, area: Area, base: Row) -> Sequence[Row]:
    """Give the rows of four hands of a box, the first of them where the pair was if it stays there."""
    ways = PARTED[dealer.split.removeprefix("both-") if dealer.split != PRINTED else "along"]
    asides = [_turned((x * ACROSS, y), dealer.split_mm, base.turn) for x, y in ways]
    both = dealer.split.startswith("both-")
    found = [base]
    if both:
        for x, y in asides:
            halves = [_moved(layout, area, base, (x * half, y * half)) for half in (-0.5, 0.5)]
            if all(row.fits for row in halves):
                found = halves
                break
    for row in _free(layout, area, found[0], asides):
        if all(hypot(row.first[0] - one.first[0], row.first[1] - one.first[1]) >= CLEAR_MM for one in found):
            found.append(row)
    return found


def _free(layout: Layout, area: Area, base: Row, asides: Sequence[Point]) -> Iterator[Row]:
    rows = [_moved(layout, area, base, aside) for aside in asides]
    for least in (2, 1):
        yield from (row for row in rows if (row.fits or 0) >= least)


def _moved(layout: Layout, area: Area, base: Row, by: Point) -> Row:
    first = (base.first[0] + by[0], base.first[1] + by[1])
    fits = _fit(layout, area, (first, base.step), BOX_CARDS, LEAST_EDGE_MM)
    return Row(area.name, first, base.step, base.turn, fits, loose=base.loose)
