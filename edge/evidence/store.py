"""Evidence files on disk: their names, their digests, and what the journal says about each of them."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltwatch.edge.journal.store import Entry
from feltwatch.models.files import digest, make_folder, write_whole

EVIDENCE: Final = "evidence"  # the folder of stills and clips, within that of the journal
STOPPED: Final = "feltwatch stopped before it was written"
LONGEST: Final = 150  # letters of an alert's id in the name of a file
ESCAPE: Final = "="  # before the two hexadecimal digits of a byte that file names should not hold
CAMERA, AGAIN = "@", "~"  # before the name of a camera, and before a number where the name was taken


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of evidence; its name is its path within the folder of the journal."""

    name: str
    sha256: str | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """What became of files of an alert: they are whole on disk, or `dropped` says why they are not, or no longer."""

    alert: str
    files: tuple[StoredFile, ...]
    dropped: str | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """Names of files that the journal promised with an alert."""

    alert: str
    names: tuple[str, ...]


def dropped_files(alert: str, names: Iterable[str], reason: str) -> StoredFiles:
    return StoredFiles(alert, tuple(StoredFile(name) for name in names), reason)


def file_stem(alert: str, camera: str = "") -> str:
    """Give the name of an alert's files without their suffix. `alert_of` reads the alert from it.

    Letters that a file system may refuse or fold together are escaped, so no id leads out of the folder and no two ids
    share a file. Very long ids end in a digest, and cannot be read back.

    >>> file_stem("r7-dealer-overdraw-c19"), file_stem("r1-late-bet-box3.main/standing1", "east")
    ('r7-dealer-overdraw-c19', 'r1-late-bet-box3.main=2Fstanding1@east')
    """
    found = _escaped(alert, rb"[a-z0-9._-]")
    if len(found) > LONGEST:
        found = found[: LONGEST - 16] + hashlib.sha256(alert.encode()).hexdigest()[:16]
    if found.startswith("."):
        found = f"{ESCAPE}2E{found[1:]}"
    return f"{found or ESCAPE}{CAMERA}{_escaped(camera, rb'[A-Za-z0-9._-]')}" if camera else found or ESCAPE


def _escaped(text: str, plain: bytes) -> str:
    return "".join(chr(byte) if re.match(plain, bytes([byte])) else f"{ESCAPE}{byte:02X}" for byte in text.encode())


def alert_of(name: str) -> str:
    """Give the alert whose file has this name.

    >>> alert_of("evidence/2026-01-02/r1-late-bet-box3.main=2Fstanding1@east~2.jpg")
    'r1-late-bet-box3.main/standing1'
    """
    stem = re.split(f"[{CAMERA}{AGAIN}]", Path(name).stem)[0]
    found = re.sub(rb"=([0-9A-F]{2})", lambda one: bytes([int(one[1], 16)]), stem.encode())
    return "" if found == ESCAPE.encode() == stem.encode() else found.decode(errors="replace")


def store_file(folder: Path, name: str, data: bytes) -> StoredFile:
    """Write a file into the folder of the journal, whole or not at all."""
    path = folder / name
    make_folder(path.parent)
    try:
        write_whole(path, data)
    except FileNotFoundError:  # the folder of its day was empty, and was removed at this moment
        make_folder(path.parent)
        write_whole(path, data)
    return StoredFile(name, hashlib.sha256(data).hexdigest(), len(data))


def unreported(entries: Iterable[Entry]) -> list[Expected]:
    """Give the files that alerts of a journal promised and that no later entry accounts for."""
    waiting: dict[str, str] = {}  # name -> alert
    reported: set[str] = set()
    for entry in entries:
        if entry.kind == "evidence":
            reported.update(str(file["name"]) for file in json.loads(entry.body)["files"])
        elif entry.kind == "alert":
            body = json.loads(entry.body)
            waiting |= {str(name): str(body["id"]) for name in (body.get("files") or {}).values()}
    missing: dict[str, list[str]] = {}
    for name, alert in waiting.items():
        if name not in reported:
            missing.setdefault(alert, []).append(name)
    return [Expected(alert, tuple(names)) for alert, names in missing.items()]


def found_on_disk(folder: Path, expected: Expected) -> list[StoredFiles]:
    """Give what became of promised files, after a restart; a file that has its name is whole."""
    there = [name for name in expected.names if (folder / name).is_file()]
    gone = [name for name in expected.names if name not in there]
    files = tuple(StoredFile(name, digest(folder / name), (folder / name).stat().st_size) for name in there)
    found = [StoredFiles(expected.alert, files)] if files else []
    return found + ([dropped_files(expected.alert, gone, STOPPED)] if gone else [])
