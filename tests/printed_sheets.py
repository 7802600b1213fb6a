"""Printed sheets laid on the felt of the bundled film, for tests that look for them."""

from collections.abc import Mapping
from functools import cache

import cv2
import numpy as np

from feltwatch.edge.calibrate.sheet import PAPERS, page, png
from feltwatch.edge.config.table_file import read_table
from feltwatch.vision.arrays import Pixels, Point
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.markers import PLACES
from tests.film_frames import TABLE, frame

SIZE = (1920, 1080)
A4 = {sheet: PLACES[sheet] for sheet in (1, 2, 3, 4)}
A3 = {sheet: PLACES[sheet] for sheet in (11, 12, 13, 14)}


@cache
def camera() -> Camera:
    return read_table(TABLE).camera(SIZE).camera


@cache
def printed(sheet: int) -> Pixels:
    paper = PAPERS["a4" if sheet < 11 else "a3"]
    data = png(paper, page(sheet, paper, {sheet: (0.0, 0.0), **(A4 if sheet < 11 else A3)}))
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def lay(picture: Pixels, sheet: int, at: Point, turn: float = 0.0, grown: float = 1.0) -> Pixels:
    """Lay a printed sheet on the felt; `turn` in degrees, as the felt's frame counts them."""
    found, paper = picture.copy(), printed(sheet)
    scale = paper.shape[1] / PAPERS["a4" if sheet < 11 else "a3"][0] / grown  # dots to a millimetre of felt
    reach = float(np.hypot(*paper.shape[:2])) / scale / 2
    around = camera().to_picture([(at[0] + a * reach, at[1] + b * reach) for a in (-1, 1) for b in (-1, 1)])
    left, top = np.clip(around.min(axis=0).astype(int), 0, [1919, 1079])
    right, foot = np.clip(around.max(axis=0).astype(int) + 1, 1, [1920, 1080])
    fine = np.stack(np.meshgrid(np.arange(left, right, 0.5), np.arange(top, foot, 0.5)), axis=-1) - 0.25
    felt = camera().to_felt(fine.reshape(-1, 2)) - at
    turned = (felt @ [1, 1j]) * np.exp(-1j * np.deg2rad(turn)) * scale
    middle = np.array(paper.shape[1::-1]) / 2 - 0.5
    x, y = (middle[0] - turned.real).astype(np.float32), (middle[1] + turned.imag).astype(np.float32)
    shape = fine.shape[:2]
    ink = cv2.remap(paper, x.reshape(shape), y.reshape(shape), cv2.INTER_AREA)
    there = ((x >= 0) & (y >= 0) & (x < paper.shape[1]) & (y < paper.shape[0])).reshape(shape).astype(np.float32)
    size = (int(right - left), int(foot - top))
    ink, part = (
        cv2.resize(ink, size, interpolation=cv2.INTER_AREA),
        cv2.resize(there, size, interpolation=cv2.INTER_AREA),
    )
    patch = found[top:foot, left:right]
    patch[:] = patch * (1 - part[..., None]) + ink * 0.85 * part[..., None]
    return found


def laid(places: Mapping[int, Point], turns: float = 0.0, grown: float = 1.0) -> Pixels:
    picture, dice = frame(3), np.random.default_rng(5)
    for sheet, at in places.items():
        picture = lay(picture, sheet, at, float(dice.uniform(-turns, turns)), grown)
    return picture
