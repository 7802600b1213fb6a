"""Footage: the same bytes from the same seed, a truth for every frame, and nothing drawn that should not be."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.deal.play import play
from feltwatch.datasets.deal.story import DealtRound
from feltwatch.datasets.film.film_cli import DEMO, FilmOrder, dress, table_toml
from feltwatch.datasets.film.footage import FilmFrame, Shoot, film, touched
from feltwatch.datasets.film.timeline import Reel, TimelineMoment
from feltwatch.datasets.lighting import Blob, Light, Sensor
from feltwatch.datasets.render.compose import TableCanvas, draw_things
from feltwatch.datasets.scene.light import apply_shade, develop
from feltwatch.edge.config.table_file import read_table
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from feltwatch.vision.arrays import Mask, Pixels

SIZE = (640, 360)
LASTS_S, FPS = 2.4, 10.0
LEVELS = 2
FEW_FPS = 0.3  # a frame of a whole round every few seconds
HARSH = Light(0.8, glare=(Blob(0.6, 0.2, 0.2, 0.2),), shadow=(-0.5, 0.4), soft=4.0, dark=0.75, gloss=0.5)
SHARP = Sensor(1.8, 0.0, 1.2, 1.2, 10.0, 0.8)


def on_film(story: DealtRound) -> Reel:
    return dress(FilmOrder(story.book, story.seed, 1, DEMO, Path(), size=SIZE), [story])


def cut(story: DealtRound, since: float) -> Reel:
    """Film some seconds out of the middle of a round."""
    moves = tuple(replace(move, start=move.start - since, end=move.end - since) for move in story.moves)
    return on_film(replace(story, moves=moves, ends=LASTS_S))


def test_the_house_of_a_film_is_one_in_which_its_error_is_one(tmp_path: Path) -> None:
    story = play("live-blackjack", 4, boxes=5, error="settlement-order")
    order = FilmOrder(story.book, story.seed, 1, DEMO, tmp_path, size=SIZE, layout="blackjack-5")
    path = tmp_path / "table.toml"
    path.write_text(table_toml("one.mp4", order, [story], dress(order, [story]).bare))
    switches = read_table(path).book.switches
    assert (switches.settlement_order, switches.boxes) == ("right-to-left", "5")


def sharing(story: DealtRound) -> float:
    """Give when the first card lies and the second comes."""
    return next(float(str(event["t"])) for event in story.events if event["event"] == "card") + 0.3


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Reel, int]:
    story = play("blackjack-rws-v5", 4, occupied=3)
    path = tmp_path_factory.mktemp("film") / "one.mp4"
    reel = cut(story, sharing(story))
    return path, reel, film(reel, path, FPS)


def test_the_same_seed_gives_the_same_film(taken: tuple[Path, Reel, int], tmp_path: Path) -> None:
    path, _, count = taken
    story = play("blackjack-rws-v5", 4, occupied=3)
    again = tmp_path / "two.mp4"
    assert film(cut(story, sharing(story)), again, FPS) == count == int(LASTS_S * FPS) + 1
    for suffix in (".mp4", ".truth.jsonl"):
        one, two = (sha256(each.with_suffix(suffix).read_bytes()).hexdigest() for each in (path, again))
        assert one == two


def test_a_film_can_be_seen(taken: tuple[Path, Reel, int]) -> None:
    path, reel, count = taken
    video = cv2.VideoCapture(str(path))
    frames = []
    while (read := video.read())[0]:
        frames.append(read[1])
    assert len(frames) == count
    assert {frame.shape for frame in frames} == {(SIZE[1], SIZE[0], 3)}
    drawn = [frame.image for frame in Shoot(reel, FPS).frames()]
    for seen, made in zip(frames, drawn, strict=True):
        assert np.abs(seen.astype(int) - made).mean() < 6


def test_the_truth_names_every_card_of_every_frame(taken: tuple[Path, Reel, int]) -> None:
    path, reel, count = taken
    lines = [json.loads(line) for line in path.with_suffix(".truth.jsonl").read_text("utf-8").splitlines()]
    rests = {line["frame"]: {card["id"]: card for card in line["rest"]["cards"]} for line in lines if "rest" in line}
    moving = {line["frame"]: line for line in lines if "rest" not in line}
    named: set[str] = set()
    for number in range(count):
        now = reel.moment(number / FPS)
        lying = rests[max(frame for frame in rests if frame <= number)]
        assert {card.id: card.face for card in now.cards} == {name: card["face"] for name, card in lying.items()}
        flying = moving.get(number, {"cards": [], "hands": []})
        assert [card["id"] for card in flying["cards"]] == [card.id for card in now.moving_cards]
        assert len(flying["hands"]) == len(now.hands)
        assert (number in moving) == (not now.still)
        named |= lying.keys() | {card["id"] for card in flying["cards"]}
    assert len(named) >= 3


def composed(shoot: Shoot, t: float) -> Pixels:
    """Draw the whole table at once, as a picture of a set is drawn."""
    scene = shoot.reel.scene_at(t)
    canvas = TableCanvas(shoot.table.image.copy(), np.zeros_like(shoot.table.owner))
    draw_things(canvas, scene)
    return develop(apply_shade(canvas.image, shoot.shade), scene.sensor)


def differing(shoot: Shoot, frame: FilmFrame) -> Mask:
    """Mark the pixels in which a frame and the whole table differ, but where stacks pass each other.

    A moving stack is drawn over all that rest, also where it passes behind one.
    """
    apart = np.abs(composed(shoot, frame.t).astype(int) - frame.image).max(axis=2) > LEVELS
    scene = replace(shoot.reel.bare, stacks=frame.moment.moving_stacks)
    passing = touched(scene)
    if passing is not None:
        passing.of(apart)[...] = False
    return np.asarray(apart)


@pytest.mark.parametrize("book", BOOK_ORDER)
@pytest.mark.parametrize("harsh", [False, True])
def test_a_frame_is_the_whole_table(book: str, *, harsh: bool) -> None:
    """Only what moves is drawn again, and yet the picture is that of a table drawn whole."""
    reel = on_film(play(book, 6))
    if harsh:
        reel.bare = replace(reel.bare, light=HARSH, sensor=SHARP)
    shoot = Shoot(reel, FEW_FPS)
    worked = 0
    for frame in shoot.frames():
        assert not differing(shoot, frame).any(), f"at {frame.t}"
        worked += not frame.moment.still
    assert worked >= 5


def test_a_hand_left_out_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    reel = on_film(play("blackjack-rws-v5", 6))
    shoot = Shoot(reel, FEW_FPS)
    frame = next(frame for frame in shoot.frames() if frame.moment.hands)
    bare: TimelineMoment = replace(frame.moment, hands=())
    monkeypatch.setattr(reel, "moment", lambda _: bare)
    assert differing(Shoot(reel, FEW_FPS), frame).sum() > 100


def test_nothing_that_moves_touches_nothing() -> None:
    assert touched(on_film(play("blackjack-rws-v5", 6)).bare) is None
