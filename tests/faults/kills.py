"""feltwatch is killed at random moments: `python -m tests.faults.kills --times 50`.

A practice table is watched by the real service, journal, outbox and mosquitto; mosquitto_sub is the witness. The
service is killed with SIGKILL, and begun again, over and over. Then: every entry of the journal reached the witness,
each id always with the same bytes, none that the journal does not hold; the journal verifies, and holds every signed
head that was published; every round that began ended, or was reported lost, and no alert was raised twice.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from feltwatch.edge.journal.store import Entry, entries
from tests.faults.practice_table import table_file
from tests.mosquitto import Line, Mosquitto

NAME = "bj-01"
QUIET_S = 30.0
JOURNALLED = {"event", "verdict", "alert", "round", "evidence", "note", "command", "head"}


@dataclass(slots=True)
class Outcome:
    """What came of the kills."""

    fault: str = "kill -9 of feltwatch"
    times: int = 0
    entries: int = 0
    lost: int = 0  # entries that the witness never had
    unknown: int = 0  # messages that the journal does not hold, or holds otherwise
    altered: int = 0  # ids that came with other bytes
    again: int = 0  # messages that came once more, with the same id and the same bytes
    journal: str = ""  # how it is broken
    rounds: int = 0
    rounds_settled: int = 0
    rounds_lost: int = 0  # and said so
    rounds_silent: int = 0  # that began and were never heard of again
    alerts_twice: int = 0
    back_s: float = 0.0  # from the start of the process to its first entry, the longest

    @property
    def good(self) -> bool:
        return not (
            self.lost or self.unknown or self.altered or self.journal or self.rounds_silent or self.alerts_twice
        )


def kills(times: int, seed: int, folder: Path, longest_s: float = 9.0) -> Outcome:
    """Kill it so many times, and look at what is left."""
    dice = random.Random(seed)  # noqa: S311  not secret
    outcome = Outcome(times=times)
    (folder / "broker").mkdir()
    with Mosquitto(folder / "broker") as broker, closing(broker.subscribe("feltwatch/#")) as witness:
        table = table_file(folder, NAME, f'\n[mqtt]\nurl = "mqtt://127.0.0.1:{broker.port}"\n')
        path = folder / f"{NAME}.record" / f"{NAME}.journal"
        environ = {**os.environ, "PRACTICE_EPOCH": str(monotonic())}
        for _ in range(times):
            outcome.back_s = max(outcome.back_s, _killed(table, environ, path, dice.uniform(1.2, longest_s)))
        done = _begun(table, environ, "--seconds", "4")
        done.wait()
        kept = [*entries(path)]
        witness.wait(lambda lines: {entry.seq for entry in kept} <= _told(lines), QUIET_S)
        _compare(outcome, kept, witness.lines)
    _rounds(outcome, kept)
    return outcome


def _begun(table: Path, environ: dict[str, str], *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.faults.practice_table", "-c", str(table), "--quiet", *more]
    return subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)


def _killed(table: Path, environ: dict[str, str], path: Path, after_s: float) -> float:
    """Kill one run some time after it wrote its first entry; give how long that took."""
    before = _head(path)
    start = monotonic()
    with _begun(table, environ) as running:
        pause = threading.Event()
        while _head(path) == before and monotonic() < start + QUIET_S:
            pause.wait(0.02)
        back = monotonic() - start
        pause.wait(after_s)
        running.kill()
    return back


def _head(path: Path) -> int:
    """Give how far a journal goes, as far as its files' size says."""
    return sum(one.stat().st_size for one in path.parent.glob(f"{path.name}*") if one.suffix != ".lock")


def _told(lines: list[Line]) -> set[int]:
    return {line.seq for line in lines if line.topic.rpartition("/")[2] in JOURNALLED}


def _compare(outcome: Outcome, kept: list[Entry], lines: list[Line]) -> None:
    told: dict[str, str] = {}
    bodies = {entry.seq: (entry.kind, json.loads(entry.body)) for entry in kept}
    for line in lines:
        kind = line.topic.rpartition("/")[2]
        if kind not in JOURNALLED:
            continue
        message = json.loads(line.payload)
        if message["id"] in told:
            outcome.again += 1
            outcome.altered += told[message["id"]] != line.payload
        told[message["id"]] = line.payload
        outcome.unknown += bodies.get(message["seq"]) != (kind, message[kind])
    outcome.entries = len(kept)
    outcome.lost = len(bodies.keys() - _told(lines))
    heads = [body for kind, body in bodies.values() if kind == "head"]
    hashes = {entry.seq: entry.hash.hex() for entry in kept}
    if any(hashes[int(head["seq"])] != head["hash"] for head in heads):
        outcome.journal = "a signed head is not in it"


def _rounds(outcome: Outcome, kept: list[Entry]) -> None:
    verdicts = [json.loads(entry.body) for entry in kept if entry.kind == "verdict"]
    began = [one["round"] for one in verdicts if one["verdict"] == "round-started"]
    ends = {one["round"]: one["result"] for one in verdicts if one["verdict"] == "round-ended"}
    outcome.rounds = len(began)
    outcome.rounds_settled = sum(result != "unresolved" for result in ends.values())
    outcome.rounds_lost = sum(result == "unresolved" for result in ends.values())
    outcome.rounds_silent = len(set(began) - ends.keys() - {max(began, default=0)})
    standing: Counter[str] = Counter()
    for one in verdicts:
        if one["verdict"] == "alert":
            standing[one["id"]] += 1
            outcome.alerts_twice += standing[one["id"]] > 1
        elif one["verdict"] == "withdrawn":
            standing[one["alert"]] = 0


def main() -> int:
    """Give 1 where anything was lost, altered or reported twice."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.kills")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        outcome = kills(options.times, options.seed, Path(name))
    sys.stdout.write(json.dumps({**asdict(outcome), "good": outcome.good}) + "\n")
    return int(not outcome.good)


if __name__ == "__main__":
    sys.exit(main())
