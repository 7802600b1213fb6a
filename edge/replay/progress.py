"""How far a long work has come, on standard error: a bar on a terminal, else a line now and then."""

import sys
from collections.abc import Callable
from time import monotonic
from typing import TextIO

BAR = 24  # letters
EVERY_S = {True: 0.2, False: 30.0}  # between two lines, on a terminal and elsewhere


class Progress:
    """Shows the share that is done and the time that is left."""

    def __init__(
        self, *, quiet: bool = False, stream: TextIO | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._stream = None if quiet else stream or sys.stderr
        self._clock = clock
        self._terminal = self._stream is not None and self._stream.isatty()
        self._began: dict[str, tuple[float, float]] = {}  # of each work: when, and at which share
        self._shown = clock()
        self._width = 0

    def show(self, name: str, share: float) -> None:
        """Say that a share (0 to 1) of a work is done."""
        now = self._clock()
        start, first = self._began.setdefault(name, (now, share))
        if self._stream is None or now - self._shown < EVERY_S[self._terminal]:
            return
        self._shown = now
        line = f"{name}  {self._bar(share)}{share:4.0%}{_left(now - start, share - first, share)}"
        if self._terminal:
            self._write("\r" + line.ljust(self._width))
            self._width = len(line)
        else:
            self._write(line + "\n")

    def clear(self) -> None:
        """Make room for other lines."""
        if self._width:
            self._write("\r" + " " * self._width + "\r")
            self._width = 0

    def _bar(self, share: float) -> str:
        if not self._terminal:
            return ""
        full = round(BAR * share)
        return f"[{'#' * full}{'.' * (BAR - full)}] "

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()


def _left(took: float, did: float, share: float) -> str:
    if did <= 0 or took <= 0:
        return ""
    left = round(took / did * (1 - share))
    minutes, seconds = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    return f", {hours}:{minutes:02d}:{seconds:02d} left" if hours else f", {minutes}:{seconds:02d} left"
