"""What a still camera sees change: shaking, light and grain are no change, and what came to rest is known once."""

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.motion.change_detector import REST_S, WIDE, ChangeDetector, FrameChange, _middle, shrunk
from tests.toy_table import SIZE, felt

STEP_S = 0.04
FELT = felt()
THING = (slice(300, 360), slice(500, 560))  # of the whole picture; what lies there is white
SMALL = (slice(150, 180), slice(250, 280))  # the same of the small one


def with_thing(picture: Pixels) -> Pixels:
    found = picture.copy()
    found[THING] = 240
    return found


def shifted(picture: Pixels, x: float, y: float) -> Pixels:
    way = np.array([[1, 0, x], [0, 1, y]], np.float64)
    return np.asarray(cv2.warpAffine(picture, way, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)


class Watch:
    def __init__(self) -> None:
        self.attention = ChangeDetector(SIZE)
        self.t = 0.0

    def show(self, picture: Pixels, frames: int = 1) -> FrameChange:
        for _ in range(frames):
            sight = self.attention.step(self.t, picture)
            self.t += STEP_S
        return sight


@pytest.fixture
def watch() -> Watch:
    found = Watch()
    found.show(FELT, 10)
    return found


def test_the_small_picture_is_of_one_width() -> None:
    for size in ((1280, 720), (1920, 1080), (3840, 2160), (1440, 1080)):
        attention = ChangeDetector(size)
        assert attention.size[0] == WIDE
        assert attention.size[1] * attention.factor == pytest.approx(size[1], abs=attention.factor)


def test_a_small_picture_that_was_made_is_taken_for_that_of_the_frame(watch: Watch) -> None:
    sight = watch.attention.step(watch.t, FELT, shrunk(with_thing(FELT)))
    assert (sight.small == shrunk(with_thing(FELT))).all()
    assert sight.changed[SMALL].all()


@pytest.mark.parametrize("count", [1, 2, 151, 10_800])
def test_the_median_is_that_of_numpy(count: int) -> None:
    dice = np.random.default_rng(count)
    for values in (dice.random((count, 1), np.float32) - np.float32(0.3), dice.integers(0, 256, count, np.uint8)):
        assert _middle(values) == float(np.median(values))


def test_nothing_changes_on_a_still_table(watch: Watch) -> None:
    sight = watch.show(FELT, 20)
    assert not sight.changed.any()
    assert not sight.moved.any()
    assert sight.shift == (0.0, 0.0)


def test_what_comes_moves_at_first_and_is_calm_soon_after(watch: Watch) -> None:
    sight = watch.show(with_thing(FELT))
    assert sight.moved[SMALL].mean() > 0.9
    assert sight.changed[SMALL].mean() > 0.9
    assert not watch.attention.calm(sight.t)[SMALL].any()
    sight = watch.show(with_thing(FELT), round(0.2 / STEP_S))
    assert not sight.moved.any()
    assert sight.changed[SMALL].mean() > 0.9
    assert watch.attention.calm(sight.t).all()
    assert float(np.median(watch.attention.moved_at[SMALL])) <= sight.t - REST_S


def test_nothing_changes_beside_what_comes(watch: Watch) -> None:
    sight = watch.show(with_thing(FELT), 5)
    around = np.zeros_like(sight.changed)
    around[SMALL[0].start - 3 : SMALL[0].stop + 3, SMALL[1].start - 3 : SMALL[1].stop + 3] = True
    assert not (sight.changed & ~around).any()


def test_what_is_understood_changes_no_more_until_it_goes(watch: Watch) -> None:
    sight = watch.show(with_thing(FELT), 5)
    watch.attention.understood(sight, sight.changed.copy())
    assert not watch.show(with_thing(FELT), 5).changed.any()
    assert watch.show(FELT).changed[SMALL].mean() > 0.9


def test_felt_is_known_again_where_it_was_seen_empty(watch: Watch) -> None:
    watch.attention.is_bare[:] = True
    assert watch.attention.looks_bare(watch.show(FELT)).all()
    sight = watch.show(with_thing(FELT))
    bare = watch.attention.looks_bare(sight)
    assert not bare[SMALL].any()
    assert bare.mean() > 0.97
    watch.attention.empty(sight, sight.changed)
    assert watch.attention.looks_bare(sight)[SMALL].all()


@pytest.mark.parametrize("strong", [0.7, 0.8, 0.9, 1.1])
def test_light_that_grows_or_fades_is_undone(watch: Watch, strong: float) -> None:
    lit = np.asarray(cv2.convertScaleAbs(FELT, alpha=strong), np.uint8)
    sight = watch.show(lit, 3)
    assert sight.gain == pytest.approx(1 / strong, rel=0.05)
    assert not sight.changed.any()
    assert watch.show(with_thing(lit)).changed[SMALL].mean() > 0.9


@pytest.mark.parametrize(("x", "y"), [(3.0, 0.0), (0.0, -3.0), (2.1, 1.3), (-1.5, 2.6)])
def test_shaking_is_undone_and_measured_whatever_comes(watch: Watch, x: float, y: float) -> None:
    for picture, least in ((FELT, 0.0), (with_thing(FELT), 0.8)):
        sight = watch.show(shifted(picture, x, y), 3)
        assert sight.shift == pytest.approx((-x, -y), abs=0.3)
        share = sight.changed[SMALL].mean()
        assert share >= least
        assert sight.changed.sum() - sight.changed[SMALL].sum() < 150


def test_a_hand_that_moves_over_a_still_table_is_no_shaking(watch: Watch) -> None:
    for place in range(100, 700, 40):
        picture = FELT.copy()
        picture[: 200 + place // 2, place : place + 120] = (130, 150, 200)
        assert watch.show(picture).shift == pytest.approx((0.0, 0.0), abs=0.3)


def test_grain_is_learnt_and_then_nothing_changes() -> None:
    watch, dice = Watch(), np.random.default_rng(4)
    grain = dice.normal(0, 12, (6, *FELT.shape)).astype(np.int16)
    for number in range(60):
        sight = watch.show(np.clip(FELT + grain[number * 5 % 6], 0, 255).astype(np.uint8))
    assert sight.changed.mean() < 0.001
    sight = watch.show(np.clip(with_thing(FELT) + grain[0], 0, 255).astype(np.uint8))
    assert sight.changed[SMALL].mean() > 0.9


def test_slow_light_is_followed(watch: Watch) -> None:
    side = np.linspace(0, 1, SIZE[0])[None, :, None]
    for number in range(250):  # ten seconds in which one side of the table grows lighter by 25 grey levels
        sight = watch.show(np.clip(FELT + side * number / 10, 0, 255).astype(np.uint8))
        assert sight.changed.mean() < 0.02
