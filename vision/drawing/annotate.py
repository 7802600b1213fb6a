"""What was seen, drawn on the picture for a person to check; nothing else is made of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import cv2
import numpy as np

from feltwatch.vision.arrays import Colour, Floats, Ints, Pixels, Point, Quad
from feltwatch.vision.detection.detections import DetectedCard, Detections

READ: Colour = (60, 190, 30)
UNTOLD: Colour = (0, 165, 255)
DOWN: Colour = (235, 110, 30)
CHIPS: Colour = (255, 230, 0)
HANDS: Colour = (255, 120, 255)
PAPER: Colour = (255, 255, 255)
SHADOW: Colour = (20, 20, 20)
INKS: dict[str, Colour] = {"s": (0, 0, 0), "c": (0, 0, 0), "h": (30, 10, 210), "d": (30, 10, 210)}
SUITS = {"s": "♠", "c": "♣", "h": "♥", "d": "♦"}

SUBPIXELS = 4  # bits
WEIGHT = 700  # of the letters
INDEX = (0.24, 0.3)  # how much of a card's width and height its corner index takes

# Where a tag may stand, best first: in the card, from its middle, in parts of its width and height;
INSIDE = np.array([[0, 0], [0, -0.15], [0, 0.15], [0, -0.28], [0, 0.28], [-0.25, 0.2], [0.25, -0.2]])
# else beyond a corner that bears an index: which corner, by how many degrees off the card's diagonal, how far out.
BEYOND = [(corner, turn, out) for corner in (0, 2) for out in (1.0, 2.4, 4.0) for turn in (0, 40, -40, 80, -80)]


@dataclass(frozen=True, slots=True)
class _Tag:
    """A small plate that says what a card is."""

    card: DetectedCard
    text: str
    ink: Colour
    size: int  # of the letters, in pixels
    width: int
    height: int
    outside: bool  # keeps off every card, so that all of them stay in sight


@dataclass(frozen=True, slots=True)
class _LabelPlace:
    box: Floats  # left, top, right, bottom
    corner: Floats | None  # of its card, where the tag stands beyond it


def annotate(picture: Pixels, seen: Detections) -> Pixels:
    """Draw on a copy: cards read in green, unread in amber, face down in blue; chips as circles; hands thinly."""
    sheet = picture.copy()
    line = line_width(sheet)
    for hand in seen.hands:
        outline(sheet, hand.quad, HANDS, max(1, line // 2))
    for stack in seen.stacks:
        circle(sheet, stack.center, stack.radius, line)
    for card in seen.cards:
        outline(sheet, card.quad, colour_of(card), line)
    name_cards(sheet, seen.cards)
    return sheet


def line_width(sheet: Pixels) -> int:
    """Give how wide a line must be to be seen on a picture of this size."""
    height, width = sheet.shape[:2]
    return max(2, round(int(min(height, width)) / 450))


def name_cards(sheet: Pixels, cards: Sequence[DetectedCard], uncovered: Sequence[DetectedCard] = ()) -> None:
    """Write the faces of cards on small plates; those of `uncovered` cards stand beside the cards, not on them."""
    height, width = sheet.shape[:2]
    tags = [_tag(card, min(width, height), outside=True) for card in uncovered]
    tags += [_tag(card, min(width, height), outside=False) for card in cards]
    places = _places(tags, width, height)
    for tag, place in zip(tags, places, strict=True):
        _string(sheet, tag, place, line_width(sheet))
    for tag, place in zip(tags, places, strict=True):
        _plate(sheet, tag, place.box, max(1, ceil(tag.size / 14)))


def colour_of(card: DetectedCard) -> Colour:
    if not card.up:
        return DOWN
    return UNTOLD if card.face is None else READ


def outline(sheet: Pixels, quad: Quad, colour: Colour, line: int) -> None:
    points = _fine(np.array(quad))
    for ink, width in ((SHADOW, line + 2), (colour, line)):
        cv2.polylines(sheet, [points], True, ink, width, cv2.LINE_AA, SUBPIXELS)  # noqa: FBT003  closed, says OpenCV


def circle(sheet: Pixels, center: Point, radius: float, line: int, colour: Colour = CHIPS) -> None:
    x, y = _fine(np.array(center)).tolist()
    for ink, width in ((SHADOW, line + 2), (colour, line)):
        cv2.circle(sheet, (x, y), int(_fine(np.array(max(radius, 0.0)))), ink, width, cv2.LINE_AA, SUBPIXELS)


def _fine(points: Floats) -> Ints:
    fine: Ints = np.round(points * 2**SUBPIXELS).astype(np.int32)
    return fine


def _tag(card: DetectedCard, short_side: int, *, outside: bool) -> _Tag:
    corners = np.array(card.quad)
    across = min(float(np.linalg.norm(corners[k] - corners[k - 1])) for k in range(4))
    size = max(11, short_side // 64, min(round(across * 0.34), short_side // 8))
    text, ink = "", PAPER
    if card.up:
        text, ink = ("?", SHADOW) if card.face is None else _spelled(card.face)
    wide = cv2.getTextSize((0, 0), text or "?", (0, 0), cv2.FontFace("sans"), size, WEIGHT)[2]
    return _Tag(card, text, ink, size, wide + size // 2, round(size * 1.3), outside)


def _spelled(face: str) -> tuple[str, Colour]:
    rank, suit = face[0].replace("T", "10"), face[1]
    return rank + SUITS[suit], INKS[suit]


def _places(tags: Sequence[_Tag], width: int, height: int) -> list[_LabelPlace]:
    """Give each tag a place that hides no corner index, no other tag and no other card, where there is one."""
    indices = [_index_box(tag.card.quad, k) for tag in tags for k in _indices(tag.card)]
    quads = np.array([tag.card.quad for tag in tags])
    around = [np.hstack([quad.min(axis=0), quad.max(axis=0)]) for quad in quads]
    found: list[_LabelPlace] = []
    for number, tag in enumerate(tags):
        half = np.array([tag.width, tag.height]) / 2
        middles, corners = _tries(tag)
        middles = np.clip(middles, half, np.maximum([width, height] - half, half))
        boxes = np.hstack([middles - half, middles + half])
        cost = 4 * _hidden(boxes, [place.box for place in found]) + 2 * _hidden(boxes, indices)
        if tag.outside:
            cost += 4 * _hidden(boxes, around)
        on_others = _held(middles, np.delete(quads, number, axis=0))
        cost += tag.width * tag.height * (on_others + 0.04 * np.arange(len(middles)))
        best = int(np.argmin(cost))
        found.append(_LabelPlace(boxes[best], corners[best]))
    return found


def _tries(tag: _Tag) -> tuple[Floats, list[Floats | None]]:
    """Give the middles that a tag may have, and for those beyond its card the corner that it must be tied to."""
    corners = np.array(tag.card.quad)
    middle = corners.mean(axis=0)
    within = INSIDE[:0] if tag.outside else INSIDE
    inside = middle + within @ np.array([corners[1] - corners[0], corners[3] - corners[0]])
    beyond = []
    for corner, turn, out in BEYOND:
        x, y = corners[corner] - middle
        way = np.arctan2(y, x) + np.deg2rad(turn)
        reach = np.array([tag.width, tag.height]) / 2 + tag.size * (out - 0.6)
        beyond.append(corners[corner] + reach * [np.cos(way), np.sin(way)])
    return np.vstack([inside, *beyond]), [None] * len(inside) + [corners[corner] for corner, _, _ in BEYOND]


def _held(points: Floats, quads: Floats) -> Floats:
    """Give how many of the quads, which run clockwise, hold each point."""
    edges = np.roll(quads, -1, axis=1) - quads
    to = points[:, None, None, :] - quads[None]
    right: Floats = edges[None, ..., 0] * to[..., 1] - edges[None, ..., 1] * to[..., 0]
    held: Floats = (right > 0).all(axis=2).sum(axis=1).astype(np.float64)
    return held


def _indices(card: DetectedCard) -> tuple[int, ...]:
    """Give the corners where a card has its index: two if we know how it lies, any if we do not."""
    if not card.up:
        return ()
    return (0, 2) if card.face else (0, 1, 2, 3)


def _index_box(quad: Quad, corner: int) -> Floats:
    corners = np.roll(np.array(quad), -corner, axis=0)
    sides = (corners[1] - corners[0], corners[3] - corners[0])
    if corner % 2:
        sides = (sides[1], sides[0])
    points = corners[0] + np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) * INDEX @ np.array(sides)
    return np.hstack([points.min(axis=0), points.max(axis=0)])


def _hidden(boxes: Floats, others: Sequence[Floats]) -> Floats:
    """Give the area that each box shares with all the others together."""
    if not others:
        return np.zeros(len(boxes))
    other = np.array(others)
    low = np.maximum(boxes[:, None, :2], other[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], other[None, :, 2:])
    shared: Floats = np.clip(high - low, 0, None).prod(axis=2).sum(axis=1)
    return shared


def _string(sheet: Pixels, tag: _Tag, place: _LabelPlace, line: int) -> None:
    if place.corner is None:
        return
    (x, y), (to_x, to_y) = _fine(np.array([place.box.reshape(2, 2).mean(axis=0), place.corner])).tolist()
    for ink, width in ((SHADOW, line + 2), (colour_of(tag.card), line)):
        cv2.line(sheet, (x, y), (to_x, to_y), ink, width, cv2.LINE_AA, SUBPIXELS)


def _plate(sheet: Pixels, tag: _Tag, box: Floats, line: int) -> None:
    left, top, right, bottom = np.round(box).astype(int).tolist()
    paper, edge = (PAPER, colour_of(tag.card)) if tag.card.up else (DOWN, PAPER)
    cv2.rectangle(sheet, (left, top), (right, bottom), paper, cv2.FILLED)
    cv2.rectangle(sheet, (left, top), (right, bottom), edge, line)
    if tag.text:
        font = cv2.FontFace("sans")
        x, y, wide, high = cv2.getTextSize((0, 0), tag.text, (0, 0), font, tag.size, WEIGHT)
        origin = (round((left + right - wide) / 2) - x, round((top + bottom - high) / 2) - y)
        cv2.putText(sheet, tag.text, origin, tag.ink, font, tag.size, WEIGHT)
