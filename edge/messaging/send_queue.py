"""In which order a journal goes to a broker, so that what is new is not stuck behind what waited: plain values.

What waited for a connection is the backlog: it goes in order, at no more than its rate. What is new follows it while
the backlog is short (one lane); beside a long one it goes at once, in order too (two lanes). What was acknowledged may
then have holes, and a connection that is lost leaves them behind: the next one begins with whatever is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from feltwatch.edge.journal.store import SeqRange
from feltwatch.edge.messaging.ranges import Ranges

ONE_LANE_S: Final = 30.0  # a backlog that takes longer has a lane of its own
BURST_S: Final = 0.05  # of a backlog that may go at once, for clocks and threads are not that fine


@dataclass(frozen=True, slots=True)
class NextEntry:
    """What goes next."""

    seq: int
    late: bool  # it had to wait for a connection, or for those before it


@dataclass(frozen=True, slots=True)
class Lanes:
    """What one connection has still to send, and all that is not acknowledged."""

    head: int  # the last entry there is
    left: Ranges  # not acknowledged, on its way or not
    late: Ranges  # the backlog that is not on its way yet
    live: Ranges = field(default_factory=Ranges)  # what came since, and is not on its way yet
    two: bool = False

    @classmethod
    def begun(cls, unsent: Sequence[SeqRange], head: int, rate: float) -> "Lanes":
        """Begin a connection: whatever is left is backlog."""
        left = Ranges.upto(unsent, head)
        return cls(head, left, left, two=len(left) > rate * ONE_LANE_S)

    def grown(self, head: int) -> "Lanes":
        """Entries came; what comes now is live."""
        if head <= self.head:
            return self
        new = Ranges(((self.head + 1, head),))
        return replace(self, head=head, left=self.left | new, live=self.live | new)

    def due(self, *, late_may: bool) -> NextEntry | None:
        """Give what goes next; the backlog goes only when it may."""
        if self.live.first is not None and (self.two or not self.late):
            return NextEntry(self.live.first, late=False)
        if self.late.first is not None and late_may:
            return NextEntry(self.late.first, late=True)
        return None

    def gone(self, seq: int) -> "Lanes":
        """It is on its way."""
        return replace(self, late=self.late.without(seq), live=self.live.without(seq))

    def acknowledged(self, seqs: Ranges) -> "Lanes":
        return replace(self, left=self.left - seqs)

    def forgotten(self, seqs: Ranges) -> "Lanes":
        """The journal has them no more: they cannot be sent."""
        return Lanes(self.head, self.left - seqs, self.late - seqs, self.live - seqs, two=self.two)

    def widened(self) -> "Lanes":
        """What is new has waited for too long: it gets a lane; had it one, then what waits in it is backlog by now."""
        if self.late and not self.two:
            return replace(self, two=True)
        return replace(self, late=self.late | self.live, live=Ranges(), two=True)


@dataclass(frozen=True, slots=True)
class Pace:
    """So many a second, counted from when they last ran dry."""

    rate: float
    from_s: float
    gone: int = 0

    def may(self, now: float) -> bool:
        return self.gone < self._allowed(now)

    def _allowed(self, now: float) -> float:
        return 1.0 + (now - self.from_s) * self.rate

    def next_s(self, now: float) -> float:
        """Give the seconds until the next may go."""
        return max(0.0, self.from_s + self.gone / self.rate - now)

    def went(self, now: float) -> "Pace":
        """One went. Time in which nothing could go is not made up for."""
        behind = self._allowed(now) - self.gone - max(1.0, self.rate * BURST_S)
        return replace(self, from_s=self.from_s + max(0.0, behind) / self.rate, gone=self.gone + 1)
