"""Cameras that are mistreated at random moments: `python -m tests.faults.cameras --times 50`; a JSON line a fault.

Each camera is one on the network (RTSP with H.264 every other time, JPEG over HTTP the others), read by a `Feed` as the
service reads it. Every picture carries its number, so that it is known of each that was taken whether it was good, and
how old it was. What a camera shows that is turned away, `Feed` cannot know; there the one who counts is the watcher.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from functools import cache, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from feltwatch.edge.camera.feed import Feed, LiveFrame, Timeouts
from feltwatch.edge.camera.sources import CameraSource
from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.video.video_file import silence_libraries
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.motion.camera_monitor import CameraMonitor
from feltwatch.vision.motion.change_detector import ChangeDetector
from tests.edge.scripted_watcher import SIZE, write_table
from tests.faults.network_camera import NetworkCamera
from tests.film_frames import frame

SHORT: Final = Timeouts(0.6, 0.6, 0.2, 0.3, (0.05, 0.1, 0.2), 5.0, 1.5)
SLACK_S: Final = 0.3  # by which a picture may be older than is allowed: the way from the camera, and a busy machine
FRAMES: Final = range(0, 800, 40)  # of the film
GRAINS: Final = 16
BITS: Final = 16
CELL: Final = 8  # pixels of a bit
DEADLINE_S: Final = 60.0
KINDS: Final = ("rtsp", "http")
OTHERS: Final = ((640, 360), (160, 90), (320, 240), (180, 320))  # sizes that pictures may have after a reconnect

Line = dict[str, object]
Grain = NDArray[np.int16]


class Table:
    """What a camera sees: the film's table, with a sensor's noise; and what happens to it."""

    def __init__(self, dice: np.random.Generator) -> None:
        self.dice = dice
        self.disturb: Callable[[Pixels], Pixels] | None = None
        self.size = SIZE
        self.frozen = False
        self.good: dict[int, bool] = {}  # by its number, whether a picture is good
        self._last: Pixels | None = None
        self._table, self._grains = _film(), _grains()

    def __call__(self, number: int, now: float) -> Pixels:
        del now
        if self.frozen and self._last is not None:
            return self._last
        picture = self._table[number // 5 % len(self._table)]
        picture = cv2.add(picture, self._grains[int(self.dice.integers(GRAINS))], dtype=cv2.CV_8U).astype(np.uint8)
        disturb = self.disturb
        if disturb is not None:
            picture = disturb(picture)
        if self.size != SIZE:
            picture = np.asarray(cv2.resize(picture, self.size), np.uint8)
        self.good[number % 2**BITS] = disturb is None and self.size == SIZE
        self._last = marked(picture, number)
        return self._last


@cache
def _film() -> list[Pixels]:
    return [np.asarray(cv2.resize(frame(number), SIZE, interpolation=cv2.INTER_AREA), np.uint8) for number in FRAMES]


@cache
def _grains() -> list[Grain]:
    dice = np.random.default_rng(1)
    return [np.round(dice.normal(0, 3, (SIZE[1], SIZE[0], 3))).astype(np.int16) for _ in range(GRAINS)]


def marked(picture: Pixels, number: int) -> Pixels:
    """Write a picture's number into its upper edge, and once more with all bits turned."""
    picture = picture.copy()
    bits = [number >> n & 1 for n in range(BITS)]
    for n, bit in enumerate([*bits, *(1 - bit for bit in bits)]):
        picture[:CELL, n * CELL : (n + 1) * CELL] = 235 if bit else 20
    return picture


def number_of(picture: Pixels) -> int | None:
    """Read a picture's number, if it has one."""
    cells = [picture[2 : CELL - 2, n * CELL + 2 : (n + 1) * CELL - 2].mean() > 128 for n in range(2 * BITS)]
    if any(one == other for one, other in zip(cells[:BITS], cells[BITS:], strict=True)):
        return None
    return sum(1 << n for n in range(BITS) if cells[n])


# ---- what happens to a camera --------------------------------------------------------------------------------------


@dataclass
class Fault:
    """How it is done and undone, and what is reported of it."""

    done: Callable[["Trial"], None]
    undone: Callable[["Trial"], None]
    said: tuple[str, ...]
    pause_s: tuple[float, float] = (0.0, 1.0)  # before it: at random


