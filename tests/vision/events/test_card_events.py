"""What is reported of cards that came, turned and went: each once, by one name, pushed anywhere."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.engine.model.events import Dealt
from feltwatch.vision.arrays import Floats
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.events.card_events import HELD_DOWN_S, HELD_S, PATIENCE_S, TOGETHER_S, CardEvents, TableNow
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import load_layout
from feltwatch.vision.motion.change_detector import ChangeDetector
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.tracking.card_tracker import CardTracker
from feltwatch.vision.tracking.revealed_faces import QUIET_S
from feltwatch.vision.tracking.track import VOTES, CardTrack, Votes
from feltwatch.vision.tracking.track_changes import TrackAdded, TrackChange, TrackFlipped, TrackLost
from tests.json_events import Event, as_json
from tests.toy_table import CAMERA, CARD_MM, SIZE, STEP_S, Arm, Toy, laid, plain, rectangle

ATTENTION = ChangeDetector(SIZE)
SHAPE = (ATTENTION.size[1], ATTENTION.size[0])


class Table:
    """What is believed to lie on a table, and what is reported of it."""

    def __init__(self, preset: str, *, hands_apart: bool = True) -> None:
        self.layout = load_layout(preset)
        if not hands_apart:  # a felt with one place for all hands of a box
            areas = tuple(area for area in self.layout.areas if ".hand" not in area.name)
            self.layout = replace(self.layout, areas=areas)
        self.lying = CardTracker(self.layout, READS)
        self.sides = HandAttribution(CAMERA, self.layout, ATTENTION.size, ATTENTION.factor)
        self.telling = CardEvents(self.layout, READS)
        self.disturbed = np.zeros(SHAPE, bool)
        self.t = 0.0

    def card(self, zone: str, number: int = 0, face: str | None = None) -> CardTrack:
        """Give a card, as a dealer lays it into a zone: a back, if it has no face."""
        area = self.layout.by_name[zone]
        x, y = (a + number * b for a, b in zip(area.first, area.step, strict=True))
        quad = CAMERA.to_picture(rectangle(x, y, CARD_MM, area.turn))
        patch = Patch.of(quad, ATTENTION.factor, SHAPE)
        card = CardTrack(quad, (x, y), area.turn, patch, face is not None, self.t, self.t, votes=votes(face))
        self.lying.layers += 1
        card.zone, card.layer, card.met_at = zone, self.lying.layers, self.t
        return card

    def comes(
        self,
        zone: str,
        number: int = 0,
        face: str | None = None,
        turned: float = 0.0,
        at: tuple[float, float] | None = None,
    ) -> list[Event]:
        self.wait(STEP_S)
        card = self.card(zone, number, face)
        card.place = at or card.place
        card.angle = (card.angle + turned) % 180
        self.lying.cards.append(card)
        return self.tell(TrackAdded(card))

    def goes(self, *cards: CardTrack) -> list[Event]:
        for card in cards:
            self.lying.cards.remove(card)
        return self.tell(*(TrackLost(card) for card in cards))

    def turns(self, card: CardTrack, face: str, likely: float = 1.0) -> list[Event]:
        card.up, card.votes = True, votes(face, likely)
        return self.tell(TrackFlipped(card))

    def read(self, zone: str, *faces: str) -> None:
        """Read faces for certain over a zone, of cards that do not lie still."""
        for face in faces:
            card = self.card(zone, 0, face)
            seen = CardGlimpse(card.quad, card.place, card.angle, CARD_MM, 0.9, 0.98, likely_of(face, 0.99))
            self.telling.shown.keep(self.t, [seen])

    def tell(self, *facts: TrackChange) -> list[Event]:
        found = [*self.telling.facts(self.t, facts, TableNow(self.lying, self.sides, self.disturbed))]
        return as_json([*found, *self.telling.passing(self.t, self.lying)])

    def wait(self, seconds: float) -> list[Event]:
        found: list[Event] = []
        for _ in range(round(seconds / STEP_S)):
            self.t = round(self.t + STEP_S, 3)
            found += self.tell()
        return found

    @property
    def asked(self) -> CardTrack | None:
        return self.telling.asks(self.t, self.lying)

    def deal(self, zone: str, count: int = 4) -> list[CardTrack]:
        """Deal backs to a hand; give them."""
        for number in range(count):
            self.comes(zone, number)
        return self.lying.cards[-count:]


def likely_of(face: str, likely: float) -> Floats:
    found = np.full(len(READS), (1 - likely) / (len(READS) - 1))
    found[READS.index(face)] = likely
    return found


def votes(face: str | None, likely: float = 1.0) -> Votes:
    found = Votes()
    found.add(likely_of(face or "back", likely), 1.0)
    return found


def kinds(events: Sequence[Event]) -> list[object]:
    return [event["event"] for event in events]


def ids(events: Sequence[Event], kind: str) -> list[object]:
    return [event["id"] for event in events if event["event"] == kind]


# ---- hands of four, set in two --------------------------------------------------------------------------------------


@pytest.fixture
def four() -> Table:
    """Give a table on which a hand of four was dealt."""
    found = Table("si-ki-pi-6")
    assert len(found.deal("box3.cards")) == 4
    return found


def names(table: Table) -> list[str]:
    return [card.id for card in table.lying.cards]


def test_a_hand_of_four_keeps_a_back_that_is_lost_from_sight_until_all_of_it_is_gone(four: Table) -> None:
    first, second, third, fourth = four.lying.cards
    dealt = names(four)
    assert four.goes(second) == []
    assert four.wait(4 * HELD_DOWN_S) == []
    assert four.goes(first, fourth) == []
    assert four.wait(4 * HELD_DOWN_S) == []
    events = four.goes(third) + four.wait(2 * HELD_DOWN_S)
    assert kinds(events) == ["remove"] * 4 + ["clear"]
    assert sorted(map(str, ids(events, "remove"))) == sorted(dealt)


def test_the_cards_of_other_boxes_keep_none(four: Table) -> None:
    four.deal("box4.cards")
    gone = four.lying.cards[:4]
    assert kinds(four.goes(*gone) + four.wait(2 * HELD_DOWN_S)) == ["remove"] * 4
    assert four.wait(4 * HELD_DOWN_S) == []


def test_elsewhere_a_back_that_is_lost_is_gone() -> None:
    table = Table("blackjack-7")
    lost, _ = table.deal("box3.cards", 2)
    assert table.goes(lost) == []
    assert table.wait(HELD_DOWN_S - 2 * STEP_S) == []
    assert [(event["event"], event["id"]) for event in table.wait(4 * STEP_S)] == [("remove", lost.id)]


@pytest.mark.parametrize("lost", [True, False])
def test_a_card_that_is_set_is_one_of_its_own_box(four: Table, *, lost: bool) -> None:
    dealt = names(four)
    others = four.deal("box4.cards")
    if lost:
        four.goes(others[3])
    (event,) = four.comes("box3.low")
    assert event["id"] in dealt


@pytest.mark.parametrize("zone", ["box3.low", "box3.high"])
def test_a_back_that_was_lost_is_the_one_that_turns_up_where_it_is_set(four: Table, zone: str) -> None:
    lost = four.lying.cards[1]
    four.goes(lost)
    four.wait(4 * HELD_DOWN_S)
    assert plain(four.comes(zone)) == [("move", zone)]
    assert four.lying.cards[-1].id == lost.id
    assert four.wait(4 * HELD_DOWN_S) == []


def test_four_cards_that_are_set_are_the_four_that_were_dealt(four: Table) -> None:
    dealt = names(four)
    events = four.comes("box3.low") + four.comes("box3.low", 1)
    events += four.comes("box3.high", 0, "Kd") + four.comes("box3.high", 1)
    assert plain(events) == [
        ("move", "box3.low"),
        ("move", "box3.low"),
        ("turn", "Kd", "up"),
        ("move", "box3.high"),
        ("move", "box3.high"),
    ]
    assert sorted(map(str, ids(events, "move"))) == sorted(dealt) == sorted(names(four))


@pytest.mark.parametrize("face", [None, "9h"])
def test_what_turns_up_where_four_are_set_is_no_fifth_card(four: Table, face: str | None) -> None:
    dealt = set(names(four))
    for zone, number in (("box3.low", 0), ("box3.low", 1), ("box3.high", 0), ("box3.high", 1)):
        four.comes(zone, number)
    events = four.comes("box3.low", 2, face)
    assert "card" not in kinds(events)
    assert set(names(four)) == dealt
    assert len(four.lying.cards) == 4


def test_a_card_that_is_set_and_shown_is_told_by_whoever_did_it(four: Table) -> None:
    over = Patch.of(CAMERA.to_picture(Arm(-60.0, 500.0, dealers=False).corners), ATTENTION.factor, SHAPE)
    over.onto(four.disturbed)
    for _ in range(4):
        four.wait(STEP_S)
        four.sides.step(four.t, four.disturbed)
    events = four.comes("box3.low", 0, "9h")
    assert [(event["event"], event["by"]) for event in events] == [("turn", "player"), ("move", "player")]


def test_a_fifth_back_is_told_while_cards_are_dealt(four: Table) -> None:
    assert kinds(four.comes("box3.cards", 4)) == ["card"]
    assert len(set(names(four))) == 5


@pytest.mark.parametrize("shown", ["set", "turned"])
def test_once_a_hand_is_set_or_shown_a_back_that_comes_to_light_is_no_fifth(four: Table, shown: str) -> None:
    dealt = set(names(four))
    if shown == "set":
        four.comes("box3.low")
    else:
        four.turns(four.lying.cards[0], "9h")
    assert four.comes("box3.cards", 4) == []
    assert set(names(four)) == dealt
    assert len(four.lying.cards) == 4


def test_a_hand_is_dealt_anew_once_the_layout_is_clear(four: Table) -> None:
    four.comes("box3.low")
    assert kinds(four.goes(*four.lying.cards) + four.wait(2 * HELD_DOWN_S))[-1] == "clear"
    four.deal("box3.cards")
    assert kinds(four.comes("box3.cards", 4)) == ["card"]


def test_a_hand_that_its_player_holds_comes_back_as_the_same_cards(four: Table) -> None:
    held = [*four.lying.cards]
    four.deal("dealer.cards")
    assert four.goes(*held) == []
    assert four.wait(5 * HELD_DOWN_S) == []
    shown = four.card("box3.cards", 0, None)  # a back in the player's hand
    shown.zone, shown.place = None, (900.0, 60.0)
    four.lying.cards.append(shown)
    assert four.tell(TrackAdded(shown)) == []
    assert four.goes(shown) == []
    places = ("box3.low", 0), ("box3.low", 1), ("box3.high", 0), ("box3.high", 1)
    assert [plain(four.comes(*place)) for place in places] == [[("move", zone)] for zone, _ in places]
    assert {card.id for card in four.lying.cards if "box3" in str(card.zone)} == {card.id for card in held}


def test_once_the_dealer_shows_a_hand_that_is_gone_is_taken_away(four: Table) -> None:
    held = [*four.lying.cards]
    dealers = four.deal("dealer.cards")
    assert len(dealers) == 4
    assert four.goes(*held) == []
    assert four.wait(5 * HELD_DOWN_S) == []
    assert kinds(four.turns(four.lying.cards[0], "9h") + four.wait(HELD_DOWN_S)) == ["turn"] + ["remove"] * 4


def test_a_back_that_comes_to_light_is_the_one_that_was_lost(four: Table) -> None:
    lost = four.lying.cards[1]
    four.turns(four.lying.cards[0], "9h")
    four.goes(lost)
    four.wait(2 * HELD_DOWN_S)
    assert four.comes("box3.cards", 4) == []
    assert four.lying.cards[-1].id == lost.id


@pytest.mark.parametrize(("later", "told"), [(HELD_DOWN_S - 0.2, []), (HELD_DOWN_S + 0.2, ["card"])])
def test_a_back_that_is_dealt_long_after_one_was_lost_is_another(later: float, told: list[str]) -> None:
    table = Table("si-ki-pi-6")
    first, *_ = table.deal("box3.cards", 3)
    table.goes(first)
    table.wait(later)
    assert kinds(table.comes("box3.cards", 3)) == told


def test_a_face_that_comes_to_light_in_a_hand_of_four_was_one_of_its_backs(four: Table) -> None:
    dealt = set(names(four))
    assert plain(four.comes("box3.cards", 4, "9h")) == [("turn", "9h", "up")]
    assert set(names(four)) == dealt


def test_a_back_that_is_lost_elsewhere_is_not_the_one_that_is_dealt(four: Table) -> None:
    four.deal("box4.cards", 3)
    four.goes(four.lying.cards[0])
    assert kinds(four.comes("box4.cards", 3)) == ["card"]


def test_a_face_that_slid_to_another_card_of_its_hand_is_not_told_twice(four: Table) -> None:
    one, other = four.lying.cards[:2]
    dealt = one.id, other.id
    assert plain(four.turns(one, "9h")) == [("turn", "9h", "up")]
    assert four.turns(other, "9h") == []
    assert (other.id, one.id) == dealt
    assert (other.up, one.up) == (True, False)
    assert four.wait(1.0) == []
    (event,) = four.turns(one, "Kd")
    assert (event["id"], event["card"]) == (one.id, "Kd")


def test_a_face_of_another_hand_says_nothing(four: Table) -> None:
    first = four.lying.cards[-1]
    other = four.deal("box4.cards")[-1]
    four.turns(first, "9h")
    first.whole = other.whole = VOTES  # both are read for certain, lying whole
    assert plain(four.turns(other, "9h")) == [("turn", "9h", "up")]


def test_a_face_that_seems_to_be_on_two_cards_is_told_of_none_that_does_not_lie_whole(four: Table) -> None:
    first = four.lying.cards[-1]
    other = four.deal("box4.cards")[-1]
    four.turns(first, "9h")
    assert plain(four.turns(other, "9h")) == [("turn", None, "up"), ("correct", None)]
    assert four.wait(1.0) == []
    other.whole = VOTES
    assert plain(four.wait(STEP_S)) == [("correct", "9h")]
    assert first.face is None


def test_a_face_that_was_told_for_certain_stays_told_when_the_next_card_covers_it(four: Table) -> None:
    misread = four.lying.cards[-1]
    cover, right = four.deal("box4.cards")[-2:]
    four.turns(misread, "9h")
    four.turns(right, "9h")
    right.whole = VOTES
    assert plain(four.wait(STEP_S)) == [("correct", "9h")]
    cover.patch, cover.layer = right.patch, right.layer + 1  # slid onto it
    assert four.lying.covered(right) == 1
    assert four.wait(1.0) == []
    assert (misread.face, right.face) == (None, "9h")


@pytest.mark.parametrize(("likely", "turned"), [(0.6, []), (1.0, [("turn", "9h", "up")])])
def test_a_card_that_is_set_lies_face_down_unless_its_face_is_read(
    four: Table, likely: float, turned: list[tuple[object, ...]]
) -> None:
    four.wait(STEP_S)
    card = four.card("box3.low", 0, "9h")
    card.votes = votes("9h", likely)
    four.lying.cards.append(card)
    assert plain(four.tell(TrackAdded(card))) == [*turned, ("move", "box3.low")]
    assert card.up is bool(turned)


# ---- a back that was lost while its hand was set ---------------------------------------------------------------------


@pytest.fixture
def nearly(four: Table) -> Table:
    """Give a table on which three of the four are set, and the last still lies where it was dealt."""
    for zone, number in (("box3.low", 0), ("box3.low", 1), ("box3.high", 0)):
        assert plain(four.comes(zone, number)) == [("move", zone)]
    return four


def unset(table: Table) -> CardTrack:
    (card,) = [card for card in table.lying.cards if card.zone == "box3.cards"]
    return card


def test_a_back_that_was_lost_while_its_hand_was_set_lies_where_one_is_missing(nearly: Table) -> None:
    last = unset(nearly)
    assert nearly.goes(last) == []
    assert nearly.wait(HELD_DOWN_S - 2 * STEP_S) == []
    (event,) = nearly.wait(4 * STEP_S)
    assert (event["event"], event["id"], event["zone"]) == ("move", last.id, "box3.high")
    assert nearly.wait(4 * HELD_DOWN_S) == []


def test_where_it_lies_it_comes_to_light_without_a_word(nearly: Table) -> None:
    last = unset(nearly)
    nearly.goes(last)
    nearly.wait(2 * HELD_DOWN_S)
    assert nearly.comes("box3.high", 1) == []
    assert nearly.lying.cards[-1].id == last.id
    assert nearly.wait(4 * HELD_DOWN_S) == []


def test_if_it_comes_to_light_in_time_it_is_told_where_it_does(nearly: Table) -> None:
    nearly.goes(unset(nearly))
    assert plain(nearly.comes("box3.high", 1)) == [("move", "box3.high")]
    assert nearly.wait(4 * HELD_DOWN_S) == []


def test_if_two_were_lost_it_is_not_known_which_lies_where(nearly: Table) -> None:
    nearly.goes(unset(nearly), nearly.lying.cards[-1])
    assert nearly.wait(4 * HELD_DOWN_S) == []


def test_with_its_hand_it_is_taken_away_from_there(nearly: Table) -> None:
    dealt = [card.id for card in nearly.lying.cards]
    nearly.goes(unset(nearly))
    nearly.wait(2 * HELD_DOWN_S)
    events = nearly.goes(*nearly.lying.cards) + nearly.wait(2 * HELD_DOWN_S)
    assert kinds(events) == ["remove"] * 4 + ["clear"]
    assert sorted(map(str, ids(events, "remove"))) == sorted(dealt)


# ---- faces that were seen while the cards were turned ----------------------------------------------------------------

SETTLED_S = QUIET_S + 2 * STEP_S


@pytest.fixture
def shown(four: Table) -> Table:
    """Give a table on which the dealer shows a card of his, and a hand of four backs lies."""
    four.turns(four.deal("dealer.cards")[0], "2c")
    return four


def test_a_face_that_was_seen_is_told_of_a_back_under_others_once(shown: Table) -> None:
    first, *_ = shown.lying.cards
    shown.read("box3.cards", "9h", "9h")
    assert shown.wait(QUIET_S - 2 * STEP_S) == []
    (event,) = shown.wait(4 * STEP_S)
    assert plain([event]) == [("turn", "9h", "up")]
    assert event["id"] == first.id
    assert (first.up, first.face) == (True, "9h")
    assert shown.wait(4 * QUIET_S) == []


def test_before_the_dealer_shows_a_card_no_face_is_told(four: Table) -> None:
    dealers = four.deal("dealer.cards")
    four.read("box3.cards", "9h", "9h")
    assert four.wait(4 * QUIET_S) == []
    assert plain(four.turns(dealers[0], "2c")) == [("turn", "2c", "up"), ("turn", "9h", "up")]


def test_a_face_that_was_seen_corrects_a_card_that_was_turned_without(shown: Table) -> None:
    _, second, *_ = shown.lying.cards
    assert plain(shown.turns(second, "9d", likely=0.6)) == [("turn", None, "up")]
    shown.read("box3.cards", "9h", "9h")
    (event,) = shown.wait(SETTLED_S)
    assert (event["event"], event["id"], event["card"]) == ("correct", second.id, "9h")
    assert shown.wait(4 * QUIET_S) == []


def test_a_face_that_was_seen_may_be_of_a_back_that_was_lost(shown: Table) -> None:
    first, *_ = shown.lying.cards
    shown.goes(first)
    shown.wait(2 * HELD_DOWN_S)
    shown.read("box3.cards", "9h", "9h")
    (event,) = shown.wait(SETTLED_S)
    assert (event["event"], event["id"], event["card"]) == ("turn", first.id, "9h")
    assert shown.wait(4 * QUIET_S) == []


def test_a_face_that_was_seen_corrects_a_card_that_was_turned_without_and_lost(shown: Table) -> None:
    _, second, *_ = shown.lying.cards
    shown.turns(second, "9d", likely=0.6)
    shown.goes(second)
    shown.wait(2 * HELD_DOWN_S)
    shown.read("box3.cards", "9h", "9h")
    (event,) = shown.wait(SETTLED_S)
    assert (event["event"], event["id"], event["card"]) == ("correct", second.id, "9h")


def test_what_was_seen_is_of_no_later_round(shown: Table) -> None:
    shown.read("box3.cards", "9h", "9h")
    assert kinds(shown.goes(*shown.lying.cards) + shown.wait(2 * HELD_DOWN_S))[-1] == "clear"
    shown.deal("box3.cards")
    assert plain(shown.turns(shown.deal("dealer.cards")[0], "2c")) == [("turn", "2c", "up")]
    assert shown.wait(4 * QUIET_S) == []


def test_where_no_hands_of_four_are_dealt_what_was_seen_is_not_told() -> None:
    table = Table("blackjack-7")
    table.deal("box3.cards")
    table.turns(table.deal("dealer.cards", 2)[0], "2c")
    table.read("box3.cards", "9h", "9h")
    assert table.wait(4 * QUIET_S) == []


# ---- one face, twice ------------------------------------------------------------------------------------------------


@pytest.fixture
def nine() -> Table:
    """Give a table on which a nine of hearts was reported a while ago."""
    found = Table("blackjack-7")
    assert plain(found.comes("box3.cards", 0, "9h")) == [("card", "box3.cards", "9h", "up")]
    found.wait(1.0)
    return found


def test_a_card_whose_face_turns_up_elsewhere_is_looked_for_before_that_is_told(nine: Table) -> None:
    assert nine.asked is None
    assert nine.comes("box5.cards", 0, "9h") == []
    assert nine.asked is nine.lying.cards[0]


def test_if_it_is_gone_it_was_pushed(nine: Table) -> None:
    first = nine.lying.cards[0]
    nine.comes("box5.cards", 0, "9h")
    (event,) = nine.goes(first)
    assert (event["event"], event["id"], event["zone"]) == ("move", first.id, "box5.cards")
    assert nine.asked is None
    assert nine.wait(2 * HELD_S) == []


@pytest.mark.parametrize("seen", [False, True], ids=["not seen since", "seen since"])
def test_a_face_where_a_card_of_it_lay_is_that_card_unless_it_still_shows(nine: Table, *, seen: bool) -> None:
    first = nine.lying.cards[0].id
    nine.lying.cards[0].met_at = nine.t + 2 * STEP_S if seen else nine.t
    found = nine.comes("box3.cards", 0, "9h")
    assert plain(found) == ([("card", "box3.cards", "9h", "up")] if seen else [])
    assert (len(nine.lying.cards), nine.lying.cards[0].id) == (2 if seen else 1, first)


def test_if_it_is_seen_there_are_two(nine: Table) -> None:
    first = nine.lying.cards[0]
    nine.comes("box5.cards", 0, "9h")
    first.met_at = nine.t
    (event,) = nine.tell()
    assert plain([event]) == [("card", "box5.cards", "9h", "up")]
    assert event["id"] != first.id
    assert nine.asked is None


def test_if_it_cannot_be_seen_there_are_two_after_a_while(nine: Table) -> None:
    nine.comes("box5.cards", 0, "9h")
    assert nine.wait(HELD_S - 2 * STEP_S) == []
    assert plain(nine.wait(4 * STEP_S)) == [("card", "box5.cards", "9h", "up")]
    assert nine.asked is None


def test_a_card_that_others_cover_is_not_looked_for(nine: Table) -> None:
    nine.comes("box3.cards", 1, "Kd")
    assert plain(nine.comes("box5.cards", 0, "9h")) == [("card", "box5.cards", "9h", "up")]


@pytest.mark.parametrize("face", ["9d", None])
def test_another_card_is_told_at_once(nine: Table, face: str | None) -> None:
    assert kinds(nine.comes("box5.cards", 0, face)) == ["card"]


def test_two_cards_of_a_face_in_one_hand_are_both_told() -> None:
    table = Table("blackjack-7")
    one, other = table.deal("box3.cards", 2)
    assert plain(table.turns(one, "9h") + table.turns(other, "9h")) == [("turn", "9h", "up")] * 2
    assert (one.up, other.up) == (True, True)


HERE, THERE = laid("9h", "box3.cards"), laid("9h", "box5.cards")


@pytest.mark.parametrize("pushed", [True, False])
def test_two_cards_of_a_face_are_told_apart_though_an_arm_lies_over_one(*, pushed: bool) -> None:
    toy = Toy([])
    toy.wait(1.0)
    (first,) = toy.put(HERE)
    arm = Arm(HERE.x, HERE.y, dealers=False)
    toy.things.append(arm)
    toy.wait(0.4)
    if pushed:
        toy.things.remove(HERE)
    toy.things[-1:] = [THERE, arm]
    events = toy.wait(0.6)
    toy.things.remove(arm)
    (event,) = [*events, *toy.wait(1.0)]
    assert (event["event"], event["zone"]) == ("move" if pushed else "card", "box5.cards")
    assert (event["id"] == first["id"]) is pushed


# ---- pushed, or another ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("later", "told"), [(HELD_S - 0.2, ["move"]), (HELD_S + 0.2, ["card"])])
def test_a_card_that_is_gone_may_turn_up_elsewhere_for_a_while(nine: Table, later: float, told: list[str]) -> None:
    nine.goes(nine.lying.cards[0])
    nine.wait(later)
    assert kinds(nine.comes("box5.cards", 0, "9h")) == told


@pytest.mark.parametrize(("face", "told"), [("9h", ["move"]), ("8h", ["card"]), (None, ["card"])])
def test_a_card_that_is_gone_is_the_one_that_looks_the_same(nine: Table, face: str | None, told: list[str]) -> None:
    nine.goes(nine.lying.cards[0])
    assert kinds(nine.comes("box5.cards", 0, face)) == told


@pytest.mark.parametrize(("hidden", "told"), [(True, ["move"]), (False, ["card"])])
def test_a_card_in_a_hand_of_its_own_is_one_of_the_first_hand_whose_place_is_hidden(
    nine: Table, told: list[str], *, hidden: bool
) -> None:
    nine.comes("box3.cards", 1, "9c")
    first, nines = nine.lying.cards
    first.met_at = nines.met_at = nine.t + 1  # both were seen
    if hidden:
        nines.patch.onto(nine.disturbed)
    events = nine.comes("box3.hand2", 0, "9c")
    assert kinds(events) == told
    assert events[0]["hand"] == 2
    assert (events[0]["id"] == nines.id) is hidden


@pytest.mark.parametrize(("zone", "number"), [("box3.cards", 4), ("box3.hand2", 1)])
def test_a_card_from_the_shoe_or_right_beside_is_another_though_its_like_is_hidden(
    nine: Table, zone: str, number: int
) -> None:
    nine.comes(zone, 0, "9c")
    first, nines = nine.lying.cards
    first.met_at = nines.met_at = nine.t + 1
    nines.patch.onto(nine.disturbed)
    assert kinds(nine.comes(zone, number, "9c")) == ["card"]


# ---- whose turn it is -----------------------------------------------------------------------------------------------


def test_a_card_waits_for_one_that_came_to_rest_before_it_and_is_not_sure_yet(nine: Table) -> None:
    earlier = nine.card("box3.cards", 1, "Kd")
    earlier.looks = 2
    nine.lying.coming.append(earlier)
    assert nine.comes("box4.cards", 0, "8d") == []
    nine.lying.coming.remove(earlier)
    nine.lying.cards.append(earlier)
    assert [event["card"] for event in nine.tell(TrackAdded(earlier))] == ["Kd", "8d"]


def test_a_card_does_not_wait_for_ever(nine: Table) -> None:
    earlier = nine.card("box3.cards", 1, "Kd")
    earlier.looks = 2
    nine.lying.coming.append(earlier)
    assert nine.comes("box4.cards", 0, "8d") == []
    assert nine.wait(PATIENCE_S - 2 * STEP_S) == []
    assert [event["card"] for event in nine.wait(4 * STEP_S)] == ["8d"]


def test_a_card_waits_for_none_that_was_seen_but_once(nine: Table) -> None:
    earlier = nine.card("box3.cards", 1, "Kd")
    earlier.looks = 1
    nine.lying.coming.append(earlier)
    assert [event["card"] for event in nine.comes("box4.cards", 0, "8d")] == ["8d"]


def test_a_card_that_is_gone_before_its_turn_is_not_told(nine: Table) -> None:
    earlier = nine.card("box3.cards", 1, "Kd")
    earlier.looks = 2
    nine.lying.coming.append(earlier)
    nine.comes("box4.cards", 0, "8d")
    assert nine.goes(nine.lying.cards[-1]) + nine.wait(3 * HELD_S) == []


def test_cards_that_came_to_rest_at_once_have_names_of_their_own(nine: Table) -> None:
    both = [nine.card("box4.cards", 0, "8d"), nine.card("box5.cards", 0, "Kd")]
    nine.lying.cards += both
    events = nine.tell(*map(TrackAdded, both))
    assert ids(events, "card") == [f"c{round(nine.t * 1000)}", f"c{round(nine.t * 1000) + 1}"]


# ---- cards that come to rest together --------------------------------------------------------------------------------


@pytest.mark.parametrize(("later", "together"), [(1, True), (2, True), (3, False), (10, False)])
@pytest.mark.parametrize("preset", ["si-ki-pi-6", "blackjack-7"])
def test_cards_that_come_to_rest_at_once_in_one_place_were_drawn_together(
    preset: str, later: int, *, together: bool
) -> None:
    assert 2 * STEP_S < TOGETHER_S < 3 * STEP_S
    table = Table(preset)
    (first,) = table.comes("box3.cards", 0)
    table.wait((later - 1) * STEP_S)
    (second,) = table.comes("box3.cards", 1)
    assert "together" not in first
    assert second.get("together") is (True if together else None)


def test_one_face_that_is_boxed_twice_was_not_drawn_together_with_itself() -> None:
    table = Table("blackjack-7")
    table.comes("box3.cards", 0, "9h")
    near = table.card("box3.cards", 0, "Kd")
    table.lying.cards.append(near)
    assert "together" not in table.tell(TrackAdded(near))[0]
    unread, beside = table.card("box3.cards", 1, "Kd"), table.card("box3.cards", 2, "8s")
    unread.votes = votes("Kd", 0.6)
    table.lying.cards += [unread, beside]
    assert not any("together" in event for event in table.tell(TrackAdded(unread), TrackAdded(beside)))


def test_faces_that_lie_beside_each_other_were_drawn_together() -> None:
    table = Table("blackjack-7")
    table.comes("box3.cards", 0, "9h")
    beside = table.card("box3.cards", 2, "Kd")
    table.lying.cards.append(beside)
    assert table.tell(TrackAdded(beside))[0]["together"] is True


def test_three_may_be_drawn_together() -> None:
    table = Table("si-ki-pi-6")
    events = [event for number in range(3) for event in table.comes("box3.cards", number)]
    assert [event.get("together") for event in events] == [None, True, True]


def test_what_counts_is_when_cards_came_to_rest_and_not_when_they_are_told() -> None:
    table = Table("si-ki-pi-6")
    table.comes("box3.cards", 0)
    second = table.card("box3.cards", 1)
    table.lying.cards.append(second)
    table.wait(1.0)
    (event,) = table.tell(TrackAdded(second))
    assert event["together"] is True


@pytest.mark.parametrize("zones", [("box4.cards", "box3.cards"), ("box3.cards", "box4.cards", "box3.cards")])
def test_a_card_that_comes_after_one_elsewhere_was_not_drawn_with_any(zones: Sequence[str]) -> None:
    table = Table("si-ki-pi-6")
    events = [event for number, zone in enumerate(zones) for event in table.comes(zone, number)]
    assert kinds(events) == ["card"] * len(zones)
    assert not any("together" in event for event in events)


def test_of_cards_that_lay_there_at_first_nobody_knows_whether_they_were_drawn_together() -> None:
    table = Table("si-ki-pi-6")
    table.lying.cards = [table.card("box3.cards", number) for number in range(2)]
    facts = [TrackAdded(card) for card in table.lying.cards]
    events = [*table.telling.facts(0.0, facts, TableNow(table.lying, table.sides, table.disturbed), first=True)]
    assert [event.found for event in events if isinstance(event, Dealt)] == [True, True]
    assert not any(event.order_lost for event in events if isinstance(event, Dealt))


def test_a_card_that_came_to_rest_long_before_the_last_and_is_told_late_was_not_drawn_with_it() -> None:
    table = Table("si-ki-pi-6")
    late = table.card("box3.cards", 0)  # it takes long to be believed
    table.wait(1.0)
    table.comes("box3.cards", 1)
    table.lying.cards.append(late)
    (event,) = table.tell(TrackAdded(late))
    assert "together" not in event


# ---- faces that are known better ------------------------------------------------------------------------------------


def test_a_face_is_corrected_once_and_only_where_it_is_surer_than_before(nine: Table) -> None:
    (card,) = nine.lying.cards
    eight, before = (np.eye(len(READS))[READS.index(face)] for face in ("8h", "9h"))
    card.votes = Votes()
    card.votes.add(0.97 * eight + 0.03 * before, 1.0)
    assert nine.wait(0.2) == []
    card.votes = Votes()
    card.votes.add(0.99 * eight + 0.01 * before, 1.0)
    (event,) = nine.wait(0.2)
    assert (event["event"], event["id"], event["card"]) == ("correct", card.id, "8h")


@pytest.mark.parametrize(
    ("turned", "across"),
    [((0, 0, 90), [False, False, True]), ((40, 42, 85), [False, False, False]), ((85, 80, 92), [False, False, False])],
    ids=["a double", "a hand that lies at an angle", "a hand that lies across its place"],
)
def test_a_card_lies_across_the_others_of_its_hand_and_not_across_its_place(
    turned: tuple[float, ...], across: list[bool]
) -> None:
    table = Table("blackjack-7")
    dealt = enumerate(zip(("5h", "6d", "9s"), turned, strict=True))
    came = [event for n, (face, way) in dealt for event in table.comes("box3.cards", n, face, way)]
    assert [event.get("crosswise", False) for event in came] == across


def test_after_a_double_the_hand_still_lies_as_its_first_cards_do() -> None:
    table = Table("blackjack-7")
    came = [table.comes("box3.cards", n, face, way) for n, face, way in ((0, "5h", 0), (1, "6d", 90), (2, "9s", 88))]
    assert [event.get("crosswise", False) for events in came for event in events] == [False, True, True]


def laid_apart(table: Table, off: tuple[float, float], *cards: CardTrack) -> list[Event]:
    """Move cards by so many millimetres, one after the other, and let all be seen again."""
    events = []
    for card in cards:
        table.wait(STEP_S)
        table.lying.cards.remove(card)
        events += table.tell(TrackLost(card))
        x, y = card.place[0] + off[0], card.place[1] + off[1]
        moved = replace(card, place=(x, y), rested=table.t, seen_at=table.t, id="")
        table.lying.layers += 1
        moved.layer, moved.met_at = table.lying.layers, table.t
        table.lying.cards.append(moved)
        events += table.tell(TrackAdded(moved))
        off = (-off[0], -off[1])
    for card in table.lying.cards:
        card.met_at = table.t
    return [*events, *table.wait(STEP_S)]


def dealt_pair(faces: tuple[str, str] = ("7h", "7c")) -> Table:
    table = Table("blackjack-7", hands_apart=False)
    for n, face in enumerate(faces):
        table.comes("box3.cards", n, face)
    return table


def hands(table: Table) -> dict[str | None, str | None]:
    return {card.face: card.zone for card in table.lying.cards}


def test_a_pair_laid_apart_in_its_place_is_two_hands_and_cards_go_to_the_nearest() -> None:
    table = dealt_pair()
    (move,) = laid_apart(table, (0.0, -45.0), *table.lying.cards)
    assert (move["event"], move["zone"], move["hand"]) == ("move", "box3.hand2", 2)
    assert hands(table) == {"7h": "box3.cards", "7c": "box3.hand2"}
    for face, near in (("As", 0), ("4d", 1)):
        place = table.lying.cards[near].place
        (came,) = table.comes("box3.cards", 2, face, at=(place[0] + 15, place[1] + 8))
        assert came["hand"] == near + 1


@pytest.mark.parametrize(
    ("faces", "off", "moved"),
    [
        (("7h", "8c"), (0.0, -45.0), 2),  # no pair
        (("7h", "7c"), (0.0, -12.0), 2),  # pushed a little
        (("Th", "Kc"), (0.0, -15.0), 2),
    ],
)
def test_what_is_no_split_stays_one_hand(faces: tuple[str, str], off: tuple[float, float], moved: int) -> None:
    table = dealt_pair(faces)
    assert laid_apart(table, off, *table.lying.cards[:moved]) == []
    assert set(hands(table).values()) == {"box3.cards"}


def test_a_squared_packet_comes_to_light_when_it_is_set_and_no_card_more_than_is_seen() -> None:
    table = Table("si-ki-pi-6")
    table.deal("box3.cards", 1)  # four backs that lie exactly on each other
    (packet,) = table.lying.cards
    assert plain(table.comes("box3.low", 0)) == [("move", "box3.low")]
    for zone, number in (("box3.low", 1), ("box3.high", 0)):
        card, move = table.comes(zone, number)
        assert (card["event"], card["zone"], card["face"], card["since"]) == (
            "card",
            "box3.cards",
            "down",
            packet.since,
        )
        assert (move["event"], move["zone"], move["id"]) == ("move", zone, card["id"])
    card, move, turn = table.comes("box3.high", 1, "9h")
    assert (card["face"], move["zone"], turn["card"]) == ("down", "box3.high", "9h")
    assert len({one.id for one in table.lying.cards}) == 4
    assert kinds(table.comes("box3.high", 1)) != ["card", "move"]  # a hand that has its four cards has no more


def test_cards_outside_all_places_are_of_no_hand_and_no_packet() -> None:
    table = Table("si-ki-pi-6")
    table.deal("box3.cards", 4)
    table.comes("box3.low", 0)
    for number in range(2):
        card = table.card("box3.cards", number, None)
        card.zone, card.place = None, (900.0, 60.0 * number)
        table.lying.cards.append(card)
        assert [event["zone"] for event in table.tell(TrackAdded(card))] == ["outside"]


def test_a_hand_that_is_pushed_as_a_whole_stays_one_while_half_of_it_is_seen() -> None:
    table = dealt_pair()
    first, second = table.lying.cards
    first.place, first.rested, first.met_at = (first.place[0], first.place[1] - 60.0), table.t, table.t
    second.met_at = table.t - STEP_S  # it was not seen since
    assert table.wait(STEP_S) == []
    second.place, second.rested, second.met_at = (second.place[0], second.place[1] - 60.0), table.t, table.t
    first.met_at = table.t
    assert table.wait(STEP_S) == []
    assert set(hands(table).values()) == {"box3.cards"}


def test_tens_of_other_ranks_are_a_pair_too() -> None:
    table = dealt_pair(("Th", "Kc"))
    (move,) = laid_apart(table, (30.0, -45.0), *table.lying.cards)
    assert move["hand"] == 2


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_of_cards_that_are_found_together_the_one_across_most_others_lies_crosswise(order: tuple[int, ...]) -> None:
    table = Table("blackjack-7")
    hand = [table.card("box3.cards", n, face) for n, face in enumerate(("5h", "6d", "9s"))]
    hand[2].angle = (hand[2].angle + 90) % 180
    table.lying.cards += [hand[n] for n in order]
    now = TableNow(table.lying, table.sides, table.disturbed, {})
    found = as_json(table.telling.facts(table.t, [TrackAdded(hand[n]) for n in order], now, first=True))
    assert {event["card"]: event.get("crosswise", False) for event in found} == {"5h": False, "6d": False, "9s": True}
