"""Measures the reader's temperature and its thresholds on the split `val`; `--write` puts them into the manifest."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from feltwatch.datasets.photos.real import Photograph, photographs
from feltwatch.datasets.sets.sets import READS
from feltwatch.models.evaluation.looking import reader_of
from feltwatch.models.evaluation.matching import tall_px
from feltwatch.models.evaluation.photographs import Left, unreadable
from feltwatch.models.evaluation.reader.chances import calibration_error, lowest
from feltwatch.models.evaluation.reader.crops import (
    CropReader,
    Reads,
    joined,
    likely_of,
    read,
)
from feltwatch.models.evaluation.report import Figures, percent
from feltwatch.vision.detection.reader import VIEWS, Reader
from feltwatch.vision.geometry.rectify import rectangle, rectify

if TYPE_CHECKING:
    from feltwatch.vision.arrays import Floats

SPLIT = "val"
RANGE = (0.2, 5.0)  # of temperatures


def measure(manifest: Path, folder: Path | None, count: int, seed: int = 1, jobs: int = 1) -> Figures:
    """Find the temperature at which the true classes of all crops and photographed cards are likeliest.

    That is the least mean negative logarithm, each read as `feltwatch.vision.detection.reader` does, doubtful ones
    twice. From which probability on a face is reported is measured on whole tables: `evaluate ladder --write`.
    """
    parts = {"crops": read(CropReader(manifest, SPLIT, seed), count, jobs)}
    shots = list(_photographed(folder, reader_of(manifest, 1))) if folder else []
    if shots:
        parts["photographs"] = joined(shots)
    temperature = warmth(joined(list(parts.values())))
    return {
        "temperature": round(temperature, 4),
        "temperature of each alone": {name: _warmth_row(part, temperature) for name, part in parts.items()},
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
