"""The reader's network: ultralytics' classifier for the whole card, and a branch that sees a corner alone."""

from typing import Any

import torch
from torch import nn

from feltwatch.models.training.networks.fitter_net import fused
from feltwatch.models.training.networks.importing import make_importable
from feltwatch.vision.detection.reader import CORNER, CORNER_NUMBERS, RANK_COUNT, SUIT_COUNT

make_importable()

from ultralytics.nn.modules import Conv  # noqa: E402  once torchvision can be imported

CORNER_WIDTHS = (24, 48, 64)
CORNER_HIDDEN = 128


class ReaderNet(nn.Module):
    """From crops to READS, and rank, suit and visibility of both corner indices: one row of numbers a crop."""

    def __init__(self, classifier: Any) -> None:  # noqa: ANN401  ultralytics has no types
        super().__init__()
        self.model = classifier.model
        self.corner = CornerBranch()

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        width, height = CORNER
        found = crops
        for layer in self.model[:-1]:
            found = layer(found)
        head = self.model[-1]
        faces = head.linear(head.drop(head.pool(head.conv(found)).flatten(1)))
        ends = [self.corner(end[:, :, :height, :width]) for end in (crops, crops.flip(2, 3))]
        return torch.cat([faces, *ends], 1)

    def predict(self, crops: torch.Tensor) -> torch.Tensor:
        return self(crops)

    def fuse(self) -> "ReaderNet":
        return fused(self)


class CornerBranch(nn.Module):
    """What the upper left corner of a card shows: CORNER_NUMBERS, of 13 ranks, of 4 suits, and if an index shows."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for width in CORNER_WIDTHS:
            layers += [Conv(before, width, 3, 2), Conv(width, width, 3, 1)]
            before = width
        self.trunk = nn.Sequential(*layers)
        cells = (CORNER[0] // 2 ** len(CORNER_WIDTHS)) * (CORNER[1] // 2 ** len(CORNER_WIDTHS))
        self.head = nn.Sequential(
            nn.Linear(before * cells, CORNER_HIDDEN), nn.SiLU(), nn.Linear(CORNER_HIDDEN, CORNER_NUMBERS)
        )

    def forward(self, corners: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.head(self.trunk(corners).flatten(1))
        return found


def faces_of(end: torch.Tensor) -> torch.Tensor:
    """Give how likely a corner makes each of the 52 faces, as logarithms: suits in turn, as in READS."""
    ranks = end[:, :RANK_COUNT].log_softmax(1)
    suits = end[:, RANK_COUNT : RANK_COUNT + SUIT_COUNT].log_softmax(1)
    return (suits[:, :, None] + ranks[:, None, :]).flatten(1)
