"""`feltwatch bench mqtt`: from a frame to its message at a subscriber, beside the same frame to its verdict in hand.

The service itself watches the bundled video at the film's own pace, networks and evidence and all: camera, pipeline,
journal on disk, outbox, a broker, and a subscriber that is another process. All of them read one clock. Of each message
it is known when its frame was taken, when what it says was in hand, when it was on disk, and when it came. Without MQTT
there would be only the first two, so that both figures are of the same frames in the same run.
"""

import argparse
import json
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import as_file, files
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Self

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from feltwatch.edge.camera.feed import Feed, LiveFrame
from feltwatch.edge.config.table_file import MqttSettings, TableFile, read_table
from feltwatch.edge.errors import UsageError
from feltwatch.edge.journal.store import Entry, Fact
from feltwatch.edge.messaging.local_broker import LocalBroker
from feltwatch.edge.messaging.mqtt import undelayed
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline
from feltwatch.edge.service.open_table import OpenTable, SessionConfig, open_table
from feltwatch.edge.service.session import TableSession

BUDGET_MS = 10.0  # that the way from the verdict to the subscriber adds, for 99 of 100 messages
TURNS = 3  # that the film is seen
BARE = "bare"  # the topic of the yardstick
BARE_EVERY_S = 0.1
READY_S = 10.0
THREADS = 2
WATCHED = ("event", "verdict", "alert", "round")  # what comes of a frame
HERE = "127.0.0.1"
PROMPT = "set_tcp_nodelay true"  # else a message may wait 40 ms for the acknowledgement of the one before
SYSTEM = "/usr/sbin:/usr/local/sbin"  # where brokers lie


@dataclass(frozen=True, slots=True)
class TimedMessage:
    """One message, from its frame to its subscriber; seconds of the monotonic clock."""

    taken: float
    judged: float
    kept: float  # on disk
    heard: float


@dataclass(frozen=True, slots=True)
class Latency:
    """What was measured, and what it is to be held against."""

    messages: Sequence[TimedMessage]
    bare_s: Sequence[float]  # an unjournalled message, from another process to itself
    sync_s: Sequence[float]  # 4096 bytes onto the same disk, by that process

    @property
    def added_ms(self) -> float:
        """Give what is added to 99 of 100 messages, at most."""
        return 1e3 * part([one.heard - one.judged for one in self.messages], 0.99)

    def lines(self) -> Iterator[str]:
        messages = self.messages
        yield f"  {'':46} {'p50':>10} {'p99':>13}"
        yield _line("frame to verdict, without MQTT", [one.judged - one.taken for one in messages])
        yield _line("frame to the message at a subscriber", [one.heard - one.taken for one in messages])
        added = [one.heard - one.judged for one in messages]
        yield f"{_line('what is added, message by message', added)}   (at most {BUDGET_MS:g} ms)"
        kept = [one.kept - one.judged for one in messages]
        share = sum(kept) / sum(added)
        yield f"{_line('of it until it is on disk', kept)}   ({share:.0%} of all that is added)"
        yield _line("and from there to the subscriber", [one.heard - one.kept for one in messages])
        yield _line("a bare message over the same broker", self.bare_s)
        yield _line("a bare write that waits for the same disk", self.sync_s)


def bench(options: argparse.Namespace) -> int:
    """Print the figures; 1 where more is added than the budget."""
    del options
    clips = files("feltwatch.datasets").joinpath("clips")
    with as_file(clips.joinpath("demo.mp4")), as_file(clips.joinpath("demo.table.toml")) as table:
        found = read_table(table)
        networks = Networks("cpu", THREADS)
        _ = networks.eyes  # open: no frame waits for that
        seconds = TURNS * _seconds(table.parent / found.source)
        with broker() as (name, address):
            latency = measured(found, networks, (name, address), seconds)
    sys.stdout.write(f"the bundled video as a camera for {seconds:.0f} s, {len(latency.messages)} messages, {name}\n")
    sys.stdout.writelines(f"{line}\n" for line in latency.lines())
    return 0 if latency.added_ms <= BUDGET_MS else 1


def measured(table: TableFile, networks: Networks, broker: tuple[str, MqttSettings], seconds: float) -> Latency:
    """Watch a table for so long, and follow each message."""
    name, address = broker
    with tempfile.TemporaryDirectory() as folder:
        looping = [replace(one, loop=True) for one in table.cameras]
        config = SessionConfig(
            replace(table, cameras=tuple(looping)),
            Path(folder) / "record" / "bench.journal",
            address,
            mqtt5=name == "mosquitto",
        )
        config.journal.parent.mkdir()
        with Subscriber(address, f"feltwatch/{table.site}/{table.id}", Path(folder)) as subscriber:
            with ExitStack() as stack:
                held = Timed(open_table(replace(config, until=monotonic() + seconds), stack), networks)
                held.run(lambda: False)
            heard = subscriber.heard({seq for seq, _ in held.kept})
        at = heard.at
        messages = [TimedMessage(*held.judged[seq], kept, at[seq]) for seq, kept in held.kept if seq in at]
    if len(messages) < len(held.kept) or not messages:
        raise UsageError(f"bench mqtt: expected {len(held.kept) or 'some'} messages, found {len(messages)}")
    return Latency(messages, heard.bare_s, heard.sync_s)


