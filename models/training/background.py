"""A training in the background: started once, at the lowest priority, and asked where it stands."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from feltwatch.models.files import locked

LOWEST = 19  # priority: everything else comes first


def start(folder: Path, arguments: list[str]) -> str:
    """Start the training of a folder unless it runs; give one line on where it stands."""
    folder.mkdir(parents=True, exist_ok=True)
    if runs(folder):
        return f"{folder}: trains; {standing(folder)}"
    command = [sys.executable, "-m", "feltwatch.models", "train", *(one for one in arguments if one != "--background")]
    with (folder / "output.txt").open("ab") as output:
        started = subprocess.Popen(  # noqa: S603  this very program
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    os.setpriority(os.PRIO_PROCESS, started.pid, LOWEST)
    with suppress(OSError):  # where Linux shares the processor out by session, a process's own priority says little
        Path(f"/proc/{started.pid}/autogroup").write_text(str(LOWEST), "ascii")
    return f"{folder}: started, process {started.pid}; {standing(folder)}"


def runs(folder: Path) -> bool:
    """Tell whether a process trains in a folder."""
    try:
        with locked(folder / "lock", wait=False):
            return False
    except BlockingIOError:
        return True


def standing(folder: Path) -> str:
    """Say which step a training has reached, and how it went there."""
    try:
        rows = [json.loads(line) for line in (folder / "log.jsonl").read_text("utf-8").splitlines()]
    except OSError:
        rows = []
    steps = [row for row in rows if "loss" in row]
    if not steps:
        return "no step is done yet"
    last = steps[-1]
    return f"step {last['step']:,}, loss {last['loss']:.4f}, {last['seconds']:.2f} s a step"
