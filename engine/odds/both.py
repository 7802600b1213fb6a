"""A split played at its best by one who looks at both hands: what is out for the other counts as well."""

from fractions import Fraction

from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.odds.hands import Seat
from feltwatch.engine.odds.play import LONGEST, Play, half_of
from feltwatch.engine.odds.play import split as own_cards
from feltwatch.engine.odds.shoe import NONE, Counts, add, falls, player, plus

NEAR = Fraction(1, 50)  # of the stake: far more than the sight of another hand was ever found to bring
STAYS = 17  # a hard total on which the first hand draws no more
Row = tuple[int, ...]  # by the value of the second hand's second card


def stays(hand: BlackjackHand) -> bool:
    """Leave out what is never good play of a single hand, and takes half of the time."""
    return hand.total is not None and hand.total.points >= STAYS and not hand.total.soft


class Both:
    """Both hands of a split pair: each has its second card, then the first is played out, then the second.

    What the first hand brings is settled by the dealer's cards alone once it is played out: while the second takes
    cards, it is to be expected as before. So the second is one hand by itself, off a shoe without the first.
    """

    def __init__(self, seat: Seat, value: int) -> None:
        self.seat = seat
        self.half = half_of(seat, value)
        self.scale = falls(sum(self.half.shoe), 2 * LONGEST + self.half.most)
        self.known: dict[Counts, Row] = {}

    def worth(self) -> Fraction:
        found = sum(map(int.__mul__, self.half.shoe, self._first(NONE)))
        return Fraction(found, self.seat.parts * self.scale[0])

    def _first(self, drawn: Counts) -> Row:
        """Give what both hands bring while the first is in play."""
        found = self.known.get(drawn)
        if found is None:
            hands = self.half.hands
            may, hand = hands[drawn], player(add(hands.own, drawn), hands.split)
            ways = []
            if may.bust or may.stands:
                ways.append(self._second(drawn, may.stood))
            if may.hits and not stays(hand):
                ways.append(self._hit(drawn))
            found = self.known[drawn] = tuple(map(max, zip(*ways, strict=True)))
        return found

    def _hit(self, drawn: Counts) -> Row:
        found = list(NONE)
        for value, left in self.half.left(drawn):
            for other, brought in enumerate(self._first(plus(drawn, value))):
                found[other] += (left - (other == value)) * brought
        return tuple(found)

    def _second(self, drawn: Counts, row: Row) -> Row:
        """Give what both hands bring once the first is played out."""
        rest = Play(self.half.hands, add(self.half.gone, drawn))
        size = sum(drawn) + 1
        found = list(NONE)
        for other, _ in self.half.left(drawn):
            ways = self.seat.chances(plus(rest.gone, other))
            found[other] = sum(map(int.__mul__, row, ways)) * self.scale[size + rest.most]
            found[other] += rest.value(plus(NONE, other)) * self.scale[size - 1 + LONGEST + rest.most]
        return tuple(found)


def split(seat: Seat, value: int, least: Fraction) -> Fraction:
    """Give what a split brings; where one hand by itself says that it falls far short of `least`, that."""
    found = own_cards(seat, value, least)
    if found + NEAR > least:
        found = Both(seat, value).worth()
        seat.chances.known.clear()  # hundreds of thousands
    return found
