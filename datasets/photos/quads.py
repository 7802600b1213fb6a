"""Whole cards in photographs: the four corners of each, where its four sides are plainly seen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Ints, Pixels, Point, Quad

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom

RATIOS = (0.50, 0.90)  # of a card's sides as a photograph shows it; 0.64 to 0.72 seen from straight above
WORK_PX = 640  # a picture is searched at no more than this
SMALLEST = 0.002  # of the picture's area
LEVELS = 12  # thresholds tried a channel
PAPER_LEVELS = (6, 9, 13, 18, 25, 34, 45)  # how far from the paper's own colour, in Lab
SOLID = 0.88  # of its hull that a card's blob fills
SLACK = 0.012  # of its length by which a side may wave
FREE = 0.14  # of each end of a side: the corner is round there
REACH_PX = 4  # to either side of a side, where its edge is looked for
STEP = 5.0  # grey levels an edge has at least
SEEN = 0.7  # of every side that must show that edge
INDEX_SIZE = (0.1, 0.36)  # of a card, its index's box: the root of area over area
BOX_SLACK = 0.08  # of its size by which a quad may differ from the labelled box


@dataclass(frozen=True, slots=True)
class FoundQuad:
    """A quad with how well it fits: `seen` of its worst side shows an edge, at `contrast` grey levels."""

    quad: Quad
    seen: float
    contrast: float

    @property
    def fit(self) -> float:
        return self.seen * min(1.0, self.contrast / 40.0)


def quads_in(picture: Pixels, boxes: Iterable[Rectangle] = ()) -> list[FoundQuad]:
    """Give every shape of four straight sides, the best fit first; two that are one card are given once.

    Inside a box the paper of its card is looked for by its own colour too.
    """
    scale = min(1.0, WORK_PX / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8)
    lab = cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 0.8), cv2.COLOR_BGR2LAB).astype(np.float32)
    found: list[FoundQuad] = []
    masks = chain(_masks(small), *(_paper(small, np.array(box) * scale) for box in boxes))
    outlines = chain.from_iterable(_outlines(mask) for mask in masks)
    for corners in _once(_corners(outline) for outline in outlines):
        refined = _refined(lab, corners / scale)
        if refined is not None:
            found.append(refined)
    return _best(found)


def quad_of_box(found: Iterable[FoundQuad], box: Rectangle) -> FoundQuad | None:
    """Give the quad that the box was drawn round, if there is one."""
    left, top, right, bottom = box
    slack = max(3.0, BOX_SLACK * max(right - left, bottom - top))
    near = [one for one in found if np.abs(np.array(_bounds(one.quad)) - box).max() <= slack]
    return max(near, key=lambda one: one.fit, default=None)


def quad_of_index(found: Iterable[FoundQuad], box: Rectangle, others: Iterable[Rectangle] = ()) -> FoundQuad | None:
    """Give the smallest quad that has this box where, and about as large as, a card has its index.

    A quad that holds the index of another card is two cards, or one that is covered.
    """
    size = (box[2] - box[0]) * (box[3] - box[1])
    strange = [_middle(other) for other in others]
    near = [
        one
        for one in found
        if INDEX_SIZE[0] < (size / max(area(one.quad), 1.0)) ** 0.5 < INDEX_SIZE[1]
        and _in_index_corner(one.quad, _middle(box))
        and not any(_holds(one.quad, point) for point in strange)
    ]
    return min(near, key=lambda one: area(one.quad), default=None)


def _middle(box: Rectangle) -> Point:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _holds(quad: Quad, point: Point) -> bool:
    return cv2.pointPolygonTest(np.array(quad, np.float32), point, measureDist=False) > 0


def area(quad: Quad) -> float:
    return abs(float(cv2.contourArea(np.array(quad, np.float32))))


def stretched(quad: Quad, across: float, along: float) -> Quad:
    """Give the quad in a picture whose width and height were multiplied."""
    a, b, c, d = ((x * across, y * along) for x, y in quad)
    return a, b, c, d


def upright(quad: Quad) -> Quad:
    """Order clockwise from a top left corner, so that the first side is a short one."""
    points = np.array(quad, np.float64)
    if cv2.contourArea(points.astype(np.float32), oriented=True) < 0:
        points = points[::-1]
    sides = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
    if sides[0] + sides[2] > sides[1] + sides[3]:
        points = np.roll(points, -1, axis=0)
    if points[0, 1] + points[1, 1] > points[2, 1] + points[3, 1]:
        points = np.roll(points, 2, axis=0)
    return _quad(points)


def ratio(quad: Quad) -> float:
    """Give the shorter pair of sides over the longer."""
    points = np.array(quad, np.float64)
    sides = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
    first, second = sides[0] + sides[2], sides[1] + sides[3]
    return float(min(first, second) / max(first, second, 1e-9))


def _masks(small: Pixels) -> Iterator[Pixels]:
    """Give many cuts of a picture by lightness, saturation and edges."""
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    saturation = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 1]
    strips = cv2.dilate(cv2.Canny(cv2.GaussianBlur(grey, (5, 5), 0), 30, 90), np.ones((3, 3), np.uint8))
    yield from (strips.astype(np.uint8), (255 - strips).astype(np.uint8))
    for channel in (grey, saturation):
        for level in np.quantile(channel, np.linspace(0.06, 0.94, LEVELS)):
            mask = np.where(channel > level, 255, 0).astype(np.uint8)
            yield from (mask, 255 - mask)


def _paper(small: Pixels, box: Floats) -> Iterator[Pixels]:
    """Give cuts of what has the colour of the paper of the card in a box; beyond the box there is nothing."""
    height, width = small.shape[:2]
    margin = 0.06 * max(box[2] - box[0], box[3] - box[1])
    left, top = np.maximum(box[:2] - margin, 0).astype(int)
    right, bottom = np.minimum(box[2:] + margin + 1, (width, height)).astype(int)
    if right - left < 12 or bottom - top < 12:
        return
    lab = cv2.cvtColor(small[top:bottom, left:right], cv2.COLOR_BGR2LAB).astype(np.float32)
    inner = lab[lab.shape[0] // 5 : -lab.shape[0] // 5, lab.shape[1] // 5 : -lab.shape[1] // 5].reshape(-1, 3)
    light = inner[inner[:, 0] >= np.median(inner[:, 0])]
    away = np.sqrt(((lab - np.median(light, axis=0)) ** 2).sum(axis=2))
    for level in PAPER_LEVELS:
        mask = np.zeros((height, width), np.uint8)
        mask[top:bottom, left:right] = np.where(away < level, 255, 0)
        yield cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)).astype(np.uint8)


def _outlines(mask: Pixels) -> Iterator[Ints]:
    """Give the outline of every blob that is nearly its own hull."""
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    for contour in cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        hull = cv2.convexHull(contour)
        whole = cv2.contourArea(hull)
        if whole >= SMALLEST * mask.size and cv2.contourArea(contour) >= SOLID * whole:
            yield contour.reshape(-1, 2).astype(np.int32)


def _corners(outline: Ints) -> Floats | None:
    """Give where four lines along an outline meet, or None where they do not lie on it."""
    start = _four(outline)
    if start is None:
        return None
    lines = []
    for first, second in zip(start, np.roll(start, -1, axis=0), strict=True):
        side = second - first
        length = float(np.hypot(*side))
        if length < 8:
            return None
        away = outline - first
        along, off = away @ side / length**2, np.abs(away @ np.array([-side[1], side[0]])) / length**2
        near = outline[(along > FREE) & (along < 1 - FREE) & (off < 0.06)]
        if len(near) < 0.4 * length:
            return None
        lines.append(_line(near.astype(np.float64)))
    return _meet(lines)


def _four(outline: Ints) -> Floats | None:
    hull = cv2.convexHull(outline)
    length = cv2.arcLength(hull, closed=True)
    for share in (0.02, 0.03, 0.045, 0.06, 0.08):
        found = cv2.approxPolyDP(hull, share * length, closed=True).reshape(-1, 2).astype(np.float64)
        if len(found) == 4:
            return np.asarray(found, dtype=np.float64)
    return None


def _line(points: Floats) -> Floats:
    """Give a line as (x, y, dx, dy), little moved by points that are off it."""
    return cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).reshape(-1)[[2, 3, 0, 1]].astype(float)


def _meet(lines: list[Floats]) -> Floats | None:
    corners = []
    for one, two in zip([lines[-1], *lines[:-1]], lines, strict=True):
        across = one[2] * two[3] - one[3] * two[2]
        if abs(across) < 0.2:
            return None
        away = ((two[0] - one[0]) * two[3] - (two[1] - one[1]) * two[2]) / across
        corners.append((one[0] + away * one[2], one[1] + away * one[3]))
    found = np.array(corners)
    return found if cv2.isContourConvex(found.astype(np.float32)) else None


def _refined(lab: Floats32, corners: Floats) -> FoundQuad | None:
    """Move every side onto the strongest edge near it; None where a side shows none or waves."""
    lines, seen, contrasts = [], [], []
    for first, second in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        points, steps = _edge(lab, first, second)
        good = steps >= STEP
        if good.sum() < SEEN * len(good):
            return None
        line = _line(points[good])
        off = np.abs((points[good] - line[:2]) @ np.array([-line[3], line[2]]))
        if np.quantile(off, 0.75) > max(0.5, SLACK * float(np.hypot(*(second - first)))):
            return None
        lines.append(line)
        seen.append(float(good.mean()))
        contrasts.append(float(np.median(steps[good])))
    found = _meet(lines)
    if found is None or not _is_near(found, corners):
        return None
    return FoundQuad(upright(_quad(found)), min(seen), min(contrasts))


def _edge(lab: Floats32, first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Give, along a side, where the colour changes most across it, and by how much."""
    side = second - first
    length = float(np.hypot(*side))
    normal = np.array([-side[1], side[0]]) / length
    along = first + np.linspace(FREE, 1 - FREE, max(12, min(60, int(length / 3))))[:, None] * side
    offsets = np.arange(-REACH_PX, REACH_PX + 0.25, 0.5)
    places = (along[:, None] + offsets[None, :, None] * normal).astype(np.float32)
    colours = cv2.remap(lab, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    steps = np.sqrt(((colours[:, 4:] - colours[:, :-4]) ** 2).sum(axis=-1))  # over two pixels
    weight = np.where(steps >= 0.6 * steps.max(axis=1, keepdims=True), steps, 0.0) + 1e-6
    shift = (weight * offsets[2:-2]).sum(axis=1) / weight.sum(axis=1)
    return along + shift[:, None] * normal, steps.max(axis=1).astype(np.float64)


def _is_near(found: Floats, corners: Floats) -> bool:
    return bool(np.hypot(*(found - corners).T).max() <= 0.05 * np.hypot(*(corners[0] - corners[2])) + REACH_PX)


def _once(all_corners: Iterable[Floats | None]) -> Iterator[Floats]:
    """Pass on quads that differ by more than two pixels from all before."""
    kept: list[Floats] = []
    for corners in all_corners:
        if corners is None:
            continue
        ordered = np.array(upright(_quad(corners)))
        if all(np.abs(ordered - other).max() > 2.0 for other in kept):
            kept.append(ordered)
            yield ordered


def _best(found: list[FoundQuad]) -> list[FoundQuad]:
    kept: list[FoundQuad] = []
    for one in sorted(found, key=lambda one: one.fit, reverse=True):
        reach = 0.04 * float(np.sqrt(area(one.quad)))
        if all(np.abs(np.array(one.quad) - np.array(other.quad)).max() > reach for other in kept):
            kept.append(one)
    return kept


def _in_index_corner(quad: Quad, point: tuple[float, float]) -> bool:
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    home = cv2.getPerspectiveTransform(np.array(quad, np.float32), square)
    u, v = (float(part) for part in cv2.perspectiveTransform(np.array([[point]], np.float32), home)[0, 0])
    if u > 0.5:
        u, v = 1 - u, 1 - v
    return 0.02 < u < 0.26 and 0.04 < v < 0.28


def _bounds(quad: Quad) -> Rectangle:
    xs, ys = zip(*quad, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _quad(points: Floats) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return a, b, c, d
