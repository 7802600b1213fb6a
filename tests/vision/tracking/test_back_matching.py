"""Backs that lie on each other: the print they share says where exactly the topmost lies."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.roi_detection import CardGlimpse, Glimpse
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.tracking.back_matching import ALONE_MM, ENOUGH, KEPT, BackMatcher, PileView
from feltwatch.vision.tracking.track import CardTrack, bearing
from tests.toy_table import rectangle

Size = tuple[float, float]

SIZE = (1920, 1080)
CAMERA = look_at(SIZE, (60.0, 330.0, 1900.0), (0.0, 440.0), 2150.0)
CARD_MM: Size = (63.0, 88.0)
DOTS = 4  # of a print, a millimetre
PERIOD_MM = 8.0
HIDDEN = (130, 150, 200)


def bordered(*colours: tuple[int, int, int]) -> Pixels:
    """Give a print that looks the same from no other side: a field in a white border, and shapes on it."""
    ground, one, other = colours
    art = np.full((88 * DOTS, 63 * DOTS, 3), 245, np.uint8)
    cv2.rectangle(art, (16, 16), (235, 335), ground, -1)
    cv2.fillConvexPoly(art, np.array([[16, 335], [235, 335], [235, 130], [16, 210]]), other)
    cv2.circle(art, (90, 100), 44, one, -1)
    cv2.line(art, (150, 300), (220, 190), (250, 250, 250), 12)
    return art


def lattice() -> Pixels:
    """Give a print without a border that repeats itself."""
    y, x = np.mgrid[: 88 * DOTS, : 63 * DOTS] * (2 * np.pi / (PERIOD_MM * DOTS))
    art = np.clip(110 + 50 * (np.sin(x) + np.sin(y)), 0, 255)
    return np.dstack([art, art * 0.6, art * 0.3]).astype(np.uint8)


BLUE = bordered((150, 60, 30), (60, 200, 230), (60, 160, 60))
PRINTED = {
    "blue": BLUE,
    "yellow": bordered((60, 200, 230), (30, 30, 30), (200, 80, 200))[::-1],
    "grey": bordered((220, 220, 220), (40, 20, 40), (180, 20, 20)),
    "black": bordered((40, 40, 40), (240, 240, 240), (30, 30, 200))[:, ::-1],
    "opposite": 255 - BLUE,
    "lattice": lattice(),
}
FELT = np.clip(
    np.array([70.0, 105.0, 40.0]) + np.random.default_rng(5).normal(0, 2.5, (SIZE[1], SIZE[0], 1)), 0, 255
).astype(np.uint8)


@dataclass(frozen=True)
class Back:
    x: float
    y: float
    angle: float = 90.0
    print: str = "blue"
    size: Size = CARD_MM

    @property
    def quad(self) -> Floats:
        return CAMERA.to_picture(rectangle(self.x, self.y, self.size, self.angle))


def draw(picture: Pixels, back: Back) -> None:
    """Lay a back on a picture, with edges as soft as a camera sees them."""
    low = np.floor(back.quad.min(axis=0)).astype(int) - 2
    size = np.ceil(back.quad.max(axis=0)).astype(int) + 3 - low
    high, wide = PRINTED[back.print].shape[:2]
    flat = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - 0.5
    way = cv2.getPerspectiveTransform(flat, (4 * (back.quad - low) + 1.5).astype(np.float32))
    full = (int(size[0]) * 4, int(size[1]) * 4)
    art, over = (
        cv2.warpPerspective(one, way, full)
        for one in (np.ascontiguousarray(PRINTED[back.print]), np.full((high, wide), 255, np.uint8))
    )
    small = (int(size[0]), int(size[1]))
    shown = cv2.resize(art, small, interpolation=cv2.INTER_AREA).astype(float)
    share = cv2.resize(over, small, interpolation=cv2.INTER_AREA)[:, :, None] / 255
    part = picture[low[1] : low[1] + small[1], low[0] : low[0] + small[0]]
    part[:] = np.round(shown + (1 - share) * part)


def box(back: Back, *, x: float = 0.0, y: float = 0.0, turn: float = 0.0, grow: float = 0.0) -> CardGlimpse:
    """Give what the detector says of a back, so many millimetres and degrees off."""
    place, angle = (back.x + x, back.y + y), back.angle + turn
    size = (back.size[0] + grow, back.size[1] + grow)
    quad = CAMERA.to_picture(rectangle(*place, size, angle))
    return CardGlimpse(quad, place, angle % 180, size, 0.9, 0.02, np.eye(len(READS))[READS.index("back")])


def card(back: Back, layer: int = 1, *, exact: bool = False) -> CardTrack:
    """Give a back as it is known."""
    patch = Patch.of(back.quad, 3.0, (360, 640))
    found = CardTrack(back.quad, (back.x, back.y), back.angle, patch, up=False, seen_at=0.0, rested=0.0, layer=layer)
    found.exact = exact
    return found


class Table:
    """Backs on the felt, and what is made of the detector's boxes."""

    def __init__(self) -> None:
        self.backs = BackMatcher(CAMERA, READS)
        self.hands: tuple[Floats, ...] = ()
        self.still = True
        self.shift = (0, 0)

    def look(
        self,
        lies: Sequence[Back],
        cards: Sequence[CardGlimpse] = (),
        known: Sequence[CardTrack] = (),
        piles: Sequence[CardGlimpse] = (),
    ) -> Glimpse:
        picture = FELT.copy()
        for back in lies:
            draw(picture, back)
        for hand in self.hands:
            cv2.fillConvexPoly(picture, np.round(hand).astype(np.int32), HIDDEN)
        picture = np.roll(picture, (-self.shift[1], -self.shift[0]), (0, 1))
        seen = Glimpse(tuple(cards), (), self.hands, tuple(piles))
        return self.backs.sharpened(seen, PileView(picture, self.shift, lambda _: self.still, known))

    def learn(self, back: Back, looks: int = ENOUGH, **off: float) -> None:
        """Look at a back that lies alone and is known."""
        for _ in range(looks):
            self.look([back], [box(back, **off)], [card(back)])

    def knows(self, back: Back) -> bool:
        """Tell whether a back is found that lies alone, and is not learnt by the way."""
        return bool(exact(self.look([back], [box(back, x=3)])))


