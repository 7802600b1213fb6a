"""Players' decisions: reported from outside, or inferred from chips and cards; a later fact corrects an inference."""

from decimal import Decimal
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import MUST_DRAW_BELOW, BlackjackHand
from feltwatch.engine.blackjack.money import additional_bets, followers, settlement, side_bets
from feltwatch.engine.blackjack.play import dealer, forbidden, turns
from feltwatch.engine.model.spots import MAX_HANDS, hand_zone
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round.stack import BetStatus

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.model.events import Decision
    from feltwatch.engine.model.spots import Spot
    from feltwatch.engine.round.base import CardSeen
    from feltwatch.engine.round.stack import Stack


def told(r: "BlackjackState", event: "Decision") -> None:
    """Take a reported decision."""
    if event.action == "insurance":
        _insures(r, event)
        return
    hand = r.hand(event.box, event.hand)
    if hand is None or hand.box == 0 or hand.invalid:
        return
    hand.left = False
    TOLD[event.action](r, hand, event)


def _hit(r: "BlackjackState", hand: BlackjackHand, event: "Decision") -> None:
    del event
    if hand.stood != "told" and not r.finished(hand):
        hand.asked = "hit"


def _stand(r: "BlackjackState", hand: BlackjackHand, event: "Decision") -> None:
    del event
    short = hand.points is not None and hand.points < MUST_DRAW_BELOW and len(hand) > 1 and not hand.doubled
    hand.asked, hand.stood = "", "told"
    if short and turns.UNDER_12 in r.book.faults:
        name = r.alert(
            turns.UNDER_12,
            f"Box {hand.box} would stand on {hand.points}; it must draw until it has {MUST_DRAW_BELOW}.",
            r.error_remedy([], says=f"The next card is box {hand.box}'s."),
            anchor=turns.place(hand),
            box=hand.box,
            hand=hand.number,
            evidence=tuple(seen.id for seen in hand.cards),
        )
        hand.left = bool(name)
        r.cancel(name)
    elif len(r.dealer) > 1:
        dealer.after(r)


def _double(r: "BlackjackState", hand: BlackjackHand, event: "Decision") -> None:
    if hand.doubled:
        return
    paid, hand.extra = hand.extra, None
    if not may_double(r, hand):
        hand.asked = "bad double-not-allowed"
        if paid:
            refuse(r, hand, "double-not-allowed", paid)
        else:
            forbidden.wait(r, "double-not-allowed", hand, event, turns.place(hand), forbidden.points(hand))
        return
    key = (r.seat(hand.box).spot.text, hand.number)
    base = r.wagers[key][0]
    hand.asked = "double"
    followers.doubled(r, hand)
    additional_bets.told(r, key, event.amount)
    if paid:
        additional_bets.came(r, hand, paid)
    else:
        r.wagers[key] = (base, additional_bets.fit(r, hand, base if event.amount is None else event.amount, base))


def may_double(r: "BlackjackState", hand: BlackjackHand) -> bool:
    """First two cards, also of a split hand; not on split Aces, Blackjack or Soft 21 (3.22)."""
    if len(hand) != 2 or hand.natural or hand.soft21 or hand.aces or hand.doubled:
        return False
    return not (hand.split and r.book.id == "live-blackjack" and r.switches.live_das == "false")


def _split(r: "BlackjackState", hand: BlackjackHand, event: "Decision") -> None:
    if hand.split and len(hand) == 1:
        return  # the cards had been seen to part
    paid, hand.extra = hand.extra, None
    code = split_error(r, hand)
    if code:
        hand.asked = f"bad {code}"
        if paid:
            refuse(r, hand, code, paid)
        else:
            forbidden.wait(r, code, hand, event, turns.place(hand), forbidden.points(hand))
        return
    new = part(r, hand, hand.cards[1])
    if paid is not None:
        additional_bets.split_paid(r, new, paid)
    elif event.amount is not None:
        additional_bets.split_paid(r, new, event.amount)
        additional_bets.told(r, (r.seat(hand.box).spot.text, new.number), event.amount)
    else:
        r.split_wait = (new, event.t)


