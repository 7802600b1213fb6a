"""`feltwatch replay`: recorded footage through the pipeline that runs live; a folder of findings for each video."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from feltwatch.edge.errors import UsageError
from feltwatch.edge.replay.job import InterruptedReplayError, ReplayOrder, VideoResult
from feltwatch.edge.replay.progress import Progress
from feltwatch.edge.stop_signal import stopping

if TYPE_CHECKING:
    from feltwatch.edge.config.table_file import TableFile
    from feltwatch.edge.pipeline.networks import Networks, OpenNetworks

STOPPED = 128  # a shell's number of a command that a signal ended is this more than the signal's


def open_networks(provider: str, threads: int) -> "Networks":
    """Open the networks that ship."""
    from feltwatch.edge.pipeline.networks import Networks  # noqa: PLC0415  light start

    return Networks(provider, threads)


def replay(options: argparse.Namespace, opener: "OpenNetworks" = open_networks, keep_s: float = 20.0) -> int:
    """Replay every video; give 2 if one was bad, though the others are done."""
    from feltwatch.edge.replay.batch import Share, in_processes, in_turn, on_ray  # noqa: PLC0415  with it comes OpenCV

    orders = orders_of(options, keep_s)
    share: Share = in_turn
    if options.ray is not None:
        share = on_ray(options.ray)
    elif options.jobs > 1 and len(orders) > 1:
        share = in_processes(options.jobs)
    progress, out = Progress(quiet=options.quiet), sys.stdout
    bad = 0
    with stopping() as stop:
        for found in share(orders, opener, progress, stop):
            progress.clear()
            bad += not isinstance(found, VideoResult)
            _say(found, out)
    if stop.signal:
        return STOPPED + stop.signal
    return 2 if bad else 0


def orders_of(options: argparse.Namespace, keep_s: float) -> list[ReplayOrder]:
    """Give what is to be done; each recording once, each in a folder of its own."""
    from feltwatch.edge.config.table_file import read_table  # noqa: PLC0415  as above
    from feltwatch.edge.replay.output import folders  # noqa: PLC0415  with it comes OpenCV

    table, out = Path(options.table), Path(options.out)
    found = read_table(table)
    provider = options.provider or found.provider
    recordings = recordings_of(options.videos, found)
    cores = len(os.sched_getaffinity(0))
    threads = options.threads or max(1, cores // min(options.jobs, len(recordings)))
    return [
        ReplayOrder(
            first, table, folder, options.since, options.annotate, options.force, provider, threads, keep_s, others
        )
        for (first, *rest), folder in zip(recordings, folders([first for first, *_ in recordings], out), strict=True)
        for others in [tuple(rest)]
    ]


def recordings_of(videos: Sequence[str], table: "TableFile") -> list[tuple[Path, ...]]:
    """Give the videos of each recording: one for each camera of the table, in the order of its file."""
    count = len(table.cameras)
    if len(videos) % count:
        names = ", ".join(camera.name for camera in table.cameras)
        raise UsageError(
            f"{table.path}: expected a video for each of its {count} cameras, in this order: {names}; "
            f"found {len(videos)} video{'' if len(videos) == 1 else 's'}"
        )
    groups = [tuple(map(Path, videos[n : n + count])) for n in range(0, len(videos), count)]
    return list({tuple(map(os.path.realpath, group)): group for group in groups}.values())


def _say(found: VideoResult | Exception, out: TextIO) -> None:
    if isinstance(found, VideoResult):
        out.write(_summary(found))
        out.flush()
    elif sys.stderr is not None:
        more = "; the same command goes on from there" if isinstance(found, InterruptedReplayError) else ""
        sys.stderr.write(f"feltwatch: {found}{more}\n")


def _summary(result: VideoResult) -> str:
    counts = ((result.rounds, "round"), (result.alerts, "alert"), (result.doubts, "doubt"))
    parts = [f"{number or 'no'} {name}{'' if number == 1 else 's'}" for number, name in counts]
    parts.append("done before" if result.speed is None else f"{result.speed:.1f} times real time")
    return f"{result.video}: {', '.join(parts)} -> {result.folder}\n"
