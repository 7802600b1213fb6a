"""Blackjack hands: what they count, and whether they are complete."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from feltwatch.engine.model.cards import Card
from feltwatch.engine.round.base import CardSeen

LIMIT = 21
MUST_DRAW_BELOW = 12  # v5 3.19: a Player draws until he has 12
DEALER_STANDS = 17  # v5 3.23


class Total(NamedTuple):
    """A Point Total; soft while an Ace counts 11."""

    points: int
    soft: bool


EMPTY = Total(0, soft=False)


def total(cards: Sequence[Card | None]) -> Total | None:
    """Give the highest total not over 21, else the lowest; nothing where a card is unread.

    >>> from feltwatch.engine.model.cards import cards
    >>> total(cards("As 6d")), total(cards("As 6d Kc")), total(cards("As Ad 9c Kh"))
    (Total(points=17, soft=True), Total(points=17, soft=False), Total(points=21, soft=False))
    """
    points, ace = 0, False
    for card in cards:
        if card is None:
            return None
        points += card.value
        ace = ace or card.value == 1
    return Total(points + 10, soft=True) if ace and points <= LIMIT - 10 else Total(points, soft=False)


def with_card(found: Total | None, card: Card | None) -> Total | None:
    """Give a total after one more card, in constant time.

    >>> with_card(Total(17, soft=True), None) is None
    True
    """
    if found is None or card is None:
        return None
    least = found.points + card.value - (10 if found.soft else 0)
    soft = (found.soft or card.value == 1) and least <= LIMIT - 10
    return Total(least + 10 if soft else least, soft)


@dataclass(slots=True)
class BlackjackHand:
    """The cards of one hand, and what was decided on it. Box 0 is the dealer."""

    box: int
    number: int = 1
    cards: list[CardSeen] = field(default_factory=list)
    total: Total | None = EMPTY
    split: bool = False
    aces: bool = False  # from a split pair of Aces
    doubled: bool = False
    stood: str = ""  # how it is known: reported, inferred, or "" while it is open
    asked: str = ""  # a reported decision, not yet carried out
    surrendered: bool = False
    invalid: bool = False  # its bet was given back
    extra: Decimal | None = None  # chips added and not yet explained
    refusal: str = ""  # the alert that its double or split is not allowed, until a card falls
    left: bool = False  # play has left it although it was not done; that was said
    up: str = ""  # "early" or "late": its cards were taken up, and what that was is still to show
    away: bool = False  # its cards were taken up, and its result is unknown
    complete: bool = False  # the dealer's: it stands or is bust, and every Player is done

    def __len__(self) -> int:
        return len(self.cards)

    def add(self, seen: CardSeen) -> None:
        self.cards.append(seen)
        self.total = with_card(self.total, seen.card)

    def drop(self, seen: CardSeen) -> None:
        self.cards.remove(seen)
        self.total = total([one.card for one in self.cards])

    @property
    def faces(self) -> tuple[str | None, ...]:
        return tuple(one.card.text if one.card else None for one in self.cards)

    @property
    def points(self) -> int | None:
        return self.total.points if self.total else None

    @property
    def bust(self) -> bool:
        return self.total is not None and self.total.points > LIMIT

    @property
    def natural(self) -> bool:
        """Ace and ten as the first two cards, not of a split: a Blackjack."""
        return len(self.cards) == 2 and not self.split and self.total is not None and self.total.points == LIMIT

    @property
    def soft21(self) -> bool:
        return self.total is not None and self.total == (LIMIT, True) and not self.natural

    @property
    def full_double(self) -> bool:
        return self.doubled and len(self.cards) > 2

    def pair(self, *, unlike_tens: bool = True) -> bool | None:
        """Tell whether the first two cards have one value; nothing where one is unread."""
        one, two = self.cards[0].card, self.cards[1].card
        if one is None or two is None:
            return None
        return one.rank == two.rank or (unlike_tens and one.value == two.value)


def why_finished(hand: BlackjackHand, *, hard21: bool, absent: bool) -> str:
    """Name the error that one more card on this hand would be, or "" while the hand may draw."""
    if hand.natural:
        return "hit-on-blackjack"
    if hand.aces and len(hand.cards) > 1:
        return "split-aces-extra-card"
    if hand.bust:
        return "card-after-bust"
    if hand.full_double:
        return "hit-after-double"
    return _by_total(hand, hard21=hard21, absent=absent) or _by_decision(hand)


def _by_total(hand: BlackjackHand, *, hard21: bool, absent: bool) -> str:
    """A 21 takes no card; nor does the House draw for an absent Player at 12 or more."""
    found = hand.total
    if found is None or found.points < MUST_DRAW_BELOW:
        return ""
    if found.points == LIMIT and (found.soft or hard21):
        return "hit-on-soft-21" if found.soft else "hit-on-21"
    return "absent-player-overdrawn" if absent and len(hand.cards) > 1 else ""


def _by_decision(hand: BlackjackHand) -> str:
    if hand.stood == "told":
        return "" if hand.left else "card-after-stand"
    return "subsequent-deal-wrong-box" if hand.stood or hand.invalid or hand.surrendered else ""
