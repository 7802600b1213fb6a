"""Real photographs in the form of a Truth: folders of `images/` and `labels.json`, one session each."""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.common.cache import cache_dir, read_picture, write_picture, write_whole
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.photos.photo_sources import PhotoSource, source_named
from feltwatch.datasets.photos.quads import (
    RATIOS,
    FoundQuad,
    Rectangle,
    quad_of_box,
    quad_of_index,
    quads_in,
    ratio,
    stretched,
    upright,
)
from feltwatch.datasets.sources.card_codes import card_named
from feltwatch.datasets.truth import CardTruth, Truth, truth_of
from feltwatch.vision.arrays import Pixels, Quad
from feltwatch.vision.geometry.rectify import SIZE, rectify

LAW = 3  # counts up when photographs are to be measured again
MARGIN = 0.06  # of the card's sides, shown round a crop
CARD_RATIO = 0.70  # of a card's sides, between bridge and poker
FARTHEST_PX = 1_000_000
SAME = 0.08  # of a card's length by which a card is found twice
WHOLE = ("full_card", "card_rank_only", "card_back", "joker")
PARTS = ("visible_card", "corner_index")
OTHER = ("chip", "chip_stack", "ignore")
RANKS = frozenset("A23456789TJQK")


@dataclass(frozen=True, slots=True)
class Photograph:
    """One photograph. `label` of a card: card (whole, its own corners), index, or box (whole, corners not found)."""

    name: str
    source: PhotoSource
    load: Callable[[], Pixels]
    truth: Truth
    ranks: Mapping[str, str] = field(default_factory=dict)  # of cards known by rank only, by id

    @property
    def split(self) -> str:
        return self.source.split

    @property
    def wholly_labelled(self) -> bool:
        """Whether every card in it has its own four corners."""
        return all(card.label == "card" for card in self.truth.cards)


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One picture of a labels.json, as it is written there."""

    path: Path
    size: tuple[int, int]
    objects: tuple[Mapping[str, object], ...]


def photographs(folder: Path, splits: Container[str] = ("train", "val", "test")) -> Iterator[Photograph]:
    """Give every photograph of a source, or of every source in a folder of them, in the order of their names.

    A source of another split is not opened.
    """
    for place in _places(Path(folder)):
        source = source_named(place.name)
        if source.split not in splits:
            continue
        for entry in _entries(place):
            yield _photograph(entry, source)


def crops_of(photo: Photograph, size: tuple[int, int] = SIZE) -> Iterator[tuple[CardTruth, Pixels]]:
    """Give every whole card of a photograph, rectified as the reader sees it."""
    cards = [card for card in photo.truth.cards if card.label == "card"]
    if cards:
        picture = photo.load()
        for card in cards:
            yield card, rectify(picture, card.quad, MARGIN, size)


def _places(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; expected one with images/ and labels.json, or a folder of such")
    if (folder / "labels.json").is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob("*/labels.json"))
    if not found:
        raise DataError(f"{folder}: no labels.json here nor one folder down; expected images/ and labels.json")
    return found


def _entries(place: Path) -> list[LabelEntry]:
    path = place / "labels.json"
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as fault:
        raise DataError(f"{path}: expected a JSON list of pictures: {fault}") from fault
    if not isinstance(found, list):
        raise DataError(f"{path}: expected a list of {{image, width, height, objects}}, found {type(found).__name__}")
    entries = [_entry(place, one, f"{path}: picture {number}") for number, one in enumerate(found, 1)]
    return sorted(entries, key=lambda entry: entry.path.name)


def _entry(place: Path, found: object, where: str) -> LabelEntry:
    if not isinstance(found, dict) or not {"image", "width", "height", "objects"} <= found.keys():
        raise DataError(f"{where}: expected an object with image, width, height and objects, found {str(found)[:60]}")
    name, objects = str(found["image"]), found["objects"]
    path = place / "images" / name
    if Path(name).name != name or not path.is_file():
        raise DataError(f"{where}: {name!r} is not in {place.name}/images")
    sizes = [found["width"], found["height"]]
    if not all(isinstance(size, int) and size > 0 for size in sizes) or not isinstance(objects, list):
        raise DataError(f"{where} ({name}): expected width and height in pixels and a list of objects")
    for number, one in enumerate(objects, 1):
        _check(one, f"{where} ({name}), object {number}")
    return LabelEntry(path, (sizes[0], sizes[1]), tuple(objects))


def _check(found: object, where: str) -> None:
    if not isinstance(found, dict) or not {"label", "bbox", "kind"} <= found.keys():
        raise DataError(f"{where}: expected label, bbox and kind, found {str(found)[:60]}")
    kind, label, box = found["kind"], str(found["label"]), found["bbox"]
    if kind not in WHOLE + PARTS + OTHER:
        raise DataError(f"{where}: unknown kind {kind!r}; expected one of {', '.join(WHOLE + PARTS + OTHER)}")
    if not _numbers(box, 4):
        raise DataError(f"{where}: expected bbox [left, top, right, bottom], found {box!r}")
    if box[0] >= box[2] or box[1] >= box[3]:
        raise DataError(f"{where}: expected bbox [left, top, right, bottom], found {box!r}, which holds nothing")
    polygon = found.get("polygon")
    if polygon is not None and not (isinstance(polygon, list) and all(_numbers(point, 2) for point in polygon)):
        raise DataError(f"{where}: expected polygon [[x, y], ...] in pixels, found {str(polygon)[:60]}")
    known = label in RANKS if kind == "card_rank_only" else card_named(label) is not None
    if not known and kind not in (*OTHER, "joker") and label != "BACK":
        raise DataError(f"{where}: unknown label {label!r}; expected rank and suit such as 9H, or BACK")


def _numbers(found: object, count: int) -> bool:
    """True if it is a list of so many numbers; what no picture reaches, or is no number, is none."""
    return (
        isinstance(found, list)
        and len(found) == count
        and all(isinstance(one, int | float) and abs(one) < FARTHEST_PX for one in found)
    )


def _photograph(entry: LabelEntry, source: PhotoSource) -> Photograph:
    """Measure a photograph once: what was found is kept until its picture, its labels or this code changes."""
    kept = cache_dir() / "photographs" / source.name / f"{entry.path.stem}.json"
    stamp = _stamp(entry, source)
    found = _kept(kept, stamp)
    if found is None:
        found = _measured(entry, source)
        text = json.dumps({"stamp": stamp, "ranks": dict(found[1]), "truth": found[0].to_dict()})
        write_whole(kept, text.encode())
    truth, ranks = found
    return Photograph(entry.path.name, source, partial(_load, entry.path, (truth.width, truth.height)), truth, ranks)


def _stamp(entry: LabelEntry, source: PhotoSource) -> str:
    said = json.dumps([LAW, entry.size, source.shapes, entry.objects], sort_keys=True).encode()
    return hashlib.sha256(entry.path.read_bytes() + said).hexdigest()


def _kept(path: Path, stamp: str) -> tuple[Truth, dict[str, str]] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
        return (truth_of(found["truth"]), dict(found["ranks"])) if found["stamp"] == stamp else None
    except (OSError, ValueError, KeyError, TypeError, AssertionError):
        return None  # measured again


def _load(path: Path, size: tuple[int, int]) -> Pixels:
    picture = read_picture(path)[..., :3]
    if (picture.shape[1], picture.shape[0]) == size:
        return np.ascontiguousarray(picture)
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8)


def _measured(entry: LabelEntry, source: PhotoSource) -> tuple[Truth, dict[str, str]]:
    picture = read_picture(entry.path)[..., :3]
    if (picture.shape[1], picture.shape[0]) != entry.size:
        said, is_ = f"{entry.size[0]}x{entry.size[1]}", f"{picture.shape[1]}x{picture.shape[0]}"
        raise DataError(f"{entry.path}: {is_}, but labels.json says {said}")
    cards = [one for one in entry.objects if one["kind"] in WHOLE + PARTS]
    found = quads_in(np.ascontiguousarray(picture), [_box(one) for one in cards if one["kind"] in WHOLE])
    matched = [_match(found, one, cards) for one in cards]
    quads = [quad for quad in matched if quad is not None]
    boxes = [_corners(_box(one)) for one in cards if one["kind"] in WHOLE]
    width, height = _shape(entry.size, quads or boxes, source)
    across, along = width / entry.size[0], height / entry.size[1]
    truths: list[CardTruth] = []
    ranks: dict[str, str] = {}
    for one, quad in zip(cards, matched, strict=True):
        card = _card(f"c{len(truths) + 1}", one, quad, (across, along))
        if any(card.label == "card" and _is_same(card, other) for other in truths):
            continue  # its other index
        if one["kind"] == "card_rank_only":
            ranks[card.id] = str(one["label"])
        truths.append(card)
    return truth_of(Truth(width, height, tuple(truths)).to_dict()), ranks  # rounded, as it will be when kept


def _box(found: Mapping[str, object]) -> Rectangle:
    left, top, right, bottom = (float(one) for one in found["bbox"])  # type: ignore[attr-defined]  # _check saw a list
    return left, top, right, bottom


def _corners(box: Rectangle) -> Quad:
    left, top, right, bottom = box
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _match(found: list[FoundQuad], one: Mapping[str, object], cards: list[Mapping[str, object]]) -> Quad | None:
    """Give the four corners of a labelled card: as labelled, or as found in the picture."""
    if one["kind"] == "visible_card":
        return None
    corners = one.get("polygon")
    if isinstance(corners, list) and one["kind"] != "corner_index":
        points = list(dict.fromkeys((float(x), float(y)) for x, y in corners))
        if len(points) == 4:
            return upright((points[0], points[1], points[2], points[3]))
    if one["kind"] == "corner_index":
        others = [_box(other) for other in cards if other["label"] != one["label"]]
        match = quad_of_index(found, _box(one), others)
    else:
        match = quad_of_box(found, _box(one))
    return match.quad if match else None


def _shape(size: tuple[int, int], quads: list[Quad], source: PhotoSource) -> tuple[int, int]:
    """Give the size a picture had before it was pressed into a square: its cards then have the shape of cards.

    The longer side keeps its pixels, so that nothing is made up.
    """
    if not source.shapes or size[0] != size[1]:
        return size

    def fault(shape: float) -> float:
        ratios = [ratio(upright(stretched(quad, shape**0.5, shape**-0.5))) for quad in quads]
        return float(np.median(np.abs(np.log(np.array(ratios) / CARD_RATIO)))) if ratios else 0.0

    shape = min(source.shapes, key=fault)
    return (size[0], round(size[0] / shape)) if shape > 1 else (round(size[1] * shape), size[1])


def _card(name: str, one: Mapping[str, object], quad: Quad | None, scale: tuple[float, float]) -> CardTruth:
    kind, face = one["kind"], card_named(str(one["label"]))
    up = kind != "card_back" and one["label"] != "BACK"
    if quad is not None:
        whole = upright(stretched(quad, *scale))
        if RATIOS[0] <= ratio(whole) <= RATIOS[1]:
            high = 0.12 * float(np.hypot(whole[3][0] - whole[0][0], whole[3][1] - whole[0][1]))
            return CardTruth(name, whole, face, up, 1.0, index_px=high)
    label = "index" if kind == "corner_index" else "box"
    return CardTruth(name, stretched(_corners(_box(one)), *scale), face, up, 1.0, label=label)


def _is_same(card: CardTruth, other: CardTruth) -> bool:
    ours, theirs = np.array(card.quad), np.array(other.quad)
    near = np.hypot(*(ours.mean(axis=0) - theirs.mean(axis=0))) < SAME * np.hypot(*(ours[3] - ours[0]))
    return bool(other.label == "card" and card.face == other.face and near)


def main(arguments: list[str]) -> int:
    parser = Arguments(prog="python -m feltwatch.datasets photographs", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder with images/ and labels.json, or a folder of such folders")
    parser.add_argument("-o", type=Path, metavar="DIR", help="write the whole cards there, rectified")
    wanted = parser.parse_args(arguments)
    tally: dict[PhotoSource, Counter[str]] = {}
    for photo in photographs(wanted.folder):
        row = tally.setdefault(photo.source, Counter())
        row["photos"] += 1
        row.update(card.label for card in photo.truth.cards)
        if wanted.o and photo.source.usable:
            _write_crops(wanted.o, photo)
    sys.stdout.write("".join(f"{line}\n" for line in _table(tally)))
    return 0


def _table(tally: Mapping[PhotoSource, Counter[str]]) -> Iterator[str]:
    yield f"{'source':22} {'split':6} {'photos':>6} {'cards':>6} {'quads':>6} {'boxes':>6} {'indices':>7}  licence"
    for source, row in tally.items():
        cards = row["card"] + row["box"] + row["index"]
        yield (
            f"{source.name:22} {source.split:6} {row['photos']:6} {cards:6} {row['card']:6} {row['box']:6}"
            f" {row['index']:7}  {source.licence}{'' if source.usable else ': looked at and measured only'}"
        )


def _write_crops(folder: Path, photo: Photograph) -> None:
    for card, crop in crops_of(photo):
        name = card.face or photo.ranks.get(card.id) or ("unknown" if card.up else "back")
        write_picture(folder / photo.source.name / name / f"{Path(photo.name).stem}-{card.id}.jpg", crop, 95)