ALONE = Back(-300.0, 500.0, 70.0)
MIDDLE = Back(40.0, 420.0, 100.0)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def learnt() -> Table:
    found = Table()
    found.learn(ALONE)
    return found


def exact(seen: Glimpse) -> list[CardGlimpse]:
    return [one for one in seen.cards if one.exact]


def off(seen: CardGlimpse, back: Back) -> tuple[float, float]:
    """Give by how many millimetres and degrees a back was found beside its place."""
    apart = float(np.hypot(seen.place[0] - back.x, seen.place[1] - back.y))
    return apart, abs(bearing(seen.angle, back.angle))


# ---- what is learnt -------------------------------------------------------------------------------------------------


def found_at_each(table: Table, back: Back) -> list[bool]:
    return [bool(exact(table.look([back], [box(back)], [card(back)]))) for _ in range(4)]


def test_the_first_print_of_a_table_is_known_from_one_look_at_a_back_alone(table: Table) -> None:
    assert found_at_each(table, ALONE) == [False, True, True, True]


def test_another_print_is_known_from_two_looks(learnt: Table) -> None:
    assert found_at_each(learnt, replace(MIDDLE, print="yellow")) == [False, False, True, True]


def test_where_no_print_is_known_a_look_is_given_back_as_it_was(table: Table) -> None:
    pile, top = box(MIDDLE, grow=8), box(ALONE)
    seen = table.look([ALONE, MIDDLE], [top], piles=[pile])
    assert (seen.cards, seen.piles) == ((top,), (pile,))


def test_a_print_is_not_learnt_from_what_is_no_known_card(table: Table) -> None:
    for _ in range(3):
        table.look([MIDDLE], [box(MIDDLE)], [card(ALONE)])
    assert not table.knows(MIDDLE)


