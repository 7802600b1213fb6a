"""Chips that move while blackjack is played: doubles, splits, Insurance, followers, and early payments."""

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.blackjack.money import additional_bets, followers, side_bets
from feltwatch.engine.blackjack.play import dealer, decisions, inferred
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.money import ZERO, decimal, down, plain, up
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import camera_only, payments
from feltwatch.engine.round.line import plays

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.model.events import Chips
    from feltwatch.engine.round.stack import Stack


def added(r: "BlackjackState", stack: "Stack", delta: Decimal | None, event: "Chips") -> bool:
    """More chips on a spot after the close: say whether the game itself explains them."""
    spot = stack.spot
    if spot.kind == "insurance":
        return _insured(r, stack, event)
    if spot.kind != "main" or not r.playing or spot.box not in r.hands or _dealers_turn(r):
        return False
    if payments.bet(spot) == r.seat(spot.box).spot.bet:
        return _raised(r, spot.box, delta, event)
    return followers.came(r, stack, delta) or _piled(delta, event)


def _one_may(r: "BlackjackState", hands: list[BlackjackHand]) -> bool:
    """Tell whether a second stack can only be one hand's, and all its cards are read."""
    return all(h.total is not None for h in hands) and sum(len(h) > 1 and not r.finished(h) for h in hands) <= 1


def _piled(delta: Decimal | None, event: "Chips") -> bool:
    """Tell whether no more is known than that there is one stack more."""
    return delta is None and event.units is None and event.stacks is not None


def _dealers_turn(r: "BlackjackState") -> bool:
    """Tell whether the Players are done; a second card of the dealer's that was left to lie too early ends nothing."""
    return r.dealer.complete or (r.dealer_shown and r.acting() is None)


def _raised(r: "BlackjackState", box: int, delta: Decimal | None, event: "Chips") -> bool:
    """A second stack of the Seated Player's: of a split, of a double, or of one he may not make."""
    if r.split_wait is not None and r.split_wait[0].box == box:
        additional_bets.split_paid(r, r.split_wait[0], delta)
        return True
    if r.split_off is not None and additional_bets.split_made_up(r, box, delta):
        return True
    hands = r.hands[box]
    if _piled(delta, event) and not _one_may(r, hands):
        return True  # only what follows shows which hand it belongs to
    if (
        r.told_extra
        and (late := next((h for h in hands if h.full_double and additional_bets.awaited(r, h)), None)) is not None
    ):
        return additional_bets.came(r, late, delta)
    hand = next((h for h in hands if h.asked), None) or next((h for h in hands if not r.finished(h)), None)
    if hands[0].aces:  # one card each and no more: whatever comes is meant for the hand that has two
        hand = next((h for h in hands if len(h) > 1 and h.pair()), None) or next((h for h in hands if len(h) > 1), hand)
    if hand is None and event.by == "player":
        hand = next((h for h in hands if h.natural or h.soft21 or h.aces), None)
    return hand is not None and inferred.chips_added(r, hand, delta)


# ---- Insurance ------------------------------------------------------------------------------------------------------


def _insured(r: "BlackjackState", stack: "Stack", event: "Chips") -> bool:
    """Chips on the insurance line: against an Ace, before any further card, at most half (3.14.2)."""
    box = stack.spot.box
    bet = next((s for s in r.bettors.get(box, ()) if s.spot.who == stack.spot.who), None)
    if not r.dealer.cards or box not in r.hands:
        return False
    if r.dealer.complete and event.amount is None and event.by is None:
        return False  # the dealer pays close by
    if r.upcard is not None and not r.upcard_is_ace:
        _refuse(r, stack, "insurance-not-allowed", f"the dealer shows the {spoken(r.upcard)}, not an Ace")
        return True
    if r.too_late and event.amount is None and camera_only.doubtful(r, event):
        return True  # it may have lain there in time
    if r.too_late:
        _refuse(r, stack, "insurance-too-late", "a card beyond the second has been dealt")
        return True
    fresh = not stack.bet.placed
    stack.bet.place(stack.now)
    stack.bet.factor = None
    side_bets.limit_insurance(r, stack, bet)
    if fresh and stack.spot.text not in r.told_insurance:
        r.infer(box, 1, "insurance")
    return True


def _refuse(r: "BlackjackState", stack: "Stack", code: str, why: str) -> None:
    stack.bet.refused = not stack.bet.placed
    if f"r{r.number}-{code}-{stack.spot.text}" in r.alerts:
        return  # the decision was reported, and its alert is out
    r.forbidden = [one for one in r.forbidden if one.anchor != stack.spot.text]
    r.alert(
        code,
        f"Chips came onto the insurance line of box {stack.spot.box}: {why}.",
        Remedy("reject-bet", r.faultclause(code), says="Give them back."),
        anchor=f"{stack.spot.text}-{r.n}",
        box=stack.spot.box,
        evidence=(stack.spot.text,),
    )


# ---- fewer chips ----------------------------------------------------------------------------------------------------


