"""`python -m feltwatch.models train`: train one of the two networks, or the plain one to compare with."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import nn

from feltwatch.datasets.common.cache import cache_dir
from feltwatch.datasets.common.errors import Arguments, DataError, number_from
from feltwatch.datasets.render.cardless import cardless
from feltwatch.datasets.scene.scene_sampler import art
from feltwatch.models.shipped.registry import NETWORKS
from feltwatch.models.training import detector, plain, reader
from feltwatch.models.training.loop import Training, TrainingRecipe, feed
from feltwatch.models.training.nets import DEFAULT, go_on_from, new_net

STEPS = {"detector": 6000, "reader": 12000}
BATCH = {"detector": 12, "reader": 128}
RATE = {"detector": 1e-3, "reader": 2e-3}


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    kind = options.kind
    torch.set_num_threads(options.threads)
    start = options.start or cache_dir() / "weights" / "yolo11n.pt"
    if not start.is_file():
        raise DataError(
            f"{start}: no such weights; `python -m feltwatch.datasets fetch weights` brings those to start from"
        )
    folder = options.o or cache_dir() / "models" / kind
    places = {"tables": options.tables, "strewn": options.strewn}
    sets = {name: place or cache_dir() / "sets" / name for name, place in places.items()}
    if kind == "plain":
        if not options.hours > 0:
            raise DataError(f"--hours: expected more than 0, found {options.hours}")
        last = plain.train(folder, start, options.hours, sets.values(), options.photographs)
        sys.stdout.write(f"{last}\n")
        return 0
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    recipe = TrainingRecipe(
        kind,
        options.net or DEFAULT[kind],
        options.steps or STEPS[kind],
        options.batch or BATCH[kind],
        options.rate or RATE[kind],
        options.seed,
    )
    others = cardless("train")
    if kind == "reader":
        shots = reader.shots_of(options.photographs)
        reads = reader.CropBatches(recipe.seed, recipe.batch // 2, shots)
        training = Training(_net(recipe, start, reads[0][0]), recipe, folder, device)
        _tell(
            training, {"decks": len(art("decks", "train")), "photographed cards": len(shots), "cardless": len(others)}
        )
        training.run(lambda first: feed(reads, first, options.workers), reader.loss)
    else:
        windows = detector.source_of(recipe.seed, recipe.batch, sets, options.photographs, others)
        training = Training(_net(recipe, start, windows[0][0]), recipe, folder, device)
        _tell(training, windows.counts)
        detector.prepare(training)
        training.run(lambda first: feed(windows, first, options.workers), detector.loss)
    sys.stdout.write(f"{training.checkpoint}: {training.step} steps\n")
    return 0


def _net(recipe: TrainingRecipe, start: Path, pictures: torch.Tensor) -> nn.Module:
    """Build a network that begins with what lies in a file: ours that ships, or a checkpoint."""
    if start.suffix != ".onnx":
        return new_net(recipe.kind, recipe.net, start)
    net = new_net(recipe.kind, recipe.net)
    go_on_from(net, start, pictures)
    return net


def _tell(training: Training, counts: Mapping[str, int]) -> None:
    """Say and keep how much there is to learn from: what was not fetched is not missed by anything else."""
    training.note(counts)
    sys.stderr.write(f"{training.recipe.kind} learns from {', '.join(f'{n:,} {name}' for name, n in counts.items())}\n")


def _parser() -> argparse.ArgumentParser:
    parser = Arguments(prog="python -m feltwatch.models train", description=__doc__)
    parser.add_argument("kind", choices=(*NETWORKS, "plain"))
    parser.add_argument("-o", type=Path, metavar="DIR", help="where its checkpoints lie; the cache, if not said")
    parser.add_argument("--net", default="", help="another of ultralytics' networks, such as yolo26n-obb.yaml")
    parser.add_argument(
        "--start",
        type=Path,
        metavar="FILE",
        help="weights to start from, such as models/shipped/reader.onnx; those fetched, if not said",
    )
    parser.add_argument("--steps", type=number_from(0), default=0)
    parser.add_argument("--batch", type=number_from(0), default=0)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument(
        "--hours", type=float, default=2.0, help="how long plain trains: it knows no other of these numbers"
    )
    parser.add_argument("--seed", type=number_from(0), default=1)
    parser.add_argument("--threads", type=number_from(1), default=2)
    parser.add_argument("--workers", type=number_from(0), default=2, help="processes that make pictures")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="a set of tables; that in the cache, if not said")
    parser.add_argument("--strewn", type=Path, metavar="DIR", help="a set of cards strewn anywhere; likewise")
    parser.add_argument(
        "--photographs", type=Path, metavar="FOLDER", help="photographs of cards, to be learnt from too"
    )
    return parser
