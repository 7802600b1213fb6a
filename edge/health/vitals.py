"""The health of a table: counters and timings that its threads record, and the snapshot that is made of them.

Nothing is decided here. `metrics.py` and the `health` message publish the snapshot; `find_stuck` serves the watchdog.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Final, Protocol

from feltwatch.edge.health.device import Device, DiskSpace, ProcessUsage, WallClock, is_synchronised, read_disk_space
from feltwatch.edge.health.latency import LatencyHistogram, LatencyRecorder, LatencySummary, RecentRate
from feltwatch.engine.model.verdicts import SEVERITIES

STUCK_S: Final = 10.0  # a table whose camera delivers must analyse a frame within this time
RESULTS: Final = ("completed", "void", "unresolved")  # of a round


class FrameCounts(Protocol):
    """What the feed of a camera counts."""

    @property
    def came(self) -> int: ...

    @property
    def dropped(self) -> int: ...


@dataclass(frozen=True, slots=True)
class CameraVitals:
    name: str
    fps: float  # received frames per second, over the last ten seconds
    came: int  # received frames
    dropped: int  # of those: replaced by a newer frame before they were analysed
    trouble: str | None = None  # what is wrong with the camera, as a sentence

    @property
    def up(self) -> bool:
        return self.trouble is None


@dataclass(frozen=True, slots=True)
class Vitals:
    """One table's health at a moment."""

    table: str
    uptime_s: float
    stepped_s: float  # since the last analysed frame, or since the start
    fps: float  # analysed frames per second, over the last ten seconds
    cameras: tuple[CameraVitals, ...]
    lag: LatencySummary  # from frame to message
    inference: LatencySummary  # of one step of the pipeline
    lags: LatencyHistogram
    inferences: LatencyHistogram
    alerts: Mapping[str, int]  # by severity, since the start
    rounds: Mapping[str, int]  # ended rounds by result, since the start
    seq: int  # of the journal's last entry
    outbox: int  # entries that the broker has not acknowledged
    broker: bool  # connected
    disk: DiskSpace | None
    temperature_c: float | None
    process: ProcessUsage
    synchronised: bool | None  # the clock, by a time server
    jumps: int  # of the clock
    jumped_s: float  # their sum

    @property
    def came(self) -> int:
        return sum(camera.came for camera in self.cameras)

    @property
    def dropped(self) -> int:
        return sum(camera.dropped for camera in self.cameras)


class Telemetry:
    """Counters and timings that the threads of one table record while they work."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self.now = now
        self.lag, self.inference = LatencyRecorder(now), LatencyRecorder(now)
        self.began = self.stepped_at = now()
        self._troubles: dict[str, str] = {}
        self._alerts = Counter(dict.fromkeys(SEVERITIES.values(), 0))
        self._rounds = Counter(dict.fromkeys(RESULTS, 0))
        self._lock = threading.Lock()

    def record_step(self, took_s: float) -> None:
        """Record one step of the pipeline and how long it took."""
        self.stepped_at = self.now()
        self.inference.record(took_s)

    def set_trouble(self, camera: str, trouble: str | None) -> None:
        """Record what is wrong with a camera; None when it works again."""
        with self._lock:
            if trouble is None:
                self._troubles.pop(camera, None)
            else:
                self._troubles[camera] = trouble

    def count_alert(self, severity: str) -> None:
        with self._lock:
            self._alerts[severity] += 1

    def count_round(self, result: str) -> None:
        with self._lock:
            self._rounds[result] += 1

    def troubles(self) -> Mapping[str, str]:
        with self._lock:
            return {**self._troubles}

    def alerts(self) -> Mapping[str, int]:
        with self._lock:
            return MappingProxyType({**self._alerts})

    def rounds(self) -> Mapping[str, int]:
        with self._lock:
            return MappingProxyType({**self._rounds})


@dataclass(frozen=True)
class HealthSources:
    """Where the facts of a table come from; each is asked when a snapshot is made."""

    table: str
    telemetry: Telemetry
    cameras: Mapping[str, FrameCounts]
    seq: Callable[[], int]
    outbox: Callable[[], int]
    broker: Callable[[], bool]
    folder: Path  # on the disk of the record
    clock: WallClock
    synchronised: Callable[[], bool | None] = is_synchronised
    device: Device = field(default_factory=Device)


class HealthMonitor:
    """Makes snapshots of a table's health. It keeps state because rates are measured over time."""

    def __init__(self, sources: HealthSources) -> None:
        self._sources = sources
        self._received = {name: RecentRate() for name in sources.cameras}
        self._analysed = RecentRate()
        self._lock = threading.Lock()

    def vitals(self) -> Vitals:
        sources, telemetry = self._sources, self._sources.telemetry
        now = telemetry.now()
        inferences = telemetry.inference.histogram()
        cameras, fps = self._frames(now, inferences.counts[-1])
        return Vitals(
            table=sources.table,
            uptime_s=now - telemetry.began,
            stepped_s=now - telemetry.stepped_at,
            fps=fps,
            cameras=cameras,
            lag=telemetry.lag.summary(),
            inference=telemetry.inference.summary(),
            lags=telemetry.lag.histogram(),
            inferences=inferences,
            alerts=telemetry.alerts(),
            rounds=telemetry.rounds(),
            seq=sources.seq(),
            outbox=sources.outbox(),
            broker=sources.broker(),
            disk=read_disk_space(sources.folder),
            temperature_c=sources.device.read_temperature_c(),
            process=sources.device.read_process(),
            synchronised=sources.synchronised(),
            jumps=sources.clock.jumps,
            jumped_s=sources.clock.jumped_s,
        )

    def _frames(self, now: float, analysed: int) -> tuple[tuple[CameraVitals, ...], float]:
        troubles, cameras = self._sources.telemetry.troubles(), []
        with self._lock:  # the health message and Prometheus ask from different threads
            for name, counts in self._sources.cameras.items():
                came = counts.came
                fps = self._received[name].update(now, came)
                cameras.append(CameraVitals(name, fps, came, counts.dropped, troubles.get(name)))
            return tuple(cameras), self._analysed.update(now, analysed)


def find_stuck(tables: Iterable[Vitals]) -> list[str]:
    """Give a sentence for each table whose analysis stands still though one of its cameras delivers."""
    return [
        f"{one.table}: no frame analysed for {one.stepped_s:.0f} s"
        for one in tables
        if one.stepped_s > STUCK_S and (not one.cameras or any(camera.up for camera in one.cameras))
    ]
