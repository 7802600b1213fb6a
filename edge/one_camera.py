"""The watcher of a table with one camera, begun with the first picture: only that says how large they are."""

from edge.table_file import TableFile
from edge.usage import UsageError
from vision.calibration import check_view
from vision.camera import CameraError
from vision.eyes import Eyes
from vision.pictures import Picture
from vision.view import View
from vision.watcher import Watcher

Event = dict[str, object]


class OneCamera:
    def __init__(self, table: TableFile, eyes: Eyes) -> None:
        self.table, self.eyes = table, eyes
        self.watcher: Watcher | None = None

    def step(self, camera: str, t: float, picture: Picture, small: Picture) -> list[Event]:
        del camera
        if self.watcher is None:
            found = self.table.camera((picture.shape[1], picture.shape[0])).camera
            try:
                check_view(found, self.table.layout)
            except CameraError as error:
                raise UsageError(f"{self.table.path}: {error}") from error
            self.watcher = Watcher(found, self.table.layout, self.eyes)
        return self.watcher.step(t, picture, small)

    def wait(self, t: float) -> list[Event]:
        del t
        return []

    def tick(self, t: float) -> Event:
        return {"t": t, "event": "tick"} if self.watcher is None else self.watcher.tick(t)

    def finish(self) -> list[Event]:
        return [] if self.watcher is None else self.watcher.finish()

    def view(self, camera: str = "") -> View:
        del camera
        return View() if self.watcher is None else self.watcher.view()

    def doubts(self) -> tuple[str, ...]:
        return self.view().doubts
