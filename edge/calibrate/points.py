"""Points of the felt by name: those that a layout knows, and the file of points that a person writes."""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.edge.wording import place
from feltwatch.engine.model.spots import parse_spot
from feltwatch.vision.arrays import Point
from feltwatch.vision.geometry.calibration import Mark
from feltwatch.vision.image_file import spelled
from feltwatch.vision.layout.zones import Area, Layout, LayoutError, known_keys, numbers


@dataclass(frozen=True, slots=True)
class PrintedPoint:
    """A point that a person can find on the felt."""

    name: str
    says: str
    at: Point  # millimetres


@dataclass(frozen=True, slots=True)
class NamedMark:
    name: str  # empty where millimetres were given
    mark: Mark


def named_points(layout: Layout) -> dict[str, PrintedPoint]:
    """Give the points of a layout that are visible on its felt: corners, and middles of printed zones and spots."""
    found = [*_felt(layout)]
    for area in layout.areas:
        found += _printed(area)
    return {one.name: one for one in found}


def _felt(layout: Layout) -> list[PrintedPoint]:
    edge = np.array(layout.outline)
    top = edge[edge[:, 1] <= edge[:, 1].min() + 1]
    ends = (("felt.left", "left", top[:, 0].argmin()), ("felt.right", "right", top[:, 0].argmax()))
    return [
        PrintedPoint(name, f"corner of the felt at the dealer's {side}", (float(top[at, 0]), float(top[at, 1])))
        for name, side, at in ends
    ]


def _printed(area: Area) -> list[PrintedPoint]:
    name = area.name
    if name == "dealer.cards":
        sides = sorted(area.polygon, key=lambda point: (point[1], point[0]))
        says = ("near the dealer, his left", "near the dealer, his right", "far, his left", "far, his right")
        return [
            PrintedPoint(f"{name}.{n + 1}", f"dealer's cards: corner {says[n]}", sides[n])
            for n in range(len(sides[:4]))
        ]
    if not name.startswith("box"):
        return []
    if name.endswith(".cards"):
        return [PrintedPoint(name, f"{place(name)}: middle of the place for the first card", area.first)]
    if name.endswith((".low", ".high")):
        return [PrintedPoint(name, f"{place(name)}: middle", _middle(area))]
    return [] if area.for_cards else _spot(area)


def _spot(area: Area) -> list[PrintedPoint]:
    name = area.name
    spot = parse_spot(name)
    if spot.who or spot.kind == "insurance" or spot.kind.startswith("behind"):
        return []  # nothing is printed there
    main = spot.kind == "main"
    return [PrintedPoint(name, f"{place(name)}: middle of the {'main ' if main else ''}spot", area.first)]


def _middle(area: Area) -> Point:
    x, y = np.mean(area.polygon, axis=0).tolist()
    return round(x, 1), round(y, 1)


def read_points(path: Path, known: Mapping[str, PrintedPoint]) -> list[NamedMark]:
    """Read [[points]], each with image = [x, y] and either table = [x, y] or name."""
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{spelled(path)}: expected a file of points: {(error.strerror or '').lower()}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{spelled(path)}: expected a file of points in TOML: {error}") from error
    try:
        known_keys(found, {"points"}, "the file")
        return marks_of(found.get("points"), known)
    except LayoutError as error:
        raise UsageError(f"{spelled(path)}: {error}") from error


def marks_of(rows: object, known: Mapping[str, PrintedPoint]) -> list[NamedMark]:
    """Read the points from a file's or the page's list."""
    if not isinstance(rows, list):
        raise LayoutError("expected [[points]], each with image = [x, y] and name, or table = [x, y]")
    return [_mark(row, f"points {number}", known) for number, row in enumerate(rows, 1)]


def _mark(row: object, where: str, known: Mapping[str, PrintedPoint]) -> NamedMark:
    if not isinstance(row, dict):
        raise LayoutError(f"{where}: expected image = [x, y] and name, or table = [x, y], found {row!r}")
    known_keys(row, {"image", "table", "name"}, where)
    u, v = numbers(row.get("image"), 2, f"{where}: image", " in pixels")
    if ("table" in row) == ("name" in row):
        raise LayoutError(f"{where}: expected either name, or table = [x, y] in millimetres")
    if "table" in row:
        x, y = numbers(row["table"], 2, f"{where}: table")
        return NamedMark("", Mark((u, v), (x, y)))
    name = row["name"]
    if name not in known:
        near = difflib.get_close_matches(str(name), known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one such as {', '.join(list(known)[:4])}"
        raise LayoutError(f"{where}: unknown name {name!r}: {hint}")
    return NamedMark(str(name), Mark((u, v), known[str(name)].at))
