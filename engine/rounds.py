"""Which kind of round a book plays."""

from feltwatch.engine.blackjack.round import BlackjackRound
from feltwatch.engine.books import Book
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.round.base import Round
from feltwatch.engine.sikipi.round import SikipiRound


def new_round(book: Book, number: int, shoe: Shoe, dismissed: frozenset[str]) -> Round:
    """Begin a round of the book's own game."""
    kind = BlackjackRound if book.family == "blackjack" else SikipiRound
    return kind(book, number, shoe, dismissed)
