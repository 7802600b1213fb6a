"""How long things take, measured where they are done: by thread-safe notes that cost next to nothing."""

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from time import monotonic
from typing import Final

OVER_S: Final = 60.0
MOST: Final = 8_192  # of the last minute's that are held: 136 a second
BOUNDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


@dataclass(frozen=True, slots=True)
class Spread:
    """How long it took in the last minute: half were no longer than p50, ninety-nine of a hundred than p99."""

    count: int = 0
    p50_s: float | None = None  # none where nothing was measured
    p99_s: float | None = None


@dataclass(frozen=True, slots=True)
class Histogram:
    """How long it took since the start; count n is of those no longer than bound n, the last of all."""

    counts: tuple[int, ...] = (0,) * (len(BOUNDS) + 1)
    sum_s: float = 0.0
    bounds: tuple[float, ...] = BOUNDS


class Lags:
    """Takes how long each took; tells of the last minute, and of all since the start. Holds no more than so many."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._last: deque[tuple[float, float]] = deque(maxlen=MOST)
        self._counts = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0
        self._lock = threading.Lock()

    def add(self, seconds: float) -> None:
        at, held = self._now(), max(seconds, 0.0)  # a clock that was set back makes nothing quicker than at once
        with self._lock:
            while self._last and self._last[0][0] <= at - OVER_S:
                self._last.popleft()
            self._last.append((at, held))
            self._counts[bisect_left(BOUNDS, held)] += 1
            self._sum += held

    def spread(self) -> Spread:
        since = self._now() - OVER_S
        with self._lock:
            held = sorted(took for at, took in self._last if at > since)
        if not held:
            return Spread()
        return Spread(len(held), _part(held, 0.5), _part(held, 0.99))

    def histogram(self) -> Histogram:
        with self._lock:
            counts, total = [*self._counts], self._sum
        for n in range(1, len(counts)):
            counts[n] += counts[n - 1]
        return Histogram(tuple(counts), total)


class Rate:
    """How many a second there were in the last while, of a count that only grows."""

    def __init__(self, over_s: float = 10.0) -> None:
        self.over_s = over_s
        self._held: deque[tuple[float, int]] = deque()

    def of(self, at: float, count: int) -> float:
        """Give the rate at a time; None under a tenth of a second."""
        held = self._held
        held.append((at, count))
        while len(held) > 2 and held[1][0] <= at - self.over_s:
            held.popleft()
        took = at - held[0][0]
        return (count - held[0][1]) / took if took >= 0.1 else 0.0


def _part(ordered: list[float], share: float) -> float:
    """Give the smallest that so large a share is not above.

    >>> _part([1.0, 2.0, 3.0, 4.0], 0.5), _part([1.0, 2.0, 3.0, 4.0], 0.99), _part([7.0], 0.5)
    (2.0, 4.0, 7.0)
    """
    return ordered[ceil(len(ordered) * share) - 1]
