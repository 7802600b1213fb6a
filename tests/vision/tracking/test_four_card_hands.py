"""Which of its four cards one is that comes to light in a hand."""

from dataclasses import replace

import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.detection.reader_classes import ReaderClasses
from feltwatch.vision.detection.roi_detection import CardGlimpse, Glimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import load_layout
from feltwatch.vision.tracking.four_card_hands import (
    NO_FOURS,
    are_dealt,
    box,
    is_set,
    lies_under,
    progress,
    sided,
    stands_for,
    zone_of_back,
)
from feltwatch.vision.tracking.track import CardTrack
from tests.toy_table import CAMERA, CARD_MM, LAYOUT, rectangle

SIX = load_layout("si-ki-pi-6")
FAR = ((1900.0, 1900.0), (2000.0, 1900.0), (2000.0, 2000.0))  # Low and High do not lie there
CARDS, LOW, HIGH = "box3.cards", "box3.low", "box3.high"


def card(zone: str, face: str | None = None, *, x: float = 0.0, layer: int = 0, met: float = 0.0) -> CardTrack:
    """Give a card of a hand: a back, if it has no face."""
    quad = CAMERA.to_picture(rectangle(x, 400.0, CARD_MM, 90.0))
    found = CardTrack(quad, (x, 400.0), 90.0, Patch.of(quad, 2.0, (360, 640)), face is not None, 0.0, 0.0, layer=layer)
    found.zone, found.met_at = zone, met
    if face is not None:
        found.votes.add(np.eye(len(READS))[READS.index(face)], 1.0)
    return found


@pytest.mark.parametrize(
    ("zone", "one_of_two"),
    [(LOW, True), (HIGH, True), ("dealer.low", True), (CARDS, False), ("box3.hand2", False), (None, False)],
)
def test_cards_come_to_the_low_and_the_high_hand_from_the_hand(zone: str | None, *, one_of_two: bool) -> None:
    assert is_set(zone) is one_of_two


@pytest.mark.parametrize(
    ("zone", "likely", "shown", "down"),
    [
        (CARDS, 0.3, True, True),
        (CARDS, 0.7, True, False),
        (CARDS, 0.7, False, True),
        (CARDS, 0.95, False, False),
        ("dealer.cards", 0.3, True, True),
        (LOW, 0.3, False, False),
    ],
)
@pytest.mark.parametrize("detected", [0.8, 0.1])
def test_what_bears_no_face_where_hands_are_dealt_is_a_back(
    zone: str, likely: float, detected: float, *, shown: bool, down: bool
) -> None:
    x, y = (float(value) for value in np.mean(SIX.by_name[zone].polygon, axis=0))
    x, y = (x, y) if SIX.zone_at((x, y)) == zone else SIX.by_name[zone].first
    read = np.full(len(READS), (1 - likely) / (len(READS) - 1))
    read[READS.index("9h")] = likely
    seen = CardGlimpse(np.zeros((4, 2)), (x, y), 90.0, CARD_MM, 0.9, detected, read)
    (found,) = sided(
        Glimpse((seen,), (), ()), SIX, ReaderClasses(READS), progress(SIX, (), setting=shown, shown=shown)
    ).cards
    assert ReaderClasses(READS).up(found) is not down


def test_hands_of_four_are_dealt_where_they_can_be_set() -> None:
    assert are_dealt(SIX)
    assert not are_dealt(LAYOUT)


APART = replace(SIX, areas=tuple(replace(area, polygon=FAR) if area.name == CARDS else area for area in SIX.areas))


@pytest.mark.parametrize(
    ("count", "setting", "by", "zone"),
    [
        (0, False, None, CARDS),
        (3, False, "dealer", CARDS),
        (4, False, "dealer", CARDS),  # one too many
        (4, False, "player", LOW),  # set by its Player
        (4, False, None, LOW),
        (3, True, "dealer", LOW),  # hands are being set
    ],
)
def test_a_back_belongs_to_the_hand_while_it_is_dealt_and_to_low_or_high_when_it_is_set(
    count: int, by: str | None, zone: str, *, setting: bool
) -> None:
    cards = [card(CARDS) for _ in range(count)]
    for number, one in enumerate(cards):
        one.id = f"c{number}"
    fours = progress(SIX, cards, setting=setting, shown=False)
    assert zone_of_back(SIX, SIX.by_name[LOW].first, fours, by) == zone
    assert zone_of_back(APART, APART.by_name[LOW].first, fours, by) == LOW


