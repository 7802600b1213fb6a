"""`python -m feltwatch.models export`: from a checkpoint to the ONNX file that ships."""

import argparse
import hashlib
import sys
from pathlib import Path

import torch
from torch import nn

from feltwatch.datasets.common.cache import cache_dir
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.models.shipped.registry import HERE, MANIFEST, NETWORKS, change
from feltwatch.models.training.loop import COOLDOWN
from feltwatch.models.training.networks.nets import net_of, new_net, state_of
from feltwatch.vision.detection.fitter import SIZE as FITTER_SIZE
from feltwatch.vision.geometry.rectify import SIZE

OPSET = 18
EXAMPLE = {"detector": (640, 640), "fitter": (FITTER_SIZE[1], FITTER_SIZE[0]), "reader": (SIZE[1], SIZE[0])}
FREE = {
    "detector": {"pictures": {0: "count", 1: "height", 2: "width"}, "found": {0: "count", 2: "boxes"}},
    "fitter": {"pictures": {0: "count"}, "found": {0: "count"}},
    "reader": {"pictures": {0: "count"}, "found": {0: "count"}},
}


class Shipped(nn.Module):
    """A network as it ships: pictures as cameras give them (eight bits, blue first) in; boxes, or logits, out."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net.eval().fuse()

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        shown = pictures.permute(0, 3, 1, 2).flip(1).float() / 255
        found: torch.Tensor = self.net(shown)
        return found


def shipped(kind: str, checkpoint: Path) -> Shipped:
    """Give the network of a checkpoint, with its averaged weights: what the ONNX file must agree with."""
    net = new_net(kind, net_of(checkpoint))
    state = state_of(checkpoint)
    if state.keys() != net.state_dict().keys():
        raise DataError(f"{checkpoint}: not a checkpoint of the {kind}: its weights have other names")
    net.load_state_dict(state)
    found = Shipped(net)
    found.eval()
    return found


def write_onnx(kind: str, checkpoint: Path, target: Path) -> None:
    torch.onnx.export(
        shipped(kind, checkpoint),
        (torch.zeros((2, *EXAMPLE[kind], 3), dtype=torch.uint8),),
        str(target),
        dynamo=False,
        opset_version=OPSET,
        input_names=["pictures"],
        output_names=["found"],
        dynamic_axes=FREE[kind],
    )


def last_checkpoint(folder: Path) -> Path:
    """Give what is to ship of a training: the end of its last cooldown, if there was one, else where it stands."""
    cooled = folder / COOLDOWN / "last.pt"
    return cooled if cooled.is_file() else folder / "last.pt"


def main(arguments: list[str]) -> int:
    """Write the file, and its digest into the manifest beside it."""
    options = _parser().parse_args(arguments)
    checkpoint = options.checkpoint or last_checkpoint(cache_dir() / "models" / options.kind)
    if not checkpoint.is_file():
        raise DataError(
            f"{checkpoint}: no such checkpoint; `python -m feltwatch.models train {options.kind}` makes one"
        )
    target = (options.o or HERE) / f"{options.kind}.onnx"
    write_onnx(options.kind, checkpoint, target)
    data = target.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    manifest = target.with_name(MANIFEST.name)
    if manifest.exists():
        change(manifest, options.kind, sha256=digest)
    sys.stdout.write(f"{target}: {len(data):,} bytes, sha256 {digest}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Arguments(prog="python -m feltwatch.models export", description=__doc__)
    parser.add_argument("kind", choices=NETWORKS)
    parser.add_argument("--checkpoint", type=Path, metavar="FILE", help="the one in the cache, if not said")
    parser.add_argument("-o", type=Path, metavar="DIR", help="where the file goes; beside the manifest, if not said")
    return parser
