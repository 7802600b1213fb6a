"""One video from its first frame to its report: watched by the pipeline that runs live, kept as it goes."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

from feltwatch.edge.config.camera_parts import fit_camera, layout_parts
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.clip import REPLAY
from feltwatch.edge.evidence.recorder import EvidenceRecorder
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.pipeline.table_deck import deck_digest
from feltwatch.edge.pipeline.table_pipeline import StepResult
from feltwatch.edge.replay import checkpoint
from feltwatch.edge.replay.annotate import annotated, remember, remembered
from feltwatch.edge.replay.facts import facts_of, key_of
from feltwatch.edge.replay.job import InterruptedReplayError, ReplayOrder, ReplayState, VideoResult
from feltwatch.edge.replay.output import (
    BEGUN,
    DONE,
    Lines,
    altered,
    check_free,
    claimed,
    finish,
    mark,
    part_of,
    publish,
    read_json,
    unwritable,
    write_json,
)
from feltwatch.edge.report.page import write_report
from feltwatch.edge.report.provenance import all_doubts
from feltwatch.edge.report.story import played_rounds
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import Frame, PlaceLostError, Video, check_one_size, open_video
from feltwatch.engine.model import events, verdicts
from feltwatch.engine.model.verdicts import Alert, Started, Verdict, Withdrawn
from feltwatch.models.files import remove_unfinished
from feltwatch.vision.image_file import spelled

EVENTS, VERDICTS, VIEWS, KEPT = "events.jsonl", "verdicts.jsonl", "views", "checkpoint"
GAP_S = 1.0  # footage without frames for longer is reported
LEAST_HEIGHT = 720  # pixels
WATCHING = 0.7  # of the work, if the video is annotated after it

ShowProgress = Callable[[float], None]  # the share that is done
ShouldStop = Callable[[], bool]
Given = tuple[Mapping[str, Video], TableFile]  # the video of each camera


def replay_film(order: ReplayOrder, networks: Networks, say: ShowProgress, stop: ShouldStop) -> VideoResult:
    """Watch one video, or what is left of it to watch, and write its folder."""
    table = read_table(order.table)
    names = [camera.name for camera in table.cameras]
    videos = {name: open_video(path) for name, path in zip(names, order.videos, strict=True)}
    _check(order, table, videos)
    try:
        with claimed(order.folder):
            check_free(order.folder)
            return _claimed(order, networks, (videos, table), say, stop)
    except OSError as error:
        raise unwritable(error.filename or order.folder, error) from error


def _check(order: ReplayOrder, table: TableFile, videos: Mapping[str, Video]) -> None:
    """Refuse videos that do not fit the table, before anything is written."""
    parts = layout_parts(table.cameras, table.layout)
    for camera in table.cameras:
        video = videos[camera.name]
        if camera.name in parts:
            fit_camera(table.path, camera, video.size, parts[camera.name])
        if order.since and video.seconds and order.since >= video.seconds:
            raise UsageError(
                f"--from {order.since:g}: expected less than the {video.seconds:.1f} s of {spelled(video.path)}"
            )


def merged(frames: Mapping[str, Iterator[Frame]]) -> Iterator[tuple[str, Frame]]:
    """Give the frames of several cameras in the order in which they were taken; the films begin at one moment."""
    heads = {name: frame for name, of in frames.items() if (frame := next(of, None)) is not None}
    while heads:
        name = min(heads, key=lambda one: heads[one].t)
        yield name, heads[name]
        following = next(frames[name], None)
        if following is None:
            del heads[name]
        else:
            heads[name] = following


def _claimed(order: ReplayOrder, networks: Networks, given: Given, say: ShowProgress, stop: ShouldStop) -> VideoResult:
    key = key_of(order, {**networks.models, **deck_digest(given[1])})
    part = part_of(order.folder)
    if not order.force:
        if _is_done(order.folder, key, order):
            if name := altered(order.folder):
                raise UsageError(
                    f"{spelled(order.folder / name)}: expected the file that was written, found it altered or gone; "
                    "keep what is there and name another folder with -o, or do it again with --force"
                )
            return _result(order, None)
        if _is_done(part, key, order):
            publish(order.folder)
            return _result(order, None)
    for video in given[0].values():
        check_one_size(video)
    try:
        speed = _VideoReplay(order, networks, given, key).done(say, stop)
    except PlaceLostError:
        shutil.rmtree(part)
        speed = _VideoReplay(order, networks, given, key).done(say, stop)
    return _result(order, speed)


def _is_done(folder: Path, key: Mapping[str, object], order: ReplayOrder) -> bool:
    found = read_json(folder / DONE)
    return found.get("of") == key and (bool(found.get("annotated")) or not order.annotate)


def _result(order: ReplayOrder, speed: float | None) -> VideoResult:
    found = read_json(order.folder / DONE)
    rounds, alerts, doubts = (int(str(found.get(name, 0))) for name in ("rounds", "alerts", "doubts"))
    return VideoResult(str(order.video), order.folder, rounds, alerts, doubts, speed)


class _VideoReplay:
    """The replay of one video in its unfinished folder."""

    def __init__(self, order: ReplayOrder, networks: Networks, given: Given, key: Mapping[str, object]) -> None:
        self.order, self.networks, self.key = order, networks, key
        self.videos, self.table = given
        self.camera, self.video = next(iter(self.videos.items()))  # by which a recording is known, and that is drawn
        self.taken: dict[str, Frame] = {}  # the last frame of each camera
        self.says: list[Verdict] = []  # that are not drawn yet
        self.part = part_of(order.folder)
        self.seal = checkpoint.digest_of({**key, "annotate": order.annotate, "by": checkpoint.versions()})
        self.state = self._state()
        cameras = [*self.videos] if len(self.videos) > 1 else [""]
        self.recorder = EvidenceRecorder(self.part, lambda _: None, cameras, bounds=REPLAY)
        if self.state.evidence is not None:
            self.recorder.resume(self.state.evidence)
        self.files = {name: Lines(self.part / name, size) for name, size in self.state.sizes.items()}

    def _state(self) -> ReplayState:
        """Go on from the checkpoint, if there is one of this very work; else begin."""
        found = checkpoint.load(self.part / KEPT, self.seal, checkpoint.OURS + self.networks.modules)
        if isinstance(found, ReplayState) and not self.order.force:
            self.networks.resume(found.pipeline, self.table)
            remove_unfinished(self.part)
            return found
        pipeline = self.networks.pipeline(self.table)
        shutil.rmtree(self.part, ignore_errors=True)
        self.part.mkdir()
        write_json(self.part / BEGUN, {"mark": mark(self.order.video)})
        (self.part / "evidence").mkdir()
        state = ReplayState(pipeline)
        state.sizes = dict.fromkeys((EVENTS, VERDICTS, *([VIEWS] if self.order.annotate else [])), 0)
        if self.video.height < LEAST_HEIGHT:
            size = f"{self.video.width} x {self.video.height}"
            state.doubts.append((0.0, f"the pictures have {size} pixels: cards are read best from 1280 x 720 on"))
        return state

    def done(self, say: ShowProgress, stop: ShouldStop) -> float:
        """Watch to the end and write what is to be written; give the speed."""
        start, before = monotonic(), self.state.t
        try:
            if not self.state.watched:
                self._watch(say, stop)
        finally:
            self.recorder.abandon()
            for file in self.files.values():
                file.close()
        took = max(monotonic() - start, 1e-3)
        speed = max(self.state.t - max(before, self.state.first), 0.0) / took
        self._report(say, stop)
        return speed

    def _watch(self, say: ShowProgress, stop: ShouldStop) -> None:
        kept = monotonic()
        with ExitStack() as stack:
            decoding = {
                name: stack.enter_context(Decoding(video, self.order.since, self.state.places.get(name), small=True))
                for name, video in self.videos.items()
            }
            for camera, frame in merged({name: iter(frames) for name, frames in decoding.items()}):
                self._take(camera, frame)
                say(self._share(frame.t) * (WATCHING if self.order.annotate else 1.0))
                if stop():
                    self._keep()
                    raise InterruptedReplayError(f"{spelled(self.order.video)}: stopped at {frame.t:.1f} s")
                if monotonic() - kept > self.order.keep_s:
                    self._keep()
                    kept = monotonic()
            self.state.damage = next((frames.end.damage for frames in decoding.values() if frames.end.damage), None)
        if not self.state.frames:
            raise UsageError(
                f"{spelled(self.order.video)}: expected a video, found no frame from {self.order.since:g} s on"
            )
        self._store(self.state.pipeline.finish())
        self.recorder.finish()
        if self.state.damage:
            self.state.doubts.append((self.state.t, self.state.damage))
        self.state.watched = True
        self._keep()

    def _share(self, t: float) -> float:
        length = self.video.seconds - self.order.since
        return min(1.0, (t - self.order.since) / length) if length > 0 else 0.0

    def _take(self, camera: str, frame: Frame) -> None:
        state, t, several = self.state, frame.t, len(self.videos) > 1
        before = state.last.get(camera)
        if before is None:
            state.first = min(state.first, t) if state.last else t
        elif t - before > GAP_S:
            whose = f"camera {camera!r}: " if several else ""
            state.doubts.append((t, f"{whose}no pictures from {before:.1f} s to {t:.1f} s"))
        step = state.pipeline.step(camera, t, frame.picture, frame.small)
        view = state.pipeline.view(camera)
        self.recorder.frame(camera if several else "", t, frame.picture, view)
        self._store(step)
        if len(state.last) == len(self.videos) or t - state.first > GAP_S:  # before its first frame no camera is blind
            state.doubt(t, state.pipeline.doubts())
        self.says += step.verdicts
        if camera == self.camera:
            if self.order.annotate:
                self.files[VIEWS].write(remember(t, None if view == state.view else view, self.says))
                state.view = view
            self.says.clear()
            state.frames = frame.number
        state.t, state.last[camera], self.taken[camera] = t, t, frame

    def _keep(self) -> None:
        """Keep all that is known, so that whatever happens next loses no more than what comes after it."""
        self.recorder.settle()
        self.state.evidence = self.recorder.state()
        self.state.places |= {name: frame.place() for name, frame in self.taken.items()}
        self.state.sizes = {name: file.sync() for name, file in self.files.items()}
        checkpoint.save(self.part / KEPT, self.seal, self.state)

    def _store(self, step: StepResult) -> None:
        """Write what a step brought, and record the evidence of its alerts."""
        alerts = [verdict for verdict in step.verdicts if isinstance(verdict, Alert)]
        self.recorder.record(alerts, lambda _: self._write(step))

    def _write(self, step: StepResult) -> None:
        self.files[EVENTS].write("".join(events.encode(event) + "\n" for event in step.events).encode())
        self.files[VERDICTS].write("".join(verdicts.encode(verdict) + "\n" for verdict in step.verdicts).encode())

    def _report(self, say: ShowProgress, stop: ShouldStop) -> None:
        """Write what is made of the whole, and put the folder where it belongs."""
        state = self.state
        happened = [events.decode(line) for line in (self.part / EVENTS).read_bytes().splitlines()]
        judged = [verdicts.decode(line) for line in (self.part / VERDICTS).read_text("utf-8").splitlines()]
        facts = facts_of(self.key, (self.video, self.table), state, happened, judged)
        write_report(self.part, facts)
        if self.order.annotate:

            def go_on(t: float) -> bool:
                say(WATCHING + (1 - WATCHING) * self._share(t))
                return not stop()

            annotated(self.part, self.video, self.order.since, remembered(self.part / VIEWS), go_on)
        rounds = played_rounds(happened, judged)
        counts = {
            "rounds": sum(isinstance(one, Started) for one in judged),
            "alerts": sum(isinstance(one, Alert) - isinstance(one, Withdrawn) for one in judged),
            "doubts": len(all_doubts(facts.doubts, rounds)),
        }
        of = {"of": self.key, "annotated": self.order.annotate, "mark": mark(self.order.video)}
        finish(self.order.folder, {**of, **counts}, (KEPT, BEGUN, VIEWS))
