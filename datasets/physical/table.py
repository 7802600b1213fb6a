"""The table of the physical grade: felt, rail, floor and what always stands there."""

import hashlib
from functools import lru_cache
from math import hypot

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from feltwatch.datasets.art.drawing.colours import PALETTE, clouds
from feltwatch.datasets.art.drawing.prints import as_bytes
from feltwatch.datasets.art.felts.clutter import draw_clutter
from feltwatch.datasets.art.felts.felt_styles import FeltStyle, felt_style
from feltwatch.datasets.art.felts.felt_texture import draw_floor, weave
from feltwatch.datasets.art.felts.felts import X_MM, Y_MM, felt_for
from feltwatch.datasets.physical.mesh import Grain, MeshPart, Paint, Solid, grid_faces, joined
from feltwatch.datasets.scene.scene import Scene
from feltwatch.vision.arrays import Colour, Floats, Indices, Pixels
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.layout.zones import Area, Layout

FLOOR_MM = -740.0
FLOOR_TILE_MM = 3000.0
BOARD_MM = 28.0  # what is between a dealer and the felt
PAD_MM = 26.0  # how high a padded rail stands
FAR_MM = 1e6  # from here all is seen straight from above
TILE_PX = 512
PLASTICS: tuple[Colour, ...] = ((32, 30, 30), (48, 44, 42), (30, 40, 62), (60, 62, 66), (26, 30, 86))
STOCKS: tuple[Colour, ...] = ((140, 60, 40), (50, 40, 160), (60, 100, 40))


def table_solids(scene: Scene, dice: Generator) -> list[Solid]:
    """Give felt, rail and floor."""
    style = felt_style(scene.felt)
    scale = scene.camera.scale(0.0, 450.0)
    edge = _path(scene.layout)
    cloth = _felt_paint(scene, style, scale, dice)
    return [_top(edge, cloth, style), _rail(edge, cloth, style, scale), _floor(style)]


def _felt_paint(scene: Scene, style: FeltStyle, scale: float, dice: Generator) -> Paint:
    fine = 1.0 if scale < 1.1 else 2.0
    picture = felt_for(scene.layout, scene.felt, fine).image
    key = f"felt {scene.felt} {scene.layout.name} {fine}"
    if scene.clutter:
        picture = _littered(picture, fine, dice)
        key = f"{key} {scene.seed}"
    return Paint(key, picture=picture, rough=1.0, shine=0.08, sheen=0.12, grain=fibres(style.name, scale))


def _littered(picture: Pixels, fine: float, dice: Generator) -> Pixels:
    """Lay what else lies about onto the felt's picture, seen straight from above."""
    turned = np.ascontiguousarray(picture[:, ::-1])
    size = (turned.shape[1], turned.shape[0])
    focal = FAR_MM * fine
    middle = (X_MM[1] * fine - 0.5, -Y_MM[0] * fine - 0.5)
    above = Camera(*size, (focal, focal, *middle), (0.0,) * 5, (0.0, np.pi, 0.0), (0.0, 0.0, FAR_MM))
    draw_clutter(turned, above, dice)
    return np.ascontiguousarray(turned[:, ::-1])


@lru_cache(maxsize=8)
def fibres(name: str, scale: float) -> Grain:
    """Give the pile of a cloth, as fine as a camera of that many pixels a millimetre can see it."""
    style = felt_style(name)
    fine = float(np.clip(scale * 1.5, 0.8, 5.0))
    rng = np.random.default_rng(style.seed + 2)
    field = weave(rng, (TILE_PX, TILE_PX), fine, style.cloth.coarse)
    tile = as_bytes(np.clip(128 + 34 * field / max(float(field.std()), 1e-6), 0, 255))
    return Grain(f"fibres {name} {scale:.4f}", tile, TILE_PX / fine, 0.2, 1.6)


@lru_cache(maxsize=1)
def leather() -> Grain:
    """Give the grain of a padded rail."""
    field = clouds(np.random.default_rng(77), (TILE_PX, TILE_PX), 5.0)
    tile = as_bytes(np.clip(128 + 60 * np.abs(field), 0, 255))
    return Grain("leather", tile, 170.0, 0.1)


