"""Probabilities against what came true: calibration, and from where on answers are to be trusted."""

from collections.abc import Callable

import numpy as np

from feltwatch.models.evaluation.report import Figures, percent
from feltwatch.vision.arrays import Floats, Mask

BINS = 15
GOLDEN = (5**0.5 - 1) / 2
STEPS = 40  # of the search: the last interval is a millionth of the first


def reliability(likely: Floats, right: Mask, bins: int = BINS) -> list[Figures]:
    """Give bins of equal mass: how many, what was promised, what came true."""
    order = np.argsort(likely, kind="stable")
    return [
        {
            "of": len(part),
            "least": round(float(likely[part[0]]), 6),
            "promised %": percent(float(likely[part].sum()), len(part)),
            "right %": percent(int(right[part].sum()), len(part)),
        }
        for part in np.array_split(order, bins)
        if len(part)
    ]


def calibration_error(likely: Floats, right: Mask, bins: int = BINS) -> float:
    """Give the expected calibration error over bins of equal mass.

    >>> calibration_error(np.array([0.5, 0.5, 1.0, 1.0]), np.array([True, False, True, False]), 2)
    0.25
    """
    order = np.argsort(likely, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    gaps = [abs(float(likely[part].sum()) - int(right[part].sum())) for part in parts]
    return sum(gaps) / max(len(likely), 1)


def least_sure(likely: Floats, right: Mask, wrong: float) -> float:
    """Give the lowest probability at which at most `wrong` answers of those as likely, or likelier, are wrong.

    >>> likely, right = np.array([0.9, 0.8, 0.7, 0.6]), np.array([True, True, False, True])
    >>> least_sure(likely, right, 0), least_sure(likely, right, 1)
    (0.8, 0.6)
    """
    faults = np.sort(likely[~right])[::-1]
    allowed = int(wrong)
    barred = faults[allowed] if allowed < len(faults) else -np.inf
    passing = likely[likely > barred]
    return float(passing.min()) if len(passing) else 1.0


def at_precision(likely: Floats, right: Mask, precision: float) -> float:
    """Give the lowest probability from which on so great a part of the answers is right; 1 where there is none."""
    order = np.argsort(-likely, kind="stable")
    sure, good = likely[order], np.cumsum(right[order])
    last = np.append(sure[1:] < sure[:-1], True)  # of those that are equally likely: all or none
    enough = np.flatnonzero(last & (good >= precision * np.arange(1, len(sure) + 1)))
    return float(sure[enough[-1]]) if len(enough) else 1.0


def lowest(cost: Callable[[float], float], low: float, high: float) -> float:
    """Give where a function of one valley is lowest, by golden section.

    >>> round(lowest(lambda x: (x - 2) ** 2, 0.1, 10), 4)
    2.0
    """
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if cost(left) < cost(right):
            high = right
        else:
            low = left
    return (low + high) / 2
