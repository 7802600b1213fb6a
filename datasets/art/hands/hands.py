"""Hands over the table: sprites by name, and how one is drawn into a picture."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import cv2
import numpy as np

from feltwatch.datasets.art.drawing.prints import as_bytes
from feltwatch.datasets.art.hands.hand_art import DRESSES, PX_PER_MM, TONES, Dress, draw_person
from feltwatch.datasets.art.hands.hand_mesh import Mesh, bundled_mesh
from feltwatch.datasets.common.cache import BUNDLED, cache_dir, read_picture, write_picture, write_whole
from feltwatch.datasets.common.errors import DataError
from feltwatch.vision.arrays import AnyArray, Colour, Floats, Pixels
from feltwatch.vision.geometry.camera import Camera

if TYPE_CHECKING:
    from feltwatch.datasets.lighting import Light

COUNTS: Mapping[str, int] = {"test": 40, "val": 40, "train": 240, "demo": 8}
SPRITES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {split: tuple(f"hand-{split}-{n:03d}" for n in range(1, count + 1)) for split, count in COUNTS.items()}
)
OWNER = 255  # a hand's number in a map of what each pixel shows
FOLDER = "hands"
VERSION = 4  # of the drawing: a cached sprite of another is drawn again
LEVELS = 3
CUT_MM = 14.0  # the end of the sleeve is taken off
SLEEVE_MM = 420.0  # and this much is put on


@dataclass(frozen=True, slots=True)
class SceneHand:
    """A hand in space: the sprite's tip is at x, y, z (millimetres); the forearm points away at `angle`."""

    sprite: str
    x: float
    y: float
    z: float
    angle: float  # degrees from +x
    scale: float = 1.0


@dataclass(frozen=True)
class HandSprite:
    """A hand seen from above with its forearm down the picture. `levels` are premultiplied, each half as large."""

    name: str
    split: str
    image: Pixels  # BGRA
    tip: tuple[float, float]
    px_per_mm: float
    levels: tuple[Pixels, ...]


def look_of(name: str) -> tuple[Colour, Dress]:
    """Give skin and dress of a sprite: no two of them have both alike."""
    tone, dress = _looks()[name]
    return TONES[tone], DRESSES[dress]


@lru_cache(maxsize=1)
def _looks() -> Mapping[str, tuple[int, int]]:
    pairs = [*product(range(len(TONES)), range(len(DRESSES)))]
    order = np.random.default_rng(404).permutation(len(pairs))
    names = [name for split in COUNTS for name in SPRITES[split]]
    return {name: pairs[i] for name, i in zip(names, order, strict=False)}


def make_sprite(name: str, mesh: Mesh) -> HandSprite:
    """Render the sprite of this name; the same name gives the same pixels."""
    split = _split(name)
    rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little"))
    tone, dress = look_of(name)
    drawn = draw_person(mesh, tinted(tone, rng), dress, rng)
    return _loaded(name, split, _longer(drawn.image), drawn.tip)


def tinted(tone: Colour, rng: np.random.Generator) -> Colour:
    """Give a skin near this one: lighter or darker, a little redder or paler, never green."""
    shift = np.array([-0.4, 0.0, 0.5]) * float(rng.normal(0, 0.05))
    blue, green, red = np.clip(np.array(tone) * (float(rng.normal(1, 0.05)) + shift), 12, 250).astype(int)
    return int(blue), int(green), int(red)


def _split(name: str) -> str:
    for split, names in SPRITES.items():
        if name in names:
            return split
    raise DataError(f"unknown hand {name!r}: see SPRITES")


def _longer(image: Pixels) -> Pixels:
    """Let the sleeve go on beyond the picture's lower edge, so that a far reach shows no end of it."""
    height = image.shape[0]
    row = image[height - round(CUT_MM * PX_PER_MM)]
    more = np.repeat(row[None], round(SLEEVE_MM * PX_PER_MM), axis=0)
    return np.concatenate([image[: height - round(CUT_MM * PX_PER_MM)], more])


