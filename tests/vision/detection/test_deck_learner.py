"""Clean pictures come of several looks that agree; what contradicts itself makes no deck."""

import pickle
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.deck_checks import BLURRED_PX, doubles, edge_width, ends_likeness
from feltwatch.vision.detection.deck_learner import LOOKS, DeckLearner, clean_picture
from feltwatch.vision.detection.deck_use import DeckInUse, DeckTrust
from feltwatch.vision.detection.known_deck import BACK
from tests.vision.toy_deck import FACES, ORIGIN, READS, fit_of, house, reading, shown

Seen = Callable[[str, int], tuple[Pixels, Floats]]


def seen(name: str, look: int) -> tuple[Pixels, Floats]:
    """Give a look at a card: every other one lies the other way up, and each is cut out a little otherwise."""
    picture, quad = shown(house().pictures[name], 90 + 5 * look, look)
    nudged = quad + np.random.default_rng([look, len(name)]).normal(0, 0.6, (4, 2))
    return picture, np.roll(nudged, 2 * (look % 2), axis=0)


def learn(see: Seen = seen, looks: int = LOOKS) -> DeckLearner:
    found = DeckLearner()
    for name in (*FACES, BACK):
        for look in range(looks):
            found.take(name, *see(name, look))
    return found


def test_four_looks_at_each_card_make_the_deck() -> None:
    learner = pickle.loads(pickle.dumps(learn()))  # noqa: S301  our own
    assert learner.missing == ()
    deck = learner.learnt(ORIGIN)
    assert deck is not None
    assert deck.origin == ORIGIN
    for name, picture in deck.pictures.items():
        true = house().pictures[name]
        off = min(float(np.abs(picture - way.astype(float)).mean()) for way in (true, true[::-1, ::-1]))
        assert off < (40 if name == BACK else 25), name
    use = DeckInUse(READS, deck, DeckTrust())
    picture, quad = shown(house().faces["8h"])
    assert use.improve(picture, quad[None], [fit_of(quad)], [reading({"9h": 0.5, "8h": 0.48})])[0].face == "8h"


def test_three_looks_are_too_few() -> None:
    learner = learn(looks=LOOKS - 1)
    assert learner.missing == FACES
    assert learner.learnt(ORIGIN) is None


def test_a_face_whose_looks_contradict_each_other_is_begun_again() -> None:
    learner = learn(lambda name, look: seen("Jc" if name == "Js" and look % 2 else name, look))
    assert learner.learnt(ORIGIN) is None
    assert learner.missing == ("Js",)


def test_two_faces_with_one_picture_are_begun_again() -> None:
    learner = learn(lambda name, look: seen("Kc" if name == "Ks" else name, look))
    assert learner.learnt(ORIGIN) is None
    assert set(learner.missing) == {"Ks", "Kc"}


def test_the_largest_looks_are_kept() -> None:
    learner = DeckLearner()
    for look in (0, 1, 2, 3, 4, 5, 6, 7, 1, 0):
        learner.take("9h", *seen("9h", look))
    heights = [high for high, _ in learner._looks["9h"]]  # noqa: SLF001  nothing shows it
    assert heights == pytest.approx([125, 120, 115, 110, 105, 100], abs=2)


def test_a_learner_is_shown_what_is_whole_and_certain() -> None:
    learner = DeckLearner()
    use = DeckInUse(READS, None, DeckTrust(), learner)
    picture, quad = shown(house().faces["8h"])
    fits = [fit_of(quad), fit_of(quad, visible=0.9), fit_of(quad, (1.0, 0.4)), fit_of(quad), fit_of(quad, up=0.1)]
    readings = [
        reading({name: likely})
        for name, likely in (("8h", 0.999), ("8h", 0.999), ("8h", 0.999), ("8h", 0.89), ("back", 0.999))
    ]
    use.improve(picture, np.repeat(quad[None], 5, axis=0), fits, readings)
    assert {name: len(looks) for name, looks in learner._looks.items() if looks} == {"8h": 1, "back": 1}  # noqa: SLF001


def test_a_clean_picture_has_less_noise_than_a_look() -> None:
    noisy = [
        np.clip(house().faces["Qd"] + np.random.default_rng(n).normal(0, 20, (176, 126, 3)), 0, 255) for n in range(6)
    ]
    clean = clean_picture([one.astype(np.uint8) for one in noisy])
    assert clean is not None
    inner = (slice(8, -8), slice(8, -8))
    assert np.abs(clean[inner] - house().faces["Qd"][inner].astype(float)).mean() < 10


def test_blur_is_measured() -> None:
    sharp = house().faces["9h"]
    assert edge_width(sharp) < 2.5
    assert edge_width(cv2.GaussianBlur(sharp, (0, 0), 4).astype(np.uint8)) > BLURRED_PX


def test_a_card_of_which_a_corner_is_gone_is_noticed() -> None:
    cut = house().faces["9h"].copy()
    assert ends_likeness(cut) > 0.9
    cut[-60:, -40:] = (60, 110, 40)
    assert ends_likeness(cut) < 0.3


def test_one_picture_for_two_faces_is_noticed() -> None:
    assert [*doubles(house().faces)] == []
    assert [*doubles({**house().faces, "8h": house().faces["9h"]})] == [("8h", "9h")]
