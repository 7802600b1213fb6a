"""The faults of the broker, in short; and that what the witness misses would be noticed."""

import json
import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.faults.broker import FAULTS, Outcome
from tests.faults.network import FAR, Wire, possible, within
from tests.mosquitto import Line, until
from tests.table_outbox import HOME

EXPECTED = {n: json.dumps({"seq": n}) for n in range(1, 5)}


def event(seq: int, *, late: bool = False, payload: str | None = None) -> Line:
    return Line(0.0, f"{HOME}/event", payload or EXPECTED[seq], retained=False, late=late)


BIRTH = Line(0.0, f"{HOME}/status", '{"status": "online"}', retained=False, late=False)


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        ([BIRTH, event(1), event(2), event(3), event(4)], Outcome(4, 0, 0, 0, 0)),
        ([BIRTH, event(1), event(2), BIRTH, event(2), event(3), event(4)], Outcome(4, 0, 0, 1, 0)),
        ([BIRTH, event(3), event(1, late=True), event(4), event(2, late=True)], Outcome(4, 0, 0, 0, 0)),
        ([BIRTH, event(1), event(2), event(4)], Outcome(4, 1, 0, 0, 0)),
        ([BIRTH, event(1), event(3), event(2), event(4)], Outcome(4, 0, 0, 0, 1)),
        ([BIRTH, event(1), event(2), event(2), event(3), event(4)], Outcome(4, 0, 0, 1, 1)),
        ([BIRTH, event(1), event(2, payload='{"seq":2}'), event(3), event(4)], Outcome(4, 0, 1, 0, 0)),
    ],
)
def test_what_the_witness_misses_is_noticed(lines: list[Line], outcome: Outcome) -> None:
    assert Outcome.of(EXPECTED, lines) == outcome
    assert outcome.whole == (outcome.missing + outcome.altered + outcome.disorder == 0)


def test_a_broker_that_is_killed_at_random_moments(tmp_path: Path) -> None:
    found = FAULTS["broker killed"](1, random.Random(3), tmp_path)  # noqa: S311  no secret
    assert found["whole"], found
    assert found["connections"] == 2


@pytest.fixture
def wire() -> Iterator[Wire]:
    if not possible():
        pytest.skip("only root makes network namespaces")
    with Wire(random.Random(1)) as found:  # noqa: S311  no secret
        yield found


def test_packets_are_late_lost_or_cut_off(wire: Wire) -> None:
    ends: list[socket.socket] = []
    for name, address in ((wire.near, "10.77.0.1"), (wire.far, FAR)):
        within(name, lambda: ends.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)))
        ends[-1].bind((address, 9))
        ends[-1].settimeout(0.0)
    near, far = ends

    def came(number: int) -> int:
        gone = wire.passed + wire.lost + number
        for _ in range(number):
            near.sendto(b"x", (FAR, 9))
        until(lambda: wire.passed + wire.lost >= gone)
        return _heard(far)

    with near, far:
        until(lambda: came(1) == 1)  # the interfaces need a moment
        assert came(50) == 50
        wire.loss = 0.3
        assert 20 <= came(50) <= 48
        wire.loss, wire.cut = 0.0, True
        assert came(50) == 0
        wire.cut, wire.delay_s = False, 0.2
        near.sendto(b"x", (FAR, 9))
        start = monotonic()
        until(lambda: _heard(far, 0.01) == 1)
        assert monotonic() - start > 0.15


def _heard(end: socket.socket, wait_s: float = 0.05) -> int:
    threading.Event().wait(wait_s)
    count = 0
    while True:
        try:
            end.recv(100)
        except BlockingIOError:
            return count
        count += 1
