"""The journal: every message is written to disk before it is published, each entry chained to the one before.

A table has one SQLite file. The hash of an entry covers its content and the hash before it: an entry that is altered,
removed or inserted makes all later hashes wrong. Entries cut off at the end show only beside a head that was stored
elsewhere before. The same file lists what the broker has not acknowledged yet: the journal is the outbox.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from feltwatch.edge.errors import UsageError
from feltwatch.models.files import locked

APPLICATION: Final = 0x66656C74  # "felt": distinguishes a journal from other SQLite files
PATIENCE_S: Final = 10.0  # for the write of another connection
AT_ONCE: Final = 5_000  # entries that are removed in one transaction, so that writers do not wait long
TABLES: Final = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS entry (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, seq INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS unsent (first INTEGER PRIMARY KEY, last INTEGER) STRICT;
"""
BROKEN: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

SeqRange = tuple[int, int | None]  # of seq, both ends included; None: open


@dataclass(frozen=True, slots=True)
class Fact:
    """What the journal stores: a kind (event, verdict, …) and its JSON."""

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
class ChainHead:
    """The last entry at some time: proof of how far the journal went, and with which content."""

    journal: str
    seq: int
    hash: bytes


class UnwrittenError(UsageError):
    """The disk refused a write: nothing of it was stored; all earlier entries are."""


class UnreadableError(UsageError):
    """A journal that SQLite reports as damaged."""


