"""A table's health as its message says it."""

from feltwatch.edge.health.latency import LatencySummary
from feltwatch.edge.health.vitals import Vitals
from feltwatch.edge.messaging import schema


def health_of(vitals: Vitals) -> schema.Health:
    """Give the body of `health`; what was not measured is null."""
    return schema.Health(
        fps=round(vitals.fps, 2),
        came=vitals.came,
        dropped=vitals.dropped,
        lag_s=_spread(vitals.lag),
        inference_s=_spread(vitals.inference),
        outbox=vitals.outbox,
        disk_free_bytes=None if vitals.disk is None else vitals.disk.free_bytes,
        temperature_c=vitals.temperature_c,
        clock=schema.Clock(synchronised=vitals.synchronised, jumps=vitals.jumps, jumped_s=round(vitals.jumped_s, 3)),
        uptime_s=round(vitals.uptime_s, 3),
        cameras={
            one.name: schema.CameraHealth(
                trouble=one.trouble, fps=round(one.fps, 2), came=one.came, dropped=one.dropped
            )
            for one in vitals.cameras
        },
        rss_bytes=vitals.process.resident_bytes,
        open_files=vitals.process.open_files,
    )


def _spread(found: LatencySummary) -> schema.Spread | None:
    if found.p50_s is None or found.p99_s is None:
        return None
    return schema.Spread(p50=round(found.p50_s, 6), p99=round(found.p99_s, 6))
