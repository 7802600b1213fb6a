"""Which cards are believed to lie on the table, look by look: what came, turned and went, and what only seemed to."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.arrays import Floats
from feltwatch.vision.detection.roi_detection import CardGlimpse, Glimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.tracking.card_tracker import CHECK_S, DOUBLE, UNREAD_S, UNSEEN, CardTracker
from feltwatch.vision.tracking.four_card_hands import NO_FOURS, FourCardHands, box
from feltwatch.vision.tracking.piles import STIRS, stirred
from feltwatch.vision.tracking.roi_context import RoiContext
from feltwatch.vision.tracking.track import CardTrack
from feltwatch.vision.tracking.track_changes import TrackAdded, TrackChange, TrackFlipped, TrackLost
from tests.toy_table import CAMERA, CARD_MM, LAYOUT, SIZE, Arm, Laid, felt, laid, rectangle

STEP_S = 0.04
FELT = felt()
NINE, KING = laid("9h", "box3.cards"), laid("Kd", "box3.cards", 1)
BACK = laid("Kd", "dealer.cards", up=False)


class Table:
    """What lies on a table, and what is believed to."""

    def __init__(self) -> None:
        self.attention = ChangeDetector(SIZE)
        self.small = self.attention.step(0.0, FELT).small.copy()
        self.picture = FELT.copy()
        self.attention.is_bare[:] = True
        self.sides = HandAttribution(CAMERA, LAYOUT, self.attention.size, self.attention.factor)
        self.lying = CardTracker(LAYOUT, READS)
        self.shape = (self.attention.size[1], self.attention.size[0])
        self.changed = np.zeros(self.shape, bool)
        self.moving = np.zeros_like(self.changed)
        self.lies: list[Laid] = []
        self.shades: dict[Laid, int] = {}
        self.hands: list[Floats] = []
        self.fours = NO_FOURS
        self.t = 0.0

    def patch(self, card: Laid) -> Patch:
        return Patch.of(CAMERA.to_picture(card.corners), self.attention.factor, self.shape)

    def lay(self, *cards: Laid) -> None:
        for card in cards:
            self.lies.append(card)
            self.shades[card] = 250 - 5 * len(self.shades)
            self._shows(card)

    def take(self, *cards: Laid) -> None:
        for card in cards:
            self.lies.remove(card)
            self._shows(card)

    def _shows(self, changed: Laid) -> None:
        """Look as the felt does with what lies on it, from now on."""
        assert self.attention.bare is not None
        self.small[:], self.picture[:] = self.attention.bare, FELT
        for card in self.lies:
            patch = self.patch(card)
            self.small[patch.box][patch.mask] = self.shades[card]
            outline = np.round(CAMERA.to_picture(card.corners)).astype(np.int32)
            cv2.fillConvexPoly(self.picture, outline, (self.shades[card],) * 3)
        self.changed[:] = (self.small != self.attention.known).any(axis=2)
        self.stir(changed)

    def stir(self, card: Laid) -> None:
        """Let something move over a card's place."""
        patch = self.patch(card)
        self.attention.moved_at[patch.box][patch.mask] = self.t

    def reach(self, arm: Arm) -> None:
        """Let an arm reach over the table, and go."""
        over = Patch.of(CAMERA.to_picture(arm.corners), self.attention.factor, self.shape)
        disturbed = np.zeros_like(self.changed)
        over.onto(disturbed)
        for _ in range(4):
            self.pass_by(STEP_S)
            self.sides.step(self.t, disturbed)

    @property
    def sight(self) -> FrameChange:
        return FrameChange(self.t, self.small, (0.0, 0.0), 1.0, np.zeros_like(self.changed), self.changed)

    def look(
        self,
        *seen: Laid | CardGlimpse,
        times: int = 1,
        off: float = 0.0,
        exact: bool = False,
        sought: CardTrack | None = None,
    ) -> list[TrackChange]:
        """Look so many times, and see these cards, a little off their places; or backs exactly, by their print."""
        found: list[TrackChange] = []
        for _ in range(times):
            self.pass_by(STEP_S)
            cards = tuple(glimpsed(card, off, exact=exact) if isinstance(card, Laid) else card for card in seen)
            glimpse = Glimpse(cards, (), tuple(self.hands))
            where = self.changed & ~self.moving
            look = RoiContext(
                self.sight,
                self.attention,
                self.sides,
                self.picture,
                glimpse,
                where,
                self.moving,
                sought=sought,
                fours=self.fours,
            )
            found += self.lying.take(look)
        return found

    def sweep(self) -> list[TrackChange]:
        """Look from afar whether there is but felt where cards lie."""
        self.pass_by(STEP_S)
        return [*self.lying.swept(self.sight, self.attention, self.moving | self.changed)]

    def pass_by(self, seconds: float) -> None:
        self.t = round(self.t + seconds, 3)


