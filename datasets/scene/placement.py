"""Where a dealer lays things: from zone and place to millimetres, as neatly or as carelessly as people do."""

from dataclasses import dataclass, replace
from math import hypot
from zlib import crc32

import numpy as np

from feltwatch.datasets.art.chips.chips import ChipStack
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.scene.scene import POKER, THICK, LaidCard
from feltwatch.engine.model.cards import Card
from feltwatch.vision.layout.zones import Layout

REACH_MM = 860.0  # from the middle of the dealer's edge: beyond it lies the rail
PILE_FOOT_MM = 4.0  # of the discard holder
TRIES = 2000  # places, before there is held to be no bare felt
PILE_MM = 1.2  # in a pile of discards a card lies this far from straight


@dataclass(frozen=True, slots=True)
class DealerHabits:
    """How a dealer's work looks: one value for the whole table, drawn once."""

    seed: int
    place_mm: float = 2.5  # standard deviation of where a card comes to lie
    angle_deg: float = 2.5
    bend_mm: float = 0.5
    size: tuple[float, float] = POKER
    reach: float = 1.0  # how far apart overlapping cards are laid, 1 as the layout says


def dice_for(seed: int, name: str) -> np.random.Generator:
    """Give the chance that belongs to one thing, whatever else happens on the table."""
    return np.random.default_rng([seed, crc32(name.encode())])


@dataclass(frozen=True, slots=True)
class Laying:
    """A card that comes to rest: which, where, and as which card of that zone."""

    name: str
    face: Card
    zone: str
    place: int
    up: bool
    crosswise: bool = False


def lay_card(layout: Layout, habits: DealerHabits, laying: Laying) -> LaidCard:
    """Give the pose in which a card comes to rest."""
    zone, place = laying.zone, laying.place
    area = layout.by_name.get(zone)
    dice = dice_for(habits.seed, f"{laying.name} {zone} {place}")
    wide, turn = dice.normal(0, habits.place_mm, 2), float(dice.normal(0, habits.angle_deg))
    bend = float(np.clip(dice.normal(0, habits.bend_mm), -1.0, 1.0))
    card = LaidCard(laying.name, laying.face.text, laying.up, 0.0, 0.0, 0.0, size=habits.size)
    if area is None:  # outside every zone: where it fell
        x, y = beside_zones(layout, dice)
        return replace(card, x=x, y=y, angle=float(dice.uniform(0, 360)), bend=bend)
    if zone in ("discard", "shoe"):
        x, y = area.first[0] + wide[0] * PILE_MM / 2, area.first[1] + wide[1] * PILE_MM / 2
        high = PILE_FOOT_MM + place * THICK
        return replace(card, x=float(x), y=float(y), angle=area.turn + turn / 2, z=high, zone=zone)
    x = area.first[0] + habits.reach * place * area.step[0] + wide[0]
    y = area.first[1] + habits.reach * place * area.step[1] + wide[1]
    angle = area.turn + turn + (90.0 if laying.crosswise else 0.0)
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


def lay_stacks(
    layout: Layout, habits: DealerHabits, spot: str, stacks: tuple[tuple[int, ...], ...]
) -> tuple[ChipStack, ...]:
    """Give the stacks of a spot where they stand."""
    area = layout.by_name.get(spot)
    found = []
    for number, chips in enumerate(stacks):
        dice = dice_for(habits.seed, f"{spot} {number}")
        wide = dice.normal(0, habits.place_mm, 2)
        if area is None:
            x, y = beside_spots(layout, dice)
        else:
            x = area.first[0] + number * area.step[0] + float(np.clip(wide[0], -6, 6))
            y = area.first[1] + number * area.step[1] + float(np.clip(wide[1], -6, 6))
        found.append(ChipStack(spot, x, y, chips, int(dice.integers(1 << 30))))
    return tuple(found)
