"""No clause without its code and its test."""

import pytest

from feltwatch.engine.books import BOOKS
from feltwatch.engine.books.clauses import CODE, clauses
from tests import compliance

PROOFS = compliance.proofs()


@pytest.mark.parametrize("book", BOOKS)
def test_every_clause_with_a_duty_is_cited_by_a_test(book: str) -> None:
    missing = [c.id for c in clauses(book).values() if c.engine and not PROOFS.get((book, c.id))]
    assert not missing


def test_tests_cite_only_clauses_that_exist() -> None:
    assert not [key for key in PROOFS if key[1] not in clauses(key[0])]


def test_450_of_537_clauses_oblige_the_engine() -> None:
    every = [clause for book in BOOKS for clause in clauses(book).values()]
    assert (len(every), sum(bool(clause.engine) for clause in every)) == (537, 450)


def test_every_alert_and_result_names_a_clause_of_its_book() -> None:
    for book in BOOKS.values():
        known = clauses(book.id)
        assert not [fault for fault in book.faults.values() if fault.clause not in known]
        assert not [clause for clause in book.clauses.values() if clause not in known]


@pytest.mark.parametrize("place", sorted({place for places in CODE.values() for place in places}))
def test_the_code_named_for_a_clause_is_there(place: str) -> None:
    assert compliance.code_exists(place)


def test_a_place_that_is_not_there_is_found_out() -> None:
    assert not compliance.code_exists("engine/table.py:Chair")
    assert not compliance.code_exists("engine/chair.py")
