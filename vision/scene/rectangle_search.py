"""Rectangles of a card's size that leave least of a change unexplained.

What has changed and is no card as the networks see it may be one that they take for another: squared on its like,
across a hand. Its size is known, its edge is paper, and all that it changed lies within it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Indices, Mask, Pixels
from feltwatch.vision.scene.scene import EDGE, fill

CardPose = tuple[float, float, float]  # middle, and the way of the long side in degrees
Size = tuple[float, float]

CHANGED: Final = 0.35  # of a change is one
LEAST_MM2: Final = 200.0  # of change is explained by a card that landed
COARSE: Final = 4  # millimetres by which rectangles are first tried
TURN: Final = 15.0  # degrees from one try to the next
BEYOND: Final = 0.6  # so much worse is a change beyond the rectangle than one inside is good
STARTS: Final = 8
PEAKS: Final = 2
STEPS: Final = ((6.0, 6.0), (2.5, 3.0), (1.0, 1.0), (0.5, 0.5))  # millimetres, degrees
ROUNDS: Final = 4
EDGE_MM: Final = (0.8, 3.0)  # of paper around a face, from where it is not blurred with what lies beside it
PAPER: Final = 0.8  # of what has changed is darker than paper
SHADE: Final = 15.0  # grey levels by which paper differs from itself
INK: Final = 38.0
APART_MM, APART_DEG = 2.0, 4.0  # poses that are nearer are one
KEPT: Final = 5
LEFT: Final = 0.25  # of a change is left over, and yet a guess is good
JOINED_MM: Final = 9  # so near each other changes are of one thing
LARGEST: Final = 4.5  # cards: larger is a sleeve


@dataclass(frozen=True, slots=True)
class LandedPose:
    """Where a card may have landed, and how many square millimetres of change are left if it did."""

    pose: CardPose
    left: float


def corners(pose: CardPose, size: Size) -> Floats:
    """Give the corners of a card, as BackMatcher turns it."""
    turn = np.deg2rad(pose[2])
    along = np.array([np.cos(turn), np.sin(turn)])
    across = np.array([along[1], -along[0]])
    half = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * np.array(size) / 2
    found: Floats = np.array(pose[:2]) + half[:, :1] * across + half[:, 1:] * along
    return found


class RectangleSearch:
    """What has changed in a part of the flat picture, pixel by pixel, and what rectangles say of it."""

    def __init__(self, now: Pixels, change: Floats32, free: Mask, size: Size, least: float = 0.0) -> None:
        self.change, self.size = change, size
        self.whole = float(change.sum())
        light = np.asarray(cv2.min(cv2.min(now[..., 0], now[..., 1]), now[..., 2]), np.float32)
        lit = light[change > CHANGED]
        paper = max(float(np.quantile(lit, PAPER)) if lit.size else 255.0, least)
        self.light = light
        self.ink = np.clip((paper - light - SHADE) / INK, 0, 1).astype(np.float32) * free

    def poses(self, near: Sequence[CardPose]) -> list[LandedPose]:
        """Give where a card may have landed, the likeliest first; `near` are guesses."""
        if self.whole < LEAST_MM2:
            return []
        rough = [self._better(start, STEPS[:2]) for start in near]
        if min((one.left for one in rough), default=self.whole) > LEFT * self.whole:
            rough += [self._better(start, STEPS[:2]) for start in self._rectangles()]
        found: list[LandedPose] = []
        for one in sorted(rough, key=lambda one: one.left):
            if len(found) < KEPT and not any(_alike(one.pose, other.pose) for other in found):
                fine = self._better(one.pose, STEPS[2:])
                if fine.left <= self.whole - LEAST_MM2 and not any(_alike(fine.pose, other.pose) for other in found):
                    found.append(fine)
        return sorted(found, key=lambda one: one.left)

    def better(self, pose: CardPose) -> CardPose:
        """Give where near a pose a card explains more."""
        return self._better(pose, STEPS[1:]).pose

    def left(self, pose: CardPose) -> float:
        """Give how much is left unexplained if a card landed so: what changed beyond it, and edges of no paper."""
        outer = corners(pose, self.size)
        low = np.floor(outer.min(axis=0)).astype(int)
        high = np.ceil(outer.max(axis=0)).astype(int) + 1
        if (low < 0).any() or (high > self.change.shape[::-1]).any():
            return self.whole
        part = slice(low[1], high[1]), slice(low[0], high[0])
        inside = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        fill(inside, outer - low, 1)
        change = float(self.change[part][inside > 0].sum())
        return self.whole - change + self.edge(pose)

    def edge(self, pose: CardPose) -> float:
        """Give how much of a card's edge would be no paper."""
        return float(self.ink[self._ring(pose)].sum())

    def _ring(self, pose: CardPose) -> tuple[Indices, Indices]:
        """Give the rows and columns of a card's edge."""
        outer = corners(pose, self.size)
        low = np.clip(np.floor(outer.min(axis=0)).astype(int), 0, np.array(self.ink.shape[::-1]) - 1)
        high = np.clip(np.ceil(outer.max(axis=0)).astype(int) + 1, low + 1, self.ink.shape[::-1])
        ring = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        for inset, value in zip(EDGE_MM, (1, 0), strict=True):
            fill(ring, corners(pose, (self.size[0] - 2 * inset, self.size[1] - 2 * inset)) - low, value)
        rows, columns = np.nonzero(ring)
        return rows + low[1], columns + low[0]

    def paper(self, pose: CardPose) -> float:
        """Give how light the edge of a card is."""
        ring = self._ring(pose)
        return float(np.median(self.light[ring]))

    def _better(self, start: CardPose, steps: Sequence[tuple[float, float]]) -> LandedPose:
        """Move and turn a rectangle little by little as long as less is left."""
        best = LandedPose(start, self.left(start))
        for mm, degrees in steps:
            for _ in range(ROUNDS):
                before = best.left
                for axis, step in ((0, mm), (1, mm), (2, degrees)):
                    for way in (step, -step):
                        pose = tuple(value + way * (n == axis) for n, value in enumerate(best.pose))
                        left = self.left((pose[0], pose[1], pose[2]))
                        if left < best.left - 1e-3:
                            best = LandedPose((pose[0], pose[1], pose[2]), left)
                if best.left >= before - 1e-3:
                    break
        return best

    def _rectangles(self) -> list[CardPose]:
        """Give the rectangles that hold most change, with least around them."""
        size = tuple(max(side // COARSE, 1) for side in self.change.shape[::-1])
        small = np.asarray(cv2.resize(self.change, size, interpolation=cv2.INTER_AREA), np.float32)
        found = [one for turn in np.arange(0, 180, TURN) for one in self._peaks(small, float(turn))]
        found.sort(key=lambda one: -one[0])
        return [pose for _, pose in found[:STARTS]]

    def _peaks(self, small: Floats32, turn: float) -> Iterator[tuple[float, CardPose]]:
        size = self.size[0] / COARSE, self.size[1] / COARSE
        reach = int(np.hypot(*size) / 2) + 4
        middle = (float(reach), float(reach), turn)
        inside, around = (np.zeros((2 * reach + 1, 2 * reach + 1), np.uint8) for _ in range(2))
        fill(inside, corners(middle, size), 1)
        fill(around, corners(middle, (size[0] + 4, size[1] + 4)), 1)
        around -= inside
        kernel = inside / np.float32(inside.sum()) - np.float32(BEYOND) * around / np.float32(around.sum())
        likely = cv2.filter2D(small, -1, kernel.astype(np.float32), borderType=cv2.BORDER_CONSTANT)
        for _ in range(PEAKS):
            _, most, _, (x, y) = cv2.minMaxLoc(likely)
            if most <= 0:
                return
            yield float(most), (COARSE * (x + 0.5) - 0.5, COARSE * (y + 0.5) - 0.5, turn)
            cv2.circle(likely, (x, y), 4, -1, -1)


def _alike(one: CardPose, other: CardPose) -> bool:
    apart = float(np.hypot(one[0] - other[0], one[1] - other[1]))
    return apart <= APART_MM and abs((one[2] - other[2] + 90) % 180 - 90) <= APART_DEG


def lump(change: Floats32, size: Size) -> Floats32:
    """Give the largest connected change that one card, or two that lie on each other, may have made."""
    opened = cv2.morphologyEx((change > CHANGED).astype(np.uint8), cv2.MORPH_OPEN, EDGE)
    joined = cv2.dilate(opened, np.ones((JOINED_MM, JOINED_MM), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    sizes = np.bincount(labels[opened > 0], minlength=count)
    large = stats[:, cv2.CC_STAT_AREA] > LARGEST * size[0] * size[1]
    sizes[0], sizes[large] = 0, 0
    best = int(sizes.argmax()) if count > 1 else 0
    return change * (labels == best) if sizes[best] else np.zeros_like(change)
