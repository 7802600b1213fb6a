"""What is known of an alert while its evidence is on its way: which pictures it takes, and which of them are due."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final

from feltwatch.edge.evidence.recorder import BEFORE_S, STEP_S, Drawn, Past, When
from feltwatch.edge.evidence.store import KeptFile
from feltwatch.engine.model.verdicts import Alert
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import View

BEHIND: Final = 4  # frames of a camera that wait to be made small; the oldest gives way
STRIDES: Final = (8, 4, 2, 1)  # in which the pictures of a clip are drawn


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much time and memory evidence may take."""

    after_s: float = 1.5  # of a clip, after its alert
    thin_s: float = 2.0  # after an alert only every fourth picture of its clip is still due,
    bare_s: float = 2.3  # then every eighth,
    last_s: float = 2.6  # and then none, if there is any
    clips: int = 16  # that are open at once
    picture_bytes: int = 100_000_000  # of frames whose stills are not drawn yet
    stale_s: float = 5.0  # a camera that gave no frame for longer shows nothing of an alert


@dataclass(frozen=True, slots=True)
class Seen:
    """A frame as the watching saw it, and when it was handed over."""

    t: float
    picture: Pixels
    view: View
    came: float


@dataclass(slots=True)
class Camera:
    name: str
    newest: Seen | None = None
    remembered: float = -inf  # time of the last frame that was taken to be remembered
    waiting: deque[Seen] = field(default_factory=lambda: deque(maxlen=BEHIND))
    ring: deque[Past] = field(default_factory=deque)


@dataclass(slots=True)
class Case:
    """An alert whose evidence is on its way."""

    alert: Alert
    names: Mapping[str, str]  # "still" and "clip", to the names of the files
    when: When
    begun: float
    camera: Camera | None = None
    seen: Seen | None = None  # its frame; none once somebody draws the still
    clip: bool = False  # is still to be written, and nobody does
    doing: int = 0  # things that are being done for it
    raised: float = 0.0  # time of the frame
    over: bool = False  # nothing more comes to the clip
    size: tuple[int, int] = (0, 0)  # of its pictures: those of another camera mode do not fit in
    moments: list[Past] = field(default_factory=list)
    drawn: dict[int, Drawn | None] = field(default_factory=dict)  # none: somebody draws it
    kept: list[KeptFile] = field(default_factory=list)
    gone: dict[str, list[str]] = field(default_factory=dict)  # why -> names

    def drop(self, what: str, why: str) -> None:
        if not any(self.names[what] in names for names in self.gone.values()):
            self.gone.setdefault(why, []).append(self.names[what])

    def take(self, past: Past, after_s: float) -> None:
        fits = -BEFORE_S - STEP_S <= past.t - self.raised <= after_s
        if self.clip and not self.over and fits and past.size == self.size:
            self.moments.append(past)

    def next(self, now: float, bounds: Bounds, *, ends: bool) -> int | None:
        """Give the picture to be drawn next, if any is due: few of all of the clip come first, then those between."""
        late = now - self.begun
        self.over = self.over or ends or late >= bounds.after_s or self._later(bounds.after_s)
        finest = 1
        if self.over:
            if late > bounds.last_s and any(self.drawn.values()):
                return None
            finest = 8 if ends or late > bounds.bare_s else 4 if late > bounds.thin_s else 1
        at = sum(past.t < self.raised for past in self.moments)  # the alert's own is among the few
        for stride in (one for one in STRIDES if one >= finest):
            for number in range(at % stride, len(self.moments), stride):
                if number not in self.drawn:
                    return number
        return None

    def _later(self, after_s: float) -> bool:
        """Tell whether the camera has given frames from after the clip."""
        return bool(self.camera and self.camera.ring and self.camera.ring[-1].t > self.raised + after_s)

    @property
    def drawing(self) -> bool:
        return None in self.drawn.values()
