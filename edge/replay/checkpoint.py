"""Checkpoints: the state of a replay on disk, so that the same command goes on where it stopped."""

import hashlib
import io
import json
import pickle
import platform
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

import cv2
import numpy as np

from feltwatch.models.files import write_whole

HEAD = b"feltwatch checkpoint\n"
CODE = ("engine", "vision", "models", "edge")
SOURCES = {".py", ".toml", ".json"}  # suffixes of files that decide the result
OURS = (
    "feltwatch.engine.",
    "feltwatch.vision.",
    "feltwatch.edge.pipeline.",
    "feltwatch.edge.evidence.clip",
    "feltwatch.edge.evidence.render",
    "feltwatch.edge.video.video_file",
    "feltwatch.edge.replay.job",
)  # values only
PLAIN = frozenset(
    {
        ("builtins", "set"),
        ("builtins", "frozenset"),
        ("builtins", "bytearray"),
        ("builtins", "complex"),
        ("builtins", "slice"),
        ("builtins", "range"),
        ("collections", "deque"),
        ("collections", "defaultdict"),
        ("collections", "OrderedDict"),
        ("collections", "Counter"),
        ("decimal", "Decimal"),
        ("fractions", "Fraction"),
        ("pathlib", "PosixPath"),
        ("pathlib", "Path"),
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"),
        ("numpy._core.numeric", "_frombuffer"),
    }
)


class _SafeUnpickler(pickle.Unpickler):
    """Unpickles plain values only: others may be able to write where a checkpoint lies."""

    def __init__(self, stream: BinaryIO, modules: tuple[str, ...]) -> None:
        super().__init__(stream)
        self.modules = modules

    def find_class(self, module: str, name: str) -> object:
        if (module, name) in PLAIN:
            return super().find_class(module, name)
        if module.startswith(self.modules):
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not a value that a checkpoint may hold")


def unpickled(stream: BinaryIO, modules: tuple[str, ...] = OURS) -> Iterator[object]:
    """Give the values pickled one after another; only classes of these modules are allowed."""
    while True:
        try:
            yield _SafeUnpickler(stream, modules).load()
        except EOFError:
            return


def save(path: Path, key: str, state: object) -> None:
    """Store a state; after a crash, this one or the one before is there."""
    write_whole(path, HEAD + key.encode() + b"\n" + pickle.dumps(state, pickle.HIGHEST_PROTOCOL))


def load(path: Path, key: str, modules: tuple[str, ...] = OURS) -> object | None:
    """Give the state stored for the same work; None where there is none."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    head = HEAD + key.encode() + b"\n"
    if not data.startswith(head):
        return None
    try:
        return next(unpickled(io.BytesIO(data[len(head) :]), modules))
    except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, StopIteration, ValueError, TypeError):
        return None


def digest_of(facts: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


@cache
def code() -> str:
    """Give the digest of the code and data that decide the result."""
    root = Path(__file__).resolve().parents[2]
    found = hashlib.sha256(version("feltwatch").encode())
    for package in CODE:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


@cache
def versions() -> str:
    """Name the versions that a checkpoint depends on: it is used only where all are the same."""
    parts = (platform.python_version(), np.__version__, cv2.__version__, version("onnxruntime"))
    return " ".join((code(), *parts))
