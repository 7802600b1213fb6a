"""The power fails: `python -m tests.faults.power --times 50`.

A journal is written while every write is noted; then the disk is laid out as a power cut between any two of them may
leave it. What was made lasting by then is there; of what came after, any sector may be there, or the one before it, and
the last of them torn. Whatever comes of it, the journal must open, hold every entry that had been said to be kept, and
verify.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from feltwatch.edge.journal.store import Fact, Journal, entries

SHIM = Path(__file__).with_name("writes.c")
SECTOR = 512
AT = "2026-01-02T03:04:05.678Z"
WRITER = """
import json, os, sys
from pathlib import Path
from feltwatch.edge.journal import store as kept
folder, count = Path(sys.argv[1]), int(sys.argv[2])
journal = kept.Journal(folder / "journal", "bj-07")
if "hasty" in sys.argv:  # as it would be if it did not wait for the disk
    journal._base.execute("PRAGMA synchronous = OFF")
said = os.open(folder / "said", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for n in range(count):
    facts = [kept.Fact("event", json.dumps({"n": n, "text": "x" * (37 * n % 900)})) for _ in range(1 + n % 4)]
    entry = journal.add(sys.argv[3], facts, {"round": b"r" * (n * 53 % 9000)} if n % 5 == 0 else None)[-1]
    os.write(said, f"{entry.seq}\\n".encode())
    if n % 7 == 0:
        journal.sent([(max(1, entry.seq - 3), None)])
    if n % 60 == 59:
        upto = journal.head.seq - 40
        journal.add(sys.argv[3], [kept.Fact("note", json.dumps({"kind": "pruned", "upto": upto}))])
        journal.drop(upto)
    if n % 40 == 39:
        journal.close()
        journal = kept.Journal(folder / "journal", "bj-07")
journal.close()
"""


@dataclass(frozen=True, slots=True)
class Write:
    """One record of what was noted."""

    kind: str
    path: str
    offset: int
    data: bytes


@dataclass(slots=True)
class File:
    """A file as it lasts, and what was written to it since."""

    lasting: bytearray = field(default_factory=bytearray)
    since: list[Write] = field(default_factory=list)


@dataclass(slots=True)
class Outcome:
    """What came of the power cuts."""

    times: int = 0
    not_opened: int = 0
    lost: int = 0
    not_whole: int = 0
    tail: int = 0  # cuts after which the journal held more than had been said


def shim(folder: Path) -> Path:
    built = folder / "writes.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(built), str(SHIM), "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return built


def noted(folder: Path, count: int, *, hasty: bool = False) -> list[Write]:
    """Write a journal, and give all that was written on the way."""
    below, log = folder / "disk", folder / "writes"
    below.mkdir()
    env = {**os.environ, "LD_PRELOAD": str(shim(folder)), "FELTWATCH_BELOW": str(below), "FELTWATCH_WRITES": str(log)}
    command = [sys.executable, "-c", WRITER, str(below), str(count), AT, "hasty" if hasty else ""]
    subprocess.run(command, env=env, check=True)
    return [*_records(log.read_bytes())]


def _records(data: bytes) -> Iterator[Write]:
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<cI", data, at)
        path = data[at + 5 : at + 5 + size].decode()
        offset, length = struct.unpack_from("<qI", data, at + 5 + size)
        start = at + 17 + size
        yield Write(kind.decode(), Path(path).name, offset, data[start : start + length])
        at = start + length


def laid_out(writes: Sequence[Write], dice: random.Random, folder: Path) -> int:
    """Lay out the disk as it may be after so many writes; give the last entry that had been said to be kept."""
    files: dict[str, File] = {}
    said = 0
    for write in writes:
        file = files.setdefault(write.path, File())
        if write.path == "said":
            said = int(write.data)
        elif write.kind == "U":
            files[write.path] = File()
        elif write.kind == "S":
            for one in file.since:
                _apply(file.lasting, one)
            file.since.clear()
        else:
            file.since.append(write)
    folder.mkdir()
    for name, file in files.items():
        for one in file.since:
            _apply_in_part(file.lasting, one, dice)
        if name.startswith("journal") and not name.endswith("-shm") and file.lasting:
            (folder / name).write_bytes(file.lasting)
    return said


def _apply(data: bytearray, write: Write) -> None:
    if write.kind == "T":
        del data[write.offset :]
        data.extend(bytes(max(0, write.offset - len(data))))
        return
    data.extend(bytes(max(0, write.offset - len(data))))
    data[write.offset : write.offset + len(write.data)] = write.data


def _apply_in_part(data: bytearray, write: Write, dice: random.Random) -> None:
    """Let some sectors of a write reach the disk; now and then one of them only in part."""
    share = dice.choice((0.0, 0.5, 0.9, 1.0))
    if write.kind == "T":
        if dice.random() < share:
            _apply(data, write)
        return
    for start in range(0, len(write.data), SECTOR):
        if dice.random() < share:
            end = SECTOR if dice.random() < 0.95 else dice.randrange(SECTOR)
            _apply(data, Write("W", write.path, write.offset + start, write.data[start : start + end]))


def cut(writes: Sequence[Write], dice: random.Random, folder: Path, outcome: Outcome) -> None:
    """Act out one power cut."""
    at = dice.randrange(1, len(writes) + 1)
    said = laid_out(writes[:at], dice, folder)
    outcome.times += 1
    try:
        journal = Journal(folder / "journal", "bj-07")
    except Exception as error:  # noqa: BLE001  whatever it is, it did not open
        outcome.not_opened += 1
        sys.stderr.write(f"cut after write {at}: {error}\n")
        return
    head = journal.head.seq
    journal.add(AT, [Fact("note", "{}")])  # and it goes on
    journal.close()
    outcome.lost += head < said
    outcome.tail += head > said
    try:
        last = [entry.seq for entry in entries(folder / "journal")][-1]
        outcome.not_whole += last != head + 1
    except Exception as error:  # noqa: BLE001  as above
        outcome.not_whole += 1
        sys.stderr.write(f"cut after write {at}: {error}\n")


def cuts(times: int, count: int, seed: int, *, hasty: bool = False) -> tuple[Outcome, int]:
    """Act out power cuts; give what came of them, and how many writes there were to choose from."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as name:
        writes = noted(Path(name), count, hasty=hasty)
        for n in range(times):
            cut(writes, random.Random(f"{seed}-{n}"), Path(name) / str(n), outcome)  # noqa: S311  not secret
    return outcome, len(writes)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.power")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--adds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    outcome, writes = cuts(options.times, options.adds, options.seed)
    found = {"fault": "power cut", "times": outcome.times, "writes": writes, "not_opened": outcome.not_opened}
    found |= {"lost_entries": outcome.lost, "not_whole": outcome.not_whole, "with_an_unsaid_tail": outcome.tail}
    sys.stdout.write(json.dumps(found) + "\n")
    return int(bool(outcome.not_opened or outcome.lost or outcome.not_whole))


if __name__ == "__main__":
    sys.exit(main())
