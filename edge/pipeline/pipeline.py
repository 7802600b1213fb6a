"""Frames in, table events and verdicts out: what a camera over one table goes through, live or recorded."""

import json
from dataclasses import dataclass
from typing import Final

from feltwatch.edge.cli.judge import read
from feltwatch.edge.config.camera_parts import fit_camera
from feltwatch.edge.config.table_file import TableFile
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.engine.table import Table
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.still_reader import Eyes
from feltwatch.vision.table_watcher import Watcher

TICK_S: Final = 1.0  # of footage: so often an event says that nothing happened, if nothing did


@dataclass(frozen=True, slots=True)
class Step:
    """What one frame brought."""

    events: list[dict[str, object]]
    verdicts: list[Verdict]


@dataclass(slots=True)
class _Begun:
    """Whether rounds are judged yet: from when the layout was first seen clear of cards."""

    rounds: bool = True
    last: float = -1.0  # the time of the last frame


class Pipeline:
    """Watches one table and judges it. It can be pickled; the watcher's eyes are then handed in again."""

    def __init__(self, table: TableFile, size: tuple[int, int], eyes: Eyes) -> None:
        camera = fit_camera(table.path, table.first, size, table.layout).camera
        self.watcher = Watcher(camera, table.layout, eyes)
        self.table = Table(table.book)
        self.begun = _Begun()

    def step(self, t: float, picture: Pixels, small: Pixels | None = None) -> Step:
        """Take a frame, with its small picture if that was made."""
        return self._judged(self.watcher.step(t, picture, small), t)

    def finish(self) -> Step:
        """Say what is still held when the footage ends."""
        step = self._judged(self.watcher.finish(), self.begun.last)
        return Step(step.events, [*step.verdicts, *self.table.finish()])

    def _judged(self, events: list[dict[str, object]], t: float) -> Step:
        """Judge what was seen; a round that was already being dealt when watching began is not judged."""
        told: list[dict[str, object]] = []
        verdicts: list[Verdict] = []
        if t // TICK_S > self.begun.last // TICK_S >= 0 and not events:
            events = [self.watcher.tick(t)]
        self.begun.last = t
        for event in events:
            told.append(event)
            if event.get("found"):
                self.begun.rounds = False
            if self.begun.rounds:
                verdicts += self.table.apply(read(json.dumps(event).encode()))
            elif event["event"] == "clear":
                self.begun.rounds = True
        return Step(told, verdicts)
