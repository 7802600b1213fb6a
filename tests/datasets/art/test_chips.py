"""Chips: drawn pixels keep to the truth, sets are reproducible and split whole."""

from itertools import combinations

import cv2
import numpy as np
import pytest

from feltwatch.datasets.art.chips.chip_faces import SIZE
from feltwatch.datasets.art.chips.chips import CHIP_SETS, VALUES, ChipStack, chip_set, draw_stack, pile_of, shadow_hull
from feltwatch.datasets.common.errors import DataError
from feltwatch.vision.geometry.camera import look_at

OVERHEAD = look_at((960, 540), (0, 300, 2200), (0, 420), 1100)
ASLANT = look_at((960, 540), (300, 1500, 900), (0, 300), 700, lens=(-0.08, 0.01, 0.0, 0.0, 0.0))
GROUND = (7, 201, 63)
CHIPS = chip_set("chips-house")


@pytest.mark.parametrize("camera", [OVERHEAD, ASLANT])
@pytest.mark.parametrize(("x", "y", "count"), [(0, 300, 1), (-180, 250, 7), (170, 420, 20)])
def test_what_is_drawn_is_the_hull(camera: object, x: float, y: float, count: int) -> None:
    assert isinstance(camera, type(OVERHEAD))
    image = np.full((540, 960, 3), GROUND, dtype=np.uint8)
    truth = draw_stack(image, camera, ChipStack("box1.main", x, y, (5,) * count, turn=count), CHIPS)
    drawn = (np.abs(image.astype(int) - GROUND).max(axis=2) > 60).astype(np.uint8)
    hull = np.zeros_like(drawn)
    cv2.fillPoly(hull, [np.rint(np.array(truth.hull) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    ring = np.ones((3, 3), dtype=np.uint8)
    assert drawn.sum() > 300
    assert not (drawn & (1 - cv2.dilate(hull, ring))).any()
    assert not (cv2.erode(hull, ring) & (1 - drawn)).any()


def test_the_truth_is_where_the_camera_sees_the_discs() -> None:
    stack = ChipStack("box2.main", 120, 340, (100, 25, 5), turn=4, neat=0.0)
    truth = draw_stack(np.zeros((540, 960, 3), dtype=np.uint8), ASLANT, stack, CHIPS)
    height = 3 * CHIPS.thick_mm
    np.testing.assert_allclose(truth.center, ASLANT.to_picture([[120, 340, height]])[0])
    np.testing.assert_allclose(truth.base, ASLANT.to_picture([[120, 340, 0]])[0])
    assert truth.radius == pytest.approx(CHIPS.radius_mm * ASLANT.scale(120, 340, height), rel=0.02)
    assert (truth.height_mm, truth.chips, truth.spot) == (height, (100, 25, 5), "box2.main")
    far = pile_of(stack, CHIPS, ASLANT).rims()[..., :2].reshape(-1, 2) - (120, 340)
    np.testing.assert_allclose(np.hypot(*far.T), CHIPS.radius_mm)


def test_a_stack_outside_the_picture_changes_nothing() -> None:
    image = np.full((540, 960, 3), GROUND, dtype=np.uint8)
    draw_stack(image, OVERHEAD, ChipStack(None, 4000, 300, (5,)), CHIPS)
    assert (image == GROUND).all()


def test_the_same_seed_gives_the_same_pixels() -> None:
    first, second, other = (np.zeros((540, 960, 3), dtype=np.uint8) for _ in range(3))
    for image, turn in ((first, 3), (second, 3), (other, 4)):
        draw_stack(image, ASLANT, ChipStack(None, 0, 300, (1, 5, 25), turn), CHIPS)
    assert (first == second).all()
    assert (first != other).any()
    again = chip_set.__wrapped__("chips-house")
    assert all((again.faces[v].levels[0] == CHIPS.faces[v].levels[0]).all() for v in VALUES)


def test_sets_are_split_whole() -> None:
    assert {split: len(names) >= least for split, names in CHIP_SETS.items() for least in (2,)} == dict.fromkeys(
        ("train", "val", "test"), True
    )
    assert len(CHIP_SETS["train"]) >= 10
    assert len(CHIP_SETS["test"]) >= 4
    for one, other in combinations(CHIP_SETS.values(), 2):
        assert not {*one} & {*other}
    assert chip_set("chips-test-01").split == "test"
    with pytest.raises(DataError, match="chips-nowhere"):
        chip_set("chips-nowhere")


def test_every_denomination_has_a_face() -> None:
    assert tuple(CHIPS.faces) == VALUES
    assert all(face.levels[0].shape == (SIZE, SIZE, 3) for face in CHIPS.faces.values())
    assert 19.5 <= CHIPS.radius_mm <= 20
    assert 3.2 <= CHIPS.thick_mm <= 3.4


def test_a_shadow_holds_the_foot_and_the_top_moved_by_the_light() -> None:
    stack = ChipStack(None, 0, 300, (5,) * 10)
    rims = shadow_hull(stack, CHIPS, (0.5, 0.2))
    outline = OVERHEAD.to_picture(rims[:, :2] + rims[:, 2:] * [0.5, 0.2]).astype(np.float32)
    assert cv2.isContourConvex(outline)
    height = 10 * CHIPS.thick_mm
    for x, y in ((0.0, 300.0), (0.5 * height, 300 + 0.2 * height), (-CHIPS.radius_mm + 1, 300.0)):
        at = OVERHEAD.to_picture([[x, y]])[0]
        assert cv2.pointPolygonTest(outline, (float(at[0]), float(at[1])), measureDist=False) > 0
    assert {float(z) for z in shadow_hull(stack, CHIPS)[:, 2]} == {0.0, height}
