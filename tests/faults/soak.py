"""Eight hours of rounds through the real service, made short: `python -m tests.faults.soak --hours 8 --speed 60`.

The table's time goes so many times as fast as ours, for the watching and all its duties: health, heads, the tidying of
journal and disk. A film is decoded over and over, and rounds without end are reported over it; journal, outbox, broker,
evidence and the endpoint for Prometheus are the real thing. The broker is stopped for a while each hour, and the camera
is lost. What is kept of a few days of footage is kept here of a few megabytes, so that some of it must go.

Memory, open files and threads are looked at every few minutes; from the middle on they are to be flat.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from io import StringIO
from math import inf
from multiprocessing import get_context
from pathlib import Path
from statistics import linear_regression, median
from typing import Final, Self
from unittest.mock import patch
from urllib.request import urlopen

from msgspec import structs

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.visible import STALE, VISIBLE
from feltwatch.edge.camera.feed import Feed, FrameSink, LiveFrame, Source, Timeouts
from feltwatch.edge.config.paths import journal_path
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.http_server import HttpServer
from feltwatch.edge.journal.store import entries
from feltwatch.edge.service import open_table as opening
from feltwatch.edge.service.metrics import metrics_app
from feltwatch.edge.service.open_table import OpenTable, SessionConfig, open_table
from feltwatch.edge.service.session import TableSession
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import open_video
from feltwatch.engine.books import find_book
from feltwatch.vision.arrays import Pixels
from tests.edge.scripted_watcher import ScriptedNetworks
from tests.faults.practice_table import ERRORS, Practice, table_file
from tests.faults.recovery import told
from tests.json_events import Event
from tests.mosquitto import Mosquitto, free_port

CHUNK: Final = 50  # rounds that are dealt at a time
PAUSE_S: Final = 5.0  # between two such sessions
PICTURES: Final = 60.0  # a second of ours
HOUR_S: Final = 3600.0
EVERY_S: Final = 180.0  # of the table's time, between two looks
SCRAPED_S: Final = 15.0  # of the table's time, between two visits of Prometheus
LOST_S: Final = 1200.0  # of the table's time, between two losses of the camera
AWAY_S: Final = 0.3  # of our time, for which the camera is lost
DOWN_S: Final = 0.5  # of our time, for which the broker is down
FOOTAGE_GB: Final = 0.001  # what goes beyond it is removed
FLAT: Final = 0.002  # of the memory an hour, at most: a third of a MB, 250 MB a month
PATIENCE_S: Final = 1.0  # of our time, until a camera counts as stalled


@dataclass(frozen=True)
class Haste:
    """A clock that goes faster."""

    speed: float
    began: float

    def __call__(self) -> float:
        return (time.monotonic() - self.began) * self.speed


class Endless(Practice):
    """Tells rounds that are dealt as they are needed; forgets what it reported."""

    def __init__(self, table: TableFile, now: Callable[[], float], dealer: Executor) -> None:
        super().__init__(table.book, [], 0.0, 1.0)
        self.now, self.dealer, self.seed, self.chunk, self.rounds = now, dealer, table.id, 0, 0

    def story(self) -> float:
        return self.now()

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[Event]:
        if self.place == len(self.events):
            self._deal()
        return super().step(camera, t, picture, small)

    def _deal(self) -> None:
        self.chunk += 1
        start = round(self.story() + PAUSE_S, 3)
        events = self.dealer.submit(dealt, self.book.id, f"{self.seed} {self.chunk}", start).result()
        self.events = [self._named(event) for event in events]
        self.place, self.rounds = 0, self.rounds + CHUNK
        self.across = {event["id"] for event in self.events if event.get("crosswise")}
        self.names = {name: name for name in self.lies.cards}

    def _named(self, event: Event) -> Event:
        return event | {"id": f"{event['id']}s{self.chunk}"} if "id" in event else event


def dealt(book: str, seed: str, start: float) -> list[Event]:
    """Give what happens in some rounds; in a process of its own, whose memory is not looked at."""
    dice = random.Random(seed)  # noqa: S311  not secret
    codes = [code for code in VISIBLE[book] if code != STALE]
    errors = [dice.choice(codes) if dice.random() < ERRORS else None for _ in range(CHUNK)]
    boxes = 7 if find_book(book).family == "blackjack" else None
    stories = session(book, dice.randrange(10**6), errors, boxes=boxes, at=start)
    return [event for event in told(stories) if float(str(event["t"])) >= start]


class EndlessNetworks(ScriptedNetworks):
    def __init__(self, now: Callable[[], float], dealer: Executor) -> None:
        super().__init__()
        self.now, self.dealer = now, dealer
        self.watched: Endless | None = None

    def watching(self, table: TableFile) -> Endless:
        self.watched = Endless(table, self.now, self.dealer)
        return self.watched


@dataclass(frozen=True)
class Hasty:
    """A camera in that time: a film over and over, and now and then the camera is lost."""

    path: Path
    now: Callable[[], float]

    def read(self, sink: FrameSink, stop: threading.Event) -> None:
        video, start, lost = open_video(self.path), self.now(), 0.0
        while not stop.is_set():
            with Decoding(video, small=True) as frames:
                for frame in frames:
                    assert frame.small is not None
                    if stop.wait(1 / PICTURES):
                        return
                    t = self.now() - start
                    if t > lost + LOST_S:
                        lost = t
                        sink.lost()
                        stop.wait(AWAY_S)
                        continue
                    sink.put(LiveFrame(round(t, 3), self.now(), frame.picture, frame.small))


class Tally(StringIO):
    """Counts what is written, and keeps none of it."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds = self.alerts = 0

    def write(self, text: str) -> int:
        self.rounds += text.count('"verdict":"round-ended"')
        self.alerts += text.count('"verdict":"alert"')
        return len(text)