def glimpsed(card: Laid, off: float = 0.0, *, exact: bool = False) -> CardGlimpse:
    """Give what both networks say of a card."""
    quad = CAMERA.to_picture(rectangle(card.x + off, card.y, CARD_MM, card.angle))
    faces = np.full(len(READS), 1e-6)
    if card.up:
        faces[READS.index(card.mistaken or "none")] = 1 - card.likely
        faces[READS.index(card.face)] = card.likely
    else:
        faces[READS.index("back")] = 1.0
    up = 0.98 if card.up else 0.02
    seen = CardGlimpse(quad, (card.x + off, card.y), card.angle % 180, CARD_MM, 0.9, up, faces / faces.sum())
    return replace(seen, exact=exact and not card.up, clear=card.clear, visible=card.visible)


@pytest.fixture
def table() -> Table:
    return Table()


def kinds(facts: list[TrackChange]) -> list[type[TrackChange]]:
    return [type(fact) for fact in facts]


def faces(table: Table) -> list[str]:
    return [READS[card.votes.best[0]] if card.up else "back" for card in table.lying.cards]


# ---- what comes -----------------------------------------------------------------------------------------------------


def test_one_look_alone_is_not_believed(table: Table) -> None:
    table.lay(NINE)
    assert table.look(NINE) == []
    (new,) = table.look(NINE)
    assert isinstance(new, TrackAdded)
    assert (new.card.zone, faces(table)) == ("box3.cards", ["9h"])
    assert new.card.rested == 0.0  # when it last moved, not when it was seen


def test_a_card_is_new_once(table: Table) -> None:
    table.lay(NINE)
    assert kinds(table.look(NINE, times=20)) == [TrackAdded]


def test_what_is_seen_where_nothing_has_changed_is_no_card(table: Table) -> None:
    assert table.look(NINE, times=20) == []


def test_what_is_seen_where_something_still_moves_is_no_card_yet(table: Table) -> None:
    table.lay(NINE)
    table.moving[:] = True
    assert table.look(NINE, times=5) == []
    table.moving[:] = False
    assert kinds(table.look(NINE, times=5)) == [TrackAdded]


@pytest.mark.parametrize("zone", ["shoe", "discard", "float"])
def test_the_dealers_own_cards_are_in_no_hand(table: Table, zone: str) -> None:
    card = laid("9h", zone)
    table.lay(card)
    assert table.look(card, times=5) == []


def test_looks_that_do_not_agree_where_it_lies_are_not_of_one_card(table: Table) -> None:
    table.lay(NINE)
    for off in (0.0, 14.0, -14.0):
        assert table.look(NINE, off=off) == []


def test_a_face_that_is_not_sure_is_waited_for(table: Table) -> None:
    dim = laid("9h", "box3.cards", likely=0.6, mistaken="8h")
    table.lay(dim)
    assert table.look(dim, times=int(UNREAD_S / STEP_S) - 2) == []
    assert kinds(table.look(dim, times=10)) == [TrackAdded]


def test_a_back_in_no_ones_zone_is_believed_only_after_a_while() -> None:
    table, stray = Table(), Laid("Kd", 600.0, 130.0, up=False)
    assert table.lying.zone((stray.x, stray.y)) is None
    table.lay(stray, BACK)
    told = [fact.card.zone for fact in table.look(stray, BACK, times=4)]
    assert told == ["dealer.cards"]
    assert [fact.card.zone for fact in table.look(stray, BACK, times=round(UNREAD_S / STEP_S))] == [None]


def test_a_back_needs_no_face(table: Table) -> None:
    table.lay(BACK)
    (new,) = table.look(BACK, times=2)
    assert isinstance(new, TrackAdded)
    assert not new.card.up


def test_a_card_on_another_is_a_card_and_the_other_is_still_there(table: Table) -> None:
    over = laid("Kd", "box3.cards", x=NINE.x + 6, y=NINE.y + 20)
    table.lay(NINE)
    table.look(NINE, times=3)
    table.pass_by(1.0)
    table.lay(over)
    facts = table.look(over, NINE, times=3) + table.look(over, times=10)
    assert kinds(facts) == [TrackAdded]
    assert sorted(faces(table)) == ["9h", "Kd"]
    assert table.lying.covered(table.lying.cards[0]) > 0.4
    assert table.lying.covered(table.lying.cards[1]) == 0


