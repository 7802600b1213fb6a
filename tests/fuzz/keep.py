"""`python -m tests.fuzz.keep`: of all the fuzzer found keep a small corpus that reaches every line it reaches."""

import sys
from pathlib import Path
from types import CodeType, FrameType

from tests.fuzz.stream import judge

CORPUS = Path(__file__).parent / "corpus"
SCRATCH = Path(".fuzz")
Line = tuple[CodeType, int]


def reached(data: bytes) -> set[Line]:
    """Give the lines of the engine that an input runs through."""
    found: set[Line] = set()

    def trace(frame: FrameType, event: str, _: object) -> object:
        if "/engine/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            found.add((frame.f_code, frame.f_lineno))
        return trace

    sys.settrace(trace)  # type: ignore[arg-type]  # a tracer gives itself
    try:
        judge(data)
    finally:
        sys.settrace(None)
    return found


def main() -> None:
    """Take the shortest inputs first, and each that adds a line."""
    files = sorted((*SCRATCH.glob("*"), *CORPUS.glob("*")), key=lambda path: path.stat().st_size)
    kept: dict[str, bytes] = {}
    seen: set[Line] = set()
    for path in files:
        data = path.read_bytes()
        lines = reached(data)
        if lines - seen:
            seen |= lines
            kept[path.name] = data
    for path in CORPUS.glob("*"):
        path.unlink()
    for name, data in kept.items():
        (CORPUS / name).write_bytes(data)
    print(f"{len(kept)} of {len(files)} inputs kept, {sum(map(len, kept.values()))} bytes")  # noqa: T201  a tool


if __name__ == "__main__":
    main()
