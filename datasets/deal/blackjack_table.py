"""The hands and bets of a blackjack round, as the dealer sees them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from feltwatch.datasets.deal.game import MAIN, NOTHING, BetKey, Game, HeldCards, TableSetup
from feltwatch.datasets.deal.rules import natural, points
from feltwatch.datasets.deal.shoe import DealerShoe
from feltwatch.engine.model.cards import Card

DEALERS = "dealer.cards"


@dataclass(slots=True)
class DealtHand(HeldCards):
    """One hand of a box, which a split may have made."""

    number: int = 1
    extra: dict[str, int] = field(default_factory=dict)  # what was added for a double
    split: bool = False
    aces: bool = False
    done: bool = False  # settled, and out of the round
    refused: bool = False  # takes no further decision

    @property
    def zone(self) -> str:
        if not self.box:
            return DEALERS
        return f"box{self.box}.cards" if self.number == 1 else f"box{self.box}.hand{self.number}"

    @property
    def points(self) -> int:
        return points(self.cards)

    @property
    def natural(self) -> bool:
        return natural(self.cards) and not self.split

    def stake(self, bet: str) -> int:
        return self.bets[bet] + self.extra.get(bet, 0)


class BlackjackTable(Game):
    """Who has which hand and which bet; what follows of it is played in `blackjack` and paid in `settle`."""

    def __init__(self, setup: TableSetup, rng: Random, shoe: DealerShoe, now: int, ids: Iterator[int]) -> None:
        super().__init__(setup, rng, shoe, now, ids)
        self.hands: dict[int, list[DealtHand]] = {}
        self.dealer = DealtHand(0)
        self.follows: dict[str, bool] = {}
        self.apart = rng.random() < 0.5 and setup.apart  # the second stacks of splits lie by themselves

    def side(self, kind: str) -> list[str]:
        return [spot for spot in self.stakes if spot.partition(".")[2].partition("/")[0] == kind]

    def first(self, box: int) -> DealtHand:
        return self.hands[box][0] if box else self.dealer

    @property
    def up(self) -> Card:
        return self.dealer.cards[0]

    def all_hands(self) -> Iterator[DealtHand]:
        for box in self.seats:
            yield from self.hands.get(box, ())

    def spot(self, hand: HeldCards, bet: str) -> str:
        if self.apart and isinstance(hand, DealtHand) and hand.number > 1 and bet == MAIN:
            return f"box{hand.box}.hand{hand.number}"
        return f"box{hand.box}.{bet}"

    def gesture(self, hand: DealtHand, act: str) -> None:
        self.film.wave(hand.zone, f"box{hand.box}")
        self.decided(hand, act)

    def decided(self, hand: DealtHand, act: str, **more: object) -> None:
        if self.setup.told:
            self.film.tell("decision", box=hand.box, hand=hand.number, action=act, **more)

    def waiting(self) -> list[DealtHand]:
        """Give the hands that are compared with the dealer's."""
        return [hand for hand in self.all_hands() if not hand.done]

    def keys(self) -> list[BetKey]:
        found = [(int(spot[3]), 1, spot.partition(".")[2]) for spot in self.stakes if not hand_bet(spot)]
        return found + [(hand.box, hand.number, bet) for hand in self.all_hands() for bet in hand.bets]

    def owe(self, hand: DealtHand, bet: str, result: str, net: int) -> None:
        self.lines[hand.box, hand.number, bet] = (result, NOTHING + net)

    def takes_cards(self, hand: DealtHand) -> None:
        """The cards of a hand that is out are taken up at once."""
        self.film.sweep([name for name in hand.ids if name in self.film.cards], how="tuck")


def hand_bet(spot: str) -> bool:
    """True if a spot holds a bet on a hand: a main bet, a Standing Player's, one behind."""
    kind = spot.partition(".")[2]
    return kind.startswith(("main", "behind"))


def player_bet(spot: str, box: int) -> bool:
    return spot.startswith(f"box{box}.") and hand_bet(spot)
