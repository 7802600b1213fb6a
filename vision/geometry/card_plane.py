"""Points on a card, given in its sides from its top left corner: where a picture shows them, and back."""

from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import AnyArray, Floats

UNIT: Final = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])  # the four corners
# Where the index at the top left is printed, at many points; that at the bottom right is at 1 - INDEX_SPOTS.
INDEX_SPOTS: Final = np.stack(np.meshgrid(np.linspace(0.035, 0.17, 4), np.linspace(0.03, 0.25, 6)), axis=-1).reshape(
    -1, 2
)


def from_unit(quad: Floats, points: Floats) -> Floats:
    """Give where points of a card lie in a picture, for a card that fills a quad."""
    move = cv2.getPerspectiveTransform(UNIT.astype(np.float32), np.asarray(quad, np.float32))
    return np.asarray(cv2.perspectiveTransform(np.asarray(points, np.float64)[None], move)[0])


def to_unit(quad: Floats, points: Floats) -> Floats:
    """Give the same points of a picture in sides of the card."""
    move = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), UNIT.astype(np.float32))
    return np.asarray(cv2.perspectiveTransform(np.asarray(points, np.float64)[None], move)[0])


def indices_shown(owners: AnyArray, number: int, quad: Floats) -> tuple[float, float]:
    """Give how much of a card's two indices shows, top left and bottom right; `owners` has its number where it does."""
    top, bottom = (_share(owners, number, from_unit(quad, spots)) for spots in (INDEX_SPOTS, 1 - INDEX_SPOTS))
    return top, bottom


def _share(owners: AnyArray, number: int, points: Floats) -> float:
    pixels = np.round(points).astype(int)
    inside = ((pixels >= 0) & (pixels < owners.shape[::-1])).all(axis=1)
    return float((owners[pixels[inside, 1], pixels[inside, 0]] == number).sum()) / len(points)
