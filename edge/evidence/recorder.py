"""What is kept of an alert: a still of its moment and a clip around it, with what was seen drawn in."""

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.webm import Shot, webm
from feltwatch.edge.wording import clock, cure
from feltwatch.engine.model.verdicts import Alert, Verdict
from feltwatch.models.files import make_folder, write_whole
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.annotate import Colour
from feltwatch.vision.drawing.overlay import captioned, close_up, noted, overlay, scaled
from feltwatch.vision.drawing.view import View

KEPT = frozenset({"void", "stop", "correct"})  # severities of which evidence is kept
BEFORE_S, AFTER_S = 4.0, 3.0
STEP_S = 0.1  # between pictures of a clip
CLIP_HEIGHT = 540
RING_QUALITY, CLIP_QUALITY, STILL_QUALITY = 88, 32, 92
AT_ONCE = 4  # clips that wait to be drawn; where there are more, the watching waits for the first
CAPTION_LINES = 4
BEHIND = 3  # frames that wait to be recorded

COLOURS: Mapping[str, Colour] = {"void": (60, 20, 170), "stop": (40, 40, 220), "correct": (20, 140, 240)}
NOT_YET: Colour = (120, 120, 120)  # in a clip, before the alert


When = Callable[[float], str]  # writes the time of a frame for people


@dataclass(frozen=True, slots=True)
class Past:
    """One moment, small, with what was believed of it."""

    t: float
    jpeg: bytes
    scale: float  # of the small picture to the frame
    size: tuple[int, int]  # of the small picture
    view: View


@dataclass(slots=True)
class _Clip:
    """A clip on its way."""

    alert: Alert
    raised: float
    moments: list[Past]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A moment as a clip shows it."""

    shot: Shot
    size: tuple[int, int]


class Recorder:
    """Writes `evidence/` into a folder while footage is watched.

    Clips are drawn in a thread of their own, so that an alert never stops the watching. It can be pickled: a clip that
    is not written then is drawn anew.
    """

    def __init__(self, folder: Path, fps: float) -> None:
        self.folder = folder
        self.fps = fps
        self.kept: dict[str, dict[str, str]] = {}  # alert id -> {"still": .., "clip": ..}, paths within the folder
        self._ring: deque[Past] = deque()
        self._open: list[_Clip] = []
        self._last: tuple[float, Pixels, View] | None = None
        self._hand()

    def _hand(self) -> None:
        self._pen = ThreadPoolExecutor(1, "clips")
        self._drawn: dict[str, list[Future[Drawn]]] = {}  # alert id -> the moments of its clip

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_pen", "_drawn")}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._hand()

    def frame(
        self,
        t: float,
        picture: Pixels,
        view: View,
        events: Sequence[Mapping[str, object]],
        verdicts: Sequence[Verdict],
    ) -> None:
        """Take every frame, with what came of it."""
        del events  # what they say is in the view
        self._remember(t, picture, view)
        self._last = (t, picture, view)
        self._raise(verdicts, t, picture, view)
        for clip in self._open:
            self._draw(clip)
        whole = [one for one in self._open if t > one.raised + AFTER_S]
        for n, clip in enumerate(whole):
            if len(whole) - n > AT_ONCE or all(one.done() for one in self._drawn[clip.alert.id]):
                self._write_clip(clip)

    def finish(self, verdicts: Sequence[Verdict] = ()) -> None:
        """Write the clips that are still open when the footage ends, and what its end gave rise to."""
        if self._last is not None:
            self._raise(verdicts, *self._last)
        for clip in [*self._open]:
            self._draw(clip)
            self._write_clip(clip)

    def close(self) -> None:
        """Draw no more."""
        self._pen.shutdown(wait=False, cancel_futures=True)

    def _remember(self, t: float, picture: Pixels, view: View) -> None:
        if self._ring and t < self._ring[-1].t + STEP_S - 0.6 / max(self.fps, 1.0):
            return
        past = past_of(t, picture, view)
        self._ring.append(past)
        while self._ring[0].t < t - BEFORE_S - STEP_S:
            self._ring.popleft()
        for clip in self._open:
            if t <= clip.raised + AFTER_S:
                clip.moments.append(past)

    def _raise(self, verdicts: Sequence[Verdict], t: float, picture: Pixels, view: View) -> None:
        for alert in verdicts:
            if isinstance(alert, Alert) and alert.severity in KEPT and alert.id not in self.kept:
                name = file_name(alert.id)
                self.kept[alert.id] = {"still": f"evidence/{name}.jpg", "clip": f"evidence/{name}.webm"}
                _write(self.folder / "evidence" / f"{name}.jpg", still_of(alert, t, picture, view))
                self._open.append(_Clip(alert, t, [*self._ring]))

    def _draw(self, clip: _Clip) -> None:
        """Have drawn what has come to a clip."""
        drawn = self._drawn.setdefault(clip.alert.id, [])
        drawn += [self._pen.submit(draw_moment, past, clip.alert, clip.raised) for past in clip.moments[len(drawn) :]]

    def _write_clip(self, clip: _Clip) -> None:
        self._open.remove(clip)
        film = film_of([one.result() for one in self._drawn.pop(clip.alert.id)])
        _write(self.folder / self.kept[clip.alert.id]["clip"], film)


class Recording:
    """Has a recorder take frames in a thread of its own, never more than a few behind the watching."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._hand = ThreadPoolExecutor(1, "evidence")
        self._behind: deque[Future[None]] = deque()

    def frame(
        self,
        t: float,
        picture: Pixels,
        view: View,
        events: Sequence[Mapping[str, object]],
        verdicts: Sequence[Verdict],
    ) -> None:
        self._wait(BEHIND)
        self._behind.append(self._hand.submit(self._recorder.frame, t, picture, view, events, verdicts))

    def settle(self) -> None:
        """Wait until all is taken: from then on the recorder's state is whole."""
        self._wait(1)

    def _wait(self, fewer: int) -> None:
        while len(self._behind) >= fewer:
            self._behind.popleft().result()

    def close(self) -> None:
        """Let go of what is not taken yet; after `settle` and the recorder's end that is nothing."""
        self._hand.shutdown(cancel_futures=True)
        self._recorder.close()


