"""The journal: every event and verdict is on disk before anybody hears of it, chained to the one before.

One file of SQLite for a table. An entry's hash is made of its own content and of the hash before it, so that none can
be altered, taken out or put in without all that follow being wrong. What is cut off at the end shows only beside a head
that was written down before.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from edge.usage import UsageError

APPLICATION: Final = 0x66656C74  # "felt": tells a journal from other files of SQLite
TABLES: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Fact:
    """What is to be kept: its kind (event, verdict, …) and its JSON."""

    kind: str
    body: str


@dataclass(frozen=True, slots=True)
class Entry:
    seq: int
    at: str  # UTC, RFC 3339
    kind: str
    body: str
    hash: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry: whoever has it knows that the journal went at least so far, and how."""

    journal: str
    seq: int
    hash: bytes


class Journal:
    """A table's journal, open for writing. One process writes; others may read."""

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        try:
            self._base = sqlite3.connect(path, isolation_level=None)
            self._open(table)
        except sqlite3.Error as error:
            raise UsageError(f"{path}: expected a journal that can be written: {error}") from error
        self.head = self._last()

    def _open(self, table: str) -> None:
        base = self._base
        if base.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            if base.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                raise UsageError(f"{self.path}: expected a journal, found another file of SQLite")
            base.execute("BEGIN IMMEDIATE")
            base.execute(f"PRAGMA application_id = {APPLICATION}")
            for command in TABLES.split(";")[:-1]:
                base.execute(command)
            base.executemany("INSERT INTO about VALUES (?, ?)", [("id", uuid4().hex), ("table", table)])
            base.execute("COMMIT")
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")  # what was committed outlives a power cut
        found = dict(base.execute("SELECT name, value FROM about"))
        if found["table"] != table:
            raise UsageError(f"{self.path}: expected the journal of table {table!r}, found that of {found['table']!r}")
        self.id = found["id"]

    def _last(self) -> Head:
        row = self._base.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        return Head(self.id, *(row or (0, first_hash(self.id))))

    def add(self, at: str, facts: Sequence[Fact]) -> list[Entry]:
        """Keep facts, all or none; when this returns they are on disk."""
        entries, seq, link = [], self.head.seq, self.head.hash
        for fact in facts:
            seq += 1
            link = hash_of(link, seq, at, fact)
            entries.append(Entry(seq, at, fact.kind, fact.body, link))
        rows = [(one.seq, one.at, one.kind, one.body, one.hash) for one in entries]
        try:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise UsageError(f"{self.path}: cannot be written: {error}; what was told before is kept") from error
        self.head = Head(self.id, seq, link)
        return entries

    def close(self) -> None:
        self._base.close()


def utc() -> str:
    """Give the time now as RFC 3339 has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def first_hash(journal: str) -> bytes:
    """Give what the first entry is chained to."""
    return hashlib.sha256(journal.encode()).digest()


def hash_of(before: bytes, seq: int, at: str, fact: Fact) -> bytes:
    parts = (seq.to_bytes(8, "big"), *(text.encode() for text in (at, fact.kind, fact.body)))
    found = hashlib.sha256(before)
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part)  # so that no two entries are the same bytes
    return found.digest()


class BrokenError(Exception):
    """A journal that is not whole: the text names the first bad entry."""


def entries(path: Path) -> Iterator[Entry]:
    """Give the entries of a journal, each proved against the one before; raises at the first that is not as it was."""
    try:
        base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        if base.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise UsageError(f"{path}: expected a journal of feltwatch, found another file")
        about = dict(base.execute("SELECT name, value FROM about"))
    except sqlite3.Error as error:
        raise UsageError(f"{path}: expected a journal of feltwatch: {error}") from error
    seq, link = 0, first_hash(about.get("id", ""))
    try:
        for row in base.execute("SELECT * FROM entry ORDER BY seq"):
            entry = Entry(*row)
            if entry.seq != seq + 1:
                raise BrokenError(f"entry {seq + 1} is missing: entry {entry.seq} follows entry {seq}")
            seq, link = entry.seq, hash_of(link, entry.seq, entry.at, Fact(entry.kind, entry.body))
            if link != entry.hash:
                raise BrokenError(
                    f"entry {seq} ({entry.kind}, {entry.at}) is not what was written, or the one before it"
                )
            yield entry
    except sqlite3.Error as error:
        raise BrokenError(f"entry {seq + 1} cannot be read: {error}") from error
    finally:
        base.close()
