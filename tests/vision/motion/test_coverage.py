"""A camera that watches its part of a table: what lies in the others' parts is theirs to tell."""

import numpy as np
import pytest

from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.motion.change_detector import LONG_S, ChangeDetector
from feltwatch.vision.motion.coverage import left_to_others, watched
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.table_watcher import TableWatcher
from tests.toy_table import CAMERA, LAYOUT, SIZE, STEP_S, Arm, Chips, Toy, laid, plain

MINE = {area.name for area in LAYOUT.areas if area.name.startswith(("box1.", "box2.", "box3.", "dealer."))}
PART = LAYOUT.part(MINE)
NINE, KING, ACE = laid("9h", "box3.cards"), laid("Kd", "box4.cards"), laid("As", "box6.cards")
BET, OTHERS_BET = (Chips(*LAYOUT.by_name[f"{box}.main"].first) for box in ("box3", "box5"))


def toy_of(layout: Layout = PART) -> Toy:
    toy = Toy()
    toy.watcher = TableWatcher(CAMERA, layout, toy.watcher.eyes)
    assert toy.wait(1.0) == []
    return toy


def test_only_what_lies_in_its_part_is_told() -> None:
    toy = toy_of()
    for thing in (NINE, KING, BET, OTHERS_BET, ACE):
        toy.put(thing)
    assert plain(toy.events) == [("card", "box3.cards", "9h", "up"), ("chips", "box3.main")]
    toy.take(KING, ACE)
    assert len(toy.events) == 2
    toy.take(NINE)
    assert [event["event"] for event in toy.events[2:]] == ["remove", "clear"]


def test_what_lies_outside_is_told_by_the_camera_to_whose_part_it_is_nearest() -> None:
    between = laid("9h", "box3.cards")
    others = LAYOUT.part({area.name for area in LAYOUT.areas} - MINE)
    for x, tells in ((-95.0, True), (-20.0, False)):
        thing = type(between)("9h", x, 290.0)
        for layout, told in ((PART, tells), (others, not tells)):
            assert plain(toy_of(layout).put(thing)) == [("card", "outside", "9h", "up")] * told


def test_what_others_watch_is_taken_as_it_is_once_it_has_lain_for_a_while() -> None:
    toy = toy_of()
    toy.put(ACE)
    before = toy.watcher.looks
    toy.wait(LONG_S)
    attention = toy.watcher.attention
    patch = Patch.of(CAMERA.to_picture(ACE.corners), attention.factor, toy.watcher.felt.shape)
    small = attention.step(toy.t, toy.drawn())
    assert patch.share(small.changed) == 0
    assert toy.watcher.looks == before
    assert toy_of(LAYOUT).watcher.elsewhere is None


def test_between_two_cameras_nothing_is_left_out() -> None:
    attention = ChangeDetector(SIZE)
    others = LAYOUT.part({area.name for area in LAYOUT.areas} - MINE)
    mine, theirs = (watched(CAMERA, part, attention) for part in (PART, others))
    whole = watched(CAMERA, LAYOUT, attention)
    assert not (whole & ~mine & ~theirs).any()
    assert 0.05 < (mine & theirs).sum() / whole.sum() < 0.3  # where a card of the one may reach over
    left = left_to_others(CAMERA, PART, attention)
    assert left is not None
    assert not (left & mine).any()
    for area in PART.areas:
        patch = Patch.of(CAMERA.to_picture(area.polygon), attention.factor, mine.shape)
        assert patch.share(mine) == 1


@pytest.mark.parametrize(("dealers", "by"), [(True, "dealer"), (False, "player")])
def test_an_arm_may_come_in_where_the_picture_ends(by: str, *, dealers: bool) -> None:
    """The camera sees neither the dealer's edge of the felt nor the Players'."""
    spot = LAYOUT.by_name["box4.main"]
    near = look_at(SIZE, (0.0, 460.0, 1400.0), (0.0, 460.0), 1450.0)
    assert (np.abs(near.to_picture([(0.0, 0.0), (0.0, 940.0)])[:, 1] - 360) > 360).all()
    attention = ChangeDetector(SIZE)
    shape = (attention.size[1], attention.size[0])
    for layout, told in ((LAYOUT.part({spot.name}), by), (LAYOUT, None)):
        sides = HandAttribution(near, layout, attention.size, attention.factor)
        arm = np.zeros(shape, bool)
        Patch.of(near.to_picture(Arm(*spot.first, dealers=dealers).corners), attention.factor, shape).onto(arm)
        for frame in range(10):
            sides.step(frame * STEP_S, arm)
        assert sides.by(spot.name, 9 * STEP_S) == told


# ---- when nothing was seen for a while ------------------------------------------------------------------------------


def test_a_card_that_came_while_no_picture_came_is_told() -> None:
    toy = toy_of(LAYOUT)
    toy.t += 3.0
    toy.things.append(NINE)
    (event,) = toy.wait(1.0)
    assert plain([event]) == [("card", "box3.cards", "9h", "up")]
    assert float(str(event["since"])) < 1.0
    assert 4.0 <= float(str(event["rested"])) <= 4.1


def test_one_that_begins_anew_finds_the_cards_and_knows_the_chips() -> None:
    toy = toy_of(LAYOUT)
    for thing in (NINE, KING, BET, OTHERS_BET):
        toy.put(thing)
    toy.t += 5.0
    toy.things[:] = [NINE, ACE, BET]
    before, toy.watcher = toy.watcher, toy.watcher.restarted()
    found = toy.wait(2.0)
    assert sorted(plain(found)) == [
        ("card", "box3.cards", "9h", "up"),
        ("card", "box6.cards", "As", "up"),
        ("chips", "box5.main"),
    ]
    assert [event.get("found") for event in found if event["event"] == "card"] == [True, True]
    assert {event["amount"] for event in found if event["event"] == "chips"} == {0}
    assert toy.watcher.hanging is before.hanging  # it still hangs as when it was calibrated
