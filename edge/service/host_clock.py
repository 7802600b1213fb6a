"""The wall clock, watched: messages carry its time, so its leaps are reported. Nothing here decides by it."""

import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LEAP_S: Final = 1.0
SLEW: Final = 0.001  # a clock that is set right bit by bit runs so much faster or slower, at most
AT_ONCE_S: Final = 0.05  # two clocks read within this were read at the same time
TRIES: Final = 5
WORST_US: Final = 16_000_000  # the kernel's error of an unsynchronised clock
MARK: Final = Path("/run/systemd/timesync/synchronized")
BUILT: Final = 1_767_225_600  # 2026-01-01: no clock of a box that runs this is right before


@dataclass(frozen=True, slots=True)
class Leap:
    """The clock was set: by so many seconds; negative: back."""

    seconds: float

    def __str__(self) -> str:
        """Say it.

        >>> str(Leap(-3600.0)), str(Leap(2.5))
        ('the clock went back 3,600 s', 'the clock went forward 2.5 s')
        """
        way = "forward" if self.seconds > 0 else "back"
        return f"the clock went {way} {round(abs(self.seconds), 1):,.12g} s"


class Clock:
    """Compares the wall clock with one that cannot be set. To notice a leap within a second, look twice in one."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._steady = wall, steady
        self.leaps, self.leapt_s = 0, 0.0  # how often, and how far in all
        self._apart, self._at = self._read()

    def look(self) -> Leap | None:
        """Give what the clock did since the last look, if it leapt."""
        apart, at = self._read()
        moved = apart - self._apart
        slewed = SLEW * max(at - self._at, 0.0)
        self._at = at
        if abs(moved) > LEAP_S + slewed:
            self._apart = apart
            self.leaps, self.leapt_s = self.leaps + 1, self.leapt_s + moved
            return Leap(moved)
        self._apart += min(max(moved, -slewed), slewed)  # small steps still add up
        return None

    def _read(self) -> tuple[float, float]:
        """Give how far apart the two are, and the steady one's time, read at the same time as far as can be."""
        found: list[tuple[float, float, float]] = []
        for _ in range(TRIES):
            before = self._steady()
            wall = self._wall()
            after = self._steady()
            found.append((after - before, wall - after, after))
            if after - before <= AT_ONCE_S:
                break
        _, apart, at = min(found)
        return apart, at


class _Timex(ctypes.Structure):
    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("rest", ctypes.c_byte * 512),
    )


def kernel_error() -> int | None:
    """Give by how many microseconds the kernel thinks the clock may be wrong; none where it does not tell."""
    try:
        ask = ctypes.CDLL(None, use_errno=True).adjtimex
    except (OSError, AttributeError):
        return None
    found = _Timex()
    return int(found.maxerror) if ask(ctypes.byref(found)) >= 0 else None


def synchronised(error: Callable[[], int | None] = kernel_error, mark: Path = MARK) -> bool | None:
    """Tell whether a time server sets the clock; None where that is unknown, as in most containers."""
    found = error()
    if found is not None:
        return found < WORST_US
    if mark.exists():
        return True
    return False if os.access(mark.parent, os.X_OK) else None
