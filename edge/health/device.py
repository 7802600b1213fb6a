"""What the device reports about itself: temperature, memory, disk, this process, and whether its clock can be trusted.

Each fact comes from the kernel. A fact that the kernel does not have is None.
"""

import ctypes
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SENSORS: Final = ("class/thermal/thermal_zone*/temp", "class/hwmon/hwmon*/temp*_input")
PLAUSIBLE_C: Final = (-40.0, 150.0)  # a sensor that is not connected reports values outside
JUMP_S: Final = 1.0
SLEW: Final = 0.001  # a clock that is adjusted gradually runs faster or slower by this share at most
SIMULTANEOUS_S: Final = 0.05  # two clocks read within this count as read at the same time
READINGS: Final = 5
UNSYNCHRONISED_US: Final = 16_000_000  # the kernel's error estimate for a clock without a time server
TIMESYNC_MARK: Final = Path("/run/systemd/timesync/synchronized")
EARLIEST_DATE_S: Final = 1_767_225_600  # 2026-01-01: a clock before that is wrong


@dataclass(frozen=True, slots=True)
class DiskSpace:
    free_bytes: int  # for users other than root
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    resident_bytes: int
    open_files: int


@dataclass(frozen=True, slots=True)
class Device:
    """The computer that feltwatch runs on; tests point it at other folders."""

    sys: Path = Path("/sys")
    proc: Path = Path("/proc")

    def read_temperature_c(self) -> float | None:
        """Give the temperature of the hottest sensor."""
        readings = [_celsius(path) for pattern in SENSORS for path in self.sys.glob(pattern)]
        return max((reading for reading in readings if reading is not None), default=None)

    def read_memory(self) -> tuple[int, int] | None:
        """Give the available and the total memory in bytes."""
        fields = dict(line.split(":", 1) for line in _lines(self.proc / "meminfo") if ":" in line)
        try:
            free, size = (int(fields[name].split()[0]) * 1024 for name in ("MemAvailable", "MemTotal"))
        except (KeyError, ValueError, IndexError):
            return None
        return free, size

    def read_process(self) -> ProcessUsage:
        """Give what this process uses."""
        pages = _lines(self.proc / "self" / "statm") or ["0 0"]
        try:
            files = sum(1 for _ in (self.proc / "self" / "fd").iterdir()) - 1  # without the folder itself
        except OSError:
            files = 0
        return ProcessUsage(int(pages[0].split()[1]) * os.sysconf("SC_PAGE_SIZE"), files)


def read_disk_space(folder: Path) -> DiskSpace | None:
    """Give the space on the disk of a folder; None if the folder does not exist."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return DiskSpace(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


@dataclass(frozen=True, slots=True)
class ClockJump:
    """The clock was set by this many seconds; negative is backwards."""

    seconds: float

    def __str__(self) -> str:
        """Describe the jump in words.

        >>> str(ClockJump(-3600.0)), str(ClockJump(2.5))
        ('the clock went back 3,600 s', 'the clock went forward 2.5 s')
        """
        direction = "forward" if self.seconds > 0 else "back"
        return f"the clock went {direction} {round(abs(self.seconds), 1):,.12g} s"


class WallClock:
    """Compares the wall clock with the monotonic one. To notice a jump within a second, ask twice a second."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._steady = wall, steady
        self.jumps, self.jumped_s = 0, 0.0  # how many, and their sum
        self._apart, self._at = self._read()

    def find_jump(self) -> ClockJump | None:
        """Give the jump since the last call, if the clock jumped."""
        apart, at = self._read()
        moved = apart - self._apart
        slewed = SLEW * max(at - self._at, 0.0)
        self._at = at
        if abs(moved) > JUMP_S + slewed:
            self._apart = apart
            self.jumps, self.jumped_s = self.jumps + 1, self.jumped_s + moved
            return ClockJump(moved)
        self._apart += min(max(moved, -slewed), slewed)  # small steps still add up
        return None

    def _read(self) -> tuple[float, float]:
        """Give the difference of the two clocks and the monotonic time, read as close together as possible."""
        readings: list[tuple[float, float, float]] = []
        for _ in range(READINGS):
            before = self._steady()
            wall = self._wall()
            after = self._steady()
            readings.append((after - before, wall - after, after))
            if after - before <= SIMULTANEOUS_S:
                break
        _, apart, at = min(readings)
        return apart, at


class _Timex(ctypes.Structure):
    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("rest", ctypes.c_byte * 512),
    )


def read_clock_error_us() -> int | None:
    """Give the kernel's estimate of the clock's error in microseconds; None if it gives none."""
    try:
        adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex
    except (OSError, AttributeError):
        return None
    timex = _Timex()
    return int(timex.maxerror) if adjtimex(ctypes.byref(timex)) >= 0 else None


def is_synchronised(
    read_error: Callable[[], int | None] = read_clock_error_us, mark: Path = TIMESYNC_MARK
) -> bool | None:
    """True if a time server keeps the clock right; None if that is unknown, as in most containers."""
    error = read_error()
    if error is not None:
        return error < UNSYNCHRONISED_US
    if mark.exists():
        return True
    return False if os.access(mark.parent, os.X_OK) else None


def _celsius(path: Path) -> float | None:
    try:
        reading = int(path.read_text("ascii")) / 1000
    except (OSError, ValueError):
        return None
    return reading if PLAUSIBLE_C[0] <= reading <= PLAUSIBLE_C[1] else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
