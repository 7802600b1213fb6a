"""The fitter: from rough quads to the cards that lie there, exactly, and what of each card shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import ArrayLike

from feltwatch.models.shipped.registry import Model
from feltwatch.vision.arrays import Floats, Pixels
from feltwatch.vision.detection.detector import Detection
from feltwatch.vision.detection.runtime import THREADS, RunModel, open_model
from feltwatch.vision.geometry.card_plane import UNIT, from_unit
from feltwatch.vision.geometry.rectify import rectify

SIZE: Final = (96, 128)  # width, height of a crop
MARGIN: Final = 0.25  # of the card's sides, shown all round it
STEP: Final = 0.1  # of the card's sides: how far a corner is off where the network says 1
FLATNESS: Final = 63 / 88  # of a card: its width in heights
CORNERS: Final = 4
NUMBERS: Final = 2 * CORNERS + CORNERS + 5  # offsets, spreads; lies there, face up, two indices, visible part
GRID: Final = (12, 16)  # cells of a crop, across and down: whether each shows the card
GRID_POINTS: Final = (
    np.stack(np.meshgrid(*((np.arange(count) + 0.5) / count for count in GRID)), axis=-1).reshape(-1, 2)
    * (1 + 2 * MARGIN)
    - MARGIN
)  # middles of the cells, in sides of the card
OUTPUTS: Final = NUMBERS + GRID[0] * GRID[1]
BATCH = 32
FAINT = 0.15  # a candidate on which a card is less likely than this after the first pass is given up
LIKELY = 0.5  # the least of what is a card in the end
LOOSE = 0.05  # a quad whose corners may be further off, in heights, is dropped
# Of the pixels that one or the other of two fits takes for its card, both take so many: they are of one card. After the
# first pass that is not so sure yet.
NEAR, SAME = 0.8, 0.4


class Claim:
    """The pixels that show a card: how likely each cell of a grid does that lies over the crop round a quad."""

    def __init__(self, quad: Floats, shows: Floats) -> None:
        self.points = from_unit(quad, GRID_POINTS)
        self.into_crop = cv2.getPerspectiveTransform(quad.astype(np.float32), UNIT.astype(np.float32))
        self.shows = np.pad(shows.reshape(GRID[::-1]), 1)  # round the crop it shows nothing
        self.cells, self.size = shows, float(shows @ shows)
        self.low, self.high = self.points.min(axis=0), self.points.max(axis=0)

    def shared(self, other: "Claim") -> float:
        """Give which part of the pixels that one or the other takes both take."""
        if (self.high < other.low).any() or (other.high < self.low).any():
            return 0.0
        ours, theirs = self.part(other), other.part(self)
        return ours * theirs / max(ours + theirs - ours * theirs, 1e-9)

    def part(self, other: "Claim") -> float:
        """Give which part of its pixels another takes too."""
        return float(self.cells @ other.at(self.points)) / max(self.size, 1e-6)

    def at(self, points: Floats) -> Floats:
        """Give how likely the card shows at points of the picture."""
        x, y, w = self.into_crop[:, :2] @ points.T + self.into_crop[:, 2:]
        across, down = (
            np.clip(np.floor((value / w + MARGIN) / (1 + 2 * MARGIN) * count), -1, count).astype(int) + 1
            for value, count in ((x, GRID[0]), (y, GRID[1]))
        )
        return np.asarray(self.shows[down, across])


@dataclass(frozen=True, slots=True)
class CardFit:
    """Where one card lies, from the candidate's first corner on; its numbers are probabilities and shares."""

    quad: Floats  # 4 x 2, pixels
    spreads: Floats  # by how much each corner may be off, in heights of the card
    exists: float  # that a card lies there
    up: float
    indices: tuple[float, float]  # that the index at its top left shows, and that at its bottom right
    visible: float  # part of it that shows
    claim: "Claim | None" = None  # which pixels show it

    @property
    def spread(self) -> float:
        return float(self.spreads.mean())


