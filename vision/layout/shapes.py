"""Table shapes: the places of boxes, spots and zones, computed from a few measures."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, radians, sin

from feltwatch.engine.books import Book
from feltwatch.engine.model.spots import parse_spot
from feltwatch.vision.arrays import Point
from feltwatch.vision.layout.zones import Area, Layout

ARC_STEPS = 48
STACK = 41.0  # from the middle of a stack to that of the next

# Bets of different books share a place: a table is printed for one book (see for_book).
SIDE_SPOTS = (
    ("pair", -72),
    ("under13", 0),
    ("over13", 72),
    ("rws-pairs", -40),
    ("boom-busted", 40),
    ("behind1", 0),
    ("behind2", 72),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The measures of an arc table, in millimetres and degrees."""

    name: str
    boxes: int
    edge: float = 1000.0  # radius of the felt
    spots: float = 830.0  # radius of the main spots
    cards: float = 600.0  # radius of the first cards
    spread: float = 20.0  # degrees from box to box
    depth: float = 60.0  # the middle of the arc lies this far behind the dealer's edge
    tray: float = 620.0  # how wide the chip tray is
    sikipi: bool = False


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("blackjack-7", 7),
        Shape("blackjack-5", 5, edge=960.0, spots=790.0, cards=570.0, spread=28.0),
        Shape("si-ki-pi-6", 6, edge=1040.0, spots=880.0, cards=660.0, spread=23.0, sikipi=True),
    )
}


@dataclass(frozen=True, slots=True)
class _Box:
    """The place of one box: the ray from the arc's middle on which it lies."""

    name: str
    angle: float  # degrees from +x
    depth: float

    @property
    def turn(self) -> float:
        """A card's top points to the dealer."""
        return (self.angle + 180) % 360

    def at(self, radius: float, across: float) -> Point:
        """Give the point at a radius, `across` to the right of the Player who looks at the dealer."""
        ray = radians(self.angle)
        x = radius * cos(ray) - across * sin(ray)
        return round(x, 1), round(radius * sin(ray) + across * cos(ray) - self.depth, 1)

    def step(self, across: float, along: float) -> Point:
        a, b = self.at(0, 0), self.at(along, across)
        return round(b[0] - a[0], 1), round(b[1] - a[1], 1)

    def patch(self, inner: float, outer: float, left: float, right: float) -> tuple[Point, ...]:
        return (self.at(inner, left), self.at(inner, right), self.at(outer, right), self.at(outer, left))

    def spot(self, bet: str, radius: float, across: float, size: float) -> Area:
        """A round spot with room for a second stack behind it."""
        patch = self.patch(radius - size, radius + size + STACK, across - size, across + size)
        return Area(f"{self.name}.{bet}", patch, self.at(radius, across), self.step(0, STACK), self.turn)

    def main(self, radius: float) -> Area:
        """The main spot; the stacks of doubles, splits and payments stand to its left."""
        patch = self.patch(radius - 46, radius + 46, -130, 46)
        return Area(f"{self.name}.main", patch, self.at(radius, 0), self.step(-STACK, 0), self.turn)


def layout_of(shape: Shape) -> Layout:
    """Lay out a table of that shape. Box 1 is at the dealer's left, which is -x as he looks along +y."""
    middle = (shape.boxes + 1) / 2
    areas: list[Area] = []
    for n in range(1, shape.boxes + 1):
        box = _Box(f"box{n}", 90 - (n - middle) * shape.spread, shape.depth)
        areas += _sikipi_box(box, shape) if shape.sikipi else _blackjack_box(box, shape)
    areas += _sikipi_dealer() if shape.sikipi else _blackjack_dealer()
    return Layout(shape.name, _outline(shape), (*areas, *_furniture(shape)))


def for_book(layout: Layout, book: Book) -> Layout:
    """Give the layout as printed for one book: without the spots of bets that the book does not have."""
    live = book.id == "live-blackjack"
    areas = [a for a in layout.areas if a.for_cards or _taken(a.name, book.bets, live=live)]
    return Layout(layout.name, layout.outline, tuple(areas))


def _taken(name: str, bets: frozenset[str], *, live: bool) -> bool:
    spot = parse_spot(name)
    return spot.kind in bets and (not spot.who or spot.who.startswith("behind") == live)