# ---- a face ---------------------------------------------------------------------------------------------------------


def test_a_face_is_the_card_that_has_it_the_nearest_of_two() -> None:
    far, near, back = card(CARDS, "9h", x=200), card(CARDS, "9h", x=-60), card(LOW)
    assert stands_for(card(LOW, "9h"), [back, far, near], []) is near


def test_a_face_that_was_lost_is_the_card_that_shows_it_now() -> None:
    lost = card(CARDS, "9h", x=200)
    assert stands_for(card(LOW, "9h"), [card(LOW), card(CARDS, "Kd")], [lost]) is lost


def test_a_face_that_nobody_knows_was_a_back_and_no_other_face() -> None:
    back = card(CARDS, x=200)
    assert stands_for(card(LOW, "9h"), [card(LOW, "Kd"), back], []) is back


def test_a_back_that_was_never_read_has_no_face() -> None:
    first = READS[0]  # what is likeliest where nothing is known
    there = card(CARDS, first, x=200)
    assert stands_for(card(LOW, first), [card(LOW), there], []) is there


def test_a_back_is_no_card_that_shows_its_face() -> None:
    assert stands_for(card(LOW), [card(LOW, "Kd"), card(CARDS, "9h")], [card(CARDS, "8h")]) is None


def test_what_shows_a_face_was_turned_where_it_lay_rather_than_brought() -> None:
    far, near = card(LOW, x=30, layer=9), card(LOW, x=5)
    assert stands_for(card(LOW, "9h", met=1.0), [card(CARDS), far, near], [card(CARDS)]) is near


def test_a_face_that_was_lost_from_a_place_was_not_turned_there() -> None:
    here, lost = card(LOW, x=30), card(LOW, x=0)
    assert stands_for(card(LOW, "9h", met=1.0), [here], [lost]) is here


def test_a_back_that_is_seen_beside_a_face_is_not_what_was_turned() -> None:
    here, lost = card(LOW, x=30, met=1.0), card(CARDS)
    assert stands_for(card(LOW, "9h", met=1.0), [here], [lost]) is lost


# ---- a back: one that was lost, then one where there are too many, then one that is not set, then any ----------------


def test_a_back_that_was_lost_goes_before_all_that_lie() -> None:
    lost = card(CARDS)
    assert stands_for(card(LOW), [card(LOW), card(LOW), card(CARDS)], [lost]) is lost


def test_a_back_that_slid_under_another_of_its_hand_is_there_still() -> None:
    slid, loose, first = card(LOW, layer=9), card(CARDS), card(HIGH)
    assert stands_for(card(HIGH), [card(LOW, layer=8), first, loose], [slid]) is loose
    assert stands_for(card(LOW, "9h", met=1.0), [card(LOW, met=1.0), first], [card(HIGH, layer=9)]) is not first


def test_a_third_back_of_the_low_hand_is_one_of_the_two_there() -> None:
    here = card(LOW)
    others = [card(LOW, "Kd"), card(CARDS, layer=9), *(card(HIGH, layer=9) for _ in range(3))]
    assert stands_for(card(LOW), [*others, here], []) is here


def test_a_second_back_of_the_low_hand_is_not_the_first() -> None:
    loose = card(CARDS)
    assert stands_for(card(LOW), [card(LOW, layer=9), loose], []) is loose


def test_a_back_comes_from_a_hand_of_three_rather_than_from_those_not_set() -> None:
    third, loose = card(HIGH), [card(CARDS, layer=9) for _ in range(3)]
    three = [card(HIGH, "Kd"), card(HIGH, "9h"), third]
    assert stands_for(card(LOW), [*loose, *three], []) is third
    assert stands_for(card(CARDS), [*loose, *three], []) is third


def test_a_back_comes_from_those_not_set_rather_than_from_a_hand_of_two() -> None:
    loose = card(CARDS)
    assert stands_for(card(LOW), [card(HIGH, layer=9), card(HIGH, layer=9), loose], []) is loose


