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
CORNERS, BOX = 8, 4  # numbers that come before the scores: of four corners, or of an upright box
GREY = 114  # what lies round the picture
FAINT = 0.1  # a box less likely than this has no vote
MOST = 2000  # boxes of things that are alike, looked at in one picture
CARDS = ("card_up", "card_down")
# Things that are alike: where there is one there is not another too. Two boxes of them are one thing if their
# corners lie nearer than so much of the shorter side. Cards lie close; where the arm of a hand ends is unknown.
ALIKE = ((CARDS, 0.18), (("chip_stack",), 0.18), (("hand",), 0.6))
# Candidates for the fitter: a box that is fainter votes too, closer boxes are two, and fewer votes are enough.
FAINTEST, CLOSE, FEW_VOTES, MOST_CANDIDATES = 0.05, 0.08, 0.25, 160


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
        return self._found(*self._raw(picture, scale))

    def survey(self, picture: Pixels, scale: float | None = None) -> tuple[list[Detection], list[Detection]]:
        """Give where cards may lie, for the fitter to sort out, and the stacks and hands that there are."""
        raw, scales = self._raw(picture, scale)
        things = [one for one in self._found(raw, scales) if one.kind not in CARDS]
        return self._candidates(raw, scales), things

    def candidates(self, picture: Pixels, scale: float | None = None) -> list[Detection]:
        """Give where cards may lie, those with most votes first: more than there are."""
        return self._candidates(*self._raw(picture, scale))

    def raw_cards(self, picture: Pixels) -> list[Detection]:
        """Give every box of a card by itself, before boxes are put together: what could be found at best."""
        return [one for one, _ in self._merged(*self._raw(picture), CARDS, (FAINTEST, 0.0))]

    def _raw(self, picture: Pixels, scale: float | None = None) -> tuple[Floats, Floats]:
        shown, scales = fitted(picture, scale)
        return self.run(shown[None])[0].T.astype(np.float64), scales

    def _candidates(self, raw: Floats, scales: Floats) -> list[Detection]:
        found = self._merged(raw, scales, CARDS, (FAINTEST, CLOSE))
        voted = sorted((pair for pair in found if pair[1] >= FEW_VOTES), key=lambda pair: -pair[1])
        return [one for one, _ in voted[:MOST_CANDIDATES]]

    def _found(self, raw: Floats, scales: Floats) -> list[Detection]:
        """Take things out of what the network gives: many boxes vote for a thing; it is where enough agree."""
        found = [
            one
            for group, same in ALIKE
            for one, votes in self._merged(raw, scales, group, (FAINT, same))
            if one.score >= self.least[one.kind] and votes >= self.agree
        ]
        return sorted(found, key=lambda one: -one.score)

    def _merged(
        self, raw: Floats, scales: Floats, group: tuple[str, ...], how: tuple[float, float]
    ) -> Iterator[tuple[Detection, float]]:
        """Put boxes of things that are alike together, given the least score and reach; give the sum of scores too.

        A row of `raw` is four corners and class scores; or x, y, width, height, class scores and turn.
        """
        (faint, same), scores = how, scores_of(raw, len(self.classes))
        columns = [self.classes.index(name) for name in group]
        best = scores[:, columns].max(axis=1)
        mine = np.flatnonzero((best >= faint) & (best >= scores.max(axis=1)))
        mine = mine[np.argsort(-best[mine], kind="stable")][:MOST]
        quads = (quads_of(raw[mine], len(self.classes)) + 0.5) / scales - 0.5
        for members, quad in _merged(quads, best[mine], same):
            votes = scores[mine[members]][:, columns].sum(axis=0)
            kind, score = group[int(votes.argmax())], float(best[mine[members[0]]])
            yield Detection(kind, quad, score, float(votes[0] / votes.sum())), float(best[mine[members]].sum())


def scores_of(raw: Floats, classes: int) -> Floats:
    """Give the class scores of what the network gives."""
    first = CORNERS if raw.shape[1] == CORNERS + classes else BOX
    return raw[:, first : first + classes]


def quads_of(raw: Floats, classes: int) -> Floats:
    """Give the corners: a network gives four of them, or a box and its turn."""
    if raw.shape[1] == CORNERS + classes:
        return raw[:, :CORNERS].reshape(-1, 4, 2)
    return corners(upright(raw[:, [0, 1, 2, 3, BOX + classes]]))


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
