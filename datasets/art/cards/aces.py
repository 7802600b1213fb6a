"""Aces of spades: every maker ornaments his own, so a reader must have seen many."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from feltwatch.datasets.art.cards.canvas import HEIGHT_MM, WHITE, WIDTH_MM, CardCanvas, MarkPlace, Rgb, letters
from feltwatch.datasets.art.cards.pips import Cut

X, Y = WIDTH_MM / 2, HEIGHT_MM / 2


@dataclass(frozen=True, slots=True)
class Maker:
    """What the ornament is drawn with: the marks, the ink, a font and the maker's word."""

    cut: Cut
    ink: Rgb
    font: Path
    word: str


def _plain(canvas: CardCanvas, maker: Maker) -> None:
    canvas.mark("s", maker.cut, MarkPlace(X, Y, 22), maker.ink)


def _small(canvas: CardCanvas, maker: Maker) -> None:
    canvas.mark("s", maker.cut, MarkPlace(X, Y, 13), maker.ink)


def _nested(canvas: CardCanvas, maker: Maker) -> None:
    """A spade in a spade in a spade, paper between."""
    for height, colour in ((42, maker.ink), (37, WHITE), (33, maker.ink), (24, WHITE), (20, maker.ink)):
        canvas.mark("s", maker.cut, MarkPlace(X, Y, height), colour)


def _outlined(canvas: CardCanvas, maker: Maker) -> None:
    """A white spade with a black line, filled with scrolls."""
    canvas.mark("s", maker.cut, MarkPlace(X, Y, 44), maker.ink)
    canvas.mark("s", maker.cut, MarkPlace(X, Y, 40), WHITE)
    _scrolls(canvas, maker.ink, size=5.6, width=0.7)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 9, 9), maker.ink)


def _filigree(canvas: CardCanvas, maker: Maker) -> None:
    """A big black spade with white scrolls cut into it."""
    canvas.mark("s", maker.cut, MarkPlace(X, Y, 46), maker.ink)
    _scrolls(canvas, WHITE, size=6.2, width=0.8)
    canvas.mark("d", maker.cut, MarkPlace(X, Y - 9, 8), WHITE)
    canvas.mark("d", maker.cut, MarkPlace(X, Y - 9, 5), maker.ink)
    for step in range(5):
        canvas.disc(X, Y - 17 + 2.1 * step, 0.35 + 0.07 * step, WHITE)


def _scrolls(canvas: CardCanvas, colour: Rgb, size: float, width: float) -> None:
    """Draw two pairs of spirals, mirrored about the middle, and a stalk between them."""
    for side in (-1, 1):
        for down, shrink in ((3.5, 1.0), (-3.5, 0.62)):
            turns = [step / 40 * 4.2 * math.pi for step in range(41)]
            arms = [(X + side * (size * 0.95 * shrink), Y + down, size * shrink * (1 - t / 14.5)) for t in turns]
            points = zip(arms, turns, strict=True)
            spiral = [(x - side * r * math.cos(t), y + r * math.sin(t)) for (x, y, r), t in points]
            canvas.line(spiral, colour, width * (0.6 + 0.4 * shrink))
    canvas.line([(X, Y - 6), (X, Y + 13)], colour, width)
    for side in (-1, 1):
        canvas.line([(X, Y + 12), (X + side * 2.2, Y + 14.5), (X + side * 4.2, Y + 14.2)], colour, width)


def _lettered(canvas: CardCanvas, maker: Maker) -> None:
    """A big spade with the maker's name on a band across it."""
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 3, 40), maker.ink)
    canvas.line([(X - 17.5, Y + 1), (X + 17.5, Y + 1)], WHITE, 7.0)
    canvas.line([(X - 17.5, Y + 1), (X + 17.5, Y + 1)], maker.ink, 5.6)
    canvas.letters(letters(maker.word, maker.font, 2.9, widest=31), MarkPlace(X, Y + 1, 3), WHITE)
    canvas.letters(letters("PLAYING CARDS", maker.font, 1.7, widest=30), MarkPlace(X, Y + 22, 2), maker.ink)


def _under(canvas: CardCanvas, maker: Maker) -> None:
    """A clean spade and a line of print under it: most casino cards."""
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 2, 27), maker.ink)
    canvas.letters(letters(maker.word, maker.font, 1.9, widest=28), MarkPlace(X, Y + 15.5, 2), maker.ink)
    canvas.letters(letters("CASINO QUALITY", maker.font, 1.3, widest=24), MarkPlace(X, Y + 19, 2), maker.ink)


