"""The hand's mesh: read from glTF, posed joint by joint. The mesh is MIT licensed, see art/hands/hands.json.

A hand's frame is in millimetres with the wrist at (0, 0, 0): x to the thumb's side of a left hand, y along the fingers,
z out of its back.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike

from feltwatch.datasets.common.cache import BUNDLED
from feltwatch.datasets.common.errors import DataError
from feltwatch.vision.arrays import AnyArray, Floats, Indices

KINDS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDE = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
FINGERS = ("thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger")
BONES = {
    finger: tuple(
        f"{finger}-{part}"
        for part in ("metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip")
        if not (finger == "thumb" and part == "phalanx-intermediate")
    )
    for finger in FINGERS
}
BACK = np.array([0.0, 0.0, 1.0])
THUMB_BACK = np.array([0.62, -0.15, 0.77])


@dataclass(frozen=True)
class Mesh:
    """A left hand at rest, palm down, fingers straight."""

    points: Floats  # N x 3
    faces: Indices
    joints: Mapping[str, Floats]
    owners: Indices  # N x 4: which joints move a point
    weights: Floats
    names: tuple[str, ...]


def read_glb(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Give the description and the buffer of a binary glTF file."""
    if data[:4] != b"glTF" or len(data) < 20:
        raise DataError("not a binary glTF file")
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def accessor(found: dict[str, Any], buffer: bytes, number: int) -> AnyArray:
    about = found["accessors"][number]
    view = found["bufferViews"][about["bufferView"]]
    start = view.get("byteOffset", 0) + about.get("byteOffset", 0)
    kind, wide = np.dtype(KINDS[about["componentType"]]), WIDE[about["type"]]
    return np.frombuffer(buffer, kind, about["count"] * wide, start).reshape(-1, wide)


@lru_cache(maxsize=1)
def bundled_mesh() -> Mesh:
    return mesh_of((BUNDLED / "hands" / "left.glb").read_bytes())


def mesh_of(data: bytes) -> Mesh:
    """Take the left hand of the WebXR generic hand, whose fingers run along -y and whose back looks along -x."""
    found, buffer = read_glb(data)
    part = found["meshes"][0]["primitives"][0]
    names = tuple(found["nodes"][n]["name"] for n in found["skins"][0]["joints"])
    places = {node["name"]: np.array(node["translation"]) for node in found["nodes"] if "translation" in node}
    wrist = places["wrist"]

    def framed(points: ArrayLike) -> Floats:
        moved = (np.asarray(points, dtype=np.float64) - wrist) * 1000
        return np.stack([-moved[..., 2], -moved[..., 1], -moved[..., 0]], axis=-1)

    corners = framed(accessor(found, buffer, part["attributes"]["POSITION"]))
    points, same = np.unique(np.round(corners, 3), axis=0, return_inverse=True)  # seams of the texture closed
    first = np.zeros(len(points), dtype=np.intp)
    first[same.ravel()] = np.arange(len(corners))
    faces = same.ravel()[accessor(found, buffer, part["indices"]).reshape(-1, 3).astype(np.intp)]
    owners = accessor(found, buffer, part["attributes"]["JOINTS_0"])[first].astype(np.intp)
    weights = accessor(found, buffer, part["attributes"]["WEIGHTS_0"])[first].astype(np.float64)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    return Mesh(points, faces, {name: framed(places[name]) for name in names}, owners, weights, names)


@dataclass(frozen=True, slots=True)
class Pose:
    """Angles in degrees: each finger's bend at its three joints, how far it is spread, and the hand's own tilt."""

    bends: Mapping[str, tuple[float, float, float]]
    spreads: Mapping[str, float]
    pitch: float = 0.0  # fingertips down
    roll: float = 0.0  # thumb's side down
    aside: float = 0.0  # bent at the wrist toward the thumb


def turn(axis: ArrayLike, degrees: float) -> Floats:
    """Give the rotation about an axis."""
    unit = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis)
    return np.asarray(cv2.Rodrigues(unit * np.deg2rad(degrees))[0], dtype=np.float64)


def posed(mesh: Mesh, pose: Pose) -> tuple[Floats, dict[str, Floats]]:
    """Give the points and the joints of a posed hand."""
    whole = turn((1, 0, 0), -pose.pitch) @ turn((0, 1, 0), pose.roll) @ turn((0, 0, 1), -pose.aside)
    moves: dict[str, tuple[Floats, Floats]] = {"wrist": (whole, np.zeros(3))}
    for finger in FINGERS:
        _bend(mesh, pose, finger, moves)
    turns = np.stack([moves[name][0] for name in mesh.names])
    shifts = np.stack([moves[name][1] for name in mesh.names])
    carried = np.einsum("nkij,nj->nki", turns[mesh.owners], mesh.points) + shifts[mesh.owners]
    points = np.einsum("nk,nki->ni", mesh.weights, carried)
    return points, {name: moves[name][0] @ place + moves[name][1] for name, place in mesh.joints.items()}


def _bend(mesh: Mesh, pose: Pose, finger: str, moves: dict[str, tuple[Floats, Floats]]) -> None:
    turned, shift = moves["wrist"]
    bones, bends = BONES[finger], pose.bends[finger]
    angles = (bends[0], bends[1], bends[2]) if finger == "thumb" else (0.0, *bends)
    for n, name in enumerate(bones):
        if n < len(angles):
            here, ahead = mesh.joints[name], mesh.joints[bones[n + 1]]
            back = THUMB_BACK if finger == "thumb" else BACK
            axis = np.cross(ahead - here, back)
            local = turn(axis, -angles[n])
            if n == (0 if finger == "thumb" else 1):
                local = local @ turn(back, -pose.spreads[finger])
            turned, shift = turned @ local, turned @ (here - local @ here) + shift
        moves[name] = (turned, shift)
