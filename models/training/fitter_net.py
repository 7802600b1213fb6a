"""The fitter's network: where exactly a card lies in a crop round a candidate, and what of it shows."""

import torch
from torch import nn

from feltwatch.vision.detection.fitter import OUTPUTS, SIZE

WIDTHS = (16, 32, 64, 128)  # channels, from the largest map to the smallest
KEPT = 40  # channels of the smallest map that the last layers see, each place by itself
HIDDEN = 256


class FitterNet(nn.Module):
    """A plain network: its last map is laid flat, not averaged, since where things are is what is asked."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for n, width in enumerate(WIDTHS):
            layers.append(_block(before, width, 2))
            if n:
                layers.append(_block(width, width, 1))
            before = width
        self.trunk = nn.Sequential(*layers, _block(before, before, 1))
        self.squeeze = nn.Sequential(nn.Conv2d(before, KEPT, 1, bias=False), nn.BatchNorm2d(KEPT), nn.SiLU())
        cells = (SIZE[0] // 2 ** len(WIDTHS)) * (SIZE[1] // 2 ** len(WIDTHS))
        self.head = nn.Sequential(nn.Linear(KEPT * cells, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, OUTPUTS))
        nn.init.zeros_(self.head[-1].weight)
        nn.init.zeros_(self.head[-1].bias)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Give OUTPUTS numbers a crop (red first, 0 to 1)."""
        found: torch.Tensor = self.head(self.squeeze(self.trunk(pictures)).flatten(1))
        return found

    def predict(self, pictures: torch.Tensor) -> torch.Tensor:
        return self(pictures)


def _block(before: int, width: int, stride: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(before, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width, eps=1e-3, momentum=0.03), nn.SiLU()
    )
