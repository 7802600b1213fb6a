"""Whose hand was where, and since when something was hidden."""

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Mask
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.motion.change_detector import ChangeDetector
from feltwatch.vision.motion.hand_attribution import HandAttribution
from tests.toy_table import CAMERA, LAYOUT, Arm

ATTENTION = ChangeDetector((CAMERA.width, CAMERA.height))
SHAPE = (ATTENTION.size[1], ATTENTION.size[0])
SPOT = LAYOUT.by_name["box3.main"]
BET = Patch.disc(
    tuple(CAMERA.to_picture([SPOT.first])[0]),
    19.75 * CAMERA.scale(*SPOT.first),
    ATTENTION.factor,
    SHAPE,
)
NOBODY = np.zeros(SHAPE, bool)


@pytest.fixture
def sides() -> HandAttribution:
    return HandAttribution(CAMERA, LAYOUT, ATTENTION.size, ATTENTION.factor)


def over(*arms: Arm) -> Mask:
    """Give what arms over the table disturb."""
    found = np.zeros(SHAPE, np.uint8)
    for arm in arms:
        points = CAMERA.to_picture(arm.corners) / ATTENTION.factor
        cv2.fillConvexPoly(found, np.round(points).astype(np.int32), 1)
    return found.astype(bool)


def watch(sides: HandAttribution, disturbed: Mask, start: float, end: float) -> None:
    for frame in range(round(start * 25), round(end * 25)):
        sides.step(frame / 25, disturbed)


DEALERS, PLAYERS = Arm(*SPOT.first), Arm(*SPOT.first, dealers=False)


@pytest.mark.parametrize(
    ("arms", "by"), [((DEALERS,), "dealer"), ((PLAYERS,), "player"), ((DEALERS, PLAYERS), None), ((), None)]
)
def test_an_arm_belongs_to_the_edge_from_which_it_comes(
    sides: HandAttribution, arms: tuple[Arm, ...], by: str | None
) -> None:
    watch(sides, NOBODY, 0.0, 1.0)
    watch(sides, over(*arms), 1.0, 1.4)
    assert sides.by("box3.main", 1.4) == sides.by_at(BET, 1.0) == by
    assert sides.by("box6.main", 1.4) is None


def test_whoever_was_there_one_after_the_other_cannot_be_told_apart(sides: HandAttribution) -> None:
    watch(sides, over(DEALERS), 0.0, 0.4)
    watch(sides, over(PLAYERS), 0.4, 0.8)
    assert sides.by_at(BET, 0.0) is None
    assert sides.by_at(BET, 0.44) == "player"


def test_an_arm_that_was_there_long_ago_had_nothing_to_do_with_it(sides: HandAttribution) -> None:
    watch(sides, over(DEALERS), 0.0, 0.4)
    watch(sides, NOBODY, 0.4, 2.0)
    assert sides.by("box3.main", 2.0) is None
    assert sides.by_at(BET, 0.0) == "dealer"


def test_what_is_disturbed_without_an_arm_is_nobodys(sides: HandAttribution) -> None:
    alone = NOBODY.copy()
    BET.onto(alone)
    watch(sides, alone, 0.0, 1.0)
    assert sides.by("box3.main", 1.0) is None


def test_a_place_was_last_seen_before_a_hand_came_over_it(sides: HandAttribution) -> None:
    watch(sides, NOBODY, 0.0, 1.0)
    watch(sides, over(Arm(SPOT.first[0], SPOT.first[1] + 60)), 1.0, 2.0)
    assert sides.since(BET) == pytest.approx(0.96)
    assert sides.hidden(BET, 1.96) == 1.0
    watch(sides, NOBODY, 2.0, 2.04)
    assert sides.since(BET) == pytest.approx(2.0)
    assert sides.hidden(BET, 2.0) == 0.0


def test_what_is_remembered_does_not_grow_with_time(sides: HandAttribution) -> None:
    watch(sides, over(DEALERS), 0.0, 4.0)
    kept = len(sides.over)
    watch(sides, over(DEALERS), 4.0, 8.0)
    assert len(sides.over) == kept
