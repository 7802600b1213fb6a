"""The disk that a table records on: the oldest footage gives way, then no pictures are taken, and verdicts still fit.

The journal is never touched here. A file that holds nothing, the ballast, lies ready to be given back to the disk, so
that a journal that finds it full can still be written.
"""

import os
import shutil
import sqlite3
import threading
from bisect import insort
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from errno import EDQUOT, EIO, ENOSPC, EROFS
from itertools import groupby, takewhile
from pathlib import Path
from time import time, time_ns
from typing import Final, Protocol

from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.store import EVIDENCE, StoredFile, StoredFiles, alert_of, dropped_files
from feltwatch.models.files import sync_folder

GB: Final = 1_000_000_000
RESERVE: Final = GB  # bytes that stay free, or
SHARE: Final = 0.01  # so much of the disk where that is more
BALLAST: Final = 32 << 20
NAME: Final = "ballast"
PROBE: Final = "probe"
AILS: Final = {
    ENOSPC: "its disk is full; make room",
    EDQUOT: "its disk's quota is used up; make room",
    EROFS: "its disk was made read-only, as is done when it fails; look into the system's log",
    EIO: "its disk is broken; look into the system's log, and replace it",
}
OURS: Final = {".jpg", ".webm"}  # what else lies there is nobody's to remove
AGAIN_S: Final = 600.0  # between two words on footage that goes before its time
EASE: Final = 0.05  # of the reserve, by which the room must grow before pictures are taken again

JOURNAL_DAY: Final = 45_000_000  # bytes, of rounds without a pause, two in 35 s: the bundled film's, day and night
ALERT_BYTES: Final = 2_000_000  # a still and a whole clip of a table in 1920 x 1080
ALERTS_DAY: Final = 50.0  # where nobody knows better


