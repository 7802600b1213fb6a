"""The physical grade without Blender: its solids and its view agree with the camera, and it says what it lacks."""

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.__main__ import main
from feltwatch.datasets.art.chips.chips import ChipStack, chip_set, pile_of
from feltwatch.datasets.art.hands.hands import SPRITES, SceneHand, hand_mask, sprite
from feltwatch.datasets.lighting import Light
from feltwatch.datasets.physical.hands import hand_solid
from feltwatch.datasets.physical.mesh import card_rows, card_sides, card_solid, chip_solid, scaled_about
from feltwatch.datasets.physical.scene import card_slices, light_colour, solids_of, stack_slices
from feltwatch.datasets.physical.view import DepthOrder, rays_of, view_of
from feltwatch.datasets.scene.scene import THICK, LaidCard
from feltwatch.vision.geometry.camera import Camera, look_at
from tests.datasets.physical.helpers import CAMERA, LENS, plain_scene


def test_without_blender_one_line_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "bpy", None)
    assert main(["physical", "-o", str(tmp_path), "--count", "1"]) == 2
    assert capsys.readouterr().err == "datasets: physical needs Blender: pip install --no-deps bpy==5.0.1\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "wrong", [["--count", "0"], ["--count", "1", "--size", "1920"], ["--count", "1", "--samples", "0"]]
)
def test_wrong_wishes_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: list[str]) -> None:
    assert main(["physical", "-o", str(tmp_path), *wrong]) == 2
    assert "expected" in capsys.readouterr().err


@pytest.mark.parametrize("camera", [CAMERA, LENS, look_at((640, 360), (300, 800, 1200), (0, 400), 1500, roll_deg=180)])
def test_a_view_shows_each_pixel_where_the_camera_has_it(camera: Camera) -> None:
    view = view_of(camera)
    dice = np.random.default_rng(1)
    points = np.column_stack([dice.uniform(-900, 900, 500), dice.uniform(0, 900, 500), dice.uniform(0, 200, 500)])
    pixels = camera.to_picture(points)
    inside = ((pixels > 0) & (pixels < [camera.width - 1, camera.height - 1])).all(axis=1)
    seen = points[inside] @ camera.r.T + np.array(camera.translation)
    wide = seen[:, :2] / seen[:, 2:] * view.focal + view.middle
    assert inside.sum() > 50
    assert ((wide > 0) & (wide < [view.width - 1, view.height - 1])).all()
    at = pixels[inside].astype(np.float32)[None]
    looked = [cv2.remap(one, at[..., 0], at[..., 1], cv2.INTER_LINEAR)[0] for one in (view.x, view.y)]
    assert np.abs(np.column_stack(looked) - wide).max() < 0.05


def test_rays_are_the_exact_inverse_of_the_lens() -> None:
    pixels = np.array([[0.0, 0.0], [959, 0], [480, 270], [959, 539]])
    ahead = np.column_stack([rays_of(LENS, pixels), np.ones(4)])
    assert np.abs(LENS.to_picture((ahead - np.array(LENS.translation)) @ LENS.r) - pixels).max() < 1e-4


def test_a_card_is_as_thick_as_a_card_and_has_round_corners() -> None:
    card = LaidCard("c1", "Ah", up=True, x=10, y=400, angle=35, z=2.0, bend=0.6, lean=4)
    top, under = card_sides(card)
    assert np.allclose(np.linalg.norm(top - under, axis=1), THICK)
    along, inset = card_rows(card.size)
    assert along[0] == 0
    assert along[-1] == 1
    assert np.all(np.diff(along) > 0)
    assert inset[0] * card.size[0] == pytest.approx(3.3)
    assert np.allclose(top[0::2], card.points(inset, along))
    assert (top[:, 2] > under[:, 2]).all()


def test_what_is_brought_nearer_to_the_eye_looks_the_same() -> None:
    card = LaidCard("c1", "Ah", up=True, x=10, y=400, angle=35)
    assert np.allclose(
        LENS.to_picture(scaled_about(LENS.eye, card.corners, 0.97)), LENS.to_picture(card.corners), atol=1e-6
    )


