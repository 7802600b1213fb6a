"""Side bets: on the first two cards, on the dealer's hand, and Insurance."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement

from feltwatch.engine.blackjack.money import side_bets
from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.odds.dealer import finals
from feltwatch.engine.odds.shoe import ACE, FACES, NONE, Counts, full, lay, less, plus

ONE = Decimal(1)
LOST = ""  # the key of what wins nothing


def edge(book: Book, chances: Mapping[str, Fraction]) -> Fraction:
    """Give what the house keeps of a bet that wins by these keys of the pay table, else loses."""
    return -sum((chance * (book.pays[key].win(ONE) if key else -1) for key, chance in chances.items()), Fraction(0))


def first_two(book: Book, kind: str) -> dict[str, int]:
    """Count the pairs of cards of the whole shoe by what the side bet wins on them."""
    found: dict[str, int] = {}
    for one, two in combinations_with_replacement(CARDS.values(), 2):
        key = side_bets.wins(kind, one, two)
        pairs = book.decks * (book.decks - 1) // 2 if one is two else book.decks**2
        found[key] = found.get(key, 0) + pairs
    return found


def shares(counts: Mapping[str, int]) -> dict[str, Fraction]:
    whole = sum(counts.values())
    return {key: Fraction(count, whole) for key, count in counts.items()}


def insurance(book: Book, gone: Counts = NONE) -> dict[str, int]:
    """Count the dealer's second cards by how an Insurance ends; `gone` is what is known besides his Ace."""
    found = {"insurance": 0, LOST: 0}
    for face, copies in zip(FACES, less(plus(full(book.decks), ACE, -1), gone), strict=True):
        found["insurance" if lay([FACES[ACE], face]).natural else LOST] += copies
    return found


def boom(book: Book) -> dict[str, Fraction]:
    """Give the chances of Boom Busted by its pay table; the dealer always draws out (B17)."""
    return finals(book, [*(key for key in book.pays if key.startswith("boom")), LOST], side_bets.boom)
