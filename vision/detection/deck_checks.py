"""What makes a picture of a card, or a set of 52, unfit to read by: blurred, cut or covered, the same face twice."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats32, Pixels
from feltwatch.vision.detection.known_deck import FACES

CORNER: Final = (24, 48)  # width, height: 19 % and 27 % of the card
REACH: Final = 6  # pixels by which one index may lie otherwise than the other
INSIDE: Final = (2, 3)  # pixels from the corner: beyond it the card is round, and ground shows
BLURRED_PX: Final = 5.0  # an edge of the index is wider
ENDS: Final = 0.5  # both indices of a card look alike by more than this
SAME: Final = 0.99  # pictures that look alike by more are one: two of spades and of clubs of some decks reach 0.983
EDGE: Final = 4


def edge_width(picture: Pixels) -> float:
    """Give how many pixels the sharpest edge of a card's index takes from dark to bright."""
    grey = cv2.cvtColor(_index(picture), cv2.COLOR_BGR2GRAY).astype(np.float32)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=1 / 8)
    steepest = float(np.percentile(np.hypot(across, down), 99))
    contrast = float(np.percentile(grey, 99.5) - np.percentile(grey, 0.5))
    return contrast / max(steepest, 1e-3)


def ends_likeness(picture: Pixels) -> float:
    """Give how much the lower right index, turned by half, looks like the upper left one, from -1 to 1."""
    turned = np.ascontiguousarray(picture[::-1, ::-1])
    wide = turned[: CORNER[1] + REACH, : CORNER[0] + REACH]
    return _most_alike(wide, _index(picture))


def doubles(faces: Mapping[str, Pixels]) -> Iterator[tuple[str, str]]:
    """Give pairs of faces that have one and the same picture. Spades and clubs differ by little else than pips."""
    rows = {face: _row(faces[face]) for face in FACES if face in faces}
    for one, other in combinations(rows, 2):
        if float(rows[one] @ rows[other]) > SAME:
            yield one, other


def _index(picture: Pixels) -> Pixels:
    return picture[INSIDE[1] : CORNER[1], INSIDE[0] : CORNER[0]]


def _most_alike(picture: Pixels, part: Pixels) -> float:
    found = cv2.matchTemplate(np.ascontiguousarray(picture), np.ascontiguousarray(part), cv2.TM_CCOEFF_NORMED)
    return float(np.nan_to_num(found).max())


def _row(picture: Pixels) -> Floats32:
    """Give a picture as a row of length 1; its edge, where ground may show, is left out."""
    inner = picture[EDGE:-EDGE, EDGE:-EDGE].astype(np.float32)
    row = (inner - inner.mean(axis=(0, 1))).ravel()
    return np.asarray(row / (np.linalg.norm(row) + 1e-6), np.float32)
