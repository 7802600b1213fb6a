"""The metrics are in Prometheus' text format; clients that send too much, too slowly or nonsense harm nothing."""

import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from email.message import Message
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.edge.errors import UsageError
from feltwatch.edge.health.latency import BOUNDS
from feltwatch.edge.health.vitals import Vitals
from feltwatch.edge.http_server import CONNECTIONS, HEAD_BYTES, HttpServer
from feltwatch.edge.service.metrics import ReadVitals, metrics_app, metrics_text
from tests.edge.health.health_report import WELL, in_trouble

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
LINE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
ENDS = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


@dataclass
class Family:
    kind: str
    samples: dict[tuple[str, tuple[tuple[str, str], ...]], float] = field(default_factory=dict)


def parsed(text: str) -> Mapping[str, Family]:
    """Read the text format as strictly as its description has it: HELP, TYPE, then samples, no family twice."""
    assert text.endswith("\n")
    found: dict[str, Family] = {}
    lines = iter(text[:-1].split("\n"))
    family = ""
    for line in lines:
        if line.startswith("# HELP "):
            family = line.split(" ")[2]
            assert re.fullmatch(NAME, family)
            assert family not in found
            assert len(line.split(" ", 3)[3]) > 10
            start, name, kind = next(lines).rsplit(" ", 2)
            assert (start, name) == ("# TYPE", family)
            found[family] = Family(kind)
            continue
        match = LINE.fullmatch(line)
        assert match, line
        name, labels, value = match[1], read_labels(match[2] or ""), float(match[3])
        end = name.removeprefix(family)
        assert name.startswith(family)
        assert end in ENDS[found[family].kind]
        assert (end, labels) not in found[family].samples
        found[family].samples[end, labels] = value
    return found


def read_labels(text: str) -> tuple[tuple[str, str], ...]:
    found, at = [], 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, text[at:]
        value = re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), match[2])
        found.append((match[1], value))
        at = match.end()
    return tuple(found)


def value(text: str, name: str, **labels: str) -> float:
    (sample,) = [
        number
        for (end, told), number in parsed(text)[name].samples.items()
        if not end and dict(told) == labels  # of no histogram
    ]
    return sample


def exposition(tables: list[Vitals]) -> str:
    return metrics_text(tables).decode()


# --- the metrics


def test_every_figure_of_a_table_is_told() -> None:
    text = exposition([WELL, replace(WELL, table="bj-08", broker=False, outbox=900)])
    assert value(text, "feltwatch_frames_total", table="bj-07", camera="main") == 2_500
    assert value(text, "feltwatch_frames_dropped_total", table="bj-07", camera="main") == 7
    assert value(text, "feltwatch_frames_per_second", table="bj-07", camera="main") == 24.9
    assert value(text, "feltwatch_camera_up", table="bj-07", camera="main") == 1
    assert value(text, "feltwatch_journal_seq", table="bj-07") == 4_211
    assert value(text, "feltwatch_outbox_depth", table="bj-07") == 3
    assert value(text, "feltwatch_outbox_depth", table="bj-08") == 900
    assert value(text, "feltwatch_broker_connected", table="bj-07") == 1
    assert value(text, "feltwatch_broker_connected", table="bj-08") == 0
    assert value(text, "feltwatch_alerts_total", table="bj-07", severity="stop") == 2
    assert value(text, "feltwatch_alerts_total", table="bj-07", severity="void") == 0
    assert value(text, "feltwatch_disk_free_bytes", table="bj-07") == 200_000_000_000
    assert value(text, "feltwatch_temperature_celsius") == 61.5
    assert value(text, "feltwatch_clock_synchronised") == 1
    assert value(text, "feltwatch_rounds_total", table="bj-07", result="unresolved") == 2
    assert value(text, "feltwatch_rounds_total", table="bj-07", result="completed") == 31
    assert value(text, "feltwatch_analysed_frames_per_second", table="bj-07") == 24.6
    assert 10_000_000 < value(text, "process_resident_memory_bytes") < 10_000_000_000
    assert 2 < value(text, "process_open_fds") <= value(text, "process_max_fds")
    assert value(text, "process_cpu_seconds_total") > 0
    (build,) = parsed(text)["feltwatch_build_info"].samples
    assert dict(build[1])["version"]


