"""Printed sheets that an installer lays on the felt: where they lie, and how they are found in a picture.

Only where the middle of a sheet lies must be measured. How it is turned, and whether the printer shrank it, is worked
out from the picture, so a sheet laid askew costs nothing.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Mask, Pixels, Point
from feltwatch.vision.geometry.calibration import Fit, Lens, Mark, MisfitError, calibrated
from feltwatch.vision.geometry.camera import CameraError
from feltwatch.vision.layout.zones import LayoutError, known_keys, numbers

CELLS = 5
QUIET = 1  # cell of black around them
DICTIONARY = cv2.aruco.DICT_5X5_50
SMALL_MM, LARGE_MM = 160.0, 240.0  # sides of the marker on a sheet of A4 or letter, and of A3
FIRST_LARGE = 11  # sheets 1 to 9 bear a small marker, 11 to 19 a large one
LAST = 19
LEAST = 3  # sheets: fewer hold a corner of the felt and not the whole
MOST_OFF_MM = 15.0
SHRUNK = 0.015  # of its size: what a printer may do to a sheet
ROUNDS = 4  # of working out turns and size: the second changes hundredths of a millimetre

# Where the middles of sheets lie unless a file says otherwise: in sight of each other, on the felt of every preset, off
# the tray, the shoe and the discards. Sheet 1 is at the dealer's left, like box 1.
PLACES: Mapping[int, Point] = {
    1: (-700.0, 260.0),
    2: (-260.0, 640.0),
    3: (260.0, 640.0),
    4: (700.0, 260.0),
    11: (-560.0, 320.0),
    12: (-260.0, 560.0),
    13: (260.0, 560.0),
    14: (560.0, 320.0),
}
CORNERS = ("top left", "top right", "bottom right", "bottom left")  # as printed; the top is the dealer's side
NOTHING_KNOWN = Lens()


@dataclass(frozen=True)
class Sheets:
    """What sheets in a picture tell: four marks of each, what they are called, how the sheets were printed."""

    marks: tuple[Mark, ...]
    names: tuple[str, ...]
    grown: float  # the size they were printed at; 1 is true
    fit: Fit


def side_mm(sheet: int) -> float:
    return SMALL_MM if sheet < FIRST_LARGE else LARGE_MM


@cache
def _dictionary() -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(DICTIONARY)


def cells(sheet: int) -> Mask:
    """Give the marker of a sheet, cell by cell: true is black."""
    side = CELLS + 2 * QUIET
    return np.asarray(cv2.aruco.generateImageMarker(_dictionary(), sheet, side, borderBits=QUIET) < 128)


def parse_places(text: str, source: str) -> dict[int, Point]:
    """Read where sheets lie: [[sheets]] with id and at = [x, y] in millimetres."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LayoutError(f"{source}: not TOML: {error}") from error
    known_keys(found, {"sheets"}, source)
    rows = found.get("sheets")
    if not isinstance(rows, list) or not rows:
        raise LayoutError(f"{source}: expected [[sheets]], each with id and at = [x, y] in millimetres, found {rows!r}")
    places: dict[int, Point] = {}
    for number, row in enumerate(rows, 1):
        where = f"{source}: sheets {number}"
        if not isinstance(row, dict):
            raise LayoutError(f"{where}: expected id and at = [x, y], found {row!r}")
        known_keys(row, {"id", "at"}, where)
        sheet = row.get("id")
        if not isinstance(sheet, int) or isinstance(sheet, bool) or not _is_sheet(sheet) or sheet in places:
            raise LayoutError(f"{where}: id: expected 1 to 9, or 11 to 19 for A3, each once, found {sheet!r}")
        x, y = numbers(row.get("at"), 2, f"{where}: at")
        places[sheet] = (x, y)
    return places


def _is_sheet(sheet: int) -> bool:
    return 1 <= sheet <= LAST and sheet != FIRST_LARGE - 1


