"""The layout as ink: spots, card boxes, words on arcs, the house's sign. All places come from the layout's areas."""

from collections.abc import Iterator, Mapping
from math import atan2, cos, degrees, hypot, radians, sin

import numpy as np
from numpy.typing import ArrayLike

from feltwatch.datasets.art.drawing.prints import PLAYERS, SUITS, Ring, Sheet, Type, regular, rounded, suit_mask
from feltwatch.datasets.art.felts.felt_styles import FeltPrint, FeltStyle
from feltwatch.engine.model.spots import parse_spot
from feltwatch.vision.arrays import Colour, Pixels, Point
from feltwatch.vision.layout.zones import Area, Layout

MAIN_MM = 44.0  # half of a main spot
SIDE_MM = 27.0
CARD_MM = (63.5, 88.9)


def print_layout(layout: Layout, style: FeltStyle, sheet: Sheet) -> Iterator[tuple[Pixels, Colour]]:
    """Give the masks of the inks, in the order they are printed, each with its colour."""
    second = Sheet(np.zeros_like(sheet.ink), sheet.left, sheet.top, sheet.px_per_mm)
    tint = Sheet(np.zeros_like(sheet.ink), sheet.left, sheet.top, sheet.px_per_mm)
    press = Press(style.prints, sheet, second, tint, hub(layout))
    for area in layout.areas:
        if area.name.endswith((".hand2", ".hand3", ".hand4")):
            continue
        if not area.for_cards:
            press.spot(
                area
            )  # of two spots that share a place the first is printed: see feltwatch.vision.layout.shapes.for_book
        elif area.name.startswith(("box", "dealer")):
            press.cards(area)
    press.arcs(layout)
    press.sign(style.house, layout)
    yield tint.ink, style.prints.second
    yield second.ink, style.prints.second
    yield sheet.ink, style.prints.main


def hub(layout: Layout) -> Point:
    """Give the point from which the boxes fan out: where the lines from them to the dealer meet."""
    rays = [(a.first, radians(a.turn)) for a in layout.areas if a.name.endswith(".main")]
    if len(rays) < 2 or max(t for _, t in rays) - min(t for _, t in rays) < 0.2:
        return 0.0, -2000.0
    normals = np.array([(-sin(t), cos(t)) for _, t in rays])
    reach = np.array([n @ p for n, (p, _) in zip(normals, rays, strict=True)])
    found = np.linalg.lstsq(normals, reach, rcond=None)[0]
    return float(found[0]), float(found[1])


def spot_word(area: Area, words: Mapping[str, str]) -> str:
    return words.get(parse_spot(area.name).kind, "")


