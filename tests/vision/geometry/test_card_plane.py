"""Points of a card in the picture and back, and how much of its indices shows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.vision.geometry.card_plane import UNIT, from_unit, indices_shown, to_unit

QUAD = np.array([(300.0, 200.0), (360.0, 210.0), (345.0, 300.0), (285.0, 290.0)])


@given(st.lists(st.floats(-0.4, 1.4), min_size=8, max_size=8))
def test_points_of_a_card_go_to_the_picture_and_come_back(values: list[float]) -> None:
    points = np.array(values).reshape(4, 2)
    assert to_unit(QUAD, from_unit(QUAD, points)) == pytest.approx(points, abs=1e-3)
    assert from_unit(QUAD, UNIT) == pytest.approx(QUAD, abs=1e-3)


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [((0.0, 0.0), (1.0, 1.0)), ((0.0, 0.3), (0.0, 1.0)), ((0.3, 1.0), (1.0, 0.0)), ((0.0, 1.0), (0.0, 0.0))],
)
def test_an_index_shows_where_the_picture_has_the_number_of_its_card(
    hidden: tuple[float, float], shown: tuple[float, float]
) -> None:
    quad = np.array([(100.0, 50.0), (200.0, 50.0), (200.0, 190.0), (100.0, 190.0)])
    owners = np.zeros((240, 300), np.int32)
    owners[50:190, 100:200] = 7
    owners[:, 100 + round(100 * hidden[0]) : 100 + round(100 * hidden[1])] = 3
    assert indices_shown(owners, 7, quad) == shown
    assert indices_shown(owners, 7, np.roll(quad, 2, axis=0)) == shown[::-1]


def test_outside_the_picture_no_index_shows() -> None:
    assert indices_shown(np.full((50, 50), 7, np.int32), 7, QUAD) == (0.0, 0.0)
