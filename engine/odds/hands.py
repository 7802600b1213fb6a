"""A player's hands: what each may do, and what it brings."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import lcm

from feltwatch.engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW
from feltwatch.engine.books import Book
from feltwatch.engine.odds.dealer import Chances
from feltwatch.engine.odds.payoffs import BUST, Row, payoffs
from feltwatch.engine.odds.rules import Rules
from feltwatch.engine.odds.shoe import FACES, NONE, SUITED, Counts, add, player, plus

VALUES = range(len(FACES))
Parts = tuple[int, ...]  # a row in whole parts of the stake


class Seat:
    """One box against one first card of the dealer's."""

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

    def whole(self, row: Row) -> Parts:
        return tuple(int(self.parts * brought) for brought in row)


@dataclass(frozen=True, slots=True)
class Choices:
    """What a hand may do next."""

    bust: bool
    stands: bool
    stood: Parts  # also what a bust hand brings
    hits: tuple[Counts, ...]  # what is drawn then, by the value of the card; empty where it may not
    most: Parts  # what a hit brings at most, likewise
    doubled: tuple[Parts, ...]  # what a double brings, likewise


class Hands:
    """All hands that begin with the same cards: two or none, or the one that is left of a split pair.

    To stand under 12 is left out: a card more cannot bust such a hand, and whatever the dealer gets, the hand is
    not the worse for it.
    """

    def __init__(self, seat: Seat, own: Counts = NONE, split: str = "") -> None:
        self.seat, self.own, self.split = seat, own, split
        stood, doubled = (seat.pays.split, seat.pays.split_doubled) if split else (seat.pays.stood, seat.pays.doubled)
        self.stood = {points: seat.whole(row) for points, row in stood.items()}
        self.doubled = {points: seat.whole(row) for points, row in doubled.items()}
        self.natural = seat.whole(seat.pays.natural)
        self.known: dict[Counts, Choices] = {}

    def __getitem__(self, drawn: Counts) -> Choices:
        found = self.known.get(drawn)
        if found is None:
            found = self.known[drawn] = self._choices(drawn)
        return found

    def _choices(self, drawn: Counts) -> Choices:
        hand = player(add(self.own, drawn), self.split)
        points = min(hand.points or 0, BUST)
        longer = tuple(plus(drawn, value) for value in VALUES)
        next_points = [min(player(add(self.own, more), self.split).points or 0, BUST) for more in longer]
        hits = not hand.bust and self.seat.rules.may_hit(hand)
        best, bust = max(self.stood[LIMIT]), self.stood[BUST][0]
        return Choices(
            bust=hand.bust,
            stands=len(hand) >= SUITED and MUST_DRAW_BELOW <= points < BUST,
            stood=self.natural if hand.natural else self.stood[max(points, MUST_DRAW_BELOW)],
            hits=longer if hits else (),
            most=tuple(bust if after == BUST else best for after in next_points),
            doubled=tuple(self.doubled[after] for after in next_points) if self.seat.rules.may_double(hand) else (),
        )
