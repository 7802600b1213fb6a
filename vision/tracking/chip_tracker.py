"""The stacks of chips on the table: where they stand, and the spots on which something changed."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Floats32, Indices
from feltwatch.vision.detection.roi_detection import StackGlimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.motion.hand_attribution import KEPT_S
from feltwatch.vision.tracking.roi_context import RoiContext
from feltwatch.vision.tracking.stack_checks import StackChange, StackChecks
from feltwatch.vision.tracking.track import VOTES, StackTrack, distance

Points = tuple[Indices, Indices]  # rows, columns

SAME_MM: Final = 10.0
DOUBT_S: Final = 10.0  # a stack that something has covered for longer need not be waited for
SHADOW_MM: Final = 80.0  # a stack so near hides some of another, or shades it
IN_PART_MM: Final = 30.0  # so near a stack no other has room: beside a hand, it is what shows of the one that stands
AGREE_MM: Final = 8.0
FIRM: Final = 0.4  # a score
NEW: Final = 0.4  # of a stack's top has changed
ALTERED: Final = 0.3
STILL: Final = 0.3
BARE: Final = 12  # grey levels: felt that is seen again differs by so little, but for
NOISES: Final = 6.0  # times the noise
NEARER: Final = 0.25  # of how far a place is from how it looked with chips is how far it is from felt: they are gone
PRINT: Final = 0.35  # of what looks like a new stack is felt as it was: it is a ring printed there
SOME_PRINT: Final = 0.1  # the same where a sleeve covers half of it
WAS: Final = 0.5  # the same where a stack stood, and something changed
ALL_PRINT: Final = 0.8  # the same where it did not
CERTAIN: Final = 0.85  # a score that no ring has, and
SURE: Final = 0.95  # a score that chips of the colour of the felt have at the first look, and a ring in one of 70 cases
LITTLE_NEW: Final = 0.2  # of such a stack's top has changed at least: chips may have the colour of the felt
SLEEVE: Final = 0.66  # a score: what shows beside a hand had better be sure
FELT: Final = 25  # grey levels by which a felt differs from itself
GONE: Final = 0.5  # of a stack's place looks like felt
GONE_AT_ALL: Final = 0.15  # of it does so beyond doubt
FORGET_S: Final = 0.7
APART_S: Final = 0.03  # looks that are to confirm each other
BESIDE_MM: Final = 12.0  # a stack stands on a spot if it is no further beside it


@dataclass(frozen=True, slots=True)
class SpotChange:
    """Stacks came to a spot, one after another, or they went, or one is not as it was."""

    more: bool
    count: int  # that stand there after it
    begun: float
    at: float  # when the last one was seen to come or go
    since: float  # when the spot was last seen as it was before
    by: frozenset[str | None]  # whose hands did it, as far as that was seen
    what: frozenset[StackChange] = frozenset()  # was done to stacks that still stand there


class ChipTracker:
    """All stacks that are believed to stand on the table; `changes` are those that were not reported yet."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.spots = [area for area in layout.areas if not area.for_cards]
        self.stacks: list[StackTrack] = []
        self.coming: list[StackTrack] = []
        self.changes: dict[str | None, list[SpotChange]] = {}
        self.checks = StackChecks()

    def on(self, spot: str | None) -> list[StackTrack]:
        return [one for one in self.stacks if one.spot == spot]

    def in_doubt(self, t: float) -> bool:
        """True if something was over a stack just now, and it is not known yet whether it is as it was."""
        return any(one.touched is not None and t - one.touched < DOUBT_S for one in self.stacks)

    def forget(self) -> None:
        """Forget how the stacks looked."""
        self.checks = StackChecks()
        for stack in self.stacks:
            stack.picture, stack.compare_at = None, 0.0

    def _reshaded(self, other: StackTrack) -> None:
        """Where a stack came or went, those beside it look otherwise, and are as they were."""
        for stack in self.stacks:
            if distance(stack.place, other.place) <= SHADOW_MM:
                stack.picture, stack.compare_at = None, 0.0

    def take(self, look: RoiContext) -> None:
        """Make sense of the stacks of a look."""
        met: list[StackTrack] = []
        for seen in look.glimpse.stacks:
            patch = Patch.disc(seen.center, seen.radius_px, look.attention.factor, look.where.shape)
            if patch.share(look.moving) > STILL or self.layout.ignores(seen.place, cards=False):
                continue
            known = min(self.stacks, key=lambda one: distance(one.place, seen.place), default=None)
            if known is not None and distance(known.place, seen.place) <= SAME_MM:
                if look.under_hand(patch) or not _shows_print(patch, look):
                    met.append(known)
                    self._again(known, seen, patch, look)
            elif known is not None and distance(known.place, seen.place) <= IN_PART_MM and look.under_hand(patch):
                met.append(known)
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

    def _again(self, stack: StackTrack, seen: StackGlimpse, patch: Patch, look: RoiContext) -> None:
        stack.misses = 0
        if patch.share(look.sight.changed) <= ALTERED and not look.under_hand(patch):
            stack.seen_at = look.t
        if patch.share(look.where) > ALTERED and not look.under_hand(patch):
            stack.center, stack.place, stack.radius, stack.patch = seen.center, seen.place, seen.radius_px, patch
        if (what := self.checks.change(stack, seen, look)) is not None:
            self._changed(stack, look, what)
        look.understand(patch)

    def _came(self, seen: StackGlimpse, patch: Patch, look: RoiContext) -> None:
        if not self._is_new(seen, patch, look):
            return
        stack = next((one for one in self.coming if distance(one.place, seen.place) <= AGREE_MM), None)
        if stack is None:
            spot = self.spot_of(seen.place)
            stack = StackTrack(seen.center, seen.place, seen.radius_px, patch, spot, seen_at=look.t)
            stack.since = look.sides.since(patch)
            self.coming.append(stack)
        stack.looks += 1
        stack.missed_at = look.t
        if look.first or (stack.looks >= VOTES and look.t - stack.seen_at >= APART_S):
            self.coming.remove(stack)
            stack.center, stack.place, stack.radius, stack.patch = seen.center, seen.place, seen.radius_px, patch
            self.stacks.append(stack)
            self._changed(stack, look)
            self._reshaded(stack)
            stack.seen_at = stack.same_at = look.t
            look.understand(patch)

    def _is_new(self, seen: StackGlimpse, patch: Patch, look: RoiContext) -> bool:
        """Tell whether chips may have come where something looks like a stack."""
        if look.first:
            return seen.score >= SURE or (seen.score >= FIRM and not _printed(seen, look))
        if _uncovered(seen, patch, look):
            return False
        hand, changed = look.under_hand(patch), patch.share(look.sight.changed)
        if seen.score >= CERTAIN and not hand:
            return changed >= LITTLE_NEW
        sure, print_ = (SLEEVE, SOME_PRINT) if hand else (FIRM, PRINT)
        return changed >= NEW and seen.score >= sure and _as_empty(patch, look) <= print_

    def _missed(self, stack: StackTrack, met: list[StackTrack], look: RoiContext) -> None:
        own = stack.patch.without([one.patch for one in met])
        if own.size < 0.2 * stack.patch.size or own.share(look.moving) > STILL or look.under_hand(own):
            return
        if any(own.overlap(look.patch(card.quad)) > 0 for card in (*look.glimpse.cards, *look.glimpse.piles)):
            return  # a hand holds cards over it
        if not self._is_empty(own, look):
            return
        if not stack.misses:
            stack.gone_at, stack.since = look.t, max(look.sides.since(stack.patch), stack.seen_at)
        stack.misses += 1
        stack.missed_at = look.t  # what is missed is looked at again soon
        if stack.misses >= VOTES and look.t - stack.gone_at >= APART_S:
            self.stacks.remove(stack)
            self._changed(stack, look)
            self._reshaded(stack)
            look.understand(own, empty=True)

    def _is_empty(self, own: Patch, look: RoiContext) -> bool:
        """Tell whether nothing stands any more where a stack was not seen."""
        as_empty = _as_empty(own, look)
        if own.share(look.where) < ALTERED:
            return as_empty >= ALL_PRINT  # beyond doubt, though nothing changed just now
        if own.share(look.attention.is_bare) < GONE:
            return True  # how it looks empty is not known
        return own.share(look.bare) >= GONE and (as_empty >= GONE_AT_ALL or _nearer_felt(own, look))

    def _changed(self, stack: StackTrack, look: RoiContext, what: StackChange | None = None) -> None:
        """Remember what to report; a trend is one change, until it reverses."""
        more, count = stack in self.stacks, len(self.on(stack.spot))
        forgotten = what is not None and stack.since < look.t - KEPT_S  # who else was there by then
        hand = None if forgotten else look.sides.by_at(stack.patch, stack.since)
        done = frozenset() if what is None else frozenset([what])
        found = SpotChange(more, count, look.t, look.t, stack.since, frozenset([hand]), done)
        noted = self.changes.setdefault(stack.spot, [])
        if noted and noted[-1].more == more:
            last = noted.pop()
            since, by = min(last.since, found.since), last.by | found.by
            found = replace(found, begun=last.begun, since=since, by=by, what=done | last.what)
        noted.append(found)


