"""`python -m feltwatch.datasets footage`: films of simulated rounds, with truth, events and payments owed."""

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import inf
from pathlib import Path
from random import Random

import numpy as np

from feltwatch.datasets.art.chips.chips import CHIP_SETS
from feltwatch.datasets.art.felts.felts import FELTS
from feltwatch.datasets.art.hands.hands import SPRITES
from feltwatch.datasets.common.cache import write_whole
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.story import DealtRound
from feltwatch.datasets.deal.visible import VISIBLE, needs
from feltwatch.datasets.film.footage import CRF, film
from feltwatch.datasets.film.timeline import Reel
from feltwatch.datasets.lighting import Blob, Light, Sensor
from feltwatch.datasets.scene.dealer import EACH_SPLIT, HOUSE, Dealer, any_of, named
from feltwatch.datasets.scene.scene import Scene
from feltwatch.datasets.scene.scene_sampler import art, pick, random_change, random_light, random_sensor
from feltwatch.datasets.sources.card_codes import LONGEST, is_name
from feltwatch.engine.books import BOOKS, find_book
from feltwatch.vision.geometry.camera import Camera, look_at
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import PRESETS, Layout, LayoutError, load_layout

DEMO = "demo"  # the art of the repository, one fixed camera
SPLITS = ("train", "val", "test", DEMO)
PRESET = {7: "blackjack-7", 5: "blackjack-5", 6: "si-ki-pi-6"}
ACTORS = 8
SIDES = (64, 8192)  # pixels of a film
LIMITS = {
    "rounds": (1, inf),
    "films": (1, inf),
    "jobs": (1, inf),
    "seed": (0, inf),
    "fps": (0.1, 240),
    "pace": (0.1, 20),
    "crf": (0, 51),
    "occupied": (1, 7),
}
ONE_PLACE = 0.5  # of the films, on which the places of split hands are not printed
SPLIT_PLACE = re.compile(r"box\d\.hand\d")
UPSIDE_DOWN = 0.4  # of the cameras
LEANS_DEG = 28.0  # a camera looks so far from straight down, at the most
WIDEST_MM = 4000.0
MARKS = 12  # points of the felt that the table's file gives the pixels of


@dataclass(frozen=True, slots=True)
class FilmOrder:
    """The films that are wanted."""

    book: str
    seed: int
    rounds: int
    split: str
    folder: Path
    error: str | None = None
    size: tuple[int, int] = (1920, 1080)
    fps: float = 25.0
    pace: float | None = None  # the dealer's own
    occupied: int | None = None
    layout: str | None = None
    deck: str | None = None
    crf: int = CRF
    name: str | None = None
    dealer: str | None = None

    def who(self) -> Dealer:
        """Give the dealer: the one who was named, else the one whom the seed draws."""
        if self.split == DEMO:
            return replace(HOUSE, seed=self.seed)
        return replace(named(self.dealer, self.split) if self.dealer else any_of(self.split, self.seed), seed=self.seed)


def shoot(order: FilmOrder) -> Path:
    """Make one film; one that is there already is left as it is."""
    name = order.name or f"{order.book}-{order.seed:06d}"
    path = order.folder / f"{name}.mp4"
    if path.exists():
        return path
    boxes = _boxes_of(order) if order.layout else None
    order.folder.mkdir(parents=True, exist_ok=True)
    if order.split == DEMO and find_book(order.book).family == "blackjack":
        boxes = boxes or 7
    errors = [None] * (order.rounds - 1) + [order.error]
    dealer = order.who()
    stories = session(
        order.book,
        order.seed,
        errors,
        boxes=boxes,
        occupied=order.occupied,
        pace=order.pace or dealer.pace,
        dealer=dealer,
        apart=False,  # a camera sees all stacks of a box on its main spot
    )
    reel = dress(order, stories)
    part = order.folder / f".part-{name}.mp4"
    film(reel, part, order.fps, order.crf)
    part.with_suffix(".truth.jsonl").replace(path.with_suffix(".truth.jsonl"))
    _papers(path, order, stories, reel.bare)
    part.replace(path)
    return path


