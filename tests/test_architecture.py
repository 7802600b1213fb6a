"""The shape of the code: which way imports point, how long a file and a function may be, what start-up may load."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MODULE_LINES = 600
FUNCTION_LINES = 60

MAY_IMPORT_OF_OURS = {
    "engine": {"engine"},
    "vision": {"vision", "engine", "models"},
    "models": {"models", "datasets", "vision", "engine"},
    "datasets": {"datasets", "models", "vision", "engine"},
    "edge": {"edge", "datasets", "models", "vision", "engine"},
}
OURS = {"feltwatch", "tests"}

# What of the standard library is a plain function of its arguments. No clock, no chance, no file, no process:
# a name that is not here is refused, so that adding one is a decision.
PURE = {
    "__future__",
    "abc",
    "bisect",
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "graphlib",
    "hashlib",
    "heapq",
    "itertools",
    "json",
    "math",
    "numbers",
    "operator",
    "re",
    "statistics",
    "string",
    "textwrap",
    "types",
    "typing",
    "unicodedata",
}
BOOKS = "engine/books/"
PURE_IN_BOOKS = {"importlib.resources", "tomllib"}  # a book is data that lies beside its code
TOUCHES_THE_WORLD = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}

HEAVY = {"cv2", "numpy", "onnxruntime"}


def imports(tree: ast.Module, package: str) -> Iterator[str]:
    """Give every imported name in full: `from importlib import resources` is `importlib.resources`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = f"feltwatch.{package}.{node.module or ''}" if node.level else node.module
            yield from (f"{source}.{alias.name}" for alias in node.names)


def is_within(name: str, allowed: set[str]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in allowed)


def import_faults(path: str, tree: ast.Module) -> Iterator[str]:
    package = path.split("/", 1)[0]
    pure = PURE | PURE_IN_BOOKS if path.startswith(BOOKS) else PURE
    for name in imports(tree, package):
        if is_within(name, OURS):
            if not is_within(name, {f"feltwatch.{one}" for one in MAY_IMPORT_OF_OURS[package]}):
                yield f"{path}: {package} may not import {name}"
        elif package == "engine" and not is_within(name, pure):
            yield f"{path}: engine is pure and may not import {name}"


def world_faults(path: str, tree: ast.Module) -> Iterator[str]:
    if not path.startswith("engine/"):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in TOUCHES_THE_WORLD:
            yield f"{path}:{node.lineno}: engine is pure and may not use {node.id}"


def length_faults(path: str, source: str, tree: ast.Module) -> Iterator[str]:
    lines = len(source.splitlines())
    if lines > MODULE_LINES:
        yield f"{path}: {lines} lines, at most {MODULE_LINES}"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name} has {length} lines, at most {FUNCTION_LINES}"


def faults(path: str, source: str) -> list[str]:
    tree = ast.parse(source, path)
    return [*import_faults(path, tree), *world_faults(path, tree), *length_faults(path, source, tree)]


def modules() -> list[Path]:
    return sorted(path for package in MAY_IMPORT_OF_OURS for path in (ROOT / package).rglob("*.py"))


def function_of(lines: int) -> str:
    return "def f() -> None:\n" + "    g()\n" * (lines - 1)


@pytest.mark.parametrize(
    ("path", "source", "says"),
    [
        ("engine/a.py", "import os", "import os"),
        ("engine/a.py", "import os.path as p", "import os.path"),
        ("engine/a.py", "from random import choice", "import random.choice"),
        ("engine/a.py", "def f():\n    import time", "import time"),
        ("engine/a.py", "import numpy as np", "import numpy"),
        ("engine/a.py", "import importlib", "import importlib"),
        ("engine/a.py", "import tomllib", "import tomllib"),
        ("engine/books/a.py", "import importlib", "import importlib"),
        ("engine/books/a.py", "import pathlib", "import pathlib"),
        ("engine/a.py", "open('f')", "use open"),
        ("engine/a.py", "from feltwatch.vision import tracker", "import feltwatch.vision.tracker"),
        ("engine/a.py", "from tests.builders import cards", "import tests.builders.cards"),
        ("vision/a.py", "import feltwatch.edge", "import feltwatch.edge"),
        ("vision/a.py", "from feltwatch.datasets import deal", "import feltwatch.datasets.deal"),
        ("models/a.py", "import feltwatch.edge.cli.main", "import feltwatch.edge.cli.main"),
        ("datasets/a.py", "from feltwatch.edge.cli.main import main", "import feltwatch.edge.cli.main.main"),
        ("edge/a.py", "import tests", "import tests"),
        ("edge/a.py", "\n" * (MODULE_LINES + 1), "601 lines"),
        ("edge/a.py", function_of(FUNCTION_LINES + 1), "f has 61 lines"),
        ("edge/a.py", "async " + function_of(FUNCTION_LINES + 1), "f has 61 lines"),
    ],
)
def test_an_offender_is_found(path: str, source: str, says: str) -> None:
    (fault,) = faults(path, source)
    assert says in fault


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "engine/a.py",
            "from collections.abc import Iterable\nimport feltwatch.engine.model.cards\nfrom feltwatch.engine import a",
        ),
        ("engine/a.py", "from . import spots\nfrom .cards import Card"),
        ("engine/books/a.py", "import tomllib\nfrom importlib import resources\nfrom importlib.resources import files"),
        (
            "vision/a.py",
            "import numpy as np\nfrom feltwatch.engine.model.cards import Card\nimport feltwatch.models.registry",
        ),
        ("edge/a.py", "import os\nfrom feltwatch.edge import cli\nimport feltwatch.vision.tracker\nopen('f')"),
        ("edge/a.py", "\n" * MODULE_LINES),
        ("edge/a.py", function_of(FUNCTION_LINES)),
    ],
)
def test_an_innocent_is_left_alone(path: str, source: str) -> None:
    assert faults(path, source) == []


def test_every_module_keeps_its_place_and_size() -> None:
    found = modules()
    assert {path.relative_to(ROOT).parts[0] for path in found} >= {"vision", "models", "datasets"}
    assert [
        fault for path in found for fault in faults(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize(
    "arguments", [["-c", "import feltwatch.edge.cli.main"], [Path(sys.executable).with_name("feltwatch"), "--help"]]
)
def test_starting_up_loads_nothing_heavy(arguments: list[str | Path], tmp_path: Path) -> None:
    """Run outside the checkout, as a user would: the installed package is what is imported."""
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    lines = done.stderr.splitlines()
    assert done.returncode == 0, [line for line in lines if not line.startswith("import time:")]
    loaded = {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}
    assert "feltwatch.edge.cli.main" in loaded
    assert {name.split(".", 1)[0] for name in loaded} & HEAVY == set()
