"""Realism: an obvious difference is seen and named, and none is seen where there is none."""

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sets.features import auc, groups_by_source, judged
from feltwatch.datasets.sets.realism import CardCrop, compare, report

RANKS = "A23456789TJQK"


def cards(count: int, groups: tuple[str, ...], noise: float, seed: int) -> Iterator[CardCrop]:
    dice = np.random.default_rng(seed)
    for number in range(count):
        image = np.full((150, 112, 3), dice.integers(190, 235), np.float64)
        for _ in range(6):
            x, y = dice.integers(20, 90), dice.integers(20, 130)
            cv2.circle(image, (int(x), int(y)), 6, (40, 40, 180), -1)
        image += dice.normal(0, noise, image.shape)
        yield CardCrop(image.clip(0, 255).astype(np.uint8), RANKS[number % 13], groups[number % len(groups)])


def test_an_obvious_difference_is_told_and_named() -> None:
    found = compare(list(cards(52, ("a", "b"), 9.0, 1)), cards(52, ("d", "e"), 1.0, 2), 40)
    assert min(found.named[1], found.named_by_source[1], found.texture[1]) > 0.95
    assert "noise in flat paper" in [key for key, *_ in found.keys[:6]]
    assert min(found.patches) > 0.8


def test_two_halves_of_one_source_are_not_told_apart() -> None:
    found = compare(list(cards(78, ("a", "b"), 4.0, 3)), cards(78, ("d", "e"), 4.0, 4), 75)
    assert 0.3 < found.named[1] < 0.7
    assert 0.3 < found.texture[1] < 0.7
    assert any("noise in flat paper" in line for line in report(found))


def test_too_few_pairs_are_told() -> None:
    with pytest.raises(DataError, match="5 pairs of real and rendered"):
        compare(list(cards(5, ("a",), 4.0, 3)), cards(20, ("d",), 4.0, 4), 50)


def test_auc_counts_ties_half() -> None:
    assert auc(np.array([1.0, 1.0, 1.0, 1.0]), np.array([True, False, True, False])) == 0.5
    assert auc(np.array([0.0, 1.0, 2.0, 3.0]), np.array([True, False, True, False])) == 0.25


def test_a_source_is_never_on_both_sides() -> None:
    names = ["a", "x", "b", "y", "a", "z", "b", "x"]
    real = np.array([True, False] * 4)
    found = groups_by_source(names, real)
    for name in set(names):
        assert len({group for group, one in zip(found, names, strict=True) if one == name}) == 1


def test_one_design_against_two_sources_is_still_judged() -> None:
    found = compare(list(cards(52, ("a", "b"), 9.0, 1)), cards(52, ("d",), 1.0, 2), 40)
    assert found.named_by_source[1] > 0.95


def test_what_cannot_be_judged_is_not_called_alike() -> None:
    """With all of one kind in one group there is nothing to learn from: no 0.50, which would say `the same`."""
    rows, real = np.arange(8.0)[:, None], np.array([True, False] * 4)
    assert np.isnan(judged(rows, real, [0 if is_real else 1 for is_real in real])).all()
    assert np.isnan(judged(rows, real, [0] * 8)).all()
