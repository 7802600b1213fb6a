"""One look at a picture: what the detector finds, read by the reader, said only where it is sure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.shelf import MANIFEST, model
from vision.detector import CARDS, Detector, Found
from vision.reader import Reader, Reading
from vision.runtime import THREADS
from vision.seen import Quad, Seen, SeenCard, SeenHand, SeenStack

Picture = NDArray[np.uint8]
TOUCH = 0.03  # of a card's area, covered by another thing: they touch
SQUARE = 0.87  # a card whose sides are so much alike may be seen so steeply that its longer side is the shorter


@dataclass(frozen=True)
class Eyes:
    """The two networks together, and when they are believed."""

    detector: Detector
    reader: Reader
    sure: float  # the least probability at which a face is told

    def look(self, picture: Picture) -> Seen:
        """Say what is in a picture (height x width x 3, blue first)."""
        found = self.detector.find(picture)
        cards = [one for one in found if one.kind in CARDS]
        read = [self._card(*one) for one in self._read(picture, cards)]
        firm = [one for one in found if one.score >= self.detector.lone and one.kind != "chip_stack"]
        told = (card for one, card in zip(cards, read, strict=True) if card and (card.face or _leans(one, firm)))
        stacks = (_stack(one) for one in found if one.kind == "chip_stack")
        hands = (SeenHand(_quad(one.quad), one.score) for one in found if one.kind == "hand")
        return Seen(tuple(told), tuple(stacks), tuple(hands))

    def _read(self, picture: Picture, cards: list[Found]) -> Iterator[tuple[Found, Reading]]:
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

    def _card(self, found: Found, reading: Reading) -> SeenCard | None:
        """Put together what both say. What the reader takes for no card is none."""
        back, none = (float(reading.all[self.reader.classes.index(name)]) for name in ("back", "none"))
        if none > max(0.5, found.score):
            return None
        down = (1 - found.up) * max(back, 0.02)
        up = found.up * max(1 - back - none, 0.02)
        if down > up:
            return SeenCard(_quad(found.quad), up=False, face=None, confidence=found.score)
        if reading.face not in ("back", "none") and reading.likely >= self.sure:
            return SeenCard(_quad(found.quad), up=True, face=reading.face, confidence=reading.likely)
        return SeenCard(_quad(found.quad), up=True, face=None, confidence=found.score)


def open_eyes(provider: str = "cpu", threads: int = THREADS, manifest: Path = MANIFEST) -> Eyes:
    """Load both networks as they were shipped, or those of another manifest."""
    detector, reader = model("detector", manifest), model("reader", manifest)
    return Eyes(Detector(detector, provider, threads), Reader(reader, provider, threads), reader.setting("sure"))


def _leans(card: Found, firm: list[Found]) -> bool:
    """Say whether a card is surely one, or touches what surely is: what hardly shows lies under something."""
    return any(one is card or _shared(one.quad, card.quad) > TOUCH for one in firm)


def _shared(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Give what part of the other quad the first one covers."""
    area, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
    return float(area) / max(float(cv2.contourArea(other.astype(np.float32))), 1e-9)


def _squareness(quad: NDArray[np.float64]) -> float:
    """Give the shorter side over the longer."""
    sides = np.hypot(*(quad[[1, 3]] - quad[0]).T)
    return float(sides.min() / max(sides.max(), 1e-9))


def _stack(found: Found) -> SeenStack:
    x, y = found.quad.mean(axis=0)
    width, height = (float(np.hypot(*(found.quad[n] - found.quad[0]))) for n in (1, 3))
    return SeenStack((float(x), float(y)), (width + height) / 4, found.score)


def _quad(quad: NDArray[np.float64]) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in quad)
    return a, b, c, d
