"""How long evidence is kept: removes the oldest files, and stops recording before the journal lacks room.

The journal is never touched here. An empty file, the ballast, reserves disk space: it is deleted when the journal finds
the disk full, so that verdicts can still be written.
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
    EROFS: "its disk is read-only, as Linux makes a disk that fails; look into the system's log",
    EIO: "its disk is broken; look into the system's log, and replace it",
}
OURS: Final = {".jpg", ".webm"}  # other files there are never removed
AGAIN_S: Final = 600.0  # between two notices that evidence is removed early
EASE: Final = 0.05  # of the reserve, by which free space must grow before recording goes on

JOURNAL_DAY: Final = 45_000_000  # bytes: the rounds of the bundled video, two in 35 s, day and night
ALERT_BYTES: Final = 2_000_000  # a still and a whole clip of a table in 1920 x 1080
ALERTS_DAY: Final = 50.0  # where the table has no record yet


class DiskUsage(Protocol):
    """The size of a disk and its free space, in bytes."""

    @property
    def total(self) -> int: ...

    @property
    def free(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """How long evidence is kept, and how much of the disk it may take."""

    days: float = 30.0
    gigabytes: float = 200.0
    reserve: int | None = None  # bytes that stay free; None: 1 GB or 1 %
    ballast: int = BALLAST


@dataclass(frozen=True, slots=True, order=True)
class _EvidenceFile:
    day: str
    written: int  # nanoseconds
    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What was done since the last call: files that were removed, and notices for people."""

    removed: tuple[StoredFiles, ...] = ()
    notices: tuple[str, ...] = ()


class Retention:
    """Keeps the evidence of one folder within its limits. Every method may be called from any thread."""

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
        self._files: list[_EvidenceFile] = sorted(_found(folder))  # oldest first
        self._bytes = sum(file.bytes for file in self._files)
        self._removed: list[StoredFiles] = []
        self._notices: list[str] = []
        self._noticed_at = -AGAIN_S  # when a notice last reported that evidence is removed early
        self._stuck = False  # nothing can be removed from the disk, and a notice reported it
        with suppress(OSError):
            self._make_ballast()

    @property
    def reserve(self) -> int:
        if self.limits.reserve is not None:
            return self.limits.reserve
        return max(RESERVE, round(SHARE * self.free(self.folder).total))

    @property
    def bytes(self) -> int:
        """Give how many bytes the evidence takes."""
        with self._lock:
            return self._bytes

    def count(self, file: StoredFile) -> None:
        """Count a new file."""
        with self._lock:
            insort(self._files, _EvidenceFile(_day_of(file.name), time_ns(), file.name, file.bytes or 0))
            self._bytes += file.bytes or 0

    def refusal(self) -> str | None:
        """Say why nothing is recorded now; None while recording goes on."""
        return None if self.may_record else f"the disk has less than {_size(self.reserve)} free"

    def make_room(self) -> None:
        """Remove the oldest files: there was no room for a new one. The next `enforce` reports it."""
        self._tend(sure=False)

    def enforce(self, *, sure: bool = True) -> Upkeep:
        """Enforce the limits; to be called every few seconds. While the clock is not `sure`, no file is too old.

        Journal the reports of the recorder before those given here: they may be about the same files.
        """
        with self._lock:
            self._tend(sure=sure)
            done = Upkeep(tuple(self._removed), tuple(self._notices))
            self._removed, self._notices = [], []
            return done

    def give_back(self) -> bool:
        """Delete the ballast, because the journal cannot be written; False where there was none."""
        with self._lock:
            try:
                (self.folder / NAME).unlink()
            except OSError:
                return False
            self._notices.append(
                f"{self.folder}: the disk is full; the {_size(self.limits.ballast)} held in reserve for the journal "
                "were released; make room"
            )
            return True

    def disk_fault(self) -> str | None:
        """Say what is wrong with the disk, by writing a small file; None where that works."""
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
                    self._notices.append(f"{self.folder}: old evidence cannot be removed: {why}")
            self._stuck = stuck
            with suppress(OSError):  # a disk that does not even report its free space
                self._judge()
                self._make_ballast()

    def _by_age(self) -> None:
        first = datetime.fromtimestamp(self.now(), UTC) - timedelta(days=self.limits.days)
        old = takewhile(lambda file: file.day < first.date().isoformat(), self._files)
        self._remove([*old], f"older than {self.limits.days:g} days")

    def _by_size(self) -> None:
        over = self._bytes - self.limits.gigabytes * GB
        self._remove(self._oldest(over), f"more than {self.limits.gigabytes:g} GB of evidence")

    def _by_room(self) -> None:
        free = self.free(self.folder).free
        old = self._oldest(self.reserve + (0 if self._has_ballast() else self.limits.ballast) - free)
        self._remove(old, "the disk was full")
        if old and abs(self.now() - self._noticed_at) >= AGAIN_S:
            self._noticed_at = self.now()
            self._notices.append(
                f"{self.folder}: the disk had {_size(free)} free, less than {_size(self.reserve)}: the oldest "
                f"evidence, {len(old)} files from {old[0].day} to {old[-1].day}, was removed; make room"
            )

    def _oldest(self, over: float) -> list[_EvidenceFile]:
        """Give the oldest files whose sizes add up to so many bytes."""
        found: list[_EvidenceFile] = []
        for file in self._files:
            if over <= 0:
                break
            found.append(file)
            over -= file.bytes
        return found

    def _remove(self, files: Iterable[_EvidenceFile], why: str) -> None:
        done: list[_EvidenceFile] = []
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
                with suppress(OSError):  # it holds other files
                    (self.folder / EVIDENCE / day).rmdir()

    def _judge(self) -> None:
        """Stop recording where nothing is left to remove, and go on once there is room."""
        free, reserve = self.free(self.folder).free, self.reserve
        if self.may_record and free < reserve and (self._stuck or not self._files):
            self.may_record = False
            self._notices.append(
                f"{self.folder}: stills and clips are no longer recorded: the disk has {_size(free)} free, less than "
                f"{_size(reserve)}, and no evidence {'can' if self._stuck else 'is left to'} be removed; make room"
            )
        elif not self.may_record and free >= reserve * (1 + EASE):
            self.may_record = True
            self._notices.append(f"{self.folder}: stills and clips are recorded again: the disk has {_size(free)} free")

    def _has_ballast(self) -> bool:
        """True where the ballast exists in full: a crash may have cut it short."""
        path, size = self.folder / NAME, self.limits.ballast
        return not size or (path.exists() and path.stat().st_blocks * 512 >= size)

    def _make_ballast(self) -> None:
        """Create the ballast, if there is room for it beside the reserve."""
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


