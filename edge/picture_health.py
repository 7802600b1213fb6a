"""Whether a camera's pictures show a table at all: not black, not covered, not frozen, and of the size they had."""

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np

from vision.pictures import Picture

GRID: Final = (80, 45)  # cells of the picture whose light is compared with that of their neighbours
BORDER: Final = 6  # rows of cells at the top and the bottom, where cameras write the time, do not count
STEP: Final = 1.0  # grey levels by which a cell stands out
SHOWS: Final = 0.01  # of the cells stand out, where there is anything to see
DARK: Final = 16.0  # grey levels; in a picture that is darker than this
DARK_SHOWS: Final = 0.1  # as many must: the table at a fifth of its light has four times that, black with noise none

Kind = Literal["lost", "stalled", "frozen", "black", "resized"]
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Patience:
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

    kind: Kind
    since: float
    says: str


class PictureHealth:
    """Judges each picture of one camera in turn.

    A picture that shows nothing, or is of another size, is bad at once; black is said when it has lasted. A picture
    that is the one before, bit for bit, is good until it has lasted: a film that somebody made may stand still for a
    moment, and so may a coder. A sensor never gives the same picture twice.
    """

    def __init__(self, name: str, patience: Patience) -> None:
        self.name, self.patience = name, patience
        self.size: Size | None = None  # of the first good picture
        self._last: Picture | None = None
        self._same_since = 0.0
        self._dark_since: float | None = None

    def judge(self, t: float, picture: Picture, small: Picture) -> tuple[bool, Trouble | None]:
        """Say whether a picture is good, and what is wrong with the camera."""
        size = (picture.shape[1], picture.shape[0])
        if self.size is not None and size != self.size:
            return False, self._resized(t, size)
        if not shows_anything(small):
            return False, self._dark(t, small)
        self._dark_since = None
        if self._last is None or not same(self._last, small):
            self._same_since = t
        self._last = small
        if t - self._same_since >= self.patience.frozen_s:
            says = f"camera {self.name} is frozen: it sends the same picture again and again; restart it"
            return False, Trouble("frozen", self._same_since, says)
        self.size = size
        return True, None

    def _resized(self, t: float, size: Size) -> Trouble:
        assert self.size is not None  # noqa: S101  it was compared with
        told = [f"{width} x {height}" for width, height in (size, self.size)]
        says = f"camera {self.name} sends pictures of {told[0]}, not of {told[1]}; set it back, or calibrate it again"
        return Trouble("resized", t, says)

    def _dark(self, t: float, small: Picture) -> Trouble | None:
        self._dark_since = t if self._dark_since is None else self._dark_since
        if t - self._dark_since < self.patience.black_s:
            return None
        looks = "its picture is black; is there light, and is the lens free?"
        if float(small.mean()) >= DARK:
            looks = "its picture is of one colour; is the lens covered?"
        return Trouble("black", self._dark_since, f"camera {self.name} sees nothing: {looks}")


def same(one: Picture, other: Picture) -> bool:
    """Say whether two pictures are one; a row tells most pairs apart."""
    if one.shape != other.shape:
        return False
    row = len(one) // 2
    return np.array_equal(one[row], other[row]) and np.array_equal(one, other)


def shows_anything(small: Picture) -> bool:
    """Say whether there is more to see than one colour, however shaded, noise, and the time written over it."""
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)
    cells = np.asarray(cv2.resize(grey, GRID, interpolation=cv2.INTER_AREA), np.float32)
    around = (cells[:-2, 1:-1] + cells[2:, 1:-1] + cells[1:-1, :-2] + cells[1:-1, 2:]) / 4
    stands_out = np.abs(cells[1:-1, 1:-1] - around)[BORDER - 1 : 1 - BORDER] >= STEP
    return float(stands_out.mean()) >= (DARK_SHOWS if float(np.median(cells)) < DARK else SHOWS)
