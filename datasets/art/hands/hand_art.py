"""Hands with forearm and sleeve, rendered from above: what a person looks like to a camera over the table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, pi, radians, sin

import cv2
import numpy as np
from numpy.random import Generator

from feltwatch.datasets.art.drawing.colours import clouds
from feltwatch.datasets.art.drawing.prints import as_bytes
from feltwatch.datasets.art.drawing.raster import FAR, normals_of, raster
from feltwatch.datasets.art.hands.hand_mesh import BACK, BONES, FINGERS, THUMB_BACK, Mesh, posed
from feltwatch.datasets.art.hands.hand_pose import POSES, random_pose, touching
from feltwatch.vision.arrays import Colour, Floats, Floats32, Indices, Mask, Pixels

PX_PER_MM = 2.0
FINE = 1.5
ARM_MM = 430.0
MARGIN = 4  # clear pixels round a sprite
RING = 28  # points round the arm
SKIN, CUFF, SLEEVE, STRAP, BUTTON = range(5)

TONES: tuple[Colour, ...] = (
    (186, 206, 240), (168, 190, 232), (150, 178, 226), (140, 172, 214), (128, 164, 212), (116, 154, 206),
    (104, 142, 196), (92, 128, 184), (82, 116, 170), (70, 100, 152), (60, 86, 134), (50, 72, 114),
    (44, 60, 94), (38, 50, 78), (34, 42, 62),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Dress:
    """What covers an arm: where the sleeve ends, whether a shirt's cuff looks out of it, and its cloth."""

    name: str
    end_mm: float  # from the wrist up the arm
    sleeve: Colour
    cuff: Colour | None = None
    stripes: bool = False


DRESSES = (
    Dress("white shirt", 8, (228, 230, 230), (236, 238, 238)),
    Dress("black shirt", 8, (34, 32, 32), (38, 36, 36)),
    Dress("blue shirt", 12, (196, 160, 118), (200, 166, 124)),
    Dress("striped shirt", 10, (214, 204, 196), (236, 236, 234), stripes=True),
    Dress("pink shirt", 10, (196, 184, 226), (202, 190, 230)),
    Dress("black suit", 22, (36, 33, 32), (234, 236, 236)),
    Dress("navy suit", 24, (62, 40, 28), (234, 236, 236)),
    Dress("grey suit", 24, (94, 92, 92), (230, 232, 232)),
    Dress("brown jacket", 20, (44, 66, 96), (210, 216, 220)),
    Dress("red waistcoat shirt", 10, (44, 36, 150), (50, 40, 156)),
    Dress("green jersey", 4, (62, 96, 44)),
    Dress("grey hoodie", -2, (140, 138, 136)),
    Dress("black jersey", 0, (42, 40, 42)),
    Dress("burgundy jersey", 2, (48, 30, 92)),
    Dress("mustard jersey", 6, (58, 150, 190)),
    Dress("rolled white", 170, (226, 228, 230), (220, 222, 224)),
    Dress("rolled denim", 150, (132, 94, 62), (140, 104, 72)),
    Dress("rolled black", 190, (40, 38, 38), (46, 44, 44)),
    Dress("short white", 330, (230, 232, 232)),
    Dress("short blue", 300, (150, 96, 44)),
    Dress("short red", 340, (46, 40, 170)),
    Dress("bare", 900, (40, 40, 40)),
    Dress("bare again", 900, (40, 40, 40)),
    Dress("checked shirt", 14, (110, 90, 150), (120, 100, 160), stripes=True),
)


@dataclass(frozen=True)
class BodyPart:
    """A part of what is rendered: its points and faces, and of each point where it was at rest and its normal there."""

    points: Floats
    faces: Indices
    rest: Floats
    rest_normals: Floats
    stuff: int


@dataclass(frozen=True)
class RenderedHand:
    """A rendered hand: BGRA, where it touches, and whether it is a left or a right one."""

    image: Pixels
    tip: tuple[float, float]


