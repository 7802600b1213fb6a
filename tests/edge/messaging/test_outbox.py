"""The outbox with a real broker: whatever becomes of it and of the way there, every entry arrives, and in order."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import monotonic, time

import pytest

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.journal.store import Entry, Fact, Journal
from feltwatch.edge.messaging.mqtt import Outgoing
from feltwatch.edge.messaging.outbox import Inbox, OutboxClock
from tests.broker_proxy import Proxy
from tests.mosquitto import Line, Mosquitto, free_port, program, until
from tests.table_outbox import AT, HOME, Table, event_seqs, has, statuses

SOON = OutboxClock(chance=lambda: -1.75)  # chance is kinder than it can be: every wait is a tenth of what it is


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as found:
        yield found


def plain(port: int, rate: int = 200, keepalive_s: int = 10) -> MqttSettings:
    return MqttSettings(address=f"mqtt://127.0.0.1:{port}", rate=rate, keepalive_s=keepalive_s)


def ascending(lines: Sequence[Line], *, late: bool) -> bool:
    seqs = [line.seq for line in lines if line.topic == f"{HOME}/event" and line.late == late]
    return all(one < other for one, other in pairwise(seqs))


def payloads(lines: Sequence[Line]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in lines:
        told = json.loads(line.payload)
        if "id" in told:
            found.setdefault(told["id"], set()).add(line.payload)
    return found


def test_entries_arrive_in_order_each_once_and_are_acknowledged(tmp_path: Path, mosquitto: Mosquitto) -> None:
    witness = mosquitto.subscribe(f"{HOME}/#")
    with Table(tmp_path, plain(mosquitto.port)) as table:
        until(lambda: table.outbox.connected)
        for _ in range(10):
            table.add(30)
        until(lambda: table.outbox.depth() == 0)
        assert table.outbox.acknowledged == 300
        until(lambda: table.journal.unsent() == [(301, None)])
        lines = witness.wait(has(range(1, 301)))
        assert event_seqs(lines) == [*range(1, 301)]
        assert not any(line.late for line in lines)
        assert statuses(lines) == ["online"]
        assert table.said == [f"mqtt://127.0.0.1:{mosquitto.port}: connected"]
    lines = witness.wait(lambda lines: len(statuses(lines)) == 2)
    assert json.loads(lines[-1].payload) == {"status": "offline", "why": "stopped"}
    later = mosquitto.subscribe(f"{HOME}/#")
    found = later.wait(lambda lines: len(lines) == 2)
    assert {line.topic for line in found if line.retained} == {f"{HOME}/status", f"{HOME}/state"}
    assert statuses(found) == ["offline"]


def test_news_goes_at_once(tmp_path: Path, mosquitto: Mosquitto) -> None:
    witness = mosquitto.subscribe(f"{HOME}/event")
    with Table(tmp_path, plain(mosquitto.port)) as table:
        until(lambda: table.outbox.connected)
        took = []
        for n in range(1, 51):
            start = time()
            table.add()
            table.outbox.wake()
            took.append(witness.wait(lambda lines, n=n: len(lines) == n)[-1].at - start)  # type: ignore[misc]  # n is n
    assert sorted(took)[25] < 0.05


def test_a_broker_that_is_killed_and_comes_back_misses_nothing(tmp_path: Path) -> None:
    """With persistence; tests/faults has it without."""
    with (
        Mosquitto(tmp_path, ["persistence true", f"persistence_location {tmp_path}/"]) as mosquitto,
        Proxy(mosquitto.port) as way,
    ):
        witness = mosquitto.subscribe(f"{HOME}/#")
        with Table(tmp_path, plain(way.port), clock=SOON) as table:
            table.add(100)
            witness.wait(has(range(1, 101)))
            mosquitto.kill()
            until(lambda: not table.outbox.connected)
            table.add(100)
            assert table.outbox.depth() >= 100
            way.open = False  # the witness is there before the table
            mosquitto.start()
            witness.subscribed(2)
            way.open = True
            found = witness.wait(has(range(101, 201)))
            assert ascending(found, late=True)
            assert {len(same) for same in payloads(found).values()} == {1}
            assert statuses(found)[-1] == "online"
            assert table.births == 2
            until(lambda: table.outbox.depth() == 0)
        assert all(one != other for one, other in pairwise(table.said))
        assert table.said[0].endswith(": connected")
        assert table.said[-1].endswith(": connected")


def test_what_was_not_acknowledged_is_sent_by_the_next_run(tmp_path: Path) -> None:
    port = free_port()
    table = Table(tmp_path, plain(port))
    table.add(50)
    with table:
        until(lambda: table.outbox.trouble)
        assert table.outbox.trouble == f"mqtt://127.0.0.1:{port}: nothing listens there; is the broker running?"
        assert table.outbox.refused is None
        assert table.outbox.depth() == 50
    assert table.said == [f"{table.outbox.trouble}; 50 messages wait, trying again"]
    with Mosquitto(tmp_path, port=port) as mosquitto:
        witness = mosquitto.subscribe(f"{HOME}/event")
        again = Table(tmp_path, plain(port))
        assert again.outbox.depth() == 50
        with again:
            witness.wait(has(range(1, 51)))
        with Table(tmp_path, plain(port)) as third:
            assert third.outbox.depth() == 0
        assert event_seqs(witness.lines) == [*range(1, 51)]


def test_live_messages_do_not_wait_behind_a_day_of_backlog(tmp_path: Path, mosquitto: Mosquitto) -> None:
    """Two minutes' worth of backlog has a lane of its own; then the way is freed for it, so that the test ends."""
    rate, backlog = 200, 20_000
    witness = mosquitto.subscribe(f"{HOME}/event")
    table = Table(tmp_path, plain(mosquitto.port, rate))
    table.add(backlog)
    with table:
        until(lambda: table.outbox.connected)
        asked = []
        for _ in range(5):
            asked.append((table.add(), time()))
            witness.wait(lambda lines: any(line.seq == asked[-1][0] for line in lines))
        lines = witness.wait(lambda lines: len(lines) > 1.3 * rate)
        live = {line.seq: line for line in lines if not line.late}
        assert {*live} == {seq for seq, _ in asked}
        assert max(live[seq].at - at for seq, at in asked) < 1.0
        assert ascending(lines, late=True)
        late = [line.at for line in lines if line.late]
        assert 0.5 * rate <= (len(late) - 1) / (late[-1] - late[0]) <= 1.1 * rate
        table.outbox.close(0.0)  # in the middle of it
    with closing(Journal(tmp_path / "bj-07.journal", "bj-07")) as kept:
        assert kept.unsent()[1:] == [(backlog + 6, None)]  # a hole where what was new overtook
    with Table(tmp_path, plain(mosquitto.port, 100_000)) as again:
        until(lambda: again.outbox.depth() == 0, 20.0)
        found = witness.wait(has(range(1, backlog + 6)))
    assert {len(same) for same in payloads(found).values()} == {1}


