"""`python -m models export`: from a checkpoint to the ONNX file that ships, and its line in the manifest."""

import argparse
import hashlib
import sys
from pathlib import Path
from typing import Any

from datasets.cache import cache_dir
from datasets.faults import Arguments, DataError
from models.shelf import HERE

OPSET = 18


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    checkpoint = options.checkpoint or cache_dir() / "models" / options.kind / "last.pt"
    if not checkpoint.is_file():
        raise DataError(f"{checkpoint}: no such checkpoint; `python -m models train {options.kind}` makes one")
    target = (options.o or HERE) / f"{options.kind}.onnx"
    write_onnx(options.kind, checkpoint, target)
    data = target.read_bytes()
    sys.stdout.write(f"{target}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}\n")
    return 0


def write_onnx(kind: str, checkpoint: Path, target: Path) -> None:
    """Write the averaged weights of a checkpoint as ONNX: eight bits, blue first, in; what the network says, out."""
    try:
        import torch  # noqa: PLC0415  only those who train have it
    except ImportError as fault:
        raise DataError("torch is not installed: exporting needs `pip install feltwatch[train]`") from fault
    net = shipped(kind, checkpoint)
    side = (640, 640) if kind == "detector" else (176, 128)
    example = torch.zeros((2, *side, 3), dtype=torch.uint8)
    axes = {0: "count", 1: "height", 2: "width"} if kind == "detector" else {0: "count"}
    torch.onnx.export(
        net,
        (example,),
        str(target),
        dynamo=False,
        opset_version=OPSET,
        input_names=["pictures"],
        output_names=["found"],
        dynamic_axes={"pictures": axes, "found": {0: "count", 2: "boxes"} if kind == "detector" else {0: "count"}},
    )


def shipped(kind: str, checkpoint: Path) -> Any:
    """Give the network as it is shipped, in torch: what the ONNX file must agree with."""
    import torch  # noqa: PLC0415
    from torch import nn  # noqa: PLC0415

    from models.nets import new_net, state_of  # noqa: PLC0415

    kept = torch.load(checkpoint, map_location="cpu", weights_only=True)
    net = new_net(kind, kept["recipe"]["net"])
    net.load_state_dict(state_of(checkpoint))
    net = net.eval().fuse(verbose=False)
    head = net.model[-1]
    head.export, head.format, head.dynamic = True, "onnx", True

    class Shipped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def forward(self, pictures: torch.Tensor) -> torch.Tensor:
            shown = pictures.permute(0, 3, 1, 2).flip(1).float() / 255
            if kind == "detector":
                return self.net(shown)  # type: ignore[no-any-return]
            return head.linear(head.pool(head.conv(_features(self.net, shown))).flatten(1))

    return Shipped().eval()


def _features(net: Any, shown: Any) -> Any:
    for layer in net.model[:-1]:
        shown = layer(shown)
    return shown


def _parser() -> argparse.ArgumentParser:
    parser = Arguments(prog="python -m models export", description=__doc__)
    parser.add_argument("kind", choices=("detector", "reader"))
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="the one in the cache, if not said")
    parser.add_argument("-o", type=Path, metavar="DIR", help="where the file goes; beside the manifest, if not said")
    return parser
