"""GET /metrics for Prometheus and /healthz for the supervisor of the service. Nothing else, and for this device alone.

One thread takes connections, a few answer; a request is small and comes at once, or it is refused.
"""

import io
import logging
import socket
import socketserver
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from time import monotonic
from typing import Any, Final, Self

from feltwatch.edge.errors import UsageError
from feltwatch.edge.service.exposition import exposition
from feltwatch.edge.service.health import Vitals, stuck
from feltwatch.edge.service.logs import say

HEAD_BYTES: Final = 8_192  # of a request
PATIENCE_S: Final = 5.0  # for a request to come, and for an answer to be taken
ANSWERING: Final = 4  # at the same time
WAITING: Final = 16  # connections; more are closed
TEXT: Final = "text/plain; charset=utf-8"
METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"

Asked = Callable[[], Sequence[Vitals]]


class Endpoint:
    """Serves until it is closed; then nothing of it is left."""

    def __init__(self, address: tuple[str, int], vitals: Asked, patience_s: float = PATIENCE_S) -> None:
        try:
            self._server = _Server(address, vitals, patience_s)
        except (OSError, OverflowError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"serve.http: {address[0]}:{address[1]}: expected an address to serve figures on: {why.lower()}"
            ) from error
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.2,), name="metrics", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(socketserver.TCPServer):
    allow_reuse_address = True
    request_queue_size = WAITING

    def __init__(self, address: tuple[str, int], vitals: Asked, patience_s: float) -> None:
        host = address[0].removeprefix("[").removesuffix("]")
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.vitals, self.patience_s = vitals, patience_s
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__((host, address[1]), _Answer)
        self._pool = ThreadPoolExecutor(ANSWERING, "metrics")

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  as socketserver has it
        with self._lock:
            room = len(self._open) < WAITING
            if room:
                self._open.add(request)
        if room:
            self._pool.submit(self._answer, request, client_address)
        else:
            self.shutdown_request(request)

    def _answer(self, request: socket.socket, client: object) -> None:
        try:
            self.finish_request(request, client)
        except OSError:
            pass  # it is gone, or was too slow
        except Exception as error:  # noqa: BLE001  missing metrics stop nothing, and are reported
            say(f"serve.http: the metrics cannot be read: {error!r}", level=logging.ERROR)
        finally:
            self.shutdown_request(request)
            with self._lock:
                self._open.discard(request)

    def server_close(self) -> None:
        super().server_close()
        if not hasattr(self, "_pool"):
            return  # its address could not be had
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)  # who is still being listened to is not waited for
        self._pool.shutdown(cancel_futures=True)
        for one in [*self._open]:
            self.shutdown_request(one)


class _Answer(BaseHTTPRequestHandler):
    server: _Server
    server_version, sys_version = "feltwatch", ""

    def setup(self) -> None:
        """Take the whole head of a request before any of it is looked at: it is small, and comes in time."""
        super().setup()
        self.connection.settimeout(self.server.patience_s)
        self.rfile.close()
        self.rfile = io.BufferedReader(io.BytesIO(self._head()))

    def _head(self) -> bytes:
        until, head = monotonic() + self.server.patience_s, b""
        while b"\r\n\r\n" not in head and b"\n\n" not in head:
            left = until - monotonic()
            if left <= 0 or len(head) > HEAD_BYTES:
                raise TimeoutError
            self.connection.settimeout(left)
            part = self.connection.recv(HEAD_BYTES)
            if not part:
                raise ConnectionError
            head += part
        self.connection.settimeout(self.server.patience_s)
        return head

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/metrics":
            self._send(HTTPStatus.OK, exposition(self.server.vitals()), METRICS)
        elif path == "/healthz":
            faults = stuck(self.server.vitals())
            status = HTTPStatus.SERVICE_UNAVAILABLE if faults else HTTPStatus.OK
            self._send(status, "".join(f"{fault}\n" for fault in faults) or "ok\n")
        else:
            self._send(HTTPStatus.NOT_FOUND, "expected /metrics or /healthz\n")

    do_HEAD = do_GET  # noqa: N815  http.server's name

    def _refuse(self) -> None:
        self._send(HTTPStatus.METHOD_NOT_ALLOWED, "expected GET or HEAD\n", TEXT, ("Allow", "GET, HEAD"))

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _refuse  # noqa: N815  as above

    def _send(self, status: HTTPStatus, text: str, kind: str = TEXT, *more: tuple[str, str]) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *more):
            self.send_header(name, value)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no request, in plain text that repeats nothing of it."""
        del message, explain
        self.command = self.command or ""
        self._send(HTTPStatus(code), f"{HTTPStatus(code).phrase.lower()}\n")

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  http.server's name
        """Keep silent: a line each quarter of a minute would hide the ones that matter."""
