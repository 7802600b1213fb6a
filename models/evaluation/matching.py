"""Which reported thing is which true thing: quads by their overlap, points by their distance, one to one."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from feltwatch.datasets.truth import CardTruth
from feltwatch.vision.arrays import Floats, Point, Quad
from feltwatch.vision.detection.detections import DetectedCard

LEAST_PX = 1e-3  # an outline of less area overlaps nothing
FOUND = 0.7  # overlap from which a card counts as found
SAME = 0.5  # overlap from which a reported card is about a true one
CORNER = (0.3, 0.35)  # of a card's sides: the part of it that is a corner
ANYWHERE = (0.5, 0.5)  # of a box that does not turn with the card
SLACK = 0.03  # by which a quad may miss
AT = (0.1, 0.14)  # where in a corner the middle of an index is: of rank and suit together
SIDES = (1.0, 1.4)  # of a card
ANSWERS = ("right", "wrong", "cannot tell", "reported down", "not found")  # of a card that lies face up
DOWN_ANSWERS = ("right", "wrong", "reported up", "not found")  # of one face down; wrong: a face was reported


def overlap(one: Sequence[Point], other: Sequence[Point]) -> float:
    """Give the area that two convex outlines share over that of both together.

    >>> square = ((0, 0), (2, 0), (2, 2), (0, 2))
    >>> overlap(square, ((1, 0), (1, 2), (3, 2), (3, 0))), overlap(square, square)
    (0.3333333333333333, 1.0)
    """
    ours, theirs = _hull(one), _hull(other)
    areas = abs(_area(ours)), abs(_area(theirs))
    if min(areas) < LEAST_PX:
        return 0.0
    shared = abs(_area(_clipped(ours, theirs)))
    return shared / (sum(areas) - shared)


def overlaps(reported: Sequence[Sequence[Point]], true: Sequence[Sequence[Point]]) -> Floats:
    """Give the overlap of each reported outline (rows) with each true one."""
    found = np.zeros((len(reported), len(true)))
    if not reported or not true:
        return found
    ours, theirs = (np.array([bounds(one) for one in outlines]) for outlines in (reported, true))
    touch = (ours[:, None, :2] < theirs[None, :, 2:]).all(axis=2) & (theirs[None, :, :2] < ours[:, None, 2:]).all(
        axis=2
    )
    for row, column in np.argwhere(touch):
        found[row, column] = overlap(reported[row], true[column])
    return found


def bounds(outline: Sequence[Point]) -> tuple[float, float, float, float]:
    """Give left, top, right and bottom."""
    xs, ys = zip(*outline, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def box_round(outline: Sequence[Point]) -> Quad:
    left, top, right, bottom = bounds(outline)
    return (left, top), (right, top), (right, bottom), (left, bottom)


def matched(scores: Floats, least: float) -> dict[int, int]:
    """Match rows to columns one to one, the greatest score first, while it is at least so much: column -> row.

    >>> matched(np.array([[0.9, 0.8], [0.95, 0.6]]), 0.5), matched(np.array([[0.9, 0.8], [0.95, 0.6]]), 0.85)
    ({0: 1, 1: 0}, {0: 1})
    """
    pairs = np.argwhere(scores >= least)
    order = np.argsort([-scores[row, column] for row, column in pairs], kind="stable")
    found: dict[int, int] = {}
    taken: set[int] = set()
    for row, column in pairs[order]:
        if column not in found and row not in taken:
            found[int(column)] = int(row)
            taken.add(int(row))
    return found


def answer(reported: DetectedCard | None, *, up: bool, wanted: str = "") -> str:
    """Say in one of ANSWERS or DOWN_ANSWERS what a card was reported to be; a rank alone is wanted as "9"."""
    if reported is None:
        return "not found"
    if not up:
        return "right" if not reported.up else "wrong" if reported.face else "reported up"
    if not reported.up:
        return "reported down"
    if reported.face is None:
        return "cannot tell"
    return "right" if reported.face.startswith(wanted) else "wrong"


def answer_to(reported: DetectedCard | None, true: CardTruth) -> str:
    return answer(reported, up=true.up, wanted=true.face or "")


def tall_px(quad: Quad) -> float:
    """Give how tall a card is in the picture: the mean of its long sides."""
    (a, b), (c, d) = (np.subtract(quad[3], quad[0]), np.subtract(quad[2], quad[1]))
    return float(np.hypot(a, b) + np.hypot(c, d)) / 2


def holders(reported: Mapping[int, Quad], point: Point, corner: tuple[float, float] = CORNER) -> dict[int, float]:
    """Give which reported cards hold a point where an index may be, each with how far it lies from where indices are.

    The unit is the width of the card. With ANYWHERE for its corners, the whole card may hold indices.
    """
    found = {}
    for number, quad in reported.items():
        across, along = _in_card(quad, point)
        across, along = min(across, 1 - across), min(along, 1 - along)  # one corner for all four
        if -SLACK <= across <= corner[0] and -SLACK <= along <= corner[1]:
            found[number] = float(np.hypot((across - AT[0]) * SIDES[0], (along - AT[1]) * SIDES[1]))
    return found


def _in_card(quad: Quad, point: Point) -> tuple[float, float]:
    corners = np.array(quad, np.float32)
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    home = cv2.getPerspectiveTransform(corners, unit)
    x, y, w = home @ np.array([*point, 1.0])
    return (float(x / w), float(y / w)) if w > 0 else (-1.0, -1.0)


def _hull(outline: Sequence[Point]) -> Floats:
    return np.asarray(cv2.convexHull(np.array(outline, np.float32)), np.float64).reshape(-1, 2)


def _area(outline: Floats) -> float:
    if len(outline) < 3:
        return 0.0
    x, y = outline.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _clipped(outline: Floats, frame: Floats) -> Floats:
    """Cut an outline along each side of a convex frame (Sutherland and Hodgman)."""
    way = np.sign(_area(frame))
    for start, end in zip(frame, np.roll(frame, -1, axis=0), strict=True):
        if not len(outline):
            break
        side = end - start
        high = way * (side[0] * (outline[:, 1] - start[1]) - side[1] * (outline[:, 0] - start[0]))
        kept: list[Floats] = []
        for n, (here, before) in enumerate(zip(high, np.roll(high, 1), strict=True)):
            if (here >= 0) != (before >= 0):
                kept.append(outline[n - 1] + (outline[n] - outline[n - 1]) * (before / (before - here)))
            if here >= 0:
                kept.append(outline[n])
        outline = np.array(kept).reshape(-1, 2)
    return outline
