"""One look at a picture: what the detector finds, read by the reader, said only where it is sure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from feltwatch.models.shipped.registry import MANIFEST, model
from feltwatch.vision.arrays import Floats, Mask, Pixels, Quad
from feltwatch.vision.detection.detections import SMALL_PX, DetectedCard, DetectedHand, DetectedStack, Detections
from feltwatch.vision.detection.detector import CARDS, Detection, Detector
from feltwatch.vision.detection.reader import FaceReading, Reader
from feltwatch.vision.detection.runtime import THREADS

TOUCH = 0.03  # of a card's area, covered by another thing: they touch
SQUARE = 0.87  # a card whose sides are so much alike may be seen so steeply that its longer side is the shorter


@dataclass(frozen=True)
class StillReader:
    """The two networks together, and when they are believed."""

    detector: Detector
    reader: Reader
    sure: float  # the least probability at which a face is reported
    sure_hard: float  # the same of a card that something touches, or that is small

    def look(self, picture: Pixels) -> Detections:
        """Say what is in a picture (height x width x 3, blue first)."""
        found = self.detector.find(picture)
        touched = _touched([one.quad for one in found])
        cards = [n for n, one in enumerate(found) if one.kind in CARDS]
        explained = {}
        for n, (one, reading) in zip(cards, self._read(picture, [found[n] for n in cards]), strict=True):
            small, covered = _tall(one.quad) < SMALL_PX, bool(touched[n].any())
            if card := self._card(one, reading, self.sure_hard if small or covered else self.sure):
                why = "small" if small else "covered" if covered else "uncertain"
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

    def _read(self, picture: Pixels, cards: list[Detection]) -> Iterator[tuple[Detection, FaceReading]]:
        """Read each card; one that is nearly square is also read lying on its side, and the surer reading counts."""
        aside = [n for n, card in enumerate(cards) if _squareness(card.quad) > SQUARE]
        turned = [replace(cards[n], quad=np.roll(cards[n].quad, 1, axis=0)) for n in aside]
        every = [*cards, *turned]
        readings = self.reader.read(picture, np.array([card.quad for card in every]))
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
    """Load both networks as they were shipped, or those of another manifest."""
    detector, reader = model("detector", manifest), model("reader", manifest)
    sure, sure_hard = reader.setting("sure"), reader.setting("sure_hard")
    return StillReader(Detector(detector, provider, threads), Reader(reader, provider, threads), sure, sure_hard)


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
