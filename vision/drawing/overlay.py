"""What is believed to lie on the felt, drawn over a frame; what an alert rests on stands out."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import cv2
import numpy as np

from feltwatch.vision.arrays import Colour, Pixels, Point, Quad
from feltwatch.vision.detection.detections import DetectedCard
from feltwatch.vision.drawing.annotate import HANDS, PAPER, circle, colour_of, line_width, name_cards, outline
from feltwatch.vision.drawing.view import LyingCard, TableView

NAMED: Colour = (60, 60, 255)  # round what an alert rests on
BAND: Colour = (32, 28, 26)  # under words
CLOSE_HIGH, CLOSE_WIDE = 0.45, 0.6  # how much of a picture's height and width a close-up may take
CLOSE_LEAST, CLOSE_MOST = 1.4, 4.0  # how far it enlarges
PUT_AWAY = ("discard", "float", "shoe")  # where cards lie in a heap that is not read
STRIPE = 0.012  # of a picture's height, at the left of a band
WEIGHT = 400  # of letters, as in typesetting; 700 is bold
BOLD = 700


def overlay(picture: Pixels, view: TableView, named: Collection[str] = (), *, every_face: bool = True) -> Pixels:
    """Draw on a copy: cards, stacks and hands thinly; what is named in a colour of its own, and uncovered.

    Cards are named by id, stacks by spot. Their frames lie around them and their faces beside them, so that the picture
    itself shows what an alert rests on. `every_face` writes the faces of the other cards too.
    """
    sheet = picture.copy()
    line = line_width(sheet)
    for hand in view.hands:
        outline(sheet, hand, HANDS, max(1, line // 2))
    for stack in view.stacks:
        circle(sheet, stack.center, stack.radius, max(1, line // 2))
    shown = [card for card in view.cards if card.id in named]
    others = [card for card in view.cards if card.id not in named]
    for card in others:
        outline(sheet, card.quad, colour_of(_seen(card)), max(1, line // 2))
    for stack in view.stacks:
        if stack.spot in named:
            circle(sheet, stack.center, stack.radius + 2 * line, line, NAMED)
    for card in shown:
        outline(sheet, _around(card.quad, line), NAMED, line)
    rest = [card for card in others if every_face and card.zone not in PUT_AWAY]
    name_cards(sheet, [_seen(card) for card in rest], [_seen(card) for card in shown])
    return sheet


def _around(quad: Quad, by: float) -> Quad:
    """Give a quad that is larger by so many pixels on every side."""
    corners = np.array(quad)
    out = corners - corners.mean(axis=0)
    length = np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1.0)
    a, b, c, d = ((float(x), float(y)) for x, y in corners + out / length * by * 2**0.5)
    return a, b, c, d


def _seen(card: LyingCard) -> DetectedCard:
    return DetectedCard(card.quad, card.up, card.face, card.sure)


def scaled(view: TableView, by: float) -> TableView:
    """Give what is believed for a picture of another size."""
    return TableView(
        tuple(replace(card, quad=_quad(card.quad, by)) for card in view.cards),
        tuple(replace(one, center=_point(one.center, by), radius=one.radius * by) for one in view.stacks),
        tuple(_quad(hand, by) for hand in view.hands),
        view.doubts,
    )


def _point(point: Point, by: float) -> Point:
    return point[0] * by, point[1] * by


def _quad(quad: Quad, by: float) -> Quad:
    a, b, c, d = quad
    return _point(a, by), _point(b, by), _point(c, by), _point(d, by)


def close_up(picture: Pixels, view: TableView, named: Collection[str]) -> Pixels | None:
    """Cut out and enlarge what is named, as the camera saw it; nothing where it lies too far apart to gain by it."""
    ends = [np.array(card.quad) for card in view.cards if card.id in named]
    ends += [np.add(one.center, [[-one.radius], [one.radius]]) for one in view.stacks if one.spot in named]
    if not ends:
        return None
    height, width = picture.shape[:2]
    points = np.concatenate(ends)
    margin = 0.08 * float(np.ptp(points, axis=0).max()) + 0.01 * height
    left, top = np.maximum(np.floor(points.min(axis=0) - margin), 0).astype(int).tolist()
    right, bottom = np.minimum(np.ceil(points.max(axis=0) + margin), [width, height]).astype(int).tolist()
    if right <= left or bottom <= top:
        return None
    by = min(CLOSE_HIGH * height / (bottom - top), CLOSE_WIDE * width / (right - left), CLOSE_MOST)
    if by < CLOSE_LEAST:
        return None
    part = picture[top:bottom, left:right]
    return np.asarray(cv2.resize(part, None, fx=by, fy=by, interpolation=cv2.INTER_CUBIC), np.uint8)


def captioned(
    picture: Pixels,
    head: str,
    lines: Sequence[str],
    colour: Colour = NAMED,
    *,
    room: int = 0,
    inset: Pixels | None = None,
) -> Pixels:
    """Set words on a band under a picture, so that they hide nothing of it; `room` fixes the band's lines.

    An inset stands on the band's right.
    """
    size = _letters(picture)
    width = picture.shape[1]
    left = round(picture.shape[0] * STRIPE) + size
    free = width - left - size - (0 if inset is None else inset.shape[1] + size)
    rows = [row for text in lines for row in _rows(text, free, size)]
    if room and len(rows) > room - 1:
        rows = [*rows[: room - 2], rows[room - 2] + " …"]
    step = round(size * 1.5)
    high = max(size + step * (room or 1 + len(rows)), 0 if inset is None else inset.shape[0] + size)
    high += (picture.shape[0] + high) % 2  # films want even sides
    band: Pixels = np.full((high, width, 3), BAND, np.uint8)
    band[:, : round(picture.shape[0] * STRIPE)] = colour
    if inset is not None:
        band[size // 2 :, : width - size // 2][: inset.shape[0], -inset.shape[1] :] = inset
    _write(band, head, (left, size // 2 + size), size, BOLD)
    for number, row in enumerate(rows, 1):
        _write(band, row, (left, size // 2 + size + number * step), size, WEIGHT)
    found: Pixels = np.vstack([picture, band])
    return found


def noted(picture: Pixels, head: str, lines: Sequence[str] = ()) -> Pixels:
    """Write words into a copy of a picture, from its lower left corner up, each row on a dark ground."""
    sheet = picture.copy()
    size = _letters(picture)
    rows = [(head, BOLD), *((row, WEIGHT) for text in lines for row in _rows(text, picture.shape[1] - 2 * size, size))]
    step = round(size * 1.6)
    top = picture.shape[0] - size // 2 - step * len(rows)
    for number, (row, weight) in enumerate(rows):
        low = top + step * (number + 1)
        right = size // 2 + _width(row, size, weight) + size
        cv2.rectangle(sheet, (size // 2, low - step), (right, low - 1), BAND, cv2.FILLED)
        _write(sheet, row, (size, low - round(size * 0.45)), size, weight)
    return sheet


def _letters(picture: Pixels) -> int:
    return max(12, round(int(min(picture.shape[:2])) / 42))


def _width(text: str, size: int, weight: int) -> int:
    _, _, wide, _ = cv2.getTextSize((0, 0), text, (0, 0), cv2.FontFace("sans"), size, weight)
    return int(wide)


def _rows(text: str, width: int, size: int) -> list[str]:
    """Break a text where words end, to rows that fit; a word that is longer than a row is cut."""
    rows = [""]
    for word in text.split():
        longer = f"{rows[-1]} {word}".strip()
        if _width(longer, size, WEIGHT) <= width:
            rows[-1] = longer
            continue
        kept = word
        while len(kept) > 1 and _width(kept, size, WEIGHT) > width:
            kept = kept[:-1]
        rows = [*rows, kept] if rows[-1] else [kept]
    return rows


def _write(sheet: Pixels, text: str, origin: tuple[int, int], size: int, weight: int) -> None:
    shown = "".join(sign if sign.isprintable() else " " for sign in text)
    cv2.putText(sheet, shown, origin, PAPER, cv2.FontFace("sans"), size, weight)
