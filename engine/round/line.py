"""What one bet comes to, in exact money: the part of the stake that plays, what is won or lost, what goes back."""

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from feltwatch.engine.model.money import ZERO, Odds, decimal, down

if TYPE_CHECKING:
    from feltwatch.engine.round.stack import Stack
    from feltwatch.engine.round.state import RoundState


class BetTerms(NamedTuple):
    """How a bet was decided. `lost` is how much of it goes, where it is not all or nothing."""

    result: str
    odds: Odds | None = None
    lost: Decimal | Fraction | None = None
    commission: Decimal | None = None


class Worth(NamedTuple):
    """What a stake comes to; `exact` is what is gained or lost before rounding, where that changed it."""

    effective: Decimal
    returned: Decimal
    exact: str | None = None


def plays(r: "RoundState", stack: "Stack", stake: Decimal, hand: int = 1) -> Fraction:
    """Give the part of a stake that wins or loses: all of it, unless its box was over the maximum (5.1.1)."""
    part = stack.bet.plays(stake, scale=r.switches.prorata_extra_bets == "scale", hand=hand)
    if stack.bet.factor in (None, part) or r.switches.prorata_rounding == "exact":
        return part
    return Fraction(down(part, r.chip))


def worth(r: "RoundState", stack: "Stack", stake: Decimal, hand: int, terms: BetTerms) -> Worth:
    """Work out a line: a payment is rounded down to the smallest chip, unless the table pays to the fraction (B19)."""
    part = plays(r, stack, stake, hand)
    win = Fraction(0) if terms.odds is None else terms.odds.win(part)
    loss = part if terms.lost is None and terms.result == "lose" else Fraction(terms.lost or 0)
    won, gone = _rounded(r, win), decimal(loss)
    if terms.result == "surrender":
        gone = decimal(part) - _rounded(r, part - loss)
    fee = terms.commission or ZERO
    exact = None if Fraction(won) == win and Fraction(gone) == loss else str(win - loss - Fraction(fee))
    return Worth(decimal(part), stake + won - gone - fee, exact)


def _rounded(r: "RoundState", value: Fraction) -> Decimal:
    return decimal(value) if r.switches.payout_rounding == "exact" else down(value, r.chip)
