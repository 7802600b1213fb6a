"""A link to a real broker: what it lets in and out, what ends it, and what is reported of that."""

import gc
import json
import logging
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, time

import pytest

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.messaging.auth import PASSWORD, USER, Login, login
from feltwatch.edge.messaging.errors import BrokerLostError, RefusedError
from feltwatch.edge.messaging.mqtt import LARGEST, Link, LinkTerms, Outgoing, Waker
from tests.broker_proxy import Proxy
from tests.mosquitto import Mosquitto, free_port

HOME = "feltwatch/main-floor/bj-07"
WILL = Outgoing(f"{HOME}/status", b"offline", retain=True)
SECRET = "Sesam-öffne-dich-4711"  # noqa: S105  of these tests alone


def terms(**changed: object) -> LinkTerms:
    return LinkTerms(**{"client": "bj-07", "will": WILL, "hears": f"{HOME}/cmd/#", **changed})  # type: ignore[arg-type]  # any


@contextmanager
def linked(
    broker: MqttSettings, environ: dict[str, str] | None = None, **changed: object
) -> Iterator[tuple[Link, Waker]]:
    with closing(Waker()) as wake:
        link = Link(broker, terms(**changed), environ or {})
        try:
            link.open(wake)
            yield link, wake
        finally:
            link.close()


def settled(link: Link, wake: Waker, within_s: float = 5.0) -> list[int]:
    """Wait until all is acknowledged."""
    end = monotonic() + within_s
    while link.flying:
        assert monotonic() < end
        link.step(0.1, wake)
    return [*link.acknowledged]


def heard(link: Link, wake: Waker, what: Callable[[], object] | None = None, within_s: float = 5.0) -> None:
    """Wait until something came."""
    end = monotonic() + within_s
    while not (link.received if what is None else what()):
        assert monotonic() < end
        link.step(0.1, wake)


def lost(link: Link, wake: Waker, within_s: float = 5.0) -> BrokerLostError:
    end = monotonic() + within_s
    while monotonic() < end:
        try:
            link.step(0.1, wake)
        except BrokerLostError as error:
            return error
    raise AssertionError("the link holds")


@pytest.fixture(scope="module")
def mosquitto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path_factory.mktemp("mosquitto")) as found:
        yield found


@pytest.fixture
def broker(mosquitto: Mosquitto) -> MqttSettings:
    return MqttSettings(address=f"mqtt://127.0.0.1:{mosquitto.port}")


@pytest.mark.parametrize("mqtt5", [True, False])
def test_what_is_sent_arrives_and_is_acknowledged(mosquitto: Mosquitto, broker: MqttSettings, *, mqtt5: bool) -> None:
    witness = mosquitto.subscribe(f"{HOME}/#")
    with linked(broker, mqtt5=mqtt5) as (link, wake):
        assert link.window == 20
        numbers = [
            link.publish(Outgoing(f"{HOME}/event", f'{{"seq": {n}}}'.encode()), late=n == 2) for n in range(1, 4)
        ]
        link.publish(Outgoing(f"{HOME}/health", b"{}", qos=0))
        assert settled(link, wake) == numbers
        lines = witness.wait(lambda lines: len(lines) == 4)
        assert [line.seq for line in lines[:3]] == [1, 2, 3]
        assert [line.late for line in lines] == [False, mqtt5, False, False]
        link.leave(1.0, wake)
    assert len(witness.lines) == 4  # no last will


def test_limits_of_the_broker_are_ours(tmp_path: Path) -> None:
    with (
        Mosquitto(tmp_path, ["max_inflight_messages 3", "max_packet_size 2000"]) as mosquitto,
        linked(MqttSettings(address=f"mqtt://127.0.0.1:{mosquitto.port}")) as (link, _),
    ):
        assert (link.window, link.largest) == (3, 2000)
        assert link.takes(Outgoing("a", b"x" * 1900))
        assert not link.takes(Outgoing("a", b"x" * 2000))