def draw(picture: Pixels, view: View, t: float, notes: Sequence[str] = ()) -> Pixels:
    """Draw on a copy what is believed to lie there, the time, and a few lines: a frame of the annotated video."""
    return noted(overlay(picture, view), clock(t), (*view.doubts, *notes))


def file_name(alert: str) -> str:
    """Give a name for an alert's files; an id holds letters, figures, dots and strokes, whatever it is made of.

    >>> file_name("r2-dealer-overdraw-c18"), file_name("r1-late-bet-box3.main/standing1")
    ('r2-dealer-overdraw-c18', 'r1-late-bet-box3.main_standing1')
    """
    return re.sub(r"[^A-Za-z0-9._-]", "_", alert).lstrip(".")[:150] or "_"


def _even(length: float) -> int:
    return max(2, round(length / 2) * 2)


def small_size(picture: Pixels) -> tuple[tuple[int, int], float]:
    """Give how large a frame is remembered, and by how much smaller that is."""
    scale = min(1.0, CLIP_HEIGHT / picture.shape[0])
    return (_even(picture.shape[1] * scale), _even(picture.shape[0] * scale)), scale


def past_of(t: float, picture: Pixels, view: View) -> Past:
    """Make a moment small enough to be remembered for a while."""
    size, scale = small_size(picture)
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, RING_QUALITY])[1].tobytes()
    return Past(t, jpeg, scale, size, view)


def still_of(alert: Alert, t: float, picture: Pixels, view: View, when: When = clock) -> bytes:
    """Give the still of an alert as a JPEG."""
    sheet = captioned(
        overlay(picture, view, alert.evidence),
        _head(alert, when(t)),
        [alert.says, cure(alert.remedy)],
        COLOURS[alert.severity],
        inset=close_up(picture, view, alert.evidence),
    )
    return cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, STILL_QUALITY])[1].tobytes()


def draw_moment(past: Past, alert: Alert, raised: float, when: When = clock) -> Drawn:
    """Give a moment of a clip as it is shown."""
    small = np.asarray(cv2.imdecode(np.frombuffer(past.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    sheet = overlay(small, scaled(past.view, past.scale), alert.evidence, every_face=False)
    colour = COLOURS[alert.severity] if past.t >= raised else NOT_YET
    sheet = captioned(sheet, _head(alert, when(past.t)), [alert.says], colour, room=CAPTION_LINES)
    picture = cv2.imencode(".webp", sheet, [cv2.IMWRITE_WEBP_QUALITY, CLIP_QUALITY])[1].tobytes()
    return Drawn(Shot(past.t, picture), (sheet.shape[1], sheet.shape[0]))


def film_of(moments: Sequence[Drawn]) -> bytes:
    """Give the clip of moments in the order of their time."""
    return webm([one.shot for one in moments], moments[-1].size)


def _head(alert: Alert, when: str) -> str:
    return f"{when}   {alert.severity.upper()}   {alert.code}   {alert.book} {alert.clause}"


def _write(path: Path, data: bytes) -> None:
    try:
        make_folder(path.parent)
        write_whole(path, data)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from error
