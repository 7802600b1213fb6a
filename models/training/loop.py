"""The one training loop: seeded, resumable, on whatever device there is."""

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from feltwatch.datasets.common.errors import DataError

SAVE_EVERY = 100  # steps
LOG_EVERY = 50
FAR = 10_000_000  # batches: more than any training takes
STEEPEST = 10.0  # a longer gradient is shortened to it
SMOOTH = 0.9995  # of the moving average of the weights that is kept in the end

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
    """All that decides what comes out, but for the data."""

    kind: str
    net: str
    steps: int
    batch: int
    rate: float
    seed: int
    warm: int = 200  # steps over which the rate grows to its full height
    decay: float = 0.02
    least: float = 0.02  # part of the rate that is left at the end


@dataclass
class Training:
    """A network that learns, and all that is needed to go on after a stop."""

    net: nn.Module
    recipe: TrainingRecipe
    folder: Path
    device: torch.device
    step: int = 0

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

    def run(self, batches: Callable[[int], Iterator[TorchBatch]], loss: Loss) -> None:
        """Train from the step that was reached to the last; `batches(step)` gives them from there on."""
        started, seen, summed = time.monotonic(), 0, 0.0
        for batch in batches(self.step):
            if self.step >= self.recipe.steps:
                break
            self._set_rate()
            self.net.train()
            value = loss(self.net, batch)
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

    def save(self) -> None:
        """Write all of it beside the old checkpoint, then put it in its place."""
        part = self.checkpoint.with_suffix(".part")
        kept = {
            "recipe": asdict(self.recipe),
            "step": self.step,
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
        differing = ", ".join(
            f"{name} {said[name]}" for name in asked if said.get(name) != asked[name] and name != "steps"
        )
        if differing:
            raise DataError(f"{self.checkpoint}: was begun with {differing}; go on with that, or name another folder")
        self.net.load_state_dict(kept["net"])
        self.smooth.load_state_dict(kept["ema"])
        self.optimizer.load_state_dict(kept["optimizer"])
        self.step = kept["step"]

    def _set_rate(self) -> None:
        """Warm up, then let the rate fall along half a cosine."""
        recipe = self.recipe
        done = min(self.step / max(recipe.steps, 1), 1.0)
        fall = recipe.least + (1 - recipe.least) * (1 + math.cos(math.pi * done)) / 2
        rate = recipe.rate * min(1.0, (self.step + 1) / recipe.warm) * fall
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    @torch.no_grad()
    def _follow(self) -> None:
        keep = min(SMOOTH, (1 + self.step) / (10 + self.step))
        own = self.net.state_dict()
        for name, tensor in self.smooth.state_dict().items():
            if tensor.is_floating_point():
                tensor.lerp_(own[name], 1 - keep)
            else:
                tensor.copy_(own[name])

    def note(self, row: Mapping[str, float]) -> None:
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(dict(row)) + "\n")
