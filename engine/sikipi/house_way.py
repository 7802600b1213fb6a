"""The House Way: how Appendix H sets four cards into a Low Hand and a High Hand."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from feltwatch.engine.model.cards import Card
from feltwatch.engine.sikipi.ranking import GONG, ORDER, Part

Heights = tuple[int, int, int, int]  # of four cards, the highest first
Way = tuple[int, int, int, int]  # which of them make the Low Hand, which the High Hand

_WAYS: tuple[Way, ...] = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2))
_ACE, _NINE, _EIGHT, _TWO = 14, 9, 8, 2
_TENS = range(10, 14)
_SPLIT_PAIRS = {8, 7, 6, 3, 2}  # Appendix H 1(ii)
_SPLIT_SUMS = {(7, 9), (8, 8), (8, 9), (7, GONG), (8, GONG), (9, GONG)}  # (a) to (f)
_EXCEPTIONS = {(_ACE, 4, 3, 2): (4, 6), (_ACE, 5, 3, 2): (4, 7)}  # 3(i), 3(ii)


def house_way(cards: Sequence[Card], two_pairs: str = "keep", nine_or_ace: str = "inclusive") -> tuple[Part, Part]:
    """Give the Low Hand and the High Hand as the House sets them.

    >>> from feltwatch.engine.model.cards import cards
    >>> low, high = house_way(cards("8s 8h Kd 2c"))
    >>> [str(card) for card in (*low, *high)]
    ['Kd', '8h', '8s', '2c']
    """
    first, second, third, fourth = ordered = sorted(cards, key=_height, reverse=True)
    heights = first.height, second.height, third.height, fourth.height
    a, b, c, d = _way(heights, two_pairs, nine_or_ace)
    return (ordered[a], ordered[b]), (ordered[c], ordered[d])


def agrees(low: Part, high: Part, due: tuple[Part, Part]) -> bool:
    """Tell whether two parts hold the ranks that are due; four tens may lie as they like (S-4)."""
    placed, wanted = sorted((_ranks(low), _ranks(high))), sorted((_ranks(due[0]), _ranks(due[1])))
    return placed == wanted or all(card.height in _TENS for card in (*low, *high))


def _height(card: Card) -> int:
    return card.height


def _ranks(part: Part) -> tuple[int, int]:
    one, two = part[0].height, part[1].height
    return (one, two) if one > two else (two, one)


@lru_cache(maxsize=1 << 14)  # 1,820 sets of ranks for each reading
def _way(heights: Heights, two_pairs: str, nine_or_ace: str) -> Way:
    ways = tuple(_named(heights, way) for way in _WAYS)
    if len(set(heights)) < len(heights):
        return _with_pair(heights, ways, two_pairs)
    if _EIGHT in heights and _TWO in heights:
        return next(way for way in ways if _sums(heights, way)[1] == GONG)
    due = _EXCEPTIONS.get(heights)
    if due is not None:
        return next(way for way in ways if _sums(heights, way) == due)
    return _highest_low(heights, ways, nine_or_ace)


def _named(heights: Heights, way: Way) -> Way:
    """The higher ranked part is the High Hand (1.8, 1.12)."""
    a, b, c, d = way
    above = ORDER[heights[a] << 4 | heights[b]] > ORDER[heights[c] << 4 | heights[d]]
    return (c, d, a, b) if above else way


def _sums(heights: Heights, way: Way) -> tuple[int, int]:
    a, b, c, d = way
    return ORDER[heights[a] << 4 | heights[b]] >> 8, ORDER[heights[c] << 4 | heights[d]] >> 8


def _with_pair(heights: Heights, ways: tuple[Way, ...], two_pairs: str) -> Way:
    """1: a pair stays together unless its split gives what (i) or (ii) names."""
    first, second, third, fourth = heights
    in_the_middle = first != second and third != fourth
    keep, split = ways[2] if in_the_middle else ways[0], ways[1]
    sums = _sums(heights, split)
    pairs = {one for one, other in pairwise(heights) if one == other}
    if len(pairs) > 1 and two_pairs != "literal":  # S-2
        may = two_pairs == "named" and pairs <= _SPLIT_PAIRS and sums in _SPLIT_SUMS
    else:
        may = any(_splits(pair, sums) for pair in pairs)
    return split if may else keep


def _splits(pair: int, sums: tuple[int, int]) -> bool:
    return (pair == _NINE and sums == (9, 9)) or (pair in _SPLIT_PAIRS and sums in _SPLIT_SUMS)


def _highest_low(heights: Heights, ways: tuple[Way, ...], nine_or_ace: str) -> Way:
    """4: the highest Low Hand; among equals (ii) and (iii) say where the highest of the tens goes."""
    tens = [place for place, height in enumerate(heights) if height in _TENS]
    if len(tens) == len(heights):
        return ways[2]  # S-4: King and 10 High
    best = max(_sums(heights, way)[0] for way in ways)
    equals = [way for way in ways if _sums(heights, way)[0] == best]
    if len(equals) == 1:
        return equals[0]
    if len(tens) == 3:
        lone = next(place for place in range(4) if place not in tens)
        return next(way for way in equals if set(way[2:]) == {tens[0], lone})
    nine, ace = _NINE in heights, _ACE in heights
    goes_high = nine != ace if nine_or_ace == "exclusive" else nine or ace
    return next(way for way in equals if (tens[0] in way[2:]) == goes_high)
