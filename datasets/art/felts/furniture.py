"""What always stands on a table: the float with its rows of chips, the shoe, the discard holder."""

import hashlib
from itertools import product

import cv2
import numpy as np
from numpy.random import Generator

from feltwatch.datasets.art.drawing.boxes import Block, draw_block, fill, toned
from feltwatch.datasets.art.drawing.colours import PALETTE
from feltwatch.datasets.art.drawing.prints import fixed
from feltwatch.vision.arrays import Colour, Floats, Pixels
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.layout.zones import Area, Layout

CHIP_MM = 40.0
STRIPS = 6  # a chip on edge is drawn in so many, each lighter or darker
PLATE, CARD, INNER = np.array([62.0, 42.0]), np.array([44.0, 31.0]), np.array([40.0, 27.0])  # halves
PLASTICS: tuple[Colour, ...] = ((32, 30, 30), (48, 44, 42), (30, 40, 62), (60, 62, 66), (26, 30, 86))


def draw_furniture(image: Pixels, camera: Camera, layout: Layout, felt: str) -> None:
    """Draw float, shoe and discard holder where the layout has them; the felt's name chooses their look."""
    seed = int.from_bytes(hashlib.blake2b(felt.encode(), digest_size=8).digest(), "little")
    dice = np.random.default_rng(seed)
    colour = PLASTICS[int(dice.integers(len(PLASTICS)))]
    for name, draw in (("float", _float), ("shoe", _shoe), ("discard", _discard)):
        area = layout.by_name.get(name)
        if area:
            draw(image, camera, area, dice, colour)


def _bounds(area: Area) -> tuple[Floats, Floats]:
    points = np.array(area.polygon)
    return points.min(axis=0), points.max(axis=0)


def _box(low: Floats, high: Floats) -> Floats:
    return np.array([(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])])


def _float(image: Pixels, camera: Camera, area: Area, dice: Generator, colour: Colour) -> None:
    """A tray sunk into the table: tubes of chips on edge, each seen as a band of thin stripes."""
    low, high = _bounds(area)
    draw_block(image, camera, Block(_box(low, high), 0.0, 8.0, colour))
    tubes = max(3, int((high[0] - low[0] - 10) // (CHIP_MM + 3)))
    pitch = (high[0] - low[0] - 10) / tubes
    names = [*PALETTE]
    for n in range(tubes):
        left = low[0] + 5 + n * pitch + (pitch - CHIP_MM) / 2
        length = (high[1] - low[1] - 8) * float(dice.uniform(0.35, 1.0))
        base = PALETTE[names[int(dice.integers(len(names)))]]
        spot = PALETTE[names[int(dice.integers(len(names)))]]
        _row(image, camera, (left, low[1] + 4, length), (base, spot), dice)


def _row(
    image: Pixels, camera: Camera, row: tuple[float, float, float], colours: tuple[Colour, Colour], dice: Generator
) -> None:
    left, near, length = row
    count = max(1, int(length // 3.3))
    across = np.linspace(-1, 1, STRIPS + 1)
    x, y = np.meshgrid(left + (across + 1) * CHIP_MM / 2, near + np.arange(count + 1) * 3.3)
    z = np.broadcast_to(6 + 10 * np.sqrt(1 - 0.9 * across**2), x.shape)
    pixels = camera.to_picture(np.stack([x, y, z], axis=-1).reshape(-1, 3)).reshape(count + 1, STRIPS + 1, 2)
    quads = fixed(np.stack([pixels[:-1, :-1], pixels[:-1, 1:], pixels[1:, 1:], pixels[1:, :-1]], axis=2))
    turn = (np.arange(STRIPS) + dice.integers(0, STRIPS, (count, 1))) % STRIPS
    spots = (turn == 0) | (turn == 3)
    odd = np.broadcast_to(np.arange(count)[:, None] % 2 == 1, spots.shape)
    aside = np.broadcast_to(np.abs(np.arange(STRIPS) - 2.5), spots.shape)
    for is_spot, is_odd, far in product((False, True), (False, True), (0.5, 1.5, 2.5)):
        chosen = quads[(spots == is_spot) & (odd == is_odd) & (aside == far)]
        if len(chosen):
            tone = 0.5 + 0.45 * (1 - far / 3) - 0.12 * is_odd
            cv2.fillPoly(image, [*chosen], toned(colours[is_spot], tone), cv2.LINE_AA, 4)


def _shoe(image: Pixels, camera: Camera, area: Area, dice: Generator, colour: Colour) -> None:
    """A long low case; its mouth slopes down toward the middle of the table, with the next card's back in it."""
    low, high = _bounds(area)
    mouth = 1 if (low[0] + high[0]) < 0 else -1
    ends = (low[0] + 8, high[0] - 55) if mouth > 0 else (low[0] + 55, high[0] - 8)
    case = np.array([(ends[0], low[1] + 2), (ends[1], low[1] + 2), (ends[1], high[1] - 2), (ends[0], high[1] - 2)])
    tall = float(dice.uniform(75, 110))
    front, tip = (ends[1], ends[1] + 46) if mouth > 0 else (ends[0], ends[0] - 46)
    ramp = np.array(
        [(front, low[1] + 4, tall * 0.6), (front, high[1] - 4, tall * 0.6), (tip, high[1] - 4, 6), (tip, low[1] + 4, 6)]
    )
    ramp_px = camera.to_picture(ramp)
    draw_block(image, camera, Block(case, 0.0, tall, colour, float(dice.choice([1.0, 0.85]))))
    fill(image, ramp_px, toned(colour, 0.75))
    cards = np.array(
        [
            (tip - mouth * 18, low[1] + 14, 12),
            (tip - mouth * 18, high[1] - 14, 12),
            (tip, high[1] - 14, 5),
            (tip, low[1] + 14, 5),
        ]
    )
    fill(image, camera.to_picture(cards), (150, 150, 205) if dice.random() < 0.5 else (190, 150, 130))
    lid = np.array(
        [
            (ends[0] + 10, low[1] + 10, tall),
            (ends[1] - 10, low[1] + 10, tall),
            (ends[1] - 10, high[1] - 10, tall),
            (ends[0] + 10, high[1] - 10, tall),
        ]
    )
    fill(image, camera.to_picture(lid), toned(colour, 1.35))


def _discard(image: Pixels, camera: Camera, area: Area, dice: Generator, colour: Colour) -> None:
    """A stand of clear or tinted plastic with the cards that are out of play."""
    low, high = _bounds(area)
    middle = (low + high) / 2
    plate = _box(middle - PLATE, middle + PLATE)
    draw_block(image, camera, Block(plate, 0.0, 5.0, colour))
    stock = _box(middle - CARD, middle + CARD)
    tall = float(dice.uniform(2, 60))
    draw_block(image, camera, Block(stock, 5.0, 5 + tall, (214, 216, 218)))
    back = toned(((140, 60, 40), (50, 40, 160), (60, 100, 40))[int(dice.integers(3))], 1.0)
    inner = np.column_stack([_box(middle - INNER, middle + INNER), np.full(4, 5 + tall)])
    fill(image, camera.to_picture(inner), back)
    wall = _box(middle - PLATE, middle + np.array([62.0, -36.0]))
    draw_block(image, camera, Block(wall, 5.0, 80.0, (70, 60, 190) if dice.random() < 0.3 else (120, 118, 116), 0.45))
