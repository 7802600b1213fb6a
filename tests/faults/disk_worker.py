"""What a table writes: facts into a journal, stills and clips beside it, until it is stopped.

    python -m tests.faults.disk_worker FOLDER FIRST

Each fact has a number, from the first on, and its time, so that a lost one shows. Reports go to standard output,
one JSON object a line. Lines of standard input: `limit` (from now on no file may grow), `free`, `stop`.
"""

import itertools
import json
import resource
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

import numpy as np

from feltwatch.edge.evidence.clip import FileNames
from feltwatch.edge.evidence.recorder import EvidenceRecorder
from feltwatch.edge.evidence.retention import Retention, RetentionLimits
from feltwatch.edge.evidence.store import EVIDENCE, StoredFiles, found_on_disk, unreported
from feltwatch.edge.journal.store import Fact, Journal, entries, utc
from feltwatch.edge.journal.write_buffer import WriteBuffer
from feltwatch.engine.model.verdicts import Alert, Remedy
from feltwatch.models.files import remove_unfinished
from feltwatch.vision.drawing.view import TableView

EVERY_S = 0.01
RESERVE, BALLAST = 2 << 20, 2 << 20
PICTURE = np.random.default_rng(1).integers(0, 255, (90, 160, 3), np.uint8)
ALERT = Alert(1.0, 1, "void", "b", "3.1", "void", "", None, None, "says", (), Remedy("void", "5.1"))


def say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def body_of(stored: StoredFiles) -> str:
    """Give the body of an `evidence` entry."""
    return json.dumps(asdict(stored))


class Table:
    """One table at work."""

    def __init__(self, folder: Path) -> None:
        remove_unfinished(folder / EVIDENCE)
        self.space = Retention(folder, RetentionLimits(reserve=RESERVE, ballast=BALLAST))
        self.journal = Journal(folder / "bj-07.journal", "bj-07")
        self.buffer = WriteBuffer(self.journal.add, lambda text: say(trouble=text), self.space)
        self.came: SimpleQueue[StoredFiles] = SimpleQueue()
        self.recorder = EvidenceRecorder(folder, self.came.put, retention=self.space)
        self.start = monotonic()
        self.alerts = 0
        self.longest = 0.0  # that the watching was held up
        for expected in unreported(entries(self.journal.path)):
            self.buffer.add(utc(), [Fact("evidence", body_of(one)) for one in found_on_disk(folder, expected)])

    def kept(self) -> None:
        """Journal what came of evidence."""
        while not self.came.empty():
            self.buffer.add(utc(), [Fact("evidence", body_of(self.came.get()))])

    def work(self, number: int) -> None:
        """Do what one frame brings."""
        at, begun = utc(), monotonic()
        self.recorder.frame("", begun - self.start, PICTURE, TableView())
        facts = [
            Fact("event", json.dumps({"n": number, "at": at})),
            Fact("verdict", json.dumps({"n": number, "at": at})),
        ]
        alerts = [replace(ALERT, id=f"r{number}-void")] if number % 20 == 0 else []
        self.alerts += len(alerts)

        def store(names: Mapping[str, FileNames]) -> None:
            bodies = [json.dumps({"id": one.id, "files": names[one.id]}) for one in alerts]
            self.buffer.add(at, [*facts, *(Fact("alert", body) for body in bodies)])

        self.recorder.record(alerts, store, at)
        self.kept()
        if number % 10 == 0:
            self.tend()
        self.longest = max(self.longest, monotonic() - begun)

    def tend(self) -> None:
        done = self.space.enforce()
        self.kept()  # before it is reported that they are gone
        for text in done.notices:
            say(space=text)
        if done.removed:
            self.buffer.add(utc(), [Fact("evidence", body_of(one)) for one in done.removed])

    def finish(self) -> dict[str, object]:
        self.recorder.close()
        self.kept()
        left = self.buffer.finish()
        self.journal.close()
        given = [json.loads(fact.body)["n"] for batch in left for fact in batch.facts if fact.kind == "verdict"]
        return {"left": given, "alerts": self.alerts, "longest_s": self.longest}


def main(folder: str, first: str) -> None:
    stop = threading.Event()

    def listen() -> None:
        for line in sys.stdin:
            if line.strip() == "stop":
                break
            most = resource.RLIM_INFINITY if line.strip() == "free" else 1
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        stop.set()

    threading.Thread(target=listen, daemon=True).start()
    table = Table(Path(folder))
    number = 0
    for number in itertools.count(int(first)):
        table.work(number)
        if number == int(first):
            say(begun=True)
        if table.buffer.since is not None and number % 20 == 0:
            say(waiting=table.buffer.waiting)
        if stop.wait(EVERY_S):
            break
    with suppress(BrokenPipeError):
        say(end={"told": number, **table.finish()})


if __name__ == "__main__":
    main(*sys.argv[1:])
