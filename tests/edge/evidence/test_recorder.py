"""Live evidence: there within seconds whatever the camera does, bounded in a storm, and every file is reported."""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic

import cv2
import numpy as np
import pytest

from feltwatch.edge.evidence import recorder as recording
from feltwatch.edge.evidence import render, store
from feltwatch.edge.evidence.clip import LIVE, QUEUE, Bounds, FileNames
from feltwatch.edge.evidence.recorder import MANY, EvidenceRecorder
from feltwatch.edge.evidence.render import ClipFrame, SmallFrame, draw_clip_frame, draw_still, shrink
from feltwatch.edge.evidence.retention import Retention
from feltwatch.edge.evidence.store import StoredFile, StoredFiles, store_file
from feltwatch.engine.model.verdicts import Alert
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import LyingCard, TableView
from tests.edge.evidence.test_recorder_replay import FPS, blank, film, overdraw

AT = "2026-01-02T03:04:05.678Z"
DAY = "evidence/2026-01-02"
PATIENCE_S = 60.0
WITHIN_S = 3.0


class Clock:
    """A clock that moves when the test moves it."""

    def __init__(self) -> None:
        self.t = 100.0

    def __call__(self) -> float:
        return self.t


class Told:
    """What came of alerts, to be waited for."""

    def __init__(self) -> None:
        self.all: list[StoredFiles] = []
        self.news = threading.Condition()

    def __call__(self, kept: StoredFiles) -> None:
        with self.news:
            self.all.append(kept)
            self.news.notify_all()

    def wait(self, count: int) -> list[StoredFiles]:
        with self.news:
            assert self.news.wait_for(lambda: len(self.all) >= count, PATIENCE_S), self.all
            return [*self.all]

    @property
    def whole(self) -> dict[str, list[str]]:
        return {one.alert: [file.name for file in one.files] for one in self.all if one.dropped is None}

    @property
    def gone(self) -> dict[str, list[str]]:
        return {f"{one.alert}: {one.dropped}": [file.name for file in one.files] for one in self.all if one.dropped}


class Bench:
    """A recorder with what a test asks of it."""

    def __init__(self, recorder: EvidenceRecorder, told: Told, clock: Clock) -> None:
        self.recorder, self.told, self.clock = recorder, told, clock

    def play(self, first: float, end: float, alert: Alert | None = None, camera: str = "") -> None:
        """Hand over frames, ten a second; the clock goes with them; an alert comes with the first."""
        for number in range(round((end - first) * 10)):
            self.clock.t += 0.1
            self.recorder.frame(camera, first + number / 10, blank(), TableView())
            if alert is not None and number == 0:
                self.raise_(alert)
            self.remembered()

    def raise_(self, *alerts: Alert) -> None:
        self.recorder.record(alerts, lambda _: None, AT, "bj-07")

    def remembered(self) -> None:
        """Wait until all frames are: a test goes faster than a camera."""
        wait_for(lambda: self.recorder.is_behind is False)


def wait_for(there: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE_S
    pause = threading.Event()
    while not there():
        assert monotonic() < end
        pause.wait(0.001)


@contextmanager
def bench(
    folder: Path, cameras: tuple[str, ...] = ("",), retention: Retention | None = None, bounds: Bounds = LIVE
) -> Iterator[Bench]:
    told, clock = Told(), Clock()
    recorder = EvidenceRecorder(folder, told, cameras, retention, bounds, clock)
    try:
        yield Bench(recorder, told, clock)
    finally:
        recorder.close()


def alert(number: int = 1, severity: str = "stop") -> Alert:
    return replace(overdraw(), id=f"r7-void-c{number}", severity=severity)


def times(path: Path) -> list[float]:
    """Give the times of a film's pictures."""
    capture = cv2.VideoCapture(str(path))
    found = []
    while capture.grab():
        found.append(round(capture.get(cv2.CAP_PROP_POS_MSEC) / 1000, 3))
    capture.release()
    return found


def test_an_alert_has_a_still_and_a_clip_of_what_was_before_and_after(tmp_path: Path) -> None:
    with bench(tmp_path) as one:
        one.play(0.0, 6.0)
        one.play(6.0, 8.0, alert())
        (kept,) = one.told.wait(1)
    assert [file.name for file in kept.files] == [f"{DAY}/r7-void-c1.jpg", f"{DAY}/r7-void-c1.webm"]
    for file in kept.files:
        data = (tmp_path / file.name).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.bytes, file.sha256)
    assert times(tmp_path / kept.files[1].name)[-1] == pytest.approx(4.1 + 1.5, abs=0.11)
    assert not list(tmp_path.rglob("*.part"))


