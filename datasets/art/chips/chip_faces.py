"""What a chip looks like: drawn from a recipe, so that no picture of a real casino's chip is stored or copied."""

from dataclasses import dataclass
from math import pi

import cv2
import numpy as np
from numpy.random import Generator

from feltwatch.datasets.art.drawing.colours import clouds, shaded
from feltwatch.datasets.art.drawing.prints import (
    DEALER,
    PLAYERS,
    SUITS,
    Ring,
    Sheet,
    Type,
    as_bytes,
    regular,
    suit_mask,
)
from feltwatch.vision.arrays import Colour, Floats, Floats32, Pixels, Point

SIZE = 160  # pixels across a face
FINE = 2  # times finer while drawing
UNIT = 20.0  # the sheet's radius; a face is drawn in these, whatever the chip measures
LEVELS = 3

SPOTS = ("blocks", "split", "triple", "dashed", "twins", "wedge", "dotted", "plain")
INLAYS = ("round", "ring", "octagon", "star", "scallop", "none")
RINGS = ("suits", "dots", "bars", "words", "smooth", "keys")


@dataclass(frozen=True, slots=True)
class Sector:
    """A part of the edge in another colour; angles in radians, clockwise as the face is seen."""

    start: float
    end: float
    colour: Colour
    depth: float = 0.22  # how far it reaches into the face, of the radius


@dataclass(frozen=True)
class Face:
    """One denomination: its top in falling sizes, and what its side shows."""

    levels: tuple[Pixels, ...]  # BGR, each half the size of the one before; a disc touches all four sides
    base: Colour
    sectors: tuple[Sector, ...]
    spans: Floats  # start and end of each sector

    def level(self, diameter_px: float) -> Pixels:
        """Give the smallest picture that is not coarser than what is asked for."""
        return next((found for found in reversed(self.levels) if found.shape[0] >= diameter_px), self.levels[0])


@dataclass(frozen=True, slots=True)
class Mould:
    """What all chips of one casino share."""

    house: str
    pattern: str
    count: int
    width: float  # of a spot, of the room it has
    depth: float
    inlay: str
    inlay_size: float  # of the radius
    ring: str
    kind: Type
    metal: bool  # plastic with a bright inlay, or clay


def mould_of(house: str, rng: Generator) -> Mould:
    return Mould(
        house,
        str(rng.choice(SPOTS)),
        int(rng.choice([3, 4, 4, 6, 6, 8])),
        float(rng.uniform(0.3, 0.55)),
        float(rng.uniform(0.16, 0.28)),
        str(rng.choice(INLAYS)),
        float(rng.uniform(0.48, 0.64)),
        str(rng.choice(RINGS)),
        Type(
            str(rng.choice(["sans", "uni", "plain", "italic"])),
            int(rng.integers(500, 900)),
            float(rng.uniform(0.8, 1.1)),
        ),
        bool(rng.random() < 0.3),
    )


def sectors_of(mould: Mould, colours: tuple[Colour, Colour], shift: int, rng: Generator) -> tuple[Sector, ...]:
    """Give the edge spots of one denomination."""
    count = mould.count if shift == 0 else int(np.clip(mould.count + shift, 3, 8))
    room = 2 * pi / count
    wide = room * mould.width
    first, second = colours
    found: list[Sector] = []
    for n in range(count):
        at = n * room
        found += _spot(mould, at, wide, (first, second))
        if mould.pattern == "dashed":
            dash = 0.18 * room * (1 - mould.width)
            found.append(Sector(at + room / 2 - dash, at + room / 2 + dash, second, mould.depth * 0.6))
    turn = float(rng.uniform(0, room))
    return tuple(Sector(s.start + turn, s.end + turn, s.colour, s.depth) for s in found)