def split_error(r: "BlackjackState", hand: BlackjackHand) -> str:
    """Name what forbids a split of this hand, or ""."""
    if len(hand) != 2:
        return "split-not-identical-value"
    pair = hand.pair(unlike_tens=r.switches.split_unlike_tens == "true")
    if pair is False:
        return "split-not-identical-value"
    if hand.aces:
        return "split-aces-resplit"
    return "split-too-many-hands" if len(r.hands[hand.box]) >= min(r.book.max_hands, MAX_HANDS) else ""


def part(r: "BlackjackState", hand: BlackjackHand, seen: "CardSeen", number: int = 0) -> BlackjackHand:
    """Move one card of a pair to a hand of its own."""
    hands = r.hands[hand.box]
    used = {h.number for h in hands}
    free = number if number and number not in used else min(set(range(1, MAX_HANDS + 1)) - used)
    new = BlackjackHand(hand.box, free, split=True)
    one = seen.card
    hand.split = True
    hand.aces = new.aces = one is not None and one.rank == "A"
    hand.drop(seen)
    new.add(seen)
    seen.zone = hand_zone(hand.box, free)
    hands.insert(hands.index(hand) + 1, new)
    seat = r.seat(hand.box)
    r.wagers[seat.spot.text, free] = (r.wagers[seat.spot.text, hand.number][0], None)
    hand.asked = hand.stood = ""
    followers.split(r, hand, new)
    return new


def _surrender(r: "BlackjackState", hand: BlackjackHand, event: "Decision") -> None:
    if hand.surrendered:
        return
    if r.too_late and not hand.split:
        r.alert(
            "surrender-too-late",
            f"Box {hand.box} would surrender after a card beyond the second was dealt.",
            Remedy("continue", r.faultclause("surrender-too-late"), says="Refuse it; the hand plays on."),
            anchor=f"box{hand.box}",
            box=hand.box,
            hand=hand.number,
        )
    elif r.playing and may_surrender(r, hand):
        surrender(r, hand, inferred=False)
    else:
        hand.asked = "surrender"
        why = forbidden.surrender_reason(r, hand) if r.playing else ""
        if why:
            forbidden.wait(r, "surrender-not-allowed", hand, event, r.seat(hand.box).spot.text, why)


def may_surrender(r: "BlackjackState", hand: BlackjackHand) -> bool:
    """Not against an Ace (live: nor a ten), not after a split, on two cards (3.16)."""
    if hand.split or len(hand) != 2 or r.upcard_is_ace or r.dealer_shown:
        return False
    return not (r.book.id == "live-blackjack" and r.switches.live_surrender == "2-9" and r.upcard_is_ten)


def surrender(r: "BlackjackState", hand: BlackjackHand, *, inferred: bool) -> None:
    hand.surrendered = True
    hand.asked = ""
    if inferred:
        r.infer(hand.box, hand.number, "surrender")
    settlement.surrendered(r, hand)


def _even(r: "BlackjackState", hand: BlackjackHand, event: "Decision") -> None:
    if not (hand.natural and r.upcard_is_ace) or r.book.id == "live-blackjack":
        hand.asked = "even-money"
        if r.playing and r.upcard is not None and hand.total is not None:
            live = r.book.id == "live-blackjack"
            why = " the book does not have" if live else " is only for a Blackjack against an Ace"
            forbidden.wait(r, "even-money-not-allowed", hand, event, _spot(r, hand, event).text, why)
    elif r.too_late:
        r.alert(
            "even-money-too-late",
            f"Box {hand.box} asks for even money after a third card was dealt.",
            Remedy("continue", r.faultclause("even-money-too-late"), says="Wait for the dealer's second card."),
            anchor=r.seat(hand.box).spot.text,
            box=hand.box,
            hand=hand.number,
        )
    else:
        even_money(r, r.stacks[_spot(r, hand, event).text], hand, inferred=False)


