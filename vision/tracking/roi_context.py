"""What one look is made of, for those who make sense of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Mask, Pixels
from feltwatch.vision.detection.reader import FaceReading
from feltwatch.vision.detection.roi_detection import Glimpse
from feltwatch.vision.geometry.flat_felt import FlatPart
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.tracking.four_card_hands import NO_FOURS, FourCardHands
from feltwatch.vision.tracking.track import CardTrack

ReadFaces = Callable[[Floats], list[FaceReading]]

FEW: Final = 12  # pixels tell nothing
FELT: Final = 45.0  # grey levels: so much the weave of the felt may differ, pixel by pixel


def _blind(_: Floats) -> list[FaceReading]:
    return []


@dataclass(frozen=True)
class RoiContext:
    """A look at what has changed and come to rest. `explained` is filled by those who know what a change means."""

    sight: FrameChange
    attention: ChangeDetector
    sides: HandAttribution
    picture: Pixels
    glimpse: Glimpse
    where: Mask  # what is looked at: changed, and calm
    moving: Mask
    first: bool = False  # nothing is known yet
    sought: CardTrack | None = None  # the one thing that is looked for
    fours: FourCardHands = NO_FOURS
    part: FlatPart = (slice(0, 1), slice(0, 1))  # of the felt, that is looked at
    read: ReadFaces = _blind  # faces within quads
    again: bool = True  # it is not the first look at a change

    @property
    def t(self) -> float:
        return self.sight.t

    @cached_property
    def bare(self) -> Mask:
        return self.attention.looks_bare(self.sight)

    @cached_property
    def explained(self) -> Mask:
        return np.zeros_like(self.where)

    @cached_property
    def hands(self) -> list[Patch]:
        return [Patch.of(quad, self.attention.factor, self.where.shape) for quad in self.glimpse.hands]

    def patch(self, quad: Floats) -> Patch:
        return Patch.of(quad, self.attention.factor, self.where.shape)

    def under_hand(self, patch: Patch) -> bool:
        """Tell whether a hand covers some of it."""
        return any(patch.size - patch.without([hand]).size > 0.05 * patch.size for hand in self.hands)

    def bare_outside(self, quad: Floats, others: Sequence[Floats]) -> float | None:
        """Give how much of what lies in the one outline but in none of the others is bare felt, at full resolution."""
        low = np.floor(quad.min(axis=0)).astype(int) - 4
        size = np.ceil(quad.max(axis=0)).astype(int) + 4 - low
        left = np.zeros((size[1], size[0]), np.uint8)
        cv2.fillPoly(left, [np.round((quad - low) * 16).astype(np.int32)], 1, shift=4)
        left = cv2.erode(left, np.ones((5, 5), np.uint8)).astype(np.uint8)  # outlines are seen a little too wide
        over = np.zeros_like(left)
        for other in others:
            cv2.fillPoly(over, [np.round((other - low) * 16).astype(np.int32)], 1, shift=4)
        left[cv2.dilate(over, np.ones((3, 3), np.uint8)) > 0] = 0
        rows, columns = np.nonzero(left)
        x, y = columns + low[0] - round(self.sight.shift[0]), rows + low[1] - round(self.sight.shift[1])
        inside = (x >= 0) & (y >= 0) & (x < self.picture.shape[1]) & (y < self.picture.shape[0])
        if np.count_nonzero(inside) < FEW:
            return None
        seen = self.picture[y[inside], x[inside]].astype(np.float32) * self.sight.gain
        factor = self.attention.factor
        small = (
            np.clip((y[inside] / factor).astype(int), 0, self.where.shape[0] - 1),
            np.clip((x[inside] / factor).astype(int), 0, self.where.shape[1] - 1),
        )
        return float((np.abs(seen - self.attention.felt(small)).max(axis=1) <= FELT).mean())

    def understand(self, patch: Patch, *, empty: bool = False) -> None:
        """What lies within the patch and is calm is what is known of it from now on."""
        where = np.zeros_like(self.where)
        patch.onto(where)
        where &= ~self.moving
        self.attention.understood(self.sight, where)
        if empty:
            self.attention.empty(self.sight, where)
        self.sight.changed[where] = False
        self.explained[where] = True
