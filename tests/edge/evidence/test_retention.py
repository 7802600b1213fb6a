"""The disk: the oldest footage goes first, then no pictures are taken, the ballast is ready; all of it is reported."""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.retention import (
    ALERT_BYTES,
    ALERTS_DAY,
    JOURNAL_DAY,
    DiskUse,
    Retention,
    RetentionLimits,
    estimate,
    measure_use,
)
from feltwatch.edge.evidence.store import StoredFiles, store_file
from feltwatch.edge.journal.store import Fact, Journal
from tests.faults.mounts import mounted

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY_S = 86_400.0
MB = 1_000_000


@dataclass
class Disk:
    """A disk on which the footage, the ballast and what others write take room."""

    folder: Path
    total: int = 100 * MB
    others: int = 0

    def __call__(self, folder: Path) -> "Disk":
        assert folder == self.folder
        return self

    @property
    def free(self) -> int:
        ours = [path for path in self.folder.rglob("*") if path.is_file() and path.suffix != ".journal"]
        return self.total - self.others - sum(path.stat().st_size for path in ours)


class Clock:
    def __init__(self) -> None:
        self.t = NOW.timestamp()

    def __call__(self) -> float:
        return self.t


def day(ago: int) -> str:
    return (NOW - timedelta(days=ago)).date().isoformat()


