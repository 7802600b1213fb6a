"""The networks: the detector and the reader on ultralytics' trunks, the fitter from layers of our own."""

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import numpy_helper
from torch import nn

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sets.labels import CLASSES
from feltwatch.datasets.sets.sets import READS
from feltwatch.models.training.networks.fitter_net import FitterNet
from feltwatch.models.training.networks.importing import make_importable
from feltwatch.models.training.networks.quad_head import COORDINATES, with_quads
from feltwatch.models.training.networks.reader_net import ReaderNet

make_importable()

from ultralytics.nn.tasks import (  # noqa: E402  once torchvision can be imported
    ClassificationModel,
    OBBModel,
    yaml_model_load,
)

DEFAULT = {"detector": "yolo11n-obb.yaml", "fitter": "plain", "reader": "yolo11n-cls.yaml"}


def new_net(kind: str, yaml: str = "", weights: Path | None = None) -> nn.Module:
    """Build a network; what fits of the weights is taken over, the rest starts at random."""
    if kind == "detector":
        net = with_quads(boxes_net(yaml))
    elif kind == "fitter":
        net = FitterNet()
    else:
        net = ReaderNet(ClassificationModel(_shape(yaml or DEFAULT[kind]), nc=len(READS), verbose=False))
    if weights is not None:
        take_over(net, state_of(weights))
    return net


def boxes_net(yaml: str = "") -> nn.Module:
    """Build the network of oriented boxes that the detector's trunk comes from."""
    shape = _shape(yaml or DEFAULT["detector"]) | {"end2end": False}
    net = OBBModel(shape, nc=len(CLASSES), verbose=False)
    net.names = dict(enumerate(CLASSES))
    return net


def _shape(yaml: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = yaml_model_load(yaml)
    except (OSError, KeyError, IndexError, TypeError) as fault:
        raise DataError(f"{yaml}: ultralytics knows no such network; expected one such as {DEFAULT}") from fault
    return found


def take_over(net: nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    """Load what has the same name and shape."""
    own = net.state_dict()
    fitting = {name: state[name] for name, tensor in own.items() if name in state and state[name].shape == tensor.shape}
    net.load_state_dict(fitting, strict=False)


def go_on_from(net: nn.Module, path: Path, pictures: torch.Tensor) -> None:
    """Load the weights that ship. Each convolution there holds its own normalisation, so that is taken out again.

    It is measured on some pictures, and laid out so that what the network says is the same.
    """
    shipped = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    weights = {name.removeprefix("net."): torch.tensor(array) for name, array in shipped.items()}
    normal = {name: part for name, part in net.named_modules() if isinstance(part, nn.BatchNorm2d)}
    trunk = (name for name, _ in net.named_parameters() if name.startswith("model.") and ".bn." not in name)
    if missing := [name for name in trunk if name not in weights]:
        raise DataError(f"{path}: no network of ours: it has no weights named {missing[0]}")
    take_over(net, weights)

    def measure(part: nn.BatchNorm2d, bias: torch.Tensor) -> Callable[[nn.Module, tuple[torch.Tensor]], None]:
        def hook(_: nn.Module, given: tuple[torch.Tensor]) -> None:
            part.running_mean, part.running_var = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3))
            part.weight.copy_((part.running_var + part.eps).sqrt())
            part.bias.copy_(bias + part.running_mean)

        return hook

    hooks = [
        part.register_forward_pre_hook(measure(part, weights[f"{name.removesuffix('.bn')}.conv.bias"]))
        for name, part in normal.items()
        if f"{name.removesuffix('.bn')}.conv.bias" in weights  # a part that is new begins at random
    ]
    net.eval()
    with torch.no_grad():
        net(pictures.float() / 255)
    for hook in hooks:
        hook.remove()


def gives_quads(path: Path) -> bool:
    """Tell whether a detector's file gives four corners, not boxes."""
    last = (one for one in onnx.load(path).graph.initializer if one.name.endswith(".cv2.0.2.weight"))
    return any(one.dims[0] == COORDINATES for one in last)


def net_of(path: Path) -> str:
    """Give the yaml that a checkpoint of ours was begun with."""
    try:
        return str(_read(path)["recipe"]["net"])
    except (LookupError, TypeError) as fault:
        raise DataError(f"{path}: not a checkpoint of `python -m feltwatch.models train`") from fault


def state_of(path: Path) -> dict[str, torch.Tensor]:
    """Read the weights of a checkpoint of ours, or of ultralytics'."""
    found = _read(path)
    try:
        kept = found.get("ema") or found["model"]
    except (LookupError, AttributeError) as fault:
        raise DataError(f"{path}: holds no weights of ours or of ultralytics'") from fault
    state = kept if isinstance(kept, dict) else kept.float().state_dict()
    return {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in state.items()}


def _read(path: Path) -> Any:  # noqa: ANN401  whatever was kept
    try:
        return torch.load(path, map_location="cpu", weights_only=False)  # ultralytics pickles whole models
    except (OSError, RuntimeError, EOFError, LookupError, AttributeError, pickle.UnpicklingError) as fault:
        raise DataError(f"{path}: no checkpoint of ours or of ultralytics': {fault}".splitlines()[0]) from fault
