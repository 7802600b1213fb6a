"""Which errors there are, what each needs of the table, and how it is entered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.game import Game
from feltwatch.datasets.deal.sikipi import Sikipi


@dataclass(frozen=True, slots=True)
class Needs:
    """What a table must have for an error to be possible."""

    least: int = 2  # boxes with a bet, at the least
    most: int = 7  # and at the most
    free: bool = False  # a box without a bet as well
    plain: bool = True  # main bets only
    fresh: bool = False  # an unused shoe
    told: bool = False  # decisions are reported: it rests on a gesture
    decks: int = 0
    minimum: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)


BLACKJACK: dict[str, tuple[Callable[[Blackjack], None], Needs]] = {}
SIKIPI: dict[str, tuple[Callable[[Sikipi], None], Needs]] = {}


def blackjack(
    code: str, needs: Needs | None = None
) -> Callable[[Callable[[Blackjack], None]], Callable[[Blackjack], None]]:
    """Enter how an error of blackjack is committed."""

    def enter(scheme: Callable[[Blackjack], None]) -> Callable[[Blackjack], None]:
        BLACKJACK[code] = scheme, needs or Needs()
        return scheme

    return enter


def sikipi(code: str, needs: Needs | None = None) -> Callable[[Callable[[Sikipi], None]], Callable[[Sikipi], None]]:
    """Enter how an error of Si Ki Pi is committed."""

    def enter(scheme: Callable[[Sikipi], None]) -> Callable[[Sikipi], None]:
        SIKIPI[code] = scheme, needs or Needs()
        return scheme

    return enter


def both(code: str, needs: Needs | None = None) -> Callable[[Callable[[Game], None]], Callable[[Game], None]]:
    """Enter how an error of every game is committed."""

    def enter(scheme: Callable[[Game], None]) -> Callable[[Game], None]:
        BLACKJACK[code] = SIKIPI[code] = scheme, needs or Needs()
        return scheme

    return enter
