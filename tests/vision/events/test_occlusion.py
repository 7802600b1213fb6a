"""What is reported of the order of cards where hands cover them."""

import numpy as np

from tests.toy_table import LAYOUT, Arm, Chips, Toy, laid, plain

FIRST, SECOND, DEALERS = laid("9h", "box3.cards"), laid("Kd", "box4.cards"), laid("As", "dealer.cards")
NEXT = laid("7c", "box3.cards", 1)


def arm_over(card: object) -> Arm:
    assert isinstance(card, type(FIRST))
    return Arm(card.x, card.y - 60, dealers=False)


def toy() -> Toy:
    found = Toy()
    found.wait(1.0)
    return found


def test_a_card_that_is_seen_to_come_came_just_then() -> None:
    (event,) = toy().put(FIRST)
    assert "hidden" not in event
    assert 0 <= float(str(event["rested"])) - float(str(event["since"])) <= 0.3


def test_of_a_card_that_came_under_a_hand_is_told_when_its_place_was_last_seen_and_of_others_that_it_was_not() -> None:
    table = toy()
    began = table.t
    arm = arm_over(FIRST)
    table.things.append(arm)
    table.wait(0.3)
    table.things.insert(0, FIRST)
    (other,) = table.put(SECOND)
    table.things.remove(arm)
    (event,) = table.wait(1.0)
    assert plain([other, event]) == [("card", "box4.cards", "Kd", "up"), ("card", "box3.cards", "9h", "up")]
    assert other["hidden"] == ["box3.cards"]
    assert began - 0.05 <= float(str(event["since"])) <= began + 0.05 < float(str(other["rested"]))
    assert "hidden" not in event


def test_an_arm_that_has_just_come_hides_no_card_that_came_before() -> None:
    table = toy()
    table.things.append(SECOND)
    assert table.wait(0.04) == []
    table.things.append(arm_over(FIRST))
    (event,) = table.wait(0.6)
    assert "box3.cards" in table.watcher.hidden
    assert "hidden" not in event


def test_of_chips_too_it_is_told_where_a_card_may_lie_unseen() -> None:
    table = toy()
    table.things.append(arm_over(FIRST))
    table.wait(0.3)
    spot = LAYOUT.by_name["box5.main"]
    (event,) = table.put(Chips(*np.mean(spot.polygon, axis=0)))
    assert (event["spot"], event["hidden"]) == ("box5.main", ["box3.cards"])


def test_cards_that_came_under_one_hand_are_not_told_as_drawn_together() -> None:
    table = toy()
    arm = arm_over(FIRST)
    table.things.append(arm)
    table.wait(1.0)
    table.things[:0] = [FIRST, NEXT]
    table.wait(0.3)
    table.things.remove(arm)
    found = table.wait(1.5)
    assert len(plain(found)) == 2
    assert not any("together" in event for event in found)


def test_places_to_which_no_card_comes_from_the_shoe_count_once_cards_lie_there() -> None:
    table = toy()
    table.things.append(arm_over(laid("9h", "box3.hand2")))
    table.wait(0.3)
    assert "box3.cards" in table.watcher.hidden
    assert "box3.hand2" not in table.watcher.hidden