class Journal:
    """A table's journal, open for writing. One process writes, from any thread; other processes may read."""

    def __init__(self, path: Path, table: str) -> None:
        self.path = path
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._news = threading.Condition()
        self._open: list[sqlite3.Connection] = []
        try:
            self._base = self._connected()
            self._begin(table)
            self._reader = self._connected()
            self._loose = self._connected()
            self._loose.execute("PRAGMA synchronous = NORMAL")  # what a power cut loses here is only sent again
            self.head = self._last()
        except sqlite3.Error as error:
            self.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in BROKEN:
                raise UnreadableError(f"{path}: expected a journal: {error}") from error
            raise UsageError(f"{path}: expected a journal that can be written: {error}") from error
        except BaseException:
            self.close()
            raise

    def _connected(self) -> sqlite3.Connection:
        found = sqlite3.connect(self.path, PATIENCE_S, isolation_level=None, check_same_thread=False)
        self._open.append(found)
        return found

    def _begin(self, table: str) -> None:
        base = self._base
        ours = base.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
        if not ours and base.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise UsageError(f"{self.path}: expected a journal, found another SQLite file")
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")  # a commit survives a power cut
        base.execute("BEGIN IMMEDIATE")
        base.execute(f"PRAGMA application_id = {APPLICATION}")
        for command in TABLES.split(";")[:-1]:
            base.execute(command)
        base.executemany("INSERT OR IGNORE INTO about VALUES (?, ?)", [("id", uuid4().hex), ("table", table)])
        base.execute("INSERT INTO unsent SELECT 1, NULL WHERE NOT EXISTS (SELECT 1 FROM unsent)")
        base.execute("COMMIT")
        found = dict(base.execute("SELECT name, value FROM about"))
        if found["table"] != table:
            raise UsageError(f"{self.path}: expected the journal of table {table!r}, found that of {found['table']!r}")
        self.id = found["id"]
        self.base = _base_of(found)  # the last entry that was removed; a later entry records the removal

    def _last(self) -> ChainHead:
        row = self._base.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        return ChainHead(self.id, *(row or self.base))

    def add(self, at: str, facts: Sequence[Fact], memory: Mapping[str, bytes] | None = None) -> list[Entry]:
        """Store facts, and the snapshots that belong to them, all or none; once this returns they are on disk."""
        with self._writing:
            entries, seq, link = [], self.head.seq, self.head.hash
            for fact in facts:
                seq += 1
                link = hash_of(link, seq, at, fact)
                entries.append(Entry(seq, at, fact.kind, fact.body, link))
            rows = [(one.seq, one.at, one.kind, one.body, one.hash) for one in entries]
            with self._transaction():
                self._base.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
                known = [(name, seq, value) for name, value in (memory or {}).items()]
                self._base.executemany("INSERT OR REPLACE INTO memory VALUES (?, ?, ?)", known)
            self.head = ChainHead(self.id, seq, link)
        with self._news:
            self._news.notify_all()
        return entries

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run a transaction: all of it or nothing; raises UnwrittenError where the disk refuses it."""
        try:
            self._base.execute("BEGIN IMMEDIATE")
            yield
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            raise UnwrittenError(f"{self.path}: cannot be written: {error}; all earlier entries are safe") from error
        finally:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")

    def remembered(self, name: str) -> tuple[int, bytes] | None:
        """Give the last snapshot with a name, and the entry with which it was stored."""
        with self._reading:
            row = self._reader.execute("SELECT seq, value FROM memory WHERE name = ?", (name,)).fetchone()
        return None if row is None else (int(row[0]), bytes(row[1]))

    def read(self, after: int, most: int, kinds: Sequence[str] = ()) -> list[Entry]:
        """Give the entries after one, of some kinds or of all; another thread may write meanwhile."""
        chosen = f"AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        with self._reading:
            rows = self._reader.execute(
                f"SELECT * FROM entry WHERE seq > ? {chosen} ORDER BY seq LIMIT ?",  # noqa: S608  only question marks
                (after, *kinds, most),
            ).fetchall()
        return [Entry(*row) for row in rows]

    def wait(self, after: int, timeout_s: float) -> int:
        """Wait until there is an entry after this one, or for `timeout_s`; give the last entry's number."""
        with self._news:
            self._news.wait_for(lambda: self.head.seq > after, timeout_s)
        return self.head.seq

    def unsent(self) -> list[SeqRange]:
        """Give the entries that no broker acknowledged, in order; the last range is open, for future entries."""
        with self._reading:
            found = self._reader.execute("SELECT first, last FROM unsent ORDER BY first").fetchall()
        return [(int(first), None if last is None else int(last)) for first, last in found]

    def sent(self, left: Sequence[SeqRange]) -> None:
        """Store what has not been acknowledged yet. If the disk refuses it, some messages are sent twice."""
        with suppress(sqlite3.OperationalError):
            try:
                self._loose.execute("BEGIN IMMEDIATE")
                self._loose.execute("DELETE FROM unsent")
                self._loose.executemany("INSERT INTO unsent VALUES (?, ?)", left)
                self._loose.execute("COMMIT")
            finally:
                if self._loose.in_transaction:
                    self._loose.execute("ROLLBACK")

    def before(self, at: str) -> int:
        """Give the number of the last entry written before a time, as far as the clock ran forward."""
        low, high = self.base[0], self.head.seq
        while low < high:
            middle = (low + high + 1) // 2
            (entry,) = self.read(middle - 1, 1)
            if entry.at < at:
                low = middle
            else:
                high = middle - 1
        return low

    def drop(self, upto: int) -> None:
        """Remove entries up to one. An entry with its number and hash must record the removal before."""
        while self.base[0] < upto:
            last = min(upto, self.base[0] + AT_ONCE)
            (entry,) = self.read(last - 1, 1)
            with self._writing, self._transaction():
                self._base.execute(
                    "INSERT OR REPLACE INTO about VALUES ('base', ?)", (f"{entry.seq}:{entry.hash.hex()}",)
                )
                self._base.execute("DELETE FROM entry WHERE seq <= ?", (last,))
            self.base = (entry.seq, entry.hash)

    def close(self) -> None:
        for one in self._open:
            one.close()


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold a journal for writing; raises UsageError where another process holds it."""
    lock = path.with_name(f"{path.name}.lock")
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(lock, wait=False))
        except BlockingIOError as error:
            raise UsageError(
                f"{path}: expected a journal that no other process writes; another feltwatch runs on it"
            ) from error
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise UsageError(f"{lock}: cannot be written: {why}; name another folder with record.folder") from error
        yield


def utc() -> str:
    """Give the time now in RFC 3339."""
    return rfc3339(datetime.now(UTC))


def rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def first_hash(journal: str) -> bytes:
    """Give the hash to which the first entry is chained."""
    return hashlib.sha256(journal.encode()).digest()


def hash_of(before: bytes, seq: int, at: str, fact: Fact) -> bytes:
    parts = (seq.to_bytes(8, "big"), *(text.encode() for text in (at, fact.kind, fact.body)))
    found = hashlib.sha256(before)
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part)  # so that different entries never give the same bytes
    return found.digest()


def _base_of(about: Mapping[str, str]) -> tuple[int, bytes]:
    """Give the number and hash to which the first entry that is left is chained."""
    seq, _, link = about.get("base", "").partition(":")
    return (int(seq), bytes.fromhex(link)) if seq else (0, first_hash(about.get("id", "")))


class BrokenError(Exception):
    """A journal that was altered or is incomplete; the text names the first bad entry."""


@dataclass(frozen=True, slots=True)
class About:
    """The id and table of a journal, and the entry after which it begins."""

    journal: str
    table: str
    base: tuple[int, bytes]


def about(path: Path) -> About:
    with _reading(path) as (_, found):
        return found


def entries(path: Path) -> Iterator[Entry]:
    """Give the entries of a journal, each checked against the hash before; raises BrokenError at the first bad one."""
    with _reading(path) as (base, found):
        seq, link = found.base
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


@contextmanager
def _reading(path: Path) -> Iterator[tuple[sqlite3.Connection, About]]:
    """Open a journal for reading."""
    wrong = f"{path}: expected a journal of feltwatch"
    try:
        base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise UsageError(f"{wrong}: {error}") from error
    with closing(base):
        try:
            if base.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
                raise UsageError(f"{wrong}, found another file")
            found = dict(base.execute("SELECT name, value FROM about"))
        except sqlite3.Error as error:
            raise UsageError(f"{wrong}: {error}") from error
        yield base, About(found.get("id", ""), found.get("table", ""), _base_of(found))
