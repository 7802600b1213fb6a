"""`feltwatch books`: the list, a book, a clause; as text and as JSON."""

import json

import pytest

from feltwatch.edge.cli.main import main
from feltwatch.engine.books import BOOKS
from feltwatch.engine.books.clauses import clauses


def test_the_list_names_every_book(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["books"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == list(BOOKS)
    assert "1 deck, 141 clauses" in out


def test_the_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    main(["books", "--json"])
    assert [book["id"] for book in json.loads(capsys.readouterr().out)] == list(BOOKS)


@pytest.mark.parametrize("book", BOOKS)
def test_a_book_shows_its_pays_settings_and_clauses(book: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["books", book, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["pays"]["main"] == "1:1"
    assert {one["name"] for one in found["settings"]} >= {"pro_rata", "smallest_chip"}
    assert list(found["clauses"]) == list(clauses(book))
    main(["books", book])
    text = capsys.readouterr().out
    assert all(clause in text for clause in found["clauses"])


def test_settings_of_another_game_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    main(["books", "si-ki-pi-v3"])
    out = capsys.readouterr().out
    assert "two_pairs" in out
    assert "dealer_soft17" not in out


def test_a_clause_says_what_is_demanded_and_where_it_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    main(["books", "blackjack-rws-v5", "3.23"])
    out = capsys.readouterr().out
    assert "engine/blackjack/play/dealer.py" in out
    assert "dealer-overdraw" in out


def test_a_clause_that_asks_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    main(["books", "blackjack-rws-v5", "1.1"])
    assert "Nothing for software to do." in capsys.readouterr().out