def test_evidence_is_whole_within_three_seconds_by_the_clock_on_the_wall(tmp_path: Path) -> None:
    told = Told()
    recorder = EvidenceRecorder(tmp_path, told)
    start, raised = monotonic(), None
    for t, picture, view, said in film(620, 800):
        threading.Event().wait(max(0.0, start + (t - 620 / FPS) - monotonic()))
        recorder.frame("", t, picture, view)
        alerts = [verdict for verdict in said if isinstance(verdict, Alert)]
        raised = monotonic() if alerts else raised
        recorder.record(alerts, lambda _: None, AT)
        if told.all:
            break
    (kept,) = told.wait(1)
    assert raised is not None
    took = monotonic() - raised
    recorder.close()
    assert took < WITHIN_S
    seen = times(tmp_path / kept.files[1].name)
    assert len(seen) >= 7
    assert 4.5 < seen[-1] <= 5.7


def test_a_camera_that_is_lost_right_after_an_alert_leaves_a_clip_all_the_same(tmp_path: Path) -> None:
    with bench(tmp_path) as one:
        one.play(0.0, 2.0)
        one.raise_(alert())
        assert not one.told.all
        one.clock.t += 1.6
        (kept,) = one.told.wait(1)
    assert len(kept.files) == 2
    assert times(tmp_path / kept.files[1].name)[-1] == pytest.approx(1.9, abs=0.01)


def test_nothing_is_written_or_reported_before_the_alert_is_stored(tmp_path: Path) -> None:
    with bench(tmp_path) as one:
        one.play(0.0, 1.0)

        def store_slowly(names: Mapping[str, FileNames]) -> None:
            assert [*names] == [alert().id]
            one.play(1.0, 4.0)
            assert not one.told.all
            assert one.recorder.waiting == 0
            assert not (tmp_path / "evidence").exists()

        one.recorder.record([alert()], store_slowly, AT)
        one.told.wait(1)


def test_an_alert_that_could_not_be_stored_leaves_nothing_and_is_recorded_when_it_comes_again(tmp_path: Path) -> None:
    def refuse(_: object) -> None:
        raise OSError(28, os.strerror(28))

    with bench(tmp_path) as one:
        one.play(0.0, 1.0)
        with pytest.raises(OSError, match="No space left"):
            one.recorder.record([alert()], refuse, AT)
        one.clock.t += 9
        assert one.recorder.waiting == 0
        one.play(10.0, 11.0, alert())
        one.clock.t += 9
        one.told.wait(1)
    assert one.told.whole == {"r7-void-c1": [f"{DAY}/r7-void-c1.jpg", f"{DAY}/r7-void-c1.webm"]}


def test_a_slow_box_has_clips_of_fewer_pictures_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[float] = []
    with bench(tmp_path) as one:

        def slow(past: SmallFrame, *rest: object) -> ClipFrame:
            drawn.append(past.t)
            one.clock.t += 0.2
            return draw_clip_frame(past, *rest)  # type: ignore[arg-type]  # as it is called

        monkeypatch.setattr(render, "draw_clip_frame", slow)
        one.play(0.0, 5.0)
        begun = one.clock.t
        one.raise_(alert())
        wait_for(lambda: one.clock.t > begun + 1.5)
        (kept,) = one.told.wait(1)
        assert one.clock.t - begun < WITHIN_S
    assert times(tmp_path / kept.files[1].name) == sorted(round(t - min(drawn), 3) for t in drawn)
    assert len(drawn) < 16
    assert max(drawn) - min(drawn) > 3.0  # of all of the clip, not of its start
    assert drawn != sorted(drawn)


