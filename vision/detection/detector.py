"""The detector: where cards, stacks and hands are in a picture, and which way they lie."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import cv2
import numpy as np

from feltwatch.models.shipped.registry import Model
from feltwatch.vision.arrays import Floats, Indices, Pixels
from feltwatch.vision.detection.runtime import THREADS, RunModel, open_model

STRIDE = 32  # the sides of what the network sees are multiples of it
FULL_PX = 1280  # the longer side of what it sees, at most
LEAST_PX = 640  # and at least: a smaller picture is enlarged
GREY = 114  # what lies round the picture
FAINT = 0.1  # a box less likely than this has no vote
MOST = 2000  # boxes of things that are alike, looked at in one picture
CARDS = ("card_up", "card_down")
# Things that are alike: where there is one there is not another too. Two boxes of them are one thing if their
# corners lie nearer than so much of the shorter side. Cards lie close; where the arm of a hand ends is unknown.
ALIKE = ((CARDS, 0.18), (("chip_stack",), 0.18), (("hand",), 0.6))


@dataclass(frozen=True, slots=True)
class Detection:
    """One thing: its class, its rectangle from the top left clockwise, and how sure the network is."""

    kind: str
    quad: Floats  # 4 x 2, pixels
    score: float
    up: float = 1.0  # of a card: how likely it lies face up


class Detector:
    def __init__(self, model: Model, provider: str = "cpu", threads: int = THREADS) -> None:
        self.classes = model.classes
        self.least = dict(zip(self.classes, (model.setting(f"least_{name}") for name in self.classes), strict=True))
        self.agree = model.setting("agree")  # what the scores of a thing's boxes must come to
        self.lone = model.setting("lone")
        self.certain = model.setting("certain")
        self.run: RunModel = open_model(model, provider, threads)

    def find(self, picture: Pixels, scale: float | None = None) -> list[Detection]:
        """Give what is in a picture, the surest first; the scale of the analysis can be given."""
        shown, scales = fitted(picture, scale)
        raw = self.run(shown[None])[0]
        return self._found(raw.T.astype(np.float64), scales)

    def _found(self, raw: Floats, scales: Floats) -> list[Detection]:
        """Take things out of what the network gives: a row of x, y, width, height, class scores and turn for each box.

        The network gives many boxes for a thing. They vote: a thing is where enough of them agree.
        """
        count, found = len(self.classes), []
        surest = raw[:, 4 : 4 + count].max(axis=1)
        for group, same in ALIKE:
            columns = [4 + self.classes.index(name) for name in group]
            best = raw[:, columns].max(axis=1)
            mine = np.flatnonzero((best >= FAINT) & (best >= surest))
            mine = mine[np.argsort(-best[mine], kind="stable")][:MOST]
            quads = (corners(upright(raw[mine][:, [0, 1, 2, 3, 4 + count]])) + 0.5) / scales - 0.5
            for members, quad in _merged(quads, best[mine], same):
                votes = raw[mine[members]][:, columns].sum(axis=0)
                kind, score = group[int(votes.argmax())], float(best[mine[members[0]]])
                if score >= self.least[kind] and best[mine[members]].sum() >= self.agree:
                    found.append(Detection(kind, quad, score, float(votes[0] / votes.sum())))
        return sorted(found, key=lambda one: -one.score)


def fitted(picture: Pixels, scale: float | None = None) -> tuple[Pixels, Floats]:
    """Scale a picture to what the network sees, and fill its sides up; give it with the scale across and down."""
    height, width = picture.shape[:2]
    long = max(height, width)
    scale = min(max(long, LEAST_PX), FULL_PX) / long if scale is None else scale
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


def _merged(quads: Floats, scores: Floats, same: float) -> Iterator[tuple[Indices, Floats]]:
    """Put boxes of one thing together: which they are, the surest first, and the mean of all, weighed by score."""
    free, middles = np.ones(len(quads), bool), quads.mean(axis=1)
    turned = np.stack([np.roll(quads, turn, axis=1) for turn in range(4)])  # a box may start at any corner
    for first, lead in enumerate(quads):
        if not free[first]:
            continue
        reach = same * min(float(np.hypot(*(lead[1] - lead[0]))), float(np.hypot(*(lead[3] - lead[0]))))
        near = np.flatnonzero(free & (np.hypot(*(middles - middles[first]).T) <= reach))
        turns = turned[:, near]
        apart = np.hypot(*np.moveaxis(turns - lead, -1, 0)).mean(axis=2)
        close = apart.min(axis=0) <= reach
        members = near[close]
        free[members] = free[first] = False
        weight = scores[members] ** 2
        agreed = turns[apart.argmin(axis=0), np.arange(len(near))][close]
        yield members, (agreed * weight[:, None, None]).sum(axis=0) / weight.sum()
