"""What one table says and when, made by the service's own parts from rounds at a practice table, without waiting."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.evidence.store import StoredFile, StoredFiles
from feltwatch.edge.journal.signing import Signer
from feltwatch.edge.journal.store import ChainHead, Fact, first_hash, hash_of, utc
from feltwatch.edge.messaging import schema
from feltwatch.edge.service.housekeeping import HEAD_S, HEALTH_S, STATE_S
from feltwatch.edge.service.journal_writer import Happening, JournalWriter
from feltwatch.edge.service.open_table import NO_STATE
from feltwatch.edge.service.state_report import RecentRounds, state
from feltwatch.engine.model.verdicts import Alert
from tests.edge.scripted_watcher import ScriptedNetworks, write_table
from tests.faults.fleet_speaker import Said, Speaker
from tests.faults.practice_table import Practice, stories

FPS: Final = 10
EVIDENCE_S: Final = 3.0  # after its alert
STILL, CLIP = 300_000, 1_700_000  # bytes, as an alert has them
JOURNAL: Final = "0" * 32
PICTURE: Final = np.zeros((1, 1, 3), np.uint8)  # a practice table is not looked at
HEALTH: Final = schema.Health(
    fps=9.97,
    came=864_211,
    dropped=1_204,
    lag_s=schema.Spread(p50=0.081234, p99=0.193456),
    inference_s=schema.Spread(p50=0.041234, p99=0.093456),
    outbox=0,
    disk_free_bytes=171_798_691_840,
    temperature_c=54.0,
    clock=schema.Clock(synchronised=True, jumps=0, jumped_s=0.0),
    uptime_s=86_400.123,
    cameras={"": schema.CameraHealth(trouble=None, fps=9.99, came=864_211, dropped=1_204)},
    rss_bytes=612_368_384,
    open_files=58,
)


@dataclass
class _Watcher(Practice):
    """Its time is given."""

    t: float = 0.0

    def story(self) -> float:
        return self.t


class _Networks(ScriptedNetworks):
    def __init__(self, watcher: _Watcher) -> None:
        super().__init__()
        self.watcher = watcher

    def watching(self, table: TableFile) -> _Watcher:
        del table
        return self.watcher


@dataclass
class _Keep:
    """Takes what would be journalled, and knows how the journal would end."""

    t: float = 0.0
    said: list[Said] = field(default_factory=list)
    head: ChainHead = field(default_factory=lambda: ChainHead(JOURNAL, 0, first_hash(JOURNAL)))
    alerts: list[tuple[float, Alert]] = field(default_factory=list)

    def add(self, at: str, facts: Sequence[Fact], memory: Mapping[str, bytes] | None = None) -> None:
        del memory
        for fact in facts:
            seq = self.head.seq + 1
            self.head = ChainHead(JOURNAL, seq, hash_of(self.head.hash, seq, at, fact))
            self.said.append(Said(self.t, fact.kind, fact.body))

    def promise(self, alert: Alert, at: str) -> Mapping[str, str]:
        self.alerts.append((self.t + EVIDENCE_S, alert))
        name = f"evidence/{at[:10]}/{alert.id}"
        return {"still": f"{name}.jpg", "clip": f"{name}.webm"}


def record(seconds: float, folder: Path, seed: str = "bj-07") -> list[Said]:
    """Give what a table with seven boxes says in its first so many seconds."""
    table = read_table(write_table(folder / f"{seed}.toml"))
    watching = _Watcher(table.book, stories(table.book, seed), 0.0, 1.0)
    pipeline, fold = _Networks(watching).pipeline(table), RecentRounds()
    keep, signer = _Keep(), Signer(folder / f"{seed}.pem")
    book = JournalWriter(keep.add)
    told = NO_STATE
    for step in range(round(seconds * FPS)):
        keep.t = watching.t = step / FPS
        result, at = pipeline.step("", watching.t, PICTURE, PICTURE), utc()
        rounds = [found for one in result.judged for found in fold.take(one.verdicts, one.rounds)]
        alerts = [verdict for verdict in result.verdicts if isinstance(verdict, Alert)]
        found = Happening(result.events, result.verdicts, rounds)
        book.write(found, at, {alert.id: keep.promise(alert, at) for alert in alerts})
        while keep.alerts and keep.alerts[0][0] <= keep.t:
            book.evidence(_evidence(keep.alerts.pop(0)[1]))
        if step % round(STATE_S * FPS) == 0:
            now = state(pipeline.table, fold, (), {})
            if now != told:
                told = now
                keep.said.append(Said(keep.t, "state", now))
        if step % round(HEALTH_S * FPS) == 0:
            keep.said.append(Said(keep.t, "health", HEALTH))
        if step % round(HEAD_S * FPS) == 0:
            head, signature = keep.head, signer.sign(keep.head)
            body = schema.Head(seq=head.seq, hash=head.hash.hex(), signature=signature, key=signer.public)
            book.add("head", body)
    return keep.said


def _evidence(alert: Alert) -> StoredFiles:
    found = hashlib.sha256(alert.id.encode()).hexdigest()
    files = (StoredFile(f"{alert.id}.jpg", found, STILL), StoredFile(f"{alert.id}.webm", found, CLIP))
    return StoredFiles(alert.id, files)


def sizes(said: Sequence[Said]) -> dict[str, tuple[int, int]]:
    """Give the messages of each kind, and their bytes with their topics."""
    speaker = Speaker("bj-07", JOURNAL, said, 0.0, 0.0)
    found: dict[str, tuple[int, int]] = {}
    for one in said:
        message = speaker.next("2026-01-02T03:04:05.678Z")
        number, total = found.get(one.kind, (0, 0))
        found[one.kind] = (number + 1, total + len(message.topic) + len(message.payload))
    return found
