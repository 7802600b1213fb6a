"""What a hand may do: the actions that the book opens to it, said when its first two cards lie there."""

from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW, BlackjackHand
from feltwatch.engine.blackjack.play import decisions

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState


def first_two(r: "BlackjackState") -> None:
    """Offer every box its actions; against an Ace, Insurance and Even Money too (3.14)."""
    for hand in r.all_hands():
        offer(r, hand)


def offer(r: "BlackjackState", hand: BlackjackHand) -> None:
    """Say what a hand of two cards may do; nothing of a card that is unread."""
    if hand.total is None or r.upcard is None or len(hand) != 2 or hand.invalid or r.dealer_shown:
        return
    found = [*_against_ace(r, hand), *_actions(r, hand)]
    if found:
        r.offers(hand.box, hand.number, tuple(found))


def _actions(r: "BlackjackState", hand: BlackjackHand) -> list[str]:
    if r.finished(hand):
        return []
    points = hand.points or 0
    absent = hand.box in r.absent
    found = ["hit"] if points < LIMIT else []
    found += ["stand"] if points >= MUST_DRAW_BELOW or r.book.id == "live-blackjack" else []
    found += ["double"] if not absent and decisions.may_double(r, hand) else []
    found += ["split"] if not absent and not decisions.split_error(r, hand) else []
    found += ["surrender"] if not absent and not r.hit and decisions.may_surrender(r, hand) else []
    return found


def _against_ace(r: "BlackjackState", hand: BlackjackHand) -> list[str]:
    """Insurance for every bet, Even Money for a Blackjack, while no third card has fallen."""
    if not r.upcard_is_ace or r.hit or hand.split or hand.box in r.absent:
        return []
    even = hand.natural and r.book.id != "live-blackjack"
    return ["even-money", "insurance"] if even else ["insurance"]
