"""Evidence while a table is watched: every alert has its still and its clip on disk within seconds, or is told why not.

The watching hands frames over and goes on: one thread makes them small and remembers the last seconds of each camera,
others draw and write. Where there is more to draw than time, a clip has fewer pictures; where there is more than
memory should hold, files are dropped, and that is told.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from errno import EDQUOT, ENOSPC
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, Protocol

import cv2

from feltwatch.edge.evidence.live_case import Bounds, Camera, Case, Seen
from feltwatch.edge.evidence.recorder import (
    BEFORE_S,
    KEPT,
    STEP_S,
    Past,
    draw_moment,
    film_of,
    past_of,
    small_size,
    still_of,
)
from feltwatch.edge.evidence.store import AGAIN, EVIDENCE, Kept, KeptFile, dropped, keep, stem_of
from feltwatch.engine.model.verdicts import Alert
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import View

SLACK_S: Final = 0.02  # by which a frame may come too early to be remembered, and is
LOOK_S: Final = 0.1  # between two looks at the clock
KNOWN: Final = 10_000  # alerts whose promise is remembered
PENS: Final = 2  # threads that draw and write
END_S: Final = 10.0  # for what is still to be written when all ends
USUAL: Final = Bounds()
SUFFIXES: Final = {"still": "jpg", "clip": "webm"}
MANY: Final = "too many alerts came at once"
ENDED: Final = "feltwatch was stopped"


class Room(Protocol):
    """The disk that pictures go to."""

    def refusal(self) -> str | None:
        """Say why no pictures are recorded now, if none are."""

    def make_room(self) -> None:
        """Remove what may be removed: there was no room for a picture."""

    def wrote(self, file: KeptFile) -> None: ...


class Boundless:
    """A disk without end."""

    def refusal(self) -> str | None:
        return None

    def make_room(self) -> None: ...

    def wrote(self, file: KeptFile) -> None: ...


class LiveRecorder:
    """Keeps the evidence of one table, seen by one or several cameras; `told` hears what came of each alert's files.

    For each frame `frame`; for each alert `promise`, which names its files; and `begin` when it is journalled.
    """

    def __init__(
        self,
        folder: Path,
        told: Callable[[Kept], None],
        cameras: Sequence[str] = ("",),
        room: Room | None = None,
        bounds: Bounds = USUAL,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.folder, self.told, self.bounds, self.now = folder, told, bounds, now
        self.table = ""  # as pictures name it
        self.room: Room = room or Boundless()
        self._cameras = {name: Camera(name) for name in cameras}
        self._promised: OrderedDict[str, Mapping[str, str]] = OrderedDict()
        self._next: list[Case] = []  # promised, not begun
        self._cases: list[Case] = []
        self._closing = self._remembering = False
        self._fault: Exception | None = None  # ours: it is raised where frames come from
        self._news = threading.Condition()
        self._threads = [
            threading.Thread(target=self._work, args=(job,), name=name, daemon=True)
            for name, job in (("ring", self._to_remember), *((f"pen-{n}", self._to_do) for n in range(PENS)))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def waiting(self) -> int:
        """Give how many alerts have evidence on its way."""
        with self._news:
            return len(self._cases)

    @property
    def behind(self) -> bool:
        """Tell whether frames wait to be remembered."""
        with self._news:
            return self._remembering or any(eye.waiting for eye in self._cameras.values())

    def frame(self, camera: str, t: float, picture: Pixels, view: View) -> None:
        """Take a frame that was looked at, before what is concluded from it; returns at once."""
        with self._news:
            if self._fault is not None:
                raise self._fault
            eye = self._cameras[camera]
            eye.newest = Seen(t, picture, view, self.now())
            if not eye.remembered <= t < eye.remembered + STEP_S - SLACK_S:
                eye.remembered = t
                eye.waiting.append(eye.newest)
                self._news.notify_all()

    def promise(self, alert: Alert, at: str) -> Mapping[str, str] | None:
        """Give the names that an alert's still and clip will have, if any are kept; `at` is when its frame was taken.

        An alert said again keeps its first evidence.
        """
        if alert.severity not in KEPT:
            return None
        with self._news:
            if alert.id in self._promised:
                return self._promised[alert.id]
            eye = self._best(alert)
            raised = eye.newest.t if eye and eye.newest else 0.0
            case = Case(alert, self._names(alert, at, eye), partial(_wall, self.table, at, raised), self.now(), eye)
            self._promised[alert.id] = case.names
            if len(self._promised) > KNOWN:
                self._promised.popitem(last=False)
            self._admit(case)
            self._next.append(case)
        return case.names

    def begin(self) -> None:
        """Make what was promised; what came of it is told after this and never before."""
        with self._news:
            for case in self._next:
                if case.camera is not None:
                    for past in case.camera.ring:
                        case.take(past, self.bounds.after_s)
            self._cases += self._next
            self._next = []
            self._news.notify_all()

    def close(self) -> None:
        """Write what is open with what has come, and end."""
        self.begin()
        with self._news:
            self._closing = True
            self._news.notify_all()
        for thread in self._threads:
            thread.join(END_S)
        for case in self._cases:  # the disk takes longer than anybody waits
            for what in {*case.names} - {"still" if file.name == case.names["still"] else "clip" for file in case.kept}:
                case.drop(what, ENDED)
            self._tell(case)

    def _best(self, alert: Alert) -> Camera | None:
        """Give the camera that sees most of what an alert rests on, of those that see anything now."""
        fresh = self.now() - self.bounds.stale_s
        found = [(eye, eye.newest) for eye in self._cameras.values() if eye.newest and eye.newest.came >= fresh]

        def sees(one: tuple[Camera, Seen]) -> int:
            view = one[1].view
            return len({*alert.evidence} & {*(card.id for card in view.cards), *(stack.spot for stack in view.stacks)})

        return max(found, key=sees)[0] if found else None

    def _names(self, alert: Alert, at: str, eye: Camera | None) -> Mapping[str, str]:
        stem = f"{EVIDENCE}/{at[:10]}/{stem_of(alert.id, eye.name if eye and len(self._cameras) > 1 else '')}"
        taken = {name for case in (*self._cases, *self._next) for name in case.names.values()}
        found, number = stem, 1
        while any(f"{found}.{end}" in taken or (self.folder / f"{found}.{end}").exists() for end in SUFFIXES.values()):
            number += 1
            found = f"{stem}{AGAIN}{number}"
        return {what: f"{found}.{end}" for what, end in SUFFIXES.items()}

    def _admit(self, case: Case) -> None:
        """Decide what of a case there is time and memory for."""
        seen = case.camera.newest if case.camera else None
        why = self.room.refusal()
        if why is None and seen is None:
            why = f"no camera gave a picture for {self.bounds.stale_s:g} s"
        if why is not None or seen is None:
            case.gone[why or ""] = [*case.names.values()]
            return
        case.raised, case.size = seen.t, small_size(seen.picture)[0]
        cases = (*self._cases, *self._next)
        held = {id(one.seen.picture): one.seen.picture.nbytes for one in cases if one.seen}
        if sum({**held, id(seen.picture): seen.picture.nbytes}.values()) <= self.bounds.picture_bytes:
            case.seen = seen
        else:
            case.drop("still", MANY)
        case.clip = sum(one.clip for one in cases) < self.bounds.clips
        if not case.clip:
            case.drop("clip", MANY)

    def _work(self, find: Callable[[], Callable[[], None] | None]) -> None:
        """Do one thing after another until all ends."""
        while True:
            with self._news:
                job = find()
                if job is None:
                    if self._closing:
                        return
                    self._news.wait(LOOK_S)
                    continue
            try:
                job()
            except Exception as error:  # noqa: BLE001  as above
                self._fault = error
                return

    def _to_remember(self) -> Callable[[], None] | None:
        for eye in self._cameras.values():
            if eye.waiting:
                self._remembering = True
                return partial(self._remember, eye, eye.waiting.popleft())
        return None

    def _remember(self, eye: Camera, seen: Seen) -> None:
        past = past_of(seen.t, seen.picture, seen.view)
        with self._news:
            self._remembering = False
            eye.ring.append(past)
            while not past.t - BEFORE_S - STEP_S <= eye.ring[0].t <= past.t:
                eye.ring.popleft()
            for case in self._cases:
                if case.camera is eye:
                    case.take(past, self.bounds.after_s)
            self._news.notify_all()

    def _to_do(self) -> Callable[[], None] | None:
        """Give what is to be done next: what is done is told, then stills, then clips in the order of their alerts."""
        for case in self._cases:
            if case.seen is None and not case.clip and not case.doing:
                self._cases.remove(case)
                return partial(self._tell, case)
        for case in self._cases:
            if case.seen is not None:
                seen, case.seen = case.seen, None
                return self._for(case, "still", partial(self._still, case, seen))
        for case in self._cases:
            if case.clip and (job := self._of_clip(case)) is not None:
                return self._for(case, "clip", job)
        return None

    def _of_clip(self, case: Case) -> Callable[[], None] | None:
        number = case.next(self.now(), self.bounds, ends=self._closing)
        if number is not None:
            case.drawn[number] = None
            return partial(self._draw, case, number, case.moments[number])
        if case.over and not case.drawing:
            case.clip = False
            return partial(self._clip, case)
        return None

    def _for(self, case: Case, what: str, job: Callable[[], None]) -> Callable[[], None]:
        case.doing += 1
        return partial(self._try, case, what, job)

    def _try(self, case: Case, what: str, job: Callable[[], None]) -> None:
        """Do something for a file; if that cannot be, the file is dropped and all else goes on."""
        try:
            job()
        except (OSError, cv2.error) as error:
            says = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            with self._news:
                case.drop(what, f"cannot be written: {says.lower()}")
                case.clip = case.clip and what != "clip"
        finally:
            with self._news:
                case.doing -= 1
                self._news.notify_all()

    def _still(self, case: Case, seen: Seen) -> None:
        self._keep(case, "still", still_of(case.alert, seen.t, seen.picture, seen.view, case.when))

    def _draw(self, case: Case, number: int, past: Past) -> None:
        drawn = draw_moment(past, case.alert, case.raised, case.when)
        with self._news:
            case.drawn[number] = drawn

    def _clip(self, case: Case) -> None:
        drawn = [one for _, one in sorted(case.drawn.items()) if one is not None]
        if not drawn:
            raise OSError(0, "no picture came")
        self._keep(case, "clip", film_of(drawn))

    def _keep(self, case: Case, what: str, data: bytes) -> None:
        try:
            file = keep(self.folder, case.names[what], data)
        except OSError as error:
            if error.errno not in (ENOSPC, EDQUOT):
                raise
            self.room.make_room()
            file = keep(self.folder, case.names[what], data)
        with self._news:
            case.kept.append(file)

    def _tell(self, case: Case) -> None:
        if case.kept:
            self.told(Kept(case.alert.id, tuple(sorted(case.kept, key=lambda file: file.name))))
            for file in case.kept:  # not before: what is removed was told to be there
                self.room.wrote(file)
        for why, names in case.gone.items():
            self.told(dropped(case.alert.id, names, why))


def _wall(table: str, at: str, raised: float, t: float) -> str:
    """Write where and when a frame was taken, as the clock on the wall had it; that of an alert is known."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=t - raised)
    written = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-5] + " UTC"
    return f"{table}   {written}".lstrip()
