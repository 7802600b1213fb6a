"""Faces that were seen while a hand of four was turned: which of its cards they belong to."""

from collections.abc import Sequence

import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.arrays import Floats
from feltwatch.vision.detection.reader_classes import SURE, ReaderClasses
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import load_layout
from feltwatch.vision.motion.change_detector import ChangeDetector
from feltwatch.vision.tracking.four_card_hands import FourCardHands
from feltwatch.vision.tracking.revealed_faces import FAINT, LIKELY, QUIET_S, RevealedFaces, revealed
from feltwatch.vision.tracking.track import VOTES, CardTrack
from tests.toy_table import CAMERA, CARD_MM, SIZE, rectangle

LAYOUT = load_layout("si-ki-pi-6")
FACTOR = ChangeDetector(SIZE).factor
CARDS, LOW, HIGH = "box3.cards", "box3.low", "box3.high"
FAINTLY = 0.93  # a strip is read so: less than for certain
LATER = 20.0


def card(zone: str, face: str | None = None, *, up: bool | None = None, layer: int = 0) -> CardTrack:
    """Give a card that was reported: face down, if it has no face."""
    area = LAYOUT.by_name[zone]
    quad = CAMERA.to_picture(rectangle(*area.first, CARD_MM, area.turn))
    patch = Patch.of(quad, FACTOR, (360, 640))
    found = CardTrack(quad, area.first, area.turn, patch, face is not None if up is None else up, 0.0, 0.0, layer=layer)
    found.zone, found.face, found.id = zone, face, f"{zone} {layer}"
    if face is not None:
        found.votes.add(np.eye(len(READS))[READS.index(face)], 1.0)
    return found


def faces(face: str, likely: float, other: str | None = None) -> Floats:
    """Give what a look says: one face, and one other, or else all alike."""
    found = np.full(len(READS), 1e-9 if other else (1 - likely) / (len(READS) - 1))
    found[READS.index(other or face)] = 1 - likely
    found[READS.index(face)] = likely
    return found


def seen(zone: str, read: Floats, up: float = 0.98) -> CardGlimpse:
    """See a card where it lies in a zone that is the smallest there."""
    area = LAYOUT.by_name[zone]
    x, y = area.first
    quad = CAMERA.to_picture(rectangle(x, y, CARD_MM, area.turn))
    return CardGlimpse(quad, (x, y), area.turn, CARD_MM, 0.9, up, read)


class Hands:
    """A table on which the dealer shows a card, and an unknown hand lies."""

    def __init__(self) -> None:
        self.shown = RevealedFaces(LAYOUT, ReaderClasses(READS))
        self.cards = [card("dealer.low", "2c"), *(card(zone, layer=n) for n, zone in enumerate((LOW, LOW, HIGH, HIGH)))]
        self.t = 0.0

    @property
    def low(self) -> CardTrack:
        return self.cards[1]

    def read(self, *reads: str, zone: str = LOW, likely: float = 0.99, other: str | None = None) -> None:
        for face in reads:
            self.t = round(self.t + 0.1, 3)
            self.shown.keep(self.t, [seen(zone, faces(face, likely, other))])

    def under(self, later: float = LATER) -> list[tuple[str | None, str]]:
        """Give in which zones cards are found that lie under others, and their faces."""
        return [(found.zone, READS[face]) for found, face in self.shown.under(self.t + later, self.cards)]


@pytest.fixture
def hands() -> Hands:
    return Hands()


# ---- faces that were read for certain --------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", [CARDS, LOW, HIGH])
def test_a_face_that_was_read_twice_is_of_the_hands_card_that_is_not_known(hands: Hands, zone: str) -> None:
    hidden = card(HIGH)
    hands.cards = [hands.cards[0], card(LOW, "Kd"), card(LOW, "8h"), card(HIGH, "3s"), hidden]
    hands.read("9h", "9h", zone=zone)
    ((found, face),) = hands.shown.under(hands.t + LATER, hands.cards)
    assert (found, READS[face]) == (hidden, "9h")


