"""A camera that was knocked is noticed, by how much is measured, and hands, light and shaking are no knock."""

import pickle
import time
from functools import cache
from statistics import median

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.geometry.registration import LOOKS, Registration, Shift
from tests.film_frames import FELT, frame

SMALL = (480, 270)
SCALE = 4.0
EMPTY, BUSY, HANDS = 3, 700, (60, 150, 300, 420, 520, 640)


def small(picture: Pixels) -> Pixels:
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(grey, SMALL, interpolation=cv2.INTER_AREA), np.uint8)


def moved(picture: Pixels, dx: float, dy: float, turned: float = 0.0, grown: float = 1.0) -> Pixels:
    height, width = picture.shape[:2]
    way = np.asarray(cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), -turned, grown), np.float64)
    way[:, 2] += (dx, dy)
    return np.asarray(cv2.warpAffine(picture, way, (width, height)), np.uint8)


def dimmed(picture: Pixels) -> Pixels:
    return (picture * 0.8).astype(np.uint8)


def covered(picture: Pixels) -> Pixels:
    """Lay arms over a third of the table."""
    found = picture.copy()
    for x in (300, 850, 1400):
        cv2.ellipse(found, (x, 450), (110, 520), 12, 0, 360, (90, 120, 190), cv2.FILLED)
    return found


@cache
def watching() -> bytes:
    nudge = Registration()
    nudge.step(small(frame(EMPTY)), SCALE)
    return pickle.dumps(nudge)


def fresh() -> Registration:
    found = pickle.loads(watching())  # noqa: S301  written above
    assert isinstance(found, Registration)
    return found


@pytest.mark.parametrize("far", [3, 12, 60, 250])
@pytest.mark.parametrize("number", [EMPTY, BUSY])
@pytest.mark.parametrize("light", [1.0, 0.8])
def test_a_knock_is_measured_to_a_third_of_a_pixel(far: int, number: int, light: float) -> None:
    dice = np.random.default_rng(far + number)
    for _ in range(5):
        dx, dy = dice.uniform(-far, far, 2)
        turned = float(dice.uniform(-1, 1)) * min(2.0, far / 20)
        grown = 1 + float(dice.uniform(-1, 1)) * min(0.02, far / 1000)
        found = fresh().step(small((moved(frame(number), dx, dy, turned, grown) * light).astype(np.uint8)), SCALE)
        assert found.trusted
        assert np.hypot(found.dx_px - dx, found.dy_px - dy) < 0.35
        assert found.turned_deg == pytest.approx(turned, abs=0.03)
        assert found.grown == pytest.approx(grown, abs=0.001)


@pytest.mark.parametrize("number", HANDS)
@pytest.mark.parametrize("change", [dimmed, covered, lambda picture: covered(dimmed(picture))])
@pytest.mark.parametrize("region", [(), FELT])
def test_hands_cards_and_light_are_no_knock(
    number: int, change: object, region: tuple[tuple[float, float], ...]
) -> None:
    nudge = Registration(region=region)
    nudge.step(small(frame(EMPTY)), SCALE)
    assert callable(change)
    found = nudge.step(small(change(frame(number))), SCALE)
    assert found.trusted
    assert np.hypot(found.dx_px, found.dy_px) < 0.3
    assert abs(found.turned_deg) < 0.03


def test_a_shake_is_none_in_the_end_and_a_knock_is_one() -> None:
    nudge, dice = fresh(), np.random.default_rng(3)
    assert not nudge.hangs().trusted
    for number in range(2 * LOOKS):
        nudge.step(small(moved(frame(HANDS[number % 6]), *dice.uniform(-3, 3, 2))), SCALE)
    still = nudge.hangs()
    assert still.trusted
    assert np.hypot(still.dx_px, still.dy_px) < 2
    for number in range(2 * LOOKS):
        dx, dy = dice.uniform(-3, 3, 2)
        nudge.step(small(moved(frame(HANDS[number % 6]), 14 + dx, -6 + dy)), SCALE)
    knocked = nudge.hangs()
    assert np.hypot(knocked.dx_px - 14, knocked.dy_px + 6) < 2


def test_what_cannot_be_told_is_not_trusted() -> None:
    nudge = fresh()
    assert not nudge.step(np.full((270, 480), 90, np.uint8), SCALE).trusted
    noise = np.random.default_rng(1).integers(0, 255, (270, 480)).astype(np.uint8)
    assert not nudge.step(noise, SCALE).trusted
    flat = Registration()
    assert flat.step(np.zeros((270, 480), np.uint8), SCALE) == Shift(0, 0, 0, trusted=False)


def test_a_picture_of_the_day_of_calibration_may_be_held_against() -> None:
    nudge = Registration(small(frame(EMPTY)))
    found = nudge.step(small(moved(frame(BUSY), 20, 10)), SCALE)
    assert found.dx_px == pytest.approx(20, abs=0.4)
    assert found.dy_px == pytest.approx(10, abs=0.4)


def test_another_size_begins_anew() -> None:
    nudge = fresh()
    half = np.asarray(cv2.resize(small(frame(EMPTY)), (320, 180), interpolation=cv2.INTER_AREA), np.uint8)
    found = nudge.step(half, 6.0)
    assert found.trusted
    assert np.hypot(found.dx_px, found.dy_px) < 0.01


def test_it_costs_little() -> None:
    """Held against one blur of the full picture on the same machine, so that a slow machine fails no test."""
    nudge, full, little = fresh(), frame(BUSY), small(moved(frame(BUSY), 8, 5))

    def cost(work: object) -> float:
        assert callable(work)
        spent = []
        for _ in range(9):
            start = time.perf_counter()
            work()
            spent.append(time.perf_counter() - start)
        return median(spent)

    assert cost(lambda: nudge.step(little, SCALE)) < 3 * cost(lambda: cv2.GaussianBlur(full, (0, 0), 3.0))
