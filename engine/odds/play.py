"""The best play against one first card of the dealer's, by the exact cards of the hand."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import perm, prod

from feltwatch.engine.blackjack.hands import LIMIT
from feltwatch.engine.odds.hands import VALUES, Hands, Seat
from feltwatch.engine.odds.shoe import FACES, NONE, SUITED, Counts, add, falls, less, player, plus

NEVER = -4  # stakes: less than any play brings
LONGEST = LIMIT + 1  # cards: every Ace a 1, and the card that busts


class Play:
    """The best play of one hand, once `gone` have left the shoe besides the dealer's first card.

    `gone` has the cards with which the hand begins. A value is a whole number over `parts` times `scale`, by the
    number of cards drawn.
    """

    def __init__(self, hands: Hands, gone: Counts) -> None:
        self.hands, self.seat, self.gone = hands, hands.seat, gone
        self.shoe = less(self.seat.chances.shoe, gone)
        self.most = self.seat.chances.draws.most
        self.scale = falls(sum(self.shoe), LONGEST + self.most)
        self.known: dict[Counts, int] = {}
        self.stands: set[Counts] = set()  # what was drawn when it is best to stand

    def worth(self, drawn: Counts) -> Fraction:
        return Fraction(self.value(drawn), self.seat.parts * self.scale[sum(drawn)])

    def value(self, drawn: Counts) -> int:
        found = self.known.get(drawn)
        if found is None:
            found = self.known[drawn] = self._value(drawn)
        return found

    def _value(self, drawn: Counts) -> int:
        may = self.hands[drawn]
        scale = self.scale[sum(drawn)]
        if may.bust:  # lost at once, whatever the dealer gets
            return may.stood[0] * scale
        left = [max(copies, 0) for copies in less(self.shoe, drawn)]
        stood = self.against(drawn, may.stood) if may.stands else NEVER * self.seat.parts * scale
        found = stood
        if may.hits and stood < sum(map(int.__mul__, left, may.most)) * self.scale[sum(drawn) + 1]:
            found = max(found, sum(copies * self.value(may.hits[value]) for value, copies in enumerate(left) if copies))
        if may.doubled:
            found = max(found, self._doubled(drawn, left, may.doubled))
        if may.stands and stood == found:
            self.stands.add(drawn)
        return found

    def _doubled(self, drawn: Counts, left: Sequence[int], rows: Sequence[Sequence[int]]) -> int:
        more = ((copies, plus(drawn, value), rows[value]) for value, copies in enumerate(left) if copies)
        return sum(copies * self.against(longer, row) for copies, longer, row in more)

    def left(self, drawn: Counts) -> list[tuple[int, int]]:
        """Give the values that are left, and how many cards of each."""
        return [(value, copies) for value, copies in enumerate(less(self.shoe, drawn)) if copies > 0]

    def against(self, drawn: Counts, row: Sequence[int]) -> int:
        """Let the dealer draw."""
        ways = self.seat.chances(add(self.gone, drawn))
        return sum(map(int.__mul__, row, ways)) * self.scale[sum(drawn) + self.most]


def half_of(seat: Seat, value: int) -> Play:
    """Play one hand of a split pair of this value."""
    return Play(Hands(seat, plus(NONE, value), FACES[value].rank), plus(NONE, value, SUITED))


def split(seat: Seat, value: int, least: Fraction) -> Fraction:
    """Give what a split of two cards of this value brings; where it is less than `least`, any such number.

    Either hand is played on its own cards. Cards still in the shoe are as likely for the one as for the other,
    however many the first hand takes: the second brings what the first does.
    """
    half = half_of(seat, value)
    found = 2 * half.worth(NONE)
    extra = seat.whole(seat.pays.together)
    most = Fraction(half.against(NONE, extra), seat.parts * half.scale[0])  # as if neither hand could bust
    return found + together(half) if most and found + most > least else found


def together(half: Play) -> Fraction:
    """Give what two hands of a split bring above twice the one, where neither is bust."""
    if half.hands.doubled:
        raise ValueError("expected a book in which split hands are not doubled")
    ends = _ends(half)
    both: Counter[Counts] = Counter()
    for one, orders in ends.items():
        for two, others in ends.items():
            both[add(one, two)] += orders * others
    extra = half.seat.whole(half.seat.pays.together)
    scale = falls(sum(half.shoe), 2 * LONGEST + half.most)
    found = 0
    for drawn, orders in both.items():
        ways = half.seat.chances(add(half.gone, drawn))
        taken = prod(map(perm, half.shoe, drawn))
        found += orders * taken * sum(map(int.__mul__, extra, ways)) * scale[sum(drawn) + half.most]
    return Fraction(found, half.seat.parts * scale[0])


def _ends(half: Play) -> dict[Counts, int]:
    """Give what a hand not bust may have drawn when it stands, and in how many orders."""
    ends: dict[Counts, int] = {}
    waiting = {NONE: 1}
    while waiting:
        longer: dict[Counts, int] = {}
        for drawn, orders in waiting.items():
            for value, _ in half.left(drawn):
                more = plus(drawn, value)
                if not half.hands[more].bust:
                    longer[more] = longer.get(more, 0) + orders
        ends |= {drawn: orders for drawn, orders in longer.items() if drawn in half.stands}
        waiting = {drawn: orders for drawn, orders in longer.items() if drawn not in half.stands}
    return ends


Split = Callable[[Seat, int, Fraction], Fraction]


def best(seat: Seat, split: Split = split) -> Fraction:
    """Give what the best play brings on average against the dealer's first card, for one staked."""
    whole = Play(Hands(seat), NONE)
    left = sum(whole.shoe)
    found = Fraction(0)
    for one, two in combinations_with_replacement(VALUES, SUITED):
        drawn = plus(plus(NONE, one), two)
        hand = player(drawn)
        value = whole.worth(drawn)
        if seat.rules.may_surrender(hand):
            value = max(value, seat.pays.surrendered[0])
        if seat.rules.may_split(hand):
            value = max(value, split(seat, one, value))
        found += (1 if one == two else 2) * prod(map(perm, whole.shoe, drawn)) * value
    return found / (left * (left - 1))