def _found(folder: Path) -> Iterable[_EvidenceFile]:
    """Give the evidence files in a folder."""
    for path in (folder / EVIDENCE).glob("*/*"):
        name = path.relative_to(folder).as_posix()
        if path.suffix in OURS and _is_day(_day_of(name)) and path.is_file():
            about = path.stat()
            yield _EvidenceFile(_day_of(name), about.st_mtime_ns, name, about.st_size)


def _day_of(name: str) -> str:
    return name.split("/")[1]


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _size(size: float) -> str:
    """Write a size as people do.

    >>> _size(1_250_000_000), _size(32 << 20), _size(1500)
    ('1.2 GB', '34 MB', '0.0 MB')
    """
    return f"{size / GB:.1f} GB" if size >= GB / 2 else f"{size / 1e6:.{0 if size >= 1e7 else 1}f} MB"


@dataclass(frozen=True, slots=True)
class DiskUse:
    """How much of the disk a table uses, as measured there, or else a typical value."""

    journal_day: float = JOURNAL_DAY  # bytes
    alert: float = ALERT_BYTES
    alerts_day: float = ALERTS_DAY


def measure_use(folder: Path, journal: Path | None = None) -> DiskUse:
    """Measure how much a table has used so far; figures for a day need a record of a day or more."""
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
            rows = [base.execute(f"SELECT at FROM entry ORDER BY seq {way} LIMIT 1").fetchone() for way in ("", "DESC")]  # noqa: S608  two constants
        finally:
            base.close()
        first, last = (datetime.fromisoformat(row[0]) for row in rows)
    except (sqlite3.Error, TypeError, ValueError):
        return None
    days = (last - first) / timedelta(days=1)
    return path.stat().st_size / days if days >= 1 else None


def estimate(found: DiskUse, limits: RetentionLimits, journal_days: float, free: int) -> str:
    """Estimate, in a sentence, how much of its disk a table will use."""
    footage = found.alert * found.alerts_day * limits.days
    kept = min(footage, limits.gigabytes * GB)
    journal = found.journal_day * journal_days
    says = (
        f"about {_size(found.journal_day)} a day of journal, {_size(journal)} in {journal_days:g} days; "
        f"about {_size(found.alert)} an alert, and at {found.alerts_day:.0f} alerts a day {limits.days:g} days take "
        f"{_size(footage)} of {_size(free)} free"
    )
    if kept < footage:
        return f"{says}; only the newest {limits.gigabytes:g} GB are kept (record.gigabytes)"
    if kept + journal > free:
        return f"{says}: that is more than there is; the oldest evidence will be removed early"
    return says