def taken_back(r: "BlackjackState", stack: "Stack", delta: Decimal) -> bool:
    """A player took chips off an open bet: say whether that is his right."""
    spot = stack.spot
    if spot.kind == "insurance":
        if r.too_late:
            return False
        stack.bet.follow(stack.now)
        return True
    if spot.kind != "main":
        return False
    if followers.back(r, stack, delta) or additional_bets.less(r, stack, delta):
        return True
    for hand in r.hands.get(spot.box, ()):
        if not r.wagers.get((spot.text, hand.number), (None, None))[1]:
            continue
        _withdrawn(r, stack, hand, str(plain(-delta)), str(plain(-delta)))
        return True
    return False


def astray(r: "BlackjackState", stack: "Stack", before: Decimal) -> Decimal:
    """Tell how much of a bet is missing from its spot; below 0: chips that are no part of it lie there."""
    if stack.spot.kind == "insurance" or (stack.bet.placed and stack.bet.stake is None):
        return ZERO
    lawful = _wagered(r, stack) if stack.spot.kind == "main" else stack.bet.stake or ZERO
    return lawful + stack.settled.balance - before


def _wagered(r: "BlackjackState", stack: "Stack") -> Decimal:
    """Add up what was bet on a main spot, as far as its chips have come."""
    spot, found = stack.spot, ZERO
    if spot.box not in r.bettors:
        return ZERO
    text = f"box{spot.box}.{payments.bet(spot)}"
    for number in payments.hands(r, spot):
        base, extra = r.wagers.get((text, number), (None, None))
        coming = r.told_extra.get((text, number))
        if coming is not None:
            base, extra = (base, coming[1]) if number == 1 else (coming[1], extra)
        if r.split_wait is None or (r.split_wait[0].box, r.split_wait[0].number) != (spot.box, number):
            found += (base or ZERO) + (extra or ZERO)
        if r.split_off is not None and (r.split_off[0].box, r.split_off[0].number, spot.who) == (spot.box, number, ""):
            found -= r.split_off[1]
    return found + _coming(r, stack, text)


def _coming(r: "BlackjackState", stack: "Stack", text: str) -> Decimal:
    """Add up the chips that lie here for a double or a split not yet made out."""
    spot = stack.spot
    if text != r.seat(spot.box).spot.text:
        return r.following.get(text, (None, None))[1] or ZERO
    hands = r.hands[spot.box]
    known = {hand.number for hand in hands}
    apart = (r.stacks[one].spot for one in r.second_stacks)
    ahead = {one.hand for one in apart if one.box == spot.box} - known
    here = spot.hand in ahead if ahead else not spot.hand
    return sum((hand.extra or ZERO for hand in hands), ZERO) if here else ZERO


def fewer(r: "BlackjackState", stack: "Stack") -> None:
    """A player's hand took a stack off a bet that was doubled, after the card."""
    for hand in r.hands.get(stack.spot.box, ()):
        open_ = (hand.box, hand.number, stack.spot.bet) not in r.settlements
        if hand.full_double and open_ and r.wagers.get((stack.spot.text, hand.number), (None, None))[1]:
            _withdrawn(r, stack, hand, "A stack of chips", "it")
            return


def _withdrawn(r: "BlackjackState", stack: "Stack", hand: BlackjackHand, what: str, back: str) -> None:
    r.alert(
        "double-bet-withdrawn",
        f"{what} of the doubled bet of box {stack.spot.box} was taken back after the card.",
        Remedy("correct-payment", r.faultclause("double-bet-withdrawn"), says=f"Put {back} back."),
        anchor=f"{stack.spot.text}-{r.n}",
        box=stack.spot.box,
        hand=hand.number,
        evidence=(stack.spot.text,),
    )


# ---- the dealer pays or takes too early -----------------------------------------------------------------------------


def touched(r: "BlackjackState", stack: "Stack") -> None:
    """The dealer pays or takes an open bet; how much is not known: settling has begun."""
    if dealer.settle_early(r) or r.acting() is not None:
        return
    kind = stack.spot.kind
    if kind == "boom-busted" or (kind == "main" and len(r.dealer) > 1):
        dealer.stood_short(r, stack.spot.text)


def took_extra(r: "BlackjackState", stack: "Stack") -> bool:
    """A dealer's Blackjack takes the Initial Bet of a doubled hand, not the double."""
    if not r.dealer_blackjack() or "dealer-bj-extra-taken" not in r.book.faults or stack.spot.hand:
        return False
    hands = r.hands.get(stack.spot.box, ())
    return len(hands) == 1 and bool(r.wagers.get((stack.spot.text, 1), (None, None))[1])


def early(r: "BlackjackState", stack: "Stack", delta: Decimal) -> None:
    """The dealer (or an unseen hand) moved chips of a bet that is not decided."""
    kind = stack.spot.kind
    if stack.now.by == "dealer":
        stack.settled.paid += max(delta, ZERO)
        stack.settled.taken += max(-delta, ZERO)
    if kind == "boom-busted":
        dealer.stood_short(r, stack.spot.text)
    elif kind == "insurance":
        if r.dealer.total is not None and len(r.dealer) == 1 and not r.hit:
            _refund(stack, delta)
    elif kind == "main" and r.playing and stack.spot.box in r.hands:
        hand = r.hands[stack.spot.box][0]
        if delta < 0:
            _taken_early(r, stack, hand, delta)
        else:
            _paid_early(r, stack, hand, delta)


