"""The one training loop: seeded, resumable to the step, on whatever device there is.

The rate warms up and then stays: the training has no planned end. Weights are averaged as it goes. A cooldown branches
off the last checkpoint and lets the rate fall to nothing; what it ends with is what ships, and the training itself goes
on from where it was.
"""

import json
import math
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import cv2
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from feltwatch.datasets.common.errors import DataError
from feltwatch.models.files import locked

SAVE_EVERY = 100  # steps
LOG_EVERY = 50
FAR = 10_000_000  # batches: more than any training takes
STEEPEST = 10.0  # a longer gradient is shortened to it
SMOOTH = 0.9995  # of the moving average of the weights, which is what ships
SETTLING = 5  # in a cooldown the average goes back over a fifth of it
PROBES = 3  # steps tried in each type of number
COOLDOWN = "cooldown"  # folder of a cooldown, in that of its training

TorchBatch = Any
Loss = Callable[[nn.Module, TorchBatch], torch.Tensor]


def feed(source: Dataset[TorchBatch], first: int, workers: int) -> Iterator[TorchBatch]:
    """Give the batches of a source from the first on, made by so many processes; the same source gives the same."""
    order = range(first, first + FAR)
    yield from DataLoader(source, batch_size=None, sampler=order, num_workers=workers, worker_init_fn=_one_thread)


def _one_thread(_: int) -> None:
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    os.nice(2)  # the network comes first


@dataclass(frozen=True, slots=True)
class TrainingRecipe:
    """All that decides what comes out, but for the data and how long it goes on."""

    kind: str
    net: str
    batch: int
    rate: float
    seed: int
    warm: int = 200  # steps over which the rate grows to its full height
    decay: float = 0.02


@dataclass(frozen=True, slots=True)
class CooldownSpan:
    """From which step on the rate falls, and over how many."""

    start: int
    steps: int

    def rate(self, step: int) -> float:
        """Give the part of the rate that is left: it falls with the root of what is done."""
        return 1 - math.sqrt(min(max(step - self.start, 0) / max(self.steps, 1), 1.0))


