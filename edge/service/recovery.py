"""What a table starts from: its journal, how the last run ended, and the state of the table then."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.signing import Signer
from feltwatch.edge.journal.store import Entry, Journal, UnreadableError, utc
from feltwatch.edge.messaging.commands import Door
from feltwatch.edge.messaging.encode import Address
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.edge.service.state_report import RecentRounds
from feltwatch.engine.books import Book
from feltwatch.engine.model import events, verdicts

LOOK_BACK: Final = 20_000  # entries that are read at the start: those of a few rounds at least
NOTES: Final = ("started", "stopped")
SNAPSHOT: Final = "table"  # the journal's name of the table's snapshot
PAGE: Final = 5_000  # entries that are read at a time


@dataclass(frozen=True, slots=True)
class Recovered:
    """A table's journal, and what it tells of the last run."""

    journal: Journal
    signer: Signer
    rounds: RecentRounds
    state: TableState | None  # None where the journal holds no event
    last: Entry | None  # the last entry
    is_clean: bool  # the last run recorded that it stopped
    aside: Path | None  # where a journal that could not be read is now
    away_s: float  # since the last entry, as far as the clock can be trusted

    @property
    def offset(self) -> float:
        """Give the table's time at which this run starts, in seconds."""
        return 0.0 if self.state is None else round(self.state.t + self.away_s, 3)

    @property
    def since(self) -> int:
        """Give the entry after which the start reads the journal."""
        return look_back(self.journal)


def recover(path: Path, table: TableFile, now: float) -> Recovered:
    """Open a table's journal; `now` is the wall-clock time."""
    journal, aside = _open_journal(path, table.id)
    try:
        signer = Signer(path.with_name("key.pem"))
        since = look_back(journal)
        rounds = RecentRounds()
        for entry in journal.read(since, LOOK_BACK, ("verdict",)):
            rounds.take([verdicts.decode(entry.body)])
        found = journal.read(journal.head.seq - 1, 1)
        last = found[0] if found else None
        state = recall(table.book, journal)
        is_clean = _is_clean(journal, since)
    except BaseException:
        journal.close()
        raise
    away = 0.0 if last is None else max(0.0, now - seconds_of(last.at))
    return Recovered(journal, signer, rounds, state, last, is_clean, aside, away)


def look_back(journal: Journal) -> int:
    return max(journal.base[0], journal.head.seq - LOOK_BACK)


def open_door(address: Address, table: TableFile, journal: Journal) -> Door:
    """Open the door for commands; it remembers the commands accepted before."""
    found = Door(address, table.layout.boxes, has_access_list=table.mqtt is not None)
    for entry in journal.read(look_back(journal), LOOK_BACK, ("command",)):
        found.recall(entry.body)
    return found


def _open_journal(path: Path, table: str) -> tuple[Journal, Path | None]:
    try:
        return Journal(path, table), None
    except UnreadableError:
        aside = path.with_name(f"{path.name}.damaged-{utc().replace(':', '')}")
        try:
            path.rename(aside)
            for end in ("-wal", "-shm"):
                beside = path.with_name(path.name + end)
                if beside.exists():
                    beside.rename(aside.with_name(aside.name + end))
        except OSError as error:
            raise UsageError(f"{path}: this journal is damaged and cannot be renamed: {error.strerror}") from error
        return Journal(path, table), aside


def _is_clean(journal: Journal, since: int) -> bool:
    kinds = [json.loads(entry.body)["kind"] for entry in journal.read(since, LOOK_BACK, ("note",))]
    return [kind for kind in kinds if kind in NOTES][-1:] != ["started"]


def seconds_of(at: str) -> float:
    """Give a time in RFC 3339 as seconds since 1970."""
    return datetime.fromisoformat(at).timestamp()


class StoredEvent(Protocol):
    @property
    def seq(self) -> int: ...

    @property
    def body(self) -> str: ...


class EventLog(Protocol):
    """The part of a journal from which a table's state is recovered."""

    def remembered(self, name: str) -> tuple[int, bytes] | None: ...

    def read(self, after: int, most: int, kinds: Sequence[str] = ()) -> Sequence[StoredEvent]: ...


def recall(book: Book, journal: EventLog) -> TableState | None:
    """Give the state of a table: its last snapshot, and the events since; None where the journal holds no event."""
    seq, state = 0, None
    remembered = journal.remembered(SNAPSHOT)
    if remembered is not None:
        try:
            seq, state = remembered[0], TableState.from_snapshot(book, remembered[1])
        except ValueError:
            state = None  # then all events of the journal make it
    while entries := journal.read(seq, PAGE, ("event",)):
        state = state or TableState(book)
        for entry in entries:
            state.apply(events.decode(entry.body.encode()))
        seq = entries[-1].seq
    return state
