"""Card backs of our own: a pattern in two colours, a border, perhaps an emblem; the same either way up."""

from collections.abc import Callable
from types import MappingProxyType

import cv2
import numpy as np

from feltwatch.datasets.art.cards.canvas import FINE, HEIGHT_MM, WIDTH_MM, colour_of
from feltwatch.datasets.art.cards.decks import CARD_PX
from feltwatch.datasets.art.cards.pips import CUTS, outlines
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.designs import BackRecipe
from feltwatch.vision.arrays import AnyFloats, Mask, Pixels


def _folded(value: AnyFloats, step: float) -> AnyFloats:
    """Give the distance to the nearest multiple of the step, from 0 to half a step."""
    away: AnyFloats = np.abs(value - step * np.round(value / step)).astype(np.float32)
    return away


def _lattice(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    return (_folded(x + y, step) < step * 0.13) | (_folded(x - y, step) < step * 0.13)


def _diamonds(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    return _folded(x, step) + _folded(y, step * 1.6) / 1.6 < step * 0.36


def _argyle(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    far = _folded(x, step) + _folded(y, step * 1.6) / 1.6
    thin = (_folded(x + y / 1.6, step) < step * 0.04) | (_folded(x - y / 1.6, step) < step * 0.04)
    return (far < step * 0.28) ^ thin


def _dots(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    other = np.hypot(_folded(x - step / 2, step), _folded(y - step / 2, step))
    return np.minimum(np.hypot(_folded(x, step), _folded(y, step)), other) < step * 0.24


def _rings(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    far = np.hypot(_folded(x, step), _folded(y, step))
    other = np.hypot(_folded(x - step / 2, step), _folded(y - step / 2, step))
    return (np.abs(far - step * 0.42) < step * 0.06) | (np.abs(other - step * 0.42) < step * 0.06)


def _scales(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    row = np.round(np.abs(y) / (step / 2))
    far = np.hypot(_folded(x + (row % 2) * step / 2, step), np.abs(y) - row * step / 2)
    marked: Mask = (far % (step * 0.2)) < step * 0.09
    return marked


def _stars(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    across, down = _folded(x, step), _folded(y, step)
    marked: Mask = np.sqrt(across) + np.sqrt(down) < np.sqrt(step * 0.44)
    return marked


def _weave(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    even = (np.floor(x / step) + np.floor(y / step)) % 2 == 0
    return np.where(even, _folded(x, step / 3) < step * 0.08, _folded(y, step / 3) < step * 0.08)


def _rays(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    marked: Mask = np.sin(np.arctan2(y, x) * 2 * round(45 / step)) * np.sign(np.sin(np.hypot(x, y) * 2 / step)) > 0
    return marked


def _waves(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    return _folded(y + np.sin(x * 3 / step) * step * 0.35, step) < step * 0.2


def _hexagons(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    tilted = (_folded(x * 0.866 + y * 0.5, step), _folded(x * 0.866 - y * 0.5, step), _folded(y, step))
    marked: Mask = np.minimum(np.minimum(tilted[0], tilted[1]), tilted[2]) < step * 0.08
    return marked


def _flowers(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    across, down = x - step * np.round(x / step), y - step * np.round(y / step)
    far, turn = np.hypot(across, down), np.arctan2(down, across)
    marked: Mask = (far < step * (0.26 + 0.16 * np.cos(turn * 6))) & (far > step * 0.07)
    return marked


def _stripes(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    return _folded(x + y * 0.6, step) < step * 0.22


def _bare(x: AnyFloats, y: AnyFloats, step: float) -> Mask:
    return (np.abs(x) < 0) & (np.abs(y) < step)


PATTERNS: MappingProxyType[str, Callable[[AnyFloats, AnyFloats, float], Mask]] = MappingProxyType(
    {
        "lattice": _lattice,
        "diamonds": _diamonds,
        "argyle": _argyle,
        "dots": _dots,
        "rings": _rings,
        "scales": _scales,
        "stars": _stars,
        "weave": _weave,
        "rays": _rays,
        "waves": _waves,
        "hexagons": _hexagons,
        "flowers": _flowers,
        "stripes": _stripes,
        "bare": _bare,
    }
)
EMBLEMS = ("none", "roundel", "lozenge", "panel", "two", "wheel", "spade")


def check(recipe: BackRecipe) -> None:
    for key, allowed in {"pattern": tuple(PATTERNS), "emblem": EMBLEMS}.items():
        if (found := getattr(recipe, key)) not in allowed:
            raise DataError(f"back {recipe.name!r}: no {key} {found!r}; there are: {', '.join(allowed)}")


def draw_back(recipe: BackRecipe) -> Pixels:
    """Give the texture of a recipe."""
    check(recipe)
    height, width = round(HEIGHT_MM * FINE), round(WIDTH_MM * FINE)
    rows, columns = np.indices((height, width), np.float32)
    x, y = (columns + 0.5) / FINE - WIDTH_MM / 2, (rows + 0.5) / FINE - HEIGHT_MM / 2
    marked = PATTERNS[recipe.pattern](x, y, recipe.step_mm)
    ground, ink = _bgr(recipe.ground), _bgr(recipe.ink)
    picture = np.where(marked[..., None], ink, ground)
    for shape, colour in _emblem(recipe, x, y, ground, ink):
        picture = np.where(shape[..., None], colour, picture)
    inset = np.minimum(WIDTH_MM / 2 - np.abs(x), HEIGHT_MM / 2 - np.abs(y))
    for line in range(recipe.lines):
        start = recipe.border_mm + 0.9 + 1.3 * line
        picture = np.where((np.abs(inset - start) < 0.3)[..., None], ink, picture)
    picture = np.where((inset < recipe.border_mm)[..., None], np.full(3, 252, np.uint8), picture)
    return cv2.resize(picture.astype(np.uint8), CARD_PX, interpolation=cv2.INTER_AREA).astype(np.uint8)


def _bgr(text: str) -> Pixels:
    return np.array(colour_of(text)[::-1], np.uint8)


def _emblem(recipe: BackRecipe, x: AnyFloats, y: AnyFloats, ground: Pixels, ink: Pixels) -> list[tuple[Mask, Pixels]]:
    """Give shapes to lay over the pattern one after another, each with its colour."""
    far, near = np.hypot(x, y), np.abs(x) / 15 + np.abs(y) / 21
    spokes = (np.sin(np.arctan2(y, x) * 12) > 0) & (far > 5)
    box = np.maximum(np.abs(x) / 19, np.abs(y) / 10)
    pair = np.hypot(x, np.abs(y) - 19)
    shapes: dict[str, list[tuple[Mask, Pixels]]] = {
        "none": [],
        "roundel": [(far < 14, ink), (far < 13, ground), (far < 11.5, ink), (_marks(x, y, 13), ground)],
        "wheel": [(far < 17, ink), (far < 16, ground), ((far < 14.5) & spokes, ink), (far < 4, ink)],
        "lozenge": [(near < 1, ink), (near < 0.9, ground), (near < 0.8, ink), (near < 0.45, ground)],
        "panel": [(box < 1, ink), (box < 0.9, ground), (_marks(x, y, 13), ink)],
        "two": [(pair < 9.5, ink), (pair < 8.4, ground), (pair < 4.5, ink)],
        "spade": [(far < 17, ground), ((far < 17) & (far > 16), ink), (_marks(x, y, 20), ink)],
    }
    return shapes[recipe.emblem]


def _marks(x: AnyFloats, y: AnyFloats, height: float) -> Mask:
    """Mark two spades foot to foot, so that the back has no top."""
    shape = np.zeros(x.shape, np.uint8)
    middle = (x.shape[1] / 2, x.shape[0] / 2)
    for up in (-1, 1):
        for outline in outlines("s", CUTS["classic"]):
            points = [
                (middle[0] + px * up * height / 4 * FINE, middle[1] + (py - 1) * up * height / 4 * FINE)
                for px, py in outline
            ]
            cv2.fillPoly(shape, [np.rint(points).astype(np.int32)], 1)
    return (shape > 0) & (np.abs(y) < height)
