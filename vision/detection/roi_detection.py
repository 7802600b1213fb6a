"""One look at a part of the table: what lies there, in millimetres on the felt, and all that both networks say."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Floats, Ints, Pixels
from feltwatch.vision.detection.detector import Detection
from feltwatch.vision.detection.fitter import CardFit
from feltwatch.vision.detection.still_reader import SHOWS, StillReader, distinct
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.rigid_card import rigid_quad

LOOKED_AT: Final = 0.78  # pixels a millimetre at which parts of the table are shown to the detector
CARD_MM: Final = (60.0, 88.5)  # poker and bridge cards are a little wider and narrower
WIDE_OFF: Final = 0.22  # by so much of it a card's side may be seen wrong
LONG_OFF: Final = 0.1
CHIP_MM: Final = 19.75  # radius
CHIP_OFF: Final = 0.45

PILE: Final = 1.5  # times a card's sides a box may be around backs that lie on each other
UNREAD: Final = np.empty(0)
PART: Final = "part"  # the kind of what was parted
ON_TOP: Final = 0.88  # of a card shows, and no other lies on it
ONE: Final = 0.04  # by so much of them its sides may be seen wrong
EXACT: Final = 0.012  # of its height may its corners be off, and it is known exactly where it lies
LARGE: Final = 0.035  # a box larger than a card by so much may hold two

Rect = tuple[int, int, int, int]  # left, top, right, bottom: pixels


@dataclass(frozen=True, slots=True, eq=False)
class CardGlimpse:
    """A card: where it lies, how, and what its face may be."""

    quad: Floats  # 4 x 2, pixels of the picture as it lay when watching began
    place: tuple[float, float]  # of its middle, millimetres
    angle: float  # degrees, 0 to 180: the way of its long side
    size: tuple[float, float]  # millimetres
    score: float
    up: float  # how likely it lies face up
    faces: Floats  # probability of each class of the reader
    part: bool = False  # of a box that may hold two cards
    exact: bool = False  # it is known to a hair where it lies
    clear: bool = False  # both its indices show: what is read is its own face
    visible: float = 0.0  # how much of it shows


@dataclass(frozen=True, slots=True)
class StackGlimpse:
    center: tuple[float, float]  # of its top, pixels
    place: tuple[float, float]  # of its top as if it lay on the felt, millimetres
    radius_px: float
    score: float


@dataclass(frozen=True, slots=True)
class Glimpse:
    cards: tuple[CardGlimpse, ...]
    stacks: tuple[StackGlimpse, ...]
    hands: tuple[Floats, ...]  # quads
    piles: tuple[CardGlimpse, ...] = ()  # boxes around backs that are larger than a card; nothing is read there


@dataclass(frozen=True, slots=True)
class Aim:
    """How to look: larger or smaller than usual, and how large this table's cards are, where that is known."""

    zoom: float = 1.0
    card_mm: tuple[float, float] | None = None


def glimpse(
    eyes: StillReader, camera: Camera, picture: Pixels, rect: Rect, shift: tuple[float, float], aim: Aim
) -> Glimpse:
    """Look at a part of a picture; `shift` is what moves the picture to where it lay when watching began."""
    left, top, right, bottom = rect
    middle = camera.to_felt([[(left + right) / 2, (top + bottom) / 2]])[0]
    scale = min(aim.zoom * LOOKED_AT / camera.scale(float(middle[0]), float(middle[1])), 1.6)
    candidates, things = eyes.detector.survey(picture[top:bottom, left:right], scale)
    corner = np.array([left, top], np.float64)
    near = [replace(one, quad=one.quad + corner) for one in candidates]  # the fitter sees what lies round the part too
    fitted = eyes.fitter.settle(picture, near)
    stacks = [one for one in things if one.kind == "chip_stack"]
    hands = tuple(one.quad + corner + shift for one in things if one.kind == "hand")
    moved = np.array(shift)
    boxes = [
        (_box(camera, one, card.fit, moved, aim), card.fit)
        for card in fitted
        for one in _parted(camera, card.detection, moved, aim)
    ]
    whole = [pair for pair in boxes if _within(pair[0].size, 1 - WIDE_OFF, 1 + WIDE_OFF, 1 - LONG_OFF, 1 + LONG_OFF)]
    piles = [one for one, _ in boxes if one.up < 0.5 and _within(one.size, 1 - WIDE_OFF, PILE, 1 - LONG_OFF, PILE)]
    quads = np.array([one.quad - shift for one, _ in whole]).reshape(-1, 4, 2)
    readings = eyes.read(picture, quads, [fit for _, fit in whole])
    kept = distinct([one.quad for one, _ in whole], [reading.face for reading in readings])
    return Glimpse(
        tuple(replace(whole[n][0], faces=readings[n].all) for n in kept),
        tuple(one for stack in stacks if (one := _stack(camera, stack, corner + shift))),
        hands,
        tuple(one for one in piles if all(one is not other for other, _ in whole)),
    )


