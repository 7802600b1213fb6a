"""Which cards are believed to lie on the table, look by look: what came, turned and went, and what only seemed to."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.sets import READS
from tests.toy_table import CAMERA, CARD_MM, LAYOUT, SIZE, Arm, Laid, felt, laid, rectangle
from vision.attention import Attention, Sight
from vision.facts import Fact, Gone, New, Turned
from vision.glimpse import CardGlimpse, Glimpse
from vision.look import Look
from vision.lying import UNREAD_S, Lying
from vision.sides import Sides
from vision.tracks import Card, Floats, Patch

STEP_S = 0.04
FELT = felt()
NINE, KING = laid("9h", "box3.cards"), laid("Kd", "box3.cards", 1)
BACK = laid("Kd", "dealer.cards", up=False)


class Table:
    """What lies on a table, and what is believed to."""

    def __init__(self) -> None:
        self.attention = Attention(SIZE)
        self.small = self.attention.step(0.0, FELT).small.copy()
        self.picture = FELT.copy()
        self.attention.is_bare[:] = True
        self.sides = Sides(CAMERA, LAYOUT, self.attention.size, self.attention.factor)
        self.lying = Lying(LAYOUT, READS)
        self.shape = (self.attention.size[1], self.attention.size[0])
        self.changed = np.zeros(self.shape, bool)
        self.moving = np.zeros_like(self.changed)
        self.lies: list[Laid] = []
        self.shades: dict[Laid, int] = {}
        self.hands: list[Floats] = []
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
    def sight(self) -> Sight:
        return Sight(self.t, self.small, (0.0, 0.0), 1.0, np.zeros_like(self.changed), self.changed)

    def look(
        self,
        *seen: Laid | CardGlimpse,
        times: int = 1,
        off: float = 0.0,
        exact: bool = False,
        sought: Card | None = None,
    ) -> list[Fact]:
        """Look so many times, and see these cards, a little off their places; or backs exactly, by their print."""
        found: list[Fact] = []
        for _ in range(times):
            self.pass_by(STEP_S)
            cards = tuple(glimpsed(card, off, exact=exact) if isinstance(card, Laid) else card for card in seen)
            glimpse = Glimpse(cards, (), tuple(self.hands))
            where = self.changed & ~self.moving
            look = Look(
                self.sight, self.attention, self.sides, self.picture, glimpse, where, self.moving, sought=sought
            )
            found += self.lying.take(look)
        return found

    def sweep(self) -> list[Fact]:
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
    return replace(seen, exact=exact and not card.up)


@pytest.fixture
def table() -> Table:
    return Table()


def kinds(facts: list[Fact]) -> list[type[Fact]]:
    return [type(fact) for fact in facts]


def faces(table: Table) -> list[str]:
    return [READS[card.votes.best[0]] if card.up else "back" for card in table.lying.cards]


# ---- what comes -----------------------------------------------------------------------------------------------------


def test_one_look_alone_is_not_believed(table: Table) -> None:
    table.lay(NINE)
    assert table.look(NINE) == []
    (new,) = table.look(NINE)
    assert isinstance(new, New)
    assert (new.card.zone, faces(table)) == ("box3.cards", ["9h"])
    assert new.card.rested == 0.0  # when it last moved, not when it was seen


def test_a_card_is_new_once(table: Table) -> None:
    table.lay(NINE)
    assert kinds(table.look(NINE, times=20)) == [New]


def test_what_is_seen_where_nothing_has_changed_is_no_card(table: Table) -> None:
    assert table.look(NINE, times=20) == []


def test_what_is_seen_where_something_still_moves_is_no_card_yet(table: Table) -> None:
    table.lay(NINE)
    table.moving[:] = True
    assert table.look(NINE, times=5) == []
    table.moving[:] = False
    assert kinds(table.look(NINE, times=5)) == [New]


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
    assert kinds(table.look(dim, times=10)) == [New]


def test_a_back_needs_no_face(table: Table) -> None:
    table.lay(BACK)
    (new,) = table.look(BACK, times=2)
    assert isinstance(new, New)
    assert not new.card.up


def test_a_card_on_another_is_a_card_and_the_other_is_still_there(table: Table) -> None:
    over = laid("Kd", "box3.cards", x=NINE.x + 6, y=NINE.y + 20)
    table.lay(NINE)
    table.look(NINE, times=3)
    table.pass_by(1.0)
    table.lay(over)
    facts = table.look(over, NINE, times=3) + table.look(over, times=10)
    assert kinds(facts) == [New]
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
    assert isinstance(turned, Turned)
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
    assert gone == Gone(new.card)
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
    assert kinds(table.look(times=5)) == [Gone]


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
    assert set(kinds(facts)) == {Gone}
    assert table.lying.cards == []


def test_what_only_seemed_to_be_a_card_is_forgotten(table: Table) -> None:
    table.lay(NINE)
    table.look(NINE)
    assert len(table.lying.coming) == 1
    table.pass_by(2.0)
    table.look()
    assert table.lying.coming == []
    assert KING not in table.lies
