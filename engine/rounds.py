"""Which kind of round a book plays."""

from engine.blackjack.round import BlackjackRound
from engine.books import Book
from engine.round import Round
from engine.shoe import Shoe
from engine.sikipi.round import SikipiRound


def new_round(book: Book, number: int, shoe: Shoe, dismissed: frozenset[str]) -> Round:
    """Begin a round of the book's own game."""
    kind = BlackjackRound if book.family == "blackjack" else SikipiRound
    return kind(book, number, shoe, dismissed)
