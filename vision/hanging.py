"""Whether the camera still hangs as when watching began; while it does not, nothing it sees has a place on the felt."""

from typing import Final

import cv2
import numpy as np

from vision.attention import Attention
from vision.camera import Camera
from vision.layout import Layout
from vision.nudge import Nudge

EVERY_S: Final = 0.4
FAR_MM: Final = 9.0  # the camera was moved, if the felt lies so far off
LOOKS: Final = 2  # in a row, before it is said; one is enough to wait


class Hanging:
    """Looks for the printed felt now and then."""

    def __init__(self, camera: Camera, layout: Layout) -> None:
        self._nudge = Nudge(region=[(float(x), float(y)) for x, y in camera.to_picture(layout.outline)])
        self._scale = camera.scale(0.0, 400.0)
        self._next = 0.0
        self._far = 0  # looks in a row that found it moved
        self.moved_mm = 0.0  # as far as is known; nought where it hangs as it did

    def step(self, t: float, attention: Attention) -> bool:
        """Say whether the camera hangs otherwise than it did."""
        if t >= self._next and attention.raw is not None:
            self._next = t - t % EVERY_S + EVERY_S
            grey = np.asarray(cv2.cvtColor(attention.raw, cv2.COLOR_BGR2GRAY), np.uint8)
            shift = self._nudge.step(grey, attention.factor)
            off_mm = float(np.hypot(shift.dx_px, shift.dy_px)) / self._scale
            if shift.trusted:
                self._far = self._far + 1 if off_mm > FAR_MM else 0
                self.moved_mm = off_mm if self._far >= LOOKS else 0.0
        return self._far > 0

    def doubts(self) -> tuple[str, ...]:
        if not self.moved_mm:
            return ()
        return (f"the camera was moved: the felt lies {self.moved_mm:.0f} mm off; hang it back, or calibrate it again",)