class DiskUsage(Protocol):
    """What is known of a disk, in bytes."""

    @property
    def total(self) -> int: ...

    @property
    def free(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """What footage may take."""

    days: float = 30.0
    gigabytes: float = 200.0
    reserve: int | None = None  # bytes that stay free; none: 1 GB or 1 %
    ballast: int = BALLAST


@dataclass(frozen=True, slots=True, order=True)
class _File:
    day: str
    written: int  # nanoseconds
    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What was done since this was last asked: files that were removed, and what people should hear."""

    removed: tuple[StoredFiles, ...] = ()
    notices: tuple[str, ...] = ()


class Retention:
    """Keeps the footage of one folder within its limits. All of it may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        limits: RetentionLimits,
        free: Callable[[Path], DiskUsage] = shutil.disk_usage,
        now: Callable[[], float] = time,
    ) -> None:
        self.folder, self.limits, self.free, self.now = folder, limits, free, now
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise UsageError(
                f"{folder}: expected a folder to record in: {why}; name another (record.folder)"
            ) from error
        self.may_record = True
        self._lock = threading.RLock()
        self._files: list[_File] = sorted(_found(folder))  # oldest first
        self._bytes = sum(file.bytes for file in self._files)
        self._removed: list[StoredFiles] = []
        self._notices: list[str] = []
        self._said_at = -AGAIN_S  # when it was last said that footage goes
        self._stuck = False  # the disk lets nothing be removed, and that was said
        with suppress(OSError):
            self._make_ballast()

    @property
    def reserve(self) -> int:
        if self.limits.reserve is not None:
            return self.limits.reserve
        return max(RESERVE, round(SHARE * self.free(self.folder).total))

    @property
    def bytes(self) -> int:
        """Give how much the footage takes."""
        with self._lock:
            return self._bytes

    def count(self, file: StoredFile) -> None:
        """Take a new file of footage into account."""
        with self._lock:
            insort(self._files, _File(_day_of(file.name), time_ns(), file.name, file.bytes or 0))
            self._bytes += file.bytes or 0

    def refusal(self) -> str | None:
        """Say why no pictures are recorded now, if none are."""
        return None if self.may_record else f"the disk has less than {_said(self.reserve)} free"

    def make_room(self) -> None:
        """Remove the oldest footage, for there was no room for a picture; that is told when it is tended next."""
        self._tend(sure=False)

    def enforce(self, *, sure: bool = True) -> Upkeep:
        """Keep the limits; to be called every few seconds. By a clock that is not sure nothing is too old.

        What a recorder told until this returns is to be journalled before what this gives: it may be of the same files.
        """
        with self._lock:
            self._tend(sure=sure)
            done = Upkeep(tuple(self._removed), tuple(self._notices))
            self._removed, self._notices = [], []
            return done

    def give_back(self) -> bool:
        """Give the ballast back to the disk: the journal cannot be written. Tells whether there was any."""
        with self._lock:
            try:
                (self.folder / NAME).unlink()
            except OSError:
                return False
            self._notices.append(
                f"{self.folder}: the disk is full; the {_said(self.limits.ballast)} that were held ready are given "
                "to the journal; make room"
            )
            return True

    def disk_fault(self) -> str | None:
        """Say what is wrong with the disk, by writing a little."""
        path = self.folder / PROBE
        try:
            with path.open("wb") as file:
                file.write(bytes(4096))
                file.flush()
                os.fsync(file.fileno())
            path.unlink()
        except OSError as error:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return AILS.get(error.errno or 0, f"its disk: {(error.strerror or str(error)).lower()}")
        return None

    def _tend(self, *, sure: bool) -> None:
        with self._lock:
            stuck = False
            try:
                if sure:
                    self._by_age()
                self._by_size()
                self._by_room()
            except OSError as error:
                stuck = True
                if not self._stuck:
                    why = (error.strerror or str(error)).lower()
                    self._notices.append(f"{self.folder}: old footage cannot be removed: {why}")
            self._stuck = stuck
            with suppress(OSError):  # a disk that does not even say how full it is
                self._judge()
                self._make_ballast()

    def _by_age(self) -> None:
        first = datetime.fromtimestamp(self.now(), UTC) - timedelta(days=self.limits.days)
        old = takewhile(lambda file: file.day < first.date().isoformat(), self._files)
        self._remove([*old], f"kept for {self.limits.days:g} days")

    def _by_size(self) -> None:
        over = self._bytes - self.limits.gigabytes * GB
        self._remove(self._oldest(over), f"the newest {self.limits.gigabytes:g} GB are kept")

    def _by_room(self) -> None:
        free = self.free(self.folder).free
        old = self._oldest(self.reserve + (0 if self._has_ballast() else self.limits.ballast) - free)
        self._remove(old, "the disk was full")
        if old and abs(self.now() - self._said_at) >= AGAIN_S:
            self._said_at = self.now()
            self._notices.append(
                f"{self.folder}: the disk had {_said(free)} free, less than {_said(self.reserve)}: the oldest footage, "
                f"{len(old)} files from {old[0].day} to {old[-1].day}, was removed; make room"
            )

    def _oldest(self, over: float) -> list[_File]:
        """Give the oldest files that take so many bytes together."""
        found: list[_File] = []
        for file in self._files:
            if over <= 0:
                break
            found.append(file)
            over -= file.bytes
        return found

    def _remove(self, files: Iterable[_File], why: str) -> None:
        done: list[_File] = []
        try:
            for file in files:
                (self.folder / file.name).unlink(missing_ok=True)
                done.append(file)
        finally:
            del self._files[: len(done)]  # they are the oldest
            self._bytes -= sum(file.bytes for file in done)
            for alert, group in groupby((file.name for file in done), alert_of):
                self._removed.append(dropped_files(alert, group, why))
            today = datetime.fromtimestamp(self.now(), UTC).date().isoformat()
            for day in {file.day for file in done if file.day != today} - {file.day for file in self._files[:1]}:
                with suppress(OSError):  # it holds files of others
                    (self.folder / EVIDENCE / day).rmdir()

    def _judge(self) -> None:
        """Stop taking pictures where nothing is left to remove, and go on where there is room again."""
        free, reserve = self.free(self.folder).free, self.reserve
        if self.may_record and free < reserve and (self._stuck or not self._files):
            self.may_record = False
            self._notices.append(
                f"{self.folder}: no pictures are recorded: the disk has {_said(free)} free, less than "
                f"{_said(reserve)}, and no footage {'can' if self._stuck else 'is left to'} be removed; make room"
            )
        elif not self.may_record and free >= reserve * (1 + EASE):
            self.may_record = True
            self._notices.append(f"{self.folder}: pictures are recorded again: the disk has {_said(free)} free")

    def _has_ballast(self) -> bool:
        """Tell whether the ballast is there, and whole: a crash may have cut it short."""
        path, size = self.folder / NAME, self.limits.ballast
        return not size or (path.exists() and path.stat().st_blocks * 512 >= size)

    def _make_ballast(self) -> None:
        """Have the ballast lie there, where there is room for it beside the reserve."""
        if self._has_ballast():
            return
        path, size = self.folder / NAME, self.limits.ballast
        with suppress(OSError):
            path.unlink(missing_ok=True)
            if self.free(self.folder).free < self.reserve + size:
                return
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                os.posix_fallocate(handle, 0, size)
                os.fsync(handle)
            except OSError:
                path.unlink()
                raise
            finally:
                os.close(handle)
            sync_folder(self.folder)


