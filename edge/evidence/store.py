"""Files of evidence: whole on disk, known by the digest of what was written, and none forgotten."""

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from feltwatch.edge.journal.store import Entry
from feltwatch.models.files import digest, make_folder, write_whole

EVIDENCE: Final = "evidence"  # the folder of stills and clips, within that of the record
STOPPED: Final = "feltwatch stopped before it was written"
LONGEST: Final = 150  # letters of an alert's id in the name of a file
ESCAPE: Final = "="  # before the two figures of a byte that no name of a file should hold
CAMERA, AGAIN = "@", "~"  # before the name of a camera, and before a number where the name was taken


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file and what was written into it; its name is its path within the record's folder."""

    name: str
    sha256: str | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of files of an alert: they are whole on disk, or why they are not, or no longer, there."""

    alert: str
    files: tuple[KeptFile, ...]
    dropped: str | None = None

    def body(self) -> str:
        """Give the body of an `evidence` entry."""
        return json.dumps(asdict(self), separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Promise:
    """Names of files that were promised with an alert."""

    alert: str
    names: tuple[str, ...]


def dropped(alert: str, names: Iterable[str], why: str) -> Kept:
    return Kept(alert, tuple(KeptFile(name) for name in names), why)


def stem_of(alert: str, camera: str = "") -> str:
    """Give what an alert's files are called; no id leads out of the folder, and but for long ones it can be read there.

    >>> stem_of("r7-dealer-overdraw-c19"), stem_of("r1-late-bet-box3.main/standing1", "east")
    ('r7-dealer-overdraw-c19', 'r1-late-bet-box3.main=2Fstanding1@east')
    """
    found = _escaped(alert)
    if len(found) > LONGEST:
        found = found[: LONGEST - 16] + hashlib.sha256(alert.encode()).hexdigest()[:16]
    if found.startswith("."):
        found = f"{ESCAPE}2E{found[1:]}"
    return f"{found}{CAMERA}{_escaped(camera)}" if camera else found


def _escaped(text: str) -> str:
    return "".join(
        chr(byte) if re.match(rb"[A-Za-z0-9._-]", bytes([byte])) else f"{ESCAPE}{byte:02X}" for byte in text.encode()
    )


def alert_of(name: str) -> str:
    """Give the alert whose file has this name.

    >>> alert_of("evidence/2026-01-02/r1-late-bet-box3.main=2Fstanding1@east~2.jpg")
    'r1-late-bet-box3.main/standing1'
    """
    stem = re.split(f"[{CAMERA}{AGAIN}]", Path(name).stem)[0]
    found = re.sub(rb"=([0-9A-F]{2})", lambda one: bytes([int(one[1], 16)]), stem.encode())
    return found.decode(errors="replace")


def keep(folder: Path, name: str, data: bytes) -> KeptFile:
    """Write a file into the record's folder, whole or not at all."""
    path = folder / name
    make_folder(path.parent)
    try:
        write_whole(path, data)
    except FileNotFoundError:  # the folder of its day was empty, and was removed at this moment
        make_folder(path.parent)
        write_whole(path, data)
    return KeptFile(name, hashlib.sha256(data).hexdigest(), len(data))


def unanswered(entries: Iterable[Entry]) -> list[Promise]:
    """Give what a journal's alerts were promised, as far as no entry says what came of it."""
    waiting: dict[str, str] = {}  # name -> alert
    told: set[str] = set()
    for entry in entries:
        if entry.kind == "evidence":
            told.update(str(file["name"]) for file in json.loads(entry.body)["files"])
        elif entry.kind == "alert":
            body = json.loads(entry.body)
            waiting |= {str(name): str(body["id"]) for name in (body.get("files") or {}).values()}
    missing: dict[str, list[str]] = {}
    for name, alert in waiting.items():
        if name not in told:
            missing.setdefault(alert, []).append(name)
    return [Promise(alert, tuple(names)) for alert, names in missing.items()]


def answers(folder: Path, promise: Promise) -> list[Kept]:
    """Say after a restart what came of what was promised; a file that has its name is whole."""
    there = [name for name in promise.names if (folder / name).is_file()]
    gone = [name for name in promise.names if name not in there]
    files = tuple(KeptFile(name, digest(folder / name), (folder / name).stat().st_size) for name in there)
    found = [Kept(promise.alert, files)] if files else []
    return found + ([dropped(promise.alert, gone, STOPPED)] if gone else [])
