"""The bundled film as the pipeline sees it with the networks that ship; each way of watching is done but once.

The networks remember what they were shown: the same pixels get the same answer, and need not be looked at again.
"""

import hashlib
import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf

from feltwatch.edge.config.camera_parts import fit_camera
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import Video, open_video
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.models.evaluation.rounds.conditions import Conditions
from feltwatch.vision.arrays import Floats32, Pixels
from feltwatch.vision.detection.runtime import RunModel
from feltwatch.vision.detection.still_reader import StillReader, open_eyes
from tests.film_frames import CLIP, TABLE
from tests.json_events import Event, as_json

CAMERA = "camera"  # the name of a table's only one
SECOND = 18.8  # the first round is over, the second has not begun


class Remembering:
    """A network that answers at once what it was asked before."""

    def __init__(self, run: RunModel) -> None:
        self.run = run
        self.known: dict[bytes, Floats32] = {}

    def __call__(self, pictures: Pixels) -> Floats32:
        asked = hashlib.blake2b(pictures.data, digest_size=16, salt=str(pictures.shape[1:3]).encode()[:16]).digest()
        if asked not in self.known:
            self.known[asked] = self.run(pictures)
        return self.known[asked]


@dataclass(frozen=True)
class Watched:
    """What was reported, and the pipeline as it was left."""

    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    pipeline: TablePipeline
    sizes: tuple[int, ...] = ()  # of the watcher, pickled, after each time round


@cache
def eyes() -> StillReader:
    found = open_eyes()
    found.detector.run = Remembering(found.detector.run)
    found.reader.run = Remembering(found.reader.run)
    return found


@cache
def clip() -> tuple[Video, TableFile]:
    return open_video(CLIP), read_table(TABLE)


@cache
def truth() -> tuple[Event, ...]:
    lines = CLIP.with_suffix(".events.jsonl").read_text("utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def begun(with_eyes: StillReader | None = None) -> TablePipeline:
    return TablePipeline(clip()[1], with_eyes or eyes())


@cache
def watched(
    since: float = 0.0, until: float = inf, disturb: str = "plain", rounds: int = 1, *, pickled: float = inf
) -> Watched:
    """Watch the film, or a part of it so many times, with the given faults; pickle the pipeline every so often."""
    video, table = clip()
    pipeline = begun()
    camera = fit_camera(table.path, table.first, video.size, table.layout).camera
    event = Conditions("demo", "demo", camera, table.layout).named(disturb)
    events: list[Event] = []
    verdicts: list[Verdict] = []
    sizes = []
    later, due = 0.0, since + pickled
    for _ in range(rounds):
        with Decoding(video, since) as frames:
            for frame in frames:
                if frame.t > until:
                    break
                picture = event(frame.number, frame.t, frame.picture)
                if picture is None:
                    continue
                if frame.t >= due:
                    due, pipeline = frame.t + pickled, again(pipeline)
                step = pipeline.step(CAMERA, round(frame.t + later, 3), picture)
                events += as_json(step.events)
                verdicts += step.verdicts
        later += video.seconds - since
        sizes.append(len(pickle.dumps(pipeline.fusion)))
    step = pipeline.finish()
    return Watched((*events, *as_json(step.events)), (*verdicts, *step.verdicts), pipeline, tuple(sizes))


def again(pipeline: TablePipeline) -> TablePipeline:
    """Give a pipeline as it comes out of a file."""
    found = pickle.loads(pickle.dumps(pipeline))  # noqa: S301  our own bytes
    assert isinstance(found, TablePipeline)
    found.resume(clip()[1], eyes())
    return found


def cards(events: Sequence[Event], since: float = 0.0) -> list[tuple[object, object, object]]:
    """Give the cards that were reported, in order."""
    return [
        (event["zone"], event["card"], event["face"])
        for event in events
        if event["event"] == "card" and float(str(event["t"])) >= since
    ]


def handled(events: Sequence[Event], since: float = 0.0) -> list[tuple[object, object]]:
    """Give what was moved and turned, in order."""
    return [
        (event["event"], event.get("zone", event.get("card")))
        for event in events
        if event["event"] in ("move", "turn") and float(str(event["t"])) >= since
    ]
