"""The felt as seen from straight above, a pixel a millimetre: there a card keeps its size."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Ints16, Mask, Pixels
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.layout.zones import Layout

AROUND_MM: Final = 80.0  # of the felt is kept in view: cards may hang over its edge

FlatPart = tuple[slice, slice]  # rows, columns


@dataclass(frozen=True)
class FlatFelt:
    """Where each millimetre of the felt is in a camera's pictures. `low` is the felt's point at its first pixel."""

    camera: Camera
    factor: float  # by which the small picture is smaller
    low: tuple[int, int]
    size: tuple[int, int]  # across, down

    @staticmethod
    def of(camera: Camera, layout: Layout, factor: float) -> "FlatFelt":
        outline = np.array(layout.outline)
        low = np.floor(outline.min(axis=0) - AROUND_MM).astype(int)
        across, down = (np.ceil(outline.max(axis=0) + AROUND_MM).astype(int) - low).tolist()
        return FlatFelt(camera, factor, (int(low[0]), int(low[1])), (across, down))

    def __getstate__(self) -> tuple[object, ...]:
        return self.camera, self.factor, self.low, self.size

    def __setstate__(self, state: tuple[object, ...]) -> None:
        for name, value in zip(("camera", "factor", "low", "size"), state, strict=True):
            object.__setattr__(self, name, value)

    @cached_property
    def pixels(self) -> Floats32:
        """Give the pixel that shows each millimetre."""
        across, down = np.meshgrid(np.arange(self.size[0]) + self.low[0], np.arange(self.size[1]) + self.low[1])
        found = self.camera.to_picture(np.column_stack([across.ravel(), down.ravel()]))
        return found.astype(np.float32).reshape(self.size[1], self.size[0], 2)

    @cached_property
    def shown(self) -> Mask:
        """Say which millimetres the camera sees."""
        x, y = self.pixels[..., 0], self.pixels[..., 1]
        return np.asarray((x >= 0) & (y >= 0) & (x <= self.camera.width - 1) & (y <= self.camera.height - 1))

    def points(self, felt: Floats) -> Floats:
        """Give where points of the felt are in the flat picture."""
        return np.asarray(felt - np.array(self.low, np.float64))

    def around(self, felt: Floats, room: float) -> FlatPart:
        """Give the part that holds points of the felt, with so much room around them."""
        points = self.points(felt)
        low = np.clip(np.floor(points.min(axis=0) - room).astype(int), 0, np.array(self.size) - 1)
        high = np.clip(np.ceil(points.max(axis=0) + room).astype(int) + 1, low + 1, self.size)
        return slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))

    def cut(self, picture: Pixels, shift: tuple[float, float], part: FlatPart) -> Pixels:
        """Give a part of the felt from a picture that must be moved by `shift` to lie as the first one."""
        where = self.pixels[part] - np.array(shift, np.float32)
        x, y = np.ascontiguousarray(where[..., 0]), np.ascontiguousarray(where[..., 1])
        return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    @cached_property
    def _small(self) -> tuple[Ints16, Ints16]:
        found = np.clip((self.pixels + 0.5) / self.factor, 0, None).astype(np.int16)
        most = (np.array([self.camera.width, self.camera.height]) / self.factor).astype(np.int16) - 1
        return np.minimum(found[..., 1], most[1]), np.minimum(found[..., 0], most[0])

    def small(self, part: FlatPart) -> tuple[Ints16, Ints16]:
        """Give rows and columns of the small picture that show each millimetre of a part."""
        return self._small[0][part], self._small[1][part]