@dataclass(frozen=True, slots=True)
class Look:
    """What a process takes at a moment."""

    hours: float
    rss_mb: float
    files: int
    threads: int
    journal_bytes: int


@dataclass(frozen=True)
class Soak:
    """What came of it."""

    looks: Sequence[Look]
    facts: dict[str, object]

    @property
    def second_half(self) -> list[Look]:
        return [*self.looks[len(self.looks) // 2 :]]

    @property
    def slope(self) -> float:
        """Give by how much memory grows in an hour of the second half, in MB."""
        half = self.second_half
        return linear_regression([one.hours for one in half], [one.rss_mb for one in half]).slope

    @property
    def flat(self) -> bool:
        before, half = self.looks[: len(self.looks) // 2], self.second_half
        files = median(one.files for one in half) <= median(one.files for one in before)
        threads = median(one.threads for one in half) <= median(one.threads for one in before)
        return self.slope <= FLAT * half[-1].rss_mb and files and threads

    def at(self, hours: float) -> Look:
        return min(self.looks, key=lambda one: abs(one.hours - hours))


def look(hours: float, journal: Path) -> Look:
    status = Path("/proc/self/status").read_text("utf-8")
    rss = int(status.partition("VmRSS:")[2].split()[0]) / 1024
    files = [*Path("/proc/self/fd").iterdir()]
    parts = [journal.with_name(journal.name + end) for end in ("", "-wal", "-shm")]
    size = sum(part.stat().st_size for part in parts if part.exists())
    return Look(round(hours, 3), round(rss, 1), len(files), threading.active_count(), size)


class Keeper:
    """Looks at the process, fetches its figures, and stops the broker now and then; in a thread of its own."""

    def __init__(self, held: OpenTable, broker: Mosquitto, port: int, every_s: float) -> None:
        self.held, self.broker, self.port, self.every_s = held, broker, port, every_s
        self.until = held.config.until or inf
        self.looks: list[Look] = []
        self.outages = self.scrapes = 0
        self.fault: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        now = self.held.now
        looked, scraped, down = 0.0, 0.0, min(self.until, HOUR_S) / 3
        try:
            while not self._stop.wait(0.02) and (t := now()) < self.until:
                if t >= looked + self.every_s:
                    looked = t
                    self._look(t)
                if t >= scraped + SCRAPED_S:
                    scraped = t
                    self._scrape()
                if t >= down:
                    down += HOUR_S
                    self._outage()
        except Exception as error:  # noqa: BLE001  raised where it ends
            self.fault = error

    def _look(self, t: float) -> None:
        found = look(t / HOUR_S, self.held.config.journal)
        self.looks.append(found)
        sys.stderr.write(f"{json.dumps(asdict(found))} seq {self.held.journal.head.seq}\n")

    def _scrape(self) -> None:
        with urlopen(f"http://127.0.0.1:{self.port}/metrics") as answer:
            assert b"feltwatch_" in answer.read()
        self.scrapes += 1

    def _outage(self) -> None:
        self.broker.stop()
        self._stop.wait(DOWN_S)
        self.broker.start()
        self.outages += 1


@contextmanager
def hasty(now: Callable[[], float], speed: float) -> Iterator[None]:
    """Have the cameras of a table in that time too."""

    def source(name: str, folder: Path, *_: object, **__: object) -> Source:
        return Hasty(folder / name, now)

    timeouts = Timeouts(stalled_s=PATIENCE_S * speed, frozen_s=10.0 * speed, black_s=10.0 * speed)
    with patch.object(opening, "open_source", source), patch.object(opening, "Feed", partial(Feed, timeouts=timeouts)):
        yield


def soak(folder: Path, hours: float, speed: float, every_s: float = EVERY_S) -> Soak:
    """Hold a table for so many of its hours."""
    (folder / "broker").mkdir()
    with (
        Mosquitto(folder / "broker") as broker,
        ProcessPoolExecutor(1, get_context("spawn")) as dealer,
    ):
        more = f'\n[mqtt]\nurl = "mqtt://127.0.0.1:{broker.port}"\n'
        table = read_table(table_file(folder, "soak", more))
        assert table.mqtt is not None
        wall = hours / 3 / 24 / speed  # days: a third of it, as the clock on the wall has it
        short = structs.replace(table.record, journal_days=wall, gigabytes=FOOTAGE_GB)
        now, out = Haste(speed, time.monotonic()), Tally()
        desk = EndlessNetworks(now, dealer)
        config = SessionConfig(
            replace(table, record=short), journal_path(table), table.mqtt, until=hours * HOUR_S, out=out
        )
        port = free_port()
        with hasty(now, speed), ExitStack() as stack:
            held = open_table(config, stack, now)
            keeper = Keeper(held, broker, port, every_s)
            with HttpServer(metrics_app(lambda: [held.health.vitals()]), ("127.0.0.1", port), "serve.http"), keeper:
                TableSession(held, desk).run(lambda: keeper.fault is not None)
        if keeper.fault is not None:
            raise keeper.fault
    return told_of(held, keeper, out, desk)


def told_of(held: OpenTable, keeper: Keeper, out: Tally, desk: EndlessNetworks) -> Soak:
    """Gather what came of it; that the journal is whole is proved by reading it."""
    journal = held.config.journal
    kept = sum(1 for _ in entries(journal))
    hours = (held.config.until or held.now()) / HOUR_S
    outbox, head = held.outbox, held.journal.head.seq
    found = Soak(keeper.looks, {})
    marks = {f"{mark:.3g} h": found.at(mark) for mark in (hours / 8, hours / 2, hours)}
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return Soak(
        keeper.looks,
        {
            "hours": round(hours, 2),
            "speed": getattr(held.now, "speed", 1.0),
            "rounds": out.rounds,
            "dealt": 0 if desk.watched is None else desk.watched.rounds,
            "alerts": out.alerts,
            "rss MB": {mark: one.rss_mb for mark, one in marks.items()},
            "MB an hour in the second half": round(found.slope, 2),
            "files": {mark: one.files for mark, one in marks.items()},
            "threads": {mark: one.threads for mark, one in marks.items()},
            "journal bytes": {mark: one.journal_bytes for mark, one in marks.items()},
            "messages": head,
            "acknowledged": outbox.acknowledged,
            "left": outbox.depth(),
            "entries kept and whole": kept,
            "footage bytes": held.retention.bytes,
            "broker stopped": keeper.outages,
            "connections": outbox.connections,
            "figures fetched": keeper.scrapes,
            "seconds of a core": round(spent.ru_utime + spent.ru_stime),
            "flat": found.flat,
        },
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak")
    parser.add_argument("--hours", type=float, default=8.0, help="of the table's time")
    parser.add_argument("--speed", type=float, default=60.0, help="times as fast as ours")
    parser.add_argument("--every", type=float, default=EVERY_S, help="seconds of the table's time between two looks")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = soak(Path(folder), options.hours, options.speed, options.every)
    sys.stdout.write(f"{json.dumps(found.facts)}\n")
    return 0 if found.flat and not found.facts["left"] else 1


if __name__ == "__main__":
    sys.exit(main())
