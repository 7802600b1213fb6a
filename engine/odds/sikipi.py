"""Si Ki Pi: the Bonus, and the main bet with both hands set by the House Way; all pairs of hands are counted."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, compress
from math import comb, prod

from engine.books import Book
from engine.cards import CARDS, RANKS, SUITS, Card
from engine.odds.sides import ONE
from engine.sikipi.bonus import bonus_hand
from engine.sikipi.house_way import house_way
from engine.sikipi.ranking import Part, outcome, strength
from engine.sikipi.settlement import COMMISSION

HAND = 4  # cards
COPIES = len(SUITS)
Kind = tuple[str, ...]  # the ranks of a hand
Set = tuple[Part, Part]


def kinds() -> Iterator[Kind]:
    """Give the 1,820 sets of ranks that a hand may have; suits decide nothing."""
    yield from combinations_with_replacement(RANKS, HAND)


def hands_of(kind: Kind) -> int:
    """Give in how many ways the suits can fall."""
    return prod(comb(COPIES, copies) for copies in Counter(kind).values())


def shown(kind: Kind) -> list[Card]:
    """Give one hand of the kind."""
    return [CARDS[rank + SUITS[kind[:place].count(rank)]] for place, rank in enumerate(kind)]


def bonus() -> dict[str, int]:
    """Count all hands by what the Bonus wins on them."""
    found: dict[str, int] = {}
    for kind in kinds():
        key = bonus_hand(shown(kind))
        found[key] = found.get(key, 0) + hands_of(kind)
    return found


def _codes(kind: Kind) -> tuple[int, ...]:
    """Name each rank with its copies by a number; 0, no copy of the first rank, fills up to four."""
    found = [RANKS.index(rank) * (COPIES + 1) + copies for rank, copies in Counter(kind).items()]
    return tuple(found + [0] * (HAND - len(found)))


def _ways(gone: Kind) -> list[int]:
    """Give for every number of `_codes` the ways to take those copies from what a hand has left of the deck."""
    return [comb(COPIES - gone.count(rank), copies) for rank in RANKS for copies in range(COPIES + 1)]


def main(book: Book) -> dict[str, int]:
    """Count all pairs of a player's and a dealer's hand by the outcome."""
    switches = book.switches
    every = list(kinds())
    codes = [_codes(kind) for kind in every]
    due = [house_way(shown(kind), switches.two_pairs, switches.nine_or_ace) for kind in every]
    worth = [(strength(low), strength(high)) for low, high in due]
    one_of = dict(zip(worth, due, strict=True))
    found = {"win": 0, "stand-off": 0, "lose": 0}
    masks: dict[tuple[int, int], dict[str, list[bool]]] = {}
    for kind, mine, value in zip(every, due, worth, strict=True):
        if value not in masks:
            ends = {other: outcome(mine, dealers) for other, dealers in one_of.items()}
            masks[value] = {end: [ends[other] == end for other in worth] for end in found}
        left = _ways(kind)
        ways = [left[a] * left[b] * left[c] * left[d] for a, b, c, d in codes]
        hands = hands_of(kind)
        for end, mask in masks[value].items():
            found[end] += hands * sum(compress(ways, mask))
    return found


def main_edge(book: Book, counts: dict[str, int]) -> Fraction:
    """Give what the house keeps of a main bet; its commission comes off every win."""
    won = book.pays["main"].win(ONE) * (1 - COMMISSION)
    return (counts["lose"] - counts["win"] * won) / Fraction(sum(counts.values()))
