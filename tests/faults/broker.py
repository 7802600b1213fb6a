"""The broker, and the way to it, go wrong: `python -m tests.faults.broker --times 50`.

A table publishes into a real mosquitto while things happen at random moments; mosquitto_sub is the witness. Whatever
happens, every entry of the journal must come to the witness, with the bytes that it must have, and in each lane in
order; and what the retained status says must be so. One JSON line for each kind of fault.

The network faults go packet by packet through a pair of network namespaces (tests/faults/network.py), which needs root.
Without root a TCP proxy replaces them, and the line reports it: loss is then a way that stalls now and then, for
that is what TCP makes of it.
"""

import argparse
import json
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import monotonic, time
from typing import Final, Self

from feltwatch.edge.config.table_file import MqttSettings
from tests.broker_proxy import Proxy
from tests.faults.network import FAR, Wire, possible, within
from tests.mosquitto import Line, Mosquitto, Witness, until
from tests.table_outbox import HOME, Table, statuses

KEEPALIVE_S: Final = 10
PATIENCE_S: Final = 240.0
A_SECOND: Final = 25  # entries


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the witness had of a journal."""

    entries: int
    missing: int
    altered: int
    again: int  # copies beside the first, which have the same id
    disorder: int

    @classmethod
    def of(cls, expected: Mapping[int, str], lines: Sequence[Line]) -> Self:
        found = [line for line in lines if line.topic == f"{HOME}/event"]
        known = {line.seq for line in found}
        return cls(
            len(expected),
            len({*expected} - known),
            sum(expected.get(line.seq) != line.payload for line in found),
            len(found) - len(known),
            sum(_disorder(part) for part in _connections(lines)),
        )

    @property
    def whole(self) -> bool:
        return not (self.missing or self.altered or self.disorder)


def _connections(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Give what came over each connection: it begins with a birth."""
    part: list[Line] = []
    for line in lines:
        if line.topic == f"{HOME}/status" and not line.retained:
            yield part
            part = []
        elif line.topic == f"{HOME}/event":
            part.append(line)
    yield part


def _disorder(lines: Sequence[Line]) -> int:
    lanes = ([line.seq for line in lines if line.late == late] for late in (True, False))
    return sum(one >= other for lane in lanes for one, other in pairwise(lane))


class Room:
    """A table that goes on publishing, its broker, and the witnesses: a new one each time that the broker is new."""

    def __init__(self, folder: Path, mosquitto: Mosquitto, broker: MqttSettings, dice: random.Random) -> None:
        self.mosquitto, self.dice = mosquitto, dice
        self.table = Table(folder, broker)
        self.witnesses = [self._witness()]
        self._over: list[float] = []  # when each of those before the last had seen all that it may
        self._stop = threading.Event()
        self._teller = threading.Thread(target=self._tell, name="teller", daemon=True)

    def _witness(self) -> Witness:
        return self.mosquitto.subscribe(f"{HOME}/#")

    def again(self) -> None:
        """The broker is new, and so is the witness; the one before it comes back too, and is not asked any more."""
        self._over.append(time())
        self.witnesses.append(self._witness())

    @property
    def lines(self) -> list[Line]:
        over = [*self._over, float("inf")]
        return [line for one, end in zip(self.witnesses, over, strict=True) for line in one.lines if line.at < end]

    def begin(self, start: Callable[[], None] | None = None) -> None:
        (start or self.table.outbox.start)()
        self._teller.start()
        self.online()

    def _tell(self) -> None:
        while not self._stop.wait(self.dice.uniform(0, 2) / A_SECOND):
            self.table.add()

    def online(self, within_s: float = PATIENCE_S) -> None:
        """Wait until the table says that it is there; what lay there before, the last witness does not believe."""
        until(lambda: self._status() == "online", within_s, lambda: self.table.said[-5:])

    def _status(self) -> str | None:
        return next(reversed(statuses([line for line in self.witnesses[-1].lines if not line.retained])), None)

    def told(self, seq: int) -> bool:
        """Tell whether the last witness has this entry or a later one."""
        return any(line.seq >= seq for line in _events(self.witnesses[-1].lines[-200:]))

    def offline(self, within_s: float) -> bool:
        end = monotonic() + within_s
        while monotonic() < end and self._status() != "offline":
            self._stop.wait(0.02)
        return self._status() == "offline"

    def pause(self, least_s: float, most_s: float) -> None:
        threading.Event().wait(self.dice.uniform(least_s, most_s))

    def end(self) -> Outcome:
        """Wait until all is acknowledged and there, and say what the witnesses had of it."""
        self._stop.set()
        self._teller.join()
        until(lambda: self.table.outbox.depth() == 0, PATIENCE_S, lambda: self.table.said[-5:])
        head = self.table.journal.head.seq
        expected = {}
        for entry in self.table.journal.read(0, head):
            expected[entry.seq] = self.table.encode(entry).payload.decode()
        seen = threading.Event()
        for _ in range(50):
            if Outcome.of(expected, self.lines).missing == 0:
                break
            seen.wait(0.1)
        self.table.close(5.0)
        return Outcome.of(expected, self.lines)


