"""What one table says: its entries as messages, and what is never kept but always so: status, state, health."""

from collections.abc import Callable
from importlib.metadata import version
from itertools import count
from typing import Literal

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.journal.store import Entry, Journal, utc
from feltwatch.edge.messaging import encode, schema
from feltwatch.edge.messaging.encode import Address, Message, Stamp
from feltwatch.edge.messaging.mqtt import Outgoing


class Speech:
    """Puts what a table says into messages. Any thread may ask."""

    def __init__(self, table: TableFile, journal: Journal, key: str, now: Callable[[], str] = utc) -> None:
        self.address = Address(table.site, table.id)
        self.book, self.journal, self.key, self.now = table.book.id, journal, key, now
        self._count = count(1)

    def entry(self, entry: Entry) -> Outgoing:
        return _outgoing(encode.message(self.address, self.journal.id, entry))

    def online(self, why: str = "") -> Outgoing:
        return _outgoing(encode.status(self.address, self._stamp(), self._status("online", why)))

    def offline(self, why: str) -> Outgoing:
        return _outgoing(encode.status(self.address, self._stamp(), self._status("offline", why)))

    def will(self) -> Outgoing:
        return _outgoing(encode.will(self.address, self._stamp(), self._status("online", "")))

    def state(self, body: schema.State) -> Outgoing:
        return _outgoing(encode.state(self.address, self._stamp(), body))

    def health(self, body: schema.Health) -> Outgoing:
        return _outgoing(encode.health(self.address, self._stamp(), body))

    def _status(self, status: Literal["online", "offline"], why: str) -> schema.Status:
        return schema.Status(
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
