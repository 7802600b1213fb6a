"""What a check returns, and the runner that keeps one broken check from stopping the others."""

import queue
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

LIMIT_S: Final = 60.0  # for one result of a check


class CheckState(StrEnum):
    OK = "ok"
    WARN = "warn"  # it works, but may not always
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class CheckResult:
    state: CheckState
    says: str  # what was found, and what to do


def ok(says: str) -> CheckResult:
    return CheckResult(CheckState.OK, says)


def warn(says: str) -> CheckResult:
    return CheckResult(CheckState.WARN, says)


def bad(says: str) -> CheckResult:
    return CheckResult(CheckState.BAD, says)


def graded(says: str, *, fault: str | None = None, doubt: str | None = None) -> CheckResult:
    """Give a finding: bad if there is a fault, else a warning if there is a doubt; both state what to do."""
    if fault is not None:
        return bad(f"{says}: {fault}")
    return warn(f"{says}: {doubt}") if doubt is not None else ok(says)


def readable(secrets: Iterable[Path | None]) -> Iterator[CheckResult]:
    """Warn of files with secrets that every user of this device can read or write."""
    for path in secrets:
        if path is not None and path.exists() and path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH):
            yield warn(f"{path}: it holds a secret, and every user of this device can read it; run chmod o-rwx {path}")


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    run: Callable[[], Iterable[CheckResult]]


def results_of(check: Check, limit_s: float = LIMIT_S) -> Iterator[CheckResult]:
    """Run a check and give its findings as they come; a check that breaks or hangs is a finding too."""
    results: queue.SimpleQueue[CheckResult | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            for one in check.run():
                results.put(one)
        except Exception as error:  # noqa: BLE001  whatever it is, the other checks are worth making
            results.put(bad(f"this check itself failed ({type(error).__name__}: {error}); please report it"))
        results.put(None)

    threading.Thread(target=run, name=f"check {check.name}", daemon=True).start()
    while True:
        try:
            one = results.get(timeout=limit_s)
        except queue.Empty:
            yield bad(f"no answer within {limit_s:.0f} s; what this check looks at hangs")
            return
        if one is None:
            return
        yield one
