"""Frames in, table events and verdicts out: what a camera over one table goes through, live or recorded."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from edge.judge import read
from edge.table_cameras import hung
from edge.table_file import TableFile
from edge.views import Joined
from engine.table import Table
from engine.verdicts import Verdict
from vision.eyes import Eyes
from vision.pictures import Picture
from vision.watcher import Watcher

TICK_S: Final = 1.0  # of footage: so often an event says that nothing happened, if nothing did

Tick = Callable[[float], dict[str, object] | None]  # says that nothing happened; None: it cannot be said yet


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


class Judging:
    """Table events in, verdicts out: a round that was already being dealt when watching began is not judged."""

    def __init__(self, table: TableFile) -> None:
        self.table = Table(table.book)
        self.begun = _Begun()

    def judged(self, events: list[dict[str, object]], t: float, tick: Tick) -> Step:
        told: list[dict[str, object]] = []
        verdicts: list[Verdict] = []
        if t // TICK_S > self.begun.last // TICK_S >= 0 and not events:
            ticked = tick(t)
            events = [] if ticked is None else [ticked]
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


class Pipeline(Judging):
    """Watches one table and judges it. It can be pickled; the watcher's eyes are then handed in again."""

    def __init__(self, table: TableFile, size: tuple[int, int], eyes: Eyes) -> None:
        super().__init__(table)
        camera = hung(table.path, table.first, size, table.layout).camera
        self.watcher = Watcher(camera, table.layout, eyes)

    def step(self, t: float, picture: Picture, small: Picture | None = None) -> Step:
        """Take a frame, with its small picture if that was made."""
        return self.judged(self.watcher.step(t, picture, small), t, self.watcher.tick)

    def finish(self) -> Step:
        """Say what is still held when the footage ends."""
        step = self.judged(self.watcher.finish(), self.begun.last, self.watcher.tick)
        return Step(step.events, [*step.verdicts, *self.table.finish()])


class JoinedPipeline(Judging):
    """The same for a table with several cameras."""

    def __init__(self, table: TableFile, sizes: Mapping[str, tuple[int, int]], eyes: Eyes) -> None:
        super().__init__(table)
        self.watcher = Joined(table, sizes, eyes)

    def step(self, camera: str, t: float, picture: Picture, small: Picture | None = None) -> Step:
        """Take a frame of one of the cameras, with its small picture if that was made."""
        return self._said(self.watcher.step(camera, t, picture, small), t)

    def wait(self, t: float) -> Step:
        """Let time pass without a picture: to be called now and then while no camera gives one."""
        return self._said(self.watcher.wait(t), t)

    def finish(self) -> Step:
        """Say what is still held when all footage ends."""
        step = self.judged(self.watcher.finish(), self.begun.last, self.watcher.tick)
        return Step(step.events, [*step.verdicts, *self.table.finish()])

    def _said(self, events: list[dict[str, object]], t: float) -> Step:
        return self.judged(events, max(t, self.begun.last), self.watcher.tick)
