"""No third party learns what a device does: no library that we use keeps an id or sends anything of its own."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOOK = """
import numpy
from feltwatch.vision.detection.still_reader import open_eyes
open_eyes().look(numpy.full((180, 320, 3), 90, numpy.uint8))
"""


def left_by(program: str, home: Path) -> list[str]:
    """Run it as a service would, whose home is empty; give what lies there then."""
    own = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(home)}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=own, check=True, capture_output=True)
    return [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]


def test_the_networks_leave_nothing_and_tell_nobody(tmp_path: Path) -> None:
    assert left_by(LOOK, tmp_path) == []


@pytest.mark.parametrize("package", ["engine", "vision", "edge", "models", "datasets"])
def test_the_runtime_is_loaded_where_it_is_told_to_be_silent(package: str) -> None:
    found = set()
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found |= {path.relative_to(ROOT).as_posix() for name in names if name.split(".")[0] == "onnxruntime"}
    assert found <= {"vision/detection/runtime.py"}
