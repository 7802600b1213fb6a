"""Invented decks: every one different, each a card that can be read."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import ImageFont

from feltwatch.datasets.art.cards.canvas import HEIGHT_MM, WIDTH_MM
from feltwatch.datasets.art.cards.decks import CARD_PX
from feltwatch.datasets.art.cards.invented import ACES, TAUGHT, _with_portrait, invented, random_style
from feltwatch.datasets.art.cards.pips import outlines
from feltwatch.datasets.common.cache import cache_dir, write_picture
from feltwatch.datasets.sources.card_codes import COURTS
from feltwatch.datasets.sources.manifest import read


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a font and the court art of a deck of each split where they would be fetched to."""
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path))
    carried = ImageFont.load_default(20)
    assert isinstance(carried, ImageFont.FreeTypeFont)
    fonts = cache_dir() / "fonts"
    fonts.mkdir(parents=True, exist_ok=True)
    (fonts / "carried").write_bytes(carried.path.getvalue())  # type: ignore[union-attr]  # held in memory, not in a file
    for deck, colour in (("anglo", (30, 60, 200)), ("atlasnye", (0, 255, 0)), ("bonded", (0, 255, 0))):
        for face in COURTS:
            write_picture(cache_dir() / "decks" / deck / f"{face}.png", np.full((400, 280, 3), colour, np.uint8))


def test_where_nothing_was_fetched_nothing_is_invented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path))
    assert invented("9h", np.random.default_rng(1)) is None


def test_no_two_styles_are_alike_and_every_index_lies_on_its_card() -> None:
    dice = np.random.default_rng(3)
    styles = [random_style(dice) for _ in range(300)]
    assert len({style.cut for style in styles}) == len({style.inks for style in styles}) == 300
    for style in styles:
        index = style.index
        assert index.left_mm - index.column_mm / 2 > 0
        assert index.left_mm + index.column_mm / 2 < WIDTH_MM / 2
        assert index.top_mm + index.rank_mm + 1 + index.suit_mm < HEIGHT_MM / 2
        assert 20 < style.court_mm < HEIGHT_MM
        assert style.ace in ACES
    assert 0.1 < np.mean([len(set(style.inks)) == 4 for style in styles]) < 0.3


def test_marks_of_any_proportions_are_even_and_keep_their_height() -> None:
    dice = np.random.default_rng(4)
    for style in (random_style(dice) for _ in range(60)):
        for suit in "shdc":
            points = [point for outline in outlines(suit, style.cut) for point in outline]
            assert max(x for x, _ in points) == pytest.approx(-min(x for x, _ in points))
            assert np.ptp([y for _, y in points]) == pytest.approx(2, abs=0.25)


def test_what_the_tests_are_made_of_is_not_taught() -> None:
    manifest = read()
    train = {one.name for one in manifest.design if one.split == "train"}
    courts = {one.name for one in manifest.courts if one.design in train}
    taught = [one for one in manifest.recipe if one.courts in courts]
    assert set(TAUGHT) == {one.cut for one in taught}
    assert set(ACES) == {one.ace for one in taught}


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize("face", ["As", "Ac", "Kd", "Jc", "7h", "Ts"])
def test_a_card_is_drawn_with_the_courts_of_train_alone(face: str) -> None:
    dice = np.random.default_rng(5)
    cards = [card for card in (invented(face, dice) for _ in range(6)) if card is not None]
    assert len(cards) == 6
    for card in cards:
        assert card.shape == (CARD_PX[1], CARD_PX[0], 3)
        blue, green, red = cv2.split(card)
        assert not ((green > 200) & (blue < 60) & (red < 60)).any()
    assert not all(np.array_equal(cards[0], card) for card in cards[1:])


def test_a_court_picture_with_anothers_portrait_keeps_its_own_marks() -> None:
    own, other = np.full((300, 200, 3), 10, np.uint8), np.full((310, 190, 3), 200, np.uint8)
    found = _with_portrait(own, other)
    assert found.shape == own.shape
    assert (found[:60, :60] == 10).all()
    assert (found[-60:, -60:] == 10).all()
    assert (found[100:200] == 200).all()
    assert (found == found[::-1, ::-1]).all()
