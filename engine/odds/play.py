"""The best play against one first card of the dealer's, by the exact cards of the hand."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm, perm, prod

from engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW, Hand
from engine.books import Book
from engine.odds.dealer import Chances
from engine.odds.payoffs import BUST, Row, payoffs
from engine.odds.rules import Rules
from engine.odds.shoe import FACES, NONE, SUITED, Counts, add, falls, less, player, plus

VALUES = range(len(FACES))
LONGEST = LIMIT + 1  # cards: every Ace a 1, and the card that busts


class Seat:
    """One box against one first card: what it may do, and what each end of it brings in whole parts of the stake."""

    def __init__(self, book: Book, chances: Chances) -> None:
        self.chances = chances
        self.rules = Rules(book, chances.up)
        das = self.rules.may_double(player(plus(NONE, 1, SUITED), FACES[1].rank))
        self.pays = payoffs(book, split_doubles=das)
        self.parts = lcm(*(brought.denominator for row in self._rows() for brought in row))

    def _rows(self) -> Iterable[Row]:
        pays = self.pays
        for table in (pays.stood, pays.doubled, pays.split, pays.split_doubled):
            yield from table.values()
        yield from (pays.natural, pays.surrendered, pays.together)

    def whole(self, row: Row) -> tuple[int, ...]:
        return tuple(int(self.parts * brought) for brought in row)


class Play:
    """The best play of one hand, to which `own` cards belong and for which `gone` have left the shoe.

    A value is a whole number over `parts` times `scale`, by the number of cards drawn. To stand under 12 is left
    out: a card more cannot bust such a hand, and whatever the dealer gets, the hand is not the worse for it.
    """

    def __init__(self, seat: Seat, gone: Counts, own: Counts, split: str = "") -> None:
        pays = seat.pays
        self.seat, self.gone, self.own, self.split = seat, gone, own, split
        self.shoe = less(seat.chances.shoe, gone)
        self.most = seat.chances.draws.most
        self.scale = falls(sum(self.shoe), LONGEST + self.most)
        self.stood = {points: seat.whole(row) for points, row in (pays.split if split else pays.stood).items()}
        doubled = pays.split_doubled if split else pays.doubled
        self.doubled = {points: seat.whole(row) for points, row in doubled.items()}
        self.natural = seat.whole(pays.natural)
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
        hand = player(add(self.own, drawn), self.split)
        if hand.bust:  # lost at once, whatever the dealer gets
            return self.row(hand)[0] * self.scale[sum(drawn)]
        ways = []
        if self.may_stand(hand):
            ways.append(self.against(drawn, self.row(hand)))
        if self.seat.rules.may_hit(hand) and not (ways and ways[0] >= self._most_of_a_hit(drawn)):
            ways.append(sum(left * self.value(plus(drawn, value)) for value, left in self.left(drawn)))
        if self.seat.rules.may_double(hand):
            ways.append(sum(left * self._doubled(plus(drawn, value)) for value, left in self.left(drawn)))
        if self.may_stand(hand) and ways[0] == max(ways):
            self.stands.add(drawn)
        return max(ways)

    def _most_of_a_hit(self, drawn: Counts) -> int:
        """Give what a hit would bring if every card that does not bust won: mostly that is less than to stand."""
        top, bust = max(self.stood[LIMIT]), self.stood[BUST][0]
        hands = ((left, player(add(self.own, plus(drawn, value)), self.split)) for value, left in self.left(drawn))
        return sum(left * (bust if hand.bust else top) for left, hand in hands) * self.scale[sum(drawn) + 1]

    def may_stand(self, hand: Hand) -> bool:
        return len(hand) >= SUITED and (hand.points or 0) >= MUST_DRAW_BELOW

    def row(self, hand: Hand) -> Sequence[int]:
        """Give what a hand that stands, or is bust, brings by how the dealer's ends."""
        return self.natural if hand.natural else self.stood[min(hand.points or 0, BUST)]

    def left(self, drawn: Counts) -> Iterable[tuple[int, int]]:
        """Give the values of which cards are left, and how many."""
        return [(value, self.shoe[value] - drawn[value]) for value in VALUES if self.shoe[value] > drawn[value]]

    def _doubled(self, drawn: Counts) -> int:
        points = player(add(self.own, drawn), self.split).points or 0
        return self.against(drawn, self.doubled[min(points, BUST)])

    def against(self, drawn: Counts, row: Sequence[int]) -> int:
        """Let the dealer draw."""
        ways = self.seat.chances(add(self.gone, drawn))
        return sum(map(int.__mul__, row, ways)) * self.scale[sum(drawn) + self.most]


def split(seat: Seat, value: int, least: Fraction) -> Fraction:
    """Give what a split of two cards of this value brings; where it is less than `least`, any such number.

    Either hand is played on its own cards. Cards still in the shoe are as likely for the one as for the other,
    however many the first hand takes: the second brings what the first does.
    """
    half = Play(seat, plus(NONE, value, SUITED), plus(NONE, value), FACES[value].rank)
    found = 2 * half.worth(NONE)
    extra = seat.whole(seat.pays.together)
    most = Fraction(half.against(NONE, extra), seat.parts * half.scale[0])  # as if neither hand could bust
    return found + together(half) if most and found + most > least else found


def together(half: Play) -> Fraction:
    """Give what two hands of a split bring above twice the one, where neither is bust."""
    if half.doubled:
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
                if not player(add(half.own, more), half.split).bust:
                    longer[more] = longer.get(more, 0) + orders
        ends |= {drawn: orders for drawn, orders in longer.items() if drawn in half.stands}
        waiting = {drawn: orders for drawn, orders in longer.items() if drawn not in half.stands}
    return ends


Split = Callable[[Seat, int, Fraction], Fraction]


def best(seat: Seat, split: Split = split) -> Fraction:
    """Give what the best play brings on average against the dealer's first card, for one staked."""
    whole = Play(seat, NONE, NONE)
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
