"""One connection to a broker, replaced after each loss: nothing that it holds is needed again.

paho-mqtt keeps messages of its own accord, in memory, and sends them again as it sees fit. Here its client is thrown
away with its connection, and the journal alone knows what is still to be sent. The thread that uses a link drives it
(`step`); paho has none of its own, so that no callback runs beside our code and there is no lock to hang in.
"""

import os
import select
import socket
import ssl
import struct
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage, topic_matches_sub
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.exception import MQTTException
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.messaging.auth import context, let_go, login
from feltwatch.edge.messaging.errors import (
    CLOSED,
    BrokerLostError,
    RefusedError,
    of_connack,
    of_disconnect,
    of_puback,
    of_socket,
)

LARGEST: Final = 64 * 1024  # bytes of a packet that we let come
HEARD_AT_A_TIME: Final = 10  # messages of QoS 1 that may be on their way to us
SENT_AT_A_TIME: Final = 20  # and from us, where the broker does not want fewer
LOOK_S: Final = 0.5  # paho looks after its pings so often
KEEPALIVES: Final = 3  # pings in our time: a broker waits for one and a half of them, and looks every five seconds
OVERHEAD: Final = 64  # bytes of a packet beside topic and payload, at most
MALFORMED: Final = (MQTTException, ValueError, IndexError, KeyError, TypeError, AssertionError, struct.error)
UNHEARD: Final = 0x8D  # so paho says that no answer came to its ping
SILENCE: Final = "nothing is heard of it any more"
BABBLE: Final = "what it says is not MQTT"
READ: Final = select.POLLIN | select.POLLHUP | select.POLLERR


@dataclass(frozen=True, slots=True)
class Outgoing:
    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False
    id: str = ""  # of the payload, where it has one


@dataclass(frozen=True, slots=True)
class Incoming:
    topic: str
    payload: bytes
    retained: bool  # stored at the broker before we connected: not sent now


@dataclass(frozen=True, slots=True)
class LinkTerms:
    """Who comes in, what the broker says once we are gone, what we want to hear."""

    client: str
    will: Outgoing
    hears: str
    mqtt5: bool = True  # the embedded broker speaks 3.1.1 alone
    connect_s: float = 5.0
    ack_s: float = 10.0  # an acknowledgement that takes longer does not come any more


class Waker:
    """Ends a link's waiting from another thread."""

    def __init__(self) -> None:
        self._here, self._there = socket.socketpair()
        self._here.settimeout(0.0)
        self._there.settimeout(0.0)

    def fileno(self) -> int:
        return self._here.fileno()

    def poke(self) -> None:
        with suppress(BlockingIOError, OSError):  # it was poked already, or nothing waits any more
            self._there.send(b"!")

    def heard(self) -> None:
        with suppress(BlockingIOError):
            self._here.recv(4096)

    def close(self) -> None:
        self._here.close()
        self._there.close()


