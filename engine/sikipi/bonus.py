"""The Bonus Hands: what four cards make, however they are set (3.23, 4.2)."""

from collections.abc import Sequence

from feltwatch.engine.model.cards import Card

_BY_KINDS = {1: "bonus4", 3: "bonus1", 4: ""}  # how many different ranks there are among four cards


def bonus_hand(cards: Sequence[Card]) -> str:
    """Give the book's name of the best Bonus Hand, "" where there is none (3.23.1).

    >>> from feltwatch.engine.model.cards import cards
    >>> [bonus_hand(cards(text)) for text in ("7s 7h 7d Kc", "As Ah 9d 9c", "Qs Qh 3d 7c", "8s 7h 3d Kc")]
    ['bonus3', 'bonus2', 'bonus1', '']
    """
    heights = sorted(card.height for card in cards)
    kinds = len(set(heights))
    if kinds == 2:
        return "bonus2" if heights[0] == heights[1] and heights[2] == heights[3] else "bonus3"
    return _BY_KINDS[kinds]