def test_the_same_card_a_hair_off_is_not_another(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    for off in (3.0, -3.0, 5.0):
        assert table.look(NINE, off=off, times=3) == []
    assert len(table.lying.cards) == 1


# ---- faces ----------------------------------------------------------------------------------------------------------


def test_a_face_is_the_vote_of_many_looks(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=6)
    table.look(laid("9h", "box3.cards", likely=0.1, mistaken="8h"), times=2)
    assert faces(table) == ["9h"]


def test_what_is_read_while_a_hand_lies_over_it_counts_less(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=4)
    table.hands = [CAMERA.to_picture(rectangle(NINE.x + 30, NINE.y, (60, 200), 90))]
    table.look(laid("9h", "box3.cards", likely=0.02, mistaken="8h"), times=10)
    assert faces(table) == ["9h"]


# ---- what turns -----------------------------------------------------------------------------------------------------


def test_a_card_that_shows_its_other_side_is_turned_and_keeps_its_identity(table: Table) -> None:
    table.lay(BACK)
    (new,) = table.look(BACK, times=2)
    shown = laid("Kd", "dealer.cards")
    table.take(BACK)
    table.lay(shown)
    (turned,) = table.look(shown, times=8)
    assert isinstance(turned, TrackFlipped)
    assert turned.card is new.card
    assert faces(table) == ["Kd"]


def test_one_look_that_shows_the_other_side_turns_nothing(table: Table) -> None:
    table.lay(BACK)
    table.look(BACK, times=4)
    assert table.look(laid("Kd", "dealer.cards")) == []
    assert table.look(BACK, times=4) == []
    assert faces(table) == ["back"]


# ---- what goes ------------------------------------------------------------------------------------------------------


def test_a_card_is_gone_where_its_place_is_seen_without_it(table: Table) -> None:
    table.lay(NINE)
    (new,) = table.look(NINE, times=3)
    table.take(NINE)
    assert table.look() == []  # one look alone may err
    (gone,) = table.look()
    assert gone == TrackLost(new.card)
    assert table.lying.cards == []


def test_a_card_that_is_not_seen_is_there_as_long_as_its_place_looks_otherwise_than_bare(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.changed |= True
    assert table.look(times=20) == []
    assert faces(table) == ["9h"]


def test_a_card_under_a_hand_is_still_there(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.take(NINE)
    table.hands = [CAMERA.to_picture(NINE.corners)]
    assert table.look(times=20) == []
    table.hands = []
    assert kinds(table.look(times=5)) == [TrackLost]


def test_a_card_that_lies_wholly_under_another_goes_when_the_other_goes_and_not_before(table: Table) -> None:
    over = laid("Kd", "box3.cards", x=NINE.x + 1, y=NINE.y + 2)
    table.lay(NINE)
    table.look(NINE, times=3)
    table.pass_by(1.0)
    table.lay(over)
    table.look(over, times=5)
    assert table.look(over, times=30) == []
    table.take(over)
    table.take(NINE)
    facts = table.look(times=10)
    assert set(kinds(facts)) == {TrackLost}
    assert table.lying.cards == []


def test_what_only_seemed_to_be_a_card_is_forgotten(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE)
    assert len(table.lying.coming) == 1
    table.pass_by(2.0)
    table.look()
    assert table.lying.coming == []
    assert KING not in table.lies


# ---- cards of one face, and cards that are seen badly ---------------------------------------------------------------

TWIN = replace(NINE, x=NINE.x + 25)  # of another pack
HAND = (80.0, 160.0)


def hand(card: Laid, x: float = 0.0) -> Floats:
    return CAMERA.to_picture(rectangle(card.x + x, card.y, HAND, 90.0))


def test_a_card_beside_one_of_its_face_is_believed_after_more_looks(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.pass_by(1.0)
    table.lay(TWIN)
    assert table.look(NINE, TWIN, times=DOUBLE - 1) == []
    assert kinds(table.look(NINE, TWIN)) == [TrackAdded]


def test_a_card_that_is_boxed_twice_as_it_comes_is_one_card(table: Table) -> None:
    table.lay(NINE, TWIN)
    assert kinds(table.look(NINE, TWIN, times=2 * DOUBLE)) == [TrackAdded]


def test_a_card_beside_one_of_another_face_is_believed_as_soon_as_any(table: Table) -> None:
    other = replace(TWIN, face="Kd")
    table.lay(NINE)
    table.look(NINE, times=3)
    table.lay(other)
    assert kinds(table.look(NINE, other, times=2)) == [TrackAdded]


def test_a_face_seen_askew_under_a_hand_is_that_of_the_card_beside(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.pass_by(1.0)
    table.lay(TWIN)
    table.hands = [hand(TWIN, 40)]
    assert table.look(TWIN, times=2 * DOUBLE) == []
    assert table.lying.coming == []
    table.hands = []
    assert kinds(table.look(NINE, TWIN, times=DOUBLE)) == [TrackAdded]


def test_another_face_under_a_hand_is_that_of_another_card(table: Table) -> None:
    other = replace(TWIN, face="Kd")
    table.lay(NINE)
    table.look(NINE, times=3)
    table.lay(other)
    table.hands = [hand(other, 40)]
    assert kinds(table.look(other, times=3)) == [TrackAdded]


FAR = laid("Kd", "box5.cards")


def narrow(card: Laid) -> CardGlimpse:
    """See a part of a card."""
    return replace(glimpsed(card), size=(CARD_MM[0] * 0.8, CARD_MM[1]))


@pytest.fixture
def measured(table: Table) -> Table:
    """Give a table on which a card lies that showed how large they are."""
    table.lay(NINE)
    table.look(NINE, times=5)
    return table


def test_part_of_a_card_that_came_just_now_counts_as_a_look_at_it(measured: Table) -> None:
    measured.lay(FAR)
    assert measured.look(FAR) == []
    assert kinds(measured.look(narrow(FAR))) == [TrackAdded]


def test_part_of_a_card_alone_is_none(measured: Table) -> None:
    measured.lay(FAR)
    assert measured.look(narrow(FAR), times=10) == []
    assert measured.lying.coming == []


def test_before_cards_were_measured_a_part_is_a_card(table: Table) -> None:
    table.lay(FAR)
    assert kinds(table.look(narrow(FAR), times=2)) == [TrackAdded]


def test_part_of_another_card_is_no_look_at_the_one_that_came(measured: Table) -> None:
    measured.lay(FAR)
    measured.look(FAR)
    for other in (replace(FAR, face="8h"), replace(FAR, x=FAR.x + 9)):
        assert measured.look(narrow(other)) == []
    assert [card.looks for card in measured.lying.coming] == [1]


# ---- cards that are taken off others, or from under a hand -----------------------------------------------------------

OVER = replace(KING, x=NINE.x + 3, y=NINE.y + 9)  # nearly all of it lies on the nine


@pytest.fixture
def covered(table: Table) -> Table:
    """Give a table on which a king lies on a nine."""
    table.lay(NINE)
    table.look(NINE, times=3)
    table.pass_by(1.0)
    table.lay(OVER)
    table.look(OVER, times=3)
    table.pass_by(1.0)
    assert faces(table) == ["9h", "Kd"]
    return table


def test_a_face_is_gone_where_the_one_below_is_read_three_times(covered: Table) -> None:
    king = covered.lying.cards[1]
    covered.take(OVER)
    assert covered.look(NINE, times=2) == []
    assert covered.look(NINE) == [TrackLost(king)]
    assert faces(covered) == ["9h"]


def test_a_face_is_not_gone_while_a_hand_lies_there(covered: Table) -> None:
    covered.take(OVER)
    covered.hands = [hand(OVER, 50)]
    assert covered.look(NINE, times=10) == []
    covered.hands = []
    assert kinds(covered.look(NINE, times=3)) == [TrackLost]


def test_a_face_is_not_gone_where_nothing_has_changed(covered: Table) -> None:
    assert covered.look(NINE, times=10) == []


def test_a_face_is_not_gone_for_one_that_is_read_beside_it(covered: Table) -> None:
    beside = replace(NINE, face="8h", x=NINE.x + 90)
    covered.lay(beside)
    covered.take(OVER)
    assert kinds(covered.look(beside, times=10)) == [TrackAdded]


def test_a_face_on_which_another_lies_is_not_gone_for_that_one(covered: Table) -> None:
    third = laid("8h", "box3.cards", x=OVER.x + 2, y=OVER.y + 6)
    covered.lay(third)
    assert kinds(covered.look(third, times=20)) == [TrackAdded]


def test_a_face_is_not_gone_for_one_that_is_believed_late(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.pass_by(1.0)
    table.lay(TWIN)
    assert kinds(table.look(TWIN, times=2 * DOUBLE)) == [TrackAdded]


@pytest.mark.parametrize("below", [(), (NINE,)])
def test_a_card_that_came_and_went_under_a_hand_is_gone_as_soon_as_all_looks_as_before(
    table: Table, below: tuple[Laid, ...]
) -> None:
    table.lay(*below)
    table.look(*below, times=3)
    table.pass_by(1.0)
    table.hands = [hand(OVER, 50)]
    table.lay(OVER)
    (new,) = table.look(OVER, times=3)
    assert table.sweep() == []
    table.take(OVER)
    assert table.look(times=5) == []
    assert table.sweep() == []
    assert table.sweep() == [TrackLost(new.card)]
    assert faces(table) == [card.face for card in below]


def test_while_the_hand_moves_over_it_a_card_is_not_gone(table: Table) -> None:
    table.hands = [hand(OVER, 50)]
    table.lay(OVER)
    table.look(OVER, times=3)
    table.take(OVER)
    table.moving[:] = True
    assert [fact for _ in range(5) for fact in table.sweep()] == []


def test_a_card_that_was_seen_without_a_hand_is_not_gone_where_nothing_has_changed(covered: Table) -> None:
    assert [fact for _ in range(5) for fact in covered.sweep()] == []


def test_a_card_is_gone_where_there_is_felt_alone(table: Table) -> None:
    table.lay(NINE)
    (new,) = table.look(NINE, times=3)
    assert table.sweep() == []
    table.take(NINE)
    table.changed[:] = False  # as slow light makes it seem
    assert table.sweep() == []
    assert table.sweep() == [TrackLost(new.card)]


# ---- cards that are looked for ---------------------------------------------------------------------------------------


def test_a_card_that_is_looked_for_and_not_seen_again_and_again_is_gone(measured: Table) -> None:
    (nine,) = measured.lying.cards
    assert measured.look(times=5) == []
    assert measured.look(sought=nine, times=UNSEEN - 1) == []
    assert measured.look(sought=nine) == [TrackLost(nine)]


def test_a_card_that_is_looked_for_and_seen_once_is_there(measured: Table) -> None:
    (nine,) = measured.lying.cards
    askew = replace(glimpsed(replace(NINE, x=NINE.x + 12)), angle=(NINE.angle + 14) % 180)
    for seen in (NINE, askew):
        measured.look(sought=nine, times=UNSEEN - 1)
        assert measured.look(seen, sought=nine) == []
        assert measured.look(sought=nine, times=UNSEEN - 1) == []
        measured.look(NINE)


@pytest.mark.parametrize("hidden", ["hand", "motion"])
def test_a_card_that_cannot_be_seen_is_looked_for_in_vain(measured: Table, hidden: str) -> None:
    (nine,) = measured.lying.cards
    measured.hands = [hand(NINE, 40)] if hidden == "hand" else []
    measured.moving[:] = hidden == "motion"
    assert measured.look(sought=nine, times=3 * UNSEEN) == []


def test_the_card_that_was_not_seen_for_longest_is_looked_for_first(measured: Table) -> None:
    still = np.zeros_like(measured.moving)
    measured.lay(FAR)
    measured.look(FAR, times=3)
    nine, king = measured.lying.cards
    assert measured.lying.doubtful(measured.t, still) is None
    measured.pass_by(CHECK_S + 0.1)
    assert measured.lying.doubtful(measured.t, still) is nine
    assert measured.lying.doubtful(measured.t, ~still) is None
    measured.look(sought=nine)
    measured.pass_by(CHECK_S - STEP_S)
    assert measured.lying.doubtful(measured.t, still) is king


def test_a_card_that_another_covers_is_not_looked_for(covered: Table) -> None:
    covered.look(OVER)
    covered.pass_by(CHECK_S - STEP_S)
    assert covered.lying.doubtful(covered.t, np.zeros_like(covered.moving)) is None


# ---- backs whose place is known to a hair ----------------------------------------------------------------------------

ON_BACK = replace(BACK, x=BACK.x + 12)


@pytest.fixture
def exact(table: Table) -> Table:
    """Give a table on which a back lies that was found by its print."""
    table.lay(BACK)
    table.look(BACK, times=3, exact=True)
    table.pass_by(1.0)
    return table


@pytest.fixture
def piled(exact: Table) -> Table:
    """Give one on which another lies on it."""
    exact.lay(ON_BACK)
    exact.look(ON_BACK, times=3, exact=True)
    exact.pass_by(1.0)
    assert faces(exact) == ["back", "back"]
    return exact


def test_a_back_that_is_found_beside_one_is_laid_on_it(exact: Table) -> None:
    exact.lay(ON_BACK)
    assert exact.look(ON_BACK, exact=True) == []
    assert kinds(exact.look(ON_BACK, exact=True)) == [TrackAdded]
    assert exact.look(ON_BACK, exact=True, times=10) == []


def test_a_back_that_is_turned_by_a_little_is_another(exact: Table) -> None:
    turned = replace(BACK, angle=BACK.angle + 6)
    exact.lay(turned)
    assert kinds(exact.look(turned, times=3, exact=True)) == [TrackAdded]


def test_a_back_that_is_found_within_a_hair_is_the_same(exact: Table) -> None:
    for off in (0.9, 0.0, -0.9):
        assert exact.look(BACK, off=off, exact=True, times=5) == []
    assert len(exact.lying.cards) == 1


def test_a_back_that_was_pushed_away_from_bare_felt_is_the_same(exact: Table) -> None:
    pushed = replace(BACK, x=BACK.x + 16)
    exact.take(BACK)
    exact.lay(pushed)
    assert exact.look(pushed, exact=True, times=5) == []
    assert [card.place for card in exact.lying.cards] == [(pushed.x, pushed.y)]


def test_a_back_that_came_just_now_is_seen_better_when_the_hand_goes(exact: Table) -> None:
    exact.lay(ON_BACK)
    assert kinds(exact.look(ON_BACK, off=5, exact=True, times=2)) == [TrackAdded]
    assert exact.look(ON_BACK, exact=True, times=3) == []
    assert [card.place for card in exact.lying.cards] == [(BACK.x, BACK.y), (ON_BACK.x, ON_BACK.y)]


def test_a_back_is_gone_where_the_one_below_is_found_again(piled: Table) -> None:
    top = piled.lying.cards[1]
    piled.take(ON_BACK)
    assert piled.look(BACK, exact=True) == []
    assert piled.look(BACK, exact=True) == [TrackLost(top)]
    assert piled.look(BACK, exact=True, times=5) == []


def test_a_back_is_not_gone_where_it_is_found_itself(piled: Table) -> None:
    assert piled.look(ON_BACK, exact=True, times=5) == []


def test_a_back_is_not_gone_for_one_that_is_found_elsewhere(table: Table) -> None:
    far = laid("Kd", "box5.cards", up=False)
    table.lay(far, BACK)
    table.look(far, BACK, times=3, exact=True)
    table.pass_by(1.0)
    table.lay(ON_BACK)
    assert kinds(table.look(far, ON_BACK, times=3, exact=True)) == [TrackAdded]
    assert table.look(far, times=10, exact=True) == []


def test_a_back_that_is_only_seen_says_nothing_where_one_is_known_to_a_hair(exact: Table) -> None:
    (back,) = exact.lying.cards
    exact.lay(ON_BACK)
    for off in (0.0, -8.0):
        assert exact.look(ON_BACK, off=off, times=10) == []
    assert exact.lying.coming == []
    assert (back.place, back.exact) == ((BACK.x, BACK.y), True)


def test_a_back_that_is_only_seen_elsewhere_is_a_card(exact: Table) -> None:
    far = laid("Kd", "box5.cards", up=False)
    exact.lay(far)
    assert kinds(exact.look(far, times=3)) == [TrackAdded]


# ---- backs with an unknown print -------------------------------------------------------------------------------------

LONE = laid("Kd", "box3.cards", up=False)


@pytest.mark.parametrize(("x", "y"), [(1.0, 1.5), (5.0, 4.0), (12.0, 8.0)])
@pytest.mark.parametrize("dealers", [True, False])
def test_who_was_there_tells_whether_a_back_was_laid_on_another(
    table: Table, x: float, y: float, *, dealers: bool
) -> None:
    over = replace(LONE, x=LONE.x + x, y=LONE.y + y)
    table.lay(LONE)
    table.look(LONE, times=3)
    table.pass_by(1.0)
    table.reach(Arm(LONE.x, LONE.y, dealers))
    table.lay(over)
    assert kinds(table.look(over, times=3)) == ([TrackAdded] if dealers else [])  # a Player brings no card


def test_under_a_hand_no_back_is_laid_on_another_yet(table: Table) -> None:
    over = replace(LONE, x=LONE.x + 5, y=LONE.y + 4)
    table.lay(LONE)
    table.look(LONE, times=3)
    table.pass_by(1.0)
    table.reach(Arm(LONE.x, LONE.y))
    table.lay(over)
    table.hands = [hand(over, 40)]
    assert table.look(over, times=3) == []
    table.hands = []
    assert kinds(table.look(over, times=3)) == [TrackAdded]


@pytest.mark.parametrize(("dealers", "exact"), [(True, False), (False, True), (False, False)])
def test_a_back_that_looks_like_the_one_below_is_believed_if_it_is_found_or_a_dealer_was_there(
    table: Table, *, dealers: bool, exact: bool
) -> None:
    over = replace(LONE, x=LONE.x + 12, y=LONE.y + 8)
    table.lay(LONE)
    table.look(LONE, times=3, exact=exact)
    table.pass_by(1.0)
    if dealers:
        table.reach(Arm(LONE.x, LONE.y))
    table.lay(over)
    table.changed &= False
    both = table.patch(over).without([table.patch(over).without([table.patch(LONE)])])
    rows, columns = np.nonzero(both.mask)
    fifth = slice(0, both.size // 3)
    table.changed[rows[fifth] + both.box[0].start, columns[fifth] + both.box[1].start] = True
    assert kinds(table.look(over, times=3, exact=exact)) == ([TrackAdded] if dealers or exact else [])


@pytest.mark.parametrize(("exact", "rested"), [(True, 0.4), (False, 0.0)])
def test_a_back_whose_print_hides_what_moves_rests_since_the_last_of_it_moved(
    table: Table, *, exact: bool, rested: float
) -> None:
    table.lay(LONE)
    table.pass_by(0.4)
    patch = table.patch(LONE)
    rows, columns = np.nonzero(patch.mask)
    third = slice(0, patch.size // 3)
    table.attention.moved_at[rows[third] + patch.box[0].start, columns[third] + patch.box[1].start] = table.t
    (new,) = table.look(LONE, times=3, exact=exact)
    assert new.card.rested == pytest.approx(rested)


@pytest.mark.parametrize(("x", "y"), [(4.0, 3.0), (12.0, 8.0)])
def test_where_nothing_has_changed_no_back_was_laid(table: Table, x: float, y: float) -> None:
    table.lay(LONE)
    table.look(LONE, times=3)
    table.pass_by(1.0)
    table.reach(Arm(LONE.x, LONE.y))
    assert table.look(replace(LONE, x=LONE.x + x, y=LONE.y + y), times=5) == []


# ---- hands that have their four cards --------------------------------------------------------------------------------

PLACES = ("box3.cards", "dealer.cards")


def backs(zone: str, count: int) -> list[Laid]:
    """Give backs that lie beside each other in a zone, two by two."""
    x, y = (float(value) for value in np.mean(LAYOUT.by_name[zone].polygon, axis=0))
    middle = replace(laid("Kd", zone, up=False), x=x, y=y)
    return [aside(middle, across, along) for across in (-0.53, 0.53) for along in (-0.53, 0.53)][:count]


def aside(card: Laid, across: float, along: float = 0.0) -> Laid:
    """Push a card by so much of its width and length."""
    turn = np.deg2rad(card.angle)
    x = across * CARD_MM[0] * np.sin(turn) + along * CARD_MM[1] * np.cos(turn)
    y = -across * CARD_MM[0] * np.cos(turn) + along * CARD_MM[1] * np.sin(turn)
    return replace(card, x=card.x + float(x), y=card.y + float(y))


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("zone", PLACES)
@pytest.mark.parametrize(("count", "dealers", "comes"), [(4, False, False), (4, True, True), (3, False, True)])
def test_to_a_hand_of_four_a_back_is_brought_by_the_dealer_alone(
    table: Table, count: int, zone: str, *, dealers: bool, comes: bool, exact: bool
) -> None:
    dealt = backs(zone, count)
    over = aside(dealt[0], 0.4)
    table.lay(*dealt)
    assert kinds(table.look(*dealt, times=3, exact=exact)) == [TrackAdded] * count
    assert {box(card.zone) for card in table.lying.cards} == {box(zone)}
    table.pass_by(1.0)
    if dealers:
        table.reach(Arm(over.x, over.y))
    table.lay(over)
    assert kinds(table.look(over, times=3, exact=exact)) == ([TrackAdded] if comes else [])


def test_the_cards_of_other_hands_are_none_of_the_four(table: Table) -> None:
    dealt = [*backs(PLACES[0], 3), *backs(PLACES[1], 1)]
    over = aside(dealt[0], 0.4)
    table.lay(*dealt)
    assert kinds(table.look(*dealt, times=3)) == [TrackAdded] * 4
    table.pass_by(1.0)
    table.lay(over)
    assert kinds(table.look(over, times=3)) == [TrackAdded]


def test_a_back_beside_a_hand_of_four_needs_no_dealer(table: Table) -> None:
    table.fours = FourCardHands(played=True)
    dealt = backs(PLACES[0], 4)
    beside = aside(dealt[0], -1.1)
    table.lay(*dealt)
    assert kinds(table.look(*dealt, times=3)) == [TrackAdded] * 4
    table.pass_by(1.0)
    table.lay(beside)
    assert kinds(table.look(beside, times=3)) == [TrackAdded]


# ---- backs over which something has moved ----------------------------------------------------------------------------


def stirs(table: Table) -> list[CardTrack]:
    return [*stirred(table.lying.cards, table.attention, table.moving)]


def test_a_back_over_which_a_hand_was_is_looked_at_again(exact: Table) -> None:
    assert stirs(exact) == []
    exact.stir(BACK)
    assert stirs(exact) == exact.lying.cards
    exact.look(BACK, exact=True)
    assert stirs(exact) == []


def test_a_back_over_which_a_hand_is_must_wait(exact: Table) -> None:
    exact.stir(BACK)
    exact.moving[:] = True
    assert stirs(exact) == []


@pytest.mark.parametrize(("off", "again"), [(-0.02, True), (0.02, False)])
def test_a_back_of_which_little_is_in_motion_need_not_wait(exact: Table, off: float, *, again: bool) -> None:
    exact.stir(BACK)
    patch = exact.patch(BACK)
    rows, columns = np.nonzero(patch.mask)
    some = slice(0, round((STIRS + off) * patch.size))
    exact.moving[rows[some] + patch.box[0].start, columns[some] + patch.box[1].start] = True
    assert stirs(exact) == (exact.lying.cards if again else [])


def test_of_backs_on_each_other_the_topmost_is_looked_at_again(piled: Table) -> None:
    piled.stir(BACK)
    piled.stir(ON_BACK)
    assert stirs(piled) == piled.lying.cards[1:]


def test_what_is_not_known_to_a_hair_is_not_looked_at_for_a_hair(table: Table) -> None:
    table.lay(NINE, BACK)
    table.look(NINE, BACK, times=3)
    table.pass_by(1.0)
    table.stir(NINE)
    table.stir(BACK)
    assert stirs(table) == []


# ---- hands of four ---------------------------------------------------------------------------------------------------


BOX3 = frozenset({"box3"})
DEALT = FourCardHands(played=True, closed=BOX3, dealt=BOX3)
SET = FourCardHands(played=True, closed=BOX3)
DOWN = laid("Kd", "box3.cards", up=False)


@pytest.mark.parametrize(
    ("fours", "dealers", "what"),
    [
        (DEALT, True, TrackAdded),
        (DEALT, False, TrackFlipped),
        (SET, True, TrackFlipped),
        (NO_FOURS, True, TrackFlipped),
    ],
)
def test_a_face_that_shows_on_a_back_while_the_dealer_deals_is_another_card(
    table: Table, fours: FourCardHands, what: type[TrackChange], *, dealers: bool
) -> None:
    table.lay(DOWN)
    table.look(DOWN, times=3)
    table.fours = fours
    table.pass_by(1.0)
    table.reach(Arm(DOWN.x, DOWN.y, dealers=dealers))
    face = replace(DOWN, face="9h", up=True, x=DOWN.x + 4)
    table.lay(face)
    assert kinds(table.look(face, times=3)) == [what]


def test_a_back_that_shows_on_a_face_while_the_dealer_deals_is_another_card(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.fours = DEALT
    table.pass_by(1.0)
    table.reach(Arm(NINE.x, NINE.y))
    back = replace(NINE, up=False, x=NINE.x + 4)
    table.lay(back)
    (fact,) = table.look(back, times=3, exact=True)
    assert isinstance(fact, TrackAdded)
    assert not fact.card.up


@pytest.mark.parametrize(("fours", "what"), [(SET, []), (NO_FOURS, [TrackFlipped])])
def test_nobody_turns_a_card_of_hands_of_four_down_again(
    table: Table, fours: FourCardHands, what: list[type[TrackChange]]
) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.fours = fours
    back = replace(NINE, up=False)
    table.lay(back)
    assert kinds(table.look(back, times=6)) == what


@pytest.mark.parametrize(("fours", "what"), [(SET, []), (FourCardHands(played=True), [TrackFlipped])])
def test_a_hand_that_is_not_shown_lies_face_down_until_a_face_is_read(
    table: Table, fours: FourCardHands, what: list[type[TrackChange]]
) -> None:
    table.lay(DOWN)
    table.look(DOWN, times=3)
    table.fours = fours
    unread = replace(DOWN, up=True, likely=0.6, mistaken="Qd")
    table.lay(unread)
    assert kinds(table.look(unread, times=20)) == what


@pytest.mark.parametrize(("fours", "what"), [(SET, []), (NO_FOURS, [TrackAdded])])
def test_another_face_where_one_lies_in_a_hand_of_four_is_that_one_misread(
    table: Table, fours: FourCardHands, what: list[type[TrackChange]]
) -> None:
    table.lay(NINE)
    table.look(NINE, times=3)
    table.fours = fours
    other = replace(NINE, face="Kd", x=NINE.x + 3)
    table.lay(other)
    assert kinds(table.look(other, times=4)) == what
    (card, *_) = table.lying.cards
    assert READS[card.votes.best[0]] == "9h"


def test_two_open_cards_of_a_hand_of_four_that_change_places_are_known_by_their_faces(table: Table) -> None:
    nine, king = replace(NINE, clear=True), replace(NINE, face="Kd", x=NINE.x + 120, clear=True)
    table.lay(nine, king)
    table.look(nine, king, times=3)
    table.fours = SET
    swapped = replace(nine, face="Kd"), replace(king, face="9h")
    table.lay(*swapped)
    found = table.look(*swapped, times=4)
    assert sorted(kinds(found), key=str) == [TrackAdded, TrackAdded, TrackLost, TrackLost]
    places = {READS[card.votes.best[0]]: card.place for card in table.lying.cards}
    assert places["Kd"][0] == pytest.approx(nine.x, abs=1)
    assert places["9h"][0] == pytest.approx(king.x, abs=1)


@pytest.mark.parametrize(("visible", "what"), [(1.0, [TrackLost]), (0.5, [])])
def test_the_card_on_one_that_is_seen_whole_is_gone(
    table: Table, visible: float, what: list[type[TrackChange]]
) -> None:
    king = replace(NINE, face="Kd", x=NINE.x + 20)
    table.lay(NINE)
    table.look(NINE, times=3)
    table.lay(king)
    table.look(NINE, king, times=3)
    below = replace(NINE, clear=True, visible=visible)
    assert kinds(table.look(below, times=3)) == what


def test_of_two_cards_on_each_other_the_one_whose_face_is_seen_is_met(table: Table) -> None:
    king = replace(NINE, face="Kd", x=NINE.x + 3)
    table.lay(NINE)
    table.look(NINE, times=3)
    table.lay(king)
    table.look(king, times=3)
    nearer_to_the_nine = replace(king, x=NINE.x + 0.5, clear=True)
    assert kinds(table.look(nearer_to_the_nine, times=6)) == []
    assert [READS[card.votes.best[0]] for card in table.lying.cards] == ["9h", "Kd"]


def test_a_card_laid_just_on_another_is_told_though_no_look_is_certain(table: Table) -> None:
    nine = replace(NINE, clear=True)
    table.lay(nine)
    table.look(nine, times=3)
    on_top = replace(nine, face="Kd", likely=0.8, x=nine.x + 2, mistaken="Qd")
    table.lay(on_top)
    assert kinds(table.look(on_top, times=20)) == [TrackAdded]
    assert [READS[card.votes.best[0]] for card in table.lying.cards] == ["9h", "Kd"]


@pytest.mark.parametrize(("read", "what"), [(0.2, []), (0.9, [TrackAdded])])
def test_a_back_that_is_hardly_read_as_one_is_another_look_at_those_below(
    table: Table, read: float, what: list[type[TrackChange]]
) -> None:
    table.lay(DOWN)
    table.look(DOWN, times=3)
    table.pass_by(1.0)
    beside = replace(DOWN, x=DOWN.x + 20)
    table.lay(beside)
    seen = glimpsed(beside)
    faces = np.full(len(READS), (1 - read) / (len(READS) - 1))
    faces[READS.index("back")] = read
    assert kinds(table.look(replace(seen, faces=faces), times=4)) == what


def test_a_back_that_shows_a_face_to_one_network_alone_is_not_turned(table: Table) -> None:
    table.lay(DOWN)
    table.look(DOWN, times=3)
    table.fours = FourCardHands(played=True)
    face = replace(DOWN, up=True)
    table.lay(face)
    assert table.look(replace(glimpsed(face), up=0.3), times=20) == []
    assert kinds(table.look(face, times=3)) == [TrackFlipped]


def test_what_moved_last_where_a_back_lies_brought_that_back_and_no_other(table: Table) -> None:
    table.lay(DOWN)
    table.look(DOWN, times=3, exact=True)
    table.pass_by(2.0)
    assert table.look(replace(DOWN, x=DOWN.x + 1.5), times=3, exact=True) == []