def _box(camera: Camera, found: Detection, fit: CardFit, moved: Floats, aim: Aim) -> CardGlimpse:
    """Measure on the felt what was found, before it is read; a card whose size is known is rigid."""
    quad = found.quad + moved
    across, along = _sides(camera.to_felt(quad))
    size = float(np.hypot(*across)), float(np.hypot(*along))
    if aim.card_mm is not None and found.kind != PART:
        quad = rigid_quad(camera, quad, fit.spreads, aim.card_mm)
    felt = camera.to_felt(quad)
    x, y = felt.mean(axis=0)
    _, along = _sides(felt)
    angle = float(np.degrees(np.arctan2(along[1], along[0]))) % 180
    exact = found.up < 0.5 and fit.visible >= ON_TOP and fit.spread <= EXACT and _is_one(size, aim.card_mm)
    part, clear = found.kind == PART, min(fit.indices) >= SHOWS
    place, score, up = (float(x), float(y)), found.score, found.up
    return CardGlimpse(quad, place, angle, size, score, up, UNREAD, part, exact, clear, fit.visible)


def _is_one(size: tuple[float, float], card_mm: tuple[float, float] | None) -> bool:
    """Tell whether something is as large as one card of the table, and not as two that lie on each other."""
    return card_mm is None or all(abs(one / usual - 1) <= ONE for one, usual in zip(size, card_mm, strict=True))


def _sides(felt: Floats) -> tuple[Floats, Floats]:
    """Give the way across a card, and that along it."""
    return (felt[1] - felt[0] + felt[2] - felt[3]) / 2, (felt[3] - felt[0] + felt[2] - felt[1]) / 2


def _within(size: tuple[float, float], thin: float, wide: float, short: float, long: float) -> bool:
    """True if a box has the measures of a card, by how much smaller or larger it may be."""
    return thin <= size[0] / CARD_MM[0] <= wide and short <= size[1] / CARD_MM[1] <= long


def _parted(camera: Camera, found: Detection, moved: Floats, aim: Aim) -> list[Detection]:
    """Part what is larger than a card: two that lie nearly on each other; each fills one of the corners."""
    if aim.card_mm is None or found.kind != "card_up":
        return [found]
    felt = camera.to_felt(found.quad + moved)
    sides = np.array([np.hypot(*(felt[1] - felt[0])), np.hypot(*(felt[3] - felt[0]))])
    shares = np.minimum(np.array(aim.card_mm) / np.maximum(sides, 1e-6), 1.0)
    if shares.min() > 1 - LARGE or (sides / aim.card_mm).min() < 1 - LARGE:
        return [found]
    a, b, _, d = found.quad
    across, along = b - a, d - a
    parts = []
    rights, downs = ((0, 1) if share <= 1 - LARGE else (0,) for share in shares)
    for right, down in product(rights, downs):
        first = a + right * (1 - shares[0]) * across + down * (1 - shares[1]) * along
        wide, long = shares[0] * across, shares[1] * along
        parts.append(replace(found, kind=PART, quad=np.array([first, first + wide, first + wide + long, first + long])))
    return [found, *parts]


def _stack(camera: Camera, found: Detection, moved: Floats) -> StackGlimpse | None:
    """Take what has the measures of a stack's top, higher above the felt or lower."""
    quad = found.quad + moved
    x, y = (float(value) for value in quad.mean(axis=0))
    radius = (float(np.hypot(*(quad[1] - quad[0]))) + float(np.hypot(*(quad[3] - quad[0])))) / 4
    place = camera.to_felt([[x, y]])[0]
    wide = radius / max(camera.scale(float(place[0]), float(place[1])), 1e-6)
    if abs(wide / CHIP_MM - 1) > CHIP_OFF:
        return None
    return StackGlimpse((x, y), (float(place[0]), float(place[1])), radius, found.score)


def grouped(found: list[int], boxes: Ints, room: float) -> list[list[int]]:
    """Put together what one look can take in."""
    groups: list[tuple[list[int], Floats]] = []
    for n in found:
        low, high = boxes[n, :2].astype(float), (boxes[n, :2] + boxes[n, 2:4]).astype(float)
        for k, (members, span) in enumerate(groups):
            joined = np.array([np.minimum(span[0], low), np.maximum(span[1], high)])
            if ((joined[1] - joined[0]) <= np.maximum(high - low, span[1] - span[0]) + room).all():
                groups[k] = ([*members, n], joined)
                break
        else:
            groups.append(([n], np.array([low, high])))
    return [members for members, _ in groups]
