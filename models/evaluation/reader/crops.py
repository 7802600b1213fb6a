"""The reader alone, on rendered crops: how often it is right, and how far its probabilities can be believed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.render.crops import crops
from feltwatch.datasets.sets.sets import BLOCK, READS, SPREAD
from feltwatch.models.evaluation.counting import TALL_PX, WHOLE
from feltwatch.models.evaluation.looking import reader_of
from feltwatch.models.evaluation.reader.chances import at_precision, calibration_error, reliability
from feltwatch.models.evaluation.report import Figures, percent, reported, shares
from feltwatch.vision.arrays import Floats, Indices, Mask
from feltwatch.vision.detection.reader import PLAIN, VIEWS, probabilities
from feltwatch.vision.geometry.rectify import rectify

PRECISION = 0.9999
MOST = 20  # confusions that are listed
FACE_COUNT = READS.index("back")  # classes before it are faces
ANSWERS = ("right", "wrong", "cannot tell")


@dataclass(frozen=True, slots=True)
class Reads:
    """Crops as the reader met them: a row each."""

    is_: Indices  # which class is true
    first: Floats  # what the network said of the crop,
    again: Floats  # and of the same crop turned by half
    visible: Floats
    tall_px: Floats
    decks: tuple[str, ...]

    @property
    def whole(self) -> Mask:
        return (self.is_ < FACE_COUNT) & (self.visible >= WHOLE) & (self.tall_px >= TALL_PX)

    @property
    def faces(self) -> Mask:
        return self.is_ < FACE_COUNT


@dataclass(frozen=True, slots=True)
class CropReader:
    """index -> a block of crops, read; picklable."""

    manifest: Path
    split: str
    seed: int
    size: int = BLOCK
    threads: int = 1

    def __call__(self, index: int) -> Reads:
        found = list(islice(crops(self.split, self.seed * SPREAD + index), self.size))
        reader = reader_of(self.manifest, self.threads)
        first, again = (
            np.stack([rectify(crop.picture, np.roll(crop.quad, turned, axis=0), margin) for crop in found])
            for margin, turned in VIEWS
        )
        return Reads(
            np.array([READS.index(crop.face) for crop in found]),
            reader.logits(first),
            reader.logits(again),
            np.array([crop.visible for crop in found]),
            np.array([crop.tall_px for crop in found]),
            tuple(crop.deck for crop in found),
        )


def read(run: CropReader, count: int, jobs: int = 1) -> Reads:
    """Read at least so many crops, by whole blocks."""
    blocks = -(-count // run.size)
    return joined(list(reported(ordered(run, range(blocks), jobs, 1), blocks, f"blocks of {run.size} crops")))


def joined(parts: Sequence[Reads]) -> Reads:
    return Reads(
        np.concatenate([part.is_ for part in parts]),
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.again for part in parts]),
        np.concatenate([part.visible for part in parts]),
        np.concatenate([part.tall_px for part in parts]),
        tuple(deck for part in parts for deck in part.decks),
    )


def likely_of(reads: Reads, temperature: float) -> Floats:
    """Give the probabilities as `feltwatch.vision.detection.reader` has them: what is doubtful is looked at twice."""
    logits = reads.first.copy()
    doubtful = probabilities(logits, temperature).max(axis=1) < PLAIN
    logits[doubtful] = (logits[doubtful] + reads.again[doubtful]) / 2
    return probabilities(logits, temperature)


def figures(reads: Reads, temperature: float, sure: float, sure_hard: float) -> Figures:
    least = np.where(reads.whole, sure, sure_hard)
    likely = likely_of(reads, temperature)
    best, most = likely.argmax(axis=1), likely.max(axis=1)
    right = best == reads.is_
    groups = {
        "all": np.ones(len(right), bool),
        "faces": reads.faces,
        f"whole, {TALL_PX:.0f} px and more": reads.whole,
        "covered": reads.faces & (reads.visible < WHOLE),
        "none and back": ~reads.faces,
    }
    return {
        "crops": len(right),
        "temperature": temperature,
        "sure": sure,
        "sure, hard": sure_hard,
        "accuracy": {name: _accuracy(best[rows], reads.is_[rows]) for name, rows in groups.items()},
        "as reported": {name: _as_reported(right, best, most >= least, rows) for name, rows in groups.items()},
        "calibration error %": {
            name: percent(calibration_error(most[rows], right[rows]), 1) for name, rows in groups.items()
        },
        f"at a precision of {PRECISION:.2%}": {
            name: _precise(right[rows], best[rows], most[rows], reads.faces[rows])
            for name, rows in groups.items()
            if name != "none and back"
        },
        "reliability": reliability(most, right),
        "confusions": _confusions(best[~right], reads.is_[~right]),
        "by deck": _by_deck(reads, right),
    }


def _accuracy(best: Indices, is_: Indices) -> Figures:
    names = np.array([*READS])
    both = [(names[a], names[b]) for a, b in zip(best, is_, strict=True)]
    return {
        "of": len(both),
        "right %": percent(sum(a == b for a, b in both), len(both)),
        "rank %": percent(sum(a[0] == b[0] for a, b in both), len(both)),
        "suit %": percent(sum(a[1:] == b[1:] for a, b in both), len(both)),
    }


def _as_reported(right: Mask, best: Indices, likely: Mask, rows: Mask) -> Figures:
    """Count what the eyes would say: a face where it is likely enough. Of `none` and `back` no face is right."""
    face = (best < FACE_COUNT) & likely
    counts = {"right": int((face & right & rows).sum()), "wrong": int((face & ~right & rows).sum())}
    return shares({**counts, "cannot tell": int(rows.sum()) - sum(counts.values())}, ANSWERS)


def _precise(right: Mask, best: Indices, most: Floats, faces: Mask) -> Figures:
    """Give the probability from which reported faces are right so often, and the share of cards then reported."""
    face = best < FACE_COUNT
    least = at_precision(most[face], right[face], PRECISION)
    kept = face & (most >= least)
    return {
        "from": round(least, 6),
        "reported": int(kept.sum()),
        "wrong": int((kept & ~right).sum()),
        "of": int(faces.sum()),
        "answered %": percent(int((kept & right).sum()), int(faces.sum())),
    }


def _confusions(best: Iterable[int], is_: Iterable[int]) -> list[Figures]:
    counts = Counter((READS[a], READS[b]) for a, b in zip(is_, best, strict=True))
    return [{"is": pair[0], "reported": pair[1], "times": times} for pair, times in counts.most_common(MOST)]


def _by_deck(reads: Reads, right: Mask) -> Figures:
    decks = np.array(reads.decks)
    rows: Figures = {}
    for name in sorted(set(reads.decks)):
        mine = (decks == name) & reads.faces
        whole = mine & reads.whole
        rows[name] = {
            "of": int(mine.sum()),
            "right %": percent(int(right[mine].sum()), int(mine.sum())),
            "whole": int(whole.sum()),
            "whole right %": percent(int(right[whole].sum()), int(whole.sum())),
        }
    return rows
