"""A table's health as Prometheus reads it: text format 0.0.4, base units, one family after another."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final, NamedTuple

from feltwatch.edge.service.health import Vitals
from feltwatch.edge.service.latency import Histogram

Labels = Mapping[str, str]


class Sample(NamedTuple):
    """One line: what its name ends with beyond its family's, its labels, its value."""

    end: str
    labels: Labels
    value: float


class Family(NamedTuple):
    name: str
    kind: str  # counter, gauge or histogram
    says: str
    samples: Sequence[Sample]


FAMILIES: Final = (
    ("feltwatch_frames_total", "counter", "Frames that came from a camera."),
    ("feltwatch_frames_dropped_total", "counter", "Frames dropped because a newer one had come."),
    ("feltwatch_frames_per_second", "gauge", "Frames a second that came, over the last ten seconds."),
    ("feltwatch_camera_up", "gauge", "1 where a camera delivers good pictures, else 0."),
    ("feltwatch_last_step_seconds", "gauge", "Since the watching last made a step."),
    ("feltwatch_uptime_seconds", "gauge", "Since the watching of a table began."),
    ("feltwatch_journal_seq", "gauge", "Number of the journal's last entry."),
    ("feltwatch_outbox_depth", "gauge", "Entries of the journal that the broker has not acknowledged."),
    ("feltwatch_broker_connected", "gauge", "1 where the broker took the connection and holds it, else 0."),
    ("feltwatch_alerts_total", "counter", "Alerts since the start, by severity."),
    ("feltwatch_disk_free_bytes", "gauge", "Room on the disk of the record."),
    ("feltwatch_disk_size_bytes", "gauge", "Size of the disk of the record."),
    ("feltwatch_frame_to_message_seconds", "histogram", "From a frame to the message that came of it."),
    ("feltwatch_inference_seconds", "histogram", "Of one step of the pipeline."),
)
OF_THE_BOX: Final = (
    ("feltwatch_build_info", "gauge", "The version that runs."),
    ("feltwatch_temperature_celsius", "gauge", "The hottest that the box measures."),
    ("feltwatch_clock_synchronised", "gauge", "1 if a time server sets the clock, else 0."),
    ("feltwatch_clock_leaps_total", "counter", "How often the clock was set by more than a second."),
    ("process_resident_memory_bytes", "gauge", "Memory the process holds."),
    ("process_open_fds", "gauge", "Files the process has open."),
    ("process_max_fds", "gauge", "Files it may have open."),
    ("process_cpu_seconds_total", "counter", "Processor time the process took."),
)


def exposition(tables: Sequence[Vitals]) -> str:
    """Write what is known of the tables, and of the box they share; what is not known is left out."""
    told = {name: [*_told(name, tables)] for name, _, _ in FAMILIES}
    told |= {name: [*_box(name, tables)] for name, _, _ in OF_THE_BOX}
    families = [Family(*head, told[head[0]]) for head in (*FAMILIES, *OF_THE_BOX)]
    return "".join(_written(one) for one in families if one.samples)


def _told(name: str, tables: Iterable[Vitals]) -> Iterator[Sample]:
    for one in tables:
        for labels, value in _values(one).get(name, ()):
            yield Sample("", {"table": one.table, **labels}, value)
        for family, lags in (("frame_to_message", one.lags), ("inference", one.inferences)):
            if name == f"feltwatch_{family}_seconds":
                yield from _histogram(lags, {"table": one.table})


def _values(one: Vitals) -> Mapping[str, Sequence[tuple[Labels, float]]]:
    alone: Labels = {}
    found: dict[str, list[tuple[Labels, float]]] = {
        "feltwatch_frames_total": [({"camera": camera.name}, camera.came) for camera in one.cameras],
        "feltwatch_frames_dropped_total": [({"camera": camera.name}, camera.dropped) for camera in one.cameras],
        "feltwatch_frames_per_second": [({"camera": camera.name}, camera.fps) for camera in one.cameras],
        "feltwatch_camera_up": [({"camera": camera.name}, camera.up) for camera in one.cameras],
        "feltwatch_last_step_seconds": [(alone, one.stepped_s)],
        "feltwatch_uptime_seconds": [(alone, one.uptime_s)],
        "feltwatch_journal_seq": [(alone, one.seq)],
        "feltwatch_outbox_depth": [(alone, one.outbox)],
        "feltwatch_broker_connected": [(alone, one.broker)],
        "feltwatch_alerts_total": [({"severity": name}, count) for name, count in one.alerts.items()],
    }
    if one.disk is not None:
        found["feltwatch_disk_free_bytes"] = [(alone, one.disk.free_bytes)]
        found["feltwatch_disk_size_bytes"] = [(alone, one.disk.size_bytes)]
    return found


def _histogram(lags: Histogram, labels: Labels) -> Iterator[Sample]:
    for bound, count in zip((*map(_number, lags.bounds), "+Inf"), lags.counts, strict=True):
        yield Sample("_bucket", {**labels, "le": bound}, count)
    yield Sample("_sum", labels, lags.sum_s)
    yield Sample("_count", labels, lags.counts[-1])


def _box(name: str, tables: Sequence[Vitals]) -> Iterator[Sample]:
    """Tell what is the same for every table, once."""
    if name == "feltwatch_build_info":
        yield Sample("", {"version": _version()}, 1)
    elif tables:
        one = tables[0]
        values = {
            "feltwatch_temperature_celsius": one.temperature_c,
            "feltwatch_clock_synchronised": one.synchronised,
            "feltwatch_clock_leaps_total": one.leaps,
            "process_resident_memory_bytes": one.process.resident_bytes,
            "process_open_fds": one.process.open_files,
            "process_max_fds": one.process.files_limit,
            "process_cpu_seconds_total": one.process.processor_s,
        }
        value = values[name]
        if value is not None:
            yield Sample("", {}, value)


def _version() -> str:
    try:
        return version("feltwatch")
    except PackageNotFoundError:  # run from a folder, not installed
        return "0"


def _written(family: Family) -> str:
    lines = [f"# HELP {family.name} {_escaped(family.says)}", f"# TYPE {family.name} {family.kind}"]
    for sample in family.samples:
        labels = ",".join(f'{name}="{_quoted(value)}"' for name, value in sample.labels.items())
        braced = f"{{{labels}}}" if labels else ""
        lines.append(f"{family.name}{sample.end}{braced} {_number(sample.value)}")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    """Write a number as short as it is exact.

    >>> _number(3), _number(True), _number(0.25), _number(1e-07)
    ('3', '1', '0.25', '1e-07')
    """
    return str(int(value)) if isinstance(value, int) else repr(float(value))


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n")


def _quoted(text: str) -> str:
    r"""Escape what would end a label.

    >>> _quoted('a"b\\c')
    'a\\"b\\\\c'
    """
    return _escaped(text).replace('"', r"\"")
