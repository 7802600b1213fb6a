"""Every MQTT topic with its QoS, and the only encoder: journal entries and bodies in, topics and payloads out.

A message of a journal entry is made of the entry alone, and its body is copied as it was journalled: after any restart
the same entry gives the same bytes.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.journal.store import Entry, Journal, utc
from feltwatch.edge.messaging.mqtt import Outgoing
from feltwatch.edge.messaging.schema import Files, Health, State, Status, written
from feltwatch.engine.model.verdicts import Alert, Withdrawn, encode

ROOT: Final = "feltwatch"
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SHORT: Final = 12  # letters of the journal's id in the id of a message
CUT_OFF: Final = "the connection was lost"


@dataclass(frozen=True, slots=True)
class MessageKind:
    """How a kind of message is sent, and the version of its shape."""

    name: str
    says: str
    qos: int = 1
    retain: bool = False
    journalled: bool = True
    version: int = 1

    @property
    def schema(self) -> str:
        return f"{self.name}/{self.version}"


KINDS: Final[Mapping[str, MessageKind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            MessageKind("status", "whether the table is watched", retain=True, journalled=False),
            MessageKind("state", "the current round", retain=True, journalled=False),
            MessageKind("event", "what happened at the table"),
            MessageKind("verdict", "what the engine concludes"),
            MessageKind("alert", "an alert, with the files of its evidence"),
            MessageKind("round", "a whole round that is over"),
            MessageKind("evidence", "the files of an alert, with their digests"),
            MessageKind("note", "reports of the device about itself"),
            MessageKind("command", "the answer to a command"),
            MessageKind("head", "the signed head of the journal"),
            MessageKind("health", "rates, lag, dropped frames, disk, clock", qos=0, journalled=False),
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
class Stamp:
    """Of a message that is not journalled: the last journal entry before it, the time, and a counter of this run."""

    journal: str
    seq: int
    at: str
    count: int = 0


def message(address: Address, journal: str, entry: Entry) -> Outgoing:
    """Give the message of a journal entry: its body is not read, only copied."""
    kind = KINDS.get(entry.kind)
    if kind is None or not kind.journalled:
        raise ValueError(f"entry {entry.seq}: expected a kind of message that is journalled, found {entry.kind!r}")
    name = f"{journal[:SHORT]}-{entry.seq}"
    return _message(address, kind, name, (entry.seq, entry.at), f'"{kind.name}":{entry.body}')


def status(address: Address, stamp: Stamp, body: Status) -> Outgoing:
    """Give the birth message, or the last word of one who stops."""
    return _stamped(address, KINDS["status"], stamp, written(body)[1:-1])


def will(address: Address, stamp: Stamp, body: Status) -> Outgoing:
    """Give what the broker is to say when it hears no more of us; its time is that of the connection it came with."""
    gone = msgspec.structs.replace(body, status="offline", why=CUT_OFF)
    return _stamped(address, KINDS["status"], stamp, written(gone)[1:-1])


def state(address: Address, stamp: Stamp, body: State) -> Outgoing:
    return _stamped(address, KINDS["state"], stamp, f'"state":{written(body)}')


def health(address: Address, stamp: Stamp, body: Health) -> Outgoing:
    return _stamped(address, KINDS["health"], stamp, f'"health":{written(body)}')


def alert_body(alert: Alert, files: Files | None, time: str) -> str:
    """Give the body of an alert: its verdict, that it is open, its time in UTC, and the files of its evidence."""
    found = "null" if files is None else written(files)
    return f'{encode(alert)[:-1]},"state":"open","time":"{time}","files":{found}}}'


def withdrawal_body(verdict: Withdrawn, time: str) -> str:
    """Give what goes out on `alert` when an alert is withdrawn: the verdict, with the id of the alert as its own."""
    name = json.dumps(verdict.alert, ensure_ascii=False)
    return f'{encode(verdict)[:-1]},"id":{name},"state":"withdrawn","time":"{time}"}}'


def _stamped(address: Address, kind: MessageKind, stamp: Stamp, members: str) -> Outgoing:
    number = "" if kind.name == "state" else f"-{stamp.count}"
    name = f"{stamp.journal[:SHORT]}-{stamp.seq}-{kind.name}{number}"
    return _message(address, kind, name, (stamp.seq, stamp.at), members)


def _message(address: Address, kind: MessageKind, name: str, when: tuple[int, str], members: str) -> Outgoing:
    """Put the envelope around what a message says."""
    seq, at = when
    start = {"schema": kind.schema, "id": name, "table": address.table, "seq": seq, "at": at}
    envelope = json.dumps(start, separators=(",", ":"), ensure_ascii=False)
    payload = f"{envelope[:-1]},{members}}}".encode()
    return Outgoing(address.topic(kind.name), payload, kind.qos, kind.retain, name)


class TableEncoder:
    """Encodes the messages of one table: journal entries, and the status, state and health of the moment.

    Any thread may call it.
    """

    def __init__(self, table: TableFile, journal: Journal, key: str, now: Callable[[], str] = utc) -> None:
        self.address = Address(table.site, table.id)
        self._book, self._journal, self._key, self._now = table.book.id, journal, key, now
        self._count = count(1)

    def entry(self, entry: Entry) -> Outgoing:
        return message(self.address, self._journal.id, entry)

    def status(self, online: Literal["online", "offline"], why: str = "") -> Outgoing:
        return status(self.address, self._stamp(), self._status(online, why))

    def will(self) -> Outgoing:
        return will(self.address, self._stamp(), self._status("online", ""))

    def state(self, body: State) -> Outgoing:
        return state(self.address, self._stamp(), body)

    def health(self, body: Health) -> Outgoing:
        return health(self.address, self._stamp(), body)

    def _status(self, online: Literal["online", "offline"], why: str) -> Status:
        return Status(
            status=online,
            why=why,
            version=version("feltwatch"),
            book=self._book,
            journal=self._journal.id,
            key=self._key,
        )

    def _stamp(self) -> Stamp:
        return Stamp(self._journal.id, self._journal.head.seq, self._now(), next(self._count))
