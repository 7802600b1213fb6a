"""Truth as ultralytics' oriented boxes, and back: `class x1 y1 x2 y2 x3 y3 x4 y4`, parts of the picture's sides."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.truth import Truth
from feltwatch.vision.arrays import Floats32, Pixels, Point, Quad

CLASSES = ("card_up", "card_down", "chip_stack", "hand")
SMALLEST_PX = 4.0  # a box of less area is no box
INDEX_REACH = 6.4  # a card reaches no further from its index than so many times the index's height
GREY = 114  # what ultralytics pads with: it learns nothing from it


@dataclass(frozen=True, slots=True)
class Labelling:
    """What of a truth is labelled."""

    visible: float = 0.08  # cards, stacks: the least that the picture shows of them
    inside: float = 0.25  # of a thing: the least that lies within the picture
    blank: bool = False  # grey out cards with unknown corners; else such pictures are left out


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled box: its class and its corners in pixels."""

    kind: str
    quad: Quad


def labelled(truth: Truth, how: Labelling) -> Iterator[Labelled]:
    """Give the boxes of a truth; of a thing partly outside, the box round its part inside.

    A card's box keeps its order of corners, and is the whole card's also where another covers it.
    """
    size = (truth.width, truth.height)
    for card in truth.cards:
        if card.label == "card" and card.visible >= how.visible:
            yield from _boxed("card_up" if card.up else "card_down", card.quad, size, how)
    for stack in truth.stacks:
        if stack.visible >= how.visible:
            yield from _boxed("chip_stack", _box_round(stack.hull), size, how)
    for hand in truth.hands:
        part = inside(hand, size)
        if len(part) >= 3:
            yield from _boxed("hand", _box_round(part), size, replace(how, inside=0.0))


def lines(truth: Truth, how: Labelling) -> list[str]:
    """Write the labels of a picture, one a line.

    >>> from feltwatch.datasets.truth import CardTruth
    >>> quad = ((10.0, 10.0), (30.0, 10.0), (30.0, 40.0), (10.0, 40.0))
    >>> lines(Truth(100, 50, (CardTruth("c1", quad, "9h", True, 1.0),)), Labelling())
    ['0 0.100000 0.200000 0.300000 0.200000 0.300000 0.800000 0.100000 0.800000']
    """
    found = []
    for one in labelled(truth, how):
        parts = [f"{x / truth.width:.6f} {y / truth.height:.6f}" for x, y in one.quad]
        found.append(f"{CLASSES.index(one.kind)} {' '.join(parts)}")
    return found


def boxes_of(text: str, size: tuple[int, int], where: object) -> list[Labelled]:
    """Read the labels of a picture."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split()
        try:
            kind, values = CLASSES[int(parts[0])], [float(part) for part in parts[1:]]
        except (ValueError, IndexError) as fault:
            raise DataError(f"{where}: line {number}: expected a class of 0 to 3 and eight numbers") from fault
        if len(values) != 8 or not all(0 <= value <= 1 for value in values):
            raise DataError(f"{where}: line {number}: expected eight numbers from 0 to 1, found {line[:60]!r}")
        a, b, c, d = ((x * size[0], y * size[1]) for x, y in zip(values[::2], values[1::2], strict=True))
        found.append(Labelled(kind, (a, b, c, d)))
    return found


def tiles(picture: Pixels, truth: Truth, side: int, overlap: float = 0.2) -> Iterator[tuple[Pixels, Truth]]:
    """Cut a picture into squares at its own scale, each with its truth moved along; a smaller picture stays whole."""
    for top in _starts(truth.height, side, overlap):
        for left in _starts(truth.width, side, overlap):
            width, height = min(side, truth.width), min(side, truth.height)
            cut = np.ascontiguousarray(picture[top : top + height, left : left + width])
            yield cut, moved(truth, (-left, -top), (width, height))


def moved(truth: Truth, by: Point, size: tuple[int, int]) -> Truth:
    """Give the truth of a window: what lies wholly outside is gone, what is cut is so much less visible."""
    cards, stacks = [], []
    for card in truth.cards:
        quad, share = _quad(_shifted(card.quad, by)), share_inside(_shifted(card.quad, by), size)
        if share > 0:
            cards.append(replace(card, quad=quad, visible=card.visible * share))
    for stack in truth.stacks:
        hull = _shifted(stack.hull, by)
        if (share := share_inside(hull, size)) > 0:
            center, base = _shifted((stack.center, stack.base), by)
            stacks.append(replace(stack, center=center, base=base, hull=hull, visible=stack.visible * share))
    hands = (inside(_shifted(hand, by), size) for hand in truth.hands)
    return Truth(*size, tuple(cards), tuple(stacks), tuple(hand for hand in hands if len(hand) >= 3))


def blanked(picture: Pixels, truth: Truth) -> tuple[Pixels, Truth]:
    """Grey out every card with unknown corners, so that none trains as background; drop what that hits."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    for card in truth.cards:
        points = np.array(card.quad)
        if card.label == "box":
            cv2.fillConvexPoly(mask, np.rint(points).astype(np.int32), 255)
        elif card.label == "index":
            reach = INDEX_REACH * float(np.ptp(points[:, 1]))
            x, y = points.mean(axis=0)
            cv2.circle(mask, (round(x), round(y)), round(reach), 255, -1)
    if not mask.any():
        return picture, truth
    cards = tuple(card for card in truth.cards if card.label == "card" and not _is_hit(mask, card.quad))
    for card in truth.cards:
        if card.label == "card" and card not in cards:
            cv2.fillConvexPoly(mask, np.rint(np.array(card.quad)).astype(np.int32), 255)
    grey = picture.copy()
    grey[mask > 0] = GREY
    return grey, replace(truth, cards=cards)


