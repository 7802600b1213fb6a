"""Teach the detector: windows of rendered tables, of cards strewn anywhere, and of photographs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, pi
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import nn
from torch.utils.data import Dataset

from feltwatch.datasets.common.cache import read_picture
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.photos.real import Photograph, photographs
from feltwatch.datasets.sets.labels import CLASSES, blanked, share_inside
from feltwatch.datasets.sets.sets import written_truths
from feltwatch.datasets.truth import Truth
from feltwatch.models.training.loop import Training
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.detector import FULL_PX, GREY
from feltwatch.vision.geometry.rectify import rectangle

SHARES = {"tables": 0.55, "strewn": 0.4, "photographs": 0.08, "cardless": 0.1}  # of the windows
SIDE = 640
SEEN, INSIDE = 0.08, 0.3  # the least of a thing that is seen, and that lies in the window, to be taught
Dice = np.random.Generator
TurnedRect = tuple[float, float, float, float, float, float]  # class, x, y, width, height (parts of the side), turn


@dataclass(frozen=True, slots=True)
class TrainingPicture:
    """One picture with its truth, and in which range of scales it is shown."""

    load: Callable[[], Pixels]
    truth: Truth
    scales: tuple[float, float]
    turns: float  # how often it is turned by any angle


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    share: float  # of all windows
    sights: Sequence[TrainingPicture]


class Windows(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """index -> a batch: pictures, and boxes as (picture, class, x, y, width, height, turn)."""

    def __init__(self, seed: int, size: int, groups: Sequence[Group]) -> None:
        self.seed, self.size, self.groups = seed, size, [group for group in groups if group.sights]
        self.counts = {group.name: len(group.sights) for group in groups}

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        cv2.setNumThreads(1)
        dice = np.random.default_rng([self.seed, index, 6])
        shares = np.array([group.share for group in self.groups])
        images, boxes = [], []
        for number in range(self.size):
            group = self.groups[int(dice.choice(len(self.groups), p=shares / shares.sum()))]
            sight = group.sights[int(dice.integers(len(group.sights)))]
            image, found = window(sight, dice)
            images.append(image)
            boxes += [(float(number), *box) for box in found]
        pictures = np.ascontiguousarray(np.stack(images)[..., ::-1].transpose(0, 3, 1, 2))  # red first
        return torch.from_numpy(pictures), torch.tensor(boxes, dtype=torch.float32).reshape(-1, 7)


def window(sight: TrainingPicture, dice: Dice) -> tuple[Pixels, list[TurnedRect]]:
    """Show a part of a picture at some scale, turned and mirrored at will."""
    truth, picture = sight.truth, sight.load()
    shrunk = picture.shape[1] / truth.width  # it may have been read smaller than it is
    scale = exp(float(dice.uniform(log(sight.scales[0]), log(sight.scales[1]))))
    angle = float(dice.uniform(0, 2 * pi)) if dice.random() < sight.turns else pi * float(dice.integers(2))
    mirror = float(dice.choice([-1.0, 1.0]))
    spin = scale * np.array([[np.cos(angle) * mirror, -np.sin(angle)], [np.sin(angle) * mirror, np.cos(angle)]])
    move = np.column_stack([spin, SIDE / 2 - spin @ _focus(truth, scale, dice)])
    if scale / shrunk < 0.7:
        shrunk, part = scale, scale / shrunk
        picture = cv2.resize(picture, None, fx=part, fy=part, interpolation=cv2.INTER_AREA).astype(np.uint8)
    way = np.column_stack([move[:, :2] / shrunk, move @ [0.5 / shrunk - 0.5, 0.5 / shrunk - 0.5, 1]])  # pixels' middles
    shown = cv2.warpAffine(picture, way, (SIDE, SIDE), flags=cv2.INTER_LINEAR, borderValue=(GREY,) * 3)
    return _coloured(shown.astype(np.uint8, copy=False), dice), list(_boxes(truth, move))


def _focus(truth: Truth, scale: float, dice: Dice) -> Floats:
    """Look at a card or a stack, or anywhere, so that as little as may be lies outside the picture."""
    size = np.array([truth.width, truth.height], np.float64)
    places = [np.mean(card.quad, axis=0) for card in truth.cards] + [np.array(stack.center) for stack in truth.stacks]
    inside = [place for place in places if (place > 0).all() and (place < size).all()]
    place = dice.uniform(0, 1, 2) * size
    if inside and dice.random() < 0.8:
        place = inside[int(dice.integers(len(inside)))] + dice.normal(0, 0.08, 2) * size
    half = np.minimum(0.42 * SIDE / scale, size / 2)
    return np.asarray(np.clip(place, half, size - half))


def _coloured(image: Pixels, dice: Dice) -> Pixels:
    """Show it in another light, now and then blurred."""
    gain = float(np.clip(dice.normal(1, 0.18), 0.5, 1.5)) * dice.normal(1, 0.05, 3)
    curve = np.clip(np.arange(256)[:, None] * gain + dice.normal(0, 8), 0, 255).astype(np.uint8)
    found = cv2.LUT(image, curve[:, None, :])
    if dice.random() < 0.1:
        found = cv2.GaussianBlur(found, (0, 0), float(dice.uniform(0.4, 1.6)))
    if dice.random() < 0.05:
        found = cv2.cvtColor(cv2.cvtColor(found, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return found.astype(np.uint8, copy=False)


def _boxes(truth: Truth, move: Floats) -> Iterator[TurnedRect]:
    for card in truth.cards:
        quad = _moved(card.quad, move)
        if card.label == "card" and card.visible * (share := _inside(quad)) >= SEEN and share >= INSIDE:
            yield _box("card_up" if card.up else "card_down", rectangle(_clockwise(quad)))
    scale = float(np.hypot(*move[:, 0]))
    for stack in truth.stacks:
        center, radius = _moved([stack.center], move)[0], stack.radius * scale
        quad = center + radius * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        if stack.visible * (share := _inside(quad)) >= SEEN and share >= INSIDE:
            yield _box("chip_stack", quad)
    for hand in truth.hands:
        outline = _moved(hand, move)
        frame = np.array([(0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE)], np.float32)
        part = cv2.intersectConvexConvex(cv2.convexHull(outline.astype(np.float32)), frame)[1]
        if part is not None and len(part) > 2:
            yield _box("hand", cv2.boxPoints(cv2.minAreaRect(np.asarray(part, np.float32))).astype(np.float64))


def _moved(points: ArrayLike, move: Floats) -> Floats:
    return np.asarray(np.asarray(points, np.float64) @ move[:, :2].T + move[:, 2])


def _clockwise(quad: Floats) -> Floats:
    """A mirrored card has its corners the other way round: start from its top right."""
    return quad[[1, 0, 3, 2]] if cv2.contourArea(quad.astype(np.float32), oriented=True) < 0 else quad


def _inside(quad: Floats) -> float:
    if ((quad >= 0) & (quad <= SIDE)).all():
        return 1.0
    if quad.max() < 0 or quad.min() > SIDE:
        return 0.0
    return share_inside([(float(x), float(y)) for x, y in quad], (SIDE, SIDE))


def _box(kind: str, quad: Floats) -> TurnedRect:
    """Give a rectangle by its middle, sides and the direction of its first side, from -45 to 135 degrees."""
    across, along = quad[1] - quad[0], quad[3] - quad[0]
    turn = (float(np.arctan2(across[1], across[0])) + pi / 4) % pi - pi / 4
    x, y = quad.mean(axis=0) / SIDE
    return (
        CLASSES.index(kind),
        float(x),
        float(y),
        float(np.hypot(*across)) / SIDE,
        float(np.hypot(*along)) / SIDE,
        turn,
    )


def sights_of_set(folder: Path, scales: tuple[float, float], turns: float) -> list[TrainingPicture]:
    """Give the pictures of a written set; scales are counted from a longer side of FULL_PX, or from as it is."""
    found = []
    if not (folder / "recipe.json").is_file():
        raise DataError(
            f"{folder}: no set of pictures; `python -m feltwatch.datasets set {folder.name} -o {folder}` makes one"
        )
    for path, truth in written_truths(folder, "train"):
        long = max(truth.width, truth.height)
        scale = min(1.0, FULL_PX / long)
        half = long > 2 * FULL_PX
        found.append(
            TrainingPicture(_PictureFile(path, half=half), truth, (scales[0] * scale, scales[1] * scale), turns)
        )
    return found


@dataclass(frozen=True, slots=True)
class _PictureFile:
    path: Path
    half: bool = False  # large pictures are read at half their size, which is faster

    def __call__(self) -> Pixels:
        if self.half:
            found = cv2.imread(str(self.path), cv2.IMREAD_REDUCED_COLOR_2)
            if found is not None:
                return found.astype(np.uint8, copy=False)
        return np.ascontiguousarray(read_picture(self.path)[..., :3])


@dataclass(frozen=True, slots=True)
class _Shown:
    """A photograph in which every card with unknown corners is greyed out."""

    photo: Photograph

    def __call__(self) -> Pixels:
        return blanked(self.photo.load(), self.photo.truth)[0]


def sights_of_photographs(folder: Path | None) -> list[TrainingPicture]:
    found = []
    for photo in photographs(folder, ("train",)) if folder else ():
        if not photo.source.usable:
            continue
        blank = np.zeros((photo.truth.height, photo.truth.width, 3), np.uint8)
        truth = photo.truth if photo.wholly_labelled else blanked(blank, photo.truth)[1]
        scale = min(1.0, SIDE / max(truth.width, truth.height))
        if truth.cards:
            found.append(TrainingPicture(_Shown(photo), truth, (0.6 * scale, 1.3 * scale), 0.3))
    return found


def sights_of_cardless(paths: Sequence[Path]) -> list[TrainingPicture]:
    found = []
    for path in paths:
        height, width = read_picture(path).shape[:2]
        found.append(TrainingPicture(_PictureFile(path), Truth(width, height), (0.4, 1.1), 0.3))
    return found


def prepare(training: Training) -> None:
    """Give the network its own loss."""
    training.net.criterion = training.net.init_criterion()


def loss(net: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    device = next(net.parameters()).device
    pictures, boxes = (tensor.to(device, non_blocking=True) for tensor in batch)
    inputs = pictures.float().div_(255).contiguous(memory_format=torch.channels_last)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        found = net.predict(inputs)
    truth = {"batch_idx": boxes[:, 0], "cls": boxes[:, 1:2], "bboxes": boxes[:, 2:], "img": inputs}
    total: torch.Tensor = net.criterion(_floats(found), truth)[0].sum()
    return total / len(inputs)


def _floats(found: Any) -> Any:  # noqa: ANN401  nested lists and mappings of tensors
    if isinstance(found, torch.Tensor):
        return found.float()
    if isinstance(found, Mapping):
        return {key: _floats(value) for key, value in found.items()}
    return [_floats(value) for value in found] if isinstance(found, list | tuple) else found


def source_of(seed: int, size: int, sets: Mapping[str, Path], photos: Path | None, cardless: Sequence[Path]) -> Windows:
    """Put together what is learnt from: sets of pictures, photographs, pictures without cards."""
    groups = [Group(name, SHARES[name], sights_of_set(folder, (0.6, 1.5), 0.3)) for name, folder in sets.items()]
    groups.append(Group("photographs", SHARES["photographs"], sights_of_photographs(photos)))
    groups.append(Group("cardless", SHARES["cardless"], sights_of_cardless(cardless)))
    return Windows(seed, size, groups)
