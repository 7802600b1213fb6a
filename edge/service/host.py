"""What the box says of itself: each fact from the kernel's own file, none where it has none."""

import os
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SENSORS: Final = ("class/thermal/thermal_zone*/temp", "class/hwmon/hwmon*/temp*_input")
PLAUSIBLE_C: Final = (-40.0, 150.0)  # a sensor that is not connected tells other things


@dataclass(frozen=True, slots=True)
class Disk:
    free_bytes: int  # for who is not root
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Process:
    resident_bytes: int
    open_files: int
    files_limit: int
    processor_s: float


@dataclass(frozen=True, slots=True)
class Box:
    """Where the kernel says things: other folders, another box."""

    sys: Path = Path("/sys")
    proc: Path = Path("/proc")

    def temperature_c(self) -> float | None:
        """Give the hottest of what is measured."""
        found = [told for pattern in SENSORS for path in self.sys.glob(pattern) if (told := _celsius(path)) is not None]
        return max(found, default=None)

    def memory(self) -> tuple[int, int] | None:
        """Give the bytes that are free for a process to take, and all there are."""
        told = dict(line.split(":", 1) for line in _lines(self.proc / "meminfo") if ":" in line)
        try:
            free, size = (int(told[name].split()[0]) * 1024 for name in ("MemAvailable", "MemTotal"))
        except (KeyError, ValueError, IndexError):
            return None
        return free, size

    def process(self) -> Process:
        """Give what this process holds."""
        pages = _lines(self.proc / "self" / "statm") or ["0 0"]
        try:
            files = (
                sum(1 for _ in (self.proc / "self" / "fd").iterdir()) - 1
            )  # less the folder itself, which is open meanwhile
        except OSError:
            files = 0
        used = resource.getrusage(resource.RUSAGE_SELF)
        return Process(
            int(pages[0].split()[1]) * resource.getpagesize(),
            files,
            resource.getrlimit(resource.RLIMIT_NOFILE)[0],
            used.ru_utime + used.ru_stime,
        )


def disk(folder: Path) -> Disk | None:
    """Give the room on a folder's disk; none where the folder is not there."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return Disk(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


def _celsius(path: Path) -> float | None:
    try:
        told = int(path.read_text("ascii")) / 1000
    except (OSError, ValueError):
        return None
    return told if PLAUSIBLE_C[0] <= told <= PLAUSIBLE_C[1] else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
