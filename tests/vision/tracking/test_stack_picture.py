"""Drawn tops of stacks: the same in other light, swaying or pushed by a finger, and another that was laid on it."""

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.motion.change_detector import FrameChange
from feltwatch.vision.tracking.stack_picture import StackPicture

RADIUS = 18.0
MIDDLE = 60.0, 60.0
FINE = 8  # a frame is drawn so much larger
SAME, OTHER = 8.0, 18.0  # grey levels
NOTHING = np.zeros((2, 2), bool)


def drawn(
    colour: tuple[int, int, int] = (40, 40, 190),
    *,
    at: tuple[float, float] = MIDDLE,
    turn: float = 0.0,
    count: str = "25",
    seed: int = 0,
) -> Pixels:
    """Draw a chip with spots at its edge and its value in the middle, on felt."""
    side = 120 * FINE
    large = np.full((side, side, 3), (70, 105, 40), np.uint8)
    x, y = ((value + 0.5) * FINE for value in at)
    radius = RADIUS * FINE
    cv2.circle(large, (round(x), round(y)), round(radius), colour, -1)
    for spot in range(6):
        cv2.ellipse(large, (round(x), round(y)), (round(0.85 * radius),) * 2, turn + 60 * spot, -9, 9, (240,) * 3, 40)
    cv2.circle(large, (round(x), round(y)), round(0.55 * radius), (225, 230, 235), -1)
    printed = np.zeros((side, side), np.uint8)
    cv2.putText(printed, count, (round(x - 0.4 * radius), round(y + 0.22 * radius)), 0, 2.4, 255, 12)
    way = cv2.getRotationMatrix2D((x, y), -turn, 1.0)
    large[cv2.warpAffine(printed, way, (side, side)) > 0] = (30, 30, 30)
    found = cv2.resize(large, (120, 120), interpolation=cv2.INTER_AREA).astype(np.float32)
    noise = np.random.default_rng(seed).normal(0, 3, found.shape)
    return np.asarray(np.clip(found + noise, 0, 255), np.uint8)


def sight(shift: tuple[float, float] = (0.0, 0.0), gain: float = 1.0) -> FrameChange:
    return FrameChange(0.0, np.zeros((2, 2, 3), np.uint8), shift, gain, NOTHING, NOTHING)


def lit(frame: Pixels, gain: float, more: float) -> Pixels:
    return np.asarray(np.clip(frame * gain + more, 0, 255), np.uint8)


def fading(frame: Pixels) -> Pixels:
    """Let a soft shadow fall across a frame."""
    return np.asarray(frame * np.linspace(1.0, 0.85, frame.shape[1])[None, :, None], np.uint8)


PICTURE = StackPicture.of(drawn(), sight(), MIDDLE, RADIUS)


@pytest.mark.parametrize(
    ("frame", "seen"),
    [
        (drawn(seed=1), sight()),
        (lit(drawn(seed=1), 0.8, 0), sight()),
        (lit(drawn(seed=1), 0.8, 0), sight(gain=1.25)),
        (lit(drawn(seed=1), 0.95, 20), sight()),
        (fading(drawn(seed=1)), sight()),
        (drawn(at=(61.3, 58.8), seed=1), sight(shift=(-1.3, 1.2))),
        (drawn(at=(60.6, 59.5), seed=1), sight()),
        (drawn(at=(63.5, 57.0), seed=1), sight()),
        (drawn(at=(62.0, 62.0), turn=5, seed=1), sight()),
    ],
    ids=["the same", "dim", "dim, set right", "glare", "shadow", "sway", "sway unseen", "pushed", "pushed, turned"],
)
def test_the_same_top_differs_by_no_more_than_noise(frame: Pixels, seen: FrameChange) -> None:
    assert PICTURE.compared(frame, seen).apart <= SAME


@pytest.mark.parametrize(
    "frame",
    [
        drawn((40, 40, 190), turn=35, seed=1),
        drawn((40, 40, 190), count="00", turn=150, seed=1),
        drawn((60, 140, 50), seed=1),
        lit(drawn((190, 60, 40), turn=20, seed=1), 0.8, 10),
        drawn(at=(90.0, 60.0), seed=1),
    ],
    ids=["turned", "another value", "another colour", "another colour, dim", "elsewhere"],
)
def test_another_top_differs_by_more(frame: Pixels) -> None:
    assert PICTURE.compared(frame, sight()).apart >= OTHER


def test_a_push_is_measured() -> None:
    found = PICTURE.compared(drawn(at=(63.5, 57.0), seed=1), sight())
    assert np.allclose(found.moved, (3.5, -3.0), atol=0.3)
    assert np.allclose(PICTURE.compared(drawn(seed=1), sight()).moved, (0, 0), atol=0.2)


def test_a_like_chip_laid_exactly_alike_is_not_told_from_the_one_under_it() -> None:
    """Only where a stack is seen aslant does its top move, and by no more than a push moves it."""
    assert PICTURE.compared(drawn(at=(61.1, 60.0), seed=1), sight()).apart <= SAME
