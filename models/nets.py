"""The two networks, as ultralytics builds them: the detector's oriented boxes, the reader's classes."""

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from datasets.faults import DataError
from datasets.labels import CLASSES
from datasets.sets import READS
from models.importing import make_importable

make_importable()

from ultralytics.cfg import get_cfg  # noqa: E402  once torchvision can be imported
from ultralytics.nn.tasks import ClassificationModel, OBBModel, yaml_model_load  # noqa: E402

DEFAULT = {"detector": "yolo11n-obb.yaml", "reader": "yolo11n-cls.yaml"}


def new_net(kind: str, yaml: str = "", weights: Path | None = None) -> nn.Module:
    """Build a network; what fits of the weights is taken over, the rest starts at random."""
    if kind == "detector":
        shape = _shape(yaml or DEFAULT[kind]) | {"end2end": False}  # its boxes vote: see vision/detector.py
        net = OBBModel(shape, nc=len(CLASSES), verbose=False)
        net.args = get_cfg()
        net.names = dict(enumerate(CLASSES))
    else:
        net = ClassificationModel(_shape(yaml or DEFAULT[kind]), nc=len(READS), verbose=False)
        net.names = dict(enumerate(READS))
    if weights is not None:
        take_over(net, state_of(weights))
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


def net_of(path: Path) -> str:
    """Give the yaml that a checkpoint of ours was begun with."""
    try:
        return str(_read(path)["recipe"]["net"])
    except (LookupError, TypeError) as fault:
        raise DataError(f"{path}: not a checkpoint of `python -m models train`") from fault


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
