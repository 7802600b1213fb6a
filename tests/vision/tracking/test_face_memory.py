"""Faces that are read of cards on their way count where the cards come to rest."""

from collections.abc import Sequence

import numpy as np
import pytest

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.detection.reader_classes import SURE, ReaderClasses
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.tracking.face_memory import KEPT_S, LIES_MM, NEAR_MM, FaceMemory
from feltwatch.vision.tracking.track import CardTrack, Votes
from tests.toy_table import CAMERA, CARD_MM, rectangle

Place = tuple[float, float]
HERE: Place = (0.0, 400.0)


def seen(face: str, place: Place = HERE, likely: float = 0.99) -> CardGlimpse:
    quad = CAMERA.to_picture(rectangle(*place, CARD_MM, 90.0))
    faces = np.full(len(READS), (1 - likely) / (len(READS) - 1))
    faces[READS.index(face)] = likely
    return CardGlimpse(quad, place, 90.0, CARD_MM, 0.9, 0.98, faces)


def lies(face: str, place: Place) -> CardTrack:
    quad = CAMERA.to_picture(rectangle(*place, CARD_MM, 90.0))
    card = CardTrack(quad, place, 90.0, Patch.of(quad, 2.0, (360, 640)), face != "back", 0.0, 0.0)
    card.votes.add(seen(face).faces, 1.0)
    return card


class Way:
    """A card that comes to rest, and shows its face but dimly there."""

    def __init__(self) -> None:
        self.passing = FaceMemory(ReaderClasses(READS))

    def read(self, *faces: str, place: Place = (100.0, 300.0), likely: float = 0.99, t: float = 0.0) -> None:
        for face in faces:
            self.passing.keep(t, seen(face, place, likely))

    def rests(self, face: str = "9h", cards: Sequence[CardTrack] = ()) -> Votes:
        votes, shown = Votes(), seen(face, likely=0.6)
        votes.add(shown.faces, 1.0)
        self.passing.recall(votes, shown, cards)
        return votes


@pytest.fixture
def way() -> Way:
    return Way()


def test_what_was_read_twice_on_the_way_is_sure_where_the_card_rests(way: Way) -> None:
    way.read("9h", "9h")
    best, likely = way.rests().best
    assert (READS[best], likely >= SURE) == ("9h", True)


def test_what_was_read_once_says_nothing(way: Way) -> None:
    way.read("9h", "8h")
    assert way.rests().looks == 1


def test_what_was_read_dimly_says_nothing(way: Way) -> None:
    way.read("9h", "9h", "9h", likely=0.9)
    assert way.rests().looks == 1


def test_what_was_read_is_of_cards_of_that_face_alone(way: Way) -> None:
    way.read("9h", "9h")
    assert way.rests("8h").looks == 1


@pytest.mark.parametrize(("away", "looks"), [(NEAR_MM - 1, 3), (NEAR_MM + 1, 1)])
def test_what_was_read_elsewhere_on_the_table_is_of_another_card(way: Way, away: float, looks: int) -> None:
    way.read("9h", "9h", place=(HERE[0] + away, HERE[1]))
    assert way.rests().looks == looks


@pytest.mark.parametrize(("face", "off", "looks"), [("9h", LIES_MM - 1, 1), ("9h", LIES_MM + 1, 3), ("8h", 0.0, 3)])
def test_what_was_read_where_a_card_of_that_face_lies_is_of_that_card(
    way: Way, face: str, off: float, looks: int
) -> None:
    way.read("9h", "9h", place=(100.0, 300.0))
    assert way.rests(cards=[lies(face, (100.0 + off, 300.0))]).looks == looks


@pytest.mark.parametrize(("later", "looks"), [(KEPT_S - 0.1, 3), (KEPT_S + 0.1, 1)])
def test_what_was_read_is_soon_forgotten(way: Way, later: float, looks: int) -> None:
    way.read("9h", "9h", t=5.0)
    way.passing.forget(5.0 + later)
    assert way.rests().looks == looks


def test_a_face_that_is_sure_needs_no_more(way: Way) -> None:
    way.read("9h", "9h")
    votes, clear = Votes(), seen("9h")
    votes.add(clear.faces, 1.0)
    way.passing.recall(votes, clear, [])
    assert votes.looks == 1


def test_of_many_looks_no_more_count_than_are_needed(way: Way) -> None:
    way.read(*["9h"] * 20)
    assert way.rests().looks == 3


def test_backs_are_not_read(way: Way) -> None:
    way.read("back", "back", "none", "none")
    assert way.rests("back").looks == 1
    assert way.passing.read == []
