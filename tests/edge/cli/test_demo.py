"""`feltwatch demo`: the bundled film through the real pipeline, as a new user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_schemas import EVENT, VERDICT

DEMO = [sys.executable, "-m", "feltwatch.edge.cli.main", "demo"]


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the file in which the user's browser notes what it was asked to show."""
    noted, program = tmp_path / "shown", tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" >>{noted}\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(program))
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return noted


def test_it_watches_the_film_tells_it_and_shows_the_report(
    browser: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":7")
    done = subprocess.run(DEMO, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.splitlines()
    report = tmp_path.resolve() / "feltwatch-demo" / "report.html"
    assert told[0].endswith("datasets/clips/demo.mp4 as a camera above the table would")
    assert told[-1] == f"The report: {report}"
    assert browser.read_text() == f"{report.as_uri()}\n"
    assert "dealer-overdraw" in report.read_text("utf-8")
    one, two = (told.index(f"         Round {n} completed: every bet is settled.") for n in (1, 2))
    (alert,) = (n for n, line in enumerate(told) if "!!" in line)
    assert one < alert < two
    assert told[alert : alert + 4] == [
        "         !! STOP: dealer-overdraw (clause 3.23)",
        "            The dealer had 17 and drew the 3 of diamonds.",
        "            Remedy (5.10.2): Discard the 3 of diamonds; the dealer stands on 17.",
        "            As it should lie: dealer: 10♠ 7♣",
    ]
    assert next(line for line in told if "Q♣ A♥" in line).split() == [
        "box",
        "3",
        "Q♣",
        "A♥",
        "21",
        "pair",
        "win,",
        "win",
    ]
    (aired,) = (
        n for n, line in enumerate(told) if line.startswith("Over MQTT, from the built-in broker at mqtt://127.0.0.1:")
    )
    assert ": alert 1, event " in told[aired]
    assert ", round 2, " in told[aired]
    assert told[aired + 2].startswith('feltwatch/demo/demo/alert {"schema":"alert/1",')
    assert len(told) < 75
    events, verdicts = (lines(report.with_name(f"{name}.jsonl")) for name in ("events", "verdicts"))
    for event in events:
        EVENT.validate(event)
    for verdict in verdicts:
        VERDICT.validate(verdict)
    assert [event["rested"] for event in events if event["event"] == "card"]
    assert sum(verdict["verdict"] == "alert" for verdict in verdicts) == 1


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("screen", "shown"), [("", ""), (":7", "file:///report.html\n")])
def test_a_browser_is_started_where_there_is_a_screen(
    browser: Path, monkeypatch: pytest.MonkeyPatch, screen: str, shown: str
) -> None:
    monkeypatch.setenv("DISPLAY", screen)
    subprocess.run(
        [sys.executable, "-c", "from feltwatch.edge.browser import show; show('file:///report.html')"], check=True
    )
    assert (browser.read_text() if browser.exists() else "") == shown


def test_what_lies_in_its_way_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "feltwatch-demo").mkdir()
    (tmp_path / "feltwatch-demo" / "mine").write_text("kept")
    done = subprocess.run(DEMO, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("feltwatch: feltwatch-demo: expected a replay's folder, found other files;")
    assert (tmp_path / "feltwatch-demo" / "mine").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["feltwatch-demo"]