def test_commands_that_lie_there_are_not_ours_and_those_that_come_are(
    mosquitto: Mosquitto, broker: MqttSettings
) -> None:
    mosquitto.publish(f"{HOME}/cmd/signal", "garbage", ("-r", "-q", "1"))
    with linked(broker) as (link, wake):
        mosquitto.publish(f"{HOME}/cmd/signal/room", "now")
        mosquitto.publish(f"{HOME}/event", "not for us")
        heard(link, wake)
        (one,) = link.received
        assert (one.topic, one.payload, one.retained) == (f"{HOME}/cmd/signal/room", b"now", False)
    with linked(broker, mqtt5=False) as (link, wake):  # which cannot say that it wants none, but sees what they are
        heard(link, wake)
        assert link.received[0].retained
    mosquitto.publish(f"{HOME}/cmd/signal", "", ("-r", "-q", "1"))


def test_ten_megabytes_do_not_reach_us(mosquitto: Mosquitto, broker: MqttSettings, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * 10_000_000)
    witness = mosquitto.subscribe(f"{HOME}/cmd/#")
    with linked(broker) as (link, wake), linked(broker, client="other", mqtt5=False) as (old, old_wake):
        assert mosquitto.publish(f"{HOME}/cmd/signal", large).returncode == 0
        mosquitto.publish(f"{HOME}/cmd/signal", "x" * (LARGEST - 100))
        witness.wait(lambda lines: len(lines) == 2)
        heard(link, wake)
        assert [len(one.payload) for one in link.received] == [LARGEST - 100]
        assert link.oversized == 0
        heard(old, old_wake)
        assert (len(old.received), old.oversized) == (1, 1)
        link.publish(Outgoing(f"{HOME}/event", b"{}"))
        settled(link, wake)


def test_a_lost_connection_leaves_the_last_will_and_a_goodbye_does_not(
    mosquitto: Mosquitto, broker: MqttSettings
) -> None:
    mosquitto.publish(f"{HOME}/status", "", ("-r", "-q", "1"))
    witness = mosquitto.subscribe(f"{HOME}/status")
    with linked(broker) as (link, wake):
        link.leave(1.0, wake)
    with linked(broker):
        pass
    (line,) = witness.wait(lambda lines: lines)
    assert (line.payload, line.retained) == ("offline", False)
    later = mosquitto.subscribe(f"{HOME}/status")
    assert [line.retained for line in later.wait(lambda lines: lines)] == [True]


def test_a_half_open_connection_is_noticed_within_the_keepalive_and_a_quiet_one_holds(mosquitto: Mosquitto) -> None:
    keepalive = 2
    with (
        Proxy(mosquitto.port) as way,
        linked(MqttSettings(address=f"mqtt://127.0.0.1:{way.port}", keepalive_s=keepalive)) as at,
    ):
        link, wake = at
        quiet = monotonic() + 1.25 * keepalive
        while monotonic() < quiet:
            link.step(0.5, wake)
        way.swallows, start = True, time()
        error = lost(link, wake, 2.0 * keepalive)
        assert time() - start <= keepalive + 0.7
        assert str(error) == f"mqtt://127.0.0.1:{way.port}: nothing is heard of it any more"


def test_a_broker_that_acknowledges_nothing_is_given_up(mosquitto: Mosquitto) -> None:
    with (
        Proxy(mosquitto.port) as way,
        linked(MqttSettings(address=f"mqtt://127.0.0.1:{way.port}"), ack_s=0.3) as (link, wake),
    ):
        way.swallows = True
        link.publish(Outgoing(f"{HOME}/event", b"{}"))
        assert "it acknowledges nothing: 1 messages are on their way" in str(lost(link, wake))


