"""Many tables in one process: a connection each, and what each says when its time has come.

Each does what a table's outbox does - a last will, a birth after every connect, no more on its way than its window,
what is not acknowledged again after each loss, the outbox's own waits before another try - but keeps it in memory.
"""

import random
import selectors
import ssl
import zlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY
from socket import socket as Socket  # noqa: N812  paho calls its method so too
from time import monotonic, time_ns
from typing import Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from feltwatch.edge.journal.store import utc
from feltwatch.edge.messaging.encode import KINDS
from feltwatch.edge.messaging.mqtt import HEARD_AT_A_TIME, KEEPALIVES, LARGEST, SENT_AT_A_TIME, Outgoing
from feltwatch.edge.messaging.outbox import AGAIN_S, JITTER
from tests.faults.fleet_speaker import Said, Speaker

KEEPALIVE_S: Final = 10
SWEEP_S: Final = 0.02  # between two looks at whose time has come
MISC_S: Final = 1.0
ANSWER_S: Final = 10.0  # so long a broker may take to let a table in
PATIENCE_S: Final = 60.0  # for what is on its way when all ends
STATE: Final = KINDS["state"].name
JOURNALLED: Final = {kind.name for kind in KINDS.values() if kind.journalled}


@dataclass(frozen=True, slots=True)
class Orders:
    """What a process with tables is to do."""

    port: int
    names: Sequence[str]
    said: Sequence[Said]
    length: float  # seconds of messages, which then begin again
    seconds: float
    sent: Path  # where it writes what it sent: id, kind, digest, when, each on one line
    seed: int
    ca: Path | None = None  # TLS where there is one


@dataclass(slots=True)
class Trip:
    """A message that is to be acknowledged."""

    kind: str
    message: Outgoing


@dataclass(slots=True)
class Told:
    """What came of all tables of a process."""

    seconds: float = 0.0  # until all were in
    late: list[float] = field(default_factory=list)  # seconds that this process was late to say something
    back: list[float] = field(default_factory=list)  # when a table was in again, on the monotonic clock
    refused: int = 0  # answers of the broker that were no
    left: int = 0  # messages that were not acknowledged in the end


