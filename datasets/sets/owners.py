"""The owner map of a picture: which thing each of its pixels shows, drawn again from the truth."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from feltwatch.datasets.truth import Truth
from feltwatch.vision.arrays import Floats, Ints

AIRBORNE = 0.1  # a card that shows so much more than its place in the pile allows is held above the others
COARSE = 0.5  # scale at which that is looked for
SHIFT = 4  # outlines are drawn to a sixteenth of a pixel
IDENTITY = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True, slots=True)
class OwnerDrawing:
    """A truth with the order in which its cards cover each other."""

    truth: Truth
    below: tuple[int, ...]  # cards on the felt, the lowest first
    above: tuple[int, ...]  # cards in the air: over the stacks too

    def owners(self, size: tuple[int, int], move: Floats = IDENTITY) -> Ints:
        """Draw the map of a window, given as (width, height) and as where it shows points of the picture.

        0 is no thing; card n of the truth is n + 1, then come the stacks, then the hands.
        """
        found: Ints = np.zeros((size[1], size[0]), np.int32)
        truth = self.truth
        for n in self.below:
            _fill(found, truth.cards[n].quad, move, n + 1)
        for n, stack in enumerate(truth.stacks, len(truth.cards) + 1):
            _fill(found, stack.hull, move, n)
        for n in self.above:
            _fill(found, truth.cards[n].quad, move, n + 1)
        for n, hand in enumerate(truth.hands, len(truth.cards) + len(truth.stacks) + 1):
            _fill(found, hand, move, n)
        return found


def owner_drawing(truth: Truth) -> OwnerDrawing:
    """Find which cards are in the air: they show more than cards laid in this order would."""
    laid = OwnerDrawing(truth, tuple(range(len(truth.cards))), ())
    size = (max(1, round(truth.width * COARSE)), max(1, round(truth.height * COARSE)))
    shown = np.bincount(laid.owners(size, IDENTITY * COARSE).ravel(), minlength=len(truth.cards) + 1)
    areas = [cv2.contourArea(np.array(card.quad, np.float32)) * COARSE**2 for card in truth.cards]
    above = tuple(
        n
        for n, (card, area) in enumerate(zip(truth.cards, areas, strict=True))
        if area > 0 and card.visible - shown[n + 1] / area > AIRBORNE
    )
    return OwnerDrawing(truth, tuple(n for n in laid.below if n not in above), above)


def moved_points(points: ArrayLike, move: Floats) -> Floats:
    """Give where a window shows points (N x 2) of the picture."""
    return np.asarray(np.asarray(points, np.float64) @ move[:, :2].T + move[:, 2])


def _fill(found: Ints, outline: ArrayLike, move: Floats, number: int) -> None:
    points = np.round(np.clip(moved_points(outline, move), -1e4, 1e4) * (1 << SHIFT)).astype(np.int32)
    cv2.fillPoly(found, [points], number, cv2.LINE_8, SHIFT)
