"""How a table's watching is: what its threads note, and the facts that are gathered from it. Decides nothing."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Final, Protocol

from feltwatch.edge.service.host import Box, Disk, Process, disk
from feltwatch.edge.service.host_clock import Clock, synchronised
from feltwatch.edge.service.latency import Histogram, Lags, Rate, Spread
from feltwatch.engine.model.verdicts import SEVERITIES

STUCK_S: Final = 10.0  # so long may the watching be without a step while its camera delivers


class Counts(Protocol):
    """What a camera's reader counts, as `Newest` does."""

    @property
    def came(self) -> int: ...

    @property
    def dropped(self) -> int: ...


@dataclass(frozen=True, slots=True)
class CameraVitals:
    name: str
    fps: float  # frames that came, over the last ten seconds
    came: int
    dropped: int  # of those: dropped, as a newer one had come
    trouble: str | None = None  # what is wrong with it, as a sentence

    @property
    def up(self) -> bool:
        return self.trouble is None


@dataclass(frozen=True, slots=True)
class Vitals:
    """One table's health at a moment."""

    table: str
    uptime_s: float
    stepped_s: float  # since the watching last made a step; since it began, where it made none
    fps: float  # pictures that were looked at, over the last ten seconds
    cameras: tuple[CameraVitals, ...]
    lag: Spread  # from frame to message
    inference: Spread  # of one step of the pipeline
    lags: Histogram
    inferences: Histogram
    alerts: Mapping[str, int]  # by severity, since the start
    seq: int  # of the journal's last entry
    outbox: int  # entries that the broker has not acknowledged
    broker: bool  # it took the connection, and holds it
    disk: Disk | None
    temperature_c: float | None
    process: Process
    synchronised: bool | None  # whether a time server sets the clock
    leaps: int  # of the clock
    leapt_s: float  # by all of them

    @property
    def came(self) -> int:
        return sum(camera.came for camera in self.cameras)

    @property
    def dropped(self) -> int:
        return sum(camera.dropped for camera in self.cameras)


class Pulse:
    """What the threads of a table note while they work."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self.now = now
        self.lag, self.inference = Lags(now), Lags(now)
        self.began = self.stepped_at = now()
        self._troubles: dict[str, str] = {}
        self._alerts = dict.fromkeys(SEVERITIES.values(), 0)
        self._lock = threading.Lock()

    def stepped(self, took_s: float) -> None:
        """Note a step of the pipeline, and how long it took."""
        self.stepped_at = self.now()
        self.inference.add(took_s)

    def trouble(self, camera: str, says: str | None) -> None:
        """Note what is wrong with a camera; none when it is well again."""
        with self._lock:
            if says is None:
                self._troubles.pop(camera, None)
            else:
                self._troubles[camera] = says

    def alert(self, severity: str) -> None:
        with self._lock:
            self._alerts[severity] += 1

    def troubles(self) -> Mapping[str, str]:
        with self._lock:
            return {**self._troubles}

    def alerts(self) -> Mapping[str, int]:
        with self._lock:
            return MappingProxyType({**self._alerts})


@dataclass(frozen=True)
class Sources:
    """Where the facts of a table come from; each is asked when they are wanted."""

    table: str
    pulse: Pulse
    cameras: Mapping[str, Counts]
    seq: Callable[[], int]
    outbox: Callable[[], int]
    broker: Callable[[], bool]
    folder: Path  # on the disk that matters
    clock: Clock
    synchronised: Callable[[], bool | None] = synchronised
    box: Box = field(default_factory=Box)


class Health:
    """Gathers a table's facts. Rates are over time, so it is kept."""

    def __init__(self, sources: Sources) -> None:
        self._from = sources
        self._rates = {name: Rate() for name in sources.cameras}
        self._looks = Rate()
        self._lock = threading.Lock()

    def vitals(self) -> Vitals:
        found, pulse = self._from, self._from.pulse
        now = pulse.now()
        inferences = pulse.inference.histogram()
        cameras, fps = self._pictures(now, inferences.counts[-1])
        return Vitals(
            table=found.table,
            uptime_s=now - pulse.began,
            stepped_s=now - pulse.stepped_at,
            fps=fps,
            cameras=cameras,
            lag=pulse.lag.spread(),
            inference=pulse.inference.spread(),
            lags=pulse.lag.histogram(),
            inferences=inferences,
            alerts=pulse.alerts(),
            seq=found.seq(),
            outbox=found.outbox(),
            broker=found.broker(),
            disk=disk(found.folder),
            temperature_c=found.box.temperature_c(),
            process=found.box.process(),
            synchronised=found.synchronised(),
            leaps=found.clock.leaps,
            leapt_s=found.clock.leapt_s,
        )

    def _pictures(self, now: float, looks: int) -> tuple[tuple[CameraVitals, ...], float]:
        troubles, told = self._from.pulse.troubles(), []
        with self._lock:  # two readers: the health message and Prometheus
            for name, counts in self._from.cameras.items():
                came = counts.came
                fps = self._rates[name].of(now, came)
                told.append(CameraVitals(name, fps, came, counts.dropped, troubles.get(name)))
            return tuple(told), self._looks.of(now, looks)


def stuck(tables: Iterable[Vitals]) -> list[str]:
    """Give the tables that are not watched though a camera of theirs delivers: these are unhealthy."""
    return [
        f"{one.table}: the watching has made no step for {one.stepped_s:.0f} s"
        for one in tables
        if one.stepped_s > STUCK_S and (not one.cameras or any(camera.up for camera in one.cameras))
    ]
