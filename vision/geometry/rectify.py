"""A card cut out of a picture and set upright: the one view that readers learn from and read."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import ArrayLike

from feltwatch.vision.arrays import Floats, Pixels

SIZE: Final = (128, 176)  # width, height of a crop
MARGIN: Final = 0.03  # of the card's sides, shown all round it
SHARP: Final = 1.3  # a picture that is shrunk by more is blurred first, or it would shimmer


def rectify(picture: Pixels, quad: ArrayLike, margin: float = MARGIN, size: tuple[int, int] = SIZE) -> Pixels:
    """Give the card within the quad (from its top left, clockwise), `margin` wider all round."""
    width, height = size
    x, y = margin * width / (1 + 2 * margin), margin * height / (1 + 2 * margin)
    goal = np.array([(x, y), (width - x, y), (width - x, height - y), (x, height - y)], np.float32) - np.float32(0.5)
    corners = np.asarray(quad, np.float64)
    shrink = _length(corners) / (height - 2 * y)
    source, corners = _near(picture, corners, margin + 0.02)
    if shrink > SHARP:
        source = cv2.GaussianBlur(source, (0, 0), 0.4 * shrink).astype(np.uint8, copy=False)
    home = cv2.getPerspectiveTransform(corners.astype(np.float32), goal)
    cut = cv2.warpPerspective(source, home, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cut.astype(np.uint8, copy=False)


def rectangle(quad: ArrayLike) -> Floats:
    """Give the rectangle nearest to a quad: its middle, its mean sides and mean direction. Corners keep their order."""
    corners = np.asarray(quad, np.float64)
    across, along = corners[1] - corners[0] + corners[2] - corners[3], corners[3] - corners[0] + corners[2] - corners[1]
    width, height = np.hypot(*across) / 2, np.hypot(*along) / 2
    way = across / max(float(np.hypot(*across)), 1e-9) + np.array([along[1], -along[0]]) / max(2 * height, 1e-9)
    way = way / max(float(np.hypot(*way)), 1e-9)
    if float(across @ np.array([along[1], -along[0]])) < 0:  # a mirrored order
        way = across / max(float(np.hypot(*across)), 1e-9)
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width / 2, height / 2]
    return np.asarray(corners.mean(axis=0) + half @ np.array([way, [-way[1], way[0]]]))


def _near(picture: Pixels, corners: Floats, margin: float) -> tuple[Pixels, Floats]:
    """Give the part of the picture that the crop is made of, and the corners there."""
    reach = margin * float(np.ptp(corners, axis=0).max()) + 2
    low = np.floor(corners.min(axis=0) - reach).astype(int)
    high = np.ceil(corners.max(axis=0) + reach).astype(int) + 1
    height, width = picture.shape[:2]
    left, top = min(max(low[0], 0), width - 1), min(max(low[1], 0), height - 1)
    right, bottom = max(min(high[0], width), left + 1), max(min(high[1], height), top + 1)
    return picture[top:bottom, left:right], corners - [left, top]


def _length(corners: Floats) -> float:
    return float(np.hypot(*(corners[3] - corners[0])) + np.hypot(*(corners[2] - corners[1]))) / 2
