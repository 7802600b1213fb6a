"""A table's health to be reported, whatever it is."""

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from feltwatch.edge.health.device import DiskSpace, ProcessUsage
from feltwatch.edge.health.latency import LatencyHistogram, LatencySummary
from feltwatch.edge.health.vitals import CameraVitals, Vitals

WELL: Final = Vitals(
    table="bj-07",
    uptime_s=100.0,
    stepped_s=0.04,
    fps=24.6,
    cameras=(CameraVitals("main", 24.9, 2_500, 7),),
    lag=LatencySummary(1_500, 0.12, 0.31),
    inference=LatencySummary(1_500, 0.03, 0.09),
    lags=LatencyHistogram((0, 0, 0, 10, 20, 30, 40, 40, 40, 40, 40, 41), 5.5),
    inferences=LatencyHistogram((0, 5, 40, 41, 41, 41, 41, 41, 41, 41, 41, 41), 0.75),
    alerts=MappingProxyType({"void": 0, "stop": 2, "correct": 0, "advise": 1}),
    rounds=MappingProxyType({"completed": 31, "void": 1, "unresolved": 2}),
    seq=4_211,
    outbox=3,
    broker=True,
    disk=DiskSpace(200_000_000_000, 256_000_000_000),
    temperature_c=61.5,
    process=ProcessUsage(310_000_000, 41),
    synchronised=True,
    jumps=0,
    jumped_s=0.0,
)


def in_trouble(vitals: Vitals, *troubles: str | None) -> Vitals:
    """Give it with so many cameras, each with its trouble."""
    cameras = [CameraVitals(f"camera{n}", 0.0, 9, 0, says) for n, says in enumerate(troubles, 1)]
    return replace(vitals, cameras=tuple(cameras))
