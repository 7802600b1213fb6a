"""An archive shared out over a Ray cluster of two nodes, where one is lost.

`make ray` runs this file by name; plain pytest does not take it for a test, as `make test` has no Ray.
"""

import argparse
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.errors import UsageError
from feltwatch.edge.replay.run import replay
from tests.edge.scripted_watcher import open_recorded, write_table, write_video

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray itself, by the dozen
NAMES = ("one", "two", "three", "four")
FRAMES = 300


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    for number, name in enumerate(NAMES):
        write_video(folder / f"{name}.mp4", [n / 25 for n in range(FRAMES + 10 * number)])
    write_table(folder / "table.toml")
    return folder


@pytest.fixture
def deaths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder of what is to happen to workers, which they know from their environment."""
    folder = tmp_path / "deaths"
    folder.mkdir()
    (folder / "ledger").touch()
    monkeypatch.setenv("DEATHS", str(folder))
    return folder


@pytest.fixture
def cluster(deaths: Path) -> Iterator["Cluster"]:
    """Start a cluster whose head only leads, and two nodes that work."""
    assert deaths.exists()
    from ray.cluster_utils import Cluster  # noqa: PLC0415  only `make ray` has it, and doctests are looked for here

    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        found.add_node(num_cpus=1)
    found.wait_for_nodes()
    yield found
    found.shutdown()


def options(given: Path, out: Path, *more: str) -> argparse.Namespace:
    videos = [str(given / f"{name}.mp4") for name in NAMES]
    table = str(given / "table.toml")
    return command_parser().parse_args(
        ["replay", *videos, "-c", table, "-o", str(out), "--quiet", "--threads", "1", *more]
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def node_of(cluster: "Cluster", pid: int) -> object:
    """Give the node whose worker a process is: one of its forebears is the node's."""
    forebears = set()
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        forebears.add(pid)
    return next(
        node
        for node in cluster.worker_nodes
        if forebears & {process.process.pid for process in node.all_processes["raylet"]}
    )


def test_the_video_of_a_lost_node_is_done_again_and_none_twice(
    given: Path, cluster: "Cluster", deaths: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (deaths / "150").write_text(str(pipe))  # the first worker that comes so far says who it is, and waits

    def lose() -> None:
        pid = int(pipe.read_text())
        lost.append(pid)
        cluster.remove_node(node_of(cluster, pid), allow_graceful=False)

    lost: list[int] = []
    killer = threading.Thread(target=lose, daemon=True)
    killer.start()
    assert replay(options(given, tmp_path / "out", "--ray", cluster.address), open_recorded, keep_s=0.02) == 0
    killer.join(60)
    assert lost
    said = capsys.readouterr().out.splitlines()
    assert sorted(Path(line.partition(":")[0]).stem for line in said) == sorted(NAMES)
    assert not any("done before" in line for line in said)
    assert (deaths / "ledger").read_text().count("finished") == len(NAMES)

    assert replay(options(given, tmp_path / "here"), open_recorded) == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "here")


def test_what_is_done_is_not_done_again_and_bad_videos_are_told(
    given: Path, cluster: "Cluster", deaths: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert replay(options(given, out), open_recorded) == 0
    before = contents(out), (deaths / "ledger").read_text()
    more = options(given, out, "--ray", cluster.address)
    more.videos.append(str(given / "nowhere.mp4"))
    capsys.readouterr()
    assert replay(more, open_recorded) == 2
    said = capsys.readouterr()
    assert said.out.count(", done before -> ") == len(NAMES)
    assert said.err.startswith(f"feltwatch: {given}/nowhere.mp4: expected a video that can be read, found none")
    assert (contents(out), (deaths / "ledger").read_text()) == before


def test_a_cluster_that_is_not_there_is_one_line(given: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--ray 127.0.0.1:1: expected a Ray cluster, found none \(.*\); start it$"):
        replay(options(given, tmp_path, "--ray", "127.0.0.1:1"), open_recorded)
