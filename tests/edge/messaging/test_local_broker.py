"""The broker of our own: there when none is named, for this machine alone, and gone without a trace."""

import logging
import socket
import threading
from pathlib import Path

import pytest

from feltwatch.edge.errors import UsageError
from feltwatch.edge.messaging.local_broker import Broker
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
    with Broker(free_port(), said.append) as broker:
        assert said == [f"mqtt://127.0.0.1:{broker.port}: a broker of our own, for this machine alone"]
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


def test_a_port_that_is_taken_is_left_to_who_has_it() -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        with Broker(port, said.append) as broker:
            assert broker.port != port
            assert said[0].endswith(f"; port {port} is taken")
            with socket.create_connection(("127.0.0.1", broker.port)):
                pass


def test_nobody_else_reaches_it() -> None:
    with Broker(free_port()) as broker:
        table = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
        listening = [line.split()[1] for line in table.splitlines() if line.split()[3] == "0A"]
        assert [one for one in listening if one.endswith(f":{broker.port:04X}")] == [f"0100007F:{broker.port:04X}"]


def test_it_is_quiet_whatever_comes(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    with Broker(free_port()) as broker:
        for junk in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x10\xff\xff\xff\xff\xff", b"\x00" * 100, b"\x10\x02ab"):
            with socket.create_connection(("127.0.0.1", broker.port)) as found:
                found.sendall(junk)
        seen = witness(broker.port)
        seen.close()
    assert [one for one in caplog.records if one.name.startswith("amqtt")] == []
    assert "".join(capfd.readouterr()) == ""


def test_it_stops_though_somebody_is_there(tmp_path: Path) -> None:
    with Broker(free_port()) as broker:
        table = Table(tmp_path, broker.file, mqtt5=False)
        table.outbox.start()
        until(lambda: table.outbox.connected)
    until(lambda: table.outbox.trouble)
    table.add(3)
    with Broker(broker.port) as again:
        assert again.port == broker.port
        until(lambda: table.outbox.depth() == 0)
        table.close(3.0)


def test_a_broker_that_cannot_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
        monkeypatch.setattr("feltwatch.edge.messaging.local_broker._free", lambda _: port)  # it was taken since
        with pytest.raises(UsageError, match="expected a port for a broker of our own"), Broker(port):
            pass
