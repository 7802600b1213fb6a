"""What a replay knows between two frames: all that it takes to go on from there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.evidence.clip import RecorderState
from feltwatch.edge.video.video_file import Place
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import View


class Step(Protocol):
    """What came of one frame."""

    @property
    def events(self) -> Sequence[Mapping[str, object]]: ...

    @property
    def verdicts(self) -> Sequence[Verdict]: ...


class Watcher(Protocol):
    def view(self) -> View: ...


class Watching(Protocol):
    """The pipeline, as far as a replay needs to know it."""

    @property
    def watcher(self) -> Watcher: ...

    def step(self, t: float, picture: Pixels, small: Pixels | None = None) -> Step: ...

    def finish(self) -> Step: ...


class Live(Protocol):
    """The watchers of a table's cameras, as one."""

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels) -> list[dict[str, object]]: ...

    def wait(self, t: float) -> list[dict[str, object]]: ...

    def tick(self, t: float) -> dict[str, object] | None: ...

    def finish(self) -> list[dict[str, object]]: ...

    def blind(self, camera: str, t: float) -> None: ...

    def view(self, camera: str) -> View: ...

    def doubts(self) -> tuple[str, ...]: ...


class Desk(Protocol):
    """Where footage is watched: the models, opened when they are first needed."""

    @property
    def models(self) -> Mapping[str, str]:
        """Give the digest of each by its name."""

    @property
    def modules(self) -> tuple[str, ...]:
        """Name the modules, beside ours, that hold the classes of a state."""

    def begin(self, table: TableFile, size: tuple[int, int]) -> Watching: ...

    def again(self, pipeline: Watching) -> None:
        """Hand the eyes in again."""


Opener = Callable[[str, int], Desk]  # of a provider and a number of threads


@dataclass(frozen=True, slots=True)
class Order:
    """One video to be replayed."""

    video: Path
    table: Path
    folder: Path
    since: float = 0.0
    annotate: bool = False
    force: bool = False
    provider: str = "cpu"
    threads: int = 2
    keep_s: float = 20.0  # of work between two checkpoints


@dataclass(slots=True)
class State:
    pipeline: Watching
    evidence: RecorderState | None = None  # as of the last checkpoint
    place: Place | None = None  # of the last frame before this was kept
    frames: int = 0
    first: float = 0.0  # time of the first
    t: float = 0.0  # and of the last
    doubts: list[tuple[float, str]] = field(default_factory=list)
    standing: tuple[str, ...] = ()  # doubts that hold now
    sizes: dict[str, int] = field(default_factory=dict)  # bytes of the files that grow
    damage: str | None = None  # how the footage ended before its end
    view: View | None = None  # the last that was remembered
    watched: bool = False  # to the end

    def doubt(self, t: float, sentences: Sequence[str]) -> None:
        """Note the doubts that are new."""
        self.doubts += [(t, one) for one in sentences if one not in self.standing]
        self.standing = tuple(sentences)


@dataclass(frozen=True, slots=True)
class Told:
    """What came of one video."""

    video: str
    folder: Path
    rounds: int
    alerts: int
    doubts: int
    speed: float | None  # times real time; none where nothing was left to do


class InterruptedReplayError(Exception):
    """Asked to stop: what was done is kept."""
