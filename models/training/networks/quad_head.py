"""The detector's head: each cell says which thing it shows, and gives the four corners of all of it."""

from typing import Any

import torch
from torch import nn

from feltwatch.datasets.sets.labels import CLASSES

COORDINATES = 8  # of four corners
SPAN = 4.0  # cells a corner lies from its cell where the network says 1


class QuadHead(nn.Module):
    """From three maps of features to (pictures, 8 coordinates in pixels + scores, cells).

    Built from the head of an oriented-box network, whose branches it keeps but for their last layers.
    """

    def __init__(self, boxes: Any) -> None:  # noqa: ANN401  ultralytics has no types
        super().__init__()
        self.f, self.i = boxes.f, boxes.i  # where ultralytics' model finds its inputs, and its place
        self.type = "QuadHead"
        self.strides = tuple(float(one) for one in boxes.stride)
        self.cv2, self.cv3 = boxes.cv2, boxes.cv3
        for branch in self.cv2:
            last = branch[-1]
            branch[-1] = nn.Conv2d(last.in_channels, COORDINATES, 1)
            nn.init.normal_(branch[-1].weight, std=0.01)
            nn.init.zeros_(branch[-1].bias)

    def forward(self, features: list[torch.Tensor]) -> torch.Tensor:
        """Give corners and, for each class, a logit while it learns, else a probability."""
        found = []
        for feature, stride, corners, classes in zip(features, self.strides, self.cv2, self.cv3, strict=True):
            height, width = feature.shape[2:]
            middles = _middles(height, width, feature) * stride
            offsets = corners(feature).float().flatten(2) * (SPAN * stride)
            scores = classes(feature).float().flatten(2)
            found.append(torch.cat([offsets + middles.repeat(4, 1), scores], 1))
        every = torch.cat(found, 2)
        if self.training:
            return every
        return torch.cat([every[:, :COORDINATES], every[:, COORDINATES:].sigmoid()], 1)


def _middles(height: int, width: int, like: torch.Tensor) -> torch.Tensor:
    """Give the middles of cells (2 x cells), in cells."""
    x = torch.arange(width, device=like.device, dtype=torch.float32) + 0.5
    y = torch.arange(height, device=like.device, dtype=torch.float32) + 0.5
    rows, columns = torch.meshgrid(y, x, indexing="ij")
    return torch.stack([columns.flatten(), rows.flatten()])


def with_quads(net: nn.Module) -> nn.Module:
    """Give a network of oriented boxes the head for quads."""
    head = net.model[-1]
    assert head.nc == len(CLASSES), head.nc  # noqa: S101  built by `nets`
    net.model[-1] = QuadHead(head)
    return net