def _path(layout: Layout) -> Floats:
    """Give the Players' edge of the felt from the dealer's right to his left."""
    points = np.array(layout.outline)
    along = np.roll(points, -1, axis=0) - points
    points = np.roll(points, -1 - int(np.argmax(np.hypot(*along.T))), axis=0)
    points = points[np.concatenate([[True], np.hypot(*np.diff(points, axis=0).T) > 1.0])]
    first, last = (np.array([[x, -BOARD_MM]]) for x in (points[0, 0], points[-1, 0]))
    return np.concatenate([first, points, last])


def _outward(path: Floats) -> Floats:
    """Give the unit normals of a path, away from its middle."""
    ahead = np.gradient(path, axis=0)
    found = np.column_stack([ahead[:, 1], -ahead[:, 0]])
    found /= np.maximum(np.hypot(found[:, 0], found[:, 1]), 1e-9)[:, None]
    found[[0, -1]] = [[np.sign(path[0, 0]), 0.0], [np.sign(path[-1, 0]), 0.0]]
    side = np.sign(((path - path.mean(axis=0)) * found).sum(axis=1).mean())
    return np.asarray(found * side) if side else found


def _flat_uv(points: Floats) -> Floats:
    """Give where places on the felt lie in its picture."""
    x, y = (points[:, 0] - X_MM[0]) / (X_MM[1] - X_MM[0]), (points[:, 1] - Y_MM[0]) / (Y_MM[1] - Y_MM[0])
    return np.column_stack([x, 1 - y])


def _top(path: Floats, cloth: Paint, style: FeltStyle) -> Solid:
    edge = path + _outward(path) * (style.surround.strip_mm + 2)
    edge[[0, -1], 1] = -BOARD_MM
    points = np.column_stack([edge, np.zeros(len(edge))])
    points = np.concatenate([points, [[0.0, 300.0, 0.0]]])
    count = len(edge)
    fan = np.stack([np.full(count, count), np.arange(count), (np.arange(count) + 1) % count], axis=-1)
    return joined("felt", [MeshPart(points, _facing_up(points, fan), _flat_uv(points))], (cloth,))


def _facing_up(points: Floats, faces: Indices) -> Indices:
    a, b, c = (points[faces[:, n], :2] for n in range(3))
    turned = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    return np.where((turned < 0)[:, None], faces[:, ::-1], faces)


def _rail(path: Floats, cloth: Paint, style: FeltStyle, scale: float) -> Solid:
    look = style.surround
    across = np.linspace(0, 1, 14)
    if look.wooden:
        rise = 6.0 * np.clip(np.minimum(across, 1 - across) * 14, 0, 1)
        fine = 1.0 if scale < 1.1 else 2.0
        wood = Paint(f"wood {cloth.key} {fine}", picture=cloth.picture, rough=0.6, coat=0.1)
        paint = wood
    else:
        rise = PAD_MM * np.sqrt(np.clip(1 - (2 * across - 1) ** 2, 0, 1))
        paint = Paint(f"rail {style.name}", look.rail, rough=0.42, grain=leather())
    outs = np.concatenate([look.strip_mm + look.rail_mm * across, [look.strip_mm + look.rail_mm]])
    heights = np.concatenate([rise, [-90.0]])
    heights[0] = 0.0
    out = _outward(path)
    rings = [np.column_stack([path + out * away, np.full(len(path), z)]) for away, z in zip(outs, heights, strict=True)]
    points = np.concatenate(rings)
    faces = grid_faces(len(rings), len(path))
    up = _facing_up(points, faces[:, :3])
    if not np.array_equal(up[0], faces[0, :3]):
        faces = faces[:, ::-1]
    return joined("rail", [MeshPart(points, faces, _flat_uv(points), smooth=True)], (paint,))


@lru_cache(maxsize=8)
def _carpet(name: str) -> Pixels:
    style = felt_style(name)
    found = draw_floor(style.surround, (900, 900), 900 / FLOOR_TILE_MM, np.random.default_rng(style.seed + 3))
    return as_bytes(np.clip(found, 0, 255))


