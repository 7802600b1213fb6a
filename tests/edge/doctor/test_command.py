"""`feltwatch doctor`: finds what is wrong, says what to do, and one check that breaks stops no other."""

import os
import re
import resource
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from feltwatch.edge.cli.main import main
from feltwatch.edge.config.camera_parts import CameraFile
from feltwatch.edge.config.paths import journal_path, record_folder
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.doctor import camera as doctor_camera
from feltwatch.edge.doctor.camera import camera, check_frame, connection_fault
from feltwatch.edge.doctor.checks import Check, CheckResult, CheckState, bad, ok, results_of, warn
from feltwatch.edge.doctor.command import checks_of_table
from feltwatch.edge.doctor.host import clock, files, heat, memory, networks, processor
from feltwatch.edge.doctor.record import FREE_BYTES, PROVED, WAITING, fits, journal, kind_of, room, speed
from feltwatch.edge.health.device import Device
from feltwatch.edge.journal.store import Fact, Journal, claimed
from feltwatch.models.shipped import registry
from feltwatch.models.shipped.registry import ModelError
from feltwatch.vision.detection.known_deck import write_deck
from feltwatch.vision.geometry.calibration import Lens
from tests.edge.scripted_watcher import SIZE, write_table, write_video
from tests.vision.toy_deck import house

AT = "2026-01-02T03:04:05.678Z"
OK, WARN, BAD = CheckState.OK, CheckState.WARN, CheckState.BAD


