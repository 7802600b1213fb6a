"""Many videos at once: the same bytes as one after another, and a worker that dies costs nothing but time."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.edge.scripted_watcher import write_table, write_video

ROOT = Path(__file__).parents[3]
RECORDED = [sys.executable, "-m", "tests.edge.scripted_watcher"]
NAMES = ("one", "two", "three")
FRAMES = 300


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    for number, name in enumerate(NAMES):
        write_video(folder / f"{name}.mp4", [n / 25 for n in range(FRAMES + 10 * number)])
    write_table(folder / "table.toml")
    return folder


@pytest.fixture(scope="module")
def whole(given: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Replay them one after another."""
    out = tmp_path_factory.mktemp("whole")
    assert run(command(given, out)).returncode == 0
    return contents(out)


def command(given: Path, out: Path, *more: str) -> list[str]:
    videos = [str(given / f"{name}.mp4") for name in NAMES]
    return [*RECORDED, *videos, "-c", str(given / "table.toml"), "-o", str(out), "--quiet", *more]


def run(arguments: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **environment}, timeout=120
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_in_processes_the_same_bytes_come_out(given: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    done = run(command(given, tmp_path, "--jobs", "2"))
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(Path(line.partition(":")[0]).stem for line in done.stdout.splitlines()) == sorted(NAMES)
    assert contents(tmp_path) == whole
    again = run(command(given, tmp_path, "--jobs", "2"))
    assert again.stdout.count(", done before -> ") == 3


def test_the_video_of_a_worker_that_dies_is_done_again(given: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    for frame in (100, 200):
        (deaths / str(frame)).write_text(str(int(signal.SIGKILL)))
    done = run(command(given, tmp_path / "out", "--jobs", "2"), DEATHS=str(deaths))
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3
    assert list(deaths.iterdir()) == []
    assert contents(tmp_path / "out") == whole


def test_a_video_that_kills_every_worker_is_told_and_the_others_are_done(given: Path, tmp_path: Path) -> None:
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    for frame in range(FRAMES + 11, FRAMES + 14):  # only the third is so long
        (deaths / str(frame)).write_text(str(int(signal.SIGKILL)))
    done = run(command(given, tmp_path / "out", "--jobs", "2"), DEATHS=str(deaths))
    assert done.returncode == 2
    assert done.stderr == (
        f"feltwatch: {given}/three.mp4: its worker died 3 times (exit code -9); is there memory for --jobs?\n"
    )
    assert {json.loads(data)["of"]["name"] for name, data in contents(tmp_path / "out").items() if "done" in name} == {
        "one.mp4",
        "two.mp4",
    }


def test_workers_stop_with_the_whole_and_go_on_with_it(given: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    """The first worker that comes to a frame asks its parent to stop, as a service manager would."""
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    (deaths / "150").write_text("parent")
    stopped = run(command(given, tmp_path / "out", "--jobs", "2"), DEATHS=str(deaths))
    assert stopped.returncode == 128 + signal.SIGTERM
    assert all(line.endswith("the same command goes on from there") for line in stopped.stderr.splitlines())
    assert run(command(given, tmp_path / "out", "--jobs", "2")).returncode == 0
    assert contents(tmp_path / "out") == whole


def test_without_ray_one_line_says_how_to_install_it(given: Path, tmp_path: Path) -> None:
    without_ray = "import sys; sys.modules['ray'] = None; from tests.edge.scripted_watcher import main; "
    code = without_ray + "sys.exit(main(sys.argv[1:]))"
    done = run([sys.executable, "-c", code, *command(given, tmp_path, "--ray", "auto")[3:]])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "feltwatch: --ray auto: expected Ray, found that it is not installed; "
        "install it: pip install 'feltwatch[ray]'\n"
    )
    assert contents(tmp_path) == {}
