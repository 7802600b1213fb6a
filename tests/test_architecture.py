"""The shape of the code: which way imports point, how long a file and a function may be, what start-up may load."""

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MODULE_LINES = 600
FOLDER_MODULES = 14  # without __init__.py
FUNCTION_LINES = 60

MAY_IMPORT_OF_OURS = {
    "engine": {"engine"},
    "vision": {"vision", "engine", "models"},
    "models": {"models", "datasets", "vision", "engine"},
    "datasets": {"datasets", "models", "vision", "engine"},
    "edge": {"edge", "datasets", "models", "vision", "engine"},
}
OURS = {"feltwatch", "tests"}

# The rooms of each package from the lowest layer to the highest: a module may import its own room and the rooms of
# lower layers. Rooms on one line do not know each other. A module beside the rooms is named by itself; the package's
# own name stands for the modules that are left. A room with rooms of its own has its own list.
LAYERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "engine": (
        ("engine.model",),
        ("engine.books", "engine.transcript"),
        ("engine.round",),
        ("engine.blackjack", "engine.sikipi"),
        ("engine.history", "engine.odds"),
        ("engine",),
    ),
    "engine.blackjack": (
        ("engine.blackjack.hands", "engine.blackjack.phases"),
        ("engine.blackjack.state",),
        ("engine.blackjack.money",),
        ("engine.blackjack.play",),
        ("engine.blackjack.deal",),
        ("engine.blackjack",),
    ),
    "vision": (
        ("vision.arrays",),
        ("vision.image_file", "vision.layout"),
        ("vision.geometry",),
        ("vision.detection", "vision.motion"),
        ("vision.tracking",),
        ("vision.events", "vision.drawing"),
        ("vision",),
    ),
    "models": (("models.files",), ("models.shipped",), ("models.evaluation",), ("models.training",), ("models",)),
    "datasets": (
        ("datasets.common", "datasets.truth", "datasets.lighting"),
        ("datasets.sources", "datasets.art.drawing"),
        ("datasets.art.cards", "datasets.art.chips", "datasets.art.hands"),
        ("datasets.art.felts",),
        ("datasets.scene",),
        ("datasets.render",),
        ("datasets.photos", "datasets.deal"),
        ("datasets.sets",),
        ("datasets.collection", "datasets.film", "datasets.physical"),
        ("datasets",),
    ),
    "edge": (
        ("edge.errors", "edge.browser", "edge.stop_signal", "edge.wording"),
        ("edge.http_server",),
        ("edge.config",),
        ("edge.video",),
        ("edge.camera",),
        ("edge.journal",),
        ("edge.messaging",),
        ("edge.evidence", "edge.health"),
        ("edge.pipeline",),
        ("edge.report",),
        ("edge.replay",),
        ("edge.service",),
        ("edge.calibrate", "edge.deck"),
        ("edge.doctor",),
        ("edge.cli", "edge.tools"),
        ("edge", "edge.api"),
    ),
}

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

ARRAYS = "vision/arrays.py"  # declares every type of array
JSON = {"json", "msgspec"}
# From frames to verdicts everything is typed; the state of a table is a file of JSON.
TYPED = ("vision/", "edge/camera/", "edge/health/", "edge/pipeline/", "edge/report/", "edge/video/")
FILES = {"edge/pipeline/table_state.py", "vision/detection/known_deck.py"}  # they read and write a file of their own
OF_THE_ENGINE = {"Entry", "Hands", "Lost", "Row"}  # types that it declares twice


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


def module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def nearest(name: str, known: Collection[str]) -> str:
    """Give the longest known beginning of a dotted name, "" where there is none."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def import_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Give the modules that each module imports, by path and source; imports for types alone count too."""
    names = {module_name(path) for path in sources}
    graph: dict[str, set[str]] = {name: set() for name in names}
    for path, source in sources.items():
        found = imports(ast.parse(source, path), path.split("/", 1)[0])
        ours = (one.removeprefix("feltwatch.") for one in found if one.startswith("feltwatch."))
        graph[module_name(path)] |= {nearest(one, names) for one in ours} - {"", module_name(path)}
    return graph


