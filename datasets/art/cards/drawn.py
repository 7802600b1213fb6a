"""Decks of our own: a recipe says court art, marks, font, index, paper and ace; the same recipe draws the same deck."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np

from feltwatch.datasets.art.cards.aces import ACES, Maker
from feltwatch.datasets.art.cards.canvas import HEIGHT_MM, WIDTH_MM, CardCanvas, MarkPlace, Rgb, colour_of, letters
from feltwatch.datasets.art.cards.pips import CUTS, Cut
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.datasets.sources.designs import DeckRecipe
from feltwatch.vision.arrays import Pixels

PALETTES = MappingProxyType(  # spades, hearts, diamonds, clubs
    {
        "two": ("#000000", "#d40000", "#d40000", "#000000"),
        "deep": ("#0a0a14", "#b4001e", "#b4001e", "#0a0a14"),
        "warm": ("#141414", "#e02818", "#e02818", "#141414"),
        "four": ("#000000", "#d40000", "#0a46c8", "#00821e"),
        "four-soft": ("#101018", "#c8102e", "#1464b4", "#2d7d32"),
        "four-gold": ("#000000", "#c80000", "#d28200", "#006428"),
    }
)
PAPERS = MappingProxyType({"white": "#fcfcfd", "cool": "#f3f6fa", "ivory": "#f8f2e0", "linen": "#f9f8f3"})
FRAMES = ("none", "line", "double", "heavy")

COLUMN_MM, TOP_MM = 13.6, 29.0  # where the outer marks of a spot card stand, from the middle
SPOTS = MappingProxyType(
    {
        "2": ((0, 1),),
        "3": ((0, 1), (0, 0)),
        "4": ((1, 1),),
        "5": ((1, 1), (0, 0)),
        "6": ((1, 1), (1, 0)),
        "7": ((1, 1), (1, 0), (0, 0.5)),
        "8": ((1, 1), (1, 0), (0, 0.5), (0, -0.5)),
        "9": ((1, 1), (1, 1 / 3), (0, 0)),
        "T": ((1, 1), (1, 1 / 3), (0, 2 / 3)),
    }
)


@dataclass(frozen=True, slots=True)
class Index:
    """The corner print: sizes in millimetres."""

    rank_mm: float
    suit_mm: float
    column_mm: float  # how wide the rank may be
    squeeze: float  # < 1 narrows the letters
    left_mm: float  # from the card's edge to the middle of the index
    top_mm: float
    corners: int  # two or four
    beside: bool  # the mark beside the rank, not under it


INDICES = MappingProxyType(
    {
        "standard": Index(6.4, 4.6, 5.4, 0.9, 5.0, 3.4, 2, beside=False),
        "broad": Index(7.4, 5.6, 6.6, 1.0, 5.6, 3.2, 2, beside=False),
        "narrow": Index(7.8, 4.2, 4.0, 0.6, 4.2, 3.0, 2, beside=False),
        "side": Index(6.2, 5.0, 5.4, 0.9, 5.2, 3.4, 2, beside=True),
        "four-corner": Index(6.6, 4.8, 5.2, 0.85, 5.0, 3.2, 4, beside=False),
        "four-corner-big": Index(10.0, 6.6, 7.4, 0.8, 5.8, 3.0, 4, beside=False),
        "jumbo": Index(13.5, 9.0, 10.4, 0.85, 7.4, 3.6, 2, beside=False),
        "jumbo-side": Index(12.5, 10.0, 10.0, 0.85, 7.6, 4.0, 2, beside=True),
        "magnum": Index(20.0, 12.0, 16.0, 0.85, 10.2, 4.0, 2, beside=False),
    }
)


@dataclass(frozen=True, slots=True)
class Style:
    """What a recipe comes to: all that a card is drawn by but its court's picture and its font."""

    cut: Cut
    index: Index
    inks: tuple[Rgb, Rgb, Rgb, Rgb]  # spades, hearts, diamonds, clubs
    paper: Rgb
    linen: bool
    frame: str
    ace: str
    word: str
    court_mm: float
    mark_mm: float
    spread: float
    lone: float = 1.25  # how much larger than others the mark of an ace is

    @staticmethod
    def of(recipe: DeckRecipe) -> "Style":
        check(recipe)
        spades, hearts, diamonds, clubs = (colour_of(ink) for ink in PALETTES[recipe.palette])
        return Style(
            CUTS[recipe.cut],
            INDICES[recipe.index],
            (spades, hearts, diamonds, clubs),
            colour_of(PAPERS[recipe.paper]),
            recipe.paper == "linen",
            recipe.frame,
            recipe.ace,
            recipe.word,
            recipe.court_mm,
            recipe.mark_mm,
            recipe.spread,
        )


def check(recipe: DeckRecipe) -> None:
    choices = {"cut": CUTS, "index": INDICES, "palette": PALETTES, "paper": PAPERS, "frame": FRAMES, "ace": ACES}
    for key, allowed in choices.items():
        if (found := getattr(recipe, key)) not in allowed:
            raise DataError(f"recipe {recipe.name!r}: no {key} {found!r}; there are: {', '.join(allowed)}")


def draw_deck(recipe: DeckRecipe, courts: Mapping[str, Pixels], font: Path) -> dict[str, Pixels]:
    """Give the 52 textures of a recipe; `courts` holds the pictures of the twelve court cards."""
    style = Style.of(recipe)
    return {face: draw_face(style, face, courts, font) for face in FACES}


