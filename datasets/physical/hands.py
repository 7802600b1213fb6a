"""Hands of the physical grade: the mesh that a sprite was drawn from, set so that it looks as the sprite does."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from feltwatch.datasets.art.drawing.raster import normals_of
from feltwatch.datasets.art.hands.hand_art import MARGIN, PX_PER_MM, RING, SKIN, BodyPart, arm
from feltwatch.datasets.art.hands.hand_mesh import Mesh, bundled_mesh, posed
from feltwatch.datasets.art.hands.hand_pose import POSES, random_pose, touching
from feltwatch.datasets.art.hands.hands import CUT_MM, HandSprite, SceneHand, corners_of, look_of, sprite, tinted
from feltwatch.datasets.physical.mesh import Paint, Solid, grid_faces
from feltwatch.datasets.physical.view import rays_of
from feltwatch.vision.arrays import Floats, Indices, Pixels
from feltwatch.vision.geometry.camera import Camera

__all__ = ["Posed", "hand_solid", "posed_hand", "sprite_rays"]

OUTSIDE = 0.65  # a pixel no further from the middle, in sizes of the picture, has a ray of its own
SPREAD_PX = 12  # how far the colours of a sprite run on beyond its edge


@dataclass(frozen=True, eq=False)
class Posed:
    """A sprite's body: points in the sprite's own pixels and, third, millimetres above its lowest point."""

    points: Floats
    faces: Indices
    skin: Indices  # 1 where a face is skin, else 0
    normals: Floats


@lru_cache(maxsize=64)
def posed_hand(name: str) -> Posed:
    """Repeat the throws of the dice that made a sprite, up to its shape."""
    mesh = bundled_mesh()
    rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little"))
    tone, dress = look_of(name)
    tinted(tone, rng)
    kind = str(rng.choice([*POSES]))
    shape, joints = posed(mesh, random_pose(kind, rng))
    bodies = [_skin(mesh, shape), *arm(dress, rng)]
    size = float(rng.uniform(0.9, 1.1))
    points = np.concatenate([body.points for body in bodies]) * size
    starts = np.cumsum([0, *[len(body.points) for body in bodies]])
    faces = np.concatenate([body.faces + start for body, start in zip(bodies, starts, strict=False)])
    skin = np.concatenate([np.full(len(body.faces), int(body.stuff == SKIN)) for body in bodies])
    normals = np.concatenate([normals_of(body.points, body.faces) for body in bodies])
    left, top = points[:, 0].min() - MARGIN / PX_PER_MM, points[:, 1].max() + MARGIN / PX_PER_MM
    seen = sprite(name)
    x = (points[:, 0] - left) * PX_PER_MM - 0.5
    touched = (touching(kind, joints)[0] * size - left) * PX_PER_MM - 0.5
    if abs(touched - seen.tip[0]) > 1.0:  # it is the other hand
        x, faces = seen.image.shape[1] - 1 - x, faces[:, ::-1]
        normals = normals * [-1, 1, 1]
    y = (top - points[:, 1]) * PX_PER_MM - 0.5
    found = np.column_stack([x, y, points[:, 2] - points[:, 2].min()])
    return _longer(Posed(found, faces, skin, normals), seen.image)


def _longer(body: Posed, image: Pixels) -> Posed:
    """Let the sleeve go on as far as the sprite's does, straight from where that was cut."""
    cut = float(body.points[:, 1].max()) + MARGIN - CUT_MM * PX_PER_MM
    shown = np.flatnonzero(image[-1, :, 3] > 127)
    if not len(shown):
        return body
    kept = (body.points[body.faces, 1] < cut).all(axis=1)
    near = np.abs(body.points[:, 1] - cut) < 12 * PX_PER_MM
    middle, wide = (shown[0] + shown[-1]) / 2, (shown[-1] - shown[0] + 1) / 2
    tall = float(body.points[near, 2].mean()) if near.any() else wide
    angles = np.linspace(0, 2 * np.pi, RING, endpoint=False)
    rows = np.linspace(cut - 10 * PX_PER_MM, image.shape[0] - 0.5, 10)
    tube = np.empty((len(rows), RING, 3))
    tube[..., 0] = middle + wide * np.cos(angles)
    tube[..., 1] = rows[:, None]
    tube[..., 2] = tall + 0.85 * wide / PX_PER_MM * np.sin(angles)
    normals = np.tile(np.column_stack([np.cos(angles), angles * 0, np.sin(angles)]), (len(rows), 1))
    quads = grid_faces(len(rows), RING, closed=True) + len(body.points)
    sides = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Posed(
        np.concatenate([body.points, tube.reshape(-1, 3)]),
        np.concatenate([body.faces[kept], sides]),
        np.concatenate([body.skin[kept], np.zeros(len(sides), dtype=np.intp)]),
        np.concatenate([body.normals, normals]),
    )


