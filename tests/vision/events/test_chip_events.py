"""What is reported of chips on a table of flat colours."""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.detector import Detection
from feltwatch.vision.tracking.chip_tracker import DOUBT_S
from tests.json_events import Event
from tests.toy_table import CAMERA, CHIP_MM, LAYOUT, Arm, Chips, Toy, ToyDetector, box, laid, outline

MAIN = LAYOUT.by_name["box3.main"]
BET = Chips(*MAIN.first)
PAID = Chips(MAIN.first[0] + MAIN.step[0], MAIN.first[1] + MAIN.step[1])
DEALERS, PLAYERS = Arm(BET.x, BET.y), Arm(BET.x, BET.y, dealers=False)


@pytest.fixture
def toy() -> Toy:
    found = Toy()
    assert found.wait(1.0) == []
    return found


def told(events: list[Event]) -> list[tuple[object, int, object]]:
    """Give spots, how many stacks stand there, and who moved them."""
    assert all(event["event"] == "chips" for event in events)
    counts = [0 if event["amount"] == 0 else len(event["stacks"]) for event in events]  # type: ignore[arg-type]  # a list
    return [(event["spot"], count, event.get("by")) for event, count in zip(events, counts, strict=True)]


@dataclass
class Misled(ToyDetector):
    """Takes a ring that is printed on the felt for a stack, if half of it shows."""

    ring: Chips = BET

    def survey(self, part: Pixels, scale: float | None = None) -> tuple[list[Detection], list[Detection]]:
        cards, found = super().survey(part, scale)
        quad = box(outline(self.ring))
        corner = found_corner(self.toy, part)
        left, top = np.maximum(quad.min(axis=0), 0).astype(int)
        right, bottom = quad.max(axis=0).astype(int)
        shows = (self.toy.owner[top:bottom, left:right] == -1).mean()
        inside = (quad.mean(axis=0) > corner).all() and (quad.mean(axis=0) < corner + part.shape[1::-1]).all()
        ring = [Detection("chip_stack", quad - corner, 0.6)] if inside and shows > 0.4 else []
        return cards, [*found, *ring]


