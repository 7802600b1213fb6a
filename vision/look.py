"""What one look is made of, for those who make sense of it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.attention import Attention, Sight
from vision.glimpse import Glimpse
from vision.tracks import Patch

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """A look at what has changed and come to rest. `explained` is filled by those who know what a change means."""

    sight: Sight
    attention: Attention
    glimpse: Glimpse
    where: Mask  # what is looked at: changed, and calm
    moving: Mask
    everywhere: bool = False  # at the whole table, changed or not
    first: bool = False  # nothing is known yet

    @property
    def t(self) -> float:
        return self.sight.t

    @cached_property
    def bare(self) -> Mask:
        return self.attention.looks_bare(self.sight)

    @cached_property
    def explained(self) -> Mask:
        return np.zeros_like(self.where)

    @cached_property
    def hands(self) -> list[Patch]:
        return [Patch.of(quad, self.attention.factor, self.where.shape) for quad in self.glimpse.hands]

    def patch(self, quad: NDArray[np.float64]) -> Patch:
        return Patch.of(quad, self.attention.factor, self.where.shape)

    def under_hand(self, patch: Patch) -> bool:
        """Tell whether a hand covers some of it."""
        return any(patch.size - patch.without([hand]).size > 0.05 * patch.size for hand in self.hands)

    def understand(self, patch: Patch, *, empty: bool = False) -> None:
        """What lies within the patch and is calm is what is known of it from now on."""
        where = np.zeros_like(self.where)
        patch.onto(where)
        where &= ~self.moving
        self.attention.understood(self.sight, where)
        if empty:
            self.attention.empty(self.sight, where)
        self.sight.changed[where] = False
        self.explained[where] = True
