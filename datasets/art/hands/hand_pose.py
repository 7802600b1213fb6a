"""What hands do at a table, with the little differences from one time to the next."""

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from feltwatch.datasets.art.hands.hand_mesh import FINGERS, Pose

# For each pose: bends of thumb, index, middle, ring and little finger, then pitch and roll of the hand.
Bends = tuple[float, float, float]
POSES: Mapping[str, tuple[tuple[Bends, Bends, Bends, Bends, Bends], float, float]] = {
    "flat": (((0, 5, 5), (5, 6, 4), (5, 6, 4), (6, 8, 5), (8, 10, 6)), 2, 0),
    "relaxed": (((8, 15, 12), (20, 28, 16), (24, 32, 18), (28, 36, 20), (30, 38, 22)), 8, 5),
    "reaching": (((10, 12, 8), (12, 18, 10), (14, 20, 12), (18, 24, 14), (22, 28, 16)), 16, 6),
    "pointing": (((20, 35, 30), (8, 8, 5), (70, 85, 45), (75, 88, 48), (75, 85, 45)), 12, 12),
    "fist": (((22, 38, 36), (75, 90, 50), (78, 92, 50), (80, 92, 50), (80, 90, 50)), 6, 8),
    "pinch": (((24, 14, 16), (30, 30, 16), (34, 34, 18), (42, 42, 24), (46, 46, 26)), 13, 10),
    "dealing": (((22, 12, 12), (22, 24, 12), (26, 30, 16), (52, 58, 34), (58, 62, 34)), 14, 12),
    "chips": (((22, 16, 18), (36, 26, 14), (36, 28, 14), (38, 30, 16), (40, 34, 18)), 20, 2),
    "gather": (((14, 18, 12), (30, 22, 14), (30, 24, 14), (32, 26, 16), (34, 30, 18)), 10, 24),
    "tap": (((14, 20, 15), (18, 20, 12), (20, 24, 14), (58, 74, 40), (62, 74, 40)), 14, 0),
    "wave": (((0, 6, 5), (6, 8, 6), (8, 10, 6), (10, 12, 8), (12, 16, 10)), 0, -10),
    "palm-up": (((6, 10, 10), (14, 18, 12), (16, 20, 12), (20, 22, 14), (24, 26, 16)), -4, 176),
}
SPREADS = {"thumb": 6.0, "index-finger": 3.0, "middle-finger": 0.0, "ring-finger": -3.0, "pinky-finger": -7.0}
TIPS = {"pointing": ("index-finger",), "tap": ("index-finger", "middle-finger"), "fist": ("middle-finger",)}
PINCHED = ("pinch", "dealing", "chips")
LOOSE = 0.14  # how much every bend differs


def random_pose(kind: str, rng: Generator) -> Pose:
    """Give a pose of this kind as one person strikes it once."""
    bends, pitch, roll = POSES[kind]
    more = float(rng.normal(1, LOOSE))
    found: dict[str, Bends] = {}
    for finger, (a, b, c) in zip(FINGERS, bends, strict=True):
        own = more * float(rng.normal(1, LOOSE * 0.6))
        found[finger] = (a * own + float(rng.normal(0, 2)), min(b * own, 100.0), min(c * own, 60.0))
    open_by = float(rng.uniform(-0.2, 1.8))
    spreads = {finger: angle * open_by + float(rng.normal(0, 1.2)) for finger, angle in SPREADS.items()}
    return Pose(
        found,
        spreads,
        pitch + float(rng.normal(0, 5)),
        roll + float(rng.normal(0, 7)),
        float(rng.normal(0, 9)),
    )


def touching(kind: str, joints: Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]) -> tuple[float, float]:
    """Give where (x, y) a hand touches what it is after: between thumb and finger, or at a fingertip."""
    fingers = ("thumb", "index-finger") if kind in PINCHED else TIPS.get(kind, ("index-finger", "middle-finger"))
    x, y, _ = np.mean([joints[f"{finger}-tip"] for finger in fingers], axis=0)
    return float(x), float(y)