class Link:
    """One connection. What arrived stays in `acknowledged` and `received` until it is taken."""

    def __init__(
        self,
        broker: MqttSettings,
        terms: LinkTerms,
        environ: Mapping[str, str] = os.environ,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.broker, self.terms = broker, terms
        self.acknowledged: deque[int] = deque()
        self.received: deque[Incoming] = deque()
        self.oversized = 0  # came, and were not looked at
        self.listens = False  # the broker has answered whether it lets us hear
        self.deaf: str | None = None  # and why not
        self.window = 0  # messages that may be on their way at a time; none before we are in
        self.largest: int | None = None  # bytes of a packet that the broker takes
        self._environ, self._now = environ, now
        self._flying: dict[int, tuple[float, str]] = {}
        self._gone: BrokerLostError | None = None
        self._heard = now()
        self._silence_s = float(broker.keepalive_s)
        self._secure: ssl.SSLContext | None = None
        self._client = self._made()

    def _made(self) -> Client:
        version = MQTTProtocolVersion.MQTTv5 if self.terms.mqtt5 else MQTTProtocolVersion.MQTTv311
        client = Client(CallbackAPIVersion.VERSION2, self.terms.client, protocol=version, reconnect_on_failure=False)
        client.connect_timeout = self.terms.connect_s
        client.max_inflight_messages_set(0)  # we count them ourselves: paho would queue the others in memory
        will = self.terms.will
        client.will_set(will.topic, will.payload, will.qos, will.retain)
        client.on_socket_open = undelayed
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        return client

    def open(self, wake: Waker) -> None:
        """Come in, or raise a sentence that says why not. `wake` ends any waiting."""
        try:
            found = login(self.broker, self._environ)
            self._client.username_pw_set(found.user, found.password)
            if self.broker.tls:
                self._secure = context(self.broker)
                self._client.tls_set_context(self._secure)
            self._connect()
        except OSError as error:
            raise self._lost(of_socket(error)) from error
        except UnicodeError as error:
            raise self._lost(RefusedError(f"expected the name of a host, found {self.broker.host!r}")) from error
        end = self._now() + self.terms.connect_s
        while not self.window:
            if self._now() > end:
                raise self._lost(BrokerLostError("it does not answer"))
            self.step(LOOK_S, wake)
        self._listen()

    def _connect(self) -> None:
        keepalive = max(1, int(self.broker.keepalive_s / KEEPALIVES))
        if not self.terms.mqtt5:
            self._client.connect(self.broker.host, self.broker.port, keepalive)
            return
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho has no types there
        limits.MaximumPacketSize = LARGEST
        limits.ReceiveMaximum = HEARD_AT_A_TIME
        self._client.connect(self.broker.host, self.broker.port, keepalive, clean_start=True, properties=limits)

    def _listen(self) -> None:
        if self.terms.mqtt5:
            options = SubscribeOptions(qos=1, noLocal=True, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
            self._client.subscribe(self.terms.hears, options=options)
        else:
            self._client.subscribe(self.terms.hears, qos=1)

    @property
    def flying(self) -> int:
        """Messages on their way that are not acknowledged."""
        return len(self._flying)

    @property
    def clogged(self) -> bool:
        """What was given to it does not leave: the network does not take it."""
        return self._client.want_write()

    def takes(self, message: Outgoing) -> bool:
        """True if a message is not larger than what the broker takes."""
        size = len(message.topic.encode()) + len(message.payload) + OVERHEAD
        return self.largest is None or size <= self.largest

    def publish(self, message: Outgoing, *, late: bool = False) -> int:
        """Send a message; its number comes back in `acknowledged` when the broker has it."""
        properties = None
        if late and self.terms.mqtt5:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # as above
            properties.UserProperty = ("late", "1")
        info = self._client.publish(message.topic, message.payload, message.qos, message.retain, properties)
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise self._lost(self._gone or BrokerLostError("the connection broke off"))
        if message.qos:
            self._flying[info.mid] = (self._now(), message.topic)
        return info.mid

    def step(self, timeout_s: float, wake: Waker) -> None:
        """Let come and go what can, for a time at most; raises when the connection is over."""
        found = self._client.socket()
        if isinstance(found, socket.socket):
            try:
                self._step(found, timeout_s, wake)
            except MALFORMED as error:  # our callbacks only keep what comes, so it is not they
                raise self._lost(BrokerLostError(BABBLE)) from error
        gone = self._gone or self._given_up()
        if gone is not None or self._client.socket() is None:
            raise self._lost(gone or BrokerLostError("the connection broke off" if self.window else CLOSED))

    def _step(self, found: socket.socket, timeout_s: float, wake: Waker) -> None:
        waiting = isinstance(found, ssl.SSLSocket) and found.pending() > 0
        poll = select.poll()
        poll.register(wake, select.POLLIN)
        poll.register(found, READ | (select.POLLOUT if self._client.want_write() else 0))
        ready = dict(poll.poll(0 if waiting else 1000 * max(0.0, min(timeout_s, LOOK_S))))
        if wake.fileno() in ready:
            wake.heard()
        flags = ready.get(found.fileno(), 0)
        if waiting or flags & READ:
            self._heard = self._now()
            if self._client.loop_read() == MQTTErrorCode.MQTT_ERR_PROTOCOL:
                self._gone = self._gone or BrokerLostError(BABBLE)
        if flags & select.POLLOUT:
            self._client.loop_write()
        self._client.loop_misc()

    def _given_up(self) -> BrokerLostError | None:
        """Say why a connection that is still there is of no use any more."""
        now = self._now()
        if now - self._heard > self._silence_s:
            return BrokerLostError(SILENCE)
        oldest = next(iter(self._flying.values()), None)
        if oldest is not None and now - oldest[0] > self.terms.ack_s:
            return BrokerLostError(f"it acknowledges nothing: {len(self._flying)} messages are on their way")
        return None

    def leave(self, timeout_s: float, wake: Waker) -> None:
        """Say goodbye: the broker forgets the last will."""
        self._client.disconnect()
        end = self._now() + timeout_s
        while (found := self._client.socket()) is not None and self._now() < end:
            if isinstance(found, socket.socket):
                self._step(found, LOOK_S, wake)
        self.close()

    def close(self) -> None:
        """Let go of the connection without a word: the broker gives out the last will."""
        found = self._client.socket()
        if found is not None:
            found.close()
        if self._secure is not None:
            let_go(self._secure)
        for name in ("on_connect", "on_disconnect", "on_publish", "on_subscribe", "on_message"):
            setattr(self._client, name, None)  # which hold this link, as it holds the client

    def _lost(self, error: BrokerLostError) -> BrokerLostError:
        """Close, and say which broker it was about."""
        fault = let_go(self._secure) if self._secure is not None else None
        if fault is not None and not isinstance(error, RefusedError):
            error = of_socket(fault)
        self.close()
        return type(error)(f"{self.broker.url}: {error}")

    def _on_connect(
        self, _client: Client, _data: object, _flags: ConnectFlags, reason: ReasonCode, limits: Properties | None
    ) -> None:
        if reason.is_failure:
            self._gone = of_connack(reason.value, str(reason))
            return
        for name, code in (("RetainAvailable", 0x9A), ("MaximumQoS", 0x9B)):
            if getattr(limits, name, 1) < 1:
                self._gone = of_connack(code, name)
                return
        self.window = min(SENT_AT_A_TIME, getattr(limits, "ReceiveMaximum", SENT_AT_A_TIME))
        self.largest = getattr(limits, "MaximumPacketSize", None)
        longest = KEEPALIVES * getattr(limits, "ServerKeepAlive", 0)  # pings come as seldom as the broker wants
        self._silence_s = max(self._silence_s, longest)

    def _on_disconnect(
        self,
        _client: Client,
        _data: object,
        flags: DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if flags.is_disconnect_packet_from_server:
            self._gone = of_disconnect(reason.value, str(reason))
        elif reason.value == UNHEARD:
            self._gone = BrokerLostError(SILENCE)

    def _on_publish(
        self, _client: Client, _data: object, number: int, reason: ReasonCode, _properties: Properties
    ) -> None:
        _, topic = self._flying.pop(number, (0.0, None))
        if topic is None:
            return
        if reason.is_failure:
            self._gone = self._gone or of_puback(reason.value, str(reason), topic)
        else:
            self.acknowledged.append(number)

    def _on_subscribe(
        self,
        _client: Client,
        _data: object,
        _number: int,
        reasons: Sequence[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        self.listens = True
        refused = [str(reason).lower() for reason in reasons if reason.is_failure]
        if refused:
            self.deaf = f"{self.broker.url}: the broker lets us hear nothing on {self.terms.hears}: {refused[0]}"

    def _on_message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        if not topic_matches_sub(self.terms.hears, message.topic):
            return  # amqtt gives a new client what is retained for others
        if len(message.payload) > LARGEST:
            self.oversized += 1
        else:
            self.received.append(Incoming(message.topic, bytes(message.payload), bool(message.retain)))


def undelayed(_client: Client, _data: object, found: object) -> None:
    """A short message does not wait for the acknowledgement of the one before it."""
    if isinstance(found, socket.socket):
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
