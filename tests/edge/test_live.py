"""`feltwatch run`: the newest picture is what is looked at; what it replaced is dropped and counted, never queued."""

import argparse
import io
import json
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

from edge.footage_options import add_run_options
from edge.journal import Journal, entries
from edge.live import CameraSource, FileSource, Newest, Shot, Telling, run, watch
from edge.pipeline import Step
from edge.replay import Stop
from edge.table_file import read_table
from edge.usage import UsageError
from tests.edge.recorded import CLIPS, SIZE, RecordedDesk, open_recorded, write_table, write_video
from vision.pictures import Picture
from vision.view import View

BLANK = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)


class Slow:
    """A pipeline that looks at a picture for as long as one wants."""

    def __init__(self) -> None:
        self.looks: list[float] = []
        self.looking = threading.Semaphore(0)
        self.enough = threading.Semaphore(0)

    @property
    def watcher(self) -> "Slow":
        return self

    def step(self, t: float, picture: Picture, small: Picture | None = None) -> Step:
        assert picture.shape == BLANK.shape
        assert small is None
        self.looks.append(t)
        self.looking.release()
        assert self.enough.acquire(timeout=60)
        return Step([{"t": t, "event": "clear"}], [])

    def finish(self) -> Step:
        return Step([{"t": 99.0, "event": "clear"}], [])

    def view(self) -> View:
        return View(doubts=("the camera was moved by 14 mm",) if self.looks == [0.0, 10.0] else ())


class Script:
    """A camera that takes ten pictures while the pipeline looks at one."""

    def __init__(self, slow: Slow, every_s: float) -> None:
        self.slow, self.every_s = slow, every_s

    def read(self, newest: Newest, stop: threading.Event) -> None:
        newest.put(Shot(0.0, BLANK))
        for first in (1, 11):
            assert self.slow.looking.acquire(timeout=60)  # it looks at a picture now
            for number in range(first, first + 10):
                newest.put(Shot(number * self.every_s, BLANK))
            self.slow.enough.release()
        assert self.slow.looking.acquire(timeout=60)
        assert not stop.is_set()
        self.slow.enough.release()


def test_a_slow_machine_sees_the_newest_picture_and_says_what_was_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    slow, out = Slow(), io.StringIO()
    newest = watch(Script(slow, 1.0), lambda _: slow, Stop(), Telling(out))
    assert slow.looks == [0.0, 10.0, 20.0]
    assert (newest.came, newest.dropped) == (21, 18)
    assert [json.loads(line)["t"] for line in out.getvalue().splitlines()] == [0.0, 10.0, 20.0, 99.0]
    assert capsys.readouterr().err.splitlines() == [
        "feltwatch: the camera was moved by 14 mm",
        "feltwatch: 18 of 21 frames dropped in all",
    ]


def test_drops_are_told_once_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    slow = Slow()
    watch(Script(slow, 7.0), lambda _: slow, Stop(), Telling(io.StringIO()))
    assert slow.looks == [0.0, 70.0, 140.0]
    assert capsys.readouterr().err.splitlines() == [
        "feltwatch: 18 of 21 frames dropped in the last minute",  # and none after the second
        "feltwatch: 18 of 21 frames dropped in all",
    ]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Make a film of half a second, and a table whose camera it is."""
    write_video(tmp_path / "demo.mp4", [n / 25 for n in range(12)])
    return write_table(tmp_path / "table.toml")


def options(table: Path, *more: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_run_options(parser)
    return parser.parse_args(["-c", str(table), *more])


def test_a_film_as_a_camera_is_watched_to_its_end(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(options(given), open_recorded) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [json.loads(line) for line in (CLIPS / "demo.events.jsonl").read_text("utf-8").splitlines()]
    assert [line for line in lines if "event" in line] == told
    verdicts = [line["verdict"] for line in lines if "verdict" in line]
    assert (verdicts[0], verdicts.count("alert"), verdicts[-1]) == ("round-started", 1, "round-ended")
    assert lines[1]["verdict"] == "round-started"  # each verdict as soon as its event


def test_asked_to_stop_it_says_what_it_still_knows(
    given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1").write_text(str(int(signal.SIGTERM)))
    assert run(options(given), lambda *_: RecordedDesk(tmp_path)) == 0
    assert capsys.readouterr().out.count('"event"') == len((CLIPS / "demo.events.jsonl").read_text().splitlines())


def test_it_stops_after_so_many_seconds() -> None:
    class Timed:
        def read(self, newest: Newest, stop: threading.Event) -> None:
            newest.put(Shot(6.9, BLANK))
            assert slow.looking.acquire(timeout=60)
            newest.put(Shot(7.0, BLANK))
            slow.enough.release()
            assert stop.wait(60)

    slow, out = Slow(), io.StringIO()
    watch(Timed(), lambda _: slow, Stop(), Telling(out), seconds=7.0)
    assert slow.looks == [6.9]
    assert out.getvalue().count("\n") == 2  # with what is told at the end


class Waits(threading.Event):
    """Waits no time at all, but has a clock believe so."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(round(timeout or 0.0, 3))
        self.now += timeout or 0.0
        return self.is_set()


