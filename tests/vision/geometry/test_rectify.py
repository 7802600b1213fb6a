"""Cards cut out and set upright: where each corner goes, and which rectangle is nearest to a quad."""

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.geometry.rectify import SIZE, rectangle, rectify

QUAD = np.array([(120.0, 80.0), (200.0, 110.0), (160.0, 230.0), (80.0, 200.0)])
CORNERS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255))


def picture_of(quad: Floats, scale: float = 1.0) -> Pixels:
    """Draw a card whose quarters have four colours."""
    card = np.zeros((400, 300, 3), np.uint8)
    for colour, (x, y) in zip(CORNERS, ((0, 0), (150, 0), (150, 200), (0, 200)), strict=True):
        card[y : y + 200, x : x + 150] = colour
    goal = ((quad + 0.5) * scale - 0.5).astype(np.float32)
    home = cv2.getPerspectiveTransform(np.array([(0, 0), (300, 0), (300, 400), (0, 400)], np.float32) - 0.5, goal)
    return np.asarray(cv2.warpPerspective(card, home, (round(300 * scale), round(300 * scale))), np.uint8)


@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_each_corner_comes_to_its_place(scale: float) -> None:
    crop = rectify(picture_of(QUAD, scale), (QUAD + 0.5) * scale - 0.5, 0.0)
    assert crop.shape == (SIZE[1], SIZE[0], 3)
    quarters = [(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)]
    seen = [tuple(int(v) for v in crop[int(y * SIZE[1]), int(x * SIZE[0])]) for x, y in quarters]
    assert seen == list(CORNERS)


def test_a_margin_shows_what_lies_round_the_card() -> None:
    crop = rectify(picture_of(QUAD), QUAD, 0.1)
    assert not crop[2, SIZE[0] // 2].any()
    assert crop[SIZE[1] // 4, SIZE[0] // 4].any()


def test_a_card_beyond_the_edge_of_the_picture_is_cut_all_the_same() -> None:
    crop = rectify(picture_of(QUAD), QUAD + np.array([150, 0]), 0.0)
    assert crop.shape == (SIZE[1], SIZE[0], 3)


def test_a_rectangle_is_its_own_nearest() -> None:
    for turn in np.linspace(0, 6, 13):
        way = np.array([np.cos(turn), np.sin(turn)])
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [30, 42]
        quad = half @ np.array([way, [-way[1], way[0]]]) + [100, 90]
        assert rectangle(quad) == pytest.approx(quad)


def test_the_rectangle_of_a_leaning_card_covers_it_best() -> None:
    lean = np.array([(10.0, 10.0), (70.0, 16.0), (84.0, 100.0), (24.0, 94.0)])
    own = _overlap(rectangle(lean), lean)
    boxed = cv2.boxPoints(cv2.minAreaRect(lean.astype(np.float32)))
    assert own > _overlap(np.asarray(boxed, np.float64), lean)
    assert own > 0.85


def _overlap(one: Floats, other: Floats) -> float:
    both = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))[0]
    return both / (cv2.contourArea(one.astype(np.float32)) + cv2.contourArea(other.astype(np.float32)) - both)
