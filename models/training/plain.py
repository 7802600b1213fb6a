"""What one would otherwise take: ultralytics' own detector with a class for each face, trained by ultralytics itself.

It is there to be compared with, and is not shipped.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch

from feltwatch.datasets.common.cache import write_picture, write_whole
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.models.evaluation.matching import bounds, box_round
from feltwatch.models.training.detector import TrainingPicture, sights_of_photographs, sights_of_set
from feltwatch.models.training.networks.importing import make_importable
from feltwatch.models.training.networks.nets import state_of
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.detections import DetectedCard, Detections

SIDE = 640  # what guides and examples train with
VISIBLE = 0.2  # of a card, to be labelled
BATCH = 16
CHECKED = 8  # pictures that ultralytics validates with at the end: nothing is chosen by them
QUALITY = 92
LEAST = 0.25  # ultralytics' own least confidence


def train(folder: Path, start: Path, hours: float, sets: Iterable[Path], photographs: Path | None) -> Path:
    """Write the pictures once, then train for so long; a run that was stopped goes on."""
    last = folder / "run" / "weights" / "last.pt"
    if last.is_file():
        if torch.load(last, map_location="cpu", weights_only=False)["optimizer"]:  # it was stopped before its end
            _yolo(last).train(resume=True)
        return last
    if not (folder / "data.yaml").is_file():
        _write(folder, [*_sights(sets), *sights_of_photographs(photographs)])
    _yolo(start).train(
        data=str(folder / "data.yaml"),
        time=hours,
        imgsz=SIDE,
        batch=BATCH,
        device="cuda" if torch.cuda.is_available() else "cpu",
        workers=1,
        project=str(folder.resolve()),
        name="run",
        exist_ok=True,
        plots=False,
        val=False,
    )
    return last


@dataclass(frozen=True, slots=True)
class Plain:
    """Such a network as one function, with its boxes for quads; each process opens it for itself."""

    weights: Path

    def __call__(self, picture: Pixels) -> Detections:
        (found,) = _opened(self.weights).predict(picture, imgsz=SIDE, conf=LEAST, device="cpu", verbose=False)
        rows = found.boxes.data.cpu().numpy().astype(float).tolist()
        cards = [
            DetectedCard(box_round(((left, top), (right, low))), up=True, face=FACES[int(kind)], confidence=score)
            for left, top, right, low, score, kind in rows
        ]
        return Detections(tuple(cards), (), ())


def _sights(sets: Iterable[Path]) -> Iterator[TrainingPicture]:
    for folder in sets:
        yield from sights_of_set(folder, (1.0, 1.0), 0.0)


def _write(folder: Path, sights: list[TrainingPicture]) -> None:
    names = []
    for number, sight in enumerate(sights):
        picture, labels = sight.load(), _labels(sight)
        if not labels:
            continue
        part = SIDE / max(picture.shape[:2])
        if part < 1:
            picture = cv2.resize(picture, None, fx=part, fy=part, interpolation=cv2.INTER_AREA).astype(np.uint8)
        path = folder / "images" / f"{number:06d}.jpg"
        write_picture(path, picture, QUALITY)
        write_whole(folder / "labels" / f"{number:06d}.txt", "".join(labels).encode())
        names.append(str(path.resolve()))
    if not names:
        raise DataError(f"{folder}: nothing to train with: no picture has a card face up")
    write_whole(folder / "train.txt", "\n".join(names).encode())
    write_whole(folder / "val.txt", "\n".join(names[:CHECKED]).encode())
    classes = "".join(f"  {number}: {face}\n" for number, face in enumerate(FACES))
    paths = f"train: {folder.resolve() / 'train.txt'}\nval: {folder.resolve() / 'val.txt'}\n"
    write_whole(folder / "data.yaml", f"{paths}names:\n{classes}".encode())


def _labels(sight: TrainingPicture) -> list[str]:
    """Give upright boxes round cards, as they are commonly labelled."""
    truth, found = sight.truth, []
    for card in truth.cards:
        if not card.face or card.visible < VISIBLE or card.label != "card":
            continue
        left, top, right, low = bounds(card.quad)
        left, right = (min(max(x, 0), truth.width) / truth.width for x in (left, right))
        top, low = (min(max(y, 0), truth.height) / truth.height for y in (top, low))
        if right > left and low > top:
            box = ((left + right) / 2, (top + low) / 2, right - left, low - top)
            found.append(f"{FACES.index(card.face)} {' '.join(f'{n:.6f}' for n in box)}\n")
    return found


def check(weights: Path) -> None:
    """Refuse what is no such network."""
    if not weights.is_file():
        raise DataError(f"{weights}: no such weights; `python -m feltwatch.models train plain` makes them")
    if tuple(_opened(weights).names.values()) != FACES:
        raise DataError(f"{weights}: expected a network whose classes are the 52 faces")


@lru_cache(maxsize=1)
def _opened(weights: Path) -> Any:  # noqa: ANN401  ultralytics has no types
    return _yolo(weights)


def _yolo(weights: Path) -> Any:  # noqa: ANN401  as above
    make_importable()
    from ultralytics import YOLO  # noqa: PLC0415  once torchvision can be imported

    if weights.suffix == ".pt":
        state_of(weights)  # refuses in a line what ultralytics would not
    return YOLO(str(weights))
