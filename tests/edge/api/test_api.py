"""`import feltwatch`: cheap to import, and every example of its page runs."""

import doctest
import os
import subprocess
import sys
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

import pytest

import feltwatch
from feltwatch.engine.model.events import decode

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "api.md"
ROUND = [
    {"t": 0, "event": "signal", "name": "place-bets"},
    {"t": 1, "event": "chips", "spot": "box1.main", "amount": 10},
    {"t": 2, "event": "signal", "name": "no-more-bets"},
]


def test_the_examples_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert (found.failed, found.attempted > 12) == (0, True)


def test_importing_it_loads_nothing_else_of_ours(tmp_path: Path) -> None:
    script = "import sys, feltwatch; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("feltwatch")} == {"feltwatch"}
    assert not loaded & {"numpy", "cv2", "onnxruntime", "decimal", "importlib.metadata"}


def test_every_name_that_it_promises_is_there() -> None:
    assert all(getattr(feltwatch, name).__name__ == name for name in feltwatch.__all__)
    assert feltwatch.__version__ == version("feltwatch")
    text = PAGE.read_text("utf-8")
    assert [name for name in feltwatch.__all__ if f"`{name}" not in text and f"feltwatch.{name}" not in text] == []
    with pytest.raises(AttributeError, match="no attribute 'gossip'"):
        feltwatch.gossip  # noqa: B018  an attribute that does not exist


def test_events_of_the_engine_are_judged_as_json_is() -> None:
    events = [decode(os.fsencode(str(one).replace("'", '"'))) for one in ROUND]
    assert [*feltwatch.judge(events, "blackjack-rws-v5")] == [*feltwatch.judge(ROUND, "blackjack-rws-v5")]


def test_the_limits_of_the_table_count() -> None:
    events = [*ROUND, {"t": 3, "event": "card", "id": "c1", "zone": "box1.cards", "card": "9h", "face": "up"}]
    codes = [
        {
            one.code
            for one in feltwatch.judge(events, "blackjack-rws-v5", minimum=low)
            if isinstance(one, feltwatch.Alert)
        }
        for low in (Decimal(5), 25)
    ]
    assert codes[1] - codes[0] == {"bet-below-minimum"}


def test_a_book_that_is_unknown_is_an_error() -> None:
    with pytest.raises(ValueError, match="poker"):
        list(feltwatch.judge([], "poker"))


def test_a_video_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(feltwatch.UsageError, match="expected a video"):
        list(feltwatch.replay(PAGE, tmp_path / "table.toml"))
