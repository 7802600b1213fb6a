"""The HTTP server: clients that send or read too slowly, or send too much, are cut off and hold up no one else."""

import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from feltwatch.edge.http_server import HttpServer, read_body

LIMIT = 10_000
LARGE = 50_000_000  # more than the buffers of a connection hold


async def large(_: Request) -> Response:
    return Response(bytes(LARGE))


async def length(request: Request) -> Response:
    return PlainTextResponse(str(len(await read_body(request, LIMIT))))


@pytest.fixture
def server() -> Iterator[HttpServer]:
    app = Starlette(routes=[Route("/large", large), Route("/length", length, methods=["POST"])])
    with HttpServer(app, ("127.0.0.1", 0), "test", patience_s=0.3) as found:
        yield found


def post(server: HttpServer, parts: list[bytes], *, chunked: bool) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
    headers = {} if chunked else {"Content-Length": str(sum(map(len, parts)))}
    connection.request("POST", "/length", iter(parts), headers, encode_chunked=chunked)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def send_slowly(line: socket.socket) -> None:
    """Send a byte now and then; that does not extend the time for the request."""
    began = time.monotonic()
    while time.monotonic() - began < 5:
        line.sendall(b"1")
        time.sleep(0.1)


@pytest.mark.parametrize("chunked", [True, False])
def test_a_body_may_be_as_large_as_the_limit(server: HttpServer, chunked: bool) -> None:  # noqa: FBT001  a parameter
    assert post(server, [bytes(LIMIT // 2)] * 2, chunked=chunked) == (200, b"10000")
    assert post(server, [bytes(LIMIT // 2)] * 2 + [b"1"], chunked=chunked)[0] == 413


def test_a_client_that_does_not_read_is_cut_off(server: HttpServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(1)
        assert post(server, [b"1"], chunked=False) == (200, b"1")
        received = sum(map(len, iter(lambda: line.recv(1_000_000), b"")))
    assert received < LARGE


def test_a_client_that_sends_its_body_slowly_is_cut_off(server: HttpServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
        line.sendall(b"POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n")
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            send_slowly(line)