def test_a_print_is_not_learnt_from_what_is_known_as_two(table: Table) -> None:
    under = replace(MIDDLE, x=MIDDLE.x + 2)
    for _ in range(3):
        table.look([under, MIDDLE], [box(MIDDLE)], [card(under), card(MIDDLE, 2)])
    assert not table.knows(MIDDLE)


@pytest.mark.parametrize(("away", "learns"), [(ALONE_MM - 5, False), (ALONE_MM + 5, True)])
def test_a_print_is_not_learnt_from_a_back_right_beside_another_card(
    table: Table, away: float, *, learns: bool
) -> None:
    beside = replace(MIDDLE, x=MIDDLE.x + away)
    up = replace(box(beside), up=0.98)
    for _ in range(3):
        table.look([MIDDLE], [box(MIDDLE), up], [card(MIDDLE)])
    assert table.knows(MIDDLE) is learns


def test_a_print_is_not_learnt_from_a_pile(table: Table) -> None:
    for _ in range(3):
        table.look([MIDDLE], known=[card(MIDDLE)], piles=[box(MIDDLE, grow=8)])
    assert not table.knows(MIDDLE)


def test_a_print_is_not_learnt_under_a_hand(table: Table) -> None:
    table.hands = (CAMERA.to_picture(rectangle(MIDDLE.x + 35, MIDDLE.y, (30.0, 60.0), 90.0)),)
    table.learn(MIDDLE, 3)
    table.hands = ()
    assert not table.knows(MIDDLE)


def test_a_print_is_learnt_while_a_hand_is_elsewhere(table: Table) -> None:
    table.hands = (CAMERA.to_picture(rectangle(MIDDLE.x + 135, MIDDLE.y, (30.0, 60.0), 90.0)),)
    table.learn(MIDDLE, 3)
    assert table.knows(MIDDLE)


def test_a_print_is_not_learnt_from_what_the_detector_is_not_sure_of(table: Table) -> None:
    for _ in range(3):
        table.look([MIDDLE], [replace(box(MIDDLE), score=0.7)], [card(MIDDLE)])
    assert not table.knows(MIDDLE)


def test_another_print_of_the_same_size_is_another_kind_of_backs(learnt: Table) -> None:
    other = replace(MIDDLE, print="yellow")
    assert not learnt.knows(other)
    learnt.learn(other)
    assert learnt.knows(other)
    assert learnt.knows(MIDDLE)


def test_a_print_is_learnt_that_is_the_opposite_of_one_that_is_known(learnt: Table) -> None:
    other = replace(MIDDLE, print="opposite")
    learnt.learn(other)
    assert learnt.knows(other)


@pytest.mark.parametrize("size", [(63.0 * 1.1, 88.0), (63.0, 88.0 * 0.9)])
def test_what_is_not_as_large_as_the_backs_that_are_known_is_none(learnt: Table, size: Size) -> None:
    other = replace(MIDDLE, print="yellow", size=size)
    learnt.learn(other, 3)
    assert not learnt.knows(other)


def test_no_more_is_learnt_than_is_needed(learnt: Table) -> None:
    learnt.learn(MIDDLE, KEPT + 3)
    assert [len(one.crops) for one in learnt.backs.prints] == [KEPT]


def test_of_more_kinds_than_a_table_has_the_first_is_forgotten(learnt: Table) -> None:
    others = [replace(MIDDLE, print=one) for one in ("yellow", "grey", "black")]
    for back in others:
        learnt.learn(back)
    assert [learnt.knows(back) for back in (MIDDLE, *others)] == [False, True, True, True]


# ---- what is found --------------------------------------------------------------------------------------------------

AT = (Back(40.0, 420.0, 100.0), Back(-620.0, 260.0, 148.0), Back(560.0, 640.0, 12.0), Back(0.0, 150.0, 270.0))
LAID = {  # on the first: so far off, and turned
    "one": (),
    "two": ((7.0, -4.0, 2.0),),
    "three": ((-6.0, 8.0, -3.0), (4.0, 3.0, 1.5)),
}


def pile(first: Back, steps: Sequence[tuple[float, float, float]]) -> list[Back]:
    found = [first]
    for x, y, turn in steps:
        found.append(Back(found[-1].x + x, found[-1].y + y, found[-1].angle + turn))
    return found


