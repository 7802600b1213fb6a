"""The dealer's cards: every way in which they can come, and where each leads."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import cast

from feltwatch.engine.blackjack.hands import BlackjackHand, Total
from feltwatch.engine.blackjack.play.dealer import stands_on
from feltwatch.engine.books import Book
from feltwatch.engine.books.settings import Switches
from feltwatch.engine.odds.shoe import FACES, Counts, falls, full, lay, less, plus

Label = Callable[[BlackjackHand], str]
Drawn = tuple[int, ...]  # values of the cards after the first, sorted
TOTALS = ("17", "18", "19", "20", "21", "bust", "blackjack")


def final(hand: BlackjackHand) -> str:
    """Name how the dealer's hand ended: one of TOTALS."""
    if hand.bust:
        return "bust"
    return "blackjack" if hand.natural else str(hand.points)


@dataclass(frozen=True, slots=True)
class Draws:
    """All that can follow one first card; hands of the same cards are counted together.

    A step adds a card to an earlier step: (that step, the card's value, how many of it came before).
    Each label has its ends by number of cards drawn: (the number, the steps, in how many orders each can come).
    """

    labels: tuple[str, ...]
    steps: tuple[tuple[int, int, int], ...]
    ends: tuple[tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...], ...]
    most: int

    def weigh(self, shoe: Sequence[int]) -> tuple[int, ...]:
        """Give for each label in how many ways `most` cards off this shoe lead to it."""
        ways = [1]
        put = ways.append
        for before, value, out in self.steps:
            put(ways[before] * (shoe[value] - out))
        rest = falls(sum(shoe), self.most)
        return tuple(
            sum(
                rest[drawn] * sum(map(int.__mul__, orders, map(ways.__getitem__, steps)))
                for drawn, steps, orders in ends
            )
            for ends in self.ends
        )


@cache
def endings(up: int, switches: Switches) -> Mapping[Drawn, tuple[BlackjackHand, int]]:
    """Give every complete hand on a first card, with the number of orders in which its cards can have come."""
    ends: dict[Drawn, tuple[BlackjackHand, int]] = {}
    waiting: dict[Drawn, int] = {(): 1}
    while waiting:
        longer: dict[Drawn, int] = {}
        for drawn, orders in waiting.items():
            for value in range(len(FACES)):
                cards = tuple(sorted((*drawn, value)))
                longer[cards] = longer.get(cards, 0) + orders
        waiting = {}
        for cards, orders in longer.items():
            hand = lay([FACES[up], *(FACES[value] for value in cards)])
            if stands_on(cast("Total", hand.total), switches):
                ends[cards] = (hand, orders)
            else:
                waiting[cards] = orders
    return ends


def draws(up: int, book: Book, labels: Iterable[str] = TOTALS, label: Label = final) -> Draws:
    """Put the dealer's hands on a first card in the order in which their numbers are worked out."""
    number: dict[Drawn, int] = {(): 0}
    steps: list[tuple[int, int, int]] = []
    by_label: dict[str, dict[int, list[tuple[int, int]]]] = {name: {} for name in labels}
    for cards, (hand, orders) in endings(up, book.switches).items():
        for size in range(1, len(cards) + 1):
            before, value = cards[: size - 1], cards[size - 1]
            if (*before, value) not in number:
                steps.append((number[before], value, before.count(value)))
                number[*before, value] = len(steps)
        by_label[label(hand)].setdefault(len(cards), []).append((number[cards], orders))
    ends = tuple(
        tuple(
            (size, tuple(step for step, _ in found), tuple(orders for _, orders in found))
            for size, found in by_size.items()
        )
        for by_size in by_label.values()
    )
    return Draws(tuple(by_label), tuple(steps), ends, max(size for one in ends for size, _, _ in one))


def finals(book: Book, labels: Iterable[str] = TOTALS, label: Label = final) -> dict[str, Fraction]:
    """Give the probability of each end of the dealer's hand off a full shoe."""
    shoe = full(book.decks)
    found = dict.fromkeys(labels, Fraction(0))
    for up, copies in enumerate(shoe):
        after = draws(up, book, found, label)
        chance = Fraction(copies, sum(shoe) * falls(sum(shoe) - 1, after.most)[0])
        for name, ways in zip(after.labels, after.weigh(plus(shoe, up, -1)), strict=True):
            found[name] += chance * ways
    return found


class Chances:
    """The ends of the dealer's hand on one first card, by what else is gone; each is worked out once."""

    def __init__(self, book: Book, up: int, shoe: Counts) -> None:
        self.up = up
        self.shoe = shoe  # the first card is out
        self.draws = draws(up, book)
        self.known: dict[Counts, tuple[int, ...]] = {}

    def __call__(self, gone: Counts) -> tuple[int, ...]:
        found = self.known.get(gone)
        if found is None:
            found = self.known[gone] = self.draws.weigh(less(self.shoe, gone))
        return found
