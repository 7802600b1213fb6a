"""The reader: which card a crop shows, and how likely. Its thresholds are in models/shipped/manifest.toml."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from feltwatch.models.shipped.registry import Model
from feltwatch.vision.arrays import Floats, Mask, Pixels
from feltwatch.vision.detection.runtime import THREADS, RunModel, open_model
from feltwatch.vision.geometry.rectify import rectify

BATCH = 32  # crops that are read in one call
# Margin of a crop, and by how many corners it is turned: the second look is for what is doubtful.
VIEWS = ((0.03, 0), (0.03, 2))
PLAIN = 0.995  # what is read as likely as this is not looked at again
CORNER: Final = (40, 64)  # width, height of the part of a crop in which an index is looked for by itself
RANK_COUNT, SUIT_COUNT = 13, 4
CORNER_NUMBERS: Final = RANK_COUNT + SUIT_COUNT + 1  # and whether an index shows
COURT_RANKS: Final = "JQK"


@dataclass(frozen=True, slots=True)
class FaceReading:
    """What one card shows: a class with its probability, and those of all."""

    face: str  # "9h", "back" or "none"
    likely: float
    all: Floats
    by_deck: bool = False  # the pictures of the table's own deck had their say


class Reader:
    def __init__(self, model: Model, provider: str = "cpu", threads: int = THREADS) -> None:
        self.classes = model.classes
        self.courts = np.array([n for n, name in enumerate(self.classes) if name[0] in COURT_RANKS])
        self.columns = len(self.classes) + 2 * CORNER_NUMBERS
        self.temperature = model.setting("temperature")
        self.run: RunModel = open_model(model, provider, threads)

    def read(self, picture: Pixels, quads: ArrayLike) -> list[FaceReading]:
        """Read the cards within quads (N x 4 x 2) of a picture."""
        places = np.asarray(quads, np.float64).reshape(-1, 4, 2)
        logits = self.logits(self._crops(picture, places, *VIEWS[0]))
        doubtful = np.flatnonzero(probabilities(logits, self.temperature).max(axis=1, initial=0) < PLAIN)
        if len(doubtful):
            again = self.logits(self._crops(picture, places[doubtful], *VIEWS[1]))
            logits[doubtful] = (logits[doubtful] + again) / 2
        return [self._reading(row) for row in probabilities(logits, self.temperature)]

    def logits(self, crops: Pixels) -> Floats:
        """Give what the network says of crops (N x height x width x 3), before it is made likely.

        A portrait alone names no court card, since makers draw them as they like: where no corner agrees, all
        court cards are equally likely.
        """
        rows = [self.run(crops[start : start + BATCH]) for start in range(0, len(crops), BATCH)]
        found = np.concatenate(rows).astype(np.float64) if rows else np.zeros((0, self.columns))
        faces = found[:, : len(self.classes)]
        alone = np.isin(faces.argmax(axis=1), self.courts) & ~self._by_index(found)
        level = np.logaddexp.reduce(faces[np.ix_(alone, self.courts)], axis=1) - np.log(len(self.courts))
        faces[np.ix_(alone, self.courts)] = level[:, None]
        return faces

    def _by_index(self, found: Floats) -> Mask:
        """Say which crops have a corner that shows the index of the likeliest face."""
        best = found[:, : len(self.classes)].argmax(axis=1)
        ends = found[:, len(self.classes) :].reshape(-1, 2, CORNER_NUMBERS)
        ranks = ends[:, :, :RANK_COUNT].argmax(axis=2)
        suits = ends[:, :, RANK_COUNT : RANK_COUNT + SUIT_COUNT].argmax(axis=2)
        agrees = (ends[:, :, -1] > 0) & (suits * RANK_COUNT + ranks == best[:, None])
        return np.asarray(agrees.any(axis=1))

    def _crops(self, picture: Pixels, places: Floats, margin: float, turned: int) -> Pixels:
        cut = [rectify(picture, np.roll(place, turned, axis=0), margin) for place in places]
        return np.stack(cut) if cut else np.zeros((0, 1, 1, 3), np.uint8)

    def _reading(self, row: Floats) -> FaceReading:
        best = int(row.argmax())
        return FaceReading(self.classes[best], float(row[best]), row)


def probabilities(logits: Floats, temperature: float) -> Floats:
    """Make probabilities that keep what they promise: the temperature was measured on decks never seen."""
    scaled = logits / temperature
    grown = np.exp(scaled - scaled.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))
