"""Backs that lie on each other: the topmost is found by the print that all backs of a table share.

A box around a pile says little of the card on top, and only that card tells whether one was laid. So the print is
learnt from backs that lie alone, and looked for, turned and shifted, wherever the detector sees backs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera
from vision.glimpse import CardGlimpse, Glimpse

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Crop = NDArray[np.float32]

DOTS: Final = 0.8  # pixels a millimetre, as a camera over a table sees it
ROOM_MM: Final = 6.0  # around a back that is learnt
KEPT: Final = 6  # backs that a print is made of
PRINTS: Final = 3  # on one table
REACH_MM: Final = 14.0  # from the middle of a box to that of the card on top
TURNS: Final = (-12.0, -9.0, -6.0, -3.0, 0.0, 3.0, 6.0, 9.0, 12.0)  # degrees
FINE: Final = (-2.0, -1.0, 0.0, 1.0, 2.0)
FINE_MM: Final = 3.0
LIKE: Final = 0.6  # so much must a place look like the print
CLEAR: Final = 0.9  # the score of a back that is learnt
ALONE_MM: Final = 110.0  # from the next card
APART_MM: Final = 4.0  # fits nearer than this are of one card
COVERS: Final = 0.02  # of a back may lie under another, and it still is on top


@dataclass(frozen=True, slots=True)
class Fit:
    """Where a back lies on top of all others, and how much it looks like one."""

    place: tuple[float, float]
    angle: float
    like: float
    size: tuple[float, float]

    def corners(self) -> Floats:
        across, along = ways(self.angle)
        half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(self.size) / 2
        return np.asarray(self.place) + half[:, :1] * across + half[:, 1:] * along


@dataclass(slots=True)
class Print:
    """What backs of one kind look like from above, as those that lay alone were seen."""

    crops: list[Crop] = field(default_factory=list)
    sizes: list[tuple[float, float]] = field(default_factory=list)

    @property
    def size(self) -> tuple[float, float]:
        wide, long = np.median(np.array(self.sizes), axis=0)
        return float(wide), float(long)

    def faces(self) -> tuple[Crop, ...]:
        """Give the print; and turned around, if it then looks otherwise."""
        wide, long = (round(side * DOTS) for side in self.size)
        mean = np.mean(self.crops, axis=0).astype(np.float32)
        top, left = (mean.shape[0] - long) // 2, (mean.shape[1] - wide) // 2
        upright = np.ascontiguousarray(mean[top : top + long, left : left + wide])
        turned = np.ascontiguousarray(upright[::-1, ::-1])
        alike = float(cv2.matchTemplate(upright, turned, cv2.TM_CCOEFF_NORMED)[0, 0])
        return (upright,) if alike > LIKE else (upright, turned)


class Backs:
    """Knows the backs of a table by their print."""

    def __init__(self, camera: Camera, classes: Sequence[str]) -> None:
        self.camera = camera
        self.faces = np.array([float(one == "back") for one in classes])
        self.prints: list[Print] = []

    def sharpened(
        self, glimpse: Glimpse, picture: Picture, shift: tuple[float, float], still: Callable[[Floats], bool]
    ) -> Glimpse:
        """Say of a look where exactly the backs on top lie; `still` tells of a quad whether nothing moves there."""
        downs = [one for one in (*glimpse.cards, *glimpse.piles) if one.up < 0.5 and still(one.quad)]
        if not downs:
            return glimpse
        fits = self._tops([fit for one in downs if (fit := self._fit(picture, shift, one)) is not None])
        for one in downs:
            if self._teaches(one, glimpse, fits):
                self._learn(picture, shift, one)
        cards = [one for one in glimpse.cards if one not in downs or not self._is_of(one, fits)]
        exact = [self._seen(fit, downs) for fit in fits]
        return replace(glimpse, cards=(*exact, *cards))

    def _seen(self, fit: Fit, downs: Sequence[CardGlimpse]) -> CardGlimpse:
        """Give what was found as a look's card: all but its place is that of the box nearest to it."""
        box = min(downs, key=lambda one: float(np.hypot(*np.subtract(one.place, fit.place))))
        quad = self.camera.to_picture(fit.corners())
        where = {"quad": quad, "place": fit.place, "angle": fit.angle % 180, "size": fit.size}
        return replace(box, **where, score=max(box.score, CLEAR), up=0.0, faces=self.faces, exact=True)

    def _is_of(self, seen: CardGlimpse, fits: Sequence[Fit]) -> bool:
        """Tell whether a box is of a back that was found better."""
        return any(float(np.hypot(*np.subtract(seen.place, fit.place))) <= APART_MM for fit in fits)

    # ---- the print --------------------------------------------------------------------------------------------------

    def _teaches(self, seen: CardGlimpse, glimpse: Glimpse, fits: Sequence[Fit]) -> bool:
        """Tell whether a back lies alone, is seen well, and is not known well enough."""
        others = [one for one in (*glimpse.cards, *glimpse.piles) if one is not seen]
        alone = all(np.hypot(*np.subtract(one.place, seen.place)) > ALONE_MM for one in others) and not glimpse.hands
        known = any(len(one.crops) == KEPT for one in self.prints) and self._is_of(seen, fits)
        return seen in glimpse.cards and alone and seen.score >= CLEAR and not known

    def _learn(self, picture: Picture, shift: tuple[float, float], seen: CardGlimpse) -> None:
        """Take a back as one more of its kind, or as the first of another."""
        wide, long = seen.size
        for kind in self.prints:
            near = self._match(picture, shift, seen, kind, (TURNS, FINE_MM))
            if near is not None and near.like >= LIKE:
                if len(kind.crops) < KEPT:
                    kind.crops.append(self._flat(picture, shift, (near.place, near.angle), _whole((63.0, 89.0))))
                    kind.sizes.append(seen.size)
                return
        crop = self._flat(picture, shift, (seen.place, seen.angle), _whole((63.0, 89.0)))
        self.prints = [*self.prints[1 - PRINTS :], Print([crop], [(wide, long)])]

    # ---- looking for it ---------------------------------------------------------------------------------------------

    def _fit(self, picture: Picture, shift: tuple[float, float], seen: CardGlimpse) -> Fit | None:
        """Give where around a box the print shows best."""
        fits = []
        for kind in self.prints:
            room = max(0.0, *(np.subtract(seen.size, kind.size) / 2))
            rough = self._match(picture, shift, seen, kind, (TURNS, REACH_MM + room))
            if rough is not None:
                near = replace(seen, place=rough.place, angle=rough.angle)
                fits.append(self._match(picture, shift, near, kind, (FINE, FINE_MM)))
        found = [one for one in fits if one is not None and one.like >= LIKE]
        return max(found, key=lambda one: one.like, default=None)

    def _match(
        self,
        picture: Picture,
        shift: tuple[float, float],
        seen: CardGlimpse,
        kind: Print,
        within: tuple[tuple[float, ...], float],
    ) -> Fit | None:
        """Lay the print on the picture in all places and turns of a range."""
        turns, reach = within
        wide, long = kind.size
        best: Fit | None = None
        for turn in turns:
            angle = seen.angle + turn
            part = self._flat(picture, shift, (seen.place, angle), (wide + 2 * reach, long + 2 * reach))
            for face in kind.faces():
                like = cv2.matchTemplate(part, face, cv2.TM_CCOEFF_NORMED)
                _, most, _, (column, row) = cv2.minMaxLoc(like)
                if best is None or most > best.like:
                    x, y = _peak(like, column, row)
                    across, along = ways(angle)
                    room = (np.array(like.shape[::-1]) - 1) / 2
                    dx, dy = (x - room[0]) / DOTS, (y - room[1]) / DOTS
                    place = np.asarray(seen.place) + dx * across + dy * along
                    best = Fit((float(place[0]), float(place[1])), angle, float(most), kind.size)
        return best

    def _flat(
        self,
        picture: Picture,
        shift: tuple[float, float],
        pose: tuple[tuple[float, float], float],
        size: tuple[float, float],
    ) -> Crop:
        """Give a rectangle of the felt as seen straight from above."""
        corners = self.camera.to_picture(Fit(*pose, 0.0, size).corners()) - shift
        wide, long = (round(side * DOTS) for side in size)
        flat = np.array([[0, 0], [wide, 0], [wide, long], [0, long]], np.float32) - 0.5
        way = cv2.getPerspectiveTransform(flat, (corners).astype(np.float32))
        found = cv2.warpPerspective(picture, way, (wide, long), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        return found.astype(np.float32)

    def _tops(self, fits: Sequence[Fit]) -> list[Fit]:
        """Give the backs on which no other lies: of those that lie on each other, the one that looks most like one."""
        kept: list[Fit] = []
        for fit in sorted(fits, key=lambda one: -one.like):
            if all(_overlap(fit, one) <= COVERS for one in kept):
                kept.append(fit)
        return kept


def ways(angle: float) -> tuple[Floats, Floats]:
    """Give the directions across and along a card that lies at an angle."""
    turn = np.deg2rad(angle)
    along = np.array([np.cos(turn), np.sin(turn)])
    return np.array([along[1], -along[0]]), along


def _whole(size: tuple[float, float]) -> tuple[float, float]:
    return size[0] + 2 * ROOM_MM, size[1] + 2 * ROOM_MM


def _peak(like: NDArray[np.float32], column: int, row: int) -> tuple[float, float]:
    """Give where between the pixels the match is best."""

    def between(low: float, middle: float, high: float) -> float:
        curve = low - 2 * middle + high
        return float(np.clip((low - high) / (2 * curve), -0.5, 0.5)) if curve < 0 else 0.0

    x, y = float(column), float(row)
    if 0 < column < like.shape[1] - 1:
        x += between(*(float(one) for one in like[row, column - 1 : column + 2]))
    if 0 < row < like.shape[0] - 1:
        y += between(*(float(one) for one in like[row - 1 : row + 2, column]))
    return x, y


def _overlap(one: Fit, other: Fit) -> float:
    """Give how much of a card lies where another does."""
    area, _ = cv2.intersectConvexConvex(one.corners().astype(np.float32), other.corners().astype(np.float32))
    return float(area) / (one.size[0] * one.size[1])
