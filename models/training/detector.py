"""Teach the detector: windows of rendered tables, of cards strewn anywhere, and of photographs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, pi
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset

from feltwatch.datasets.common.cache import read_picture
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.photos.real import Photograph, photographs
from feltwatch.datasets.sets.labels import blanked
from feltwatch.datasets.sets.owners import owner_drawing
from feltwatch.datasets.sets.sets import written_truths
from feltwatch.datasets.truth import Truth
from feltwatch.models.training.networks.quad_head import COORDINATES
from feltwatch.models.training.quad_targets import CellTargets, cell_targets
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.detector import FULL_PX, GREY

SHARES = {"tables": 0.55, "strewn": 0.4, "photographs": 0.08, "cardless": 0.1}  # of the windows
SIDE = 640
PLACE = 8.0  # weight of the quads beside the classes
SMALL = 0.02  # of a thing's side: corners nearer than that hardly count as wrong
FAIR = 0.08  # at so much of a side, a quad is worth 1/e
STRAY = 0.75  # weight of cells without a thing, at most
EVEN = 3.0  # weight of a thing that one cell shows; it grows with the root of their number
TURNS = torch.tensor([[True, False, True, False]] * 2 + [[True, False, False, False], [True] * 4])  # by class
Dice = np.random.Generator


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


class Windows(Dataset[tuple[torch.Tensor, ...]]):
    """index -> a batch: pictures, the row of the thing that each cell shows, and the things' classes and quads."""

    def __init__(self, seed: int, size: int, groups: Sequence[Group]) -> None:
        self.seed, self.size, self.groups = seed, size, [group for group in groups if group.sights]
        self.counts = {group.name: len(group.sights) for group in groups}

    def __getitem__(self, index: int) -> tuple[torch.Tensor, ...]:
        cv2.setNumThreads(1)
        dice = np.random.default_rng([self.seed, index, 6])
        shares = np.array([group.share for group in self.groups])
        images, targets = [], []
        for _ in range(self.size):
            group = self.groups[int(dice.choice(len(self.groups), p=shares / shares.sum()))]
            sight = group.sights[int(dice.integers(len(group.sights)))]
            image, found = window(sight, dice)
            images.append(image)
            targets.append(found)
        pictures = np.ascontiguousarray(np.stack(images)[..., ::-1].transpose(0, 3, 1, 2))  # red first
        before = np.cumsum([0, *(len(found.kinds) for found in targets)])
        cells = [
            np.where(found.cells > 0, found.cells + n, found.cells) for found, n in zip(targets, before, strict=False)
        ]
        return (
            torch.from_numpy(pictures),
            torch.from_numpy(np.stack(cells)),
            torch.from_numpy(np.concatenate([found.kinds for found in targets])),
            torch.from_numpy(np.concatenate([found.quads for found in targets])),
        )


def window(sight: TrainingPicture, dice: Dice) -> tuple[Pixels, CellTargets]:
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
    return coloured(shown.astype(np.uint8, copy=False), dice), cell_targets(owner_drawing(truth), SIDE, move)


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


def coloured(image: Pixels, dice: Dice) -> Pixels:
    """Show it in another light, now and then blurred."""
    gain = float(np.clip(dice.normal(1, 0.18), 0.5, 1.5)) * dice.normal(1, 0.05, 3)
    curve = np.clip(np.arange(256)[:, None] * gain + dice.normal(0, 8), 0, 255).astype(np.uint8)
    found = cv2.LUT(image, curve[:, None, :])
    if dice.random() < 0.1:
        found = cv2.GaussianBlur(found, (0, 0), float(dice.uniform(0.4, 1.6)))
    if dice.random() < 0.05:
        found = cv2.cvtColor(cv2.cvtColor(found, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    return found.astype(np.uint8, copy=False)


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


def loss(net: nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Judge what the cells say: each thing counts alike, however many cells show it."""
    device = next(net.parameters()).device
    pictures, cells, kinds, quads = (tensor.to(device, non_blocking=True) for tensor in batch)
    inputs = pictures.float().div_(255).contiguous(memory_format=torch.channels_last)
    found = net.predict(inputs).transpose(1, 2)  # pictures x cells x (coordinates, logits)
    return cell_loss(found, cells.long(), kinds.long(), quads)


def cell_loss(found: torch.Tensor, cells: torch.Tensor, kinds: torch.Tensor, quads: torch.Tensor) -> torch.Tensor:
    """Quads: mean distance of corners, in sides of the thing. Classes: how good the quad is, where one is shown.

    What no network could do better is taken off: else the loss of the classes would grow as the quads become better.
    """
    logits, shown = found[..., COORDINATES:], cells > 0
    rows = cells[shown] - 1
    share = 1 / torch.bincount(rows, minlength=len(kinds)).clamp(min=1).float()[rows]
    things = max(len(kinds), 1)
    apart = _apart(found[shown][:, :COORDINATES].reshape(-1, 4, 2), quads[rows], kinds[rows])
    near = nn.functional.smooth_l1_loss(apart, torch.zeros_like(apart), reduction="none", beta=SMALL)
    place = (share * near).sum() / things
    chance = logits.sigmoid()
    weight = STRAY * chance.detach() ** 2 * (cells >= 0)[..., None]
    goal = torch.zeros_like(logits)
    at = (*torch.nonzero(shown, as_tuple=True), kinds[rows])
    goal[at] = torch.exp(-apart.detach() / FAIR).to(goal.dtype)
    weight[at] = (share.sqrt() * EVEN).to(weight.dtype)
    classes = nn.functional.binary_cross_entropy_with_logits(logits, goal, weight, reduction="sum")
    least = nn.functional.binary_cross_entropy(goal, goal, weight, reduction="sum")
    return PLACE * place + (classes - least) / things


def _apart(found: torch.Tensor, true: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    """Give how far corners lie apart, in mean sides; a card looks the same turned by half, a hand's box any way."""
    side = torch.linalg.vector_norm(true - true.roll(1, 1), dim=2).mean(1)
    every = torch.stack([torch.linalg.vector_norm(found - true.roll(n, 1), dim=2).mean(1) for n in range(4)])
    allowed = TURNS.to(kinds.device)[kinds].T
    return every.masked_fill(~allowed, torch.inf).amin(0) / side.clamp(min=1.0)


def groups_of(sets: Mapping[str, Path], photos: Path | None, cardless: Sequence[Path]) -> list[Group]:
    """Put together what is learnt from: sets of pictures, photographs, pictures without cards."""
    groups = [Group(name, SHARES[name], sights_of_set(folder, (0.6, 1.5), 0.3)) for name, folder in sets.items()]
    groups.append(Group("photographs", SHARES["photographs"], sights_of_photographs(photos)))
    groups.append(Group("cardless", SHARES["cardless"], sights_of_cardless(cardless)))
    return groups
