"""The fitter around its network: where the corners go, which candidates are one card, and which are none."""

import numpy as np
import pytest

from feltwatch.models.shipped.registry import Model
from feltwatch.vision.arrays import Floats, Floats32, Pixels
from feltwatch.vision.detection import fitter as module
from feltwatch.vision.detection.detector import Detection
from feltwatch.vision.detection.fitter import (
    CORNERS,
    GRID,
    OUTPUTS,
    SIZE,
    STEP,
    Claim,
    FittedCard,
    Fitter,
    fit_of,
)
from feltwatch.vision.geometry.card_plane import from_unit

PICTURE = np.zeros((400, 600, 3), np.uint8)
QUAD = np.array([(300.0, 200.0), (360.0, 210.0), (345.0, 300.0), (285.0, 290.0)])
SURE, UNSURE = 6.0, -6.0


ALL_OF_IT = (0.0, 1.0)  # from left to right


def cells(part: tuple[float, float] = ALL_OF_IT) -> Floats:
    """Give what a network says of the cells of a crop round a card that shows a strip, and nothing round it."""
    across = (np.arange(GRID[0]) + 0.5) / GRID[0] * 1.5 - 0.25
    down = (np.arange(GRID[1]) + 0.5) / GRID[1] * 1.5 - 0.25
    shows = (across > part[0]) & (across < part[1]) & ((down > 0) & (down < 1))[:, None]
    return np.where(shows, SURE, UNSURE).ravel()


def says(
    offsets: Floats | float = 0.0,
    exists: float = SURE,
    spread: float = -3.0,
    up: float = SURE,
    part: tuple[float, float] = ALL_OF_IT,
) -> Floats:
    """Give what a network says: corners off by so much, how likely a card is there, and which strip of it shows."""
    corners = np.broadcast_to(np.asarray(offsets, np.float64), (CORNERS, 2)).ravel()
    return np.array([*corners, *[spread] * CORNERS, exists, up, SURE, UNSURE, SURE, *cells(part)])


def fitter(monkeypatch: pytest.MonkeyPatch, *answers: Floats) -> tuple[Fitter, list[int]]:
    """Give a fitter whose network gives the same answers, in turn, to each batch; and the sizes of its batches."""
    batches: list[int] = []

    def run(crops: Pixels) -> Floats32:
        assert crops.shape[1:] == (SIZE[1], SIZE[0], 3)
        batches.append(len(crops))
        return np.array([answers[n % len(answers)] for n in range(len(crops))], np.float32)

    monkeypatch.setattr(module, "open_model", lambda *_: run)
    return Fitter(Model("fitter", "", "", "", "", (), "", "", {}, {})), batches


def card(quad: Floats = QUAD, score: float = 0.7) -> Detection:
    return Detection("card_up", quad, score)


def quads(found: list[FittedCard]) -> list[Floats]:
    return [one.fit.quad for one in found]


def test_a_candidate_that_is_right_stays_and_what_is_said_of_it_is_given() -> None:
    assert len(says()) == OUTPUTS
    found = fit_of(QUAD, says())
    assert found.quad == pytest.approx(QUAD, abs=1e-3)
    assert (found.exists, found.up, found.visible) == pytest.approx((0.998, 0.998, 0.998), abs=1e-3)
    assert found.indices == pytest.approx((0.998, 0.002), abs=1e-3)
    assert found.spread == pytest.approx(STEP * np.exp(-3.0))


def test_corners_move_in_sides_of_the_card() -> None:
    found = fit_of(QUAD, says(np.array([0.0, 1.0])))  # down by a tenth of its height
    assert found.quad - QUAD == pytest.approx(np.tile((QUAD[3] - QUAD[0]) * STEP, (4, 1)), abs=0.2)


def test_candidates_are_fitted_twice_and_what_becomes_one_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    eye, batches = fitter(monkeypatch, says())
    turned = np.roll(QUAD, 2, axis=0)
    found = eye.settle(PICTURE, [card(), card(QUAD + 1.0), card(turned), card(QUAD + 40.0)])
    assert quads(found) == [pytest.approx(QUAD, abs=1e-3), pytest.approx(QUAD + 40.0, abs=1e-3)]
    assert batches == [4, 2]


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        (says(), 1),
        (says(exists=UNSURE), 0),  # no card there
        (says(spread=0.0), 0),  # it may be anywhere
        (says(np.array([(6.0, 0), (-6.0, 0), (0, 0), (0, 0)])), 0),  # its sides cross
    ],
)
def test_what_is_no_card_is_dropped(monkeypatch: pytest.MonkeyPatch, answer: Floats, count: int) -> None:
    eye, _ = fitter(monkeypatch, answer)
    assert len(eye.settle(PICTURE, [card()])) == count


@pytest.mark.parametrize(("strip", "count"), [((0.5, 1.0), 2), ((0.0, 0.5), 1)])
def test_cards_that_lie_nearly_alike_are_two_if_they_show_in_different_places(
    monkeypatch: pytest.MonkeyPatch, strip: tuple[float, float], count: int
) -> None:
    eye, _ = fitter(monkeypatch, says(part=(0.0, 0.5)), says(part=strip))
    assert len(eye.settle(PICTURE, [card(), card(QUAD + 2.0)])) == count


@pytest.mark.parametrize(("other", "shared"), [(QUAD, 1.0), (np.roll(QUAD, 2, axis=0), 1.0), (QUAD + 300.0, 0.0)])
def test_claims_to_the_same_pixels_share_them_whichever_corner_comes_first(other: Floats, shared: float) -> None:
    ours, theirs = (Claim(quad, 1 / (1 + np.exp(-cells()))) for quad in (QUAD, other))
    assert ours.shared(theirs) == theirs.shared(ours) == pytest.approx(shared, abs=0.03)


def test_a_claim_to_half_of_the_pixels_of_another_shares_half() -> None:
    whole, half = (Claim(QUAD, (cells(part) > 0).astype(float)) for part in (ALL_OF_IT, (0.0, 0.5)))
    assert half.part(whole) == pytest.approx(1.0)
    assert half.shared(whole) == whole.shared(half) == pytest.approx(0.5)
    (middle,) = from_unit(QUAD, np.array([(0.75, 0.5)]))
    assert (whole.at(middle[None])[0], half.at(middle[None])[0]) == (1.0, 0.0)


def test_of_two_that_are_one_the_more_exact_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    eye, _ = fitter(monkeypatch, says(spread=-1.0), says(spread=-4.0))
    (found,) = eye.settle(PICTURE, [card(score=0.9), card(QUAD + 0.5, score=0.4)])
    assert found.fit.quad == pytest.approx(QUAD + 0.5, abs=1e-2)


def test_both_networks_say_which_side_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    eye, _ = fitter(monkeypatch, says(up=UNSURE))
    (found,) = eye.settle(PICTURE, [Detection("card_up", QUAD, 0.9, 0.7)])
    assert found.detection.kind == "card_down"
    assert found.detection.up == pytest.approx(0.351, abs=1e-3)
    assert found.detection.score == pytest.approx(np.sqrt(0.9975 * 0.9), abs=1e-3)


def test_nothing_to_fit_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    eye, batches = fitter(monkeypatch, says())
    assert eye.settle(PICTURE, []) == []
    assert batches == []