@pytest.mark.parametrize(
    ("reads", "likely"),
    [(["9h"] * (VOTES - 1), 0.99), (["9h", "8h"], 0.99), (["9h"] * VOTES, SURE - 0.01)],
)
def test_one_look_is_not_enough_nor_are_some_that_are_not_certain(
    hands: Hands, reads: Sequence[str], likely: float
) -> None:
    hands.read(*reads, likely=likely)
    assert hands.under() == []


def test_looks_need_not_follow_each_other(hands: Hands) -> None:
    hands.read("9h", "8h", "9h")
    assert hands.under() == [(LOW, "9h")]


def test_before_the_dealer_shows_a_card_nothing_is_said(hands: Hands) -> None:
    shown, hands.cards[0] = hands.cards[0], card("dealer.cards")
    hands.read("9h", "9h")
    assert hands.under() == []
    hands.cards[0] = shown
    assert hands.under() == [(LOW, "9h")]


@pytest.mark.parametrize(("later", "found"), [(QUIET_S - 0.05, []), (QUIET_S + 0.05, [(LOW, "9h")])])
def test_while_the_cards_may_still_be_turned_nothing_is_said(
    hands: Hands, later: float, found: list[tuple[str, str]]
) -> None:
    hands.read("9h", "9h")
    assert hands.under(later) == found


@pytest.mark.parametrize(("zone", "found"), [(HIGH, []), ("box4.low", [(LOW, "9h")])])
def test_a_look_at_any_card_of_the_hand_is_waited_for(hands: Hands, zone: str, found: list[tuple[str, str]]) -> None:
    hands.read("9h", "9h")
    hands.t += QUIET_S
    hands.read("8h", zone=zone, likely=0.5)
    assert hands.under(0.1) == found


def test_a_look_at_a_card_that_is_known_is_not_waited_for(hands: Hands) -> None:
    hands.cards[2] = card(LOW, "8h")
    hands.read("9h", "9h")
    hands.t += QUIET_S
    hands.read("8h")
    assert hands.under(0.1) == [(LOW, "9h")]


@pytest.mark.parametrize("zone", [HIGH, "box4.cards", "dealer.high"])
def test_a_face_that_a_known_card_bears_is_nobody_elses(hands: Hands, zone: str) -> None:
    hands.cards.append(card(zone, "9h"))
    hands.read(*["9h"] * 2 * FAINT)
    assert hands.under() == []


def test_a_face_that_was_read_over_another_box_is_not_taken(hands: Hands) -> None:
    hands.read("9h", "9h", zone="box4.low")
    assert hands.under() == []


def test_each_hand_gets_the_faces_that_were_read_over_it(hands: Hands) -> None:
    hands.cards += [card("box4.cards"), card("dealer.high")]
    hands.read("9h", "9h")
    hands.read("8h", "8h", zone="box4.high")
    hands.read("Kd", "Kd", zone="dealer.low")
    assert sorted(hands.under()) == [(LOW, "9h"), ("box4.cards", "8h"), ("dealer.high", "Kd")]


def test_two_faces_are_of_two_cards(hands: Hands) -> None:
    hands.read("9h", "8h", "9h", "8h")
    found = [*hands.shown.under(LATER, hands.cards)]
    assert [(one, READS[face]) for one, face in found] == [(hands.cards[1], "9h"), (hands.cards[2], "8h")]


def test_a_hand_has_no_more_faces_than_cards_that_are_not_known(hands: Hands) -> None:
    hands.cards = hands.cards[:2]
    hands.read("9h", "8h", "9h", "8h")
    assert hands.under() == [(LOW, "9h")]


def test_a_card_that_was_not_told_gets_no_face(hands: Hands) -> None:
    for one in hands.cards[1:]:
        one.id = ""
    hands.read("9h", "9h")
    assert hands.under() == []


@pytest.mark.parametrize("up", [0.98, 0.02])
def test_backs_and_what_is_no_card_are_not_read(hands: Hands, up: float) -> None:
    for face in ("back", "none"):
        hands.shown.keep(0.1, [seen(LOW, faces(face, 0.99), up)])
    hands.shown.keep(0.2, [seen(LOW, faces("9h", 0.6, "back"), 0.02)])
    assert hands.shown.reads == []


