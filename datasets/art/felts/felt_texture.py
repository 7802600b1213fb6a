"""Cloth, floor and rail: what lies under the print, as pictures seen from above."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from feltwatch.datasets.art.drawing.colours import clouds
from feltwatch.datasets.art.drawing.prints import SUITS, as_bytes, suit_mask
from feltwatch.vision.arrays import Colour, Floats32, Pixels

TILE = 512
PATTERNS = ("plain", "suits", "dots", "lattice", "rings", "chevron", "scales", "checks", "swirl")


def tiled(tile: Floats32, shape: tuple[int, int]) -> Floats32:
    """Repeat a tile over a plane."""
    times = (-(-shape[0] // tile.shape[0]), -(-shape[1] // tile.shape[1]))
    return np.tile(tile, times)[: shape[0], : shape[1]]


def weave(rng: Generator, shape: tuple[int, int], px_per_mm: float, coarse: float) -> Floats32:
    """Give the grain of cloth: short fibres along both threads; at one pixel a millimetre little of it is left."""
    noise = rng.standard_normal((TILE, TILE), dtype=np.float32)
    length = max(2, round(2 * coarse * px_per_mm))
    wrap: Any = np.pad(noise, length, mode="wrap")
    across = cv2.blur(wrap, (length, 1))[length:-length, length:-length]
    along = cv2.blur(wrap, (1, length))[length:-length, length:-length]
    fibres = (across + along) * np.sqrt(length) / 2 + 0.35 * noise
    return tiled(np.asarray(fibres, dtype=np.float32), shape)


def pattern(kind: str, shape: tuple[int, int], px_per_mm: float, pitch: float) -> Floats32:
    """Give the woven or printed figure of speed cloth, 0 to 1, `pitch` millimetres apart."""
    if kind == "plain":
        return np.zeros(shape, dtype=np.float32)
    side = max(8, round(pitch * px_per_mm * 2))
    tile = np.zeros((side * 4, side * 4), dtype=np.uint8)  # drawn larger, for smooth edges
    _FIGURES[kind](tile)
    small = np.asarray(cv2.resize(tile, (side, side), interpolation=cv2.INTER_AREA), dtype=np.float32) / 255
    return tiled(small.astype(np.float32), shape)


def _suits(tile: Pixels) -> None:
    half = tile.shape[0] // 2
    for n, suit in enumerate(SUITS):
        mark = suit_mask(suit, int(half * 0.9))[:half, :half]
        row, column = divmod(n, 2)
        y, x = row * half + (half - mark.shape[0]) // 2, column * half + (half - mark.shape[1]) // 2
        tile[y : y + mark.shape[0], x : x + mark.shape[1]] = mark


def _dots(tile: Pixels) -> None:
    side = tile.shape[0]
    for x in (0, side // 2, side):
        for y in (0, side // 2, side):
            cv2.circle(tile, (x, y), side // 14, (255,), -1)
    for x in (side // 4, 3 * side // 4):
        for y in (side // 4, 3 * side // 4):
            cv2.circle(tile, (x, y), side // 14, (255,), -1)


def _lattice(tile: Pixels) -> None:
    side = tile.shape[0]
    for a, b in (((0, side // 2), (side // 2, 0)), ((side // 2, side), (side, side // 2))):
        cv2.line(tile, a, b, (255,), side // 28)
    for a, b in (((side // 2, 0), (side, side // 2)), ((0, side // 2), (side // 2, side))):
        cv2.line(tile, a, b, (255,), side // 28)


def _rings(tile: Pixels) -> None:
    side = tile.shape[0]
    for x in (0, side // 2, side):
        for y in (0, side // 2, side):
            cv2.circle(tile, (x, y), side * 9 // 32, (255,), side // 28)


def _chevron(tile: Pixels) -> None:
    side = tile.shape[0]
    for y in (0, side // 2, side):
        points = [(0, y), (side // 4, y + side // 4), (side // 2, y), (3 * side // 4, y + side // 4), (side, y)]
        cv2.polylines(tile, [np.array(points, dtype=np.int32)], isClosed=False, color=(255,), thickness=side // 16)
        above = np.array(points, dtype=np.int32) - (0, side)
        cv2.polylines(tile, [above], isClosed=False, color=(255,), thickness=side // 16)


def _scales(tile: Pixels) -> None:
    side = tile.shape[0]
    for row in range(-1, 5):
        for column in range(-1, 5):
            x, y = (column * 2 + row % 2) * side // 4, row * side // 4
            cv2.ellipse(tile, (x, y), (side // 4, side // 4), 0, 0, 180, (255,), side // 32)


def _checks(tile: Pixels) -> None:
    half = tile.shape[0] // 2
    tile[:half, :half] = 255
    tile[half:, half:] = 255


def _swirl(tile: Pixels) -> None:
    side = tile.shape[0]
    for x, y, turn in ((side // 4, side // 4, 0), (3 * side // 4, 3 * side // 4, 180)):
        for size in (side // 5, side // 8):
            cv2.ellipse(tile, (x, y), (size, size), turn, 20, 290, (255,), side // 30)
    for x, y in ((3 * side // 4, side // 4), (side // 4, 3 * side // 4)):
        cv2.ellipse(tile, (x, y), (side // 6, side // 12), 45, 0, 360, (200,), -1)


_FIGURES = {
    "suits": _suits,
    "dots": _dots,
    "lattice": _lattice,
    "rings": _rings,
    "chevron": _chevron,
    "scales": _scales,
    "checks": _checks,
    "swirl": _swirl,
}


@dataclass(frozen=True, slots=True)
class Cloth:
    colour: Colour
    pattern: str = "plain"
    pitch: float = 40.0  # millimetres from figure to figure
    contrast: float = 0.12  # of the figure to the ground; below zero it is darker
    coarse: float = 0.8  # millimetres a fibre
    grain: float = 0.05
    mottle: float = 0.05
    wear: float = 0.3
    stains: int = 2


def draw_cloth(cloth: Cloth, shape: tuple[int, int], px_per_mm: float, rng: Generator) -> Floats32:
    """Give the cloth as floats, rows x columns x BGR, 0 to 255 and a little beyond."""
    light = 1 + cloth.grain * weave(rng, shape, px_per_mm, cloth.coarse)
    light += cloth.mottle * clouds(rng, shape, 260 * px_per_mm) + 0.5 * cloth.mottle * clouds(
        rng, shape, 35 * px_per_mm
    )
    light += cloth.contrast * pattern(cloth.pattern, shape, px_per_mm, cloth.pitch)
    found = np.asarray(light[:, :, None] * np.array(cloth.colour, dtype=np.float32), dtype=np.float32)
    _fade(found, cloth.wear, rng, px_per_mm)
    for _ in range(cloth.stains):
        _stain(found, rng, px_per_mm)
    _lint(found, rng, px_per_mm, int(60 * cloth.wear) + 10)
    return found


def _fade(found: Floats32, wear: float, rng: Generator, px_per_mm: float) -> None:
    """Rub the cloth paler where it is used."""
    worn = np.clip(clouds(rng, found.shape[:2], 180 * px_per_mm), 0, 1) * (0.22 * wear)
    pale = cv2.cvtColor(found, cv2.COLOR_BGR2GRAY) * 0.6 + 55
    for channel in range(3):
        found[:, :, channel] += worn * (pale - found[:, :, channel])


def _stain(found: Floats32, rng: Generator, px_per_mm: float) -> None:
    rows, columns = found.shape[:2]
    size = int(rng.uniform(20, 70) * px_per_mm)
    x, y = int(rng.integers(0, columns - size)), int(rng.integers(0, rows - size))
    blot = np.clip(clouds(rng, (size, size), size / 3) + 0.3, 0, 1)
    ring = np.hypot(*np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size))).astype(np.float32)
    found[y : y + size, x : x + size] *= (1 - rng.uniform(0.04, 0.16) * blot * np.clip(1.6 - 1.6 * ring, 0, 1))[
        ..., None
    ]


def _lint(found: Floats32, rng: Generator, px_per_mm: float, count: int) -> None:
    rows, columns = found.shape[:2]
    for x, y, turn, length in rng.random((count, 4)):
        start = np.array([x * columns, y * rows])
        end = start + np.array([np.cos(turn * 7), np.sin(turn * 7)]) * (2 + 6 * length) * px_per_mm
        tone = float(rng.uniform(120, 190))
        a, b = (int(start[0]), int(start[1])), (int(end[0]), int(end[1]))
        cv2.line(found, a, b, (tone, tone, tone), 1)


@dataclass(frozen=True, slots=True)
class Surround:
    """What lies round the felt: a rail along the Players' edge and the floor behind everything."""

    rail: Colour
    strip: Colour  # between rail and felt
    floor: Colour
    floor_second: Colour
    rail_mm: float = 110.0
    strip_mm: float = 14.0
    wooden: bool = False
    carpet: str = "lattice"
    cups: bool = False


