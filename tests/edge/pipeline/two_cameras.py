"""Two cameras over one table, as tests need them: the bundled film seen by both, each watching its part."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.film.film_cli import DEMO, FilmOrder, dress, table_toml
from feltwatch.datasets.film.footage import film
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.pipeline.camera_fusion import CameraFusion
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import Frame, open_video
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.motion.change_detector import shrunk
from tests.film_frames import CLIP
from tests.film_watched import clip, eyes
from tests.json_events import Event, as_json

LEFT = ("box1", "box2", "box3", "dealer")  # what the first camera watches; the second has the rest
Lost = Callable[[str, float], bool]  # whether a camera gives no picture at a time


@dataclass(frozen=True)
class Seen:
    """What was reported, and the watchers as they were left."""

    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    fusion: CameraFusion
    at: tuple[float, ...]  # when each event was reported


def two(table: TableFile, watches: tuple[str, ...] = LEFT) -> TableFile:
    """Give a table's file with its only camera twice."""
    one = table.first
    return replace(table, cameras=(replace(one, name="left", watches=watches), replace(one, name="right")))


def watched_by_two(
    since: float = 0.0, until: float = inf, lost: Lost = lambda _camera, _t: False, late_s: float = 0.0
) -> Seen:
    """Watch the bundled film with two cameras; the second is late by so much, but has the same clock."""
    _, table = clip()
    return seen_by(two(table), {"left": CLIP, "right": CLIP}, (since, until), lost, late_s)


def seen_by(
    table: TableFile,
    films: Mapping[str, Path],
    part: tuple[float, float] = (0.0, inf),
    lost: Lost = lambda _camera, _t: False,
    late_s: float = 0.0,
) -> Seen:
    """Watch films of one story at once, each with the camera of its name; all but the first come late."""
    videos = {name: open_video(path) for name, path in films.items()}
    pipeline = TablePipeline(table, eyes())
    events: list[Event] = []
    verdicts: list[Verdict] = []
    at: list[float] = []
    with ExitStack() as stack:
        frames = {name: iter(stack.enter_context(Decoding(video, part[0]))) for name, video in videos.items()}
        for name, frame in _merged(frames, late_s):
            if frame.t > part[1]:
                break
            if lost(name, frame.t):
                continue
            step = pipeline.step(name, frame.t, frame.picture, shrunk(frame.picture))
            events += as_json(step.events)
            verdicts += step.verdicts
            at += [frame.t] * len(step.events)
    step = pipeline.finish()
    return Seen((*events, *as_json(step.events)), (*verdicts, *step.verdicts), pipeline.fusion, tuple(at))


def _merged(frames: Mapping[str, Iterator[Frame]], late_s: float) -> Iterator[tuple[str, Frame]]:
    """Give all frames in the order in which they come."""
    first = next(iter(frames))
    heads = {name: frame for name, of in frames.items() if (frame := next(of, None)) is not None}
    while heads:
        name = min(heads, key=lambda one: heads[one].t + (0.0 if one == first else late_s))
        yield name, heads[name]
        following = next(frames[name], None)
        if following is None:
            del heads[name]
        else:
            heads[name] = following


def filmed(folder: Path, cameras: Mapping[str, Camera], seconds: float, error: str | None = None) -> TableFile:
    """Film one story from several sides; give the table's file, without what each camera watches."""
    size = next((camera.width, camera.height) for camera in cameras.values())
    order = FilmOrder("blackjack-rws-v5", 4, 1, DEMO, folder, error, size, fps=15.0, pace=2.0, occupied=2)
    stories = session(order.book, order.seed, [order.error], boxes=7, occupied=2, pace=2.0, apart=False)
    found = []
    for name, camera in cameras.items():
        reel = dress(order, stories)
        reel.bare, reel.ends = replace(reel.bare, camera=camera), min(reel.ends, seconds)
        film(reel, folder / f"{name}.mp4", order.fps, order.crf)
        path = folder / f"{name}.table.toml"
        path.write_text(table_toml(f"{name}.mp4", order, stories, reel.bare), "utf-8")
        found.append(replace(read_table(path).first, name=name))
    (folder / "events.jsonl").write_text("".join(f"{json.dumps(one, default=float)}\n" for one in stories[0].events))
    return replace(read_table(path), cameras=tuple(found))