def draw_face(style: Style, face: str, courts: Mapping[str, Pixels], font: Path) -> Pixels:
    canvas = CardCanvas()
    rank, suit = face[0], face[1]
    ink = style.inks["shdc".index(suit)]
    if rank in "JQK":
        _court(canvas, style, courts[face], ink)
    elif face == "As":
        ACES[style.ace](canvas, Maker(style.cut, ink, font, style.word))
    else:
        for place in _places(rank, style):
            canvas.mark(suit, style.cut, place, ink)
    _indices(canvas, style, face, font, ink)
    return _printed(canvas.texture(), style)


def _court(canvas: CardCanvas, style: Style, picture: Pixels, ink: Rgb) -> None:
    height = style.court_mm
    width = height * picture.shape[1] / picture.shape[0]
    canvas.picture(picture, WIDTH_MM / 2, HEIGHT_MM / 2, height)
    inset = ((WIDTH_MM - width) / 2, (HEIGHT_MM - height) / 2)
    line = {"none": 0.0, "line": 0.35, "double": 0.3, "heavy": 0.8}[style.frame]
    if line:
        canvas.frame(inset, 0.8, ink, line)
    if style.frame == "double":
        canvas.frame((inset[0] - 1.0, inset[1] - 1.0), 1.2, ink, line)


def _places(rank: str, style: Style) -> Iterator[MarkPlace]:
    x, y = WIDTH_MM / 2, HEIGHT_MM / 2
    if rank == "A":
        yield MarkPlace(x, y, style.mark_mm * style.lone)
        return
    for across, up in SPOTS[rank]:
        for column in (-across, across) if across else (0,):
            rows = (up, -up) if up > 0 and not _lonely(rank, across, up) else (up,)
            for row in rows:
                place = (x + column * COLUMN_MM * style.spread, y - row * TOP_MM * style.spread)
                yield MarkPlace(*place, style.mark_mm, turned=row < 0)


def _lonely(rank: str, across: float, up: float) -> bool:
    """The middle mark of a seven has no fellow below; that of an eight is listed by itself."""
    return rank in "78" and across == 0 and up > 0


def _indices(canvas: CardCanvas, style: Style, face: str, font: Path, ink: Rgb) -> None:
    index = style.index
    rank, suit = face[0], face[1]
    text = "10" if rank == "T" else rank
    mask = letters(text, font, index.rank_mm, index.squeeze, index.column_mm)
    rank_at = (index.left_mm, index.top_mm + index.rank_mm / 2)
    suit_at = (index.left_mm, index.top_mm + index.rank_mm + 1.0 + index.suit_mm / 2)
    if index.beside:
        suit_at = (index.left_mm + index.column_mm / 2 + 1.0 + index.suit_mm / 2, rank_at[1])
    for right in (False, True) if index.corners == 4 else (False,):
        for turned in (False, True):
            canvas.letters(mask, _cornered(*rank_at, index.rank_mm, right=right, turned=turned), ink)
            place = _cornered(*suit_at, index.suit_mm, right=right, turned=turned)
            canvas.mark(suit, style.cut, place, ink)


def _cornered(x: float, y: float, height: float, *, right: bool, turned: bool) -> MarkPlace:
    across = WIDTH_MM - x if right != turned else x
    return MarkPlace(across, HEIGHT_MM - y if turned else y, height, turned)


def _printed(picture: Pixels, style: Style) -> Pixels:
    """Lay the ink on its paper; linen has a fine weave pressed into it."""
    red, green, blue = style.paper
    ground = np.full(picture.shape, (blue, green, red), np.float32)
    if style.linen:
        rows, columns = np.indices(picture.shape[:2])
        weave = (3.0 * (np.sin(rows * 1.6) + np.sin(columns * 1.6))).astype(np.float32)
        ground = np.clip(ground + weave[..., None], 0, 255)
    return np.rint(picture * (ground / 255)).astype(np.uint8)


def court_picture(card: Pixels, box: tuple[float, float, float, float]) -> Pixels:
    """Cut the court's picture out of a card of another deck; the box is in parts of its width and height."""
    height, width = card.shape[:2]
    left, top, right, bottom = box
    cut = card[round(top * height) : round(bottom * height), round(left * width) : round(right * width)]
    if cut.shape[2] == 3:
        return cut
    alpha = cut[..., 3:].astype(np.float32) / 255
    return np.rint(cut[..., :3] * alpha + 255.0 * (1 - alpha)).astype(np.uint8)


def sheet(faces: Mapping[str, Pixels], width: int = 126) -> Pixels:
    """Give a contact sheet of the 52, a suit a row, to be looked at."""
    order = [rank + suit for suit in "shdc" for rank in "A23456789TJQK"]
    height = round(width * HEIGHT_MM / WIDTH_MM)
    small = [cv2.resize(faces[face], (width, height), interpolation=cv2.INTER_AREA) for face in order]
    framed = [cv2.copyMakeBorder(one, 3, 3, 3, 3, cv2.BORDER_CONSTANT, value=(70, 110, 60)) for one in small]
    rows = [np.hstack(framed[row * 13 : row * 13 + 13]) for row in range(4)]
    return np.vstack(rows).astype(np.uint8)
