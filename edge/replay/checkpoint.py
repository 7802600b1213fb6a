"""Work that goes on where it stopped: what is kept of it on disk, whole or not at all, and for which work it is."""

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
LAWS = {".py", ".toml", ".json"}  # files that decide what comes out
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


class _Careful(pickle.Unpickler):
    """Makes nothing but values: a checkpoint may lie where others can write."""

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
        raise pickle.UnpicklingError(f"{module}.{name} is no value of ours")


def unpickled(stream: BinaryIO, modules: tuple[str, ...] = OURS) -> Iterator[object]:
    """Give the values that were pickled one after another, of classes that these modules hold."""
    while True:
        try:
            yield _Careful(stream, modules).load()
        except EOFError:
            return


def save(path: Path, key: str, state: object) -> None:
    """Keep a state; whatever happens there is the one before or this one."""
    write_whole(path, HEAD + key.encode() + b"\n" + pickle.dumps(state, pickle.HIGHEST_PROTOCOL))


def load(path: Path, key: str, modules: tuple[str, ...] = OURS) -> object | None:
    """Give the state that was kept for this very work."""
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
    """Give the digest of the code and data that decide what comes out."""
    root = Path(__file__).resolve().parents[2]
    found = hashlib.sha256(version("feltwatch").encode())
    for package in CODE:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in LAWS and path.is_file():
                found.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


@cache
def machinery() -> str:
    """Say by what a state was made that only the same can go on with: what decodes, counts and pickles."""
    parts = (platform.python_version(), np.__version__, cv2.__version__, version("onnxruntime"))
    return " ".join((code(), *parts))
