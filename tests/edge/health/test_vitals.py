"""Health: the facts are those that were noted and those that the kernel's files hold, and a stuck table is named."""

import os
import threading
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest

from feltwatch.edge.health.device import (
    TIMESYNC_MARK,
    ClockJump,
    Device,
    WallClock,
    is_synchronised,
    read_clock_error_us,
    read_disk_space,
)
from feltwatch.edge.health.latency import BOUNDS, LARGEST_WINDOW, LatencyRecorder, LatencySummary, RecentRate
from feltwatch.edge.health.vitals import STUCK_S, HealthMonitor, HealthSources, Telemetry, find_stuck
from tests.edge.health.health_report import WELL, in_trouble


@dataclass
class Hand:
    """A clock that is set by hand."""

    at: float = 1_000.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Camera:
    came: int = 0
    dropped: int = 0


# --- how long things take


def test_half_and_nearly_all_of_the_last_minute() -> None:
    now = Hand()
    lags = LatencyRecorder(now)
    assert lags.summary() == LatencySummary(0, None, None)
    for n in range(1, 101):
        lags.record(n / 100)
    assert lags.summary() == LatencySummary(100, 0.5, 0.99)
    now.at += 59.9
    lags.record(7.0)
    assert lags.summary().count == 101
    now.at += 0.2  # the hundred are more than a minute old
    assert lags.summary() == LatencySummary(1, 7.0, 7.0)
    assert lags.histogram().counts[-1] == 101  # which forgets nothing


def test_a_histogram_counts_what_is_no_longer_than_each_bound() -> None:
    lags = LatencyRecorder(Hand())
    for seconds in (0.0, 0.005, 0.0051, 0.3, 10.0, 11.0, -1.0):
        lags.record(seconds)
    found = lags.histogram()
    assert dict(zip((*BOUNDS, None), found.counts, strict=True)) == {
        0.005: 3,
        0.01: 4,
        0.025: 4,
        0.05: 4,
        0.1: 4,
        0.25: 4,
        0.5: 5,
        1.0: 5,
        2.5: 5,
        5.0: 5,
        10.0: 6,
        None: 7,
    }
    assert found.sum_s == pytest.approx(21.3101)
    assert all(one <= other for one, other in pairwise(found.counts))


def test_lags_hold_no_more_than_so_many_whatever_comes() -> None:
    lags = LatencyRecorder(Hand())
    for n in range(LARGEST_WINDOW + 500):
        lags.record(float(n >= 500))
    assert lags.summary() == LatencySummary(LARGEST_WINDOW, 1.0, 1.0)