def seen_sheets(picture: Pixels) -> dict[int, Floats]:
    """Give the corners (4 x 2) of each sheet's marker that a picture shows, clockwise from its printed top left."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, ids, _ = cv2.aruco.ArucoDetector(_dictionary(), settings).detectMarkers(grey)
    if ids is None:
        return {}
    found: dict[int, Floats] = {}
    for sheet, four in zip((int(one) for one in np.ravel(ids)), corners, strict=True):
        if _is_sheet(sheet):
            found[sheet] = np.asarray(four, np.float64).reshape(4, 2)
    return dict(sorted(found.items()))


def sheet_marks(
    size: tuple[int, int], seen: Mapping[int, Floats], places: Mapping[int, Point], lens: Lens = NOTHING_KNOWN
) -> Sheets:
    """Hang the camera by the sheets that are seen and have a place; refuse too few, and one that lies elsewhere."""
    known = {sheet: corners for sheet, corners in seen.items() if sheet in places}
    if len(known) < LEAST:
        wanted = ", ".join(str(sheet) for sheet in sorted(places))
        found = f"saw {_listed(seen)}" if seen else "saw none"
        raise CameraError(
            f"expected {LEAST} or more of the sheets {wanted}, {found}: lay them flat, wholly in sight of the camera "
            "and evenly lit; feltwatch calibrate --sheet sheet.pdf prints them"
        )
    fit, marks, grown = _worked_out(size, known, places, lens)
    if fit.off_mm.max() > MOST_OFF_MM:
        wrong = _astray(size, known, places, lens)
        x, y = places[wrong]
        raise CameraError(
            f"sheet {wrong} lies elsewhere than the others say, {fit.off_mm.max():.0f} mm off where at most "
            f"{MOST_OFF_MM:.0f} are expected: lay its middle at [{x:g}, {y:g}], or say with --places where it lies"
        )
    names = tuple(f"sheet {sheet}, {corner}" for sheet in known for corner in CORNERS)
    return Sheets(marks, names, grown, fit)


def _listed(seen: Mapping[int, Floats]) -> str:
    return f"sheet{'' if len(seen) == 1 else 's'} {', '.join(str(sheet) for sheet in seen)} only"


def _worked_out(
    size: tuple[int, int], seen: Mapping[int, Floats], places: Mapping[int, Point], lens: Lens
) -> tuple[Fit, tuple[Mark, ...], float]:
    """Place the camera, and again with each sheet rotated and scaled as measured."""
    sheets = list(seen)
    pixels = np.vstack([seen[sheet] for sheet in sheets])
    turns, grown = dict.fromkeys(sheets, 0.0), 1.0
    fit = _by_middles(size, seen, places, lens) if len(sheets) > LEAST else None
    for _ in range(ROUNDS):
        if fit is not None:
            felt = fit.camera.to_felt(pixels).reshape(-1, 4, 2)
            ways = {sheet: _way(four, sheet) for sheet, four in zip(sheets, felt, strict=True)}
            turns = {sheet: float(np.angle(way)) for sheet, way in ways.items()}
            measured = float(np.median([abs(way) for way in ways.values()]))
            grown = measured if len(sheets) > LEAST and abs(measured - 1) > SHRUNK else 1.0
        corners = np.vstack([_corners(sheet, places[sheet], turns[sheet], grown) for sheet in sheets])
        marks = _marks(pixels, corners)
        fit = _loosely(size, marks, lens)
    assert fit is not None  # noqa: S101  for the type checker: the loop has run
    return fit, marks, grown


def _marks(pixels: Floats, places: Floats) -> tuple[Mark, ...]:
    rows = zip(pixels.round(2).tolist(), places.round(1).tolist(), strict=True)
    return tuple(Mark((u, v), (x, y)) for (u, v), (x, y) in rows)


def _loosely(size: tuple[int, int], marks: Sequence[Mark], lens: Lens) -> Fit:
    try:
        return calibrated(size, marks, lens)
    except MisfitError as error:
        return error.fit


def _by_middles(
    size: tuple[int, int], seen: Mapping[int, Floats], places: Mapping[int, Point], lens: Lens
) -> Fit | None:
    """Hang the camera by the middles alone, which lie where they lie however a sheet is turned."""
    middles = np.array([_crossing(four) for four in seen.values()])
    try:
        return _loosely(size, _marks(middles, np.array([places[sheet] for sheet in seen])), lens)
    except CameraError:
        return None  # the middles lie on a line; corners may still tell


def _crossing(four: Floats) -> Floats:
    """Give where the diagonals cross: the middle, also of a square seen askew."""
    p, r = four[0], four[2] - four[0]
    q, s = four[1], four[3] - four[1]
    return np.asarray(p + r * ((q - p)[0] * s[1] - (q - p)[1] * s[0]) / (r[0] * s[1] - r[1] * s[0]))


def _corners(sheet: int, at: Point, turn: float, grown: float) -> Floats:
    """Give the marker's corners on the felt, as printed clockwise from the top left, where the top is to the dealer."""
    half = side_mm(sheet) / 2 * grown
    flat = np.array([half - half * 1j, -half - half * 1j, -half + half * 1j, half + half * 1j]) * np.exp(1j * turn)
    return np.column_stack([at[0] + flat.real, at[1] + flat.imag])


def _way(felt: Floats, sheet: int) -> complex:
    """Give how a sheet is turned and grown against one that lies straight, as a complex number."""
    there = (felt - felt.mean(axis=0)) @ np.array([1, 1j])
    straight = _corners(sheet, (0.0, 0.0), 0.0, 1.0) @ np.array([1, 1j])
    return complex((there * straight.conj()).sum() / (abs(straight) ** 2).sum())


def _astray(size: tuple[int, int], seen: Mapping[int, Floats], places: Mapping[int, Point], lens: Lens) -> int:
    """Give the sheet without which the others fit best; where they are too few to tell, the one furthest off."""
    if len(seen) <= LEAST:
        fit, _, _ = _worked_out(size, seen, places, lens)
        return list(seen)[int(fit.off_mm.argmax()) // 4]
    off = {}
    for sheet in seen:
        rest = {other: corners for other, corners in seen.items() if other != sheet}
        off[sheet] = float(_worked_out(size, rest, places, lens)[0].off_mm.max())
    return min(off, key=lambda sheet: off[sheet])
