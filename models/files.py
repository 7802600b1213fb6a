"""Files written whole or not at all, their digests, and lock files. Every package but the engine may import this.

It lies beside the networks because `models` is the one package that vision, datasets and edge all may import.
"""

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PART: Final = ".part"  # the end of a name whose file is not finished


def write_whole(path: Path, data: bytes, *, mode: int = 0o666, replace: bool = True) -> None:
    """Write a file that is there whole or not at all; once this returns, a power cut does not undo it.

    With `replace=False` a file that is already there stays. Every OSError names `path`.
    """
    part = path.with_name(f".{secrets.token_hex(8)}{PART}")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _rename(part, path, replace=replace)
        sync_folder(path.parent)
    except BaseException as error:
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _rename(part: Path, path: Path, *, replace: bool) -> None:
    if replace:
        part.replace(path)
        return
    with suppress(FileExistsError):
        os.link(part, path)
    part.unlink()


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; they outlive a power cut."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Write the list of a folder's names to disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_unfinished(folder: Path) -> list[str]:
    """Remove the files that a crash left unfinished in a folder and those below it; give their names."""
    found = sorted(folder.rglob(f"*{PART}"))
    for path in found:
        path.unlink(missing_ok=True)
    return [path.relative_to(folder).as_posix() for path in found]


def digest(path: Path) -> str:
    """Give the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold a lock file. The operating system releases it when a process dies.

    Where another process holds it, this waits, or raises BlockingIOError if `wait` is false.
    """
    handle = _lock(path, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(
                missing_ok=True
            )  # while it is held: a process that waits for it finds it gone and makes another
        os.close(handle)


def _lock(path: Path, how: int) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, how)
            if path.exists() and os.path.samestat(path.stat(), os.fstat(handle)):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
