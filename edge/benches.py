"""`feltwatch bench`: which of the figures are wanted."""

import argparse
from importlib import import_module

MODULES = {
    "engine": "edge.bench",
    "datasets": "edge.bench_datasets",
    "vision": "edge.bench_vision",
    "mqtt": "edge.bench_mqtt",
}


def bench(options: argparse.Namespace) -> int:
    """Import only what is measured."""
    found: int = import_module(MODULES[options.what]).bench(options)
    return found
