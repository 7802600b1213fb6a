"""Checks of a table's record: the disk that stores it, and its journal."""

import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from feltwatch.edge.config.paths import journal_path, record_folder
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.doctor.checks import CheckResult, bad, graded, ok, warn
from feltwatch.edge.doctor.host import giga
from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.retention import ALERT_BYTES
from feltwatch.edge.health.device import read_disk_space
from feltwatch.edge.journal.store import BrokenError, Fact, about, claimed, hash_of

SYNCS: Final = 7
SLOW_SYNC_S: Final = (1.0, 0.05)  # for one: each message waits for one
FREE_BYTES: Final = (200_000_000, 2_000_000_000)
ALERTS_A_DAY: Final = 400  # of a table: none should have so many
PROVED: Final = 2_000  # entries, from the last back
WAITING: Final = 10_000  # entries that the broker has not acknowledged
FORGETFUL: Final = {"tmpfs": "memory", "ramfs": "memory", "overlay": "the container, which may be thrown away"}


def room(
    table: TableFile, environ: Mapping[str, str], mounts: Path = Path("/proc/self/mounts")
) -> Iterator[CheckResult]:
    folder = record_folder(table, environ)
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        yield bad(f"{there}: this user may not write there; give the folder to the user that feltwatch runs as")
        return
    found = read_disk_space(there)
    if found is None:
        yield bad(f"{there}: the disk does not report its size; check it")
        return
    free = found.free_bytes
    short = (
        f"expected {giga(FREE_BYTES[1])} or more; make room, or lower record.gigabytes"
        if free < FREE_BYTES[1]
        else None
    )
    full = short if free < FREE_BYTES[0] else None
    yield graded(f"{folder}: {giga(free)} free of {giga(found.size_bytes)}", fault=full, doubt=short)
    kind = kind_of(there, mounts)
    if kind in FORGETFUL:
        yield warn(f"{there}: this is {kind}: files there are stored in {FORGETFUL[kind]}; name another record.folder")
    yield fits(table, free)
    if folder.exists():
        yield from speed(folder)
    else:
        yield ok(f"{folder}: missing; feltwatch creates it")


def fits(table: TableFile, free: int) -> CheckResult:
    """Check for how many days of stills and clips there is room."""
    limit = min(float(free), table.record.gigabytes * 1e9)
    days = limit / (ALERT_BYTES * ALERTS_A_DAY)
    says = f"room for {min(days, 9_999):.0f} days of stills and clips, at {ALERTS_A_DAY} alerts a day"
    short = (
        f"record.days wants {table.record.days:g}; the oldest are deleted first" if days < table.record.days else None
    )
    return graded(says, doubt=short)


def speed(folder: Path, clock: Callable[[], float] = time.perf_counter) -> Iterator[CheckResult]:
    """Time how long a small write takes to reach the disk."""
    took = []
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            for _ in range(SYNCS):
                file.write(bytes(4_096))
                file.flush()
                start = clock()
                os.fsync(file.fileno())
                took.append(clock() - start)
    except OSError as error:
        yield bad(f"{folder}: cannot be written: {(error.strerror or str(error)).lower()}; check the disk")
        return
    usual = sorted(took)[SYNCS // 2]
    slow = "each message waits for it; use a solid-state disk" if usual > SLOW_SYNC_S[1] else None
    says = f"{folder}: a write reaches the disk after {usual * 1000:.1f} ms"
    yield graded(says, fault=slow if usual > SLOW_SYNC_S[0] else None, doubt=slow)


def kind_of(path: Path, mounts: Path) -> str:
    """Give the kind of file system that stores a path."""
    found = (0, "")
    for line in mounts.read_text("utf-8", "replace").splitlines():
        _, where, kind = line.split(" ")[:3]
        at = Path(where.replace(r"\040", " "))
        if path.resolve().is_relative_to(at):
            found = max(found, (len(at.parts), kind), key=lambda one: one[0])
    return found[1]


def journal(table: TableFile, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    path = journal_path(table, environ)
    if not path.exists():
        yield ok(f"{path}: none yet; feltwatch creates it")
        return
    try:
        whose = about(path)
        if whose.table != table.id:
            yield bad(f"{path}: expected the journal of {table.id!r}, found that of {whose.table!r}; move it away")
            return
        yield from proved(path)
    except (BrokenError, sqlite3.Error, UsageError) as error:
        yield bad(f"{error}; stop feltwatch, keep a copy of it, and move it away: a new one is made")
    yield from alone(path)


def proved(path: Path) -> Iterator[CheckResult]:
    """Verify the last entries, and count those that wait for the broker."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
        rows = base.execute("SELECT * FROM entry ORDER BY seq DESC LIMIT ?", (PROVED + 1,)).fetchall()[::-1]
        link: bytes | None = None
        for seq, at, kind, body, made in rows:
            if link is not None and hash_of(link, seq, at, Fact(kind, body)) != made:
                raise BrokenError(f"{path}: entry {seq} is not what was written, or the one before it")
            link = made
        unsent = base.execute("SELECT coalesce(sum(last - first + 1), 0), max(first) FROM unsent").fetchone()
    if not rows:
        yield ok(f"{path}: empty")
        return
    last = int(rows[-1][0])
    waiting = int(unsent[0]) + max(0, last - int(unsent[1] or last + 1) + 1)
    yield ok(f"{path}: {last} entries, to {rows[-1][1]}; the last {len(rows)} are as written (`feltwatch verify`: all)")
    many = "check that the broker is reachable" if waiting > WAITING else None
    yield graded(f"{waiting} entries wait for the broker", doubt=many)


def alone(path: Path) -> Iterator[CheckResult]:
    """Check that no other process writes this journal."""
    lock = path.with_name(f"{path.name}.lock")
    free = ok("no other feltwatch runs on it")
    if not lock.exists():  # to take it would leave, for a moment, a file that the service may not open
        yield free
        return
    try:
        with claimed(path):
            yield free
    except UsageError as error:
        yield warn(f"{error}: do not start a second one")
