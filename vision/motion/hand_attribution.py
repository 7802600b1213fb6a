"""Whose hand moved a thing, by the edge its arm comes from, and since when a hand hides a place."""

from collections import deque
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Indices, Mask, Pixels, Uints32
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import Area, Layout

COARSE: Final = 4  # pixels of the small picture for one cell
DEALERS_MM: Final = 30.0  # of the felt belong to the dealer's edge
BEYOND_MM: Final = 25.0  # outside the felt an arm is surely one
NEAR_MM: Final = 200.0  # of an edge that is not in the picture: who comes in there sits at it
ARM: Final = 2  # cells at an edge: less is none
RECENT_S: Final = 0.9  # a hand that was there longer ago had nothing to do with it
KEPT_S: Final = 3.0  # so long it is remembered whose arms were where
FILLED: Final = 8  # pixels of a cell
HIDDEN: Final = 4  # of the sixteen pixels of a cell; a few remain at the edge of what was laid there
LEAD_S: Final = 0.3  # a hand is there so long before it hides what it takes
FEW: Final = 2  # frames
SHOWN: Final = 0.8  # of what a card changed: where less of its place was to be seen, it may have lain there

DEALER, PLAYER = 1, 2


class HandAttribution:
    """Remembers from which side arms reached over each part of the table, and when it was last seen undisturbed."""

    def __init__(self, camera: Camera, layout: Layout, size: tuple[int, int], factor: float) -> None:
        self.size = (size[0] // COARSE, size[1] // COARSE)
        self.factor = factor
        step = factor * COARSE
        x, y = np.meshgrid(np.arange(self.size[0]), np.arange(self.size[1]))
        pixels = np.column_stack([x.ravel(), y.ravel()]) * step + step / 2
        felt = camera.to_felt(pixels)
        edge = np.array(layout.outline, np.float32)
        away = np.array([-cv2.pointPolygonTest(edge, (float(a), float(b)), measureDist=True) for a, b in felt])
        dealers = felt[:, 1] < DEALERS_MM
        players = ~dealers & (away > BEYOND_MM)
        if layout.elsewhere:  # it need not see the felt's edge: an arm may come in at the picture's
            border = (x == 0) | (x == self.size[0] - 1) | (y == 0) | (y == self.size[1] - 1)
            dealers |= border.ravel() & (felt[:, 1] < NEAR_MM)
            players |= border.ravel() & ~dealers & (away > -NEAR_MM)
        self.ends = {DEALER: np.flatnonzero(dealers), PLAYER: np.flatnonzero(players)}
        self.places = {area.name: self._cells(area, camera, step) for area in layout.areas}
        self.over: deque[tuple[float, Pixels]] = deque()  # whose arms were where
        self.quiet = np.zeros(len(felt))  # when each cell was last seen undisturbed

    def _cells(self, area: Area, camera: Camera, step: float) -> Indices:
        """Give the cells of a place."""
        points = (camera.to_picture(np.array(area.polygon)) + 0.5) / step - 0.5
        found = np.zeros(self.size[::-1], np.uint8)
        cv2.fillPoly(found, [np.round(points).astype(np.int32)], 1)
        return np.flatnonzero(found)

    def step(self, t: float, disturbed: Mask) -> None:
        """Take what differs from the table at rest."""
        pixels = self._counted(disturbed)
        self.quiet[pixels.ravel() < HIDDEN] = t
        while self.over and self.over[0][0] < t - KEPT_S:
            self.over.popleft()
        count, labels = cv2.connectedComponents((pixels > 0).astype(np.uint8), connectivity=8)
        sides = np.zeros(count, np.uint8)
        for side, ends in self.ends.items():
            reach = np.bincount(labels.ravel()[ends], minlength=count)
            sides[reach >= ARM] |= side
        sides[0] = 0
        if sides.any():
            self.over.append((t, sides[labels].ravel()))

    def _counted(self, disturbed: Mask) -> Uints32:
        """Count the disturbed pixels of each cell; four of a row are added up as the bytes of one number."""
        even = np.ascontiguousarray(disturbed[: self.size[1] * COARSE, : self.size[0] * COARSE])
        across = even.view(np.uint32).reshape(self.size[1], COARSE, self.size[0])
        return np.asarray((across.sum(axis=1, dtype=np.uint32) * np.uint32(0x01010101)) >> np.uint32(24))

    def by(self, place: str, t: float) -> str | None:
        """Say who was at a place just now, if one side alone was."""
        return self._alone(self.places.get(place), t - RECENT_S)

    def by_at(self, patch: Patch, since: float) -> str | None:
        """Say who was at a part of the table since then, if one side alone was; a hand may hide less than it takes."""
        cells = self.cells(patch)
        if not any(sides[cells].any() for when, sides in self.over if when >= since):
            since -= LEAD_S
        return self._alone(cells, since)

    def _alone(self, cells: Indices | None, since: float) -> str | None:
        if cells is None:
            return None
        recent = [int(np.bitwise_or.reduce(sides[cells], initial=0)) for when, sides in self.over if when >= since]
        dealer, player = (sum(1 for side in recent if side == one) for one in (DEALER, PLAYER))
        if DEALER | PLAYER in recent or (dealer >= FEW) == (player >= FEW):
            return None
        return "dealer" if dealer >= FEW else "player"

    def cells(self, patch: Patch) -> Indices:
        """Give the cells that a patch of the small picture fills, or, if it is small, those that it mostly fills."""
        rows, columns = np.nonzero(patch.mask)
        y = np.minimum((rows + patch.box[0].start) // COARSE, self.size[1] - 1)
        x = np.minimum((columns + patch.box[1].start) // COARSE, self.size[0] - 1)
        found, filled = np.unique(y * self.size[0] + x, return_counts=True)
        return np.asarray(found[filled >= min(FILLED, filled.max(initial=0))])

    def since(self, patch: Patch) -> float:
        """Say when most of a patch was last seen undisturbed."""
        return float(np.median(self.quiet[self.cells(patch)]))

    def without(self, patch: Patch, t: float) -> float:
        """Say when a patch that is disturbed now was last seen without what lies there: nearly all that shows of it."""
        quiet = self.quiet[self.cells(patch)]
        return float(np.quantile(quiet[quiet < t], SHOWN, method="lower")) if (quiet < t).any() else t

    def hidden(self, patch: Patch, t: float) -> float:
        """Give how much of a patch is disturbed now."""
        return float((self.quiet[self.cells(patch)] < t).mean())
