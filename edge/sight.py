"""What one table's cameras show, judged live: pictures in, what they bring out, from where the journal left off."""

import json

from edge.course import Course
from edge.pipeline import TICK_S, Step
from edge.reconciling import Reconciler
from edge.recovery import NAME
from edge.replay_state import Live
from engine.table import Table
from engine.verdicts import Verdict
from vision.pictures import Picture

Event = dict[str, object]


class Sight:
    """Watches one table and judges it; where something was known before, it goes on from there."""

    def __init__(self, watching: Live, course: Course, *, again: bool) -> None:
        self.watching, self.course = watching, course
        self.reconciler = Reconciler(course) if again else None
        self.t = course.t  # of the last picture

    @property
    def table(self) -> Table:
        return self.course.table

    def step(self, camera: str, t: float, picture: Picture, small: Picture) -> Step:
        """Take a picture of one of the cameras."""
        return self._judged(t, self.watching.step(camera, t, picture, small))

    def wait(self, t: float) -> Step:
        """Let time pass without a picture."""
        return self._judged(t, self.watching.wait(t))

    def told(self, text: str) -> Step:
        """Take what somebody told from outside: an event as it is journalled."""
        event = json.loads(text)
        return Step([event], self.course.take(event))

    def finish(self) -> Step:
        """Say what is still held when all ends."""
        step = self._judged(self.t, self.watching.finish())
        return Step(step.events, [*step.verdicts, *self.table.finish()])

    def memory(self) -> dict[str, bytes] | None:
        """Give what it takes to go on from here, where it is more than was asked for last."""
        return {NAME: self.course.kept()} if self.course.fresh else None

    def _judged(self, t: float, events: list[Event]) -> Step:
        tick = t // TICK_S > self.t // TICK_S
        self.t = max(t, self.t)
        if self.reconciler is not None:
            waits = not self.reconciler.done
            events = self.reconciler.take(t, events)
            tick = tick and not waits
        if tick and not events:
            events = [self.watching.tick(t)]
        verdicts: list[Verdict] = []
        for event in events:
            verdicts += self.course.take(event)
        return Step(events, verdicts)