def _refund(stack: "Stack", delta: Decimal) -> None:
    """The dealer hands an insurance, or its excess, back before the next card."""
    if delta < 0:
        stack.settled.taken = max(stack.settled.taken + delta, ZERO)
        stack.bet.follow(stack.now)


def _taken_early(r: "BlackjackState", stack: "Stack", hand: BlackjackHand, delta: Decimal) -> None:
    by_dealer = stack.now.by == "dealer"
    if additional_bets.less(r, stack, delta):
        stack.settled.taken = max(stack.settled.taken + delta, ZERO)
    elif -delta in _halves(r, stack) and len(hand) == 2 and not (r.subsequent and not hand.asked):
        if not decisions.may_surrender(r, hand):
            if by_dealer:
                _no_surrender(r, stack, hand, delta)
        elif not by_dealer:
            r.half_taken.setdefault(hand.box, []).append((stack, delta))
        elif not hand.surrendered:
            stack.settled.taken += delta
            decisions.surrender(r, hand, inferred=True)
            payments.by_dealer(r, stack, delta, (stack.now.amount or ZERO) - delta)
    elif hand.asked == "surrender" and by_dealer:
        _no_surrender(r, stack, hand, delta)
    elif r.acting() is None and by_dealer:
        dealer.stood_short(r, stack.spot.text)


def _halves(r: "BlackjackState", stack: "Stack") -> set[Decimal]:
    """Give what a Surrender may take: half of the bet, or of the part that plays; an odd chip either way."""
    if stack.bet.stake is None:
        return set()
    halves = [Fraction(stack.bet.stake) / 2, plays(r, stack, stack.bet.stake) / 2]
    return {rounded(half, r.chip) for half in halves for rounded in (down, up)}


def _no_surrender(r: "BlackjackState", stack: "Stack", hand: BlackjackHand, delta: Decimal) -> None:
    why = "after a split" if hand.split else f"against the {spoken(r.upcard)}"
    does = f"Put {plain(-delta)} and the cards back."
    r.alert(
        "surrender-not-allowed",
        f"{plain(-delta)} of box {hand.box} was taken as a Surrender, which the book does not allow {why}.",
        Remedy("correct-payment", r.faultclause("surrender-not-allowed"), says=does),
        anchor=stack.spot.text,
        box=hand.box,
        hand=hand.number,
        evidence=(stack.spot.text, *[seen.id for seen in hand.cards]),
    )
    hand.asked = ""


def _paid_early(r: "BlackjackState", stack: "Stack", hand: BlackjackHand, delta: Decimal) -> None:
    if len(r.dealer) == 1 and (hand.natural or (hand.asked == "even-money" and stack.settled.paid == stack.bet.stake)):
        _blackjack_early(r, stack, hand, delta)
    else:
        dealer.stood_short(r, stack.spot.text)


def _blackjack_early(r: "BlackjackState", stack: "Stack", hand: BlackjackHand, delta: Decimal) -> None:
    one_to_one = _one_to_one(r, stack)
    asked = r.upcard_is_ace and hand.natural and r.book.id != "live-blackjack" and not r.too_late
    if asked and (stack.bet.stake is None or stack.settled.paid < min(one_to_one)):
        return  # it may be the first part of an even money
    if stack.settled.paid not in one_to_one:
        code, paid = "blackjack-paid-early", plain(stack.settled.paid)
        says = f"was paid {paid} while the dealer may still have Blackjack"
        remedy = "Take it back and wait for the dealer's second card."
    elif not r.upcard_is_ace or not hand.natural or r.book.id == "live-blackjack":
        code, says = "even-money-not-allowed", "was paid 1 to 1, which is only for a Blackjack against an Ace"
        remedy = "Take it back and wait for the dealer's second card."
    elif r.too_late:
        code, says = "even-money-too-late", "was paid even money after a third card had been dealt"
        remedy = "Wait for the dealer: Stand Off against his Blackjack, else the Blackjack is paid."
    else:
        stack.settled.paid -= delta
        decisions.even_money(r, stack, hand, inferred=True)
        payments.by_dealer(r, stack, delta, (stack.now.amount or ZERO) - delta)
        return
    r.alert(
        code,
        f"The bet of box {hand.box} {says}.",
        Remedy("correct-payment", r.faultclause(code), says=remedy),
        anchor=stack.spot.text,
        box=hand.box,
        hand=hand.number,
        evidence=(stack.spot.text, *[seen.id for seen in hand.cards]),
    )


def _one_to_one(r: "BlackjackState", stack: "Stack") -> set[Decimal]:
    """Give what even money may come to: the bet, or the part of it that plays."""
    return set() if stack.bet.stake is None else {stack.bet.stake, decimal(plays(r, stack, stack.bet.stake))}