class Press:
    """One felt's printing: three inks, one hand."""

    def __init__(self, prints: FeltPrint, main: Sheet, second: Sheet, tint: Sheet, centre: Point) -> None:
        self._look = prints
        self._main = main
        self._second = second
        self._tint = tint
        self._hub = centre
        self._taken: list[Point] = []

    def spot(self, area: Area) -> None:
        spot = parse_spot(area.name)
        if spot.kind == "insurance" or spot.who.startswith(("standing", "behind")):
            return
        if spot.kind == "main":
            self._main_spot(area)
            return
        if any(hypot(area.first[0] - x, area.first[1] - y) < 2 * SIDE_MM for x, y in self._taken):
            return
        self._taken.append(area.first)
        self._side_spot(area, spot_word(area, self._look.words))

    def _main_spot(self, area: Area) -> None:
        look, line = self._look, self._look.line_mm
        for size in (MAIN_MM, MAIN_MM - 3 * line) if look.spot == "double" else (MAIN_MM,):
            self._main.line(_figure(look.spot, area, size), line)
        if look.filled:
            self._tint.fill(_figure(look.spot, area, MAIN_MM - line), 46)
        if look.numbers:
            up = self._up(area)
            self._second.write(area.name[3], look.kind, area.first, up, 22, 0.8)

    def _side_spot(self, area: Area, word: str) -> None:
        look = self._look
        points = _figure(look.side, area, SIDE_MM)
        self._second.line(points, look.line_mm * 0.8)
        if look.filled:
            self._tint.fill(points, 90)
        if word:
            up = self._up(area)
            parts = word.split(" ") if len(word) > 6 else [word]
            cap = min(8.0, 62 / max(len(part) for part in parts))
            for n, part in enumerate(parts):
                drop = (n - (len(parts) - 1) / 2) * cap * 1.5
                self._second.write(part, look.kind, _moved(area.first, up, -drop), up, cap)

    def _up(self, area: Area) -> float:
        return area.turn if self._look.facing == PLAYERS else area.turn + 180

    def cards(self, area: Area) -> None:
        look = self._look
        if area.name.endswith((".low", ".high")):
            outline = rounded(area.polygon, 12)
            self._main.line(outline, look.line_mm)
            word = look.words[area.name.rpartition(".")[2]]
            turn = area.turn if self._look.facing == PLAYERS or area.name.startswith("dealer") else area.turn + 180
            self._second.write(word, look.kind, _middle(area.polygon), turn, 10, 0.9)
        elif look.box != "none" and area.name.startswith("box"):
            self._card_box(area)
        elif look.box in {"rounded", "square"}:
            self._main.line(rounded(area.polygon, 16), look.line_mm * 0.8)

    def _card_box(self, area: Area) -> None:
        """Print the outline of the first card, a little larger than a card."""
        look = self._look
        corners = _frame(area.first, area.turn, CARD_MM[0] / 2 + 7, CARD_MM[1] / 2 + 7)
        if look.box == "rounded":
            self._main.line(rounded(corners, 10), look.line_mm * 0.8)
        elif look.box == "square":
            self._main.line(corners, look.line_mm * 0.8)
        elif look.box == "ticks":
            for before, corner, after in zip(
                corners[-1:] + corners[:-1], corners, corners[1:] + corners[:1], strict=True
            ):
                ends = [_toward(corner, before, 14), corner, _toward(corner, after, 14)]
                self._main.line(ends, look.line_mm * 0.8, closed=False)
        else:
            for corner, after in zip(corners, corners[1:] + corners[:1], strict=True):
                self._dashes(corner, after)

    def _dashes(self, start: Point, end: Point) -> None:
        length = hypot(end[0] - start[0], end[1] - start[1])
        for at in np.arange(0, length, 14):
            self._main.line([_toward(start, end, at), _toward(start, end, min(length, at + 7))], 2, closed=False)

    def arcs(self, layout: Layout) -> None:
        words = self._look.words
        mains = [a.first for a in layout.areas if a.name.endswith(".main")]
        if not mains:
            return
        radius = float(np.median([hypot(x - self._hub[0], y - self._hub[1]) for x, y in mains]))
        spread = max(abs(self._angle(p)) for p in mains)
        if any(a.name.endswith("insurance") for a in layout.areas):
            self._insurance(radius - 122, spread)
        inner, outer = self._free(layout)
        titles = ("title", "tie") if any(a.name == "dealer.low" for a in layout.areas) else ("pays", "rule")
        for name, cap, part in ((titles[0], 24.0, 0.8), (titles[1], 13.0, 0.42)):
            ring = self._ring(inner + part * (outer - inner))
            self._main.arc(words[name], self._look.kind, ring, cap, self._look.facing)

    def _ring(self, radius: float, middle: float = 0.0) -> Ring:
        return Ring(self._hub, radius, middle)

    def _angle(self, point: Point) -> float:
        return atan2(self._hub[0] - point[0], point[1] - self._hub[1])

    def _free(self, layout: Layout) -> tuple[float, float]:
        """Give the radii between which neither the dealer's nor the Players' cards lie."""
        cards = [(a.name.startswith("box"), p) for a in layout.areas if a.for_cards for p in a.polygon]
        outer = min((hypot(x - self._hub[0], y - self._hub[1]) for box, (x, y) in cards if box), default=400.0)
        dealer = layout.by_name.get("dealer.cards")
        inner = max(y for _, y in dealer.polygon) - self._hub[1] if dealer else outer - 100
        return min(inner, outer - 80), outer

    def _insurance(self, radius: float, spread: float) -> None:
        look = self._look
        long = len(look.words["insurance"]) > 12
        for middle in (0.0,) if long else (-0.5 * spread, 0.0, 0.5 * spread):
            self._second.arc(look.words["insurance"], look.kind, self._ring(radius, middle), 20.0, look.facing)
        if look.band:
            ring = self._ring(radius)
            for edge in (radius - 26, radius + 26):
                self._main.line(ring.points(spread + 0.06, edge), look.line_mm, closed=False)
            if look.filled:
                band = ring.points(spread + 0.06, radius - 26) + ring.points(spread + 0.06, radius + 26)[::-1]
                self._tint.fill(band, 60)

    def sign(self, house: str, layout: Layout) -> None:
        """Print the house's sign between the dealer's cards and the words."""
        look = self._look
        if look.logo == "none":
            return
        dealer = layout.by_name.get("dealer.cards")
        place = _middle(dealer.polygon) if dealer else (0.0, 160.0)
        up = 270.0 if look.facing == PLAYERS else 90.0
        if look.logo == "script":
            self._second.write(house, Type("italic", 500), place, up, 20, 0.7)
            return
        for side in (-1, 1):
            at = (place[0] + side * 330, place[1] - 20)
            self._crest(at, up, look.logo)
        self._second.write(house.upper(), Type("uni", 500, 1.1, 0.15), (place[0], place[1] - 5), up, 9, 0.55)

    def _crest(self, at: Point, up: float, kind: str) -> None:
        if kind == "wreath":
            for radius in (52, 46):
                self._second.line(regular(at, radius, 48), 1.5)
            for turn in range(0, 360, 30):
                leaf = (at[0] + 38 * cos(radians(turn)), at[1] + 38 * sin(radians(turn)))
                self._second.stamp(suit_mask(SUITS[0], 48), leaf, turn, 26, 0.8)
        elif kind == "star":
            points = [p for pair in zip(regular(at, 52, 8), regular(at, 24, 8, 22.5), strict=True) for p in pair]
            self._second.line(points, 2)
        else:
            shield = [(-38.0, 46.0), (38.0, 46.0), (38.0, -5.0), (0.0, -52.0), (-38.0, -5.0)]
            self._second.line([_placed(at, up, p) for p in shield], 2.5)
        for n, suit in enumerate(SUITS):
            dx, dy = ((-1, 1), (1, 1), (-1, -1), (1, -1))[n]
            spot = _placed(at, up, (dx * 14.0, dy * 14.0 + 8))
            self._second.stamp(suit_mask(suit, 64), spot, up, 40, 0.9)


