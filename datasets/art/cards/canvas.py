"""A sheet measured in millimetres to draw a card on; Pillow underneath, three times finer than the texture."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from feltwatch.datasets.art.cards.decks import CARD_PX
from feltwatch.datasets.art.cards.pips import Cut, Outline, outlines
from feltwatch.datasets.common.errors import DataError
from feltwatch.vision.arrays import Pixels

WIDTH_MM, HEIGHT_MM = 63.0, 88.0
TALLEST = 1.1  # of a capital: where the tail of a J or a Q is pressed up
FINE = 12  # px a millimetre while drawing; the texture has four

Rgb = tuple[int, int, int]  # red, green, blue
WHITE: Rgb = (255, 255, 255)
BLACK: Rgb = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class MarkPlace:
    """Where a mark stands: its centre, its height, and whether it stands on its head."""

    x: float
    y: float
    height: float
    turned: bool = False


def colour_of(text: str) -> Rgb:
    """Read a colour as the web writes it.

    >>> colour_of("#ff8000")
    (255, 128, 0)
    """
    try:
        red, green, blue = bytes.fromhex(text.removeprefix("#"))
    except ValueError as fault:
        raise DataError(f"colour {text!r}: expected such as #c00020") from fault
    return red, green, blue


class CardCanvas:
    """One card being drawn; it changes as marks are put on it."""

    def __init__(self, ground: Rgb = WHITE) -> None:
        self.image = Image.new("RGB", (round(WIDTH_MM * FINE), round(HEIGHT_MM * FINE)), ground)
        self.pen = ImageDraw.Draw(self.image)

    def polygon(self, points: Iterable[tuple[float, float]], colour: Rgb) -> None:
        self.pen.polygon([(x * FINE, y * FINE) for x, y in points], fill=colour)

    def line(self, points: Iterable[tuple[float, float]], colour: Rgb, width: float) -> None:
        """Draw a line with round ends and joints, even where it is short."""
        dots = [(x * FINE, y * FINE) for x, y in points]
        self.pen.line(dots, fill=colour, width=max(1, round(width * FINE)), joint="curve")
        for x, y in (dots[0], dots[-1]):
            self._disc(x, y, width * FINE / 2, colour)

    def disc(self, x: float, y: float, radius: float, colour: Rgb) -> None:
        self._disc(x * FINE, y * FINE, radius * FINE, colour)

    def ring(self, x: float, y: float, radius: float, colour: Rgb, width: float) -> None:
        box = [(x - radius) * FINE, (y - radius) * FINE, (x + radius) * FINE, (y + radius) * FINE]
        self.pen.ellipse(box, outline=colour, width=max(1, round(width * FINE)))

    def frame(self, inset: tuple[float, float], radius: float, colour: Rgb, width: float) -> None:
        """Draw a rounded frame that far from the sides and from top and bottom."""
        across, down = inset
        box = [across * FINE, down * FINE, (WIDTH_MM - across) * FINE, (HEIGHT_MM - down) * FINE]
        self.pen.rounded_rectangle(box, radius * FINE, outline=colour, width=max(1, round(width * FINE)))

    def mark(self, suit: str, cut: Cut, place: MarkPlace, colour: Rgb) -> None:
        for outline in outlines(suit, cut):
            self.polygon(placed(outline, place), colour)

    def letters(self, mask: Image.Image, place: MarkPlace, colour: Rgb) -> None:
        """Put a mask of letters down with its middle at the place, as high as it is."""
        shown = mask.rotate(180) if place.turned else mask
        corner = (round(place.x * FINE - shown.width / 2), round(place.y * FINE - shown.height / 2))
        self.image.paste(colour, corner, shown)

    def picture(self, picture: Pixels, x: float, y: float, height: float) -> None:
        """Put a BGR picture down with its middle at x, y."""
        size = (round(height * FINE * picture.shape[1] / picture.shape[0]), round(height * FINE))
        shown = Image.fromarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)).resize(size, Image.Resampling.LANCZOS)
        self.image.paste(shown, (round(x * FINE - size[0] / 2), round(y * FINE - size[1] / 2)))

    def texture(self) -> Pixels:
        """Give what was drawn as a texture of CARD_PX, BGR."""
        fine = cv2.cvtColor(np.asarray(self.image), cv2.COLOR_RGB2BGR)
        return cv2.resize(fine, CARD_PX, interpolation=cv2.INTER_AREA).astype(np.uint8)

    def _disc(self, x: float, y: float, radius: float, colour: Rgb) -> None:
        self.pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=colour)


def placed(outline: Outline, place: MarkPlace) -> list[tuple[float, float]]:
    size = -place.height / 2 if place.turned else place.height / 2
    return [(place.x + x * size, place.y + y * size) for x, y in outline]


def letters(text: str, font: Path, height: float, squeeze: float = 1.0, widest: float = WIDTH_MM) -> Image.Image:
    """Give a mask of capitals or figures that high, narrowed by `squeeze` and at most that wide."""
    try:
        face = ImageFont.truetype(str(font), 200)
    except OSError as fault:
        raise DataError(f"{font}: no font that can be read") from fault
    left, top, right, bottom = (round(edge) for edge in face.getbbox(text))
    rough = Image.new("L", (right - left + 8, bottom - top + 8))
    ImageDraw.Draw(rough).text((4 - left, 4 - top), text, fill=255, font=face)
    cut = rough.crop(rough.getbbox())
    cap = face.getbbox("E")
    scale = height * FINE / (cap[3] - cap[1])
    width = min(cut.width * scale * squeeze, widest * FINE)
    tall = min(cut.height * scale, TALLEST * height * FINE)
    return cut.resize((max(1, round(width)), max(1, round(tall))), Image.Resampling.LANCZOS)