def found_corner(toy: Toy, part: Pixels) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    offset = part.ctypes.data - toy.seen.ctypes.data
    return np.array([offset % toy.seen.strides[0] // 3, offset // toy.seen.strides[0]])


def misled() -> Toy:
    toy = Toy()
    detector = Misled(toy)
    toy.watcher.eyes = replace(toy.watcher.eyes, detector=detector)  # type: ignore[arg-type]  # it answers alike
    return toy


def test_a_bet_is_told_with_when_its_spot_was_last_seen_empty(toy: Toy) -> None:
    came = toy.t
    (event,) = toy.put(BET, under=PLAYERS)
    assert told([event]) == [("box3.main", 1, "player")]
    assert came - 0.25 <= float(event["since"]) <= came + 0.2 < float(event["t"])  # type: ignore[arg-type]  # numbers


def test_a_payment_beside_a_bet_is_told_and_both_are_taken_up_in_one(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    assert told(toy.put(PAID, under=DEALERS)) == [("box3.main", 2, "dealer")]
    assert told(toy.take(BET, PAID, under=PLAYERS)) == [("box3.main", 0, "player")]


def test_an_emptied_spot_is_told_within_half_a_second(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.things.append(DEALERS)
    toy.wait(0.3)
    toy.things.clear()
    assert told(toy.wait(0.5)) == [("box3.main", 0, "dealer")]


def test_a_payment_that_is_taken_up_at_once_is_told_all_the_same(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.things[:] = [BET, DEALERS]
    toy.wait(0.3)
    toy.things[:] = [BET, PAID]
    found = toy.wait(0.4)
    toy.things[:] = [PLAYERS]
    found += toy.wait(0.3)
    toy.things.clear()
    assert told(found + toy.wait(1.5)) == [("box3.main", 2, "dealer"), ("box3.main", 0, "player")]


@pytest.mark.parametrize("seconds", [0.32, 1.0, 1.6])
def test_chips_that_a_players_gesture_hides_for_a_moment_did_not_go(toy: Toy, seconds: float) -> None:
    toy.put(BET, under=PLAYERS)
    toy.put(PAID, under=DEALERS)
    found = []
    for things in ((BET, PLAYERS), (BET,), (BET, PAID, PLAYERS), (BET, PAID)):
        toy.things[:] = [*things]
        found += toy.wait(seconds if things == (BET,) else 0.32)
    assert found + toy.wait(2.5) == []
    assert told(toy.take(PAID, under=PLAYERS) + toy.wait(2.5)) == [("box3.main", 1, "player")]


def test_hands_and_cards_that_pass_change_no_bet(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    for y in (250.0, BET.y - 40, BET.y + 20, BET.y - 80, 250.0):
        toy.things.append(Arm(BET.x, y))
        assert toy.wait(0.2) == []
        toy.things.pop()
    assert [event["event"] for event in toy.put(laid("9h", "box3.cards"))] == ["card"]
    assert toy.wait(3.0) == []


def test_whose_hand_it_was_is_not_told_where_both_were_there(toy: Toy) -> None:
    toy.things[:] = [DEALERS, PLAYERS]
    toy.wait(0.4)
    toy.things[:] = [BET]
    assert told(toy.wait(1.0)) == [("box3.main", 1, None)]


def test_bets_are_told_before_the_card_that_falls_after_them(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    spots = [LAYOUT.by_name[f"box{n}.main"].first for n in (4, 5)]
    for spot in spots:
        toy.put(Chips(*spot), under=Arm(*spot, dealers=False))
    toy.put(laid("9h", "box3.cards"))
    assert [event["event"] for event in toy.events] == ["chips", "chips", "chips", "card"]


def test_chips_in_the_dealers_float_are_no_bets(toy: Toy) -> None:
    assert toy.put(Chips(*LAYOUT.by_name["float"].first)) == []


def test_a_ring_half_under_a_sleeve_is_no_stack() -> None:
    toy = misled()
    toy.wait(0.4)
    toy.things.append(Arm(BET.x + 45 + CHIP_MM / 3, BET.y + 80))
    found = toy.wait(1.0)
    toy.things.clear()
    assert found + toy.wait(1.0) == []


def test_a_bet_is_seen_to_be_gone_though_the_ring_under_it_looks_like_one() -> None:
    toy = misled()
    toy.wait(0.4)
    assert told(toy.put(BET, under=PLAYERS)) == [("box3.main", 1, "player")]
    assert told(toy.take(BET, under=DEALERS)) == [("box3.main", 0, "dealer")]


def test_bets_that_stand_there_from_the_start_are_told() -> None:
    toy = Toy([BET])
    assert told(toy.wait(1.0)) == [("box3.main", 1, None)]
    assert CAMERA.scale(BET.x, BET.y) > 0.3  # so that a chip is large enough to stand out from the felt


TOPPED = replace(BET, colour=(60, 150, 60))


def altered(toy: Toy, *things: Chips, under: Arm) -> list[Event]:
    """Let a hand come over the bet and leave other things there."""
    toy.things.append(under)
    found = toy.wait(0.3)
    toy.things[:] = [*things, under]
    found += toy.wait(0.2)
    toy.things.remove(under)
    return found + toy.wait(2.0)


@pytest.mark.parametrize(("arm", "by"), [(PLAYERS, "player"), (DEALERS, "dealer")], ids=["a Player", "the dealer"])
def test_a_chip_put_on_a_stack_is_told_with_whose_hand_it_was(toy: Toy, arm: Arm, by: str) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    came = toy.t
    (event,) = altered(toy, TOPPED, under=arm)
    assert told([event]) == [("box3.main", 1, by)]
    assert event["changed"] is True
    assert came - 0.25 <= float(event["since"]) <= came + 0.2 < float(event["t"])  # type: ignore[arg-type]  # numbers
    assert toy.wait(2.0) == []


@pytest.mark.parametrize("left", [BET, replace(BET, colour=(43, 43, 205))], ids=["as it was", "in other light"])
def test_a_stack_that_a_hand_left_as_it_was_is_not_told(toy: Toy, left: Chips) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    assert altered(toy, left, under=PLAYERS) == []


def test_a_stack_that_a_hand_pushed_is_told_as_it_was_for_a_like_chip_may_lie_on_it(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    (event,) = altered(toy, replace(BET, x=BET.x + 4), under=PLAYERS)
    assert told([event]) == [("box3.main", 1, "player")]
    assert "changed" not in event


def test_a_hand_or_a_card_that_rests_on_a_stack_does_not_change_it(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    toy.things.append(PLAYERS)
    assert toy.wait(2.0) == []
    toy.things.remove(PLAYERS)
    assert toy.wait(2.0) == []
    card = replace(laid("9h", "box3.cards"), x=BET.x + 20, y=BET.y)
    assert [event["event"] for event in toy.put(card)] == ["card"]
    assert toy.wait(2.0) == []


def test_the_table_is_idle_again_though_something_was_left_on_a_stack(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    toy.things.append(PLAYERS)
    toy.wait(2.0)
    assert toy.watcher.stacks.in_doubt(toy.t)
    toy.wait(DOUBT_S)
    assert not toy.watcher.stacks.in_doubt(toy.t)


def test_a_stack_beside_which_another_came_is_as_it_was_though_it_lies_in_its_shadow(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    assert told(altered(toy, TOPPED, PAID, under=DEALERS)) == [("box3.main", 2, "dealer")]


def test_what_is_known_of_a_stack_can_be_pickled(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    toy.put(laid("9h", "box3.cards"))
    eyes = toy.watcher.eyes
    toy.watcher = pickle.loads(pickle.dumps(toy.watcher))  # noqa: S301  its own
    toy.watcher.eyes = eyes
    toy.things = [one for one in toy.things if one != BET]
    found = altered(toy, *toy.things, TOPPED, under=PLAYERS)  # type: ignore[arg-type]  # a card too
    assert told(found) == [("box3.main", 1, "player")]


def test_a_bet_changed_while_the_camera_was_out_is_not_held_against_the_next_hand(toy: Toy) -> None:
    toy.put(BET, under=PLAYERS)
    toy.wait(1.0)
    eyes = toy.watcher.eyes
    toy.watcher = toy.watcher.restarted()
    toy.watcher.eyes = eyes
    toy.things[:] = [TOPPED]
    assert toy.wait(1.0) == []
    assert altered(toy, TOPPED, under=PLAYERS) == []
