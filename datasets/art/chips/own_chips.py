"""`python -m feltwatch.datasets chips`: a customer's own chips, from a photograph of each value seen from above."""

import sys
from itertools import groupby
from math import pi
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.art.chips.chip_faces import LEVELS, SIZE, Face, Sector
from feltwatch.datasets.common.cache import cache_dir, read_picture, write_picture
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.sources.card_codes import LONGEST, is_name
from feltwatch.vision.arrays import Colour, Floats, Ints, Pixels

FOLDER = "chips"
PICTURES = (".png", ".webp", ".jpg", ".jpeg")
WORK_PX = 600  # longest side while looking for the outline
SMALLEST = 0.03  # of the picture: a smaller outline is no chip
ROUND = 0.6  # short over long axis as seen; a steeper look is refused
RIM = 0.92  # of the radius: there the edge spots show
STEPS = 120  # parts of the rim that are looked at
APART = 45.0  # colours of the rim that differ by less are one
LEAST = 3  # steps that a spot takes at least


def main(arguments: list[str]) -> int:
    parser = Arguments("python -m feltwatch.datasets chips", description=__doc__)
    parser.add_argument("folder", type=Path, help="pictures named by value: 5.jpg, 25.jpg, 100.jpg …")
    parser.add_argument("--name", required=True, help="the set's name")
    options = parser.parse_args(arguments)
    values = scan_chips(options.folder, options.name)
    place = cache_dir() / FOLDER / options.name
    sys.stdout.write(f"chips {options.name}: {', '.join(map(str, values))} in {place}; look at them\n")
    return 0


def scan_chips(folder: Path, name: str) -> list[int]:
    """Write the tops of a set of chips into the cache; give their values."""
    if not is_name(name):
        raise DataError(f"chips name {name!r}: letters, digits and dashes expected, {LONGEST} at most")
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder")
    found = {_value(path): path for path in sorted(folder.iterdir()) if path.suffix.lower() in PICTURES}
    if not found:
        raise DataError(f"{folder}: no pictures; expected one a value, such as 25.jpg")
    tops = {value: scan_chip(read_picture(path), path) for value, path in found.items()}
    for value, top in tops.items():
        write_picture(cache_dir() / FOLDER / name / f"{value}.png", top)
    return sorted(tops)


def _value(path: Path) -> int:
    if not path.stem.isdigit() or int(path.stem) < 1:
        raise DataError(f"{path}: {path.stem!r} is no value of a chip; expected such as 25.jpg")
    return int(path.stem)


def scan_chip(picture: Pixels, where: object) -> Pixels:
    """Find the chip, lay it flat and cut it out: a disc that touches all four sides of SIZE."""
    colour = picture[..., :3]
    scale = WORK_PX / max(colour.shape[:2])
    small = cv2.resize(colour, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    outline = _outline(small.astype(np.uint8, copy=False))
    if outline is None or cv2.contourArea(outline) < SMALLEST * small.shape[0] * small.shape[1]:
        raise DataError(f"{where}: no chip found; expected one chip from above on ground of another colour")
    (x, y), (first, second), turn = cv2.fitEllipse(outline)
    if min(first, second) < ROUND * max(first, second):
        raise DataError(f"{where}: seen too much from the side; expected a chip from above")
    way = np.deg2rad(turn)
    axes = np.array([[np.cos(way), np.sin(way)], [-np.sin(way), np.cos(way)]]) * np.array([[first], [second]]) / 2
    middle = np.array([x, y])
    points = np.array([middle, middle + axes[0], middle + axes[1]], np.float32) / np.float32(scale)
    half = (SIZE - 1) / 2
    place = np.array([np.cos(way), np.sin(way)]) * half
    target = np.array(
        [[half, half], [half + place[0], half + place[1]], [half - place[1], half + place[0]]], np.float32
    )
    cut = cv2.warpAffine(colour, cv2.getAffineTransform(points, target), (SIZE, SIZE), flags=cv2.INTER_AREA)
    return cut.astype(np.uint8, copy=False)


def _outline(picture: Pixels) -> Ints | None:
    """Give the outline of what differs most from the picture's border."""
    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    apart = np.abs(picture.astype(np.int16) - np.median(border, axis=0).astype(np.int16)).max(axis=2).astype(np.uint8)
    _, mask = cv2.threshold(cv2.GaussianBlur(apart, (0, 0), 2), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    best = max(found, key=cv2.contourArea, default=None)
    return cv2.convexHull(best).astype(np.int32) if best is not None and len(best) > 8 else None


def own_faces(name: str) -> dict[int, Face]:
    """Give the faces of a set that was scanned, by value; none if there is no such set."""
    folder = cache_dir() / FOLDER / name
    return {int(path.stem): face_of_top(read_picture(path)) for path in sorted(folder.glob("[1-9]*.png"))}


def face_of_top(top: Pixels) -> Face:
    """Make a chip of the picture of its top: its side shows what the rim shows."""
    levels = [top[..., :3].copy()]
    for _ in range(LEVELS - 1):
        half = levels[-1].shape[0] // 2
        levels.append(cv2.resize(levels[-1], (half, half), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False))
    for level in levels:
        level.flags.writeable = False
    base, sectors = _rim(levels[0])
    return Face(tuple(levels), base, sectors, np.array([(s.start, s.end) for s in sectors]).reshape(-1, 2))


def _rim(top: Pixels) -> tuple[Colour, tuple[Sector, ...]]:
    """Read the colours round the rim: the commonest is the base, every other run of one colour a spot."""
    half = (top.shape[0] - 1) / 2
    turns = (np.arange(STEPS) + 0.5) * 2 * pi / STEPS
    x, y = half + RIM * half * np.cos(turns), half + RIM * half * np.sin(turns)
    soft = cv2.GaussianBlur(top, (0, 0), 2)
    seen = soft[np.rint(y).astype(int), np.rint(x).astype(int)].astype(np.float64)
    base = _commonest(seen)
    spots = np.abs(seen - base).max(axis=1) > APART
    start = int(np.argmin(spots)) if not spots.all() else 0  # begin on the base, so that no spot is cut in two
    order = np.roll(np.arange(STEPS), -start)
    sectors = []
    for is_spot, run in groupby(order, key=lambda n: bool(spots[n])):
        steps = list(run)
        if is_spot and len(steps) >= LEAST:
            first = steps[0] * 2 * pi / STEPS
            sectors.append(Sector(first, first + len(steps) * 2 * pi / STEPS, _colour(np.median(seen[steps], axis=0))))
    return _colour(base), tuple(sectors)


def _commonest(seen: Floats) -> Floats:
    alike = (np.abs(seen[:, None] - seen[None]).max(axis=2) <= APART).sum(axis=1)
    like = np.abs(seen - seen[int(np.argmax(alike))]).max(axis=1) <= APART
    return np.asarray(np.median(seen[like], axis=0))


def _colour(found: Floats) -> Colour:
    blue, green, red = (round(float(value)) for value in found)
    return blue, green, red
