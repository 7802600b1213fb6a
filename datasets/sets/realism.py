"""`python -m feltwatch.datasets realism`: how well rendered and photographed cards can be separated, and by what."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.photos.real import MARGIN, Photograph, photographs
from feltwatch.datasets.sets.features import (
    GRID,
    VIEW,
    auc,
    features,
    groups_by_source,
    judged,
    patch_features,
    shuffled_groups,
    texture_features,
)
from feltwatch.datasets.sets.sets import RenderedTables
from feltwatch.datasets.truth import Truth
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.geometry.rectify import rectify

LEAST = 20  # of either kind: with fewer, chance speaks
SEEN = 0.95  # of a rendered card, to be compared with photographs of whole cards
SIZES_PX = (60.0, 128.0)  # how high cards are when compared: all are brought to a size within


@dataclass(frozen=True, slots=True)
class CardCrop:
    """A card cut out of its picture at its native size, without its margin's share: where from, and its rank."""

    image: Pixels
    rank: str
    group: str  # the source, or the design


@dataclass(frozen=True, slots=True)
class Separation:
    """How well two kinds are separated: accuracy and AUC, by a random split and by sources never seen."""

    named: tuple[float, float]
    named_by_source: tuple[float, float]
    texture: tuple[float, float]
    texture_by_source: tuple[float, float]
    keys: tuple[tuple[str, float, float, float], ...]  # measure, real mean, rendered mean, AUC of it alone
    patches: tuple[float, ...]  # AUC of each patch of GRID alone, row by row


def compare(real: Sequence[CardCrop], rendered: Iterable[CardCrop], count: int, seed: int = 0) -> Separation:
    """Judge up to `count` pairs of a real and a rendered card of one rank, brought to one size."""
    pairs = _pairs(real, rendered, count, seed)
    if len(pairs) < LEAST:
        raise DataError(f"{len(pairs)} pairs of real and rendered cards of one rank, at least {LEAST} expected")
    crops = [view for pair in pairs for view in pair]
    marks = np.tile(np.array([True, False]), len(pairs))
    names = [card.group for pair in _cards_of(pairs) for card in pair]
    views = [crop[1] for crop in crops]
    measured = [features(view) for view in views]
    keys = tuple(measured[0])
    rows = np.array([[one[key] for key in keys] for one in measured])
    texture = texture_features(views)
    chance = [group for group in shuffled_groups(len(pairs), seed) for _ in range(2)]
    sources = groups_by_source(names, marks)
    several = len(set(sources)) > 1
    singles = [
        (key, rows[marks, n].mean(), rows[~marks, n].mean(), auc(rows[:, n], marks)) for n, key in enumerate(keys)
    ]
    patches = np.array([patch_features(view) for view in views])
    return Separation(
        judged(rows, marks, chance),
        judged(rows, marks, sources) if several else (float("nan"), float("nan")),
        judged(texture, marks, chance),
        judged(texture, marks, sources) if several else (float("nan"), float("nan")),
        tuple(sorted(((k, float(a), float(b), c) for k, a, b, c in singles), key=lambda one: -abs(one[3] - 0.5))),
        tuple(judged(patches[:, n], marks, chance)[1] for n in range(GRID[0] * GRID[1])),
    )


CropPair = tuple[tuple[CardCrop, Pixels], tuple[CardCrop, Pixels]]


def _cards_of(pairs: Iterable[CropPair]) -> Iterator[tuple[CardCrop, CardCrop]]:
    for one, other in pairs:
        yield one[0], other[0]


def _pairs(real: Sequence[CardCrop], rendered: Iterable[CardCrop], count: int, seed: int) -> list[CropPair]:
    """Lay beside each rendered card a real one of its rank; the sources take turns, so that none outweighs."""
    dice = np.random.default_rng(seed)
    waiting: dict[str, dict[str, list[CardCrop]]] = defaultdict(lambda: defaultdict(list))
    for number in dice.permutation(len(real)):
        waiting[real[number].rank][real[number].group].append(real[number])
    found: list[CropPair] = []
    for card in rendered:
        groups = waiting[card.rank]
        best = max(groups, key=lambda name: len(groups[name]), default=None)
        if best is not None and groups[best]:
            other = groups[best].pop()
            height = min(other.image.shape[0], card.image.shape[0], SIZES_PX[1])
            found.append(((other, brought(other.image, height)), (card, brought(card.image, height))))
        if len(found) >= count or not any(cards for by in waiting.values() for cards in by.values()):
            break
    return found


