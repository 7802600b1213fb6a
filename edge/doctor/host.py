"""Checks of the device: clock, processor, memory, heat, open files, and the networks."""

import os
import resource
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final

from feltwatch.edge.doctor.checks import Check, CheckResult, bad, graded, ok
from feltwatch.edge.health.device import EARLIEST_DATE_S, Device, is_synchronised

LEAST_CORES: Final = 2
TABLE_BYTES: Final = 1_000_000_000  # of memory for a table, its networks included
HOT_C: Final = 85.0  # processors throttle a little above
FILES: Final = (256, 1_024)  # open at once: fewer than the first is a fault, than the second a doubt
SLOW_LOOK_S: Final = 1.0  # for one whole frame; live, the networks see far smaller parts


def clock(
    wall: Callable[[], float] = time.time, is_right: Callable[[], bool | None] = is_synchronised
) -> Iterator[CheckResult]:
    now = wall()
    says = f"it is {datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M:%S} UTC"
    if now < EARLIEST_DATE_S:
        yield bad(f"{says}: this is in the past; set the clock, and let a time server keep it right")
        return
    right = is_right()
    doubt = None
    if right is None:
        doubt = "this device cannot tell whether a time server keeps the clock right; check it outside the container"
    elif not right:
        doubt = "no time server keeps the clock right; install chrony or systemd-timesyncd, and let it reach one"
    yield graded(says if doubt else f"{says}, kept right by a time server", doubt=doubt)


def processor(
    count: Callable[[], int] = lambda: len(os.sched_getaffinity(0)), tables: int = 1
) -> Iterator[CheckResult]:
    cores, due = count(), max(LEAST_CORES, tables)
    few = f"expected {due} or more for {tables} table{'s' * (tables > 1)}; frames may be dropped"
    yield graded(f"{cores} core{'s' * (cores > 1)}", doubt=few if cores < due else None)


def memory(device: Device, tables: int = 1) -> Iterator[CheckResult]:
    found = device.read_memory()
    if found is None:
        yield bad(f"expected figures in {device.proc}/meminfo, found none; mount /proc")
        return
    free, size = found
    short = f"expected {giga(TABLE_BYTES * tables)} for {tables} table{'s' * (tables > 1)}; stop what else runs here"
    yield graded(f"{giga(free)} free of {giga(size)}", doubt=short if free < TABLE_BYTES * tables else None)


def heat(device: Device) -> Iterator[CheckResult]:
    found = device.read_temperature_c()
    if found is None:
        yield ok("this device measures no temperature")
        return
    hot = "the processor will soon slow down; clear its vents, or move the device" if found > HOT_C else None
    yield graded(f"{found:.0f} °C", doubt=hot)


def files(limit: Callable[[], int] = lambda: resource.getrlimit(resource.RLIMIT_NOFILE)[0]) -> Iterator[CheckResult]:
    found = limit()
    if found == resource.RLIM_INFINITY:
        yield ok("any number of files may be open")
        return
    few = f"expected {FILES[1]} or more; raise LimitNOFILE of the service" if found < FILES[1] else None
    yield graded(f"{found} files may be open", fault=few if found < FILES[0] else None, doubt=few)


def networks(provider: str = "cpu") -> Iterator[CheckResult]:
    """Check that the networks are those that were measured, and time them on one frame."""
    import numpy as np  # noqa: PLC0415  light start

    from feltwatch.models.shipped.registry import NETWORKS, ModelError, model  # noqa: PLC0415  as above
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  as above

    try:
        for name in NETWORKS:
            data = model(name).load()
            yield ok(f"{name}, {len(data) / 1e6:.1f} MB, is the measured one ({model(name).sha256[:12]}…)")
        look = open_eyes(provider).look
        look(np.full((1080, 1920, 3), 90, np.uint8))
        start = time.perf_counter()
        look(np.full((1080, 1920, 3), 90, np.uint8))
        took = time.perf_counter() - start
    except ModelError as error:
        yield bad(str(error))
        return
    slow = "too slow to follow a table; use a faster device, or fewer tables on it" if took > SLOW_LOOK_S else None
    yield graded(f"one whole frame takes {took * 1000:.0f} ms with {provider}", doubt=slow)


def giga(count: float) -> str:
    """Write bytes as people do.

    >>> giga(1_500_000_000), giga(256e9), giga(12e6)
    ('1.5 GB', '256 GB', '0.01 GB')
    """
    gigabytes = count / 1e9
    places = 2 if gigabytes < 1 else 1 if gigabytes < 10 else 0
    return f"{gigabytes:.{places}f} GB"


def checks(tables: int, device: Device) -> list[Check]:
    return [
        Check("clock", clock),
        Check("processor", lambda: processor(tables=tables)),
        Check("memory", lambda: memory(device, tables)),
        Check("heat", lambda: heat(device)),
        Check("files", files),
        Check("networks", networks),
    ]
