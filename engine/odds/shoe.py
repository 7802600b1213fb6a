"""What is in the shoe: how many cards of each value, and the hands they make."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from feltwatch.engine.blackjack.hands import BlackjackHand, total
from feltwatch.engine.model.cards import CARDS, Card, cards
from feltwatch.engine.model.spots import hand_zone
from feltwatch.engine.round.base import CardSeen

Counts = tuple[int, ...]  # how many cards of each value, the Ace first and the tens last

FACES = cards("As 2s 3s 4s 5s 6s 7s 8s 9s Ts")  # one card for all of its value
NONE: Counts = (0,) * len(FACES)
ACE, TEN = 0, len(FACES) - 1
SUITED = 2  # cards in a hand before its first decision


def full(decks: int) -> Counts:
    """Give the shoe before the first card.

    >>> full(8)
    (32, 32, 32, 32, 32, 32, 32, 32, 32, 128)
    """
    found = Counter(card.value for card in CARDS.values())
    return tuple(decks * found[face.value] for face in FACES)


def plus(counts: Counts, value: int, more: int = 1) -> Counts:
    return (*counts[:value], counts[value] + more, *counts[value + 1 :])


def add(one: Counts, two: Counts) -> Counts:
    return tuple(map(int.__add__, one, two))


def less(one: Counts, two: Counts) -> Counts:
    return tuple(map(int.__sub__, one, two))


def lay(faces: Sequence[Card], *, box: int = 0, split: str = "") -> BlackjackHand:
    """Lay a hand of the engine's; box 0 is the dealer's. `split` is the rank of the pair that it is half of."""
    seen = [CardSeen(f"c{n}", hand_zone(box), face, up=True, t=0.0, n=n) for n, face in enumerate(faces)]
    return BlackjackHand(box, cards=seen, total=total(faces), split=split != "", aces=split == "A")


@cache
def player(counts: Counts, split: str = "") -> BlackjackHand:
    """Give a player's hand of so many cards of each value."""
    return lay([face for face, count in zip(FACES, counts, strict=True) for _ in range(count)], box=1, split=split)


def falls(cards_left: int, length: int) -> list[int]:
    """Give for each number of cards drawn in how many ways the rest of `length` cards can follow.

    >>> falls(10, 3)
    [720, 72, 8, 1]
    """
    found = [1]
    for drawn in reversed(range(length)):
        found.append(found[-1] * (cards_left - drawn))
    return found[::-1]
