"""Notifications to systemd, where the service runs under it: READY=1, STATUS=..., WATCHDOG=1, STOPPING=1."""

import os
import socket
from collections.abc import Callable, Mapping


class Notifier:
    """Tells systemd; where there is none it says nothing. Nothing that goes wrong here stops the watching."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        where = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + where[1:] if where.startswith("@") else where  # an abstract socket has no path
        mine = environ.get("WATCHDOG_PID") in (None, "", str(os.getpid()))
        every = environ.get("WATCHDOG_USEC", "")
        self.watchdog_s = int(every) / 2e6 if mine and every.isascii() and every.isdigit() and int(every) else None

    def tell(self, state: str) -> bool:
        """Send a state, as sd_notify(3) has it; give whether it was taken."""
        if not self._address.startswith(("/", "\0")):
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
                out.settimeout(1.0)
                out.connect(self._address)
                return out.send(state.encode("utf-8", "replace")) > 0
        except OSError:
            return False

    def ready(self, status: str) -> bool:
        return self.tell(f"READY=1\nSTATUS={_line(status)}")

    def status(self, status: str) -> bool:
        return self.tell(f"STATUS={_line(status)}")

    def beat(self, alive: Callable[[], bool]) -> bool:
        """Report that the service lives, if it does, every `watchdog_s`; otherwise systemd restarts it."""
        return alive() and self.tell("WATCHDOG=1")

    def stopping(self) -> bool:
        return self.tell("STOPPING=1")


def _line(text: str) -> str:
    return " ".join(text.split())
