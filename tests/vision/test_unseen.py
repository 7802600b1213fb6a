"""What is told of the order of cards where hands cover them."""

from tests.toy_table import Arm, Toy, laid, plain

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


def test_places_to_which_no_card_comes_from_the_shoe_count_once_cards_lie_there() -> None:
    table = toy()
    table.things.append(arm_over(laid("9h", "box3.hand2")))
    table.wait(0.3)
    assert "box3.cards" in table.watcher.hidden
    assert "box3.hand2" not in table.watcher.hidden
