"""A second, deliberately plain House Way of Si Ki Pi (Version 3, Appendix H).

Written from the rulebook and the readings S-1 to S-8 alone, without sight of
the product's code, so that a test can compare the two over all 270,725 hands.
It walks through the rules of Appendix H in their order and is not made fast.
"""

Two = tuple[str, str]
Arrangement = tuple[Two, Two]  # (low, high)

ORDER = "23456789TJQKA"  # 3.3, from the lowest card to the highest
TENS = "TJQK"  # 3.4.2: worth zero
GONG = 10  # S-6: as a sum, a Gong stands above 9

# App. H 1(ii) (a) to (f), as (Low Hand Sum, High Hand Sum)
SPLIT_SUMS = [(7, 9), (8, 8), (8, 9), (7, GONG), (8, GONG), (9, GONG)]


def card_points(rank: str) -> int:
    """3.4.2: K, Q, J and 10 are zero, an Ace is one."""
    if rank in TENS:
        return 0
    if rank == "A":
        return 1
    return int(rank)


def two_cards(one: str, other: str) -> Two:
    """The two ranks, highest first."""
    if ORDER.index(one) >= ORDER.index(other):
        return (one, other)
    return (other, one)


def is_pair(two: Two) -> bool:
    """1.13 and S-1: the same rank; K and Q are not a pair."""
    return two[0] == two[1]


def is_gong(two: Two) -> bool:
    """1.6: a 2 and an 8."""
    return sorted(two) == ["2", "8"]


def hand_sum(two: Two) -> int:
    """S-6: the points of the part, or Gong. Only asked of parts without a pair."""
    if is_gong(two):
        return GONG
    return (card_points(two[0]) + card_points(two[1])) % 10


def rank_of(two: Two) -> tuple[int, ...]:
    """Sortable rank: pairs, then Gong, then points; ties in Appendix G order.

    Zero-point hands come last (S-5). Their cards only serve to name the High
    Hand: for settlement two zero-point hands are equal (3.22.5, 3.22.6).
    """
    higher, lower = two_cards(two[0], two[1])
    cards = (ORDER.index(higher), ORDER.index(lower))
    if is_pair(two):
        return (2, 0, *cards)
    if is_gong(two):
        return (1, 0, *cards)
    return (0, hand_sum(two), *cards)


def low_and_high(one: Two, other: Two) -> Arrangement:
    """1.8 and 1.12: the lower ranked part is the Low Hand."""
    if rank_of(one) <= rank_of(other):
        return (one, other)
    return (other, one)


def sums(arrangement: Arrangement) -> tuple[int, int]:
    """(Low Hand Sum, High Hand Sum)."""
    low, high = arrangement
    return (hand_sum(low), hand_sum(high))


def house_way(  # noqa: C901, PLR0911, PLR0912  the appendix, walked through rule by rule
    ranks: tuple[str, str, str, str],
) -> Arrangement:
    """The (low, high) which Appendix H prescribes for four ranks."""
    a, b, c, d = ranks
    all_three = [
        low_and_high(two_cards(a, b), two_cards(c, d)),
        low_and_high(two_cards(a, c), two_cards(b, d)),
        low_and_high(two_cards(a, d), two_cards(b, c)),
    ]

    # Rule 1: a pair is kept together, but for (i) and (ii).
    if len(set(ranks)) < 4:
        kept = [x for x in all_three if is_pair(x[0]) or is_pair(x[1])]
        split = [x for x in all_three if not is_pair(x[0]) and not is_pair(x[1])]
        exactly_one_pair = len(set(ranks)) == 3
        if exactly_one_pair:  # S-2: two pairs stay; three or four alike cannot be split
            paired = next(rank for rank in ranks if ranks.count(rank) == 2)
            # The two ways to split differ only in which of the alike cards goes where.
            if paired == "9" and sums(split[0]) == (9, 9):  # (i)
                return split[0]
            if paired in "87632" and sums(split[0]) in SPLIT_SUMS:  # (ii)
                return split[0]
        # Two pairs: both together. Otherwise whatever was kept is all the same.
        for arrangement in kept:
            if is_pair(arrangement[0]) and is_pair(arrangement[1]):
                return arrangement
        return kept[0]

    # Rule 2: no pair, but a 2 and an 8: the Gong is the High Hand.
    if "2" in ranks and "8" in ranks:
        return next(x for x in all_three if is_gong(x[1]))

    # Rule 3: the two exceptions, before rule 4 (S-8).
    if set(ranks) == {"A", "2", "3", "4"}:  # (i)
        return next(x for x in all_three if sums(x) == (4, 6))
    if set(ranks) == {"A", "2", "3", "5"}:  # (ii)
        return next(x for x in all_three if sums(x) == (4, 7))

    # Rule 4 (i): the highest Low Hand Sum; (ii) and (iii) choose between equals (S-7).
    best = max(sums(x)[0] for x in all_three)
    equals = [x for x in all_three if sums(x)[0] == best]
    tens = [rank for rank in ranks if rank in TENS]
    highest_ten = max(tens, key=ORDER.index, default="")

    if len(tens) == 2:  # (ii); S-3: a 9, an Ace or both
        if "9" in ranks or "A" in ranks:
            equals = [x for x in equals if highest_ten in x[1]]
        else:
            equals = [x for x in equals if highest_ten in x[0]]
    elif len(tens) == 3:  # (iii): the fourth card makes the points of the High Hand
        others = [rank for rank in ranks if rank not in TENS]
        with_highest = two_cards(highest_ten, others[0])
        equals = [x for x in equals if x[1] == with_highest]
    elif len(tens) == 4:  # S-4: K with 10 High, Q with J Low
        equals = [(("Q", "J"), ("K", "T"))]

    if len(equals) != 1:
        raise AssertionError(f"Appendix H leaves {len(equals)} ways for {ranks}")
    return equals[0]
