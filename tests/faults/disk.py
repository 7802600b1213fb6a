"""Disks that are full, read-only or broken at any moment, while facts are journalled and evidence is written.

    python -m tests.faults.disk --times 50

Prints one JSON line a fault. What must hold: no fact is lost, none is there twice, all are in their order with
their own time, the journal verifies, a fault and its end are reported, every file of evidence is reported,
and each reported file is there with its digest.
"""

import argparse
import errno
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from feltwatch.edge.evidence.store import unreported
from feltwatch.edge.journal.store import Entry, entries
from feltwatch.models.files import digest
from tests.faults.mounts import looped, mounted

ROOT = Path(__file__).resolve().parents[2]
SIZE = 16 << 20  # of the disk
PATIENCE_S = 60.0
FILLER = "filler"
ERRORS = {"full": errno.ENOSPC, "readonly": errno.EROFS, "broken": errno.EIO}


def library(folder: Path) -> Path | None:
    """Build what makes a disk fail; none where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    path = folder / "failing.so"
    source = Path(__file__).with_name("failing.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True, timeout=60)
    return path


@dataclass(frozen=True, slots=True)
class End:
    """What a worker says at its end."""

    told: int  # the last number
    left: list[int]  # verdicts that could not be written
    alerts: int
    longest_s: float  # that its watching was held up


@dataclass
class Worker:
    """A table at work in a process of its own."""

    process: subprocess.Popen[str]
    errors: Path  # what it writes to standard error
    switch: Path | None  # the file whose first byte is the error; none where a limit does for all of them
    lines: "queue.Queue[str | None]" = field(default_factory=queue.Queue)
    said: list[dict[str, object]] = field(default_factory=list)

    def listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def wait(self, enough: Callable[[dict[str, object]], object]) -> dict[str, object]:
        """Wait for it to say something."""
        end = monotonic() + PATIENCE_S
        while True:
            line = self.lines.get(timeout=max(0.01, end - monotonic()))
            assert line is not None, (self.process.wait(PATIENCE_S), self.said[-3:], self.errors.read_text())
            self.said.append(json.loads(line))
            if enough(self.said[-1]):
                return self.said[-1]

    def fail(self, error: int) -> None:
        """Have its disk fail with an error from now on, or with none."""
        if self.switch is not None:
            with self.switch.open("r+b") as file:  # it is looked at all the time, and must not be gone for a moment
                file.write(bytes([error]))
        else:
            self.order("limit" if error else "free")

    def stop(self) -> End:
        self.order("stop")
        end = self.wait(lambda said: "end" in said)["end"]
        assert isinstance(end, dict)
        assert self.process.wait(PATIENCE_S) == 0
        return End(**end)

    def order(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()


@contextmanager
def working(disk: Path, built: Path | None, first: int = 1) -> Iterator[Worker]:
    """Have a table at work."""
    with TemporaryDirectory() as beside:
        switch = Path(beside) / "switch"
        switch.write_bytes(b"\0")
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        if built is not None:
            environment |= {"LD_PRELOAD": str(built), "FELTWATCH_DISK": str(disk), "FELTWATCH_FAULT": str(switch)}
        command = [sys.executable, "-m", "tests.faults.disk_worker", str(disk), str(first)]
        errors = Path(beside) / "errors"
        with (
            errors.open("w") as said,
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                cwd=ROOT,
                env=environment,
            ) as process,
        ):
            worker = Worker(process, errors, switch if built is not None else None)
            listener = threading.Thread(target=worker.listen)
            listener.start()
            try:
                worker.wait(lambda said: said.get("begun"))
                yield worker
            finally:
                process.kill()
                listener.join()


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Have a disk full, also when something on it is removed meanwhile."""
    over = threading.Event()

    def fill() -> None:
        with (disk / FILLER).open("ab", buffering=0) as file:
            while not over.is_set():
                for size in (1 << 20, 1 << 12, 1):
                    with suppress(OSError):
                        while not over.is_set():
                            file.write(bytes(size))
                over.wait(0.02)

    filler = threading.Thread(target=fill)
    filler.start()
    try:
        yield
    finally:
        over.set()
        filler.join()
        (disk / FILLER).unlink()


def pause(seconds: float) -> None:
    threading.Event().wait(seconds)


def spoil(kind: str, disk: Path, worker: Worker, seconds: float) -> None:
    """Have the disk fail until that is noticed, and for so long."""
    if kind == "full" and disk.is_mount():
        with filled(disk):
            worker.wait(lambda said: "trouble" in said)
            pause(seconds)
    else:
        worker.fail(ERRORS[kind])
        worker.wait(lambda said: "trouble" in said)
        pause(seconds)
        worker.fail(0)


def faulted(kind: str, disk: Path, built: Path | None, chance: random.Random) -> dict[str, object]:
    """Have one fault at a moment that chance chooses; give what came of it."""
    with working(disk, built) as worker:
        pause(chance.uniform(0.0, 0.8))
        spoil(kind, disk, worker, chance.uniform(0.2, 1.2))
        worker.wait(lambda said: "written again" in str(said.get("trouble", "")))
        pause(chance.uniform(0.0, 0.3))
        return checked(kind, disk, [worker.stop()], worker.said)


