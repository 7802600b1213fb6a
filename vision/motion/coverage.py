"""Which part of its picture a camera watches, and which it leaves to the others over the same table."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Mask
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import OFF_TABLE, Area, Layout
from feltwatch.vision.motion.change_detector import ChangeDetector

CARD_MM: Final = 60.0  # a card whose middle lies on the border reaches so far over it
GRAIN_MM: Final = 10.0
AROUND_MM: Final = 400.0  # of the felt
COARSE: Final = 4  # pixels of the small picture


def watched(camera: Camera, layout: Layout, attention: ChangeDetector) -> Mask:
    """Give where cards and chips count: the felt, but for the dealer's own things and what others watch."""
    found = _felt(camera, layout, attention)
    for area in layout.areas:
        if area.name in OFF_TABLE:
            patch = Patch.of(camera.to_picture(area.polygon), attention.factor, found.shape)
            found[patch.box] &= ~patch.mask
    others = left_to_others(camera, layout, attention)
    return found if others is None else found & ~others


def left_to_others(camera: Camera, layout: Layout, attention: ChangeDetector) -> Mask | None:
    """Give the felt that is nearer to others' areas by more than a card may reach; None where there are no others."""
    if not layout.elsewhere:
        return None
    wide, high = attention.size
    x, y = np.meshgrid(np.arange(0, wide, COARSE), np.arange(0, high, COARSE))
    pixels = (np.column_stack([x.ravel(), y.ravel()]) + (COARSE + 1) / 2) * attention.factor - 0.5
    felt = camera.to_felt(pixels)
    apart = [_distances(layout, areas, felt).reshape(x.shape) for areas in (layout.areas, layout.elsewhere)]
    mine = np.kron(apart[0] <= apart[1], np.ones((COARSE, COARSE), bool))[:high, :wide].view(np.uint8)
    reach = 2 * round(CARD_MM * camera.scale(*layout.middle) / attention.factor) + 1
    mine = cv2.dilate(mine, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))).astype(np.uint8)
    return np.asarray(_felt(camera, layout, attention) & (mine == 0))


def _felt(camera: Camera, layout: Layout, attention: ChangeDetector) -> Mask:
    found = np.zeros((attention.size[1], attention.size[0]), bool)
    Patch.of(camera.to_picture(layout.outline), attention.factor, found.shape).onto(found)
    return found


def _distances(layout: Layout, areas: Sequence[Area], felt: Floats) -> Floats:
    """Give how far points of the felt are from the nearest of some areas; what is far outside counts as at the edge."""
    low = np.min(layout.outline, axis=0) - AROUND_MM
    size = np.ceil((np.max(layout.outline, axis=0) + AROUND_MM - low) / GRAIN_MM).astype(int) + 1
    away = np.full((size[1], size[0]), 255, np.uint8)
    for area in areas:
        if area.name in OFF_TABLE:
            continue
        cv2.fillPoly(away, [np.round((np.array(area.polygon) - low) / GRAIN_MM).astype(np.int32)], 0)
    found = cv2.distanceTransform(away, cv2.DIST_L2, cv2.DIST_MASK_PRECISE) * GRAIN_MM
    column, row = np.clip(np.round((felt - low) / GRAIN_MM).astype(int), 0, size - 1).T
    return np.asarray(found[row, column], np.float64)
