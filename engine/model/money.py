"""Exact money: decimals in, decimals out; rounding only where the book's setting asks for it."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

LEAST = Decimal("0.000001")  # the finest amount
ZERO = Decimal(0)


class Odds(NamedTuple):
    """What a win pays: `pays` to `stake`."""

    pays: int
    stake: int = 1

    def win(self, bet: Decimal | Fraction) -> Fraction:
        return Fraction(bet) * self.pays / self.stake

    def __str__(self) -> str:
        return f"{self.pays}:{self.stake}"


EVEN = Odds(1)


def down(value: Fraction, chip: Decimal) -> Decimal:
    """Round down to a whole number of the smallest chip.

    >>> down(Fraction(1000, 3), Decimal("0.01"))
    Decimal('333.33')
    """
    return value // Fraction(chip) * chip


def up(value: Fraction, chip: Decimal) -> Decimal:
    """Round up to a whole number of the smallest chip."""
    return -(-value // Fraction(chip)) * chip


def decimal(value: Fraction) -> Decimal:
    """Give the value itself where decimals can say it, else what is just below it.

    >>> decimal(Fraction(75, 2)), decimal(Fraction(1000, 3))
    (Decimal('37.5'), Decimal('333.333333'))
    """
    found = Decimal(value.numerator) / value.denominator
    return found if Fraction(found) == value else down(value, LEAST)


def plain(value: Decimal | None) -> int | float | str | None:
    """Give the number as JSON writes it: 250, 62.5; as text where a float could not say it.

    >>> plain(Decimal("62.50")), plain(Decimal("1E+2")), plain(Decimal("123456789012.123456"))
    (62.5, 100, '123456789012.123456')
    """
    if value is None:
        return None
    whole = int(value)
    if whole == value:
        return whole
    found = float(value)
    return found if Decimal(repr(found)) == value else str(value)


def pro_rata(bets: Sequence[Decimal], low: Decimal, high: Decimal, *, simple: bool = False) -> list[Fraction]:
    """Apportion the bets of a box to its maximum (5.1.1, 5.1.2): first the Seated Player's, then the others'.

    A bet that was under the minimum settles unchanged; no other is settled under the minimum.

    >>> [int(x) for x in pro_rata([Decimal(1900), Decimal(60), Decimal(30)], Decimal(50), Decimal(1000))]
    [920, 50, 30]
    >>> [int(x) for x in pro_rata([Decimal(700), Decimal(300)], Decimal(50), Decimal(1000))]
    [700, 300]
    """
    total = Fraction(sum(bets))
    given = [Fraction(bet) for bet in bets]
    if total <= high:
        return given
    floor = Fraction(low)
    if simple:
        return [bet if bet < floor else max(floor, bet * Fraction(high) / total) for bet in given]
    fixed = {index: bet for index, bet in enumerate(given) if bet < floor}
    while True:
        room = Fraction(high) - sum(fixed.values())
        rest = sum(bet for index, bet in enumerate(given) if index not in fixed)
        share = {index: max(bet * room / rest, Fraction(0)) for index, bet in enumerate(given) if index not in fixed}
        under = {index: floor for index, bet in share.items() if bet < floor}
        if not under:
            return [fixed[index] if index in fixed else share[index] for index in range(len(given))]
        fixed |= under
