"""How soon the evidence of an alert is whole, and how large it is, while the bundled film is watched in real time.

    python -m tests.faults.evidence_time --alerts 50 --every 3

Prints one JSON line an alert, then one of all. Beside the alert of the film itself others are made up, so that there
are enough to measure; a storm of 50 at once comes last, if it is asked for.
"""

import argparse
import json
import sys
import threading
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from feltwatch.edge.camera.feed import Feed
from feltwatch.edge.camera.sources import FileSource
from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.evidence.recorder import EvidenceRecorder
from feltwatch.edge.evidence.store import StoredFiles
from feltwatch.edge.journal.store import utc
from feltwatch.edge.replay.run import open_networks
from feltwatch.engine.model.verdicts import Alert
from tests.edge.evidence.test_recorder_replay import CLIPS, overdraw

WITHIN_S = 3.0


class Asked:
    """Alerts by when they were raised, and what came of them."""

    def __init__(self) -> None:
        self.at: dict[str, float] = {}
        self.told: list[tuple[StoredFiles, float]] = []
        self.came = self.dropped = 0  # frames

    def tell(self, kept: StoredFiles) -> None:
        took = round(monotonic() - self.at[kept.alert], 2)
        self.told.append((kept, took))
        sizes = {file.name.rpartition(".")[2]: file.bytes for file in kept.files}
        sys.stdout.write(json.dumps({"alert": kept.alert, "took_s": took, "dropped": kept.dropped, **sizes}) + "\n")
        sys.stdout.flush()


def watched(alerts: int, every_s: float, storm: int, folder: Path) -> Asked:
    """Watch the film again and again, with an alert every so often."""
    asked, table = Asked(), read_table(CLIPS / "demo.table.toml")
    recorder = EvidenceRecorder(folder, asked.tell)
    networks = open_networks("cpu", 2)

    def raised(alert: Alert) -> None:
        asked.at[alert.id] = monotonic()
        recorder.record([alert], lambda _: None, utc())

    before = t = 0.0
    while len(asked.at) < alerts:
        feed, pipeline = Feed(FileSource(CLIPS / "demo.mp4"), "", "demo"), networks.pipeline(table)
        feed.start()
        while not feed.ended:
            shot = feed.take(0.2)
            if shot is None:
                continue
            t = before + shot.t
            step = pipeline.step("camera", shot.t, shot.picture, shot.small)
            recorder.frame("", t, shot.picture, pipeline.view("camera"))
            for found in step.verdicts:
                if isinstance(found, Alert):
                    raised(replace(found, id=f"r{len(asked.at)}-{found.code}"))
            if monotonic() > max([*asked.at.values(), 0.0]) + every_s and len(asked.at) < alerts:
                raised(replace(overdraw(), id=f"r{len(asked.at)}-made-up"))
        before = t + 0.04
        asked.dropped += feed.dropped
        asked.came += feed.came
        feed.close()
    for number in range(storm):
        raised(replace(overdraw(), id=f"storm-{number}"))
    while recorder.waiting:
        threading.Event().wait(0.1)
    recorder.close()
    return asked


def main() -> int:
    """Give 1 where any evidence came too late."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--alerts", type=int, default=50)
    parser.add_argument("--every", type=float, default=3.0, metavar="SECONDS")
    parser.add_argument("--storm", type=int, default=0)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the evidence stays")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        asked = watched(options.alerts, options.every, options.storm, options.keep or Path(folder))
    calm = sorted(took for kept, took in asked.told if not kept.alert.startswith("storm"))
    sizes = [sum(file.bytes or 0 for file in kept.files) for kept, _ in asked.told if len(kept.files) == 2]
    told = {
        "alerts": len(calm),
        "whole_s": {"p50": calm[len(calm) // 2], "p99": calm[int(0.99 * (len(calm) - 1))], "most": calm[-1]},
        "bytes_an_alert": round(sum(sizes) / max(1, len(sizes))),
        "frames": asked.came,
        "frames_dropped": asked.dropped,
        "late": sum(took > WITHIN_S for took in calm),
    }
    sys.stdout.write(json.dumps(told) + "\n")
    return int(told["late"] != 0)


if __name__ == "__main__":
    sys.exit(main())