def test_what_the_acl_denies_is_not_acknowledged(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text(f"topic write {HOME}/event\n")
    with (
        Mosquitto(tmp_path, [f"acl_file {acl}"]) as mosquitto,
        linked(MqttSettings(address=f"mqtt://127.0.0.1:{mosquitto.port}")) as (link, wake),
    ):
        number = link.publish(Outgoing(f"{HOME}/event", b"{}"))
        assert settled(link, wake) == [number]
        link.publish(Outgoing(f"{HOME}/alert", b"{}"))
        error = lost(link, wake)
        assert isinstance(error, RefusedError)
        assert f"does not take messages on {HOME}/alert: this table may not write there" in str(error)
        assert [*link.acknowledged] == [number]


def test_a_wrong_password_is_said_and_stays_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    passwords = tmp_path / "passwords"
    passwords.write_text("bj-07:$7$101$c2FsdHNhbHRzYWx0$aGFzaA==\n")
    mine = tmp_path / "mine"
    mine.write_text(f"{SECRET}\n", "utf-8")
    with Mosquitto(tmp_path, ["allow_anonymous false", f"password_file {passwords}"]) as mosquitto:
        for user, environ in (("bj-07", {}), (None, {USER: "bj-07"}), ("bj-07", {PASSWORD: SECRET})):
            kept = None if environ.get(PASSWORD) else mine
            broker = MqttSettings(address=f"mqtt://127.0.0.1:{mosquitto.port}", user=user, password_file=kept)
            link = Link(broker, terms(), environ)
            with closing(Waker()) as wake, pytest.raises(RefusedError) as found:
                link.open(wake)
            assert "does not let this table in: user name, password or certificate are not accepted" in str(found.value)
            told = traceback.TracebackException.from_exception(found.value, capture_locals=True)
            del told.stack[0]  # this test knows it
            seen = "".join((*told.format(), repr(link), repr(login(broker, environ)), caplog.text, *capfd.readouterr()))
            assert SECRET not in seen
            assert repr(SECRET.encode())[2:-1] not in seen


def test_user_and_password_come_from_the_file_or_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("from file\r\n")
    file = MqttSettings(address="mqtt://h:1", user="me", password_file=path)
    own = {USER: "somebody", PASSWORD: "from environment"}
    assert login(file, own) == Login("me", "from file")
    assert login(MqttSettings(address="mqtt://h:1"), own) == Login("somebody", "from environment")
    assert login(MqttSettings(address="mqtt://h:1"), {}) == Login(None, None)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "expected a password: no such file or directory"),
        (b"\n", "expected a password, found an empty file"),
        (b"\xff\xfe", "it is not text in UTF-8"),
        (b"x", "expected a user where there is a password: name mqtt.user, or set FELTWATCH_MQTT_USER"),
    ],
)
def test_a_password_that_cannot_be_read_is_said(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RefusedError, match=says):
        login(MqttSettings(address="mqtt://h:1", password_file=path), {})


class Script(threading.Thread):
    """A broker that answers as the test orders, whatever it hears."""

    def __init__(self, *says: bytes) -> None:
        super().__init__(daemon=True)
        self._says = says
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.start()

    def run(self) -> None:
        with self._listener, self._listener.accept()[0] as found:
            for say in self._says:
                found.recv(65_536)
                found.sendall(say)
            while found.recv(65_536):
                pass


def connack(code: int, properties: bytes = b"") -> bytes:
    return bytes([0x20, 3 + len(properties), 0, code, len(properties)]) + properties


