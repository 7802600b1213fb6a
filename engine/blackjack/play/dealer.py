"""The dealer's hand: when the dealer draws and stands, alerts for cards too many or too few, and what follows."""

from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import DEALER_STANDS, LIMIT, Total
from feltwatch.engine.blackjack.money import settlement, side_bets
from feltwatch.engine.blackjack.play import turns
from feltwatch.engine.books.settings import Switches
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.spots import DISCARD
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round.base import CardSeen

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState


def stands(r: "BlackjackState") -> bool:
    """Tell whether the dealer's total says stand."""
    return r.dealer.total is not None and stands_on(r.dealer.total, r.switches)


def stands_on(found: Total, switches: Switches) -> bool:
    """Tell whether the dealer stands on a total (B1)."""
    if found.points == DEALER_STANDS and found.soft:
        return switches.dealer_soft17 == "stand"
    return found.points >= DEALER_STANDS


def pending(r: "BlackjackState") -> bool:
    """Tell whether a bet still waits for the dealer's cards."""
    if any(stack for stack in side_bets.insured(r) if r.undecided(stack)) or _boom_waits(r):
        return True
    return any(settlement.waits(r, hand) for hand in r.all_hands() if not (hand.invalid or hand.bust or hand.away))


def _boom_waits(r: "BlackjackState") -> bool:
    waiting = [stack for stack in side_bets.booms(r) if r.undecided(stack)]
    if not waiting or r.switches.boom_drawout == "always":
        return bool(waiting)
    return all(hand.bust for hand in r.all_hands()) or bool(settlement.open_hands(r))


def only_naturals(r: "BlackjackState") -> bool:
    """Tell whether the second card alone decides all that is left."""
    if _boom_waits(r):
        return False
    return all(hand.natural for hand in settlement.open_hands(r) if settlement.waits(r, hand))


def draws(r: "BlackjackState") -> bool:
    """Tell whether the dealer owes the table a card."""
    if r.dealer.complete or stands(r):
        return False
    if len(r.dealer) > 1 and only_naturals(r):
        return False
    return pending(r)


def is_blackjack_unpaid(r: "BlackjackState") -> bool:
    """Tell whether a Blackjack still lies there unpaid: the dealer may well draw out before he settles."""
    naturals = [hand for hand in r.all_hands() if hand.natural and not hand.invalid]
    return any(hand.away for hand in r.all_hands()) or any(
        stack.settled.untouched and stack.now.present for hand in naturals for stack in settlement.betting(r, hand)
    )


def after(r: "BlackjackState") -> None:
    """Settle what the dealer's cards now decide."""
    if len(r.dealer) == 2 and r.dealer.total is not None:
        settlement.against_second(r)
    if stands(r) and len(r.dealer) > 1 and r.acting() is None:
        r.dealer.complete = True
        settlement.against_dealer(r)


def opened_again(r: "BlackjackState") -> None:
    """A card left the dealer's hand: what it had decided is open again."""
    r.dealer.complete, r.dealer_shown = False, len(r.dealer) > 1
    for hand in settlement.open_hands(r):
        if not (hand.natural and (r.dealer_shown or not (r.upcard_is_ace or r.upcard_is_ten))):
            settlement.reopen(r, hand)
    for stack in (*side_bets.booms(r), *([] if r.dealer_shown else side_bets.insured(r))):
        settlement.undo(r, stack, 1)


def settle_early(r: "BlackjackState") -> bool:
    """Settling has begun, and the dealer's cards lay complete before the Players were done: these stood."""
    if r.dealer.complete or len(r.dealer) < 2 or not stands(r):
        return False
    turns.stands(r, tuple(hand for hand in r.all_hands() if not r.finished(hand) and not turns.blocks(r, hand)))
    after(r)
    return r.dealer.complete


def overdraw(r: "BlackjackState", seen: CardSeen) -> None:
    """5.10.2: the card is discarded and the total before it stands; nothing is reconstructed."""
    points = r.dealer.points
    cancelled = r.book.reconstructs == "void"
    if cancelled:
        remedy = r.error_remedy([])
    else:
        options = ("continue", "return-bet") if r.switches.overdraw_options == "true" else ()
        says = f"Discard the {spoken(seen.card)}; the dealer stands on {points}."
        remedy = Remedy("discard", r.book.clause("overdraw"), options, play_hands(r), says=says)
    name = r.alert(
        "dealer-overdraw",
        f"The dealer had {points} and drew the {spoken(seen.card)}.",
        remedy,
        anchor=seen.id,
        evidence=tuple(one.id for one in (*r.dealer.cards, seen)),
    )
    if not name:
        r.dealer.add(seen)
        settlement.against_dealer(r)
    elif cancelled:
        r.cancel(name)
    else:
        r.plan(name, waits=bool(remedy.options))
        seen.zone = DISCARD


def play_hands(r: "BlackjackState") -> dict[str, tuple[str | None, ...]]:
    return {"dealer.cards": r.dealer.faces}


def left_short(r: "BlackjackState") -> None:
    """The round ends and the dealer still owed the table a card."""
    if any(plan.waits for plan in r.plans.values()) or r.stray is not None:
        return
    turns.stands(r, tuple(h for h in r.all_hands() if not r.finished(h) and not turns.blocks(r, h)))
    after(r)
    if r.acting() is None and r.dealer.total is not None and not r.only_seen:
        stood_short(r, "cards-cleared")


def stood_short(r: "BlackjackState", anchor: str) -> bool:
    """Settling began before the dealer had 17 (3.23), or before he drew out for Boom Busted (3.26.1)."""
    if not draws(r) or r.dealer.total is None or (r.dealer.points or 0) > LIMIT:
        return False
    hands = [hand for hand in settlement.open_hands(r) if settlement.waits(r, hand)]
    points = r.dealer.points
    if not hands and _boom_waits(r):
        code, says = "dealer-not-drawn-for-boom", f"All hands are done, Boom Busted is not: the dealer has {points}."
    else:
        code, says = "dealer-under-17-stands", f"The dealer has only {points} and settling has begun."
    if code in {alert.code for alert in r.alerts.values()}:
        return True
    name = r.alert(
        code,
        says,
        Remedy("continue", r.faultclause(code), says="Put the chips back as they lay and deal the dealer a card."),
        anchor=anchor,
        evidence=tuple(seen.id for seen in r.dealer.cards),
    )
    r.cancel(name)
    return True
