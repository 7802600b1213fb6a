"""A deck from one picture of all cards: sorted out by what is certain; what is missing or twice is named."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene import LaidCard
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.edge.deck.faults import DeckFaultsError
from feltwatch.edge.deck.spread import spread_deck
from feltwatch.edge.tools.bench_vision import HOUSE
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.deck_fusion import DeckTemplates
from feltwatch.vision.detection.detector import Detection
from feltwatch.vision.detection.known_deck import FACES, PICTURE_PX, KnownDeck
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.detection.still_reader import StillReader, open_eyes
from feltwatch.vision.geometry.camera import look_at
from tests.vision.exact_fitter import SURE, ExactFitter
from tests.vision.toy_deck import ORIGIN, READS, house, reading

HIGH, WIDE = 88, 63
APART = (80, 110)
COLUMNS = 13


@dataclass(frozen=True)
class Laid:
    shows: str  # the picture that lies there
    reads: str  # what it is read as
    likely: float = 0.999


@dataclass
class Spread:
    """A picture of cards in rows of 13, and eyes that know what lies there."""

    cards: list[Laid]
    blurred: int | None = None
    classes: tuple[str, ...] = READS

    def quad(self, number: int) -> Floats:
        left, top = APART[0] * (number % COLUMNS) + 20, APART[1] * (number // COLUMNS) + 20
        return np.array([(left, top), (left + WIDE, top), (left + WIDE, top + HIGH), (left, top + HIGH)]) - 0.5

    def picture(self) -> Pixels:
        found = np.full((APART[1] * 5 + 40, APART[0] * COLUMNS + 40, 3), (60, 110, 40), np.uint8)
        for number, card in enumerate(self.cards):
            left, top = (self.quad(number)[0] + 0.5).astype(int)
            art = house().pictures[card.shows]
            if number == self.blurred:
                art = np.asarray(cv2.GaussianBlur(art, (0, 0), 9), np.uint8)
            found[top : top + HIGH, left : left + WIDE] = cv2.resize(art, (WIDE, HIGH), interpolation=cv2.INTER_AREA)
        return found

    def survey(self, _: Pixels) -> tuple[list[Detection], list[Detection]]:
        ups = [float(card.shows != "back") for card in self.cards]
        found = [Detection("card_up" if up else "card_down", self.quad(n), 0.9, up) for n, up in enumerate(ups)]
        return found[::-1], []

    def read(self, _: Pixels, quads: Floats) -> list[FaceReading]:
        places = np.array([self.quad(n)[0] for n in range(len(self.cards))])
        cards = [self.cards[int(np.hypot(*(places - quad[0]).T).argmin())] for quad in quads]
        return [reading({card.reads: card.likely}) for card in cards]

    def deck(self, fitter: ExactFitter | None = None) -> KnownDeck:
        eyes = StillReader(self, fitter or ExactFitter(), self, SURE)  # type: ignore[arg-type]  # they answer alike
        return spread_deck(self.picture(), "spread.jpg", ORIGIN, eyes)

    def faults(self, fitter: ExactFitter | None = None) -> list[str]:
        with pytest.raises(DeckFaultsError) as caught:
            self.deck(fitter)
        return caught.value.lines


WHOLE = [Laid(face, face) for face in FACES] + [Laid("back", "back")]


def test_a_spread_makes_a_deck_with_its_back() -> None:
    deck = Spread(WHOLE).deck()
    for name, picture in deck.pictures.items():
        assert picture.shape == (*PICTURE_PX[::-1], 3)
        soft = cv2.GaussianBlur(house().pictures[name], (0, 0), 1.5).astype(float)
        assert np.abs(picture[6:-6, 6:-6] - soft[6:-6, 6:-6]).mean() < 25, name
    assert Spread(WHOLE[:52]).deck().back is None


def test_a_card_that_is_doubtful_is_the_face_that_no_other_shows() -> None:
    cards = [*WHOLE]
    cards[20] = replace(cards[20], likely=0.6)
    assert Spread(cards).deck().digest == Spread(WHOLE).deck().digest


def test_a_card_that_is_missing_is_named() -> None:
    assert Spread(WHOLE[1:]).faults() == ["spread.jpg: expected 52 cards, found 51 faces on 51 cards; missing: 2s"]


def test_two_of_one_face_are_named_with_their_places() -> None:
    cards = [*WHOLE]
    cards[20] = Laid("2s", "2s")
    assert Spread(cards).faults() == [
        "spread.jpg: expected each face once, found the 2s at row 1, card 1 and at row 2, card 8",
        f"spread.jpg: expected 52 cards, found 51 faces on 52 cards; missing: {FACES[20]}",
    ]


@pytest.mark.parametrize("card", [Laid("3s", "3s", 0.4), Laid("3s", "none", 0.9), Laid("3s", "2s", 0.6)])
def test_a_card_that_cannot_be_read_is_named(card: Laid) -> None:
    cards = [*WHOLE]
    cards[1] = card
    assert Spread(cards).faults() == [
        "spread.jpg: row 1, card 2: expected a card that can be read, found one that cannot",
        "spread.jpg: expected 52 cards, found 51 faces on 52 cards; missing: 3s",
    ]


def test_a_blurred_card_is_named() -> None:
    (says,) = Spread(WHOLE, blurred=30).faults()
    assert says.startswith(f"spread.jpg: row 3, card 5 ({FACES[30]}): expected a sharp picture")


def test_cards_that_lie_on_each_other_are_named() -> None:
    lines = Spread(WHOLE).faults(ExactFitter(visible=0.7))
    assert lines[0] == "spread.jpg: row 1, card 1 (2s): expected a whole card, found 70% of one; lay the cards apart"
    assert lines[-1] == "and 40 more"


def test_a_picture_without_cards() -> None:
    assert Spread([]).faults()[0].startswith("spread.jpg: expected 52 cards, found 0 faces on 0 cards; missing: 2s 3s")


def spread_on_felt(tilt_mm: float) -> Pixels:
    """Render the bundled deck in four rows on a table's felt, as the table's own camera shows it."""
    dice = np.random.default_rng(4)
    cards = tuple(
        LaidCard(f"c{n}", face, up=True, x=78.0 * (n % COLUMNS - 6), y=105.0 * (n // COLUMNS - 1.5), angle=90.0 + tilt)
        for n, (face, tilt) in enumerate(zip(FACES, dice.normal(0, 4, len(FACES)), strict=True))
    )
    camera = look_at((1920, 1080), (0.0, tilt_mm, 1700.0), (0.0, 0.0), 1250.0)
    scene = cast("test", 3, (1920, 1080), HOUSE)
    return render(replace(scene, camera=camera, cards=cards, stacks=(), hands=(), felt="house-green")).image


@pytest.mark.parametrize("tilt_mm", [1.0, 500.0], ids=["from above", "from the side"])
def test_a_rendered_spread_is_learnt_by_the_networks_that_ship(tilt_mm: float) -> None:
    found = spread_deck(spread_on_felt(tilt_mm), "spread.png", ORIGIN, open_eyes())
    alike = DeckTemplates(house())
    whole = np.array([(0.0, 0.0), (PICTURE_PX[0], 0.0), PICTURE_PX, (0.0, PICTURE_PX[1])]) - 0.5
    named = {face: FACES[int(alike.likeness(found.faces[face], whole).mean(axis=0).argmax())] for face in FACES}
    assert named == {face: face for face in FACES}
