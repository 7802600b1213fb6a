"""How two cards rank in Si Ki Pi, and how the House sets four (Appendices G and H of the book)."""

from collections import Counter
from collections.abc import Sequence

from feltwatch.engine.model.cards import Card

Two = tuple[Card, Card]
Set = tuple[Two, Two]  # Low Hand, High Hand

GONG = 10
SPLITS = {(7, 9), (8, 8), (8, 9), (7, GONG), (8, GONG), (9, GONG)}  # App. H 1(ii): what splitting a pair may reach


def is_pair(two: Two) -> bool:
    return two[0].rank == two[1].rank


def count(two: Two) -> int:
    """Give the points, a Gong as 10."""
    if {two[0].rank, two[1].rank} == {"2", "8"}:
        return GONG
    return (two[0].points + two[1].points) % 10


def rank(two: Two) -> tuple[int, ...]:
    """Give a key that is the higher the better the hand; cards decide between equal points."""
    heights = sorted((two[0].height, two[1].height), reverse=True)
    return (11 if is_pair(two) else count(two), *heights)


def beats(mine: Two, dealers: Two) -> bool:
    """True if the Player's part is better: a copy is the Dealer's, and all of no points are equal."""
    worthless = all(not is_pair(two) and not count(two) for two in (mine, dealers))
    return not worthless and rank(mine) > rank(dealers)


def ways(cards: Sequence[Card]) -> list[Set]:
    """Give the three ways to set four cards, the higher part as the High Hand."""
    a, b, c, d = cards
    pairs: list[Set] = [((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c))]
    return [(one, two) if rank(one) <= rank(two) else (two, one) for one, two in pairs]


def house_way(cards: Sequence[Card]) -> Set:
    """Set four cards as Appendix H says, rule by rule."""
    found = ways(cards)
    ranks = {card.rank for card in cards}
    if len(ranks) < 4:
        return _with_pair(cards, found)
    if ranks >= {"2", "8"}:  # 2: the Gong is the High Hand
        return next(way for way in found if count(way[1]) == GONG)
    if ranks in ({"A", "2", "3", "4"}, {"A", "2", "3", "5"}):  # 3
        return next(way for way in found if count(way[0]) == 4 and count(way[1]) in (6, 7))
    return _highest_low(cards, found)


def _with_pair(cards: Sequence[Card], found: list[Set]) -> Set:
    """1: a pair is kept, but that 9s are split for 9 and 9, and low ones for a good pair of hands."""
    counts = Counter(card.rank for card in cards)
    if len(counts) == 3:
        paired = next(rank for rank, many in counts.items() if many == 2)
        split = next(way for way in found if not is_pair(way[0]) and not is_pair(way[1]))
        reached = (count(split[0]), count(split[1]))
        if (paired == "9" and reached == (9, 9)) or (paired in "87632" and reached in SPLITS):
            return split
    return max(found, key=lambda way: is_pair(way[0]) + is_pair(way[1]))


def _highest_low(cards: Sequence[Card], found: list[Set]) -> Set:
    """4: the highest Low Hand; between equals the ten-valued cards decide."""
    tens = sorted((card for card in cards if not card.points), key=lambda card: -card.height)
    if len(tens) > 2:  # the highest ten goes with what is left over, the others are the Low Hand
        return next(way for way in found if tens[0] in way[1] and not any(one in way[1] for one in tens[1:3]))
    best = max(count(way[0]) for way in found)
    equal = [way for way in found if count(way[0]) == best]
    if len(tens) == 2:
        high = any(card.rank in "9A" for card in cards)
        equal = [way for way in equal if tens[0] in way[high]]
    return equal[0]


def bonus(cards: Sequence[Card]) -> str:
    """Name what four cards win on a Bonus, as the pay table does; "" if nothing."""
    many = sorted(Counter(card.rank for card in cards).values(), reverse=True)
    return {(4,): "bonus4", (3, 1): "bonus3", (2, 2): "bonus2", (2, 1, 1): "bonus1"}.get(tuple(many), "")


def same(one: Set, other: Set) -> bool:
    """True if two ways of setting differ in nothing but which of like cards lies where.

    >>> from feltwatch.engine.model.cards import cards
    >>> same(house_way(cards("Ks Qd 7c 6h")), house_way(cards("6s 7d Kc Qh")))
    True
    """
    return all(rank(mine) == rank(others) for mine, others in zip(one, other, strict=True))
