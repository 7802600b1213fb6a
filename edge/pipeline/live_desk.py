"""What watches tables live: the cameras of each as one, and none trusted whose pictures come too seldom."""

from collections.abc import Callable
from typing import Final, Protocol

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.pipeline.camera_fusion import Joined
from feltwatch.edge.replay.desk import EyesDesk
from feltwatch.edge.replay.job import Live
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.still_reader import Eyes
from feltwatch.vision.table_watcher import STILL_S

Event = dict[str, object]
SELDOM_S: Final = 0.4  # between two pictures: with three a second rounds are followed, with two they are not
STANDS_S: Final = 10.0  # so long it is said
WHOLE_S: Final = 2.0  # a look at the whole table takes its time


class Watched(Joined):
    """The watchers of a table's cameras, each begun with its first picture: that says how large they are."""

    def __init__(self, table: TableFile, eyes: Eyes) -> None:
        super().__init__(table, {}, eyes)
        self._whole: dict[str, bool] = {}  # whether the last look of a camera was at the whole table
        self._seldom: dict[str, float] = {}  # when a camera's pictures last came too seldom

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels | None = None) -> list[Event]:
        seat = self.seats.get(camera)
        if seat is None and camera in self.parts:
            self.join(camera, (picture.shape[1], picture.shape[0]))
            self.seats[camera].watcher.still_s = STILL_S
            self._whole[camera] = True
        elif seat is not None and seat.at is not None:
            longest = WHOLE_S if self._whole[camera] else SELDOM_S
            if t - seat.at > longest:
                self.blind(camera, seat.at)
                self._seldom[camera] = t
            self._whole[camera] = self._dark(seat) is not None
        return super().step(camera, t, picture, small)

    def doubts(self) -> tuple[str, ...]:
        now = self.now or 0.0
        late = [camera for camera, at in self._seldom.items() if now - at < STANDS_S]
        says = [
            f"camera {one!r}: pictures are looked at too seldom to follow a round; is the box busy?" for one in late
        ]
        return (*super().doubts(), *says)


class LiveDesk(Protocol):
    """Where tables are watched live."""

    def watching(self, table: TableFile) -> Live: ...


class EyesLiveDesk:
    """With the networks that ship, opened once for all tables."""

    def __init__(self, provider: str, threads: int) -> None:
        self.desk = EyesDesk(provider, threads)

    def watching(self, table: TableFile) -> Watched:
        return Watched(table, self.desk.eyes)


LiveOpener = Callable[[str, int], LiveDesk]  # of a provider and a number of threads