def share_inside(points: Iterable[Point], size: tuple[int, int]) -> float:
    """Give how much of an outline's area lies within a picture."""
    hull = cv2.convexHull(np.array(list(points), np.float32))
    whole = float(cv2.contourArea(hull))
    if whole <= 0:
        return 0.0
    return min(1.0, float(cv2.intersectConvexConvex(hull, _frame(size))[0]) / whole)


def inside(points: Iterable[Point], size: tuple[int, int]) -> tuple[Point, ...]:
    """Give the part of an outline's hull that lies within a picture."""
    hull = cv2.convexHull(np.array(list(points), np.float32))
    if len(hull) < 3:
        return ()
    found = cv2.intersectConvexConvex(hull, _frame(size))[1]
    return () if found is None else tuple((float(x), float(y)) for x, y in np.asarray(found).reshape(-1, 2))


def _boxed(kind: str, quad: Quad, size: tuple[int, int], how: Labelling) -> Iterator[Labelled]:
    limits = np.array(size, np.float64)
    points = np.array(quad, np.float64)
    if ((points < 0) | (points > limits)).any():
        if share_inside(quad, size) < max(how.inside, 1e-6):
            return
        points = np.clip(np.array(_box_round(inside(quad, size))), 0, limits)
    if abs(cv2.contourArea(points.astype(np.float32))) >= SMALLEST_PX:
        yield Labelled(kind, _quad(tuple((float(x), float(y)) for x, y in points)))


def _box_round(points: Iterable[Point]) -> Quad:
    corners = cv2.boxPoints(cv2.minAreaRect(np.array(list(points), np.float32)))
    return _quad(tuple((float(x), float(y)) for x, y in corners))


def _frame(size: tuple[int, int]) -> Floats32:
    width, height = size
    return np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)


def _is_hit(mask: Pixels, quad: Quad) -> bool:
    own = cv2.fillConvexPoly(np.zeros_like(mask), np.rint(np.array(quad)).astype(np.int32), 1)
    return bool((mask[own > 0] > 0).mean() > 0.02) if own.any() else True


def _shifted(points: Iterable[Point], by: Point) -> tuple[Point, ...]:
    return tuple((x + by[0], y + by[1]) for x, y in points)


def _quad(points: tuple[Point, ...]) -> Quad:
    a, b, c, d = points
    return a, b, c, d


def _starts(length: int, side: int, overlap: float) -> list[int]:
    """Give where tiles start so that they cover all and the last ends at the end.

    >>> _starts(1920, 640, 0.2), _starts(500, 640, 0.2)
    ([0, 427, 853, 1280], [0])
    """
    if length <= side:
        return [0]
    count = int(np.ceil((length - side) / (side * (1 - overlap)))) + 1
    return [round(start) for start in np.linspace(0, length - side, count)]
