"""Our own decks and backs: the same recipe draws the same deck; what is printed where it should be."""

from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import ImageFont

from feltwatch.datasets.art.cards.aces import ACES
from feltwatch.datasets.art.cards.canvas import FINE, CardCanvas, MarkPlace, colour_of, letters
from feltwatch.datasets.art.cards.decks import CARD_PX
from feltwatch.datasets.art.cards.drawn import INDICES, PALETTES, Style, court_picture, draw_deck, draw_face, sheet
from feltwatch.datasets.art.cards.drawn_backs import EMBLEMS, PATTERNS, draw_back
from feltwatch.datasets.art.cards.pips import CUTS, outlines
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.card_codes import COURTS
from feltwatch.datasets.sources.designs import BackRecipe, DeckRecipe
from feltwatch.vision.arrays import Pixels

COURT = np.full((300, 200, 3), (30, 60, 200), np.uint8)
PICTURES = dict.fromkeys(COURTS, COURT)


@pytest.fixture(scope="module")
def font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the font that Pillow itself carries."""
    path = tmp_path_factory.mktemp("font") / "font"
    carried = ImageFont.load_default(20)
    assert isinstance(carried, ImageFont.FreeTypeFont)
    path.write_bytes(carried.path.getvalue())  # type: ignore[union-attr]  # held in memory, not in a file
    return path


def inked(picture: Pixels) -> Pixels:
    return (cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) < 160).astype(np.uint8)


def marks(picture: Pixels) -> int:
    """Count the separate marks inside the card, indices left out."""
    found, _ = cv2.connectedComponents(inked(picture[:, 46:-46]))
    return found - 1


def test_the_same_recipe_draws_the_same_deck(font: Path) -> None:
    recipe = DeckRecipe("a", "c", "f")
    one, other = (draw_deck(recipe, PICTURES, font) for _ in range(2))
    assert len(one) == 52
    assert all(np.array_equal(one[face], other[face]) for face in one)
    assert all(face.shape == (CARD_PX[1], CARD_PX[0], 3) for face in one.values())
    assert sheet(one).shape[1] == 13 * 132


@pytest.mark.parametrize("face", ["2h", "3h", "4h", "5h", "6h", "7h", "8h", "9h", "Th"])
def test_a_spot_card_has_its_number_of_marks(font: Path, face: str) -> None:
    number = 10 if face[0] == "T" else int(face[0])
    assert (
        marks(draw_face(Style.of(DeckRecipe("a", "c", "f", mark_mm=8.0, spread=0.8)), face, PICTURES, font)) == number
    )


@pytest.mark.parametrize("index", INDICES)
def test_an_index_stands_in_its_corners_either_way_up(font: Path, index: str) -> None:
    card = inked(draw_face(Style.of(DeckRecipe("a", "c", "f", index=index, court_mm=20.0)), "Qd", PICTURES, font))
    assert card[8:90, 4:80].any()
    assert np.abs(card.astype(int) - card[::-1, ::-1]).mean() < 0.02
    right = card[8:60, -50:-4].any()
    assert right == (INDICES[index].corners == 4)


def test_every_ace_of_spades_is_of_its_own(font: Path) -> None:
    aces = {
        ace: draw_face(Style.of(DeckRecipe("a", "c", "f", ace=ace)), "As", PICTURES, font).astype(int) for ace in ACES
    }
    for one, other in combinations(aces, 2):
        assert np.abs(aces[one] - aces[other]).mean() > 1, (one, other)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("suit", "shdc")
def test_a_mark_is_even_and_keeps_its_height(cut: str, suit: str) -> None:
    points = [point for outline in outlines(suit, CUTS[cut]) for point in outline]
    assert max(y for _, y in points) == pytest.approx(1, abs=0.02)
    assert min(y for _, y in points) == pytest.approx(-1, abs=0.13)
    assert max(x for x, _ in points) == pytest.approx(-min(x for x, _ in points))


def test_a_four_colour_deck_has_four_inks(font: Path) -> None:
    inks = set()
    for suit in "shdc":
        face = draw_face(Style.of(DeckRecipe("a", "c", "f", palette="four")), f"9{suit}", PICTURES, font)
        dark = face.reshape(-1, 3)[face.reshape(-1, 3).min(axis=1) < 40]
        inks.add(tuple(int(value) for value in np.median(dark, axis=0) // 8))
    assert len(inks) == 4
    assert set(map(len, PALETTES.values())) == {4}


def test_paper_shows_through(font: Path) -> None:
    plain, ivory, linen = (
        draw_face(Style.of(DeckRecipe("a", "c", "f", paper=paper)), "2c", PICTURES, font)
        for paper in ("white", "ivory", "linen")
    )
    assert plain[170, 30].tolist() == [253, 252, 252]
    assert ivory[170, 30].tolist() == [224, 242, 248]
    assert 1 < linen[150:200, 20:60].std(axis=(0, 1)).max() < 6


def test_a_court_picture_is_cut_by_parts_and_laid_on_white() -> None:
    card = np.zeros((100, 50, 4), np.uint8)
    card[10:90, 5:45] = (1, 2, 3, 255)
    assert court_picture(card, (0.1, 0.1, 0.9, 0.9)).shape == (80, 40, 3)
    assert court_picture(card, (0, 0, 1, 1))[0, 0].tolist() == [255, 255, 255]


def test_letters_are_as_high_as_asked_and_no_wider(font: Path) -> None:
    assert letters("E", font, 10).height == pytest.approx(10 * FINE, abs=2)
    assert letters("QUALITY", font, 10, widest=5).width == 5 * FINE
    with pytest.raises(DataError, match="no font that can be read"):
        letters("E", Path("/nowhere"), 10)
    canvas = CardCanvas()
    canvas.letters(letters("E", font, 10), MarkPlace(30, 40, 10, turned=True), (0, 0, 0))
    assert inked(canvas.texture())[140:180, 100:140].any()


@pytest.mark.parametrize(
    ("pattern", "emblem"), [*((pattern, "none") for pattern in PATTERNS), *(("bare", emblem) for emblem in EMBLEMS)]
)
def test_a_back_is_the_same_either_way_up(pattern: str, emblem: str) -> None:
    back = draw_back(BackRecipe("b", "train", pattern, 6.0, "#b01020", "#ffffff", emblem=emblem)).astype(int)
    assert back.shape == (CARD_PX[1], CARD_PX[0], 3)
    assert np.abs(back - back[::-1, ::-1]).mean() < 12


@pytest.mark.parametrize(
    ("recipe", "says"),
    [
        (DeckRecipe("a", "c", "f", ace="plane"), "recipe 'a': no ace 'plane'; there are: plain"),
        (DeckRecipe("a", "c", "f", index="giant"), "recipe 'a': no index 'giant'"),
    ],
)
def test_an_unknown_ingredient_is_told(font: Path, recipe: DeckRecipe, says: str) -> None:
    with pytest.raises(DataError, match=says):
        draw_deck(recipe, PICTURES, font)
    with pytest.raises(DataError, match="back 'b': no pattern 'plaid'"):
        draw_back(BackRecipe("b", "train", "plaid", 4.0, "#000000", "#ffffff"))
    with pytest.raises(DataError, match="colour 'red': expected such as #c00020"):
        colour_of("red")
