"""What the detector makes of the network's rows: boxes become corners, and boxes of one card become one."""

from math import pi

import numpy as np
import pytest

from feltwatch.models.shipped.registry import Model
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection import detector as module
from feltwatch.vision.detection.detector import FULL_PX, LEAST_PX, STRIDE, Detector, corners, fitted

CLASSES = ("card_up", "card_down", "chip_stack", "hand")


@pytest.fixture
def eye(monkeypatch: pytest.MonkeyPatch) -> Detector:
    """Give a detector whose network says what a test puts into it."""
    monkeypatch.setattr(module, "open_model", lambda *_: None)
    settings = {f"least_{name}": 0.25 for name in CLASSES} | {"agree": 0.2, "lone": 0.5, "certain": 0.25}
    return Detector(Model("detector", "", "", "", "", CLASSES, "", "", settings, {}))


def saying(eye: Detector, *rows: tuple[float, ...]) -> Detector:
    raw = np.array(rows, np.float32).reshape(-1, 9).T[None]
    eye.run = lambda _: raw
    return eye


def blank(width: int, height: int) -> Pixels:
    return np.zeros((height, width, 3), np.uint8)


def row(x: float, y: float, score: float = 0.9, kind: int = 0, turn: float = 0.0) -> tuple[float, ...]:
    scores = [0.0] * 4
    scores[kind] = score
    return (x, y, 40.0, 56.0, *scores, turn)


@pytest.mark.parametrize(
    ("size", "scale"),
    [((1920, 1080), 2 / 3), ((1080, 1920), 2 / 3), ((640, 480), 1.0), ((320, 200), 2.0), ((1, 1), 640)],
)
def test_a_picture_is_fitted_to_whole_strides(size: tuple[int, int], scale: float) -> None:
    shown, found = fitted(blank(*size))
    assert found == pytest.approx((scale, scale), rel=0.01)
    assert shown.shape[0] % STRIDE == shown.shape[1] % STRIDE == 0
    assert LEAST_PX <= max(shown.shape[:2]) <= FULL_PX


def test_corners_go_clockwise_from_where_both_sides_start() -> None:
    upright, turned = corners(np.array([(50.0, 60.0, 20.0, 30.0, 0.0), (50.0, 60.0, 20.0, 30.0, pi / 2)]))
    assert upright == pytest.approx(np.array([(40, 45), (60, 45), (60, 75), (40, 75)]))
    assert turned == pytest.approx(np.array([(65, 50), (65, 70), (35, 70), (35, 50)]))


def test_boxes_come_back_in_the_pixels_of_the_picture(eye: Detector) -> None:
    (found,) = saying(eye, row(640, 360)).find(blank(1920, 1080))
    assert found.quad.mean(axis=0) == pytest.approx((960.25, 540.25))  # a pixel's middle is half a pixel in
    assert np.ptp(found.quad, axis=0) == pytest.approx((60, 84))


@pytest.mark.parametrize("size", [(1921, 1080), (6000, 1001), (333, 997), (97, 1999)])
def test_a_place_at_the_far_corner_comes_back_there(eye: Detector, size: tuple[int, int]) -> None:
    shown, _ = fitted(np.full((size[1], size[0], 3), 255, np.uint8))
    bright = (shown == 255).all(axis=2)
    corner = (int(bright.any(axis=0).sum()), int(bright.any(axis=1).sum()))  # of the picture, in what the network sees
    (found,) = saying(eye, row(corner[0] - 0.5, corner[1] - 0.5)).find(blank(*size))
    assert found.quad.mean(axis=0) == pytest.approx((size[0] - 0.5, size[1] - 0.5))


def test_boxes_of_one_card_become_one_and_neighbours_stay_two(eye: Detector) -> None:
    near = saying(eye, row(300, 300), row(302, 300, 0.6), row(300, 301, 0.5, turn=0.02), row(312, 300, 0.8))
    found = near.find(blank(1280, 720))
    assert [float(one.quad[:, 0].mean()) for one in found] == pytest.approx([300.5, 312], abs=0.1)


def test_a_box_turned_by_a_quarter_with_its_sides_swapped_is_the_same_card(eye: Detector) -> None:
    swapped = (300.0, 300.0, 56.0, 40.0, 0.7, 0, 0, 0, pi / 2)
    assert len(saying(eye, row(300, 300), swapped).find(blank(1280, 720))) == 1


def test_face_up_and_face_down_at_one_place_are_one_card(eye: Detector) -> None:
    (found,) = saying(eye, row(300, 300, 0.8, 0), row(300, 300, 0.4, 1)).find(blank(1280, 720))
    assert found.kind == "card_up"


def test_a_chip_on_a_card_is_not_the_card(eye: Detector) -> None:
    found = saying(eye, row(300, 300), row(300, 300, 0.8, 2)).find(blank(1280, 720))
    assert [one.kind for one in found] == ["card_up", "chip_stack"]


def test_what_the_network_hardly_believes_is_left_out(eye: Detector) -> None:
    assert saying(eye, row(300, 300, 0.2)).find(blank(1280, 720)) == []
    assert saying(eye).find(blank(1280, 720)) == []


def test_a_thing_is_where_enough_boxes_agree_and_they_decide_how_it_lies(eye: Detector) -> None:
    eye.agree = 1.2
    up, down = row(300, 300, 0.5), row(302, 301, 0.45, kind=1)
    assert saying(eye, up, down).find(blank(1280, 720)) == []
    (found,) = saying(eye, up, down, row(301, 301, 0.42, kind=1)).find(blank(1280, 720))
    assert found.kind == "card_down"
    assert found.score == pytest.approx(0.5)
    assert found.up == pytest.approx(0.5 / 1.37)
    assert saying(eye, row(300, 300, 0.9), row(300, 300, 0.9, kind=2)).find(blank(1280, 720)) == []  # not alike


@pytest.mark.parametrize("turn", [-0.7, 0.0, 0.4, pi / 2, 2.3])
def test_the_shorter_side_of_a_box_is_across_however_the_network_puts_it(eye: Detector, turn: float) -> None:
    lying = (300.0, 300.0, 56.0, 40.0, 0.9, 0, 0, 0, turn)
    (found,) = saying(eye, lying).find(blank(1280, 720))
    assert np.hypot(*(found.quad[1] - found.quad[0])) == pytest.approx(40)
    way = found.quad[3] - found.quad[0]
    assert abs(way @ (np.cos(turn), np.sin(turn))) == pytest.approx(56)
