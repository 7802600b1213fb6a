"""The built-in broker: used when no other is named, for this device only, and closed without a trace."""

import logging
import os
import re
import socket
import threading
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # it has no types
import pytest

from feltwatch.edge.errors import UsageError
from feltwatch.edge.messaging.local_broker import LocalBroker
from feltwatch.edge.messaging.mqtt import Outgoing
from tests.mosquitto import Witness, free_port, program, until
from tests.table_outbox import HOME, Table, event_seqs, has, statuses

OLD = ("-V", "mqttv311", "-h", "127.0.0.1")


def witness(port: int, topic: str = f"{HOME}/#") -> Witness:
    command = [program("stdbuf"), "-oL", program("mosquitto_sub"), *OLD, "-p", str(port)]
    return Witness([*command, "-q", "1", "-d", "-F", "%j", "-t", topic])


def test_it_carries_what_an_outbox_sends(tmp_path: Path) -> None:
    before = threading.active_count()
    said: list[str] = []
    with LocalBroker(free_port(), said.append) as broker:
        assert said == [
            f"mqtt://127.0.0.1:{broker.port}: built-in broker, for this device only; it speaks MQTT 3.1.1, not 5"
        ]
        assert broker.url == broker.file.url == f"mqtt://127.0.0.1:{broker.port}"
        seen = witness(broker.port)
        with Table(tmp_path, broker.file, mqtt5=False) as table:
            until(lambda: table.outbox.connected)
            table.add(500)
            until(lambda: table.outbox.depth() == 0)
            lines = seen.wait(has(range(1, 501)))
            assert event_seqs(lines) == [*range(1, 501)]
            assert statuses(lines) == ["online"]
            table.outbox.publish_state(Outgoing(f"{HOME}/state", b'{"n":1}', retain=True))
            seen.wait(lambda lines: lines[-1].payload == '{"n":1}')
            late = witness(broker.port, f"{HOME}/state")
            late.wait(lambda lines: ('{"n":1}', True) in [(line.payload, line.retained) for line in lines])
            late.close()
            assert table.inbox.take() is None  # though amqtt gives a newcomer what is retained for others
        seen.wait(lambda lines: statuses(lines) == ["online", "offline"])
        seen.close()
    assert threading.active_count() == before
    with socket.socket() as found:
        assert found.connect_ex(("127.0.0.1", broker.port)) != 0


def test_a_port_that_is_taken_is_refused_with_the_name_of_the_process_that_has_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        owner = re.escape(f"{psutil.Process().name()} (process {os.getpid()})")
        expected = f"127.0.0.1:{port}: expected a free port for the built-in broker, found {owner} on it; stop that"
        with pytest.raises(UsageError, match=expected), LocalBroker(port):
            pass
    with LocalBroker(port) as broker:
        assert broker.port == port


def test_port_0_is_any_free_port() -> None:
    with LocalBroker(0) as broker, socket.create_connection(("127.0.0.1", broker.port)):
        assert broker.port > 0


def test_nobody_else_reaches_it() -> None:
    with LocalBroker(free_port()) as broker:
        table = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
        listening = [line.split()[1] for line in table.splitlines() if line.split()[3] == "0A"]
        assert [one for one in listening if one.endswith(f":{broker.port:04X}")] == [f"0100007F:{broker.port:04X}"]


def test_it_is_quiet_whatever_comes(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    with LocalBroker(free_port()) as broker:
        for junk in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x10\xff\xff\xff\xff\xff", b"\x00" * 100, b"\x10\x02ab"):
            with socket.create_connection(("127.0.0.1", broker.port)) as found:
                found.sendall(junk)
        seen = witness(broker.port)
        seen.close()
    assert [one for one in caplog.records if one.name.startswith("amqtt")] == []
    assert "".join(capfd.readouterr()) == ""


def test_it_stops_though_somebody_is_there(tmp_path: Path) -> None:
    with LocalBroker(free_port()) as broker:
        table = Table(tmp_path, broker.file, mqtt5=False)
        table.outbox.start()
        until(lambda: table.outbox.connected)
    until(lambda: table.outbox.trouble)
    table.add(3)
    with LocalBroker(broker.port) as again:
        assert again.port == broker.port
        until(lambda: table.outbox.depth() == 0)
        table.close(3.0)


def test_a_broker_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        monkeypatch.setattr("feltwatch.edge.messaging.local_broker._check_port", lambda _: port)  # taken since
        with pytest.raises(UsageError, match="the built-in broker does not start: "), LocalBroker(port):
            pass
