"""A table that tells of itself: a journal and its outbox, as the service has them, with short messages."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.journal.store import Entry, Fact, Journal
from feltwatch.edge.messaging.mqtt import LinkTerms, Outgoing
from feltwatch.edge.messaging.outbox import Inbox, Outbox, OutboxClock, OutboxHooks
from tests.mosquitto import Line

HOME: Final = "feltwatch/main-floor/bj-07"
AT: Final = "2026-01-02T03:04:05.678Z"


class Table:
    """What it publishes has the shape of the real thing, as far as who looks at it here needs."""

    def __init__(
        self,
        folder: Path,
        broker: MqttSettings,
        environ: Mapping[str, str] | None = None,
        clock: OutboxClock | None = None,
        **terms: object,
    ) -> None:
        self.journal = Journal(folder / "bj-07.journal", "bj-07")
        self.said: list[str] = []
        self.inbox = Inbox()
        self.births = 0
        hooks = OutboxHooks(
            self.encode, self.birth, lambda: self.status("offline", "stopped"), self.inbox.put, self.said.append
        )
        will = self.status("offline", "lost")
        told = {"client": "feltwatch-main-floor-bj-07", "will": will, "hears": f"{HOME}/cmd/#", **terms}
        self.terms = LinkTerms(**told)  # type: ignore[arg-type]  # whatever a test changes
        self.outbox = Outbox(self.journal, broker, self.terms, hooks, environ or {}, clock or OutboxClock())

    def __enter__(self) -> Self:
        self.outbox.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(0.0 if kind else 5.0)

    def close(self, timeout_s: float) -> None:
        self.outbox.close(timeout_s)
        self.journal.close()
        self.outbox.check()

    def encode(self, entry: Entry) -> Outgoing:
        told = {"id": f"{self.journal.id[:12]}-{entry.seq}", "seq": entry.seq, entry.kind: json.loads(entry.body)}
        return Outgoing(f"{HOME}/{entry.kind}", json.dumps(told, separators=(",", ":")).encode())

    def status(self, status: str, why: str) -> Outgoing:
        return Outgoing(f"{HOME}/status", json.dumps({"status": status, "why": why}).encode(), retain=True)

    def birth(self) -> list[Outgoing]:
        self.births += 1
        return [self.status("online", f"birth {self.births}"), Outgoing(f"{HOME}/state", b'{"state":{}}', retain=True)]

    def add(self, number: int = 1, kind: str = "event") -> int:
        """Keep so many entries; give the last one's number."""
        head = self.journal.head.seq
        for start in range(0, number, 1_000):
            these = range(head + 1 + start, head + 1 + min(number, start + 1_000))
            self.journal.add(AT, [Fact(kind, json.dumps({"n": n})) for n in these])
        return self.journal.head.seq


def event_seqs(lines: Sequence[Line], kind: str = "event") -> list[int]:
    return [line.seq for line in lines if line.topic == f"{HOME}/{kind}"]


def statuses(lines: Sequence[Line]) -> list[str]:
    return [json.loads(line.payload)["status"] for line in lines if line.topic == f"{HOME}/status"]


def has(seqs: range) -> Callable[[Sequence[Line]], bool]:
    """Tell whether all these came."""
    return lambda lines: {*seqs} <= {*event_seqs(lines)}
