"""Cards of invented decks, drawn for the reader: it is to know an index by its shape, from any maker.

Marks of any proportions, any font, size and place of the index, any ink; court pictures and fonts are those of `train`.
"""

from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from feltwatch.datasets.art.cards.canvas import Rgb
from feltwatch.datasets.art.cards.drawn import FRAMES, Index, Style, court_picture, draw_face
from feltwatch.datasets.art.cards.pips import CUTS, Cut
from feltwatch.datasets.common.cache import cache_dir, read_picture
from feltwatch.datasets.sources.card_codes import COURTS
from feltwatch.datasets.sources.manifest import read
from feltwatch.vision.arrays import Pixels

Dice = np.random.Generator

TAUGHT: Final = ("classic", "round", "slim", "bold")  # cuts: the fifth is in decks of the tests alone
ACES: Final = ("plain", "small", "nested", "outlined", "filigree", "lettered", "under", "medallion", "crowned")
BEYOND: Final = 0.5  # so far past the cuts of others may a cut go
FOUR_COLOUR: Final = 0.2
JUMBO: Final = 0.2
ANOTHERS: Final = 0.7  # so many court cards bear another's portrait: it is the maker's, and says nothing
MARK: Final = (0.36, 0.28)  # of a court picture's sides: in two of its corners stands its mark
WORDS: Final = ("HIGH CARD", "RIVER", "GRAND", "No. 92", "CASINO")


def invented(face: str, dice: Dice) -> Pixels | None:
    """Give a card of a deck of its own; none where no fonts and court art were fetched."""
    fonts, courts = _fonts(cache_dir()), _courts(cache_dir())
    if not (fonts and courts):
        return None
    portraits = dict(courts[int(dice.integers(len(courts)))])
    if face in COURTS and dice.random() < ANOTHERS:
        portraits[face] = _with_portrait(portraits[face], portraits[COURTS[int(dice.integers(len(COURTS)))]])
    return draw_face(random_style(dice), face, portraits, fonts[int(dice.integers(len(fonts)))])


def _with_portrait(own: Pixels, other: Pixels) -> Pixels:
    """Give a court picture with the portrait of another; the marks in two of its corners stay its own."""
    height, width = own.shape[:2]
    found = cv2.resize(other, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8)
    across, along = round(MARK[0] * width), round(MARK[1] * height)
    for part in (np.s_[:along, :across], np.s_[height - along :, width - across :]):
        found[part] = own[part]
    return found


def random_style(dice: Dice) -> Style:
    jumbo = dice.random() < JUMBO
    index = _index(dice, jumbo=jumbo)
    room = 44.0 - index.top_mm - index.rank_mm  # from the index to the middle of the card
    paper = 255 - np.abs(dice.normal(0, 1, 3)) * (3, 4, 9)
    return Style(
        _cut(dice),
        index,
        _inks(dice),
        _colour(paper),
        bool(dice.random() < 0.15),
        FRAMES[int(dice.integers(len(FRAMES)))],
        ACES[int(dice.integers(len(ACES)))],
        WORDS[int(dice.integers(len(WORDS)))],
        float(dice.uniform(0.8, 1.0)) * min(2.2 * room, 70.0),
        float(dice.uniform(8.0, 10.5) if jumbo else dice.uniform(9.5, 15.0)),
        float(dice.uniform(0.62, 0.8) if jumbo else dice.uniform(0.8, 1.0)),
        float(np.exp(dice.uniform(0.0, np.log(2.6)))),
    )


def _cut(dice: Dice) -> Cut:
    """Mix the cuts of others, and go a little beyond them."""
    known = np.array([[getattr(CUTS[name], part.name) for part in fields(Cut)] for name in TAUGHT])
    low, high = known.min(axis=0), known.max(axis=0)
    found = dice.uniform(low - BEYOND * (high - low), high + BEYOND * (high - low))
    return Cut(*np.clip(found, 0.0, 1.2).tolist())


def _index(dice: Dice, *, jumbo: bool) -> Index:
    rank = float(dice.uniform(9.5, 16.0) if jumbo else dice.uniform(5.0, 8.6))
    wide = rank * float(dice.uniform(0.55, 0.95))
    left = wide / 2 + float(dice.uniform(1.2, 3.0))
    top, beside = float(dice.uniform(2.4, 5.0)), bool(dice.random() < 0.1)
    suit = rank * float(dice.uniform(0.5, 0.9))
    corners = 4 if dice.random() < 0.2 else 2
    return Index(rank, suit, wide, float(dice.uniform(0.6, 1.05)), left, top, corners, beside=beside)


def _inks(dice: Dice) -> tuple[Rgb, Rgb, Rgb, Rgb]:
    black, red = _colour(np.abs(dice.normal(0, 18, 3))), _colour(dice.normal((205, 15, 25), (25, 15, 15)))
    if dice.random() >= FOUR_COLOUR:
        return black, red, red, black
    blue, green = dice.normal((15, 75, 190), (10, 25, 30)), dice.normal((10, 115, 40), (10, 25, 15))
    return black, red, _colour(blue), _colour(green)


def _colour(parts: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Rgb:
    red, green, blue = (int(part) for part in np.clip(parts, 0, 255))
    return red, green, blue


@lru_cache(maxsize=1)
def _fonts(cache: Path) -> tuple[Path, ...]:
    return tuple(sorted((cache / "fonts").glob("*")))


@lru_cache(maxsize=1)
def _courts(cache: Path) -> tuple[dict[str, Pixels], ...]:
    """Give the twelve court pictures of each set of `train` that was fetched."""
    manifest = read()
    train = {one.name for one in manifest.design if one.split == "train"}
    places = [(one, cache / "decks" / one.design) for one in manifest.courts if one.design in train]
    return tuple(
        {face: court_picture(read_picture(folder / f"{face}.png"), one.box) for face in COURTS}
        for one, folder in places
        if folder.is_dir()
    )
