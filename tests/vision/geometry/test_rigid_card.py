"""A card of known size is found some of whose corners are known badly."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.vision.arrays import Floats
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.geometry.rigid_card import rigid_quad

POKER = (63.0, 88.0)
CAMERA = look_at((1920, 1080), (0.0, 300.0, 1600.0), (0.0, 0.0), 2000.0)
EXACT = np.zeros(4)


def lying(x: float, y: float, degrees: float, size: tuple[float, float] = POKER) -> Floats:
    turn = np.radians(degrees)
    card = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(size) / 2
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    quad = CAMERA.to_picture(card @ spin + (x, y))
    return quad if cv2.contourArea(quad.astype(np.float32), oriented=True) > 0 else quad[[1, 0, 3, 2]]  # clockwise


@given(st.floats(-400, 400), st.floats(-300, 300), st.floats(0, 360))
def test_exact_corners_stay(x: float, y: float, degrees: float) -> None:
    quad = lying(x, y, degrees)
    assert rigid_quad(CAMERA, quad, EXACT, POKER) == pytest.approx(quad, abs=0.05)


@given(st.floats(-400, 400), st.floats(-300, 300), st.floats(0, 360), st.integers(0, 3))
def test_a_corner_that_is_known_badly_is_put_right_by_the_others(x: float, y: float, degrees: float, bad: int) -> None:
    quad, spreads = lying(x, y, degrees), np.full(4, 0.003)
    spreads[bad] = 0.08
    rough = quad.copy()
    rough[bad] += (4.0, -5.0)
    assert np.abs(rigid_quad(CAMERA, rough, spreads, POKER) - quad).max() < 0.4


@pytest.mark.parametrize("size", [(75.0, 150.0), (63.0, 130.0), (25.0, 88.0)])
def test_what_is_no_card_of_that_size_stays_as_it_is(size: tuple[float, float]) -> None:
    quad = lying(10.0, 20.0, 30.0, size)
    assert (rigid_quad(CAMERA, quad, np.full(4, 0.01), POKER) == quad).all()
