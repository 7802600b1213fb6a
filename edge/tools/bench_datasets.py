"""`feltwatch bench datasets`: what the synthetic casino costs, each figure beside a yardstick taken in the same run.

CPU time of this process, on one core; nothing but the art of the repository.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from json import dumps
from pathlib import Path

import av
import cv2
import numpy as np

from feltwatch.datasets.art.felts.felts import felt_for
from feltwatch.datasets.art.hands.hands import SPRITES, sprite
from feltwatch.datasets.deal.play import play
from feltwatch.datasets.deal.story import CarriedCard, DealtRound
from feltwatch.datasets.film.film_cli import DEMO, FilmOrder, dress
from feltwatch.datasets.film.footage import CRF, PRESET, Shoot, film
from feltwatch.datasets.film.timeline import Reel
from feltwatch.datasets.render.cards import back_pack, deck_pack
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.render.crops import Crop, crops
from feltwatch.datasets.scene.light import add_grain, squeeze
from feltwatch.datasets.scene.scene import Scene
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.engine.books import BOOKS
from feltwatch.vision.arrays import Floats32, Pixels

MINUTE_S = 60
KEPT = 10  # frames that the bare encoder is given in turn
SIDE = 1.4  # of a card's height: the picture that a crop is cut from, on the average
JPEG = 80
BACKS = ("house-blue", "house-red")


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is made for each figure."""

    crops: int = 1500
    tables: int = 48  # of two tables, each felt drawn again
    rounds: int = 40  # of each book
    film_s: float = 4.0
    size: tuple[int, int] = (1920, 1080)
    fps: float = 25.0


@dataclass(frozen=True, slots=True)
class BenchFigure:
    """One thing made, and its yardstick: seconds for each."""

    title: str
    yardstick: str
    yard_s: float
    work: str
    work_s: float
    rate: str  # what the work comes to, with its goal

    def lines(self) -> Iterator[str]:
        yield self.title
        for name, seconds in ((self.yardstick, self.yard_s), (self.work, self.work_s)):
            yield f"  {name:46} {seconds * 1e3:10.3f} ms"
        yield f"  {'ratio':46} {self.work_s / self.yard_s:10.1f}"
        yield f"  {self.rate}"


def bench(options: argparse.Namespace) -> int:
    """Print the figures."""
    del options
    for figure in figures(Effort()):
        sys.stdout.writelines(f"{line}\n" for line in figure.lines())
        sys.stdout.flush()
    return 0


