"""The cards since the last shuffle: how many copies of each were seen, and whether they came shuffled."""

from dataclasses import dataclass, field
from itertools import pairwise

from feltwatch.engine.model.cards import Card

OPENING = 15  # so many cards in one order show an unshuffled shoe


@dataclass(slots=True)
class Shoe:
    """Counts since the shuffle; a round works on a copy, so that it can be judged again."""

    copies: dict[Card, int] = field(default_factory=dict)
    opening: list[Card | None] = field(default_factory=list)
    before: tuple[Card | None, ...] = ()  # the opening of the shoe before
    burn: int = 0  # cards still to be burnt

    def copy(self) -> "Shoe":
        return Shoe(self.copies.copy(), self.opening.copy(), self.before, self.burn)

    def shuffled(self, burn: int) -> None:
        self.copies.clear()
        self.before = tuple(self.opening)
        self.opening.clear()
        self.burn = burn

    def count(self, card: Card) -> int:
        """Take note of one more copy; give how many there are now."""
        found = self.copies.get(card, 0) + 1
        self.copies[card] = found
        return found

    def opens(self, card: Card | None) -> str | None:
        """Take note of a card drawn; say why the shoe looks unshuffled once its opening is known."""
        if len(self.opening) >= OPENING:
            return None
        self.opening.append(card)
        read = [one for one in self.opening if one is not None]
        if len(read) < OPENING:
            return None
        if tuple(self.opening) == self.before:
            return "they repeat the opening of the shoe before"
        if _new_deck(read):
            return "they follow the order of a new deck"
        return None


def _new_deck(opening: list[Card]) -> bool:
    """Tell whether the cards run through the suits, all up or all down, as a new deck does."""
    steps = {_step(one, two) for one, two in pairwise(opening)}
    return steps <= {1, 0} or steps <= {-1, 0}


def _step(one: Card, two: Card) -> int:
    """Give 1 or -1 for the next card of the suit up or down, 0 for the turn to another suit, 2 for anything else."""
    if one.suit != two.suit:
        return 0 if {one.rank, two.rank} <= {"A", "K", "2"} else 2
    apart = two.height - one.height
    if apart in (1, -12):
        return 1
    return -1 if apart in (-1, 12) else 2
