"""The examples in docstrings run."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITH_EXAMPLES = [
    "feltwatch." + ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for part in ("engine", "vision", "models", "datasets", "edge")
    for path in sorted((ROOT / part).rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert not found.failed