def test_a_box_that_hardly_gets_on_has_a_clip_of_what_is_drawn_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bench(tmp_path) as one:

        def slow(past: SmallFrame, *rest: object) -> ClipFrame:
            one.clock.t += 0.9
            return draw_clip_frame(past, *rest)  # type: ignore[arg-type]  # as it is called

        monkeypatch.setattr(render, "draw_clip_frame", slow)
        one.play(0.0, 5.0)
        begun = one.clock.t
        one.raise_(alert())
        (kept,) = one.told.wait(1)
        assert one.clock.t - begun < 5.0  # the last was begun in time
    assert 1 <= len(times(tmp_path / kept.files[1].name)) <= 5


def test_two_cameras_each_have_their_name_and_the_one_that_sees_the_cards_gives_the_picture(tmp_path: Path) -> None:
    cards = TableView((LyingCard("c18", ((1, 1), (9, 1), (9, 9), (1, 9)), up=True, face="9h", zone=None, sure=0.9),))
    assert "c18" in alert().evidence
    with bench(tmp_path, ("west", "east")) as one:
        for n in range(10):
            one.recorder.frame("west", n / 10, blank(40), TableView())
            one.recorder.frame("east", n / 10, blank(200), cards)
            one.remembered()
        one.raise_(alert(1), replace(alert(2), evidence=()))
        one.clock.t += 9
        kept = one.told.wait(2)
    assert sorted(file.name for one in kept for file in one.files) == [
        f"{DAY}/r7-void-c1@east.jpg",
        f"{DAY}/r7-void-c1@east.webm",
        f"{DAY}/r7-void-c2@west.jpg",
        f"{DAY}/r7-void-c2@west.webm",
    ]
    for name, grey in (("r7-void-c1@east", 200), ("r7-void-c2@west", 40)):
        for suffix in ("jpg", "webm"):
            found, picture = cv2.VideoCapture(str(tmp_path / DAY / f"{name}.{suffix}")).read()
            assert found
            assert abs(float(np.median(picture[:60])) - grey) < 8


def test_a_picture_from_before_the_camera_was_lost_is_no_evidence(tmp_path: Path) -> None:
    with bench(tmp_path, ("west", "east")) as one:
        one.play(0.0, 1.0, camera="west")
        one.clock.t += 4.9
        one.play(20.0, 20.2, camera="east")
        one.raise_(alert(1))  # west is blind by now
        one.clock.t += 5.1
        one.raise_(alert(2))
        one.told.wait(2)
    assert one.told.whole == {"r7-void-c1": [f"{DAY}/r7-void-c1@east.jpg", f"{DAY}/r7-void-c1@east.webm"]}
    gone = [f"{DAY}/r7-void-c2.jpg", f"{DAY}/r7-void-c2.webm"]
    assert one.told.gone == {"r7-void-c2: no camera gave a frame for 5 s": gone}


def test_pictures_of_another_size_do_not_come_into_the_same_clip(tmp_path: Path) -> None:
    with bench(tmp_path) as one:
        one.play(0.0, 1.0)
        one.recorder.frame("", 1.0, blank(200, 120, 160), TableView())
        one.remembered()
        one.raise_(alert())
        one.play(1.1, 1.5)
        one.clock.t += 2
        (kept,) = one.told.wait(1)
    assert times(tmp_path / kept.files[1].name) == [0.0]


def test_what_lay_there_before_the_camera_was_lost_does_not_come_into_a_clip(tmp_path: Path) -> None:
    with bench(tmp_path) as one:
        one.play(0.0, 2.0)
        one.play(60.0, 62.0, alert())
        (kept,) = one.told.wait(1)
    assert times(tmp_path / kept.files[1].name)[-1] == pytest.approx(1.5, abs=0.11)


def test_a_storm_is_bounded_and_what_is_dropped_is_told(tmp_path: Path) -> None:
    bounds = Bounds(clips=3, image_bytes=blank().nbytes * 2)
    with bench(tmp_path, bounds=bounds) as one:
        one.play(0.0, 1.0)
        begun = monotonic()
        one.raise_(*(alert(number) for number in range(50)))
        assert monotonic() - begun < 1.0  # the watching goes on at once
        for t in (1.1, 1.2, 1.3):
            one.recorder.frame("", t, blank(), TableView())
        assert one.recorder.waiting > 0
        one.clock.t += 9
        wait_for(lambda: one.recorder.waiting == 0)
        one.told.wait(50 + 47)
    whole = [len(names) for names in one.told.whole.values()]
    assert (len(whole), whole.count(2)) == (50, 3)  # all share one frame
    assert len([1 for why in one.told.gone if why.endswith(MANY)]) == 47


