"""What is told of chips: every spot on which something changed, once it has settled there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from vision.sides import Sides
from vision.stacks import Stacks
from vision.telling import Event

SETTLED_S: Final = 0.16  # chips are told when nothing has happened on their spot for so long


@dataclass(frozen=True, slots=True)
class Standing:
    """What was told of a spot."""

    stacks: int


class Bets:
    """Turns what is known of stacks into table events, and holds what had better wait."""

    def __init__(self) -> None:
        self.spots: dict[str | None, Standing] = {}

    def told(self, t: float, stacks: Stacks, sides: Sides) -> Iterator[Event]:
        """Tell of every spot on which something changed, once it has settled."""
        for spot, when in [*stacks.touched.items()]:
            if t - when < SETTLED_S or any(one.spot == spot for one in stacks.coming):
                continue
            del stacks.touched[spot]
            count = len(stacks.on(spot))
            if count == 0 and self.spots.get(spot, Standing(0)).stacks == 0:
                continue
            self.spots[spot] = Standing(count)
            by = sides.by(spot, when) if spot else None
            event: Event = {"t": t, "event": "chips", "spot": spot or "outside", "amount": None if count else 0}
            if count:
                event["stacks"] = [{"top": None, "count": None}] * count
            yield event | ({"by": by} if by else {})
