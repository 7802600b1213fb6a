"""One message of every kind, as a table would send it: those that docs/mqtt.md and docs/asyncapi.json show."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from feltwatch.edge.journal.signing import Signer
from feltwatch.edge.journal.store import ChainHead, Entry, Fact, first_hash, hash_of
from feltwatch.edge.messaging import encode as messages
from feltwatch.edge.messaging import schema
from feltwatch.edge.messaging.commands import Door, Refused, Taken
from feltwatch.edge.messaging.encode import Address, Stamp
from feltwatch.edge.messaging.mqtt import Outgoing
from feltwatch.edge.service.state_report import RecentRounds, state
from feltwatch.engine.books import BOOKS, Book
from feltwatch.engine.model import events
from feltwatch.engine.model.events import decode
from feltwatch.engine.model.verdicts import Alert, Verdict, Withdrawn, encode
from feltwatch.engine.table import Table

ROUND: Final = Path(__file__).parent.parent / "docs" / "examples" / "overdraw.jsonl"
BOOK: Final = BOOKS["blackjack-rws-v5"]
ADDRESS: Final = Address("main-floor", "bj-07")
JOURNAL: Final = "3f2a9c0d1e4b4c6f8a7b5d3e2f1c0a9b"
DAY: Final = "2026-01-02T03:04:"
BOXES: Final = range(1, 8)


def at(t: float) -> str:
    """Give a time of day for seconds of a table that was begun at four minutes past three."""
    return f"{DAY}{Decimal(str(t)):06.3f}Z"


@dataclass(frozen=True)
class Came:
    """What came in."""

    topic: str
    payload: bytes
    retained: bool = False


class Told:
    """What a table tells, kept in memory: entries chained as a journal's are, each with its message."""

    def __init__(self, book: Book = BOOK, address: Address = ADDRESS) -> None:
        self.address = address
        self.table = Table(book)
        self.fold = RecentRounds()
        self.entries: list[Entry] = []
        self.messages: list[Outgoing] = []
        self.link = first_hash(JOURNAL)

    def tell(self, facts: Sequence[Fact], t: float) -> None:
        for fact in facts:
            seq = len(self.entries) + 1
            self.link = hash_of(self.link, seq, at(t % 60), fact)
            entry = Entry(seq, at(t % 60), fact.kind, fact.body, self.link)
            self.entries.append(entry)
            self.messages.append(messages.message(self.address, JOURNAL, entry))

    def event(self, text: str) -> list[Verdict]:
        """Take an event, and tell it and what comes of it, as the service does."""
        event = decode(text.encode())
        verdicts = self.table.apply(event)
        facts = [Fact("event", text), *(Fact("verdict", encode(one)) for one in verdicts)]
        facts += [Fact("alert", body) for one in verdicts if (body := _alert(one)) is not None]
        told = self.fold.take(verdicts, self.table.rounds)
        self.tell([*facts, *(Fact("round", schema.written(one)) for one in told)], event.t)
        return verdicts

    def stamp(self, t: float, count: int = 0) -> Stamp:
        return Stamp(JOURNAL, len(self.entries), at(t), count)

    def last(self, kind: str) -> Outgoing:
        return next(one for one in reversed(self.messages) if one.topic.endswith(f"/{kind}"))


def _alert(verdict: Verdict) -> str | None:
    """Give the body of what goes out on `alert` for a verdict."""
    if isinstance(verdict, Alert):
        return messages.alert_body(verdict, _files(verdict), at(verdict.t % 60))
    return messages.withdrawal_body(verdict, at(verdict.t % 60)) if isinstance(verdict, Withdrawn) else None


def _files(alert: Alert) -> schema.Files | None:
    if alert.severity == "advise":
        return None
    return schema.Files(still=f"evidence/{alert.id}.jpg", clip=f"evidence/{alert.id}.webm")