def test_frames_that_wait_to_be_stills_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def slow(*given: object) -> bytes:
        assert go_on.wait(PATIENCE_S)
        return draw_still(*given)  # type: ignore[arg-type]  # as it is called

    monkeypatch.setattr(render, "draw_still", slow)
    with bench(tmp_path, bounds=Bounds(image_bytes=blank().nbytes * 5)) as one:
        for number in range(20):
            one.recorder.frame("", number / 10, blank(), TableView())
            one.raise_(alert(number))
        go_on.set()
        one.clock.t += 9
        wait_for(lambda: one.recorder.waiting == 0)
    stills = [name for names in one.told.whole.values() for name in names if name.endswith("jpg")]
    assert 5 <= len(stills) <= 5 + recording.DRAWERS
    dropped = [name for names in one.told.gone.values() for name in names if name.endswith("jpg")]
    assert len(dropped) == 20 - len(stills)


def test_advice_has_no_files_and_an_alert_raised_again_those_it_had(tmp_path: Path) -> None:
    found: list[Mapping[str, FileNames]] = []
    with bench(tmp_path) as one:
        one.play(0.0, 1.0)
        one.recorder.record([alert(1, "advise")], found.append, AT)
        one.recorder.record([alert()], found.append, AT)
        one.recorder.record([alert()], found.append, "2026-01-03T00:00:00.000Z")
        one.clock.t += 9
        one.told.wait(1)
    assert len(one.told.all) == 1
    names = {"still": f"{DAY}/r7-void-c1.jpg", "clip": f"{DAY}/r7-void-c1.webm"}
    assert found == [{}, {"r7-void-c1": names}, {"r7-void-c1": names}]


def test_what_lies_there_from_before_a_restart_is_never_written_over(tmp_path: Path) -> None:
    store_file(tmp_path, f"{DAY}/r7-void-c1.webm", b"a film")
    with bench(tmp_path) as one:
        one.play(0.0, 1.0, alert())
        one.clock.t += 9
        (kept,) = one.told.wait(1)
    assert [file.name for file in kept.files] == [f"{DAY}/r7-void-c1~2.jpg", f"{DAY}/r7-void-c1~2.webm"]
    assert (tmp_path / DAY / "r7-void-c1.webm").read_bytes() == b"a film"


def test_where_files_cannot_be_written_that_is_told_and_the_watching_goes_on(tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("in the way")
    with bench(tmp_path) as one:
        one.play(0.0, 1.0, alert())
        one.clock.t += 9
        one.told.wait(1)
        one.play(2.0, 3.0)
    (why,) = one.told.gone
    assert why.startswith("r7-void-c1: cannot be written: ")
    assert len(one.told.gone[why]) == 2


class Full(Retention):
    """A folder in which only so many bytes have retention, until retention is made."""

    def __init__(self) -> None:
        self.made = 0
        self.files: list[StoredFile] = []
        self.why: str | None = None

    def refusal(self) -> str | None:
        return self.why

    def make_room(self) -> None:
        self.made += 1

    def count(self, file: StoredFile) -> None:
        self.files.append(file)


@pytest.mark.parametrize("helps", [True, False])
def test_where_the_disk_is_full_room_is_asked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, helps: bool
) -> None:
    retention = Full()

    def full(folder: Path, name: str, data: bytes) -> StoredFile:
        if name.endswith("webm") and not (helps and retention.made):
            raise OSError(28, os.strerror(28))
        return store_file(folder, name, data)

    monkeypatch.setattr(store, "store_file", full)
    with bench(tmp_path, retention=retention) as one:
        one.play(0.0, 1.0, alert())
        one.clock.t += 9
        one.told.wait(1 if helps else 2)
    assert retention.made == 1
    assert {file.name[-3:] for file in retention.files} == ({"jpg", "ebm"} if helps else {"jpg"})
    assert [*one.told.gone] == ([] if helps else ["r7-void-c1: cannot be written: no space left on device"])