def test_a_refused_password_is_no_connection_and_is_said_once(tmp_path: Path) -> None:
    passwords, mine = tmp_path / "passwords", tmp_path / "mine"
    passwords.touch()
    subprocess.run([program("mosquitto_passwd"), "-b", passwords, "bj-07", "right"], check=True)
    mine.write_text("wrong-4711")
    with Mosquitto(tmp_path, ["allow_anonymous false", f"password_file {passwords}"]) as mosquitto:
        broker = MqttSettings(address=f"mqtt://127.0.0.1:{mosquitto.port}", user="bj-07", password_file=mine)
        table = Table(tmp_path, broker, clock=SOON)
        table.add(3)
        with table:
            until(lambda: mosquitto.log().count("not authorised") >= 2)
            assert not table.outbox.connected
            assert table.births == 0
            assert "user name, password or certificate are not accepted" in str(table.outbox.refused)
            (said,) = table.said
            assert said.endswith("; 3 messages wait, trying again")
            mine.write_text("right")
            until(lambda: table.outbox.connected)
            until(lambda: table.outbox.depth() == 0)
            assert table.outbox.refused is None
        assert "wrong-4711" not in "".join([*table.said, mosquitto.log(), repr(table.outbox)])


def test_what_the_acl_denies_is_kept_and_said(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text(f"topic read #\ntopic write {HOME}/event\ntopic write {HOME}/status\ntopic write {HOME}/state\n")
    with Mosquitto(tmp_path, [f"acl_file {acl}"]) as mosquitto:
        witness = mosquitto.subscribe(f"{HOME}/#")
        with Table(tmp_path, plain(mosquitto.port), clock=SOON) as table:
            table.add(2)
            table.add(1, "alert")
            table.add(1)
            until(lambda: table.births == 2)
            assert f"the broker does not take messages on {HOME}/alert" in str(table.outbox.refused)
            assert table.outbox.depth() > 0
            refused = table.outbox.refused
            acl.write_text(acl.read_text() + f"topic write {HOME}/alert\n")
            mosquitto.send(signal.SIGHUP)
            until(lambda: table.outbox.depth() == 0)
            assert event_seqs(witness.wait(lambda lines: event_seqs(lines, "alert")), "alert") == [3]
        assert [said.rpartition("; ")[0] for said in table.said if "does not take" in said] == [refused]
        assert table.said[-1].endswith(": connected")
        assert sum(said.endswith(": connected") for said in table.said) <= 2  # at first, and when it was put right


class Large(Table):
    """Its second entry is of some length."""

    def encode(self, entry: Entry) -> Outgoing:
        message = super().encode(entry)
        return replace(message, payload=message.payload + b" " * (3_000 if entry.seq == 2 else 0))


def test_a_message_that_the_broker_finds_too_large_holds_up_no_other(tmp_path: Path) -> None:
    with Mosquitto(tmp_path, ["max_packet_size 2000"]) as mosquitto:
        witness = mosquitto.subscribe(f"{HOME}/event")
        with Large(tmp_path, plain(mosquitto.port)) as table:
            table.add(3)
            witness.wait(has(range(3, 4)))
            until(lambda: table.journal.unsent() == [(2, 2), (4, None)])
            assert event_seqs(witness.lines) == [1, 3]
            assert "entry 2 is larger than the 2000 bytes that the broker takes; it waits" in table.said
            table.outbox.close(0.0)


def test_what_the_journal_dropped_is_said_and_not_waited_for(tmp_path: Path, mosquitto: Mosquitto) -> None:
    witness = mosquitto.subscribe(f"{HOME}/event")
    table = Table(tmp_path, plain(mosquitto.port))
    table.add(10)
    table.journal.drop(4)
    with table:
        until(lambda: table.outbox.depth() == 0)
        witness.wait(has(range(5, 11)))
        assert "entries 1 to 4 are not in the journal any more, and were not acknowledged before" in table.said


def test_state_is_the_newest_and_never_stale(tmp_path: Path, mosquitto: Mosquitto) -> None:
    witness = mosquitto.subscribe(f"{HOME}/#")
    with Proxy(mosquitto.port) as way, Table(tmp_path, plain(way.port), clock=SOON) as table:
        until(lambda: table.outbox.connected)
        state = [Outgoing(f"{HOME}/state", f'{{"n":{n}}}'.encode(), retain=True) for n in range(200)]
        for one in state[:100]:
            table.outbox.publish_state(one)
        lines = witness.wait(lambda lines: lines and lines[-1].payload == '{"n":99}')
        assert [line.payload for line in lines if line.topic == f"{HOME}/state"][-1] == '{"n":99}'
        way.open = False
        way.cut()
        until(lambda: not table.outbox.connected)
        witness.wait(lambda lines: statuses(lines)[-1] == "offline")
        for one in state[100:]:
            table.outbox.publish_state(one)
        way.open = True
        until(lambda: table.births == 2)
        lines = witness.wait(lambda lines: statuses(lines)[-1] == "online")
        table.outbox.publish_state(Outgoing(f"{HOME}/health", b"{}", qos=0))
        lines = witness.wait(lambda lines: lines[-1].topic == f"{HOME}/health")
        assert not any('"n":1' in line.payload and len(line.payload) > 8 for line in lines)


def test_a_flood_of_commands_neither_grows_nor_stops_us(tmp_path: Path, mosquitto: Mosquitto) -> None:
    witness = mosquitto.subscribe(f"{HOME}/event")
    mosquitto.publish(f"{HOME}/cmd/signal", "garbage", ("-r", "-q", "1"))
    flood = tmp_path / "flood"
    flood.write_text("".join(f'{{"n":{n}}}\n' for n in range(20_000)))
    command = [program("mosquitto_pub"), "-p", str(mosquitto.port), "-t", f"{HOME}/cmd/signal", "-l", "-q", "0"]
    with Table(tmp_path, plain(mosquitto.port)) as table, flood.open() as lines:
        until(lambda: table.outbox.connected)
        start = monotonic()
        with subprocess.Popen(command, stdin=lines) as process:
            while process.poll() is None:
                seq = table.add()
                witness.wait(lambda lines, seq=seq: lines and lines[-1].seq == seq)  # type: ignore[misc]  # it is
            took = monotonic() - start
        until(lambda: table.inbox.dropped > 5_000, why=lambda: table.inbox.dropped)
        assert 20_000 / took > 5_000
        first = table.inbox.take()
        assert first is not None
        assert (first.payload, first.retained) == (b'{"n":0}', False)  # not the garbage
        until(lambda: table.outbox.depth() == 0)


def test_an_inbox_holds_so_many() -> None:
    inbox = Inbox(2)
    for n in range(5):
        inbox.put("t", b"%d" % n, False)  # noqa: FBT003  as OutboxHooks has it
    found = [inbox.take() for _ in range(3)]
    assert [one.payload for one in found if one is not None] == [b"0", b"1"]
    assert found[2] is None
    assert inbox.dropped == 3


def test_a_half_open_way_is_given_up_and_nothing_is_lost(tmp_path: Path, mosquitto: Mosquitto) -> None:
    witness = mosquitto.subscribe(f"{HOME}/event")
    with Proxy(mosquitto.port) as way, Table(tmp_path, plain(way.port), clock=SOON, ack_s=0.5) as table:
        table.add(20)
        witness.wait(has(range(1, 21)))
        way.swallows = True
        table.add(20)
        until(lambda: table.outbox.trouble is not None)
        assert "it acknowledges nothing: 20 messages are on their way" in str(table.outbox.trouble)
        way.swallows = False
        witness.wait(has(range(1, 41)))


def test_our_own_fault_is_not_swallowed(tmp_path: Path, mosquitto: Mosquitto) -> None:
    witness = mosquitto.subscribe(f"{HOME}/status")
    table = Table(tmp_path, plain(mosquitto.port))
    table.outbox.start()
    witness.wait(lambda lines: statuses(lines) == ["online"])
    table.outbox.check()
    table.journal.add(AT, [Fact("event", "{")])  # which no encoder takes
    until(lambda: table.outbox.fault)
    assert not table.outbox.connected
    witness.wait(lambda lines: statuses(lines) == ["online", "offline"])
    with pytest.raises(json.JSONDecodeError):
        table.close(1.0)


def test_closing_is_prompt_and_leaves_nothing_behind(tmp_path: Path, mosquitto: Mosquitto) -> None:
    before = threading.active_count()
    for port in (mosquitto.port, free_port()):
        (tmp_path / str(port)).mkdir()
        with Table(tmp_path / str(port), plain(port)) as table:
            table.add(10)
            until(lambda table=table: table.outbox.connected or table.outbox.trouble)  # type: ignore[misc]
            start = monotonic()
        assert monotonic() - start < 2.0
    assert threading.active_count() == before


def test_a_broker_that_comes_back_is_found_within_the_waits(tmp_path: Path) -> None:
    waits: list[float] = []
    now = 0.0

    class Patient(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            nonlocal now
            waits.append(timeout or 0.0)
            now += timeout or 0.0
            if len(waits) == 7:
                self.set()
            return self.is_set()

    table = Table(tmp_path, plain(free_port()), clock=OutboxClock(lambda: now, lambda: 0.5))
    table.outbox._stop = Patient()  # noqa: SLF001  for no other way makes a minute short
    table.outbox._run()  # noqa: SLF001
    assert waits == [1.0, 2.0, 5.0, 10.0, 30.0, 30.0, 30.0]
    table.journal.close()
    table.outbox._waker.close()  # noqa: SLF001
