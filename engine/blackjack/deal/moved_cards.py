"""Cards that are carried to another place or become the next card: what a ruling or a dealer's hand puts right."""

from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.deal import misplaced_cards, subsequent_deal
from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.blackjack.money import settlement
from feltwatch.engine.blackjack.play import dealer, inferred, turns
from feltwatch.engine.blackjack.state import Stray
from feltwatch.engine.model.spots import SHOE, Zone
from feltwatch.engine.round.base import CardSeen

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState


def ruled(r: "BlackjackState", stray: Stray, choice: str) -> None:
    """Carry a ruling through."""
    if stray.seen.id not in r.apart or choice == "return-bet":
        return
    reconstructs = choice == "continue-reconstructed" or stray.code == "simultaneous-cards"
    if r.stray is not stray:  # play has gone on; the card waits to be moved
        stray.seen.zone = SHOE if reconstructs else stray.seen.zone
    elif reconstructs:
        r.stray = None
        due = r.hand(stray.target.box, stray.target.hand) if stray.target.box else None
        if due in stray.passed:
            before = stray.passed[: stray.passed.index(due)]
            turns.stands(r, tuple(one for one in before if not turns.blocks(r, one)))
        next_card(r, stray.seen)
    else:
        misplaced_cards.let_lie(r)


def next_card(r: "BlackjackState", seen: CardSeen) -> None:
    """A card kept apart is dealt as the next card, to the hand that must draw; else it waits in the shoe."""
    r.apart.pop(seen.id, None)
    r.waiting.append(seen)
    seen.zone = SHOE
    serve(r)


def serve(r: "BlackjackState") -> None:
    """Cards that wait to be the next go to the hand that asks for one, or to the dealer when his turn has come."""
    while r.waiting:
        seen = r.waiting[0]
        target = misplaced_cards.next_place(r, seen)
        if target.box is None:
            return
        del r.waiting[0]
        seen.zone = target
        hand = r.hand(target.box, target.hand) or r.dealer
        if hand is r.dealer:
            subsequent_deal.to_dealer(r, seen)
        else:
            subsequent_deal.take(r, hand, seen)


def moved(r: "BlackjackState", seen: CardSeen, source: Zone) -> None:
    """A card is carried to another place: an error put right, a pair moved apart, or the next card from the shoe."""
    to = r.hand(seen.zone.box, seen.zone.hand) if seen.zone.box is not None else None
    stray = r.apart.get(seen.id)
    if stray is not None:
        misplaced_cards.put_right(r, stray)
        _lands(r, to, seen)
        return
    if source.box is None:
        if to is not None:
            r.waiting = [one for one in r.waiting if one is not seen]
        _lands(r, to, seen)
        return
    old = r.hand(source.box, source.hand)
    if old is None or seen not in old.cards:
        return
    if r.stray is not None and r.stray.other is seen:
        _second_first(r, r.stray, old, seen)
        _lands(r, to, seen)
    elif to is not None and source.box and _parts(old, to, seen):
        inferred.moved_apart(r, old, seen)
    elif to is not None and to is not old:
        _carried(r, old, to, seen)


def _parts(old: BlackjackHand, to: BlackjackHand, seen: CardSeen) -> bool:
    """Tell whether a card moved within its box makes a new hand, or shows which of a pair had been moved."""
    known = to.number == seen.zone.hand
    return old.box == to.box and (not known or to is old or (len(old), len(to)) == (1, 1))


def _second_first(r: "BlackjackState", stray: Stray, hand: BlackjackHand, first: CardSeen) -> None:
    """Of two cards drawn together the Player takes the second; the first is the next card."""
    misplaced_cards.put_right(r, stray)
    hand.drop(first)
    settlement.reopen(r, hand)
    misplaced_cards.count(r, hand, stray.seen)


def _lands(r: "BlackjackState", to: BlackjackHand | None, seen: CardSeen) -> None:
    """A card that was kept apart comes to a hand."""
    if to is None:
        return
    if to.box == 0:
        subsequent_deal.to_dealer(r, seen)
        return
    r.hit = True
    if r.finished(to):
        subsequent_deal.to_player(r, to, seen)
        return
    passed = turns.between(r, r.acting(), to)
    turns.stands(r, tuple(one for one in passed if not turns.blocks(r, one)))
    to.asked = to.asked or "hit"
    subsequent_deal.take(r, to, seen)


def _carried(r: "BlackjackState", old: BlackjackHand, to: BlackjackHand, seen: CardSeen) -> None:
    """A card that counted goes to another hand: what rested on it is open again."""
    for code in ("card-without-request", "hit-on-21"):
        if (plan := r.plans.get(f"r{r.number}-{code}-{seen.id}")) is not None:
            plan.waits = False
    old.drop(seen)
    if old.box == 0:
        dealer.opened_again(r)
    else:
        settlement.reopen(r, old)
        inferred.no_double(r, old, seen)
    for hand in r.all_hands():
        found = r.inferred.get((hand.box, hand.number))
        if found is not None and found[0] == seen.n:
            del r.inferred[hand.box, hand.number]
            hand.stood = "" if found[1] == "stand" else hand.stood
    to.stood = to.stood if to.stood == "told" else ""
    _lands(r, to, seen)
