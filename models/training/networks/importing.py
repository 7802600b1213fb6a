"""Let ultralytics be imported, and torchvision beside a torch without its compiled part.

There is no CPU build of torchvision for every CPU build of torch; its import then fails for want of two operators.
The name of one is enough here; the other, which sorts out boxes, is given again, for ultralytics' own predictions.
"""

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

NAMES = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_kept: list[object] = []  # a library of operators is gone with its last reference


def make_importable() -> None:
    import torch  # noqa: PLC0415  only those who train have it

    os.environ.setdefault("YOLO_OFFLINE", "true")  # nothing is fetched behind our back
    os.environ.setdefault("YOLO_VERBOSE", "false")

    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in NAMES:
            library.define(name)
        library.impl("nms", nms, "CPU")
        _kept.append(library)
        importlib.import_module("torchvision")
        setattr(importlib.import_module("torchvision.extension"), "_has_ops", lambda: True)  # noqa: B010  it is private


def nms(boxes: "torch.Tensor", scores: "torch.Tensor", most: float) -> "torch.Tensor":
    """Give the rows of boxes that overlap no surer one by more than `most`, the surest first."""
    order = scores.argsort(descending=True)
    areas = (boxes[:, 2:] - boxes[:, :2]).clamp(min=0).prod(dim=1)
    kept = []
    while len(order):
        first, rest = order[0], order[1:]
        kept.append(first)
        low, high = boxes[rest, :2].maximum(boxes[first, :2]), boxes[rest, 2:].minimum(boxes[first, 2:])
        shared = (high - low).clamp(min=0).prod(dim=1)
        order = rest[shared <= most * (areas[rest] + areas[first] - shared)]
    return order.new_tensor([int(one) for one in kept])
