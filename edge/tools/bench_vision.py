"""`feltwatch bench vision`: what a look at a full table and a replay cost, each beside its yardstick in the same run.

Wall time, two threads. A look and one bare call of the detector's network are taken in turn on the same picture, a
replay and decoding alone in turn on the bundled video, so that what else the machine does falls on both.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from math import inf
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from feltwatch.datasets.render.compose import Rendered, render
from feltwatch.datasets.scene.scene_sampler import Own, cast
from feltwatch.edge.errors import UsageError
from feltwatch.models.shipped.registry import ModelError
from feltwatch.vision.arrays import Floats

if TYPE_CHECKING:
    from feltwatch.vision.detection.still_reader import StillReader

CARDS = 20
BUDGET = 1.8  # times the bare call
TURNS = 30
WARM = 3  # turns that are not counted
REPLAYS = 3  # the best counts
REAL_TIME = 4  # times real time, at least, on two cores
THREADS = 2
SIZE = (1920, 1080)
HOUSE = Own(("house",), ("house-blue", "house-red"), "chips-house")


@dataclass(frozen=True, slots=True)
class Times:
    """Medians, in seconds."""

    bare_s: float
    find_s: float
    fit_s: float
    read_s: float
    all_s: float
    look_s: float

    @property
    def ratio(self) -> float:
        return self.all_s / self.bare_s

    def lines(self) -> Iterator[str]:
        yield f"a full table of {SIZE[0]} x {SIZE[1]}, median of {TURNS} turns"
        rows = (
            ("one bare call of the detector's network", self.bare_s),
            ("candidates, stacks and hands found", self.find_s),
            ("cards fitted to the candidates", self.fit_s),
            (f"{CARDS} cards read", self.read_s),
            ("found, fitted and read", self.all_s),
            ("one look, whatever it finds", self.look_s),
        )
        for name, seconds in rows:
            yield f"  {name:46} {seconds * 1e3:10.1f} ms"
        yield f"  {'ratio':46} {self.ratio:10.2f}   (at most {BUDGET})"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The best of a few turns, in seconds."""

    film_s: float
    decoding_s: float
    replay_s: float

    def lines(self) -> Iterator[str]:
        yield f"the bundled video, {self.film_s:.0f} s of {SIZE[0]} x {SIZE[1]}, the best of {REPLAYS} turns"
        for name, seconds in (("decoded, and nothing done with it", self.decoding_s), ("replayed", self.replay_s)):
            yield f"  {name:46} {seconds:10.1f} s   {self.film_s / seconds:5.1f} times real time"
        says = f"(a replay is to be {REAL_TIME} times as fast as the film)"
        yield f"  {'ratio':46} {self.replay_s / self.decoding_s:10.2f}   {says}"


def bench(options: argparse.Namespace) -> int:
    """Print the figures; 1 where a look costs more than its budget."""
    del options
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  with it comes the model runtime

    try:
        found = times(open_eyes(), full_table())
    except ModelError as fault:
        raise UsageError(str(fault)) from fault
    sys.stdout.writelines(f"{line}\n" for line in found.lines())
    sys.stdout.write("\n")
    sys.stdout.writelines(f"{line}\n" for line in replayed().lines())
    return 0 if found.ratio <= BUDGET else 1


def replayed(since: float = 0.0, turns: int = REPLAYS) -> Replayed:
    """Decode the bundled video and replay it, report and evidence and all, in turn."""
    from feltwatch.edge.pipeline.networks import Networks  # noqa: PLC0415  with it comes the model runtime
    from feltwatch.edge.replay.film import replay_film  # noqa: PLC0415  as above
    from feltwatch.edge.replay.job import ReplayOrder  # noqa: PLC0415  as above
    from feltwatch.edge.video.decoder import Decoding  # noqa: PLC0415  with it comes OpenCV
    from feltwatch.edge.video.video_file import open_video  # noqa: PLC0415  as above

    clips = files("feltwatch.datasets").joinpath("clips")
    with (
        as_file(clips.joinpath("demo.mp4")) as film,
        as_file(clips.joinpath("demo.table.toml")) as table,
        tempfile.TemporaryDirectory() as folder,
    ):
        video, networks = open_video(film), Networks("cpu", THREADS)
        order = ReplayOrder(film, table, Path(folder) / "replay", since, force=True, threads=THREADS, keep_s=inf)

        def decode() -> None:
            with Decoding(video, since) as frames:
                for _ in frames:
                    pass

        def replay() -> None:
            replay_film(order, networks, lambda _: None, lambda: False)

        decode()  # the file is in memory from now on
        taken = [(_taken(decode), _taken(replay)) for _ in range(turns)]
    decoding, replaying = (min(seconds) for seconds in zip(*taken, strict=True))
    return Replayed(video.seconds - since, decoding, replaying)


def full_table() -> Rendered:
    """Render a table with at least CARDS cards, of nothing but the art of the repository."""
    for seed in range(1000):
        scene = cast("test", seed, SIZE, HOUSE)
        if len(scene.cards) >= CARDS:
            drawn = render(replace(scene, felt="house-green", hands=()))
            if len(most_visible(drawn)) == CARDS:
                return drawn
    raise AssertionError("no table of a thousand is full")


def most_visible(drawn: Rendered) -> Floats:
    """Give the quads of the CARDS most visible cards."""
    shown = sorted((card for card in drawn.truth.cards if card.visible > 0.1), key=lambda card: -card.visible)
    return np.array([card.quad for card in shown[:CARDS]])


def times(eyes: "StillReader", drawn: Rendered, turns: int = TURNS) -> Times:
    """Take all in turn, as often as said."""
    from feltwatch.vision.detection.detector import fitted  # noqa: PLC0415  with it comes the model runtime

    shown, quads = fitted(drawn.image)[0][None], most_visible(drawn)
    candidates = eyes.detector.candidates(drawn.image)
    taken: list[tuple[float, ...]] = []
    for _ in range(WARM + turns):
        bare = _taken(lambda: eyes.detector.run(shown))
        find = _taken(lambda: eyes.detector.survey(drawn.image))
        fit = _taken(lambda: eyes.fitter.settle(drawn.image, candidates))
        read = _taken(lambda: eyes.reader.read(drawn.image, quads))
        look = _taken(lambda: eyes.look(drawn.image))
        taken.append((bare, find, fit, read, look))
    bares, finds, fits, reads, looks = zip(*taken[WARM:], strict=True)
    every = [find + fit + read for find, fit, read in zip(finds, fits, reads, strict=True)]
    return Times(median(bares), median(finds), median(fits), median(reads), median(every), median(looks))


def _taken(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
