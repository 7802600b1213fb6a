"""Let torchvision be imported beside a torch without its compiled part: ultralytics imports it, and uses little of it.

There is no CPU build of torchvision for every CPU build of torch; its import then fails for want of two operators.
Their names are enough here: neither is called.
"""

import importlib

NAMES = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_kept: list[object] = []  # a library of operators is gone with its last reference


def make_importable() -> None:
    import torch  # noqa: PLC0415  only those who train have it

    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        library = torch.library.Library("torchvision", "FRAGMENT")
        for name in NAMES:
            library.define(name)
        _kept.append(library)
        importlib.import_module("torchvision")
