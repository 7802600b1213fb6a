"""Si Ki Pi: the Bonus, and the main bet with both hands set by the House Way; all pairs of hands are counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, compress
from math import comb, prod
from operator import mul

from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import CARDS, RANKS, SUITS, Card
from feltwatch.engine.odds.sides import ONE
from feltwatch.engine.sikipi.bonus import bonus_hand
from feltwatch.engine.sikipi.house_way import house_way
from feltwatch.engine.sikipi.ranking import beats, outcome, strength
from feltwatch.engine.sikipi.settlement import COMMISSION

HAND = 4  # cards
COPIES = len(SUITS)
Kind = tuple[str, ...]  # the ranks of a hand
ENDS = ("win", "stand-off", "lose")


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


def codes(kind: Kind) -> tuple[int, ...]:
    """Name each rank with its copies by a number; 0, no copy of the first rank, fills up to four."""
    found = [RANKS.index(rank) * (COPIES + 1) + copies for rank, copies in Counter(kind).items()]
    return tuple(found + [0] * (HAND - len(found)))


def ways_left(gone: Kind) -> list[int]:
    """Give for every number of `codes` the ways to take those copies from what a hand has left of the deck."""
    return [comb(COPIES - gone.count(rank), copies) for rank in RANKS for copies in range(COPIES + 1)]


class Reading:
    """All hands set the House Way by one reading of a book, and the ends of every two of them."""

    def __init__(self, book: Book, every: Sequence[Kind]) -> None:
        named = book.switches.two_pairs, book.switches.nine_or_ace
        self.due = [house_way(shown(kind), *named) for kind in every]
        self.low = [strength(low) for low, _ in self.due]
        self.high = [strength(high) for _, high in self.due]
        parts = {strength(part): part for due in self.due for part in due}
        self.beats = {mine: {theirs: beats(parts[mine], parts[theirs]) for theirs in parts} for mine in parts}
        self.ends: dict[tuple[bool, bool], str] = {}  # by whether Low and High are won
        self.known: dict[tuple[int, int], dict[str, list[bool]]] = {}
        self.found = dict.fromkeys(ENDS, 0)

    def count(self, place: int, hands: int, ways: Sequence[int]) -> None:
        """Let so many hands of the kind at this place meet all others, each with its number of ways."""
        for end, mask in self.masks(place).items():
            self.found[end] += hands * sum(compress(ways, mask))

    def masks(self, place: int) -> dict[str, list[bool]]:
        """Tell for each end which hands of the dealer's bring it to the kind at this place."""
        worth = self.low[place], self.high[place]
        if worth not in self.known:
            low, high = (self.beats[part].__getitem__ for part in worth)
            won = list(zip(map(low, self.low), map(high, self.high), strict=True))
            for which in set(won) - self.ends.keys():
                self.ends[which] = outcome(self.due[place], self.due[won.index(which)])
            ends = list(map(self.ends.__getitem__, won))
            self.known[worth] = {end: list(map(end.__eq__, ends)) for end in ENDS}
        return self.known[worth]


def main(readings: Iterable[Book]) -> list[dict[str, int]]:
    """Count all pairs of a player's and a dealer's hand by the outcome, by each reading of the book."""
    every = list(kinds())
    by_reading = [Reading(book, every) for book in readings]
    first, second, third, fourth = zip(*map(codes, every), strict=True)
    for place, kind in enumerate(every):
        left = ways_left(kind).__getitem__
        two = map(mul, map(left, first), map(left, second))
        ways = list(map(mul, two, map(mul, map(left, third), map(left, fourth))))
        for reading in by_reading:
            reading.count(place, hands_of(kind), ways)
    return [reading.found for reading in by_reading]


def main_edge(book: Book, counts: Mapping[str, int]) -> Fraction:
    """Give what the house keeps of a main bet; its commission comes off every win."""
    won = book.pays["main"].win(ONE) * (1 - COMMISSION)
    return (counts["lose"] - counts["win"] * won) / Fraction(sum(counts.values()))