def _boxes_of(order: FilmOrder) -> int:
    """Give how many boxes a layout has on which the rounds can be played: with a place for all that comes to lie."""
    layout = _layout(order.layout, order.book)
    boxes = len(layout.boxes)
    parts = ("cards", "main") if find_book(order.book).family == "blackjack" else ("cards", "low", "high", "main")
    asked = [f"box{box}.{part}" for box in range(1, max(boxes, 1) + 1) for part in parts]
    asked += [f"dealer.{part}" for part in parts[:-1]] + ["shoe", "discard", "float"]
    if missing := [name for name in asked if name not in layout.by_name]:
        raise DataError(f"{order.layout}: a film in {order.book} needs these zones too: {', '.join(missing)}")
    want = needs(order.book, order.error)
    if order.error and boxes < want.least + want.free:
        raise DataError(f"{order.layout}: {order.error} needs {want.least + want.free} boxes, found {boxes}")
    return boxes


def _layout(name: str | None, book: str, boxes: int = 7) -> Layout:
    try:
        return for_book(load_layout(name or PRESET[boxes]), find_book(book))
    except LayoutError as error:
        raise DataError(str(error)) from error


def dress(order: FilmOrder, stories: Sequence[DealtRound]) -> Reel:
    """Give the stories a table, art of the split, light and a camera."""
    layout = _layout(order.layout, order.book, stories[0].boxes)
    dice = np.random.default_rng([order.seed, 21])
    if order.split != DEMO and not order.layout and Random(f"felt {order.seed}").random() < ONE_PLACE:  # noqa: S311
        layout = with_one_place(layout)
    if order.split == DEMO:
        bare = Scene(
            look_at(order.size, (80.0, -150.0, 2000.0), (0.0, 440.0), 2150.0, (-0.08, 0.01, 0.0, 0.0, 0.0), 1.5),
            layout,
            "house-green",
            order.deck or "house",
            "house-red",
            "chips-house",
            light=Light(0.95, lamps=(Blob(0.3, 0.2, 0.4, 0.15),), shadow=(0.25, 0.3)),
            sensor=Sensor(0.6, 1.6),
            seed=order.seed,
        )
        return Reel(bare, order.who(), stories, SPRITES[DEMO], "house")
    decks = art("decks", order.split)
    deck = order.deck or pick(dice, decks)
    bare = Scene(
        whole_table(dice, order.size, layout),
        layout,
        pick(dice, FELTS[order.split]),
        deck,
        pick(dice, art("backs", order.split)),
        pick(dice, CHIP_SETS[order.split]),
        light=replace(random_light(dice), change=random_change(dice)),
        sensor=replace(random_sensor(dice, order.size[0]), jpeg=0),
        seed=order.seed,
    )
    sprites = tuple(pick(dice, SPRITES[order.split]) for _ in range(ACTORS))
    foreign = pick(dice, [name for name in decks if name != deck] or [deck])
    return Reel(bare, order.who(), stories, sprites, foreign)


def with_one_place(layout: Layout) -> Layout:
    """Give a layout on which a box has one place for all its hands, as most felts have."""
    areas = tuple(area for area in layout.areas if not SPLIT_PLACE.fullmatch(area.name))
    return replace(layout, areas=areas) if len(areas) < len(layout.areas) else layout