def brought(image: Pixels, height: float) -> Pixels:
    """Give a card as a camera would that shows it `height` pixels high, in the reader's view."""
    size = (max(8, round(height * VIEW[0] / VIEW[1])), max(8, round(height)))
    small = image if size[1] == image.shape[0] else cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, VIEW, interpolation=cv2.INTER_LINEAR).astype(np.uint8)


def cut(picture: Pixels, truth: Truth, group: str, ranks: dict[str, str] | None = None) -> Iterator[CardCrop]:
    """Cut the cards that are seen whole out of a picture, at their own size: the same way for both kinds."""
    for card in truth.cards:
        rank = card.face[0] if card.face else (ranks or {}).get(card.id)
        corners = np.array(card.quad)
        high = float(np.hypot(*(corners[3] - corners[0]))) * (1 + 2 * MARGIN)
        wide = float(np.hypot(*(corners[1] - corners[0])))
        within = (corners >= 0).all() and (corners <= (truth.width, truth.height)).all()
        shown = card.label == "card" and card.up and within and card.visible >= SEEN and wide > 0.35 * high
        if rank and shown and high >= SIZES_PX[0]:
            size = (round(min(high, 512.0) * VIEW[0] / VIEW[1]), round(min(high, 512.0)))
            yield CardCrop(rectify(picture, card.quad, MARGIN, size), rank, group)


def real_cards(found: Iterable[Photograph]) -> Iterator[CardCrop]:
    """Cut the cards of photographs that may be learnt from; those of the test split are never opened."""
    for photo in found:
        if photo.split in ("train", "val") and photo.source.usable and photo.truth.cards:
            yield from cut(photo.load(), photo.truth, photo.source.name, dict(photo.ranks))


def rendered_cards(split: str, seed: int, pictures: int) -> Iterator[CardCrop]:
    make = RenderedTables(split, seed)
    for index in range(pictures):
        item = make(index)
        yield from cut(item.image, item.truth, item.made_of["deck"])


def cards_of_crops(split: str, seed: int, count: int) -> Iterator[CardCrop]:
    from feltwatch.datasets.render.crops import crops  # noqa: PLC0415  art is loaded only by those who draw

    for crop in islice(crops(split, seed), count):
        if crop.face not in ("back", "none"):
            yield CardCrop(crop.image, crop.face[0], crop.deck)


def report(found: Separation) -> Iterator[str]:
    yield f"{'separated by':34} {'accuracy':>9} {'AUC':>6}   (0.50: not at all; 1.00: always)"
    rows = (
        ("named measures, random split", found.named),
        ("named measures, source not seen", found.named_by_source),
        ("random filters, random split", found.texture),
        ("random filters, source not seen", found.texture_by_source),
    )
    yield from (f"{name:34} {accuracy:9.2f} {area:6.2f}" for name, (accuracy, area) in rows)
    yield ""
    yield f"{'measure':28} {'real':>9} {'rendered':>9} {'AUC alone':>10}"
    yield from (f"{key:28} {mine:9.2f} {theirs:9.2f} {area:10.2f}" for key, mine, theirs, area in found.keys)
    yield ""
    yield "AUC of each part of the card alone:"
    for row in np.array(found.patches).reshape(GRID):
        yield "    " + " ".join(f"{area:5.2f}" for area in row)


def main(arguments: list[str]) -> int:
    parser = Arguments(prog="python -m feltwatch.datasets realism", description=__doc__)
    parser.add_argument("--photographs", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--of", choices=("tables", "crops"), default="tables")
    parser.add_argument("--split", choices=("train", "val"), default="train", help="of the rendered cards")
    parser.add_argument("--count", type=int, default=400, help="pairs of cards")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    if wanted.count < LEAST:
        raise DataError(f"--count {wanted.count}: at least {LEAST} expected")
    if wanted.seed < 0:
        raise DataError(f"--seed {wanted.seed}: expected zero or more")
    real = list(real_cards(photographs(wanted.photographs, ("train", "val"))))
    make = cards_of_crops if wanted.of == "crops" else rendered_cards
    found = compare(real, make(wanted.split, wanted.seed, 20 * wanted.count), wanted.count)
    sys.stdout.write("".join(f"{line}\n" for line in report(found)))
    return 0
