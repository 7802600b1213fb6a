"""The fitter's network: where exactly a card lies in a crop round a candidate, and what of it shows."""

from typing import TypeVar

import torch
from torch import nn

from feltwatch.models.training.networks.importing import make_importable
from feltwatch.vision.detection.fitter import OUTPUTS, SIZE

make_importable()

from ultralytics.nn.modules import Conv  # noqa: E402  once torchvision can be imported

Net = TypeVar("Net", bound=nn.Module)
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
            layers.append(Conv(before, width, 3, 2))
            if n:
                layers.append(Conv(width, width, 3, 1))
            before = width
        self.model = nn.Sequential(*layers, Conv(before, before, 3, 1), Conv(before, KEPT, 1))
        cells = (SIZE[0] // 2 ** len(WIDTHS)) * (SIZE[1] // 2 ** len(WIDTHS))
        self.head = nn.Sequential(nn.Linear(KEPT * cells, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, OUTPUTS))
        nn.init.zeros_(self.head[-1].weight)
        nn.init.zeros_(self.head[-1].bias)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """Give OUTPUTS numbers a crop (red first, 0 to 1)."""
        found: torch.Tensor = self.head(self.model(pictures).flatten(1))
        return found

    def predict(self, pictures: torch.Tensor) -> torch.Tensor:
        return self(pictures)

    def fuse(self) -> "FitterNet":
        return fused(self)


def fused(net: Net) -> Net:
    """Put each normalisation into the convolution before it; give the same network."""
    from ultralytics.utils.torch_utils import fuse_conv_and_bn  # noqa: PLC0415  as above

    for part in net.modules():
        if isinstance(part, Conv) and hasattr(part, "bn"):
            part.conv = fuse_conv_and_bn(part.conv, part.bn)
            delattr(part, "bn")
            part.forward = part.forward_fuse
    return net
