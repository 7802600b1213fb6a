"""How long things take: thread-safe recorders that cost next to nothing, and their summaries."""

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from time import monotonic
from typing import Final

WINDOW_S: Final = 60.0
LARGEST_WINDOW: Final = 8_192  # values of the last minute: 136 a second
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """The median and the 99th percentile of the last minute; None if nothing was recorded."""

    count: int = 0
    p50_s: float | None = None
    p99_s: float | None = None


@dataclass(frozen=True, slots=True)
class LatencyHistogram:
    """All values since the start: count n is cumulative up to bound n, and the last count is of all values."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS) + 1)
    sum_s: float = 0.0
    bounds: tuple[float, ...] = BOUNDS


class LatencyRecorder:
    """Records durations; memory is bounded."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._recent: deque[tuple[float, float]] = deque(maxlen=LARGEST_WINDOW)
        self._counts = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def record(self, seconds: float) -> None:
        at, took = self._now(), max(seconds, 0.0)  # a clock that was set back gives no negative duration
        with self._lock:
            while self._recent and self._recent[0][0] <= at - WINDOW_S:
                self._recent.popleft()
            self._recent.append((at, took))
            self._counts[bisect_left(BOUNDS, took)] += 1
            self._sum += took

    def summary(self) -> LatencySummary:
        since = self._now() - WINDOW_S
        with self._lock:
            durations = sorted(took for at, took in self._recent if at > since)
        if not durations:
            return LatencySummary()
        return LatencySummary(len(durations), _percentile(durations, 0.5), _percentile(durations, 0.99))

    def histogram(self) -> LatencyHistogram:
        with self._lock:
            return LatencyHistogram(tuple(accumulate(self._counts)), self._sum)


class RecentRate:
    """The rate per second, over the last seconds, of a count that only grows."""

    def __init__(self, over_s: float = 10.0) -> None:
        self.over_s = over_s
        self._readings: deque[tuple[float, int]] = deque()

    def update(self, at: float, count: int) -> float:
        """Take the count at a time and give the rate; 0 until a tenth of a second has passed."""
        readings = self._readings
        readings.append((at, count))
        while len(readings) > 2 and readings[1][0] <= at - self.over_s:
            readings.popleft()
        took = at - readings[0][0]
        return (count - readings[0][1]) / took if took >= 0.1 else 0.0


def _percentile(ordered: list[float], share: float) -> float:
    """Give the smallest value that this share of the values does not exceed.

    >>> _percentile([1.0, 2.0, 3.0, 4.0], 0.5), _percentile([1.0, 2.0, 3.0, 4.0], 0.99), _percentile([7.0], 0.5)
    (2.0, 4.0, 7.0)
    """
    return ordered[ceil(len(ordered) * share) - 1]
