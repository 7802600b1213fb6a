"""The felt's areas: zones where cards lie and spots where chips lie, in millimetres."""

import difflib
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from math import cos, inf, isfinite, pi, sin
from pathlib import Path

import cv2
import numpy as np

from feltwatch.engine.model.spots import ZONES, PlaceTextError, parse_spot
from feltwatch.vision.arrays import Floats32, Point

PRESETS = ("blackjack-7", "blackjack-5", "si-ki-pi-6")
ROUND = 24  # corners of the polygon that stands for a circle
OFF_TABLE = ("shoe", "discard", "float")  # cards there are in no hand
MIDDLE = (0.0, 400.0)  # of a table


class LayoutError(ValueError):
    """A layout that is wrong: where, what was expected, what was found."""


@dataclass(frozen=True)
class Area:
    """A zone for cards or a spot for chips. `first`, `step` and `turn` describe how the dealer places things there."""

    name: str
    polygon: tuple[Point, ...]
    first: Point  # where the first card or stack lies
    step: Point = (0.0, 0.0)  # from one to the next
    turn: float = 90.0  # degrees from +x to which the top of a card points

    @cached_property
    def size(self) -> float:
        """How large it is, in square millimetres."""
        return abs(float(cv2.contourArea(np.array(self.polygon, dtype=np.float32))))

    @cached_property
    def edge(self) -> Floats32:
        return np.array(self.polygon, dtype=np.float32)

    def holds(self, point: Point) -> bool:
        return cv2.pointPolygonTest(self.edge, point, measureDist=False) >= 0

    def away(self, point: Point) -> float:
        """Give how far outside a point is, in millimetres; negative inside."""
        return -float(cv2.pointPolygonTest(self.edge, point, measureDist=True))

    @property
    def for_cards(self) -> bool:
        return self.name in ZONES


@dataclass(frozen=True)
class Layout:
    """One table: the edge of its felt and the areas printed or agreed on it, or those of them that a camera watches."""

    name: str
    outline: tuple[Point, ...]
    areas: tuple[Area, ...]
    elsewhere: tuple[Area, ...] = ()  # the areas of other cameras

    @cached_property
    def by_name(self) -> Mapping[str, Area]:
        return {area.name: area for area in self.areas}

    @cached_property
    def boxes(self) -> tuple[int, ...]:
        return tuple(sorted({int(a.name[3]) for a in self.areas if a.name.startswith("box")}))

    @cached_property
    def middle(self) -> Point:
        """Give roughly the middle of the watched areas."""
        if not self.elsewhere:
            return MIDDLE
        x, y = np.mean([area.first for area in self.areas], axis=0)
        return float(x), float(y)

    def part(self, names: Collection[str]) -> "Layout":
        """Give the layout of a camera that watches some of the areas; the others are elsewhere."""
        mine = tuple(area for area in self.areas if area.name in names)
        return replace(self, areas=mine, elsewhere=tuple(area for area in self.areas if area.name not in names))

    def ignores(self, point: Point, *, cards: bool) -> bool:
        """True where nothing is reported: on the dealer's own places, and nearer to the areas of other cameras."""
        if not self.elsewhere:
            return self.zone_at(point) in OFF_TABLE
        if any(area.holds(point) for area in (*self.areas, *self.elsewhere) if area.name in OFF_TABLE):
            return True
        return _nearest(self.elsewhere, point, cards=cards) < _nearest(self.areas, point, cards=cards)

    def zone_at(self, point: Point) -> str | None:
        """Give the zone of a card with its centre there: the smallest that holds it."""
        return self._smallest(point, cards=True)

    def spot_at(self, point: Point) -> str | None:
        """Give the spot of a stack whose middle stands there."""
        return self._smallest(point, cards=False)

    def _smallest(self, point: Point, *, cards: bool) -> str | None:
        found = [area for area in self.areas if area.for_cards == cards and area.holds(point)]
        return min(found, key=lambda area: area.size).name if found else None


def _nearest(areas: Sequence[Area], point: Point, *, cards: bool) -> tuple[float, float, str]:
    """Give the distance to the nearest area for such things; of several that hold the point, the smallest wins."""
    found = [area for area in areas if area.for_cards == cards and area.name not in OFF_TABLE]
    return min(((max(area.away(point), 0.0), area.size, area.name) for area in found), default=(inf, inf, ""))


def circle(x: float, y: float, radius: float) -> tuple[Point, ...]:
    turns = [2 * pi * i / ROUND for i in range(ROUND)]
    return tuple((round(x + radius * cos(a), 1), round(y + radius * sin(a), 1)) for a in turns)


