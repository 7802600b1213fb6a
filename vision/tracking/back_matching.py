"""Backs that lie on each other: the topmost is found by the print that all backs of a table share.

A box around a pile says little of the card on top, and only that card tells whether one was laid. So the print is
learnt from backs that lie alone, and searched for, turned and shifted, at every detected back.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Pixels
from feltwatch.vision.detection.roi_detection import CardGlimpse, Glimpse
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.match_peak import peak_at
from feltwatch.vision.tracking.track import CardTrack

ROUGH: Final = 0.8  # pixels a millimetre, as a camera over a table sees it
SHARP: Final = 1.6
LEARNT_MM: Final = (75.0, 101.0)  # of the felt with a back in its middle are kept
KEPT: Final = 6  # backs that a print is made of
PRINTS: Final = 3  # on one table
ENOUGH: Final = 2  # backs that a second print is made of before it is looked for
OFF: Final = 0.08  # of a side: the cards of a table are alike in size
REACH_MM: Final = 14.0  # from the middle of a box to that of the card on top
TURNS: Final = (-9.0, -4.5, 0.0, 4.5, 9.0)  # degrees
FINE: Final = (-2.0, -1.0, 0.0, 1.0, 2.0)
FINE_MM: Final = 2.0
HERE: Final = (-0.7, 0.0, 0.7)
HERE_MM: Final = 1.0
STAYS: Final = 0.04  # so much less like the print than elsewhere, and yet it is where it was
PEAKS: Final = 3  # places that look alike, where a print repeats itself, are looked at well
PEAK_MM: Final = 2.5
LIKE: Final = 0.6  # so much must a place look like the print
CLEAR: Final = 0.8  # the score of a back that is learnt
ALONE_MM: Final = 110.0  # from the next card
PILE_MM: Final = 18.0  # boxes nearer to a fit than this are of its pile
APART_MM: Final = 4.0  # fits nearer than this are of one card
HANDLED: Final = 0.15  # of a back may lie under a hand, and its print still shows where it lies
COVERS: Final = 0.02  # of a back may lie under another, and it still is on top


@dataclass(frozen=True, slots=True)
class BackFit:
    """Where a back lies on top of all others, and how much it looks like one."""

    place: tuple[float, float]
    angle: float
    like: float
    size: tuple[float, float]

    def corners(self) -> Floats:
        across, along = ways(self.angle)
        half = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * np.array(self.size) / 2
        found: Floats = np.array(self.place) + half[:, :1] * across + half[:, 1:] * along
        return found


@dataclass(frozen=True, slots=True)
class Range:
    """Where a print is looked for around a place: turned by these degrees, so far off, and how closely."""

    turns: tuple[float, ...]
    reach: float  # millimetres
    dots: float  # pixels a millimetre


@dataclass(frozen=True, slots=True)
class PileView:
    """What is looked at, and what is known of it: `still` tells of a quad whether nothing moves there."""

    picture: Pixels
    shift: tuple[float, float]
    still: Callable[[Floats], bool]
    known: Sequence[CardTrack]  # the cards that lie there, or came just now


@dataclass(slots=True)
class BackPrint:
    """What backs of one kind look like from above, as those that lay alone were seen."""

    crops: list[Floats32] = field(default_factory=list)
    sizes: list[tuple[float, float]] = field(default_factory=list)
    size: tuple[float, float] = (0.0, 0.0)
    faces: dict[float, tuple[Floats32, ...]] = field(default_factory=dict)  # by pixels a millimetre

    def learn(self, crop: Floats32, size: tuple[float, float]) -> None:
        """Take one more back."""
        self.crops.append(crop)
        self.sizes.append(size)
        wide, long = np.median(np.array(self.sizes), axis=0)
        self.size = float(wide), float(long)
        self.faces = {dots: self._faces(dots) for dots in (ROUGH, SHARP)}

    def _faces(self, dots: float) -> tuple[Floats32, ...]:
        """Give the print at a scale; and turned around, if it then looks otherwise."""
        wide, long = (round(side * SHARP) for side in self.size)
        mean = np.mean(self.crops, axis=0).astype(np.float32)
        middle = ((mean.shape[1] - 1) / 2, (mean.shape[0] - 1) / 2)  # it may lie between two pixels
        upright = np.asarray(cv2.getRectSubPix(mean, (wide, long), middle), np.float32)
        if dots != SHARP:
            size = (round(self.size[0] * dots), round(self.size[1] * dots))
            upright = np.asarray(cv2.resize(upright, size, interpolation=cv2.INTER_AREA), np.float32)
        turned = np.ascontiguousarray(upright[::-1, ::-1])
        alike = float(cv2.matchTemplate(upright, turned, cv2.TM_CCOEFF_NORMED)[0, 0])
        return (upright,) if alike > LIKE else (upright, turned)


class BackMatcher:
    """Knows the backs of a table by their print."""

    def __init__(self, camera: Camera, classes: Sequence[str]) -> None:
        self.camera = camera
        self.faces = np.array([float(one == "back") for one in classes])
        self.prints: list[BackPrint] = []

    def forget(self) -> None:
        self.prints = []

    def sharpened(self, glimpse: Glimpse, shot: PileView) -> Glimpse:
        """Say of a look where exactly the backs on top lie, as far as the fitter did not see that by itself."""
        backs = [one for one in (*glimpse.cards, *glimpse.piles) if one.up < 0.5]
        downs = [one for one in backs if shot.still(one.quad) and _under(one.quad, glimpse.hands) <= HANDLED]
        if not downs:
            return glimpse
        placed = [one for one in backs if one.exact]
        fits = self._tops(self._fits(shot, [one for one in downs if not _is_near(one.place, placed)]))
        for one in downs:
            if self._teaches(one, glimpse, [*fits, *placed], shot.known):
                self._learn(shot, one)
        cards = [one for one in glimpse.cards if one not in downs or not self._is_of(one, fits)]
        exact = [self._seen(fit, downs) for fit in fits]
        return replace(glimpse, cards=(*exact, *cards))

    def _fits(self, shot: PileView, downs: Sequence[CardGlimpse]) -> Iterator[BackFit]:
        """Give what fits the boxes; of those around one pile one is enough."""
        found: list[BackFit] = []
        for one in sorted(downs, key=lambda one: -one.score):
            if any(np.hypot(*np.subtract(one.place, fit.place)) <= PILE_MM for fit in found):
                continue
            fit = self._fit(shot, one)
            if fit is not None:
                found.append(fit)
                yield fit

    def _seen(self, fit: BackFit, downs: Sequence[CardGlimpse]) -> CardGlimpse:
        """Give what was found as a look's card: all but its place is that of the box nearest to it."""
        box = min(downs, key=lambda one: float(np.hypot(*np.subtract(one.place, fit.place))))
        quad = self.camera.to_picture(fit.corners())
        score = max(box.score, CLEAR)
        return CardGlimpse(quad, fit.place, fit.angle % 180, fit.size, score, 0.0, self.faces, exact=True)

    def _is_of(self, seen: CardGlimpse, fits: Sequence[BackFit | CardGlimpse]) -> bool:
        """Tell whether a box is of a back that was found better."""
        return any(float(np.hypot(*np.subtract(seen.place, fit.place))) <= APART_MM for fit in fits)

    # ---- the print --------------------------------------------------------------------------------------------------

    def _teaches(
        self, seen: CardGlimpse, glimpse: Glimpse, fits: Sequence[BackFit | CardGlimpse], cards: Sequence[CardTrack]
    ) -> bool:
        """Tell whether a back lies alone, is seen well, and is not known well enough."""
        if sum(np.hypot(*np.subtract(one.place, seen.place)) <= ALONE_MM for one in cards) != 1:
            return False  # it is not known as one card yet, or as one of several
        others = [one for one in (*glimpse.cards, *glimpse.piles) if one is not seen]
        alone = all(np.hypot(*np.subtract(one.place, seen.place)) > ALONE_MM for one in others)
        free = _under(seen.quad, glimpse.hands) <= 0
        known = any(len(one.crops) == KEPT for one in self.prints) and self._is_of(seen, fits)
        return seen in glimpse.cards and alone and free and seen.score >= CLEAR and not known

    def _learn(self, shot: PileView, seen: CardGlimpse) -> None:
        """Take a back as one more of its kind, or as the first of another."""
        start = BackFit(seen.place, seen.angle, 0.0, seen.size)
        for kind in self.prints:
            fits = self._matches(shot, start, kind, Range(FINE, FINE_MM, SHARP))
            near = max(fits, key=lambda one: one.like, default=start)
            if near.like >= LIKE:
                if len(kind.crops) < KEPT:
                    kind.learn(self._flat(shot, replace(near, size=LEARNT_MM), SHARP), seen.size)
                return
        if any(
            abs(one / other - 1) > OFF for kind in self.prints for one, other in zip(seen.size, kind.size, strict=True)
        ):
            return  # not one card, or not all of it
        kind = BackPrint()
        kind.learn(self._flat(shot, replace(start, size=LEARNT_MM), SHARP), seen.size)
        self.prints = [*self.prints[1 - PRINTS :], kind]

    # ---- looking for it ---------------------------------------------------------------------------------------------

    def _fit(self, shot: PileView, seen: CardGlimpse) -> BackFit | None:
        """Give where around a box the print shows best."""
        fits = []
        for kind in [one for one in self.prints if len(one.crops) >= ENOUGH or one is self.prints[0]]:
            start = BackFit(seen.place, seen.angle, 0.0, kind.size)
            room = max(0.0, *(np.subtract(seen.size, kind.size) / 2))
            rough = self._matches(shot, start, kind, Range(TURNS, REACH_MM + room, ROUGH))
            for peak in _apart(rough):
                fits += self._matches(shot, peak, kind, Range(FINE, FINE_MM, SHARP))
        best = max(fits, key=lambda one: one.like, default=None)
        if best is None or best.like < LIKE:
            return None
        same = self._as_before(shot, best)
        return same if same is not None and same.like >= best.like - STAYS else best

    def _as_before(self, shot: PileView, best: BackFit) -> BackFit | None:
        """Give how well the print shows where the topmost back lay: one that repeats itself shows elsewhere as well."""
        backs = [one for one in shot.known if one.exact and not one.up]
        near = [one for one in backs if np.hypot(*np.subtract(one.place, best.place)) <= PILE_MM]
        top = max(near, key=lambda one: one.layer, default=None)
        if top is None:
            return None
        start, within = BackFit(top.place, top.angle, 0.0, best.size), Range(HERE, HERE_MM, SHARP)
        kinds = [one for one in self.prints if one.size == best.size]
        fits = [fit for kind in kinds for fit in self._matches(shot, start, kind, within)]
        return max(fits, key=lambda one: one.like, default=None)

    def _matches(self, shot: PileView, start: BackFit, kind: BackPrint, within: Range) -> list[BackFit]:
        """Lay the print on the picture in all places of a range; give the two best places of each turn."""
        found = []
        for turn in within.turns:
            angle = start.angle + turn
            wide, long = (side + 2 * within.reach for side in kind.size)
            part = self._flat(shot, replace(start, angle=angle, size=(wide, long)), within.dots)
            for around, face in zip((0.0, 180.0), kind.faces[within.dots], strict=False):
                like = np.asarray(cv2.matchTemplate(part, face, cv2.TM_CCOEFF_NORMED), np.float32)
                for most, x, y in _peaks(like, round(PEAK_MM * within.dots)):
                    across, along = ways(angle)
                    room = (np.array(like.shape[::-1]) - 1) / 2
                    dx, dy = (x - room[0]) / within.dots, (y - room[1]) / within.dots
                    place = np.asarray(start.place) + dx * across + dy * along
                    found.append(BackFit((float(place[0]), float(place[1])), angle + around, most, kind.size))
        return found

    def _flat(self, shot: PileView, pose: BackFit, dots: float) -> Floats32:
        """Give a rectangle of the felt as seen straight from above."""
        corners = self.camera.to_picture(pose.corners()) - shot.shift
        wide, long = (round(side * dots) for side in pose.size)
        flat = np.array([[0, 0], [wide, 0], [wide, long], [0, long]], np.float32) - 0.5
        way = cv2.getPerspectiveTransform(flat, corners.astype(np.float32))
        found = cv2.warpPerspective(shot.picture, way, (wide, long), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        return found.astype(np.float32)

    def _tops(self, fits: Iterable[BackFit]) -> list[BackFit]:
        """Give the backs on which no other lies: of those that lie on each other, the one that looks most like one."""
        kept: list[BackFit] = []
        for fit in sorted(fits, key=lambda one: -one.like):
            if all(_overlap(fit, one) <= COVERS for one in kept):
                kept.append(fit)
        return kept


def _is_near(place: tuple[float, float], cards: Sequence[CardGlimpse]) -> bool:
    return any(float(np.hypot(*np.subtract(place, one.place))) <= PILE_MM for one in cards)


def ways(angle: float) -> tuple[Floats, Floats]:
    """Give the directions across and along a card that lies at an angle."""
    turn = np.deg2rad(angle)
    along = np.array([np.cos(turn), np.sin(turn)])
    return np.array([along[1], -along[0]]), along


def _apart(fits: Sequence[BackFit]) -> list[BackFit]:
    """Give the best few that lie in different places."""
    found: list[BackFit] = []
    for fit in sorted(fits, key=lambda one: -one.like):
        if len(found) < PEAKS and all(np.hypot(*np.subtract(fit.place, one.place)) > PEAK_MM / 2 for one in found):
            found.append(fit)
    return found


def _peaks(like: Floats32, apart: int) -> Iterator[tuple[float, float, float]]:
    """Give the two best matches: how good, and where between the pixels."""
    left = like.copy()
    for _ in range(2):
        _, most, _, (column, row) = cv2.minMaxLoc(left)
        if most <= 0:
            return
        yield float(most), *peak_at(like, column, row)
        left[max(row - apart, 0) : row + apart + 1, max(column - apart, 0) : column + apart + 1] = 0


def _overlap(one: BackFit, other: BackFit) -> float:
    """Give how much of a card lies where another does."""
    area, _ = cv2.intersectConvexConvex(_points(one.corners()), _points(other.corners()))
    return float(area) / (one.size[0] * one.size[1])


def _under(quad: Floats, hands: Sequence[Floats]) -> float:
    """Give how much of a card lies under the hand that covers most of it."""
    area = abs(cv2.contourArea(_points(quad)))
    shared = (cv2.intersectConvexConvex(_points(quad), _points(hand))[0] for hand in hands)
    return max((float(one) / max(area, 1e-6) for one in shared), default=0.0)


def _points(quad: Floats) -> Floats32:
    return quad.astype(np.float32)
