"""`python -m feltwatch.datasets deck`: a customer's own deck from 52 photographs, each of one card on differing ground.

The card's outline is found, laid flat, and evenly lit; a contact sheet is written to be looked at.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.art.cards.decks import CARD_PX, DeckError, load_folder, pictures_in
from feltwatch.datasets.art.cards.drawn import sheet
from feltwatch.datasets.common.cache import cache_dir, read_picture, write_picture
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.sources.card_codes import FACES, LONGEST, is_name
from feltwatch.datasets.sources.manifest import read
from feltwatch.vision.arrays import Floats32, Pixels

QuadArray = Floats32  # four corners, clockwise from the top left

WORK_PX = 900  # longest side while looking for the outline
SMALLEST = 0.04  # of the picture: a smaller outline is no card
ASPECT = (0.58, 0.82)  # short side / long side as seen; a steep look is refused
SKEWED = 1.35  # a side over the one opposite to it
FILL = 0.93  # how much of its four-cornered hull a card fills; its corners are round


def main(arguments: list[str]) -> int:
    parser = Arguments("python -m feltwatch.datasets deck", description=__doc__)
    parser.add_argument("folder", type=Path, help="52 pictures named by card: 9h.jpg, 10d.png, ace_of_spades.jpg …")
    parser.add_argument("--name", required=True, help="the deck's name; it joins the split train")
    parser.add_argument("--back", type=Path, help="a picture of the back")
    parser.add_argument("-o", "--out", type=Path, help="where to write, else the cache")
    options = parser.parse_args(arguments)
    written = scan_deck(options.folder, options.name, options.out or cache_dir(), options.back)
    looked = written.parents[1] / "sheets" / f"{options.name}.png"
    sys.stdout.write(f"deck {options.name}: 52 cards in {written}; look at {looked}\n")
    return 0


def scan_deck(folder: Path, name: str, root: Path, back: Path | None = None) -> Path:
    """Write ROOT/decks/NAME, its contact sheet beside it, and the back; give the deck's folder."""
    _check_name(name)
    pictures = pictures_in(folder)
    missing = [face for face in FACES if face not in pictures]
    if missing:
        raise DeckError(f"{folder}: {len(pictures)} cards, 52 expected; missing: {' '.join(missing)}")
    target = root / "decks" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if back is not None:
        write_picture(root / "backs" / f"{name}-back.png", scan_card(read_picture(back), back))
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".part-") as part:
        for face in FACES:
            card = scan_card(read_picture(pictures[face]), pictures[face])
            write_picture(Path(part) / "deck" / f"{face}.png", card)
        faces = load_folder(Path(part) / "deck").faces
        shutil.rmtree(target, ignore_errors=True)
        (Path(part) / "deck").rename(target)
    write_picture(root / "sheets" / f"{name}.png", sheet(faces))
    return target


def scan_card(picture: Pixels, where: object) -> Pixels:
    """Give the card of a photograph as a texture of CARD_PX, upright and evenly lit."""
    colour = _opaque(picture)
    quad = _corners(colour)
    if quad is None or _is_scan(colour, quad):
        height, width = colour.shape[:2]
        if not ASPECT[0] <= width / height <= ASPECT[1]:
            raise DeckError(f"{where}: no card found; lay it alone on ground that is darker or of another colour")
        quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    if not ASPECT[0] <= (seen := _shape(quad)) <= ASPECT[1]:
        raise DeckError(f"{where}: the card looks {seen:.2f} as wide as high, 0.72 expected; hold the camera above it")
    return evened(laid_flat(colour, quad))


def laid_flat(picture: Pixels, quad: QuadArray) -> Pixels:
    width, height = CARD_PX
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(quad - np.float32(0.5), flat)
    fine = max(1, round(float(np.linalg.norm(quad[1] - quad[0])) / width))
    scaled = np.diag([fine, fine, 1.0]) @ matrix
    big = cv2.warpPerspective(picture, scaled, (width * fine, height * fine), flags=cv2.INTER_LINEAR)
    return cv2.resize(big, CARD_PX, interpolation=cv2.INTER_AREA).astype(np.uint8)


def evened(card: Pixels) -> Pixels:
    """Take slow changes of light out of the paper, and at most a quarter of its brightness either way."""
    light = cv2.cvtColor(card, cv2.COLOR_BGR2GRAY)
    paper = light > np.percentile(light, 60) * 0.8
    if float(paper.mean()) < 0.3:
        return card
    rows, columns = np.indices(light.shape, np.float32) / np.float32(light.shape[0])
    terms = np.stack([np.ones_like(rows), rows, columns, rows * columns], axis=-1)
    fit, *_ = np.linalg.lstsq(terms[paper], light[paper].astype(np.float32), rcond=None)
    ground = terms @ fit
    gain = np.clip(np.percentile(ground, 90) / np.maximum(ground, 1), 0.75, 1.25)
    even: Pixels = np.clip(np.rint(card * gain[..., None]), 0, 255).astype(np.uint8)
    return even


def _check_name(name: str) -> None:
    manifest = read()
    if not is_name(name):
        raise DataError(f"deck name {name!r}: letters, digits and dashes expected, {LONGEST} at most")
    if name in manifest.deck_splits():
        raise DataError(f"deck name {name!r}: taken by the manifest; choose another")