class FleetTable:
    """One table: its connection, and what of it is not acknowledged."""

    def __init__(
        self,
        name: str,
        orders: Orders,
        selector: selectors.BaseSelector,
        told: Told,
        sent: list[str],
        secure: ssl.SSLContext | None,
    ) -> None:
        dice = random.Random(f"{orders.seed} {name}")  # noqa: S311  no secret
        journal = f"{dice.getrandbits(128):032x}"
        self.name, self.orders, self.selector, self.told = name, orders, selector, told
        self.sent = sent
        self.speaker = Speaker(name, journal, orders.said, orders.length, dice.uniform(0, orders.length))
        self.dice = dice
        self.secure = secure
        self.begin: float | None = None
        self.waiting: deque[Trip] = deque()
        self.flying: dict[int, Trip] = {}
        self.state: Outgoing | None = None
        self.inside = False
        self.births = self.failures = 0
        self.again = 0.0  # when it tries to connect
        self.answer = 0.0  # when it gives up on the broker's answer
        self.client: Client | None = None

    def tend(self, now: float) -> None:
        """Come in, where it is not and may try; give up a connection that is over."""
        if self.client is None:
            if now >= self.again:
                self.connect()
        elif self.client.socket() is None or (not self.inside and now > self.answer):
            self.lost()

    def pings(self) -> None:
        if self.client is not None:
            self.client.loop_misc()

    def serve(self, events: int) -> None:
        """Take and give what the socket lets."""
        client = self.client
        if client is None:
            return
        if events & selectors.EVENT_READ:
            client.loop_read()
            while isinstance(found := client.socket(), ssl.SSLSocket) and found.pending():
                client.loop_read()
        if events & selectors.EVENT_WRITE and client.socket() is not None:
            client.loop_write()
        self.flow()

    def connect(self) -> None:
        """Begin to connect; what is answered comes later."""
        client = Client(
            CallbackAPIVersion.VERSION2,
            f"feltwatch-fleet-{self.name}",
            protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False,
        )
        client.max_inflight_messages_set(0)
        client.connect_timeout = ANSWER_S
        will = self.speaker.will(utc())
        client.will_set(will.topic, will.payload, will.qos, will.retain)
        client.on_socket_open = self._opened
        client.on_connect, client.on_disconnect, client.on_publish = self._come, self._gone, self._acknowledged
        if self.secure is not None:
            client.tls_set_context(self.secure)
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho has no types there
        limits.MaximumPacketSize, limits.ReceiveMaximum = LARGEST, HEARD_AT_A_TIME
        self.client = client
        self.answer = monotonic() + ANSWER_S
        try:
            client.connect(
                "127.0.0.1", self.orders.port, KEEPALIVE_S // KEEPALIVES, clean_start=True, properties=limits
            )
        except OSError:
            self.lost()

    def _opened(self, client: Client, _data: object, found: object) -> None:
        assert isinstance(found, Socket)
        self.selector.register(found, selectors.EVENT_READ, self)
        client.on_socket_close = lambda *_: self._forget(found)
        client.on_socket_register_write = lambda *_: self._wants(found, selectors.EVENT_READ | selectors.EVENT_WRITE)
        client.on_socket_unregister_write = lambda *_: self._wants(found, selectors.EVENT_READ)

    def _wants(self, found: Socket, events: int) -> None:
        if found in self.selector.get_map():
            self.selector.modify(found, events, self)

    def _forget(self, found: Socket) -> None:
        if found in self.selector.get_map():
            self.selector.unregister(found)

    def lost(self) -> None:
        """Let go of a connection; what it had not acknowledged is sent again, in its order, after a while."""
        found = None if self.client is None else self.client.socket()
        if isinstance(found, Socket):
            self._forget(found)
            found.close()
        self.client, self.inside = None, False
        self.waiting.extendleft(reversed([trip for trip in self.flying.values() if trip.kind in JOURNALLED]))
        self.flying.clear()
        wait = AGAIN_S[min(self.failures, len(AGAIN_S) - 1)]
        self.failures += 1
        self.again = monotonic() + wait * self.dice.uniform(1 - JITTER, 1 + JITTER)

    def _come(self, client: Client, _data: object, _flags: ConnectFlags, reason: ReasonCode, _: object) -> None:
        if reason.is_failure:
            self.told.refused += 1
            return
        found = client.socket()
        if isinstance(found, Socket):
            found.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        client.subscribe(self.speaker.address.commands, qos=1)
        self.inside, self.failures = True, 0
        self.births += 1
        if self.births > 1:
            self.told.back.append(monotonic())
        self._publish(Trip("status", self.speaker.online(utc())))
        if self.state is not None:
            self._publish(Trip(STATE, self.state))
        self.flow()

    def _gone(self, _client: Client, _data: object, _flags: DisconnectFlags, _reason: ReasonCode, _: object) -> None:
        self.inside = False

    def _acknowledged(self, _client: Client, _data: object, number: int, reason: ReasonCode, _: object) -> None:
        if reason.is_failure:
            self.told.refused += 1
        else:
            self.flying.pop(number, None)

    def speak(self, now: float) -> None:
        """Say what is due by now."""
        if self.begin is None:
            return
        while (due := self.begin + self.speaker.due) <= now:
            message = self.speaker.next(utc())
            kind = message.topic.rpartition("/")[2]
            if kind == STATE:
                self.state = message
            self.told.late.append(now - due)
            if kind in JOURNALLED or self.inside:
                size = len(message.topic) + len(message.payload)
                line = f"{message.id} {kind} {zlib.crc32(message.payload)} {size} {time_ns()}"
                self.sent.append(line)
                self.waiting.append(Trip(kind, message))
        self.flow()

    def flow(self) -> None:
        while self.inside and self.waiting and len(self.flying) < SENT_AT_A_TIME:
            self._publish(self.waiting.popleft())

    def _publish(self, trip: Trip) -> None:
        assert self.client is not None
        message = trip.message
        info = self.client.publish(message.topic, message.payload, message.qos, message.retain)
        if message.qos:
            self.flying[info.mid] = trip
        self.inside = self.inside and info.rc == MQTTErrorCode.MQTT_ERR_SUCCESS

    @property
    def done(self) -> bool:
        return self.inside and not self.waiting and not self.flying


class Process:
    """All tables of one process, in one thread."""

    def __init__(self, orders: Orders) -> None:
        self.told, self.sent = Told(), list[str]()
        self._selector = selectors.DefaultSelector()
        secure = None if orders.ca is None else ssl.create_default_context(cafile=str(orders.ca))
        self.tables = [FleetTable(name, orders, self._selector, self.told, self.sent, secure) for name in orders.names]
        self._swept = self._misc = 0.0

    def begin(self, at: float | None) -> None:
        for table in self.tables:
            table.begin = at

    def step(self) -> None:
        """Let come and go what can, and say what is due."""
        for key, events in self._selector.select(max(0.0, self._swept + SWEEP_S - monotonic())):
            key.data.serve(events)
        now = monotonic()
        if now - self._swept < SWEEP_S:
            return
        self._swept = now
        for table in self.tables:
            table.tend(now)
            table.speak(now)
        if now - self._misc >= MISC_S:
            self._misc = now
            for table in self.tables:
                table.pings()


def run(orders: Orders, pipe: Connection) -> None:
    """Be such a process: come in, wait for the word, speak, tell what was sent; then stay until killed."""
    process, start = Process(orders), monotonic()
    while not all(table.inside for table in process.tables):
        process.step()
    process.told.seconds = monotonic() - start
    pipe.send(process.told)
    while not pipe.poll():
        process.step()
    begin = float(pipe.recv())
    process.begin(begin)
    while monotonic() < begin + orders.seconds:
        process.step()
    process.begin(None)
    end = monotonic() + PATIENCE_S
    while not all(table.done for table in process.tables) and monotonic() < end:
        process.step()
    orders.sent.write_text("".join(f"{line}\n" for line in process.sent), "utf-8")
    process.told.left = sum(len(table.waiting) + len(table.flying) for table in process.tables)
    pipe.send(process.told)
    while True:
        process.step()
