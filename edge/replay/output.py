"""The files of a replay: a folder for each video, published in one step once it is complete."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import EDQUOT, EFBIG, ENOSPC
from itertools import chain, count
from pathlib import Path

from feltwatch.edge.errors import UsageError
from feltwatch.models.files import digest, locked, write_whole
from feltwatch.vision.image_file import spelled

DONE = "done.json"
BEGUN = "begun.json"
EDGES = 1 << 20  # bytes at both ends of a video that identify it
FULL = {ENOSPC, EDQUOT, EFBIG}


class DiskFullError(UsageError):
    """The disk is full; what was finished stays."""


def unwritable(path: str | Path, error: OSError) -> UsageError:
    """Give the error for a file that cannot be written, with what to do."""
    why = (error.strerror or str(error)).lower()
    if error.errno in FULL:
        return DiskFullError(
            f"{spelled(path)}: expected room to write, found none ({why}); "
            "make room and repeat the command: it goes on where it stopped"
        )
    return UsageError(f"{spelled(path)}: cannot be written ({why})")


class Lines:
    """A file of lines that only grows; lines written after the last checkpoint are cut off on resumption."""

    def __init__(self, path: Path, size: int) -> None:
        self.path = path
        self.file = path.open("ab", buffering=0)
        self.file.truncate(size)
        self.size = size

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self.file.write(rest) :]
        except OSError as error:
            raise unwritable(self.path, error) from error
        self.size += len(data)

    def sync(self) -> int:
        """Write everything to disk; give the size."""
        os.fsync(self.file.fileno())
        return self.size

    def close(self) -> None:
        self.file.close()


def part_of(folder: Path) -> Path:
    """Give the folder that holds the files until they are complete."""
    return folder.with_name(f".part-{folder.name}")


def _old_of(folder: Path) -> Path:
    return folder.with_name(f".old-{folder.name}")


def mark(video: Path) -> str:
    """Give a quick fingerprint of a video: the digest of its length and both its ends."""
    size = video.stat().st_size
    found = hashlib.sha256(str(size).encode())
    with video.open("rb") as file:
        found.update(file.read(EDGES))
        file.seek(max(0, size - EDGES))
        found.update(file.read(EDGES))
    return found.hexdigest()


def folders(videos: Sequence[Path], out: Path) -> list[Path]:
    """Give each video a folder with its name, and a number where another video, now or before, has that one."""
    taken: set[str] = set()
    found = []
    for video in videos:
        known = mark(video) if video.is_file() else ""
        tries = (out / f"{video.stem}{more}" for more in chain([""], (f"-{n}" for n in count(2))))
        folder = next(one for one in tries if one.name.casefold() not in taken and _is_for(one, known))
        taken.add(folder.name.casefold())
        found.append(folder)
    return found


def _is_for(folder: Path, known: str) -> bool:
    marks = [read_json(folder / DONE).get("mark"), read_json(part_of(folder) / BEGUN).get("mark")]
    return all(one in (None, known) for one in marks)


def read_json(path: Path) -> Mapping[str, object]:
    """Read a JSON file of ours; an empty mapping where it is missing or incomplete."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, facts: Mapping[str, object]) -> None:
    write_whole(path, (json.dumps(facts, indent=1, sort_keys=True) + "\n").encode())


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Hold a folder; where another process holds it, wait until that one has ended."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_name(f".lock-{folder.name}"), wait=True):
        yield


def check_free(folder: Path) -> None:
    """Refuse a folder with files that no replay wrote."""
    if folder.is_dir():
        if not read_json(folder / DONE) and any(folder.iterdir()):
            raise UsageError(
                f"{spelled(folder)}: expected a replay's folder, found other files; name another folder with -o"
            )
    elif folder.exists():
        raise UsageError(f"{spelled(folder)}: expected a folder, found a file; name another folder with -o")


def finish(folder: Path, facts: Mapping[str, object], leave: Iterable[str]) -> None:
    """Add the digests of all files, then publish the folder in one step."""
    part = part_of(folder)
    for name in leave:
        (part / name).unlink(missing_ok=True)
    files = {path.relative_to(part).as_posix(): digest(path) for path in sorted(part.rglob("*")) if path.is_file()}
    write_json(part / DONE, {**facts, "files": files})
    publish(folder)


def publish(folder: Path) -> None:
    old = _old_of(folder)
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    part_of(folder).rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def altered(folder: Path) -> str | None:
    """Give the name of a file that was altered or removed; None where all are as written."""
    files = read_json(folder / DONE).get("files")
    for name, written in files.items() if isinstance(files, dict) else ():
        path = folder / name
        if not path.is_file() or digest(path) != written:
            return str(name)
    return None
