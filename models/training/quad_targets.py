"""What each cell of the detector is taught: the thing that it shows, or nothing, or that it does not count."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from feltwatch.datasets.sets.labels import CLASSES
from feltwatch.datasets.sets.owners import OwnerDrawing, moved_points
from feltwatch.vision.arrays import Floats, Floats32, Ints, Mask

STRIDES = (8, 16, 32)
SAMPLES = 4  # a cell is looked at in so many places each way
MOSTLY = 0.5  # a cell shows a thing if so much of it does
BARE = 0.9  # it shows none if so much of it is bare; between, it does not count
FEWEST = 2  # cells that each thing has, be it ever so thin
HARDLY, INSIDE = 0.03, 0.15  # the least of a thing that shows, and that lies in the window, for it to be taught
IGNORED = -1


@dataclass(frozen=True, slots=True)
class CellTargets:
    """Of one window: for each cell the row of its thing, from 1 (0: none; IGNORED), and the things."""

    cells: Ints
    kinds: Ints  # of CLASSES
    quads: Floats32  # things x 4 x 2, pixels of the window


def cell_targets(drawing: OwnerDrawing, side: int, move: Floats) -> CellTargets:
    """Give what the cells of a square window show."""
    owners = drawing.owners((side, side), move)
    shown = np.bincount(owners.ravel(), minlength=1)
    truth = drawing.truth
    count = len(truth.cards) + len(truth.stacks) + len(truth.hands)
    rows = np.full(count + 1, IGNORED, np.int32)  # row of a thing by its number in the map
    rows[0] = 0
    kinds, quads = [], []
    for number, (kind, quad) in enumerate(_everything(drawing, move), 1):
        if number >= len(shown) or not shown[number]:
            continue
        if kind == "hand":
            quads.append(_box_of(owners == number))
        elif shown[number] < HARDLY * _area(quad) or _inside(quad, side) < INSIDE:
            continue
        else:
            quads.append(quad)
        kinds.append(CLASSES.index(kind))
        rows[number] = len(kinds)
    cells = np.concatenate([_cells(owners, stride, rows).ravel() for stride in STRIDES])
    return CellTargets(cells, np.array(kinds, np.int32), np.array(quads, np.float32).reshape(-1, 4, 2))


def _everything(drawing: OwnerDrawing, move: Floats) -> Iterator[tuple[str, Floats]]:
    """Give kind and quad in the window of all things, in the order of the map's numbers."""
    truth, scale = drawing.truth, float(np.hypot(*move[:, 0]))
    for card in truth.cards:
        yield "card_up" if card.up else "card_down", _clockwise(moved_points(card.quad, move))
    for stack in truth.stacks:
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * stack.radius * scale
        yield "chip_stack", moved_points([stack.center], move) + square
    for hand in truth.hands:
        yield "hand", moved_points(hand, move)


def _clockwise(quad: Floats) -> Floats:
    """A mirrored card has its corners the other way round: start from its top right."""
    return quad[[1, 0, 3, 2]] if cv2.contourArea(quad.astype(np.float32), oriented=True) < 0 else quad


def _area(quad: Floats) -> float:
    return abs(float(cv2.contourArea(quad.astype(np.float32))))


def _cells(owners: Ints, stride: int, rows: Ints) -> Ints:
    step = stride // SAMPLES
    looked = owners[step // 2 :: step, step // 2 :: step]
    count = looked.shape[0] // SAMPLES
    parts = looked.reshape(count, SAMPLES, count, SAMPLES).transpose(0, 2, 1, 3).reshape(count, count, -1)
    middle = owners[stride // 2 :: stride, stride // 2 :: stride]
    share = (parts == middle[..., None]).mean(axis=2)
    found = rows[middle]
    found[(middle > 0) & (share < MOSTLY)] = IGNORED
    found[(middle == 0) & (share < BARE)] = IGNORED
    if stride == STRIDES[0]:
        _give_thin(found, parts, rows)
    return found


def _give_thin(found: Ints, parts: Ints, rows: Ints) -> None:
    """Give each thing that has fewer than FEWEST cells those that show most of it."""
    for number in np.unique(parts):
        row = rows[number]
        if row > 0 and (found == row).sum() < FEWEST:
            share = (parts == number).mean(axis=2)
            best = np.argsort(-share, axis=None)[:FEWEST]
            found.ravel()[best[share.ravel()[best] > 0]] = row


def _inside(quad: Floats, side: int) -> float:
    """Give how much of a quad lies in the window."""
    frame = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float32)
    whole = cv2.convexHull(quad.astype(np.float32))
    area = float(cv2.contourArea(whole))
    return float(cv2.intersectConvexConvex(whole, frame)[0]) / area if area > 0 else 0.0


def _box_of(mask: Mask) -> Floats:
    points = cv2.findNonZero(mask.astype(np.uint8))
    return np.asarray(cv2.boxPoints(cv2.minAreaRect(np.asarray(points))), np.float64)
