"""How large the cards of a table are, and what is no card of it."""

import pytest

from feltwatch.vision.tracking.card_size import KEPT, CardSizes, Size

POKER, BRIDGE = (63.0, 88.0), (57.0, 88.0)


def measured(*seen: Size) -> CardSizes:
    found = CardSizes()
    for one in seen:
        found.add(one)
    return found


@pytest.mark.parametrize("seen", [(), (POKER,)])
def test_before_two_cards_were_measured_anything_may_be_one(seen: tuple[Size, ...]) -> None:
    sizes = measured(*seen)
    assert sizes.usual is None
    assert sizes.fit((30.0, 150.0))


def test_one_card_that_was_measured_wrong_changes_nothing() -> None:
    assert measured(POKER, (80.0, 60.0), POKER).usual == POKER


@pytest.mark.parametrize(
    ("size", "fits"),
    [
        (POKER, True),
        ((63 * 1.11, 88.0), True),
        ((63 * 0.89, 88.0), True),
        ((63 * 1.13, 88.0), False),
        ((63 * 0.87, 88.0), False),
        ((63.0, 88 * 1.07), True),
        ((63.0, 88 * 0.93), True),
        ((63.0, 88 * 1.09), False),  # its length is seen better than its width
        ((63.0, 88 * 0.91), False),
    ],
)
def test_a_card_is_about_as_large_as_the_others(size: Size, *, fits: bool) -> None:
    assert measured(POKER, POKER).fit(size) is fits


def test_the_cards_of_long_ago_are_forgotten() -> None:
    sizes = measured(*[BRIDGE] * KEPT, *[POKER] * (KEPT // 2))
    assert sizes.usual == (60.0, 88.0)  # between the two
    sizes.add(POKER)
    assert sizes.usual == POKER
    for _ in range(KEPT):
        sizes.add(POKER)
    assert sizes.seen == [POKER] * KEPT
