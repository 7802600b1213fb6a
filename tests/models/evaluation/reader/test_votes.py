"""Several looks at a card: what is reported from which likelihood on is counted as it is reported."""

import pytest

from feltwatch.models.evaluation.reader import votes
from feltwatch.models.evaluation.reader.votes import COUNTS, LEVELS, VotedCard, Voter, measure
from feltwatch.models.shipped.registry import MANIFEST


def seen(right: bool, likely: float, *, tall: float = 90.0, deck: str = "a") -> VotedCard:  # noqa: FBT001  as in a table
    return VotedCard(tall, deck, ((right, 0.5), (right, 0.6), (right, 0.65), (right, likely)))


def test_what_is_likely_enough_is_reported_right_or_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = [seen(True, 0.99), seen(True, 0.91), seen(False, 0.86), seen(True, 0.75, deck="b")]  # noqa: FBT003
    small = [seen(True, 0.96, tall=50.0)]  # noqa: FBT003
    monkeypatch.setattr(votes, "ordered", lambda *_: [cards, small])
    found = measure(Voter(MANIFEST, "test", 1), 200)
    whole = found["75 to 130 px"]
    assert isinstance(whole, dict)
    last = whole[f"{COUNTS[-1]} looks"]
    assert [(last[f"from {level:.2f}"]["right"], last[f"from {level:.2f}"]["wrong"]) for level in LEVELS] == [
        (3, 1),
        (2, 1),
        (2, 1),
        (2, 0),
        (1, 0),
        (1, 0),
    ]
    assert whole["1 looks"]["from 0.70"]["cannot tell"] == 4
    by_deck = found["as reported, by deck"]
    assert isinstance(by_deck, dict)
    assert [by_deck["a"][answer] for answer in ("right", "wrong", "cannot tell")] == [2, 0, 2]
    assert by_deck["b"]["cannot tell"] == 1


def test_cards_are_looked_at_as_the_reader_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(votes, "BLOCK", 12)
    found = Voter(MANIFEST, "test", 3)(0)
    assert len(found) == 12
    assert sum(card.after[-1][0] for card in found) >= 10
    assert all(0 < likely <= 1 for card in found for _, likely in card.after)
