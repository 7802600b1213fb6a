"""Every Prometheus metric of the service, and the HTTP endpoints /metrics and /healthz."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final, NamedTuple

from prometheus_client import ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from feltwatch.edge.health.latency import LatencyHistogram
from feltwatch.edge.health.vitals import Vitals, find_stuck
from feltwatch.edge.service.logs import say

HEADERS: Final = {"Cache-Control": "no-store"}

ReadVitals = Callable[[], Sequence[Vitals]]
Value = float | Mapping[str, float] | None  # of a table: one, or one for each camera, severity or result


class TableMetric(NamedTuple):
    """A metric that every table has; its value is left out if it is unknown."""

    name: str
    help: str
    read: Callable[[Vitals], Value]
    label: str = ""  # that tells apart the values of one table
    family: type[GaugeMetricFamily] | type[CounterMetricFamily] = GaugeMetricFamily


def _count(name: str, text: str, read: Callable[[Vitals], Value], label: str) -> TableMetric:
    return TableMetric(name, text, read, label, CounterMetricFamily)


def _cameras(member: str) -> Callable[[Vitals], Value]:
    return lambda one: {camera.name: getattr(camera, member) for camera in one.cameras}


def _disk(member: str) -> Callable[[Vitals], Value]:
    return lambda one: None if one.disk is None else getattr(one.disk, member)


TABLE_METRICS: Final = (
    _count("frames", "Frames received from a camera.", _cameras("came"), "camera"),
    _count("frames_dropped", "Received frames that a newer one replaced unanalysed.", _cameras("dropped"), "camera"),
    _count("alerts", "Alerts since the start, by severity.", lambda one: one.alerts, "severity"),
    _count("rounds", "Rounds that ended since the start, by result.", lambda one: one.rounds, "result"),
    TableMetric("camera_up", "1 if the camera delivers usable frames.", _cameras("up"), "camera"),
    TableMetric("frames_per_second", "Frames received, over the last ten seconds.", _cameras("fps"), "camera"),
    TableMetric("analysed_frames_per_second", "Frames analysed, over the last ten seconds.", lambda one: one.fps),
    TableMetric("last_step_seconds", "Time since the last analysed frame.", lambda one: one.stepped_s),
    TableMetric("uptime_seconds", "Time since the table was started.", lambda one: one.uptime_s),
    TableMetric("journal_seq", "Number of the journal's last entry.", lambda one: one.seq),
    TableMetric("outbox_depth", "Journal entries that the broker has not acknowledged.", lambda one: one.outbox),
    TableMetric("broker_connected", "1 if connected to the MQTT broker.", lambda one: one.broker),
    TableMetric("disk_free_bytes", "Free space on the disk of the record.", _disk("free_bytes")),
    TableMetric("disk_size_bytes", "Size of the disk of the record.", _disk("size_bytes")),
)


class VitalsCollector(Collector):
    """The metrics of every table, and of the device that they share."""

    def __init__(self, tables: Sequence[Vitals]) -> None:
        self.tables = tables

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("feltwatch_build", "The version that runs.", {"version": _version()})
        if self.tables:
            for metric in TABLE_METRICS:
                yield from _known(self._collect(metric))
            yield self._histogram("frame_to_message", "From a frame to its message.", lambda one: one.lags)
            yield self._histogram("inference", "Of one step of the pipeline.", lambda one: one.inferences)
            yield from _device(self.tables[0])
            yield from ProcessCollector(registry=None).collect()

    def _collect(self, metric: TableMetric) -> Metric:
        labels = ("table", metric.label) if metric.label else ("table",)
        family = metric.family(f"feltwatch_{metric.name}", metric.help, labels=labels)
        for one in self.tables:
            value = metric.read(one)
            if isinstance(value, Mapping):
                for name, part in value.items():
                    family.add_metric((one.table, name), part)
            elif value is not None:
                family.add_metric((one.table,), value)
        return family

    def _histogram(self, name: str, text: str, read: Callable[[Vitals], LatencyHistogram]) -> Metric:
        family = HistogramMetricFamily(f"feltwatch_{name}_seconds", text, labels=("table",))
        for one in self.tables:
            latency = read(one)
            bounds = (*map(str, latency.bounds), "+Inf")
            family.add_metric((one.table,), [*zip(bounds, latency.counts, strict=True)], latency.sum_s)
        return family


def _device(one: Vitals) -> Iterator[Metric]:
    yield from _known(
        GaugeMetricFamily("feltwatch_temperature_celsius", "The hottest sensor.", one.temperature_c),
        GaugeMetricFamily("feltwatch_clock_synchronised", "1 if the clock is NTP-synchronised.", one.synchronised),
        CounterMetricFamily("feltwatch_clock_leaps", "Times the clock was set by more than a second.", one.jumps),
    )


def _known(*families: Metric) -> Iterator[Metric]:
    return (family for family in families if family.samples)


def _version() -> str:
    try:
        return version("feltwatch")
    except PackageNotFoundError:  # run from a folder, not installed
        return "0"


def metrics_text(tables: Sequence[Vitals]) -> bytes:
    """Write the metrics in Prometheus' text format."""
    return generate_latest(VitalsCollector(tables))


def metrics_app(read_vitals: ReadVitals) -> Starlette:
    """Make the application that serves /metrics and /healthz, and refuses everything else."""

    def metrics(_: Request) -> Response:
        return Response(metrics_text(read_vitals()), headers={**HEADERS, "Content-Type": CONTENT_TYPE_PLAIN_0_0_4})

    def healthz(_: Request) -> Response:
        stuck = find_stuck(read_vitals())
        return _text("".join(f"{sentence}\n" for sentence in stuck) or "ok\n", 503 if stuck else 200)

    app = Starlette(
        routes=[Route("/metrics", _guarded(metrics)), Route("/healthz", _guarded(healthz))],
        exception_handlers={404: _not_found, 405: _not_allowed},
    )
    app.router.redirect_slashes = False
    return app


def _guarded(endpoint: Callable[[Request], Response]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        try:
            return endpoint(request)
        except Exception as error:  # noqa: BLE001  an error here must not stop the service; it is logged and answered
            say(f"serve.http: the metrics cannot be read: {error!r}", level=logging.ERROR)
            return _text("the metrics cannot be read; see the log\n", 500)

    return answer


def _text(text: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return PlainTextResponse(text, status, {**HEADERS, **(headers or {})})


def _not_found(_: Request, __: Exception) -> Response:
    return _text("expected /metrics or /healthz\n", 404)


def _not_allowed(_: Request, __: Exception) -> Response:
    return _text("expected GET or HEAD\n", 405, {"Allow": "GET, HEAD"})
