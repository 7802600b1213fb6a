"""Two cameras over one table, as tests need them: the bundled film seen by both, each watching its part."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from edge.decoding import Decoding
from edge.pipeline import JoinedPipeline
from edge.table_file import TableFile
from edge.video import Frame, open_video
from engine.verdicts import Verdict
from tests.clips import CLIP
from tests.watching import Event, clip, eyes

LEFT = ("box1", "box2", "box3", "dealer")  # what the first camera watches; the second has the rest
Lost = Callable[[str, float], bool]  # whether a camera gives no picture at a time


@dataclass(frozen=True)
class Seen:
    """What was told, and the pipeline as it was left."""

    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    pipeline: JoinedPipeline
    at: tuple[float, ...]  # when each event was told


def two(table: TableFile, watches: tuple[str, ...] = LEFT) -> TableFile:
    """Give a table's file with its only camera twice."""
    one = table.first
    return replace(table, cameras=(replace(one, name="left", watches=watches), replace(one, name="right")))


def watched_by_two(until: float = inf, lost: Lost = lambda _camera, _t: False, late_s: float = 0.0) -> Seen:
    """Watch the bundled film with two cameras; the second is late by so much, but has the same clock."""
    _, table = clip()
    return seen_by(two(table), {"left": CLIP, "right": CLIP}, until, lost, {"right": late_s})


def seen_by(
    table: TableFile, films: Mapping[str, Path], until: float = inf, lost: Lost | None = None, late: Mapping[str, float] | None = None
) -> Seen:
    """Watch films of one round at once, each with the camera of its name."""
    videos = {name: open_video(path) for name, path in films.items()}
    pipeline = JoinedPipeline(table, {name: video.size for name, video in videos.items()}, eyes())
    events: list[Event] = []
    verdicts: list[Verdict] = []
    at: list[float] = []
    with ExitStack() as stack:
        frames = {name: iter(stack.enter_context(Decoding(video))) for name, video in videos.items()}
        for name, frame in _merged(frames, late or {}):
            if frame.t > until:
                break
            if lost is not None and lost(name, frame.t):
                continue
            step = pipeline.step(name, frame.t, frame.picture)
            events += step.events
            verdicts += step.verdicts
            at += [frame.t] * len(step.events)
    step = pipeline.finish()
    return Seen((*events, *step.events), (*verdicts, *step.verdicts), pipeline, tuple(at))


def _merged(frames: Mapping[str, Iterator[Frame]], late: Mapping[str, float]) -> Iterator[tuple[str, Frame]]:
    """Give all frames in the order in which they come."""
    heads = {name: frame for name, of in frames.items() if (frame := next(of, None)) is not None}
    while heads:
        name = min(heads, key=lambda one: heads[one].t + late.get(one, 0.0))
        yield name, heads[name]
        following = next(frames[name], None)
        if following is None:
            del heads[name]
        else:
            heads[name] = following


def but_times(events: Sequence[Event]) -> list[Event]:
    """Give what was told, but when, by which name, and what was hidden: two cameras need a little longer."""
    left_out = {"t", "id", "since", "rested", "hidden"}
    return [{k: v for k, v in event.items() if k not in left_out} for event in events if event["event"] != "tick"]
