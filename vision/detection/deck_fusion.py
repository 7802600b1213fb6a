"""What the pictures of a table's own deck add to the reader: how much the corners of a card look like each face.

Only the corner indices are compared: what else of a card shows, the reader judges. A card is cut out as the reader
sees it, its corners are shifted over those of the 52 faces, and the best likeness of each face counts. The pictures
are first made as coarse as the card is in the camera's picture.
"""

from collections import OrderedDict
from math import log
from typing import Final

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from feltwatch.vision.arrays import Floats, Floats32, Mask, Pixels
from feltwatch.vision.detection.known_deck import FACES, KnownDeck
from feltwatch.vision.geometry.rectify import rectify

CARD: Final = (80, 112)  # width, height at which cards are compared
MARGIN: Final = 0.06  # shown round them, so that a corner can be shifted
SIZE: Final = (90, 125)
CORNER: Final = (15, 30)  # width, height: 19 % and 27 % of the card
SHIFTS: Final = 3  # pixels either way: 5 of a card 176 high
SOFTER: Final = 0.8  # lenses and motion make a card coarser than its pixels are
STEP: Final = 1.06  # between two coarsenesses
KEPT: Final = 24  # coarsenesses whose pictures are kept
COARSEST_PX: Final = 12.0
# Log-probabilities of the reader count once, a likeness so much: least log-loss on the tables of the split val.
WEIGHT: Final = 30.0
# A face read with the deck is reported if it is so likely: of 2,556 cards of val none was wrong from 0.959 on.
SURE: Final = 0.97
WHOLE_CARD: Final = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


class DeckTemplates:
    """The corners of a deck's faces, as coarse as they are asked for."""

    def __init__(self, deck: KnownDeck) -> None:
        self.deck = deck
        self._by_height: OrderedDict[int, Floats32] = OrderedDict()

    def likeness(self, picture: Pixels, quad: Floats) -> Floats:
        """Give how much both corners (rows) of a card look like each face (columns), from -1 to 1."""
        templates = self._at(tall(quad))
        crop = rectify(picture, quad, MARGIN, SIZE)
        return np.stack([_best(corner, templates) for corner in corners(crop, SHIFTS)])

    def _at(self, height: float) -> Floats32:
        """Give the corners of all faces (104 rows, two for each face), for cards so many pixels high."""
        step = round(log(max(height, COARSEST_PX)) / log(STEP))
        if step not in self._by_height:
            high = STEP**step * SOFTER
            rows = [
                _normed(corner[None]) for face in FACES for corner in corners(_coarse(self.deck.faces[face], high), 0)
            ]
            self._by_height[step] = np.concatenate(rows)
            while len(self._by_height) > KEPT:
                self._by_height.popitem(last=False)
        self._by_height.move_to_end(step)
        return self._by_height[step]


def fused(faces: Floats, likeness: Floats, shows: Mask) -> Floats:
    """Put together the reader's probabilities of the 52 faces and the likeness of the corners that show.

    The faces' sum stays as the reader has it: whether a card shows a face at all is not for the pictures to say.
    """
    seen = likeness[shows].mean(axis=0)
    scores = np.log(np.maximum(faces, 1e-12)) + WEIGHT * (seen - seen.max())
    likely = np.exp(scores - scores.max())
    return np.asarray(likely / likely.sum() * faces.sum())


def tall(quad: Floats) -> float:
    return float(np.hypot(*(quad[3] - quad[0])) + np.hypot(*(quad[2] - quad[1]))) / 2


def corners(crop: Pixels, pad: int) -> tuple[Pixels, Pixels]:
    """Give the upper left corner of a crop, and the lower right one turned by half; each wider by so much all round."""
    across, down = (round(MARGIN * side / (1 + 2 * MARGIN)) for side in SIZE)
    part = (slice(down - pad, down + CORNER[1] + pad), slice(across - pad, across + CORNER[0] + pad))
    return crop[part], crop[::-1, ::-1][part]


def _coarse(picture: Pixels, high: float) -> Pixels:
    """Give a face as a camera sees it that has so many pixels for it."""
    size = (max(6, round(high * CARD[0] / CARD[1])), max(8, round(high)))
    if size[1] < picture.shape[0]:
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    height, width = picture.shape[:2]
    return rectify(picture, WHOLE_CARD * (width, height) - 0.5, MARGIN, SIZE)


def _best(corner: Pixels, templates: Floats32) -> Floats:
    """Give the best likeness of each face at any shift."""
    windows = sliding_window_view(corner, CORNER[::-1], axis=(0, 1))
    found = _normed(np.moveaxis(windows.reshape(-1, 3, CORNER[1], CORNER[0]), 1, -1))
    return np.asarray((found @ templates.T).max(axis=0).reshape(len(FACES), 2).max(axis=1), np.float64)


def _normed(patches: Pixels) -> Floats32:
    """Give patches (N x height x width x 3) as rows of length 1, without the mean of each colour: light differs."""
    rows = patches.reshape(len(patches), -1, 3).astype(np.float32)
    rows = (rows - rows.mean(axis=1, keepdims=True)).reshape(len(patches), -1)
    return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-6), np.float32)
