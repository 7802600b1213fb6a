"""What is paid, and cards at one instant, while hands hide places: as a camera tells them."""

from collections.abc import Sequence
from decimal import Decimal

import pytest

from feltwatch.engine.books import BOOKS
from feltwatch.engine.history.occluded_order import Entry, doubt, place
from feltwatch.engine.model.events import Dealt, parse
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Verdict
from feltwatch.engine.round.base import Round
from feltwatch.engine.table import Table

BETS = [("box1.main", 0), ("box2.main", 1)]
DEAL = [("box1", "Th"), ("box2", "9h"), ("dealer", "6c"), ("box1", "2d"), ("box2", "Kd"), ("dealer", "9s")]


class Camera:
    """Tells a table of version 5 what it sees."""

    def __init__(self, cards: int = 6, first: str = "Th") -> None:
        self.table = Table(BOOKS["blackjack-rws-v5"])
        self.said: list[Verdict] = []
        for spot, t in BETS:
            self.tells("chips", t, spot=spot, amount=None, stacks=[{"top": None, "count": None}], by="player")
        for n, (whose, face) in enumerate([("box1", first), *DEAL[1:]][:cards]):
            self.card(2 + n, f"{whose}.cards", face)

    def tells(self, event: str, t: float, **more: object) -> list[str]:
        """Give the codes of the alerts that an event brings."""
        exact = {key: Decimal(str(value)) if key in ("t", "since", "rested") else value for key, value in more.items()}
        found = self.table.apply(parse({"t": Decimal(str(t)), "event": event, **exact}))
        self.said += found
        return [one.code for one in found if isinstance(one, Alert)]

    def card(self, t: float, zone: str, face: str, **more: object) -> list[str]:
        return self.tells("card", t, id=f"c{t}", zone=zone, card=face, **more)

    def results(self) -> dict[int, str]:
        return {one.box: one.result for one in self.said if isinstance(one, Settlement)}


def test_a_bet_that_is_taken_while_the_dealers_place_is_hidden_waits_for_his_card() -> None:
    camera = Camera()
    assert camera.tells("chips", 9, spot="box2.main", amount=0, by="dealer", hidden=["dealer.cards"]) == []
    assert camera.results() == {}
    assert camera.card(9.5, "dealer.cards", "5s", since=8, rested=9.4) == []
    assert camera.results() == {1: "lose", 2: "lose"}


def test_the_same_is_wrong_at_once_where_no_place_is_hidden_and_right_where_the_card_may_have_lain_there() -> None:
    camera = Camera()
    assert camera.tells("chips", 9, spot="box2.main", amount=0, by="dealer") == ["dealer-under-17-stands"]
    camera.card(9.5, "dealer.cards", "5s", since=8, rested=9.4)
    assert not camera.table.life.round.alerts  # type: ignore[union-attr]  # a round is on


def test_two_cards_that_are_seen_at_one_instant_after_a_hand_were_not_drawn_together() -> None:
    camera = Camera(5)
    camera.table.apply(parse({"t": Decimal(8), "event": "tick", "hidden": ["box1.cards"]}))
    assert camera.card(9, "box1.cards", "As", since=8, rested=8.9) == []
    assert camera.tells("card", 9, id="b", zone="box1.cards", card="Ac", since=8, rested=8.9) == []
    other = Camera(5)
    assert other.card(9, "box1.cards", "As") == []
    assert other.tells("card", 9, id="b", zone="box1.cards", card="Ac") == ["simultaneous-cards"]


def test_a_hand_that_had_been_taken_up_before_the_next_card_fell_was_surrendered() -> None:
    camera = Camera(5, "5h")
    camera.tells("chips", 8, spot="box1.main", amount=0, by="dealer")
    assert camera.card(9, "box2.cards", "2d") == ["acting-box-passed-over"]
    for name in ("c2", "c5"):
        assert camera.tells("remove", 9.5, id=name, since=8.4) == []
    assert not camera.table.life.round.alerts  # type: ignore[union-attr]  # a round is on


