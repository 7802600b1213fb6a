"""One look at a part of the table: what has the measures of a card or a chip, in millimetres, at any cut."""

import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.detector import CARDS, Detection
from feltwatch.vision.detection.fitter import CardFit
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.detection.roi_detection import LOOKED_AT, Aim, Glimpse, glimpse
from feltwatch.vision.detection.still_reader import StillReader
from tests.toy_table import CAMERA, SIZE, box, outline, rectangle
from tests.toy_table import Chips as ToyChips
from tests.vision.exact_fitter import SURE, ExactFitter

PICTURE = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
WHOLE = (0, 0, *SIZE)
PLACE = (150.0, 400.0)
USUAL = Aim()


class Answers:
    """Stands for both networks: finds what the test orders, and keeps what it was shown."""

    def __init__(self, *found: Detection) -> None:
        self.found = list(found)
        self.shown: list[tuple[tuple[int, ...], float | None]] = []
        self.quads: Floats = np.zeros((0, 4, 2))
        self.classes = READS

    def survey(self, part: Pixels, scale: float | None = None) -> tuple[list[Detection], list[Detection]]:
        self.shown.append((part.shape, scale))
        cards = [one for one in self.found if one.kind in CARDS]
        return cards, [one for one in self.found if one.kind not in CARDS]

    def read(self, picture: Pixels, quads: Floats) -> list[FaceReading]:
        assert picture is PICTURE
        self.quads = quads
        return [FaceReading("9h", 1.0, np.eye(len(READS))[READS.index("9h")]) for _ in quads]


def card(size: tuple[float, float] = (63.0, 88.0), angle: float = 70.0) -> Floats:
    return CAMERA.to_picture(rectangle(*PLACE, size, angle))


def look(
    *found: Detection,
    rect: tuple[int, int, int, int] = WHOLE,
    shift: tuple[float, float] = (0, 0),
    aim: Aim = USUAL,
    visible: float = 1.0,
) -> tuple[Glimpse, Answers]:
    answers = Answers(*found)
    eyes = StillReader(answers, ExactFitter(visible), answers, SURE)  # type: ignore[arg-type]  # they answer alike
    return glimpse(eyes, CAMERA, PICTURE, rect, shift, aim), answers


def test_a_card_is_where_it_lies_on_the_felt() -> None:
    seen, _ = look(Detection("card_up", card(), 0.9, 0.97))
    (found,) = seen.cards
    assert found.place == pytest.approx(PLACE, abs=0.5)
    assert abs((found.angle - 70 + 90) % 180 - 90) < 1
    assert found.size == pytest.approx((63, 88), abs=1)
    assert (found.score, found.up) == (0.9, 0.97)
    assert READS[int(found.faces.argmax())] == "9h"


@pytest.mark.parametrize(
    ("kind", "size", "visible", "exact"),
    [
        ("card_down", (63.0, 88.0), 1.0, True),
        ("card_down", (68.0, 95.0), 1.0, False),  # two that lie on each other
        ("card_down", (63.0, 88.0), 0.5, False),  # another lies on it
        ("card_up", (63.0, 88.0), 1.0, False),
    ],
)
def test_a_back_on_top_is_known_exactly_if_it_is_as_large_as_one_card(
    kind: str, size: tuple[float, float], visible: float, *, exact: bool
) -> None:
    seen, _ = look(Detection(kind, card(size), 0.9, float(kind == "card_up")), aim=Aim(1.0, (63, 88)), visible=visible)
    assert [one.exact for one in seen.cards] == [exact]


def test_a_card_of_known_size_is_rigid_and_its_measures_are_those_that_were_seen() -> None:
    seen, _ = look(Detection("card_up", card((66.0, 91.0)), 0.9, 1.0), aim=Aim(1.0, (63, 88)))
    (found,) = seen.cards
    assert found.size == pytest.approx((66, 91), abs=1)
    felt = CAMERA.to_felt(found.quad)
    sides = [float(np.hypot(*(felt[n] - felt[0]))) for n in (1, 3)]
    assert sides == pytest.approx([63, 88], abs=0.3)
    assert found.place == pytest.approx(PLACE, abs=0.5)


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ((63, 88), 1),  # poker
        ((57, 89), 1),  # bridge
        ((63, 60), 0),  # half hidden, and taken for whole
        ((88, 63), 0),
        ((63, 120), 0),
        ((40, 88), 0),
        ((25, 35), 0),  # a printed one
        ((126, 176), 0),
    ],
)
def test_what_has_not_the_measures_of_a_card_is_none(size: tuple[float, float], told: int) -> None:
    seen, _ = look(Detection("card_up", card(size), 0.9))
    assert len(seen.cards) == told


