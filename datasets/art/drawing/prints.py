"""Words and lines as a printer lays them on cloth: coverage masks in millimetres, never mirrored.

A sheet is drawn as it is seen from above with the dealer at the top of the picture: its columns run along -x of the
felt and its rows along +y. Who wants columns along +x flips the finished sheet.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, cos, pi, radians, sin

import cv2
import numpy as np
from numpy.typing import ArrayLike
from PIL import Image, ImageDraw, ImageFont

from feltwatch.vision.arrays import Floats, Ints, Pixels, Point

SUBPIXEL = 4  # bits of a pixel's fraction that OpenCV's drawing takes
CAP = 0.70  # height of a capital, of the size of its type

PLAYERS, DEALER = "players", "dealer"


def as_bytes(found: ArrayLike) -> Pixels:
    """Give an array as eight bits, without a copy where it is already."""
    return np.asarray(found, dtype=np.uint8)


def fixed(points: ArrayLike) -> Ints:
    """Give points as OpenCV draws them with `shift=SUBPIXEL`."""
    return np.rint(np.asarray(points, dtype=np.float64) * (1 << SUBPIXEL)).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Type:
    """A typeface: OpenCV's sans, italic or uni, or Pillow's plain."""

    face: str = "sans"
    weight: int = 600
    stretch: float = 1.0  # width of a letter
    spacing: float = 0.0  # between letters, of their height


@lru_cache(maxsize=256)
def words(text: str, kind: Type, cap_px: int) -> Pixels:
    """Draw text so that a capital is `cap_px` high and stands in the middle of the rows; cut at its sides."""
    size = max(4, round(cap_px / CAP))
    gap = round(kind.spacing * cap_px)
    if gap:
        parts = [_line(letter, kind, size) if letter != " " else _blank(size, size // 4) for letter in text]
        found = np.hstack([p for part in parts for p in (part, _blank(size, gap))])
    else:
        found = _line(text, kind, size)
    if kind.stretch != 1.0:
        wide = max(1, round(found.shape[1] * kind.stretch))
        found = as_bytes(cv2.resize(found, (wide, found.shape[0]), interpolation=cv2.INTER_AREA))
    found.flags.writeable = False
    return found


def _blank(size: int, width: int) -> Pixels:
    return np.zeros((2 * size, width), dtype=np.uint8)


def _line(text: str, kind: Type, size: int) -> Pixels:
    base = size + round(CAP * size / 2)
    sheet = np.zeros((2 * size, size * (len(text) + 2), 3), dtype=np.uint8)
    if kind.face == "plain":
        page = Image.fromarray(sheet)
        bold = round(size * max(0, kind.weight - 400) / 8000)
        font = ImageFont.load_default(size)
        ImageDraw.Draw(page).text((size // 2, base), text, font=font, fill="white", anchor="ls", stroke_width=bold)
        sheet = np.array(page)
    else:
        cv2.putText(sheet, text, (size // 2, base), (255, 255, 255), cv2.FontFace(kind.face), size, kind.weight)
    inked = np.flatnonzero(sheet[:, :, 0].any(axis=0))
    if not len(inked):
        return _blank(size, size // 4)
    return np.ascontiguousarray(sheet[:, inked[0] : inked[-1] + 1, 0])


@dataclass(frozen=True, slots=True)
class Sheet:
    """A coverage mask over the felt, seen from above with the dealer at the top."""

    ink: Pixels
    left: float  # the felt's x at the mask's left edge
    top: float  # the felt's y at its upper edge
    px_per_mm: float

    def at(self, points: ArrayLike) -> Floats:
        """Give the pixels of points on the felt."""
        found = np.atleast_2d(np.asarray(points, dtype=np.float64))
        x, y = (self.left - found[:, 0]) * self.px_per_mm, (found[:, 1] - self.top) * self.px_per_mm
        return np.column_stack([x, y]) - 0.5

    def line(self, points: ArrayLike, width: float, *, closed: bool = True, strength: int = 255) -> None:
        thick = max(1, round(width * self.px_per_mm))
        found = fixed(self.at(points))
        cv2.polylines(self.ink, [found], closed, (strength,), thick, cv2.LINE_AA, SUBPIXEL)

    def fill(self, points: ArrayLike, strength: int = 255) -> None:
        cv2.fillPoly(self.ink, [fixed(self.at(points))], (strength,), cv2.LINE_AA, SUBPIXEL)

    def write(self, text: str, kind: Type, place: Point, up: float, cap: float, strength: float = 1.0) -> float:
        """Write text centred on a place; `up` is the direction, degrees from +x, of the letters' tops.

        Give its width in millimetres.
        """
        mask = words(text, kind, max(6, round(2 * cap * self.px_per_mm)))
        return self.stamp(mask, place, up, 2 * cap / CAP, strength)

    def stamp(self, mask: Pixels, place: Point, up: float, height: float, strength: float = 1.0) -> float:
        """Print a mask, centred on a place and `height` millimetres high. Give its width in millimetres."""
        scale = height * self.px_per_mm / mask.shape[0]
        down = np.array([cos(radians(up)), -sin(radians(up))]) * scale
        across = np.array([down[1], -down[0]])
        turned = np.column_stack([across, down])
        middle = self.at([place])[0]
        shift = middle - turned @ ((np.array(mask.shape[1::-1]) - 1) / 2)
        corners = np.array([[0, 0], [mask.shape[1], 0], [0, mask.shape[0]], mask.shape[1::-1]]) @ turned.T + shift
        box = _box(corners, self.ink.shape)
        if box:
            x0, y0, x1, y1 = box
            matrix = np.column_stack([turned, shift - (x0, y0)])
            drawn = cv2.warpAffine(mask, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
            self._add(box, drawn, strength)
        return float(mask.shape[1] * scale / self.px_per_mm)

    def arc(self, text: str, kind: Type, ring: "Ring", cap: float, facing: str) -> None:
        """Write text along a ring; the letters' tops point to its middle for the Players, away for the dealer."""
        mask = words(text, kind, max(6, round(2 * cap * self.px_per_mm)))
        dense = 2.0 * self.px_per_mm
        half = mask.shape[1] / dense / ring.radius / 2
        reach = (ring.radius - 1.6 * cap, ring.radius + 1.6 * cap)
        rim = [ring.at(r, ring.middle + t) for r in reach for t in np.linspace(-half, half, 24)]
        box = _box(self.at(rim), self.ink.shape)
        if not box:
            return
        x0, y0, x1, y1 = box
        middle = self.at([ring.centre])[0]
        over, down = np.meshgrid(np.arange(x0, x1) - middle[0], np.arange(y0, y1) - middle[1])
        angle = (np.arctan2(over, down) - ring.middle + pi) % (2 * pi) - pi
        along, out = angle * ring.radius * dense, (np.hypot(over, down) / self.px_per_mm - ring.radius) * dense
        sign = 1.0 if facing == PLAYERS else -1.0
        columns = (sign * along + (mask.shape[1] - 1) / 2).astype(np.float32)
        rows = (sign * out + (mask.shape[0] - 1) / 2).astype(np.float32)
        self._add(box, cv2.remap(mask, columns, rows, cv2.INTER_LINEAR), 1.0)

    def _add(self, box: tuple[int, int, int, int], drawn: cv2.typing.MatLike, strength: float) -> None:
        x0, y0, x1, y1 = box
        part = self.ink[y0:y1, x0:x1]
        cv2.max(part, cv2.convertScaleAbs(drawn, alpha=strength), dst=part)


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle on the felt on which words run, and the angle of their middle from straight away from the dealer."""

    centre: Point
    radius: float
    middle: float = 0.0  # radians, growing to the right as the Players sit

    def at(self, radius: float, angle: float) -> Point:
        return self.centre[0] - radius * sin(angle), self.centre[1] + radius * cos(angle)

    def points(self, half: float, radius: float | None = None, steps: int = 64) -> list[Point]:
        """Give the arc from -half to +half radians round its middle."""
        turns = np.linspace(self.middle - half, self.middle + half, steps)
        return [self.at(self.radius if radius is None else radius, float(turn)) for turn in turns]


def _box(points: Floats, shape: Sequence[int]) -> tuple[int, int, int, int] | None:
    low, high = np.floor(points.min(axis=0)) - 1, points.max(axis=0) + 2
    x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
    x1, y1 = min(shape[1], ceil(high[0])), min(shape[0], ceil(high[1]))
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


SUITS = "♠♥♦♣"


@lru_cache(maxsize=32)
def suit_mask(suit: str, size_px: int) -> Pixels:
    """Draw one suit sign, `size_px` high with its margin."""
    return words(suit, Type("sans", 600), max(6, round(size_px * CAP / 2)))


def regular(middle: Point, radius: float, corners: int, turn: float = 0.0) -> list[Point]:
    """Give a regular polygon; 48 corners and more look round."""
    turns = [radians(turn) + 2 * pi * i / corners for i in range(corners)]
    return [(middle[0] + radius * cos(a), middle[1] + radius * sin(a)) for a in turns]


def rounded(corners: Iterable[Point], cut: float, steps: int = 6) -> list[Point]:
    """Round the corners of a convex polygon: each is left `cut` before it and joined `cut` after it."""
    found = [np.array(c, dtype=np.float64) for c in corners]
    points: list[Point] = []
    for before, corner, after in zip(found[-1:] + found[:-1], found, found[1:] + found[:1], strict=True):
        into = corner + (before - corner) * min(0.5, cut / max(1e-9, float(np.hypot(*(before - corner)))))
        out = corner + (after - corner) * min(0.5, cut / max(1e-9, float(np.hypot(*(after - corner)))))
        for t in np.linspace(0, 1, steps):
            x, y = (1 - t) ** 2 * into + 2 * t * (1 - t) * corner + t**2 * out
            points.append((float(x), float(y)))
    return points