def test_what_is_read_outside_all_zones_is_not_taken(hands: Hands) -> None:
    away = seen(LOW, faces("9h", 0.99))
    for place in [LAYOUT.by_name[name].first for name in ("box3.main", "box4.bonus")]:
        assert LAYOUT.zone_at(place) is None
        quad = CAMERA.to_picture(rectangle(*place, CARD_MM, 90.0))
        hands.shown.keep(0.1, [CardGlimpse(quad, place, 90.0, CARD_MM, 0.9, 0.98, away.faces)])
    assert hands.shown.reads == []


def test_what_was_read_before_the_layout_was_clear_is_forgotten(hands: Hands) -> None:
    hands.read("9h", "9h")
    hands.shown.forget()
    assert hands.under() == []


# ---- which of its cards: one in the zone where it was read, then one that lies face up, then the lowest --------


@pytest.mark.parametrize("zone", [LOW, HIGH])
def test_of_the_cards_that_are_not_known_it_is_one_where_the_face_was_read_last(hands: Hands, zone: str) -> None:
    other = LOW if zone == HIGH else HIGH
    hands.cards = [hands.cards[0], card(other, up=True), card(zone, layer=5)]
    hands.read("9h", zone=other)
    hands.read("9h", zone=zone)
    assert hands.under() == [(zone, "9h")]


def test_of_those_in_one_place_it_is_one_that_is_up_and_was_not_read(hands: Hands) -> None:
    up = card(LOW, up=True, layer=5)
    hands.cards.append(up)
    hands.read("9h", "9h")
    assert [found for found, _ in hands.shown.under(LATER, hands.cards)] == [up]


@pytest.mark.parametrize("up", [True, False])
def test_of_those_that_lie_alike_it_is_the_lowest(hands: Hands, *, up: bool) -> None:
    lowest = card(LOW, up=up, layer=2)
    hands.cards = [hands.cards[0], card(LOW, up=up, layer=3), lowest, card(LOW, up=up, layer=4)]
    hands.read("9h", "9h")
    assert [found for found, _ in hands.shown.under(LATER, hands.cards)] == [lowest]


# ---- strips ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("looks", "found"), [(FAINT, [(LOW, "9h")]), (FAINT - 1, [])])
def test_a_strip_on_which_many_looks_agree_is_of_a_card_there(
    hands: Hands, looks: int, found: list[tuple[str, str]]
) -> None:
    hands.read(*["9h"] * looks, likely=FAINTLY)
    assert hands.under() == found


@pytest.mark.parametrize(("off", "found"), [(0.02, [(LOW, "9h")]), (-0.02, [])])
def test_a_strip_on_which_they_do_not_agree_is_of_none(hands: Hands, off: float, found: list[tuple[str, str]]) -> None:
    hands.read(*["9h"] * 2 * FAINT, likely=LIKELY + off)
    assert hands.under() == found


def test_a_strip_that_is_read_now_so_now_so_is_of_none(hands: Hands) -> None:
    hands.read(*["9h", "9d"] * FAINT, likely=FAINTLY)
    assert hands.under() == []


@pytest.mark.parametrize("known", [True, False])
def test_faces_of_cards_that_are_known_say_nothing_about_a_strip(hands: Hands, *, known: bool) -> None:
    hands.cards[2] = card(LOW, "9d" if known else "Kd")
    hands.read(*["9h"] * FAINT, likely=0.6, other="9d")
    assert hands.under() == ([(LOW, "9h")] if known else [])


def test_looks_at_two_strips_are_not_counted_together(hands: Hands) -> None:
    hands.read(*["9h"] * (FAINT - 1), likely=FAINTLY)
    hands.read(*["9h"] * (FAINT - 1), likely=FAINTLY, zone=HIGH)
    assert hands.under() == []