def test_names_are_as_prometheus_has_them() -> None:
    """A counter ends in _total and nothing else does; units are base units; names end in the unit."""
    for name, family in parsed(exposition([WELL])).items():
        assert name.startswith(("feltwatch_", "process_"))
        assert name.endswith("_total") == (family.kind == "counter")
        assert not re.search(r"_(ms|milliseconds|kb|kilobytes|megabytes|percent)(_|$)", name)
        assert (family.kind == "histogram") <= name.endswith("_seconds")


def test_histograms_are_whole() -> None:
    families = parsed(exposition([WELL, replace(WELL, table="bj-08")]))
    for name, lags in (
        ("feltwatch_frame_to_message_seconds", WELL.lags),
        ("feltwatch_inference_seconds", WELL.inferences),
    ):
        for table in ("bj-07", "bj-08"):
            told = {
                (end, dict(labels).get("le")): number
                for (end, labels), number in families[name].samples.items()
                if dict(labels)["table"] == table
            }
            buckets = [told["_bucket", le] for le in (*(str(bound) for bound in BOUNDS), "+Inf")]
            assert buckets == sorted(buckets) == [*lags.counts]
            assert told["_count", None] == buckets[-1]
            assert told["_sum", None] == lags.sum_s
            assert len(told) == len(BOUNDS) + 3


def test_what_is_not_known_is_left_out() -> None:
    text = exposition([replace(WELL, temperature_c=None, synchronised=None, disk=None)])
    families = parsed(text)
    assert not {"feltwatch_temperature_celsius", "feltwatch_clock_synchronised", "feltwatch_disk_free_bytes"} & {
        *families
    }
    assert [*parsed(exposition([]))] == ["feltwatch_build_info"]


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_name_breaks_out_of_its_label(table: str, camera: str) -> None:
    told = replace(WELL, table=table, cameras=(replace(WELL.cameras[0], name=camera),))
    (labels,) = parsed(exposition([told]))["feltwatch_frames_total"].samples
    assert dict(labels[1]) == {"table": table, "camera": camera}


# --- who asks


@dataclass
class Service:
    told: list[Vitals] = field(default_factory=lambda: [WELL])
    fault: Exception | None = None

    def vitals(self) -> list[Vitals]:
        if self.fault is not None:
            raise self.fault
        return self.told


def serve(vitals: ReadVitals, address: tuple[str, int] = ("127.0.0.1", 0), patience_s: float = 5.0) -> HttpServer:
    return HttpServer(metrics_app(vitals), address, "serve.http", patience_s)


@pytest.fixture(scope="module")
def shared() -> Service:
    return Service()


@pytest.fixture(scope="module")
def served(shared: Service) -> Iterator[HttpServer]:
    with serve(shared.vitals, patience_s=0.25) as server:
        yield server


@pytest.fixture
def service(shared: Service) -> Service:
    shared.told, shared.fault = [WELL], None
    return shared


def ask(port: int, path: str, method: str = "GET") -> tuple[int, str, Message]:
    try:
        with urlopen(Request(f"http://127.0.0.1:{port}{path}", method=method), timeout=10) as told:
            return told.status, told.read().decode(), told.headers
    except HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode(), refused.headers


