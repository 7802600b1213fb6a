"""What else lies about on a table and is neither card nor bet: a detector must learn to leave it alone."""

from math import cos, radians, sin

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from feltwatch.datasets.art.drawing.boxes import Block, draw_block, fill, toned, turned_box
from feltwatch.datasets.art.drawing.colours import PALETTE
from feltwatch.datasets.art.drawing.prints import Sheet, Type, regular
from feltwatch.vision.arrays import Colour, Floats, Pixels
from feltwatch.vision.geometry.camera import Camera

RIM = 915.0  # what Players put down lies near their edge
HUB = -60.0


def draw_clutter(image: Pixels, camera: Camera, rng: Generator) -> None:
    """Draw one to five things: on the felt what the house uses, near the rail what Players bring."""
    house = (_cut_card, _button, _lammer, draw_slip, _pen)
    guests = (draw_glass, draw_phone, _pen, draw_slip, _coaster)
    for _ in range(int(rng.integers(1, 6))):
        if rng.random() < 0.5:
            place = (float(rng.uniform(-700, 700)), float(rng.uniform(60, 600)))
            house[int(rng.integers(len(house)))](image, camera, place, rng)
        else:
            ray = radians(float(rng.uniform(20, 160)))
            reach = RIM + float(rng.uniform(-20, 60))
            guests[int(rng.integers(len(guests)))](image, camera, (reach * cos(ray), HUB + reach * sin(ray)), rng)


def any_colour(rng: Generator) -> Colour:
    names = [*PALETTE]
    return PALETTE[names[int(rng.integers(len(names)))]]


def draw_flat(image: Pixels, camera: Camera, points: ArrayLike, colour: Colour, high: float = 0.5) -> None:
    found = np.asarray(points, dtype=np.float64)
    shadow = camera.to_picture(found + np.array([1.0 + high * 0.3, 1.0 + high * 0.2]))
    fill(image, shadow, (10, 12, 10), 0.35)
    fill(image, camera.to_picture(np.column_stack([found, np.full(len(found), high)])), colour)


