"""Every run tries the same examples; every test starts with the House Way unworked, so that none leans on another."""

import ctypes
import gc
import os
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from feltwatch.engine.sikipi import house_way

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # FFmpeg asks once in a process, before whichever video is first

LARGE_MB = 450
LIBC = ctypes.CDLL(None)
LIBC.mallopt(-3, 1 << 20)  # M_MMAP_THRESHOLD: the memory of a frame goes back to the system when the frame goes
LIBC.mallopt(-8, 2)  # M_ARENA_MAX: threads share two heaps

# Exploring is the fuzzer's work: what fails here fails for all. No test depends on the clock.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def _nothing_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Fetched art changes no picture that a test draws."""
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    for one in vars(house_way).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()


@pytest.fixture(autouse=True, scope="module")
def _memory_returned() -> Iterator[None]:
    """Empty all caches between modules once they are large, so that a worker stays below a gigabyte."""
    yield
    if _resident_mb() < LARGE_MB:
        return
    for found in gc.get_objects():
        if type(found) is _lru_cache_wrapper and found.__module__.startswith(("feltwatch.", "tests.")):
            found.cache_clear()
    gc.collect()
    LIBC.malloc_trim(0)  # glibc keeps what Python freed


def _resident_mb() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") >> 20


collect_ignore = [] if find_spec("torch") else ["models/training/learning.py"]  # which looks for doctests everywhere
