"""On which spot a stack stands."""

import pytest

from engine.books import BOOKS, find_book
from vision.layout import load_layout
from vision.shapes import for_book
from vision.stacks import BESIDE_MM, Stacks

PRESETS = {"si-ki-pi-v3": "si-ki-pi-6"}


def stacks(book: str) -> Stacks:
    return Stacks(for_book(load_layout(PRESETS.get(book, "blackjack-7")), find_book(book)))


@pytest.mark.parametrize("book", BOOKS)
def test_a_stack_stands_on_the_spot_on_which_it_is_laid(book: str) -> None:
    found = stacks(book)
    assert {found.spot_of(area.first) == area.name for area in found.spots} == {True}


@pytest.mark.parametrize("book", BOOKS)
def test_a_stack_that_stands_a_little_beside_a_spot_is_meant_for_it(book: str) -> None:
    found = stacks(book)
    area = found.layout.by_name["box4.main"]
    x, y = max(area.polygon, key=lambda point: point[0] + point[1])
    beside = x + BESIDE_MM / 2, y + BESIDE_MM / 2
    assert 0 < area.away(beside) < BESIDE_MM
    assert found.spot_of(beside) is not None


def test_a_stack_in_the_middle_of_the_table_stands_on_no_spot() -> None:
    assert stacks("live-blackjack").spot_of((0.0, 330.0)) is None