@pytest.mark.parametrize("first", AT, ids=["middle", "left", "right", "dealer"])
@pytest.mark.parametrize("steps", LAID.values(), ids=LAID)
def test_the_topmost_of_a_pile_is_found_to_a_millimetre(
    learnt: Table, first: Back, steps: Sequence[tuple[float, float, float]]
) -> None:
    lies = pile(first, steps)
    for seen in (
        learnt.look(lies, [box(lies[-1], x=5, y=-4, turn=3)]),
        learnt.look(lies, [box(lies[-1], x=-9, y=8, turn=-7)]),
        learnt.look(lies, piles=[box(lies[-1], x=-4, y=5, turn=7, grow=9)]),
    ):
        (found,) = exact(seen)
        apart, turned = off(found, lies[-1])
        assert apart <= 1.0
        assert turned <= 1.0


@pytest.mark.parametrize("size", [(62.5, 87.5), (63.5, 88.9), (63.0, 88.0), (57.0, 88.0)])
def test_a_print_is_learnt_from_several_backs_to_a_hair(table: Table, size: Size) -> None:
    table.learn(replace(ALONE, size=size), 1)
    for n in range(1, KEPT):  # where the first lay is taken for true, the others are laid on it
        table.learn(Back(-300 + 120 * n, 400.0, 70 + 15 * n, size=size), 1, x=1.2, y=-0.8, turn=1.0)
    for n, place in enumerate(AT):
        back = replace(place, size=size, x=place.x + 0.2 * n, y=place.y + 0.3 * n)
        for x in (3.0, 1.1):
            (found,) = exact(table.look([back], [box(back, x=x, y=-2)]))
            assert off(found, back)[0] <= 0.2


def test_a_print_is_learnt_from_backs_that_lie_either_way_round(table: Table) -> None:
    around = replace(ALONE, angle=ALONE.angle + 180)
    table.learn(ALONE, KEPT - 1)
    table.learn(around, 1)
    assert table.knows(ALONE)
    assert table.knows(around)


def test_one_back_of_which_the_size_was_seen_wrong_changes_nothing(table: Table) -> None:
    table.learn(ALONE, 1, grow=3)
    table.learn(ALONE)
    (found,) = exact(table.look([MIDDLE], [box(MIDDLE, grow=3)]))
    assert found.size == CARD_MM


def test_the_larger_a_box_the_further_off_lies_the_back(learnt: Table) -> None:
    (found,) = exact(learnt.look([MIDDLE], piles=[box(MIDDLE, x=20, grow=12)]))
    assert off(found, MIDDLE)[0] <= 1.0
    assert exact(learnt.look([MIDDLE], [box(MIDDLE, x=20)])) == []


def test_what_is_found_is_said_as_of_one_card_that_lies_face_down(learnt: Table) -> None:
    lies = pile(MIDDLE, LAID["two"])
    (found,) = exact(learnt.look(lies, piles=[box(lies[-1], x=4, grow=9)]))
    assert found.size == CARD_MM
    assert (found.up, READS[int(found.faces.argmax())]) == (0.0, "back")
    assert CAMERA.to_felt(found.quad).mean(axis=0) == pytest.approx(found.place, abs=0.1)
    assert np.hypot(*(found.quad[:, None] - lies[-1].quad).T).min(axis=0).max() < 2.0  # pixels


def test_the_box_of_what_was_found_is_given_no_more(learnt: Table) -> None:
    lies = pile(MIDDLE, LAID["two"])
    near, far = box(lies[-1], x=2), box(lies[0])
    seen = learnt.look(lies, [near, far])
    assert [one.exact for one in seen.cards] == [True, False]
    assert seen.cards[1] is far


def test_of_a_back_under_another_nothing_is_found(learnt: Table) -> None:
    for step in ((22.0, 12.0, 0.0), (40.0, 35.0, 0.0)):  # in the end most of it shows
        lies = pile(MIDDLE, [step])
        (found,) = exact(learnt.look(lies, [box(one) for one in lies]))
        assert off(found, lies[-1])[0] <= 1.0


