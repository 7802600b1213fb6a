"""Reports of a table: small rounds on one of flat colours, and the bundled film with the networks that ship."""

import pickle
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.tracking.card_tracker import UNREAD_S
from tests.film_watched import SECOND, cards, handled, truth, watched
from tests.toy_table import LAYOUT, SIZE, STEP_S, Arm, Chips, Toy, laid, plain

FIRST_DEAL = 25.5  # of the film's second round, all cards of it lie there

NINE, KING, ACE = laid("9h", "box3.cards"), laid("Kd", "box3.cards", 1), laid("As", "dealer.cards")
HOLE = laid("Td", "dealer.cards", 1, up=False)
DIM = laid("9h", "box3.cards", likely=0.6, mistaken="8h")  # it may also be an eight
NOW_NINE = ("card", "box3.cards", "9h", "up")


@pytest.fixture
def toy() -> Toy:
    found = Toy()
    assert found.wait(1.0) == []
    return found


# ---- cards come, turn, move and go ----------------------------------------------------------------------------------


def test_a_card_is_told_once_and_soon(toy: Toy) -> None:
    (event,) = toy.put(NINE)
    assert plain([event]) == [NOW_NINE]
    rested = float(str(event["rested"]))
    assert 1.2 <= rested <= 1.44
    assert float(str(event["t"])) - rested <= 0.3
    assert event["id"] == f"c{round(rested * 1000)}"
    assert toy.wait(3.0) == []


def test_a_back_that_was_seen_once_is_looked_for(toy: Toy) -> None:
    toy.things.append(laid("Kd", "box3.cards", up=False))
    while not toy.watcher.lying.coming and toy.t < 2.0:
        toy.wait(STEP_S)
    toy.watcher.wait.fill(1e9)  # nothing that has changed is looked at again
    assert plain(toy.wait(0.6)) == [("card", "box3.cards", None, "down")]


def test_cards_are_told_in_the_order_in_which_they_came_to_rest(toy: Toy) -> None:
    for card in (NINE, ACE, KING, HOLE):
        toy.put(card)
    assert plain(toy.events) == [
        NOW_NINE,
        ("card", "dealer.cards", "As", "up"),
        ("card", "box3.cards", "Kd", "up"),
        ("card", "dealer.cards", None, "down"),
    ]


def test_a_card_that_lies_across_is_marked(toy: Toy) -> None:
    toy.put(NINE)
    (event,) = toy.put(replace(KING, angle=KING.angle + 90))
    assert event["crosswise"] is True


def test_a_card_that_is_turned_is_the_same_card(toy: Toy) -> None:
    (event,) = toy.put(HOLE)
    turned = toy.change(HOLE, replace(HOLE, up=True))
    assert plain(turned) == [("turn", "Td", "up")]
    assert turned[0]["id"] == event["id"]
    assert turned[0]["by"] == "dealer"


def test_a_card_that_is_pushed_into_a_hand_of_its_own_keeps_its_identity(toy: Toy) -> None:
    toy.put(NINE)
    (event,) = toy.put(laid("9c", "box3.cards", 1))
    there = LAYOUT.by_name["box3.hand2"]
    moved = toy.change(laid("9c", "box3.cards", 1), laid("9c", "box3.hand2"))
    assert plain(moved) == [("move", there.name)]
    assert moved[0]["id"] == event["id"]
    assert moved[0]["hand"] == 2


def test_cards_are_gone_where_their_place_is_seen_empty_and_then_the_layout_is_clear(toy: Toy) -> None:
    toy.put(NINE)
    toy.put(ACE)
    assert plain(toy.take(NINE)) == [("remove",)]
    assert plain(toy.take(ACE)) == [("remove",), ("clear",)]


def test_a_card_under_a_hand_is_still_there(toy: Toy) -> None:
    toy.put(NINE)
    arm = Arm(NINE.x, NINE.y + 60, dealers=False)
    toy.things.append(arm)
    assert toy.wait(4.0) == []
    toy.things.remove(arm)
    assert toy.wait(2.0) == []
    assert [card.face for card in toy.watcher.view().cards] == ["9h"]


def test_a_card_under_another_is_still_there(toy: Toy) -> None:
    toy.put(NINE)
    over = replace(KING, x=NINE.x + 4, y=NINE.y + 9)
    assert plain(toy.put(over)) == [("card", "box3.cards", "Kd", "up")]
    assert toy.wait(3.0) == []


def test_cards_that_lie_there_from_the_start_are_marked() -> None:
    toy = Toy([NINE, HOLE])
    found = toy.wait(1.0)
    assert sorted(plain(found), key=str) == [NOW_NINE, ("card", "dealer.cards", None, "down")]
    assert all(event["found"] is True for event in found)


# ---- faces ----------------------------------------------------------------------------------------------------------


def test_a_face_that_is_not_sure_is_told_late_as_not_known(toy: Toy) -> None:
    (event,) = toy.put(DIM) + toy.wait(2.0)
    assert plain([event]) == [("card", "box3.cards", None, "up")]
    assert UNREAD_S <= float(str(event["t"])) - float(str(event["rested"])) <= 2 * UNREAD_S


def test_a_face_that_can_be_read_later_is_told_then(toy: Toy) -> None:
    (event,) = toy.put(DIM) + toy.wait(2.0)
    (known,) = toy.change(DIM, NINE)
    assert (known["event"], known["id"], known["card"]) == ("correct", event["id"], "9h")