def draw_person(mesh: Mesh, tone: Colour, dress: Dress, rng: Generator) -> RenderedHand:
    """Render a hand in a random pose, seen from above with the forearm pointing down the picture."""
    kind = str(rng.choice([*POSES]))
    points, joints = posed(mesh, random_pose(kind, rng))
    bodies = [BodyPart(points, mesh.faces, mesh.points, normals_of(mesh.points, mesh.faces), SKIN)]
    bodies += arm(dress, rng)
    scale = PX_PER_MM * FINE
    size = float(rng.uniform(0.9, 1.1))
    everything = np.concatenate([body.points for body in bodies]) * size
    low, high = everything.min(axis=0), everything.max(axis=0)
    edge = MARGIN / PX_PER_MM
    left, top = low[0] - edge, high[1] + edge
    shape = (int((top - low[1] + edge) * scale), int((high[0] + edge - left) * scale))
    heights, values = _render(bodies, (left, top, scale, size), shape)
    image = _coloured(heights, values, (tone, dress), (mesh, scale), rng)
    image = as_bytes(cv2.resize(image, None, fx=1 / FINE, fy=1 / FINE, interpolation=cv2.INTER_AREA))
    image = _straight(image)
    x, y = touching(kind, joints)
    tip = (x * size - left) * PX_PER_MM - 0.5, (top - y * size) * PX_PER_MM - 0.5
    if rng.random() < 0.5:
        return RenderedHand(np.ascontiguousarray(image[:, ::-1]), (image.shape[1] - 1 - tip[0], tip[1]))
    return RenderedHand(image, tip)


def _render(
    bodies: Sequence[BodyPart], frame: tuple[float, float, float, float], shape: tuple[int, int]
) -> tuple[Floats32, Floats32]:
    """Give heights, and per pixel: normal, rest place, rest normal, what it is made of."""
    left, top, scale, size = frame
    points = np.concatenate([body.points for body in bodies]) * size
    starts = np.cumsum([0, *[len(body.points) for body in bodies]])
    faces = np.concatenate([body.faces + start for body, start in zip(bodies, starts, strict=False)])
    normals = np.concatenate([normals_of(body.points, body.faces) for body in bodies])
    stuff = np.concatenate([np.full(len(body.points), body.stuff, dtype=np.float64) for body in bodies])
    rest = np.concatenate([np.hstack([body.rest, body.rest_normals]) for body in bodies])
    values = np.column_stack([normals, rest, stuff])
    pixels = np.column_stack([(points[:, 0] - left) * scale - 0.5, (top - points[:, 1]) * scale - 0.5])
    return raster(pixels, points[:, 2], faces, values, shape)


def _tube(sections: Floats, stuff: int, bumps: Floats | None = None) -> BodyPart:
    """Sweep an ellipse: each section is x, y, z of its middle and its half width and half height."""
    angles = np.linspace(0, 2 * pi, RING, endpoint=False)
    swell = np.ones((len(sections), RING)) if bumps is None else bumps
    points = np.empty((len(sections), RING, 3))
    points[..., 0] = sections[:, :1] + sections[:, 3:4] * np.cos(angles) * swell
    points[..., 1] = sections[:, 1:2]
    points[..., 2] = sections[:, 2:3] + sections[:, 4:5] * np.sin(angles) * swell
    rows, columns = np.meshgrid(np.arange(len(sections) - 1), np.arange(RING), indexing="ij")
    a, b = rows * RING + columns, rows * RING + (columns + 1) % RING
    faces = np.concatenate(
        [np.stack([a, b, a + RING], axis=-1).reshape(-1, 3), np.stack([b, b + RING, a + RING], axis=-1).reshape(-1, 3)]
    )
    flat = points.reshape(-1, 3)
    rest = flat.copy()
    rest[:, 2] = np.tile(angles, len(sections))  # for cloth the rest place tells the angle round the arm
    return BodyPart(flat, faces, rest, np.tile([0.0, 0.0, 1.0], (len(flat), 1)), stuff)


