"""Events during a gap: resumed where only one thing can have happened, else the round is lost with its reason."""

import json
from collections.abc import Mapping

import pytest

from feltwatch.engine.books import find_book
from feltwatch.engine.model.events import EventError, decode
from feltwatch.engine.table import Table

Told = Mapping[str, object]


def card(t: float, name: str, zone: str, face: str, **more: object) -> Told:
    return {"t": t, "event": "card", "id": name, "zone": zone, "card": face, "face": "up", **more}


def chips(t: float, spot: str, amount: int, **more: object) -> Told:
    return {"t": t, "event": "chips", "spot": spot, "amount": amount, **more}


BET = [chips(0, "box1.main", 100, by="player"), {"t": 1, "event": "signal", "name": "no-more-bets"}]
DEALT = [
    *BET,
    card(2, "c1", "box1.cards", "5h"),
    card(3, "c2", "dealer.cards", "9d"),
    card(4, "c3", "box1.cards", "6c"),
]
GAP = {"t": 9, "event": "gap", "since": 5}
TICK = {"t": 11, "event": "tick"}


def said(*events: Told) -> list[dict[str, object]]:
    table = Table(find_book("blackjack-rws-v5"))
    found = [verdict for event in events for verdict in table.apply(decode(json.dumps(event).encode()))]
    assert not [one for one in found if one.to_dict()["verdict"] == "alert"]
    return [one.to_dict() for one in found]


@pytest.mark.parametrize(
    ("before", "unseen", "why"),
    [
        (DEALT, [card(9, "c4", "box1.cards", "Th", crosswise=True, since=5)], "nobody saw how box 1 doubled"),
        (DEALT, [chips(9, "box1.main", 0, since=5)], "chips of the main bet of box 1 are gone"),
        (DEALT, [{"t": 9, "event": "remove", "id": "c1"}], "a card is gone"),
        (DEALT, [{"t": 9, "event": "remove", "id": name} for name in ("c1", "c3")], "cards are gone"),
        (DEALT, [chips(9, "box1.main", 50, since=5)], "chips of the main bet of box 1 are gone"),
        (
            [*BET, card(2, "c1", "box1.cards", "5h"), card(3, "c2", "dealer.cards", "9d")],
            [card(9, "c3", "box1.cards", "6c", since=5), card(9, "c4", "box1.cards", "2d", since=5)],
            "nobody saw in which order the cards of box1.cards came",
        ),
        (
            BET,
            [card(9, f"c{n}", "box1.cards", face, since=5) for n, face in enumerate(("2h", "3c", "Th"), 1)],
            "what lies does not follow from what lay before",
        ),
    ],
)
def test_a_round_is_lost_where_more_than_one_thing_may_have_happened(
    before: list[Told], unseen: list[Told], why: str
) -> None:
    (end,) = [one for one in said(*before, GAP, *unseen, TICK) if one["verdict"] == "round-ended"]
    assert (end["result"], end["why"]) == ("unresolved", f"nobody watched from 5.0 s to 9.0 s, and {why}")


def test_a_round_goes_on_where_only_one_thing_can_have_happened() -> None:
    later = [
        card(12, "c5", "dealer.cards", "8s"),
        chips(14, "box1.main", 200, by="dealer"),
        {"t": 20, "event": "clear"},
    ]
    found = said(*DEALT, GAP, card(9, "c4", "box1.cards", "8h", since=5), TICK, *later)
    assert [one["result"] for one in found if one["verdict"] == "settlement"] == ["win"]
    assert found[-1]["result"] == "completed"


def test_a_bet_that_goes_back_after_a_gap_may_be_of_a_void_round() -> None:
    taken = chips(12, "box1.main", 0, by="player")
    *_, end = said(*DEALT, GAP, card(9, "c4", "box1.cards", "8h", since=5), TICK, taken, {"t": 20, "event": "clear"})
    assert (end["result"], end["why"]) == ("unresolved", "nobody saw why the main bet of box 1 went back")


@pytest.mark.parametrize("bet", [[chips(10, "box2.main", 100, since=5)], []])
def test_a_card_to_a_box_whose_bet_nobody_saw_is_no_mistake(bet: list[Told]) -> None:
    gap = {"t": 10, "event": "gap", "since": 5}
    seen = chips(12, "box3.main", 100, by="player")
    found = said(
        {"t": 1, "event": "clear"}, gap, *bet, seen, card(14, "c1", "box1.cards", "5h"), {"t": 15, "event": "clear"}
    )
    ends = [(one["result"], one["why"]) for one in found if one["verdict"] == "round-ended"]
    assert ends == [("unresolved", "nobody watched from 5.0 s to 10.0 s, and what was bet is not sure")]


@pytest.mark.parametrize(
    ("event", "says"),
    [
        ({"t": 9, "event": "gap"}, "since"),
        ({"t": 9, "event": "gap", "since": 10}, "since"),
        ({"t": 9, "event": "gap", "since": 5, "lost": "yes"}, "lost"),
    ],
)
def test_a_gap_that_cannot_be_is_refused(event: Told, says: str) -> None:
    with pytest.raises(EventError, match=says):
        decode(json.dumps(event).encode())