def _spot(r: "BlackjackState", hand: BlackjackHand, event: "Decision") -> "Spot":
    """Give the main spot of the Player who decides for his own bet; the Seated Player's where he has none."""
    stack = next((s for s in settlement.betting(r, hand) if s.spot.who == event.who), None) or r.seat(hand.box)
    return stack.spot


def even_money(r: "BlackjackState", stack: "Stack", hand: BlackjackHand, *, inferred: bool) -> None:
    r.even.add(stack.spot.text)
    if inferred:
        r.infer(hand.box, hand.number, "even-money")
    settlement.even_money(r, stack, hand)


def _insures(r: "BlackjackState", event: "Decision") -> None:
    """Reported Insurance: half the Initial Bet unless an amount is reported, or chips are seen."""
    seat = r.stacks.get(f"box{event.box}.main{f'/{event.who}' if event.who else ''}")
    r.offered = True
    text = f"box{event.box}.insurance{f'/{event.who}' if event.who else ''}"
    if event.amount and seat is not None and r.playing:  # without an amount or chips it is no bet
        forbidden.insurance(r, event, text)
    if seat is None or seat.bet.stake is None or not r.upcard_is_ace or r.too_late:
        return
    r.told_insurance.add(text)
    stack = r.stack(text)
    if not stack.bet.placed:
        stack.bet.status = BetStatus.PLACED
        stack.bet.stake = seat.bet.stake / 2 if event.amount is None else event.amount
        side_bets.limit_insurance(r, stack, seat)


TOLD = {
    "hit": _hit,
    "stand": _stand,
    "double": _double,
    "split": _split,
    "surrender": _surrender,
    "even-money": _even,
}


# ---- not allowed ----------------------------------------------------------------------------------------------------

SAYS = {
    "split-not-identical-value": "splits two cards of different value",
    "split-aces-resplit": "splits Aces a second time",
    "split-too-many-hands": "splits into more hands than the book allows",
    "double-not-allowed": "puts a second bet on a hand that may not be doubled",
}


def refuse(r: "BlackjackState", hand: BlackjackHand, code: str, delta: Decimal | None) -> None:
    """Chips come for a double or split that is not allowed; a supervisor may allow it after all."""
    hand.asked = ""
    if not_allowed(r, hand, code):
        return
    if code == "double-not-allowed":
        key = (r.seat(hand.box).spot.text, hand.number)
        base = r.wagers[key][0]
        hand.asked = "double"
        r.wagers[key] = (base, additional_bets.fit(r, hand, delta, base))
    elif len(r.hands[hand.box]) < MAX_HANDS:
        additional_bets.split_paid(r, part(r, hand, hand.cards[-1]), delta)


def not_allowed(r: "BlackjackState", hand: BlackjackHand, code: str) -> bool:
    """Say that a double or split is not allowed, unless a supervisor has said that it is."""
    what = "split" if code.startswith("split") else "double"
    anchor = turns.place(hand)
    remedy = Remedy("reject-bet", r.faultclause(code), says=f"Undo the {what} and give the second bet back.")
    name = r.alert(
        code,
        f"Box {hand.box} {SAYS[code]}{forbidden.points(hand)}.",
        remedy,
        anchor=anchor,
        box=hand.box,
        hand=hand.number,
        evidence=tuple(seen.id for seen in hand.cards),
    )
    if r.waved(code, anchor):
        return False
    if not name:  # the decision was reported, and its alert is out
        name = f"r{r.number}-{code}-{anchor}"
        r.remedied(name, remedy)
    hand.refusal = name
    r.cancel(name)
    return True


def refused_card(r: "BlackjackState", hand: BlackjackHand) -> None:
    """A card falls although the double or split was not allowed: the options of 5.7."""
    name, hand.refusal = hand.refusal, ""
    seat = r.seat(hand.box)
    if name in r.alerts and seat.now.amount is not None and r.astray(seat, seat.now.amount) < 0:
        says = "The card was dealt and the second bet lies: offer the options."
        r.remedied(name, r.error_remedy([], can=False, says=says))
        r.plan(name)
