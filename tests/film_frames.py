"""Pictures of the bundled film for tests that look at a table."""

from functools import cache
from pathlib import Path

import cv2
import numpy as np

import feltwatch.datasets
from feltwatch.vision.arrays import Pixels

CLIP = Path(feltwatch.datasets.__file__).parent / "clips" / "demo.mp4"
TABLE = CLIP.with_name("demo.table.toml")
FELT = ((5.0, 170.0), (1865.0, 115.0), (1700.0, 600.0), (1000.0, 945.0), (300.0, 760.0))  # about; pixels


@cache
def frame(number: int) -> Pixels:
    film = cv2.VideoCapture(str(CLIP))
    film.set(cv2.CAP_PROP_POS_FRAMES, number)
    good, picture = film.read()
    assert good
    picture.flags.writeable = False
    return np.asarray(picture, np.uint8)
