"""Chips: the sets of invented casinos, and stacks of them in true perspective."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import acos, atan2, hypot, pi
from types import MappingProxyType

import cv2
import numpy as np
from numpy.random import Generator

from feltwatch.datasets.art.chips.chip_faces import Face, Mould, face_of, mould_of
from feltwatch.datasets.art.chips.own_chips import own_faces
from feltwatch.datasets.art.drawing.colours import PALETTE, shaded
from feltwatch.datasets.art.drawing.houses import HOUSES
from feltwatch.datasets.art.drawing.prints import fixed
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.truth import StackTruth
from feltwatch.vision.arrays import Floats, Floats32, Indices, Mask, Pixels, Point
from feltwatch.vision.geometry.camera import Camera

VALUES = (1, 5, 25, 100, 500, 1000, 5000)
COUNTS: Mapping[str, int] = {"train": 18, "val": 3, "test": 6}
DEMO = "chips-house"
CHIP_SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        split: (*((DEMO,) if split == "train" else ()), *(f"chips-{split}-{n:02d}" for n in range(1, count + 1)))
        for split, count in COUNTS.items()
    }
)

# Which colours casinos give to 1, 5, 25, 100, 500, 1000 and 5000.
SCHEMES = (
    ("white", "red", "green", "black", "purple", "yellow", "brown"),
    ("white", "red", "green", "black", "purple", "orange", "grey"),
    ("sky", "red", "green", "black", "purple", "yellow", "maroon"),
    ("cream", "pink", "blue", "green", "black", "red", "orange"),
    ("yellow", "red", "blue", "black", "pink", "grey", "teal"),
    ("grey", "red", "green", "blue", "purple", "brown", "orange"),
)
USUAL_MM = (19.75, 3.3)  # radius and thickness
SIDE_LIGHT = 0.74  # of the light a top gets that comes to a side
PARALLEL_PX = 1.5  # of the finer picture
ARC = 14  # points along the near and along the far half of a rim


@dataclass(frozen=True, slots=True)
class ChipStack:
    """A stack of chips, from the felt up; `turn` seeds how they lie on each other."""

    spot: str | None
    x: float
    y: float
    chips: tuple[int, ...]
    turn: int = 0
    neat: float = 1.0  # how carefully it was built: 0 exactly, 1 as dealers do, 3 as Players do


@dataclass(frozen=True)
class ChipSet:
    name: str
    split: str
    radius_mm: float
    thick_mm: float
    faces: Mapping[int, Face]


@lru_cache(maxsize=32)
def chip_set(name: str) -> ChipSet:
    """Give the set of this name; the same name gives the same chips."""
    split = next((split for split, names in CHIP_SETS.items() if name in names), None)
    if split is None:
        own = own_faces(name)
        if not own:
            raise DataError(
                f"chips {name!r}: not here; `python -m feltwatch.datasets chips FOLDER --name {name}` makes them"
            )
        return ChipSet(name, "train", *USUAL_MM, MappingProxyType(own))
    seed = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    rng = np.random.default_rng(seed)
    mould = mould_of(str(rng.choice(HOUSES[split])), rng)
    scheme = SCHEMES[0] if name == DEMO else _scheme(rng)
    faces = {value: _face(mould, value, base, rng) for value, base in zip(VALUES, scheme, strict=True)}
    size = float(rng.uniform(19.5, 20.0)), float(rng.uniform(3.2, 3.4))
    return ChipSet(name, split, *size, MappingProxyType(faces))


def _scheme(rng: Generator) -> tuple[str, ...]:
    """Give seven different colours: a usual scheme with some of its colours changed."""
    found = [*SCHEMES[int(rng.integers(len(SCHEMES)))]]
    for n in rng.permutation(len(found))[: int(rng.integers(0, 5))]:
        free = [name for name in PALETTE if name not in found]
        found[n] = str(rng.choice(free))
    return tuple(found)


def _face(mould: Mould, value: int, base: str, rng: Generator) -> Face:
    pale = {"white", "cream", "yellow", "sky", "pink", "lime"}
    rest = [name for name in PALETTE if name != base and (name in pale) != (base in pale)]
    first, second = rng.permutation(rest)[:2]
    if base not in pale and rng.random() < 0.5:
        first = "white"
    colours = (shaded(PALETTE[base], rng, 0.1), shaded(PALETTE[first], rng, 0.1), shaded(PALETTE[second], rng, 0.1))
    return face_of(mould, value, colours, int(rng.choice([0, 0, 0, 1, 2])), rng)


@dataclass(frozen=True)
class Pile:
    """A stack in space: where the middle of each chip is, how it is turned, and which way the camera sees it."""

    middles: Floats
    turns: Floats
    radius: float
    thick: float
    toward: float  # the direction of the camera, radians from +x
    near: float  # half of the arc whose side it sees

    @property
    def height(self) -> float:
        return len(self.middles) * self.thick

    def rims(self) -> Floats:
        """Give for each chip three arcs (N x 3 x ARC x 3): its near rim below and above, and its far rim above."""
        seen = self.toward + np.linspace(-self.near, self.near, ARC)
        behind = self.toward + np.linspace(self.near, 2 * pi - self.near, ARC)
        angles = np.stack([seen, seen, behind])
        count = len(self.middles)
        found = np.empty((count, 3, ARC, 3))
        around = self.radius * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        found[..., :2] = self.middles[:, None, None, :] + around
        found[..., 2] = (np.arange(count)[:, None] + [0, 1, 1])[:, :, None] * self.thick
        return found

    def spots(self, spans: Floats, owner: Indices) -> tuple[Floats, Mask]:
        """Give the near parts of edge spots (M x 6 x 3), and which of them can be seen at all."""
        middle = pi - spans.mean(axis=1) - self.turns[owner] - self.toward
        middle = (middle + pi) % (2 * pi) - pi
        half = (spans[:, 1] - spans[:, 0]) / 2
        low, high = np.maximum(middle - half, -self.near), np.minimum(middle + half, self.near)
        angles = self.toward + np.stack([low, (low + high) / 2, high], axis=1)
        angles = np.concatenate([angles, angles[:, ::-1]], axis=1)
        found = np.empty((len(spans), 6, 3))
        found[..., 0] = self.middles[owner, 0, None] + self.radius * np.cos(angles)
        found[..., 1] = self.middles[owner, 1, None] + self.radius * np.sin(angles)
        found[..., 2] = (owner[:, None] + np.array([0, 0, 0, 1, 1, 1])) * self.thick
        return found, low < high


def pile_of(stack: ChipStack, chips: ChipSet, camera: Camera) -> Pile:
    """Build a stack: no chip lies exactly on another."""
    count = len(stack.chips)
    dice = np.random.default_rng(stack.turn)
    turns = dice.uniform(0, 2 * pi, count)
    slips = dice.uniform(-0.5, 0.5, (count, 2)) * stack.neat
    lean = dice.uniform(-0.04, 0.04, 2) * stack.neat
    middles = np.array([stack.x, stack.y]) + slips + np.arange(count)[:, None] * lean
    across, along = camera.eye[0] - stack.x, camera.eye[1] - stack.y
    away = hypot(across, along)
    near = acos(chips.radius_mm / away) if away > chips.radius_mm else 0.0
    return Pile(middles, turns, chips.radius_mm, chips.thick_mm, atan2(along, across), near)


def draw_stack(
    image: Pixels, camera: Camera, stack: ChipStack, chips: ChipSet, shade: tuple[float, float] = (0.3, 0.2)
) -> StackTruth:
    """Draw a stack into the picture and tell what is true of it.

    `shade` is how far a shadow moves for one millimetre of height: the light comes from the other side. It leaves the
    tops as they are; what falls on the whole picture is the business of feltwatch.datasets.scene.light.
    """
    pile = pile_of(stack, chips, camera)
    faces = [chips.faces[value] for value in stack.chips]
    owner = np.repeat(np.arange(len(faces)), [len(face.spans) for face in faces])
    spots, seen = pile.spots(np.concatenate([face.spans for face in faces]), owner)
    rims = pile.rims()
    top, base = (*pile.middles[-1], pile.height), (*pile.middles[0], 0.0)
    points = np.concatenate([rims.reshape(-1, 3), spots.reshape(-1, 3), _square(pile), [top, base]])
    pixels = camera.to_picture(points)
    cut = np.cumsum([rims.size // 3, spots.size // 3, 4])
    arcs = pixels[: cut[0]].reshape((*rims.shape[:-1], 2))
    drawing = Drawing(arcs, pixels[cut[0] : cut[1]].reshape(-1, 6, 2), owner, seen, pixels[cut[1] : cut[2]])
    hull = np.asarray(cv2.convexHull(arcs.reshape(-1, 2).astype(np.float32)), dtype=np.float64).reshape(-1, 2)
    area = float(cv2.contourArea(arcs[-1, 1:].reshape(-1, 1, 2).astype(np.float32)))
    truth = StackTruth(
        stack.spot,
        _point(pixels[cut[2]]),
        _point(pixels[cut[2] + 1]),
        (area / pi) ** 0.5,
        pile.height,
        stack.chips,
        tuple(_point(p) for p in hull),
    )
    _compose(image, drawing, faces, hull, _side_slope(camera, stack, shade, truth.radius))
    return truth


def _square(pile: Pile) -> Floats:
    """Give the corners of the square round the top face: its picture's first row and column come first."""
    turn = pile.turns[-1]
    a, b = np.array([-1.0, 1.0, 1.0, -1.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    across, along = a * np.cos(turn) - b * np.sin(turn), a * np.sin(turn) + b * np.cos(turn)
    middle, size = pile.middles[-1], pile.radius
    return np.column_stack([middle[0] - size * across, middle[1] + size * along, np.full(4, pile.height)])


def _point(pixel: Floats) -> Point:
    return float(pixel[0]), float(pixel[1])


@dataclass(frozen=True, slots=True)
class Drawing:
    """A stack in pixels, ready to be filled in."""

    arcs: Floats  # N x 3 x ARC x 2
    spots: Floats  # M x 6 x 2
    owner: Indices
    seen: Mask
    square: Floats


def _side_slope(camera: Camera, stack: ChipStack, shade: tuple[float, float], radius: float) -> tuple[float, float]:
    """Give by how much, per pixel to the right and down, the side grows lighter: toward the light."""
    lit = camera.to_picture([[stack.x, stack.y], [stack.x - 10 * shade[0], stack.y - 10 * shade[1]]])
    across, along = lit[1] - lit[0]
    length = max(1e-6, hypot(across, along))
    gain = 0.16 * min(1.0, hypot(*shade) * 3) / max(radius, 1.0)
    return float(across / length * gain), float(along / length * gain)


def _compose(image: Pixels, drawing: Drawing, faces: list[Face], hull: Floats, slope: tuple[float, float]) -> None:
    low = np.maximum(np.floor(hull.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(hull.max(axis=0)).astype(int) + 2, image.shape[1::-1])
    width, height = (int(n) for n in high - low)
    if width <= 0 or height <= 0:
        return
    fine = 3 if width < 40 else 2
    big = (width * fine, height * fine)
    sides, cover = _sides(drawing, faces, (low, fine, big))
    face = faces[-1].level(fine * 0.8 * hypot(*(drawing.square[1] - drawing.square[0])))
    edge = face.shape[0] - 0.5
    corners = np.array([[-0.5, -0.5], [edge, -0.5], [edge, edge], [-0.5, edge]], dtype=np.float32)
    there = ((drawing.square - low + 0.5) * fine - 0.5).astype(np.float32)
    warped = _warped(face, corners, there, big)
    top = np.zeros(big[::-1], dtype=np.uint8)
    rim = drawing.arcs[-1, 1:].reshape(-1, 2)
    cv2.fillPoly(top, [fixed((rim - low + 0.5) * fine - 0.5)], (255,), cv2.LINE_8, 4)
    lit = cv2.multiply(sides, _slope_picture(slope, width, height, fine), scale=1 / 128)
    lit = cv2.copyTo(warped, top, lit)
    cover |= top
    small = cv2.resize(cv2.copyTo(lit, cover), (width, height), interpolation=cv2.INTER_AREA)
    rest = 255 - cv2.resize(cover, (width, height), interpolation=cv2.INTER_AREA)
    part = image[low[1] : high[1], low[0] : high[0]]
    cv2.add(cv2.multiply(part, cv2.merge([rest, rest, rest]), scale=1 / 255), small, dst=part)


def _warped(face: Pixels, corners: Floats32, there: Floats32, size: tuple[int, int]) -> cv2.typing.MatLike:
    """Lay the top's picture onto four pixels; where they all but make a parallelogram the cheaper way will do."""
    if float(np.abs(there[0] - there[1] + there[2] - there[3]).max()) < PARALLEL_PX:
        matrix = cv2.getAffineTransform(corners[:3], there[:3])
        return cv2.warpAffine(face, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    matrix = cv2.getPerspectiveTransform(corners, there)
    return cv2.warpPerspective(face, matrix, size, borderMode=cv2.BORDER_REPLICATE)


@lru_cache(maxsize=64)
def _ramp(size: int) -> Floats:
    return np.arange(size, dtype=np.float64) - (size - 1) / 2


def _slope_picture(slope: tuple[float, float], width: int, height: int, fine: int) -> Pixels:
    coarse = (SIDE_LIGHT + slope[0] * _ramp(width) + slope[1] * _ramp(height)[:, None]) * 128
    wide = cv2.resize(np.clip(coarse, 40, 200).astype(np.uint8), (width * fine, height * fine))
    return cv2.merge([wide, wide, wide]).astype(np.uint8, copy=False)


def _sides(drawing: Drawing, faces: list[Face], frame: tuple[Indices, int, tuple[int, int]]) -> tuple[Pixels, Pixels]:
    """Fill the sides from the felt up; each chip hides what lies behind and below it."""
    low, fine, (width, height) = frame
    found = np.zeros((height, width, 3), dtype=np.uint8)
    cover = np.zeros((height, width), dtype=np.uint8)
    arcs = fixed((drawing.arcs - low + 0.5) * fine - 0.5)
    spots = fixed((drawing.spots - low + 0.5) * fine - 0.5)
    start = 0
    bands = []
    for n, face in enumerate(faces):
        band = np.concatenate([arcs[n, 0], arcs[n, 1, ::-1]])
        top = np.concatenate([arcs[n, 1], arcs[n, 2]])
        bands += [band, top]
        cv2.fillPoly(found, [band, top], face.base, cv2.LINE_8, 4)
        for sector, seen, spot in zip(face.sectors, drawing.seen[start:], spots[start:], strict=False):
            if seen:
                cv2.fillPoly(found, [spot], sector.colour, cv2.LINE_8, 4)
        start += len(face.sectors)
        dark = (face.base[0] // 3, face.base[1] // 3, face.base[2] // 3)
        cv2.polylines(found, [arcs[n, 0]], isClosed=False, color=dark, thickness=1, lineType=cv2.LINE_8, shift=4)
    for band in bands:
        cv2.fillPoly(cover, [band], (255,), cv2.LINE_8, 4)
    return found, cover


def shadow_hull(stack: ChipStack, chips: ChipSet, shadow: tuple[float, float] = (0.3, 0.2)) -> Floats:
    """Give points of the rims of foot and top (N x 3, millimetres), in the order of their shadow's outline.

    `shadow` is how far a shadow moves for one millimetre of height.
    """
    turns = np.linspace(0, 2 * pi, 20, endpoint=False)
    rim = np.array([stack.x, stack.y]) + chips.radius_mm * np.column_stack([np.cos(turns), np.sin(turns)])
    foot, top = (np.column_stack([rim, np.full(20, z)]) for z in (0.0, len(stack.chips) * chips.thick_mm))
    rims = np.concatenate([foot, top])
    fallen = (rims[:, :2] + rims[:, 2:] * np.array(shadow)).astype(np.float32)
    order = np.asarray(cv2.convexHull(fallen, returnPoints=False), dtype=np.intp).ravel()
    return rims[order]
