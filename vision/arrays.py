"""The array types, declared once: what an array of each name holds."""

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # height x width x 3, blue green red; or height x width, grey
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
AnyFloats = NDArray[np.floating]
Indices = NDArray[np.intp]
