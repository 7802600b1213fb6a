"""The only encoder of what a table tells: journal entries and bodies in, topics and payloads out.

A message of a journal entry is made of the entry alone, and its body is copied as it was journalled: after any restart
the same entry gives the same bytes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import msgspec

from feltwatch.edge.journal.store import Entry
from feltwatch.edge.messaging.schema import Files, Health, State, Status, written
from feltwatch.engine.model.verdicts import Alert, encode

ROOT: Final = "feltwatch"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SHORT: Final = 12  # letters of the journal's id in the id of a message
CUT_OFF: Final = "the connection was lost"


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of message is told, and in which version of its shape."""

    name: str
    says: str
    qos: int = 1
    retain: bool = False
    journalled: bool = True
    version: int = 1

    @property
    def schema(self) -> str:
        return f"{self.name}/{self.version}"


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind("status", "whether the table is watched", retain=True, journalled=False),
            Kind("state", "the current round", retain=True, journalled=False),
            Kind("event", "what happened at the table"),
            Kind("verdict", "what the engine concludes"),
            Kind("alert", "an alert, with the files of its evidence"),
            Kind("round", "a whole round that is over"),
            Kind("evidence", "the files of an alert, with their digests"),
            Kind("note", "reports of the device about itself"),
            Kind("command", "the answer to a command"),
            Kind("head", "the signed head of the journal"),
            Kind("health", "rates, lag, dropped frames, disk, clock", qos=0, journalled=False),
        )
    }
)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a table's messages go."""

    site: str
    table: str

    def __post_init__(self) -> None:
        for name in (self.site, self.table):
            if not NAME.fullmatch(name):
                raise ValueError(f"expected a name that can stand in a topic, found {name!r}")

    def topic(self, last: str) -> str:
        """Give a topic of this table.

        >>> Address("main-floor", "bj-07").topic("alert")
        'feltwatch/main-floor/bj-07/alert'
        """
        return f"{ROOT}/{self.site}/{self.table}/{last}"

    @property
    def commands(self) -> str:
        """Give what to subscribe to."""
        return self.topic("cmd/#")


@dataclass(frozen=True, slots=True)
class Message:
    """One message, ready for a broker."""

    topic: str
    payload: bytes
    qos: int
    retain: bool
    id: str


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a message that is not journalled is made: after which entry, and the how-manieth of its kind in this run."""

    journal: str
    seq: int
    at: str
    count: int = 0


def message(address: Address, journal: str, entry: Entry) -> Message:
    """Give the message of a journal entry: its body is not read, only copied."""
    kind = KINDS.get(entry.kind)
    if kind is None or not kind.journalled:
        raise ValueError(f"entry {entry.seq}: expected a kind of message that is journalled, found {entry.kind!r}")
    name = f"{journal[:SHORT]}-{entry.seq}"
    return _message(address, kind, name, (entry.seq, entry.at), f'"{kind.name}":{entry.body}')


def status(address: Address, stamp: Stamp, body: Status) -> Message:
    """Give the birth message, or the last word of one who stops."""
    return _told(address, KINDS["status"], stamp, written(body)[1:-1])


def will(address: Address, stamp: Stamp, body: Status) -> Message:
    """Give what the broker is to say when it hears no more of us; its time is that of the connection it came with."""
    gone = msgspec.structs.replace(body, status="offline", why=CUT_OFF)
    return _told(address, KINDS["status"], stamp, written(gone)[1:-1])


def state(address: Address, stamp: Stamp, body: State) -> Message:
    return _told(address, KINDS["state"], stamp, f'"state":{written(body)}')


def health(address: Address, stamp: Stamp, body: Health) -> Message:
    return _told(address, KINDS["health"], stamp, f'"health":{written(body)}')


def alert_body(alert: Alert, files: Files | None) -> str:
    """Give the body of an alert: its verdict, and where its evidence will lie, where any is kept."""
    found = "null" if files is None else written(files)
    return f'{encode(alert)[:-1]},"files":{found}}}'


def _told(address: Address, kind: Kind, stamp: Stamp, members: str) -> Message:
    count = "" if kind.name == "state" else f"-{stamp.count}"
    name = f"{stamp.journal[:SHORT]}-{stamp.seq}-{kind.name}{count}"
    return _message(address, kind, name, (stamp.seq, stamp.at), members)


def _message(address: Address, kind: Kind, name: str, when: tuple[int, str], members: str) -> Message:
    """Put the envelope around what a message says."""
    seq, at = when
    start = {"schema": kind.schema, "id": name, "table": address.table, "seq": seq, "at": at}
    envelope = json.dumps(start, separators=(",", ":"), ensure_ascii=False)
    payload = f"{envelope[:-1]},{members}}}".encode()
    return Message(address.topic(kind.name), payload, kind.qos, kind.retain, name)
