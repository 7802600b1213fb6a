"""A write buffer: facts that the journal cannot take wait in memory, in order, until the disk works again.

Meanwhile nothing is published, because messages are read from the journal. Verdicts are never discarded.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final, Protocol

from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.store import Entry, Fact

MOST: Final = 50_000  # facts in memory; where there are more, the least important are discarded
EASE: Final = 0.9  # of these are left after discarding
AGAIN_S: Final = 1.0  # between two retries: a broken disk may be slow to fail
SLICE_S: Final = 0.1  # of writing buffered facts before the analysis has its turn, as long again
LAST_S: Final = 5.0  # for all of them, when the service stops
TICK: Final = '"event":"tick"'

Memory = Mapping[str, bytes]
Add = Callable[[str, Sequence[Fact], Memory | None], list[Entry]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Facts of one moment, which the journal takes together."""

    at: str
    facts: tuple[Fact, ...]
    memory: Memory | None = None  # snapshots to be stored with them


class Disk(Protocol):
    """The disk that the journal is on."""

    def disk_fault(self) -> str | None:
        """Say what is wrong with it, as far as it can be found out."""

    def give_back(self) -> bool:
        """Make a little room, if it can be; tell whether that was done."""


class WriteBuffer:
    """Writes facts to a journal, or buffers them until that is possible. Every method may be called from any thread.

    `trouble` receives one line when the trouble begins and one when it is over. When it begins, the ballast of
    `retention` is deleted to make room.
    """

    def __init__(
        self,
        add: Add,
        trouble: Callable[[str], None],
        disk: Disk | None = None,
        most: int = MOST,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._add, self._trouble, self._disk, self._most, self._now = add, trouble, disk, most, now
        self._batches: deque[Batch] = deque()
        self._lock = threading.RLock()
        self._notices: list[str] = []
        self._since = 0.0  # when the trouble began
        self._next = 0.0  # no retry before
        self._buffered = 0  # facts, since it began
        self._discarded = {"ticks": 0, "events": 0}  # since it began
        self._reported_discard = False
        self._last: Batch | None = None  # the last that was written
        self._doubtful: Batch | None = None  # the last one written before the trouble
        self.waiting = 0  # facts that are only in memory

    @property
    def since(self) -> float | None:
        """Give when the trouble began; None while the journal can be written."""
        with self._lock:
            return self._since if self._batches else None

    def add(self, at: str, facts: Sequence[Fact], memory: Memory | None = None) -> list[Entry]:
        """Write facts, after those that wait; give the entries that reached the disk."""
        with self._lock:
            if facts:
                self._batches.append(Batch(at, tuple(facts), memory))
                self.waiting += len(facts)
                if len(self._batches) > 1:
                    self._buffered += len(facts)
            written = self._write()
            if self.waiting > self._most:
                self._discard()
        self._report()
        return written

    def retry(self) -> list[Entry]:
        """Retry what waits; to be called every second or so."""
        return self.add("", ())

    def finish(self) -> list[Batch]:
        """Retry for the last time, and give what cannot be written: the caller stores it elsewhere, or it is lost.

        The last batch before the trouble comes first: a failing file system may lose what it reported as written. That
        one and the next may be in the journal all the same; those that follow are not.
        """
        with self._lock:
            self._next = self._now()
            self._write(LAST_S)
            left = [*self._batches]
            if left:
                left = [self._doubtful, *left] if self._doubtful else left
                self._notices.append(f"{self.waiting:,} facts could not be written to the journal")
        self._report()
        return left

    def _write(self, seconds: float = SLICE_S) -> list[Entry]:
        """Write what waits, for at most so many seconds."""
        written: list[Entry] = []
        start = self._now()
        troubled = bool(self._buffered)
        if troubled and start < self._next:
            return written
        while self._batches and self._now() - start < seconds:
            batch = self._batches[0]
            try:
                written += self._add(batch.at, batch.facts, batch.memory)
            except (UsageError, OSError, sqlite3.Error) as error:
                if not troubled:
                    troubled = True
                    self._begin(error, len(batch.facts))
                    if self._disk and self._disk.give_back():
                        continue
                self._next = self._now() + AGAIN_S
                return written
            self._last = self._batches.popleft()
            self.waiting -= len(batch.facts)
        self._next = self._now() + SLICE_S
        if troubled and not self._batches:
            self._end()
        return written

    def _begin(self, error: Exception, facts: int) -> None:
        self._since, self._buffered, self._doubtful = self._now(), facts, self._last
        ails = self._disk.disk_fault() if self._disk else None
        self._notices.append(
            f"{error}; new events and verdicts wait in memory and are not published until they are written"
            + (f": {ails}" if ails else "")
        )

    def _end(self) -> None:
        took = self._now() - self._since
        lost = [f"{count:,} {name}" for name, count in self._discarded.items() if count]
        self._notices.append(
            f"the journal can be written again: {self._buffered - sum(self._discarded.values()):,} facts that waited "
            f"up to {took:.0f} s are on disk, in order" + (f"; {' and '.join(lost)} were discarded" if lost else "")
        )
        self._buffered, self._reported_discard = 0, False
        self._discarded = dict.fromkeys(self._discarded, 0)

    def _discard(self) -> None:
        """Discard the oldest ticks, which report that nothing happened; if that is too little, other events."""
        for name, is_minor in (("ticks", _is_tick), ("events", _is_event)):
            over = self.waiting - round(self._most * EASE)
            if over <= 0:
                break
            self._discarded[name] += self._without(is_minor, over)
        if not self._reported_discard:
            self._reported_discard = True
            self._notices.append(
                f"the journal has not been written for {self._now() - self._since:.0f} s and {self._most:,} facts wait "
                "in memory: the oldest ticks are discarded, then other events; verdicts are kept"
            )

    def _without(self, is_minor: Callable[[Fact], bool], over: int) -> int:
        """Discard so many facts of a kind, the oldest first; give how many there were."""
        discarded = 0
        left: deque[Batch] = deque()
        for batch in self._batches:
            facts = []
            for fact in batch.facts:
                if discarded < over and is_minor(fact):
                    discarded += 1
                else:
                    facts.append(fact)
            if facts:
                left.append(Batch(batch.at, tuple(facts), batch.memory))
        self._batches = left
        self.waiting -= discarded
        return discarded

    def _report(self) -> None:
        """Give the notices to `trouble`, without the lock: it may add to the journal."""
        with self._lock:
            notices, self._notices = self._notices, []
        for text in notices:
            self._trouble(text)


def _is_tick(fact: Fact) -> bool:
    return fact.kind == "event" and TICK in fact.body


def _is_event(fact: Fact) -> bool:
    return fact.kind == "event"