@dataclass(frozen=True, slots=True)
class FittedCard:
    """A card as it was fitted, and what the detector said of the candidate that it came from."""

    found: Detection
    fit: CardFit

    @property
    def detection(self) -> Detection:
        """Give it as the detector would have it, had it seen it exactly; both networks decide how sure it is."""
        up = (self.fit.up + self.found.up) / 2
        score = float(np.sqrt(self.fit.exists * self.found.score))
        return replace(self.found, kind="card_up" if up >= 0.5 else "card_down", quad=self.fit.quad, score=score, up=up)


class Fitter:
    def __init__(self, model: Model, provider: str = "cpu", threads: int = THREADS) -> None:
        self.run: RunModel = open_model(model, provider, threads)

    def fit(self, picture: Pixels, quads: ArrayLike) -> list[CardFit]:
        """CardFit a card to each of some quads (N x 4 x 2)."""
        places = np.asarray(quads, np.float64).reshape(-1, CORNERS, 2)
        found: list[CardFit] = []
        for start in range(0, len(places), BATCH):
            some = places[start : start + BATCH]
            said = self.run(np.stack([crop(picture, place) for place in some])).astype(np.float64)
            found += [fit_of(place, row) for place, row in zip(some, said, strict=True)]
        return found

    def settle(self, picture: Pixels, candidates: Sequence[Detection]) -> list[FittedCard]:
        """Find the cards that some candidates are about: fit twice, put together what has become one, drop the rest."""
        first = self._fitted(picture, candidates, [one.quad for one in candidates])
        some = _distinct([one for one in first if one.fit.exists >= FAINT], NEAR)
        again = self._fitted(picture, [one.found for one in some], [one.fit.quad for one in some])
        sure = [one for one in again if one.fit.exists >= LIKELY and one.fit.spread <= LOOSE]
        return _distinct(sure, SAME)

    def _fitted(self, picture: Pixels, found: Sequence[Detection], quads: Sequence[Floats]) -> list[FittedCard]:
        fits = self.fit(picture, np.array(quads).reshape(-1, CORNERS, 2))
        return [FittedCard(one, fit) for one, fit in zip(found, fits, strict=True) if _is_card(fit.quad)]


def _is_card(quad: Floats) -> bool:
    """Tell whether four corners are those of a thing that can be seen: convex, clockwise, not flat."""
    sides = np.roll(quad, -1, axis=0) - quad
    turns = sides[:, 0] * np.roll(sides[:, 1], -1) - sides[:, 1] * np.roll(sides[:, 0], -1)
    return bool((turns > 1.0).all())


def _distinct(cards: Sequence[FittedCard], shared: float) -> list[FittedCard]:
    """Keep of fits to the same pixels the surest: the least spread for how likely it is. A pixel shows one card."""
    order = sorted(cards, key=lambda one: one.fit.spread / max(one.fit.exists, 1e-3))
    kept: list[tuple[FittedCard, Claim]] = []
    for one in order:
        claim = one.fit.claim
        assert claim is not None  # noqa: S101  `fit` gives it
        if all(claim.shared(other) <= shared for _, other in kept):
            kept.append((one, claim))
    return [one for one, _ in kept]


def apart(one: Floats, other: Floats) -> float:
    """Give the mean distance of corners; a card looks the same turned by half."""
    return min(float(np.hypot(*(one - turned).T).mean()) for turned in (other, np.roll(other, 2, axis=0)))


def crop(picture: Pixels, quad: Floats) -> Pixels:
    return rectify(picture, quad, MARGIN, SIZE)


def fit_of(quad: Floats, said: Floats) -> CardFit:
    """Give what the network says of the crop round a quad."""
    offsets, spreads = said[: 2 * CORNERS].reshape(CORNERS, 2), said[2 * CORNERS : 3 * CORNERS]
    chances = 1 / (1 + np.exp(-np.clip(said[3 * CORNERS :], -30, 30)))
    exists, up, top, bottom, visible = chances[:5]
    corners = from_unit(quad, UNIT + STEP * offsets)
    return CardFit(
        corners,
        np.exp(spreads) * STEP,
        float(exists),
        float(up),
        (float(top), float(bottom)),
        float(visible),
        Claim(quad, chances[5:]),
    )
