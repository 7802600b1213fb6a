"""Teach the fitter: crops round rough quads, drawn by chance or by the detector, and where the card truly lies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log

import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset

from feltwatch.datasets.sets.owners import OwnerDrawing, owner_drawing
from feltwatch.models.shipped.registry import model
from feltwatch.models.training.detector import Dice, Group, TrainingPicture, coloured
from feltwatch.vision.arrays import Floats, Ints, Pixels
from feltwatch.vision.detection.detector import Detector
from feltwatch.vision.detection.fitter import CORNERS, FLATNESS, GRID, GRID_POINTS, MARGIN, NUMBERS, STEP, crop
from feltwatch.vision.geometry.card_plane import UNIT, from_unit, indices_shown, to_unit

PICTURES = 8  # of a batch: its crops come from so many
REACH = 0.30  # of a card's short side: a candidate that is further off is about no card
UNSURE = 0.40  # between, nothing is taught
LEAST = 0.04  # a card that shows less is not fitted
INDEX_SHOWN = 0.9  # so much of an index shows, and it can be read
UNKNOWN = -1.0
FLAGS = 5  # lies there, face up, two indices, visible part
BOXED = 0.5  # so many candidates are the detector's own
NARROWEST = -6.0  # logarithm of a spread, at the least
WEIGHTS = (1.0, 0.5, 0.5, 0.5, 0.5)  # of the flags beside the corners
CELLS_WEIGHT = 3.0
NO_CELLS = np.zeros(len(GRID_POINTS))
_SPOTS = np.array([(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]) * (1 + 2 * MARGIN) / GRID / 4
CELL_SPOTS = (GRID_POINTS[:, None] + _SPOTS).reshape(-1, 2)  # four in each cell


@dataclass(frozen=True, slots=True)
class FitTarget:
    """What the network should say of one crop: UNKNOWN where nothing is taught."""

    offsets: Floats  # 4 x 2, in STEPs of the candidate's sides
    known: bool
    flags: tuple[float, ...]
    cells: Floats  # of GRID: which part of each shows the card


class FitterCrops(Dataset[tuple[torch.Tensor, ...]]):
    """index -> (crops, offsets, whether they are known, flags, cells that show the card)."""

    def __init__(self, seed: int, size: int, groups: Sequence[Group]) -> None:
        self.seed, self.size, self.groups = seed, size, [group for group in groups if group.sights]
        self.counts = {group.name: len(group.sights) for group in groups}
        self.detector: Detector | None = None

    def __getitem__(self, index: int) -> tuple[torch.Tensor, ...]:
        cv2.setNumThreads(1)
        dice = np.random.default_rng([self.seed, index, 8])
        shares = np.array([group.share for group in self.groups])
        images: list[Pixels] = []
        targets: list[FitTarget] = []
        while len(images) < self.size:
            group = self.groups[int(dice.choice(len(self.groups), p=shares / shares.sum()))]
            sight = group.sights[int(dice.integers(len(group.sights)))]
            for image, target in self._crops(sight, dice):
                images.append(image)
                targets.append(target)
        images, targets = images[: self.size], targets[: self.size]
        pictures = np.ascontiguousarray(np.stack(images)[..., ::-1].transpose(0, 3, 1, 2))  # red first
        return (
            torch.from_numpy(pictures),
            torch.from_numpy(np.stack([one.offsets for one in targets]).astype(np.float32)),
            torch.from_numpy(np.array([one.known for one in targets])),
            torch.from_numpy(np.array([one.flags for one in targets], np.float32)),
            torch.from_numpy(np.stack([one.cells for one in targets]).astype(np.float32)),
        )

    def _crops(self, sight: TrainingPicture, dice: Dice) -> Iterator[tuple[Pixels, FitTarget]]:
        picture = sight.load()
        part = picture.shape[1] / sight.truth.width
        scale = part * exp(float(dice.uniform(log(0.6), 0))) if dice.random() < 0.3 else part
        if scale < part:
            shrunk = cv2.resize(picture, None, fx=scale / part, fy=scale / part, interpolation=cv2.INTER_AREA)
            picture = shrunk.astype(np.uint8, copy=False)
        move = np.array([[scale, 0, (scale - 1) / 2], [0, scale, (scale - 1) / 2]])
        drawing = owner_drawing(sight.truth)
        scene = _CardsShown.of(drawing, move, (picture.shape[1], picture.shape[0]))
        count = self.size // PICTURES
        boxed = self._boxed(picture, dice, round(BOXED * count))
        for candidate in [*boxed, *(_drawn(scene, dice) for _ in range(count - len(boxed)))]:
            way = np.roll(candidate, 2 * int(dice.integers(2)), axis=0)
            yield coloured(crop(picture, way), dice), scene.target(way)

    def _boxed(self, picture: Pixels, dice: Dice, most: int) -> list[Floats]:
        """Give some of the quads where the detector that ships sees cards."""
        if dice.random() < 0.5:
            return []
        if self.detector is None:
            self.detector = Detector(model("detector"), threads=1)
        found = self.detector.candidates(picture)
        return [found[n].quad for n in dice.permutation(len(found))[:most]]


@dataclass(frozen=True, slots=True)
class _CardsShown:
    """The cards of a picture as it is shown, and what each of them shows."""

    quads: Floats  # N x 4 x 2
    owners: Ints
    numbers: tuple[int, ...]  # of the cards in the map
    up: tuple[bool, ...]
    visible: tuple[float, ...]
    size: tuple[int, int]  # width, height of the picture

    @classmethod
    def of(cls, drawing: OwnerDrawing, move: Floats, size: tuple[int, int]) -> "_CardsShown":
        owners = drawing.owners(size, move)
        shown = np.bincount(owners.ravel())
        cards = [(n, card) for n, card in enumerate(drawing.truth.cards, 1) if card.label == "card"]
        quads = np.array([card.quad for _, card in cards], np.float64).reshape(-1, 4, 2) @ move[:, :2].T + move[:, 2]
        areas = [max(abs(cv2.contourArea(quad.astype(np.float32))), 1.0) for quad in quads]
        visible = [
            min((shown[n] if n < len(shown) else 0) / area, 1.0) for (n, _), area in zip(cards, areas, strict=True)
        ]
        return cls(quads, owners, tuple(n for n, _ in cards), tuple(card.up for _, card in cards), tuple(visible), size)

    def target(self, candidate: Floats) -> FitTarget:
        """Give what a candidate teaches: the card that lies most like it, if one does nearly so."""
        nothing = np.zeros((CORNERS, 2))
        if not len(self.quads):
            return FitTarget(nothing, known=False, flags=(0.0, *[UNKNOWN] * 4), cells=NO_CELLS)
        turned = np.stack([self.quads, np.roll(self.quads, 2, axis=1)], axis=1)
        apart = np.hypot(*np.moveaxis(turned - candidate, -1, 0)).mean(axis=2)
        side = np.hypot(*(candidate[1] - candidate[0])) + np.hypot(*(candidate[2] - candidate[3]))
        apart = apart / max(float(side) / 2, 1.0)
        shows = np.array([part >= LEAST for part in self.visible])
        apart = np.where(shows[:, None], apart, np.inf)
        n, turn = np.unravel_index(int(apart.argmin()), apart.shape)
        least = float(apart[n, turn])
        if least > UNSURE:
            return FitTarget(nothing, known=False, flags=(0.0, *[UNKNOWN] * 4), cells=NO_CELLS)
        quad = turned[n, turn]
        offsets = (to_unit(candidate, quad) - UNIT) / STEP
        if not np.isfinite(offsets).all() or abs(offsets).max() > 10:
            return FitTarget(nothing, known=False, flags=(UNKNOWN,) * FLAGS, cells=NO_CELLS)
        up = self.up[n]
        indices = [float(up and end >= INDEX_SHOWN) for end in indices_shown(self.owners, self.numbers[n], quad)]
        exists = 1.0 if least <= REACH else UNKNOWN
        flags = (exists, float(up), *indices, self.visible[n])
        return FitTarget(offsets, known=True, flags=flags, cells=self._cells(candidate, self.numbers[n]))

    def _cells(self, candidate: Floats, number: int) -> Floats:
        """Give which part of each cell of the crop shows a card."""
        pixels = np.round(from_unit(candidate, CELL_SPOTS)).astype(int)
        inside = ((pixels >= 0) & (pixels < self.size)).all(axis=1)
        shown = np.zeros(len(pixels))
        shown[inside] = self.owners[pixels[inside, 1], pixels[inside, 0]] == number
        return np.asarray(shown.reshape(len(NO_CELLS), -1).mean(axis=1))


def _drawn(scene: _CardsShown, dice: Dice) -> Floats:
    """Draw a candidate: mostly a card not quite where it lies; else between two cards, or anywhere."""
    kind = dice.random()
    if not len(scene.quads) or kind < 0.06:
        return _anywhere(scene, dice)
    seen = np.array([max(part, 0.02) ** 0.3 * (part >= LEAST) for part in scene.visible])
    if not seen.any():
        return _anywhere(scene, dice)
    n = int(dice.choice(len(seen), p=seen / seen.sum()))
    quad = scene.quads[n]
    if kind < 0.16:
        near = np.argsort(np.hypot(*(scene.quads.mean(axis=1) - quad.mean(axis=0)).T))[1:4]
        if len(near):
            other = scene.quads[int(dice.choice(near))]
            other = min((other, np.roll(other, 2, axis=0)), key=lambda one: float(np.abs(one - quad).sum()))
            part = float(dice.uniform(0.2, 0.8))
            return jittered(quad * (1 - part) + other * part, dice, 0.03)
    if kind < 0.22:
        return jittered(from_unit(quad, UNIT + dice.normal(0, 0.5, 2)), dice, 0.05)
    return jittered(quad, dice, float(dice.choice([0.01, 0.03, 0.06], p=[0.3, 0.35, 0.35])))


def jittered(quad: Floats, dice: Dice, wide: float) -> Floats:
    """Move a quad, turn it, let it grow and each corner err: by so many of its sides."""
    turn = float(dice.normal(0, wide * 1.5))
    grown = np.exp(dice.normal(0, wide, 2))
    shape = np.array([FLATNESS, 1.0])
    points = (UNIT - 0.5) * shape * grown
    points = points @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) / shape + 0.5
    points = points + dice.normal(0, wide, 2) + dice.normal(0, wide / 2, (CORNERS, 2))
    return from_unit(quad, points)


def _anywhere(scene: _CardsShown, dice: Dice) -> Floats:
    tall = exp(float(dice.uniform(log(30), log(200))))
    turn = float(dice.uniform(0, 2 * np.pi))
    middle = dice.uniform(0, 1, 2) * scene.size
    half = np.array([[-FLATNESS, -1], [FLATNESS, -1], [FLATNESS, 1], [-FLATNESS, 1]]) * tall / 2
    return np.asarray(middle + half @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]))


def loss(net: nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Corners: how unlikely they are, given the spread they are given. Flags: cross entropy where known."""
    device = next(net.parameters()).device
    pictures, offsets, known, flags, cells = (tensor.to(device, non_blocking=True) for tensor in batch)
    found = net.predict(pictures.float().div_(255).contiguous(memory_format=torch.channels_last)).float()
    corners = found[:, : 2 * CORNERS].reshape(-1, CORNERS, 2)
    spread = found[:, 2 * CORNERS : 3 * CORNERS].clamp(min=NARROWEST)
    shape = torch.tensor([FLATNESS, 1.0], device=device)
    apart = torch.linalg.vector_norm((corners - offsets) * shape, dim=2)
    unlikely = (apart * torch.exp(-spread) + 2 * spread)[known]
    total = unlikely.mean() if len(unlikely) else found.sum() * 0
    said, shown = found[:, 3 * CORNERS : NUMBERS], found[:, NUMBERS:]
    if known.any():
        total = total + CELLS_WEIGHT * nn.functional.binary_cross_entropy_with_logits(shown[known], cells[known])
    for n, weight in enumerate(WEIGHTS):
        there = flags[:, n] >= 0
        if there.any():
            total = total + weight * nn.functional.binary_cross_entropy_with_logits(said[there, n], flags[there, n])
    return total