def _skin(mesh: Mesh, shape: Floats) -> BodyPart:
    return BodyPart(shape, mesh.faces, mesh.points, mesh.points, SKIN)


def sprite_rays(camera: Camera, hand: SceneHand, seen: HandSprite, pixels: Floats) -> Floats:
    """Give the direction (N x 3, in the felt's frame, one long downwards) in which each pixel of a sprite is seen.

    The fast compositor bends a sprite by its corners alone, so the rays are those of the picture and not of the plane.
    Far outside the picture, where no lens can be undone, they are those of the plane.
    """
    height, width = seen.image.shape[:2]
    flat = corners_of(hand, seen)
    there = camera.to_picture(np.column_stack([flat, np.full(4, hand.z)]))
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32) - np.float32(0.5)
    shown = cv2.getPerspectiveTransform(corners, there.astype(np.float32))
    plane = cv2.getPerspectiveTransform(corners, flat.astype(np.float32))
    places, at = (cv2.perspectiveTransform(pixels[None], matrix)[0] for matrix in (plane, shown))
    found = np.column_stack([places, np.full(len(places), hand.z)]) - camera.eye
    size = np.array([camera.width, camera.height])
    near = (np.abs(at - size / 2) < size * OUTSIDE).all(axis=1)
    found[near] = np.column_stack([rays_of(camera, at[near]), np.ones(int(near.sum()))]) @ camera.r
    return np.asarray(found / -found[:, 2:])


def hand_solid(camera: Camera, hand: SceneHand) -> tuple[Solid, Floats]:
    """Give a hand each of whose points lies on the ray that its sprite shows it on, and its points' normals."""
    body, seen = posed_hand(hand.sprite), sprite(hand.sprite)
    high = hand.z + body.points[:, 2:] * hand.scale
    points = camera.eye + sprite_rays(camera, hand, seen, body.points[:, :2]) * (camera.eye[2] - high)
    height, width = seen.image.shape[:2]
    uv = np.column_stack([(body.points[:, 0] + 0.5) / width, 1 - (body.points[:, 1] + 0.5) / height])
    gains = np.clip(1.0 / (0.42 + 0.58 * np.clip(body.normals[:, 2], 0, 1)), 1.0, 1.7)
    picture = spread(seen.image)
    paints = (
        Paint(f"cloth {hand.sprite}", picture=picture, rough=0.95, shine=0.15, sheen=0.3),
        Paint(f"skin {hand.sprite}", picture=picture, rough=0.5, shine=0.4, flesh=0.12),
    )
    sides = body.faces.ravel()
    count = len(body.faces)
    made = Solid(
        f"hand {hand.sprite}",
        points,
        sides,
        np.full(count, 3),
        uv[sides],
        body.skin,
        np.ones(count, dtype=np.bool_),
        paints,
        (),
        gains,
    )
    return made, body.normals


def spread(image: Pixels) -> Pixels:
    """Let the colours of a BGRA picture run on beyond its edge."""
    solid = cv2.erode(image[..., 3], np.ones((5, 5), np.uint8)).astype(np.float32) / 255
    colour = image[..., :3].astype(np.float32) * solid[..., None]
    found = colour.copy()
    done = solid > 0.99
    for size in (2.0, 5.0, SPREAD_PX):
        cover = cv2.GaussianBlur(solid, (0, 0), size)
        near = cv2.GaussianBlur(colour, (0, 0), size) / np.maximum(cover, 1e-4)[..., None]
        fill = ~done & (cover > 0.002)
        found[fill] = near[fill]
        done |= fill
    return np.clip(found, 0, 255).astype(np.uint8)
