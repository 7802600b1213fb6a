"""A card is rigid and its size is known: where it lies on the felt, from corners known more or less exactly."""

from typing import Final

import numpy as np

from feltwatch.vision.arrays import Floats
from feltwatch.vision.geometry.camera import Camera

FLOOR: Final = 0.004  # of a card's height: no corner is known better
FARTHEST: Final = 0.15  # of its height: corners that would have to move further are not those of such a card


def rigid_quad(camera: Camera, quad: Floats, spreads: Floats, size_mm: tuple[float, float]) -> Floats:
    """Give the corners, in the picture, of the card of this size that lies nearest to some corners.

    A corner counts the more, the less it may be off (`spreads`, in heights of the card). What is no card of this size
    on the felt stays as it is.
    """
    felt = camera.to_felt(quad)
    wide, long = size_mm
    card = np.array([(-wide, -long), (wide, -long), (wide, long), (-wide, long)]) / 2
    if _area(felt) < 0:  # clockwise in the picture may be the other way round on the felt
        card[:, 0] *= -1
    fitted = placed(card, felt, 1 / (spreads**2 + FLOOR**2))
    off = np.hypot(*(fitted - felt).T) / long
    if (off > np.maximum(FARTHEST, 3 * spreads)).any():
        return quad
    return camera.to_picture(fitted)


def _area(points: Floats) -> float:
    x, y = points.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def placed(card: Floats, goal: Floats, weights: Floats) -> Floats:
    """Move and turn points of a card (N x 2) so that the weighted squares of their distances to others are least."""
    share = (weights / weights.sum())[:, None]
    ours, theirs = card - (share * card).sum(axis=0), goal - (share * goal).sum(axis=0)
    dot = float((share * ours * theirs).sum())
    cross = float((share[:, 0] * (ours[:, 0] * theirs[:, 1] - ours[:, 1] * theirs[:, 0])).sum())
    turn = np.arctan2(cross, dot)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(ours @ spin + (share * goal).sum(axis=0))
