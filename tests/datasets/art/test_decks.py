"""Decks: one size, cut at the card's edge, on their own paper; faults in one line."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.art.cards.decks import CARD_PX, DeckError, load_back, load_deck, load_folder, paper, texture
from feltwatch.datasets.common.cache import BUNDLED, write_picture
from feltwatch.datasets.sources.card_codes import FACES, card_named, in_pattern
from feltwatch.vision.arrays import Pixels

IVORY = (220, 240, 248)


def card(width: int = 300, height: int = 420, outline: int = 0) -> Pixels:
    """Give an ivory card with round, clear corners, perhaps outlined in black, and a red block in the middle."""
    picture = np.zeros((height, width, 4), np.uint8)
    radius = width // 15
    for colour, inset in ((0, 0, 0), 0), (IVORY, outline):
        for dx, dy in ((radius, 0), (0, radius)):
            corners = ((inset + dx, inset + dy), (width - 1 - inset - dx, height - 1 - inset - dy))
            cv2.rectangle(picture, *corners, (*colour, 255), -1)
        for x in (radius, width - 1 - radius):
            for y in (radius, height - 1 - radius):
                cv2.circle(picture, (x, y), radius - inset, (*colour, 255), -1)
    cv2.rectangle(picture, (width // 3, height // 3), (width * 2 // 3, height * 2 // 3), (0, 0, 255, 255), -1)
    return picture


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(BUNDLED / "decks" / "house", tmp_path / "deck")
    return tmp_path / "deck"


def test_the_bundled_deck_needs_no_fetch() -> None:
    deck = load_deck("house")
    assert (deck.name, deck.split, tuple(deck.faces)) == ("house", "test", FACES)
    for face in deck.faces.values():
        assert face.shape == (CARD_PX[1], CARD_PX[0], 3)
        assert (face.dtype == np.uint8, face.flags.writeable) == (True, False)
    assert load_back("house-red").shape == load_back("house-blue").shape == (352, 252, 3)
    size = sum(path.stat().st_size for path in (BUNDLED / "decks" / "house").iterdir())
    assert size < 1_500_000


def test_corners_are_filled_with_the_card_s_own_paper() -> None:
    made = texture(card(), "here")
    assert np.abs(made[:6, :6].astype(int) - IVORY).max() <= 2
    assert tuple(paper(card())) == IVORY


def test_a_drawn_outline_is_taken_off_and_a_clear_margin_cut() -> None:
    padded = cv2.copyMakeBorder(card(outline=4), 20, 40, 30, 10, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
    made = texture(padded.astype(np.uint8), "here")
    assert np.abs(made[0, 60:190].astype(int) - IVORY).max() <= 12
    plain = texture(card(), "here")
    assert np.abs(made.astype(int) - plain).mean() < 4


def test_a_back_whose_pattern_runs_to_the_edge_stays_whole() -> None:
    stripes = np.zeros((352, 252, 3), np.uint8)
    stripes[:, ::2] = (200, 30, 40)
    assert np.array_equal(texture(stripes, "here"), stripes)


def test_the_name_of_every_face_comes_back() -> None:
    for face in FACES:
        for pattern in ("{rank}{s}", "{ten}{S}", "{suit}_{number}", "{word}_of_{suits}", "{low}{s}"):
            assert card_named(in_pattern(pattern, face)) == face


def spoil_nothing(folder: Path) -> None:
    write_picture(folder / "back.png", load_back("house-red"))
    (folder / "readme.txt").write_text("no picture", "utf-8")


def spoil_missing(folder: Path) -> None:
    (folder / "9h.webp").unlink()


def spoil_broken(folder: Path) -> None:
    (folder / "9h.webp").write_bytes((folder / "9h.webp").read_bytes()[:40])


def spoil_name(folder: Path) -> None:
    (folder / "9h.webp").rename(folder / "9x.webp")


def spoil_twice(folder: Path) -> None:
    shutil.copy(folder / "Th.webp", folder / "10H.webp")


def spoil_shape(folder: Path) -> None:
    write_picture(folder / "9h.webp", np.full((300, 300, 3), 250, np.uint8))


def spoil_size(folder: Path) -> None:
    write_picture(folder / "9h.webp", np.full((120, 86, 3), 250, np.uint8))


def test_other_pictures_are_passed_over(folder: Path) -> None:
    spoil_nothing(folder)
    assert len(load_folder(folder).faces) == 52


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (spoil_missing, "51 cards, 52 expected; missing: 9h"),
        (spoil_broken, "9h.webp: not a whole picture"),
        (spoil_name, "'9x' names no card; expected such as 9h, 10d or ace_of_spades"),
        (spoil_twice, "a second picture of Th, after 10H.webp"),
        (spoil_shape, "9h.webp: 300x300 is not the shape of a card"),
        (spoil_size, "9h.webp: 86 px wide, at least 100 expected"),
    ],
)
def test_what_makes_no_deck_is_told_in_one_line(folder: Path, spoil: object, says: str) -> None:
    assert callable(spoil)
    spoil(folder)
    with pytest.raises(DeckError) as told:
        load_folder(folder)
    assert says in str(told.value)
    assert "\n" not in str(told.value)


def test_small_art_is_let_through_when_asked(folder: Path) -> None:
    spoil_size(folder)
    assert load_folder(folder, small=True).faces["9h"].shape == (352, 252, 3)


def test_a_deck_that_is_not_here_says_how_to_get_it() -> None:
    with pytest.raises(DeckError, match=r"python -m feltwatch.datasets fetch nowhere"):
        load_deck("nowhere")
    with pytest.raises(DeckError, match="back 'nowhere': not here"):
        load_back("nowhere")
    with pytest.raises(DeckError, match="no such folder"):
        load_folder(Path("/nowhere"))
    with pytest.raises(DeckError, match="wholly transparent"):
        texture(np.zeros((88, 63, 4), np.uint8), "here")
