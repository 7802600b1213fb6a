"""Whose hand it was: an arm comes from the dealer's edge of the felt, or from the Players'."""

from collections import deque
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera
from vision.layout import Area, Layout

Mask = NDArray[np.bool_]

COARSE: Final = 4  # pixels of the small picture for one of these
DEALERS_MM: Final = 30.0  # of the felt belong to the dealer's edge
BEYOND_MM: Final = 25.0  # outside the felt an arm is surely one
ARM: Final = 2  # pixels at an edge: less is none
RECENT_S: Final = 0.9  # a hand that was there longer ago had nothing to do with it
FEW: Final = 2  # frames

DEALER, PLAYER = 1, 2


class Sides:
    """Remembers of every spot and zone from which side arms reached over it."""

    def __init__(self, camera: Camera, layout: Layout, size: tuple[int, int], factor: float) -> None:
        self.size = (size[0] // COARSE, size[1] // COARSE)
        step = factor * COARSE
        x, y = np.meshgrid(np.arange(self.size[0]), np.arange(self.size[1]))
        pixels = np.column_stack([x.ravel(), y.ravel()]) * step + step / 2
        felt = camera.to_felt(pixels)
        edge = np.array(layout.outline, np.float32)
        away = np.array([-cv2.pointPolygonTest(edge, (float(a), float(b)), measureDist=True) for a, b in felt])
        ends = np.where(felt[:, 1] < DEALERS_MM, DEALER, np.where(away > BEYOND_MM, PLAYER, 0))
        self.ends = ends.reshape(self.size[::-1]).astype(np.uint8)
        self.places = {area.name: self._pixels(area, camera, step) for area in layout.areas}
        self.over: dict[str, deque[tuple[float, int]]] = {name: deque(maxlen=60) for name in self.places}

    def _pixels(self, area: Area, camera: Camera, step: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Give rows and columns of a place."""
        points = (camera.to_picture(np.array(area.polygon)) + 0.5) / step - 0.5
        found = np.zeros(self.size[::-1], np.uint8)
        cv2.fillPoly(found, [np.round(points).astype(np.int32)], 1)
        rows, columns = np.nonzero(found)
        return rows, columns

    def step(self, t: float, disturbed: Mask) -> None:
        """Take what differs from the table at rest."""
        even = disturbed[: self.size[1] * COARSE, : self.size[0] * COARSE]
        coarse: Mask = np.asarray(even.reshape(self.size[1], COARSE, self.size[0], COARSE).any(axis=(1, 3)))
        if not coarse.any():
            return
        count, labels = cv2.connectedComponents(coarse.astype(np.uint8), connectivity=8)
        sides = np.zeros(count, np.uint8)
        for side in (DEALER, PLAYER):
            reach = np.bincount(labels[(self.ends == side) & coarse], minlength=count)
            sides[reach >= ARM] |= side
        sides[0] = 0
        for name, (rows, columns) in self.places.items():
            side = int(np.bitwise_or.reduce(sides[labels[rows, columns]], initial=0))
            if side:
                self.over[name].append((t, side))

    def by(self, place: str, t: float) -> str | None:
        """Say who was at a place just now, if one side alone was."""
        recent = [side for when, side in self.over.get(place, ()) if when >= t - RECENT_S]
        dealer, player = (sum(1 for side in recent if side == one) for one in (DEALER, PLAYER))
        if any(side == DEALER | PLAYER for side in recent) or (dealer >= FEW) == (player >= FEW):
            return None
        return "dealer" if dealer >= FEW else "player"
