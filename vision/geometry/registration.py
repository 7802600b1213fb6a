"""Whether the camera still hangs as it was calibrated: the printed felt is looked for where it lay at first.

A few hundred corners of the first picture are followed into each later one; hands, cards and chips take some of them
along, but most lie still, so the way of most is the camera's own.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Mask, Pixels, Point

GRID = (16, 9)  # cells of the picture, so that corners are spread over it
EACH = 2  # corners of a cell
CLEAR = 0.02  # how clear a corner is at least, of the clearest
APART = 5.0  # pixels of the small picture between corners
PATCH = 15  # pixels around a corner that are compared
LEVELS = 3  # so far a corner is followed: some 40 pixels of the small picture
COARSE = 16  # pixels of the small picture
SOFT = (21, 21)  # pixels: the light of a place is that of so many around
GAIN = 40.0  # grey levels of a local deviation
NEAR = (12.0, 4.0, 1.5, 0.8, 0.5)  # pixels of the small picture from the way of most, narrowing
LEAST = 20  # corners that agree
SHARE = 0.3  # of all corners that must agree
QUARTERS = 3  # of the picture's four in which some of them lie
LOOKS = 9  # their median is the position of the camera


@dataclass(frozen=True, slots=True)
class Shift:
    """How far the middle of the picture has moved, in pixels of the full picture, and how far it turned and grew."""

    dx_px: float
    dy_px: float
    turned_deg: float
    trusted: bool
    grown: float = 1.0


STILL = Shift(0.0, 0.0, 0.0, trusted=True)
UNKNOWN = Shift(0.0, 0.0, 0.0, trusted=False)


class Registration:
    """Holds the first picture, or one from the day of calibration, against each later one; can be pickled."""

    def __init__(self, reference: Pixels | None = None, region: Sequence[Point] = ()) -> None:
        """Take `region`, a polygon in pixels of the full picture, for where the felt is: people move outside it."""
        self._region = tuple(region)
        self._even: Pixels | None = None if reference is None else _evened(reference)
        self._corners: Floats32 | None = None
        self._looks: deque[Shift] = deque(maxlen=LOOKS)

    def step(self, small_grey: Pixels, scale: float) -> Shift:
        """Look at a small grey picture; one of its pixels is `scale` pixels of the full one."""
        even = _evened(small_grey)
        if self._even is None or self._even.shape != even.shape:
            self._even, self._corners = even, None  # the first; or another size, which tells nothing of the old
            self._looks.clear()
        if self._corners is None:
            self._corners = _corners(self._even, np.array(self._region, np.float64) / scale)
        last = self._looks[-1] if self._looks else STILL
        start = (_coarse(last.dx_px / scale), _coarse(last.dy_px / scale))
        shift = _shift((self._even, even), self._corners, start, scale)
        if shift.trusted:
            self._looks.append(shift)
        return shift

    def hangs(self) -> Shift:
        """Give the median of the last looks that were trusted: a shake is none, a camera knocked is one."""
        if len(self._looks) < LOOKS:
            return UNKNOWN
        rows = np.array([(one.dx_px, one.dy_px, one.turned_deg, one.grown) for one in self._looks])
        dx, dy, turned, grown = (float(value) for value in np.median(rows, axis=0))
        return Shift(dx, dy, turned, trusted=True, grown=grown)


def _evened(grey: Pixels) -> Pixels:
    """Take the light out: what stays is how each pixel differs from those around it, in their own measure."""
    fine = grey.astype(np.float32)
    apart = fine - cv2.blur(fine, SOFT)
    spread = cv2.sqrt(cv2.sqrBoxFilter(apart, -1, SOFT)) + 4
    return np.asarray(cv2.convertScaleAbs(apart / spread, alpha=GAIN, beta=128), np.uint8)


def _corners(even: Pixels, region: Floats) -> Floats32:
    """Give well-spread corners of the picture, n x 1 x 2."""
    height, width = even.shape
    mask = np.full(even.shape, 255 if len(region) < 3 else 0, np.uint8)
    if len(region) >= 3:
        cv2.fillPoly(mask, [np.round(region).astype(np.int32)], 255)
    mask[:PATCH, :] = mask[-PATCH:, :] = 0
    mask[:, :PATCH] = mask[:, -PATCH:] = 0
    found = cv2.goodFeaturesToTrack(even, 4000, CLEAR, APART, mask=mask, blockSize=5)
    if found is None:
        return np.empty((0, 1, 2), np.float32)
    cells: dict[tuple[int, int], int] = {}
    kept = []
    for point in found[:, 0]:  # the clearest first
        cell = (int(point[0] * GRID[0] / width), int(point[1] * GRID[1] / height))
        if cells.get(cell, 0) < EACH:
            cells[cell] = cells.get(cell, 0) + 1
            kept.append(point)
    return np.array(kept, np.float32)[:, None]


def _coarse(way: float) -> float:
    """Round so far that where a small way is looked from does not hang on what was found before."""
    return round(way / COARSE) * COARSE


def _shift(pictures: tuple[Pixels, Pixels], corners: Floats32, start: Point, scale: float) -> Shift:
    """Follow the corners from where the camera was last; where too few agree, lay the whole over the whole first."""
    if len(corners) < LEAST:
        return UNKNOWN
    found = _followed(pictures, corners, start, scale)
    if found.trusted:
        return found
    (dx, dy), _ = cv2.phaseCorrelate(*(picture.astype(np.float32) for picture in pictures))
    return _followed(pictures, corners, (float(dx), float(dy)), scale)


def _followed(pictures: tuple[Pixels, Pixels], corners: Floats32, start: Point, scale: float) -> Shift:
    guess = corners + np.array(start, np.float32)
    there, good, _ = cv2.calcOpticalFlowPyrLK(
        *pictures, corners, guess, winSize=(PATCH, PATCH), maxLevel=LEVELS, flags=cv2.OPTFLOW_USE_INITIAL_FLOW
    )
    seen = good[:, 0] == 1
    middle = (np.array(pictures[0].shape[::-1]) - 1) / 2
    here, there = corners[seen, 0].astype(np.float64) - middle, there[seen, 0].astype(np.float64) - middle
    if len(here) < LEAST:
        return UNKNOWN
    a, b, agree = _most(here, there)
    quarters = {(x > 0, y > 0) for x, y in here[agree]}
    trusted = int(agree.sum()) >= max(LEAST, SHARE * len(corners)) and len(quarters) >= QUARTERS
    return Shift(
        float(b[0]) * scale,
        float(b[1]) * scale,
        float(np.rad2deg(np.arctan2(a[1], a[0]))),
        trusted,
        float(np.hypot(*a)),
    )


def _most(here: Floats, there: Floats) -> tuple[Floats, Floats, Mask]:
    """Give the turn and growth (cosine and sine), the way, and who goes it, of most points."""
    a, b = np.array([1.0, 0.0]), np.median(there - here, axis=0)
    agree = np.ones(len(here), np.bool_)
    for near in NEAR:
        agree = np.hypot(*(there - _moved(here, a, b)).T) < near
        if agree.sum() < LEAST:
            break
        a, b = _similar(here[agree], there[agree])
    return a, b, agree


def _moved(points: Floats, a: Floats, b: Floats) -> Floats:
    x, y = points.T
    return np.column_stack([a[0] * x - a[1] * y, a[1] * x + a[0] * y]) + b


def _similar(here: Floats, there: Floats) -> tuple[Floats, Floats]:
    """Give by least squares the turn, growth and way that take one to the other."""
    from_mid, to_mid = here.mean(axis=0), there.mean(axis=0)
    (x, y), (u, v) = (here - from_mid).T, (there - to_mid).T
    size = max(float((x * x + y * y).sum()), 1e-9)
    a = np.array([(x * u + y * v).sum(), (x * v - y * u).sum()]) / size
    return a, to_mid - _moved(from_mid[None], a, np.zeros(2))[0]