def _outline(shape: Shape) -> tuple[Point, ...]:
    box = _Box("", 0, shape.depth)
    rays = [_Box("", 180 * i / ARC_STEPS, shape.depth).at(shape.edge, 0) for i in range(ARC_STEPS + 1)]
    end = box.at(shape.edge, 0)[0]
    return ((end, 0.0), *(p for p in rays if p[1] > 0), (-end, 0.0))


def _blackjack_box(box: _Box, shape: Shape) -> Iterator[Area]:
    name, r = box.name, shape.cards
    yield Area(f"{name}.cards", box.patch(r - 205, r + 85, -102, 102), box.at(r, -22), box.step(17, 3), box.turn)
    inner, outer = (r - 205, r - 62), (r - 60, r + 85)
    for part, (near, far), left, right, first in (
        ("hand2", inner, -5, 98, 20),
        ("hand3", inner, -98, -6, -80),
        ("hand4", outer, -100, -40, -92),
    ):
        at = box.at((near + far) / 2, first)
        yield Area(f"{name}.{part}", box.patch(near, far, left, right), at, box.step(13, 2), box.turn)
    yield box.main(shape.spots)
    yield box.spot("main/standing1", shape.spots - 20, 78, 28)
    for bet, across in SIDE_SPOTS:
        yield box.spot(bet, shape.spots + 80, across, 30)
    yield box.spot("insurance", shape.spots - 122, 0, 30)


def _sikipi_box(box: _Box, shape: Shape) -> Iterator[Area]:
    name, r = box.name, shape.cards
    yield Area(f"{name}.cards", box.patch(r - 135, r + 120, -105, 105), box.at(r + 55, -14), box.step(9, 1), box.turn)
    for part, left, right, first in (("low", -100, -3, -62), ("high", 3, 100, 42)):
        at = box.at(r - 70, first)
        yield Area(f"{name}.{part}", box.patch(r - 130, r - 10, left, right), at, box.step(17, 0), box.turn)
    yield box.main(shape.spots)
    yield box.spot("main/standing1", shape.spots - 20, 78, 28)
    yield box.spot("bonus", shape.spots + 80, -40, 30)
    yield box.spot("dealer-bonus", shape.spots + 80, 40, 30)


def _rectangle(left: float, near: float, right: float, far: float) -> tuple[Point, ...]:
    return (left, near), (right, near), (right, far), (left, far)


def _blackjack_dealer() -> Iterator[Area]:
    yield Area("dealer.cards", _rectangle(-260, 95, 260, 230), (-120.0, 160.0), (46.0, 0.0))


def _sikipi_dealer() -> Iterator[Area]:
    yield Area("dealer.cards", _rectangle(-200, 75, 200, 320), (-14.0, 262.0), (9.0, 0.0))
    yield Area("dealer.low", _rectangle(-150, 85, -4, 200), (-90.0, 142.0), (17.0, 0.0))
    yield Area("dealer.high", _rectangle(4, 85, 150, 200), (60.0, 142.0), (17.0, 0.0))


def _furniture(shape: Shape) -> Iterator[Area]:
    """The shoe at the dealer's left, the discards at his right, the float before him."""
    far = min(shape.edge - 180, 830)
    yield Area("shoe", _rectangle(-far, 5, -far + 200, 105), (-far + 90, 55.0), turn=0.0)
    yield Area("discard", _rectangle(far - 200, 5, far, 105), (far - 90, 55.0), turn=0.0)
    yield Area("float", _rectangle(-shape.tray / 2, 4, shape.tray / 2, 78), (0.0, 40.0))


def to_toml(layout: Layout) -> str:
    """Write a layout as TOML that `load_layout` reads."""
    lines = [f'name = "{layout.name}"', f"outline = {_points(layout.outline)}"]
    for area in layout.areas:
        lines += ["", "[[zones]]", f'name = "{area.name}"']
        lines += [f"polygon = {_points(area.polygon)}", f"first = {list(area.first)}"]
        lines += [f"step = {list(area.step)}", f"turn = {area.turn}"]
    return "\n".join(lines) + "\n"


def _points(points: tuple[Point, ...]) -> str:
    return str([list(point) for point in points])
