"""What is true of a picture: every card, stack and hand in it, in pixels; and its one JSON shape."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feltwatch.vision.arrays import Point, Quad


@dataclass(frozen=True, slots=True)
class CardTruth:
    """One card: the whole of it, also where another thing covers it."""

    id: str
    quad: Quad
    face: str | None  # what is printed on it: "9h"; None: unknown
    up: bool
    visible: float  # how much of it the picture shows, 0 to 1
    zone: str | None = None
    index: float = 1.0  # how much of its better corner index shows
    index_px: float = 0.0  # how high that index is
    label: str = "card"  # what the quad bounds: the whole card, or only its corner index in some photographs

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "quad": [[round(x, 2), round(y, 2)] for x, y in self.quad],
            "face": self.face,
            "up": self.up,
            "visible": round(self.visible, 4),
            "zone": self.zone,
            "index": round(self.index, 4),
            "index_px": round(self.index_px, 2),
            "label": self.label,
        }


@dataclass(frozen=True, slots=True)
class StackTruth:
    """One stack of chips: where its top disc is seen, and what it is made of, from the felt up."""

    spot: str | None
    center: Point  # of the top disc
    base: Point  # of the disc on the felt
    radius: float
    height_mm: float
    chips: tuple[int, ...]
    hull: tuple[Point, ...]  # the edge of the whole stack
    visible: float = 1.0

    def to_dict(self) -> dict[str, object]:
        return {
            "spot": self.spot,
            "center": [round(v, 2) for v in self.center],
            "base": [round(v, 2) for v in self.base],
            "radius": round(self.radius, 2),
            "height_mm": round(self.height_mm, 2),
            "count": len(self.chips),
            "top": self.chips[-1] if self.chips else None,
            "chips": list(self.chips),
            "hull": [[round(x, 2), round(y, 2)] for x, y in self.hull],
            "visible": round(self.visible, 4),
        }


@dataclass(frozen=True, slots=True)
class ThingTruth:
    """One thing that is neither card nor chip: the edge of all that it hides."""

    id: str
    kind: str
    hull: tuple[Point, ...]
    visible: float = 1.0

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "kind": self.kind,
            "hull": [[round(x, 2), round(y, 2)] for x, y in self.hull],
            "visible": round(self.visible, 4),
        }


@dataclass(frozen=True, slots=True)
class Truth:
    """All that is true of one picture. Hands are outlines here; `hands` of a Picture is their mask."""

    width: int
    height: int
    cards: tuple[CardTruth, ...] = ()
    stacks: tuple[StackTruth, ...] = ()
    hands: tuple[tuple[Point, ...], ...] = ()
    things: tuple[ThingTruth, ...] = ()

    def to_dict(self) -> dict[str, object]:
        things = {"things": [thing.to_dict() for thing in self.things]} if self.things else {}
        return {
            "width": self.width,
            "height": self.height,
            "cards": [card.to_dict() for card in self.cards],
            "chips": [stack.to_dict() for stack in self.stacks],
            "hands": [[[round(x, 1), round(y, 1)] for x, y in hand] for hand in self.hands],
            **things,
        }


def write_truth(path: Path, truth: Truth) -> None:
    path.write_text(json.dumps(truth.to_dict(), separators=(",", ":")) + "\n", "utf-8")


def read_truth(path: Path) -> Truth:
    return truth_of(json.loads(path.read_text("utf-8")))


def truth_of(found: Mapping[str, Any]) -> Truth:
    """Take a truth back from its JSON object."""
    return Truth(
        int(found["width"]),
        int(found["height"]),
        tuple(CardTruth(**{**card, "quad": _points(card["quad"])}) for card in found["cards"]),
        tuple(_stack(stack) for stack in found["chips"]),
        tuple(_points(hand) for hand in found["hands"]),
        tuple(ThingTruth(**{**thing, "hull": _points(thing["hull"])}) for thing in found.get("things", ())),
    )


def _stack(found: Mapping[str, Any]) -> StackTruth:
    kept = {key: value for key, value in found.items() if key not in ("count", "top")}
    kept |= {key: tuple(found[key]) for key in ("center", "base", "chips")}
    return StackTruth(**{**kept, "hull": _points(found["hull"])})


def _points(found: Sequence[Sequence[float]]) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in found)
