"""The table's felt as one flat picture in millimetres: floor, rail, cloth, and the layout printed on it."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import ArrayLike

from feltwatch.datasets.art.drawing.colours import clouds
from feltwatch.datasets.art.drawing.prints import Sheet
from feltwatch.datasets.art.felts.clutter import draw_clutter
from feltwatch.datasets.art.felts.felt_print import print_layout
from feltwatch.datasets.art.felts.felt_styles import FELTS, FeltStyle, felt_style
from feltwatch.datasets.art.felts.felt_texture import draw_cloth, draw_floor, mixed, rail_light, to_bytes
from feltwatch.datasets.art.felts.furniture import draw_furniture
from feltwatch.vision.arrays import Floats, Floats32, Pixels
from feltwatch.vision.layout.zones import Layout

__all__ = ["FELTS", "Felt", "FeltStyle", "draw_clutter", "draw_felt", "draw_furniture", "felt_for", "felt_style"]

X_MM, Y_MM = (-1350.0, 1350.0), (-450.0, 1450.0)


@dataclass(frozen=True)
class Felt:
    """Columns run along +x and rows along +y; `origin` is where the middle of pixel (0, 0) lies."""

    image: Pixels
    origin: tuple[float, float]
    px_per_mm: float

    def to_texture(self, points: ArrayLike) -> Floats:
        """Give the pixels of points on the felt (N x 2)."""
        return np.asarray((np.asarray(points, dtype=np.float64) - self.origin) * self.px_per_mm)


def draw_felt(layout: Layout, style: FeltStyle, px_per_mm: float = 1.0) -> Felt:
    """Draw a table. The same layout, style and scale give the same pixels."""
    rng = np.random.default_rng(style.seed)
    shape = (round((Y_MM[1] - Y_MM[0]) * px_per_mm), round((X_MM[1] - X_MM[0]) * px_per_mm))
    cloth = draw_cloth(style.cloth, shape, px_per_mm, rng)
    rub = 1 - 0.35 * style.cloth.wear * np.clip(clouds(rng, shape, 25 * px_per_mm) + 0.2, 0, 1)
    for ink, colour in print_layout(layout, style, _sheet(shape, px_per_mm)):
        at = ink > 0
        cover = ink[at] * np.float32(style.prints.strength / 255) * rub[at]
        ground = cloth[at]
        cloth[at] = ground + cover[:, None] * (_inked(ground, colour, style) - ground)
    _lay_surround(cloth, layout, style, px_per_mm)
    picture = to_bytes(cloth)[:, ::-1].copy()
    picture.flags.writeable = False
    half = 0.5 / px_per_mm
    return Felt(picture, (X_MM[0] + half, Y_MM[0] + half), px_per_mm)


def _sheet(shape: tuple[int, int], px_per_mm: float) -> Sheet:
    return Sheet(np.zeros(shape, dtype=np.uint8), X_MM[1], Y_MM[0], px_per_mm)


def _inked(cloth: Floats32, colour: tuple[int, int, int], style: FeltStyle) -> Floats32:
    """Ink takes on the weave of the cloth below it."""
    weave = cloth / np.maximum(np.array(style.cloth.colour, dtype=np.float32), 8)
    return np.asarray(np.array(colour, dtype=np.float32) * np.clip(0.5 + 0.5 * weave, 0.7, 1.3), dtype=np.float32)


def _lay_surround(found: Floats32, layout: Layout, style: FeltStyle, px_per_mm: float) -> None:
    """Draw rail and floor where the felt ends; the rail shades the felt's edge."""
    shape = (found.shape[0], found.shape[1])
    sheet = _sheet(shape, px_per_mm)
    sheet.fill(layout.outline)
    felt = sheet.ink
    coarse = _surround((shape[0] // 2, shape[1] // 2), layout, style, px_per_mm / 2)
    floor = np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_LINEAR), dtype=np.float32)
    found *= np.clip(0.72 + _away(felt, px_per_mm) / 40, 0.72, 1.0)[:, :, None]
    mixed(found, floor, _cover(255 - felt))


def _surround(shape: tuple[int, int], layout: Layout, style: FeltStyle, px_per_mm: float) -> Floats32:
    """Give all that is not felt. The dealer's edge has a narrow board and no rail."""
    rng = np.random.default_rng(style.seed + 1)
    look = style.surround
    sheet, board = _sheet(shape, px_per_mm), _sheet(shape, px_per_mm)
    sheet.fill(layout.outline)
    away = _away(255 - sheet.ink, px_per_mm)
    ends = [x for x, _ in layout.outline]
    reach = look.strip_mm + look.rail_mm
    low, high = min(ends) - reach, max(ends) + reach
    board.fill([(low, -28.0), (high, -28.0), (high, Y_MM[1]), (low, Y_MM[1])])
    rail = np.where((away < reach) & (board.ink > 127), 255, 0).astype(np.uint8)
    floor = draw_floor(look, shape, px_per_mm, rng)
    floor *= np.clip(0.45 + (away - reach) / 500, 0.45, 1.0)[:, :, None]  # the table shades its surroundings
    mixed(floor, rail_light(away, look, rng, px_per_mm), _cover(rail))
    return floor


def _away(mask: Pixels, px_per_mm: float) -> Floats32:
    """Give how far inside the mask each pixel is, in millimetres."""
    return np.asarray(cv2.distanceTransform(mask, cv2.DIST_L2, 5) / np.float32(px_per_mm), dtype=np.float32)


def _cover(mask: cv2.typing.MatLike) -> Floats32:
    return np.asarray(mask, dtype=np.float32) / np.float32(255)


@lru_cache(maxsize=4)
def felt_for(layout: Layout, name: str, px_per_mm: float = 1.0) -> Felt:
    """Give a table's felt by the felt's name; the last few are kept."""
    return draw_felt(layout, felt_style(name), px_per_mm)