def figures(effort: Effort) -> Iterator[BenchFigure]:
    """Measure one thing after another. OpenCV is kept to one thread meanwhile."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        _load_art()
        yield of_crops(effort)
        yield of_tables(effort)
        yield of_rounds(effort)
        yield of_footage(effort)
    finally:
        cv2.setNumThreads(threads)


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _load_art() -> None:
    for face in FACES:
        deck_pack("house").texture(face)
    for back in BACKS:
        back_pack(back).texture("back")
    for name in SPRITES[DEMO]:
        sprite(name)


# ---- crops ----------------------------------------------------------------------------------------------------------


def of_crops(effort: Effort) -> BenchFigure:
    stream = crops("test", 1, ("house",))
    for _ in islice(stream, 40):  # draws the cloths and the grain
        pass
    made: list[Crop] = []
    seconds = _cpu(lambda: made.extend(islice(stream, effort.crops))) / effort.crops
    sides = [max(round(SIDE * crop.tall_px), 8) for crop in made]
    bare = _cpu(lambda: [_squeezed_and_warped(crop.image, side) for crop, side in zip(made, sides, strict=True)])
    return BenchFigure(
        "a crop for the reader",
        "its picture through JPEG, and one warp",
        bare / effort.crops,
        "drawn, lit, photographed and cut out",
        seconds,
        f"{1 / seconds:.0f} crops a second on one core (goal 1000)",
    )


def _squeezed_and_warped(image: Pixels, side: int) -> object:
    picture = cv2.resize(image, (side, side)).astype(np.uint8, copy=False)
    taken = squeeze(picture, JPEG)
    height, width = image.shape[:2]
    corners = np.array([[0, 0], [side, 3], [side - 4, side], [2, side - 1]], np.float32)
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    return cv2.warpPerspective(taken, cv2.getPerspectiveTransform(corners, flat), (width, height))


# ---- tables ---------------------------------------------------------------------------------------------------------


def of_tables(effort: Effort) -> BenchFigure:
    scenes = [_house(number, effort.size) for number in range(effort.tables)]
    pictures = [render(scene).image for scene in scenes]  # so that textures are made before the clock starts
    felt_for.cache_clear()
    seconds = _cpu(lambda: [render(scene) for scene in scenes]) / effort.tables
    places = _lookup(effort.size)
    bare = _cpu(lambda: [squeeze(_remapped(picture, places), JPEG) for picture in pictures]) / effort.tables
    width, height = effort.size
    return BenchFigure(
        f"a full table of {width} x {height}",
        "one remap of the picture, and JPEG",
        bare,
        "its felt, cards, chips, hands, light and truth",
        seconds,
        f"{1 / seconds:.1f} tables a second on one core (goal 8)",
    )


def _house(number: int, size: tuple[int, int]) -> Scene:
    """Give a random table dressed with the art of the repository."""
    scene = cast("test", number, size)
    hands = tuple(replace(hand, sprite=SPRITES[DEMO][n % 8]) for n, hand in enumerate(scene.hands))
    return replace(scene, felt="house-green", deck="house", back=BACKS[number % 2], chips="chips-house", hands=hands)


def _lookup(size: tuple[int, int]) -> Floats32:
    x, y = np.meshgrid(np.arange(size[0], dtype=np.float32), np.arange(size[1], dtype=np.float32))
    return np.stack([x + y / 50, y + x / 50], axis=-1)


def _remapped(picture: Pixels, places: Floats32) -> Pixels:
    return cv2.remap(picture, places[..., 0], places[..., 1], cv2.INTER_LINEAR).astype(np.uint8, copy=False)


# ---- rounds ---------------------------------------------------------------------------------------------------------


def of_rounds(effort: Effort) -> BenchFigure:
    stories: list[DealtRound] = []
    books, count = tuple(BOOKS), effort.rounds * len(BOOKS)
    play(books[0], 0)
    seconds = _cpu(lambda: stories.extend(play(book, seed) for book in books for seed in range(effort.rounds)))
    bare = _cpu(lambda: [dumps(event, default=float) for story in stories for event in story.events])
    return BenchFigure(
        f"a simulated round, over {len(books)} books",
        "its events written by the standard library",
        bare / count,
        "dealt, decided, paid, and filmed on paper",
        seconds / count,
        f"{count / seconds:.0f} rounds a second on one core",
    )


# ---- footage --------------------------------------------------------------------------------------------------------


def of_footage(effort: Effort) -> BenchFigure:
    reel = _first_cards(effort)
    kept = [frame.image for frame in islice(Shoot(reel, effort.fps).frames(), KEPT)]
    dice = np.random.default_rng(1)
    noisy = [add_grain(image, reel.bare.sensor.noise, dice) for image in kept]
    with tempfile.TemporaryDirectory() as folder:
        counts: list[int] = []
        seconds = _cpu(lambda: counts.append(film(reel, Path(folder) / "film.mp4", effort.fps)))
        bare = _cpu(lambda: _encode(noisy, Path(folder) / "bare.mp4", effort.fps, counts[0]))
    frames = counts[0]
    minute = seconds * MINUTE_S * effort.fps / frames
    width, height = effort.size
    return BenchFigure(
        f"a frame of footage, {width} x {height}, while cards are dealt",
        "encoded by bare x264",
        bare / frames,
        "moved, drawn, encoded, and its truth written",
        seconds / frames,
        f"{minute:.0f} s of one core for a minute at {effort.fps:g} frames a second",
    )


def _first_cards(effort: Effort) -> Reel:
    """Give the seconds of a round from its first card on."""
    story = play("blackjack-rws-v5", 1, boxes=7, occupied=4)
    since = min(move.start for move in story.moves if isinstance(move, CarriedCard))
    moves = tuple(replace(move, start=move.start - since, end=move.end - since) for move in story.moves)
    order = FilmOrder(story.book, story.seed, 1, DEMO, Path(), size=effort.size, fps=effort.fps)
    return dress(order, [replace(story, moves=moves, ends=effort.film_s)])


def _encode(images: list[Pixels], path: Path, fps: float, count: int) -> None:
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=round(fps))
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt, stream.thread_count = "yuv420p", 1
        stream.options = {"preset": PRESET, "crf": str(CRF), "x264-params": "keyint=100"}
        for number in range(count):
            planes = cv2.cvtColor(images[number % len(images)], cv2.COLOR_BGR2YUV_I420).astype(np.uint8, copy=False)
            picture = av.VideoFrame.from_ndarray(planes, format="yuv420p")
            picture.pts = number
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
