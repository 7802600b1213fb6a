"""The network in torch against the ONNX file made of it, on pictures of odd sizes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.datasets.sets.sets import SPREAD
from feltwatch.datasets.truth import Truth
from feltwatch.models.evaluation.report import Figures, reported
from feltwatch.models.shipped.registry import Model, model
from feltwatch.vision.arrays import Floats, Floats32, Pixels
from feltwatch.vision.detection.detector import fitted, quads_of, scores_of
from feltwatch.vision.detection.fitter import crop, fit_of
from feltwatch.vision.detection.reader import CORNER_NUMBERS, probabilities
from feltwatch.vision.detection.runtime import RunModel, open_model
from feltwatch.vision.geometry.rectify import rectify

SPLIT = "val"
SIDES = (97, 1999)  # of the pictures, odd numbers from one to the other
SCORE = 0.05  # a box as likely as this is a candidate
NEAR_PX, NEAR = 1.0, 0.01  # what may differ: corners, in pixels of the picture, and probabilities


@dataclass
class Difference:
    """The furthest apart that both were."""

    pictures: int = 0
    compared: int = 0  # boxes or cards
    apart_px: float = 0.0
    apart: float = 0.0
    one_only: int = 0  # candidates of one of both

    def figures(self) -> Figures:
        return {
            "pictures": self.pictures,
            "compared": self.compared,
            "corners apart, px": round(self.apart_px, 5),
            "probabilities apart": round(self.apart, 7),
            "candidates of one only": self.one_only,
            "agrees": self.apart_px <= NEAR_PX and self.apart <= NEAR and not self.one_only,
        }


def measure(checkpoints: Mapping[str, Path], manifest: Path, count: int, seed: int = 1, threads: int = 1) -> Figures:
    """Compare each network that a checkpoint is given of."""
    rows: Figures = {}
    torches = {kind: in_torch(kind, checkpoint, threads) for kind, checkpoint in checkpoints.items()}
    for kind, torch in torches.items():
        shipped = model(kind, manifest)
        both, gap = (torch, open_model(shipped, threads=threads)), Difference()
        for picture, truth in reported(pictures(count, seed), count, f"{kind}, pictures"):
            gap.pictures += 1
            if kind == "detector":
                _compare_boxes(gap, both, picture, len(shipped.classes))
            elif kind == "fitter":
                _compare_fits(gap, both, picture, truth)
            else:
                _compare_reads(gap, both, picture, truth, shipped)
        rows[kind] = gap.figures()
    return {"networks": rows, "agrees": all(bool(row["agrees"]) for row in rows.values() if isinstance(row, dict))}


def pictures(count: int, seed: int) -> Iterator[tuple[Pixels, Truth]]:
    """Give rendered tables of odd sizes."""
    dice = np.random.default_rng([seed, 12])
    for number in range(count):
        width, height = (int(side) | 1 for side in dice.integers(*SIDES, 2))
        drawn = render(cast(SPLIT, seed * SPREAD + number, (width, height)))
        yield drawn.image, drawn.truth


def in_torch(kind: str, checkpoint: Path, threads: int) -> RunModel:
    if not checkpoint.is_file():
        raise DataError(f"{checkpoint}: no such checkpoint of the {kind}")
    try:
        import torch  # noqa: PLC0415  only those who train have it

        from feltwatch.models.training.export import shipped  # noqa: PLC0415  as above
    except ImportError as fault:
        raise DataError("torch is not installed: comparing needs `pip install feltwatch[train]`") from fault
    torch.set_num_threads(threads)
    net: Callable[[object], object] = shipped(kind, checkpoint)

    def run(batch: Pixels) -> Floats32:
        with torch.no_grad():
            return np.asarray(net(torch.from_numpy(batch)), np.float32)

    return run


def _compare_boxes(gap: Difference, both: tuple[RunModel, RunModel], picture: Pixels, classes: int) -> None:
    """Compare box by box, before boxes of one thing are put together: both give them in one order."""
    shown, scale = fitted(picture)
    ours, theirs = (run(shown[None])[0].T.astype(np.float64) for run in both)
    likely = [scores_of(rows, classes).max(axis=1) >= SCORE for rows in (ours, theirs)]
    near = likely[0] | likely[1]
    gap.compared += int(near.sum())
    sides = [quads_of(rows[near], classes) / scale for rows in (ours, theirs)]
    scores = [scores_of(rows[near], classes) for rows in (ours, theirs)]
    gap.apart_px = max(gap.apart_px, float(np.hypot(*np.moveaxis(sides[0] - sides[1], -1, 0)).max(initial=0)))
    gap.apart = max(gap.apart, float(np.abs(scores[0] - scores[1]).max(initial=0)))
    gap.one_only += int((likely[0] != likely[1]).sum())


def _compare_fits(gap: Difference, both: tuple[RunModel, RunModel], picture: Pixels, truth: Truth) -> None:
    """Compare where both put the cards of quads that are a little off."""
    rough = [np.array(card.quad) + 2.0 for card in truth.cards]
    if not rough:
        return
    batch = np.stack([crop(picture, quad) for quad in rough])
    ours, theirs = (
        [fit_of(q, row) for q, row in zip(rough, run(batch).astype(np.float64), strict=True)] for run in both
    )
    gap.compared += len(batch)
    for one, other in zip(ours, theirs, strict=True):
        gap.apart_px = max(gap.apart_px, float(np.hypot(*(one.quad - other.quad).T).max()))
        gap.apart = max(gap.apart, abs(one.exists - other.exists), abs(one.up - other.up))


def _compare_reads(
    gap: Difference, both: tuple[RunModel, RunModel], picture: Pixels, truth: Truth, shipped: Model
) -> None:
    """Compare what both say of the faces of cards that lie wholly in the picture, and of each corner."""
    faces, temperature = len(shipped.classes), shipped.settings["temperature"]
    size = (truth.width, truth.height)
    inside = [card.quad for card in truth.cards if all(0 <= x < size[0] and 0 <= y < size[1] for x, y in card.quad)]
    if not inside:
        return
    batch = np.stack([rectify(picture, quad) for quad in inside])
    rows = [run(batch).astype(np.float64) for run in both]
    gap.compared += len(batch)
    for parts in ([row[:, :faces] for row in rows], *([end[:, n] for end in map(_ends, rows)] for n in range(2))):
        ours, theirs = (probabilities(part, temperature) for part in parts)
        gap.apart = max(gap.apart, float(np.abs(ours - theirs).max()))


def _ends(rows: Floats) -> Floats:
    """Give the numbers of both corners of each crop."""
    return rows[:, -2 * CORNER_NUMBERS :].reshape(len(rows), 2, CORNER_NUMBERS)