def whole_table(dice: np.random.Generator, size: tuple[int, int], layout: Layout) -> Camera:
    """Hang a camera on any side of the table so that it sees all of the felt; the picture may be upside down."""
    tall, roll = float(dice.uniform(1500, 2800)), float(dice.normal(0, 2.5)) + 180.0 * (dice.random() < UPSIDE_DOWN)
    side, aside = float(dice.uniform(0, 2 * np.pi)), tall * float(np.tan(np.deg2rad(dice.uniform(0, LEANS_DEG))))
    eye = (aside * float(np.cos(side)), 440.0 + aside * float(np.sin(side)), tall)
    k1 = float(dice.uniform(-0.12, 0.02))
    lens = (k1, abs(k1) * 0.12, 0.0, 0.0, 0.0)
    for view in np.arange(float(dice.uniform(2150, 2400)), WIDEST_MM, 50.0):
        camera = look_at(size, eye, (0.0, 440.0), float(view), lens, roll)
        seen = camera.to_picture(np.array(layout.outline))
        if (seen >= 0).all() and (seen <= np.array(size)).all():
            break
    return camera


def _papers(path: Path, order: FilmOrder, stories: Sequence[DealtRound], bare: Scene) -> None:
    """Write beside a film its table, its events, and what the engine owes."""
    events = [json.dumps(event, default=_plain) for story in stories for event in story.events]
    write_whole(path.with_suffix(".events.jsonl"), "".join(f"{line}\n" for line in events).encode())
    owed = [
        {
            "error": story.error,
            "alerts": list(story.owed.alerts),
            "settlements": [
                {"box": box, "hand": hand, "bet": bet, "result": result, "net": str(net)}
                for (box, hand, bet), (result, net) in story.owed.settlements.items()
            ],
            "result": story.owed.result,
            "settings": dict(story.settings),
        }
        for story in stories
    ]
    made_of = {"deck": bare.deck, "back": bare.back, "felt": bare.felt, "chips": bare.chips, "split": order.split}
    if order.split != DEMO:
        made_of["dealer"] = order.who().name
    about = {"book": order.book, "seed": order.seed, "fps": order.fps, "made_of": made_of, "rounds": owed}
    write_whole(path.with_suffix(".owed.json"), (json.dumps(about, indent=1) + "\n").encode())
    write_whole(path.with_suffix(".table.toml"), table_toml(path.name, order, stories, bare).encode())


def _plain(value: object) -> object:
    assert isinstance(value, Decimal)  # noqa: S101  nothing else in an event is foreign to JSON
    return int(value) if value == value.to_integral_value() else float(value)


def table_toml(source: str, order: FilmOrder, stories: Sequence[DealtRound], bare: Scene) -> str:
    """Write the table down as `feltwatch run` and `feltwatch replay` take it."""
    camera, story = bare.camera, stories[0]
    # the layout says how many boxes there are
    settings = {
        name: value for one in stories for name, value in one.settings.items() if name != "boxes"
    }  # boxes: the layout's
    house = ", ".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
    turns = np.linspace(0, np.pi, MARKS)
    points = np.column_stack([900 * np.cos(turns), 40 + 850 * np.sin(turns)]).round(1)
    pixels = camera.to_picture(points)
    lines = [
        "[table]",
        f'id = "{Path(source).stem}"',
        f'site = "{order.split}"',
        f'book = "{story.book}"',
        f"decks = {story.decks}",
        f"min = {story.minimum}",
        f"max = {story.maximum}",
        *([f"settings = {{ {house} }}"] if house else []),  # an error may need them
        "",
        "[layout]",
        *_printed(order.layout or PRESET[story.boxes], order.book, bare.layout),
        "",
        "[camera]",
        f'source = "{source}"',
        f"lens = {[round(value, 6) for value in camera.lens]}",
        f"camera_matrix = {[round(value, 3) for value in camera.matrix]}",
    ]
    for (x, y), (u, v) in zip(points.tolist(), pixels.tolist(), strict=True):
        lines += ["", "[[camera.points]]", f"image = [{u:.2f}, {v:.2f}]", f"table = [{x}, {y}]"]
    return "\n".join(lines) + "\n"


def _printed(name: str, book: str, layout: Layout) -> Iterator[str]:
    """Name the layout of a film, or write its zones down where no layout has that name."""
    if name in PRESETS and layout == _layout(name, book):
        yield f'preset = "{name}"'
        return
    yield f"outline = {[list(point) for point in layout.outline]}"
    for area in layout.areas:
        yield from ("", "[[layout.zones]]", f'name = "{area.name}"')
        yield f"polygon = {[list(point) for point in area.polygon]}"
        yield from (f"first = {list(area.first)}", f"step = {list(area.step)}", f"turn = {area.turn}")


