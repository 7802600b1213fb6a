"""Solids of the physical grade, in millimetres: what they are made of, and the shapes of cards and chips."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from feltwatch.datasets.art.chips.chip_faces import Face
from feltwatch.datasets.render.cards import CORNER_MM
from feltwatch.datasets.scene.scene import THICK, LaidCard
from feltwatch.vision.arrays import Colour, Floats, Indices, Mask, Pixels

BENDS = 10  # quads along a card between its round corners
ARC = 5  # rows along each round corner
RIM = 56  # points round a chip
BEVEL_MM = 0.35


@dataclass(frozen=True, slots=True)
class Grain:
    """A grey tile that is laid over a surface again and again. Only on a level surface may it stand up, by `deep`."""

    key: str
    tile: Pixels
    wide_mm: float
    tint: float  # by what part it makes the colour lighter or darker
    deep: float = 0.0  # the slope between the darkest and the lightest of two neighbours

    def slopes(self) -> Pixels:
        """Give the normals of its hills as a picture."""
        high = self.tile.astype(np.float32) * np.float32(self.deep / 255)
        along = (np.roll(high, -1, axis=1) - np.roll(high, 1, axis=1)) / 2
        up = (np.roll(high, 1, axis=0) - np.roll(high, -1, axis=0)) / 2
        normals = np.stack([np.ones_like(high), -up, -along], axis=-1)
        normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
        return np.rint(normals * 127.5 + 127.5).astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """What a surface is made of. Two paints of one key are one."""

    key: str
    colour: Colour = (255, 255, 255)
    picture: Pixels | None = None
    rough: float = 0.6
    shine: float = 0.5  # 0.5 is that of paper, wood and plastic
    coat: float = 0.0  # of clear lacquer
    sheen: float = 0.0
    flesh: float = 0.0  # how much light goes through its skin
    alpha: float = 1.0
    grain: Grain | None = None


@dataclass(frozen=True, slots=True)
class SolidPlace:
    """Where a copy of a solid stands: moved, turned about z (radians) and scaled about its own origin."""

    x: float
    y: float
    z: float
    turn: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A mesh: `sides` lists the corners of all faces one after another, `counts` how many each face has."""

    name: str
    points: Floats  # N x 3
    sides: Indices
    counts: Indices
    uv: Floats  # one for each of `sides`; v runs up the picture
    stuff: Indices  # which of the paints each face has
    smooth: Mask
    paints: tuple[Paint, ...]
    places: tuple[SolidPlace, ...] = ()  # none: it stands where its points are
    gains: Floats | None = None  # one for each point: by what its picture is multiplied


@dataclass(frozen=True, slots=True)
class MeshPart:
    """Faces of one kind with points of their own: no shading runs over from another part."""

    points: Floats
    faces: Indices  # M x 3 or M x 4
    uv: Floats  # one for each point
    stuff: int = 0
    smooth: bool = False


def joined(name: str, parts: Sequence[MeshPart], paints: tuple[Paint, ...]) -> Solid:
    """Make one solid of parts."""
    starts = np.cumsum([0, *[len(part.points) for part in parts]])
    sides = [(part.faces + start).ravel() for part, start in zip(parts, starts, strict=False)]
    return Solid(
        name,
        np.concatenate([part.points for part in parts]),
        np.concatenate(sides),
        np.concatenate([np.full(len(part.faces), part.faces.shape[1]) for part in parts]),
        np.concatenate([part.uv[part.faces.ravel()] for part in parts]),
        np.concatenate([np.full(len(part.faces), part.stuff) for part in parts]),
        np.concatenate([np.full(len(part.faces), part.smooth) for part in parts]),
        paints,
    )


def grid_faces(rows: int, columns: int, *, closed: bool = False) -> Indices:
    """Give the quads of a grid of points, row after row; a closed one joins its last column to its first."""
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns if closed else columns - 1), indexing="ij")
    a, b = row * columns + column, row * columns + (column + 1) % columns
    return np.stack([a, b, b + columns, a + columns], axis=-1).reshape(-1, 4)


def scaled_about(eye: Floats, points: Floats, scale: float) -> Floats:
    """Bring points nearer to the eye: what they look like stays as it is."""
    return np.asarray(eye + (points - eye) * scale)


def card_rows(size: tuple[float, float]) -> tuple[Floats, Floats]:
    """Give the rows of a card's mesh: how far along each is, and where across it begins; both 0 to 1."""
    width, height = size
    turns = np.linspace(0, pi / 2, ARC)
    down, inset = CORNER_MM * (1 - np.cos(turns)), CORNER_MM * (1 - np.sin(turns))
    middle = np.linspace(CORNER_MM, height - CORNER_MM, BENDS + 1)[1:-1]
    along = np.concatenate([down, middle, height - down[::-1]]) / height
    across = np.concatenate([inset, np.zeros(len(middle)), inset[::-1]]) / width
    return along, across


