"""The detector: where cards, stacks and hands are in a picture, and which way they lie."""

from dataclasses import dataclass
from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

from models.shelf import Model
from vision.runtime import THREADS, Run, open_model

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

STRIDE = 32  # the sides of what the network sees are multiples of it
FULL_PX = 1280  # the longer side of what it sees, at most
LEAST_PX = 640  # and at least: a smaller picture is enlarged
GREY = 114  # what lies round the picture
MOST = 400  # boxes looked at in one picture
SAME = 0.14  # of a card's shorter side: two boxes whose corners lie nearer are one card
CARDS = ("card_up", "card_down")


@dataclass(frozen=True, slots=True)
class Found:
    """One thing: its class, its rectangle from the top left clockwise, and how sure the network is."""

    kind: str
    quad: Floats  # 4 x 2, pixels
    score: float
    up: float = 0.0  # of a card: how likely it lies face up


class Detector:
    def __init__(self, model: Model, provider: str = "cpu", threads: int = THREADS) -> None:
        self.classes = model.classes
        self.least = dict(zip(self.classes, (model.setting(f"least_{name}") for name in self.classes), strict=True))
        self.lone = model.setting("lone")
        self.run: Run = open_model(model, provider, threads)

    def find(self, picture: Picture) -> list[Found]:
        """Give what is in a picture, the surest first."""
        shown, scales = fitted(picture)
        raw = self.run(shown[None])[0]
        return self._found(raw.T.astype(np.float64), scales)

    def _found(self, raw: Floats, scales: Floats) -> list[Found]:
        """Take boxes out of what the network gives: a row of x, y, width, height, class scores and turn each."""
        count = len(self.classes)
        scores = raw[:, 4 : 4 + count]
        kinds = scores.argmax(axis=1)
        best = scores.max(axis=1)
        least = np.array([self.least[name] for name in self.classes])
        near = np.flatnonzero(best >= least[kinds])
        near = near[np.argsort(-best[near], kind="stable")][:MOST]
        boxes = upright(raw[near][:, [0, 1, 2, 3, 4 + count]])
        quads = (corners(boxes) + 0.5) / scales - 0.5
        found = []
        for group in (
            {self.classes.index(name) for name in CARDS},
            *({self.classes.index(k)} for k in ("chip_stack", "hand")),
        ):
            mine = np.array([n for n, kind in enumerate(kinds[near]) if kind in group], int)
            for row, quad in _merged(quads[mine], best[near][mine]):
                n = mine[row]
                both = scores[near[n]][[self.classes.index(name) for name in CARDS]]
                up = float(both[0] / max(both.sum(), 1e-9))
                found.append(Found(self.classes[kinds[near[n]]], quad, float(best[near[n]]), up))
        return sorted(found, key=lambda one: -one.score)


def fitted(picture: Picture) -> tuple[Picture, Floats]:
    """Scale a picture to what the network sees, and fill its sides up; give it with the scale across and down."""
    height, width = picture.shape[:2]
    long = max(height, width)
    scale = min(max(long, LEAST_PX), FULL_PX) / long
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    if size != (width, height):
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        picture = cv2.resize(picture, size, interpolation=way).astype(np.uint8, copy=False)
    below, right = ceil(size[1] / STRIDE) * STRIDE - size[1], ceil(size[0] / STRIDE) * STRIDE - size[0]
    filled = cv2.copyMakeBorder(picture, 0, below, 0, right, cv2.BORDER_CONSTANT, value=(GREY,) * 3)
    return np.ascontiguousarray(filled, dtype=np.uint8), np.array(size) / (width, height)


def upright(boxes: Floats) -> Floats:
    """Give the same boxes with the shorter side across: the network says one rectangle in either way."""
    x, y, width, height, turn = boxes.T
    lying = width > height
    return np.column_stack(
        [x, y, np.minimum(width, height), np.maximum(width, height), np.where(lying, turn + np.pi / 2, turn)]
    )


def corners(boxes: Floats) -> Floats:
    """Give the corners (N x 4 x 2) of boxes of x, y, width, height and turn; they start where both sides do."""
    middle, (width, height, turn) = boxes[:, None, :2], boxes[:, 2:].T
    across = np.column_stack([np.cos(turn), np.sin(turn)]) * width[:, None] / 2
    along = np.column_stack([-np.sin(turn), np.cos(turn)]) * height[:, None] / 2
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    return np.asarray(middle + signs[None, :, :1] * across[:, None] + signs[None, :, 1:] * along[:, None])


def _merged(quads: Floats, scores: Floats) -> list[tuple[int, Floats]]:
    """Put boxes of one thing together: the surest leads, and the corners are the mean of all, weighed by score."""
    free = np.ones(len(quads), bool)
    turns = np.stack([np.roll(quads, turn, axis=1) for turn in range(4)])  # a box may start at any of its corners
    found = []
    for first in range(len(quads)):
        if not free[first]:
            continue
        lead = quads[first]
        short = min(float(np.hypot(*(lead[1] - lead[0]))), float(np.hypot(*(lead[3] - lead[0]))))
        apart = np.hypot(*np.moveaxis(turns - lead, -1, 0)).mean(axis=2)
        way = apart.argmin(axis=0)
        same = np.flatnonzero(free & (apart.min(axis=0) <= SAME * short))
        free[same] = False
        free[first] = False
        near = turns[way[same], same]
        weight = scores[same] ** 2
        found.append((first, (near * weight[:, None, None]).sum(axis=0) / weight.sum()))
    return found
