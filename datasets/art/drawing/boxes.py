"""Boxes that stand on the felt: prisms whose top and sides are filled in as a camera sees them."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike

from feltwatch.datasets.art.drawing.prints import fixed
from feltwatch.vision.arrays import Colour, Floats, Pixels
from feltwatch.vision.geometry.camera import Camera

LIGHT = np.array([-0.35, -0.55, 0.76])


@dataclass(frozen=True, slots=True)
class Block:
    """A prism: its foot's outline in millimetres, where its foot and top are, and its colour."""

    outline: ArrayLike  # N x 2
    low: float
    high: float
    colour: Colour
    alpha: float = 1.0


def draw_block(image: Pixels, camera: Camera, block: Block) -> None:
    """Draw the sides that are seen, then the top."""
    outline = np.asarray(block.outline, dtype=np.float64)
    foot, top = (np.column_stack([outline, np.full(len(outline), z)]) for z in (block.low, block.high))
    pixels = camera.to_picture(np.concatenate([foot, top]))
    if not seen(pixels, image):
        return
    foot_px, top_px = pixels[: len(outline)], pixels[len(outline) :]
    away = camera.eye[:2] - outline.mean(axis=0)
    for n in np.argsort([away @ (outline[i] + outline[i - 1]) for i in range(len(outline))]):
        edge = outline[n] - outline[n - 1]
        normal = np.array([edge[1], -edge[0], 0.0]) / max(1e-9, float(np.hypot(*edge)))
        tone = 0.55 + 0.25 * abs(float(normal @ LIGHT))
        fill(image, [foot_px[n - 1], foot_px[n], top_px[n], top_px[n - 1]], toned(block.colour, tone), block.alpha)
    fill(image, top_px, block.colour, block.alpha)


def seen(pixels: Floats, image: Pixels) -> bool:
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    return bool((high > 0).all() and low[0] < image.shape[1] and low[1] < image.shape[0])


def toned(colour: Colour, tone: float) -> Colour:
    blue, green, red = (int(min(255, c * tone)) for c in colour)
    return blue, green, red


def fill(image: Pixels, points: ArrayLike, colour: Colour, alpha: float = 1.0) -> None:
    """Fill a polygon of pixels, wholly or as glass does."""
    polygon = fixed(points)
    if alpha >= 1:
        cv2.fillPoly(image, [polygon], colour, cv2.LINE_AA, 4)
        return
    found = np.asarray(points)
    low = np.maximum(np.floor(found.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(found.max(axis=0)).astype(int) + 1, image.shape[1::-1])
    if (high <= low).any():
        return
    part = image[low[1] : high[1], low[0] : high[0]]
    over = part.copy()
    cv2.fillPoly(over, [fixed(found - low)], colour, cv2.LINE_AA, 4)
    cv2.addWeighted(over, alpha, part, 1 - alpha, 0, dst=part)


def turned_box(middle: tuple[float, float], size: tuple[float, float], turn: float) -> Floats:
    """Give the corners of a rectangle (length along `turn`, degrees from +x, and width)."""
    along = np.array([np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))])
    across = np.array([-along[1], along[0]])
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return np.array([np.array(middle) + a * along * size[0] / 2 + b * across * size[1] / 2 for a, b in corners])