def test_where_it_is_not_known_what_a_hand_drew_last_the_round_is_unresolved() -> None:
    camera = Camera(5)
    camera.card(9, "dealer.cards", "As", since=8, rested=8.9)
    camera.tells("card", 9, id="b", zone="dealer.cards", card="2d", since=8, rested=8.9)
    assert not camera.table.life.round.alerts  # type: ignore[union-attr]  # a round is on
    two = [{"top": None, "count": None}] * 2
    assert camera.tells("chips", 12, spot="box2.main", amount=None, stacks=two, by="dealer") == []
    for n in range(5):
        camera.tells("remove", 14, id=f"c{2 + n}")
    assert camera.tells("clear", 15) == []
    assert [one.why for one in camera.said if isinstance(one, Ended)] == [
        "nobody saw in which order the cards of dealer.cards came"
    ]


def dealt(book: str, *events: dict[str, object]) -> Table:
    """Give a table on which so much happened, a second apart."""
    table = Table(BOOKS[book])
    for t, event in enumerate(events):
        table.apply(parse({"t": Decimal(t), **event}))
    return table


def chips(box: int) -> dict[str, object]:
    return {"event": "chips", "spot": f"box{box}.main", "amount": None}


def back(name: str, zone: str, face: str = "down") -> dict[str, object]:
    return {"event": "card", "id": name, "zone": zone, "card": None, "face": face}


def test_what_waits_when_the_footage_ends_is_told_then() -> None:
    camera = Camera(1)
    assert camera.card(4, "dealer.cards", "5s", hidden=["box2.cards"]) == []
    assert [one.code for one in camera.table.finish() if isinstance(one, Alert)] == ["box-skipped"]
    assert camera.table.finish() == []


def test_a_card_is_taken_away_after_it_came_whenever_its_place_was_last_seen() -> None:
    camera = Camera(0)
    camera.card(7, "box2.cards", "9h")  # box 1 is passed over
    camera.tells("remove", 9, id="c7", since=3)
    assert camera.table.life is not None
    assert camera.table.life.round.seen["c7"].gone


def test_many_quiet_seconds_are_lived_through_but_once() -> None:
    camera = Camera(0)
    camera.card(7, "box2.cards", "9h")
    for t in range(8, 3000):
        camera.tells("tick", t)
    camera.card(3001, "box1.cards", "Kd", since=5)
    lives: list[int] = []
    life = camera.table.life
    assert life is not None
    entry = (
        0,
        parse({"t": Decimal(3002), "event": "card", "id": "x", "zone": "dealer.cards", "card": "2d", "since": 5}),
    )

    def lived(log: Sequence[Entry]) -> Round:
        lives.append(len(log))
        return life.round

    place(life.log, entry, lived)
    assert len(lives) < 10


def test_a_place_is_hidden_but_once_however_often_it_is_named() -> None:
    card = {"event": "card", "id": "c", "zone": "box1.cards", "card": "9h", "hidden": ["box2.cards"] * 4000}
    event = parse({"t": Decimal(1), **card})
    assert isinstance(event, Dealt)
    assert len(event.hidden) == 1


def test_the_order_of_backs_decides_nothing() -> None:
    late = parse({"t": Decimal(9), **back("c9", "box1.cards"), "since": Decimal(3)})
    other = parse({"t": Decimal(5), **back("c5", "box1.cards")})
    assert doubt([(1, other)], late) == ""


@pytest.mark.parametrize(
    "events",
    [
        (
            chips(2),
            back("c2", "box2.cards"),
            back("c4", "box1.cards"),
            {"event": "move", "id": "c2", "zone": "outside"},
            back("c8", "outside", "up"),
            {"event": "remove", "id": "c8"},
        ),
        (
            chips(1),
            chips(2),
            back("c1", "box2.cards"),
            {"event": "turn", "id": "c1", "face": "up", "card": "2s", "by": "player"},
            {"event": "signal", "name": "ruling", "choice": "continue"},
            {"event": "remove", "id": "c1"},
        ),
    ],
)
def test_backs_that_lie_where_nobody_owns_them_are_no_fault_of_ours(events: Sequence[dict[str, object]]) -> None:
    assert dealt("si-ki-pi-v3", *events).life is not None


def test_a_slip_of_backs_is_told_when_the_layout_is_cleared() -> None:
    table = dealt("si-ki-pi-v3", chips(1), chips(2), back("c1", "box2.cards"))
    said = table.apply(parse({"t": Decimal(4), "event": "clear"}))
    assert [one.code for one in said if isinstance(one, Alert)] == ["wrong-box-order"]
