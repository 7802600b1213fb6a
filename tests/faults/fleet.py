"""A house full of tables, one broker: `python -m tests.faults.fleet --tables 500 --seconds 120`.

So many simulated tables publish into one real mosquitto at a table's real rate: each has a connection of its own, and
says what a practice table says, with ids of its own and from a random moment on. mosquitto_sub is the witness: it hears
everything. Prints one JSON line; gives 0 where nothing was lost or altered.

The lag goes from the moment at which a table has a message for its connection to the moment at which the witness has
it, on one clock. With `--restart S` the broker is stopped half-way and started again S seconds later; lag, rate and the
broker's work are then those of the time before. `--tls` has the tables come by TLS. `--ahead` has broker, witness and
tables go before what else the machine does, which needs root: on a busy machine the lag is else that of its queue.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from threading import Event
from time import monotonic, time_ns
from typing import TYPE_CHECKING, Final

from tests.certificates import Authority
from tests.faults.fleet_record import record, sizes
from tests.faults.fleet_tables import JOURNALLED, Orders, Told, run
from tests.mosquitto import Mosquitto, free_port, program, until

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

RECORDED_S: Final = 600.0
BROKER: Final = (  # as the example that ships has it
    "persistence true",
    "autosave_interval 60",
    "max_queued_messages 100000",
    "max_packet_size 1048576",
    "log_type error",
    "log_type warning",
    "allow_anonymous true",
)
PATIENCE_S: Final = 120.0
MOMENT_S: Final = 0.5  # until all processes begin together
NOBODY: Final = "nobody"  # not one of the tables
PARTS: Final = {"p50": 0.5, "p99": 0.99, "max": 1.0}
FILES: Final = 200  # that a process has open beside its connections


class Broker(Mosquitto):
    """A broker whose work is counted."""

    def _proc(self, name: str) -> str:
        assert self._process is not None
        return Path(f"/proc/{self._process.pid}/{name}").read_text("utf-8")

    def cpu_s(self) -> float:
        """Give the seconds of a core that it used since it was started."""
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Give the bytes that it holds."""
        return int(self._proc("statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Plan:
    tables: int
    seconds: float
    processes: int = 2
    restart_s: float | None = None  # so long the broker is away
    tls: bool = False
    recorded_s: float = RECORDED_S
    seed: int = 1


@dataclass
class Heard:
    """What the witness wrote down so far, by id and kind."""

    path: Path
    when: dict[str, int] = field(default_factory=dict)  # nanoseconds on the wall's clock
    digests: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    again: int = 0
    _place: int = 0
    _rest: bytes = b""

    def look(self) -> None:
        """Take up what is new."""
        with self.path.open("rb") as file:
            file.seek(self._place)
            new = file.read()
        *lines, rest = (self._rest + new).split(b"\n")
        self._place, self._rest = self._place + len(new), rest
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        moment, topic, payload = line.split(b" ", 2)
        told = json.loads(payload)
        kind = topic.rpartition(b"/")[2].decode()
        if kind == "status":
            self.statuses[told["table"]] = told["status"]
            return
        name = f"{told['id']} {kind}"
        self.again += name in self.when and kind in JOURNALLED
        seconds, _, parts = moment.partition(b".")
        self.when.setdefault(name, int(seconds) * 10**9 + int(parts))
        self.digests.setdefault(name, zlib.crc32(payload))

    @property
    def offline(self) -> int:
        self.look()
        return sum(status == "offline" for table, status in self.statuses.items() if table != NOBODY)


@dataclass
class Sent:
    """What the tables say that they sent: the digest of each message, and when, by id and kind."""

    digests: dict[str, int] = field(default_factory=dict)
    when: dict[str, int] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)

    def read(self, path: Path) -> None:
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            name, kind, digest, size, when = line.split(" ")
            # several states may have the same id, and only the last one counts: each is a message, but not awaited
            key = f"{name} {kind}" if kind != "state" else f"{path.name} {number} {kind}"
            self.digests[key], self.bytes[key], self.when[key] = int(digest), int(size), int(when)

    @property
    def journalled(self) -> set[str]:
        return {name for name in self.digests if name.rpartition(" ")[2] in JOURNALLED}


@contextmanager
def witness(broker: Mosquitto, path: Path) -> Iterator[None]:
    """Have all that comes written down, with when; what comes while it is away waits for it at the broker."""
    command = [program("stdbuf"), "-oL", program("mosquitto_sub"), "-V", "mqttv5", "-h", "127.0.0.1"]
    lasting = ["-p", str(broker.port), "-i", "witness", "-c", "-x", "3600", "-q", "1"]
    shown = ["-t", "feltwatch/#", "-F", "%U %t %p"]
    with path.open("wb") as out, path.with_suffix(".said").open("wb") as said:
        process = subprocess.Popen([*command, *lasting, *shown], stdout=out, stderr=said)
        try:
            until(lambda: _hears(broker, path), PATIENCE_S)
            yield
        finally:
            process.kill()
            process.wait()


def _hears(broker: Mosquitto, path: Path) -> bool:
    broker.publish(f"feltwatch/fleet/{NOBODY}/status", json.dumps({"table": NOBODY, "status": "offline"}))
    return path.stat().st_size > 0


class Crew:
    """The processes with the tables, and what they say."""

    def __init__(self, orders: Sequence[Orders]) -> None:
        context = get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes = []
        for one in orders:
            here, there = context.Pipe()
            process = context.Process(target=run, args=(one, there), daemon=True)
            process.start()
            there.close()
            self._pipes.append(here)
            self._processes.append(process)

    def say(self, word: float) -> None:
        for pipe in self._pipes:
            pipe.send(word)

    def hear(self, within_s: float = PATIENCE_S) -> list[Told]:
        assert all(pipe.poll(within_s) for pipe in self._pipes), "a process with tables says nothing"
        return [pipe.recv() for pipe in self._pipes]

    def kill(self) -> None:
        """End them without a word: the broker says of their tables that they are gone."""
        for process in self._processes:
            process.kill()
            process.join()
        for pipe in self._pipes:
            pipe.close()


@dataclass(frozen=True, slots=True)
class Span:
    """What was measured while they spoke, or until the broker was stopped."""

    seconds: float
    end: int  # nanoseconds on the wall's clock
    cpu_s: float
    load: tuple[float, float]  # of the machine, a minute's average: before and after
    again: float | None = None  # when the broker was started again, on the monotonic clock


def fleet(plan: Plan, folder: Path) -> dict[str, object]:
    """Have so many tables speak for so long; give what came of it."""
    with ExitStack() as stack:
        port, secure = free_port(), free_port()
        broker = stack.enter_context(Broker(folder, _lines(plan, port, secure, folder), port, whole=True))
        heard, sent = Heard(folder / "heard"), Sent()
        stack.enter_context(witness(broker, heard.path))
        orders = _orders(plan, secure if plan.tls else port, folder)
        crew = Crew(orders)
        stack.callback(crew.kill)
        connected = crew.hear()
        span = _speak(plan, broker, crew)
        told = crew.hear(plan.seconds + PATIENCE_S)
        for one in orders:
            sent.read(one.sent)
        _caught_up(heard, sent.journalled)
        found = {
            "tables": plan.tables,
            "seconds": round(span.seconds, 1),
            "connected_s": round(max(one.seconds for one in connected), 2),
            **_measured(span, heard, sent),
            **outcome(heard, sent),
            "late_s": spread([late for one in told for late in one.late]),
            "refused": sum(one.refused for one in told),
            "unacknowledged": sum(one.left for one in told),
            "broker_mb": round(broker.memory() / 1e6, 1),
        }
        if span.again is not None:
            back = [at - span.again for one in told for at in one.back]
            found |= {"restart_s": plan.restart_s, "back": len(back), "back_s": spread(back)}
        end = monotonic()
        crew.kill()
        until(lambda: heard.offline >= plan.tables, PATIENCE_S, lambda: f"{heard.offline} tables are offline")
        return found | {"offline_s": round(monotonic() - end, 2), "whole": not (found["missing"] or found["altered"])}


def _lines(plan: Plan, port: int, secure: int, folder: Path) -> list[str]:
    lines = [*BROKER, f"persistence_location {folder}/", f"listener {port} 127.0.0.1"]
    if plan.tls:
        authority = Authority(folder / "certs")
        server = authority.server("127.0.0.1")
        lines += [f"listener {secure} 127.0.0.1", f"certfile {server.cert}", f"keyfile {server.key}"]
    return lines


def _orders(plan: Plan, port: int, folder: Path) -> list[Orders]:
    said = record(plan.recorded_s, folder)
    names = [f"table-{n:03}" for n in range(1, plan.tables + 1)]
    ca = folder / "certs" / "ca.crt" if plan.tls else None
    return [
        Orders(
            port, names[n :: plan.processes], said, plan.recorded_s, plan.seconds, folder / f"sent-{n}", plan.seed, ca
        )
        for n in range(plan.processes)
    ]


def _speak(plan: Plan, broker: Broker, crew: Crew) -> Span:
    """Let them speak; the broker's work is that of the time until the first is done, or until it is stopped."""
    load, cpu, began, pause = os.getloadavg()[0], broker.cpu_s(), monotonic(), Event()
    crew.say(began + MOMENT_S)
    part = plan.seconds if plan.restart_s is None else plan.seconds / 2
    pause.wait(began + MOMENT_S + part - monotonic())
    seconds, used = monotonic() - began - MOMENT_S, broker.cpu_s() - cpu
    span = Span(seconds, time_ns(), used, (round(load, 1), round(os.getloadavg()[0], 1)))
    if plan.restart_s is None:
        return span
    broker.stop()
    pause.wait(plan.restart_s)
    again = monotonic()
    broker.start()
    return Span(span.seconds, span.end, span.cpu_s, span.load, again)


def _caught_up(heard: Heard, expected: set[str]) -> None:
    """Wait until the witness has all, or for as long as there is hope."""
    end, pause = monotonic() + PATIENCE_S, Event()
    heard.look()
    while not expected <= heard.when.keys() and monotonic() < end:
        pause.wait(0.2)
        heard.look()


def outcome(heard: Heard, sent: Sent) -> dict[str, int]:
    """Give what became of the journalled entries: how many never came, came otherwise, or came once more."""
    expected = sent.journalled
    return {
        "entries": len(expected),
        "missing": len(expected - heard.when.keys()),
        "altered": sum(heard.digests.get(name, sent.digests[name]) != sent.digests[name] for name in expected),
        "again": heard.again,
    }


def _measured(span: Span, heard: Heard, sent: Sent) -> dict[str, object]:
    """Give rates, lag and the broker's work, of what was sent in the span."""
    within = [name for name, when in sent.when.items() if when < span.end]
    lags = [(heard.when[name] - sent.when[name]) / 1e9 for name in within if name in heard.when]
    return {
        "messages_s": round(len(within) / span.seconds, 1),
        "kilobytes_s": round(sum(sent.bytes[name] for name in within) / span.seconds / 1000, 1),
        "lag_s": spread(lags),
        "broker_core": round(span.cpu_s / span.seconds, 3),
        "load": span.load,
    }


def spread(found: Sequence[float]) -> dict[str, float]:
    """Give how long it took: half were no longer than p50, ninety-nine of a hundred than p99.

    >>> spread([0.3, 0.1, 0.2])
    {'p50': 0.2, 'p99': 0.3, 'max': 0.3}
    """
    if not found:
        return {}
    ordered = sorted(found)
    return {name: round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 4) for name, part in PARTS.items()}


