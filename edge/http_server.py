"""Serves an ASGI application over HTTP from a thread of its own: the metrics, `calibrate`'s page, and others to come.

uvicorn does the work. It has no time limit for clients that send or read slowly; `BoundedConnection` adds it, so that
they cannot hold the server's connections.
"""

import asyncio
import socket
import threading
from typing import Any, Final, Self

import h11
import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from feltwatch.edge.errors import UsageError

HEAD_BYTES: Final = 8_192  # of a request line and its headers
PATIENCE_S: Final = 5.0  # for a request to arrive, and for a client to go on reading an answer
CONNECTIONS: Final = 16  # at the same time; more are closed
HEADERS: Final = {"Server": "feltwatch", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
PORTS: Final = 65_536
CLOSING_S: Final = 1  # for answers that are being sent when the server closes


class HttpServer:
    """Serves one application on one address until it is closed."""

    def __init__(self, app: ASGIApp, address: tuple[str, int], where: str, patience_s: float = PATIENCE_S) -> None:
        """Listen on an address; `where` names the option or key that holds it, for the error if it is not free."""
        self._socket = _listen(address, where)
        self.host, self.port = address[0], int(self._socket.getsockname()[1])
        config = uvicorn.Config(
            app,
            http=_bounded(patience_s),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            headers=[*HEADERS.items()],
            h11_max_incomplete_event_size=HEAD_BYTES,
            timeout_keep_alive=round(PATIENCE_S),
            timeout_graceful_shutdown=CLOSING_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name=f"http {self.port}", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def close(self) -> None:
        """Stop serving; answers that are being sent may finish within a second."""
        self.stop()
        self._thread.join()

    def stop(self) -> None:
        """Begin to close; may be called while a request is being answered."""
        self._server.should_exit = True

    def wait(self) -> None:
        """Wait until the server has been stopped."""
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        asyncio.run(self._server.serve([self._socket]))


class BoundedConnection(H11Protocol):
    """A connection that is closed if its request does not arrive in time or its answer is not read in time."""

    patience_s = PATIENCE_S
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        self._set_deadline()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):  # the request is complete
            self._clear_deadline()
        elif self._deadline is None:
            self._set_deadline()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._set_deadline()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._clear_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        super().connection_lost(exc)

    def _set_deadline(self) -> None:
        self._clear_deadline()
        self._deadline = self.loop.call_later(self.patience_s, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


async def read_body(request: Request, limit: int) -> bytes:
    """Give the body of a request; refuse one with more bytes than the limit before it is read."""
    length = request.headers.get("Content-Length", "")
    body = bytearray()
    if not length.isdigit() or int(length) <= limit:
        async for part in request.stream():
            body += part
            if len(body) > limit:
                break
        else:
            return bytes(body)
    raise HTTPException(413)


def _bounded(patience_s: float) -> type[H11Protocol]:
    members: dict[str, Any] = {"patience_s": patience_s}
    return type("Connection", (BoundedConnection,), members)


def _listen(address: tuple[str, int], where: str) -> socket.socket:
    host = address[0].removeprefix("[").removesuffix("]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if not 0 <= address[1] < PORTS:  # create_server would leave a socket open
        raise UsageError(f"{where}: {address[0]}:{address[1]}: expected a port below {PORTS}")
    try:
        return socket.create_server((host, address[1]), family=family, backlog=CONNECTIONS)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{where}: {address[0]}:{address[1]}: expected a free address ({why.lower()}); choose another"
        ) from error
