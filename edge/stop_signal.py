"""Stopping in good order when the process receives an interrupt (Ctrl-C) or SIGTERM."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stop:
    """True once a signal has asked the process to stop; `signal` is its number."""

    signal = 0

    def __call__(self) -> bool:
        return bool(self.signal)

    def ask(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: the first one lets the current work finish, a second one stops at once."""
        del frame
        if self.signal:
            raise KeyboardInterrupt
        self.signal = number


@contextmanager
def stopping() -> Iterator[Stop]:
    """Turn an interrupt or SIGTERM into a flag; outside the main thread, where Python forbids it, change nothing."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, stop.ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
