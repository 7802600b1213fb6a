"""Hands: sprites are whole, reproducible and split by look; a drawn hand is where its truth says."""

from itertools import combinations

import numpy as np
import pytest

from feltwatch.datasets.art.drawing.raster import FAR, normals_of, raster
from feltwatch.datasets.art.hands.hand_art import DRESSES, TONES
from feltwatch.datasets.art.hands.hand_mesh import bundled_mesh, mesh_of, posed, read_glb
from feltwatch.datasets.art.hands.hand_pose import POSES, random_pose, touching
from feltwatch.datasets.art.hands.hands import (
    OWNER,
    SPRITES,
    SceneHand,
    draw_hand,
    draw_hand_shadow,
    hand_mask,
    look_of,
    make_sprite,
    sprite,
)
from feltwatch.datasets.common.cache import BUNDLED
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.lighting import Light
from feltwatch.vision.geometry.camera import look_at

CAMERA = look_at((960, 540), (0, 300, 2200), (0, 420), 2150)
DEMO = SPRITES["demo"]


@pytest.mark.parametrize("name", DEMO)
def test_a_bundled_sprite_is_cut_out_and_its_tip_is_inside(name: str) -> None:
    found = sprite(name)
    height, width = found.image.shape[:2]
    assert found.image.shape[2] == 4
    assert {0, 255} <= set(np.unique(found.image[..., 3]).tolist())
    assert 0 <= found.tip[0] < width
    assert 0 <= found.tip[1] < height / 2
    assert found.image[0, :, 3].max() == 0
    assert (found.levels[0][..., :3] <= found.levels[0][..., 3:]).all()


def test_the_bundle_is_small() -> None:
    assert sum(path.stat().st_size for path in (BUNDLED / "hands").iterdir()) < 250_000


def test_the_same_name_gives_the_same_pixels() -> None:
    first, second = (make_sprite("hand-test-003", bundled_mesh()) for _ in range(2))
    assert (first.image == second.image).all()
    assert first.tip == second.tip


def test_no_look_is_in_two_splits() -> None:
    assert {split: len(names) for split, names in SPRITES.items()} == {"train": 240, "val": 40, "test": 40, "demo": 8}
    looks = {split: {look_of(name) for name in names} for split, names in SPRITES.items()}
    for one, other in combinations(looks.values(), 2):
        assert not one & other
    assert len(TONES) >= 12
    assert len({tone for tone, _ in looks["test"]}) >= 10
    assert len({dress.name for dress in DRESSES}) == len(DRESSES)


def test_an_unknown_hand_is_refused() -> None:
    with pytest.raises(DataError, match="hand-nowhere"):
        sprite("hand-nowhere")
    with pytest.raises(DataError, match="glTF"):
        read_glb(b"nothing of the kind")


def test_a_hand_covers_its_tip_and_points_away() -> None:
    hand = SceneHand("hand-demo-001", 50, 300, 20, -90)
    found = sprite(hand.sprite)
    image, owner = np.full((540, 960, 3), 90, dtype=np.uint8), np.zeros((540, 960), dtype=np.uint8)
    draw_hand(image, owner, CAMERA, hand, found)
    rows, columns = np.nonzero(owner == OWNER)
    at = CAMERA.to_picture([[50, 300, 20]])[0]
    assert np.hypot(columns - at[0], rows - at[1]).min() < 14
    elbow = CAMERA.to_picture([[50, -60, 20]])[0]
    assert np.hypot(columns - elbow[0], rows - elbow[1]).min() < 40
    assert (image[owner == 0] != 90).any(axis=1).mean() < 0.01
    assert (owner == hand_mask((540, 960), CAMERA, hand, found)).all()


def test_a_hand_outside_the_picture_changes_nothing() -> None:
    image, owner = np.full((540, 960, 3), 90, dtype=np.uint8), np.zeros((540, 960), dtype=np.uint8)
    hand = SceneHand("hand-demo-001", 9000, 300, 20, 0)
    draw_hand(image, owner, CAMERA, hand, sprite(hand.sprite))
    draw_hand_shadow(image, CAMERA, hand, sprite(hand.sprite), Light())
    assert (image == 90).all()
    assert not owner.any()


def test_a_shadow_only_darkens() -> None:
    image = np.full((540, 960, 3), 90, dtype=np.uint8)
    hand = SceneHand("hand-demo-002", 0, 300, 60, 90)
    draw_hand_shadow(image, CAMERA, hand, sprite(hand.sprite), Light(dark=0.6))
    assert image.max() == 90
    assert image.min() < 50


@pytest.mark.parametrize("kind", POSES)
def test_a_pose_moves_bones_and_keeps_their_lengths(kind: str) -> None:
    mesh = bundled_mesh()
    points, joints = posed(mesh, random_pose(kind, np.random.default_rng(1)))
    assert points.shape == mesh.points.shape
    for low, high in (
        ("index-finger-phalanx-proximal", "index-finger-phalanx-intermediate"),
        ("thumb-phalanx-distal", "thumb-tip"),
    ):
        then, now = (np.linalg.norm(found[high] - found[low]) for found in (mesh.joints, joints))
        assert now == pytest.approx(then)
    assert np.isfinite(touching(kind, joints)).all()


def test_the_mesh_is_a_left_hand_in_millimetres() -> None:
    mesh = mesh_of((BUNDLED / "hands" / "left.glb").read_bytes())
    assert 150 < mesh.joints["middle-finger-tip"][1] < 200
    assert mesh.joints["thumb-tip"][0] > 40
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1)
    assert normals_of(mesh.points, mesh.faces)[:, 2].mean() == pytest.approx(0, abs=0.3)


def test_the_nearer_triangle_wins() -> None:
    pixels = np.array([[0, 0], [9, 0], [0, 9], [0, 0], [9, 0], [0, 9]], dtype=np.float64)
    depth = np.array([1, 1, 1, 5, 5, 5], dtype=np.float64)
    values = np.array([[1.0]] * 3 + [[2.0]] * 3)
    heights, found = raster(pixels, depth, np.array([[0, 1, 2], [3, 4, 5]]), values, (10, 10))
    assert (heights[2, 2], found[2, 2, 0]) == (5, 2)
    assert heights[9, 9] == np.float32(FAR)
