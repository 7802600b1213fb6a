"""Random tables: the scenes that detectors and readers learn from, one for each seed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import TypeVar

import numpy as np

from feltwatch.datasets.art.chips.chips import CHIP_SETS, ChipStack, chip_set
from feltwatch.datasets.art.felts.felts import FELTS
from feltwatch.datasets.art.hands.hands import SPRITES, SceneHand
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.lighting import Blob, Light, LightChange, Sensor
from feltwatch.datasets.scene.dealer import Dealer
from feltwatch.datasets.scene.placement import Laying, lay_card, lay_stacks
from feltwatch.datasets.scene.scene import BRIDGE, POKER, LaidCard, Scene
from feltwatch.datasets.sources.manifest import names_of
from feltwatch.engine.model.cards import CARDS, Card
from feltwatch.vision.geometry.camera import Camera, look_at
from feltwatch.vision.layout.shapes import SHAPES, Shape, layout_of
from feltwatch.vision.layout.zones import Layout

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
SIZE_ODDS = (0.25, 0.55, 0.12, 0.08)
BEND_PX = 0.6
FOLD = 0.22  # of the squared distance from the middle: a stronger lens would fold the corners back
# So many scenes in a row are of one table, because drawing its felt costs more than a picture. Training wants many
# felts; the splits that judge keep the tables that earlier figures were measured on.
TABLE_RUN = {"train": 12}
JUDGED_RUN = 24
FACES = tuple(CARDS.values())

Dice = np.random.Generator
T = TypeVar("T")


def pick(dice: Dice, things: Sequence[T]) -> T:
    return things[int(dice.integers(len(things)))]


def art(kind: str, split: str) -> tuple[str, ...]:
    """Give the names of the decks or backs of a split that are here."""
    found = names_of(kind, split)
    if not found:
        raise DataError(f"no {kind} of the split {split!r} are here: `python -m feltwatch.datasets fetch` brings them")
    return found


@dataclass(frozen=True, slots=True)
class Own:
    """What of a casino's own is to be in every scene, in place of what the dice would choose."""

    decks: tuple[str, ...] = ()
    backs: tuple[str, ...] = ()
    chips: str | None = None
    layout: Layout | None = None


NOTHING = Own()


