"""Chip events: every spot on which stacks came or went, once it has settled."""

from collections.abc import Iterator
from typing import Final

from feltwatch.engine.model.events import Chips
from feltwatch.engine.model.money import ZERO
from feltwatch.engine.model.spots import parse_spot
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.tracking.chip_tracker import ChipTracker, SpotChange
from feltwatch.vision.tracking.stack_checks import StackChange

SETTLED_S: Final = 0.12  # chips are reported when nothing has happened on their spot for so long
TAKEN_S: Final = 2.0  # those of several that went by a Player's hand: a gesture over them hides some for a moment
BUSY: Final = 0.3  # of a stack cannot be seen: it may be on its way as well
BUSY_S: Final = 0.8  # so long one waits for that
COMING_S: Final = 0.2  # what seemed to come or go is looked at again so soon, if it does
PLAYER: Final = frozenset({"player"})
EARLIER_S: Final = 0.12  # hands come over a part of the chips before they hide the rest


class ChipEvents:
    """Turns what is known of stacks into table events, and holds what had better wait."""

    def __init__(self) -> None:
        self.spots: dict[str | None, int] = {}  # the stacks that were reported

    def reports(self, t: float, stacks: ChipTracker, sides: HandAttribution) -> Iterator[Chips]:
        """Report every spot on which something changed, once it has settled."""
        for spot, changes in [*stacks.changes.items()]:
            while len(changes) > 1:
                change, following = changes.pop(0), changes[0]
                back = change.by == PLAYER and not change.more and following.count == self.spots.get(spot, 0)
                if _settled(change, following.begun) and not back:  # chips were put down, and taken up at once
                    yield from self._event(t, spot, change)
            (last,) = changes
            if not _settled(last, t) or (t - last.at < BUSY_S and self._busy(t, spot, stacks, sides)):
                continue
            del stacks.changes[spot]
            yield from self._event(t, spot, last)

    def _busy(self, t: float, spot: str | None, stacks: ChipTracker, sides: HandAttribution) -> bool:
        """True if something else on a spot is about to change: where one stack goes, hidden ones may go too."""
        standing = stacks.on(spot)
        coming = any(one.spot == spot and t - one.missed_at < COMING_S for one in stacks.coming)
        if coming or any(one.misses and t - one.missed_at < COMING_S for one in standing):
            return True
        fewer = len(standing) < self.spots.get(spot, 0)
        return fewer and any(sides.hidden(one.patch, t) > BUSY for one in standing)

    def _event(self, t: float, spot: str | None, change: SpotChange) -> Iterator[Chips]:
        same = change.count == self.spots.get(spot, 0)
        if same and not change.what:
            return
        self.spots[spot] = change.count
        where = None if spot in (None, "outside") else parse_spot(spot)
        by = (next(iter(change.by)) or None) if len(change.by) == 1 else None
        since = round(max(change.since - EARLIER_S, 0.0), 3)
        amount = None if change.count else ZERO
        yield Chips(
            t,
            where,
            amount,
            by,
            stacks=change.count or None,
            since=since,
            changed=same and StackChange.ALTERED in change.what,
        )


def _settled(change: SpotChange, t: float) -> bool:
    """True if a change has lasted so long that it is one."""
    hidden = change.by == PLAYER and not change.more and change.count  # an emptied spot was emptied
    return t - change.at >= (TAKEN_S if hidden else SETTLED_S)
