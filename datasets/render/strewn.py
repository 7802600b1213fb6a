"""Cards anywhere: fans, rows, columns, piles and heaps on any ground, seen by any camera. No table, no rules."""

from collections.abc import Sequence
from dataclasses import replace
from math import cos, exp, log, pi, sin
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.art.chips.chips import CHIP_SETS, ChipStack, chip_set
from feltwatch.datasets.art.felts.felt_texture import draw_cloth, to_bytes
from feltwatch.datasets.art.felts.felts import FELTS, felt_style
from feltwatch.datasets.common.cache import read_picture
from feltwatch.datasets.render.cards import NIGHT, NIGHTS
from feltwatch.datasets.render.compose import Rendered, TableCanvas, draw_things, hands_mask, truth_of_scene
from feltwatch.datasets.scene.light import expose, shade_of
from feltwatch.datasets.scene.scene import BRIDGE, POKER, LaidCard, Scene
from feltwatch.datasets.scene.scene_sampler import (
    Dice,
    art,
    pick,
    random_chips,
    random_hands,
    random_light,
    random_sensor,
)
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.layout.zones import Layout

SIDE = 704  # of the picture, which is square
VIEW_MM = (140.0, 1700.0)  # how much of the ground it shows from left to right
STEEP = 0.9  # the eye is no further aside than so many times its height
NO_TABLE = Layout("none", (), ())
MOST = 90  # cards
PILES = 0.22  # so many groups are piles

CardPlace = tuple[Floats, float]  # a place in millimetres, and degrees


def strewn(split: str, seed: int, grounds: Sequence[Path] = ()) -> tuple[Rendered, dict[str, str]]:
    """Give the picture of a seed and what it is made of; `grounds` are pictures that hold no cards."""
    dice = np.random.default_rng([seed, 3])
    view = exp(float(dice.uniform(log(VIEW_MM[0]), log(VIEW_MM[1]))))
    scene = _scene(dice, split, seed, view)
    ground, under = _ground(dice, split, grounds)
    canvas = TableCanvas(ground, np.zeros((SIDE, SIDE), np.uint8))
    things = draw_things(canvas, scene)
    image = expose(canvas.image, shade_of(scene.light, SIDE, SIDE), scene.sensor, dice)
    drawn = Rendered(image, truth_of_scene(scene, canvas.owner, things), hands_mask(canvas.owner))
    made_of = {"deck": scene.deck.removesuffix(NIGHT), "back": scene.back.removesuffix(NIGHT), "chips": scene.chips}
    return drawn, made_of | under


def _scene(dice: Dice, split: str, seed: int, view: float) -> Scene:
    tall = float(dice.uniform(0.8, 2.0)) * view
    aside = abs(float(dice.normal(0, 0.35)))
    way = float(dice.uniform(0, 2 * pi))
    eye = (cos(way) * min(aside, STEEP) * tall, sin(way) * min(aside, STEEP) * tall + 1e-3, tall)
    camera = look_at((SIDE, SIDE), eye, (0.0, 0.0), view, roll_deg=float(dice.uniform(0, 360)))
    cards = _cards(dice, view)
    chips = pick(dice, CHIP_SETS[split])
    sensor = random_sensor(dice, SIDE)
    if view < 500:  # cards are large: what is out of focus can still be read
        sensor = replace(sensor, blur_px=sensor.blur_px * float(dice.uniform(1, 2.5)))
    night = NIGHT if dice.random() < NIGHTS else ""
    return Scene(
        camera,
        NO_TABLE,
        "",
        pick(dice, art("decks", split)) + night,
        pick(dice, art("backs", split)) + night,
        chips,
        cards,
        _stacks(dice, view, tuple(chip_set(chips).faces)),
        random_hands(dice, cards, split) if view > 300 else (),
        random_light(dice),
        sensor,
        seed,
    )


