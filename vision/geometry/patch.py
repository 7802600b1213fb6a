"""The part of the small image that a thing covers."""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Mask


@dataclass(frozen=True)
class Patch:
    """The part of the small image that a thing covers: a mask within a rectangle."""

    box: tuple[slice, slice]  # rows, columns
    mask: Mask

    @staticmethod
    def of(quad: Floats, factor: float, shape: tuple[int, int]) -> "Patch":
        """Give the patch of a polygon in pixels of the whole picture."""
        points = (quad + 0.5) / factor - 0.5
        low = np.clip(np.floor(points.min(axis=0)).astype(int), 0, [shape[1] - 1, shape[0] - 1])
        high = np.clip(np.ceil(points.max(axis=0)).astype(int) + 1, low + 1, [shape[1], shape[0]])
        found = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        cv2.fillPoly(found, [np.round((points - low) * 16).astype(np.int32)], 1, shift=4)
        return Patch((slice(low[1], high[1]), slice(low[0], high[0])), found.astype(bool))

    @staticmethod
    def disc(center: tuple[float, float], radius: float, factor: float, shape: tuple[int, int]) -> "Patch":
        turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        return Patch.of(np.array(center) + radius * np.column_stack([np.cos(turns), np.sin(turns)]), factor, shape)

    @cached_property
    def size(self) -> int:
        return int(self.mask.sum())

    def share(self, of: Mask) -> float:
        """Give how much of the patch a mask of the whole small picture covers."""
        return float((of[self.box] & self.mask).sum()) / max(self.size, 1)

    def without(self, others: "list[Patch]") -> "Patch":
        """Give what no other patch covers."""
        left = None
        rows, columns = self.box
        for other in others:
            down, across = other.box
            top, bottom = max(rows.start, down.start), min(rows.stop, down.stop)
            near, far = max(columns.start, across.start), min(columns.stop, across.stop)
            if top < bottom and near < far:
                left = self.mask.copy() if left is None else left
                mine = slice(top - rows.start, bottom - rows.start), slice(near - columns.start, far - columns.start)
                its = slice(top - down.start, bottom - down.start), slice(near - across.start, far - across.start)
                left[mine] &= ~other.mask[its]
        return self if left is None else Patch(self.box, left)

    def overlap(self, other: "Patch") -> float:
        """Give how much of the patch another covers."""
        return 1 - self.without([other]).size / max(self.size, 1)

    def onto(self, whole: Mask) -> None:
        """Mark the patch in a mask of the whole small picture."""
        whole[self.box] |= self.mask