def load_layout(name: str) -> Layout:
    """Give a preset by its name, or the layout of a TOML file."""
    if name in PRESETS:
        text = resources.files("feltwatch.vision.layout.presets").joinpath(f"{name}.toml").read_text("utf-8")
        return parse_layout(text, name)
    if not name.endswith(".toml"):
        raise LayoutError(f"unknown layout {name!r}: expected one of {', '.join(PRESETS)}, or a .toml file")
    try:
        return parse_layout(Path(name).read_text("utf-8"), name)
    except OSError as error:
        raise LayoutError(f"{name}: expected a layout file: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise LayoutError(f"{name}: expected a layout file: it is not text in UTF-8") from error


def parse_layout(text: str, source: str) -> Layout:
    """Read a layout; `source` is how errors name it."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LayoutError(f"{source}: not TOML: {error}") from error
    return layout_of(found, source)


def layout_of(found: Mapping[str, object], source: str) -> Layout:
    """Read a layout from a file's content; without an outline it is the hull of its zones."""
    known_keys(found, {"name", "outline", "zones"}, source)
    zones = found.get("zones")
    if not isinstance(zones, list) or not zones:
        raise LayoutError(f"{source}: expected [[zones]], found {zones!r}")
    areas = tuple(_area(zone, f"{source}: zone {number}") for number, zone in enumerate(zones, 1))
    outline = _polygon(found["outline"], f"{source}: outline") if "outline" in found else _hull(areas)
    _check(areas, outline, source)
    return Layout(str(found.get("name", source)), outline, areas)


def _hull(areas: Sequence[Area]) -> tuple[Point, ...]:
    points = np.array([point for area in areas for point in area.polygon], np.float32)
    return tuple((float(x), float(y)) for x, y in cv2.convexHull(points)[:, 0])


def _check(areas: tuple[Area, ...], outline: tuple[Point, ...], source: str) -> None:
    seen: set[str] = set()
    edge = np.array(outline, dtype=np.float32)
    for area in areas:
        if area.name in seen:
            raise LayoutError(f"{source}: two zones are named {area.name!r}: expected each name once")
        seen.add(area.name)
        for point in area.polygon:
            if cv2.pointPolygonTest(edge, point, measureDist=True) < -1:
                raise LayoutError(f"{source}: zone {area.name!r} leaves the table at {list(point)}: see outline")


def known_keys(found: Mapping[str, object], known: set[str], where: str) -> None:
    for key in found:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(sorted(known))}"
            raise LayoutError(f"{where}: unknown key {key!r}: {hint}")


def _area(found: object, where: str) -> Area:
    if not isinstance(found, dict):
        raise LayoutError(f"{where}: expected a table with name and polygon, found {found!r}")
    known_keys(found, {"name", "polygon", "circle", "first", "step", "turn"}, where)
    name = found.get("name")
    if not isinstance(name, str) or not _is_place(name):
        raise LayoutError(f"{where}: expected a name such as 'box1.cards' or 'box1.main', found {name!r}")
    where = f"{where} ({name})"
    if ("polygon" in found) == ("circle" in found):
        raise LayoutError(f"{where}: expected either polygon or circle")
    if "circle" in found:
        x, y, radius = numbers(found["circle"], 3, f"{where}: circle")
        if radius <= 0:
            raise LayoutError(f"{where}: circle: expected a radius above 0, found {radius:g}")
        return Area(name, circle(x, y, radius), (x, y), *_laying(found, where))
    polygon = _polygon(found["polygon"], f"{where}: polygon")
    middle = (sum(x for x, _ in polygon) / len(polygon), sum(y for _, y in polygon) / len(polygon))
    first = _pair(found["first"], f"{where}: first") if "first" in found else middle
    return Area(name, polygon, first, *_laying(found, where))


def _laying(found: Mapping[str, object], where: str) -> tuple[Point, float]:
    step = _pair(found["step"], f"{where}: step") if "step" in found else (0.0, 0.0)
    turn = found.get("turn", 90.0)
    if not is_number(turn):
        raise LayoutError(f"{where}: turn: expected one number in degrees, found {turn!r}")
    return step, float(turn)  # type: ignore[arg-type]  # a number


def _is_place(name: str) -> bool:
    if name in ZONES:
        return True
    try:
        return parse_spot(name).text == name
    except PlaceTextError:
        return False


def numbers(found: object, count: int, where: str, unit: str = " in millimetres") -> tuple[float, ...]:
    if not isinstance(found, list) or len(found) != count or not all(is_number(n) for n in found):
        raise LayoutError(f"{where}: expected {count} numbers{unit}, found {found!r}")
    return tuple(float(n) for n in found)


def is_number(found: object) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool) and isfinite(found)


def _pair(found: object, where: str) -> Point:
    x, y = numbers(found, 2, where)
    return x, y


def _polygon(found: object, where: str) -> tuple[Point, ...]:
    if not isinstance(found, list) or len(found) < 3:
        raise LayoutError(f"{where}: expected three or more points [x, y] in millimetres, found {str(found)[:60]}")
    points = tuple(_pair(point, f"{where}: point {number}") for number, point in enumerate(found, 1))
    if cv2.contourArea(np.array(points, dtype=np.float32)) < 1:
        raise LayoutError(f"{where}: the points hold no area")
    return points