def test_one_look_that_reads_another_face_changes_nothing(toy: Toy) -> None:
    toy.put(NINE)
    assert toy.change(NINE, replace(NINE, likely=0.2, mistaken="8h")) == []


def test_a_look_at_which_nothing_is_sure_is_looked_at_again(toy: Toy) -> None:
    dim = replace(NINE, likely=0.5, mistaken="8h")
    toy.things.append(dim)
    toy.wait(0.2)
    toy.things[:] = [NINE]
    assert plain(toy.wait(1.0)) == [NOW_NINE]


# ---- chips ----------------------------------------------------------------------------------------------------------


def test_a_bet_is_told_with_whose_hand_set_it_down_and_took_it(toy: Toy) -> None:
    bet = Chips(*LAYOUT.by_name["box3.main"].first)
    (event,) = toy.put(bet, under=Arm(bet.x, bet.y, dealers=False)) + toy.wait(4.0)
    assert (event["event"], event["spot"], event["amount"], event["by"]) == ("chips", "box3.main", None, "player")
    assert len(event["stacks"]) == 1  # type: ignore[arg-type]  # a list
    (gone,) = toy.take(bet, under=Arm(bet.x, bet.y))
    assert (gone["spot"], gone["amount"], gone["by"]) == ("box3.main", 0, "dealer")


def test_chips_that_are_gone_were_seen_a_moment_before(toy: Toy) -> None:
    bet = Chips(*LAYOUT.by_name["box3.main"].first)
    toy.put(bet, under=Arm(bet.x, bet.y, dealers=False))
    toy.wait(4.0)
    start = toy.t
    (gone,) = toy.take(bet, under=Arm(bet.x, bet.y))
    assert start - 0.1 <= float(str(gone["since"])) <= float(str(gone["t"]))


# ---- what happens to a camera --------------------------------------------------------------------------------------


def shaken(t: float, picture: Pixels) -> Pixels:
    x, y = 2.5 * np.sin(9 * t), 2.5 * np.cos(7 * t)
    way = np.array([[1, 0, x], [0, 1, y]], np.float64)
    return np.asarray(cv2.warpAffine(picture, way, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def dimmed(t: float, picture: Pixels) -> Pixels:
    return np.asarray(cv2.convertScaleAbs(picture, alpha=0.8 if t % 2 > 1 else 1.0), np.uint8)


GRAIN = np.random.default_rng(8).normal(128, 4, (5, SIZE[1], SIZE[0], 3)).astype(np.uint8)


def grainy(t: float, picture: Pixels) -> Pixels:
    grain = GRAIN[round(t * 1000) * 7 % 5]
    return np.asarray(cv2.addWeighted(picture, 1.0, grain, 1.0, -128.0), np.uint8)


@pytest.mark.parametrize("disturb", [shaken, dimmed, grainy])
def test_a_disturbed_camera_makes_nothing_happen(
    disturb: Callable[[float, Pixels], Pixels],
) -> None:
    toy = Toy(disturb=disturb)
    assert toy.wait(3.0) == []
    toy.put(NINE)
    toy.put(ACE)
    assert plain(toy.events) == [NOW_NINE, ("card", "dealer.cards", "As", "up")]


def test_a_table_on_which_nothing_happens_is_hardly_looked_at(toy: Toy) -> None:
    toy.put(NINE)
    toy.wait(3.0)
    looks = toy.watcher.looks
    toy.wait(10.0)
    assert toy.watcher.looks <= looks + 10  # what lies there is looked for now and then


def test_a_watcher_that_was_kept_on_disk_goes_on_as_if_nothing_had_been() -> None:
    told = []
    for kept in (False, True):
        toy = Toy()
        toy.wait(1.0)
        for card in (NINE, ACE, KING):
            toy.put(card)
            if kept:
                eyes = toy.watcher.eyes
                toy.watcher = pickle.loads(pickle.dumps(toy.watcher))  # noqa: S301  our own bytes
                assert not hasattr(toy.watcher, "eyes")
                toy.watcher.eyes = eyes
        toy.take(NINE, KING)
        told.append(toy.events)
    assert told[0] == told[1]
    assert len(told[0]) == 5


def test_what_is_remembered_does_not_grow_with_time() -> None:
    toy = Toy()
    toy.wait(1.0)
    sizes = []
    for _ in range(4):
        toy.put(NINE)
        toy.take(NINE)
        sizes.append(len(pickle.dumps(toy.watcher)))
    assert sizes[-1] <= 1.01 * sizes[0]
    assert len(toy.events) == 4 * 3
    assert toy.t > 200 * STEP_S


# ---- the bundled film -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("disturb", ["lost", "flicker", "shake"])
def test_the_first_deal_of_the_film_is_told_whatever_happens_to_the_camera(disturb: str) -> None:
    found = watched(SECOND, FIRST_DEAL, disturb)
    owed = [event for event in truth() if SECOND < float(str(event["t"])) < FIRST_DEAL]
    assert cards(found.events) == cards(owed)
    assert len(cards(owed)) == 5
    assert handled(found.events) == []


def test_a_film_seen_three_times_leaves_no_more_behind_than_seen_once() -> None:
    found = watched(SECOND, rounds=3)
    assert len(cards(found.events)) == 3 * len(cards(truth(), SECOND))
    assert found.sizes[-1] <= 1.05 * found.sizes[0]
