"""What is reported of a picture: both networks put together, and silence where they are not sure."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.models.shipped.registry import Model
from feltwatch.vision.arrays import Floats32, Pixels
from feltwatch.vision.detection import detector as detector_module
from feltwatch.vision.detection import reader as reader_module
from feltwatch.vision.detection.deck_use import DeckInUse, DeckTrust
from feltwatch.vision.detection.detector import Detector
from feltwatch.vision.detection.reader import CORNER_NUMBERS, RANK_COUNT, Reader
from feltwatch.vision.detection.still_reader import StillReader, distinct
from feltwatch.vision.geometry.rectify import SIZE
from tests.vision.exact_fitter import SURE, ExactFitter
from tests.vision.toy_deck import house, reading

CLASSES = ("card_up", "card_down", "chip_stack", "hand")
PICTURE = np.zeros((720, 1280, 3), np.uint8)


def row(kind: int, score: float = 0.9, x: float = 300, sides: tuple[float, float] = (40, 56)) -> tuple[float, ...]:
    scores = [0.0] * 4
    scores[kind] = score
    return (x, 300.0, *sides, *scores, 0.0)


def corner(face: str, shows: float) -> Floats32:
    """Give what a network says of a corner that shows the index of a face, or hardly does."""
    said = np.full(CORNER_NUMBERS, -9.0, np.float32)
    said[[READS.index(face) % RANK_COUNT, RANK_COUNT + READS.index(face) // RANK_COUNT]] = 0.0
    said[-1] = shows
    return said


class Says:
    """Stands for a network: gives the answers in turn, the last one for ever, and keeps what it was shown.

    The corners show the index of the likeliest face, or of another.
    """

    def __init__(self, *answers: dict[str, float], index: str = "", shows: float = 6.0) -> None:
        self.answers, self.index, self.shows = answers, index, shows
        self.shown: list[Pixels] = []

    def __call__(self, crops: Pixels) -> Floats32:
        answer = self.answers[min(len(self.shown), len(self.answers) - 1)]
        self.shown.append(crops)
        rest = (1 - sum(answer.values())) / (len(READS) - len(answer))
        one = np.log([max(answer.get(name, rest), 1e-9) for name in READS]).astype(np.float32)
        face = self.index or READS[int(one[:-2].argmax())]
        ends = [corner(face, self.shows)] * 2
        return np.tile(np.concatenate([one, *ends]), (len(crops), 1))


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> StillReader:
    for module in (detector_module, reader_module):
        monkeypatch.setattr(module, "open_model", lambda *_: None)
    least = {f"least_{name}": 0.25 for name in CLASSES} | {"agree": 0.2, "lone": 0.5, "certain": 0.25}
    detector = Detector(Model("detector", "", "", "", "", CLASSES, "", "", least, {}))
    reader = Reader(Model("reader", "", "", "", "", READS, "", "", {"temperature": 1.0}, {}))
    return StillReader(detector, ExactFitter(), reader, SURE)  # type: ignore[arg-type]  # it answers alike


def looking(eyes: StillReader, rows: list[tuple[float, ...]], *answers: dict[str, float]) -> tuple[StillReader, Says]:
    raw = np.array(rows, np.float32).reshape(-1, 9).T[None]
    says = Says(*answers)
    eyes.detector.run = lambda _: raw
    eyes.reader.run = says
    return eyes, says


def test_a_face_that_is_sure_is_told(eyes: StillReader) -> None:
    eyes, says = looking(eyes, [row(0)], {"9h": 0.999})
    (card,) = eyes.look(PICTURE).cards
    assert (card.face, card.up) == ("9h", True)
    assert card.confidence == pytest.approx(0.999, abs=1e-4)
    assert [crops.shape for crops in says.shown] == [(1, SIZE[1], SIZE[0], 3)]


def test_what_is_doubtful_is_looked_at_again_and_both_looks_count(eyes: StillReader) -> None:
    eyes, says = looking(eyes, [row(0)], {"9h": 0.9, "8h": 0.1}, {"9h": 0.9999})
    (card,) = eyes.look(PICTURE).cards
    assert card.face == "9h"
    assert len(says.shown) == 2
    eyes, _ = looking(eyes, [row(0)], {"9h": 0.9, "8h": 0.1}, {"8h": 0.9, "9h": 0.1})
    (card,) = eyes.look(PICTURE).cards
    assert (card.face, card.up) == (None, True)
    assert card.confidence == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("kind", "answer", "told"),
    [
        (1, {"back": 0.99}, [False]),
        (0, {"back": 0.99}, [False]),  # the network that looks closer sees a back
        (1, {"9h": 0.999}, [True]),  # or a face
        (0, {"none": 0.99}, []),
        (0, {"none": 0.6}, [True]),  # hardly none, and the other network is sure
    ],
)
def test_both_networks_decide_how_a_card_lies(
    eyes: StillReader, kind: int, answer: dict[str, float], told: list[bool]
) -> None:
    rows = [row(kind, 0.6)[:4] + ((0.6, 0.3) if kind == 0 else (0.3, 0.6)) + (0.0, 0.0, 0.0)]
    rows = rows if answer != {"none": 0.6} else [row(0)]
    eyes, _ = looking(eyes, rows, answer)
    assert [card.up for card in eyes.look(PICTURE).cards] == told


@pytest.mark.parametrize(
    ("rows", "answer", "told"),
    [
        ([row(0, 0.3)], {"9h": 0.7}, 0),  # faint, alone, and not to be read
        ([row(0, 0.3)], {"9h": 0.999}, 1),
        ([row(0, 0.6)], {"9h": 0.7}, 1),
        ([row(1, 0.3)], {"back": 0.999}, 0),  # many a texture looks like a back
        ([row(0, 0.3), row(0, 0.9, x=325)], {"9h": 0.7}, 2),  # it lies under a card
        ([row(0, 0.3), row(3, 0.9, x=330)], {"9h": 0.7}, 1),  # or under a hand
        ([row(0, 0.3), row(0, 0.9, x=360)], {"9h": 0.7}, 1),
        ([row(0, 0.3), row(0, 0.4, x=325)], {"9h": 0.7}, 0),  # two faint ones hold up nothing
    ],
)
def test_a_faint_card_is_told_where_it_can_be_read_or_lies_under_something(
    eyes: StillReader, rows: list[tuple[float, ...]], answer: dict[str, float], told: int
) -> None:
    eyes, _ = looking(eyes, rows, answer)
    assert len(eyes.look(PICTURE).cards) == told


@pytest.mark.parametrize(
    ("rows", "answer", "told"),
    [
        ([row(0, 0.6), row(0, 0.6, x=700)], {"9h": 0.7}, 0),
        ([row(0, 0.6), row(0, 0.8, x=700)], {"9h": 0.7}, 2),
        ([row(1, 0.6), row(1, 0.8, x=700)], {"back": 0.99}, 2),
        ([row(0, 0.6), row(3, 0.9, x=700)], {"9h": 0.7}, 0),  # a hand is no card
        ([row(0, 0.6)], {"9h": 0.999}, 1),
    ],
)
def test_of_a_picture_in_which_no_card_is_certain_none_is_told(
    eyes: StillReader, rows: list[tuple[float, ...]], answer: dict[str, float], told: int
) -> None:
    eyes.detector.certain = 0.75
    eyes, _ = looking(eyes, rows, answer)
    assert len(eyes.look(PICTURE).cards) == told


def test_what_is_no_card_holds_no_faint_one_up(eyes: StillReader) -> None:
    eyes, _ = looking(eyes, [row(0, 0.6, x=325), row(0, 0.3)], {"none": 0.99})
    assert eyes.look(PICTURE).cards == ()


@pytest.mark.parametrize(
    ("shows", "tall", "sure", "told"),
    [
        ((1.0, 1.0), 84, 0.955, ("9h", None)),
        ((1.0, 1.0), 84, 0.94, (None, "uncertain")),
        ((0.5, 1.0), 84, 0.955, (None, "covered")),
        ((0.5, 1.0), 84, 0.97, ("9h", None)),
        ((1.0, 1.0), 42, 0.955, (None, "small")),
        ((1.0, 1.0), 42, 0.97, ("9h", None)),
        ((0.5, 0.1), 84, 0.97, (None, "covered")),
        ((0.5, 0.1), 84, 0.99, ("9h", None)),
    ],
)
def test_how_sure_a_face_must_be_depends_on_what_shows(
    eyes: StillReader, shows: tuple[float, float], tall: float, sure: float, told: tuple[str | None, str | None]
) -> None:
    fitter = ExactFitter(*shows)
    found, _ = looking(replace(eyes, fitter=fitter), [row(0, sides=(tall * 0.7, tall))], {"9h": sure})  # type: ignore[arg-type]  # it answers alike
    (card,) = found.look(PICTURE).cards
    assert (card.face, card.unread) == told


def test_a_card_that_is_nearly_square_is_read_lying_on_its_side_too(eyes: StillReader) -> None:
    eyes, says = looking(eyes, [row(0, sides=(50, 54))], {"9h": 0.999})
    eyes.look(PICTURE)
    assert len(says.shown[0]) == 2


def test_many_cards_are_read_in_batches_and_in_their_order(eyes: StillReader) -> None:
    eyes, says = looking(eyes, [row(0, 0.9 - n / 1000, 20.0 + 15 * n) for n in range(70)], {"9h": 0.999})
    cards = eyes.look(PICTURE).cards
    assert len(cards) == 70
    assert [len(crops) for crops in says.shown] == [32, 32, 6]
    assert [card.quad[0][0] for card in cards] == sorted(card.quad[0][0] for card in cards)


@pytest.mark.parametrize(
    ("face", "index", "shows", "likely"),
    [
        ("Jc", "Jc", 6.0, 0.999),
        ("Jc", "Js", 6.0, 1 / 12),  # by his portrait alone, which an index contradicts
        ("Qh", "Qh", -6.0, 1 / 12),  # no index shows
        ("9c", "9s", 6.0, 0.999),  # pips are no portrait
        ("As", "As", -6.0, 0.999),
    ],
)
def test_a_court_card_is_never_read_by_its_portrait_alone(
    eyes: StillReader, face: str, index: str, shows: float, likely: float
) -> None:
    eyes.reader.run = Says({face: 0.999}, index=index, shows=shows)
    (found,) = eyes.reader.read(PICTURE, np.array([[(300, 300), (340, 300), (340, 356), (300, 356)]]))
    assert found.likely == pytest.approx(likely, abs=1e-3)
    assert found.all.sum() == pytest.approx(1.0)


def test_stacks_and_hands_are_told_and_an_empty_table_is_empty(eyes: StillReader) -> None:
    eyes, _ = looking(eyes, [row(2, sides=(30, 28)), row(3, x=700, sides=(200, 90))], {"9h": 0.999})
    seen = eyes.look(PICTURE)
    (stack,) = seen.stacks
    assert (*stack.center, stack.radius) == pytest.approx((300, 300, 14.5))
    assert len(seen.hands) == 1
    eyes, says = looking(eyes, [], {"9h": 0.999})
    assert eyes.look(PICTURE).cards == ()
    assert says.shown == []


@pytest.mark.parametrize(
    ("faces", "off", "kept"),
    [
        (("9h", "9h"), 5.0, [0]),
        (("9h", "8h"), 5.0, [0, 1]),  # what reads otherwise is another card
        (("9h", "9h"), 12.0, [0, 1]),  # so far off it is another of several decks
        (("back", "back"), 5.0, [0, 1]),
    ],
)
def test_two_fits_of_one_card_are_one(faces: tuple[str, str], off: float, kept: list[int]) -> None:
    quad = np.array([(0.0, 0.0), (60.0, 0.0), (60.0, 84.0), (0.0, 84.0)])
    assert distinct([quad, np.add(np.roll(quad, 2, axis=0), (off, 0))], faces) == kept


def with_deck(eyes: StillReader, card: str, index: float = 1.0) -> tuple[StillReader, Pixels]:
    """Lay a card of the bundled deck where the detector finds one, and give the eyes that deck."""
    eyes, _ = looking(eyes, [row(0, sides=(63, 88))], {"9h": 0.5, "8h": 0.49})
    picture = np.full((720, 1280, 3), (60, 110, 40), np.uint8)
    picture[256:344, 269:332] = cv2.resize(house().faces[card], (63, 88), interpolation=cv2.INTER_AREA)
    deck = DeckInUse(READS, house(), DeckTrust())
    fitter = ExactFitter(index=index)
    return replace(eyes, fitter=fitter, deck=deck), picture  # type: ignore[arg-type]  # it answers alike


def test_a_card_of_the_table_s_own_deck_is_read_with_its_pictures(eyes: StillReader) -> None:
    found, picture = with_deck(eyes, "8h")
    quad = np.array(found.detector.find(picture)[0].quad)
    fits = [one.fit for one in found.fitter.settle(picture, found.detector.candidates(picture))]
    (read,) = found.read(picture, quad[None], fits)
    (plain,) = eyes.reader.read(picture, quad[None])
    assert (read.by_deck, plain.by_deck) == (True, False)
    assert read.likely != plain.likely
    hidden, picture = with_deck(eyes, "8h", index=0.0)
    fits = [one.fit for one in hidden.fitter.settle(picture, hidden.detector.candidates(picture))]
    assert not hidden.read(picture, quad[None], fits)[0].by_deck


def test_a_face_read_with_the_deck_has_a_threshold_of_its_own(eyes: StillReader) -> None:
    read = reading({"9h": 0.972})
    hard = {**SURE, "sure_hard": 0.999}
    assert replace(eyes, sure=hard)._least("sure_hard", read) == 0.999  # noqa: SLF001  what `look` asks
    assert replace(eyes, sure=hard)._least("sure_hard", replace(read, by_deck=True)) == 0.97  # noqa: SLF001
    assert eyes._least("sure", replace(read, by_deck=True)) == SURE["sure"]  # noqa: SLF001