def _medallion(canvas: CardCanvas, maker: Maker) -> None:
    """A black disc with a beaded rim and a white spade."""
    canvas.disc(X, Y, 19, maker.ink)
    for step in range(44):
        turn = step / 44 * 2 * math.pi
        canvas.disc(X + 17.2 * math.cos(turn), Y + 17.2 * math.sin(turn), 0.6, WHITE)
    canvas.ring(X, Y, 15.4, WHITE, 0.5)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 0.5, 23), WHITE)
    canvas.letters(letters(maker.word[:1], maker.font, 6.5), MarkPlace(X, Y - 0.5, 6), maker.ink)


def _sunburst(canvas: CardCanvas, maker: Maker) -> None:
    """Rays of ink round a spade that stands free in paper."""
    for step in range(72):
        turn = step / 72 * 2 * math.pi
        reach = 23.5 if step % 2 else 20.5
        ray = [(X + far * math.cos(turn), Y + far * math.sin(turn)) for far in (14, reach)]
        canvas.line(ray, maker.ink, 0.45)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 0.5, 33), WHITE)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 0.5, 27), maker.ink)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 0.5, 21), WHITE)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 0.5, 18), maker.ink)


def _crowned(canvas: CardCanvas, maker: Maker) -> None:
    """A spade under a crown between two sprigs."""
    canvas.mark("s", maker.cut, MarkPlace(X, Y + 3, 28), maker.ink)
    canvas.mark("s", maker.cut, MarkPlace(X, Y + 2, 15), WHITE)
    canvas.mark("s", maker.cut, MarkPlace(X, Y + 2, 10), maker.ink)
    crown = [(-8, 0), (-9.5, -8), (-5, -4), (-3, -9.5), (0, -4.5), (3, -9.5), (5, -4), (9.5, -8), (8, 0)]
    canvas.polygon([(X + x, Y - 14 + y) for x, y in crown], maker.ink)
    for x, y in ((-9.5, -8.6), (-3, -10.2), (3, -10.2), (9.5, -8.6)):
        canvas.disc(X + x, Y - 14 + y, 0.9, maker.ink)
    canvas.line([(X - 7.4, Y - 12.4), (X + 7.4, Y - 12.4)], maker.ink, 1.0)
    _sprigs(canvas, maker.ink)


def _sprigs(canvas: CardCanvas, colour: Rgb) -> None:
    for side in (-1, 1):
        turns = [step / 20 * 1.7 - 0.25 for step in range(21)]
        stalk = [(X + side * 17.5 * math.cos(turn), Y + 5 + 17.5 * math.sin(turn)) for turn in turns]
        canvas.line(stalk, colour, 0.45)
        for x, y in stalk[::3]:
            canvas.disc(x + side * 1.0, y - 0.5, 0.8, colour)
            canvas.disc(x - side * 0.9, y - 0.9, 0.65, colour)


def _laced(canvas: CardCanvas, maker: Maker) -> None:
    """A large spade whose inside is a lattice, as on bridge cards."""
    canvas.mark("s", maker.cut, MarkPlace(X, Y, 48), maker.ink)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 1.2, 41), WHITE)
    canvas.mark("s", maker.cut, MarkPlace(X, Y - 1.2, 39.4), maker.ink)
    for row in range(-4, 4):
        for column in range(-4, 5):
            x, y = column * 3.2 + (1.6 if row % 2 else 0), row * 2.6 + 1.5
            if abs(x) < 11 - abs(y - 3) * 0.6 and y < 9:
                canvas.mark("d", maker.cut, MarkPlace(X + x, Y + y, 1.9), WHITE)
    canvas.mark("s", maker.cut, MarkPlace(X, Y + 0.5, 15), WHITE)
    canvas.mark("s", maker.cut, MarkPlace(X, Y + 0.5, 12), maker.ink)


ACES: MappingProxyType[str, Callable[[CardCanvas, Maker], None]] = MappingProxyType(
    {
        "plain": _plain,
        "small": _small,
        "nested": _nested,
        "outlined": _outlined,
        "filigree": _filigree,
        "lettered": _lettered,
        "under": _under,
        "medallion": _medallion,
        "sunburst": _sunburst,
        "crowned": _crowned,
        "laced": _laced,
    }
)
