"""Decks as renderers want them: 52 faces and backs, each a texture of one size, cut at the card's edge."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np

from feltwatch.datasets.common.cache import BUNDLED, cache_dir, read_picture
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.card_codes import FACES, card_named
from feltwatch.datasets.sources.manifest import split_of
from feltwatch.vision.arrays import Pixels

CARD_PX = (252, 352)  # width, height: 4 px a millimetre of a card of 63 x 88 mm
PICTURES = (".png", ".webp", ".jpg", ".jpeg")
ASPECTS = (0.58, 0.82)  # width / height: from the narrowest patience card to the widest
SMALLEST_PX = 100  # narrower art has no index that can be read
OUTLINE = 0.025  # of the width: a drawn outline is never thicker
OUTLINE_STEP = 24  # grey levels between an outline and paper


class DeckError(DataError):
    """A folder, a picture or a name that makes no deck."""


@dataclass(frozen=True, slots=True)
class Deck:
    name: str
    split: str  # train, val, test or reserved
    faces: Mapping[str, Pixels]  # "9h" -> height x width x 3, BGR, read-only


def load_deck(name: str) -> Deck:
    """Give the bundled, fetched, drawn or scanned deck of this name."""
    for folder in (BUNDLED / "decks" / name, cache_dir() / "decks" / name):
        if folder.is_dir():
            return load_folder(folder, name=name, split=split_of(name))
    raise DeckError(
        f"deck {name!r}: not here; `python -m feltwatch.datasets fetch {name}` brings what the manifest lists"
    )


def load_folder(path: Path, name: str | None = None, split: str = "train", *, small: bool = False) -> Deck:
    """Make a deck of a folder of 52 pictures named by card; pictures of back or joker are passed over.

    `small` lets art through that is narrower than SMALLEST_PX: it is scaled up.
    """
    pictures = pictures_in(Path(path))
    missing = [face for face in FACES if face not in pictures]
    if missing:
        raise DeckError(f"{path}: {len(pictures)} cards, 52 expected; missing: {' '.join(missing)}")
    faces = {face: _face(pictures[face], small=small) for face in FACES}
    return Deck(name or Path(path).name, split, MappingProxyType(faces))


def load_back(name: str) -> Pixels:
    """Give the bundled, fetched or drawn back of this name."""
    for folder in (BUNDLED / "backs", cache_dir() / "backs"):
        for suffix in PICTURES:
            path = folder / f"{name}{suffix}"
            if path.is_file():
                return _face(path, small=False)
    raise DeckError(
        f"back {name!r}: not here; `python -m feltwatch.datasets fetch {name}` brings what the manifest lists"
    )


def texture(picture: Pixels, where: object, *, small: bool = False) -> Pixels:
    """Cut a picture at the card's edge, fill its corners with its paper, and scale it to CARD_PX."""
    cut = _without_outline(_on_paper(picture, where))
    height, width = cut.shape[:2]
    if not ASPECTS[0] <= width / height <= ASPECTS[1]:
        raise DeckError(f"{where}: {width}x{height} is not the shape of a card: width / height 0.72 expected")
    if width < SMALLEST_PX and not small:
        raise DeckError(f"{where}: {width} px wide, at least {SMALLEST_PX} expected")
    shrinks = width >= CARD_PX[0]
    scaled = cv2.resize(cut, CARD_PX, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC).astype(np.uint8)
    scaled.flags.writeable = False
    return scaled


def pictures_in(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise DeckError(f"{folder}: no such folder")
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in PICTURES or path.stem.lower().startswith((".", "back", "joker")):
            continue
        face = card_named(path.stem)
        if face is None:
            raise DeckError(f"{path}: {path.stem!r} names no card; expected such as 9h, 10d or ace_of_spades")
        if face in found:
            raise DeckError(f"{path}: a second picture of {face}, after {found[face].name}")
        found[face] = path
    return found


def _face(path: Path, *, small: bool) -> Pixels:
    try:
        return texture(read_picture(path), path, small=small)
    except DeckError:
        raise
    except DataError as fault:
        raise DeckError(str(fault)) from fault


def _on_paper(picture: Pixels, where: object) -> Pixels:
    if picture.shape[2] == 3:
        return picture
    solid = picture[..., 3] > 127
    rows, columns = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
    if rows.size == 0:
        raise DeckError(f"{where}: wholly transparent")
    cut = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    colour, alpha = cut[..., :3].astype(np.float32), cut[..., 3:].astype(np.float32) / 255
    return np.rint(colour * alpha + paper(cut) * (1 - alpha)).astype(np.uint8)


def paper(picture: Pixels) -> Pixels:
    """Give the colour of the paper: the median of the card's border, outlines and clear corners left out."""
    height, width = picture.shape[:2]
    depth = max(1, round(width * 0.03))
    ring = np.ones((height, width), bool)
    ring[2 * depth : height - 2 * depth, 2 * depth : width - 2 * depth] = False
    ring[:depth] = ring[-depth:] = ring[:, :depth] = ring[:, -depth:] = False
    if picture.shape[2] == 4:
        ring &= picture[..., 3] > 250
    border = picture[ring][:, :3] if ring.any() else picture.reshape(-1, picture.shape[2])[:, :3]
    colour: Pixels = np.median(border, axis=0).astype(np.uint8)
    return colour


def _without_outline(picture: Pixels) -> Pixels:
    """Take off a thin drawn outline, which no printed card has; a back whose pattern runs to the edge stays whole."""
    height, width = picture.shape[:2]
    ground = paper(picture)
    for depth in range(round(width * OUTLINE), 0, -1):
        if _edge_differs(picture, ground, depth - 1) and not _edge_differs(picture, ground, depth):
            return picture[depth : height - depth, depth : width - depth]
    return picture


def _edge_differs(picture: Pixels, ground: Pixels, depth: int) -> bool:
    height, width = picture.shape[:2]
    inside = picture[depth : height - depth, depth : width - depth]
    margin_y, margin_x = inside.shape[0] // 8, inside.shape[1] // 8  # the corners are round
    sides = (
        inside[0, margin_x:-margin_x],
        inside[-1, margin_x:-margin_x],
        inside[margin_y:-margin_y, 0],
        inside[margin_y:-margin_y, -1],
    )
    worst = [np.abs(np.median(side, axis=0) - ground.astype(np.int16)).max() for side in sides]
    return float(np.median(worst)) > OUTLINE_STEP
