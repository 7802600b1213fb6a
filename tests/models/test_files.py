"""Files written whole: on disk before they have their name, nothing left of one that failed, locks that die with us."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from feltwatch.models.files import PART, digest, locked, make_folder, remove_unfinished, write_whole

NAME = "evidence/2026-01-02/still.jpg"


def test_data_is_on_disk_before_the_name_and_the_name_before_the_function_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").readlink()
        done.append(f"sync {'the file' if path.suffix == PART else path.relative_to(tmp_path)}")
        sync(handle)

    def renamed(path: Path, target: Path) -> Path:
        done.append("rename")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    make_folder((tmp_path / NAME).parent)
    write_whole(tmp_path / NAME, b"an image")
    assert done == ["sync .", "sync evidence", "sync the file", "rename", "sync evidence/2026-01-02"]
    assert (tmp_path / NAME).read_bytes() == b"an image"


def test_a_write_that_fails_leaves_the_old_file_and_no_part_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write_whole(tmp_path / "a", b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as found:
        write_whole(tmp_path / "a", b"new")
    assert found.value.filename == str(tmp_path / "a")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_a_file_may_be_for_its_owner_alone_and_the_first_one_may_stay(tmp_path: Path) -> None:
    path = tmp_path / "key"
    for data in (b"first", b"second"):
        write_whole(path, data, mode=0o600, replace=False)
    assert path.read_bytes() == b"first"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [*tmp_path.iterdir()] == [path]


def test_what_a_crash_left_unfinished_is_removed(tmp_path: Path) -> None:
    killed = (
        "import os, pathlib, signal, sys; from feltwatch.models.files import write_whole\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_whole(pathlib.Path(sys.argv[1]), b'half')"
    )
    (tmp_path / "still.jpg").write_bytes(b"whole")
    (tmp_path / "clip.webm.part").write_bytes(b"of an older release")
    done = subprocess.run([sys.executable, "-c", killed, str(tmp_path / "clip.webm")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(remove_unfinished(tmp_path)) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["still.jpg"]
    assert remove_unfinished(tmp_path / "none") == []


def test_the_digest_is_that_of_sha256sum(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    done = subprocess.run(["sha256sum", str(tmp_path / "a")], check=True, capture_output=True, text=True)  # noqa: S607  coreutils
    assert digest(tmp_path / "a") == done.stdout.split()[0]


def test_a_lock_is_refused_while_another_holds_it_and_free_when_that_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holds = (
        "import pathlib, sys; from feltwatch.models.files import locked\n"
        "with locked(pathlib.Path(sys.argv[1]), wait=True): print('mine', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holds, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"mine\n"
        with pytest.raises(BlockingIOError), locked(path, wait=False):
            pass
        other.kill()
    with locked(path, wait=False):
        assert path.exists()
    assert not path.exists()
