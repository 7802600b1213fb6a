"""A table in the middle of a round, pickled and read again as a checkpoint is: it judges on as if nothing had been."""

import io
import json
import pickle
from collections.abc import Mapping

import pytest

from feltwatch.edge.replay.checkpoint import unpickled
from feltwatch.engine.books import find_book
from feltwatch.engine.model.events import decode
from feltwatch.engine.model.verdicts import Alert, Verdict, Withdrawn
from feltwatch.engine.table import Table
from feltwatch.engine.transcript.parse import Scenario, Step
from tests.test_rounds import CASES
from tests.transcripts import Run

BEFORE: list[Mapping[str, object]] = [
    {"t": 0, "event": "chips", "spot": "box1.main", "amount": 100, "by": "player"},
    {"t": 1, "event": "card", "id": "c1", "zone": "box1.cards", "card": "9h", "face": "up"},
    {"t": 2, "event": "card", "id": "c2", "zone": "outside", "card": "5d", "face": "up"},
]
CORRECT: Mapping[str, object] = {"t": 3, "event": "correct", "id": "c1", "card": "8h"}
FIRST = [one for one in CASES if one[2] == one[1].books[0]]  # each round by one of its books


def judged(table: Table, *events: Mapping[str, object]) -> list[Verdict]:
    return [found for event in events for found in table.apply(decode(json.dumps(event).encode()))]


def again(table: Table) -> Table:
    (found,) = unpickled(io.BytesIO(pickle.dumps(table)))
    assert isinstance(found, Table)
    return found


def test_a_card_outside_stays_an_error_when_another_is_corrected() -> None:
    table = Table(find_book("blackjack-rws-v5"))
    assert [one.code for one in judged(table, *BEFORE) if isinstance(one, Alert)] == ["card-outside-box"]
    back = again(table)
    found = judged(back, CORRECT)
    assert not [one for one in found if isinstance(one, Withdrawn)]
    assert found == judged(table, CORRECT)


class Interrupted(Run):
    """Every step goes on from a checkpoint."""

    def step(self, step: Step) -> None:
        self.table = again(self.table)
        super().step(step)


@pytest.mark.parametrize(("scenario", "book"), [one[1:] for one in FIRST], ids=[one[0] for one in FIRST])
def test_a_round_is_judged_alike_from_checkpoint_to_checkpoint(scenario: Scenario, book: str) -> None:
    assert Interrupted(scenario, book).play() == Run(scenario, book).play()
