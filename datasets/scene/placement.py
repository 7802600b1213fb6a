"""Where a dealer lays things: from zone and place to millimetres, in rows of his own way, as neatly as he works."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot

import cv2
import numpy as np

from feltwatch.datasets.art.chips.chips import ChipStack
from feltwatch.datasets.art.felts.things import LaidThing
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.scene.dealer import Dealer
from feltwatch.datasets.scene.rows import Hand, dice_for, row_of
from feltwatch.datasets.scene.scene import THICK, LaidCard
from feltwatch.engine.model.cards import Card
from feltwatch.vision.layout.zones import Layout

REACH_MM = 860.0  # from the middle of the dealer's edge: beyond it lies the rail
PILE_FOOT_MM = 4.0  # of the discard holder
TRIES = 2000  # places, before there is held to be no bare felt
NEAR_MM = 170.0  # a thing lies so far from its owner's bet
CLEAR_MM: Mapping[str, float] = {
    "phone": 125.0,
    "glass": 90.0,
    "club-card": 98.0,
    "lighter": 92.0,
    "paper": 165.0,
}  # from any card or chip
RAIL_MM = 1060.0
PILE_MM = 1.2  # in a pile of discards a card lies this far from straight


@dataclass(frozen=True, slots=True)
class Laying:
    """A card that comes to rest: which, where, and as which card of that zone."""

    name: str
    face: Card
    zone: str
    place: int
    up: bool
    crosswise: bool = False
    round: int = 0  # of the film: the hands of each round lie a little otherwise
    parted: bool = False  # the first hand of a box lies aside, too, since the pair was split


def lay_card(layout: Layout, dealer: Dealer, laying: Laying) -> LaidCard:
    """Give the pose in which a card comes to rest."""
    zone, place = laying.zone, laying.place
    dice = dice_for(dealer.seed, f"{laying.name} {zone} {place}")
    wide, turn = dice.normal(0, dealer.place_mm, 2), float(dice.normal(0, dealer.angle_deg))
    bend = float(np.clip(dice.normal(0, dealer.bend_mm), -1.0, 1.0))
    card = LaidCard(laying.name, laying.face.text, laying.up, 0.0, 0.0, 0.0, size=dealer.size)
    if zone in ("discard", "shoe"):
        area = layout.by_name[zone]
        x, y = area.first[0] + wide[0] * PILE_MM / 2, area.first[1] + wide[1] * PILE_MM / 2
        high = PILE_FOOT_MM + place * THICK
        return replace(card, x=float(x), y=float(y), angle=area.turn + turn / 2, z=high, zone=zone)
    row = row_of(layout, dealer, Hand(zone, laying.round, shown=laying.up, parted=laying.parted))
    if row is None:  # outside every zone: where it fell
        x, y = beside_zones(layout, dice)
        return replace(card, x=x, y=y, angle=float(dice.uniform(0, 360)), bend=bend)
    middle = row.at(place)
    x, y = middle[0] + row.loose * wide[0], middle[1] + row.loose * wide[1]
    if row.fits is not None and layout.zone_at((x, y)) != row.zone:
        x, y = middle
    angle = row.turn + row.loose * turn + (90.0 if laying.crosswise else 0.0)
    return replace(card, x=float(x), y=float(y), angle=angle, z=place * THICK, zone=zone, bend=bend)


def beside_zones(layout: Layout, dice: np.random.Generator) -> tuple[float, float]:
    """Give a place on the felt that belongs to no hand: a card that slipped out of the dealer's hand."""
    for _ in range(TRIES):
        x, y = float(dice.uniform(-500, 500)), float(dice.uniform(240, 440))
        if layout.zone_at((x, y)) is None:
            return x, y
    raise DataError(
        f"{layout.name}: expected bare felt between the boxes for a card to slip to, found zones everywhere"
    )


def beside_spots(layout: Layout, dice: np.random.Generator) -> tuple[float, float]:
    """Give a place on the felt that is no spot: chips on a line, or pushed elsewhere."""
    while True:
        x, y = float(dice.uniform(-500, 500)), float(dice.uniform(600, 860))
        if layout.spot_at((x, y)) is None and hypot(x, y) < REACH_MM:
            return x, y


def lay_thing(
    layout: Layout,
    dealer: Dealer,
    thing: tuple[str, str],
    home: tuple[float, float],
    taken: Sequence[tuple[float, float]],
) -> LaidThing:
    """Put a thing near its owner's bet, or before it, where it touches nothing; where all is taken, on the rail."""
    name, kind = thing
    dice = dice_for(dealer.seed, name)
    seed = int(dice.integers(1 << 30))
    edge = np.array(layout.outline, np.float32)
    for _ in range(TRIES):
        x, y = home[0] + float(dice.normal(0, NEAR_MM)), home[1] + float(dice.normal(0, NEAR_MM))
        inside = cv2.pointPolygonTest(edge, (x, y), measureDist=False) > 0
        if inside and all(hypot(x - u, y - v) > CLEAR_MM[kind] for u, v in taken):
            return LaidThing(name, kind, x, y, seed)
    far = RAIL_MM / hypot(*home)
    return LaidThing(name, kind, home[0] * far, home[1] * far, seed)


def lay_stacks(layout: Layout, dealer: Dealer, spot: str, stacks: tuple[tuple[int, ...], ...]) -> tuple[ChipStack, ...]:
    """Give the stacks of a spot where they stand."""
    area = layout.by_name.get(spot)
    found = []
    for number, chips in enumerate(stacks):
        dice = dice_for(dealer.seed, f"{spot} {number}")
        wide = dice.normal(0, dealer.place_mm, 2)
        if area is None:
            x, y = beside_spots(layout, dice)
        else:
            x = area.first[0] + number * area.step[0] + float(np.clip(wide[0], -6, 6))
            y = area.first[1] + number * area.step[1] + float(np.clip(wide[1], -6, 6))
        found.append(ChipStack(spot, x, y, chips, int(dice.integers(1 << 30))))
    return tuple(found)