def _unplug(trial: "Trial") -> None:
    """Be gone; or be cut off, all connections open; or be held up, so that all comes late."""
    way = int(trial.dice.integers(3))
    if way == 0:
        trial.camera.unplug()
    elif way == 1:
        trial.camera.silent = True
    else:
        trial.camera.hold()


def _plug(trial: "Trial") -> None:
    trial.camera.silent = False
    trial.camera.let_go()
    if trial.camera.unplugged:
        trial.camera.plug()


def _freeze(trial: "Trial") -> None:
    trial.table.frozen = True


def _thaw(trial: "Trial") -> None:
    trial.table.frozen = False


def _cover(trial: "Trial") -> None:
    """Take the light away, or lay something over the lens."""
    colour = trial.dice.integers(0, 200, 3) if trial.dice.random() < 0.5 else np.zeros(3)
    trial.table.disturb = lambda picture: np.full_like(picture, colour) + (picture & 1)


def _turn(trial: "Trial") -> None:
    dice = trial.dice
    degrees = float(dice.uniform(3, 180)) * float(dice.choice([-1, 1]))
    way = cv2.getRotationMatrix2D((SIZE[0] / 2, SIZE[1] / 2), degrees, float(dice.uniform(0.8, 1.3)))
    way += np.column_stack([np.zeros((2, 2)), dice.uniform(-0.3, 0.3, 2) * SIZE])
    trial.table.disturb = lambda picture: np.asarray(
        cv2.warpAffine(picture, way, SIZE, borderMode=cv2.BORDER_REFLECT), np.uint8
    )


def _bare(trial: "Trial") -> None:
    trial.table.disturb = None


def _resize(trial: "Trial") -> None:
    trial.reconnect(OTHERS[int(trial.dice.integers(len(OTHERS)))])


def _size_back(trial: "Trial") -> None:
    trial.reconnect(SIZE)


FAULTS: Final = {
    "unplugged": Fault(_unplug, _plug, ("lost", "stalled")),
    "frozen": Fault(_freeze, _thaw, ("frozen",)),
    "black": Fault(_cover, _bare, ("black",)),
    "turned away": Fault(_turn, _bare, ("moved",), (1.6, 2.2)),
    "other resolution": Fault(_resize, _size_back, ("resized",)),
}


@dataclass
class Found:
    """Of all times."""

    times: int = 0
    said_s: list[float] = field(default_factory=list)
    back_s: list[float] = field(default_factory=list)
    taken: int = 0
    bad: int = 0
    falsely: int = 0  # said, where nothing befell
    oldest_s: float = 0.0  # of the pictures that were taken

    def joined(self, other: "Found") -> "Found":
        joined = Found(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))
        return replace(joined, oldest_s=max(self.oldest_s, other.oldest_s))

    def line(self, fault: str) -> Line:
        return {
            "fault": fault,
            "times": self.times,
            "said_within_s": _spread(self.said_s),
            "bad_pictures_taken": self.bad,
            "recovered": len(self.back_s),
            "recovered_within_s": _spread(self.back_s),
            "pictures_taken": self.taken,
            "oldest_picture_s": round(self.oldest_s, 2),
            "said_falsely": self.falsely,
        }


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"p50": round(float(np.median(values)), 2), "max": round(max(values), 2)} if values else {}