NOTES: Final = (
    schema.Note(kind="started", says="Watching begins; the journal went to entry 0.", details={"version": "0.1.0"}),
    schema.Note(kind="camera", says="The camera north gives the same picture since 5 s.", since=12.5, camera="north"),
    schema.Note(kind="pruned", says="Entries up to 2 are older than 400 days and dropped.", upto=2, hash="5c" * 32),
)
HEALTH: Final = schema.Health(
    fps=24.8,
    came=51_204,
    dropped=118,
    lag_s=schema.Spread(p50=0.031, p99=0.094),
    inference_s=schema.Spread(p50=0.018, p99=0.071),
    outbox=0,
    disk_free_bytes=187_904_819_200,
    temperature_c=54.0,
    clock=schema.Clock(synchronised=True, jumps=0, jumped_s=0.0),
    uptime_s=2063.4,
    cameras={"north": schema.CameraHealth(trouble=None, fps=25.0, came=51_204, dropped=118)},
    rss_bytes=412_090_368,
    open_files=41,
)
DIGESTS: Final = ("9b" * 32, "e1" * 32)
RULING: Final = '{"event":"signal","name":"ruling","choice":"uphold","code":"dealer-overdraw","command":"desk-4711"}'
SPLIT: Final = '{"event":"decision","box":3,"action":"split","sender":"desk"}'


def status(told: Told, key: str | None = None) -> schema.Status:
    return schema.Status(status="online", why="", version="0.1.0", book=told.table.book.id, journal=JOURNAL, key=key)


def signer(folder: Path) -> Signer:
    """Give a signer whose key everybody knows."""
    path = folder / "example.pem"
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return Signer(path)


def head(told: Told, by: Signer) -> schema.Head:
    last = told.entries[-1]
    signature = by.sign(ChainHead(JOURNAL, last.seq, last.hash))
    return schema.Head(seq=last.seq, hash=last.hash.hex(), signature=signature, key=by.public)


def told_round(folder: Path) -> dict[str, list[Outgoing]]:
    """Play the round of docs/examples in which the dealer draws too often; give its messages by kind."""
    told, by, door = Told(), signer(folder), Door(ADDRESS, BOXES)
    told.tell([Fact("note", schema.written(NOTES[0]))], 0)
    birth = messages.status(ADDRESS, told.stamp(0, 2), status(told, by.public))
    will = messages.will(ADDRESS, told.stamp(0, 1), status(told, by.public))
    now: list[Outgoing] = []
    for line in ROUND.read_text("utf-8").splitlines():
        if json.loads(line)["event"] == "clear":
            now = [messages.state(ADDRESS, told.stamp(28), _state(told))]
            _command(told, door, ("desk", RULING), 28.0)
            _command(told, door, (None, SPLIT), 29.0)
        if any(isinstance(one, Alert) for one in told.event(line)):
            alert = next(iter(told.table.life.round.alerts)) if told.table.life else ""
    names = (f"evidence/{alert}.jpg", f"evidence/{alert}.webm")
    files = [
        schema.File(name=name, sha256=one, bytes=size)
        for name, one, size in zip(names, DIGESTS, (181_113, 420_336), strict=True)
    ]
    evidence = schema.Evidence(alert=alert, files=files)
    told.tell(
        [Fact("evidence", schema.written(evidence)), *(Fact("note", schema.written(one)) for one in NOTES[1:])], 35
    )
    told.tell([Fact("head", schema.written(head(told, by)))], 36)
    found: dict[str, list[Outgoing]] = {"status": [birth, will], "state": now}
    for one in told.messages:
        found.setdefault(one.topic.rpartition("/")[2], []).append(one)
    found["health"] = [messages.health(ADDRESS, told.stamp(40, 12), HEALTH)]
    return found


def _state(told: Told) -> schema.State:
    return state(told.table, told.fold, ["A hand lies over box 4."], {})


def _command(told: Told, door: Door, said: tuple[str | None, str], t: float) -> None:
    sender, text = said
    topic = ADDRESS.topic(f"cmd/signal/{sender}" if sender else "cmd/signal")
    answer = door.take(Came(topic, text.encode()), told.table, t, t)
    assert isinstance(answer, Taken | Refused)
    told.tell([Fact("command", schema.written(answer.body))], t)
    if isinstance(answer, Taken):
        told.event(events.encode(answer.event))


def shown() -> dict[str, list[Any]]:
    """Give a few payloads of each kind, and of commands under `input`."""
    with TemporaryDirectory() as folder:
        found = told_round(Path(folder))
    few = {kind: [json.loads(one.payload) for one in _few(kind, found[kind])] for kind in messages.KINDS}
    return {**few, "input": [json.loads(RULING), json.loads(SPLIT)]}


def _few(kind: str, every: Sequence[Outgoing]) -> Sequence[Outgoing]:
    """Give what shows how bodies of a kind differ."""
    if kind == "event":
        return [every[1], every[3]]
    if kind == "verdict":
        return [one for one in every if b'"settlement"' in one.payload or b'"round-ended"' in one.payload]
    return every
