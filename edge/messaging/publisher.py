"""What goes over one connection: a journal's entries by their lanes, and what is always current beside them."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final, Protocol

from feltwatch.edge.journal.store import ChainHead, Entry, SeqRange
from feltwatch.edge.messaging.mqtt import LOOK_S, Link, Outgoing
from feltwatch.edge.messaging.ranges import Ranges
from feltwatch.edge.messaging.send_queue import Lanes, NextEntry, Pace

AHEAD: Final = 64  # entries that are read in one go
KEEP_S: Final = 0.2  # between two notes of what was acknowledged
LAG_S: Final = 30.0  # what is new waits no longer than that without a lane


class Entries(Protocol):
    """A journal, as far as sending needs it."""

    head: ChainHead

    def read(self, after: int, most: int) -> list[Entry]: ...
    def wait(self, after: int, timeout_s: float) -> int: ...
    def unsent(self) -> list[SeqRange]: ...
    def sent(self, left: Sequence[SeqRange]) -> None: ...


class _Pages:
    """Entries in the order of a lane, read some at a time."""

    def __init__(self, journal: Entries) -> None:
        self._journal = journal
        self._page: dict[int, Entry] = {}

    def entry(self, seq: int) -> Entry | None:
        if seq not in self._page:
            self._page = {entry.seq: entry for entry in self._journal.read(seq - 1, AHEAD)}
        return self._page.get(seq)

    @property
    def first(self) -> int | None:
        return min(self._page, default=None)


class Sending:
    """One connection's sending; what is left outlives it."""

    def __init__(
        self,
        journal: Entries,
        link: Link,
        lanes: Lanes,
        encode: Callable[[Entry], Outgoing],
        say: Callable[[str], None],
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.lanes = lanes
        self.count = 0  # entries that were acknowledged
        self._journal, self._link, self._encode, self._say, self._now = journal, link, encode, say, now
        self._pace = Pace(link.broker.rate, now())
        self._flying: dict[int, NextEntry] = {}
        self._pages = {True: _Pages(journal), False: _Pages(journal)}
        self._calm = self._kept = now()
        self._noted = self._left()

    def hear(self) -> None:
        """Take what was acknowledged, and see what is new."""
        seqs = []
        while self._link.acknowledged:
            due = self._flying.pop(self._link.acknowledged.popleft(), None)
            if due is not None:
                seqs.append(due.seq)
        if seqs:
            self.count += len(seqs)
            self.lanes = self.lanes.acknowledged(Ranges.of((seq, seq) for seq in seqs))
        self.lanes = self.lanes.grown(self._journal.head.seq)

    def fill(self, states: Callable[[], Outgoing | None]) -> None:
        """Send as much as may be on its way; what is always current first, for there is little of it."""
        now, link = self._now(), self._link
        while link.flying < link.window and not link.clogged:
            state = states()
            if state is not None:
                link.publish(state)
                continue
            due = self.lanes.due(late_may=self._pace.may(now) and self._late_room())
            if due is None:
                break
            self._send(due, now)
        self._mind(now)

    def _late_room(self) -> bool:
        """True if more of a backlog may be on its way: beside it there is always room for what is new."""
        most = max(1, self._link.window * 3 // 4) if self.lanes.two else self._link.window
        return sum(due.late for due in self._flying.values()) < most

    def _send(self, due: NextEntry, now: float) -> None:
        page = self._pages[due.late]
        entry = page.entry(due.seq)
        if entry is None:
            last = self.lanes.head if page.first is None else page.first - 1
            self._say(f"entries {due.seq} to {last} are not in the journal any more, and were not acknowledged before")
            self.lanes = self.lanes.forgotten(Ranges(((due.seq, last),)))
            return
        self.lanes = self.lanes.gone(due.seq)
        message = self._encode(entry)
        if not self._link.takes(message):
            self._say(f"entry {due.seq} is larger than the {self._link.largest} bytes that the broker takes; it waits")
            return
        self._flying[self._link.publish(message, late=due.late)] = due
        if due.late:
            self._pace = self._pace.went(now)

    def _mind(self, now: float) -> None:
        """See to it that what is new does not wait for long."""
        if not self.lanes.live:
            self._calm = now
        elif now - self._calm > LAG_S:
            self.lanes, self._calm = self.lanes.widened(), now

    def wait_s(self) -> float:
        """Give the time for which there is nothing to do unless something comes."""
        now, wait = self._now(), LOOK_S
        if self._noted != self._left():
            wait = min(wait, self._kept + KEEP_S - now)
        if self.lanes.late and self._late_room() and not self._link.clogged:
            wait = min(wait, max(0.001, self._pace.next_s(now)))
        return max(0.0, wait)

    def keep(self, *, at_once: bool = False) -> None:
        """Note in the journal what is left; not for each message."""
        now = self._now()
        left = self._left()
        if self._noted != left and (at_once or now - self._kept >= KEEP_S):
            self._journal.sent(left)
            self._noted, self._kept = left, now

    def _left(self) -> list[SeqRange]:
        return self.lanes.left.unsent(self.lanes.head)