class Trial:
    """One camera, its feed, and who takes from it."""

    def __init__(self, name: str, kind: str, timeouts: Timeouts, dice: np.random.Generator) -> None:
        self.dice, self.fault, self.found = dice, FAULTS[name], Found()
        self.table = Table(dice)
        self.camera = NetworkCamera(self.table, kind, fps=25.0)
        self.timeouts = timeouts
        self.excused = False  # what is old is not known to be so yet
        self.watches = name == "turned away"
        self._said: str | None = None
        with TemporaryDirectory() as folder:
            table = read_table(write_table(Path(folder) / "table.toml"))
        self._attention, self._hanging = ChangeDetector(SIZE), CameraMonitor(table.camera(SIZE).camera, table.layout)

    def run(self, times: int) -> Found:
        with self.camera:
            self.feed = Feed(CameraSource(self.camera.url, timeouts=self.timeouts), "front", "", timeouts=self.timeouts)
            self.feed.start()
            try:
                self.until(lambda shot: shot is not None)
                for _ in range(times):
                    self.once()
            finally:
                self.feed.stop()
        self.feed.close()
        return self.found

    def once(self) -> None:
        """Let it happen to the camera, wait until it is reported, undo it, and wait for pictures."""
        quiet = monotonic() + self.dice.uniform(*self.fault.pause_s)
        self.until(lambda _: monotonic() >= quiet)
        self.found.falsely += self.said() is not None
        self.until(lambda _: self.said() is None)
        self.found.times += 1
        start, self.excused = monotonic(), True
        self.fault.done(self)
        self.until(lambda _: self.said() in self.fault.said)
        self.found.said_s.append(monotonic() - start)
        self.excused = False
        on = monotonic() + self.dice.uniform(0.0, 0.5)
        self.until(lambda _: monotonic() >= on)
        start = monotonic()
        self.fault.undone(self)
        self.until(lambda shot: shot is not None and self.said() is None and self.left_at(shot) >= start)
        self.found.back_s.append(monotonic() - start)

    def reconnect(self, size: tuple[int, int]) -> None:
        self.camera.unplug()
        self.table.size = size
        self.camera.plug()

    def until(self, holds: Callable[[LiveFrame | None], bool]) -> None:
        """Take pictures until something holds."""
        deadline = monotonic() + DEADLINE_S
        while monotonic() < deadline:
            shot = self.feed.take(0.02)
            if shot is not None:
                self.took(shot)
            if holds(shot):
                return
        raise TimeoutError(f"{self.said()} after {DEADLINE_S} s")

    def said(self) -> str | None:
        """Give what is reported, in a word."""
        trouble = self.feed.trouble
        if trouble is not None:
            return trouble.kind
        return "moved" if self._hanging.doubts() else None

    def left_at(self, shot: LiveFrame) -> float:
        """Give when a picture left the camera."""
        return self.camera.left.get(number_of(shot.picture) or 0, -1.0)

    def took(self, shot: LiveFrame) -> None:
        self.found.taken += 1
        if self.watches and self._hanging.step(self._attention.step(shot.t, shot.picture, shot.small), self._attention):
            return  # the watcher does not use it
        number = number_of(shot.picture)
        good = number is not None and self.table.good.get(number, False)
        self.found.bad += not good
        if good and not (self.table.frozen and self.excused):
            age = shot.taken - self.left_at(shot)
            self.found.oldest_s = max(self.found.oldest_s, age)
            self.found.bad += age > self.timeouts.late_s + SLACK_S


def run(names: Sequence[str], times: int, timeouts: Timeouts, seed: int, jobs: int = 1) -> Iterator[Line]:
    """Do each fault so many times, to cameras of both kinds in turn; several cameras at a time."""
    silence_libraries()
    each = len(KINDS) * max(1, jobs // (len(KINDS) * len(names)))  # cameras that share the times of a fault
    with ThreadPoolExecutor(jobs) as pool:
        shares = {
            name: [
                pool.submit(_share, Share(name, KINDS[m % len(KINDS)], timeouts, (seed, n, m)), (times + m) // each)
                for m in range(each)
            ]
            for n, name in enumerate(names)
        }
        for name, parts in shares.items():
            yield reduce(Found.joined, (part.result() for part in parts)).line(name)


class Share(NamedTuple):
    fault: str
    kind: str
    timeouts: Timeouts
    seed: tuple[int, ...]


def _share(share: Share, times: int) -> Found:
    trial = Trial(share.fault, share.kind, share.timeouts, np.random.default_rng(share.seed))
    return trial.run(times) if times else Found()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.cameras")
    parser.add_argument("--times", type=int, default=50, help="so often each fault (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="cameras at a time (default: %(default)s)")
    parser.add_argument("--fault", choices=FAULTS, action="append", help="this fault alone (default: all)")
    parser.add_argument("--patient", action="store_true", help="with the timeouts of the service, not a shorter one")
    options = parser.parse_args(arguments)
    timeouts = Timeouts() if options.patient else SHORT
    failed = False
    for line in run(options.fault or [*FAULTS], options.times, timeouts, options.seed, options.jobs):
        sys.stdout.write(f"{json.dumps(line)}\n")
        sys.stdout.flush()
        failed |= line["bad_pictures_taken"] != 0 or line["recovered"] != options.times
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