def raw(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(data)
        return b"".join(iter(lambda: line.recv(65_536), b""))


def test_prometheus_gets_its_page(served: HttpServer, service: Service) -> None:
    status, text, headers = ask(served.port, "/metrics")
    assert (status, headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert value(text, "feltwatch_journal_seq", table="bj-07") == 4_211
    service.told = [replace(WELL, seq=4_212)]
    assert value(ask(served.port, "/metrics")[1], "feltwatch_journal_seq", table="bj-07") == 4_212
    assert "Python" not in headers["Server"]


def test_a_stuck_table_is_not_well(served: HttpServer, service: Service) -> None:
    assert ask(served.port, "/healthz")[:2] == (200, "ok\n")
    service.told = [WELL, replace(WELL, table="bj-08", stepped_s=30.0)]
    assert ask(served.port, "/healthz")[:2] == (503, "bj-08: no frame analysed for 30 s\n")
    service.told = [in_trouble(replace(WELL, stepped_s=30.0), "the camera is lost")]
    assert ask(served.port, "/healthz")[0] == 200


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/nothing"])
def test_head_is_get_without_its_body(served: HttpServer, path: str) -> None:
    asked = ask(served.port, path)
    head = ask(served.port, path, "HEAD")
    assert (head[0], head[1]) == (asked[0], "")
    # between the two requests the process's own metrics may change by a digit
    assert int(head[2]["Content-Length"]) == pytest.approx(len(asked[1].encode()), abs=20 if path == "/metrics" else 0)


@pytest.mark.parametrize("path", ["/", "/metrics/", "/metricsx", "/../etc/passwd", "/metrics%2f"])
def test_nothing_else_is_there(served: HttpServer, path: str) -> None:
    status, text, _ = ask(served.port, path)
    assert (status, text) == (404, "expected /metrics or /healthz\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_is_taken(served: HttpServer, method: str) -> None:
    status, _, headers = ask(served.port, "/metrics", method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /metrics HTTP/x.9\r\n\r\n",
        b"BREW /metrics HTTP/1.1\r\nHost: a\r\n\r\n",
        b"<script> /metrics HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n",
    ],
)
def test_what_is_no_request_is_refused_and_not_repeated(served: HttpServer, request_: bytes) -> None:
    said = raw(served.port, request_)
    assert not said.startswith(b"HTTP/1.1 200")
    assert b"<" not in said
    assert ask(served.port, "/healthz")[0] == 200


def test_a_request_that_is_too_large_is_not_listened_to(served: HttpServer) -> None:
    with pytest.raises((ConnectionResetError, BrokenPipeError)):  # or it would have been listened to for ever
        raw(served.port, b"A" * HEAD_BYTES * 1_000)
    assert ask(served.port, "/healthz")[0] == 200


def test_who_says_nothing_is_not_waited_for(served: HttpServer) -> None:
    silent = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(3)]
    slow = socket.create_connection(("127.0.0.1", served.port), timeout=10)
    began = time.monotonic()
    slow.sendall(b"GET /healthz")
    for line in (*silent, slow):
        assert line.recv(100) == b""
        line.close()
    assert time.monotonic() - began < 5
    assert ask(served.port, "/healthz")[0] == 200


def files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def test_a_crowd_is_sent_away_and_leaves_nothing_behind(served: HttpServer) -> None:
    before = files()
    crowd = [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(CONNECTIONS * 2)]
    for line in crowd:
        assert line.recv(100) == b""
        line.close()
    until = time.monotonic() + 10
    while files() != before and time.monotonic() < until:
        assert ask(served.port, "/healthz")[0] in (200, 503)
    assert files() == before
    assert sum(one.name.startswith(("http", "AnyIO")) for one in threading.enumerate()) <= 5


def test_figures_that_cannot_be_had_are_said_and_stop_nothing(
    served: HttpServer, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    service.fault = RuntimeError("the journal is closed")
    assert ask(served.port, "/metrics")[:2] == (500, "the metrics cannot be read; see the log\n")
    assert "the metrics cannot be read: RuntimeError('the journal is closed')" in caplog.text
    service.fault = None
    assert ask(served.port, "/metrics")[0] == 200


def test_closed_it_leaves_no_thread_and_no_port(service: Service) -> None:
    threads = threading.active_count()
    server = serve(service.vitals)
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(9)]
    began = time.monotonic()
    server.close()
    assert time.monotonic() - began < 4  # no timeout has to pass
    assert threading.active_count() == threads
    for line in silent:
        line.close()
    serve(service.vitals, ("127.0.0.1", server.port)).close()


def test_it_is_served_on_the_newer_protocol_too(service: Service) -> None:
    if not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    with serve(service.vitals, ("[::1]", 0)) as server, socket.create_connection(("::1", server.port)) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: [::1]\r\n\r\n")
        assert line.recv(12) == b"HTTP/1.1 200"


def test_an_address_that_cannot_be_had_is_one_line(served: HttpServer, service: Service) -> None:
    for address, why in (
        (("127.0.0.1", served.port), "address already in use"),
        (("192.0.2.7", 9_464), "cannot assign requested address"),
        (("127.0.0.1", 99_999), "port"),
    ):
        with pytest.raises(UsageError, match=f"serve.http: {re.escape(address[0])}.*{why}"):
            serve(service.vitals, address)