def _ground(dice: Dice, split: str, grounds: Sequence[Path]) -> tuple[Pixels, dict[str, str]]:
    """Give a piece of any picture or, for a third, of a cloth; and whose it is."""
    if not grounds or dice.random() < 0.33:
        felt = pick(dice, FELTS[split])
        cloth = draw_cloth(felt_style(felt).cloth, (SIDE, SIDE), float(dice.uniform(0.5, 2.5)), dice)
        return to_bytes(cloth), {"felt": felt}
    path = pick(dice, grounds)
    picture = np.ascontiguousarray(read_picture(path)[..., :3])
    share = float(dice.uniform(0.3, 1.0))
    side = max(int(min(picture.shape[:2]) * share), 8)
    top, left = (int(dice.integers(n - side + 1)) for n in picture.shape[:2])
    part = cv2.resize(picture[top : top + side, left : left + side], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return np.rot90(part, int(dice.integers(4))).astype(np.uint8).copy(), {"ground": path.parent.name}


def _cards(dice: Dice, view: float) -> tuple[LaidCard, ...]:
    found: list[LaidCard] = []
    size = POKER if dice.random() < 0.6 else BRIDGE
    backs = float(dice.choice([0.0, 0.15, 0.9], p=[0.5, 0.4, 0.1]))
    for _ in range(int(dice.choice([0, 1, 2, 4, 8], p=[0.06, 0.34, 0.25, 0.2, 0.15]))):
        middle = dice.uniform(-0.48, 0.48, 2) * view
        is_pile = dice.random() < PILES
        down = float(dice.choice([0.0, 0.3, 1.0], p=[0.25, 0.15, 0.6])) if is_pile else backs
        for place, angle in _pile(dice) if is_pile else _group(dice):
            x, y = middle + place
            face, up = pick(dice, FACES), bool(dice.random() >= down)
            bend = float(np.clip(dice.normal(0, 0.4), -0.8, 0.8)) if dice.random() < 0.4 else 0.0
            card = LaidCard(f"c{len(found) + 1}", face, up, x, y, angle, 0.3 * len(found), None, bend, 0.0, size)
            found.append(card)
    return tuple(found[:MOST])


def _pile(dice: Dice) -> list[CardPlace]:
    """Give the places and angles of cards that are dealt on each other, squared or loose: each lies off the last."""
    top, count = float(dice.uniform(0, 360)), int(dice.integers(2, 8))
    off, turned = exp(float(dice.uniform(log(0.5), log(14.0)))), float(dice.choice([0.5, 1.5, 4.0, 12.0]))
    home = bool(dice.random() < 0.6)  # each is aimed at the same place, or at the one before it
    found: list[CardPlace] = [(np.zeros(2), top)]
    for _ in range(count - 1):
        last = np.zeros(2) if home else found[-1][0]
        found.append((last + dice.normal(0, off, 2), top + float(dice.normal(0, turned))))
    return found


def _group(dice: Dice) -> list[CardPlace]:
    """Give the places and angles of one card, a row, a fan, a column or a heap."""
    kind, top = dice.random(), float(dice.uniform(0, 360))
    count = int(np.clip(dice.geometric(0.25), 1, 13))
    loose = float(dice.choice([0.5, 2, 8]))
    wave = dice.normal(0, loose, (count, 2))
    tilt = dice.normal(0, loose, count)
    along = np.array([cos(np.deg2rad(top)), sin(np.deg2rad(top))])
    across = np.array([along[1], -along[0]])
    if kind < 0.3:
        return [(wave[0], top)]
    if kind < 0.6:  # a row: each card leaves a strip of the last to be seen
        step = float(dice.uniform(7, 45)) * across + float(dice.normal(0, 5)) * along
        return [(n * step + wave[n], top + tilt[n]) for n in range(count)]
    if kind < 0.75:  # a column, downwards
        step = -float(dice.uniform(12, 60)) * along
        return [(n * step + wave[n], top + tilt[n]) for n in range(count)]
    if kind < 0.9:  # a fan, round a point below the cards
        turn, far = -float(dice.uniform(5, 22)), float(dice.uniform(40, 110))
        found = []
        for n in range(count):
            angle = top + n * turn
            up = np.array([cos(np.deg2rad(angle)), sin(np.deg2rad(angle))])
            found.append((far * (up - along) + wave[n] / 2, angle))
        return found
    return [(dice.normal(0, 45, 2), float(dice.uniform(0, 360))) for _ in range(count)]


def _stacks(dice: Dice, view: float, values: tuple[int, ...]) -> tuple[ChipStack, ...]:
    count = int(dice.choice([0, 2, 6], p=[0.6, 0.25, 0.15]))
    places = dice.uniform(-0.5, 0.5, (count, 2)) * view
    return tuple(ChipStack(None, x, y, random_chips(dice, values), int(dice.integers(1 << 30))) for x, y in places)