def test_a_full_disk_refuses_pictures_before_they_are_made(tmp_path: Path) -> None:
    retention = Full()
    retention.why = "the disk is full"
    with bench(tmp_path, retention=retention) as one:
        one.play(0.0, 1.0, alert())
        one.told.wait(1)
    assert [*one.told.gone] == ["r7-void-c1: the disk is full"]
    assert not list(tmp_path.iterdir())


def test_an_error_of_ours_is_raised_where_frames_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise KeyError("ours")

    monkeypatch.setattr(render, "draw_still", broken)
    with bench(tmp_path) as one:
        one.play(0.0, 1.0)
        one.raise_(alert())
        wait_for(lambda: one.recorder._error is not None)  # noqa: SLF001  what the next frame finds
        with pytest.raises(KeyError, match="ours"):
            one.recorder.frame("", 2.0, blank(), TableView())


def test_a_moment_that_cannot_be_drawn_costs_the_clip_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> ClipFrame:
        raise cv2.error("no such picture")

    monkeypatch.setattr(render, "draw_clip_frame", broken)
    with bench(tmp_path) as one:
        one.play(0.0, 1.0, alert())
        one.told.wait(2)
    assert one.told.whole == {"r7-void-c1": [f"{DAY}/r7-void-c1.jpg"]}
    assert one.told.gone == {"r7-void-c1: cannot be written: no such picture": [f"{DAY}/r7-void-c1.webm"]}


def test_what_is_open_at_the_end_is_written(tmp_path: Path) -> None:
    with bench(tmp_path) as one:
        one.play(0.0, 1.0)
        one.raise_(alert())
    assert [len(names) for names in one.told.whole.values()] == [2]


def test_a_disk_that_never_answers_holds_nobody_up_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs = threading.Event()

    def hung(folder: Path, name: str, data: bytes) -> StoredFile:
        if name.endswith("webm"):
            assert hangs.wait(PATIENCE_S)
        return store_file(folder, name, data)

    monkeypatch.setattr(store, "store_file", hung)
    with bench(tmp_path, bounds=Bounds(end_s=0.3)) as one:
        one.play(0.0, 1.0, alert())
        wait_for((tmp_path / DAY / "r7-void-c1.jpg").exists)
    hangs.set()
    assert one.told.whole == {"r7-void-c1": [f"{DAY}/r7-void-c1.jpg"]}
    assert one.told.gone == {"r7-void-c1: feltwatch was stopped": [f"{DAY}/r7-void-c1.webm"]}


def test_frames_that_come_faster_than_they_can_be_made_small_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slow(t: float, picture: Pixels, view: TableView) -> SmallFrame:
        assert go_on.wait(PATIENCE_S)
        return shrink(t, picture, view)

    monkeypatch.setattr(render, "shrink", slow)
    with bench(tmp_path) as one:
        for number in range(30):
            one.recorder.frame("", number / 10, blank(), TableView())
        (ring,) = one.recorder._rings.values()  # noqa: SLF001  what it holds back is what memory is
        assert len(ring.waiting) <= QUEUE
        go_on.set()
        one.remembered()
        one.play(3.0, 20.0)
        assert len(ring.frames) <= 42


def test_the_words_on_a_picture_say_where_and_when_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[str] = []

    def noted(past: SmallFrame, its: Alert, raised: float, when: Callable[[float], str]) -> ClipFrame:
        heads.append(when(past.t))
        return draw_clip_frame(past, its, raised, when)

    monkeypatch.setattr(render, "draw_clip_frame", noted)
    with bench(tmp_path) as one:
        one.play(0.0, 2.0)
        one.recorder.frame("", 2.0, blank(), TableView())
        one.remembered()
        one.raise_(alert())
        one.clock.t += 1.6
        one.told.wait(1)
    assert "bj-07   2026-01-02 03:04:05.6 UTC" in heads
    assert min(heads) == "bj-07   2026-01-02 03:04:03.6 UTC"