def cycle_faults(graph: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Name modules that import each other in a circle, one circle at a time."""
    left = {name: set(imported) for name, imported in graph.items()}
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]
            yield f"modules import each other in a circle: {' -> '.join(circle)}"
            left[circle[0]].discard(circle[1])
        else:
            return


def direction_faults(graph: Mapping[str, Iterable[str]], layers: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """Name imports that do not lead from a room to one of a lower layer of the same package."""
    height = {room: number for number, rooms in enumerate(layers) for room in rooms}
    package = layers[-1][0]
    for name in sorted(name for name in graph if is_within(name, {package})):
        room = nearest(name, height)
        for other in sorted(one for one in graph[name] if is_within(one, {package})):
            to = nearest(other, height)
            if to != room and height[to] >= height[room]:
                yield f"{name} may not import {other}: {to} is no layer below {room}"


def array_faults(path: str, tree: ast.Module) -> Iterator[str]:
    if path != ARRAYS and "numpy.typing.NDArray" in imports(tree, path.split("/", 1)[0]):
        yield f"{path}: array types are declared in {ARRAYS}"


def json_faults(path: str, tree: ast.Module) -> Iterator[str]:
    if path.startswith(TYPED) and path not in FILES:
        for name in imports(tree, path.split("/", 1)[0]):
            if is_within(name, JSON):
                yield f"{path}: JSON is for where bytes enter or leave: {name}"


def declared(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Give the name of each class and type alias without its underscores, and what it is declared as."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name.strip("_"), f"class at {node.lineno}"
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id.strip("_")
            if name[:1].isupper() and not name.isupper():
                yield name, ast.unparse(node.value)


def meaning_faults(sources: Mapping[str, str]) -> Iterator[str]:
    """Name classes and type aliases whose name means something else in another module."""
    meanings: dict[str, dict[str, list[str]]] = {}
    for path, source in sources.items():
        for name, meaning in declared(ast.parse(source, path)):
            unique = f"{path}: {meaning}" if meaning.startswith("class at") else meaning
            meanings.setdefault(name, {}).setdefault(unique, []).append(path)
    for name, found in sorted(meanings.items()):
        if len(found) > 1 and name not in OF_THE_ENGINE:
            where = ", ".join(path for paths in found.values() for path in paths)
            yield f"{name} has {len(found)} meanings: {where}"


def faults(path: str, source: str) -> list[str]:
    tree = ast.parse(source, path)
    return [
        *import_faults(path, tree),
        *world_faults(path, tree),
        *length_faults(path, source, tree),
        *array_faults(path, tree),
        *json_faults(path, tree),
    ]


def modules() -> list[Path]:
    return sorted(path for package in MAY_IMPORT_OF_OURS for path in (ROOT / package).rglob("*.py"))


def folder_faults(path: str, docstring: str, names: Collection[str]) -> Iterator[str]:
    """Name what is wrong with a folder of modules: too many, or a docstring that does not lead into it."""
    others = {*names} - {"__init__.py"}
    if len(others) > FOLDER_MODULES:
        yield f"{path}: {len(others)} modules, at most {FOLDER_MODULES}"
    if not re.search(r"\bimports?\b", docstring, re.IGNORECASE):
        yield f"{path}: its docstring does not say what it may import"
    if others and not re.search(r"\bstart at `[\w/]+\.(py|toml)`", docstring, re.IGNORECASE):
        yield f"{path}: its docstring does not say where to start"


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
        ("edge/a.py", "from numpy.typing import NDArray", "declared in vision/arrays.py"),
        ("vision/a.py", "import json", "JSON is for"),
        ("edge/pipeline/a.py", "def f():\n    from msgspec.json import decode", "JSON is for"),
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
    ("sources", "says"),
    [
        ({"engine/a.py": "import feltwatch.engine.b", "engine/b.py": "import feltwatch.engine.a"}, ["a -> engine.b"]),
        (
            {
                "engine/a.py": "from feltwatch.engine import b",
                "engine/b.py": "if TYPE_CHECKING:\n    from feltwatch.engine.c import C",
                "engine/c.py": "def f():\n    from feltwatch.engine.a import A",
            },
            ["circle"],
        ),
        ({"engine/a.py": "import feltwatch.engine.b", "engine/b.py": ""}, []),
    ],
)
def test_a_circle_of_imports_is_found(sources: dict[str, str], says: list[str]) -> None:
    found = [*cycle_faults(import_graph(sources))]
    assert len(found) == len(says)
    assert all(part in fault for part, fault in zip(says, found, strict=True))


@pytest.mark.parametrize(
    ("sources", "allowed"),
    [
        ({"engine/round/a.py": "import feltwatch.engine.model.b", "engine/model/b.py": ""}, True),
        ({"engine/model/a.py": "import feltwatch.engine.round.b", "engine/round/b.py": ""}, False),
        ({"engine/sikipi/a.py": "import feltwatch.engine.blackjack.b", "engine/blackjack/b.py": ""}, False),
        ({"engine/history/a.py": "import feltwatch.engine.table", "engine/table.py": ""}, False),
        ({"engine/table.py": "import feltwatch.engine.history.a", "engine/history/a.py": ""}, True),
        (
            {
                "engine/blackjack/deal/a.py": "import feltwatch.engine.blackjack.play.b",
                "engine/blackjack/play/b.py": "",
            },
            True,
        ),
        (
            {
                "engine/blackjack/play/a.py": "import feltwatch.engine.blackjack.deal.b",
                "engine/blackjack/deal/b.py": "",
            },
            False,
        ),
    ],
)
def test_a_room_imports_lower_layers_only(sources: dict[str, str], allowed: bool) -> None:  # noqa: FBT001  a parameter of the table
    graph = import_graph(sources)
    assert (not [fault for layers in LAYERS.values() for fault in direction_faults(graph, layers)]) is allowed


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("class Box: ...", "class _Box: ...", 1),
        ("class Box: ...", "Box = tuple[float, float]", 1),
        ("Box = list[int]", "Box = tuple[int, ...]", 1),
        ("def f():\n    class Box: ...", "class Box: ...", 1),
        ("Size = tuple[int, int]", "Size = tuple[int, int]", 0),
        ("BOX = 1", "BOX = 2", 0),
    ],
)
def test_a_name_with_two_meanings_is_found(one: str, other: str, found: int) -> None:
    assert len([*meaning_faults({"edge/a.py": one, "vision/b.py": other})]) == found


def test_a_name_of_a_type_has_one_meaning() -> None:
    assert [*meaning_faults({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in modules()})] == []


@pytest.mark.parametrize(
    ("docstring", "count", "says"),
    [
        ("What lives here.\n\nStart at `a.py`. Imports `video`.", 14, None),
        ("What lives here.\n\nStart at `a.py`. Imports `video`.", 15, "15 modules"),
        ("What lives here.\n\nStart at `a.py`.", 2, "import"),
        ("What lives here. Imports `video`.", 2, "start"),
        ("Data only, and no imports.", 0, None),
    ],
)
def test_a_folder_that_does_not_lead_into_itself_is_found(docstring: str, count: int, says: str | None) -> None:
    names = ["__init__.py", *(f"module_{number}.py" for number in range(count))]
    found = [*folder_faults("edge/a", docstring, names)]
    assert len(found) == (says is not None)
    assert all(says in one for one in found if says)


def test_every_folder_is_small_and_says_where_to_start() -> None:
    folders = {path.parent for path in modules() if path.name == "__init__.py"} - {ROOT / "edge" / "api"}
    assert len(folders) >= 40
    assert [
        fault
        for folder in sorted(folders - {ROOT / "engine" / "books"})
        for fault in folder_faults(
            folder.relative_to(ROOT).as_posix(),
            ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or "",
            [path.name for path in folder.glob("*.py")],
        )
    ] == []


def test_the_service_loads_neither_the_report_nor_the_replay() -> None:
    script = "import sys, feltwatch.edge.service.run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    found = done.stdout.split()
    assert "feltwatch.edge.service.session" in found
    assert [name for name in found if is_within(name, {"feltwatch.edge.report", "feltwatch.edge.replay"})] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = import_graph({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in modules()})
    assert [*cycle_faults(graph)] == []
    assert [fault for layers in LAYERS.values() for fault in direction_faults(graph, layers)] == []


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
