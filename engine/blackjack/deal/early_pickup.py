"""Hands whose cards leave the table before they are decided, where no decision was reported and no amount is known."""

from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.deal import initial_deal
from feltwatch.engine.blackjack.money import settlement
from feltwatch.engine.blackjack.play import decisions
from feltwatch.engine.round import payments

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.hands import BlackjackHand
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.round.base import CardSeen
    from feltwatch.engine.round.stack import Stack


def removed(r: "BlackjackState", seen: "CardSeen") -> None:
    """A card leaves the table; if half of its bet was taken, that is a Surrender."""
    if r.playing:
        note(r, seen)
    else:
        initial_deal.removed(r, seen)
    box = seen.zone.box
    if box and box in r.half_taken and not r.finished(r.hands[box][0]):
        decisions.surrender(r, r.hands[box][0], inferred=True)
        for stack, delta in r.half_taken.pop(box):
            payments.matches(r, stack, delta)


def note(r: "BlackjackState", seen: "CardSeen") -> None:
    """The last card of an open hand is taken up: what follows says what that was."""
    hand = r.hand(seen.zone.box, seen.zone.hand) if seen.zone.box else None
    if hand is None or r.dealer.complete or r.seat(hand.box).bet.stake is not None:
        return
    is_open = not (hand.bust or hand.surrendered or hand.invalid) and settlement.waits(r, hand)
    if is_open and all(one.gone for one in hand.cards):
        hand.up = "late" if r.too_late or len(r.dealer) > 1 else "early"


def went_on(r: "BlackjackState", seen: "CardSeen") -> None:
    """A card falls: hands that were taken up before it are out of the round, unless it is theirs."""
    target = r.hand(seen.zone.box or 0, seen.zone.hand)
    for hand in r.all_hands():
        if hand is target:
            hand.up, hand.away = "", False
        elif hand.up:
            _decide(r, hand)


def at_the_end(r: "BlackjackState") -> None:
    """No card fell any more: that it was settled shows where the dealer's hand was on its bet."""
    for hand in r.all_hands():
        if hand.up and r.seat(hand.box).settled.by_dealer:
            _decide(r, hand)
        elif hand.up:
            hand.up, hand.away = "", True


def reasons(r: "BlackjackState") -> list[str]:
    """Give the hands with an unknown result."""
    boxes = dict.fromkeys(hand.box for hand in r.all_hands() if hand.away)
    return [f"the cards of box {box} were taken up before it was" for box in boxes]


def _decide(r: "BlackjackState", hand: "BlackjackHand") -> None:
    """A Surrender, even money, or an unknown result: before a third card, and with the bet gone."""
    seat = r.seat(hand.box)
    early, hand.up = hand.up == "early" and not seat.now.present, ""
    ruled = not (r.doubt or any(plan.waits for plan in r.plans.values()))
    if early and ruled and hand.natural and r.upcard_is_ace and r.book.id != "live-blackjack":
        for stack in settlement.betting(r, hand):
            decisions.even_money(r, stack, hand, inferred=True)
    elif early and ruled and _half_went_back(seat) and _may_surrender(r, hand):
        decisions.surrender(r, hand, inferred=True)
    elif not hand.natural:
        hand.away = True


def _half_went_back(seat: "Stack") -> bool:
    """Tell whether the dealer may have left some of a bet: of one that a card unseen has lost he takes all."""
    return seat.settled.emptied is None or seat.settled.emptied.by != "dealer"


def _may_surrender(r: "BlackjackState", hand: "BlackjackHand") -> bool:
    return hand.total is not None and not hand.natural and decisions.may_surrender(r, hand)
