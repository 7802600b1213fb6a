"""The same film through `run` and `replay`: the same events, and the same verdicts, whatever happens to a camera.

The service is the real one, with its journal, its evidence and the networks that ship. Its clock is that of the film:
the next frame comes when the one before was taken, so that none is dropped however slow the machine is.
"""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from feltwatch.edge.camera.feed import Feed, FrameSink, LiveFrame
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.journal.store import entries
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.replay.film import merged, replay_film
from feltwatch.edge.replay.job import ReplayOrder
from feltwatch.edge.service import open_table as opening
from feltwatch.edge.service.open_table import SessionConfig, open_table
from feltwatch.edge.service.session import TableSession
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import open_video
from feltwatch.vision.arrays import Pixels
from tests.edge.pipeline.two_cameras import two
from tests.film_frames import CLIP, TABLE
from tests.film_watched import SECOND, eyes
from tests.mosquitto import Mosquitto

UNTIL = 31.5  # the second round is over but for its payment
HOLE = (24.0, 26.0)  # cards are dealt
ASIDE = 100.0  # pixels by which a camera is knocked

Change = Callable[[float, Pixels], Pixels | None]  # what becomes of a frame


class Remembered(Networks):
    """The networks that ship; what one way of watching asked them, the other need not ask again."""

    eyes = eyes()


@dataclass
class Projector:
    """Plays films as cameras do, in step with who watches them."""

    films: Mapping[str, Path]
    t: float = 0.0
    turn: threading.Condition = field(default_factory=threading.Condition)
    due: str | None = None  # the camera whose frame comes next
    over: bool = False

    def play(self) -> "Projector":
        threading.Thread(target=self._play, daemon=True).start()
        return self

    def _play(self) -> None:
        with ExitStack() as stack:
            frames = {
                name: iter(stack.enter_context(Decoding(open_video(path), small=True)))
                for name, path in self.films.items()
            }
            for camera, frame in merged(frames):
                assert frame.small is not None
                with self.turn:
                    self.turn.wait_for(lambda: self.due is None)
                    self.t = frame.t
                    self.shot = LiveFrame(frame.t, frame.t, frame.picture, frame.small)
                    self.due = camera
                    self.turn.notify_all()
        with self.turn:
            self.turn.wait_for(lambda: self.due is None)
            self.over = True
            self.turn.notify_all()

    def taken(self) -> None:
        with self.turn:
            self.due = None
            self.turn.notify_all()

    def read(self, camera: str, sink: Feed, stop: threading.Event) -> None:
        """Be a camera."""
        while not stop.is_set():
            with self.turn:
                self.turn.wait_for(lambda: self.over or self.due == camera, 1.0)
                if self.over:
                    return
                if self.due != camera:
                    continue
                self.due = "on its way"
                shot = self.shot
            refused = sink.refused
            sink.put(shot)
            if sink.refused > refused:
                self.taken()


@dataclass(frozen=True)
class Played:
    """One camera's film, as a source of the service."""

    projector: Projector
    camera: str

    def read(self, sink: FrameSink, stop: threading.Event) -> None:
        assert isinstance(sink, Feed)
        self.projector.read(self.camera, sink, stop)


def ran(table: TableFile, films: Mapping[str, Path], folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the events and verdicts that the service journals."""
    projector = Projector(films)

    class Stepped(Feed):
        def take(self, wait_s: float) -> LiveFrame | None:
            shot = super().take(wait_s)
            if shot is not None:
                projector.taken()
            return shot

    names = iter([camera.name for camera in table.cameras])
    monkeypatch.setattr(opening, "open_source", lambda *_, **__: Played(projector, next(names)))
    monkeypatch.setattr(opening, "Feed", Stepped)
    journal = folder / "run" / "demo.journal"
    journal.parent.mkdir()
    with Mosquitto(folder) as broker, ExitStack() as stack:
        file = folder / "broker.toml"
        file.write_text(f'{TABLE.read_text("utf-8")}\n[mqtt]\nurl = "mqtt://127.0.0.1:{broker.port}"\n', "utf-8")
        mqtt = read_table(file).mqtt
        assert mqtt is not None
        projector.play()
        opened = open_table(SessionConfig(table, journal, mqtt), stack, lambda: projector.t)
        TableSession(opened, Remembered("cpu", 2)).run(lambda: False)
    return [entry.body for entry in entries(journal) if entry.kind in ("event", "verdict")]


def replayed(
    table: Path, films: Mapping[str, Path], folder: Path, monkeypatch: pytest.MonkeyPatch, cameras: TableFile
) -> list[str]:
    """Give the lines that a replay writes."""
    monkeypatch.setattr("feltwatch.edge.replay.film.read_table", lambda _: cameras)
    first, *others = films.values()
    order = ReplayOrder(first, table, folder / "replay", others=tuple(others))
    replay_film(order, Remembered("cpu", 2), lambda _: None, lambda: False)
    return [
        line
        for name in ("events", "verdicts")
        for line in (folder / "replay" / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]


def filmed(path: Path, change: Change) -> Path:
    """Film the second round of the bundled video again, so changed."""
    with av.open(str(path), "w") as container, Decoding(open_video(CLIP), SECOND) as frames:
        stream = container.add_stream("libx264", rate=25, options={"preset": "ultrafast", "crf": "18"})
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
        start: float | None = None
        for frame in frames:
            start = frame.t if start is None else start
            if frame.t > UNTIL:
                break
            picture = change(frame.t, frame.picture)
            if picture is not None:
                image = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="bgr24")
                image.pts, image.time_base = round((frame.t - start) * 1000), Fraction(1, 1000)
                container.mux(stream.encode(image))
        container.mux(stream.encode())
    return path


def whole(_: float, picture: Pixels) -> Pixels:
    return picture


def hole(t: float, picture: Pixels) -> Pixels | None:
    return None if HOLE[0] <= t < HOLE[1] else picture


def knocked(t: float, picture: Pixels) -> Pixels:
    if not HOLE[0] <= t < HOLE[1]:
        return picture
    aside = np.array([[1.0, 0.0, ASIDE], [0.0, 1.0, 0.0]])
    size = (picture.shape[1], picture.shape[0])
    return np.asarray(cv2.warpAffine(picture, aside, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


CASES = {
    "whole": (whole, ("camera",)),
    "a hole of 2 s": (hole, ("camera",)),
    "a knocked camera": (knocked, ("camera",)),
    "two cameras": (whole, ("left", "right")),
}


@pytest.mark.parametrize("case", CASES)
def test_run_and_replay_report_the_same(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change, names = CASES[case]
    film = filmed(tmp_path / "film.mp4", change)
    table = read_table(TABLE) if len(names) == 1 else two(read_table(TABLE))
    films = dict.fromkeys(names, film)
    recorded = [json.loads(line) for line in replayed(TABLE, films, tmp_path, monkeypatch, table)]
    live = [json.loads(line) for line in ran(table, films, tmp_path, monkeypatch)]
    for kind in ("event", "verdict"):
        assert [one for one in live if kind in one] == [one for one in recorded if kind in one]
    assert sum(one.get("event") == "card" for one in recorded) >= 8
    gaps = [one for one in recorded if one.get("event") == "gap"]
    assert bool(gaps) == (change is not whole)
    alerts = {one["code"] for one in recorded if one.get("verdict") == "alert"}
    assert alerts <= {"dealer-overdraw"}
    assert alerts or change is not whole
