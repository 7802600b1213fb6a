"""Where between the pixels a template fits best."""

import numpy as np

from feltwatch.vision.arrays import Floats32


def peak_at(like: Floats32, column: int, row: int) -> tuple[float, float]:
    """Give where between the pixels the match is best."""

    def between(low: float, middle: float, high: float) -> float:
        curve = low - 2 * middle + high
        return float(np.clip((low - high) / (2 * curve), -0.5, 0.5)) if curve < 0 else 0.0

    x, y = float(column), float(row)
    if 0 < column < like.shape[1] - 1:
        x += between(*(float(one) for one in like[row, column - 1 : column + 2]))
    if 0 < row < like.shape[0] - 1:
        y += between(*(float(one) for one in like[row - 1 : row + 2, column]))
    return x, y
