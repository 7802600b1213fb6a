"""Teach the reader: rendered crops without end, and crops of photographs among them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset

from feltwatch.datasets.photos.real import Photograph, photographs
from feltwatch.datasets.render.crops import Crop, crops
from feltwatch.datasets.sets.sets import READS, SPREAD
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.models.training.networks.reader_net import faces_of
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.reader import CORNER_NUMBERS
from feltwatch.vision.geometry.rectify import rectify

PHOTOGRAPHED = 0.04  # of a batch
UNCLEAR = 0.12  # a less visible card counts less: often nothing of its face is left
FAINT = 0.3
REACH = 0.35  # of a card's size that is kept round it, for the crops that miss it a little
TALLEST_PX = 260
CLEAR, HIDDEN = 0.9, 0.6  # so much of an index shows, and it can be read; so little, and it counts as hidden
UNKNOWN = -1.0
CORNER_WEIGHT, SHOWS_WEIGHT = 0.5, 0.25  # beside the face


@dataclass(frozen=True, slots=True)
class PhotographedCard:
    """A photographed card with what lies round it, and the classes it may be of."""

    picture: Pixels
    quad: Floats
    allowed: tuple[int, ...]

    @property
    def is_face(self) -> bool:
        return READS[self.allowed[0]] in FACES


class CropBatches(Dataset[tuple[torch.Tensor, ...]]):
    """index -> (pictures, allowed classes, weights, shown indices); a drawn crop is shown twice, in another light."""

    def __init__(self, seed: int, size: int, shots: Sequence[PhotographedCard], split: str = "train") -> None:
        self.seed, self.size, self.shots, self.split = seed, size, shots, split

    def __getitem__(self, index: int) -> tuple[torch.Tensor, ...]:
        cv2.setNumThreads(1)
        dice = np.random.default_rng([self.seed, index, 5])
        drawn = list(islice(crops(self.split, self.seed * SPREAD + index), self.size))
        images = [crop.image for crop in drawn]
        allowed: list[tuple[int, ...]] = [(READS.index(crop.face),) for crop in drawn]
        weights = [_weight(crop) for crop in drawn]
        shows = [(_shows(crop.indices[0]), _shows(crop.indices[1])) for crop in drawn]
        shows += [(bottom, top) for top, bottom in shows]
        images += [again(crop.image, dice) for crop in drawn]
        allowed, weights = allowed * 2, weights * 2
        for _ in range(round(PHOTOGRAPHED * len(images)) if self.shots else 0):
            shot = self.shots[int(dice.integers(len(self.shots)))]
            images.append(shown(shot, dice))
            allowed.append(shot.allowed)
            weights.append(1.0)
            shows.append((1.0, 1.0) if shot.is_face else (0.0, 0.0))
        mask = np.zeros((len(images), len(READS)), bool)
        for row, classes in enumerate(allowed):
            mask[row, list(classes)] = True
        order = dice.permutation(len(images))
        pictures = np.ascontiguousarray(np.stack(images)[order][..., ::-1].transpose(0, 3, 1, 2))  # red first
        weighed = np.array(weights, np.float32)[order]
        ends = np.array(shows, np.float32)[order]
        return tuple(torch.from_numpy(array) for array in (pictures, mask[order], weighed, ends))


def _shows(part: float) -> float:
    """Say whether so much of an index counts as shown."""
    return 1.0 if part >= CLEAR else 0.0 if part <= HIDDEN else UNKNOWN


def _weight(crop: Crop) -> float:
    return FAINT if crop.visible < UNCLEAR else 1.0


def again(image: Pixels, dice: np.random.Generator) -> Pixels:
    """Show a crop once more: the other end up, in another light, moved a little."""
    turned = image[::-1, ::-1]
    height, width = image.shape[:2]
    move = np.array([[1, 0, 0], [0, 1, 0]], np.float64) + dice.normal(0, 0.012, (2, 3)) * [1, 1, width]
    moved = cv2.warpAffine(turned, move, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    gain = dice.uniform(0.75, 1.2) * dice.normal(1, 0.05, 3)
    lit = moved * gain + dice.normal(0, 8)
    return np.clip(lit, 0, 255).astype(np.uint8)


def shown(shot: PhotographedCard, dice: np.random.Generator) -> Pixels:
    """Cut a photographed card out, not quite along its edges, and show it smaller, softer or darker."""
    tall = float(np.hypot(*(shot.quad[3] - shot.quad[0])))
    quad = shot.quad + dice.normal(0, 0.012 * tall, 2) + dice.normal(0, 0.008 * tall, (4, 2))
    if dice.random() < 0.5:
        quad = np.roll(quad, 2, axis=0)
    picture = shot.picture
    small = float(np.exp(dice.uniform(np.log(34 / tall), 0))) if dice.random() < 0.7 else 1.0
    if small < 1:
        picture = cv2.resize(picture, None, fx=small, fy=small, interpolation=cv2.INTER_AREA).astype(np.uint8)
        quad = (quad + 0.5) * small - 0.5
    image = rectify(picture, quad, float(dice.uniform(0, 0.06)))
    gain = dice.uniform(0.6, 1.2) * dice.normal(1, 0.06, 3)
    lit = image * gain + dice.normal(0, 10) + dice.normal(0, dice.uniform(0, 6), image.shape)
    return np.clip(lit, 0, 255).astype(np.uint8)


def shots_of(folder: Path | None) -> list[PhotographedCard]:
    """Give the whole cards of the photographs that may be trained on."""
    if folder is None:
        return []
    return [shot for photo in photographs(folder, ("train",)) if photo.source.usable for shot in _shots(photo)]


def _shots(photo: Photograph) -> Iterator[PhotographedCard]:
    picture: Pixels | None = None
    for card in photo.truth.cards:
        if card.label != "card":
            continue
        rank = photo.ranks.get(card.id)
        faces = [rank + suit for suit in "shdc"] if rank else [card.face] if card.up else ["back"]
        allowed = tuple(READS.index(face) for face in faces if face)
        if allowed:
            picture = photo.load() if picture is None else picture
            yield _near(picture, np.array(card.quad), allowed)


def _near(picture: Pixels, quad: Floats, allowed: tuple[int, ...]) -> PhotographedCard:
    reach = REACH * float(np.ptp(quad, axis=0).max())
    low = np.maximum(quad.min(axis=0) - reach, 0).astype(int)
    high = (quad.max(axis=0) + reach).astype(int)
    part, corners = picture[low[1] : high[1], low[0] : high[0]], quad - low
    scale = min(1.0, TALLEST_PX / float(np.hypot(*(quad[3] - quad[0]))))
    if scale < 1:
        part = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8)
        corners = (corners + 0.5) * scale - 0.5
    return PhotographedCard(np.ascontiguousarray(part), corners, allowed)


def loss(net: nn.Module, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """Cross entropy of the face and of each corner that shows; of four suits together where only a rank is known."""
    device = next(net.parameters()).device
    pictures, allowed, weights, shows = (tensor.to(device, non_blocking=True) for tensor in batch)
    inputs = pictures.float().div_(255).contiguous(memory_format=torch.channels_last)
    found = net.predict(inputs).float()
    logits, *ends = found.split((len(READS), CORNER_NUMBERS, CORNER_NUMBERS), 1)
    total = _surprise(logits, allowed, weights)
    faces = allowed[:, : len(FACES)]
    for end, shown in zip(ends, shows.unbind(1), strict=True):
        if (read := shown > 0).any():
            total = total + CORNER_WEIGHT / 2 * _surprise(faces_of(end[read]), faces[read], weights[read])
        known = shown >= 0
        said, true = end[known, -1], shown[known]
        total = total + SHOWS_WEIGHT / 2 * nn.functional.binary_cross_entropy_with_logits(said, true)
    return total


def _surprise(logits: torch.Tensor, allowed: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    right = torch.logsumexp(logits.masked_fill(~allowed, -torch.inf), dim=1) - torch.logsumexp(logits, dim=1)
    return -(right * weights).sum() / weights.sum()
