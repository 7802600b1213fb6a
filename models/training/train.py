"""`python -m feltwatch.models train`: train one of the networks, or the plain one to compare with."""

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import torch
from torch import nn

from feltwatch.datasets.common.cache import cache_dir
from feltwatch.datasets.common.errors import Arguments, DataError, number_from
from feltwatch.datasets.render.cardless import cardless
from feltwatch.datasets.scene.scene_sampler import art
from feltwatch.models.shipped.registry import HERE
from feltwatch.models.training import detector, fitter, plain, reader
from feltwatch.models.training.background import start
from feltwatch.models.training.loop import FAR, Loss, Training, TrainingRecipe, branch_off, feed
from feltwatch.models.training.networks.nets import DEFAULT, boxes_net, gives_quads, go_on_from, new_net
from feltwatch.models.training.networks.quad_head import with_quads

BATCH = {"detector": 12, "fitter": 192, "reader": 128}
RATE = {"detector": 3e-4, "fitter": 2e-3, "reader": 2e-3}
LearntFrom = detector.Windows | fitter.FitterCrops | reader.CropBatches
LOSSES: Mapping[str, Loss] = {"detector": detector.loss, "fitter": fitter.loss, "reader": reader.loss}


def main(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    folder = options.o or cache_dir() / "models" / options.kind
    if options.background:
        sys.stdout.write(f"{start(folder, arguments)}\n")
        return 0
    torch.set_num_threads(options.threads)
    first = options.start or (HERE / "detector.onnx" if options.kind == "detector" else None)
    first = first or cache_dir() / "weights" / "yolo11n.pt"
    if options.kind != "fitter" and not first.is_file():
        raise DataError(
            f"{first}: no such weights; `python -m feltwatch.datasets fetch weights` brings those to start from"
        )
    if options.kind == "plain":
        if not options.hours > 0:
            raise DataError(f"--hours: expected more than 0, found {options.hours}")
        last = plain.train(folder, first, options.hours, _sets(options).values(), options.photographs)
        sys.stdout.write(f"{last}\n")
        return 0
    training = _train(options, folder, first)
    sys.stdout.write(f"{training.checkpoint}: {training.step} steps\n")
    return 0


def _train(options: argparse.Namespace, folder: Path, first: Path) -> Training:
    """Train on, or cool down, to the step that is asked for."""
    kind = options.kind
    recipe = TrainingRecipe(
        kind, options.net or DEFAULT[kind], options.batch or BATCH[kind], options.rate or RATE[kind], options.seed
    )
    learnt_from = cache(lambda: _source(options, recipe))
    net = _net(recipe, first, lambda: learnt_from()[0][0][0])  # what it starts from is refused before data is loaded
    source, counts = learnt_from()
    span, goal = None, options.steps or FAR
    if options.cooldown:
        folder, span = branch_off(folder, options.cooldown)
        goal = span.start + span.steps
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    training = Training(net, recipe, folder, device, cooldown=span)
    _tell(training, counts)
    training.run(lambda step: feed(source, step, options.workers), LOSSES[kind], goal)
    return training


def _source(options: argparse.Namespace, recipe: TrainingRecipe) -> tuple[LearntFrom, dict[str, int]]:
    """Put together what is learnt from, and count it."""
    others = cardless("train")
    if recipe.kind == "reader":
        shots = reader.shots_of(options.photographs)
        counts = {"decks": len(art("decks", "train")), "photographed cards": len(shots), "cardless": len(others)}
        return reader.CropBatches(recipe.seed, recipe.batch // 2, shots), counts
    groups = detector.groups_of(_sets(options), options.photographs, others)
    kind = detector.Windows if recipe.kind == "detector" else fitter.FitterCrops
    found = kind(recipe.seed, recipe.batch, groups)
    return found, found.counts


def _sets(options: argparse.Namespace) -> dict[str, Path]:
    places = {"tables": options.tables, "strewn": options.strewn}
    return {name: place or cache_dir() / "sets" / name for name, place in places.items()}


def _net(recipe: TrainingRecipe, start: Path, pictures: Callable[[], torch.Tensor]) -> nn.Module:
    """Build a network that begins with what lies in a file: ours that ships, or a checkpoint."""
    if recipe.kind == "fitter" and not start.is_file():
        return new_net(recipe.kind)
    if start.suffix != ".onnx":
        return new_net(recipe.kind, recipe.net, start)
    has_boxes = recipe.kind == "detector" and not gives_quads(start)
    net = boxes_net(recipe.net) if has_boxes else new_net(recipe.kind, recipe.net)
    go_on_from(net, start, pictures())
    return with_quads(net) if has_boxes else net


def _tell(training: Training, counts: Mapping[str, int]) -> None:
    """Say and keep how much there is to learn from: what was not fetched is not missed by anything else."""
    training.note(counts)
    sys.stderr.write(f"{training.recipe.kind} learns from {', '.join(f'{n:,} {name}' for name, n in counts.items())}\n")


def _parser() -> argparse.ArgumentParser:
    parser = Arguments(prog="python -m feltwatch.models train", description=__doc__)
    parser.add_argument("kind", choices=(*BATCH, "plain"))
    parser.add_argument("-o", type=Path, metavar="DIR", help="where its checkpoints lie; the cache, if not said")
    parser.add_argument("--net", default="", help="another of ultralytics' networks, such as yolo26n-obb.yaml")
    parser.add_argument(
        "--start",
        type=Path,
        metavar="FILE",
        help="weights to start from, such as models/shipped/reader.onnx; for the detector, if not said, what ships",
    )
    parser.add_argument("--steps", type=number_from(0), default=0, help="where it stops; without, it goes on")
    parser.add_argument(
        "--cooldown",
        type=number_from(0),
        default=0,
        metavar="STEPS",
        help="let the rate fall over so many steps from the last checkpoint on; `export` takes what that ends with",
    )
    parser.add_argument(
        "--background",
        action="store_true",
        help="start it, or go on with it, at the lowest priority, and say where it stands",
    )
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
