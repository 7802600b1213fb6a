"""Whose turn it is: which hands may be passed, and what it means that the next hand got its card."""

from itertools import takewhile
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW, BlackjackHand

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState

UNDER_12 = "player-under-12-not-drawn"


def blocks(r: "BlackjackState", hand: BlackjackHand) -> bool:
    """Tell whether a hand cannot have been left: it needs a card, asked for one, or (where reported) has not stood."""
    if hand.left:
        return False
    if len(hand) < 2 or hand.asked in ("hit", "double") or hand.extra:
        return True
    if hand.points is None:
        return False
    return hand.points < MUST_DRAW_BELOW or (r.told and hand.points < LIMIT)


def between(r: "BlackjackState", acting: BlackjackHand | None, hand: BlackjackHand) -> tuple[BlackjackHand, ...]:
    """Give the unfinished hands that come before this one."""
    if acting is None or acting is hand:
        return ()
    found = [one for one in takewhile(lambda one: one is not hand, r.all_hands()) if not r.finished(one)]
    return tuple(one for one in found if not (one.box == hand.box and len(one) == 1 and _later(r, hand, one)))


def _later(r: "BlackjackState", hand: BlackjackHand, one: BlackjackHand) -> bool:
    """Of one box's re-split hands any may come next, once the hand in play is finished."""
    hands = r.hands[hand.box]
    return one.number > hand.number and all(h in (hand, one) or len(h) == 1 or not blocks(r, h) for h in hands)


def stands(r: "BlackjackState", hands: tuple[BlackjackHand, ...]) -> None:
    """The next hand got a card: those before it stood."""
    for hand in hands:
        if hand.left and hand.stood:
            left_short(r, hand)
        hand.left = False
        if not hand.stood:
            hand.stood = "inferred"
            r.infer(hand.box, hand.number, "stand")


def place(hand: BlackjackHand) -> str:
    return f"box{hand.box}-hand{hand.number}-{len(hand)}"


def left_short(r: "BlackjackState", hand: BlackjackHand) -> None:
    """Play has gone on over a hand that stood under 12: the options of 5.7."""
    name = f"r{r.number}-{UNDER_12}-{place(hand)}"
    says = f"Cards were dealt elsewhere while box {hand.box} had {hand.points}: offer the options."
    r.remedied(name, r.error_remedy([], can=False, says=says))
    r.plan(name)
