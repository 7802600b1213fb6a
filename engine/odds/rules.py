"""What a hand may do against the dealer's first card: the engine is asked."""

from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.blackjack.play import decisions
from feltwatch.engine.blackjack.round import BlackjackRound
from feltwatch.engine.books import Book
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.odds.shoe import FACES, lay


class Rules:
    """A round in which only the dealer's first card has come."""

    def __init__(self, book: Book, up: int) -> None:
        self.round = BlackjackRound(book, 1, Shoe())
        self.round.dealer = lay([FACES[up]])

    def may_hit(self, hand: BlackjackHand) -> bool:
        return not self.round.finished(hand)

    def may_double(self, hand: BlackjackHand) -> bool:
        return decisions.may_double(self.round, hand)

    def may_surrender(self, hand: BlackjackHand) -> bool:
        return decisions.may_surrender(self.round, hand)

    def may_split(self, hand: BlackjackHand) -> bool:
        self.round.hands = {hand.box: [hand]}
        return not decisions.split_error(self.round, hand)
