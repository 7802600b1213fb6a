"""Whether a camera's pictures show a table at all: not black, not covered, not frozen, and of the size they had."""

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from feltwatch.edge.config.camera_parts import camera_called
from feltwatch.vision.arrays import Floats32, Pixels, PixelSize

GRID: Final = (80, 45)  # cells of the picture
BORDER: Final = 6  # rows of cells at the top and the bottom, where cameras write the time, do not count
STEP: Final = 3.0  # grey levels by which a cell stands out from those around it: coded noise does by one or two
SHOWS: Final = 0.005  # of the cells stand out, where there is anything to see; a table at a tenth of its light: 0.018
DARK: Final = 16.0  # grey levels: what is brighter is not called black
MOVED: Final = 4.0  # grey levels of a cell: less is what a coder makes of the same picture
KEPT: Final = 0.5  # of the cells differ nowhere in two pictures of a frozen camera, however they are coded
SAMPLE_S: Final = 0.2  # so often pictures are compared
KEYLESS_S: Final = 10.0  # a stream without key pictures is compared so often

TroubleKind = Literal["lost", "stalled", "frozen", "black", "resized"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long what is waited for, in seconds."""

    stalled_s: float = 3.0  # for a live picture
    frozen_s: float = 3.0  # for a picture that is not the one before
    black_s: float = 1.0  # for light; a black picture itself is never used
    late_s: float = 0.5  # a picture that was so long on its way is not live
    again_s: tuple[float, ...] = (1.0, 2.0, 5.0, 10.0, 30.0)  # between the tries to reach a lost camera
    open_s: float = 10.0  # for a camera in the network to answer
    read_s: float = 5.0  # for its next picture, before it is taken for lost


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why there are no pictures; since when by the table's clock, and as a sentence."""

    kind: TroubleKind
    since: float
    says: str


class PictureHealth:
    """Judges each picture of one camera in turn.

    A frame that shows nothing, or has another size, is bad at once; black is reported when it has lasted. One that is
    the same as before is good until that has lasted: a film may stand still for a moment.
    """

    def __init__(self, name: str, timeouts: Timeouts) -> None:
        self.name, self.timeouts = name, timeouts
        self.size: PixelSize | None = None  # of the first good picture
        self._stillness = Stillness()
        self._dark_since: float | None = None

    def judge(self, t: float, picture: Pixels, small: Pixels, *, key: bool = True) -> tuple[bool, Trouble | None]:
        """Say whether a picture is good, and what is wrong with the camera; `key` is one that is coded by itself."""
        size = (picture.shape[1], picture.shape[0])
        resized = self.resized(t, size)
        if resized is not None:
            return False, resized
        cells = lit(small)
        if not shows_anything(cells):
            return False, self._dark(t, cells)
        self._dark_since = None
        since = self._stillness.step(t, small, cells, key=key)
        if since is not None and t - since >= self.timeouts.frozen_s:
            says = f"{camera_called(self.name)} is frozen: it sends the same picture again and again; restart it"
            return False, Trouble("frozen", since, says)
        self.size = size
        return True, None

    def resized(self, t: float, size: PixelSize) -> Trouble | None:
        """Say that pictures are not of the size they had."""
        if self.size is None or size == self.size:
            return None
        sizes = [f"{width} x {height}" for width, height in (size, self.size)]
        who = camera_called(self.name)
        says = f"{who} sends pictures of {sizes[0]}, not of {sizes[1]}; set it back, or calibrate it again"
        return Trouble("resized", t, says)

    def _dark(self, t: float, cells: Floats32) -> Trouble | None:
        self._dark_since = t if self._dark_since is None else self._dark_since
        if t - self._dark_since < self.timeouts.black_s:
            return None
        looks = "its picture is black; is there light, and is the lens free?"
        if float(np.median(cells)) >= DARK:
            looks = "its picture is of one colour; is the lens covered?"
        return Trouble("black", self._dark_since, f"{camera_called(self.name)} sees nothing: {looks}")


class Stillness:
    """Since when a camera has sent the same picture.

    A sensor never gives the same picture twice, but coders hide that: between two key pictures they may repeat what
    they have, and they refine a picture that stands still. So key pictures are compared with key pictures, and of the
    others only whether anything moved; what differs nowhere in half of all places, and moves in none, is the same
    picture. A picture that stands still before a coder is found as soon as that codes it the same way twice: at once at
    a fixed quantiser, in some seconds where that has to settle, and never where pictures must fill a fixed rate.
    """

    def __init__(self) -> None:
        self._first: Floats32 | None = None  # of the stretch in which nothing has moved
        self._last: Pixels | None = None  # that was compared
        self._since = 0.0
        self._compared = 0.0
        self._same = False  # the last comparison found the same picture

    def step(self, t: float, small: Pixels, cells: Floats32, *, key: bool) -> float | None:
        """Take the next picture; give None where it is not the same."""
        due = t - self._compared >= (SAMPLE_S if key else KEYLESS_S)
        if self._moved(cells) or (due and not self._is_last(small)):
            self._first, self._last, self._same = cells, small, False
            self._since = self._compared = t
        elif due:
            self._last, self._compared, self._same = small, t, True
        return self._since if self._same else None

    def _moved(self, cells: Floats32) -> bool:
        if self._first is None:
            return True
        return bool(np.abs(cells - self._first)[BORDER:-BORDER].max() > MOVED)

    def _is_last(self, small: Pixels) -> bool:
        if self._last is None or self._last.shape != small.shape:
            return False
        differs = (cv2.absdiff(small, self._last).max(axis=2) > 0).astype(np.float32)
        cells = np.asarray(cv2.resize(differs, GRID, interpolation=cv2.INTER_AREA), np.float32)
        return float((cells[BORDER:-BORDER] == 0).mean()) >= KEPT


def lit(small: Pixels) -> Floats32:
    """Give the light of each cell."""
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)
    return np.asarray(cv2.resize(grey, GRID, interpolation=cv2.INTER_AREA), np.float32)


def shows_anything(cells: Floats32) -> bool:
    """Say whether there is more to see than one colour, however shaded, noise, and the time written over it."""
    around = (cells[:-2, 1:-1] + cells[2:, 1:-1] + cells[1:-1, :-2] + cells[1:-1, 2:]) / 4
    stands_out = np.abs(cells[1:-1, 1:-1] - around)[BORDER - 1 : 1 - BORDER] >= STEP
    return float(stands_out.mean()) >= SHOWS
