"""A table's health to be reported, whatever it is."""

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from feltwatch.edge.service.health import CameraVitals, Vitals
from feltwatch.edge.service.host import Disk, Process
from feltwatch.edge.service.latency import Histogram, Spread

WELL: Final = Vitals(
    table="bj-07",
    uptime_s=100.0,
    stepped_s=0.04,
    fps=24.6,
    cameras=(CameraVitals("main", 24.9, 2_500, 7),),
    lag=Spread(1_500, 0.12, 0.31),
    inference=Spread(1_500, 0.03, 0.09),
    lags=Histogram((0, 0, 0, 10, 20, 30, 40, 40, 40, 40, 40, 41), 5.5),
    inferences=Histogram((0, 5, 40, 41, 41, 41, 41, 41, 41, 41, 41, 41), 0.75),
    alerts=MappingProxyType({"void": 0, "stop": 2, "correct": 0, "advise": 1}),
    seq=4_211,
    outbox=3,
    broker=True,
    disk=Disk(200_000_000_000, 256_000_000_000),
    temperature_c=61.5,
    process=Process(310_000_000, 41, 1_024, 12.25),
    synchronised=True,
    leaps=0,
    leapt_s=0.0,
)


def in_trouble(vitals: Vitals, *troubles: str | None) -> Vitals:
    """Give it with so many cameras, each with its trouble."""
    cameras = [CameraVitals(f"camera{n}", 0.0, 9, 0, says) for n, says in enumerate(troubles, 1)]
    return replace(vitals, cameras=tuple(cameras))
