"""What a check finds; and how checks are run: each by itself, so that one that fails says so and stops no other."""

import queue
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

LIMIT_S: Final = 60.0  # for a check


class State(StrEnum):
    OK = "ok"
    WARN = "warn"  # it works, and will not always
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Finding:
    state: State
    says: str  # what was found, and what to do


def ok(says: str) -> Finding:
    return Finding(State.OK, says)


def warn(says: str) -> Finding:
    return Finding(State.WARN, says)


def bad(says: str) -> Finding:
    return Finding(State.BAD, says)


def judged(says: str, *, fault: str | None = None, doubt: str | None = None) -> Finding:
    """Give what was found; bad with what to do where there is a fault, a warning where there is a doubt."""
    if fault is not None:
        return bad(f"{says}: {fault}")
    return warn(f"{says}: {doubt}") if doubt is not None else ok(says)


def readable(secrets: Iterable[Path | None]) -> Iterator[Finding]:
    """Warn of files with secrets that every user of this device can read or write."""
    for path in secrets:
        if path is not None and path.exists() and path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
            yield warn(f"{path}: it holds a secret, and every user of this device can read it; run chmod o-rwx {path}")


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    look: Callable[[], Iterable[Finding]]


def found_by(check: Check, limit_s: float = LIMIT_S) -> Iterator[Finding]:
    """Give what a check finds as it finds it; that it breaks, or does not end, is a finding too."""
    told: queue.SimpleQueue[Finding | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            for one in check.look():
                told.put(one)
        except Exception as error:  # noqa: BLE001  whatever it is, the other checks are worth making
            told.put(bad(f"this check itself failed ({type(error).__name__}: {error}); please report it"))
        told.put(None)

    threading.Thread(target=run, name=f"check {check.name}", daemon=True).start()
    while True:
        try:
            one = told.get(timeout=limit_s)
        except queue.Empty:
            yield bad(f"gave no answer within {limit_s:.0f} s; what it looks at hangs")
            return
        if one is None:
            return
        yield one
