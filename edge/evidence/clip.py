"""The evidence of one alert while it is being made: which frames its clip takes, and which of them to draw next."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final

from feltwatch.edge.evidence.render import ClipFrame, SmallFrame, TimeText
from feltwatch.edge.evidence.store import StoredFile
from feltwatch.engine.model.verdicts import Alert
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import TableView

RECORDED: Final = frozenset({"void", "stop", "correct"})  # severities with recorded evidence
BEFORE_S: Final = 4.0  # of a clip, before its alert
STEP_S: Final = 0.1  # between frames of a clip
QUEUE: Final = 4  # frames of a camera that wait to be made small
STRIDES: Final = (8, 4, 2, 1)  # in which the frames of a clip are drawn

FileNames = Mapping[str, str]  # of "still" and "clip"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much time and memory evidence may take."""

    after_s: float = 1.5  # of a clip, after its alert; also the wall-clock time after which it waits for no frame
    thin_s: float = 2.0  # wall-clock time after an alert from which only every fourth frame of its clip is drawn,
    bare_s: float = 2.3  # then every eighth,
    last_s: float = 2.6  # and then no more, if there are any
    clips: float = 16  # that are open at once
    image_bytes: float = 100_000_000  # of full frames that wait to become stills
    stale_s: float = 5.0  # a camera without a frame for longer is not used for an alert
    end_s: float = 10.0  # for what is still to be written when the recorder closes
    every_frame: bool = False  # draw all frames and wait where the drawing is behind; an error stops the work


LIVE: Final = Bounds()
REPLAY: Final = Bounds(
    after_s=3.0, thin_s=inf, bare_s=inf, last_s=inf, clips=inf, image_bytes=inf, stale_s=inf, every_frame=True
)


@dataclass(frozen=True, slots=True)
class FullFrame:
    """A frame as it was analysed, and when it was handed over."""

    t: float
    image: Pixels
    view: TableView
    came: float


@dataclass(slots=True)
class FrameRing:
    """The last seconds of one camera, made small."""

    name: str
    newest: FullFrame | None = None
    taken: float = -inf  # time of the last frame that was taken for the ring
    waiting: deque[FullFrame] = field(default_factory=deque)  # to be made small
    frames: deque[SmallFrame] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class OpenClip:
    """A clip that is not written yet, as a checkpoint stores it."""

    alert: Alert
    names: FileNames
    camera: str
    raised: float
    size: tuple[int, int]
    frames: tuple[SmallFrame, ...]


@dataclass(frozen=True, slots=True)
class RecorderState:
    """What a checkpoint stores of a recorder."""

    names: Mapping[str, FileNames]
    newest: Mapping[str, FullFrame]
    rings: Mapping[str, tuple[SmallFrame, ...]]
    clips: tuple[OpenClip, ...]


@dataclass(slots=True)
class AlertEvidence:
    """The still and clip of one alert on their way to the disk."""

    alert: Alert
    names: FileNames  # of "still" and "clip": the files' names within the folder
    time_text: TimeText
    begun: float  # on the wall clock
    ring: FrameRing | None = None
    still: FullFrame | None = None  # the frame of a still that no thread has begun to draw
    drawing_still: bool = False  # a thread draws and writes the still now
    clip: bool = False  # is still to be written, and no thread writes it
    jobs: int = 0  # that threads are doing for it now
    raised: float = 0.0  # time of the alert's frame
    over: bool = False  # no more frames come to the clip
    size: tuple[int, int] = (0, 0)  # of its frames: those of another camera mode do not fit
    frames: list[SmallFrame] = field(default_factory=list)
    drawn: dict[int, ClipFrame | None] = field(default_factory=dict)  # by index; None: a thread draws it now
    stored: list[StoredFile] = field(default_factory=list)
    dropped: dict[str, list[str]] = field(default_factory=dict)  # reason -> names

    def drop(self, what: str, reason: str) -> None:
        """Give up one file, unless it was given up before."""
        if not any(self.names[what] in names for names in self.dropped.values()):
            self.dropped.setdefault(reason, []).append(self.names[what])

    def take(self, frame: SmallFrame, after_s: float) -> None:
        """Add a frame to the clip, if it belongs there."""
        fits = -BEFORE_S - STEP_S <= frame.t - self.raised <= after_s
        if self.clip and not self.over and fits and frame.size == self.size:
            self.frames.append(frame)

    def next_frame(self, now: float, bounds: Bounds, *, ends: bool) -> int | None:
        """Give the index of the frame to draw next: a few of the whole clip come first, then those between.

        None where no frame is due.
        """
        late = 0.0 if bounds.every_frame else now - self.begun
        self.over = self.over or ends or late >= bounds.after_s or self.is_past(bounds.after_s)
        finest = 1
        if self.over:
            if late > bounds.last_s and any(self.drawn.values()):
                return None
            hurry = ends and not bounds.every_frame
            finest = 8 if hurry or late > bounds.bare_s else 4 if late > bounds.thin_s else 1
        at = sum(frame.t < self.raised for frame in self.frames)  # the alert's own frame is among the first drawn
        for stride in (one for one in STRIDES if one >= finest):
            for index in range(at % stride, len(self.frames), stride):
                if index not in self.drawn:
                    return index
        return None

    def is_past(self, after_s: float) -> bool:
        """True once the camera has given a frame from after the clip."""
        return bool(self.ring and self.ring.frames and self.ring.frames[-1].t > self.raised + after_s)

    @property
    def is_drawing(self) -> bool:
        return None in self.drawn.values()

    def open_clip(self) -> OpenClip | None:
        """Give what a checkpoint stores of a clip that is not on disk yet."""
        if self.ring is None or any(file.name == self.names["clip"] for file in self.stored):
            return None
        return OpenClip(self.alert, self.names, self.ring.name, self.raised, self.size, tuple(self.frames))
