"""One of many tables, speaking: it says what a record holds, with ids of its own, over and over."""

from collections.abc import Sequence
from dataclasses import dataclass

from feltwatch.edge.journal.store import Entry
from feltwatch.edge.messaging import encode, schema
from feltwatch.edge.messaging.encode import Address, Stamp
from feltwatch.edge.messaging.mqtt import Outgoing


@dataclass(frozen=True, slots=True)
class Said:
    """One message, without the envelope that names its table."""

    t: float
    kind: str
    body: str | schema.State | schema.Health  # an entry's own text, or what is always current


class Speaker:
    """Says a record as one of many tables would, with ids of its own, over and over."""

    def __init__(self, table: str, journal: str, said: Sequence[Said], length: float, offset: float) -> None:
        self.address, self.journal = Address("fleet", table), journal
        self.status = schema.Status(
            status="online", why="", version="0.1.0", book="blackjack-rws-v5", journal=journal, key="A" * 44
        )
        self.seq = self.count = 0
        self._said, self._length = said, length
        self._place = next((n for n, one in enumerate(said) if one.t >= offset), 0)
        self._since = -offset if self._place else 0.0

    @property
    def due(self) -> float:
        """Give when the next message is, in seconds since it began to speak."""
        return self._since + self._said[self._place].t

    def next(self, at: str) -> Outgoing:
        one = self._said[self._place]
        self._place += 1
        if self._place == len(self._said):
            self._place, self._since = 0, self._since + self._length
        if isinstance(one.body, str):
            self.seq += 1
            return encode.message(self.address, self.journal, Entry(self.seq, at, one.kind, one.body, b""))
        stamp = self._stamp(at)
        if isinstance(one.body, schema.State):
            return encode.state(self.address, stamp, one.body)
        return encode.health(self.address, stamp, one.body)

    def online(self, at: str) -> Outgoing:
        return encode.status(self.address, self._stamp(at), self.status)

    def will(self, at: str) -> Outgoing:
        return encode.will(self.address, self._stamp(at), self.status)

    def _stamp(self, at: str) -> Stamp:
        self.count += 1
        return Stamp(self.journal, self.seq, at, self.count)
