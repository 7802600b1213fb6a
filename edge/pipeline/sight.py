"""What one table's cameras show, judged live: pictures in, what they bring out, from where the journal left off."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from feltwatch.edge.messaging import schema
from feltwatch.edge.pipeline.pipeline import TICK_S
from feltwatch.edge.pipeline.reconciling import Reconciler
from feltwatch.edge.pipeline.table_state import Course
from feltwatch.edge.replay.job import Live
from feltwatch.edge.service.recovery import NAME
from feltwatch.edge.service.round_fold import RoundFold
from feltwatch.engine.model.verdicts import Verdict, encode
from feltwatch.engine.table import Table
from feltwatch.vision.arrays import Pixels

Event = dict[str, object]


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a picture, or of a word from outside."""

    events: Sequence[Event] = ()
    verdicts: Sequence[Verdict] = ()
    rounds: Sequence[schema.Round] = ()  # that are over, whole
    memory: Mapping[str, bytes] | None = None  # what it takes to go on from here, where that is other than before


class Sight:
    """Watches one table and judges it; where something was known before, it goes on from there."""

    def __init__(self, watching: Live, course: Course, fold: RoundFold, *, again: bool) -> None:
        self.watching, self.course, self.fold = watching, course, fold
        self.reconciler = Reconciler(course, course.t) if again else None
        self.t = course.t  # of the last picture

    @property
    def table(self) -> Table:
        return self.course.table

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> Judged:
        """Take a picture of one of the cameras."""
        return self._judged(t, self.watching.step(camera, t, picture, small))

    def wait(self, t: float) -> Judged:
        """Let time pass without a picture."""
        return self._judged(t, self.watching.wait(t))

    def told(self, text: str) -> Judged:
        """Take what somebody told from outside: an event as it is journalled."""
        return self._taken([json.loads(text)])

    def finish(self) -> Judged:
        """Say what is still held when all ends."""
        judged = self._judged(self.t, self.watching.finish())
        last = self.table.finish()
        rounds = self.fold.take([encode(one) for one in last], self.table)
        return replace(judged, verdicts=[*judged.verdicts, *last], rounds=[*judged.rounds, *rounds])

    def _judged(self, t: float, events: list[Event]) -> Judged:
        tick = t // TICK_S > self.t // TICK_S
        self.t = max(t, self.t)
        if self.reconciler is not None and self.reconciler.done:
            events = self.reconciler.take(t, events)
        elif self.reconciler is not None:
            tick, seen = False, self.watching.tick(t) or {}
            events = self.reconciler.take(t, events, {*seen.get("hidden", ())})  # type: ignore[misc]  # a list
        if tick and not events:
            ticked = self.watching.tick(t)
            events = [] if ticked is None else [ticked]
        return self._taken(events)

    def _taken(self, events: list[Event]) -> Judged:
        verdicts: list[Verdict] = []
        rounds: list[schema.Round] = []
        for event in events:
            said = self.course.take(event)
            verdicts += said
            rounds += self.fold.take([encode(one) for one in said], self.table)
        memory = {NAME: self.course.kept()} if self.course.fresh else None
        return Judged(events, verdicts, rounds, memory)
