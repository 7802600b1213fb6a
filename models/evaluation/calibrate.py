"""Measures the reader's temperature and thresholds on the split `val`, and writes them to the manifest."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from feltwatch.datasets.photos.real import Photograph, photographs
from feltwatch.datasets.sets.sets import READS
from feltwatch.models.evaluation.chances import calibration_error, least_sure, lowest
from feltwatch.models.evaluation.counting import WHOLE
from feltwatch.models.evaluation.crops import (
    ANSWERS,
    FACE_COUNT,
    CropReader,
    Reads,
    joined,
    likely_of,
    read,
)
from feltwatch.models.evaluation.looking import reader_of
from feltwatch.models.evaluation.matching import tall_px
from feltwatch.models.evaluation.photographs import Left, unreadable
from feltwatch.models.evaluation.report import Figures, percent, shares
from feltwatch.vision.arrays import Floats, Mask
from feltwatch.vision.detection.reader import VIEWS, Reader
from feltwatch.vision.geometry.rectify import rectangle, rectify

SPLIT = "val"
WRONG = 1 / 10_000  # of whole cards
WRONG_HARD = 1 / 1_000  # of others
RANGE = (0.2, 5.0)  # of temperatures


def measure(manifest: Path, folder: Path | None, count: int, seed: int = 1, jobs: int = 1) -> Figures:
    """Find the temperature, then the least probability at which a face is reported.

    The temperature is the one at which the true classes of all crops and photographed cards are likeliest (least mean
    negative logarithm), each read as `feltwatch.vision.detection.reader` does, doubtful ones twice. With it,
    `sure` is the lowest probability at which, of the cards that lie whole and are 60 px and more tall, at most one in
    10,000 is reported as another; so one in 10,000 of them may be wrong, not of the answers, which are fewer.
    `sure_hard` is the same of all others, covered or small: at most one in 1,000.
    """
    rendered = read(CropReader(manifest, SPLIT, seed), count, jobs)
    parts = {"crops": rendered}
    shots = list(_photographed(folder, reader_of(manifest, 1))) if folder else []
    if shots:
        parts["photographs"] = joined(shots)
    both = joined(list(parts.values()))
    temperature = warmth(both)
    likely = likely_of(both, temperature)
    reported, right, most = likely.argmax(axis=1) < FACE_COUNT, likely.argmax(axis=1) == both.is_, likely.max(axis=1)
    rows = both.whole & reported
    sure = least_sure(most[rows], right[rows], int(both.whole.sum()) * WRONG)
    hard = both.faces & ~both.whole
    sure_hard = least_sure(most[hard & reported], right[hard & reported], int(hard.sum()) * WRONG_HARD)
    least = np.where(both.whole, sure, max(sure, sure_hard))
    found = np.repeat(list(parts), [len(part.is_) for part in parts.values()])
    return {
        "temperature": round(temperature, 4),
        "sure": sure,
        "sure_hard": max(sure, sure_hard),
        "whole cards": int(both.whole.sum()),
        "temperature of each alone": {name: _warmth_row(part, temperature) for name, part in parts.items()},
        "as reported with these": {
            f"{name}, {kind}": _reported(reported & (most >= least), right, marks & (found == name))
            for name in parts
            for kind, marks in _groups(both).items()
        },
    }


def warmth(reads: Reads) -> float:
    """Give the temperature at which what is true is likeliest."""
    return float(np.exp(lowest(lambda cold: surprise(reads, float(np.exp(cold))), *np.log(RANGE))))


def surprise(reads: Reads, temperature: float) -> float:
    likely = likely_of(reads, temperature)[np.arange(len(reads.is_)), reads.is_]
    return float(-np.log(np.maximum(likely, 1e-12)).mean())


def _warmth_row(reads: Reads, temperature: float) -> Figures:
    likely = likely_of(reads, temperature)
    error = calibration_error(likely.max(axis=1), likely.argmax(axis=1) == reads.is_)
    return {
        "of": len(reads.is_),
        "alone": round(warmth(reads), 4),
        "surprise at 1": round(surprise(reads, 1.0), 5),
        "surprise": round(surprise(reads, temperature), 5),
        "calibration error %": percent(error, 1),
    }


def _groups(reads: Reads) -> dict[str, Mask]:
    return {
        "whole": reads.whole,
        "covered": reads.faces & (reads.visible < WHOLE),
        "none and back": ~reads.faces,
    }


def _reported(reported: Mask, right: Mask, rows: Mask) -> Figures:
    counts = {"right": int((reported & right & rows).sum()), "wrong": int((reported & ~right & rows).sum())}
    return shares({**counts, "cannot tell": int(rows.sum()) - sum(counts.values())}, ANSWERS)


def _photographed(folder: Path, reader: Reader) -> Iterator[Reads]:
    """Read every photographed card whose corners and face are known, in the rectangle that a detector would give."""
    left = unreadable()
    for photo in photographs(folder, (SPLIT,)):
        yield from of_photograph(photo, reader, left)


def of_photograph(photo: Photograph, reader: Reader, left: Left) -> Iterator[Reads]:
    cards = [
        card
        for card in photo.truth.cards
        if card.label == "card" and (card.face or not card.up) and (photo.source.name, photo.name, card.id) not in left
    ]
    if not cards:
        return
    picture = photo.load()
    places = [rectangle(card.quad) for card in cards]
    looks: list[Floats] = [
        reader.logits(np.stack([rectify(picture, np.roll(place, turned, axis=0), margin) for place in places]))
        for margin, turned in VIEWS
    ]
    yield Reads(
        np.array([READS.index(card.face if card.up and card.face else "back") for card in cards]),
        looks[0],
        looks[1],
        np.ones(len(cards)),
        np.array([tall_px(card.quad) for card in cards]),
        (photo.source.name,) * len(cards),
    )