@pytest.mark.parametrize(("certain", "found"), [(LOW, []), (HIGH, [(LOW, "9h")])])
def test_a_strip_beside_a_face_that_was_read_for_certain_is_not_used(
    hands: Hands, certain: str, found: list[tuple[str, str]]
) -> None:
    hands.read(*["9h"] * 4 * FAINT, likely=0.93)
    hands.read("8h", "8h", zone=certain)
    assert hands.under() == [(certain, "8h"), *found]


def test_a_strip_is_no_face_that_was_read_for_certain_in_the_same_hand(hands: Hands) -> None:
    hands.read("9h", "9h", zone=HIGH)
    hands.read(*["9h"] * FAINT, likely=FAINTLY)
    assert hands.under() == [(HIGH, "9h")]


def test_a_strip_that_looks_like_a_back_for_the_rest_is_of_none(hands: Hands) -> None:
    hands.read(*["9h"] * FAINT, likely=0.6, other="back")
    assert hands.under() == []
    hands.read("9h", "9h", zone=HIGH)
    assert hands.under() == [(HIGH, "9h")]


def test_two_strips_are_of_two_cards(hands: Hands) -> None:
    hands.read(*["9h"] * FAINT, likely=FAINTLY)
    hands.read(*["8h"] * FAINT, likely=FAINTLY, zone=HIGH)
    assert sorted(hands.under()) == [(HIGH, "8h"), (LOW, "9h")]


@pytest.mark.parametrize(("zone", "likely"), [(HIGH, FAINTLY), ("box4.low", FAINTLY), ("box4.low", 0.99)])
def test_no_two_cards_are_given_one_face(hands: Hands, zone: str, likely: float) -> None:
    hands.cards.append(card("box4.low"))
    hands.read(*["9h"] * FAINT, likely=likely)
    hands.read(*["9h"] * FAINT, likely=likely, zone=zone)
    assert len(hands.under()) == 1


# ---- whether a hand is being shown ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "dealers", "shows", "hides"),
    [
        ("dealer.low", None, False, True),
        ("dealer.low", None, True, True),
        ("dealer.high", "3s", True, False),
        (LOW, None, True, True),
        (LOW, None, False, False),
        (CARDS, None, True, True),
        ("box4.low", None, True, False),
    ],
)
def test_the_dealers_hand_is_shown_first_then_those_of_the_boxes(
    zone: str, dealers: str | None, *, shows: bool, hides: bool
) -> None:
    cards = [card("dealer.low", dealers, up=shows), card("dealer.high", "2c", up=shows), card(LOW), card(HIGH, "9h")]
    assert RevealedFaces(LAYOUT, ReaderClasses(READS)).hides(zone, cards) is hides


def test_a_hand_of_which_all_faces_are_known_hides_none() -> None:
    shown, cards = (
        RevealedFaces(LAYOUT, ReaderClasses(READS)),
        [card("dealer.low", "2c"), card(LOW, "8h"), card(HIGH, "9h")],
    )
    assert not any(shown.hides(zone, cards) for zone in (CARDS, LOW, HIGH, "dealer.low"))
    cards.append(card(CARDS, up=True))
    assert shown.hides(LOW, cards)
    cards[-1].id = ""  # it was not reported, and may be none
    assert not shown.hides(LOW, cards)


@pytest.mark.parametrize(
    ("zone", "up", "told", "shown"),
    [
        ("dealer.cards", True, True, True),
        ("dealer.high", True, True, True),
        ("dealer.high", False, True, False),
        ("dealer.high", True, False, False),
        (HIGH, True, True, False),
    ],
)
def test_hands_are_shown_once_the_dealer_shows_a_card(zone: str, *, up: bool, told: bool, shown: bool) -> None:
    one = card(zone, up=up)
    one.id = "c1" if told else ""
    assert revealed([card("dealer.low"), one]) is shown


def test_what_is_read_over_a_hand_that_is_not_shown_yet_says_nothing(hands: Hands) -> None:
    hands.shown.keep(0.1, [seen(LOW, faces("9h", 0.99))], FourCardHands(played=True, closed=frozenset({"box3"})))
    assert hands.shown.reads == []
