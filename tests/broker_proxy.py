"""A way between a client and a broker that can be cut, swallow bytes, be slow, or be closed."""

import selectors
import socket
import threading
from collections import deque
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Final, Self

from tests.mosquitto import free_port

PIECE: Final = 65_536
LOOK_S: Final = 0.01


@dataclass
class _End:
    """One direction: what was read and is still to be written, each piece from a time on."""

    source: socket.socket
    drain: socket.socket
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque)


class Proxy:
    """Goes between a port of its own and another one; its attributes decide what it does with what comes."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = free_port()
        self.open = True  # or each client is sent away at once
        self.swallows = False  # connections stay, and no bytes arrive: half-open
        self.delay_s = 0.0  # each way
        self.taken = 0  # connections
        self._cut = False
        self._over = False
        self._ends: list[_End] = []
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._listener.settimeout(0.0)
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._thread.join()

    def cut(self) -> None:
        """Break off every connection there is."""
        self._cut = True
        while self._cut:
            threading.Event().wait(LOOK_S)

    def _run(self) -> None:
        while not self._over:
            if self._cut:
                self._end(self._ends)
                self._cut = False
            self._take()
            with selectors.DefaultSelector() as ready:
                ready.register(self._listener, selectors.EVENT_READ)
                for end in self._ends:
                    ready.register(end.source, selectors.EVENT_READ, end)
                found = [key.data for key, _ in ready.select(LOOK_S) if key.data is not None]
            for end in found:
                self._read(end)
            for end in [*self._ends]:
                self._write(end)
        self._end(self._ends)
        self._listener.close()

    def _take(self) -> None:
        try:
            near, _ = self._listener.accept()
        except BlockingIOError:
            return
        self.taken += 1
        far = socket.socket()
        if not self.open or far.connect_ex(("127.0.0.1", self.target)):
            near.close()
            far.close()
            return
        for one in (near, far):
            one.settimeout(0.0)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._ends += [_End(near, far), _End(far, near)]

    def _read(self, end: _End) -> None:
        try:
            found = end.source.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            found = b""
        if not found and not self.swallows:
            self._end([one for one in self._ends if end.source in (one.source, one.drain)])
        elif not self.swallows:
            end.waiting.append((monotonic() + self.delay_s, found))

    def _write(self, end: _End) -> None:
        while end.waiting and end.waiting[0][0] <= monotonic() and end in self._ends:
            at, piece = end.waiting.popleft()
            try:
                gone = end.drain.send(piece)
            except BlockingIOError:
                gone = 0
            except OSError:
                self._end([one for one in self._ends if end.drain in (one.source, one.drain)])
                return
            if gone < len(piece):
                end.waiting.appendleft((at, piece[gone:]))
                return

    def _end(self, ends: list[_End]) -> None:
        for end in ends:
            end.source.close()
            end.drain.close()
        self._ends = [end for end in self._ends if end not in ends]
