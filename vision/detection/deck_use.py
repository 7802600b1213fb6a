"""A deck while its table is watched: it helps to read cards, and is checked against the cards that lie there.

A picture of another maker's deck would mislead. So every whole card that the reader alone reads for certain is compared
with the pictures of the deck; when a run of different faces looks otherwise, the deck is no longer used, and a doubt
reports it. It is used again when the enrolled deck comes back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import numpy as np

from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.deck_fusion import DeckTemplates, fused, tall
from feltwatch.vision.detection.detections import SMALL_PX
from feltwatch.vision.detection.fitter import CardFit
from feltwatch.vision.detection.known_deck import BACK, FACES, KnownDeck
from feltwatch.vision.detection.reader import FaceReading

RUN: Final = 12  # different faces, whole and read for certain, by which a deck is known
# A whole card that looks less than this like the picture of its face, and more like that of another face, is unlike.
# Blur alone makes a card look little like its own picture, but then less like all others.
UNLIKE: Final = 0.5
OTHER, SAME = 6, 2  # of a run are unlike and more: another deck; as few and fewer: this one
CERTAIN: Final = 0.99  # of the reader alone
# From here on a look at a whole card teaches its face: of 1,396 whole cards of val none was read wrong from 0.6 on.
TEACHES: Final = 0.9
WHOLE: Final = 0.93  # visible part of a whole card
SHOWS: Final = 0.5  # how likely an index must be seen to show
FACED: Final = 0.5  # a card that the reader takes for a face less than this is not compared
STRANGE: Final = 0.5  # a card that looks less than this like any face of the deck is read without it


class Learner(Protocol):
    """Collects clean pictures of cards."""

    def take(self, name: str, picture: Pixels, quad: Floats) -> None: ...


@dataclass(slots=True)
class DeckTrust:
    """Whether the cards on the table are of the deck that was learnt. It can be pickled."""

    unlike: dict[str, bool] = field(default_factory=dict)  # of the last faces, the latest last
    is_other: bool = False

    def take(self, face: str, likeness: Floats) -> None:
        """Count a whole card that was read for certain; `likeness` is that of its corners to all faces (2 x 52)."""
        alike = likeness.mean(axis=0)
        read = FACES.index(face)
        self.unlike.pop(face, None)
        self.unlike[face] = bool(alike[read] < UNLIKE and alike.argmax() != read)
        while len(self.unlike) > RUN:
            del self.unlike[next(iter(self.unlike))]
        if len(self.unlike) == RUN:
            count = sum(self.unlike.values())
            self.is_other = count >= OTHER or (self.is_other and count > SAME)


class DeckInUse:
    """Helps the reader of one table. The trust can be pickled by itself; templates are made again."""

    def __init__(
        self, classes: Sequence[str], deck: KnownDeck | None, trust: DeckTrust, learner: Learner | None = None
    ) -> None:
        self.columns = np.array([classes.index(face) for face in FACES])
        self.classes = tuple(classes)
        self.trust, self.learner = trust, learner
        self.templates = None if deck is None else DeckTemplates(deck)

    def use(self, deck: KnownDeck) -> None:
        """Read with a deck that was learnt; nothing more is learnt."""
        self.templates, self.learner = DeckTemplates(deck), None

    def doubts(self) -> tuple[str, ...]:
        """Say what is wrong with the deck, in a sentence, while it is."""
        if self.templates is None or not self.trust.is_other:
            return ()
        says = f"the deck on the table is not the enrolled one ({self.templates.deck.named})"
        return (f"{says}: cards are read without it; enrol the new deck, or put the enrolled one back",)

    def improve(
        self, picture: Pixels, quads: Floats, fits: Sequence[CardFit], readings: Sequence[FaceReading]
    ) -> list[FaceReading]:
        """Give the readings of some cards as the deck makes them; what the deck cannot help with stays as it is."""
        looks = [*zip(quads, fits, readings, strict=True)]
        if self.learner is not None:
            self._learn(picture, looks)
        if self.templates is None:
            return [*readings]
        return [self._improved(picture, *look) for look in looks]

    def _learn(self, picture: Pixels, looks: Sequence[tuple[Floats, CardFit, FaceReading]]) -> None:
        assert self.learner is not None  # noqa: S101  the caller asked
        for quad, fit, reading in looks:
            if is_certain(quad, fit, reading, TEACHES) or is_back(quad, fit, reading):
                self.learner.take(reading.face, picture, quad)

    def _improved(self, picture: Pixels, quad: Floats, fit: CardFit, reading: FaceReading) -> FaceReading:
        assert self.templates is not None  # noqa: S101  the caller asked
        shows = np.array(fit.indices) >= SHOWS
        faces = reading.all[self.columns]
        if not shows.any() or faces.sum() < FACED:
            return reading
        likeness = self.templates.likeness(picture, quad)
        if is_certain(quad, fit, reading):
            self.trust.take(reading.face, likeness)
        if self.trust.is_other or likeness[shows].mean(axis=0).max() < STRANGE:
            return reading
        every = reading.all.copy()
        every[self.columns] = fused(faces, likeness, shows)
        best = int(every.argmax())
        return replace(reading, face=self.classes[best], likely=float(every[best]), all=every, by_deck=True)


def is_certain(quad: Floats, fit: CardFit, reading: FaceReading, least: float = CERTAIN) -> bool:
    """Tell whether a whole card's face is read for certain."""
    return (
        reading.face in FACES
        and reading.likely >= least
        and fit.visible >= WHOLE
        and min(fit.indices) >= SHOWS
        and tall(quad) >= SMALL_PX
    )


def is_back(quad: Floats, fit: CardFit, reading: FaceReading) -> bool:
    """Tell whether a whole card lies face down for certain."""
    seen = fit.visible >= WHOLE and fit.up < 1 - SHOWS and tall(quad) >= SMALL_PX
    return seen and reading.face == BACK and reading.likely >= CERTAIN