def _floor(style: FeltStyle) -> Solid:
    wide = 3 * FLOOR_TILE_MM
    points = np.array(
        [(-wide, -wide, FLOOR_MM), (wide, -wide, FLOOR_MM), (wide, wide, FLOOR_MM), (-wide, wide, FLOOR_MM)]
    )
    paint = Paint(f"floor {style.name}", picture=_carpet(style.name), rough=1.0, shine=0.0)
    uv = points[:, :2] / FLOOR_TILE_MM
    return joined("floor", [MeshPart(points, np.array([[0, 1, 2, 3]]), uv)], (paint,))


def furniture_solids(scene: Scene) -> list[Solid]:
    """Give float, shoe and discard holder where the layout has them; the felt's name chooses their look."""
    seed = int.from_bytes(hashlib.blake2b(scene.felt.encode(), digest_size=8).digest(), "little")
    dice = np.random.default_rng(seed)
    colour = PLASTICS[int(dice.integers(len(PLASTICS)))]
    plastic = Paint(f"plastic {colour}", colour, rough=0.42)
    found: list[Solid] = []
    for name, make in (("float", _float), ("shoe", _shoe), ("discard", _discard)):
        area = scene.layout.by_name.get(name)
        if area:
            found.append(make(area, dice, plastic))
    return found


def prism(outline: ArrayLike, low: ArrayLike, high: ArrayLike, stuff: int = 0) -> MeshPart:
    """Give a body over an outline (N x 2, counterclockwise) between two heights, or two for each corner."""
    foot = np.asarray(outline, dtype=np.float64)
    count = len(foot)
    bottom = np.column_stack([foot, np.broadcast_to(np.asarray(low, dtype=np.float64), (count,))])
    top = np.column_stack([foot, np.broadcast_to(np.asarray(high, dtype=np.float64), (count,))])
    points = [top[0], top[1], top[2], top[3]]
    for n in range(4):
        after = (n + 1) % 4
        points += [bottom[n], bottom[after], top[after], top[n]]
    found = np.array(points)
    return MeshPart(found, np.arange(len(found)).reshape(-1, 4), np.zeros((len(found), 2)), stuff)


def box(low: Floats, high: Floats) -> Floats:
    return np.array([(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])])


def _bounds(area: Area) -> tuple[Floats, Floats]:
    points = np.array(area.polygon)
    return points.min(axis=0), points.max(axis=0)


