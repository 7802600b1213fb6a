"""`feltwatch demo`: the bundled video replayed like any footage, shown live and over MQTT; its report."""

import argparse
import os
import shutil
import sys
from importlib.resources import as_file, files
from math import inf
from pathlib import Path

from feltwatch.edge.browser import show
from feltwatch.edge.cli.demo_mqtt import Airing
from feltwatch.edge.cli.terminal_view import Commentary
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.edge.replay.film import replay_film
from feltwatch.edge.replay.job import ReplayOrder
from feltwatch.edge.replay.output import part_of
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.still_reader import StillReader

FOLDER = Path("feltwatch-demo")
CLIP = "demo"  # two rounds filmed on a simulated table; in the second the dealer errs


def demo(options: argparse.Namespace) -> int:
    """Replay the bundled video into a folder here, and open its report."""
    del options
    clips = files("feltwatch.datasets").joinpath("clips")
    with as_file(clips.joinpath(f"{CLIP}.mp4")) as film, as_file(clips.joinpath(f"{CLIP}.table.toml")) as table:
        _say(f"Watching {film} as a camera above the table would")
        with Airing(read_table(table)) as airing:
            networks = _TellingNetworks(airing)
            order = ReplayOrder(film, table, FOLDER, force=True, threads=networks.threads, keep_s=inf)
            try:
                result = replay_film(order, networks, lambda _: None, lambda: False)
            except KeyboardInterrupt:
                shutil.rmtree(part_of(FOLDER), ignore_errors=True)
                raise
            _say("", *airing.summary())
    report = result.folder.resolve() / "report.html"
    _say("", f"The report: {report}")
    show(report.as_uri())
    return 0


class _TellingNetworks(Networks):
    """Opens the pipeline of every replay, and has it tell what it sees."""

    def __init__(self, airing: Airing) -> None:
        super().__init__("cpu", len(os.sched_getaffinity(0)))
        self.airing = airing

    def pipeline(self, table: TableFile, state: TableState | None = None) -> TablePipeline:
        return _NarratedPipeline(table, self.eyes, state, self.airing)


class _NarratedPipeline(TablePipeline):
    def __init__(self, table: TableFile, eyes: StillReader, state: TableState | None, airing: Airing) -> None:
        super().__init__(table, eyes, state)
        self.airing = airing
        self.comment = Commentary(self, "The bundled video", sys.stdout)

    def __getstate__(self) -> dict[str, object]:
        """A demo is never resumed: leave out what cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if name not in ("airing", "comment")}

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels | None = None) -> StepResult:
        return self._narrate(super().step(camera, t, picture, small))

    def finish(self) -> StepResult:
        return self._narrate(super().finish())

    def _narrate(self, step: StepResult) -> StepResult:
        self.comment(step)
        self.airing.tell(step, self.table)
        return step


def _say(*lines: str) -> None:
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()
