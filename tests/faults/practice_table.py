"""A table without a camera: `feltwatch run` with a watcher that is given what lies there, so that it needs no networks.

    python -m tests.faults.practice_table -c table.toml …

The table lives on while feltwatch does not: its time is that of the machine since PRACTICE_EPOCH, times PRACTICE_SPEED.
A watcher that begins finds what lies there then, as one that sees would; what it is given, and when, is what a camera
tells. Everything else - camera, journal, outbox, evidence - is the real thing.
"""

import argparse
import os
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.visible import STALE, VISIBLE
from feltwatch.edge.cli.options import COMMANDS
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.edge.service import run as live
from feltwatch.engine.books import Book
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import TableView
from tests.edge.scripted_watcher import ScriptedNetworks, write_table, write_video
from tests.faults.recovery import found_again, told
from tests.json_events import Event, typed

ROUNDS = 200  # that are dealt
ERRORS = 0.2  # of them go wrong
LENGTH = 20  # seconds of the film that the camera takes
FPS = 10


@dataclass
class Practice:
    """What a watcher tells of such a table."""

    book: Book
    events: list[Event]
    epoch: float
    speed: float
    lies: TableState = field(init=False)
    across: set[object] = field(init=False)
    names: dict[str, str] = field(default_factory=dict)
    place: int = 0
    since: float | None = None  # table's time less the story's

    def __post_init__(self) -> None:
        self.lies = TableState(self.book)
        self.across = {event["id"] for event in self.events if event.get("crosswise")}

    def story(self) -> float:
        return (monotonic() - self.epoch) * self.speed

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[Event]:
        del camera, picture, small
        now = self.story()
        due = []
        while self.place < len(self.events) and float(str(self.events[self.place]["t"])) <= now:
            due.append(self.events[self.place])
            self.lies.apply(typed(due[-1]))
            self.place += 1
        if self.since is None:
            self.since = t - now
            found, self.names = found_again(self.lies, self.across, t, random.Random(round(1000 * t)))  # noqa: S311  not secret
            return found
        return [self._as_told(event, t) for event in due if event["event"] != "tick"]

    def _as_told(self, event: Event, t: float) -> Event:
        """Give an event in the table's time, by the names that this watcher gave its cards."""
        assert self.since is not None
        more: Event = {"t": t}
        for key in ("since", "rested"):
            if key in event:
                more[key] = round(min(max(float(str(event[key])) + self.since, 0.0), t), 3)
        if "id" in event:
            more["id"] = self.names.get(str(event["id"]), f"p{event['id']}")
        if event["event"] == "card":
            more |= {"rested": t}
        return event | more

    def finish(self) -> list[Event]:
        return []

    def view(self, camera: str = "") -> TableView:
        del camera
        return TableView()

    def doubts(self) -> tuple[str, ...]:
        return ()


class PracticeNetworks(ScriptedNetworks):
    def watching(self, table: TableFile) -> Practice:
        epoch = float(os.environ.get("PRACTICE_EPOCH", "") or monotonic())
        return Practice(table.book, stories(table.book, table.id), epoch, float(os.environ.get("PRACTICE_SPEED", "1")))


def stories(book: Book, seed: str) -> list[Event]:
    """Give what happens at a table, the same each time."""
    dice = random.Random(seed)  # noqa: S311  not secret
    codes = [code for code in VISIBLE[book.id] if code != STALE]
    errors = [dice.choice(codes) if dice.random() < ERRORS else None for _ in range(ROUNDS)]
    return told(session(book.id, dice.randrange(10**6), errors, boxes=7 if book.family == "blackjack" else None))


def table_file(folder: Path, name: str, more: str = "") -> Path:
    """Write the file of such a table, and the film that its camera takes over and over."""
    film = folder / "practice.mp4"
    if not film.exists():
        write_video(film, [n / FPS for n in range(LENGTH * FPS)])
    path = write_table(folder / f"{name}.toml")
    text = path.read_text("utf-8").replace('id = "demo"', f'id = "{name}"')
    text = text.replace('source = "demo.mp4"', f'source = "{film.name}"\nloop = true')
    path.write_text(text + more, "utf-8")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.practice_table")
    COMMANDS["run"].add_options(parser)
    parser.set_defaults(broker_port=0)  # tests run side by side
    try:
        return live.run(parser.parse_args(), lambda *_: PracticeNetworks())
    except UsageError as error:
        sys.stderr.write(f"feltwatch: {error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
