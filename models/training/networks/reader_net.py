"""The reader's network: ultralytics' trunk, a head that keeps where things are, a branch that sees an index alone."""

from typing import Any

import torch
from torch import nn

from feltwatch.datasets.sets.sets import READS
from feltwatch.models.training.networks.fitter_net import fused
from feltwatch.models.training.networks.importing import make_importable
from feltwatch.vision.detection.reader import CORNER, CORNER_NUMBERS, RANK_COUNT, SUIT_COUNT
from feltwatch.vision.geometry.rectify import SIZE

make_importable()

from ultralytics.nn.modules import Conv  # noqa: E402  once torchvision can be imported

KEPT = 64  # channels of the last map that the head sees, each place by itself
HIDDEN = 256
STRIDE = 32
CORNER_WIDTHS = (24, 48, 64)
CORNER_HIDDEN = 128


class ReaderNet(nn.Module):
    """From crops to READS, rank, suit and visibility of both corner indices: one row of numbers a crop.

    What a corner says of rank and suit is added to what the whole card says, by how clearly its index shows.
    """

    def __init__(self, classifier: Any) -> None:  # noqa: ANN401  ultralytics has no types
        super().__init__()
        self.model = classifier.model[:-1]
        channels = classifier.model[-1].conv.conv.in_channels
        cells = -(-SIZE[0] // STRIDE) * -(-SIZE[1] // STRIDE)
        self.squeeze = Conv(channels, KEPT, 1)
        self.whole = nn.Sequential(
            nn.Linear(KEPT * cells, HIDDEN), nn.SiLU(), nn.Dropout(0.1), nn.Linear(HIDDEN, len(READS))
        )
        self.corner = CornerBranch()

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        width, height = CORNER
        found = crops
        for layer in self.model:
            found = layer(found)
        faces = self.whole(self.squeeze(found).flatten(1))
        ends = [self.corner(end[:, :, :height, :width]) for end in (crops, crops.flip(2, 3))]
        for end in ends:
            faces = faces + torch.nn.functional.pad(faces_of(end) * end[:, -1:].sigmoid(), (0, len(READS) - 52))
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