def cast(split: str, seed: int, size: tuple[int, int] | None = None, own: Own = NOTHING) -> Scene:
    """Give the scene of a seed, made of nothing but art of its split, and of what is the casino's own."""
    table = np.random.default_rng([seed // TABLE_RUN.get(split, JUDGED_RUN), 1])
    layout = own.layout or layout_of(random_shape(table))
    felt = pick(table, FELTS[split])
    dice = np.random.default_rng([seed, 2])
    size = size or SIZES[int(dice.choice(len(SIZES), p=SIZE_ODDS))]
    camera = random_camera(dice, size)
    dealer = random_dealer(dice, seed)
    chips = own.chips or pick(dice, CHIP_SETS[split])
    cards = tuple(_gentle(card, camera) for card in random_cards(dice, layout, dealer))
    return Scene(
        camera,
        layout,
        felt,
        pick(dice, own.decks or art("decks", split)),
        pick(dice, own.backs or art("backs", split)),
        chips,
        cards,
        random_stacks(dice, layout, dealer, tuple(chip_set(chips).faces)),
        random_hands(dice, cards, split),
        random_light(dice),
        random_sensor(dice, size[0]),
        seed,
        clutter=bool(dice.random() < 0.3),
    )


def _gentle(card: LaidCard, camera: Camera) -> LaidCard:
    """Let a card bend no more than its quad can tell: by a good half of a pixel where the camera sees it."""
    low, high = camera.to_picture([[card.x, card.y, 0.0], [card.x, card.y, 1.0]])
    most = BEND_PX / max(float(np.hypot(*(high - low))), 1e-3)
    return replace(card, bend=float(np.clip(card.bend, -most, most)))


def random_shape(dice: Dice) -> Shape:
    """Give a table like one of the presets, with measures of its own."""
    base = pick(dice, tuple(SHAPES.values()))
    grown = float(dice.uniform(0.97, 1.06))
    return replace(
        base,
        name=f"{base.name} x{grown:.3f}",
        edge=base.edge * grown + 20,
        spots=base.spots * grown,
        cards=base.cards * grown,
        tray=float(dice.uniform(520, 700)),
    )


def random_camera(dice: Dice, size: tuple[int, int]) -> Camera:
    """Hang a camera anywhere that an installer might; one in four looks closer."""
    near = dice.random() < 0.25
    view = float(dice.uniform(450, 1200) if near else dice.uniform(1500, 2500))
    target = (float(dice.normal(0, 300 if near else 60)), float(dice.normal(430, 150 if near else 50)))
    tall = float(dice.uniform(1000, 2800))
    eye = (
        target[0] + float(dice.normal(0, 0.22)) * tall,
        target[1] + float(dice.choice([-1.0, 1.0]) * abs(dice.normal(0.1, 0.25))) * tall,
        tall,
    )
    roll = float(dice.normal(0, 4)) + (180.0 if dice.random() < 0.35 else 0.0)
    if dice.random() < 0.08:
        roll = float(dice.uniform(0, 360))
    corner = view * np.hypot(*size) / size[0] / 2 / np.linalg.norm([eye[0] - target[0], eye[1] - target[1], tall])
    k1 = max(float(dice.uniform(-0.22, 0.04)), -FOLD / float(corner) ** 2)
    lens = (k1, abs(k1) * float(dice.uniform(0, 0.25)), float(dice.normal(0, 0.001)), float(dice.normal(0, 0.001)), 0.0)
    return look_at(size, eye, target, view, lens, roll)


def random_dealer(dice: Dice, seed: int) -> Dealer:
    """Give who laid the cards of a table that is seen for one moment: each lays as the layout has it."""
    return Dealer(
        seed=seed,
        place_mm=float(dice.uniform(0.5, 5)),
        angle_deg=float(dice.choice([1.0, 3.0, 8.0])),
        bend_mm=float(dice.uniform(0.0, 0.7)),
        size=POKER if dice.random() < 0.6 else BRIDGE,
        reach=float(dice.uniform(0.75, 1.5)),
    )


def random_cards(dice: Dice, layout: Layout, dealer: Dealer) -> tuple[LaidCard, ...]:
    """Lay hands of cards in some of the zones, and a few cards anywhere."""
    found: list[LaidCard] = []
    backs = float(dice.choice([0.03, 0.2, 0.9], p=[0.6, 0.3, 0.1]))
    for area in layout.areas:
        if not area.for_cards or area.name in ("shoe", "float") or dice.random() > _odds(area.name):
            continue
        most = 12 if area.name == "discard" else 6
        for place in range(int(dice.integers(1, most))):
            name, face = f"c{len(found) + 1}", pick(dice, FACES)
            up = bool(dice.random() > backs) if area.name != "discard" else False
            cross = bool(place == 2 and dice.random() < 0.2)
            found.append(lay_card(layout, dealer, Laying(name, face, area.name, place, up, cross)))
    for _ in range(int(dice.choice([0, 1, 3, 8], p=[0.5, 0.2, 0.2, 0.1]))):
        found.append(_strewn(dice, dealer, f"c{len(found) + 1}", pick(dice, FACES), up=bool(dice.random() > backs)))
    return tuple(found[:120])


def _odds(zone: str) -> float:
    part = zone.partition(".")[2]
    if part in ("hand2", "hand3", "hand4"):
        return 0.07
    return 0.55 if zone != "discard" else 0.3


def _strewn(dice: Dice, dealer: Dealer, name: str, face: Card, *, up: bool) -> LaidCard:
    x, y = float(dice.uniform(-750, 750)), float(dice.uniform(80, 900))
    while hypot(x, y) > 930:
        x, y = float(dice.uniform(-750, 750)), float(dice.uniform(80, 900))
    lean = float(dice.choice([0.0, 0.0, 0.0, dice.uniform(3, 25)]))
    bend = float(np.clip(dice.normal(0, dealer.bend_mm), -1, 1))
    high = 0.0 if lean else float(dice.choice([0.0, 0.0, 0.6, 25.0]))
    return LaidCard(name, face.text, up, x, y, float(dice.uniform(0, 360)), high, None, bend, lean, dealer.size)


def random_stacks(dice: Dice, layout: Layout, dealer: Dealer, values: tuple[int, ...]) -> tuple[ChipStack, ...]:
    """Put bets on some of the spots."""
    found: list[ChipStack] = []
    for area in layout.areas:
        main = area.name.endswith(".main")
        if area.for_cards or dice.random() > (0.65 if main else 0.1):
            continue
        stacks = tuple(random_chips(dice, values) for _ in range(int(dice.choice([1, 2, 3], p=[0.75, 0.2, 0.05]))))
        found += lay_stacks(layout, dealer, area.name, stacks)
    return tuple(found[:100])


def random_chips(dice: Dice, values: tuple[int, ...]) -> tuple[int, ...]:
    count = int(np.clip(dice.geometric(0.25), 1, 20))
    if dice.random() < 0.6:
        return (pick(dice, values),) * count
    return tuple(sorted((pick(dice, values) for _ in range(count)), reverse=True))


def random_hands(dice: Dice, cards: tuple[LaidCard, ...], split: str) -> tuple[SceneHand, ...]:
    """Let no hand, one or two reach over the table, mostly to a card."""
    found = []
    for _ in range(int(dice.choice([0, 1, 2], p=[0.5, 0.35, 0.15]))):
        if cards and dice.random() < 0.7:
            card = pick(dice, cards)
            x, y = card.x + float(dice.normal(0, 35)), card.y + float(dice.normal(0, 35))
        else:
            x, y = float(dice.uniform(-800, 800)), float(dice.uniform(0, 900))
        away = -90.0 if dice.random() < 0.5 else float(np.rad2deg(np.arctan2(y + 60, x)))
        angle = away + float(dice.normal(0, 25))
        tall, grown = float(dice.uniform(5, 120)), float(dice.uniform(0.88, 1.12))
        found.append(SceneHand(pick(dice, SPRITES[split]), x, y, tall, angle, grown))
    return tuple(found)


def random_light(dice: Dice) -> Light:
    warm = float(dice.normal(-0.03, 0.09))
    green = float(dice.normal(0, 0.02))
    lamps = tuple(_blob(dice, float(dice.normal(0.1, 0.25))) for _ in range(int(dice.integers(0, 4))))
    glare = tuple(_blob(dice, float(dice.uniform(0.03, 0.3)), 0.25) for _ in range(int(dice.choice([0, 0, 0, 1, 2]))))
    turn, slant = float(dice.uniform(0, 6.28)), float(dice.uniform(0.05, 0.7))
    return Light(
        float(np.clip(dice.normal(0.84, 0.18), 0.35, 1.25)),
        (1 - warm, 1 + green, 1 + warm),
        lamps,
        glare,
        float(dice.uniform(0, 0.45)),
        (slant * float(np.cos(turn)), slant * float(np.sin(turn))),
        float(dice.uniform(0.8, 4)),
        float(dice.uniform(0.25, 0.75)),
        float(dice.choice([0.0, 0.0, dice.uniform(0.05, 0.6)])),
        float(abs(dice.normal(0, 0.08))),
    )


def random_change(dice: Dice) -> LightChange:
    """Let the light of a film be steady, or drift, flicker, or be shaded by people."""
    x, y = float(dice.uniform(0, 1)), float(dice.choice([0.0, 0.55]))
    return LightChange(
        float(dice.choice([0.0, dice.uniform(0.02, 0.15)])),
        float(dice.uniform(15, 90)),
        float(dice.choice([0.0, 0.0, dice.uniform(0.005, 0.03)])),
        float(dice.uniform(0.5, 8)),
        float(dice.choice([0.0, dice.uniform(0.1, 0.4)])),
        float(dice.uniform(8, 25)),
        (x, y, float(dice.uniform(0.15, 0.4))),
    )


def _blob(dice: Dice, strength: float, widest: float = 0.6) -> Blob:
    x, y = float(dice.uniform(0, 1)), float(dice.uniform(0, 0.6))
    return Blob(x, y, float(dice.uniform(0.06, widest)), max(strength, -0.4))


def random_sensor(dice: Dice, width: int) -> Sensor:
    """Give what a camera makes of it; a larger picture is softer in its own pixels."""
    soft = float(np.clip(dice.lognormal(-0.7, 0.45), 0.25, 1.7)) * (width / 1920) ** 0.5
    return Sensor(
        soft,
        float(np.clip(dice.lognormal(0.1, 0.75), 0.15, 8)),
        float(dice.choice([0.0, dice.uniform(0.2, 1.0), dice.uniform(0.5, 1.8)])),
        float(np.clip(dice.normal(1, 0.12), 0.7, 1.35)),
        float(dice.choice([0.0, dice.uniform(0, 30)])),
        float(np.clip(dice.normal(1, 0.12), 0.7, 1.4)),
        int(dice.integers(45, 97)),
    )