def _cut_card(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> None:
    colour = ((40, 200, 235), (50, 40, 200), (60, 160, 60), (200, 120, 40), (40, 120, 230))[int(rng.integers(5))]
    draw_flat(image, camera, turned_box(at, (88, 63), float(rng.uniform(0, 360))), colour)


def _disc(image: Pixels, camera: Camera, at: tuple[float, float], size: float, look: tuple[Colour, str, float]) -> None:
    colour, text, turn = look
    fill(image, camera.to_picture(np.array(regular(at, size, 40)) + np.array([2.5, 2.0])), (10, 12, 10), 0.35)
    draw_block(image, camera, Block(np.array(regular(at, size, 40)), 0.0, 4.0, colour))
    side = 128
    sheet = Sheet(np.zeros((side, side), dtype=np.uint8), size, -size, side / (2 * size))
    sheet.line(regular((0.0, 0.0), size * 0.86, 48), 1.0)
    sheet.write(text, Type("sans", 700), (0.0, 0.0), 270.0, min(size * 0.5, 2.2 * size / len(text)))
    ink: Colour = (20, 20, 20) if sum(colour) > 330 else (235, 235, 235)
    corners = turned_box(at, (2 * size, 2 * size), turn)[[0, 3, 2, 1]]
    there = camera.to_picture(np.column_stack([corners, np.full(4, 4.0)]))
    stamp(image, sheet.ink, there, ink)


def stamp(image: Pixels, mask: Pixels, there: Floats, ink: Colour) -> None:
    """Print a mask onto the four pixels' quadrilateral: its top left, top right, bottom right, bottom left."""
    low = np.maximum(np.floor(there.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(there.max(axis=0)).astype(int) + 1, image.shape[1::-1])
    if (high <= low).any():
        return
    rows, columns = mask.shape
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners, (there - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    cover = cv2.warpPerspective(mask, matrix, size, flags=cv2.INTER_AREA).astype(np.float32)[:, :, None] / 255
    part = image[low[1] : high[1], low[0] : high[0]]
    part[:] = (part + cover * (np.array(ink, dtype=np.float32) - part)).astype(np.uint8)


def _button(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> None:
    text = str(rng.choice(["DEALER", "D", "CLOSED", "RESERVED", "NO MORE BETS"]))
    _disc(image, camera, at, float(rng.uniform(22, 38)), (any_colour(rng), text, float(rng.uniform(0, 360))))


def _lammer(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> None:
    text = str(rng.choice(["1", "5", "25", "100", "D", "B", "OFF"]))
    _disc(image, camera, at, float(rng.uniform(10, 14)), (any_colour(rng), text, float(rng.uniform(0, 360))))


def draw_glass(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> Floats:
    """Give, as the others that a film shows do, points in space round the whole of it."""
    size, tall = float(rng.uniform(30, 42)), float(rng.uniform(60, 130))
    drink = ((40, 110, 190), (60, 160, 215), (24, 30, 48), (170, 190, 195), (40, 50, 150))[int(rng.integers(5))]
    fill(image, camera.to_picture(np.array(regular(at, size, 36)) + np.array([12.0, 8.0])), (8, 10, 8), 0.35)
    draw_block(image, camera, Block(np.array(regular(at, size * 0.85, 36)), 0.0, tall * 0.7, drink, 0.9))
    for radius, tone in ((size, 205), (size * 0.9, 120)):
        rim = camera.to_picture(np.column_stack([regular(at, radius, 48), np.full(48, tall)]))
        points = np.rint(rim * 16).astype(np.int32)
        cv2.polylines(image, [points], isClosed=True, color=(tone,) * 3, thickness=1, lineType=cv2.LINE_AA, shift=4)
    foot, top = np.array(regular(at, size * 0.85, 36)), np.array(regular(at, size, 36))
    return np.vstack([np.column_stack([foot, np.zeros(36)]), np.column_stack([top, np.full(36, tall)])])


def draw_phone(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> Floats:
    turn = float(rng.uniform(0, 360))
    case = toned(any_colour(rng), 0.5)
    fill(image, camera.to_picture(turned_box((at[0] + 3, at[1] + 2), (150, 74), turn)), (8, 10, 8), 0.4)
    draw_block(image, camera, Block(turned_box(at, (150, 73), turn), 0.0, 8.0, case))
    screen: Colour = (22, 20, 20) if rng.random() < 0.6 else (190, 170, 150)
    fill(image, camera.to_picture(np.column_stack([turned_box(at, (142, 66), turn), np.full(4, 8.0)])), screen)
    body = turned_box(at, (150, 73), turn)
    return np.vstack([np.column_stack([body, np.full(4, high)]) for high in (0.0, 8.0)])


def _pen(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> None:
    turn = float(rng.uniform(0, 360))
    body = turned_box(at, (138, 9), turn)
    draw_flat(image, camera, body, any_colour(rng), 5.0)
    tip = (at[0] + 62 * cos(radians(turn)), at[1] + 62 * sin(radians(turn)))
    draw_flat(image, camera, turned_box(tip, (14, 7), turn), (170, 172, 176), 5.5)


def draw_slip(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> Floats:
    turn, size = float(rng.uniform(0, 360)), (float(rng.uniform(90, 210)), float(rng.uniform(60, 148)))
    draw_flat(image, camera, turned_box(at, size, turn), (222, 228, 230))
    along = np.array([cos(radians(turn)), sin(radians(turn))])
    across = np.array([-along[1], along[0]])
    for row in np.arange(-0.35, 0.4, 0.12):
        left = np.array(at) + across * row * size[1] - along * size[0] * 0.4
        right = left + along * size[0] * float(rng.uniform(0.3, 0.8))
        a, b = (np.rint(p * 16).astype(int) for p in camera.to_picture([left, right]))
        ends = (int(a[0]), int(a[1])), (int(b[0]), int(b[1]))
        cv2.line(image, *ends, (110, 108, 108), 1, cv2.LINE_AA, 4)
    return np.column_stack([turned_box(at, size, turn), np.full(4, 0.5)])


def _coaster(image: Pixels, camera: Camera, at: tuple[float, float], rng: Generator) -> None:
    draw_flat(image, camera, regular(at, float(rng.uniform(42, 50)), 40), any_colour(rng), 1.5)
