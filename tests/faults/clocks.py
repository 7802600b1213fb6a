"""The clock jumps an hour back and forth: `python -m tests.faults.clocks --times 50` (needs Debian's `faketime`).

A practice table is watched by the real service while its wall clock is set, again and again; what cannot be set is the
monotonic clock. Each jump must be reported, `t` and `seq` go on, the witness has every entry, and the journal verifies.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from itertools import pairwise
from pathlib import Path

from feltwatch.edge.journal.store import entries
from tests.faults.practice_table import table_file
from tests.mosquitto import Mosquitto

LIBRARY = "libfaketimeMT.so.1"
NAME = "bj-01"
HOUR_S = 3600


def library() -> Path:
    found = [*Path("/usr/lib").glob(f"*/faketime/{LIBRARY}")]
    if not found:
        raise SystemExit(f"{LIBRARY} is missing: apt-get install faketime")
    return found[0]


def jumps(times: int, seed: int, folder: Path) -> dict[str, object]:
    dice = random.Random(seed)  # noqa: S311  not secret
    pause = threading.Event()
    (folder / "broker").mkdir()
    clock = folder / "clock"
    clock.write_text("+0\n")
    environ = {**os.environ, "LD_PRELOAD": str(library()), "FAKETIME_TIMESTAMP_FILE": str(clock)}
    environ |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    with Mosquitto(folder / "broker") as broker, closing(broker.subscribe("feltwatch/#")) as witness:
        table = table_file(folder, NAME, f'\n[mqtt]\nurl = "mqtt://127.0.0.1:{broker.port}"\n')
        command = [sys.executable, "-m", "tests.faults.practice_table", "-c", str(table), "--quiet"]
        with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as running:
            witness.wait(lambda lines: any(line.topic.endswith("/event") for line in lines), 60.0)
            for number in range(times):
                clock.write_text("+0\n" if number % 2 else f"{dice.choice('+-')}{HOUR_S}\n")
                pause.wait(dice.uniform(0.8, 1.6))
            alive = running.poll() is None
            running.terminate()
            running.wait()
        kept = [*entries(folder / f"{NAME}.record" / f"{NAME}.journal")]
        witness.wait(lambda lines: len({line.seq for line in lines}) >= len(kept) - 1, 30.0)
        told = {line.seq for line in witness.lines}
    events = [json.loads(entry.body) for entry in kept if entry.kind == "event"]
    said = sum(json.loads(entry.body)["kind"] == "clock" for entry in kept if entry.kind == "note")
    return {
        "fault": "the clock jumps an hour",
        "times": times,
        "said": said,
        "alive": alive,
        "entries": len(kept),
        "lost": len({entry.seq for entry in kept} - told),
        "t_back": sum(one["t"] < before["t"] for before, one in pairwise(events)),
        "at_back": sum(one.at < before.at for before, one in pairwise(kept)),
    }


def main() -> int:
    """Give 1 where anything was lost, or not said."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.clocks")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = jumps(options.times, options.seed, Path(name))
    sys.stdout.write(json.dumps(found) + "\n")
    return int(bool(found["lost"] or found["t_back"] or not found["alive"] or found["said"] < 0.9 * options.times))


if __name__ == "__main__":
    sys.exit(main())
