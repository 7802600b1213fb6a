"""What two cards are worth together: Pairs, then the Gong, then points (3.3, 3.4, Appendix G)."""

from feltwatch.engine.model.cards import Card

Part = tuple[Card, Card]  # the Low Hand or the High Hand

GONG = 10  # as a sum the Gong stands above 9 (S-6), and Pairs above it
_PAIR = 11
_GONG_CARDS = {2, 8}
_HEIGHTS = range(2, 15)


def _points(height: int) -> int:
    """Ace 1; 10, Jack, Queen and King 0 (3.4.2)."""
    return 1 if height == max(_HEIGHTS) else height % 10 if height <= 10 else 0


def _order(one: int, two: int) -> int:
    """The sum in the high byte; of equal sums the higher card decides, then the other (Appendix G)."""
    high, low = max(one, two), min(one, two)
    if high == low:
        level = _PAIR
    elif {high, low} == _GONG_CARDS:
        level = GONG
    else:
        level = (_points(high) + _points(low)) % 10
    return level << 8 | high << 4 | low


# By the heights of both cards: a table of 256 makes a comparison two look-ups.
ORDER = tuple(_order(one, two) if one in _HEIGHTS and two in _HEIGHTS else 0 for one in range(16) for two in range(16))


def hand_sum(part: Part) -> int:
    """Give the Point Total, 10 for a Gong, 11 for a Pair.

    >>> from feltwatch.engine.model.cards import cards
    >>> hand_sum(cards("7s 6h")), hand_sum(cards("Ks Qh")), hand_sum(cards("2s 8h"))
    (3, 0, 10)
    """
    return ORDER[part[0].height << 4 | part[1].height] >> 8


def strength(part: Part) -> int:
    """Give a number that is the higher the better the hand; all hands of zero points are equal (3.22.5, 3.22.6).

    >>> from feltwatch.engine.model.cards import cards
    >>> strength(cards("As 8h")) > strength(cards("Ks 9h")), strength(cards("Ks Qh")) == strength(cards("6s 4h"))
    (True, True)
    """
    order = ORDER[part[0].height << 4 | part[1].height]
    return order if order >> 8 else 0


def beats(mine: Part, dealers: Part) -> bool:
    """Tell whether the Player wins this part: a copy goes to the Dealer (3.22.1 to 3.22.6)."""
    return strength(mine) > strength(dealers)


def outcome(mine: tuple[Part, Part], dealers: tuple[Part, Part]) -> str:
    """Compare Low with Low and High with High: both won, one won, or none (3.2, 3.22.7 to 3.22.9)."""
    won = beats(mine[0], dealers[0]) + beats(mine[1], dealers[1])
    return ("lose", "stand-off", "win")[won]
