"""The cards still to come, which the dealer of our films may choose from."""

from collections import Counter
from random import Random

from feltwatch.engine.model.cards import CARDS, RANKS, Card

TENS = "TJQK"
LOW_LEFT = 75  # with fewer cards in it a shoe is shuffled before the next round


class DealerShoe:
    """Shuffled decks; a card may be asked for, and the nearest such card is drawn."""

    def __init__(self, rng: Random, decks: int) -> None:
        self.decks = decks
        self.drawn: Counter[str] = Counter()
        self._rest = [*CARDS.values()] * decks
        rng.shuffle(self._rest)

    def __len__(self) -> int:
        return len(self._rest)

    def draw(self, wanted: str = "") -> Card:
        """Draw a card of one of the ranks `wanted`; any card where it is empty or no such card is left.

        >>> DealerShoe(Random(1), 4).draw("9").rank
        '9'
        """
        at = len(self._rest) - 1
        if wanted:
            at = next((i for i in range(at, -1, -1) if self._rest[i].rank in wanted), at)
        card = self._rest.pop(at)
        self.drawn[card.text] += 1
        return card

    def face(self, text: str) -> Card:
        """Draw that very face, though the decks may hold no more of them: such a card came from elsewhere."""
        card = CARDS[text]
        if card in self._rest:
            self._rest.remove(card)
        self.drawn[text] += 1
        return card

    def all_drawn(self, text: str) -> bool:
        """True if every copy of a face has come."""
        return self.drawn[text] >= self.decks


def new_deck(rng: Random) -> list[str]:
    """Give the faces in the order of a new deck, up or down, from one suit or another on."""
    suits = ["shdc", "hscd", "cdhs"][rng.randrange(3)]
    ranks = "A" + RANKS[:-1]
    order = [rank + suit for suit in suits for rank in ranks]
    return order if rng.random() < 0.5 else order[::-1]
