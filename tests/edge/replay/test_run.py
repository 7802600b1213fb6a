"""`feltwatch replay`: the same bytes however often it is stopped, and one clear line for what is wrong."""

import argparse
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import pytest

from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.replay import checkpoint
from feltwatch.edge.replay.film import replay_film
from feltwatch.edge.replay.job import InterruptedReplayError, ReplayOrder
from feltwatch.edge.replay.output import altered, claimed, folders
from feltwatch.edge.replay.progress import Progress
from feltwatch.edge.replay.run import open_networks, orders_of, replay
from feltwatch.edge.stop_signal import stopping
from feltwatch.edge.video.video_file import FramePlace, VideoClock
from feltwatch.models.files import write_whole
from tests.edge.scripted_watcher import CLIPS, RecordedNetworks, open_recorded, write_table, write_video
from tests.json_events import as_json, typed

ROOT = Path(__file__).parents[3]
RECORDED = [sys.executable, "-m", "tests.edge.scripted_watcher"]
LENGTH = [n / 25 for n in range(876)]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a small film and its table."""
    folder = tmp_path_factory.mktemp("given")
    write_video(folder / "film.mp4", LENGTH)
    write_table(folder / "table.toml")
    return folder


@pytest.fixture(scope="module")
def whole(given: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Replay it without any trouble."""
    out = tmp_path_factory.mktemp("whole")
    assert replay(options(given, out, "--annotate"), open_recorded) == 0
    return out


def options(given: Path, out: Path, *more: str, videos: Sequence[Path] = ()) -> argparse.Namespace:
    names = [str(video) for video in videos] or [str(given / "film.mp4")]
    return command_parser().parse_args(
        ["replay", *names, "-c", str(given / "table.toml"), "-o", str(out), "--quiet", *more]
    )


def started(given: Path, out: Path, *more: str, before: Sequence[str] = ()) -> list[str]:
    arguments = [str(given / "film.mp4"), "-c", str(given / "table.toml"), "-o", str(out), "--quiet", *more]
    return [*RECORDED, *before, *arguments]


