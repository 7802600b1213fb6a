"""Robustness: one card on a table, one thing made harder step by step, all else as on a good day."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import cos, radians, sin
from pathlib import Path
from types import MappingProxyType

import numpy as np

from feltwatch.datasets.art.chips.chips import CHIP_SETS
from feltwatch.datasets.art.felts.felts import FELTS
from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.lighting import Blob, Light, Sensor
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene import POKER, LaidCard, Scene
from feltwatch.datasets.scene.scene_sampler import Dice, art, pick
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.models.evaluation.looking import eyes_of
from feltwatch.models.evaluation.matching import ANSWERS, SAME, answer_to, matched, overlaps
from feltwatch.models.evaluation.report import Figures, Tally, percent, reported, shares
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.geometry.rectify import rectangle
from feltwatch.vision.layout.shapes import SHAPES, layout_of

SIDE_PX = 640
EYE_MM = 1600.0
TALL_PX = 85.0  # as a 1080p camera over a two-metre table shows a card
FELT_COUNT = 3  # drawing a felt costs more than a picture
JITTER = 0.008  # of a card's height: so far off are the corners that the reader is given
GLARE = 0.11  # radius of the patch, of the picture's width

VALUES: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "height px": (30, 35, 40, 45, 50, 60, 70, 85, 100, 130, 160, 200),
        "blur px": (0, 0.5, 1, 1.5, 2, 2.5, 3, 4),
        "light level": (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7),
        "glare": (0, 0.2, 0.4, 0.6, 0.8, 1, 1.3),
        "rotation deg": tuple(float(angle) for angle in range(0, 360, 15)),
        "coverage": (0, 0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9),
    }
)


@dataclass(frozen=True, slots=True)
class SweepStep:
    """One value of one factor, and which card of it this is."""

    factor: str
    value: float
    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one card: how the reader read it in its true place, and what the eyes reported of the picture."""

    step: SweepStep
    rank: bool
    suit: bool
    said: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """step -> answer; picklable."""

    manifest: Path
    split: str
    seed: int
    threads: int = 1

    def __call__(self, step: SweepStep) -> Answer:
        dice = np.random.default_rng([self.seed, step.number])  # the same card at every step
        drawn = render(scene(self.split, step, dice))
        eyes = eyes_of(self.manifest, self.threads)
        true = drawn.truth.cards[0]
        quad = rectangle(true.quad) + dice.normal(0, JITTER * true.index_px * POKER[1] / 10.5, (4, 2))
        read = eyes.reader.read(drawn.image, quad[None])[0].face
        seen = eyes.look(drawn.image)
        scores = overlaps([card.quad for card in seen.cards], [card.quad for card in drawn.truth.cards])
        found = matched(scores, SAME).get(0)
        said = answer_to(None if found is None else seen.cards[found], true)
        return Answer(step, read[0] == (true.face or "")[0], read[1:] == (true.face or "")[1:], said)


def scene(split: str, step: SweepStep, dice: Dice) -> Scene:
    """Lay a card under a camera; each step of a factor meets each face of the pack in turn."""

    def value(factor: str, usual: float) -> float:
        return step.value if step.factor == factor else usual

    x, y = float(dice.uniform(-250, 250)), float(dice.uniform(380, 560))
    lean, way = float(dice.uniform(0, 0.3)) * EYE_MM, float(dice.uniform(0, 2 * np.pi))
    eye = (x + lean * cos(way), y + lean * sin(way), EYE_MM)
    view_mm = SIDE_PX * POKER[1] / value("height px", TALL_PX)
    camera = look_at((SIDE_PX, SIDE_PX), eye, (x, y), view_mm)
    card = LaidCard("c1", FACES[step.number % len(FACES)], True, x, y, value("rotation deg", dice.uniform(0, 360)))  # noqa: FBT003  face up
    glare = value("glare", 0)
    size = GLARE * value("height px", TALL_PX) / TALL_PX
    spot = Blob(0.5 + float(dice.normal(0, size / 3)), 0.5 + float(dice.normal(0, size / 3)), size, glare)
    return Scene(
        camera,
        layout_of(SHAPES["blackjack-7"]),
        FELTS[split][step.number % min(FELT_COUNT, len(FELTS[split]))],
        pick(dice, art("decks", split)),
        pick(dice, art("backs", split)),
        CHIP_SETS[split][0],
        (card, *_cover(card, value("coverage", 0), dice)),
        light=Light(value("light level", 0.9), glare=(spot,) if glare else ()),
        sensor=Sensor(value("blur px", 0.5), noise=1.5, jpeg=90),
        seed=step.number,
    )


def _cover(card: LaidCard, share: float, dice: Dice) -> Iterator[LaidCard]:
    """Lay the next card of the hand over it, from the right: the index at the top left is covered last."""
    if share:
        way = radians(card.angle)
        off = (1 - share) * card.size[0]
        face = pick(dice, FACES)
        yield replace(card, id="c2", face=face, x=card.x + off * sin(way), y=card.y - off * cos(way), z=0.3)


def steps(count: int) -> list[SweepStep]:
    return [SweepStep(factor, value, n) for factor, values in VALUES.items() for value in values for n in range(count)]


def measure(run: Sweep, count: int, jobs: int = 1) -> Figures:
    """Show so many cards at each step of each factor."""
    tally = Tally()
    todo = steps(count)
    for one in reported(ordered(run, todo, jobs), len(todo), "cards at steps"):
        row = f"{one.step.value:g}"
        for mark, held in (("rank", one.rank), ("suit", one.suit), ("face", one.rank and one.suit), (one.said, True)):
            tally[one.step.factor, row, mark] += held
    return {
        factor: {f"{value:g}": _row(tally, factor, f"{value:g}", count) for value in values}
        for factor, values in VALUES.items()
    }


def _row(tally: Tally, factor: str, row: str, count: int) -> Figures:
    read = {f"{mark} %": percent(tally[factor, row, mark], count) for mark in ("rank", "suit", "face")}
    answers = shares({said: tally[factor, row, said] for said in ANSWERS}, ANSWERS)
    return {"of": count, **read, **{name: share for name, share in answers.items() if name.endswith("%")}}
