"""Things that are neither card nor chip and lie about on a felt in a film: where each is, and what it hides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import cv2
import numpy as np
from numpy.random import Generator

from feltwatch.datasets.art.drawing.boxes import Block, draw_block, fill, toned, turned_box
from feltwatch.datasets.art.felts.clutter import any_colour, draw_flat, draw_glass, draw_phone, draw_slip
from feltwatch.vision.arrays import Colour, Floats, Pixels
from feltwatch.vision.geometry.camera import Camera

Place = tuple[float, float]

CLUB_MM, LIGHTER_MM = (85.6, 54.0), (80.0, 24.0)
LIGHTER_TALL_MM = 11.0


@dataclass(frozen=True, slots=True)
class LaidThing:
    """A thing on the felt: its middle; `seed` says which way it lies and what it looks like."""

    id: str
    kind: str
    x: float
    y: float
    seed: int


def draw_thing(image: Pixels, camera: Camera, thing: LaidThing) -> Floats:
    """Draw a thing into a picture; give its outline there, which goes round all that it hides."""
    dice = np.random.default_rng(thing.seed)
    solid = _DRAWN[thing.kind](image, camera, (thing.x, thing.y), dice)
    return outline_of(camera, solid)


def outline_of(camera: Camera, solid: Floats) -> Floats:
    """Give the hull in the picture of points in space."""
    seen = camera.to_picture(solid).astype(np.float32)
    return np.asarray(cv2.convexHull(seen)[:, 0], dtype=np.float64)


def _club_card(image: Pixels, camera: Camera, at: Place, rng: Generator) -> Floats:
    """A loyalty card: as large as a playing card, and of one colour with a stripe."""
    turn, colour = float(rng.uniform(0, 360)), any_colour(rng)
    body = turned_box(at, CLUB_MM, turn)
    draw_flat(image, camera, body, colour, 0.8)
    stripe = turned_box(at, (CLUB_MM[0], 9.0), turn)
    fill(image, camera.to_picture(np.column_stack([stripe, np.full(4, 0.8)])), toned(colour, 0.4))
    return np.column_stack([body, np.full(4, 0.8)])


def _lighter(image: Pixels, camera: Camera, at: Place, rng: Generator) -> Floats:
    turn, colour = float(rng.uniform(0, 360)), any_colour(rng)
    body = turned_box(at, LIGHTER_MM, turn)
    fill(image, camera.to_picture(body + np.array([3.0, 2.0])), (8, 10, 8), 0.35)
    draw_block(image, camera, Block(body, 0.0, LIGHTER_TALL_MM, colour))
    turned = np.deg2rad(turn)
    head = (at[0] + 33.0 * float(np.cos(turned)), at[1] + 33.0 * float(np.sin(turned)))
    metal: Colour = (176, 172, 168)
    draw_block(image, camera, Block(turned_box(head, (14.0, 22.0), turn), 0.0, LIGHTER_TALL_MM + 0.5, metal))
    return _between(body, 0.0, LIGHTER_TALL_MM)


def _between(flat: Floats, low: float, high: float) -> Floats:
    return np.vstack([np.column_stack([flat, np.full(len(flat), z)]) for z in (low, high)])


_DRAWN: Mapping[str, Callable[[Pixels, Camera, Place, Generator], Floats]] = MappingProxyType(
    {
        "phone": draw_phone,
        "glass": draw_glass,
        "club-card": _club_card,
        "lighter": _lighter,
        "paper": draw_slip,
    }
)
KINDS = tuple(_DRAWN)
