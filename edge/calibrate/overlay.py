"""The overlay of a calibration: zones and points drawn over the image, for an installer to check."""

from collections.abc import Sequence

import cv2
import numpy as np

from feltwatch.engine.model.spots import ZONES
from feltwatch.vision.arrays import Colour, Floats, Ints, Pixels
from feltwatch.vision.geometry.calibration import Fit, Mark, edge_of
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.layout.zones import Area, Layout

CARDS: Colour = (255, 190, 60)
SPLITS: Colour = (200, 150, 90)
SPOTS: Colour = (60, 220, 255)
DEALER: Colour = (120, 240, 120)
REST: Colour = (210, 210, 210)
POINT: Colour = (255, 255, 255)
WRONG: Colour = (70, 70, 255)
SHADOW: Colour = (15, 15, 15)
EDGE: Colour = (255, 255, 255)

TINT = 0.20  # of a zone's colour over the picture
DIM = 0.8
LONGER = 10  # times their length that errors are drawn
FINE = 4  # bits of a pixel
WEIGHT = 600
GOOD_MM = 5.0


def draw(picture: Pixels, fit: Fit, layout: Layout, marks: Sequence[Mark], title: str) -> Pixels:
    """Draw zones with their names, the felt's edge, and each point with ten times its error."""
    sheet = (picture * DIM).astype(np.uint8)
    small = min(picture.shape[:2])
    line, letters = max(1, round(small / 700)), max(10, round(small / 85))
    tinted = sheet.copy()
    for area in _largest_first(layout):
        cv2.fillPoly(tinted, [_pixels(fit.camera, area.polygon)], _colour(area.name), cv2.LINE_AA, FINE)
    sheet = np.asarray(cv2.addWeighted(sheet, 1 - TINT, tinted, TINT, 0), np.uint8)
    _ring(sheet, _pixels(fit.camera, layout.outline), EDGE, line)
    for area in _largest_first(layout):
        _ring(sheet, _pixels(fit.camera, area.polygon), _colour(area.name), line)
    for area in layout.areas:
        _name(sheet, fit.camera, area, letters)
    for number, mark in enumerate(marks):
        _point(sheet, fit, mark, number, line, letters)
    _title(sheet, title, round(letters * 1.4))
    return sheet


def _largest_first(layout: Layout) -> list[Area]:
    return sorted(layout.areas, key=lambda area: -area.size)


def _colour(name: str) -> Colour:
    where, _, part = name.partition(".")
    if where == "dealer":
        return DEALER
    if not part:
        return REST
    if part.startswith("hand"):
        return SPLITS
    return CARDS if name in ZONES else SPOTS


def _pixels(camera: Camera, polygon: Sequence[tuple[float, float]]) -> Ints:
    fine = camera.to_picture(edge_of(polygon)) * (1 << FINE)
    return np.asarray(np.clip(np.round(fine), -(2**28), 2**28), np.int32)


def _ring(sheet: Pixels, points: Ints, colour: Colour, width: int) -> None:
    for ink, wide in ((SHADOW, width + 2), (colour, width)):
        cv2.polylines(sheet, [points], isClosed=True, color=ink, thickness=wide, lineType=cv2.LINE_AA, shift=FINE)


def _name(sheet: Pixels, camera: Camera, area: Area, letters: int) -> None:
    """Write a box's number once, in its cards; and of every zone what it is for."""
    where, _, part = area.name.partition(".")
    middle = camera.to_picture([np.mean(area.polygon, axis=0)])[0]
    if part == "cards" and where != "dealer":
        _words(sheet, where.replace("box", "box "), middle, round(letters * 1.7), CARDS)
    elif part.startswith("hand"):
        corner = camera.to_picture(area.polygon)
        _words(sheet, part, middle * 0.45 + corner[2:].mean(axis=0) * 0.55, round(letters * 0.75), SPLITS)
    else:
        text = part.replace("main/standing1", "standing") if part and where != "dealer" else area.name
        _words(sheet, text, middle, letters, _colour(area.name))


def _point(sheet: Pixels, fit: Fit, mark: Mark, number: int, line: int, letters: int) -> None:
    given = np.array(mark.image)
    seen = fit.camera.to_picture([mark.table])[0]
    off = float(fit.off_mm[number])
    colour = POINT if off <= GOOD_MM else WRONG
    at = _fine(given)
    to = _fine(given + (seen - given) * LONGER)
    for ink, wide in ((SHADOW, line + 3), (colour, line + 1)):
        cv2.circle(sheet, at, round(letters * 0.8) << FINE, ink, wide, cv2.LINE_AA, FINE)
        cv2.line(sheet, at, to, ink, wide, cv2.LINE_AA, FINE)
    cv2.circle(sheet, to, (line << FINE) + 8, colour, cv2.FILLED, cv2.LINE_AA, FINE)
    _words(sheet, f"{number + 1}", given + np.array([letters * 1.5, -letters * 1.1]), letters, colour)


def _fine(point: Floats) -> tuple[int, int]:
    x, y = np.clip(np.round(point * (1 << FINE)), -(2**28), 2**28).astype(int).tolist()
    return x, y


def _words(sheet: Pixels, text: str, middle: Floats, letters: int, colour: Colour) -> None:
    """Write with a dark rim, readable on any ground."""
    font = cv2.FontFace("sans")
    x, y, wide, high = cv2.getTextSize((0, 0), text, (0, 0), font, letters, WEIGHT)
    left, foot = round(float(middle[0]) - wide / 2) - x, round(float(middle[1]) - high / 2) - y
    rim = max(1, letters // 12)
    for across in (-rim, 0, rim):
        for down in (-rim, 0, rim):
            if across or down:
                cv2.putText(sheet, text, (left + across, foot + down), SHADOW, font, letters, WEIGHT)
    cv2.putText(sheet, text, (left, foot), colour, font, letters, WEIGHT)


def _title(sheet: Pixels, title: str, letters: int) -> None:
    font = cv2.FontFace("sans")
    band = sheet[: letters * 2]
    band[:] = band // 4
    cv2.putText(sheet, title, (letters, round(letters * 1.35)), POINT, font, letters, WEIGHT)
