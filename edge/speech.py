"""What one table says: its entries as messages, and what is never kept but always so: status, state, health."""

from collections.abc import Callable
from importlib.metadata import version
from itertools import count
from typing import Literal

from edge import bodies, messages
from edge.journal import Entry, Journal, utc
from edge.messages import Address, Message, Stamp
from edge.mqtt import Outgoing
from edge.table_file import TableFile


class Speech:
    """Puts what a table says into messages. Any thread may ask."""

    def __init__(self, table: TableFile, journal: Journal, key: str, now: Callable[[], str] = utc) -> None:
        self.address = Address(table.site, table.id)
        self.book, self.journal, self.key, self.now = table.book.id, journal, key, now
        self._count = count(1)

    def entry(self, entry: Entry) -> Outgoing:
        return _outgoing(messages.message(self.address, self.journal.id, entry))

    def online(self, why: str = "") -> Outgoing:
        return _outgoing(messages.status(self.address, self._stamp(), self._status("online", why)))

    def offline(self, why: str) -> Outgoing:
        return _outgoing(messages.status(self.address, self._stamp(), self._status("offline", why)))

    def will(self) -> Outgoing:
        return _outgoing(messages.will(self.address, self._stamp(), self._status("online", "")))

    def state(self, body: bodies.State) -> Outgoing:
        return _outgoing(messages.state(self.address, self._stamp(), body))

    def health(self, body: bodies.Health) -> Outgoing:
        return _outgoing(messages.health(self.address, self._stamp(), body))

    def _status(self, status: Literal["online", "offline"], why: str) -> bodies.Status:
        return bodies.Status(
            status=status,
            why=why,
            version=version("feltwatch"),
            book=self.book,
            journal=self.journal.id,
            key=self.key,
        )

    def _stamp(self) -> Stamp:
        return Stamp(self.journal.id, self.journal.head.seq, self.now(), next(self._count))


def _outgoing(message: Message) -> Outgoing:
    return Outgoing(message.topic, message.payload, message.qos, message.retain)
