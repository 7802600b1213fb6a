"""Cards drawn on a felt, each with its own face, and the scene that is believed to lie there."""

from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np

from feltwatch.datasets.sets.sets import READS
from feltwatch.vision.arrays import Floats, Mask, Pixels
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.geometry.flat_felt import FlatFelt
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.motion.change_detector import FrameChange, small_size
from feltwatch.vision.scene.explain import View
from feltwatch.vision.scene.rectangle_search import CardPose, corners
from feltwatch.vision.scene.scene import FeltScene
from feltwatch.vision.tracking.track import CardTrack
from tests.toy_table import CAMERA, CARD_MM, LAYOUT, SIZE, felt

SMALL = small_size(*SIZE)
FACTOR = SIZE[0] / SMALL[0]
FOUND_MM, FOUND_DEG = 6.0, 6.0  # the reader reads what lies so near a quad
WHOLE = slice(None)


@cache
def flat() -> FlatFelt:
    return FlatFelt.of(CAMERA, LAYOUT, FACTOR)


@cache
def face(number: int) -> Pixels:
    """Give a card's face: paper with ink that no other has."""
    rng = np.random.default_rng(number)
    picture = np.full((352, 252, 3), 235, np.uint8)
    for _ in range(14):
        middle, size = rng.uniform([40, 40], [212, 312]).astype(int), rng.uniform(10, 26, 2).astype(int)
        ink = tuple(int(value) for value in rng.uniform(0, 120, 3))
        cv2.ellipse(picture, middle.tolist(), size.tolist(), float(rng.uniform(0, 180)), 0, 360, ink, -1, cv2.LINE_AA)
    return picture


@dataclass(frozen=True)
class Drawn:
    """A card that lies there, its face by its number among the classes of the reader."""

    number: int
    pose: CardPose

    @property
    def quad(self) -> Floats:
        return CAMERA.to_picture(corners(self.pose, CARD_MM))


def drawn(cards: list[Drawn]) -> Pixels:
    """Give the picture of cards, the first at the bottom."""
    picture = felt().copy()
    for card in cards:
        paper = face(card.number)
        high, wide = paper.shape[:2]
        source = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32) - np.float32(0.5)
        way = cv2.getPerspectiveTransform(source, card.quad.astype(np.float32))
        there = cv2.warpPerspective(np.full((high, wide), 255, np.uint8), way, SIZE, flags=cv2.INTER_AREA)
        over = cv2.warpPerspective(paper, way, SIZE, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
        share = there[..., None].astype(np.float32) / 255
        picture = (share * over + (1 - share) * picture).astype(np.uint8)
    return picture


def sight() -> FrameChange:
    nothing = np.zeros(SMALL[::-1], bool)
    return FrameChange(0.0, np.zeros((*SMALL[::-1], 3), np.uint8), (0.0, 0.0), 1.0, nothing, nothing)


@dataclass
class Table:
    """What lies there, and the scene as it was last understood."""

    cards: list[Drawn] = field(default_factory=list)
    known: list[CardTrack] = field(default_factory=list)
    scene: FeltScene = field(default_factory=lambda: FeltScene(flat()))

    def __post_init__(self) -> None:
        self.scene.begin(sight(), felt())
        self.understand()

    def understand(self) -> None:
        """All that lies there is known."""
        self.known = [self._track(card, layer) for layer, card in enumerate(self.cards, 1)]
        part = (slice(0, flat().size[1]), slice(0, flat().size[0]))
        lowest = self.cards
        for count in range(len(lowest) + 1):  # each was seen before the next came to lie on it
            picture = flat().cut(drawn(lowest[:count]), (0.0, 0.0), part)
            self.scene.take(part, picture, np.ones(picture.shape[:2], bool), self.known[:count])

    def _track(self, card: Drawn, layer: int) -> CardTrack:
        patch = Patch.of(card.quad, FACTOR, SMALL[::-1])
        place, angle = (card.pose[0], card.pose[1]), card.pose[2] % 180
        track = CardTrack(card.quad, place, angle, patch, up=True, seen_at=0.0, rested=0.0, layer=layer)
        track.votes.add(_likely(card.number), 1.0)
        track.id = f"c{layer}"
        return track

    def view(self) -> View:
        """Look at what lies there now, with a reader but no detector."""
        around = np.array([card.pose[:2] for card in self.cards] + [card.place for card in self.known])
        part = flat().around(around, 120.0)
        free: Mask = np.ones((part[0].stop - part[0].start, part[1].stop - part[1].start), bool)
        now = self.scene.now(sight(), drawn(self.cards), part)
        classes = READS.index("back"), READS.index("none")
        return View(now, part, free, free, self.known, (), (), CARD_MM, *classes, self.read)

    def read(self, quads: Floats) -> list[FaceReading]:
        """Read what lies on top within each quad."""
        return [self._reading(CAMERA.to_felt(quad)) for quad in quads]

    def _reading(self, quad: Floats) -> FaceReading:
        for card in reversed(self.cards):
            own = corners(card.pose, CARD_MM)
            if any(np.hypot(*(np.roll(own, n, axis=0) - quad).T).max() <= FOUND_MM for n in range(4)):
                return FaceReading(READS[card.number], 0.999, _likely(card.number))
        none = READS.index("none")
        return FaceReading("none", 0.999, _likely(none))


def _likely(number: int) -> Floats:
    found = np.full(len(READS), 1e-5)
    found[number] = 1.0
    return np.asarray(found / found.sum())