def _found(folder: Path) -> Iterable[_File]:
    """Give the footage that lies in a folder."""
    for path in (folder / EVIDENCE).glob("*/*"):
        name = path.relative_to(folder).as_posix()
        if path.suffix in OURS and _is_day(_day_of(name)) and path.is_file():
            about = path.stat()
            yield _File(_day_of(name), about.st_mtime_ns, name, about.st_size)


def _day_of(name: str) -> str:
    return name.split("/")[1]


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _said(size: float) -> str:
    """Write a size as people do.

    >>> _said(1_250_000_000), _said(32 << 20), _said(1500)
    ('1.2 GB', '34 MB', '0.0 MB')
    """
    return f"{size / GB:.1f} GB" if size >= GB / 2 else f"{size / 1e6:.{0 if size >= 1e7 else 1}f} MB"


@dataclass(frozen=True, slots=True)
class DiskUse:
    """What a table leaves on disk, as measured there, or else somewhere."""

    journal_day: float = JOURNAL_DAY  # bytes
    alert: float = ALERT_BYTES
    alerts_day: float = ALERTS_DAY


def measure_use(folder: Path, journal: Path | None = None) -> DiskUse:
    """Measure what a table has left there so far, as far as that says anything: of a day or more."""
    files = [*_found(folder)]
    alerts = len({alert_of(file.name) + file.day for file in files})
    days = {date.fromisoformat(file.day) for file in files}
    known = {"alert": sum(file.bytes for file in files) / alerts} if alerts else {}
    if len(days) > 1:
        known["alerts_day"] = alerts / ((max(days) - min(days)).days + 1)
    if journal is not None and (a_day := _journal_day(journal)):
        known["journal_day"] = a_day
    return DiskUse(**known)


def _journal_day(path: Path) -> float | None:
    """Give how many bytes a day a journal grows by, if it covers one."""
    if not path.is_file():
        return None
    try:
        base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            rows = [base.execute(f"SELECT at FROM entry ORDER BY seq {way} LIMIT 1").fetchone() for way in ("", "DESC")]  # noqa: S608  no one's words
        finally:
            base.close()
        first, last = (datetime.fromisoformat(row[0]) for row in rows)
    except (sqlite3.Error, TypeError, ValueError):
        return None
    days = (last - first) / timedelta(days=1)
    return path.stat().st_size / days if days >= 1 else None


def estimate(table: str, found: DiskUse, limits: RetentionLimits, journal_days: float, free: int) -> str:
    """Say what a table will take of its disk, before it does."""
    footage = found.alert * found.alerts_day * limits.days
    kept = min(footage, limits.gigabytes * GB)
    journal = found.journal_day * journal_days
    says = (
        f"{table}: about {_said(found.journal_day)} a day of journal, {_said(journal)} in {journal_days:g} days; "
        f"about {_said(found.alert)} an alert, and at {found.alerts_day:.0f} alerts a day {limits.days:g} days take "
        f"{_said(footage)} of {_said(free)} free"
    )
    if kept < footage:
        return f"{says}; only the newest {limits.gigabytes:g} GB are kept (record.gigabytes)"
    if kept + journal > free:
        return f"{says}: that is more than there is; the oldest footage will go before its time"
    return says