def footage(folder: Path, ago: int, number: int, size: int = MB) -> list[str]:
    """Write the still and the clip of an alert of some days ago."""
    names = [f"evidence/{day(ago)}/r{number}-void-c1.{suffix}" for suffix in ("jpg", "webm")]
    for name in names:
        store_file(folder, name, bytes(size // 2))
    return names


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    folder = tmp_path / "record"
    folder.mkdir()
    return Disk(folder)


def limits(days: float = 30, gigabytes: float = 1, reserve: int = 10 * MB, ballast: int = 4 * MB) -> RetentionLimits:
    return RetentionLimits(days, gigabytes, reserve, ballast)


def lying(disk: Disk) -> set[str]:
    return {path.relative_to(disk.folder).as_posix() for path in disk.folder.glob("evidence/*/*")}


def names(removed: tuple[StoredFiles, ...]) -> list[str]:
    return [file.name for one in removed for file in one.files]


def test_footage_beyond_its_days_goes_and_is_told(disk: Disk) -> None:
    old, edge, new = (footage(disk.folder, ago, number) for number, ago in enumerate((40, 30, 0)))
    space = Retention(disk.folder, limits(), disk, Clock())
    done = space.enforce()
    assert names(done.removed) == old
    assert [(one.alert, one.dropped) for one in done.removed] == [("r0-void-c1", "older than 30 days")]
    assert lying(disk) == {*edge, *new}
    assert not (disk.folder / "evidence" / day(40)).exists()
    assert space.enforce() == type(done)()


def test_a_clock_that_is_not_sure_makes_nothing_old(disk: Disk) -> None:
    kept, clock = footage(disk.folder, 0, 1), Clock()
    space = Retention(disk.folder, limits(), disk, clock)
    clock.t += 400 * DAY_S
    assert space.enforce(sure=False).removed == ()
    assert lying(disk) == {*kept}
    assert names(space.enforce().removed) == kept


def test_footage_beyond_its_size_goes_oldest_first(disk: Disk) -> None:
    written = [footage(disk.folder, 20 - number, number) for number in range(8)]
    space = Retention(disk.folder, limits(gigabytes=0.005), disk, Clock())
    assert space.bytes == 8 * MB
    done = space.enforce()
    assert names(done.removed) == [name for names in written[:3] for name in names]
    assert {one.dropped for one in done.removed} == {"more than 0.005 GB of evidence"}
    assert space.bytes == 5 * MB
    assert done.notices == ()


def test_new_footage_counts_at_once_and_of_a_day_the_first_goes_first(disk: Disk) -> None:
    space = Retention(disk.folder, limits(gigabytes=0.002), disk, Clock())
    written = []
    for number in range(3):
        for name in footage(disk.folder, 0, 9 - number):
            space.count(store_file(disk.folder, name, bytes(MB // 2)))
            written.append(name)
    assert names(space.enforce().removed) == written[:2]


def test_what_is_found_at_start_goes_in_the_order_in_which_it_was_written(disk: Disk) -> None:
    first, second = footage(disk.folder, 0, 9), footage(disk.folder, 0, 1)
    for n, name in enumerate([*first, *second]):
        os.utime(disk.folder / name, (1000 + n, 1000 + n))
    assert names(Retention(disk.folder, limits(gigabytes=0.001), disk, Clock()).enforce().removed) == first


def test_a_disk_that_fills_sheds_the_oldest_then_stops_pictures_then_goes_on(disk: Disk) -> None:
    written = [footage(disk.folder, 9 - number, number) for number in range(4)]
    space = Retention(disk.folder, limits(), disk, Clock())
    assert space.refusal() is None
    disk.others = 84 * MB  # 8 MB are free now, and the ballast lies there
    done = space.enforce()
    assert names(done.removed) == [name for names in written[:2] for name in names]
    assert {one.dropped for one in done.removed} == {"the disk was full"}
    (said,) = done.notices
    assert said == (
        f"{disk.folder}: the disk had 8.0 MB free, less than 10 MB: the oldest evidence, 4 files from {day(9)} to "
        f"{day(8)}, was removed; make room"
    )
    assert space.may_record
    disk.others = 90 * MB
    done = space.enforce()
    assert names(done.removed) == [name for names in written[2:] for name in names]
    (said,) = done.notices  # and not that footage goes: that was said a moment ago
    assert said == (
        f"{disk.folder}: stills and clips are no longer recorded: the disk has 6.0 MB free, less than 10 MB, "
        "and no evidence is left to be removed; make room"
    )
    assert space.refusal() == "the disk has less than 10 MB free"
    assert space.enforce().notices == ()
    disk.others = 86 * MB  # 10 MB: just the reserve
    assert space.enforce().notices == ()
    disk.others = 80 * MB
    assert space.enforce().notices == (f"{disk.folder}: stills and clips are recorded again: the disk has 16 MB free",)
    assert space.refusal() is None


def test_footage_that_goes_all_the_time_is_not_said_all_the_time(disk: Disk) -> None:
    clock = Clock()
    for number in range(20):
        footage(disk.folder, 1, number)
    space = Retention(disk.folder, limits(), disk, clock)
    said = 0
    for _ in range(12):
        disk.others = disk.free + disk.others - 9 * MB
        clock.t += 100
        done = space.enforce()
        assert len(names(done.removed)) == 2
        said += len(done.notices)
    assert said == 2


def test_nothing_but_footage_is_removed(disk: Disk) -> None:
    others = ["bj-07.journal", "bj-07.journal-wal", "evidence/notes.txt", "evidence/by-hand/a.jpg"]
    others.append(f"evidence/{day(99)}/notes.txt")
    for name in others:
        store_file(disk.folder, name, b"x" * 100)
    ours = footage(disk.folder, 99, 1)
    disk.others = 99 * MB
    space = Retention(disk.folder, limits(days=0.01, gigabytes=0.000_000_1), disk, Clock())
    assert names(space.enforce().removed) == ours
    assert all((disk.folder / name).is_file() for name in others)


def test_the_ballast_lies_ready_is_given_back_and_made_again(disk: Disk) -> None:
    space, path = Retention(disk.folder, limits(), disk, Clock()), disk.folder / "ballast"
    assert path.stat().st_size == 4 * MB
    assert path.stat().st_blocks * 512 >= 4 * MB
    assert space.give_back()
    assert not path.exists()
    assert not space.give_back()
    disk.others = 89 * MB
    assert space.enforce().notices == (
        f"{disk.folder}: the disk is full; the 4.0 MB held in reserve for the journal were released; make room",
    )
    assert not path.exists()  # there is no room for it beside the reserve
    disk.others = 80 * MB
    space.enforce()
    assert path.stat().st_size == 4 * MB


def test_the_oldest_footage_makes_room_for_the_ballast(disk: Disk) -> None:
    written = [footage(disk.folder, 9 - number, number) for number in range(8)]
    disk.others = 81 * MB  # 11 MB are free: the reserve, and not enough for the ballast
    space = Retention(disk.folder, limits(), disk, Clock())
    assert not (disk.folder / "ballast").exists()
    assert names(space.enforce().removed) == [name for names in written[:3] for name in names]
    assert (disk.folder / "ballast").exists()


def test_a_ballast_that_a_crash_cut_short_is_made_anew(disk: Disk) -> None:
    (disk.folder / "ballast").write_bytes(b"x" * 1000)
    Retention(disk.folder, limits(), disk, Clock())
    assert (disk.folder / "ballast").stat().st_size == 4 * MB


def test_no_ballast_where_none_is_wanted(disk: Disk) -> None:
    space = Retention(disk.folder, limits(ballast=0), disk, Clock())
    assert not (disk.folder / "ballast").exists()
    assert not space.give_back()


def test_footage_that_cannot_be_removed_is_said_once(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    footage(disk.folder, 99, 1)
    space = Retention(disk.folder, limits(), disk, Clock())

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, os.strerror(30))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        assert space.enforce().notices == (f"{disk.folder}: old evidence cannot be removed: read-only file system",)
        assert space.enforce() == type(space.enforce())()
        disk.others = 95 * MB
        (said,) = space.enforce().notices
        assert "no evidence can be removed" in said
    disk.others = 0
    done = space.enforce()
    assert len(names(done.removed)) == 2
    assert len(done.notices) == 1


def test_a_disk_that_does_not_answer_is_said_and_ends_nothing(disk: Disk) -> None:
    space = Retention(disk.folder, limits(), disk, Clock())

    def broken(_: Path) -> Disk:
        raise OSError(5, os.strerror(5))

    space.free = broken
    assert space.enforce().notices == (f"{disk.folder}: old evidence cannot be removed: input/output error",)
    space.free = disk
    assert space.enforce().notices == ()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UsageError, match=r"file/record: expected a folder to record in: not a directory; name another"):
        Retention(tmp_path / "file" / "record", limits())


def test_the_reserve_is_a_gigabyte_or_a_hundredth(disk: Disk) -> None:
    space = Retention(disk.folder, RetentionLimits(ballast=0), disk, Clock())
    assert space.reserve == 1_000_000_000
    disk.total = 256_000_000_000
    assert space.reserve == 2_560_000_000


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 8 MB, or have a folder where no one may mount."""
    with mounted(tmp_path / "disk", 8 << 20) as there:
        yield there if there is not None else tmp_path


def test_the_ballast_takes_real_room_and_gives_it_back(small: Path) -> None:
    """On a disk of its own, which is really full; where none can be mounted, on the one that is there."""
    before = os.statvfs(small).f_bavail * os.statvfs(small).f_frsize
    space = Retention(small, RetentionLimits(reserve=1 << 20, ballast=2 << 20))
    lies = os.statvfs(small).f_bavail * os.statvfs(small).f_frsize
    if small.is_mount():
        assert before - lies >= 2 << 20
        with pytest.raises(OSError, match="No space left"):
            (small / "filler").write_bytes(bytes(8 << 20))
        assert os.statvfs(small).f_bavail == 0
    assert space.give_back()
    (small / "journal").write_bytes(bytes(1 << 20))
    assert (small / "journal").stat().st_size == 1 << 20


def test_what_a_table_will_take_is_said_before_it_does(disk: Disk) -> None:
    assert measure_use(disk.folder) == DiskUse(JOURNAL_DAY, ALERT_BYTES, ALERTS_DAY)
    assert estimate(DiskUse(), RetentionLimits(), 400, 78_000_000_000) == (
        "about 45 MB a day of journal, 18.0 GB in 400 days; about 2.0 MB an alert, and at 50 alerts a day "
        "30 days take 3.0 GB of 78.0 GB free"
    )
    assert estimate(DiskUse(), RetentionLimits(), 400, 20_000_000_000).endswith(
        "of 20.0 GB free: that is more than there is; the oldest evidence will be removed early"
    )
    assert estimate(DiskUse(alerts_day=9000), RetentionLimits(), 400, 250_000_000_000).endswith(
        "of 250.0 GB free; only the newest 200 GB are kept (record.gigabytes)"
    )


def test_what_a_table_left_so_far_is_what_it_is_judged_by(disk: Disk) -> None:
    for number in range(6):
        footage(disk.folder, number // 2, number, 3 * MB)
    path = disk.folder / "bj-07.journal"
    journal = Journal(path, "bj-07")
    for at in ("2026-01-01T00:00:00.000Z", "2026-01-03T00:00:00.000Z"):
        journal.add(at, [Fact("event", "x" * 10_000)])
    journal.close()
    assert measure_use(disk.folder, path) == DiskUse(path.stat().st_size / 2, 3 * MB, 2.0)


@pytest.mark.parametrize("data", [b"", b"no journal at all" * 99])
def test_no_journal_to_judge_by(disk: Disk, data: bytes) -> None:
    path = disk.folder / "bj-07.journal"
    assert measure_use(disk.folder, path).journal_day == JOURNAL_DAY
    path.write_bytes(data)
    assert measure_use(disk.folder, path).journal_day == JOURNAL_DAY
    path.unlink()
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE entry (seq INTEGER, at TEXT)")
    base.close()
    assert measure_use(disk.folder, path).journal_day == JOURNAL_DAY
