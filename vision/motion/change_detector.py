"""Where to look: what a still camera sees change, and what of it has come to rest. Cheap, on a small picture.

Four questions are kept apart for every point. *Moved*: does it differ from a moment ago? *Calm*: how long has it not
moved? *Changed*: does it differ from what was last understood there? *Bare*: does it look like the felt when empty?
The small picture is first set straight: against a shaking camera, and against light that grows or fades as a whole.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats32, Indices, Mask, Pixels

WIDE: Final = 640  # pixels of the small picture across
LEAST: Final = 11  # grey levels: less is noise
NOISES: Final = 6.0  # times the noise is no noise any more
NOISE: Final = 1.5  # grey levels, until it was measured
EDGES: Final = 0.55  # of the contrast around a point: a hair's shift makes so much difference at an edge
BRIEF_S: Final = 0.07  # what moved is compared with a picture at least so old
REST_S: Final = 0.05  # what has not moved for so long is calm
KEPT_S: Final = 0.5  # small pictures are kept so long
SHAKE_PX: Final = 0.12  # of the small picture: less is not worth straightening
SLOPE: Final = 1.5  # grey levels a pixel: less tells no shift
STEEP: Final = 150  # points that tell it, at least
DRIFTS: Final = 4  # times it is measured
WILD_PX: Final = 6.0  # more is no shake
SINK: Final = 0.05  # how fast what is understood follows slow light
SINK_EVERY: Final = 8  # frames
LONG_S: Final = 2.0  # a hand that rests moves within it


@dataclass(frozen=True, slots=True)
class FrameChange:
    """One frame as attention sees it; masks are of the small picture."""

    t: float
    small: Pixels  # set straight
    shift: tuple[float, float]  # pixels of the whole picture by which it must be moved to lie as the first one
    gain: float
    moved: Mask
    changed: Mask


@dataclass(frozen=True, slots=True)
class Slopes:
    """A blurred grey picture, how it rises across and along, and where that tells a shift."""

    soft: Floats32
    across: Floats32
    along: Floats32
    steep: Mask

    @staticmethod
    def of(soft: Floats32) -> "Slopes":
        across, along = (np.asarray(cv2.Sobel(soft, cv2.CV_32F, x, 1 - x, scale=1 / 8), np.float32) for x in (1, 0))
        steep = across * across + along * along > SLOPE * SLOPE
        steep[:4] = steep[-4:] = steep[:, :4] = steep[:, -4:] = False
        return Slopes(soft, across, along, steep)


class ChangeDetector:
    """Holds what was last understood, and when each point last moved."""

    def __init__(self, size: tuple[int, int]) -> None:
        width, height = size
        self.factor = width / WIDE
        self.size = small_size(width, height)
        shape = (self.size[1], self.size[0])
        self.raw: Pixels | None = None  # the last frame, as it was
        self.known: Floats32 | None = None  # what was last understood
        self.edges = np.zeros(shape, np.uint8)
        self.bare: Pixels | None = None  # the felt, as far as it was seen empty
        self.bare_edges = np.zeros(shape, np.uint8)
        self.is_bare = np.zeros(shape, bool)
        self.moved_at = np.full(shape, -1e9, np.float32)
        self.noise = NOISE
        self.learnt = np.zeros(shape, bool)  # what was understood since it was last asked for
        self.count = 0
        self._kept: list[tuple[float, Pixels]] = []
        self._slopes: Slopes | None = None  # of what is known, until that changes
        self._unsettled = np.zeros(shape, bool)  # what differed from what is known, or moved, a frame ago

    def step(self, t: float, picture: Pixels, raw: Pixels | None = None) -> FrameChange:
        """Take a frame, and what `shrunk` makes of it if that was made; say what moved and what differs."""
        self.raw = raw = shrunk(picture) if raw is None else raw
        if self.known is None:
            self._begin(raw)
        assert self.known is not None  # noqa: S101  begun
        small, gain = self._lit(raw)
        small, shift = self._straight(small)
        known = np.asarray(cv2.convertScaleAbs(self.known), np.uint8)
        tolerated = self.edges + np.uint8(max(LEAST, round(NOISES * self.noise)))
        changed = _apart(small, known) > tolerated
        moved = self._moved(t, small, tolerated)
        np.copyto(self.moved_at, t, where=moved)
        self._unsettled = changed | moved
        self._kept.append((t, small))
        self.count += 1
        if self.count % SINK_EVERY == 0:
            quiet = (~changed & (self.moved_at < t - REST_S)).astype(np.uint8)
            cv2.accumulateWeighted(small, self.known, SINK, quiet)
            self._slopes = None
        return FrameChange(t, small, (shift[0] * self.factor, shift[1] * self.factor), gain, moved, changed)

    def calm(self, t: float) -> Mask:
        """Say where nothing has moved for a moment."""
        return np.asarray(self.moved_at <= t - REST_S)

    def understood(self, sight: FrameChange, where: Mask) -> None:
        """What lies there now is what is known."""
        assert self.known is not None  # noqa: S101  a sight comes after the first step
        self._slopes = None
        if (part := _around(where)) is not None:
            self.known[part][where[part]] = sight.small[part][where[part]]
            self.learnt[part] |= where[part]
            self.edges[part] = _edges(np.asarray(cv2.convertScaleAbs(self.known[part]), np.uint8))

    def let_be(self, sight: FrameChange, where: Mask | None) -> None:
        """What has lain there for long is taken as it is: others watch it."""
        still = None if where is None else where & sight.changed & (self.moved_at < sight.t - LONG_S)
        if still is not None and still.any():
            self.understood(sight, still)
            sight.changed[still] = False

    def empty(self, sight: FrameChange, where: Mask) -> None:
        """What lies there now is bare felt."""
        assert self.bare is not None  # noqa: S101  a sight comes after the first step
        if (part := _around(where)) is not None:
            self.bare[part][where[part]] = sight.small[part][where[part]]
            self.is_bare[part] |= where[part]
            self.bare_edges[part] = _edges(self.bare[part])

    def felt(self, points: tuple[Indices, Indices]) -> Floats32:
        """Give how the felt looked when it was empty at points (rows, columns) of the small picture."""
        assert self.bare is not None  # noqa: S101  a sight comes after the first step
        return self.bare[points].astype(np.float32)

    def looks_bare(self, sight: FrameChange) -> Mask:
        """Say where the felt looks as it did when it was empty."""
        assert self.bare is not None  # noqa: S101  a sight comes after the first step
        tolerated = self.bare_edges + np.uint8(max(2 * LEAST, round(2 * NOISES * self.noise)))
        return np.asarray(self.is_bare & (_apart(sight.small, self.bare) <= tolerated))

    def renew(self, sight: FrameChange, taken: Mask) -> None:
        """Forget what was before this frame, on which nothing happens, but for the felt under what stands there."""
        assert self.bare is not None  # noqa: S101  a sight comes after the first step
        self.known, self._slopes = sight.small.astype(np.float32), None
        np.copyto(self.bare, sight.small, where=~taken[..., None])
        self.is_bare |= ~taken
        self.edges, self.bare_edges = _edges(sight.small), _edges(self.bare)
        self.moved_at.fill(-1e9)
        self.noise, self.count, self._kept = NOISE, 1, [(sight.t, sight.small)]
        self._unsettled.fill(False)  # noqa: FBT003  what the array is filled with

    def _begin(self, raw: Pixels) -> None:
        self.known = raw.astype(np.float32)
        self.bare = raw.copy()
        self.edges = _edges(raw)
        self.bare_edges = self.edges.copy()

    def _lit(self, raw: Pixels) -> tuple[Pixels, float]:
        """Undo what makes the whole picture lighter or darker."""
        assert self.known is not None  # noqa: S101  begun
        now, then = raw[::8, ::8].astype(np.float32) + 4, self.known[::8, ::8] + 4
        gain = _middle(then / now)
        if abs(gain - 1) < 0.015:
            return raw, 1.0
        return cv2.convertScaleAbs(raw, alpha=gain, beta=4 * (gain - 1)).astype(np.uint8, copy=False), gain

    def _straight(self, small: Pixels) -> tuple[Pixels, tuple[float, float]]:
        """Undo the shaking of the camera: by what lay still before, not by what comes to lie on the table."""
        assert self.known is not None  # noqa: S101  begun
        if self._slopes is None:
            self._slopes = Slopes.of(_soft(self.known))
        unsettled = cv2.dilate(self._unsettled.view(np.uint8), np.ones((5, 5), np.uint8))
        x, y = _drift(self._slopes, _soft(small), unsettled == 0)
        if max(abs(x), abs(y)) < SHAKE_PX or max(abs(x), abs(y)) > WILD_PX:
            return small, (0.0, 0.0)
        home = np.array([[1, 0, -x], [0, 1, -y]], np.float64)
        straight = cv2.warpAffine(small, home, self.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return straight.astype(np.uint8, copy=False), (-x, -y)

    def _moved(self, t: float, small: Pixels, tolerated: Pixels) -> Mask:
        """Say what differs from a moment ago; the noise is measured on the way."""
        self._kept = [one for one in self._kept if one[0] >= t - KEPT_S] or self._kept[-1:]  # nothing came since
        old = [one for one in self._kept if one[0] <= t - BRIEF_S] or self._kept[:1]
        if not old:
            return np.zeros(self.edges.shape, bool)
        apart = _apart(small, old[-1][1])
        middle = _middle(apart[::4, ::4])  # of the greatest of three differences
        self.noise += 0.05 * (middle / 1.35 - self.noise)
        return np.asarray(apart > tolerated)


def small_size(width: int, height: int) -> tuple[int, int]:
    return WIDE, round(height / (width / WIDE))


def shrunk(picture: Pixels) -> Pixels:
    """Give the small picture of a frame. It depends on nothing else, so the frame reader can make it on the way."""
    size = small_size(picture.shape[1], picture.shape[0])
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _around(where: Mask) -> tuple[slice, slice] | None:
    """Give the box around what a mask marks, with room for the edges of what lies in it."""
    left, top, wide, high = cv2.boundingRect(where.view(np.uint8))
    if not wide:
        return None
    return slice(max(top - 2, 0), top + high + 2), slice(max(left - 2, 0), left + wide + 2)


def _soft(picture: Pixels | Floats32) -> Floats32:
    """Give a grey picture of half the size, blurred so that a shift of a pixel is a slope."""
    half = cv2.resize(picture, (picture.shape[1] // 2, picture.shape[0] // 2), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(half.astype(np.float32, copy=False), cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.2), np.float32)


def _drift(known: Slopes, seen: Floats32, still: Mask) -> tuple[float, float]:
    """Give by how many pixels of the whole small picture it was shifted: least squares over its slopes, repeated."""
    across, along = known.across, known.along
    steep = known.steep & still[::2, ::2][: seen.shape[0], : seen.shape[1]]
    if np.count_nonzero(steep) < STEEP:
        return 0.0, 0.0
    x = y = 0.0
    points = np.flatnonzero(steep)
    gx, gy, ground = (of.ravel()[points] for of in (across, along, known.soft))
    size = (seen.shape[1], seen.shape[0])
    shifted = seen
    for _ in range(DRIFTS):
        off = ground - shifted.ravel()[points]
        apart = np.abs(off)
        near = np.flatnonzero(apart <= max(3 * _middle(apart), 2.0))
        u, v, w = gx[near], gy[near], off[near]
        a, b, c = float(u @ u), float(u @ v), float(v @ v)
        whole = a * c - b * b
        if whole <= 1e-6 * a * c:
            break
        p, q = float(u @ w), float(v @ w)
        dx, dy = (c * p - b * q) / whole, (a * q - b * p) / whole
        x, y = x + dx, y + dy
        if max(abs(dx), abs(dy)) < SHAKE_PX / 4:
            break
        home = np.array([[1, 0, -x], [0, 1, -y]], np.float64)
        shifted = np.asarray(cv2.warpAffine(seen, home, size, borderMode=cv2.BORDER_REPLICATE), np.float32)
    return 2 * x, 2 * y


def _middle(values: Pixels | Floats32) -> float:
    """Give the median, as NumPy does, but in a third of its time."""
    flat, half = values.ravel(), values.size // 2
    if values.size % 2:
        return float(np.partition(flat, half)[half])
    low, high = np.partition(flat, (half - 1, half))[half - 1 : half + 1]
    return float((low / 2) + (high / 2))


def _apart(one: Pixels, other: Pixels) -> Pixels:
    """Give by how much two pictures differ, in the channel in which they differ most."""
    found = cv2.absdiff(one, other)
    blue, green, red = cv2.split(found)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _edges(picture: Pixels) -> Pixels:
    """Give what a shift of a hair may change at each point."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    kernel = np.ones((3, 3), np.uint8)
    spread = cv2.subtract(cv2.dilate(grey, kernel), cv2.erode(grey, kernel))
    return np.minimum(cv2.convertScaleAbs(spread, alpha=EDGES), 60).astype(np.uint8)