def _as_empty(patch: Patch, look: RoiContext) -> float:
    """Give how much of a patch is felt just as it was when nothing lay there."""
    points = _bare_points(patch, look)
    tolerated = max(BARE, NOISES * look.attention.noise)
    same = np.count_nonzero(_apart(look, points, look.attention.felt(points)) <= tolerated)
    return float(same) / max(patch.size, 1)


def _nearer_felt(patch: Patch, look: RoiContext) -> bool:
    """Tell whether a place looks far more like felt than as it was understood: with chips."""
    known = look.attention.known
    points = _bare_points(patch, look)
    if known is None or len(points[0]) < patch.size / 2:
        return False
    felt = _apart(look, points, look.attention.felt(points)).sum()
    return bool(felt < NEARER * _apart(look, points, known[points]).sum())


def _bare_points(patch: Patch, look: RoiContext) -> Points:
    """Give rows and columns of a patch where it is known how the felt looks."""
    rows, columns = np.nonzero(patch.mask & look.attention.is_bare[patch.box])
    return rows + patch.box[0].start, columns + patch.box[1].start


def _apart(look: RoiContext, points: Points, other: Floats32) -> Floats32:
    apart = np.abs(look.sight.small[points].astype(np.float32) - other)
    return np.asarray(apart.max(axis=1, initial=0), np.float32)