def one_table(seconds: float, folder: Path) -> dict[str, dict[str, float]]:
    """Give what one table says: of each kind messages a second, and bytes."""
    found = sizes(record(seconds, folder))
    each = {
        kind: {"a_minute": round(60 * number / seconds, 2), "bytes": round(total / number)}
        for kind, (number, total) in sorted(found.items())
    }
    number, total = (sum(column) for column in zip(*found.values(), strict=True))
    return each | {"all": {"a_second": round(number / seconds, 2), "bytes_a_second": round(total / seconds)}}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.fleet", description=__doc__)
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--processes", type=int, default=2, help="that share the tables")
    parser.add_argument("--restart", type=float, metavar="S", help="have the broker away for so long")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--ahead", action="store_true", help="go before what else this machine does")
    parser.add_argument("--table", action="store_true", help="say only what one table sends")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(1024, given.tables + FILES)), hard))
    if given.ahead:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # and all that is started from here
    with tempfile.TemporaryDirectory() as folder:
        if given.table:
            sys.stdout.write(f"{json.dumps(one_table(RECORDED_S, Path(folder)))}\n")
            return 0
        plan = Plan(given.tables, given.seconds, given.processes, given.restart, given.tls, seed=given.seed)
        found = fleet(plan, Path(folder))
    sys.stdout.write(f"{json.dumps(found)}\n")
    return 0 if found["whole"] else 1


if __name__ == "__main__":
    sys.exit(main())
