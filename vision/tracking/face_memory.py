"""Faces that were read while their cards were on their way: where a card rests, the next may cover it at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from feltwatch.vision.detection.reader_classes import SURE, ReaderClasses
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.tracking.track import VOTES, CardTrack, Votes, distance

KEPT_S: Final = 2.0
NEAR_MM: Final = 250.0  # of where a card came to rest it was on its way there
LIES_MM: Final = 60.0  # so near a card that lies, a face is that card's


@dataclass(frozen=True, slots=True)
class FaceRead:
    t: float
    seen: CardGlimpse


class FaceMemory:
    """Remembers for a moment what was read for certain of cards in motion."""

    def __init__(self, faces: ReaderClasses) -> None:
        self.faces = faces
        self.read: list[FaceRead] = []

    def forget(self, t: float) -> None:
        self.read = [one for one in self.read if t - one.t <= KEPT_S]

    def keep(self, t: float, seen: CardGlimpse) -> None:
        if self.faces.reads(seen):
            self.read.append(FaceRead(t, seen))

    def recall(self, votes: Votes, seen: CardGlimpse, cards: Sequence[CardTrack]) -> None:
        """Count what was read on a card's way to where it is seen, if what it shows now is the same face."""
        best, likely = votes.best
        if likely >= SURE or not self.faces.is_face(best):
            return
        lie = [one.place for one in cards if one.up and one.votes.best[0] == best]
        came = [
            one.seen
            for one in self.read
            if int(one.seen.faces.argmax()) == best
            and distance(one.seen.place, seen.place) <= NEAR_MM
            and all(distance(one.seen.place, place) > LIES_MM for place in lie)
        ]
        if len(came) >= VOTES:
            for one in came[-VOTES:]:
                votes.add(one.faces, 1.0)
