"""Evidence of alerts: the right moment, the right files, the same bytes, and films that play."""

import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import cv2
import numpy as np
import pytest

from feltwatch.datasets.truth import truth_of
from feltwatch.edge.cli.judge import events as read_events
from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.evidence import render
from feltwatch.edge.evidence.clip import REPLAY
from feltwatch.edge.evidence.recorder import AT_ONCE, EvidenceRecorder
from feltwatch.edge.evidence.render import draw_frame
from feltwatch.edge.video.webm import Shot, vp8, webm
from feltwatch.edge.wording import clock, cure
from feltwatch.engine.model.verdicts import Alert, Remedy, Verdict
from feltwatch.engine.table import Table
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.overlay import NAMED
from feltwatch.vision.drawing.view import LyingCard, StandingStack, TableView

CLIPS = Path(__file__).resolve().parents[3] / "datasets" / "clips"
OVERDRAW = "r2-dealer-overdraw-c18"
FPS = 25.0
FIRST = 600  # frame; the alert comes in frame 722
Frame = tuple[float, Pixels, TableView, list[Verdict]]


@cache
def told() -> list[tuple[float, Verdict]]:
    """Give what the engine says of the bundled film, and when."""
    table = Table(read_table(CLIPS / "demo.table.toml").book)
    with (CLIPS / "demo.events.jsonl").open("rb") as stream:
        return [(event.t, verdict) for event in read_events("demo", stream) for verdict in table.apply(event)]


