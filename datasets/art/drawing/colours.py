"""Colours, and noise to vary them with."""

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.random import Generator

from feltwatch.vision.arrays import Colour, Floats32

PALETTE: Mapping[str, Colour] = {
    "white": (222, 228, 230),
    "red": (42, 34, 186),
    "green": (66, 120, 30),
    "black": (40, 36, 36),
    "purple": (128, 44, 98),
    "yellow": (42, 188, 232),
    "orange": (34, 112, 228),
    "blue": (160, 80, 28),
    "sky": (214, 168, 96),
    "pink": (164, 132, 226),
    "brown": (36, 58, 98),
    "grey": (128, 126, 124),
    "teal": (134, 128, 24),
    "lime": (74, 190, 132),
    "navy": (92, 42, 24),
    "cream": (180, 214, 228),
    "maroon": (40, 24, 104),
}


def clouds(rng: Generator, shape: tuple[int, int], cell: float) -> Floats32:
    """Give smooth noise, about -1 to 1, whose lumps are `cell` pixels wide."""
    small = (max(2, int(shape[0] / cell) + 3), max(2, int(shape[1] / cell) + 3))
    seeds = rng.standard_normal(small, dtype=np.float32) * 0.6
    wide = (shape[1] + int(cell) * 2, shape[0] + int(cell) * 2)
    lumps = cv2.resize(seeds, wide, interpolation=cv2.INTER_CUBIC)
    return np.asarray(lumps[: shape[0], : shape[1]], dtype=np.float32)


def shaded(colour: Colour, rng: Generator, spread: float) -> Colour:
    """Give a colour near this one, as another maker would dye it."""
    found = np.array(colour) * rng.uniform(1 - spread, 1 + spread) + rng.uniform(-12, 12, 3)
    blue, green, red = np.clip(found, 8, 245).astype(int)
    return int(blue), int(green), int(red)