def _float(area: Area, dice: Generator, plastic: Paint) -> Solid:
    """A tray with tubes of chips on edge."""
    low, high = _bounds(area)
    parts, paints = [prism(box(low, high), -30.0, 4.0)], [plastic]
    walls = box(low, np.array([high[0], low[1] + 4])), box(np.array([low[0], high[1] - 4]), high)
    parts += [prism(wall, 0.0, 11.0) for wall in walls]
    tubes = max(3, int((high[0] - low[0] - 10) // 43))
    pitch = (high[0] - low[0] - 10) / tubes
    names = [*PALETTE]
    for n in range(tubes):
        left = low[0] + 5 + n * pitch + (pitch - 40) / 2
        length = (high[1] - low[1] - 8) * float(dice.uniform(0.35, 1.0))
        base, spot = (PALETTE[names[int(dice.integers(len(names)))]] for _ in range(2))
        picture = _row_picture(max(1, int(length // 3.3)), base, spot, dice)
        parts.append(_row((left, low[1] + 4, length), len(paints)))
        paints.append(Paint(f"row {area.polygon} {base} {spot} {left:.0f} {length:.1f}", picture=picture, rough=0.45))
    return joined("float", parts, tuple(paints))


def _row(row: tuple[float, float, float], stuff: int) -> MeshPart:
    left, near, length = row
    turns = np.linspace(np.pi * 0.93, np.pi * 0.07, 16)
    x, z = left + 20 + 20 * np.cos(turns), 4 + 15 * np.sin(turns)
    ends = [np.column_stack([x, np.full(16, y), z]) for y in (near, near + length)]
    points = np.concatenate(ends)
    uv = np.column_stack([np.tile(np.linspace(0, 1, 16), 2), np.repeat([0.0, 1.0], 16)])
    return MeshPart(points, grid_faces(2, 16), uv, stuff, smooth=True)


def _row_picture(count: int, base: Colour, spot: Colour, dice: Generator) -> Pixels:
    """Unroll a tube of chips on edge: each is a band of its own turn, darker where it meets the next."""
    wide, tall = 48, 6
    found = np.empty((count * tall, wide, 3), dtype=np.float32)
    for k in range(count):
        where = (np.arange(wide) + int(dice.integers(0, wide))) % wide
        found[k * tall : (k + 1) * tall] = np.where(((where * 6 // wide) % 3 == 0)[:, None], spot, base)
    shade = np.tile(np.array([0.45, 0.9, 1.0, 1.0, 1.0, 0.8], dtype=np.float32), count)
    return as_bytes(np.clip(found * shade[:, None, None], 0, 255))


def _shoe(area: Area, dice: Generator, plastic: Paint) -> Solid:
    """A long low case; its mouth slopes down toward the middle of the table, with the next card's back in it."""
    low, high = _bounds(area)
    mouth = 1 if (low[0] + high[0]) < 0 else -1
    ends = (low[0] + 8, high[0] - 55) if mouth > 0 else (low[0] + 55, high[0] - 8)
    tall = float(dice.uniform(75, 110))
    case = prism(box(np.array([ends[0], low[1] + 2]), np.array([ends[1], high[1] - 2])), 0.0, tall)
    lid = prism(box(np.array([ends[0] + 8, low[1] + 9]), np.array([ends[1] - 8, high[1] - 9])), tall, tall + 2.5, 1)
    front, tip = (ends[1], ends[1] + 46) if mouth > 0 else (ends[0], ends[0] - 46)
    left, right = min(front, tip), max(front, tip)
    slope = np.array([tall * 0.6, 6.0, 6.0, tall * 0.6]) if mouth > 0 else np.array([6.0, tall * 0.6, tall * 0.6, 6.0])
    ramp = prism(box(np.array([left, low[1] + 4]), np.array([right, high[1] - 4])), 0.0, slope)
    share = 18 / max(1e-6, hypot(front - tip, 0))
    inner = box(np.array([left, low[1] + 14]), np.array([right, high[1] - 14]))
    inner[:, 0] = np.where(np.isclose(inner[:, 0], front), tip + (front - tip) * share, inner[:, 0])
    top = 6 + (tall * 0.6 - 6) * share
    heights = np.where(np.isclose(inner[:, 0], tip), 6.6, top + 0.6)
    card = prism(inner, heights - 0.4, heights, 2)
    back: Colour = (150, 150, 205) if dice.random() < 0.5 else (190, 150, 130)
    light = tuple(min(255, int(c * 1.35)) for c in plastic.colour)
    paints = (
        plastic,
        Paint(f"lid {light}", (light[0], light[1], light[2]), rough=0.2, coat=0.5),
        Paint(f"next {back}", back),
    )
    return joined("shoe", [case, lid, ramp, card], paints)


def _discard(area: Area, dice: Generator, plastic: Paint) -> Solid:
    """A stand of clear or tinted plastic with the cards that are out of play."""
    low, high = _bounds(area)
    middle = (low + high) / 2
    plate, card = np.array([62.0, 42.0]), np.array([44.0, 31.5])
    tall = float(dice.uniform(2, 40))
    edges = Paint("edges", (214, 216, 218), _edges(), rough=0.8)
    dye = STOCKS[int(dice.integers(len(STOCKS)))]
    clear: Colour = (70, 60, 190) if dice.random() < 0.3 else (170, 168, 166)
    parts = [
        prism(box(middle - plate, middle + plate), 0.0, 5.0),
        prism(box(middle - card, middle + card), 5.0, 5 + tall, 1),
        prism(box(middle - card + 3, middle + card - 3), 5 + tall, 5.1 + tall, 2),
        prism(box(middle - plate, middle + np.array([62.0, -39.0])), 5.0, 70.0, 3),
    ]
    return joined(
        "discard",
        parts,
        (plastic, edges, Paint(f"stock {dye}", dye), Paint(f"clear {clear}", clear, rough=0.1, alpha=0.3)),
    )


def _edges() -> Pixels:
    """Give the side of a pack: the edges of its cards."""
    rows = np.where(np.arange(64) % 2, 200, 228).astype(np.uint8)
    return cv2.merge([np.repeat(rows[:, None], 8, axis=1)] * 3).astype(np.uint8, copy=False)
