"""Decks for tests: the bundled one, and one that looks otherwise; whole cards of them laid on a grey ground."""

from functools import lru_cache
from types import MappingProxyType

import cv2
import numpy as np

from feltwatch.datasets.art.cards.decks import load_back, load_deck
from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.fitter import CardFit
from feltwatch.vision.detection.known_deck import FACES, PICTURE_PX, DeckOrigin, KnownDeck
from feltwatch.vision.detection.reader import FaceReading

ORIGIN = DeckOrigin("Example, blue", "2026-11-20", "photographs")


def small(picture: Pixels) -> Pixels:
    return np.asarray(cv2.resize(picture, PICTURE_PX, interpolation=cv2.INTER_AREA), np.uint8)


@lru_cache(maxsize=1)
def house() -> KnownDeck:
    faces = {face: small(picture) for face, picture in load_deck("house").faces.items()}
    return KnownDeck(ORIGIN, MappingProxyType(faces), small(load_back("house-blue")))


@lru_cache(maxsize=1)
def other() -> KnownDeck:
    """Give a deck whose indices stand elsewhere and in other colours."""
    faces = {}
    for face, picture in house().faces.items():
        moved = np.full_like(picture, 250)
        moved[20:-20, 14:-14] = cv2.resize(picture, (PICTURE_PX[0] - 28, PICTURE_PX[1] - 40))
        faces[face] = moved[..., ::-1].copy()
    return KnownDeck(DeckOrigin("Another", "2026-11-19", "spread"), MappingProxyType(faces))


def shown(card: Pixels, high: int = 80, seed: int = 1) -> tuple[Pixels, Floats]:
    """Give a picture of a card so many pixels high, a little noisy, and its quad."""
    wide = round(high * PICTURE_PX[0] / PICTURE_PX[1])
    picture = np.full((high + 60, wide + 60, 3), (60, 110, 40), np.uint8)
    picture[30 : 30 + high, 30 : 30 + wide] = cv2.resize(card, (wide, high), interpolation=cv2.INTER_AREA)
    noisy = picture + np.random.default_rng(seed).normal(0, 4, picture.shape)
    left, top = 29.5, 29.5
    quad = np.array([(left, top), (left + wide, top), (left + wide, top + high), (left, top + high)])
    return np.clip(noisy, 0, 255).astype(np.uint8), quad


def fit_of(quad: Floats, indices: tuple[float, float] = (1.0, 1.0), visible: float = 1.0, up: float = 1.0) -> CardFit:
    return CardFit(quad, np.zeros(4), 1.0, up, indices, visible)


def reading(likely: dict[str, float]) -> FaceReading:
    """Give what a reader says; what is left is shared by all other classes."""
    rest = (1 - sum(likely.values())) / (len(READS) - len(likely))
    every = np.array([likely.get(name, rest) for name in READS])
    best = int(every.argmax())
    return FaceReading(READS[best], float(every[best]), every)


__all__ = ["FACES", "ORIGIN", "READS", "fit_of", "house", "other", "reading", "shown", "small"]