def test_a_film_as_a_camera_keeps_its_own_pace(tmp_path: Path) -> None:
    waits, newest = Waits(), Newest()
    film = write_video(tmp_path / "film.mp4", [0.0, 0.04, 0.2, 0.24, 1.0])
    FileSource(film, lambda: waits.now).read(newest, waits)
    assert waits.waits == [0.0, 0.04, 0.16, 0.04, 0.76]
    assert (newest.came, newest.dropped) == (5, 4)


def test_a_camera_that_is_lost_is_tried_again(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Impatient(Waits):
        """Has had enough after the second loss."""

        def wait(self, timeout: float | None = None) -> bool:
            super().wait(timeout)
            return len(self.waits) == 2

    waits, newest = Impatient(), Newest()
    source = CameraSource(f"file://{given.with_name('demo.mp4')}", "table.toml", lambda: waits.now)
    source.read(newest, waits)
    assert newest.came == 24
    assert waits.waits == [1.0, 1.0]
    assert capsys.readouterr().err == "feltwatch: table.toml: the camera is lost; trying again\n" * 2


def test_what_goes_wrong_in_a_camera_is_raised_where_it_is_watched() -> None:
    class Broken:
        def read(self, newest: Newest, stop: threading.Event) -> None:
            del stop
            newest.put(Shot(0.0, BLANK))
            raise UsageError("the camera: broken")

    slow = Slow()
    slow.enough.release()
    with pytest.raises(UsageError, match="the camera: broken"):
        watch(Broken(), lambda _: slow, Stop(), Telling(io.StringIO()))
    assert slow.looks == [0.0]


def test_pictures_of_another_size_are_refused() -> None:
    class Turned:
        def read(self, newest: Newest, stop: threading.Event) -> None:
            newest.put(Shot(0.0, BLANK))
            assert slow.looking.acquire(timeout=60)
            newest.put(Shot(1.0, np.ascontiguousarray(BLANK.transpose(1, 0, 2))))
            slow.enough.release()
            stop.wait(60)

    slow = Slow()
    with pytest.raises(UsageError, match=r"expected pictures of 320 x 180, found 180 x 320; calibrate it again"):
        watch(Turned(), lambda _: slow, Stop(), Telling(io.StringIO()))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "camera.source: expected a URL, a device's number or a file, found none; name the camera"),
        ("99", "camera.source: expected a camera that answers, found none"),
        ("rtsp://127.0.0.1:1/table", "camera.source: expected a camera that answers, found none"),
        ("nowhere.mp4", "nowhere.mp4: expected a video that can be read, found none"),
    ],
)
def test_a_camera_that_is_not_there_is_one_line(
    source: str, says: str, given: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    given.write_text(given.read_text("utf-8").replace('"demo.mp4"', f'"{source}"'))
    with pytest.raises(UsageError) as told:
        run(options(given), open_recorded)
    assert says in str(told.value)
    assert capfd.readouterr() == ("", "")


def test_what_is_told_is_in_the_journal_first(given: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "demo.journal"
    kept: list[int] = []

    class Told(io.StringIO):
        def write(self, text: str) -> int:
            kept.append(sum(1 for _ in entries(path)))
            return super().write(text)

    journal, out = Journal(path, read_table(given).id), Told()
    slow = Slow()
    slow.enough.release(99)
    watch(Script(slow, 1.0), lambda _: slow, Stop(), Telling(out, journal))
    journal.close()
    said = out.getvalue().splitlines()
    assert kept == [*range(1, len(said) + 1)]
    assert [entry.body for entry in entries(path)] == said
    assert run(options(given, "--journal", str(path)), open_recorded) == 0
    told = capfd.readouterr().out.splitlines()
    assert [entry.body for entry in entries(path)] == said + told
    assert {entry.kind for entry in entries(path)} == {"event", "verdict"}