def killed(times: int, dice: random.Random, folder: Path, *, persistence: bool) -> dict[str, object]:
    """The broker is killed with SIGKILL and started again; the table comes back when the witness is there again."""
    lines = ["persistence true", f"persistence_location {folder}/", "autosave_interval 1"] if persistence else []
    back: list[float] = []
    with Mosquitto(folder, lines) as mosquitto, Proxy(mosquitto.port) as way:
        room = Room(folder, mosquitto, MqttSettings(address=f"mqtt://127.0.0.1:{way.port}"), dice)
        room.begin()
        for _ in range(times):
            room.pause(0.2, 4.0)
            mosquitto.kill()
            way.open = False
            room.pause(0.0, 1.0)
            mosquitto.start()
            room.again()
            way.open, start = True, time()
            room.online()
            back.append(time() - start)
        return _told(room.end(), room, back_s=max(back), persistence=persistence, way="a broker on this machine")


def swallowed(times: int, dice: random.Random, folder: Path) -> dict[str, object]:
    """The connection stays, no bytes arrive at either end, and neither end notices."""
    lies: list[float] = []
    back: list[float] = []
    with Mosquitto(folder) as mosquitto, Proxy(mosquitto.port) as way:
        room = Room(folder, mosquitto, MqttSettings(address=f"mqtt://127.0.0.1:{way.port}"), dice)
        room.begin()
        for _ in range(times):
            room.pause(0.2, 3.0)
            way.swallows, start = True, time()
            assert room.offline(3 * KEEPALIVE_S), "the status says online, and nothing arrives"
            lies.append(time() - start)
            until(lambda: not room.table.outbox.connected, 3 * KEEPALIVE_S)
            way.swallows, start = False, time()
            way.cut()
            room.online()
            back.append(time() - start)
        outcome = room.end()
        return _told(outcome, room, lie_s=max(lies), back_s=max(back), way="a TCP proxy that swallows what is said")


@contextmanager
def networked(folder: Path, dice: random.Random) -> Iterator[tuple[Room, Wire | Proxy]]:
    """A table and its broker with a network between them."""
    with ExitStack() as stack:
        if not possible():
            mosquitto = stack.enter_context(Mosquitto(folder))
            way = stack.enter_context(Proxy(mosquitto.port))
            room = Room(folder, mosquitto, MqttSettings(address=f"mqtt://127.0.0.1:{way.port}"), dice)
            room.begin()
            yield room, way
            return
        wire = stack.enter_context(Wire(dice))
        found: list[Mosquitto] = []
        rooms: list[Room] = []

        def far() -> None:
            """The broker and its witness, and who looks after them, are beyond the wire."""
            found.append(Mosquitto(folder, [f"listener 1883 {FAR}"]))
            rooms.append(Room(folder, found[0], MqttSettings(address=f"mqtt://{FAR}:1883"), dice))

        within(wire.far, far)
        stack.enter_context(found[0])
        rooms[0].begin(lambda: within(wire.near, rooms[0].table.outbox.start))
        yield rooms[0], wire


def cut(times: int, dice: random.Random, folder: Path) -> dict[str, object]:
    """No packet comes through, for a moment or for a while; connections do not notice."""
    lies: list[float] = []
    back: list[float] = []
    with networked(folder, dice) as (room, way):
        for _ in range(times):
            room.pause(0.2, 3.0)
            _blocked(way, blocked=True)
            start = time()
            if dice.random() < 0.5:
                room.pause(0.1, 9.0)
            else:
                assert room.offline(3 * KEEPALIVE_S), "the status says online, and nothing arrives"
                lies.append(time() - start)
            _blocked(way, blocked=False)
            start = time()
            until(lambda: room.table.outbox.connected, PATIENCE_S)
            room.online()
            until(partial(room.told, room.table.journal.head.seq), PATIENCE_S)
            back.append(time() - start)
        return _told(room.end(), room, lie_s=max(lies, default=0.0), back_s=max(back), way=_named(way))


