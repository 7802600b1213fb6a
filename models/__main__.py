"""`python -m feltwatch.models`: from fetched data to the shipped weights."""

import os
import sys
from collections.abc import Callable
from importlib import import_module

from feltwatch.datasets.common.errors import DataError
from feltwatch.models.shipped.registry import ModelError

COMMANDS = {
    "train": "feltwatch.models.training.train",
    "export": "feltwatch.models.training.export",
    "evaluate": "feltwatch.models.evaluate",
}
TRAINING = ("torch", "torchvision", "ultralytics", "onnx")


def _main_of(name: str) -> Callable[[list[str]], int]:
    """Import only what is asked for: what is training needs torch, what is shipped does not."""
    if name not in COMMANDS:
        raise DataError(f"expected {', '.join(COMMANDS)}; `python -m feltwatch.models train --help` says more")
    found: Callable[[list[str]], int] = import_module(COMMANDS[name]).main
    return found


def main(arguments: list[str]) -> int:
    name, *rest = arguments or [""]
    if name in ("-h", "--help"):
        sys.stdout.write(f"usage: python -m feltwatch.models {' | '.join(COMMANDS)} ...\n\n{__doc__}\n")
        return 0
    try:
        return _main_of(name)(rest)
    except (DataError, ModelError) as fault:
        sys.stderr.write(f"models: {fault}\n")
        return 2
    except ModuleNotFoundError as fault:
        if fault.name not in TRAINING:
            raise
        sys.stderr.write(f"models: {fault.name} is not installed: `{name}` needs `pip install feltwatch[train]`\n")
        return 2
    except BrokenPipeError:  # the reader of our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
