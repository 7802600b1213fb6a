"""What a deck of the table's own adds is counted as it is reported, and a deck that is taken for another is counted."""

import numpy as np
import pytest

from feltwatch.models.evaluation import enrolled
from feltwatch.models.evaluation.enrolled import GROUPS, Enrolled, EnrolledTable, ReadCard, measure
from feltwatch.models.shipped.registry import MANIFEST
from feltwatch.vision.arrays import Floats
from feltwatch.vision.detection.deck_use import RUN
from feltwatch.vision.detection.known_deck import FACES


def alike(face: str, own: float, best: float) -> Floats:
    found = np.full((2, 52), 0.1)
    found[:, FACES.index(face) - 1] = best
    found[:, FACES.index(face)] = own
    return found


def test_what_was_reported_is_counted_by_group_and_way(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = (
        ReadCard(GROUPS[0], ("not reported", "right"), (True, True), (0.0, 0.0)),
        ReadCard(GROUPS[0], ("wrong", "not reported"), (False, False), (0.99, 0.7)),
        ReadCard(GROUPS[2], ("right", "right"), (True, True), (0.0, 0.0)),
    )
    whole = tuple((face, alike(face, 0.9, 0.8), alike(face, 0.2, 0.6)) for face in FACES[: 2 * RUN])
    monkeypatch.setattr(enrolled, "ordered", lambda *_: [EnrolledTable(cards, whole)])
    found = measure(Enrolled(MANIFEST, "val", 1), 1)
    group = found[GROUPS[0]]
    assert isinstance(group, dict)
    assert [group[way][answer] for way in enrolled.WAYS for answer in enrolled.ANSWERS] == [0, 1, 1, 1, 0, 1]
    assert found["likeliest wrong guess"] == {
        "reader alone": {GROUPS[0]: 0.99, GROUPS[1]: 0.0, GROUPS[2]: 0.0},
        "with the deck": {GROUPS[0]: 0.7, GROUPS[1]: 0.0, GROUPS[2]: 0.0},
    }
    assert (found["their own deck taken for another"], found["another deck noticed"]) == (0, 2)
    assert found["after so many whole cards, at the median"] == RUN


def test_a_table_is_read_without_and_with_its_deck() -> None:
    found = [Enrolled(MANIFEST, "test", 3)(index) for index in range(2)]
    cards = [card for one in found for card in one.cards]
    assert len(cards) >= 5
    assert not any("wrong" in card.answers for card in cards)
    assert sum(card.best[1] for card in cards) >= 0.9 * len(cards)