@dataclass
class Training:
    """A network that learns, and all that is needed to go on after a stop."""

    net: nn.Module
    recipe: TrainingRecipe
    folder: Path
    device: torch.device
    step: int = 0
    cooldown: CooldownSpan | None = None
    half: dict[str, bool] = field(default_factory=dict)  # by the processor's kind: whether 16 bits are faster there

    def __post_init__(self) -> None:
        torch.manual_seed(self.recipe.seed)
        self.net.to(self.device, memory_format=torch.channels_last)
        self.smooth = deepcopy(self.net).eval()
        weights: list[nn.Parameter] = []
        rest: list[nn.Parameter] = []
        for parameter in self.net.parameters():
            (weights if parameter.ndim > 1 else rest).append(parameter)
        groups = [{"params": weights, "weight_decay": self.recipe.decay}, {"params": rest, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=self.recipe.rate)
        self._resume()

    @property
    def checkpoint(self) -> Path:
        return self.folder / "last.pt"

    def run(self, batches: Callable[[int], Iterator[TorchBatch]], loss: Loss, steps: int) -> None:
        """Train to so many steps in all; `batches(step)` gives them from there on."""
        try:
            with locked(self.folder / "lock", wait=False):
                self._run(batches(self.step), loss, steps)
        except BlockingIOError:
            raise DataError(f"{self.folder}: another process trains there; let it go on, or stop it") from None

    def _run(self, batches: Iterator[TorchBatch], loss: Loss, steps: int) -> None:
        started, seen, summed = time.monotonic(), 0, 0.0
        here = torch.backends.cpu.get_cpu_capability() if self.device.type == "cpu" else self.device.type
        while self.step < steps:
            batch = next(batches, None)
            if batch is None:
                break
            if here not in self.half:
                self.half[here] = self._half_is_faster(batch, loss)
                started = time.monotonic()
            self._set_rate()
            self.net.train()
            value = self._loss(loss, batch, half=self.half[here])
            value.backward()
            steep = nn.utils.clip_grad_norm_(self.net.parameters(), STEEPEST)
            if torch.isfinite(steep):  # half precision overflows now and then: such a batch teaches nothing
                self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            self._follow()
            self.step += 1
            seen, summed = seen + 1, summed + float(value.detach())
            if self.step % LOG_EVERY == 0:
                took = (time.monotonic() - started) / seen
                self.note({"step": self.step, "loss": round(summed / seen, 5), "seconds": round(took, 3)})
                started, seen, summed = time.monotonic(), 0, 0.0
            if self.step % SAVE_EVERY == 0:
                self.save()
        self.save()

    def _loss(self, loss: Loss, batch: TorchBatch, *, half: bool) -> torch.Tensor:
        with torch.autocast(self.device.type, dtype=torch.bfloat16) if half else nullcontext():
            return loss(self.net, batch)

    def _half_is_faster(self, batch: TorchBatch, loss: Loss) -> bool:
        """Try steps in both types of number: on processors without half precision it is many times slower.

        The network stays as it is: gradients are thrown away, and so is what the batches did to its running means.
        """
        kept = deepcopy(self.net.state_dict())
        took = {}
        for half in (False, True):
            self.net.train()
            times = []
            for _ in range(PROBES):
                began = time.process_time()  # other work beside it does not count
                self._loss(loss, batch, half=half).backward()
                times.append(time.process_time() - began)
            took[half] = min(times)
            self.optimizer.zero_grad(set_to_none=True)
        self.net.load_state_dict(kept)
        self.note({"step": self.step, "seconds in 32 bits": round(took[False], 3), "in 16": round(took[True], 3)})
        return took[True] < took[False]

    def save(self) -> None:
        """Write all of it beside the old checkpoint, then put it in its place."""
        part = self.checkpoint.with_suffix(".part")
        kept = {
            "recipe": asdict(self.recipe),
            "step": self.step,
            "cooldown": asdict(self.cooldown) if self.cooldown else None,
            "half": self.half,
            "net": self.net.state_dict(),
            "ema": self.smooth.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        torch.save(kept, part)
        part.replace(self.checkpoint)

    def _resume(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.checkpoint.is_file():
            return
        kept = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
        said, asked = kept["recipe"], asdict(self.recipe)
        if differing := ", ".join(f"{name} {said.get(name)}" for name in asked if said.get(name) != asked[name]):
            raise DataError(f"{self.checkpoint}: was begun with {differing}; go on with that, or name another folder")
        self.net.load_state_dict(kept["net"])
        self.smooth.load_state_dict(kept["ema"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.step, self.half = kept["step"], kept["half"]
        if kept["cooldown"] and self.cooldown is None:
            self.cooldown = CooldownSpan(**kept["cooldown"])

    def _set_rate(self) -> None:
        """Warm up, stay, and in a cooldown fall."""
        rate = self.recipe.rate * min(1.0, (self.step + 1) / self.recipe.warm)
        rate *= self.cooldown.rate(self.step) if self.cooldown else 1.0
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    @torch.no_grad()
    def _follow(self) -> None:
        keep = min(SMOOTH, (1 + self.step) / (10 + self.step))
        if self.cooldown:  # weights that are settling are not averaged with those from before
            keep = min(keep, max(1 - SETTLING / self.cooldown.steps, 0.0))
        own = self.net.state_dict()
        for name, tensor in self.smooth.state_dict().items():
            if tensor.is_floating_point():
                tensor.lerp_(own[name], 1 - keep)
            else:
                tensor.copy_(own[name])

    def note(self, row: Mapping[str, float]) -> None:
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(dict(row)) + "\n")


def branch_off(folder: Path, steps: int) -> tuple[Path, CooldownSpan]:
    """Begin a cooldown of the training in a folder, or go on with one; give its folder and span."""
    place = folder / COOLDOWN
    last, own = folder / "last.pt", place / "last.pt"
    if own.is_file():
        kept = torch.load(own, map_location="cpu", weights_only=True)["cooldown"]
        if kept:
            return place, CooldownSpan(**kept)
    if not last.is_file():
        raise DataError(f"{last}: no such checkpoint; train before you cool down")
    place.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(last, own)
    return place, CooldownSpan(torch.load(own, map_location="cpu", weights_only=True)["step"], steps)
