"""Crops for the reader: how tall their cards are, and in which inks."""

from itertools import islice

import numpy as np
import pytest

from feltwatch.datasets.render.cards import deck_pack
from feltwatch.datasets.render.crops import INKS, OFTEN_PX, TALL_PX, _ink, _own, _subject, looks
from feltwatch.vision.arrays import Floats

MANY = 3000
OFF = 45.0  # grey levels: so far an ink may be from those between its darkest and its lightest


def test_half_of_the_cards_are_as_tall_as_a_camera_over_a_table_shows_them() -> None:
    dice = np.random.default_rng(7)
    tall = np.array([_subject(dice, taught=True).tall for _ in range(MANY)])
    low, high = OFTEN_PX
    others = np.log(high / low) / np.log(TALL_PX[1] / TALL_PX[0])  # of the other half are as tall
    assert ((tall >= low) & (tall <= high)).mean() == pytest.approx((1 + others) / 2, abs=0.03)
    assert (tall < low).mean() > 0.05
    assert (tall > high).mean() > 0.05
    assert TALL_PX[0] <= tall.min() < tall.max() <= TALL_PX[1]


def away(inks: Floats, suit: str) -> Floats:
    """Give how far each ink is from those of a suit: one column for each."""
    found = []
    for ends in INKS[suit]:
        dark, light = np.array(ends)
        along = np.clip((inks - dark) @ (light - dark) / np.sum((light - dark) ** 2), 0, 1)
        found.append(np.linalg.norm(inks - dark - along[:, None] * (light - dark), axis=1))
    return np.column_stack(found)


@pytest.mark.parametrize("face", ["9s", "Kh", "2d", "Tc"])
def test_every_ink_of_a_suit_is_used_and_no_other(face: str) -> None:
    dice = np.random.default_rng(9)
    found = away(np.array([_ink(face, dice) for _ in range(400)]), face[1])
    assert found.min(axis=1).max() < OFF
    uses = np.bincount(found.argmin(axis=1), minlength=len(INKS[face[1]])) / len(found)
    assert uses == pytest.approx(np.full(len(uses), 1 / len(uses)), abs=0.12)


@pytest.mark.parametrize("face", ["9s", "Kh", "2d", "Tc"])
def test_an_ink_is_as_dark_or_as_light_as_it_may_be(face: str) -> None:
    dice = np.random.default_rng(9)
    inks = np.array([_ink(face, dice) for _ in range(400)])
    for ends in INKS[face[1]]:
        for end in ends:
            assert np.linalg.norm(inks - end, axis=1).min() < OFF / 2


def test_inks_are_colours() -> None:
    dice = np.random.default_rng(9)
    inks = np.array([_ink(face, dice) for face in ("9s", "Kh", "2d", "Tc") for _ in range(400)]).round()
    assert ((inks >= 0) & (inks <= 255)).all()


def test_what_is_judged_by_is_printed_as_it_is() -> None:
    dice, own = np.random.default_rng(2), deck_pack("house").texture("9s")
    assert all(_own(dice, "9s", "house", taught=False) is own for _ in range(60))
    assert any(_own(dice, "9s", "house", taught=True) is not own for _ in range(60))
    tall = [_subject(dice, taught=False).tall for _ in range(MANY)]
    assert np.log(tall).mean() == pytest.approx(np.log(TALL_PX).mean(), abs=0.05)


def test_a_card_that_lies_still_is_the_same_in_each_look_but_for_noise_and_its_box() -> None:
    cards = list(islice(looks("test", 4, 3, ("house",)), 12))
    for one, *others in cards:
        assert all(
            (other.face, other.tall_px, other.visible) == (one.face, one.tall_px, one.visible) for other in others
        )
        assert all(other.picture.shape == one.picture.shape for other in others)
        assert all(np.abs(other.picture.astype(float) - one.picture).mean() < 12 for other in others)
        assert not any(np.array_equal(other.quad, one.quad) for other in others)
    assert len({card[0].face for card in cards}) > 6
