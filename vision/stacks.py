"""The stacks of chips on the table: where they stand, and the spots on which something changed."""

from typing import Final

import numpy as np

from vision.glimpse import StackGlimpse
from vision.layout import Layout
from vision.look import Look
from vision.lying import OFF_TABLE
from vision.tracks import VOTES, Patch, Stack, distance

SAME_MM: Final = 10.0
AGREE_MM: Final = 8.0
FIRM: Final = 0.4  # a score
NEW: Final = 0.4  # of a stack's top has changed
ALTERED: Final = 0.3
STILL: Final = 0.3
GONE: Final = 0.5
FORGET_S: Final = 0.7
APART_S: Final = 0.05
BESIDE_MM: Final = 12.0  # a stack stands on a spot if it is no further beside it


class Stacks:
    """All stacks that are believed to stand on the table; `touched` are the spots that changed."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.spots = [area for area in layout.areas if not area.for_cards]
        self.stacks: list[Stack] = []
        self.coming: list[Stack] = []
        self.touched: dict[str | None, float] = {}  # and when

    def on(self, spot: str | None) -> list[Stack]:
        return [one for one in self.stacks if one.spot == spot]

    def take(self, look: Look) -> None:
        """Make sense of the stacks of a look."""
        met: list[Stack] = []
        for seen in look.glimpse.stacks:
            patch = Patch.disc(seen.center, seen.radius_px, look.attention.factor, look.where.shape)
            if patch.share(look.moving) > STILL or self.layout.zone_at(seen.place) in OFF_TABLE:
                continue
            known = min(self.stacks, key=lambda one: distance(one.place, seen.place), default=None)
            if known is not None and distance(known.place, seen.place) <= SAME_MM:
                met.append(known)
                self._again(known, seen, patch, look)
            else:
                self._came(seen, patch, look)
        for stack in [one for one in self.stacks if one not in met]:
            self._missed(stack, met, look)
        self.coming = [one for one in self.coming if look.t - one.missed_at < FORGET_S]

    def spot_of(self, place: tuple[float, float]) -> str | None:
        """Give the spot on which a stack stands, or beside which it stands so near that it must be meant."""
        inside = self.layout.spot_at(place)
        if inside is not None:
            return inside
        near = [(area.away(place), area.name) for area in self.spots]
        apart, name = min(near, default=(np.inf, ""))
        return name if apart <= BESIDE_MM else None

    def _again(self, stack: Stack, seen: StackGlimpse, patch: Patch, look: Look) -> None:
        stack.misses = 0
        if patch.share(look.where) > ALTERED and not look.under_hand(patch):
            self.touched[stack.spot] = look.t
            stack.center, stack.place, stack.radius, stack.patch = seen.center, seen.place, seen.radius_px, patch
        look.understand(patch)

    def _came(self, seen: StackGlimpse, patch: Patch, look: Look) -> None:
        if not (look.first or look.everywhere) and patch.share(look.sight.changed) < NEW:
            return
        if seen.score < FIRM:
            return
        stack = next((one for one in self.coming if distance(one.place, seen.place) <= AGREE_MM), None)
        if stack is None:
            spot = self.spot_of(seen.place)
            stack = Stack(seen.center, seen.place, seen.radius_px, patch, spot, seen_at=look.t)
            self.coming.append(stack)
        stack.looks += 1
        stack.missed_at = look.t
        if look.first or (stack.looks >= VOTES and look.t - stack.seen_at >= APART_S):
            self.coming.remove(stack)
            stack.center, stack.place, stack.radius, stack.patch = seen.center, seen.place, seen.radius_px, patch
            self.stacks.append(stack)
            self.touched[stack.spot] = look.t
            look.understand(patch)

    def _missed(self, stack: Stack, met: list[Stack], look: Look) -> None:
        own = stack.patch.without([one.patch for one in met])
        if own.size < 0.2 * stack.patch.size or own.share(look.where) < ALTERED or own.share(look.moving) > STILL:
            return
        if look.under_hand(own) or own.share(look.bare) < GONE:
            return
        if not stack.misses:
            stack.missed_at = look.t
        stack.misses += 1
        if stack.misses >= VOTES and look.t - stack.missed_at >= APART_S:
            self.stacks.remove(stack)
            self.touched[stack.spot] = look.t
            look.understand(own, empty=True)