def states(found: Iterator[CheckResult]) -> list[CheckState]:
    return [one.state for one in found]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Make a film of half a second, and a table whose camera it is and whose record lies beside it."""
    write_video(tmp_path / "demo.mp4", [n / 25 for n in range(12)])
    path = write_table(tmp_path / "table.toml")
    path.write_text(path.read_text("utf-8") + '[record]\nfolder = "kept"\n')
    return path


@pytest.fixture
def table(given: Path) -> TableFile:
    return read_table(given)


# --- the command


def test_a_table_that_is_well_is_told_line_by_line(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "-c", str(given)]) == 0
    *lines, end = capsys.readouterr().out.splitlines()
    assert all(re.match(r"(ok   |warn ) \w+: \S", line) for line in lines)
    names = [*dict.fromkeys(line.split()[1] for line in lines)]
    looked_at = "clock processor memory heat files networks table camera broker disk journal"
    assert names == [f"{name}:" for name in looked_at.split()]
    assert re.fullmatch(rf"0 faults and \d warnings? in {len(lines)} findings", end)


def test_a_fault_is_a_line_that_says_what_to_do(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given.write_text(given.read_text("utf-8").replace('"demo.mp4"', '"away.mp4"'))
    assert main(["doctor", "-c", str(given)]) == 1
    said = capsys.readouterr().out
    assert "bad   camera: " in said
    assert "away.mp4: expected a video that can be read, found none" in said
    assert "1 fault and" in said


def test_a_wrong_table_file_is_a_fault_and_one_that_is_not_there_wrong_usage(
    given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    well = given.with_name("other.toml")
    well.write_text(given.read_text("utf-8"))
    given.write_text(given.read_text("utf-8").replace("decks", "deks"))
    assert main(["doctor", "-c", str(given), "-c", str(well)]) == 1
    said = capsys.readouterr().out
    assert f"bad   {given}: table: " in said
    assert "unknown" in said or "deks" in said
    assert f"{given}: camera" not in said  # what it says is not known
    assert f"ok    {well}: camera" in said
    assert main(["doctor", "-c", str(given.with_name("none.toml"))]) == 2
    assert main(["doctor"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_check_that_breaks_is_itself_a_fault() -> None:
    def breaks() -> Iterator[CheckResult]:
        yield ok("so far")
        raise ZeroDivisionError("no camera has nought")

    first, last = results_of(Check("camera", breaks))
    assert first == ok("so far")
    assert last == bad("this check itself failed (ZeroDivisionError: no camera has nought); please report it")


def test_a_check_that_hangs_is_a_fault_and_is_left_behind() -> None:
    enough = threading.Event()

    def hangs() -> Iterator[CheckResult]:
        yield warn("so far")
        enough.wait(60)

    began = time.monotonic()
    first, last = results_of(Check("camera", hangs), limit_s=0.2)
    assert (first.state, last.state) == (WARN, BAD)
    assert "no answer within" in last.says
    assert time.monotonic() - began < 30
    enough.set()


def test_a_library_that_does_not_load_is_found(
    given: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "feltwatch.edge.doctor.camera", None)  # as one that lacks a system library
    assert main(["doctor", "-c", str(given)]) == 1
    said = capsys.readouterr().out
    assert "bad   camera: this check itself failed (ModuleNotFoundError: " in said
    assert "ok    journal: " in said


# --- the device


@pytest.mark.parametrize(
    ("now", "right", "state", "says"),
    [
        (1_800_000_000.0, True, OK, "2027-01-15 08:00:00 UTC, kept right by a time server"),
        (1_800_000_000.0, False, WARN, "install chrony"),
        (1_800_000_000.0, None, WARN, "check it outside the container"),
        (86_400.0, True, BAD, "1970-01-02 00:00:00 UTC: this is in the past; set the clock"),
    ],
)
def test_the_clock(now: float, state: CheckState, says: str, *, right: bool | None) -> None:
    (found,) = clock(lambda: now, lambda: right)
    assert found.state == state
    assert says in found.says


@pytest.mark.parametrize(("cores", "tables", "state"), [(1, 1, WARN), (2, 1, OK), (2, 2, OK), (2, 3, WARN)])
def test_the_processor(cores: int, tables: int, state: CheckState) -> None:
    assert states(processor(lambda: cores, tables)) == [state]


def test_memory_and_heat(tmp_path: Path) -> None:
    device = Device(tmp_path / "sys", tmp_path)
    assert states(memory(device)) == [BAD]
    (tmp_path / "meminfo").write_text("MemTotal: 4000000 kB\nMemAvailable: 1500000 kB\n")
    assert [states(memory(device, tables)) for tables in (1, 2)] == [[OK], [WARN]]
    assert states(heat(device)) == [OK]
    sensor = tmp_path / "sys/class/thermal/thermal_zone0/temp"
    sensor.parent.mkdir(parents=True)
    for told, state in (("61000", OK), ("91000", WARN)):
        sensor.write_text(told)
        (found,) = heat(device)
        assert found.state == state
        assert f"{told[:2]} °C" in found.says


@pytest.mark.parametrize(("limit", "state"), [(128, BAD), (512, WARN), (1_024, OK), (resource.RLIM_INFINITY, OK)])
def test_how_many_files_may_be_open(limit: int, state: CheckState) -> None:
    (found,) = files(lambda: limit)
    assert found.state == state


def test_the_networks_are_those_that_were_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert states(networks())[:2] == [OK, OK]
    manifest = tmp_path / "manifest.toml"
    manifest.write_text(registry.MANIFEST.read_text("utf-8"))
    for one in registry.models().values():
        (tmp_path / one.file).write_bytes(b"altered" + one.load())
    monkeypatch.setattr(registry, "model", lambda name: _of(manifest, name))
    (found,) = networks()
    assert found.state == BAD
    assert "expected sha256" in found.says
    assert "install feltwatch again" in found.says


def _of(manifest: Path, name: str) -> registry.Model:
    found = registry.models(manifest).get(name)
    if found is None:
        raise ModelError(name)
    return found


def test_the_provider_of_a_tables_file_is_checked(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given.write_text(given.read_text("utf-8") + '\n[vision]\nprovider = "tensorrt"\n', "utf-8")
    assert main(["doctor", "-c", str(given)]) == 1
    assert "bad   provider: provider 'tensorrt': not in this ONNX Runtime, which has cpu" in capsys.readouterr().out


# --- the camera


def of(table: TableFile, source: str) -> CameraFile:
    return replace(table.first, source=source)


def test_a_film_that_stands_for_a_camera(table: TableFile) -> None:
    found = [*camera(table, table.first)]
    assert [one.state for one in found] == [OK, OK, OK]
    assert "320 x 180" in found[1].says
    assert "all that this camera watches is in view" in found[2].says


def test_a_stream_is_watched_for_a_while(table: TableFile, monkeypatch: pytest.MonkeyPatch) -> None:
    film = write_video(table.path.parent / "long.mp4", [n / 25 for n in range(400)])
    monkeypatch.setattr(doctor_camera, "WATCHED_S", 0.005)
    first, light, layout = camera(table, of(table, f"file://{film}"))
    assert "first frame after" in first.says
    assert (first.state, light.state, layout.state) == (OK, OK, OK)
    monkeypatch.setattr(doctor_camera, "WATCHED_S", 30.0)  # it ends before
    assert "it stopped after" in [*camera(table, of(table, f"file://{film}"))][-1].says


def test_a_frozen_stream_is_found(table: TableFile, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = np.random.default_rng(1).integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
    look = doctor_camera.CameraProbe(0.5, picture, 25.0, frozen=True)
    monkeypatch.setattr(doctor_camera, "probe", lambda _: look)
    monkeypatch.setattr(doctor_camera, "connection_fault", lambda _: None)
    assert [one.state for one in camera(table, of(table, "rtsp://10.0.0.7/"))] == [OK, BAD, OK, OK]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "found none; name the camera"),
        ("99", "/dev/video99: no such device; plug the camera in"),
        ("rtsp://user:hunter2@127.0.0.1:1/table", "127.0.0.1:1: no answer (connection refused)"),
        ("rtsp://no-such-camera.invalid/7", "the name cannot be resolved"),
        ("rtsp://[::1/7", "not an address"),
        ("file:///nowhere.mp4", "it answers, but sends no video"),
    ],
)
def test_a_camera_that_does_not_deliver(source: str, says: str, table: TableFile) -> None:
    table.path.chmod(0o600)  # one of the addresses holds a password
    (found,) = camera(table, of(table, source))
    assert found.state == BAD
    assert says in found.says
    assert "hunter2" not in found.says


def test_a_camera_that_answers_and_sends_nothing(table: TableFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_camera, "PATIENCE_MS", 300)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        source = f"rtsp://127.0.0.1:{deaf.getsockname()[1]}/7"
        assert connection_fault(source) is None
        (found,) = camera(table, of(table, source))
    assert "it answers, but sends no video" in found.says


@pytest.mark.parametrize(
    ("low", "high", "state", "says"),
    [
        (0, 9, BAD, "nothing is visible"),
        (90, 91, BAD, "nothing is visible"),  # one colour
        (0, 70, WARN, "the image is dark"),
        (210, 256, WARN, "too bright"),
        (0, 256, OK, "contrast"),
    ],
)
def test_the_light_on_the_table(low: int, high: int, state: CheckState, says: str, table: TableFile) -> None:
    picture = np.random.default_rng(1).integers(low, high, (SIZE[1], SIZE[0], 3), np.uint8)
    found, layout = check_frame(table, table.first, picture)
    assert (found.state, layout.state) == (state, OK)
    assert says in found.says


def test_a_table_out_of_view_is_found(table: TableFile) -> None:
    nearer = [
        (mark, [mid + 1.4 * (x - mid) for x, mid in zip(mark.image, (160, 90), strict=True)]) for mark in table.marks
    ]
    moved = tuple(replace(mark, image=(x, y)) for mark, (x, y) in nearer)
    picture = np.random.default_rng(1).integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
    _, found = check_frame(table, replace(table.first, marks=moved, lens=Lens()), picture)
    assert found.state == BAD
    assert "leaves the picture" in found.says
    assert "calibrate it again" in found.says


def test_each_camera_is_looked_at_by_its_name(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = given.read_text("utf-8").replace("[[camera.points]]", "[[cameras.points]]")
    one = text[text.index("[camera]") : text.index("[record]")].replace("[camera]", "[[cameras]]\nname = '{}'")
    two = (
        one.format("main"),
        one.format("side").replace("demo.mp4", "away.mp4").replace("lens", "watches = []\nlens", 1),
    )
    given.write_text(text[: text.index("[camera]")] + "".join(two) + text[text.index("[record]") :])
    assert main(["doctor", "-c", str(given)]) == 1
    said = capsys.readouterr().out
    assert "ok    camera main: all that this camera watches is in view" in said
    assert "bad   camera side: " in said
    write_video(given.with_name("away.mp4"), [0.0, 0.04])
    assert main(["doctor", "-c", str(given)]) == 0
    assert "ok    camera side: this camera only records; its points fit" in capsys.readouterr().out


# --- the disk


def test_a_disk_with_room(table: TableFile) -> None:
    folder = record_folder(table, {})
    assert folder == table.path.parent / "kept"
    found = [*room(table, {}, Path("/proc/self/mounts"))]
    assert BAD not in [one.state for one in found]
    assert "missing; feltwatch creates it" in found[-1].says
    assert not folder.exists()  # who looks makes nothing
    folder.mkdir()
    assert "a write reaches the disk after" in [*room(table, {})][-1].says
    assert [*folder.iterdir()] == []


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/proc/sys").is_dir(), reason="needs /proc")
def test_a_disk_that_takes_nothing(table: TableFile) -> None:
    kept = replace(table, record=structs.replace(table.record, folder=Path("/proc/sys/feltwatch")))
    (found,) = room(kept, {})
    assert found.state == BAD
    assert "/proc/sys: this user may not write there" in found.says or "does not report" in found.says


def test_a_file_where_a_folder_should_be(table: TableFile) -> None:
    record_folder(table, {}).write_text("a file")
    (found,) = room(table, {})
    assert found.state == BAD


def test_a_folder_that_goes_away_is_found(tmp_path: Path) -> None:
    (found,) = speed(tmp_path / "gone")
    assert found.state == BAD
    assert "cannot be written: no such file or directory" in found.says


@pytest.mark.parametrize(("each_s", "state"), [(0.001, OK), (0.08, WARN), (1.5, BAD)])
def test_a_slow_disk_is_found(each_s: float, state: CheckState, tmp_path: Path) -> None:
    times = iter(n * each_s for n in range(99))
    assert states(speed(tmp_path, lambda: next(times))) == [state]


def test_days_that_fit(table: TableFile) -> None:
    assert fits(table, 256_000_000_000).state == OK
    assert "room for 250 days" in fits(table, 256_000_000_000).says  # no more than record.gigabytes
    assert fits(table, FREE_BYTES[0]).state == WARN
    assert fits(replace(table, record=structs.replace(table.record, gigabytes=1.0)), 10**12).state == WARN


def test_a_disk_that_forgets_is_found(table: TableFile, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    here = str(table.path.parent.resolve()).replace(" ", r"\040")
    mounts.write_text(f"/dev/sda / ext4 rw 0 0\ntmpfs {here} tmpfs rw 0 0\nother {here}x btrfs rw 0 0\n")
    assert kind_of(table.path.parent, mounts) == "tmpfs"
    assert kind_of(Path("/"), mounts) == "ext4"
    assert [
        one for one in room(table, {}, mounts) if one.state == WARN and "files there are stored in memory" in one.says
    ]


# --- the journal


@pytest.fixture
def kept(table: TableFile) -> Path:
    """Give a journal of forty entries."""
    path = journal_path(table, {})
    path.parent.mkdir()
    written = Journal(path, table.id)
    for n in range(40):
        written.add(AT, [Fact("event", f'{{"n":{n}}}')])
    written.sent([(31, None)])
    written.close()
    return path


def tampered(path: Path, command: str) -> None:
    base = sqlite3.connect(path)
    base.execute(command)
    base.commit()
    base.close()


def test_a_journal_that_is_whole(table: TableFile, kept: Path) -> None:
    first, waiting, free = journal(table, {})
    assert (first.state, waiting.state, free.state) == (OK, OK, OK)
    assert f"{kept}: 40 entries, to {AT}; the last 40 are as written" in first.says
    assert waiting.says == "10 entries wait for the broker"
    assert not kept.with_name(f"{kept.name}.lock").exists()


def test_gaps_that_wait_for_the_broker_are_counted(table: TableFile, kept: Path) -> None:
    written = Journal(kept, table.id)
    written.sent([(3, 5), (7, 7), (41, None)])
    written.close()
    assert [*journal(table, {})][1] == ok("4 entries wait for the broker")
    written = Journal(kept, table.id)
    written.add(AT, [Fact("event", "{}")] * (WAITING + 1))
    written.close()
    first, waiting, _ = journal(table, {})
    assert f"the last {PROVED + 1} are as written" in first.says
    assert waiting.state == WARN


@pytest.mark.parametrize("seq", [2, 17, 40])
def test_an_entry_that_was_altered_is_found(seq: int, table: TableFile, kept: Path) -> None:
    tampered(kept, f"UPDATE entry SET body = '{{}}' WHERE seq = {seq}")  # noqa: S608  of this test alone
    found = next(iter(journal(table, {})))
    assert found.state == BAD
    assert f"entry {seq} is not what was written" in found.says


def test_a_journal_of_another_table_and_no_journal_at_all(table: TableFile, kept: Path) -> None:
    tampered(kept, "UPDATE about SET value = 'bj-99' WHERE name = 'table'")
    found = next(iter(journal(table, {})))
    assert "expected the journal of 'demo', found that of 'bj-99'" in found.says
    kept.write_bytes(b"no journal at all, but text of some length" * 50)
    found = next(iter(journal(table, {})))
    assert (found.state, "keep a copy of it" in found.says) == (BAD, True)


def test_whoever_runs_on_a_journal_is_seen(table: TableFile, kept: Path) -> None:
    with claimed(kept):
        found = [*journal(table, {})][-1]
        assert found.state == WARN
        assert "another feltwatch runs on it" in found.says
    assert [*journal(table, {})][-1] == ok("no other feltwatch runs on it")


def test_where_a_record_lies(given: Path) -> None:
    named = read_table(given)
    free = replace(named, record=structs.replace(named.record, folder=None))
    assert record_folder(named, {"STATE_DIRECTORY": "/var/lib/feltwatch"}) == given.parent / "kept"
    assert record_folder(free, {"STATE_DIRECTORY": "/var/lib/feltwatch:/other"}) == Path("/var/lib/feltwatch/demo")
    assert record_folder(free, {}) == free.path.parent / "demo.record"
    assert journal_path(free, {"STATE_DIRECTORY": "/s"}) == Path("/s/demo/demo.journal")


# --- the deck


def test_the_table_s_own_deck_is_shown(given: Path) -> None:
    names = [one.name for one in checks_of_table(read_table(given), {})]
    text = given.read_text("utf-8").replace("[table]\n", '[table]\ndeck = "own.deck"\nlearn_deck = true\n', 1)
    given.write_text(text, "utf-8")
    table, path = read_table(given), given.parent / "own.deck"
    checks = {one.name: one for one in checks_of_table(table, {})}
    assert set(checks) - set(names) == {"deck"}
    (found,) = checks["deck"].run()
    assert found == ok(f"{path}: none is there yet; `run` learns it from the cards on the table")
    write_deck(path, house())
    (found,) = checks["deck"].run()
    assert found == ok(
        f"{path}: Example, blue, learnt 2026-11-20 from photographs, {house().digest[:12]}…, with its back"
    )
    path.write_bytes(path.read_bytes()[:-9])
    (found,) = checks["deck"].run()
    assert found.state == BAD
    assert found.says.startswith(f"{given}: table.deck: {path}: expected a file that `feltwatch deck` wrote")