def test_backs_that_lie_apart_are_all_found(learnt: Table) -> None:
    lies = [MIDDLE, replace(MIDDLE, x=MIDDLE.x + 90), replace(MIDDLE, y=MIDDLE.y + 120, angle=30.0)]
    found = exact(learnt.look(lies, [box(one, x=3, y=3) for one in lies]))
    assert [min(off(one, back)[0] for one in found) <= 1.0 for back in lies] == [True] * 3
    assert len(found) == 3


def test_where_something_moves_nothing_is_found(learnt: Table) -> None:
    learnt.still = False
    given = box(MIDDLE, x=4)
    assert learnt.look([MIDDLE], [given]).cards == (given,)


def test_nothing_is_learnt_of_what_moves(table: Table) -> None:
    table.still = False
    table.learn(MIDDLE, 3)
    table.still = True
    assert not table.knows(MIDDLE)


def test_where_there_is_no_back_none_is_found(learnt: Table) -> None:
    given = box(MIDDLE)
    assert learnt.look([], [given]).cards == (given,)


def test_a_face_is_none(learnt: Table) -> None:
    up = replace(box(MIDDLE, x=3), up=0.98)
    assert learnt.look([MIDDLE], [up]).cards == (up,)


def test_a_back_is_found_where_it_would_lie_if_the_camera_did_not_shake(learnt: Table) -> None:
    learnt.shift = (5, -3)
    (found,) = exact(learnt.look([MIDDLE], [box(MIDDLE, y=4)]))
    assert off(found, MIDDLE)[0] <= 1.0


# ---- a print that repeats itself ------------------------------------------------------------------------------------

HERE = Back(40.0, 420.0, 90.0, "lattice")
BESIDE = replace(HERE, x=HERE.x + PERIOD_MM)  # nothing tells which of the two is on top


@pytest.fixture
def repeats() -> Table:
    found = Table()
    found.learn(replace(ALONE, print="lattice"))
    return found


def test_a_back_that_lies_nearly_a_period_from_the_one_below_is_found_where_it_lies(repeats: Table) -> None:
    top = replace(HERE, x=HERE.x + PERIOD_MM + 1.5, y=HERE.y + 1.5)
    for x, y in product((-6.0, -4.0, -2.0, 0.0, 2.0, 4.0), (-3.0, 0.0, 3.0)):
        (found,) = exact(repeats.look([HERE, top], [box(top, x=x, y=y)]))
        assert off(found, top)[0] <= 1.0


@pytest.mark.parametrize("lay", [HERE, BESIDE])
def test_a_back_is_found_where_it_lay_and_not_a_period_away(repeats: Table, lay: Back) -> None:
    known = [card(one, exact=one is lay) for one in (HERE, BESIDE)]
    for x in (-3.0, 4.0, 11.0):
        (found,) = exact(repeats.look([HERE, BESIDE], [box(HERE, x=x)], known))
        assert off(found, lay)[0] <= 1.0


@pytest.mark.parametrize("top", [HERE, BESIDE])
def test_of_two_that_are_known_it_is_the_one_on_top(repeats: Table, top: Back) -> None:
    known = [card(one, 2 if one is top else 1, exact=True) for one in (HERE, BESIDE)]
    (found,) = exact(repeats.look([HERE, BESIDE], [box(HERE, x=4)], known))
    assert off(found, top)[0] <= 1.0


def test_where_a_back_lay_by_the_detectors_word_alone_says_nothing(repeats: Table) -> None:
    looks = []
    for top in (HERE, BESIDE):
        known = [card(one, 2 if one is top else 1) for one in (HERE, BESIDE)]
        looks += exact(repeats.look([HERE, BESIDE], [box(HERE, x=4)], known))
    assert looks[0].place == looks[1].place


def test_a_back_that_was_pushed_is_found_where_it_is_and_not_where_it_lay(learnt: Table) -> None:
    pushed = replace(MIDDLE, x=MIDDLE.x + 6, y=MIDDLE.y - 5)
    (found,) = exact(learnt.look([pushed], [box(MIDDLE)], [card(MIDDLE, exact=True)]))
    assert off(found, pushed)[0] <= 1.0
