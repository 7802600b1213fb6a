"""What should be in the journal and cannot be: held in memory, in order, until the disk takes it.

Nothing is published meanwhile, for what is published is read from the journal. No verdict is ever let go.
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

MOST: Final = 50_000  # facts in memory; where there are more, those that say least are let go
EASE: Final = 0.9  # down to which part of these
AGAIN_S: Final = 1.0  # between two tries: a broken disk may take long to say no
SLICE_S: Final = 0.1  # for what waited, at a time, and as long again for the watching
LAST_S: Final = 5.0  # for all of it, at the end
TICK: Final = '"event":"tick"'

Memory = Mapping[str, bytes]
Add = Callable[[str, Sequence[Fact], Memory | None], list[Entry]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Facts of one moment, which come into the journal together."""

    at: str
    facts: tuple[Fact, ...]
    memory: Memory | None = None  # what is to be remembered with them


class Disk(Protocol):
    """The disk that the journal is on."""

    def disk_fault(self) -> str | None:
        """Say what is wrong with it, as far as it can be found out."""

    def give_back(self) -> bool:
        """Make a little room, if it can be; tell whether that was done."""


class Holding:
    """Writes facts into a journal, or holds them until they can be written; all of it from any thread.

    `trouble` hears in one line what is wrong, and when it is over. The disk is asked once, when that begins, to make a
    little room.
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
        self._says: list[str] = []
        self._since = 0.0  # when the trouble began
        self._next = 0.0  # no try before
        self._held = 0  # facts, since it began
        self._gone = {"ticks": 0, "events": 0}  # let go since it began
        self._told_gone = False
        self._last: Batch | None = None  # that was written
        self._doubtful: Batch | None = None  # the last before the trouble
        self.waiting = 0  # facts that are in memory alone

    @property
    def since(self) -> float | None:
        """Give when the trouble began, if there is any."""
        with self._lock:
            return self._since if self._batches else None

    def add(self, at: str, facts: Sequence[Fact], memory: Memory | None = None) -> list[Entry]:
        """Write facts, after those that wait; give what is on disk now and was not before."""
        with self._lock:
            if facts:
                self._batches.append(Batch(at, tuple(facts), memory))
                self.waiting += len(facts)
                if len(self._batches) > 1:
                    self._held += len(facts)
            written = self._write()
            if self.waiting > self._most:
                self._let_go()
        self._tell()
        return written

    def again(self) -> list[Entry]:
        """Try again where something waits; to be called every second or so."""
        return self.add("", ())

    def finish(self) -> list[Batch]:
        """Try for the last time, and give what cannot be written: it is to be kept in some other way, or lost.

        What was written last before the trouble comes first: a file system that fails may take back what it said was on
        disk. That and what was to be written next may be in the journal all the same; what follows is not.
        """
        with self._lock:
            self._next = self._now()
            self._write(LAST_S)
            left = [*self._batches]
            if left:
                left = [self._doubtful, *left] if self._doubtful else left
                self._says.append(f"{self.waiting:,} facts could not be written into the journal")
        self._tell()
        return left

    def _write(self, seconds: float = SLICE_S) -> list[Entry]:
        """Write what waits, for no longer than so many seconds."""
        written: list[Entry] = []
        start = self._now()
        troubled = bool(self._held)
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
        self._since, self._held, self._doubtful = self._now(), facts, self._last
        ails = self._disk.disk_fault() if self._disk else None
        self._says.append(
            f"{error}; what happens now waits in memory and is not published until it is written"
            + (f": {ails}" if ails else "")
        )

    def _end(self) -> None:
        took = self._now() - self._since
        lost = [f"{count:,} {name}" for name, count in self._gone.items() if count]
        self._says.append(
            f"the journal is written again: {self._held - sum(self._gone.values()):,} facts that waited up to "
            f"{took:.0f} s are on disk, in order" + (f"; {' and '.join(lost)} were let go" if lost else "")
        )
        self._held, self._told_gone = 0, False
        self._gone = dict.fromkeys(self._gone, 0)

    def _let_go(self) -> None:
        """Let go of the oldest ticks, which say that nothing happened; where that is not enough, of other events."""
        for name, says_least in (("ticks", _is_tick), ("events", _is_event)):
            over = self.waiting - round(self._most * EASE)
            if over <= 0:
                break
            self._gone[name] += self._without(says_least, over)
        if not self._told_gone:
            self._told_gone = True
            self._says.append(
                f"the journal has not been written for {self._now() - self._since:.0f} s and {self._most:,} facts wait "
                "in memory: the oldest ticks are let go, then other events; verdicts are not"
            )

    def _without(self, says_least: Callable[[Fact], bool], over: int) -> int:
        """Let go of so many facts of a kind, the oldest first; give how many there were."""
        gone = 0
        kept: deque[Batch] = deque()
        for batch in self._batches:
            facts = []
            for fact in batch.facts:
                if gone < over and says_least(fact):
                    gone += 1
                else:
                    facts.append(fact)
            if facts:
                kept.append(Batch(batch.at, tuple(facts), batch.memory))
        self._batches = kept
        self.waiting -= gone
        return gone

    def _tell(self) -> None:
        """Say what is to be said, without the lock: who hears it may add to the journal."""
        with self._lock:
            says, self._says = self._says, []
        for text in says:
            self._trouble(text)


def _is_tick(fact: Fact) -> bool:
    return fact.kind == "event" and TICK in fact.body


def _is_event(fact: Fact) -> bool:
    return fact.kind == "event"
