"""A rectangle of a card's size is found by what it changed, whatever it lies on."""

import numpy as np
import pytest

from feltwatch.vision.scene.rectangle_search import CardPose, RectangleSearch
from tests.toy_table import CARD_MM
from tests.vision.scene.drawn_scene import Drawn, Table

UNDER: CardPose = (0.0, 400.0, 70.0)


@pytest.mark.parametrize(
    "pose",
    [
        pytest.param((0.0, 400.0, 20.0), id="on felt"),
        pytest.param((5.0, 404.0, 71.0), id="nearly squared"),
        pytest.param((3.0, 395.0, 160.0), id="across"),
        pytest.param((20.0, 420.0, 82.0), id="askew"),
    ],
)
@pytest.mark.parametrize("on", [False, True])
def test_a_card_that_landed_is_found_to_the_millimetre(pose: CardPose, *, on: bool) -> None:
    table = Table([Drawn(3, UNDER)] if on else [])
    table.cards = [*table.cards, Drawn(7, pose)]
    view = table.view()
    change, _ = table.scene.without(view.now, view.part, view.cards, ())
    corner = table.scene.corner(view.part)
    near = [(*(np.array(UNDER[:2]) - corner).tolist(), UNDER[2] + turn) for turn in (0.0, 90.0)] if on else []
    best = RectangleSearch(view.now, change, view.rest, CARD_MM).poses(near)[0]
    x, y = np.array(best.pose[:2]) + corner
    assert np.hypot(x - pose[0], y - pose[1]) <= 2.5
    assert abs((best.pose[2] - pose[2] + 90) % 180 - 90) <= 2.5


def test_where_nothing_changed_nothing_is_found() -> None:
    table = Table([Drawn(3, UNDER)])
    view = table.view()
    change, _ = table.scene.without(view.now, view.part, view.cards, ())
    assert RectangleSearch(view.now, change, view.rest, CARD_MM).poses([]) == []
