"""When a stack is another: compared with how far tops differ from their pictures that nothing was over."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange
from feltwatch.vision.tracking.stack_checks import EVERY_S, LEFT_S, RESTS_S, StackChecks
from feltwatch.vision.tracking.track import StackTrack

SIDE = 120
MIDDLE, RADIUS = (60.0, 60.0), 18.0
SHAPE = SIDE, SIDE
COARSE = 5  # pixels of a block


def top(stripe: int, noise: float, seed: int) -> Pixels:
    """Draw a stripe across a disc, with blocks as a compressed film has them."""
    found = np.full((SIDE, SIDE, 3), (70, 105, 40), np.float32)
    cv2.circle(found, (60, 60), 18, (40, 40, 190), -1)
    cv2.rectangle(found, (42, 56), (78, 64), (40 + stripe, 40 + stripe, 190), -1)
    blocks = np.random.default_rng(seed).normal(0, noise, (SIDE // COARSE, SIDE // COARSE, 3)).astype(np.float32)
    return np.asarray(np.clip(found + np.kron(blocks, np.ones((COARSE, COARSE, 1))), 0, 255), np.uint8)


class Watched:
    """One stack, on a table of so much noise."""

    def __init__(self, noise: float) -> None:
        self.noise, self.t, self.n, self.sleeve = noise, 1.0, 0, False
        self.checks, self.attention = StackChecks(), ChangeDetector((640, 640))
        self.attention.moved_at = np.zeros(SHAPE, np.float32)
        self.stack = StackTrack(MIDDLE, (0.0, 0.0), RADIUS, Patch.disc(MIDDLE, RADIUS, 1.0, SHAPE), "box1.main")

    def wait(self, seconds: float, stripe: int = 0, *, over: float = 0.0) -> bool:
        """Let frames pass; tell whether the stack was to be looked at."""
        found = False
        for _ in range(round(seconds / 0.1)):
            self.t, self.n = self.t + 0.1, self.n + 1
            moved = np.zeros(SHAPE, bool)
            moved[: round(over * SIDE)] = True
            self.attention.moved_at[moved] = self.t
            sight = FrameChange(self.t, np.zeros((*SHAPE, 3), np.uint8), (0.0, 0.0), 1.0, moved, np.zeros(SHAPE, bool))
            frame = top(stripe, self.noise, self.n)
            if self.sleeve:
                frame[SIDE // 2 :] = (30, 60, 20)
            found |= bool([*self.checks.differing([self.stack], frame, sight, self.attention)])
        return found


@pytest.mark.parametrize(("noise", "differs"), [(0.0, True), (6.0, True), (30.0, False)])
def test_another_top_stands_out_from_the_noise_of_its_table(noise: float, *, differs: bool) -> None:
    table = Watched(noise)
    assert not table.wait(6.0)
    table.wait(0.3, over=1.0)
    assert table.wait(1.0, 90) is differs
    assert not Watched(noise).wait(3.0, 90)


def test_what_nothing_was_over_has_not_changed() -> None:
    table = Watched(2.0)
    table.wait(2.0)
    assert not table.wait(1.0, 90)
    assert not table.wait(1.0)


def test_a_stack_is_compared_once_it_rests_and_again_later_and_later_while_it_differs() -> None:
    table = Watched(2.0)
    table.wait(2.0)
    table.wait(0.3, over=1.0)
    since = table.stack.touched
    assert since is not None
    assert since == pytest.approx(table.t - 0.3)
    assert not table.wait(RESTS_S - 0.1, 90)
    waits = []
    for _ in range(40):
        waits += [table.t] if table.wait(0.1, 90) else []
    gaps = np.diff(waits)
    assert gaps[0] < 2 * EVERY_S
    assert gaps.max() > 2 * gaps[0]
    assert table.stack.touched == since
    assert not table.wait(2.0)  # what lay over it is gone
    assert table.stack.touched is None


def test_a_stack_that_was_never_seen_alone_is_looked_at() -> None:
    table = Watched(2.0)
    table.wait(0.3, over=1.0)
    assert table.wait(1.0)
    assert table.stack.picture is None


def test_a_sleeve_that_rests_about_a_stack_is_no_other_top_nor_the_stack_as_it_was() -> None:
    table = Watched(2.0)
    table.wait(2.0)
    before = table.stack.picture
    table.wait(0.3, over=1.0)
    table.sleeve = True
    assert not table.wait(2.0)
    assert table.stack.picture is before
    assert table.checks.limit < 20
    table.sleeve = False
    assert not table.wait(1.0)
    assert table.stack.touched is None


def test_what_was_left_about_a_stack_is_soon_how_it_looks() -> None:
    table = Watched(2.0)
    table.wait(2.0)
    assert table.stack.picture is not None
    other = replace(table.stack.picture, felt=255 - table.stack.picture.felt)
    table.stack.picture = other
    table.wait(LEFT_S + 1.0)
    assert table.stack.picture is not other
    assert table.stack.covered_at is None