def _is_scan(picture: Pixels, quad: QuadArray) -> bool:
    """Tell a card that fills the picture: what was found is no card, or is printed straight in its very middle."""
    height, width = picture.shape[:2]
    slack = 0.03 * width
    left, top = quad[[0, 3], 0], quad[[0, 1], 1]
    right, bottom = width - quad[[1, 2], 0], height - quad[[2, 3], 1]
    middle = abs(float(left.mean() - right.mean())) < slack and abs(float(top.mean() - bottom.mean())) < slack
    straight = all(float(np.ptp(side)) < slack for side in (left, right, top, bottom))
    shaped = ASPECT[0] <= width / height <= ASPECT[1] and float(np.median(picture[:4])) > 150
    return shaped and ((middle and straight) or _is_skewed(quad) or not ASPECT[0] <= _shape(quad) <= ASPECT[1])


def _is_skewed(quad: QuadArray) -> bool:
    """Tell whether opposite sides differ by more than those of a card seen from above: it is a part of a picture."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return bool((np.maximum(sides[:2], sides[2:]) > SKEWED * np.minimum(sides[:2], sides[2:])).any())


def _opaque(picture: Pixels) -> Pixels:
    if picture.shape[2] == 3:
        return picture
    alpha = picture[..., 3:].astype(np.float32) / 255
    shown: Pixels = np.rint(picture[..., :3] * alpha).astype(np.uint8)
    return shown


def _corners(picture: Pixels) -> QuadArray | None:
    """Give the corners of the largest four-sided thing that stands out from the picture's rim."""
    scale = min(1.0, WORK_PX / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8)
    found = [quad for mask in _masks(small) if (quad := _quad_of(mask)) is not None]
    if not found:
        return None
    best = max(found, key=lambda quad: float(cv2.contourArea(quad)))
    return _upright(best / np.float32(scale))


def _masks(picture: Pixels) -> list[Pixels]:
    """Mark what differs from the rim in colour, and what is bright, each its own guess."""
    lab = cv2.cvtColor(cv2.GaussianBlur(picture, (5, 5), 0), cv2.COLOR_BGR2LAB).astype(np.float32)
    rim = np.concatenate([lab[:4].reshape(-1, 3), lab[-4:].reshape(-1, 3), lab[:, :4].reshape(-1, 3)])
    far = np.linalg.norm(lab - np.median(rim, axis=0), axis=2)
    guesses = [np.clip(far, 0, 255).astype(np.uint8), lab[..., 0].astype(np.uint8)]
    masks = [cv2.threshold(guess, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1] for guess in guesses]
    kernel = np.ones((5, 5), np.uint8)
    return [cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel).astype(np.uint8) for mask in masks]


def _quad_of(mask: Pixels) -> QuadArray | None:
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not outlines:
        return None
    hull = cv2.convexHull(max(outlines, key=cv2.contourArea))
    area, whole = float(cv2.contourArea(hull)), mask.shape[0] * mask.shape[1]
    if not SMALLEST * whole < area < 0.97 * whole:
        return None
    for slack in (0.02, 0.03, 0.05, 0.08):
        rough = cv2.approxPolyDP(hull, slack * cv2.arcLength(hull, closed=True), closed=True).reshape(-1, 2)
        if len(rough) == 4:
            quad = _sides_met(hull.reshape(-1, 2).astype(np.float32), rough.astype(np.float32))
            return quad if area > FILL * float(cv2.contourArea(quad)) else None
    return None


def _sides_met(outline: QuadArray, rough: QuadArray) -> QuadArray:
    """Fit a line to the middle of every side and let neighbours meet: the card's corners are round."""
    lines = []
    dense = _dense(outline)
    for start, end in zip(rough, np.roll(rough, -1, axis=0), strict=True):
        along = end - start
        length = float(np.linalg.norm(along))
        offset = dense - start
        part = offset @ along / length**2
        away = np.abs(offset[:, 0] * along[1] - offset[:, 1] * along[0]) / length
        near = dense[(part > 0.15) & (part < 0.85) & (away < 0.04 * length)]
        if len(near) < 2:
            return rough
        vx, vy, x, y = (float(value) for value in cv2.fitLine(near, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
        lines.append(np.cross([x, y, 1], [x + vx, y + vy, 1]))
    met = [np.cross(lines[number - 1], lines[number]) for number in range(4)]
    if any(abs(point[2]) < 1e-9 for point in met):
        return rough
    return np.array([point[:2] / point[2] for point in met], np.float32)


def _dense(outline: QuadArray) -> QuadArray:
    """Give points all along a hull, whose own points are few on straight sides."""
    steps = np.linspace(0, 1, 40, endpoint=False, dtype=np.float32)[:, None]
    sides = zip(outline, np.roll(outline, -1, axis=0), strict=True)
    return np.concatenate([start + steps * (end - start) for start, end in sides]).astype(np.float32)


def _upright(quad: QuadArray) -> QuadArray:
    """Order the corners clockwise from the top left of the card, whose long sides go down."""
    middle = quad.mean(axis=0)
    turns = np.arctan2(quad[:, 1] - middle[1], quad[:, 0] - middle[0])
    ordered = quad[np.argsort(turns)]
    first = int(np.argmin(ordered.sum(axis=1)))
    ordered = np.roll(ordered, -first, axis=0)
    across = np.linalg.norm(ordered[1] - ordered[0]) + np.linalg.norm(ordered[2] - ordered[3])
    down = np.linalg.norm(ordered[3] - ordered[0]) + np.linalg.norm(ordered[2] - ordered[1])
    return (np.roll(ordered, 1, axis=0) if across > down else ordered).astype(np.float32)


def _shape(quad: QuadArray) -> float:
    across = np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])
    down = np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])
    return float(across / down)
