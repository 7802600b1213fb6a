"""What a table finds when it is begun: its journal, whether the last run ended well, and what it knew."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.signing import Signer
from feltwatch.edge.journal.store import Entry, Journal, UnreadableError, utc
from feltwatch.edge.messaging.commands import Door
from feltwatch.edge.messaging.encode import Address
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.edge.service.recovery import recall
from feltwatch.edge.service.round_fold import RoundFold
from feltwatch.engine.model.verdicts import decode

BACK: Final = 20_000  # entries that are looked at for what was told last: a few rounds, at the least
NOTES: Final = ("started", "stopped")


@dataclass(frozen=True, slots=True)
class Opened:
    """A table's record as it was left."""

    journal: Journal
    signer: Signer
    fold: RoundFold
    state: TableState | None  # none where nothing was ever told
    last: Entry | None  # the last entry, or none
    clean: bool  # the last run said that it stopped
    aside: Path | None  # a journal that could not be read lies there now
    away_s: float  # since the last entry, as far as the clock can be trusted


def opened(path: Path, table: TableFile, now: float) -> Opened:
    """Open a table's journal; `now` is the time on the wall."""
    journal, aside = _journal(path, table.id)
    try:
        signer = Signer(path.with_name("key.pem"))
        since = max(journal.base[0], journal.head.seq - BACK)
        fold = RoundFold()
        for entry in journal.read(since, BACK, ("verdict",)):
            fold.take([decode(entry.body)], None)
        found = journal.read(journal.head.seq - 1, 1)
        last = found[0] if found else None
        state = recall(table.book, journal)
        clean = _is_clean(journal, since)
    except BaseException:
        journal.close()
        raise
    away = 0.0 if last is None else max(0.0, now - seconds_of(last.at))
    return Opened(journal, signer, fold, state, last, clean, aside, away)


def door(address: Address, table: TableFile, journal: Journal) -> Door:
    """Open the door for commands; it remembers those that were taken before."""
    found = Door(address, table.layout.boxes)
    for entry in journal.read(max(journal.base[0], journal.head.seq - BACK), BACK, ("command",)):
        found.recall(entry.body)
    return found


def _journal(path: Path, table: str) -> tuple[Journal, Path | None]:
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
            raise UsageError(f"{path}: a damaged journal that cannot be put aside: {error.strerror}") from error
        return Journal(path, table), aside


def _is_clean(journal: Journal, since: int) -> bool:
    said = [json.loads(entry.body)["kind"] for entry in journal.read(since, BACK, ("note",))]
    return [kind for kind in said if kind in NOTES][-1:] != ["started"]


def seconds_of(at: str) -> float:
    """Give a time as RFC 3339 has it in seconds since 1970."""
    return datetime.fromisoformat(at).timestamp()