def card_sides(card: LaidCard) -> tuple[Floats, Floats]:
    """Give the points of the side that is up and of the other (2 N x 3 each: left, right, row after row)."""
    along, inset = card_rows(card.size)
    across = np.column_stack([inset, 1 - inset]).ravel()
    top = card.points(across, np.repeat(along, 2))
    rows = card.points(np.full(len(along), 0.5), along)
    right = top[1::2] - top[0::2]
    out = np.cross(right, -np.gradient(rows, axis=0))
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return top, top - np.repeat(out, 2, axis=0) * THICK


def card_solid(card: LaidCard, paints: tuple[Paint, Paint, Paint], eye: Floats, scale: float) -> Solid:
    """Give a card with the paints of its upper side, lower side and edge."""
    top, under = (scaled_about(eye, side, scale) for side in card_sides(card))
    along, inset = card_rows(card.size)
    across = np.column_stack([inset, 1 - inset]).ravel()
    v = 1 - np.repeat(along, 2)
    faces = grid_faces(len(along), 2)
    upper = MeshPart(top, faces[:, ::-1], np.column_stack([across, v]), 0, smooth=True)
    lower = MeshPart(under, faces, np.column_stack([1 - across, v]), 1, smooth=True)
    count = len(along)
    round_it = np.concatenate([np.arange(count) * 2, np.arange(count)[::-1] * 2 + 1])
    rim = np.concatenate([top[round_it], under[round_it]])
    edge = MeshPart(rim, grid_faces(2, 2 * count, closed=True)[:, ::-1], np.zeros((len(rim), 2)), 2)
    return joined(card.id, [upper, lower, edge], paints)


def chip_solid(name: str, size: tuple[float, float], face: Face, places: Iterable[SolidPlace], shine: float) -> Solid:
    """Give one chip of radius and thickness `size`, its foot at z = 0, and a copy of it at each place."""
    radius, thick = size
    angles = np.linspace(0, 2 * pi, RIM, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])

    def circle(inset: float, z: float) -> Floats:
        return np.column_stack([ring * (radius - inset), np.full(RIM, z)])

    profile = [(BEVEL_MM, 0.0), (0.1, 0.1), (0.0, BEVEL_MM), (0.0, thick - BEVEL_MM), (0.1, thick - 0.1)]
    rings = np.concatenate([circle(*at) for at in [*profile, (BEVEL_MM, thick)]])
    around = np.tile(angles, 6)
    turned = ((pi - around) / (2 * pi)) % 1.0
    uv = np.column_stack([turned, np.full(len(turned), 0.5)])
    band = MeshPart(rings, grid_faces(6, RIM, closed=True), uv, 1, True)  # noqa: FBT003 - smooth
    lid = circle(BEVEL_MM, thick)
    face_uv = (1 - lid[:, :2] / radius) / 2
    fan = np.stack([np.full(RIM, RIM), np.arange(RIM), (np.arange(RIM) + 1) % RIM], axis=-1)
    middle = np.array([[0.0, 0.0, thick]])
    top = MeshPart(np.concatenate([lid, middle]), fan, np.concatenate([face_uv, [[0.5, 0.5]]]), 0)
    foot = MeshPart(np.concatenate([circle(BEVEL_MM, 0.0), middle * 0]), fan[:, ::-1], top.uv, 0)
    paints = (
        Paint(f"{name} top", picture=face.levels[0], rough=0.55, shine=0.3, coat=shine),
        Paint(f"{name} side", picture=side_picture(face), rough=0.55, shine=0.3, coat=shine),
    )
    made = joined(name, [band, top, foot], paints)
    return Solid(
        made.name,
        made.points,
        made.sides,
        made.counts,
        _unwrapped(made),
        made.stuff,
        made.smooth,
        paints,
        tuple(places),
    )


def _unwrapped(solid: Solid) -> Floats:
    """Let the quad where the band closes run on beyond the picture's edge, not back over the whole of it."""
    uv = solid.uv.copy()
    quads = uv[: 4 * int((solid.counts == 4).sum())].reshape(-1, 4, 2)
    wide = np.ptp(quads[..., 0], axis=1) > 0.5
    quads[wide, :, 0] += np.where(quads[wide, :, 0] < 0.5, 1.0, 0.0)
    return uv


def side_picture(face: Face, wide: int = 512) -> Pixels:
    """Unroll a chip's side: clockwise from left to right, as its spots count their angles."""
    found = np.empty((4, wide, 3), dtype=np.uint8)
    found[:] = face.base
    angles = (np.arange(wide) + 0.5) / wide * 2 * pi
    for sector in face.sectors:
        inside = (angles - sector.start) % (2 * pi) < sector.end - sector.start
        found[:, inside] = sector.colour
    return found