def arm(dress: Dress, rng: Generator) -> list[BodyPart]:
    """Give the forearm from the wrist down, what is worn on it, and the sleeve."""
    rise, stout = radians(float(rng.uniform(4, 22))), float(rng.uniform(0.92, 1.12))

    def swept(start: float, end: float, more: float, steps: int) -> Floats:
        along = np.linspace(start, end, steps)
        grow = np.clip(along, 0, 250) / 250
        wide = (27 + 19 * grow**0.8) * stout
        tall = (19 + 20 * grow**0.8) * stout
        return np.column_stack([along * 0, -along * cos(rise), along * sin(rise) - 2, wide + more, tall + more])

    reach = min(ARM_MM, dress.end_mm + 60)
    skin = swept(-14, reach, 0.0, 40)
    skin[:4, 3:] *= np.array([0.72, 0.86, 0.95, 0.985])[:, None]
    found = [_tube(skin, SKIN)]
    if dress.end_mm < ARM_MM:
        found += _sleeve(dress, swept, rng)
    if dress.end_mm > 30 and rng.random() < 0.35:
        at = float(rng.uniform(14, 24))
        found.append(_tube(swept(at, at + float(rng.uniform(8, 20)), 2.0, 4), STRAP))
    return found


def _sleeve(dress: Dress, swept: Callable[[float, float, float, int], Floats], rng: Generator) -> list[BodyPart]:
    found, end, loose = [], dress.end_mm, float(rng.uniform(4, 11))
    if dress.cuff is not None:
        look = float(rng.uniform(8, 22)) if dress.end_mm < 100 else 30.0
        found.append(_tube(swept(end, end + look + 30, 3.5, 8), CUFF))
        end += look
    sections = swept(end, ARM_MM, loose, 60)
    sections[0, 3:] -= 2.5
    folds = clouds(rng, (60, RING), 7.0) * 0.05 + clouds(rng, (60, RING), 3.0) * 0.02
    folds[:, -4:] = folds[:, -4:] * np.linspace(1, 0, 4) + folds[:, :1] * np.linspace(0, 1, 4)  # closes round the arm
    found.append(_tube(sections, SLEEVE, 1 + folds * np.clip(np.arange(60) / 6, 0.2, 1)[:, None]))
    return found


def _coloured(
    heights: Floats32, values: Floats32, look: tuple[Colour, Dress], made: tuple[Mesh, float], rng: Generator
) -> Pixels:
    """Give colours to what was rendered, and light it: premultiplied BGRA."""
    (tone, dress), (mesh, scale) = look, made
    shape = (heights.shape[0], heights.shape[1])
    cover = heights > FAR / 2
    stuff = np.rint(values[..., 9]).astype(int)
    colour = np.empty((*shape, 3), dtype=np.float32)
    worn = {CUFF: dress.cuff or dress.sleeve, SLEEVE: dress.sleeve, STRAP: (26, 26, 30), BUTTON: (60, 60, 60)}
    colour[:] = dress.sleeve
    for what, dye in worn.items():
        colour[stuff == what] = dye
    skin = (stuff == SKIN) & cover
    colour[skin] = _skin(values[skin], tone, mesh)
    spread = 1 + 0.035 * clouds(rng, shape, 14 * scale) + 0.03 * clouds(rng, shape, 1.6 * scale)
    cloth = 1 + 0.05 * rng.standard_normal(shape, dtype=np.float32)
    if dress.stripes:
        cloth = cloth * (1 - 0.25 * (np.sin(values[..., 5] * 24) > 0.55))
    colour *= np.where(skin, spread, cloth)[..., None]
    light = _light(heights, values[..., :3], cover, scale, rng)
    bent = np.where(
        skin[..., None], light[..., None] ** np.array([1.16, 1.05, 0.92], dtype=np.float32), light[..., None]
    )
    lit = np.clip(colour * bent, 0, 255)
    sheen = np.where(skin, np.clip(values[..., 2], 0, 1) ** 24 * 7, 0)
    lit = np.clip(lit + sheen[..., None], 0, 255)
    alpha = cover.astype(np.float32)
    return as_bytes(np.dstack([lit * alpha[..., None], alpha * 255]))


