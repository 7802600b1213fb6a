"""How the physical grade sees: a wide pinhole picture, and where each pixel of the camera's own lies in it.

The renderer knows no lens and cannot keep the order in which the fast compositor draws; both are put right here.
A thing that is brought nearer to the eye along its rays looks as it did: what is drawn later comes before the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Pixels
from feltwatch.vision.geometry.camera import Camera

GRID = 8
ROUNDS = 60
WIDEST = 1.5  # the wide picture is no more than so many times the camera's own
EDGE = 3  # pixels round the wide picture that only interpolation asks for
COARSE_PX = 960  # the width of the map of heights
GAP_MM = 0.2  # air between a card and what it lies on: none is quite flat


@dataclass(frozen=True, eq=False)
class PinholeView:
    """A pinhole that sees all that a camera sees; `x` and `y` say where in its picture each camera pixel lies."""

    width: int
    height: int
    focal: float
    middle: tuple[float, float]  # of its picture, where the lens looks straight ahead
    x: Floats32
    y: Floats32

    def through_lens(self, picture: Floats32) -> Floats32:
        """Bend a wide picture as the camera's lens does."""
        found = cv2.remap(picture, self.x, self.y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(np.maximum(found, 0), dtype=np.float32)


def rays_of(camera: Camera, pixels: Floats) -> Floats:
    """Give where (N x 2) the rays of pixels meet the plane one before the lens: the exact inverse of its bending."""
    focal = np.array(camera.matrix[:2])
    found = (pixels - np.array(camera.matrix[2:])) / focal
    shift = np.array(camera.translation)
    for _ in range(ROUNDS):
        ahead = np.column_stack([found, np.ones(len(found))])
        wrong = (pixels - camera.to_picture((ahead - shift) @ camera.r)) / focal
        found = np.clip(found + wrong, -4.0, 4.0)
    return np.asarray(found)


def view_of(camera: Camera) -> PinholeView:
    """Give the pinhole for a camera."""
    columns, rows = -(-camera.width // GRID) + 1, -(-camera.height // GRID) + 1
    x, y = np.meshgrid(np.arange(columns) * float(GRID), np.arange(rows) * float(GRID))
    focal = camera.matrix[0]
    rays = rays_of(camera, np.column_stack([x.ravel(), y.ravel()])).reshape(rows, columns, 2) * focal
    most = np.array([camera.width, camera.height]) * (WIDEST - 0.5)
    low = np.maximum(np.floor(rays.min(axis=(0, 1))), -most) - EDGE
    high = np.minimum(np.ceil(rays.max(axis=(0, 1))), most) + EDGE
    width, height = (int(n) for n in high - low + 1)
    places = (rays - low).astype(np.float32)
    step = np.float32(1 / GRID)
    at_x, at_y = np.meshgrid(
        np.arange(camera.width, dtype=np.float32) * step, np.arange(camera.height, dtype=np.float32) * step
    )
    fine = [cv2.remap(np.ascontiguousarray(places[..., n]), at_x, at_y, cv2.INTER_LINEAR) for n in (0, 1)]
    middle = (float(-low[0]), float(-low[1]))
    return PinholeView(width, height, focal, middle, *(np.asarray(one, dtype=np.float32) for one in fine))


@dataclass(frozen=True, slots=True)
class Slice:
    """A flat part of a thing as the camera sees it: its outline in pixels, and the heights it lies between."""

    outline: Floats
    low: float
    high: float


class DepthOrder:
    """The heights of what is drawn so far, seen through a coarse camera."""

    def __init__(self, camera: Camera) -> None:
        self._fine = min(1.0, COARSE_PX / camera.width)
        self._eye = float(camera.eye[2])
        self._heights = np.zeros((int(camera.height * self._fine) + 1, int(camera.width * self._fine) + 1), np.float32)

    def before(self, slices: Sequence[Slice], gap: float = GAP_MM) -> float:
        """Give by what a thing is scaled about the eye, so that it comes to lie before all that is drawn."""
        found = 1.0
        for one in slices:
            window, mask = self._mask(one.outline)
            if mask is not None and mask.any():
                tall = float(self._heights[window][mask > 0].max())
                found = min(found, (self._eye - tall - gap) / (self._eye - one.low))
        return found

    def before_points(self, pixels: Floats, heights: Floats, gap: float) -> float:
        """Do as `before` does for single points of a surface."""
        at = np.rint(pixels * self._fine)
        inside = ((at >= 0) & (at < self._heights.shape[::-1])).all(axis=1)
        if not inside.any():
            return 1.0
        places = at[inside].astype(int)
        tall = self._heights[places[:, 1], places[:, 0]]
        return float(min(1.0, ((self._eye - tall - gap) / (self._eye - heights[inside])).min()))

    def lay(self, slices: Sequence[Slice], scale: float = 1.0) -> None:
        """Add a thing that was scaled about the eye."""
        for one in slices:
            window, mask = self._mask(one.outline)
            if mask is not None:
                part = self._heights[window]
                part[mask > 0] = np.maximum(part[mask > 0], self._eye - scale * (self._eye - one.high))

    def _mask(self, outline: Floats) -> tuple[tuple[slice, slice], Pixels | None]:
        points = outline * self._fine
        low = np.maximum(np.floor(points.min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(points.max(axis=0)).astype(int) + 1, self._heights.shape[::-1])
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        if (high <= low).any():
            return window, None
        mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        cv2.fillPoly(mask, [np.rint((points - low) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        return window, mask