def draw_floor(look: Surround, shape: tuple[int, int], px_per_mm: float, rng: Generator) -> Floats32:
    """Give the floor: a patterned carpet in the dim light under a table's edge."""
    figure = pattern(look.carpet, shape, px_per_mm, float(rng.uniform(60, 160)))[:, :, None]
    ground, second = (np.array(c, dtype=np.float32) for c in (look.floor, look.floor_second))
    found = ground + (second - ground) * figure
    light = 1 + 0.10 * weave(rng, shape, px_per_mm, 1.5) + 0.2 * clouds(rng, shape, 300 * px_per_mm)
    return np.asarray(found * light[:, :, None] * 0.8, dtype=np.float32)


def rail_light(away: Floats32, look: Surround, rng: Generator, px_per_mm: float) -> Floats32:
    """Give the rail's picture: a padded roll lit from above, or a flat wooden board. `away` is mm from the felt."""
    across = np.clip((away - look.strip_mm) / look.rail_mm, 0, 1)
    shape = (away.shape[0], away.shape[1])
    if look.wooden:
        rings = np.sin(across * 25 + 3 * clouds(rng, shape, 120 * px_per_mm)) * 0.10
        light = 0.85 + rings + 0.05 * clouds(rng, shape, 12 * px_per_mm)
    else:
        roll = np.sqrt(np.clip(1 - (2 * across - 1) ** 2, 0, 1))
        shine = np.exp(-(((across - 0.42) / 0.10) ** 2)) * (0.25 + 0.15 * clouds(rng, shape, 200 * px_per_mm))
        light = 0.35 + 0.75 * roll + shine + 0.04 * clouds(rng, shape, 5 * px_per_mm)
    found = light[:, :, None] * np.array(look.rail, dtype=np.float32) + (shine_of(light, look))[:, :, None]
    edge = away < look.strip_mm
    found[edge] = (
        np.array(look.strip, dtype=np.float32) * (0.8 + 0.25 * np.sin(away[edge] / look.strip_mm * 3.1))[:, None]
    )
    return np.asarray(found, dtype=np.float32)


def shine_of(light: Floats32, look: Surround) -> Floats32:
    """Leather throws back a little white light where it is brightest."""
    return np.asarray(np.clip(light - 1.05, 0, 1) * (0.0 if look.wooden else 60.0), dtype=np.float32)


def mixed(below: Floats32, above: Floats32, cover: Floats32) -> None:
    """Lay `above` over `below`, in place, as far as it covers."""
    below[:] = cv2.blendLinear(above, below, cover, 1 - cover)


def to_bytes(found: ArrayLike) -> Pixels:
    return as_bytes(np.clip(found, 0, 255))