def remounted(built: Path | None, chance: random.Random, folder: Path) -> dict[str, object] | None:
    """Have the system make a disk read-only under an open journal, as it does when a file system is damaged.

    It stays so until no one uses it any more: feltwatch is stopped, the disk mended, and feltwatch started again. What
    was not written by then it gave to the caller that stopped it.
    """
    with looped(folder, SIZE) as disk:
        if disk is None:
            return None
        with working(disk.folder, built) as worker:
            pause(chance.uniform(0.0, 0.8))
            disk.damage()
            worker.wait(lambda said: "trouble" in said)
            pause(chance.uniform(0.2, 1.2))
            end = worker.stop()
        disk.mend()
        with working(disk.folder, built, end.told + 1) as again:
            pause(chance.uniform(0.0, 0.3))
            return checked("readonly-system", disk.folder, [end, again.stop()], worker.said)


def checked(kind: str, disk: Path, ends: list[End], said: list[dict[str, object]]) -> dict[str, object]:
    record = [*entries(disk / "bj-07.journal")]  # raises at the first that is not as it was
    wrong = [*wrongs(record, ends), *unkept(record, disk)]
    if kind in ("full", "readonly-system"):  # on the others what is unfinished cannot be removed before the next start
        wrong += [f"{path}: left over" for path in disk.rglob("*.part")]
    troubles = [str(one["trouble"]) for one in said if "trouble" in one]
    if not any("cannot be written" in text and "wait in memory" in text for text in troubles):
        wrong.append("no notice reported what was wrong")
    if ends[-1].left:
        wrong.append(f"{len(ends[-1].left)} facts were left")
    evidence = [json.loads(one.body) for one in record if one.kind == "evidence"]
    return {
        "fault": kind,
        "disk": "its own" if disk.is_mount() else "a folder",
        "facts": len(record),
        "waited": max([0, *(int(str(one["waiting"])) for one in said if "waiting" in one)]),
        "alerts": sum(one.alerts for one in ends),
        "evidence": sum(len(one["files"]) for one in evidence if one["dropped"] is None),
        "dropped": sum(len(one["files"]) for one in evidence if one["dropped"] is not None),
        "held_up_s": round(max(one.longest_s for one in ends), 2),
        "says": [*troubles, *(str(one["space"]) for one in said if "space" in one)],
        "wrong": wrong,
    }


def wrongs(record: list[Entry], ends: list[End]) -> Iterator[str]:
    """Give all that is not as it must be of facts.

    What was left to the caller is not in the journal, but perhaps for the last before the disk failed and the
    first after.
    """
    left = [number for end in ends for number in end.left]
    for kind in ("event", "verdict"):
        facts = [(json.loads(one.body), one) for one in record if one.kind == kind]
        found = [body["n"] for body, _ in facts]
        if found != sorted({*found}):
            yield f"{kind}s: not in order, or twice"
        if lost := {*range(1, ends[-1].told + 1)} - {*found} - {*left}:
            yield f"{kind}s: {sorted(lost)} are lost"
        if strange := {*found} & {*left[2:]}:
            yield f"{kind}s: {sorted(strange)} were said not to be written"
        yield from (f"entry {one.seq}: its time is another" for body, one in facts if body["at"] != one.at)


def unkept(record: list[Entry], disk: Path) -> Iterator[str]:
    """Give all that is not as it must be of evidence."""
    for promise in unreported(record):
        yield f"{promise.alert}: nobody told what came of {promise.names}"
    there: dict[str, str] = {}
    for one in record:
        body = json.loads(one.body) if one.kind == "evidence" else {"files": []}
        for file in body["files"]:
            if body["dropped"] is None:
                there[file["name"]] = file["sha256"]
            elif there.pop(file["name"], None) and (disk / file["name"]).exists():
                yield f"{file['name']}: dropped, and there"
    for name, sha256 in there.items():
        if not (disk / name).is_file() or digest(disk / name) != sha256:
            yield f"{name}: not as it was told"


def main() -> int:
    """Give 1 where anything was not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, wrong = random.Random(options.seed), 0  # noqa: S311  no secret
    counts: dict[str, int] = {}
    with TemporaryDirectory() as folder:
        built = library(Path(folder))
        for number in range(options.times):
            for kind in (*ERRORS, "readonly-system"):
                place = Path(folder) / f"{kind}-{number}"
                if kind == "readonly-system":
                    found = remounted(built, chance, place)
                else:
                    with mounted(place, SIZE) as disk:
                        found = faulted(kind, disk or place, built, chance)
                shutil.rmtree(place, ignore_errors=True)
                if found is not None:
                    sys.stdout.write(json.dumps(found) + "\n")
                    sys.stdout.flush()
                    wrong += bool(found["wrong"])
                    counts[kind] = counts.get(kind, 0) + 1
    sys.stdout.write(json.dumps({"faults": counts, "wrong": wrong}) + "\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
