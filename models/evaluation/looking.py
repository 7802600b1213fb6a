"""The eyes that are measured, and what a person is shown of their worst faults."""

import heapq
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from feltwatch.datasets.common.cache import write_picture
from feltwatch.models.evaluation.matching import bounds
from feltwatch.models.shipped.registry import model
from feltwatch.vision.arrays import Pixels, Point
from feltwatch.vision.detection.detections import DetectedCard, Detections

if TYPE_CHECKING:
    from feltwatch.vision.detection.reader import Reader
    from feltwatch.vision.detection.still_reader import StillReader

Look = Callable[[Pixels], Detections]

ROUND = 0.9  # of a fault's size that is shown round it
LEAST_PX = 90.0  # as above, in pixels: an index alone says little
SHOWN_PX = 520
TRUE, REPORTED = (60, 220, 60), (40, 60, 255)


@dataclass(frozen=True, slots=True)
class Looker:
    """The networks of a manifest as one function; each process opens them for itself, so this can be sent to it."""

    manifest: Path
    threads: int = 1

    def __call__(self, picture: Pixels) -> Detections:
        return eyes_of(self.manifest, self.threads).look(picture)


@lru_cache(maxsize=1)
def eyes_of(manifest: Path, threads: int) -> "StillReader":
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  with it comes the model runtime

    return open_eyes(threads=threads, manifest=manifest)


@lru_cache(maxsize=1)
def reader_of(manifest: Path, threads: int) -> "Reader":
    from feltwatch.vision.detection.reader import Reader  # noqa: PLC0415  with it comes the model runtime

    return Reader(model("reader", manifest), threads=threads)


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing to look at: how bad it is, where, and what to say of it."""

    weight: float
    says: str  # becomes the file's name
    place: tuple[Point, ...]  # what is true
    reported: DetectedCard | None
    load: Callable[[], Pixels]


@dataclass
class Worst:
    """The worst faults of a run, however long it is."""

    most: int = 100
    _kept: list[tuple[float, int, Mistake]] = field(default_factory=list)
    _number: "count[int]" = field(default_factory=count)

    def add(self, faults: Sequence[Mistake]) -> None:
        for fault in faults:
            heapq.heappush(self._kept, (fault.weight, -next(self._number), fault))
            if len(self._kept) > self.most:
                heapq.heappop(self._kept)

    def faults(self) -> list[Mistake]:
        return [fault for *_, fault in sorted(self._kept, key=lambda one: (-one[0], -one[1]))]

    def write(self, folder: Path | None) -> None:
        """Write each as a picture: as it is, and beside it with the truth in green and what was reported in red."""
        if folder is None:
            return
        for number, fault in enumerate(self.faults()):
            name = re.sub(r"[^\w.-]+", "-", fault.says)
            write_picture(folder / f"{number:03d}-{name}.jpg", view(fault), 92)


def view(fault: Mistake) -> Pixels:
    """Show a fault and what lies round it, twice."""
    picture = fault.load()
    reported = fault.reported.quad if fault.reported else ()
    left, top, right, bottom = bounds((*fault.place, *reported))
    reach = ROUND * max(right - left, bottom - top, LEAST_PX)
    height, width = picture.shape[:2]
    low = [int(max(0, min(left - reach, width - 8))), int(max(0, min(top - reach, height - 8)))]
    high = [int(min(width, max(right + reach, low[0] + 8))), int(min(height, max(bottom + reach, low[1] + 8)))]
    part = picture[low[1] : high[1], low[0] : high[0]]
    grown = SHOWN_PX / max(part.shape[:2])
    plain = cv2.resize(part, None, fx=grown, fy=grown, interpolation=cv2.INTER_CUBIC).astype(np.uint8)
    drawn = plain.copy()
    for outline, colour in ((fault.place, TRUE), (reported, REPORTED)):
        if outline:
            points = np.round((np.array(outline) - low) * grown * 16).astype(np.int32)
            cv2.polylines(drawn, [points], isClosed=True, color=colour, thickness=1, lineType=cv2.LINE_AA, shift=4)
    return np.hstack([plain, drawn])
