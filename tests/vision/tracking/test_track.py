"""What keeps its identity: the part of the small picture that a thing takes up, and the vote of many looks."""

import numpy as np
import pytest

from feltwatch.vision.detection.reader_classes import SURE
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.tracking.track import FEW, Votes, bearing, distance, told_from

SHAPE = (90, 160)
EIGHT, NINE, BACK, *OTHERS = np.eye(8)


def box(left: float, top: float, right: float, bottom: float) -> Patch:
    """Give the patch of points left to right and top to bottom, both counted, at a factor of 1."""
    quad = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)
    return Patch.of(quad, 1.0, SHAPE)


def test_a_patch_is_the_part_of_the_small_picture_that_a_thing_takes_up() -> None:
    patch = Patch.of(np.array([[30, 30], [60, 30], [60, 90], [30, 90]], float), 3.0, SHAPE)
    rows, columns = patch.box
    assert (rows.start, columns.start) == (9, 9)
    assert patch.size == pytest.approx(11 * 21, rel=0.15)


def test_a_patch_ends_where_the_picture_does() -> None:
    patch = box(-20, 80, 10, 200)
    assert patch.box[0].stop <= SHAPE[0]
    assert patch.box[1].start == 0
    whole = np.zeros(SHAPE, bool)
    patch.onto(whole)
    assert whole.sum() == patch.size == pytest.approx(11 * 10, rel=0.15)


def test_a_patch_outside_the_picture_is_nearly_nothing() -> None:
    assert box(400, 400, 450, 450).size <= 1


def test_a_disc_is_round() -> None:
    assert Patch.disc((80, 45), 20, 1.0, SHAPE).size == pytest.approx(np.pi * 20**2, rel=0.1)


def test_the_share_of_a_patch_that_a_mask_covers() -> None:
    patch, mask = box(20, 20, 39, 39), np.zeros(SHAPE, bool)
    assert patch.share(mask) == 0
    mask[:, :30] = True
    assert patch.share(mask) == pytest.approx(0.5, abs=0.06)
    mask[:] = True
    assert patch.share(mask) == 1


def test_what_no_other_patch_covers() -> None:
    patch = box(20, 20, 39, 39)
    assert patch.without([]).size == patch.size
    assert patch.without([box(60, 60, 80, 80), box(40, 20, 60, 39)]) is patch
    assert patch.without([box(0, 0, 100, 80)]).size == 0
    assert patch.without([box(30, 0, 100, 80)]).size == pytest.approx(patch.size / 2, rel=0.1)
    assert patch.without([box(0, 0, 24, 80), box(35, 0, 99, 80)]).size == pytest.approx(patch.size / 2, rel=0.1)


@pytest.mark.parametrize(
    ("one", "other", "apart"), [(90, 95, 5), (95, 90, -5), (2, 178, -4), (178, 2, 4), (10, 10, 0), (0, 89, 89)]
)
def test_two_lines_differ_by_less_than_a_right_angle(one: float, other: float, apart: float) -> None:
    assert bearing(one, other) == pytest.approx(apart)


def test_distance_is_that_of_millimetres() -> None:
    assert distance((0, 0), (3, 4)) == 5


def test_nothing_is_known_before_a_look() -> None:
    assert Votes().best == (0, 0.0)


def test_the_likeliest_face_of_all_looks_counts() -> None:
    votes = Votes()
    for faces in (0.8 * EIGHT + 0.2 * NINE, 0.05 * EIGHT + 0.95 * NINE, 0.02 * EIGHT + 0.98 * NINE):
        votes.add(faces, 1.0)
    assert votes.best[0] == 1
    assert votes.best[1] < SURE  # one of three saw another


def test_what_each_look_takes_for_another_face_is_noise() -> None:
    faces = [0.9 * NINE + 0.1 * other for other in OTHERS[:3]]
    votes = Votes()
    votes.add(faces[0], 1.0)
    alone = votes.best[1]
    for one in faces[1:]:
        votes.add(one, 1.0)
    assert alone == pytest.approx(0.9, abs=1e-3)
    best, likely = votes.best
    assert best == 1
    assert likely == pytest.approx(0.99, abs=0.02)


def test_a_look_at_a_card_that_lies_whole_outweighs_those_at_a_covered_one() -> None:
    votes = Votes()
    votes.add(NINE, 1.0)
    for _ in range(3):
        votes.add(EIGHT, 0.05)
    assert votes.best[0] == 1


def test_once_a_face_is_known_from_clear_looks_a_covered_one_says_nothing() -> None:
    votes = Votes()
    for _ in range(4):
        votes.add(NINE, 1.0)
    known = votes.best
    for _ in range(100):
        votes.add(EIGHT, 0.1)
    assert votes.best == known
    assert known[0] == 1
    assert known[1] == pytest.approx(1.0, abs=1e-3)


def test_clear_looks_change_a_face_that_was_read_wrong() -> None:
    votes = Votes()
    for _ in range(3):
        votes.add(0.6 * EIGHT + 0.4 * NINE, 1.0)
    for _ in range(12):
        votes.add(NINE, 1.0)
    assert votes.best[0] == 1


def test_a_card_that_is_shown_small_or_was_looked_at_seldom_must_be_surer() -> None:
    sizes = [told_from(tall, FEW) for tall in (30.0, 45.0, 55.0, 65.0, 75.0, 120.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)
    assert all(told_from(tall, FEW - 1) >= told_from(tall, FEW) for tall in (30.0, 65.0, 120.0))
    assert told_from(120.0, FEW - 1) > told_from(120.0, FEW)