def _events(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.topic == f"{HOME}/event"]


def _blocked(way: Wire | Proxy, *, blocked: bool) -> None:
    if isinstance(way, Wire):
        way.cut = blocked
    else:
        way.swallows = blocked
        if not blocked:
            way.cut()


def lossy(times: int, dice: random.Random, folder: Path) -> dict[str, object]:
    """Half a second on the way there and back, and three of ten packets lost each way; for a while, then not."""
    with networked(folder, dice) as (room, way):
        for _ in range(times):
            room.pause(0.2, 2.0)
            if isinstance(way, Wire):
                way.delay_s, way.loss = 0.25, 0.3
                room.pause(5.0, 15.0)
                way.delay_s = way.loss = 0.0
            else:
                way.delay_s = 0.25
                for _ in range(5):
                    room.pause(0.5, 1.5)
                    way.delay_s = dice.uniform(0.5, 6.0)
                    room.pause(0.2, 1.0)
                    way.delay_s = 0.25
                way.delay_s = 0.0
            until(lambda: room.table.outbox.connected, PATIENCE_S)
            room.online()
        outcome = room.end()
        told = _told(outcome, room, way=_named(way), connections=room.table.outbox.connections)
        return told | ({"packets_lost": way.lost} if isinstance(way, Wire) else {})


def away(times: int, dice: random.Random, folder: Path) -> dict[str, object]:
    """The broker was away for a day: 20,000 entries wait. It is not flooded, and what is new comes at once."""
    worst, rates = 0.0, list[float]()
    outcome = Outcome(0, 0, 0, 0, 0)
    for number in range(times):
        home = folder / str(number)
        home.mkdir()
        with Mosquitto(home) as mosquitto:
            room = Room(home, mosquitto, MqttSettings(address=f"mqtt://127.0.0.1:{mosquitto.port}"), dice)
            room.table.add(20_000)
            asked: dict[int, float] = {}
            room.table.outbox.start()
            room.online()
            while sum(line.late for line in room.witnesses[0].lines) < 20_000:
                asked[room.table.add()] = time()
                room.pause(0.05, 0.5)
            came = {line.seq: line.at for line in _events(room.lines)}
            worst = max(worst, *(came.get(seq, time()) - at for seq, at in asked.items()))
            late = [line.at for line in room.lines if line.late]
            rates.append((len(late) - 1) / (late[-1] - late[0]))
            room._teller.start()  # noqa: SLF001
            outcome = room.end()
            assert outcome.whole, outcome
    return {**asdict(outcome), "whole": outcome.whole, "rate": round(max(rates), 1), "slowest_live_s": round(worst, 3)}


def _named(way: Wire | Proxy) -> str:
    if isinstance(way, Wire):
        return "two network namespaces, packet by packet"
    return "a TCP proxy that swallows and stalls: there are no namespaces here"


def _told(outcome: Outcome, room: Room, **more: object) -> dict[str, object]:
    rounded = {name: round(value, 2) if isinstance(value, float) else value for name, value in more.items()}
    return {**asdict(outcome), "whole": outcome.whole, "connections": room.table.outbox.connections, **rounded}


FAULTS: Final[Mapping[str, Callable[[int, random.Random, Path], dict[str, object]]]] = {
    "broker killed": lambda times, dice, folder: killed(times, dice, folder, persistence=False),
    "broker killed, persistence": lambda times, dice, folder: killed(times, dice, folder, persistence=True),
    "half-open": swallowed,
    "network cut": cut,
    "500 ms and 30 % loss": lossy,
    "away for a day": away,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.broker", description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--only", nargs="*", choices=[*FAULTS], default=[*FAULTS])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    bad = 0
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            start = monotonic()
            times = min(options.times, 1) if name == "away for a day" else options.times
            found = FAULTS[name](times, random.Random(options.seed), Path(folder))  # noqa: S311  no secret
            bad += not found["whole"]
            told = {"fault": name, "times": times, **found, "took_s": round(monotonic() - start)}
            sys.stdout.write(f"{json.dumps(told)}\n")
            sys.stdout.flush()
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
