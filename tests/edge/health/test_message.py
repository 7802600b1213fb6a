"""Health as its message says it: what was measured, and null for what was not."""

from dataclasses import replace

from feltwatch.edge.health.latency import LatencySummary
from feltwatch.edge.health.message import health_of
from feltwatch.edge.messaging import encode
from feltwatch.edge.messaging.encode import Stamp
from feltwatch.edge.messaging.schema import Health
from tests.asyncapi_check import Node, validate
from tests.edge.health.health_report import WELL, in_trouble
from tests.example_messages import ADDRESS, JOURNAL, at


def told(body: Health) -> Node:
    made = encode.health(ADDRESS, Stamp(JOURNAL, 17, at(1)), body)
    found: Node = validate(made.topic, made.payload)["health"]
    return found


def test_a_table_that_is_well_says_so() -> None:
    assert told(health_of(WELL)) == {
        "fps": 24.6,
        "came": 2_500,
        "dropped": 7,
        "lag_s": {"p50": 0.12, "p99": 0.31},
        "inference_s": {"p50": 0.03, "p99": 0.09},
        "outbox": 3,
        "disk_free_bytes": 200_000_000_000,
        "temperature_c": 61.5,
        "clock": {"synchronised": True, "jumps": 0, "jumped_s": 0.0},
        "uptime_s": 100.0,
        "cameras": {"main": {"trouble": None, "fps": 24.9, "came": 2_500, "dropped": 7}},
        "rss_bytes": 310_000_000,
        "open_files": 41,
    }


def test_what_was_not_measured_is_null() -> None:
    bare = replace(
        WELL,
        lag=LatencySummary(),
        inference=LatencySummary(),
        disk=None,
        temperature_c=None,
        synchronised=None,
        cameras=(),
    )
    found = told(health_of(bare))
    assert [found[name] for name in ("lag_s", "inference_s", "disk_free_bytes", "temperature_c")] == [None] * 4
    assert (found["clock"]["synchronised"], found["cameras"], found["came"]) == (None, {}, 0)


def test_trouble_is_said_of_the_camera_that_has_it() -> None:
    found = told(health_of(replace(in_trouble(WELL, "it is black", None), jumps=2, jumped_s=-3600.0004)))
    assert {name: one["trouble"] for name, one in found["cameras"].items()} == {
        "camera1": "it is black",
        "camera2": None,
    }
    assert found["clock"] == {"synchronised": True, "jumps": 2, "jumped_s": -3600.0}