def _loaded(name: str, split: str, image: Pixels, tip: tuple[float, float]) -> HandSprite:
    alpha = image[..., 3:].astype(np.float32) / 255
    levels = [as_bytes(np.rint(np.dstack([image[..., :3] * alpha, image[..., 3]])))]
    for _ in range(LEVELS - 1):
        half = (max(1, levels[-1].shape[1] // 2), max(1, levels[-1].shape[0] // 2))
        levels.append(as_bytes(cv2.resize(levels[-1], half, interpolation=cv2.INTER_AREA)))
    for level in (image, *levels):
        level.flags.writeable = False
    return HandSprite(name, split, image, tip, PX_PER_MM, tuple(levels))


@lru_cache(maxsize=400)
def sprite(name: str) -> HandSprite:
    """Give a sprite: bundled, from the cache, or rendered now and cached."""
    split = _split(name)
    for folder in (BUNDLED / FOLDER, cache_dir() / FOLDER):
        found = _stored(folder, name, split)
        if found:
            return found
    made = make_sprite(name, bundled_mesh())
    store(made, cache_dir() / FOLDER)
    return _stored(cache_dir() / FOLDER, name, split) or made  # as it will be read the next time


def _stored(folder: Path, name: str, split: str) -> HandSprite | None:
    about = folder / "hands.json" if folder.is_relative_to(BUNDLED) else folder / f"{name}.json"
    if not about.is_file() or not (folder / f"{name}.webp").is_file():
        return None
    found = json.loads(about.read_text("utf-8"))["sprites"].get(name)
    if not found or found["version"] != VERSION:
        return None
    return _loaded(name, split, read_picture(folder / f"{name}.webp"), tuple(found["tip"]))


def store(made: HandSprite, folder: Path, quality: int = 88) -> None:
    """Write a sprite and what is known of it."""
    write_picture(folder / f"{made.name}.webp", made.image, quality)
    about = {"sprites": {made.name: {"tip": [round(v, 2) for v in made.tip], "version": VERSION}}}
    write_whole(folder / f"{made.name}.json", json.dumps(about).encode())


def corners_of(hand: SceneHand, seen: HandSprite) -> Floats:
    """Give where (4 x 2, millimetres) the sprite's corners lie: top left, top right, bottom right, bottom left."""
    height, width = seen.image.shape[:2]
    scale = hand.scale / seen.px_per_mm
    turn = np.deg2rad(hand.angle)
    down = np.array([np.cos(turn), np.sin(turn)]) * scale
    across = np.array([-down[1], down[0]])
    x, y = np.array([0, width, width, 0]) - 0.5 - seen.tip[0], np.array([0, 0, height, height]) - 0.5 - seen.tip[1]
    return np.asarray(np.array([hand.x, hand.y]) + x[:, None] * across + y[:, None] * down)


def _warp(level: Pixels, there: Floats, fine: float, shape: tuple[int, ...]) -> tuple[AnyArray, int, int] | None:
    """Lay a sprite's level onto four pixels; give the part of the picture it may touch, and where that begins."""
    low = np.maximum(np.floor(there.min(axis=0) * fine).astype(int), 0)
    high = np.minimum(
        np.ceil(there.max(axis=0) * fine).astype(int) + 1, np.ceil(np.array(shape[1::-1]) * fine).astype(int)
    )
    if (high <= low).any():
        return None
    rows, columns = level.shape[:2]
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], dtype=np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(corners, ((there + 0.5) * fine - 0.5 - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    return cv2.warpPerspective(level, matrix, size, flags=cv2.INTER_LINEAR), int(low[0]), int(low[1])


def _level(seen: HandSprite, there: Floats, fine: float) -> Pixels:
    shown = float(np.linalg.norm(there[3] - there[0])) * fine
    return next((level for level in reversed(seen.levels) if level.shape[0] >= shown * 0.9), seen.levels[0])


def draw_hand(image: Pixels, owner: Pixels | None, camera: Camera, hand: SceneHand, seen: HandSprite) -> None:
    """Draw a hand over the picture, and its number over the map of owners where it hides what was there."""
    flat = corners_of(hand, seen)
    there = camera.to_picture(np.column_stack([flat, np.full(4, hand.z)]))
    found = _warp(_level(seen, there, 1.0), there, 1.0, image.shape)
    if found is None:
        return
    drawn, left, top = found
    part = image[top : top + drawn.shape[0], left : left + drawn.shape[1]]
    blue, green, red, alpha = cv2.split(drawn)
    rest = cv2.bitwise_not(alpha)
    cv2.add(cv2.multiply(part, cv2.merge([rest, rest, rest]), scale=1 / 255), cv2.merge([blue, green, red]), dst=part)
    if owner is not None:
        owner[top : top + drawn.shape[0], left : left + drawn.shape[1]][alpha > 127] = OWNER


def hand_mask(shape: tuple[int, int], camera: Camera, hand: SceneHand, seen: HandSprite) -> Pixels:
    """Give the whole picture's mask of a hand: 255 where it hides what is below."""
    mask = np.zeros(shape, dtype=np.uint8)
    draw_hand(np.zeros((*shape, 3), dtype=np.uint8), mask, camera, hand, seen)
    return mask


def draw_hand_shadow(image: Pixels, camera: Camera, hand: SceneHand, seen: HandSprite, light: "Light") -> None:
    """Darken what lies under a hand: the higher it is, the further off and the softer its shadow."""
    tall = max(hand.z, 4.0) + 12.0
    there = camera.to_picture(corners_of(hand, seen) + np.array(light.shadow) * tall)
    found = _warp(_level(seen, there, 0.25), there, 0.25, image.shape)
    if found is None:
        return
    drawn, left, top = found
    soft = max(light.soft * camera.scale(hand.x, hand.y) * (1 + 0.05 * tall) / 4, 0.5)
    edge = int(3 * soft) + 1
    cover = cv2.copyMakeBorder(cv2.extractChannel(drawn, 3), edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(0,))
    keep = cv2.convertScaleAbs(cv2.GaussianBlur(cover, (0, 0), soft), alpha=-light.dark, beta=255)
    keep = cv2.resize(keep, None, fx=4, fy=4, interpolation=cv2.INTER_LINEAR)
    left, top = (left - edge) * 4, (top - edge) * 4
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + keep.shape[1], image.shape[1]), min(top + keep.shape[0], image.shape[0])
    if x1 > x0 and y1 > y0:
        part, cut = image[y0:y1, x0:x1], keep[y0 - top : y1 - top, x0 - left : x1 - left]
        cv2.multiply(part, cv2.merge([cut, cut, cut]), dst=part, scale=1 / 255)
