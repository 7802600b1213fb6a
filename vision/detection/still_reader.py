"""One look at a picture: what the detector finds, the fitter places and the reader reads; faces only where sure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from feltwatch.models.shipped.registry import MANIFEST, NETWORKS, model
from feltwatch.vision.arrays import Floats, Mask, Pixels, Quad
from feltwatch.vision.detection.deck_fusion import SURE as SURE_BY_DECK
from feltwatch.vision.detection.deck_use import DeckInUse
from feltwatch.vision.detection.detections import SMALL_PX, DetectedCard, DetectedHand, DetectedStack, Detections
from feltwatch.vision.detection.detector import Detection, Detector
from feltwatch.vision.detection.fitter import CardFit, FittedCard, Fitter, apart
from feltwatch.vision.detection.reader import FaceReading, Reader
from feltwatch.vision.detection.runtime import THREADS

TOUCH = 0.03  # of a card's area, covered by another thing: they touch
TWIN = 0.13  # of a card's height: two fits that are closer, and read alike, are of one card
ALL_OF_IT = 0.93  # visible part from which a card is taken for whole
SHOWS = 0.5  # how likely an index must be seen to show
WHOLE, INDEX, HARD = "sure", "sure_index", "sure_hard"  # what of a card shows: all and large, an index, or less
SQUARE = 0.87  # a card whose sides are so much alike may be seen so steeply that its longer side is the shorter


@dataclass(frozen=True, slots=True)
class CardRead:
    """One card: as it was found, where it lies exactly, and what it shows."""

    found: Detection
    fit: CardFit
    reading: FaceReading


@dataclass(frozen=True)
class StillReader:
    """The networks together, and when they are believed."""

    detector: Detector
    fitter: Fitter
    reader: Reader
    sure: Mapping[str, float]  # the least probability at which a face is reported, by what of the card shows
    deck: DeckInUse | None = None  # the table's own, where it is known

    def look(self, picture: Pixels) -> Detections:
        """Say what is in a picture (height x width x 3, blue first)."""
        candidates, things = self.detector.survey(picture)
        read = self.cards(picture, candidates)
        found = [*(one.found for one in read), *things]
        touched = _touched([one.quad for one in found])
        explained = {}
        for n, one in enumerate(read):
            shows = what_shows(one.fit)
            if card := self._card(one.found, one.reading, self._least(shows, one.reading)):
                small = _tall(one.found.quad) < SMALL_PX
                why = "small" if small else "covered" if shows != WHOLE else "uncertain"
                explained[n] = replace(card, unread=why) if card.up and card.face is None else card
        firm = [
            n
            for n, one in enumerate(found)
            if one.score >= self.detector.lone and (n in explained or one.kind == "hand")
        ]
        stacks = (_stack(one) for one in found if one.kind == "chip_stack")
        hands = (DetectedHand(_quad(one.quad), one.score) for one in found if one.kind == "hand")
        # What hardly shows lies under something: a faint card that bears no face and touches nothing firm is none.
        # A back is no face: many a texture looks like one.
        believed = tuple(card for n, card in explained.items() if card.face or n in firm or touched[n, firm].any())
        # Where cards lie, at least one can be read or is beyond doubt: a picture without such a card has no cards.
        certain = any(card.face or card.confidence >= self.detector.certain for card in believed)
        return Detections(believed if certain else (), tuple(stacks), tuple(hands))

    def cards(self, picture: Pixels, candidates: Sequence[Detection]) -> list[CardRead]:
        """Find the cards that some candidates are about, and read them."""
        fitted = self.fitter.settle(picture, candidates)
        readings = self._read(picture, fitted)
        read = [CardRead(found, one.fit, reading) for one, (found, reading) in zip(fitted, readings, strict=True)]
        kept = distinct([one.fit.quad for one in read], [one.reading.face for one in read])
        return [read[n] for n in kept]

    def read(self, picture: Pixels, quads: Floats, fits: Sequence[CardFit]) -> list[FaceReading]:
        """Read the cards within quads (N x 4 x 2) of a picture; the fits say what of each shows."""
        readings = self.reader.read(picture, quads)
        return readings if self.deck is None else self.deck.improve(picture, quads, fits, readings)

    def _least(self, shows: str, reading: FaceReading) -> float:
        return min(self.sure[shows], SURE_BY_DECK) if reading.by_deck else self.sure[shows]

    def _read(self, picture: Pixels, fitted: Sequence[FittedCard]) -> Iterator[tuple[Detection, FaceReading]]:
        """Read each card; one that is nearly square is also read lying on its side, and the surer reading counts."""
        cards = [one.detection for one in fitted]
        aside = [n for n, card in enumerate(cards) if _squareness(card.quad) > SQUARE]
        turned = [replace(cards[n], quad=np.roll(cards[n].quad, 1, axis=0)) for n in aside]
        every = [*cards, *turned]
        # Which indices show is known of a card as it was fitted: lying on its side it is read without its deck.
        fits = [one.fit for one in fitted] + [replace(fitted[n].fit, indices=(0.0, 0.0), visible=0.0) for n in aside]
        readings = self.read(picture, np.array([card.quad for card in every]).reshape(-1, 4, 2), fits)
        best = dict(enumerate(zip(cards, readings, strict=False)))
        for n, card, reading in zip(aside, turned, readings[len(cards) :], strict=True):
            if reading.likely > best[n][1].likely:
                best[n] = (card, reading)
        yield from best.values()

    def _card(self, found: Detection, reading: FaceReading, sure: float) -> DetectedCard | None:
        """Put together what both say. What the reader takes for no card is none."""
        back, none = (float(reading.all[self.reader.classes.index(name)]) for name in ("back", "none"))
        if none > max(0.5, found.score):
            return None
        down = (1 - found.up) * max(back, 0.02)
        up = found.up * max(1 - back - none, 0.02)
        if down > up:
            return DetectedCard(_quad(found.quad), up=False, face=None, confidence=found.score)
        if reading.face not in ("back", "none") and reading.likely >= sure:
            return DetectedCard(_quad(found.quad), up=True, face=reading.face, confidence=reading.likely)
        return DetectedCard(_quad(found.quad), up=True, face=None, confidence=found.score)


def open_eyes(provider: str = "cpu", threads: int = THREADS, manifest: Path = MANIFEST) -> StillReader:
    """Load the networks as they were shipped, or those of another manifest."""
    detector, fitter, reader = (model(name, manifest) for name in NETWORKS)
    return StillReader(
        Detector(detector, provider, threads),
        Fitter(fitter, provider, threads),
        Reader(reader, provider, threads),
        {name: reader.setting(name) for name in (WHOLE, INDEX, HARD)},
    )


def distinct(quads: Sequence[Floats], faces: Sequence[str]) -> list[int]:
    """Give which cards are not another once more: two that lie nearly alike and read alike are one, the first.

    Backs all read alike, and dealers lay them on each other: every one is kept.
    """
    kept: list[int] = []
    for n, (quad, face) in enumerate(zip(quads, faces, strict=True)):
        near = TWIN * _tall(quad)
        if face == "back" or all(faces[k] != face or apart(quad, quads[k]) > near for k in kept):
            kept.append(n)
    return kept


def what_shows(fit: CardFit) -> str:
    """Say what of a card shows, in one of WHOLE, INDEX and HARD: the less, the surer must its face be."""
    if max(fit.indices) < SHOWS:
        return HARD
    return WHOLE if fit.visible >= ALL_OF_IT and _tall(fit.quad) >= SMALL_PX else INDEX


def _touched(quads: list[Floats]) -> Mask:
    """Say of each quad (row) which others cover more than a sliver of it."""
    found = np.zeros((len(quads), len(quads)), bool)
    if not quads:
        return found
    places = np.array(quads, np.float32)
    low, high = places.min(axis=1), places.max(axis=1)
    near = (low[:, None] < high[None]).all(axis=2) & (low[None] < high[:, None]).all(axis=2)
    for n, other in np.argwhere(np.triu(near, 1)):
        shared, _ = cv2.intersectConvexConvex(places[n], places[other])
        for one, by in ((n, other), (other, n)):
            found[one, by] = shared > TOUCH * cv2.contourArea(places[one])
    return found


def _tall(quad: Floats) -> float:
    return float(np.hypot(*(quad[3] - quad[0])))


def _squareness(quad: Floats) -> float:
    """Give the shorter side over the longer."""
    sides = np.hypot(*(quad[[1, 3]] - quad[0]).T)
    return float(sides.min() / max(sides.max(), 1e-9))


def _stack(found: Detection) -> DetectedStack:
    x, y = found.quad.mean(axis=0)
    width, height = (float(np.hypot(*(found.quad[n] - found.quad[0]))) for n in (1, 3))
    return DetectedStack((float(x), float(y)), (width + height) / 4, found.score)


def _quad(quad: Floats) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in quad)
    return a, b, c, d