def main(arguments: list[str]) -> int:
    wanted = _parser().parse_args(arguments)
    order = _order(wanted)
    orders = [replace(order, seed=order.seed + n) for n in range(wanted.films)]
    for path in ordered(shoot, orders, min(wanted.jobs, wanted.films), run=1):
        sys.stdout.write(f"{path}\n")
    return 0


def _order(wanted: argparse.Namespace) -> FilmOrder:
    if wanted.book not in BOOKS:
        raise DataError(f"unknown book {wanted.book!r}: expected one of {', '.join(BOOKS)}")
    if wanted.error and wanted.error not in VISIBLE[wanted.book]:
        there = ", ".join(VISIBLE[wanted.book])
        raise DataError(f"no error {wanted.error!r} that a camera can see in {wanted.book}: there are {there}")
    width, _, height = wanted.size.partition("x")
    sides = [int(side) if side.isdecimal() else 0 for side in (width, height)]
    if not all(side % 2 == 0 and SIDES[0] <= side <= SIDES[1] for side in sides):
        raise DataError(
            f"--size {wanted.size!r}: expected width x height in even pixels of {SIDES[0]} to {SIDES[1]}, as 1920x1080"
        )
    for flag, (least, most) in LIMITS.items():
        found = getattr(wanted, flag)
        if found is not None and not least <= found <= most:
            raise DataError(f"--{flag} {found}: expected {least:g} {f'to {most:g}' if most < inf else 'or more'}")
    if wanted.name is not None and not is_name(wanted.name):
        raise DataError(f"--name {wanted.name!r}: letters, digits and dashes expected, {LONGEST} at most")
    if wanted.name and wanted.films > 1:
        raise DataError("--name names one film: expected --films 1")
    if wanted.dealer and wanted.split == DEMO:
        raise DataError(f"--dealer {wanted.dealer!r}: --split {DEMO} has one dealer; expected another split")
    if wanted.dealer:
        named(wanted.dealer, wanted.split)
    return FilmOrder(
        wanted.book,
        wanted.seed,
        wanted.rounds,
        wanted.split,
        wanted.o,
        wanted.error,
        (int(width), int(height)),
        wanted.fps,
        wanted.pace,
        wanted.occupied,
        wanted.layout,
        wanted.deck,
        wanted.crf,
        wanted.name,
        wanted.dealer,
    )


def _parser() -> Arguments:
    parser = Arguments(prog="python -m feltwatch.datasets footage", description="Film simulated rounds.")
    parser.add_argument("--book", required=True)
    parser.add_argument("-o", type=Path, required=True, metavar="DIR")
    parser.add_argument("--films", type=int, default=1, help="how many; each has its own table and the next seed")
    parser.add_argument("--rounds", type=int, default=1, help="of each film")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--error", metavar="CODE", help="committed in the last round of each film")
    parser.add_argument("--split", choices=SPLITS, default="train", help="whose art it is made of")
    parser.add_argument("--size", default="1920x1080", metavar="WxH")
    parser.add_argument("--fps", type=float, default=25.0)
    parser.add_argument("--pace", type=float, help="2: twice as quick; without it, as quick as the dealer")
    parser.add_argument("--dealer", metavar="NAME", help=f"of the split: SPLIT-0 to SPLIT-{EACH_SPLIT - 1}")
    parser.add_argument("--occupied", type=int, help="boxes that are played")
    parser.add_argument("--layout", metavar="FILE", help="a preset's name or a layout file")
    parser.add_argument("--deck", metavar="NAME")
    parser.add_argument("--crf", type=int, default=CRF, help="the encoder's quality: less is better and larger")
    parser.add_argument("--name", help="of the film, in place of its book and seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser
