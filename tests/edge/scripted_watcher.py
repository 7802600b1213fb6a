"""A watcher that looks at nothing: it tells the bundled video's own events when their time has come."""

import json
import os
import re
import resource
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol

import av
import numpy as np

from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.camera_fusion import CameraFusion
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.edge.replay.run import open_networks, replay
from feltwatch.engine.model import events
from feltwatch.models.shipped.registry import model
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.still_reader import StillReader
from feltwatch.vision.drawing.view import LyingCard, TableView
from tests.json_events import Event, typed

CLIPS = Path(__file__).parents[2] / "datasets" / "clips"
SIZE = (320, 180)
BLIND = StillReader(None, None, SimpleNamespace(classes=model("reader").classes), {})  # type: ignore[arg-type]  # unused


class Script(Protocol):
    """What a test has the cameras of a table report."""

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[Event]: ...

    def finish(self) -> list[Event]: ...

    def view(self, camera: str) -> TableView: ...

    def doubts(self) -> tuple[str, ...]: ...


class Scripted(CameraFusion):
    """Cameras that look at nothing: a script says what they report."""

    def __init__(self, table: TableFile, script: Script) -> None:
        super().__init__(table, BLIND)
        self.script = script

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels | None = None) -> list[events.Event]:
        assert small is not None  # made where frames are taken
        return [*map(typed, self.script.step(camera, t, picture, small))]

    def tick(self, t: float) -> events.Tick:
        return events.Tick(t)

    def finish(self) -> list[events.Event]:
        return [*map(typed, self.script.finish())]

    def blind(self, camera: str, t: float) -> None:
        """It sees whatever happens."""

    def view(self, camera: str) -> TableView:
        return self.script.view(camera)

    def doubts(self) -> tuple[str, ...]:
        return self.script.doubts()


class ScriptedNetworks(Networks):
    """Begins to watch tables with scripts in place of networks."""

    modules = (Scripted.__module__,)

    def __init__(self) -> None:
        self.models = {"detector": "none", "reader": "none"}
        self.eyes = BLIND

    def watching(self, table: TableFile) -> Script:
        """Give the script of a table."""
        raise NotImplementedError

    def pipeline(self, table: TableFile, state: TableState | None = None) -> TablePipeline:
        found = TablePipeline(table, BLIND, state)
        found.fusion = Scripted(table, self.watching(table))
        return found


@dataclass
class Recorded:
    """Gives the events up to a time."""

    waiting: list[str]
    deaths: Path | None = None  # a folder; at frame n comes the signal that a file n names, which is gone then
    at: float = 0.0
    frames: int = 0

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[Event]:
        del camera, small
        assert picture.shape == (SIZE[1], SIZE[0], 3)
        self.at = t
        self.frames += 1
        if self.deaths is not None:
            _signal(self.deaths / str(self.frames))
        due: list[Event] = []
        while self.waiting and json.loads(self.waiting[0])["t"] <= t:
            due.append(json.loads(self.waiting.pop(0)))
        return due

    def finish(self) -> list[Event]:
        if self.deaths is not None and (self.deaths / "ledger").exists():
            with (self.deaths / "ledger").open("a") as ledger:
                ledger.write("finished\n")
        return [json.loads(line) for line in self.waiting]

    def doubts(self) -> tuple[str, ...]:
        return ("the light changed",) if 5 < self.at < 6 else ()

    def view(self, camera: str) -> TableView:
        del camera
        x = 100 + 10 * (self.at % 3)
        card = LyingCard("c1", ((x, 50), (x + 20, 50), (x + 20, 80), (x, 80)), up=True, face="9h", zone=None, sure=0.9)
        return TableView((card,), doubts=self.doubts())


def _signal(note: Path) -> None:
    """Send this process the signal of a note; of several processes only one gets it."""
    mine = note.with_suffix(f".{os.getpid()}")
    with suppress(FileNotFoundError):
        note.rename(mine)
        text = mine.read_text()
        mine.unlink()
        if text == "parent":
            os.kill(os.getppid(), signal.SIGTERM)
        elif text.isdigit():
            os.kill(os.getpid(), int(text))
        else:  # a pipe: say who this is, and wait for whatever comes
            Path(text).write_text(str(os.getpid()))
            Path(text).read_text()


class RecordedNetworks(ScriptedNetworks):
    """Begins to watch tables with such a script."""

    def __init__(self, deaths: Path | None = None) -> None:
        super().__init__()
        self.deaths = deaths

    def watching(self, table: TableFile) -> Recorded:
        del table
        lines = (CLIPS / "demo.events.jsonl").read_text("utf-8").splitlines()
        return Recorded(lines, self.deaths)

    def resume(self, pipeline: TablePipeline, table: TableFile) -> None:
        super().resume(pipeline, table)
        assert isinstance(pipeline.fusion, Scripted)
        assert isinstance(pipeline.fusion.script, Recorded)
        pipeline.fusion.script.deaths = self.deaths


def open_recorded(provider: str, threads: int) -> RecordedNetworks:
    del provider, threads
    deaths = os.environ.get("DEATHS")
    return RecordedNetworks(Path(deaths) if deaths else None)


def write_table(path: Path) -> Path:
    """Write the bundled table's file for pictures of SIZE."""
    factor = SIZE[0] / 1920

    def smaller(found: re.Match[str]) -> str:
        numbers = ", ".join(str(round(float(number) * factor, 4)) for number in found[2].split(","))
        return f"{found[1]} = [{numbers}]"

    text = (CLIPS / "demo.table.toml").read_text("utf-8")
    path.write_text(re.sub(r"(image|camera_matrix) = \[(.*?)\]", smaller, text), "utf-8")
    return path


def write_video(path: Path, times: Iterable[float], size: tuple[int, int] = SIZE, codec: str = "libx264") -> Path:
    """Write a film of a square that goes its way, with these times in seconds."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = *size, "yuv420p", 12
        stream.codec_context.time_base = stream.time_base = Fraction(1, 1000)
        for number, t in enumerate(times):
            picture = np.full((size[1], size[0], 3), 90, np.uint8)
            at = number * 3 % (size[0] - 20)
            picture[20:40, at : at + 20] = (40, 200, 250)
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = round(t * 1000), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def die_at(count: int, folder: str) -> None:
    """Die of the nth file that is opened, renamed or removed in a folder, as of a power cut."""
    seen = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir") and folder in str(arguments[0]):
            seen += 1
            if seen == count:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def main(arguments: list[str], *, seeing: bool = False) -> int:
    """Be `feltwatch replay` with this watcher, or its own; with --die N FOLDER or --bytes N before, one in trouble."""
    if arguments[:1] == ["--die"]:
        die_at(int(arguments[1]), arguments[2])
        arguments = arguments[3:]
    if arguments[:1] == ["--bytes"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(arguments[1]), resource.RLIM_INFINITY))
        arguments = arguments[2:]
    try:
        return replay(
            command_parser().parse_args(["replay", *arguments]), open_networks if seeing else open_recorded, keep_s=0.02
        )
    except UsageError as error:
        sys.stderr.write(f"feltwatch: {error}\n")
        return 2


if __name__ == "__main__":
    from tests.edge import scripted_watcher  # so that the classes are those of the module, and a checkpoint can be read

    sys.exit(scripted_watcher.main(sys.argv[1:]))
