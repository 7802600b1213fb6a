"""`feltwatch bench`: which of the figures are wanted."""

import argparse
from importlib import import_module

MODULES = {
    "engine": "feltwatch.edge.tools.bench_engine",
    "datasets": "feltwatch.edge.tools.bench_datasets",
    "vision": "feltwatch.edge.tools.bench_vision",
    "mqtt": "feltwatch.edge.tools.bench_mqtt",
}


def bench(options: argparse.Namespace) -> int:
    """Import only what is measured."""
    found: int = import_module(MODULES[options.what]).bench(options)
    return found
