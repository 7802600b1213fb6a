"""What is believed to lie on a table at one moment, for people to look at: nothing is decided from it."""

from dataclasses import dataclass

from feltwatch.vision.arrays import Floats, Point, Quad


@dataclass(frozen=True, slots=True)
class LyingCard:
    id: str
    quad: Quad
    up: bool
    face: str | None
    zone: str | None
    sure: float


@dataclass(frozen=True, slots=True)
class StandingStack:
    spot: str | None
    center: Point
    radius: float


@dataclass(frozen=True, slots=True)
class TableView:
    cards: tuple[LyingCard, ...] = ()
    stacks: tuple[StandingStack, ...] = ()
    hands: tuple[Quad, ...] = ()
    doubts: tuple[str, ...] = ()


def quad_of(corners: Floats) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in corners)
    return a, b, c, d
