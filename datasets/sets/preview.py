"""`python -m feltwatch.datasets preview`: contact sheets, so that a person checks a set in a minute."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.common.cache import read_picture, write_picture
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.photos.real import crops_of, photographs
from feltwatch.datasets.sets.labels import boxes_of
from feltwatch.datasets.sets.sets import SPLITS, RenderedTables
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.datasets.truth import Truth
from feltwatch.vision.arrays import Pixels, Point

WIDE = 2400  # a sheet is no wider
HIGH = 2400
CAPTION = 14
GAP = 2
CROP = (72, 96)
TABLE = (792, 446)
PHOTO = (296, 296)
HARDEST = 0.01
COLOURS = {"card_up": (60, 220, 60), "card_down": (255, 140, 40), "chip_stack": (40, 170, 255), "hand": (240, 60, 240)}

Tile = tuple[str, Pixels]


def sheets(tiles: Iterable[Tile], size: tuple[int, int], columns: int = 0) -> Iterator[Pixels]:
    """Lay captioned tiles of one size out in rows, on as many sheets as they need."""
    width, height = size[0] + GAP, size[1] + CAPTION + GAP
    columns = min(columns or WIDE // width, WIDE // width)
    rows = max(1, HIGH // height)
    waiting = iter(tiles)
    while page := list(islice(waiting, columns * rows)):
        used = -(-len(page) // columns)
        sheet = np.full((used * height, columns * width, 3), 32, np.uint8)
        for number, (caption, picture) in enumerate(page):
            top, left = number // columns * height, number % columns * width
            sheet[top : top + size[1], left : left + size[0]] = fitted(picture, size)
            spot = (left + 1, top + size[1] + CAPTION - 4)
            said = caption.encode("ascii", "replace").decode()[: size[0] // 6]
            cv2.putText(sheet, said, spot, cv2.FONT_HERSHEY_SIMPLEX, 0.33, (230, 230, 230), 1, cv2.LINE_AA)
        yield sheet


def fitted(picture: Pixels, size: tuple[int, int]) -> Pixels:
    """Give the whole picture within a size, on grey."""
    scale = min(size[0] / picture.shape[1], size[1] / picture.shape[0])
    width, height = max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale))
    ground = np.full((size[1], size[0], 3), 64, np.uint8)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    ground[:height, :width] = cv2.resize(picture[..., :3], (width, height), interpolation=way)
    return ground


def drawn_on(picture: Pixels, truth: Truth) -> Pixels:
    """Draw a truth on its picture: cards with their faces and a dot at the top left corner, stacks, hands."""
    found = picture.copy()
    for card in truth.cards:
        colour = COLOURS["card_up" if card.up else "card_down"] if card.label == "card" else (60, 60, 255)
        _outline(found, card.quad, colour)
        cv2.circle(found, _whole(card.quad[0]), 3, colour, -1)
        _say(found, f"{card.face or '?'}{'' if card.up else ' down'} {card.visible:.2f}", card.quad[0])
    for stack in truth.stacks:
        _outline(found, stack.hull, COLOURS["chip_stack"])
        _say(found, str(len(stack.chips)), stack.center)
    for hand in truth.hands:
        _outline(found, hand, COLOURS["hand"])
    return found


def labels_on(picture: Pixels, text: str, where: object) -> Pixels:
    """Draw written labels back on their picture, as a trainer would read them."""
    found = picture.copy()
    for box in boxes_of(text, (picture.shape[1], picture.shape[0]), where):
        _outline(found, box.quad, COLOURS[box.kind])
    return found


def _outline(picture: Pixels, points: Iterable[Point], colour: tuple[int, int, int]) -> None:
    outline = np.rint(np.array(list(points))).astype(np.int32)
    cv2.polylines(picture, [outline], isClosed=True, color=colour, thickness=max(1, max(picture.shape[:2]) // 400))


def _say(picture: Pixels, text: str, point: Point) -> None:
    size = max(0.35, picture.shape[1] / 2400)
    for colour, thick in (((0, 0, 0), 3), ((255, 255, 255), 1)):
        cv2.putText(picture, text, _whole(point), cv2.FONT_HERSHEY_SIMPLEX, size, colour, thick, cv2.LINE_AA)


def _whole(point: Point) -> tuple[int, int]:
    return round(point[0]), round(point[1])


def _tables(split: str, count: int, seed: int) -> Iterator[Pixels]:
    make = RenderedTables(split, seed)
    items = (make(number) for number in range(count))
    yield from sheets(((f"seed {seed} no {n}", drawn_on(i.image, i.truth)) for n, i in enumerate(items)), TABLE)


def _crops(split: str, count: int, seed: int) -> Iterator[Pixels]:
    """Show `count` crops of every face, a face after the other."""
    from feltwatch.datasets.render.crops import crops  # noqa: PLC0415  art is loaded only by those who draw

    found: dict[str, list[Tile]] = {face: [] for face in (*FACES, "back")}
    for crop in islice(crops(split, seed), 60 * count * len(found)):
        of_face = found.setdefault(crop.face, [])
        if len(of_face) < count:
            of_face.append((f"{crop.face} {crop.hard:.1f}", crop.image))
        if all(len(tiles) >= count for tiles in found.values()):
            break
    yield from sheets((tile for tiles in found.values() for tile in tiles), CROP)


def _hardest(split: str, count: int, seed: int) -> Iterator[Pixels]:
    """Show the hardest `count` crops of a hundred times as many."""
    from feltwatch.datasets.render.crops import crops  # noqa: PLC0415  art is loaded only by those who draw

    found = sorted(islice(crops(split, seed), round(count / HARDEST)), key=lambda crop: crop.hard, reverse=True)
    yield from sheets(((f"{crop.face} {crop.hard:.2f}", crop.image) for crop in found[:count]), CROP)


def _decks(split: str, count: int, _seed: int) -> Iterator[Pixels]:
    """Show a row for each design: aces, a ten, courts and pips, the same for all."""
    from feltwatch.datasets.art.cards.decks import load_deck  # noqa: PLC0415  art is loaded only by those who draw
    from feltwatch.datasets.sources.manifest import names_of  # noqa: PLC0415  as above

    shown = ("As", "Ah", "Ac", "Ad", "2s", "4h", "6c", "6h", "7d", "8s", "9c", "9h", "Td", "Ts")
    courts = ("Js", "Jh", "Jc", "Jd", "Qs", "Qh", "Qc", "Qd", "Ks", "Kh", "Kc", "Kd")
    decks = (load_deck(name) for name in names_of("decks", split)[:count])
    tiles = ((deck.name if face == "As" else face, deck.faces[face]) for deck in decks for face in (*shown, *courts))
    yield from sheets(tiles, CROP, columns=len(shown) + len(courts))


def _photographs(folder: Path, split: str | None, count: int) -> Iterator[Pixels]:
    found = list(photographs(folder, (split,) if split else SPLITS))
    picked = found[:: max(1, len(found) // max(1, count))][:count]
    yield from sheets(((p.name, drawn_on(p.load(), p.truth)) for p in picked), PHOTO)
    crops = ((f"{card.face} {photo.source.name}", crop) for photo in picked for card, crop in crops_of(photo))
    yield from sheets(crops, CROP)


def _written(folder: Path, split: str | None, count: int) -> Iterator[Pixels]:
    """Show a set on disk: tables with their labels drawn back, or crops by class."""
    if (folder / "images").is_dir():
        found = [path for path in sorted((folder / "images").glob("*/*.jpg")) if split in (None, path.parent.name)]
        yield from sheets((_labelled(folder, path) for path in found[:count]), TABLE)
        return
    tiles: list[Tile] = []
    for place in sorted(folder.glob("*/*/")):
        if place.parent.name in ((split,) if split else SPLITS):
            tiles += [(place.name, read_picture(path)) for path in sorted(place.glob("*.jpg"))[:count]]
    yield from sheets(tiles, CROP)


def _labelled(folder: Path, path: Path) -> Tile:
    labels = folder / "labels" / path.parent.name / f"{path.stem}.txt"
    try:
        text = labels.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise DataError(f"{labels}: cannot be read: {fault}") from fault
    return path.stem, labels_on(read_picture(path), text, labels)


RENDERED: dict[str, tuple[Callable[[str, int, int], Iterator[Pixels]], int]] = {
    "tables": (_tables, 12),
    "crops": (_crops, 12),
    "decks": (_decks, 100),
    "hardest": (_hardest, 100),
}  # what -> how it is made, and how many by default


def main(arguments: list[str]) -> int:
    parser = Arguments(prog="python -m feltwatch.datasets preview", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="a written set, or with --of photographs a folder of them")
    parser.add_argument("-o", type=Path, default=Path("preview.png"), metavar="FILE.png", help="or a directory")
    parser.add_argument("--of", choices=(*RENDERED, "photographs"), default=None)
    parser.add_argument("--split", choices=SPLITS)
    parser.add_argument("--count", type=int, help="how many: tables, crops of a class, decks, photographs")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    number = 0
    for number, sheet in enumerate(_pages(wanted), 1):
        path = _page(wanted.o, number)
        write_picture(path, sheet)
        sys.stdout.write(f"{path}: {sheet.shape[1]}x{sheet.shape[0]}\n")
    if not number:
        raise DataError("nothing to show: no picture of that split was found")
    return 0


def _pages(wanted: argparse.Namespace) -> Iterator[Pixels]:
    if wanted.count is not None and wanted.count < 1:
        raise DataError(f"--count {wanted.count}: expected one or more")
    if wanted.seed < 0:
        raise DataError(f"--seed {wanted.seed}: expected zero or more")
    if wanted.folder is None:
        make, usual = RENDERED.get(wanted.of or "tables", (None, 0))
        if make is None:
            raise DataError("photographs: name their folder")
        return make(wanted.split or "train", wanted.count or usual, wanted.seed)
    if not wanted.folder.is_dir():
        raise DataError(f"{wanted.folder}: no such folder")
    show = _photographs if wanted.of == "photographs" else _written
    return show(wanted.folder, wanted.split, wanted.count or 48)


def _page(to: Path, number: int) -> Path:
    """Name a page FILE.png, FILE-2.png and so on, or DIR/1.png and so on."""
    if to.suffix.lower() != ".png":
        return to / f"{number}.png"
    return to if number == 1 else to.with_name(f"{to.stem}-{number}.png")
