"""What hands come to by the books' own words, worked out apart from the engine that is judged by it."""

from collections.abc import Sequence

from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import Card

LIMIT = 21
DEALER_STANDS = 17
LIVE = "live-blackjack"

SIDES = {  # side bets a box may have before the deal
    "blackjack-rws-v4": ("pair", "under13", "over13"),
    "blackjack-rws-v5": ("pair", "under13", "over13"),
    "rws-blackjack-2024": ("rws-pairs", "boom-busted"),
    LIVE: ("pair",),
    "si-ki-pi-v3": ("bonus", "dealer-bonus"),
}
STANDING = ("blackjack-rws-v5", "rws-blackjack-2024", "si-ki-pi-v3")  # who may stand at a box and bet on it


def total(cards: Sequence[Card]) -> tuple[int, bool]:
    """Give the points, and whether an Ace counts 11 in them."""
    points = sum(card.value for card in cards)
    soft = points <= LIMIT - 10 and any(card.rank == "A" for card in cards)
    return points + 10 * soft, soft


def points(cards: Sequence[Card]) -> int:
    return total(cards)[0]


def natural(cards: Sequence[Card]) -> bool:
    return len(cards) == 2 and points(cards) == LIMIT


def side_odds(book: Book, kind: str, one: Card, two: Card) -> int:
    """Give what a side bet on the first two cards pays to one; 0: it lost.

    >>> from feltwatch.engine.books import BOOKS
    >>> from feltwatch.engine.model.cards import cards
    >>> side_odds(BOOKS["rws-blackjack-2024"], "rws-pairs", *cards("9h 9d"))
    12
    """
    both = min(one.value, 10) + min(two.value, 10)
    if kind in ("under13", "over13"):
        return 1 if (both < 13 if kind == "under13" else both > 13) else 0
    if one.rank != two.rank:
        return 0
    return book.pays["pair" if kind == "pair" else _pair(one, two)].pays


def _pair(one: Card, two: Card) -> str:
    if one.suit == two.suit:
        return "ace-pair-suited" if one.rank == "A" else "suited-pair"
    return "coloured-pair" if one.red == two.red else "mixed-pair"


def boom_odds(book: Book, dealer: Sequence[Card]) -> int:
    """Give what Boom Busted pays to one; 0: the dealer did not bust."""
    return book.pays[f"boom{min(len(dealer), 8)}"].pays if points(dealer) > LIMIT else 0


def may_split(book: Book, cards: Sequence[Card], hands: int, *, aces: bool) -> bool:
    """Two cards of one value, within the hands the book allows; split Aces not again."""
    return len(cards) == 2 and cards[0].value == cards[1].value and hands < book.max_hands and not aces


def may_double(book: Book, cards: Sequence[Card], *, split: bool, aces: bool) -> bool:
    """The first two cards, not a Soft 21, not split Aces; live: not after a split."""
    return len(cards) == 2 and points(cards) < LIMIT and not aces and not (split and book.id == LIVE)


def may_surrender(book: Book, up: Card) -> bool:
    """Against no Ace; live: nor against a ten."""
    return up.rank != "A" and not (book.id == LIVE and up.value == 10)
