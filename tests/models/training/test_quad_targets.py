"""What the detector's cells are taught: the thing that each of them shows."""

import numpy as np
import pytest

from feltwatch.datasets.sets.owners import IDENTITY, owner_drawing
from feltwatch.datasets.truth import CardTruth, StackTruth, Truth
from feltwatch.models.training.quad_targets import FEWEST, IGNORED, STRIDES, CellTargets, cell_targets
from feltwatch.vision.arrays import Quad

SIDE = 256
UNDER: Quad = ((20, 20), (84, 20), (84, 116), (20, 116))


def targets(*cards: CardTruth, move: np.ndarray[tuple[int, int], np.dtype[np.float64]] = IDENTITY) -> CellTargets:
    return cell_targets(owner_drawing(Truth(SIDE, SIDE, cards)), SIDE, move)


def card(quad: Quad, visible: float = 1.0, *, up: bool = True) -> CardTruth:
    return CardTruth("c", quad, "9h", up, visible)


def shifted(quad: Quad, by: float) -> Quad:
    a, b, c, d = ((x + by, y) for x, y in quad)
    return a, b, c, d


def grid(found: CellTargets) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """Give the finest cells by row and column of the window."""
    count = SIDE // STRIDES[0]
    return found.cells[: count * count].reshape(count, count)


def test_a_cell_belongs_to_the_card_that_it_shows_and_not_to_what_lies_under_that() -> None:
    found = targets(card(UNDER, 0.4), card(shifted(UNDER, 26), up=False))
    cells = grid(found)
    assert found.kinds.tolist() == [0, 1]
    assert cells[8, 3] == 1  # a strip of the lower card shows
    assert cells[8, 7] == cells[8, 10] == 2  # where both lie, the upper
    assert cells[25, 25] == 0
    assert len(found.cells) == sum((SIDE // stride) ** 2 for stride in STRIDES)


def test_a_cell_on_an_edge_does_not_count() -> None:
    quad: Quad = ((22, 20), (85, 20), (85, 116), (22, 116))
    assert IGNORED in grid(targets(card(quad)))[8]


def test_a_sliver_has_cells_too() -> None:
    found = targets(card(UNDER, 0.06), card(shifted(UNDER, 4)))
    assert (grid(found) == 1).sum() >= FEWEST


@pytest.mark.parametrize(
    ("under", "visible"),
    [(card(UNDER, 0.0), 0.0), (card(shifted(UNDER, -80), 0.04), 0.04)],
    ids=["hidden", "nearly outside"],
)
def test_of_what_hardly_shows_nothing_is_taught(under: CardTruth, visible: float) -> None:
    found = targets(under, card(UNDER))
    assert visible < 0.05
    assert found.kinds.tolist() == [0]
    assert set(np.unique(found.cells)) <= {IGNORED, 0, 1}


def test_a_mirrored_card_keeps_its_corners_in_clockwise_order() -> None:
    mirror = np.array([[-1.0, 0, SIDE - 1], [0, 1.0, 0]])
    (quad,) = targets(card(UNDER), move=mirror).quads
    assert quad.tolist() == [[171, 20], [235, 20], [235, 116], [171, 116]]


def test_stacks_and_hands_have_a_quad_too() -> None:
    stack = StackTruth(None, (60, 60), (60, 60), 20, 3.0, (5,), ((40, 40), (80, 40), (80, 80), (40, 80)))
    hand = ((150, 0), (200, 0), (200, 120), (150, 120))
    found = cell_targets(owner_drawing(Truth(SIDE, SIDE, (), (stack,), (hand,))), SIDE, IDENTITY)
    assert found.kinds.tolist() == [2, 3]
    assert found.quads[0].tolist() == [[40, 40], [80, 40], [80, 80], [40, 80]]
    assert found.quads[1].min(axis=0).tolist() == pytest.approx([150, 0], abs=1)
    assert found.quads[1].max(axis=0).tolist() == pytest.approx([200, 120], abs=1)