def test_lags_lose_none_of_many_threads() -> None:
    lags = LatencyRecorder()

    def fill() -> None:
        for _ in range(2_000):
            lags.record(0.01)

    threads = [threading.Thread(target=fill) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert lags.histogram().counts[-1] == 8_000


def test_a_rate_is_over_the_last_ten_seconds() -> None:
    rate = RecentRate()
    assert rate.update(0.0, 0) == 0.0
    assert rate.update(0.05, 99) == 0.0  # too early to say
    assert [rate.update(float(t), 25 * t) for t in range(1, 31)] == [pytest.approx(25.0)] * 30
    assert [round(rate.update(float(t), 750), 1) for t in (31, 35, 40)] == [22.5, 12.5, 0.0]


# --- the clock


def clocks() -> tuple[WallClock, Hand, Hand]:
    wall, steady = Hand(1_800_000_000.0), Hand()
    return WallClock(wall, steady), wall, steady


@pytest.mark.parametrize(
    ("by", "says"),
    [
        (-3_600.0, "the clock went back 3,600 s"),
        (3_600.0, "the clock went forward 3,600 s"),
        (1.2, "the clock went forward 1.2 s"),
        (-86_400.5, "the clock went back 86,400.5 s"),
    ],
)
def test_a_clock_that_leaps_is_noticed_at_the_next_look_once(by: float, says: str) -> None:
    clock, wall, steady = clocks()
    steady.at += 0.5
    wall.at += 0.5 + by
    found = clock.find_jump()
    assert isinstance(found, ClockJump)
    assert str(found) == says
    for _ in range(10):
        steady.at += 0.5
        wall.at += 0.5
        assert clock.find_jump() is None
    assert clock.jumps == 1
    assert clock.jumped_s == pytest.approx(by)


def test_a_clock_that_is_set_right_bit_by_bit_leaps_not() -> None:
    clock, wall, steady = clocks()
    for _ in range(20_000):
        steady.at += 0.5
        wall.at += 0.5 * 1.0005
        assert clock.find_jump() is None
    assert wall.at - steady.at - 1_800_000_000.0 + 1_000.0 == pytest.approx(5.0, abs=0.01)


def test_small_steps_that_add_up_are_a_leap() -> None:
    clock, wall, steady = clocks()
    found = []
    for _ in range(4):
        steady.at += 0.5
        wall.at += 0.5 + 0.4
        found.append(clock.find_jump())
    assert [one is not None for one in found] == [False, False, True, False]


def test_being_put_aside_between_two_readings_is_no_leap() -> None:
    steady = Hand()
    aside = [0.0, 0.0, 3.0, 0.0, 0.0, 0.0]

    def wall() -> float:
        read = steady.at + 1_800_000_000.0
        steady.at += aside.pop(0) if aside else 0.0  # the machine did something else for three seconds
        return read

    clock = WallClock(wall, steady)
    assert [clock.find_jump() for _ in range(4)] == [None] * 4
    assert aside == []


def test_the_clock_of_this_machine_does_not_leap() -> None:
    assert WallClock().find_jump() is None


def test_whether_the_clock_is_set_right(tmp_path: Path) -> None:
    mark = tmp_path / "timesync" / "synchronized"
    assert is_synchronised(lambda: 900, mark) is True
    assert is_synchronised(lambda: 16_000_000, mark) is False
    assert is_synchronised(lambda: None, mark) is None  # unknown
    mark.parent.mkdir()
    assert is_synchronised(lambda: None, mark) is False  # timesyncd runs, and has not reached anybody
    mark.touch()
    assert is_synchronised(lambda: None, mark) is True


def test_the_kernel_tells_of_its_clock_or_says_that_it_does_not() -> None:
    found = read_clock_error_us()
    assert found is None or found >= 0
    assert is_synchronised() in (True, False, None)
    assert TIMESYNC_MARK.is_absolute()


# --- the device


def sensor(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_the_hottest_that_is_plausible_is_told(tmp_path: Path) -> None:
    device = Device(sys=tmp_path)
    assert device.read_temperature_c() is None
    sensor(tmp_path / "class/thermal/thermal_zone0/temp", "61500\n")
    sensor(tmp_path / "class/thermal/thermal_zone1/temp", "no number\n")
    sensor(tmp_path / "class/hwmon/hwmon0/temp1_input", "48000\n")
    sensor(tmp_path / "class/hwmon/hwmon1/temp1_input", "4294967295\n")  # nothing is connected
    assert device.read_temperature_c() == 61.5
    (tmp_path / "class/hwmon/hwmon0/temp1_input").write_text("72250")
    assert device.read_temperature_c() == 72.25


def test_memory_as_the_kernel_tells_it(tmp_path: Path) -> None:
    device = Device(proc=tmp_path)
    assert device.read_memory() is None
    (tmp_path / "meminfo").write_text("MemTotal:        8000 kB\nMemFree:  1 kB\nMemAvailable:    5000 kB\n")
    assert device.read_memory() == (5_000 * 1024, 8_000 * 1024)
    (tmp_path / "meminfo").write_text("MemTotal:\n")
    assert device.read_memory() is None


def test_what_this_process_holds(tmp_path: Path) -> None:
    before = Device().read_process()
    assert before.resident_bytes > 10_000_000
    assert before.open_files > 2
    files = [(tmp_path / str(n)).open("w") for n in range(5)]
    assert Device().read_process().open_files == before.open_files + 5
    for file in files:
        file.close()
    assert Device().read_process().open_files == before.open_files
    assert Device(proc=tmp_path).read_process().resident_bytes == 0


def test_the_room_on_a_disk(tmp_path: Path) -> None:
    found = read_disk_space(tmp_path)
    assert found is not None
    assert 0 < found.free_bytes < found.size_bytes
    assert found.size_bytes == os.statvfs(tmp_path).f_blocks * os.statvfs(tmp_path).f_frsize
    assert read_disk_space(tmp_path / "none") is None


# --- all together


def leapt() -> WallClock:
    clock, wall, _ = clocks()
    wall.at -= 60
    assert clock.find_jump()
    return clock


def health(tmp_path: Path, now: Hand, **cameras: Camera) -> tuple[HealthMonitor, Telemetry]:
    telemetry = Telemetry(now)
    return HealthMonitor(
        HealthSources(
            table="bj-07",
            telemetry=telemetry,
            cameras=cameras,
            seq=lambda: 17,
            outbox=lambda: 4,
            broker=lambda: True,
            folder=tmp_path,
            clock=leapt(),
            synchronised=lambda: None,
            device=Device(sys=tmp_path),
        )
    ), telemetry


def test_what_the_threads_noted_is_what_is_told(tmp_path: Path) -> None:
    now, main, side = Hand(), Camera(), Camera(came=3, dropped=1)
    found, telemetry = health(tmp_path, now, main=main, side=side)
    found.vitals()
    now.at += 10
    main.came, main.dropped = 250, 20
    telemetry.record_step(0.03)
    telemetry.lag.record(0.125)
    telemetry.count_alert("stop")
    telemetry.count_round("unresolved")
    telemetry.set_trouble("side", "the picture is black")
    now.at += 2
    told = found.vitals()
    assert [(one.name, one.came, one.dropped, one.up, one.trouble) for one in told.cameras] == [
        ("main", 250, 20, True, None),
        ("side", 3, 1, False, "the picture is black"),
    ]
    assert told.cameras[0].fps == pytest.approx(250 / 12)
    assert (told.uptime_s, told.stepped_s) == (12.0, 2.0)
    assert (told.lag, told.inference) == (LatencySummary(1, 0.125, 0.125), LatencySummary(1, 0.03, 0.03))
    assert told.alerts == {"void": 0, "stop": 1, "correct": 0, "advise": 0}
    assert told.rounds == {"completed": 0, "void": 0, "unresolved": 1}
    assert (told.seq, told.outbox, told.broker, told.jumps, told.jumped_s) == (17, 4, True, 1, -60.0)
    assert (told.came, told.dropped) == (253, 21)
    assert told.fps == pytest.approx(1 / 12)  # one step
    assert (told.synchronised, told.temperature_c) == (None, None)
    assert told.disk == read_disk_space(tmp_path)
    telemetry.set_trouble("side", None)
    telemetry.count_alert("stop")
    assert told.alerts["stop"] == 1  # a delivered message does not change
    assert found.vitals().cameras[1].up


def test_a_table_that_nobody_watches_is_named(tmp_path: Path) -> None:
    now = Hand()
    found, telemetry = health(tmp_path, now, main=Camera())
    now.at += STUCK_S
    assert find_stuck([found.vitals()]) == []
    now.at += 2
    assert find_stuck([found.vitals()]) == ["bj-07: no frame analysed for 12 s"]
    telemetry.record_step(0.1)
    assert find_stuck([found.vitals()]) == []


def test_a_camera_in_trouble_excuses_its_table_and_no_other() -> None:
    late = replace(WELL, stepped_s=11.0)
    assert find_stuck([in_trouble(late, "the camera is lost")]) == []
    assert find_stuck([in_trouble(late, "the camera is lost", None)]) != []  # the other one delivers
    assert find_stuck([in_trouble(late)]) != []
    two = [in_trouble(late, "the camera is lost"), replace(late, table="bj-08"), WELL]
    assert find_stuck(two) == ["bj-08: no frame analysed for 11 s"]