def _spot(mould: Mould, at: float, wide: float, colours: tuple[Colour, Colour]) -> list[Sector]:
    first, second = colours
    low, high, deep = at - wide / 2, at + wide / 2, mould.depth
    if mould.pattern == "plain":
        return []
    if mould.pattern == "split":
        return [Sector(low, at, first, deep), Sector(at, high, second, deep)]
    if mould.pattern == "triple":
        third = wide / 3
        return [
            Sector(low, low + third, first, deep),
            Sector(low + third, high - third, second, deep),
            Sector(high - third, high, first, deep),
        ]
    if mould.pattern == "twins":
        third = wide / 3
        return [Sector(low, low + third, first, deep), Sector(high - third, high, first, deep)]
    if mould.pattern == "dotted":
        return [Sector(low, high, first, deep), Sector(at - wide / 8, at + wide / 8, second, deep * 0.6)]
    return [Sector(low, high, first, deep)]


def face_of(mould: Mould, value: int, colours: tuple[Colour, Colour, Colour], shift: int, rng: Generator) -> Face:
    """Draw one denomination: base, spots, moulding, inlay and its number, and the marks of use."""
    base, *others = colours
    sectors = sectors_of(mould, (others[0], others[1]), shift, rng)
    side = SIZE * FINE
    page = np.empty((side, side, 3), dtype=np.float32)
    page[:] = base
    for sector in sectors:
        _paint(page, _wedge(sector, mould.pattern == "wedge"), sector.colour)
    _moulding(page, mould, base)
    _inlay(page, mould, value, colours, rng)
    _use(page, rng)
    small = cv2.resize(page, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    levels = [as_bytes(np.clip(small, 0, 255))]
    for _ in range(LEVELS - 1):
        half = levels[-1].shape[0] // 2
        levels.append(as_bytes(cv2.resize(levels[-1], (half, half), interpolation=cv2.INTER_AREA)))
    for level in levels:
        level.flags.writeable = False
    return Face(tuple(levels), base, sectors, np.array([(s.start, s.end) for s in sectors]).reshape(-1, 2))


def _blank() -> Sheet:
    side = SIZE * FINE
    return Sheet(np.zeros((side, side), dtype=np.uint8), UNIT, -UNIT, side / (2 * UNIT))


def _paint(page: Floats32, mask: Pixels, colour: Colour, strength: float = 1.0) -> None:
    cover = mask.astype(np.float32)[:, :, None] * (strength / 255)
    page += cover * (np.array(colour, dtype=np.float32) - page)


def _wedge(sector: Sector, pointed: bool) -> Pixels:  # noqa: FBT001 - one of two shapes
    sheet = _blank()
    turns = np.linspace(sector.start, sector.end, 12)
    middle = (sector.start + sector.end) / 2
    inner = 1 - sector.depth * (1.3 if pointed else 1.0)
    back = middle + (turns[::-1] - middle) * (0.25 if pointed else 1.0)
    radius = np.concatenate([np.full(12, 1.05), np.full(12, inner)]) * UNIT
    angles = np.concatenate([turns, back])
    sheet.fill(np.column_stack([-radius * np.cos(angles), radius * np.sin(angles)]))
    return sheet.ink


def _moulding(page: Floats32, mould: Mould, base: Colour) -> None:
    """Press the ring between spots and inlay into the chip: its relief shows as light and shade."""
    sheet = _blank()
    outer, inner = (1 - mould.depth) * UNIT, mould.inlay_size * UNIT
    middle = (outer + inner) / 2
    high = max(1.5, (outer - inner) * 0.75)
    sheet.line(regular((0, 0), outer, 96), 0.35)
    if mould.ring == "words":
        for turn, facing in ((0.0, PLAYERS), (pi, DEALER)):
            sheet.arc(mould.house.upper(), mould.kind, Ring((0, 0), middle, turn), min(high * 0.7, 2.6), facing)
    elif mould.ring != "smooth":
        _pressed(sheet, mould.ring, middle, high)
    light = sum(base) > 380
    _paint(page, sheet.ink, (30, 30, 30) if light else (235, 235, 235), 0.30)
    _paint(page, np.roll(sheet.ink, (-2, -2), axis=(0, 1)), (250, 250, 250) if light else (15, 15, 15), 0.25)


def _pressed(sheet: Sheet, ring: str, middle: float, high: float) -> None:
    count = 16 if ring != "bars" else 40
    for n in range(count):
        turn = n * 360 / count
        at = regular((0, 0), middle, count)[n]
        if ring == "suits":
            sheet.stamp(suit_mask(SUITS[n % 4], 96), at, turn, high * 1.6)
        elif ring == "dots":
            sheet.fill(regular(at, high * 0.25, 12))
        elif ring == "bars":
            low, top = (regular((0, 0), middle + k * high / 2, count)[n] for k in (-1, 1))
            sheet.line([low, top], 0.3, closed=False)
        else:
            sheet.line(regular(at, high * 0.4, 4, turn), 0.4)


def _inlay(page: Floats32, mould: Mould, value: int, colours: tuple[Colour, Colour, Colour], rng: Generator) -> None:
    ground = _ground(mould, colours, rng)
    size = mould.inlay_size * UNIT
    shape = _outline(mould.inlay, size)
    plate, edge = _blank(), _blank()
    if mould.inlay != "none":
        plate.fill(shape)
        _paint(page, plate.ink, ground)
        edge.line(shape, 0.5)
        if mould.inlay == "ring":
            edge.line(regular((0, 0), size * 0.86, 96), 0.4)
    dark = sum(ground) > 330
    ink: Colour = (28, 24, 26) if dark else (232, 236, 238)
    if dark and rng.random() < 0.5:
        ink = _deep(colours[0])
    _paint(page, edge.ink, ink, 0.8)
    text, words = f"{value:,}".replace(",", str(rng.choice(["", ","]))), _blank()
    cap = min(0.5 * size, 1.35 * size / len(text))
    words.write(text, mould.kind, (0.0, 0.0), 270.0, cap)
    for turn, facing, what in ((0.0, PLAYERS, "CASINO"), (pi, DEALER, mould.house.upper())):
        if mould.ring != "words" and size * 0.75 > cap / 2 + 1.5:
            words.arc(what, mould.kind, Ring((0, 0), size * 0.76, turn), min(1.6, 22 / len(what)), facing)
    _paint(page, words.ink, ink, 0.95)


def _outline(inlay: str, size: float) -> list[Point]:
    """Give the edge of an inlay."""
    if inlay == "octagon":
        return regular((0, 0), size, 8, 22.5)
    if inlay == "star":
        tips, dents = regular((0, 0), size, 12), regular((0, 0), size * 0.86, 12, 15)
        return [point for pair in zip(tips, dents, strict=True) for point in pair]
    turns = np.linspace(0, 2 * pi, 96, endpoint=False)
    reach = size * (0.93 + 0.07 * np.abs(np.sin(6 * turns))) if inlay == "scallop" else np.full(96, size)
    return [(float(r * np.cos(t)), float(r * np.sin(t))) for r, t in zip(reach, turns, strict=True)]


def _ground(mould: Mould, colours: tuple[Colour, Colour, Colour], rng: Generator) -> Colour:
    if mould.inlay == "none":
        return colours[0]
    if mould.metal:
        return shaded((120, 190, 214), rng, 0.1)
    pick = rng.random()
    if pick < 0.6:
        return shaded((226, 234, 236), rng, 0.04)
    blue, green, red = (int(230 - (230 - c) * 0.3) for c in colours[0])
    return (blue, green, red) if pick < 0.85 else colours[1]


def _deep(colour: Colour) -> Colour:
    total = max(1, sum(colour))
    scale = min(1.0, 230 / total)
    return int(colour[0] * scale), int(colour[1] * scale), int(colour[2] * scale)


def _use(page: Floats32, rng: Generator) -> None:
    """Round the rim, dull the face and scratch it."""
    side = page.shape[0]
    line = np.linspace(-1, 1, side, dtype=np.float32)
    away = np.hypot(line[:, None], line[None, :])
    light = 1 - 0.28 * np.clip((away - 0.93) / 0.07, 0, 1) + 0.05 * clouds(rng, (side, side), side / 5)
    light += 0.03 * clouds(rng, (side, side), side / 40)
    page *= np.asarray(light, dtype=np.float32)[:, :, None]
    scratches = np.zeros((side, side), dtype=np.uint8)
    for a, b, c, d in rng.random((5, 4)):
        ends = (int(a * side), int(b * side)), (int((a + 0.3 * (c - 0.5)) * side), int((b + 0.3 * (d - 0.5)) * side))
        cv2.line(scratches, *ends, (255,), FINE // 2)
    _paint(page, scratches, (180, 180, 180), 0.15)