@pytest.mark.parametrize(
    ("answer", "says", "refused"),
    [
        (connack(0x84), "it does not speak this version of MQTT", True),
        (bytes([0x20, 2, 0, 1]), "it does not speak this version of MQTT", True),  # as brokers of MQTT 3.1.1 say it
        (connack(0x85), "it does not accept this table's client id", True),
        (connack(0x86), "user name or password are wrong", True),
        (connack(0x87), "user name, password or certificate are not accepted (not authorized)", True),
        (connack(0x8A), "this table is banned there", True),
        (connack(0x9C), "it says to use another server", True),
        (connack(0x83), "implementation specific error", True),
        (connack(0x88), "the broker says that it is unavailable", False),
        (connack(0x89), "the broker says that it is busy", False),
        (connack(0, b"\x25\x00"), "it keeps no retained messages, and status and state need them", True),
        (connack(0, b"\x24\x00"), "it does not take messages of QoS 1", True),
        (b"\xf0\x00", "what it says is not MQTT", False),
        (connack(0) + b"\xe0\x01\x8e", "do two devices watch one table?", True),
        (connack(0) + b"\xe0\x01\x98", "an administrator ended the connection", True),
        (connack(0) + b"\xe0\x01\x8b", "the broker ended the connection: server shutting down", False),
        (connack(0) + b"\x30\x03\x00\x09x", "what it says is not MQTT", False),
    ],
)
def test_whatever_the_broker_answers_is_said_in_a_sentence(answer: bytes, says: str, *, refused: bool) -> None:
    script = Script(answer)
    link = Link(MqttSettings(address=f"mqtt://127.0.0.1:{script.port}"), terms(), {})
    with closing(Waker()) as wake:
        try:
            link.open(wake)
            error = lost(link, wake)
        except BrokerLostError as found:
            error = found
    assert str(error).startswith(f"mqtt://127.0.0.1:{script.port}: ")
    assert says in str(error)
    assert isinstance(error, RefusedError) == refused
    assert "\n" not in str(error)
    script.join()


def test_who_does_not_answer_or_is_not_there_is_said() -> None:
    with closing(Waker()) as wake, socket.create_server(("127.0.0.1", 0)) as silent:
        for host, port, says in (
            ("127.0.0.1", silent.getsockname()[1], "it does not answer"),
            ("127.0.0.1", free_port(), "nothing listens there; is the broker running?"),
            ("no.such.host.invalid", 1883, "the broker's name is not known here"),
            ("x" * 70, 1883, "expected the name of a host"),
        ):
            with pytest.raises(BrokerLostError, match=says):
                Link(MqttSettings(address=f"mqtt://{host}:{port}"), terms(connect_s=0.2), {}).open(wake)


def test_a_subscription_that_is_refused_is_said() -> None:
    script = Script(connack(0), b"\x90\x04\x00\x01\x00\x87")
    with linked(MqttSettings(address=f"mqtt://127.0.0.1:{script.port}")) as (link, wake):
        heard(link, wake, lambda: link.deaf)
        assert (
            link.deaf
            == f"mqtt://127.0.0.1:{script.port}: the broker lets us hear nothing on {HOME}/cmd/#: not authorized"
        )
    script.join()


def test_a_link_leaves_nothing_behind(broker: MqttSettings) -> None:
    def things() -> tuple[int, int]:
        return len([*Path("/proc/self/fd").iterdir()]), threading.active_count()

    def once() -> None:
        with linked(broker) as (link, wake):
            link.publish(Outgoing(f"{HOME}/event", b"{}"))
            settled(link, wake)
        with pytest.raises(BrokerLostError), linked(MqttSettings(address=f"mqtt://127.0.0.1:{free_port()}")):
            pass

    once()
    gc.collect()
    before = things()
    for _ in range(20):
        once()
    assert things() == before  # and without waiting for the garbage to be taken away


def test_witness_and_client_see_the_same_bytes(mosquitto: Mosquitto, broker: MqttSettings) -> None:
    del mosquitto
    payload = json.dumps({"seq": 1, "says": "ä\u2028\"'\\"}, ensure_ascii=False)
    with linked(broker) as (link, wake), linked(broker, client="2", hears=f"{HOME}/event") as (other, other_wake):
        other.step(0.2, other_wake)
        link.publish(Outgoing(f"{HOME}/event", payload.encode()))
        settled(link, wake)
        heard(other, other_wake)
        assert other.received[0].payload.decode() == payload
