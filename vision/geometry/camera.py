"""Picture and felt: the one owner of that geometry, both directions side by side.

The felt's frame is right-handed, in millimetres: x to the dealer's right, y from the dealer to the Players, z up.
"""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike

from feltwatch.vision.arrays import Floats

NO_LENS = (0.0, 0.0, 0.0, 0.0, 0.0)
EXACTLY = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-3)  # pixels; by itself OpenCV stops at a tenth


class CameraError(ValueError):
    """A camera that cannot be: the text says what was expected and what was found."""


@dataclass(frozen=True)
class Camera:
    """A pinhole with OpenCV's lens model, and where it hangs."""

    width: int
    height: int
    matrix: tuple[float, float, float, float]  # fx fy cx cy, pixels
    lens: tuple[float, ...]  # k1 k2 p1 p2 k3
    rotation: tuple[float, float, float]  # felt to camera, Rodrigues
    translation: tuple[float, float, float]

    @cached_property
    def k(self) -> Floats:
        fx, fy, cx, cy = self.matrix
        return np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]], dtype=np.float64)

    @cached_property
    def r(self) -> Floats:
        return np.asarray(cv2.Rodrigues(np.array(self.rotation))[0], dtype=np.float64)

    @cached_property
    def eye(self) -> Floats:
        """Where the lens is, in millimetres."""
        return -self.r.T @ np.array(self.translation, dtype=np.float64)

    @cached_property
    def curve(self) -> Floats:
        return np.array(self.lens, dtype=np.float64)

    def to_picture(self, points: ArrayLike) -> Floats:
        """Give the pixels of points on the felt (N x 2) or above it (N x 3)."""
        found = np.atleast_2d(np.asarray(points, dtype=np.float64))
        if found.shape[1] == 2:
            found = np.column_stack([found, np.zeros(len(found))])
        if not len(found):
            return np.empty((0, 2))
        seen = found @ self.r.T + np.array(self.translation)
        x, y = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
        k1, k2, p1, p2, k3 = self.lens
        square = x * x + y * y
        radial = 1 + square * (k1 + square * (k2 + square * k3))
        bent_x = x * radial + 2 * p1 * x * y + p2 * (square + 2 * x * x)
        bent_y = y * radial + p1 * (square + 2 * y * y) + 2 * p2 * x * y
        fx, fy, cx, cy = self.matrix
        return np.column_stack([fx * bent_x + cx, fy * bent_y + cy])

    def to_felt(self, pixels: ArrayLike, z: float = 0.0) -> Floats:
        """Give the points (N x 2) of a plane z above the felt that pixels show."""
        found = np.asarray(pixels, dtype=np.float64).reshape(-1, 1, 2)
        if not len(found):
            return np.empty((0, 2))
        rays = cv2.undistortPoints(found, self.k, self.curve, criteria=EXACTLY).reshape(-1, 2)
        ways = np.column_stack([rays, np.ones(len(rays))]) @ self.r
        reach = (z - self.eye[2]) / ways[:, 2]
        return np.asarray(self.eye[:2] + ways[:, :2] * reach[:, None], dtype=np.float64)

    def scale(self, x: float, y: float, z: float = 0.0) -> float:
        """Give the pixels a millimetre at a point, averaged over directions."""
        around = self.to_picture([[x - 5, y, z], [x + 5, y, z], [x, y - 5, z], [x, y + 5, z]])
        across, along = around[1] - around[0], around[3] - around[2]
        return float(np.sqrt(abs(across[0] * along[1] - across[1] * along[0])) / 10)


def look_at(
    size: tuple[int, int],
    eye: tuple[float, float, float],
    target: tuple[float, float],
    view_mm: float,
    lens: tuple[float, ...] = NO_LENS,
    roll_deg: float = 0.0,
) -> Camera:
    """Hang a camera at `eye` so that it looks at `target` and sees `view_mm` of felt from left to right there.

    With no roll the dealer (y = 0) is at the top of the picture, if the target lies further from him than the eye or
    straight below it.
    """
    width, height = size
    forward = np.array([target[0], target[1], 0.0]) - np.array(eye)
    distance = float(np.linalg.norm(forward))
    if eye[2] <= 0 or distance <= 0 or view_mm <= 0:
        raise CameraError(f"expected a camera above the felt that sees some of it, found eye {eye}, view {view_mm} mm")
    forward /= distance
    right = np.cross(forward, np.array([0.0, -1.0, 0.0]))
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    turn = np.deg2rad(roll_deg)
    right, down = right * np.cos(turn) + down * np.sin(turn), down * np.cos(turn) - right * np.sin(turn)
    rotation = np.vstack([right, down, forward])
    focal = width * distance / view_mm
    found = cv2.Rodrigues(rotation)[0].ravel()
    shift = -rotation @ np.array(eye)
    return Camera(
        width,
        height,
        (focal, focal, (width - 1) / 2, (height - 1) / 2),
        lens,
        (float(found[0]), float(found[1]), float(found[2])),
        (float(shift[0]), float(shift[1]), float(shift[2])),
    )
