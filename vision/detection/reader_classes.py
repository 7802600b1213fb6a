"""What a look at one card says of its side and its face."""

from collections.abc import Sequence
from typing import Final

from feltwatch.vision.detection.roi_detection import CardGlimpse

SURE: Final = 0.94  # a face this likely is read for certain in one look
VAGUE: Final = 0.5


class ReaderClasses:
    """Knows which of the reader's classes are faces."""

    def __init__(self, classes: Sequence[str]) -> None:
        self._back, self._none = classes.index("back"), classes.index("none")

    def is_face(self, read: int) -> bool:
        return read not in (self._back, self._none)

    def none(self, seen: CardGlimpse) -> bool:
        """True if the reader takes it for no card at all, and surer so than the detector takes it for one."""
        return float(seen.faces[self._none]) > max(0.5, seen.score)

    def up(self, seen: CardGlimpse) -> bool:
        """Put together what both networks say of the side that shows."""
        back, none = float(seen.faces[self._back]), float(seen.faces[self._none])
        return seen.up * max(1 - back - none, 0.02) >= (1 - seen.up) * max(back, 0.02)

    def reads(self, seen: CardGlimpse) -> bool:
        """True if a look reads a face for certain."""
        best = int(seen.faces.argmax())
        return self.is_face(best) and float(seen.faces[best]) >= SURE

    def vague(self, seen: CardGlimpse) -> bool:
        """True if the reader hardly takes it for a back: what lies there is one only because no face is read."""
        return float(seen.faces[self._back]) < VAGUE

    def likeliest(self, seen: CardGlimpse) -> float:
        """Give how likely the likeliest face is."""
        return max(float(likely) for read, likely in enumerate(seen.faces) if self.is_face(read))