def _shows_print(patch: Patch, look: RoiContext) -> bool:
    """Tell whether a stack that seems to stand as before is only what is printed under it: it was taken away."""
    if patch.share(look.sight.changed) <= ALTERED:
        return _as_empty(patch, look) > ALL_PRINT
    return _as_empty(patch, look) > WAS or _nearer_felt(patch, look)


def _uncovered(seen: StackGlimpse, patch: Patch, look: RoiContext) -> bool:
    """Tell whether a hand, taken for felt while it lay still, has gone from a ring printed there."""
    around, alike = _as_around(seen, look)
    points = _bare_points(patch, look)
    was = np.abs(look.attention.felt(points) - around * look.sight.gain).max(axis=1, initial=0) <= FELT
    return alike > PRINT and float(np.count_nonzero(was)) <= PRINT * patch.size


def _printed(seen: StackGlimpse, look: RoiContext) -> bool:
    """Tell, where nothing is known yet, whether a stack is a ring printed on the felt: much of it has its colour."""
    return _as_around(seen, look)[1] > PRINT


def _as_around(seen: StackGlimpse, look: RoiContext) -> tuple[Floats32, float]:
    """Give the colour around what may be a stack, and how much of it has that colour."""
    (x, y), radius = np.subtract(seen.center, look.sight.shift), seen.radius_px
    low = np.maximum(np.floor([x - 3 * radius, y - 3 * radius]).astype(int), 0)
    part = look.picture[low[1] : int(y + 3 * radius) + 1, low[0] : int(x + 3 * radius) + 1].astype(np.float32)
    down, across = np.mgrid[: part.shape[0], : part.shape[1]]
    away = np.hypot(across + low[0] - x, down + low[1] - y) / radius
    around = np.median(part[(away > 1.5) & (away < 3)], axis=0)
    return around, float((np.abs(part[away < 0.9] - around).max(axis=1) <= FELT).mean())
