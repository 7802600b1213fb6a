"""A known deck helps to read its own cards, and no others; another maker's deck on the table is noticed."""

import pickle

import numpy as np
import pytest

from feltwatch.vision.detection.deck_fusion import DeckTemplates, fused
from feltwatch.vision.detection.deck_use import RUN, DeckInUse, DeckTrust
from feltwatch.vision.detection.known_deck import KnownDeck
from feltwatch.vision.detection.reader import FaceReading
from tests.vision.toy_deck import FACES, READS, fit_of, house, other, reading, shown

DOUBTFUL = {"9h": 0.5, "8h": 0.48}


def use(deck: KnownDeck | None = None) -> DeckInUse:
    return DeckInUse(READS, deck or house(), DeckTrust())


def improved(deck: DeckInUse, card: str, read: FaceReading, **more: object) -> FaceReading:
    picture, quad = shown(house().faces[card])
    return deck.improve(picture, quad[None], [fit_of(quad, **more)], [read])[0]  # type: ignore[arg-type]  # its own


@pytest.mark.parametrize("card", ["8h", "9h"])
def test_a_doubtful_face_is_decided_by_the_index(card: str) -> None:
    found = improved(use(), card, reading(DOUBTFUL))
    assert found.face == card
    assert found.likely > improved(DeckInUse(READS, None, DeckTrust()), card, reading(DOUBTFUL)).all[READS.index(card)]
    assert found.by_deck
    assert found.all.sum() == pytest.approx(1.0)


def test_only_the_indices_that_show_count() -> None:
    picture, quad = shown(house().faces["8h"])
    covered = picture.copy()
    covered[30:65, 30:60] = house().faces["9h"][:35, :30]
    both = use().improve(covered, quad[None], [fit_of(quad, (0.0, 1.0))], [reading(DOUBTFUL)])[0]
    assert both.face == "8h"
    none = use().improve(covered, quad[None], [fit_of(quad, (0.1, 0.1))], [reading(DOUBTFUL)])[0]
    assert not none.by_deck
    assert none.all[READS.index("9h")] == 0.5


def test_a_card_turned_by_half_is_read_alike() -> None:
    picture, quad = shown(house().faces["8h"])
    found = use().improve(picture, np.roll(quad, 2, axis=0)[None], [fit_of(quad)], [reading(DOUBTFUL)])[0]
    assert found.face == "8h"


def test_whether_it_is_a_face_at_all_stays_as_the_reader_has_it() -> None:
    read = reading({"back": 0.3, "none": 0.1, "9h": 0.3, "8h": 0.25})
    found = improved(use(), "8h", read)
    assert found.all[READS.index("back")] == 0.3
    assert found.all[[READS.index(face) for face in FACES]].sum() == pytest.approx(0.6, abs=0.01)
    back = reading({"back": 0.9})
    assert improved(use(), "8h", back) is back


def test_a_card_of_another_deck_is_read_without_this_one() -> None:
    picture, quad = shown(other().faces["8h"])
    read = reading(DOUBTFUL)
    assert use().improve(picture, quad[None], [fit_of(quad)], [read])[0] is read


def test_without_a_deck_nothing_changes() -> None:
    read = reading(DOUBTFUL)
    assert improved(DeckInUse(READS, None, DeckTrust()), "8h", read) is read


def lay(deck: DeckInUse, cards: KnownDeck, faces: tuple[str, ...], likely: float = 0.999) -> None:
    for face in faces:
        picture, quad = shown(cards.faces[face])
        deck.improve(picture, quad[None], [fit_of(quad)], [reading({face: likely})])


def test_another_deck_is_noticed_after_a_run_of_whole_cards_and_the_deck_trusted_again_when_it_is_back() -> None:
    deck = use()
    lay(deck, house(), FACES[:RUN])
    lay(deck, other(), FACES[:5] * 5)  # a few cards that are seen again and again are no run
    assert deck.doubts() == ()
    lay(deck, other(), FACES[5:6])
    (says,) = deck.doubts()
    assert says.startswith("the deck on the table is not the enrolled one (Example, blue, learnt 2026-11-20")
    assert not improved(deck, "8h", reading(DOUBTFUL)).by_deck
    lay(deck, house(), FACES[:RUN])
    assert deck.doubts() == ()
    assert improved(deck, "8h", reading(DOUBTFUL)).by_deck


def test_only_whole_cards_read_for_certain_are_compared() -> None:
    deck = use()
    lay(deck, other(), FACES[:RUN], likely=0.98)
    picture, quad = shown(other().faces["8h"])
    for fit in (fit_of(quad, (1.0, 0.2)), fit_of(quad, visible=0.8)):
        for face in FACES[:RUN]:
            deck.improve(picture, quad[None], [fit], [reading({face: 0.999})])
    assert not deck.trust.unlike


def test_the_trust_can_be_stored() -> None:
    deck = use()
    lay(deck, other(), FACES[:RUN])
    again = DeckInUse(READS, house(), pickle.loads(pickle.dumps(deck.trust)))  # noqa: S301  our own
    assert again.doubts() == deck.doubts() != ()


def test_likeness_of_its_own_face_is_highest_for_every_card() -> None:
    templates = DeckTemplates(house())
    pictures = [shown(house().faces[face], 90) for face in FACES]
    likes = np.array([templates.likeness(picture, quad).mean(axis=0) for picture, quad in pictures])
    assert [FACES[n] for n in likes.argmax(axis=1)] == [*FACES]
    assert np.diag(likes).min() > 0.85


def test_fusion_weighs_both() -> None:
    faces = np.array([0.9, 0.1])
    alike = np.array([[0.5, 0.5], [0.5, 0.9]])
    assert fused(faces, alike, np.array([True, False])) == pytest.approx([0.9, 0.1])
    assert fused(faces, alike, np.array([False, True]))[1] > 0.99