@cache
def views() -> dict[int, TableView]:
    """Give what lies at rest in the bundled film, from the frame on in which it does."""
    found = {}
    for line in (CLIPS / "demo.truth.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if "rest" in row:
            truth = truth_of(row["rest"])
            cards = tuple(LyingCard(c.id, c.quad, c.up, c.face, c.zone, 0.99) for c in truth.cards)
            found[row["frame"]] = TableView(
                cards, tuple(StandingStack(s.spot, s.center, s.radius) for s in truth.stacks)
            )
    return found


def film(first: int, end: int) -> Iterator[Frame]:
    """Give frames of the bundled film with what lies in them and what was said of them."""
    capture = cv2.VideoCapture(str(CLIPS / "demo.mp4"))
    capture.set(cv2.CAP_PROP_POS_FRAMES, first)
    for number in range(first, end):
        there, picture = capture.read()
        assert there
        view = views()[max(at for at in views() if at <= number)]
        said = [verdict for t, verdict in told() if (number - 1) / FPS < t <= number / FPS]
        yield number / FPS, np.asarray(picture, np.uint8), view, said
    capture.release()


def replayer(folder: Path) -> EvidenceRecorder:
    return EvidenceRecorder(folder, lambda _: None, bounds=REPLAY)


def take(
    recorder: EvidenceRecorder, t: float, image: Pixels, view: TableView, verdicts: Sequence[Verdict] = ()
) -> None:
    """Hand over a frame and what came of it."""
    recorder.frame("", t, image, view)
    raise_(recorder, verdicts)


def raise_(recorder: EvidenceRecorder, verdicts: Sequence[Verdict]) -> None:
    recorder.record([verdict for verdict in verdicts if isinstance(verdict, Alert)], lambda _: None)


def record(recorder: EvidenceRecorder, frames: Iterator[Frame]) -> EvidenceRecorder:
    for t, picture, view, said in frames:
        take(recorder, t, picture, view, said)
    return recorder


def resumed(recorder: EvidenceRecorder) -> EvidenceRecorder:
    """Give a recorder that goes on from the checkpoint of another."""
    recorder.settle()
    state = pickle.loads(pickle.dumps(recorder.state()))  # noqa: S301  our own state
    recorder.abandon()
    found = replayer(recorder.folder)
    found.resume(state)
    return found


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    recorder = record(replayer(folder), film(FIRST, 840))
    recorder.finish()
    files = {"still": f"evidence/{OVERDRAW}.jpg", "clip": f"evidence/{OVERDRAW}.webm"}
    assert dict(recorder.names) == {OVERDRAW: files}
    return folder


def blank(colour: int = 90, height: int = 90, width: int = 160) -> Pixels:
    return np.full((height, width, 3), colour, np.uint8)


def overdraw() -> Alert:
    (found,) = (verdict for _, verdict in told() if isinstance(verdict, Alert))
    return found


def small(folder: Path, alert: Alert, seconds: float = 1.0, at: float = 0.5) -> EvidenceRecorder:
    """Watch a small blank film, at ten frames a second, with one alert in it."""
    recorder = replayer(folder)
    for number in range(round(seconds * 10)):
        take(recorder, number / 10, blank(), TableView(), [alert] if number == round(at * 10) else [])
    recorder.finish()
    return recorder


def test_an_alert_leaves_a_still_and_a_clip_and_nothing_half_written(demo: Path) -> None:
    assert sorted(path.name for path in (demo / "evidence").iterdir()) == [f"{OVERDRAW}.jpg", f"{OVERDRAW}.webm"]


def test_the_still_is_the_whole_frame_with_what_the_alert_rests_on_in_bold(demo: Path) -> None:
    still = cv2.imread(str(demo / "evidence" / f"{OVERDRAW}.jpg"))
    assert still is not None
    assert still.shape[1] == 1920
    assert still.shape[0] > 1080
    bold = np.abs(still[:1080].astype(int) - NAMED).max(axis=2) <= 40
    rows, columns = np.nonzero(bold)
    assert len(rows) > 1000
    quads = np.array([card.quad for card in views()[722].cards if card.id in overdraw().evidence])
    (left, top), (right, bottom) = quads.min(axis=(0, 1)) - 8, quads.max(axis=(0, 1)) + 8
    within = (left <= columns) & (columns <= right) & (top <= rows) & (rows <= bottom)
    assert within.mean() > 0.95


def test_the_clip_reaches_from_before_the_alert_to_after_it(demo: Path) -> None:
    capture = cv2.VideoCapture(str(demo / "evidence" / f"{OVERDRAW}.webm"))
    assert capture.isOpened()
    count, times, last = 0, [], None
    while capture.grab():
        times.append(capture.get(cv2.CAP_PROP_POS_MSEC) / 1000)
        last = capture.retrieve()[1]
        count += 1
    assert 80 <= count <= 90
    assert times[0] == 0.0
    assert 6.9 <= times[-1] <= 7.3
    assert last is not None
    assert last.shape[1] == 960
    assert capture.get(cv2.CAP_PROP_FRAME_HEIGHT) == last.shape[0] > 540


def test_two_runs_and_a_resumed_one_leave_the_same_bytes(demo: Path, tmp_path: Path) -> None:
    recorder = resumed(record(replayer(tmp_path), film(FIRST, 700)))
    recorder = resumed(record(recorder, film(700, 770)))
    record(recorder, film(770, 840)).finish()
    for path in (demo / "evidence").iterdir():
        assert (tmp_path / "evidence" / path.name).read_bytes() == path.read_bytes()


def test_the_clip_is_written_while_the_footage_goes_on(tmp_path: Path) -> None:
    recorder = replayer(tmp_path)
    clip = tmp_path / "evidence" / f"{OVERDRAW}.webm"
    number, end = 0, monotonic() + 60
    while not clip.exists() and monotonic() < end:
        take(recorder, number / 10, blank(), TableView(), [overdraw()] if number == 50 else [])
        assert clip.exists() <= (number > 80)
        number += 1
    assert clip.exists()
    recorder.finish()
    assert len(recorder._rings[""].frames) <= 42  # noqa: SLF001  what it holds back is what memory is


@pytest.mark.parametrize(("severity", "kept"), [("void", True), ("stop", True), ("correct", True), ("advise", False)])
def test_advice_leaves_no_evidence(severity: str, tmp_path: Path, *, kept: bool) -> None:
    assert bool(small(tmp_path, replace(overdraw(), severity=severity)).names) == kept
    assert (tmp_path / "evidence").exists() == kept


def test_an_alert_in_the_first_frame_or_of_the_end_has_its_evidence(tmp_path: Path) -> None:
    small(tmp_path / "first", overdraw(), at=0.0)
    recorder = replayer(tmp_path / "end")
    take(recorder, 0.0, blank(), TableView(), [])
    raise_(recorder, [overdraw()])
    recorder.finish()
    for folder in ("first", "end"):
        assert len(list((tmp_path / folder / "evidence").iterdir())) == 2


def test_footage_without_a_frame_leaves_nothing(tmp_path: Path) -> None:
    recorder = replayer(tmp_path)
    raise_(recorder, [overdraw()])
    recorder.finish()
    assert not recorder.names
    assert not list(tmp_path.iterdir())


def slowed(monkeypatch: pytest.MonkeyPatch, wait: Callable[[], object]) -> None:
    drawn = render.draw_clip_frame  # what takes long

    def slow(frame: render.SmallFrame, alert: Alert, raised: float, clock: render.TimeText) -> render.ClipFrame:
        wait()
        return drawn(frame, alert, raised, clock)

    monkeypatch.setattr(render, "draw_clip_frame", slow)


def test_an_alert_never_stops_the_watching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Event()
    slowed(monkeypatch, lambda: go_on.wait(60))
    recorder = replayer(tmp_path)
    for number in range(100):
        take(recorder, number / 10, blank(), TableView(), [overdraw()] if number == 5 else [])
    assert not list(tmp_path.rglob("*.webm"))
    go_on.set()
    recorder.finish()
    assert len(list(tmp_path.rglob("*.webm"))) == 1


def test_clips_that_wait_to_be_drawn_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slowed(monkeypatch, lambda: sleep(0.01))
    recorder = replayer(tmp_path)
    many = [replace(overdraw(), id=str(number)) for number in range(AT_ONCE + 3)]
    for number in range(50):
        take(recorder, number / 10, blank(), TableView(), many if number == 5 else [])
    assert len(list(tmp_path.rglob("*.webm"))) >= 3
    recorder.finish()
    assert len(list(tmp_path.rglob("*.webm"))) == len(many)


def test_a_file_that_cannot_be_written_stops_the_replay_and_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("in the way")
    recorder = replayer(tmp_path)
    take(recorder, 0.0, blank(), TableView(), [overdraw()])
    with pytest.raises(OSError, match=r"File exists|Not a directory") as found:
        recorder.settle()
    assert str(found.value.filename).startswith(str(tmp_path / "evidence"))
    recorder.abandon()


def test_an_alert_said_again_keeps_its_first_evidence(tmp_path: Path) -> None:
    recorder = replayer(tmp_path)
    take(recorder, 0.0, blank(90), TableView(), [overdraw()])
    recorder.settle()
    first = (tmp_path / "evidence" / f"{OVERDRAW}.jpg").read_bytes()
    take(recorder, 0.1, blank(200), TableView(), [overdraw()])
    recorder.finish()
    assert (tmp_path / "evidence" / f"{OVERDRAW}.jpg").read_bytes() == first


@pytest.mark.parametrize("name", ["../../etc/passwd", "r1-late-bet-box3.main/standing1", "..", "", "é" * 300])
def test_no_id_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    recorder = small(tmp_path, replace(overdraw(), id=name))
    for path in recorder.names[name].values():
        assert (tmp_path / path).resolve().parent == tmp_path / "evidence"
        assert (tmp_path / path).is_file()


def test_a_frame_of_the_annotated_video_keeps_its_size() -> None:
    picture = blank(90, 360, 640)
    sheet = draw_frame(picture, replace(views()[722], doubts=("the camera was moved by 14 mm",)), 28.9, ["a note"])
    assert sheet.shape == picture.shape
    assert (picture == 90).all()
    assert (sheet != picture).any()


@pytest.mark.parametrize(
    ("t", "text"), [(0, "0:00.0"), (59.96, "1:00.0"), (28.96, "0:29.0"), (3599.99, "1:00:00.0"), (36610, "10:10:10.0")]
)
def test_times_are_written_as_people_write_them(t: float, text: str) -> None:
    assert clock(t) == text


def shot(t: float, grey: int) -> Shot:
    return Shot(t, cv2.imencode(".webp", blank(grey), [cv2.IMWRITE_WEBP_QUALITY, 50])[1].tobytes())


def test_a_film_shows_each_picture_at_its_own_time(tmp_path: Path) -> None:
    times = [3.0, 3.04, 3.5, 9.0, 15.25]
    path = tmp_path / "film.webm"
    path.write_bytes(webm([shot(t, 40 * n) for n, t in enumerate(times)], (160, 90)))
    capture = cv2.VideoCapture(str(path))
    for number, t in enumerate(times):
        assert capture.grab()
        assert capture.get(cv2.CAP_PROP_POS_MSEC) == pytest.approx(1000 * (t - 3.0), abs=1)
        _, picture = capture.retrieve()
        assert abs(float(picture.mean()) - 40 * number) < 8
    assert not capture.grab()


def test_a_film_of_nothing_is_still_a_file() -> None:
    assert webm([], (2, 2)).startswith(bytes.fromhex("1a45dfa3"))


def test_only_lossy_webp_makes_a_film() -> None:
    lossless = cv2.imencode(".webp", blank(), [cv2.IMWRITE_WEBP_QUALITY, 101])[1].tobytes()
    with pytest.raises(ValueError, match="lossy"):
        vp8(lossless)


def test_a_still_says_how_an_error_is_put_right() -> None:
    remedy = Remedy("discard", "5.10.2", ("continue", "return-bet"), says="Discard the 3 of diamonds.")
    assert cure(remedy) == ("Remedy (5.10.2): Discard the 3 of diamonds. Players choose: continue or return-bet.")
    assert cure(Remedy("void", "5.1")) == "Remedy (5.1): void."
