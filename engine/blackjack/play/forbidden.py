"""Decisions that the book forbids, reported from outside: each raises its alert, whether or not chips follow.

The chips that carry a decision out come a moment after it, and tell more: how much, by whose hand. So a forbidden
decision waits for them, until something else happens at the table or `WAIT_S` have passed.
"""

from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.blackjack.state import Forbidden
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.events import Chips, Decision, Event, Signal, Tick
from feltwatch.engine.model.verdicts import Remedy

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState

WAIT_S = 3.0  # for the chips of a decision; and so late may a report of it come
WOULD = {
    "split-not-identical-value": "would split two cards of different value",
    "split-aces-resplit": "would split Aces a second time",
    "split-too-many-hands": "would split into more hands than the book allows",
    "double-not-allowed": "would double a hand that may not be doubled",
    "surrender-not-allowed": "would surrender, which the book does not allow",
    "even-money-not-allowed": "asks for even money, which",
    "insurance-not-allowed": "would insure, and the dealer shows no Ace",
    "insurance-too-late": "would insure after a card beyond the second was dealt",
}


def wait(r: "BlackjackState", code: str, hand: BlackjackHand, event: Decision, anchor: str, why: str = "") -> None:
    """Let a forbidden decision wait for its chips, unless it may be an earlier one that is reported late."""
    if code not in r.book.faults or hand.number != event.hand or _late(r, code, hand, event):
        return
    r.forbidden.append(Forbidden(code, hand, anchor, why, event.t, r.n))


def insurance(r: "BlackjackState", event: Decision, spot: str) -> None:
    """Let an Insurance that is reported with its amount wait, where the dealer shows no Ace or play has gone on."""
    hand, stack = r.hand(event.box), r.stacks.get(spot)
    known = stack is not None and (stack.bet.placed or stack.bet.refused)
    if r.upcard is None or hand is None or hand.invalid or known:
        return
    if not r.upcard_is_ace:
        wait(r, "insurance-not-allowed", hand, event, spot)
    elif r.too_late:
        wait(r, "insurance-too-late", hand, event, spot)


def _late(r: "BlackjackState", code: str, hand: BlackjackHand, event: Decision) -> bool:
    """Tell whether the decision may have been made, and carried out, before the last card."""
    if r.inferred.get((hand.box, hand.number), (0, ""))[1] == event.action:
        del r.inferred[hand.box, hand.number]  # it is reported now
        return True
    if code == "insurance-too-late":
        return r.last_dealt is not None and event.t - r.last_dealt.t < WAIT_S
    in_turn = event.action in ("double", "split") and (len(hand) > 2 or hand.split)
    return in_turn and event.t - hand.cards[-1].t < WAIT_S


def review(r: "BlackjackState", event: Event) -> None:
    """Raise the forbidden decisions for which it makes no sense to wait any longer once this event comes."""
    still = [one for one in r.forbidden if _waits(one, event)]
    due = [one for one in r.forbidden if one not in still]
    r.forbidden = still
    for one in due:
        _raise(r, one)


def _waits(one: Forbidden, event: Event) -> bool:
    return isinstance(event, Chips | Signal | Tick) and event.t - one.t < WAIT_S


def at_the_end(r: "BlackjackState") -> None:
    """The round closes, or the input ends: no chips follow any more."""
    for one in r.forbidden:
        _raise(r, one)
    r.forbidden = []


def _raise(r: "BlackjackState", one: Forbidden) -> None:
    hand = one.hand
    r.alert(
        one.code,
        f"Box {hand.box} {WOULD[one.code]}{one.why}.",
        Remedy("continue", r.faultclause(one.code), says="Refuse it; the hand plays on."),
        anchor=one.anchor,
        box=hand.box,
        hand=hand.number,
        evidence=(*(seen.id for seen in hand.cards), f"e{one.n}"),
        t=one.t,
    )


def points(hand: BlackjackHand) -> str:
    return f" ({hand.points})" if hand.points is not None else ""


def surrender_reason(r: "BlackjackState", hand: BlackjackHand) -> str:
    """Say what forbids a Surrender of this hand, "" where nothing that is known does."""
    if hand.split:
        return " after a split"
    ten = r.book.id == "live-blackjack" and r.switches.live_surrender == "2-9" and r.upcard_is_ten
    return f" against the {spoken(r.upcard)}" if r.upcard_is_ace or ten else ""
