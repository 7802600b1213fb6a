"""One look at a part of the table: what lies there, in millimetres on the felt, and all that both networks say."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera
from vision.detector import CARDS, Found
from vision.eyes import Eyes

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]

LOOKED_AT: Final = 0.78  # pixels a millimetre at which parts of the table are shown to the detector
CARD_MM: Final = (60.0, 88.5)  # poker and bridge cards are a little wider and narrower
WIDE_OFF: Final = 0.22  # by so much of it a card's side may be seen wrong
LONG_OFF: Final = 0.1
CHIP_MM: Final = 19.75  # radius
CHIP_OFF: Final = 0.45

PART: Final = "part"  # the kind of what was parted
LARGE: Final = 0.035  # a box larger than a card by so much may hold two

Rect = tuple[int, int, int, int]  # left, top, right, bottom: pixels


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Aim:
    """How to look: larger or smaller than usual, and how large this table's cards are, where that is known."""

    zoom: float = 1.0
    card_mm: tuple[float, float] | None = None


def glimpse(eyes: Eyes, camera: Camera, picture: Picture, rect: Rect, shift: tuple[float, float], aim: Aim) -> Glimpse:
    """Look at a part of a picture; `shift` is what moves the picture to where it lay when watching began."""
    left, top, right, bottom = rect
    middle = camera.to_felt([[(left + right) / 2, (top + bottom) / 2]])[0]
    scale = min(aim.zoom * LOOKED_AT / camera.scale(float(middle[0]), float(middle[1])), 1.6)
    found = eyes.detector.find(picture[top:bottom, left:right], scale)
    corner = np.array([left, top], np.float64)
    cards = [one for one in found if one.kind in CARDS]
    stacks = [one for one in found if one.kind == "chip_stack"]
    hands = tuple(one.quad + corner + shift for one in found if one.kind == "hand")
    return Glimpse(
        tuple(
            _cards(
                eyes,
                camera,
                picture,
                [one for card in cards for one in _parted(camera, card, corner + shift, aim)],
                corner,
                shift,
            )
        ),
        tuple(one for stack in stacks if (one := _stack(camera, stack, corner + shift))),
        hands,
    )


def _cards(
    eyes: Eyes, camera: Camera, picture: Picture, found: list[Found], corner: Floats, shift: tuple[float, float]
) -> list[CardGlimpse]:
    """Read what has the measures of a card."""
    seen = []
    for one in found:
        quad = one.quad + corner + shift
        felt = camera.to_felt(quad)
        across = (felt[1] - felt[0] + felt[2] - felt[3]) / 2
        along = (felt[3] - felt[0] + felt[2] - felt[1]) / 2
        size = float(np.hypot(*across)), float(np.hypot(*along))
        if abs(size[0] / CARD_MM[0] - 1) <= WIDE_OFF and abs(size[1] / CARD_MM[1] - 1) <= LONG_OFF:
            seen.append((one, quad, felt.mean(axis=0), float(np.degrees(np.arctan2(along[1], along[0]))) % 180, size))
    readings = eyes.reader.read(picture, np.array([quad - shift for _, quad, *_ in seen]))
    return [
        CardGlimpse(
            quad, (float(place[0]), float(place[1])), angle, size, one.score, one.up, reading.all, one.kind == PART
        )
        for (one, quad, place, angle, size), reading in zip(seen, readings, strict=True)
    ]


def _parted(camera: Camera, found: Found, moved: Floats, aim: Aim) -> list[Found]:
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
    for right, down in ((0, 0), (1, 0), (1, 1), (0, 1)):
        first = a + right * (1 - shares[0]) * across + down * (1 - shares[1]) * along
        wide, long = shares[0] * across, shares[1] * along
        parts.append(replace(found, kind=PART, quad=np.array([first, first + wide, first + wide + long, first + long])))
    return [found, *parts]


def _stack(camera: Camera, found: Found, moved: Floats) -> StackGlimpse | None:
    """Take what has the measures of a stack's top, higher above the felt or lower."""
    quad = found.quad + moved
    x, y = (float(value) for value in quad.mean(axis=0))
    radius = (float(np.hypot(*(quad[1] - quad[0]))) + float(np.hypot(*(quad[3] - quad[0])))) / 4
    place = camera.to_felt([[x, y]])[0]
    wide = radius / max(camera.scale(float(place[0]), float(place[1])), 1e-6)
    if abs(wide / CHIP_MM - 1) > CHIP_OFF:
        return None
    return StackGlimpse((x, y), (float(place[0]), float(place[1])), radius, found.score)