def run(command: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **environment}, timeout=120
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_replay_writes_a_folder_of_findings(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = contents(whole)
    assert set(found) == {
        f"film/{name}"
        for name in (
            "annotated.mp4",
            "done.json",
            "events.jsonl",
            "verdicts.jsonl",
            "report.html",
            "evidence/r2-dealer-overdraw-c18.jpg",
            "evidence/r2-dealer-overdraw-c18.webm",
        )
    }
    script = [json.loads(line) for line in (CLIPS / "demo.events.jsonl").read_text("utf-8").splitlines()]
    told = as_json(map(typed, script))
    events = [json.loads(line) for line in found["film/events.jsonl"].splitlines()]
    assert [event for event in events if event["event"] != "tick"] == told
    alerts = [json.loads(line) for line in found["film/verdicts.jsonl"].splitlines() if b'"alert"' in line]
    assert alerts[0]["code"] == "dealer-overdraw"
    done = json.loads(found["film/done.json"])
    assert (done["rounds"], done["alerts"]) == (2, 1)
    assert done["of"]["video"] in found["film/report.html"].decode()
    assert altered(whole / "film") is None
    del capsys


def test_nothing_of_this_machine_is_in_what_is_written(given: Path, whole: Path) -> None:
    for data in contents(whole).values():
        assert str(given).encode() not in data
        assert str(whole).encode() not in data
        assert str(ROOT).encode() not in data


def test_the_annotated_video_is_the_film_with_what_was_seen(given: Path, whole: Path) -> None:
    drawn, film = cv2.VideoCapture(str(whole / "film/annotated.mp4")), cv2.VideoCapture(str(given / "film.mp4"))
    assert drawn.get(cv2.CAP_PROP_FRAME_COUNT) == len(LENGTH)
    assert drawn.get(cv2.CAP_PROP_FPS) == 25
    picture, plain = drawn.read()[1], film.read()[1]
    assert picture.shape == plain.shape
    assert cv2.absdiff(picture, plain).max() > 100


def test_two_runs_give_the_same_bytes(
    given: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "other place"
    elsewhere.mkdir()
    for name in ("film.mp4", "table.toml"):
        shutil.copy(given / name, elsewhere)
    assert replay(options(elsewhere, tmp_path / "out", "--annotate"), open_recorded) == 0
    assert contents(tmp_path / "out") == contents(whole)
    said = capsys.readouterr()
    assert said.err == ""
    start = f"{elsewhere / 'film.mp4'}: 2 rounds, 1 alert, 2 doubts, "
    assert said.out.startswith(start)
    assert said.out.endswith(f" times real time -> {tmp_path / 'out' / 'film'}\n")


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_frame_it_goes_on_and_ends_the_same(seed: int, given: Path, whole: Path, tmp_path: Path) -> None:
    dice = random.Random(seed)  # noqa: S311  where to die
    frames = sorted(dice.sample(range(2, len(LENGTH)), 3))
    folder = deaths(tmp_path / "deaths", dict.fromkeys(frames, signal.SIGKILL))
    command = started(given, tmp_path / "out", "--annotate")
    codes = [run(command, DEATHS=str(folder)).returncode for _ in range(4)]
    assert codes == [-signal.SIGKILL] * 3 + [0]
    assert contents(tmp_path / "out") == contents(whole)


@pytest.mark.parametrize("count", [2, 6, 9, 14, 22, 30, 38, 42, 45])
def test_killed_at_any_write_it_goes_on_and_ends_the_same(count: int, given: Path, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    broken = run(started(given, out, "--annotate", before=["--die", str(count), str(out)]))
    assert broken.returncode == -signal.SIGKILL
    done = run(started(given, out, "--annotate"))
    assert (done.returncode, done.stderr) == (0, "")
    assert contents(out) == contents(whole)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_it_goes_on_from_that_frame(
    number: int, code: int, given: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given_deaths = deaths(tmp_path / "deaths", {400: number})
    command = options(given, tmp_path / "out", "--annotate")
    assert replay(command, lambda *_: RecordedNetworks(given_deaths)) == code
    assert "film.mp4: stopped at 16.0 s; the same command goes on from there\n" in capsys.readouterr().err
    assert not (tmp_path / "out/film").exists()
    deaths(given_deaths, {300: signal.SIGTERM})  # where it does not come again
    assert replay(command, lambda *_: RecordedNetworks(given_deaths)) == 0
    assert (given_deaths / "300").exists()
    assert contents(tmp_path / "out") == contents(whole)


def test_with_the_networks_too_it_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    """What they know of the table is kept and taken up again."""
    desk = open_networks("cpu", 2)
    order = ReplayOrder(CLIPS / "demo.mp4", CLIPS / "demo.table.toml", tmp_path / "whole" / "demo", since=27.0)
    told = replay_film(order, desk, lambda _: None, lambda: False)
    assert told.folder == order.folder
    parts = replace(order, folder=tmp_path / "parts" / "demo", keep_s=1.0)
    frames = iter(range(10_000))
    with pytest.raises(InterruptedReplayError, match=r"stopped at 30\.6 s"):
        replay_film(parts, desk, lambda _: None, lambda: next(frames) == 90)
    replay_film(parts, desk, lambda _: None, lambda: False)
    found = contents(parts.folder)
    assert found == contents(order.folder)
    assert b'"card"' in found["events.jsonl"]


def deaths(folder: Path, frames: Mapping[int, int]) -> Path:
    """Have a signal come at some frames."""
    folder.mkdir(exist_ok=True)
    for frame, number in frames.items():
        (folder / str(frame)).write_text(str(int(number)))
    return folder


def test_what_is_done_is_not_done_again(given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(options(given, tmp_path), open_recorded) == 0
    before = (tmp_path / "film").stat().st_mtime_ns, contents(tmp_path)
    assert replay(options(given, tmp_path), open_recorded) == 0
    assert ((tmp_path / "film").stat().st_mtime_ns, contents(tmp_path)) == before
    assert ", done before -> " in capsys.readouterr().out.splitlines()[1]
    assert replay(options(given, tmp_path, "--force"), open_recorded) == 0
    assert " times real time -> " in capsys.readouterr().out
    assert contents(tmp_path) == before[1]
    assert replay(options(given, tmp_path, "--annotate"), open_recorded) == 0
    assert (tmp_path / "film/annotated.mp4").exists()
    assert replay(options(given, tmp_path), open_recorded) == 0
    assert (tmp_path / "film/annotated.mp4").exists()


def test_another_table_is_another_result(given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine"
    shutil.copytree(given, mine)
    assert replay(options(mine, tmp_path / "out"), open_recorded) == 0
    table = (mine / "table.toml").read_text("utf-8")
    (mine / "table.toml").write_text(table.replace('site = "demo"', 'site = "elsewhere"'))
    assert replay(options(mine, tmp_path / "out"), open_recorded) == 0
    assert all(" times real time" in line for line in capsys.readouterr().out.splitlines())
    assert "elsewhere" in (tmp_path / "out/film/report.html").read_text("utf-8")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["film"]


def test_findings_that_were_altered_are_kept_and_told(
    given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(options(given, tmp_path), open_recorded) == 0
    with (tmp_path / "film/verdicts.jsonl").open("a") as file:
        file.write("{}\n")
    before = contents(tmp_path)
    assert replay(options(given, tmp_path), open_recorded) == 2
    assert contents(tmp_path) == before
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"feltwatch: {tmp_path}/film/verdicts.jsonl: expected the file that was written, found it")
    assert "--force" in line


def test_what_others_wrote_is_left_alone(given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "film").mkdir()
    (tmp_path / "film" / "notes.txt").write_text("mine")
    assert replay(options(given, tmp_path), open_recorded) == 2
    assert contents(tmp_path) == {"film/notes.txt": b"mine"}
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"feltwatch: {tmp_path}/film: expected a replay's folder, found other files;")


def test_videos_of_one_name_have_a_folder_each(given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "b" / "film.mkv"
    other.parent.mkdir()
    write_video(other, LENGTH[:400])
    videos = [given / "film.mp4", other, given / ".." / given.name / "film.mp4"]
    assert replay(options(given, tmp_path / "out", videos=videos), open_recorded) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2  # one was named twice
    before = contents(tmp_path / "out")
    assert {name.partition("/")[0] for name in before} == {"film", "film-2"}
    assert replay(options(given, tmp_path / "out", videos=[other]), open_recorded) == 0
    assert contents(tmp_path / "out") == before
    assert capsys.readouterr().out.endswith(f", done before -> {tmp_path}/out/film-2\n")
    third = tmp_path / "film.avi"
    write_video(third, LENGTH[:50], codec="mpeg4")
    assert folders([third], tmp_path / "out") == [tmp_path / "out" / "film-3"]


def test_from_a_second_on(given: Path, tmp_path: Path) -> None:
    assert replay(options(given, tmp_path, "--from", "17.5"), open_recorded) == 0
    facts = (tmp_path / "film/report.html").read_text("utf-8")
    assert "film.mp4" in facts
    broken = tmp_path / "broken"
    assert replay(options(given, broken, "--from", "17.5"), lambda *_: RecordedNetworks(killed(tmp_path, 200))) == 143
    assert replay(options(given, broken, "--from", "17.5"), open_recorded) == 0
    assert contents(broken)["film/report.html"] == contents(tmp_path / "film")["report.html"]


def killed(folder: Path, frame: int) -> Path:
    return deaths(folder / "deaths", {frame: signal.SIGTERM})


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--from", "99"), "--from 99: expected less than the 35.0 s of "),
        (("-c", "nowhere.toml"), "nowhere.toml: expected a table's file: no such file"),
        (("--provider", "abacus"), "provider 'abacus': expected one of cpu"),
    ],
)
def test_wrong_usage_is_one_line(more: tuple[str, ...], says: str, given: Path, tmp_path: Path) -> None:
    code = "import sys; from tests.edge.scripted_watcher import main; sys.exit(main(sys.argv[1:], seeing=True))"
    done = run([sys.executable, "-c", code, *started(given, tmp_path, *more)[3:]])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"feltwatch: {says}")
    assert len(done.stderr.splitlines()) == 1
    assert contents(tmp_path) == {}


def test_a_bad_video_does_not_keep_the_others(given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.mp4").touch()
    videos = [tmp_path / "nowhere.mp4", tmp_path / "empty.mp4", given / "film.mp4"]
    assert replay(options(given, tmp_path / "out", videos=videos), open_recorded) == 2
    said = capsys.readouterr()
    assert [line.partition(": expected")[0] for line in said.err.splitlines()] == [
        f"feltwatch: {tmp_path}/nowhere.mp4",
        f"feltwatch: {tmp_path}/empty.mp4",
    ]
    assert said.out.startswith(f"{given}/film.mp4: 2 rounds")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["film"]


def test_a_video_that_does_not_fit_the_table_is_named(
    given: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_video(tmp_path / "narrow.mp4", LENGTH[:5], (160, 180))
    assert replay(options(given, tmp_path / "out", videos=[other]), open_recorded) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"feltwatch: {other}: {given}/table.toml: zone ")
    assert contents(tmp_path / "out") == {}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 1 MB, where one may be made; else a folder."""
    disk = tmp_path / "disk"
    disk.mkdir()
    tools = [shutil.which(name) for name in ("mount", "umount")]
    mounted = all(tools) and not subprocess.call(
        [str(tools[0]), "-t", "tmpfs", "-o", "size=1000k", "tmpfs", str(disk)], stderr=subprocess.DEVNULL
    )
    yield disk
    if mounted:
        subprocess.run([str(tools[1]), str(disk)], check=True)


def test_a_full_disk_is_one_line_and_what_was_done_is_kept(
    given: Path, whole: Path, small_disk: Path, tmp_path: Path
) -> None:
    short = write_video(tmp_path / "short.mp4", LENGTH[:100])
    videos = [str(short), *started(given, small_disk, "--annotate")[3:]]
    limited = ["--bytes", "500000"]  # of any file: as a full disk, where none could be made
    full = run([*RECORDED, *limited, *videos])
    assert full.returncode == 2
    assert full.stdout.startswith(f"{short}: ")
    assert len(full.stdout.splitlines()) == 1
    (line,) = full.stderr.splitlines()
    assert line.startswith(f"feltwatch: {small_disk}/.part-film/")
    assert ": expected room to write, found none (" in line
    assert line.endswith("; make room and repeat the command: it goes on where it stopped")
    assert (small_disk / "short" / "done.json").exists()
    elsewhere = tmp_path / "larger"
    shutil.copytree(small_disk, elsewhere)
    done = run([*RECORDED, str(short), *started(given, elsewhere, "--annotate")[3:]])
    assert (done.returncode, done.stderr) == (0, "")
    assert ", done before -> " in done.stdout
    assert contents(elsewhere / "film") == contents(whole / "film")


def test_a_checkpoint_is_of_one_work_and_holds_values_only(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    place = FramePlace(3, 0.12, VideoClock(0.12), 99)
    checkpoint.save(path, "this", {"place": place, "times": [0.0, 0.04]})
    assert checkpoint.load(path, "this") == {"place": place, "times": [0.0, 0.04]}
    assert checkpoint.load(path, "that") is None
    assert checkpoint.load(tmp_path / "none", "this") is None
    data = path.read_bytes()
    path.write_bytes(data[:-9])
    assert checkpoint.load(path, "this") is None

    for evil in (os.system, subprocess.Popen, Path.unlink, write_whole):
        checkpoint.save(path, "this", _Calls(evil))
        assert checkpoint.load(path, "this") is None


class _Calls:
    """Pickles as a call."""

    def __init__(self, what: Callable[..., object]) -> None:
        self.what = what

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return self.what, ("true",)


def test_a_folder_has_one_owner_at_a_time(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from feltwatch.edge.replay.output import claimed\n"
        "with claimed(Path(sys.argv[1])): print('mine', flush=True); sys.stdin.read()"
    )
    folder = tmp_path / "film"
    command = [sys.executable, "-c", code, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == b"mine\n"
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=ROOT) as second:
            first.kill()  # the claim of one who dies is free
            assert second.stdout is not None
            assert second.stdout.readline() == b"mine\n"
            assert second.wait(60) == 0
    with claimed(folder):
        assert (tmp_path / ".lock-film").exists()
    assert list(tmp_path.iterdir()) == []


@dataclass
class Stream(io.StringIO):
    """A place for progress."""

    terminal: bool = True

    def __post_init__(self) -> None:
        super().__init__()

    def isatty(self) -> bool:
        return self.terminal


def test_progress_says_what_is_left() -> None:
    times = iter([0.0, 0.0, 10.0, 10.1, 20.0])
    stream = Stream()
    progress = Progress(stream=stream, clock=lambda: next(times))
    for share in (0.0, 0.25, 0.3, 0.5):
        progress.show("film.mp4", share)
    progress.clear()
    first, second, *rest = stream.getvalue().split("\r")[1:]
    assert first == "film.mp4  [######..................]  25%, 0:30 left"
    assert second == "film.mp4  [############............]  50%, 0:20 left"
    assert [text.strip() for text in rest] == ["", ""]


def test_progress_elsewhere_is_a_line_now_and_then_or_none() -> None:
    times = iter([0.0, 1.0, 29.0, 31.0, 32.0])
    stream = Stream(terminal=False)
    progress = Progress(stream=stream, clock=lambda: next(times))
    for share in (0.1, 0.2, 0.4, 0.5):
        progress.show("film.mp4", share)
    progress.clear()
    assert stream.getvalue() == "film.mp4   40%, 1:00 left\n"
    quiet = Progress(quiet=True, stream=stream)
    quiet.show("film.mp4", 0.5)
    assert stream.getvalue().count("\n") == 1


def test_threads_are_shared_out(given: Path, tmp_path: Path) -> None:
    videos = [write_video(tmp_path / f"{n}.mp4", LENGTH[:2]) for n in range(3)]
    cores = len(os.sched_getaffinity(0))
    found = orders_of(options(given, tmp_path, "--jobs", "2", videos=videos), 20.0)
    assert {order.threads for order in found} == {max(1, cores // 2)}
    assert {order.threads for order in orders_of(options(given, tmp_path), 20.0)} == {cores}
    assert orders_of(options(given, tmp_path, "--threads", "7"), 20.0)[0].threads == 7


def test_the_tables_file_names_the_provider_unless_the_command_line_does(given: Path, tmp_path: Path) -> None:
    assert orders_of(options(given, tmp_path), 20.0)[0].provider == "cpu"
    (tmp_path / "table.toml").write_text((given / "table.toml").read_text() + '\n[vision]\nprovider = "openvino"\n')
    mine = options(given, tmp_path, "-c", str(tmp_path / "table.toml"))
    assert orders_of(mine, 20.0)[0].provider == "openvino"
    mine.provider = "cuda"
    assert orders_of(mine, 20.0)[0].provider == "cuda"


def test_who_asks_twice_to_stop_is_not_kept_waiting() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopping() as stop:
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
