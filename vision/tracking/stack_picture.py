"""How the top of a stack of chips looked when it was last seen whole, and how far a later image of it differs.

Light makes a top brighter or paler as a whole, a camera that sways or a finger shifts and turns it a little. What
remains is noise, or another top: a chip was laid on the stack, or taken off it.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats32, Mask, Pixels
from feltwatch.vision.detection.roi_detection import CHIP_MM
from feltwatch.vision.geometry.match_peak import peak_at
from feltwatch.vision.motion.change_detector import FrameChange

Point = tuple[float, float]

INSIDE: Final = 0.92  # of the radius: at the rim shows what lies around
AROUND: Final = (1.25, 1.7)  # times the radius: what lies there is felt, and its print
OTHERWISE: Final = 20.0  # grey levels by which felt differs that something covers
SOFT_MM: Final = 1.5  # finer print says nothing: a compressed film shows it now and then
REACH_MM: Final = 6.0  # a stack that was pushed by no more than this is looked for
TURNS: Final = (-3.0, 3.0, -6.0, 6.0)  # degrees by which a push turns it
ALIKE: Final = 6.0  # grey levels: no turn need be tried
GAIN: Final = (0.6, 1.6)  # a shadow, or a lamp; more is another top


@dataclass(frozen=True, slots=True)
class StackPicture:
    """The top of a stack, seen whole and at rest."""

    pixels: Floats32  # a square around its middle, a little blurred
    felt: Floats32  # what lies in a ring around it, point by point
    center: Point  # pixels of the frame as it lay when watching began
    radius: float

    @staticmethod
    def of(frame: Pixels, sight: FrameChange, center: Point, radius: float) -> "StackPicture":
        return StackPicture(_cut(frame, sight, center, radius), _felt(frame, sight, center, radius), center, radius)

    def hidden(self, frame: Pixels, sight: FrameChange) -> float:
        """Give how much of what lies around it looks otherwise: a sleeve lies there, and perhaps on the stack."""
        now = _felt(frame, sight, self.center, self.radius)
        return float((_apart(self.felt, now) > OTHERWISE).mean())

    def compared(self, frame: Pixels, sight: FrameChange) -> "Comparison":
        """Compare the top with what shows in its place now, or so near that it was pushed there."""
        half = _half(self.radius)
        reach = max(round(REACH_MM / CHIP_MM * self.radius), 2)
        around = _cut(frame, sight, self.center, self.radius, reach)
        inside = _disc(half, INSIDE * self.radius)
        found = self._turned(0.0, around, inside)
        if found.apart <= ALIKE:
            return found
        return min([found, *(self._turned(turn, around, inside) for turn in TURNS)], key=lambda one: one.apart)

    def _turned(self, turn: float, around: Floats32, inside: Mask) -> "Comparison":
        """Compare the top, turned, with the place that looks most like it, and with its own."""
        reach = (around.shape[0] - self.pixels.shape[0]) / 2
        side = self.pixels.shape[0]
        half = (side - 1) / 2
        way = cv2.getRotationMatrix2D((half, half), turn, 1.0)
        top = self.pixels if not turn else np.asarray(cv2.warpAffine(self.pixels, way, (side, side)), np.float32)
        found = []
        for x, y in {_best(around, top, inside), (reach, reach)}:
            now = np.asarray(cv2.getRectSubPix(around, (side, side), (x + half, y + half)), np.float32)
            found.append(Comparison(_unexplained(top[inside], now[inside]), (x - reach, y - reach)))
        return min(found, key=lambda one: one.apart)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far a top differs from its picture, where the two agree best."""

    apart: float  # grey levels that light does not explain, on average
    moved: tuple[float, float]  # pixels by which it was pushed


def _half(radius: float) -> int:
    return int(np.ceil(radius)) + 2


def _cut(frame: Pixels, sight: FrameChange, center: Point, radius: float, reach: int = 0) -> Floats32:
    """Give a square of the frame around a point, in the light and the place of the first frame."""
    x, y = (float(a - b) for a, b in zip(center, sight.shift, strict=True))
    side = 2 * (_half(radius) + reach) + 1
    found = cv2.getRectSubPix(frame, (side, side), (x, y), patchType=cv2.CV_32F) * sight.gain
    return np.asarray(cv2.GaussianBlur(found, (0, 0), SOFT_MM / CHIP_MM * radius), np.float32)


def _felt(frame: Pixels, sight: FrameChange, center: Point, radius: float) -> Floats32:
    """Give what lies in a ring around a stack, point by point."""
    half = _half(AROUND[1] * radius)
    pixels = _cut(frame, sight, center, radius, half - _half(radius))
    return pixels[_disc(half, AROUND[1] * radius) & ~_disc(half, AROUND[0] * radius)]


def _disc(half: int, radius: float) -> Mask:
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    return np.asarray(np.hypot(x, y) <= radius)


def _best(around: Floats32, top: Floats32, inside: Mask) -> Point:
    """Give where in a larger square a top fits best, between the pixels."""
    mask = inside.astype(np.float32)
    like = cv2.matchTemplate(_grey(around), _grey(top), cv2.TM_CCOEFF_NORMED, mask=mask)
    like = np.nan_to_num(like, nan=-1.0, posinf=-1.0, neginf=-1.0)
    _, _, _, (column, row) = cv2.minMaxLoc(like)
    return peak_at(np.asarray(like, np.float32), column, row)


def _grey(pixels: Floats32) -> Floats32:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.float32)


def _unexplained(then: Floats32, now: Floats32) -> float:
    """Give the grey levels by which pixels differ on average, once all were made brighter and paler alike."""
    return float(_apart(then, now).mean())


def _apart(then: Floats32, now: Floats32) -> Floats32:
    """Give the grey levels by which each pixel differs, once all were made brighter and paler alike."""
    usual = then - then.mean()
    gain = float((usual * now).sum()) / max(float((usual * usual).sum()), 1e-6)
    explained = now.mean() + np.clip(gain, *GAIN) * usual
    return np.asarray(np.abs(now - explained).max(axis=1), np.float32)
