"""Cards as the books name them: rank `A 2 … 9 T J Q K`, then suit `s h d c`."""

from dataclasses import dataclass

RANKS = "23456789TJQKA"
SUITS = "shdc"


class CardTextError(ValueError):
    """The text names no card of a 52-card deck."""


@dataclass(frozen=True, slots=True)
class Card:
    """One face of a 52-card deck.

    >>> Card.parse("Th").value, Card.parse("As").value, Card.parse("Kd").height
    (10, 1, 13)
    """

    text: str
    rank: str
    suit: str
    value: int  # blackjack points, the Ace as 1
    points: int  # Si Ki Pi points: tens and pictures 0
    height: int  # 2 lowest, Ace (14) highest

    @property
    def red(self) -> bool:
        return self.suit in "hd"

    @staticmethod
    def parse(text: object) -> "Card":
        card = CARDS.get(text) if isinstance(text, str) else None
        if card is None:
            raise CardTextError(f"expected a card such as '9h' or 'Td', found {text!r}")
        return card

    def __str__(self) -> str:
        return self.text


def _make(rank: str, suit: str) -> Card:
    height = RANKS.index(rank) + 2
    value = 1 if rank == "A" else min(height, 10)
    return Card(rank + suit, rank, suit, value, value % 10, height)


CARDS = {rank + suit: _make(rank, suit) for suit in SUITS for rank in RANKS}


def cards(text: str) -> tuple[Card, ...]:
    """Give the cards of a line such as "9h Ks"."""
    return tuple(Card.parse(word) for word in text.split())


NAMES = {
    "A": "Ace",
    "K": "King",
    "Q": "Queen",
    "J": "Jack",
    "T": "10",
    "s": "spades",
    "h": "hearts",
    "d": "diamonds",
    "c": "clubs",
}


def spoken(card: Card | None) -> str:
    """Say a card as a dealer would.

    >>> spoken(Card.parse("Qh"))
    'Queen of hearts'
    """
    if card is None:
        return "unread card"
    return f"{NAMES.get(card.rank, card.rank)} of {NAMES[card.suit]}"
