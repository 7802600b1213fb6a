"""What a replay knows between two frames: all that it takes to go on from there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from feltwatch.edge.evidence.clip import RecorderState
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.video.video_file import FramePlace
from feltwatch.vision.drawing.view import TableView


@dataclass(frozen=True, slots=True)
class ReplayOrder:
    """One recording to be replayed: a video, or one for each camera of the table."""

    video: Path  # of the first camera
    table: Path
    folder: Path
    since: float = 0.0
    annotate: bool = False
    force: bool = False
    provider: str = "cpu"
    threads: int = 2
    keep_s: float = 20.0  # of work between two checkpoints
    others: tuple[Path, ...] = ()  # the videos of the other cameras, in the order of the table's file

    @property
    def videos(self) -> tuple[Path, ...]:
        return (self.video, *self.others)


@dataclass(slots=True)
class ReplayState:
    pipeline: TablePipeline
    evidence: RecorderState | None = None  # as of the last checkpoint
    places: dict[str, FramePlace] = field(default_factory=dict)  # by camera: of its last frame before this was kept
    frames: int = 0
    first: float = 0.0  # time of the first
    t: float = 0.0  # and of the last
    last: dict[str, float] = field(default_factory=dict)  # by camera: time of its last frame
    doubts: list[tuple[float, str]] = field(default_factory=list)
    standing: tuple[str, ...] = ()  # doubts that hold now
    sizes: dict[str, int] = field(default_factory=dict)  # bytes of the files that grow
    damage: str | None = None  # how the footage ended before its end
    view: TableView | None = None  # the last that was remembered
    watched: bool = False  # to the end

    def doubt(self, t: float, sentences: Sequence[str]) -> None:
        """Note the doubts that are new."""
        self.doubts += [(t, one) for one in sentences if one not in self.standing]
        self.standing = tuple(sentences)


@dataclass(frozen=True, slots=True)
class VideoResult:
    """What came of one video."""

    video: str
    folder: Path
    rounds: int
    alerts: int
    doubts: int
    speed: float | None  # times real time; none where nothing was left to do


class InterruptedReplayError(Exception):
    """Asked to stop: what was done is kept."""