def test_a_back_comes_from_a_hand_of_two_if_no_other_is_left() -> None:
    there = card(HIGH)
    assert stands_for(card(LOW), [card(HIGH, "Kd"), there], []) is there


def test_of_backs_alike_one_that_was_not_seen_since_goes_first() -> None:
    seen, unseen = card(CARDS, met=2.0, layer=9), card(CARDS, met=1.0)
    assert stands_for(card(LOW, met=2.0), [seen, unseen], []) is unseen
    assert stands_for(card(LOW, met=2.0), [], [seen, unseen]) is unseen


def test_of_backs_alike_the_one_that_came_last_goes_first() -> None:
    last = card(CARDS, layer=7)
    assert stands_for(card(LOW), [card(CARDS, layer=3), last, card(CARDS, layer=5)], []) is last


def test_of_an_empty_hand_a_card_is_none() -> None:
    assert stands_for(card(LOW), [], []) is None


# ---- a card that was lost while its hand was set ---------------------------------------------------------------------


def told(*zones: str) -> list[CardTrack]:
    """Give backs that lie there, and have names."""
    found = [card(zone) for zone in zones]
    for number, one in enumerate(found):
        one.id = f"c{number}"
    return found


@pytest.mark.parametrize(("lie", "misses"), [((LOW, LOW, HIGH), HIGH), ((HIGH, LOW, HIGH), LOW)])
def test_a_card_that_was_lost_lies_where_one_of_two_is_missing(lie: tuple[str, ...], misses: str) -> None:
    assert lies_under(card(CARDS), told(*lie)) == misses
    assert lies_under(card("dealer.cards"), told(*(zone.replace("box3", "dealer") for zone in lie))) == misses.replace(
        "box3", "dealer"
    )


@pytest.mark.parametrize(
    "lie",
    [
        (LOW, LOW, LOW),
        (LOW, LOW, CARDS),
        (LOW, HIGH, CARDS),
        (CARDS, CARDS, CARDS),
        (LOW, LOW),
        (LOW, HIGH),
        (LOW, LOW, HIGH, HIGH),
        (LOW, LOW, HIGH, CARDS),
        (),
    ],
)
def test_where_not_two_and_one_lie_it_is_not_known_where_it_is(lie: tuple[str, ...]) -> None:
    assert lies_under(card(CARDS), told(*lie)) is None


@pytest.mark.parametrize("zone", [LOW, HIGH])
def test_a_card_that_was_set_lies_where_it_was(zone: str) -> None:
    assert lies_under(card(zone), told(LOW, LOW, HIGH)) is None


def test_cards_of_other_hands_and_what_was_not_told_do_not_count() -> None:
    here = told(LOW, LOW, HIGH)
    assert lies_under(card(CARDS), [*here, *told("box4.high", "dealer.low"), card(HIGH)]) == HIGH
    here[0].id = ""
    assert lies_under(card(CARDS), [*here, *told("box4.low")]) is None


@pytest.mark.parametrize(
    ("zone", "of"), [(CARDS, "box3"), ("box3.hand2", "box3"), ("dealer.low", "dealer"), ("shoe", "shoe"), (None, "")]
)
def test_a_zone_is_of_a_box_or_the_dealers(zone: str | None, of: str) -> None:
    assert box(zone) == of


@pytest.mark.parametrize(
    ("setting", "shown", "closed", "dealt"),
    [(False, False, {"dealer", "box3"}, {"dealer"}), (True, False, {"box3"}, set()), (True, True, set(), set())],
)
def test_how_far_a_round_has_come_says_what_lies_face_down_and_who_is_dealt_to(
    closed: set[str], dealt: set[str], *, setting: bool, shown: bool
) -> None:
    cards = [card(CARDS) for _ in range(4)]
    for one in cards:
        one.id = "c1"
    found = progress(SIX, cards, setting=setting, shown=shown)
    assert {"dealer", "box3"} & found.closed == closed
    assert {"dealer", "box3"} & found.dealt == dealt


def test_where_no_hands_of_four_are_dealt_nothing_is_known_of_them() -> None:
    assert progress(LAYOUT, (), setting=False, shown=False) == NO_FOURS
