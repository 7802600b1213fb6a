"""The chips on one spot: what is seen of them now, the bet that they were at the close, how far it is settled."""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, auto
from fractions import Fraction
from typing import Final, NamedTuple

from feltwatch.engine.model.money import ZERO
from feltwatch.engine.model.spots import Spot


class SeenNow(NamedTuple):
    """The chips on a spot as last reported: as much as is known of them."""

    amount: Decimal | None = None
    units: int | None = None  # how many chips, where only their number is known
    piles: int | None = None  # how many stacks stand here, where they were counted
    present: bool = False
    known: Decimal | None = None  # the last amount that could be read
    by: str | None = None  # whose hand touched it last
    t: float = 0.0


NOT_SEEN: Final = SeenNow()
EMPTY: Final = SeenNow(units=0, piles=0)


class BetStatus(Enum):
    NONE = auto()  # no bet, or none yet
    LEFT_OVER = auto()  # from the round before, and not touched since: a bet only if a card comes to its box
    PLACED = auto()  # it lay here when the bets closed, or the game allowed it afterwards


@dataclass(slots=True)
class BetAtClose:
    """What a bet is settled on (5.14): the chips as they lay when the bets closed."""

    status: BetStatus = BetStatus.NONE
    refused: bool = False  # it is given back: no bet, or a bet without action
    stake: Decimal | None = None
    units: int | None = None  # its chips, where only their number is known
    piles: int | None = None  # its stacks, where they were counted
    grown: int | None = None  # its chips with what was added for a double
    factor: Fraction | None = None  # the part of `stake` that plays, where a limit cut it

    @property
    def placed(self) -> bool:
        return self.status is BetStatus.PLACED

    @property
    def left_over(self) -> bool:
        return self.status is BetStatus.LEFT_OVER

    @property
    def in_play(self) -> bool:
        return self.status is BetStatus.PLACED and not self.refused

    def place(self, now: SeenNow) -> None:
        """What lies here now is the bet."""
        self.status, self.stake = BetStatus.PLACED, now.amount

    def follow(self, now: SeenNow) -> None:
        """A bet that may still change is what lies here now: none where nothing does."""
        self.status = BetStatus.PLACED if now.present else BetStatus.NONE
        self.stake, self.factor = now.amount, None

    def plays(self, stake: Decimal, *, scale: bool, hand: int = 1) -> Fraction:
        """Give the part of a stake that wins or loses; `scale` cuts doubles and splits by the same factor (I-2)."""
        if self.factor is None or not self.stake or (hand > 1 and not scale):
            return Fraction(stake)
        extra = Fraction(max(stake - self.stake, ZERO))
        return self.factor + extra * (self.factor / Fraction(self.stake) if scale else 1)


class Certainty(Enum):
    """How well it is known what was paid and taken."""

    SURE = auto()
    UNSURE = auto()  # the chips changed, and by how much is not known
    UNWATCHED = auto()  # so they may have, once the bet was decided


class Handled(Enum):
    """Whose hand was on the chips since the close."""

    NO = auto()
    YES = auto()
    BY_DEALER = auto()


class Emptied(NamedTuple):
    """When the chips were all taken up, and by whose hand."""

    t: float
    by: str | None


@dataclass(slots=True)
class SettlementProgress:
    """What has happened to the chips since the close."""

    paid: Decimal = ZERO  # what the House has put here, and not taken back
    taken: Decimal = ZERO  # what it has taken, and not put back
    carried: Decimal = ZERO  # what the Player took up once it was his
    collected: bool = False  # the Player took up his chips
    faulted: bool = False  # an alert says what is wrong with it
    certainty: Certainty = Certainty.SURE
    handled: Handled = Handled.NO
    emptied: Emptied | None = None

    @property
    def balance(self) -> Decimal:
        """Give by how much the chips here are more than the bet, as far as it is known."""
        return self.paid - self.taken - self.carried

    @property
    def by_dealer(self) -> bool:
        """Tell whether the dealer's hand was on the chips."""
        return self.handled is Handled.BY_DEALER

    @property
    def unsure(self) -> bool:
        return self.certainty is not Certainty.SURE

    @property
    def untouched(self) -> bool:
        """Tell whether nothing was paid or taken here."""
        return not (self.paid or self.taken or self.collected or self.unsure)


@dataclass(slots=True)
class Stack:
    """The chips on one spot."""

    spot: Spot
    player: str | None = None  # whose bet it is, where that is known
    now: SeenNow = NOT_SEEN
    bet: BetAtClose = field(default_factory=BetAtClose)
    settled: SettlementProgress = field(default_factory=SettlementProgress)


class Slip(NamedTuple):
    """The last unexplained movement of chips by a player; `alert` "" where it was none to speak of."""

    alert: str
    spot: Spot
    delta: Decimal
    t: float