class Timed(TableSession):
    """The service; it notes when its messages were ready, and when they were on disk."""

    def __init__(self, table: OpenTable, networks: Networks) -> None:
        super().__init__(table, networks)
        self.judged: dict[int, tuple[float, float]] = {}  # by number of the entry: frame taken, verdict in hand
        self.kept: list[tuple[int, float]] = []
        self._taken: float | None = None
        self._in_hand = 0.0
        table.writer.add_facts = self._add

    def _add(self, at: str, facts: Sequence[Fact], memory: Mapping[str, bytes] | None) -> list[Entry]:
        found = self.table.buffer.add(at, facts, memory)
        if self._taken is not None:
            now = monotonic()
            for entry in found:
                self.judged[entry.seq] = (self._taken, self._in_hand)
                self.kept.append((entry.seq, now))
        return found

    def _analyse(self, feed: Feed, shot: LiveFrame) -> None:
        self._taken = shot.taken
        super()._analyse(feed, shot)
        self._taken = None

    def publish(self, pipeline: TablePipeline, result: StepResult) -> None:
        self._in_hand = monotonic()
        super().publish(pipeline, result)


@dataclass(frozen=True, slots=True)
class Heard:
    """What the subscriber tells: when each message came, and what its yardsticks took meanwhile."""

    at: Mapping[int, float]
    bare_s: Sequence[float]
    sync_s: Sequence[float]


class Subscriber:
    """Hears in a process of its own, which has nothing else to do but to take the yardsticks."""

    def __init__(self, address: MqttSettings, topic: str, folder: Path) -> None:
        context = get_context("spawn")
        self._here, there = context.Pipe()
        given = (address.host, address.port, topic, folder, there)
        self._process = context.Process(target=_listen, args=given, daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        if not self._here.poll(READY_S):
            raise UsageError("bench mqtt: expected a subscriber that comes in, found none")
        self._here.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._here.send(None)
        self._process.join(READY_S)
        self._process.close()
        self._here.close()

    def heard(self, wanted: set[int]) -> Heard:
        """Give when each of these came, as soon as all did or the time is over."""
        self._here.send(wanted)
        found: Heard = self._here.recv()
        return found


def _listen(host: str, port: int, topic: str, folder: Path, parent: Connection) -> None:
    """Note the time of each message until asked to stop, and measure the yardsticks meanwhile."""
    heard: dict[int, float] = {}
    went: list[float] = []
    bare_s: list[float] = []
    sync_s: list[float] = []
    news = threading.Condition()

    def came(_client: Client, _data: object, message: MQTTMessage) -> None:
        now, kind = monotonic(), message.topic.rpartition("/")[2]
        if kind == BARE:
            bare_s.append(now - went[int(message.payload)])
        elif kind in WATCHED:
            with news:
                heard.setdefault(json.loads(message.payload)["seq"], now)
                news.notify_all()

    client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv311)
    client.on_message = came
    client.on_socket_open = undelayed
    client.on_subscribe = lambda *_: parent.send("in")
    client.connect(host, port)
    client.subscribe([(f"{topic}/+", 1)])
    client.loop_start()
    while True:
        while not parent.poll(BARE_EVERY_S):
            sync_s.append(_synced(folder))
            went.append(monotonic())
            client.publish(f"{topic}/{BARE}", str(len(went) - 1), qos=1)
        wanted = parent.recv()
        if wanted is None:
            break
        with news:
            news.wait_for(partial(_has, heard, wanted), READY_S)
            parent.send(Heard({**heard}, [*bare_s], [*sync_s]))
    client.disconnect()
    client.loop_stop()


def _has(heard: Mapping[int, float], wanted: set[int]) -> bool:
    return wanted <= heard.keys()


@contextmanager
def broker() -> Iterator[tuple[str, MqttSettings]]:
    """Start mosquitto if it is installed, else the built-in broker; give its name too."""
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path=SYSTEM)
    if program is None:
        with LocalBroker(0) as own:
            yield "the built-in broker", own.file
        return
    with tempfile.TemporaryDirectory() as folder:
        port = _free()
        config = Path(folder) / "mosquitto.conf"
        config.write_text(f"{PROMPT}\nlistener {port} {HERE}\nallow_anonymous true\nlog_type none\n", "utf-8")
        process = subprocess.Popen([program, "-c", str(config)], stderr=subprocess.DEVNULL)  # noqa: S603  as found
        try:
            _until(lambda: _answers(port))
            yield "mosquitto", MqttSettings(address=f"mqtt://{HERE}:{port}")
        finally:
            process.terminate()
            process.wait()


def _free() -> int:
    with socket.socket() as found:
        found.bind((HERE, 0))
        return int(found.getsockname()[1])


def _answers(port: int) -> bool:
    with socket.socket() as found:
        return found.connect_ex((HERE, port)) == 0


def _until(what: Callable[[], bool]) -> None:
    end = monotonic() + READY_S
    while not what():
        if monotonic() > end:
            raise UsageError("bench mqtt: expected a broker that answers, found none")
        time.sleep(0.02)


def _seconds(film: Path) -> float:
    from feltwatch.edge.video.video_file import open_video  # noqa: PLC0415  with it comes OpenCV

    return open_video(film).seconds


def _synced(folder: Path) -> float:
    with (folder / "bare").open("ab") as file:
        start = monotonic()
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())
        return monotonic() - start


def part(seconds: Sequence[float], share: float) -> float:
    """Give what a share of them does not exceed.

    >>> part([0.1, 0.4, 0.2, 0.3], 0.5)
    0.2
    """
    return sorted(seconds)[max(0, math.ceil(share * len(seconds)) - 1)]


def _line(name: str, seconds: Sequence[float]) -> str:
    p50, p99 = (1e3 * part(seconds, share) for share in (0.5, 0.99))
    return f"  {name:46} {p50:7.1f} ms {p99:10.1f} ms"
