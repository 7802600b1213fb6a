"""Records the still and the clip of every alert of one table, live and in a replay, seen by one camera or several.

The analysis hands frames over and goes on: one thread makes them small and remembers the last seconds of each camera,
others draw and write. Live, a clip gets fewer frames where there is more to draw than time, and files are dropped, with
a report, where they would take too much memory. In a replay every frame is drawn: the recorder makes the analysis wait.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from errno import EDQUOT, ENOSPC
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

import cv2

from feltwatch.edge.evidence import render, store
from feltwatch.edge.evidence.clip import (
    BEFORE_S,
    LIVE,
    QUEUE,
    RECORDED,
    STEP_S,
    AlertEvidence,
    Bounds,
    FileNames,
    FrameRing,
    FullFrame,
    RecorderState,
)
from feltwatch.edge.evidence.retention import Retention
from feltwatch.edge.evidence.store import StoredFiles, dropped_files
from feltwatch.edge.wording import clock
from feltwatch.engine.model.verdicts import Alert
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import TableView

SLACK_S: Final = 0.024  # by which a frame may be too early for the ring: at 25 frames/s every second one is taken
CHECK_S: Final = 0.1  # between two looks at the clock
KNOWN: Final = 10_000  # alerts whose file names are remembered, live
DRAWERS: Final = 2  # threads that draw and write
AT_ONCE: Final = 4  # complete clips that wait to be drawn in a replay before the analysis waits
SUFFIXES: Final = {"still": "jpg", "clip": "webm"}
MANY: Final = "too many alerts came at once"
ENDED: Final = "feltwatch was stopped"

StoreAlerts = Callable[[Mapping[str, FileNames]], None]  # stores alerts with the names of their files, by alert id


class EvidenceRecorder:
    """Give it every frame with `frame` and every alert with `record`; `report` receives what became of the files."""

    def __init__(
        self,
        folder: Path,
        report: Callable[[StoredFiles], None],
        cameras: Sequence[str] = ("",),
        retention: Retention | None = None,
        bounds: Bounds = LIVE,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.folder, self.report, self.retention = folder, report, retention
        self.bounds, self.now = bounds, now
        self.names: OrderedDict[str, FileNames] = OrderedDict()  # by alert id
        self._rings = {name: FrameRing(name) for name in cameras}
        self._begun: list[AlertEvidence] = []
        self._closing = self._shrinking = False
        self._error: Exception | None = None  # of a thread; it is raised in the thread that hands over frames
        self._news = threading.Condition()
        self._threads = [
            threading.Thread(target=self._work, args=(job,), name=name, daemon=True)
            for name, job in (("ring", self._next_to_shrink), *((f"draw-{n}", self._next_job) for n in range(DRAWERS)))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """Give how many alerts have files that are not written yet."""
        with self._news:
            return len(self._begun)

    @property
    def is_behind(self) -> bool:
        """True while frames wait to be made small."""
        with self._news:
            return self._has_frames()

    def _has_frames(self) -> bool:
        return self._shrinking or any(ring.waiting for ring in self._rings.values())

    def frame(self, camera: str, t: float, image: Pixels, view: TableView) -> None:
        """Take a frame that was analysed, before the alerts that it raises. Returns at once; in a replay, soon."""
        with self._news:
            ring = self._rings[camera]
            if self.bounds.every_frame:
                self._news.wait_for(lambda: self._error is not None or not self._is_crowded(ring))
            self._raise_error()
            ring.newest = FullFrame(t, image, view, self.now())
            if not ring.taken <= t < ring.taken + STEP_S - SLACK_S:
                ring.taken = t
                ring.waiting.append(ring.newest)
                while len(ring.waiting) > QUEUE:
                    ring.waiting.popleft()
                self._news.notify_all()

    def _is_crowded(self, ring: FrameRing) -> bool:
        """True where a replay has to wait for the drawing."""
        whole = sum(one.is_past(self.bounds.after_s) or one.still is not None for one in self._begun)
        return len(ring.waiting) >= QUEUE or whole > AT_ONCE

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def record(self, alerts: Iterable[Alert], store_alerts: StoreAlerts, at: str = "", table: str = "") -> None:
        """Record evidence in the one order that loses nothing: names, then the alerts on disk, then the files.

        `store_alerts` must store the alerts with the names that it gets. Nothing is written or reported of the files
        before it returns, and nothing at all if it raises. `at` is when the frame was taken, as RFC 3339; without it
        images show the time of the video. An alert raised again keeps its first evidence.
        """
        with self._news:
            found: dict[str, FileNames] = {}
            new: list[AlertEvidence] = []
            for alert in alerts:
                if alert.severity not in RECORDED or not self._can_show():
                    continue
                if alert.id not in self.names:
                    new.append(self._admitted(alert, new, at, table))
                found[alert.id] = self.names[alert.id]
        try:
            store_alerts(found)
        except BaseException:
            with self._news:
                for one in new:
                    self.names.pop(one.alert.id, None)
            raise
        with self._news:
            for one in new:
                for frame in one.ring.frames if one.ring is not None else ():
                    one.take(frame, self.bounds.after_s)
            self._begun += new
            self._news.notify_all()

    def settle(self) -> None:
        """Wait until every frame is taken and every still is written; raises the error of a thread."""
        self._wait(lambda: not self._has_frames() and not any(one.still or one.drawing_still for one in self._begun))

    def finish(self) -> None:
        """Write all that is open, as the video ends; raises the error of a thread."""
        self.settle()
        with self._news:
            self._closing = True
            self._news.notify_all()
        self._wait(lambda: not self._begun)

    def _wait(self, done: Callable[[], bool]) -> None:
        with self._news:
            self._news.wait_for(lambda: self._error is not None or done())
            self._raise_error()

    def close(self) -> None:
        """Write what is open with the frames that came; report as dropped what takes longer than `end_s`."""
        with self._news:
            self._closing = True
            self._news.notify_all()
        for thread in self._threads:
            thread.join(self.bounds.end_s)
        with self._news:
            left, self._begun = self._begun, []
        for one in left:
            for what in {*one.names} - {"still" if file.name == one.names["still"] else "clip" for file in one.stored}:
                one.drop(what, ENDED)
            self._report(one)

    def abandon(self) -> None:
        """Stop without writing what is open: a replay that was interrupted goes on from its checkpoint."""
        with self._news:
            self._begun.clear()
            self._closing = True
            self._news.notify_all()
        for thread in self._threads:
            thread.join()

    def state(self) -> RecorderState:
        """Give what a checkpoint stores; to be called after `settle`."""
        with self._news:
            return RecorderState(
                dict(self.names),
                {ring.name: ring.newest for ring in self._rings.values() if ring.newest is not None},
                {ring.name: tuple(ring.frames) for ring in self._rings.values()},
                tuple(found for one in self._begun if (found := one.open_clip()) is not None),
            )

    def resume(self, state: RecorderState) -> None:
        """Go on from a checkpoint; clips that were not on disk then are drawn from their frames."""
        with self._news:
            self.names.update(state.names)
            for name, frames in state.rings.items():
                ring = self._rings[name]
                ring.newest = state.newest.get(name)
                ring.frames.extend(frames)
                ring.taken = frames[-1].t if frames else ring.taken
            for one in state.clips:
                found = AlertEvidence(one.alert, one.names, clock, self.now(), self._rings[one.camera], clip=True)
                found.raised, found.size, found.frames = one.raised, one.size, [*one.frames]
                self._begun.append(found)
            self._news.notify_all()

    def _can_show(self) -> bool:
        """False in a replay that has not given a frame yet; live, what is missing is reported."""
        return not self.bounds.every_frame or any(ring.newest for ring in self._rings.values())

    def _best(self, alert: Alert) -> FrameRing | None:
        """Give the camera that sees most of what an alert rests on, of those with a recent frame."""
        oldest = self.now() - self.bounds.stale_s
        found = [(ring, ring.newest) for ring in self._rings.values() if ring.newest and ring.newest.came >= oldest]

        def sees(one: tuple[FrameRing, FullFrame]) -> int:
            view = one[1].view
            return len({*alert.evidence} & {*(card.id for card in view.cards), *(stack.spot for stack in view.stacks)})

        return max(found, key=sees)[0] if found else None

    def _file_names(self, alert: Alert, at: str, ring: FrameRing | None) -> FileNames:
        folder = f"{store.EVIDENCE}/{at[:10]}" if at else store.EVIDENCE
        stem = f"{folder}/{store.file_stem(alert.id, ring.name if ring and len(self._rings) > 1 else '')}"
        found, number = stem, 1
        while not self.bounds.every_frame and self._is_taken(found):
            number += 1
            found = f"{stem}{store.AGAIN}{number}"
        return {what: f"{found}.{end}" for what, end in SUFFIXES.items()}

    def _is_taken(self, stem: str) -> bool:
        names = {f"{stem}.{end}" for end in SUFFIXES.values()}
        promised = (name for known in self.names.values() for name in known.values())
        return any((self.folder / name).exists() for name in names) or not names.isdisjoint(promised)

    def _admitted(self, alert: Alert, new: Sequence[AlertEvidence], at: str, table: str) -> AlertEvidence:
        """Name the files of a new alert, and decide for which of them there is time, memory and a disk."""
        ring = self._best(alert)
        frame = ring.newest if ring else None
        raised = frame.t if frame else 0.0
        names = self.names[alert.id] = self._file_names(alert, at, ring)
        if len(self.names) > KNOWN and not self.bounds.every_frame:
            self.names.popitem(last=False)
        found = AlertEvidence(
            alert, names, partial(_wall_clock, table, at, raised) if at else clock, self.now(), ring, raised=raised
        )
        reason = self.retention.refusal() if self.retention is not None else None
        if reason is None and frame is None:
            reason = f"no camera gave a frame for {self.bounds.stale_s:g} s"
        if reason is not None or frame is None:
            found.dropped[reason or ""] = [*names.values()]
            return found
        found.size = render.small_size(frame.image)[0]
        others = (*self._begun, *new)
        held = {id(one.still.image): one.still.image.nbytes for one in others if one.still}
        if sum({**held, id(frame.image): frame.image.nbytes}.values()) <= self.bounds.image_bytes:
            found.still = frame
        else:
            found.drop("still", MANY)
        found.clip = sum(one.clip for one in others) < self.bounds.clips
        if not found.clip:
            found.drop("clip", MANY)
        return found

    # ---- threads ----------------------------------------------------------------------------------------------------

    def _work(self, next_job: Callable[[], Callable[[], None] | None]) -> None:
        """Do one job after another until the recorder closes."""
        while True:
            with self._news:
                job = next_job()
                if job is None:
                    if self._closing:
                        return
                    self._news.wait(CHECK_S)
                    continue
            try:
                job()
            except Exception as error:  # noqa: BLE001  it is raised again in the thread that hands over frames
                with self._news:
                    self._error = error
                    self._news.notify_all()
                return

    def _next_to_shrink(self) -> Callable[[], None] | None:
        for ring in self._rings.values():
            if ring.waiting:
                self._shrinking = True
                return partial(self._shrink, ring, ring.waiting.popleft())
        return None

    def _shrink(self, ring: FrameRing, full: FullFrame) -> None:
        small = render.shrink(full.t, full.image, full.view)
        with self._news:
            self._shrinking = False
            ring.frames.append(small)
            while not small.t - BEFORE_S - STEP_S <= ring.frames[0].t <= small.t:
                ring.frames.popleft()
            for one in self._begun:
                if one.ring is ring:
                    one.take(small, self.bounds.after_s)
            self._news.notify_all()

    def _next_job(self) -> Callable[[], None] | None:
        """Give the next job: reports of what is complete, then stills, then clips in the order of their alerts."""
        for one in self._begun:
            if one.still is None and not one.clip and not one.jobs:
                self._begun.remove(one)
                self._news.notify_all()
                return partial(self._report, one)
        for one in self._begun:
            if one.still is not None:
                frame, one.still = one.still, None
                one.drawing_still = True
                return self._job(one, "still", partial(self._write_still, one, frame))
        for one in self._begun:
            if one.clip and (job := self._clip_job(one)) is not None:
                return self._job(one, "clip", job)
        return None

    def _clip_job(self, one: AlertEvidence) -> Callable[[], None] | None:
        index = one.next_frame(self.now(), self.bounds, ends=self._closing)
        if index is not None:
            one.drawn[index] = None
            return partial(self._draw, one, index, one.frames[index])
        if one.over and not one.is_drawing:
            one.clip = False
            return partial(self._write_clip, one)
        return None

    def _job(self, one: AlertEvidence, what: str, job: Callable[[], None]) -> Callable[[], None]:
        one.jobs += 1
        return partial(self._try, one, what, job)

    def _try(self, one: AlertEvidence, what: str, job: Callable[[], None]) -> None:
        """Do a job for a file; live, a file that cannot be made is dropped and all else goes on."""
        try:
            job()
        except (OSError, cv2.error) as error:
            if self.bounds.every_frame:
                raise
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            with self._news:
                one.drop(what, f"cannot be written: {reason.lower()}")
                one.clip = one.clip and what != "clip"
        finally:
            with self._news:
                one.jobs -= 1
                one.drawing_still = one.drawing_still and what != "still"
                self._news.notify_all()

    def _write_still(self, one: AlertEvidence, frame: FullFrame) -> None:
        self._write(one, "still", render.draw_still(one.alert, frame.t, frame.image, frame.view, one.time_text))

    def _draw(self, one: AlertEvidence, index: int, frame: render.SmallFrame) -> None:
        drawn = render.draw_clip_frame(frame, one.alert, one.raised, one.time_text)
        with self._news:
            one.drawn[index] = drawn

    def _write_clip(self, one: AlertEvidence) -> None:
        drawn = [frame for _, frame in sorted(one.drawn.items()) if frame is not None]
        if not drawn:
            raise OSError(0, "no frame came")
        self._write(one, "clip", render.encode_clip(drawn))

    def _write(self, one: AlertEvidence, what: str, data: bytes) -> None:
        try:
            file = store.store_file(self.folder, one.names[what], data)
        except OSError as error:
            if self.retention is None or error.errno not in (ENOSPC, EDQUOT):
                raise
            self.retention.make_room()
            file = store.store_file(self.folder, one.names[what], data)
        with self._news:
            one.stored.append(file)

    def _report(self, one: AlertEvidence) -> None:
        if one.stored:
            self.report(StoredFiles(one.alert.id, tuple(sorted(one.stored, key=lambda file: file.name))))
            for file in one.stored:  # not earlier: only a file that was reported may be reported as removed
                if self.retention is not None:
                    self.retention.count(file)
        for reason, names in one.dropped.items():
            self.report(dropped_files(one.alert.id, names, reason))


def _wall_clock(table: str, at: str, raised: float, t: float) -> str:
    """Write the table and when a frame was taken, in UTC; `at` is when the alert's frame was taken."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=t - raised)
    written = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-5] + " UTC"
    return f"{table}   {written}".lstrip()