@pytest.mark.parametrize(("radius", "told"), [(19.75, 1), (24, 1), (15, 1), (8, 0), (32, 0)])
def test_what_has_not_the_measures_of_a_chip_is_none(radius: float, told: int) -> None:
    x, y = PLACE
    quad = box(CAMERA.to_picture(rectangle(x, y, (2 * radius, 2 * radius), 90)))
    seen, _ = look(Detection("chip_stack", quad, 0.8))
    assert len(seen.stacks) == told


def test_a_stack_stands_where_its_top_is_seen() -> None:
    seen, _ = look(Detection("chip_stack", box(outline(ToyChips(*PLACE))), 0.8))
    (stack,) = seen.stacks
    assert stack.place == pytest.approx(PLACE, abs=1)
    assert stack.radius_px == pytest.approx(19.75 * CAMERA.scale(*PLACE), rel=0.05)


def test_a_part_of_the_picture_tells_the_same_as_the_whole() -> None:
    whole, _ = look(Detection("card_up", card(), 0.9))
    corner = np.array([600, 250])
    part, answers = look(Detection("card_up", card() - corner, 0.9), rect=(600, 250, 900, 500))
    assert part.cards[0].quad == pytest.approx(whole.cards[0].quad)
    assert part.cards[0].place == pytest.approx(whole.cards[0].place)
    assert [shape for shape, _ in answers.shown] == [(250, 300, 3)]
    assert answers.quads[0] == pytest.approx(card())


def test_a_shaken_picture_is_read_where_things_are_and_told_where_they_were() -> None:
    moved = card() - (3, -2)
    seen, answers = look(Detection("card_up", moved, 0.9), Detection("hand", moved, 0.9), shift=(3, -2))
    assert seen.cards[0].quad == pytest.approx(card())
    assert seen.hands[0] == pytest.approx(card())
    assert answers.quads[0] == pytest.approx(moved)


def test_a_part_is_shown_to_the_network_at_the_scale_it_knows() -> None:
    _, answers = look(rect=(600, 250, 900, 500))
    ((_, scale),) = answers.shown
    assert scale is not None
    assert scale * CAMERA.scale(*CAMERA.to_felt([[750, 375]])[0]) == pytest.approx(LOOKED_AT)


def test_a_part_that_is_looked_at_closely_is_shown_larger() -> None:
    scales = [look(rect=(600, 250, 900, 500), aim=Aim(zoom))[1].shown[0][1] for zoom in (1.0, 1.2)]
    assert scales[1] == pytest.approx(1.2 * (scales[0] or 0.0))


def test_where_nothing_is_found_nothing_is_read() -> None:
    seen, answers = look()
    assert seen == Glimpse((), (), ())
    assert len(answers.quads) == 0


def test_hands_are_told_as_they_are() -> None:
    seen, _ = look(Detection("hand", card((300, 90)), 0.7))
    assert len(seen.hands) == 1
    assert seen.cards == ()


def test_the_table_s_own_deck_has_its_say_in_every_look() -> None:
    answers = Answers(Detection("card_up", card(), 0.9), Detection("card_up", card((40, 88)), 0.9))
    asked: list[tuple[Floats, int]] = []

    class Deck:
        def improve(
            self, picture: Pixels, quads: Floats, fits: list[CardFit], readings: list[FaceReading]
        ) -> list[FaceReading]:
            assert picture is PICTURE
            assert [fit.indices for fit in fits] == [(0.7, 0.7)]
            asked.append((quads, len(readings)))
            return [FaceReading("8h", 1.0, np.eye(len(READS))[READS.index("8h")])]

    eyes = StillReader(answers, ExactFitter(index=0.7), answers, SURE, Deck())  # type: ignore[arg-type]  # as above
    (found,) = glimpse(eyes, CAMERA, PICTURE, WHOLE, (3, -2), USUAL).cards
    assert READS[int(found.faces.argmax())] == "8h"
    ((quads, count),) = asked
    assert (quads.shape, count) == ((1, 4, 2), 1)
    assert quads[0] == pytest.approx(card())