def _light(heights: Floats32, normals: Floats32, cover: Mask, scale: float, rng: Generator) -> Floats32:
    """A broad lamp above and light from all round; less where higher parts stand about."""
    turn, slant = float(rng.uniform(0, 2 * pi)), float(rng.uniform(0.1, 0.4))
    lamp = np.array([slant * cos(turn), slant * sin(turn), 1.0], dtype=np.float32)
    length = np.maximum(np.linalg.norm(normals, axis=-1), 1e-6)
    facing = np.clip((normals @ (lamp / np.linalg.norm(lamp))) / length, 0, 1)
    light = 0.34 + 0.16 * normals[..., 2] / length + 0.56 * facing
    tall = np.where(cover, heights, 0).astype(np.float32)
    solid = cover.astype(np.float32)
    for size, depth in ((5.0, 0.030), (16.0, 0.014)):
        sigma = size * scale
        mean = cv2.blur(tall, (int(sigma), int(sigma))) / np.maximum(cv2.blur(solid, (int(sigma), int(sigma))), 1e-3)
        light = light * np.exp(-depth * np.clip(mean - heights, 0, 60))
    return np.asarray(light, dtype=np.float32)


def _skin(values: Floats32, tone: Colour, mesh: Mesh) -> Floats32:
    """Give skin its colours: pale palms, darker knuckles with their creases, nails."""
    rest, normals = values[:, 3:6], values[:, 6:9]
    base = np.array(tone, dtype=np.float32)
    found = np.tile(base, (len(values), 1))
    palm = np.clip(-normals[:, 2:3] * 1.4, 0, 1)
    pale = base * 0.6 + np.array([128, 152, 214], dtype=np.float32) * 0.4
    found += palm * (pale - found) * 0.7
    for finger in FINGERS:
        for name in BONES[finger][1:-1]:
            away = rest - mesh.joints[name]
            near = np.exp(-(away**2).sum(axis=1) / (2 * 8.5**2)) * np.clip(normals[:, 2], 0.15, 1)
            crease = 0.5 + 0.5 * np.sin(away[:, 1] * 2.4 + 1.5 * np.sin(away[:, 0] * 0.7))
            found *= 1 - near[:, None] * (0.16 + 0.12 * crease[:, None]) * np.array([1.15, 1.0, 0.6])
        _nail(found, rest, normals, (mesh, finger, base))
    return np.asarray(found, dtype=np.float32)


def _nail(found: Floats32, rest: Floats32, normals: Floats32, made: tuple[Mesh, str, Floats32]) -> None:
    mesh, finger, base = made
    distal, tip = (mesh.joints[name] for name in BONES[finger][-2:])
    ahead = (tip - distal) / np.linalg.norm(tip - distal)
    back = THUMB_BACK if finger == "thumb" else BACK
    back = back - ahead * (back @ ahead)
    back = back / np.linalg.norm(back)
    away = rest - (tip + ahead * 1.5)
    along, across = away @ ahead, away @ np.cross(ahead, back)
    wide, long = (5.6, 7.0) if finger == "thumb" else (4.2, 6.0)
    inside = np.clip(1.5 - 1.5 * ((along / long) ** 4 + (across / wide) ** 4), 0, 1) * np.clip(
        normals @ back * 3 - 0.6, 0, 1
    )
    nail = base * 0.62 + np.array([196, 200, 232], dtype=np.float32) * 0.38
    edge = np.clip((along - long * 0.72) / 1.2, 0, 1)[:, None]
    nail = nail + edge * (np.array([206, 214, 226], dtype=np.float32) - nail) * 0.5
    found += inside[:, None] * (nail - found)


def _straight(image: Pixels) -> Pixels:
    """Divide the colours by their cover again."""
    alpha = np.maximum(image[..., 3:].astype(np.float32), 1) / 255
    found = np.clip(image[..., :3] / alpha, 0, 255)
    return as_bytes(np.dstack([found, image[..., 3]]))


__all__ = ["DRESSES", "PX_PER_MM", "TONES", "Dress", "RenderedHand", "draw_person"]
