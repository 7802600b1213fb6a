"""Suit marks as outlines: several cuts of spade, heart, diamond and club, each a polygon in a box of two by two."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

from feltwatch.vision.arrays import Point

Outline = tuple[Point, ...]

STEPS = 24  # straight pieces a curve


@dataclass(frozen=True, slots=True)
class Cut:
    """The proportions of one maker's suit marks, all of half the mark's height."""

    heart_width: float
    heart_dip: float  # how deep the lobes part
    heart_belly: float  # 0 straight sides to 1 full ones
    diamond_width: float
    diamond_bend: float  # > 0 hollow sides
    spade_width: float
    spade_belly: float
    club_radius: float
    club_spread: float
    stem_width: float
    stem_bend: float  # 0 a straight wedge, 1 strongly hollow


CUTS = MappingProxyType(
    {
        "classic": Cut(0.92, 0.42, 0.45, 0.78, 0.10, 0.90, 0.45, 0.46, 0.48, 0.42, 0.7),
        "round": Cut(1.00, 0.34, 0.80, 0.84, 0.00, 0.96, 0.75, 0.50, 0.48, 0.50, 0.4),
        "slim": Cut(0.80, 0.50, 0.25, 0.66, 0.16, 0.78, 0.25, 0.42, 0.44, 0.34, 0.9),
        "bold": Cut(1.04, 0.28, 0.60, 0.90, 0.04, 1.02, 0.62, 0.53, 0.52, 0.60, 0.2),
        "hollow": Cut(0.96, 0.48, 0.10, 0.80, 0.26, 0.94, 0.12, 0.44, 0.50, 0.56, 1.0),
    }
)


def outlines(suit: str, cut: Cut) -> tuple[Outline, ...]:
    """Give the polygons whose union is the mark."""
    return {"s": _spade, "h": _heart, "d": _diamond, "c": _club}[suit](cut)


def _curve(start: Point, first: Point, second: Point, end: Point) -> list[Point]:
    points = []
    for step in range(STEPS + 1):
        t = step / STEPS
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        corners = (start, first, second, end)
        x = sum(weight * corner[0] for weight, corner in zip(weights, corners, strict=True))
        y = sum(weight * corner[1] for weight, corner in zip(weights, corners, strict=True))
        points.append((x, y))
    return points


def _both_sides(right: Iterable[Point]) -> Outline:
    half = list(right)
    return (*half, *((-x, y) for x, y in reversed(half)))


def _lobes(width: float, dip: float, belly: float) -> list[Point]:
    """Give the right half of a heart, from the dip round the lobe to the tip below."""
    lobe = _curve((0, -1 + dip), (width * 0.10, -1.02), (width * 0.98, -1.22), (width, -0.38))
    side = _curve((width, -0.38), (width, 0.05 + 0.2 * belly), (width * (0.2 + 0.4 * belly), 0.42), (0, 1))
    return [*lobe, *side[1:]]


def _heart(cut: Cut) -> tuple[Outline, ...]:
    return (_both_sides(_lobes(cut.heart_width, cut.heart_dip, cut.heart_belly)),)


def _diamond(cut: Cut) -> tuple[Outline, ...]:
    width, bend = cut.diamond_width, cut.diamond_bend
    middle = (width / 2 * (1 - bend), 0.5 * (1 - bend))
    top = _curve((0, -1), (middle[0] * 0.8, -middle[1] * 1.2), (middle[0] * 1.2, -middle[1] * 0.8), (width, 0))
    return (_both_sides([*top, *((x, -y) for x, y in reversed(top[:-1]))]),)


def _stem(cut: Cut, top: float) -> Outline:
    width = cut.stem_width
    side = _curve((0.07, top), (0.09, 0.55), (width * (1 - cut.stem_bend * 0.7), 0.97), (width, 1))
    return _both_sides(side)


def _spade(cut: Cut) -> tuple[Outline, ...]:
    body = _lobes(cut.spade_width, 0.25, cut.spade_belly)
    return (_both_sides((x, -0.83 * y - 0.17) for x, y in body), _stem(cut, 0.2))


def _club(cut: Cut) -> tuple[Outline, ...]:
    radius, spread = cut.club_radius, cut.club_spread
    leaves = ((0.0, -1 + radius), (-spread, 0.16), (spread, 0.16))
    circles = tuple(_circle(x, y, radius) for x, y in leaves)
    return (*circles, _circle(0, -0.05, 0.22), _stem(cut, 0.0))


def _circle(x: float, y: float, radius: float) -> Outline:
    turns = [2 * math.pi * step / 48 for step in range(48)]
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)
