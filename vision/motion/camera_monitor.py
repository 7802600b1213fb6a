"""Whether the camera still hangs as when watching began; while it does not, nothing it sees has a place on the felt."""

from typing import Final

import cv2
import numpy as np

from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.registration import Registration, Shift
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange

EVERY_S: Final = 0.4
STIRRED: Final = 0.05  # of the picture in motion at once may be the camera's own: it is looked at before anything else
FAR_MM: Final = 9.0  # the camera was moved, if some of the felt lies so far off
SAID_S: Final = 0.4  # so long, before it is reported; one look is enough to wait
GONE_S: Final = 1.0  # so long the felt is not found at all, before that is reported: a person may lean over it
NEEDED: Final = 3  # looks more that found the felt than not, before not to find it tells anything
COSTS: Final = 4  # looks that it costs to have found it again
MOST: Final = 50


class CameraMonitor:
    """Looks for the printed felt now and then, and at once when much of the picture moves."""

    def __init__(self, camera: Camera, layout: Layout) -> None:
        outline = np.asarray(camera.to_picture(layout.outline), np.float64)
        self._nudge = Registration(region=[(float(x), float(y)) for x, y in outline])
        whole = np.array([camera.width, camera.height], np.float64)
        self._felt = np.clip(outline, 0.0, whole) - whole / 2  # what of it can be seen, from the middle
        self._scale = camera.scale(*layout.middle)
        self._next = 0.0
        self._credit = 0  # looks that found the felt, in short
        self._since: float | None = None  # when it was first seen elsewhere, or not at all
        self._off_mm: float | None = 0.0  # None where it is not found
        self._t = 0.0

    def step(self, sight: FrameChange, attention: ChangeDetector) -> bool:
        """Say whether the camera hangs otherwise than it did."""
        self._t = sight.t
        due = sight.t >= self._next
        if attention.raw is not None and (due or float(sight.moved.mean()) >= STIRRED):
            if due:
                self._next = sight.t - sight.t % EVERY_S + EVERY_S
            grey = np.asarray(cv2.cvtColor(attention.raw, cv2.COLOR_BGR2GRAY), np.uint8)
            self._found(self._nudge.step(grey, attention.factor))
        return self._since is not None

    def _found(self, shift: Shift) -> None:
        if shift.trusted:
            # Where it is lost and found again all the time, not to find it tells nothing
            credit = self._credit - COSTS if self._off_mm is None else self._credit + 1
            self._credit = min(max(credit, 0), MOST)
            off_mm = self._farthest(shift) / self._scale
            # One move is reported once: its measured distance varies a little each time
            kept = self._off_mm is not None and self._off_mm > FAR_MM and abs(off_mm - self._off_mm) <= FAR_MM < off_mm
            self._off_mm = self._off_mm if kept else off_mm
        elif self._credit >= NEEDED:
            self._off_mm = None
        elif self._off_mm is not None:
            self._credit = max(self._credit - 1, 0)
        away = self._off_mm is None or self._off_mm > FAR_MM
        self._since = (self._t if self._since is None else self._since) if away else None

    def _farthest(self, shift: Shift) -> float:
        """Give how far the camera took that part of the felt which it took farthest, in pixels."""
        turn = np.deg2rad(shift.turned_deg)
        a, b = shift.grown * np.cos(turn) - 1.0, shift.grown * np.sin(turn)
        x, y = self._felt.T
        return float(np.hypot(a * x - b * y + shift.dx_px, b * x + a * y + shift.dy_px).max())

    @property
    def since(self) -> float | None:
        """Give since when the camera has moved, if for long enough to report it."""
        return self._since if self.doubts() else None

    def doubts(self) -> tuple[str, ...]:
        lasted = -1.0 if self._since is None else self._t - self._since
        if self._off_mm is None:
            says = "the camera was moved, or its view is blocked: the printed felt is not where it was, nor near"
            return (f"{says}; hang it back, or calibrate it again",) if lasted >= GONE_S else ()
        says = f"the camera was moved: the felt lies {self._off_mm:.0f} mm off"
        return (f"{says}; hang it back, or calibrate it again",) if lasted >= SAID_S else ()
