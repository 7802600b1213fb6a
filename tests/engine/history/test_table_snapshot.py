"""A table between two rounds, written down and read again; what is not ours is refused."""

import json
from collections.abc import Mapping

import pytest

from feltwatch.engine import table_snapshot
from feltwatch.engine.books import find_book
from feltwatch.engine.model.events import Gap, decode
from feltwatch.engine.table import Table

BOOK = find_book("blackjack-rws-v5")
TOLD = [
    {"t": 0, "event": "signal", "name": "shuffled", "count": 1},
    {"t": 1, "event": "signal", "name": "seated", "box": 3, "player": "ann"},
    {"t": 2, "event": "chips", "spot": "box3.main", "amount": 100},
    {"t": 3, "event": "card", "id": "c1", "zone": "box3.cards", "card": "9h", "face": "up"},
    {"t": 4, "event": "clear"},
]


def kept(*more: Mapping[str, object]) -> dict[str, object]:
    table = Table(BOOK)
    for event in (*TOLD, *more):
        table.apply(decode(json.dumps(event).encode()))
    found: dict[str, object] = json.loads(json.dumps(table_snapshot.taken(table)))
    return found


def test_a_table_is_what_it_was() -> None:
    found = table_snapshot.restored(BOOK, kept())
    assert table_snapshot.taken(found) == kept()
    assert (found.number, [*found.lying]) == (1, ["box3.main"])


def test_that_nobody_watched_is_known_still() -> None:
    gap = ({"t": 9.5, "event": "gap", "since": 5}, {"t": 11, "event": "tick"})
    found = table_snapshot.restored(BOOK, kept(*gap))
    assert found.after == Gap(9.5, 5.0)
    assert table_snapshot.taken(found) == kept(*gap)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seats", {"ann": "three"}),
        ("round", "one"),
        ("stale", []),
        ("lying", {"box3.main": [1, 2, 3]}),
        ("lying", {"box3.main": 7}),
        ("seats", {"ann": 3}),
        ("shoe", {"copies": {"9x": 1}, "opening": [], "before": [], "burn": 1}),
    ],
)
def test_what_is_not_ours_is_refused(name: str, value: object) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        table_snapshot.restored(BOOK, kept() | {name: value})
