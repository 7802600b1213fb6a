"""One card or stack: its identity, its place, and the votes on its face. What becomes of it: `card_tracker.py`.

Why an association of our own: the libraries that track things follow what moves from frame to frame, and forget what is
hidden for a second. Here things rest, and hands and other cards cover them. So a thing stays where it was last seen,
whatever covers it, until its place is seen without it; only what has changed and come to rest is looked at.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Floats
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.tracking.card_look import CardLook
from feltwatch.vision.tracking.stack_picture import StackPicture

# A face is reported from this likelihood by all votes, by how tall its card is shown: small cards are misread alike in
# every look. Chosen on decks of val, with `python -m feltwatch.models evaluate votes`.
TALL_PX: Final = (40.0, 52.0, 62.0, 78.0)
TOLD: Final = (0.985, 0.97, 0.95, 0.9)
FEW: Final = 4  # looks; of fewer may all be wrong, so those must be as sure as
TOLD_BY_FEW: Final = 0.96
VOTES: Final = 2  # looks at least
APART_S: Final = 0.035  # looks that are to confirm each other
MOST: Final = 5.0  # weight of all votes together, at most
LEAST: Final = 1e-5  # no look rules a face out
CLEAR: Final = 3.0  # weight from which a look that is a little less clear changes nothing any more


@dataclass(slots=True)
class Votes:
    """What many looks say of one face, the clear ones more than the others."""

    total: Floats | None = None  # of the logarithms, each by its weight
    weight: float = 0.0
    looks: int = 0

    def add(self, faces: Floats, weight: float) -> None:
        """Count a look; one that is less clear than those before it counts for nothing once enough is known.

        A look that cannot tell counts for little beside one that can.
        """
        weight *= float(faces.max()) ** 4
        if self.weight >= CLEAR and weight < self.weight / max(self.looks, 1) / 2:
            return
        if self.total is not None and self.weight > MOST:  # what was seen long ago fades
            self.total, self.weight = self.total * (MOST / self.weight), MOST
        said = np.log(np.maximum(faces, LEAST)) * weight
        self.total = said if self.total is None else self.total + said
        self.weight += weight
        self.looks += 1

    @property
    def best(self) -> tuple[int, float]:
        """Give the likeliest class, and how likely it is: what no look agrees on with the others is noise."""
        if self.total is None:
            return 0, 0.0
        best = int(self.total.argmax())
        return best, self.of(best)

    def of(self, face: int) -> float:
        """Give how likely a class is."""
        if self.total is None:
            return 0.0
        likely = np.exp(self.total / self.weight)
        return float(likely[face] / likely.sum())


@dataclass(slots=True, eq=False)
class CardTrack:
    """A card as it is believed to lie."""

    quad: Floats
    place: tuple[float, float]
    angle: float
    patch: Patch
    up: bool
    seen_at: float  # the first time
    rested: float  # when it came to rest
    since: float = 0.0  # when its place was last seen without it
    votes: Votes = field(default_factory=Votes)
    id: str = ""  # it has one once it is reported
    zone: str | None = None
    face: str | None = None  # as it was reported
    layer: int = 0  # the higher, the later it came
    score: float = 0.0  # of the look that says where it lies
    exact: bool = False  # it is known to a hair where it lies
    laid: bool = False  # wholly on another
    was: "CardTrack | None" = None  # the card that it was before it was moved or turned
    look: CardLook | None = None  # how it looks
    paper: float = 0.0  # how light its edge is
    plain: bool = False  # its edge is plain to see
    looks: int = 0
    whole: int = 0  # looks at its face, lying whole, that agreed
    misses: int = 0  # looks at its place that showed none
    missed_at: float = 0.0
    met_at: float = 0.0  # when it was last seen
    asked_at: float = 0.0  # when it was last looked for
    known: bool = False  # how the table looks with it
    look_at: float = 0.0  # not before then is it looked at again for what has moved over it
    looked: int = 0  # so often it was, and was not seen
    unseen: int = 0  # looks for it alone that showed nothing
    others: Votes = field(default_factory=Votes)  # on another face that shows in its place since that has changed
    turns: int = 0  # looks that showed its other side
    turned: Votes = field(default_factory=Votes)
    turned_at: float = 0.0

    @property
    def is_read(self) -> bool:
        return self.tells(self.votes)

    def tells(self, votes: Votes) -> bool:
        """Tell whether votes on its face suffice."""
        tall = (np.hypot(*(self.quad[3] - self.quad[0])) + np.hypot(*(self.quad[2] - self.quad[1]))) / 2
        return votes.best[1] >= told_from(float(tall), votes.looks)

    @property
    def asked(self) -> float:
        return max(self.met_at, self.asked_at)

    def near(self, seen: "CardGlimpse | CardTrack", reach_mm: float, turn_deg: float) -> bool:
        return distance(self.place, seen.place) <= reach_mm and abs(bearing(self.angle, seen.angle)) <= turn_deg

    def missed_again(self, t: float, looks: int = VOTES) -> bool:
        """Count that it was not where it lay; one look alone may err."""
        if not self.misses:
            self.missed_at = t
        self.misses += 1
        return self.misses >= looks and t - self.missed_at >= APART_S

    def show_back(self) -> None:
        """What was read of it was another's face: it is a back until it is seen to be none."""
        self.up, self.face, self.votes, self.turns, self.whole = False, None, Votes(), 0, 0

    def settle(self, seen: CardGlimpse, patch: Patch) -> None:
        """It lies as it was seen just now."""
        self.quad, self.place, self.angle, self.patch = seen.quad, seen.place, seen.angle, patch
        self.score, self.exact = seen.score, seen.exact


def told_from(tall_px: float, looks: int) -> float:
    """Give the likelihood by so many looks from which a face is reported for a card shown so tall."""
    return max(float(np.interp(tall_px, TALL_PX, TOLD)), TOLD_BY_FEW if looks < FEW else 0.0)


@dataclass(slots=True, eq=False)
class StackTrack:
    """A stack of chips that stands."""

    center: tuple[float, float]  # pixels
    place: tuple[float, float]  # millimetres
    radius: float  # pixels
    patch: Patch
    spot: str | None
    looks: int = 0
    misses: int = 0
    seen_at: float = 0.0
    missed_at: float = 0.0
    gone_at: float = 0.0  # when it was missed first
    since: float = 0.0  # when its place was last seen as it was before it came, or before it went
    picture: StackPicture | None = None  # its top, as it was last seen whole and at rest
    same_at: float = 0.0  # when it was last known to look so
    touched: float | None = None  # the same, once something was over it and it is not known yet whether it looks so
    covered_at: float | None = None  # since when something lies about it
    compare_at: float = 0.0  # not before then is it compared with its picture again
    other: StackPicture | None = None  # another top that was seen once
    other_at: float = 0.0
    others: int = 0  # times in a row that it looked otherwise


def distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    return float(np.hypot(one[0] - other[0], one[1] - other[1]))


def bearing(one: float, other: float) -> float:
    """Give by how many degrees two lines differ, from -90 to 90."""
    return (other - one + 90) % 180 - 90
