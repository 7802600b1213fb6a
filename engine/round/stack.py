"""The chips on one spot, and what is known of them: before a change, and of an unexplained movement."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from feltwatch.engine.model.money import ZERO
from feltwatch.engine.model.spots import Spot


@dataclass(slots=True)
class Stack:
    """The chips on one spot."""

    spot: Spot
    now: Decimal | None = None
    units: int | None = None
    present: bool = False
    stake: Decimal | None = None  # as it lay when the bets closed: what the bet is settled on (5.14)
    staked: int | None = None  # its chips at the close, where only their number is known
    grown: int | None = None  # the same with what was added for a double
    known: Decimal | None = None  # the last amount that could be read
    at_close: bool = False
    by: str | None = None  # whose hand touched it last
    player: str | None = None  # whose bet it is, where that is known
    held: bool = False  # left over from the round before, and not touched since
    factor: Fraction | None = None  # the part of `stake` that plays, where a limit cut it
    rejected: bool = False
    paid: Decimal = ZERO  # what the House has put here since the close, and not taken back
    taken: Decimal = ZERO  # what it has taken, and not put back
    carried: Decimal = ZERO  # what the Player took up once it was his
    collected: bool = False  # the Player took up his chips
    unsure: bool = False  # it changed, and by how much is not known
    faulted: bool = False  # what is wrong with its settlement was said
    piles: int | None = None  # how many stacks stand here, where they were counted
    laid: int | None = None  # and how many at the close
    stirred: bool = False  # it was touched since the close
    house: bool = False  # by the dealer's hand
    emptied: float | None = None  # when, since the close, its chips were all taken up
    emptied_by: str | None = None
    told: float = 0.0  # when it was last reported
    blind: bool = False  # unwatched once it was decided: its settlement is unknown

    def plays(self, stake: Decimal, *, scale: bool, hand: int = 1) -> Fraction:
        """Give the part of a stake that wins or loses; `scale` cuts doubles and splits by the same factor (I-2)."""
        if self.factor is None or not self.stake or (hand > 1 and not scale):
            return Fraction(stake)
        extra = Fraction(max(stake - self.stake, ZERO))
        return self.factor + extra * (self.factor / Fraction(self.stake) if scale else 1)

    @property
    def untouched(self) -> bool:
        """Tell whether nothing was paid or taken here since the close."""
        return not (self.paid or self.taken or self.collected or self.unsure)


class Before(NamedTuple):
    """What lay on a spot: as much of it as was known."""

    amount: Decimal | None
    units: int | None
    piles: int | None
    lay: bool


class Slip(NamedTuple):
    """The last unexplained movement of chips by a player; `alert` "" where it was none to speak of."""

    alert: str
    spot: Spot
    delta: Decimal
    t: float
