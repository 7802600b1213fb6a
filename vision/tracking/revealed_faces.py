"""Faces of hands of four that were seen while the cards were turned: where one lies, the next covers it at once.

A deck has one card of each face. So a face that was read over a hand, and that no card bears whose face is known, is of
one of its cards whose face is not known yet. A strip of it says little in one look, but it is looked at often.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Floats
from feltwatch.vision.detection.reader_classes import SURE, ReaderClasses
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.tracking.four_card_hands import NO_FOURS, FourCardHands, box
from feltwatch.vision.tracking.track import VOTES, CardTrack

QUIET_S: Final = 1.2  # after the last of it was read, what lies under others stays there
FAINT: Final = 6  # looks at a strip, at least
LIKELY: Final = 0.9  # by all of them together
DEALER: Final = "dealer"


@dataclass(frozen=True, slots=True)
class RevealedRead:
    """What one look says of a card over a hand."""

    t: float
    zone: str
    best: int
    faces: Floats


class RevealedFaces:
    def __init__(self, layout: Layout, faces: ReaderClasses) -> None:
        self.layout, self.faces = layout, faces
        self.reads: list[RevealedRead] = []

    def forget(self) -> None:
        self.reads.clear()

    def keep(self, t: float, cards: Sequence[CardGlimpse], fours: FourCardHands = NO_FOURS) -> None:
        """Take what a look has read over hands that are shown, whether or not it lies still; backs look like faces."""
        for seen in cards:
            zone, best = self.layout.zone_at(seen.place), int(seen.faces.argmax())
            if zone is not None and seen.up > 1 - seen.up and self.faces.is_face(best) and not fours.closes(zone):
                self.reads.append(RevealedRead(t, zone, best, seen.faces))

    def hides(self, zone: str, cards: Sequence[CardTrack]) -> bool:
        """Tell whether a hand is being shown: the dealer's, or any once he has shown a card of his."""
        own = [card for card in cards if card.id and box(card.zone) == box(zone)]
        return any(card.face is None for card in own) and (box(zone) == DEALER or revealed(cards))

    def under(self, t: float, cards: Sequence[CardTrack]) -> Iterator[tuple[CardTrack, int]]:
        """Give the cards under others whose faces are known, each with its face."""
        hidden = [card for card in cards if card.id and card.face is None]
        if not (hidden and revealed(cards)):
            return
        known = {card.votes.best[0] for card in cards if card.id and card.face is not None}
        reads = [read for read in self.reads if read.best not in known]
        for hand in sorted({box(card.zone) for card in hidden}):
            own = [read for read in reads if box(read.zone) == hand]
            if not own or t - max(read.t for read in own) < QUIET_S:
                continue
            for face, zone in self._read(own, known):
                mine = [card for card in hidden if box(card.zone) == hand]
                if mine and face not in known:
                    known.add(face)
                    card = min(mine, key=lambda one: (one.zone != zone, not one.up, one.layer))
                    hidden.remove(card)
                    yield card, face

    def _read(self, reads: Sequence[RevealedRead], known: set[int]) -> Iterator[tuple[int, str]]:
        """Give the faces that were read for certain, and those that many looks at one strip agree on."""
        certain: dict[int, list[RevealedRead]] = {}
        for read in reads:
            if read.faces[read.best] >= SURE:
                certain.setdefault(read.best, []).append(read)
        certain = {face: those for face, those in certain.items() if len(those) >= VOTES}
        for face, those in certain.items():
            yield face, those[-1].zone
        settled = {those[-1].zone for those in certain.values()}
        for zone in sorted({read.zone for read in reads} - settled):
            strip = np.mean([read.faces for read in reads if read.zone == zone], axis=0)
            strip[[*known, *certain]] = 0
            best = int(strip.argmax())
            looks = sum(read.zone == zone for read in reads)
            if looks >= FAINT and self.faces.is_face(best) and strip[best] >= LIKELY * strip.sum():
                yield best, zone


def revealed(cards: Sequence[CardTrack]) -> bool:
    """Tell whether the dealer shows his hand."""
    return any(card.id and card.up and box(card.zone) == DEALER for card in cards)
