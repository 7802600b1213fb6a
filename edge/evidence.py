"""What is kept of an alert: a still of its moment and a clip around it, with what was seen drawn in."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.verdicts import Verdict
from vision.pictures import Picture
from vision.view import View


class Recorder:
    """Writes `evidence/` into a folder while footage is watched. Holds state only, so that a replay can resume."""

    def __init__(self, folder: Path, fps: float) -> None:
        self.folder = folder
        self.fps = fps
        self.kept: dict[str, dict[str, str]] = {}  # alert id -> {"still": .., "clip": ..}, paths within the folder

    def frame(
        self,
        t: float,
        picture: Picture,
        view: View,
        events: Sequence[Mapping[str, object]],
        verdicts: Sequence[Verdict],
    ) -> None:
        """Take every frame, with what came of it."""

    def finish(self) -> None:
        """Write the clips that are still open when the footage ends."""


def draw(picture: Picture, view: View, t: float, notes: Sequence[str] = ()) -> Picture:
    """Draw on a copy what is believed to lie there, the time, and a few lines: a frame of the annotated video."""
    del view, t, notes
    return picture.copy()