def test_whatever_is_drawn_later_lies_before_the_rest() -> None:
    cards = [
        LaidCard(f"c{n}", "Ah", up=True, x=4 * n, y=400, angle=90 + n, z=0.0, bend=0.7 - 0.3 * n) for n in range(6)
    ]
    order = DepthOrder(CAMERA)
    heights = []
    for card in cards:
        slices = card_slices(CAMERA, card)
        scale = order.before(slices)
        order.lay(slices, scale)
        top, under = (scaled_about(CAMERA.eye, side, scale) for side in card_sides(card))
        heights.append((under[:, 2].min(), top[:, 2].max()))
    assert heights[0][0] >= 0
    for (_, below), (above, _) in pairwise(heights):
        assert above > below - 0.8  # bent cards nest: only where they meet must the later one be higher
    assert heights[-1][1] < 12


def test_a_chip_of_the_mesh_fills_the_outline_of_the_truth() -> None:
    chips = chip_set("chips-house")
    stack = ChipStack(None, 120.0, 500.0, (5, 25, 100), 7, 2.0)
    pile = pile_of(stack, chips, CAMERA)
    rims = CAMERA.to_picture(pile.rims().reshape(-1, 3)).astype(np.float32)
    hull = cv2.convexHull(rims)
    solid = chip_solid("chip", (chips.radius_mm, chips.thick_mm), chips.faces[5], (), 0.1)
    for n, middle in enumerate(pile.middles):
        placed = solid.points + np.array([*middle, n * pile.thick])
        for pixel in CAMERA.to_picture(placed):
            assert cv2.pointPolygonTest(hull, (float(pixel[0]), float(pixel[1])), measureDist=True) > -0.6
    assert len(stack_slices(CAMERA, pile)) == 4


@pytest.mark.parametrize("camera", [CAMERA, LENS])
@pytest.mark.parametrize("name", SPRITES["demo"])
def test_a_hands_mesh_fills_its_sprites_outline(name: str, camera: Camera) -> None:
    hand = SceneHand(name, 40.0, 380.0, 30.0, 80.0)
    solid, _ = hand_solid(camera, hand)
    pixels = camera.to_picture(solid.points)
    drawn = np.zeros((camera.height, camera.width), np.uint8)
    for face in solid.sides.reshape(-1, 3):
        cv2.fillConvexPoly(drawn, np.rint(pixels[face] * 16).astype(np.int32), 255, cv2.LINE_8, 4)
    told = hand_mask(drawn.shape, camera, hand, sprite(name))
    wrong = cv2.erode((drawn != told).astype(np.uint8), np.ones((3, 3), np.uint8))
    assert told.any()
    assert wrong.sum() < 0.01 * (told > 0).sum()


def test_a_scene_becomes_solids_without_blender() -> None:
    scene = plain_scene(3)
    names = [solid.name for solid in solids_of(scene)]
    assert names[:3] == ["felt", "rail", "floor"]
    assert [card.id for card in scene.cards] == [name for name in names if name.startswith("c") and name[1:].isdigit()]
    for solid in solids_of(scene):
        assert len(solid.uv) == len(solid.sides) == solid.counts.sum()
        assert solid.sides.max() < len(solid.points)
        assert np.isfinite(solid.points).all()
        assert solid.stuff.max() < len(solid.paints)


def test_the_lamps_have_the_colour_of_the_light() -> None:
    red, green, blue = light_colour(replace(Light(), colour=(0.9, 1.0, 1.1)))
    assert red > green > blue


def test_the_back_of_a_card_is_not_mirrored() -> None:
    card = LaidCard("c1", "Ah", up=True, x=0, y=400, angle=90)
    paints = solids_of(replace(plain_scene(1), cards=(card,)))[0].paints
    solid = card_solid(card, (paints[0],) * 3, CAMERA.eye, 1.0)
    quads = solid.sides.reshape(-1, 4)
    rows = len(card_rows(card.size)[0])
    top, under = quads[0], quads[rows - 1]
    left = solid.points[:, 0]
    first, second = solid.uv[:4, 0], solid.uv[4 * (rows - 1) : 4 * rows, 0]
    assert np.sign(np.corrcoef(left[top], first)[0, 1]) == -np.sign(np.corrcoef(left[under], second)[0, 1])