def _figure(kind: str, area: Area, size: float) -> list[Point]:
    at, turn = area.first, area.turn
    if kind in {"circle", "double"}:
        return regular(at, size, 64)
    if kind == "octagon":
        return regular(at, size * 1.04, 8, turn + 22.5)
    if kind == "diamond":
        return regular(at, size * 1.15, 4, turn)
    if kind == "ellipse":
        return [_placed(at, turn, (x * 1.12 * size, y * 0.86 * size)) for x, y in regular((0, 0), 1, 64)]
    return rounded(_frame(at, turn, size * 0.95, size * 0.95), 6)


def _placed(at: Point, up: float, point: Point) -> Point:
    """Give where a point lies that is given as (right, up) of a sign at `at`, as its reader sees it."""
    c, s = cos(radians(up)), sin(radians(up))
    return at[0] + point[1] * c - point[0] * s, at[1] + point[1] * s + point[0] * c


def _frame(at: Point, up: float, across: float, along: float) -> list[Point]:
    corners = ((-across, -along), (across, -along), (across, along), (-across, along))
    return [_placed(at, up, corner) for corner in corners]


def _moved(at: Point, up: float, along: float) -> Point:
    return at[0] + along * cos(radians(up)), at[1] + along * sin(radians(up))


def _toward(start: Point, end: Point, reach: float) -> Point:
    return _moved(start, degrees(atan2(end[1] - start[1], end[0] - start[0])), reach)


def _middle(polygon: ArrayLike) -> Point:
    x, y = np.asarray(polygon, dtype=np.float64).mean(axis=0)
    return float(x), float(y)
