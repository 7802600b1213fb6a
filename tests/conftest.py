"""Every run tries the same examples; every test starts with the House Way unworked, so that none leans on another."""

import os
from importlib.util import find_spec

import pytest
from hypothesis import settings

from feltwatch.engine.sikipi import house_way

os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # FFmpeg asks once in a process, before whichever video is first

settings.register_profile("steady", derandomize=True)  # exploring is the fuzzer's work: what fails here fails for all
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def _nothing_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What somebody once fetched changes no picture that a test draws."""
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    for one in vars(house_way).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()


collect_ignore = [] if find_spec("torch") else ["models/training/learning.py"]  # which looks for doctests everywhere
