"""Array types and geometry, declared once: what an array or a tuple of each name holds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # height x width x 3, blue green red; or height x width, grey
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
AnyFloats = NDArray[np.floating]
Ints = NDArray[np.int32]  # as OpenCV takes corners
Indices = NDArray[np.intp]
Ints16 = NDArray[np.int16]
Uints16 = NDArray[np.uint16]
Uints32 = NDArray[np.uint32]
AnyArray = NDArray[Any]

Point = tuple[float, float]  # x, y
# Clockwise; where the face of a card is known, from the top left of the card as printed.
Quad = tuple[Point, Point, Point, Point]
PixelSize = tuple[int, int]  # width, height
Colour = tuple[int, int, int]  # blue, green, red
