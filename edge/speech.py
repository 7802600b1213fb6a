"""What one table says: its entries as messages, and what is never kept but always so: status, state, health."""

from collections.abc import Callable
from importlib.metadata import version
from itertools import count
from typing import Literal

from edge import bodies, messages
from edge.health import Vitals
from edge.journal import Entry, Journal, utc
from edge.lags import Spread
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


def health_of(vitals: Vitals) -> bodies.Health:
    """Give what the health message says."""
    process, disk = vitals.process, vitals.disk
    return bodies.Health(
        fps=round(vitals.fps, 2),
        came=vitals.came,
        dropped=vitals.dropped,
        lag_s=_spread(vitals.lag),
        inference_s=_spread(vitals.inference),
        outbox=vitals.outbox,
        disk_free_bytes=None if disk is None else disk.free_bytes,
        temperature_c=vitals.temperature_c,
        clock=bodies.Clock(synchronised=vitals.synchronised, jumped_s=round(vitals.leapt_s, 3), jumps=vitals.leaps),
        uptime_s=round(max(vitals.uptime_s, 0.0), 1),
        cameras={
            one.name: bodies.CameraHealth(
                trouble=one.trouble, fps=round(one.fps, 2), came=one.came, dropped=one.dropped
            )
            for one in vitals.cameras
        },
        rss_bytes=process.resident_bytes,
        open_files=process.open_files,
    )


def _spread(found: Spread) -> bodies.Spread | None:
    if found.p50_s is None or found.p99_s is None:
        return None
    return bodies.Spread(p50=round(found.p50_s, 4), p99=round(found.p99_s, 4))


def _outgoing(message: Message) -> Outgoing:
    return Outgoing(message.topic, message.payload, message.qos, message.retain)
