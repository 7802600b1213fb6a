"""Chips that move while blackjack is played: doubles, splits, Insurance, followers, and early payments."""

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from engine import payments
from engine.blackjack import dealer, decisions, extras, inferred
from engine.blackjack.hands import Hand
from engine.cards import spoken
from engine.money import ZERO, decimal, plain
from engine.verdicts import Remedy

if TYPE_CHECKING:
    from engine.bets import Stack
    from engine.blackjack.round import BlackjackRound
    from engine.events import Chips


def added(r: "BlackjackRound", stack: "Stack", delta: Decimal | None, event: "Chips") -> bool:
    """More chips on a spot after the close: say whether the game itself explains them."""
    spot = stack.spot
    if spot.kind == "insurance":
        return _insured(r, stack)
    if spot.kind != "main" or not r.playing or spot.box not in r.hands or r.complete or r.dealer_shown:
        return False
    hands = r.hands[spot.box]
    if spot.who:
        return _followed(r, stack, hands, delta)
    if r.split_wait is not None and r.split_wait[0].box == spot.box:
        extras.split_paid(r, r.split_wait[0], delta)
        return True
    if r.split_off is not None and extras.split_made_up(r, spot.box, delta):
        return True
    hand = next((h for h in hands if h.asked), None) or next((h for h in hands if not r.finished(h)), None)
    if hand is None:
        hand = next((h for h in hands if h.natural or h.soft21 or h.aces), None)
        if hand is None or event.by != "player":
            return False
    return inferred.chips_added(r, hand, delta)


def _followed(r: "BlackjackRound", stack: "Stack", hands: list[Hand], delta: Decimal | None) -> bool:
    """A Standing Player, or one behind, follows the last double or split of his box."""
    done = [h for h in hands if h.doubled or h.asked == "double" or h.split]
    if not done or delta is None:
        return bool(done)
    text = stack.spot.text
    unfollowed = [h for h in hands if (text, h.number) not in r.wagers and not _declined(r, text, hands)]
    if unfollowed:
        base = r.wagers[text, 1][0]
        if base is not None and delta != base:
            _wrong_amount(r, "split-bet-wrong-amount", stack, delta, base)
        r.wagers[text, unfollowed[0].number] = (min(delta, base) if base is not None else delta, None)
        return True
    doubled = next((h for h in hands if (h.doubled or h.asked == "double") and (text, h.number) in r.wagers), None)
    if doubled is None:
        return False
    base, extra = r.wagers[text, doubled.number]
    if extra:
        return False
    if base is not None and delta > base:
        _wrong_amount(r, "double-bet-wrong-amount", stack, delta, base)
    r.wagers[text, doubled.number] = (base, delta if base is None else min(delta, base))
    return True


def _declined(r: "BlackjackRound", text: str, hands: list[Hand]) -> bool:
    """One who let an earlier split pass stays on the hand he is on, where the table asks only once."""
    return r.switches.follower_resplit == "first-only" and len(hands) > 2 and (text, 2) not in r.wagers  # noqa: PLR2004


def _wrong_amount(r: "BlackjackRound", code: str, stack: "Stack", delta: Decimal, due: Decimal) -> None:
    r.alert(
        code,
        f"{plain(delta)} was added on {stack.spot.text}, where {plain(due)} is due.",
        Remedy("correct-payment", r.faultclause(code), says=f"Make it {plain(due)} before the next card."),
        anchor=f"{stack.spot.text}-{r.n}",
        box=stack.spot.box,
        evidence=(stack.spot.text,),
    )


# ---- Insurance ------------------------------------------------------------------------------------------------------


def _insured(r: "BlackjackRound", stack: "Stack") -> bool:
    """Chips on the insurance line: against an Ace, before any further card, at most half (3.14.2)."""
    box = stack.spot.box
    bet = next((s for s in r.bettors.get(box, ()) if s.spot.who == stack.spot.who), None)
    if not r.dealer.cards or box not in r.hands:
        return False
    if r.upcard is not None and not r.upcard_is_ace:
        _refuse(r, stack, "insurance-not-allowed", f"the dealer shows the {spoken(r.upcard)}, not an Ace")
        return True
    if r.too_late:
        _refuse(r, stack, "insurance-too-late", "a card beyond the second has been dealt")
        return True
    fresh = not stack.at_close
    stack.at_close, stack.stake, stack.factor = True, stack.now, None
    half = None if bet is None or bet.stake is None else bet.stake / 2
    if half is not None and stack.now is not None:
        live = r.book.id == "live-blackjack"
        if stack.now > half or (live and stack.now != half):
            stack.factor = Fraction(min(half, stack.now))
            over = stack.now - half
            says = f"Give {plain(over)} back." if over > 0 else f"Add {plain(-over)}: it is half the main bet."
            r.alert(
                "insurance-wrong-amount",
                f"The insurance of box {box} is {plain(stack.now)}; half of the Initial Bet is {plain(half)}.",
                Remedy("reject-bet", r.faultclause("insurance-wrong-amount"), says=says),
                anchor=stack.spot.text,
                box=box,
                evidence=(stack.spot.text,),
            )
    if fresh and stack.spot.text not in r.told_insurance:
        r.infer(box, 1, "insurance")
    return True


def _refuse(r: "BlackjackRound", stack: "Stack", code: str, why: str) -> None:
    stack.rejected = not stack.at_close
    r.alert(
        code,
        f"Chips came onto the insurance line of box {stack.spot.box}: {why}.",
        Remedy("reject-bet", r.faultclause(code), says="Give them back."),
        anchor=f"{stack.spot.text}-{r.n}",
        box=stack.spot.box,
        evidence=(stack.spot.text,),
    )


# ---- fewer chips ----------------------------------------------------------------------------------------------------


def taken_back(r: "BlackjackRound", stack: "Stack", delta: Decimal) -> bool:
    """A player took chips off an open bet: say whether that is his right."""
    spot = stack.spot
    if spot.kind == "insurance":
        if r.too_late:
            return False
        stack.stake, stack.factor = stack.now, None
        return True
    if spot.kind != "main":
        return False
    if extras.less(r, stack, delta):
        return True
    for hand in r.hands.get(spot.box, ()):
        if not r.wagers.get((spot.text, hand.number), (None, None))[1]:
            continue
        r.alert(
            "double-bet-withdrawn",
            f"{plain(-delta)} of the doubled bet of box {spot.box} was taken back after the card.",
            Remedy("correct-payment", r.faultclause("double-bet-withdrawn"), says=f"Put {plain(-delta)} back."),
            anchor=f"{spot.text}-{r.n}",
            box=spot.box,
            hand=hand.number,
            evidence=(spot.text,),
        )
        return True
    return False


def astray(r: "BlackjackRound", stack: "Stack", before: Decimal) -> Decimal:
    """Tell how much of a bet is missing from its spot; below 0: chips that are no part of it lie there."""
    lawful = stack.stake or ZERO
    if stack.spot.kind == "main":
        lawful = _wagered(r, stack)
    elif stack.factor is not None:
        lawful = decimal(stack.factor)
    return lawful + stack.paid - stack.taken - stack.carried - before


def _wagered(r: "BlackjackRound", stack: "Stack") -> Decimal:
    """Add up what was bet on a main spot, as far as its chips have come."""
    spot, found = stack.spot, ZERO
    text = f"box{spot.box}.{payments.bet(spot)}"
    for number in payments.hands(r, spot):
        base, extra = r.wagers.get((text, number), (None, None))
        coming = r.told_extra.get((text, number))
        if coming is not None:
            base, extra = (base, coming[1]) if number == 1 else (coming[1], extra)
        if r.split_wait is None or (r.split_wait[0].box, r.split_wait[0].number) != (spot.box, number):
            found += (base or ZERO) + (extra or ZERO)
    pending = sum((hand.extra or ZERO for hand in r.hands.get(spot.box, ())), ZERO)
    return found + (ZERO if spot.who else pending)


# ---- the dealer pays or takes too early -----------------------------------------------------------------------------


def early(r: "BlackjackRound", stack: "Stack", delta: Decimal) -> None:
    """The dealer (or an unseen hand) moved chips of a bet that is not decided."""
    kind = stack.spot.kind
    stack.paid += max(delta, ZERO)
    stack.taken += max(-delta, ZERO)
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
        stack.taken += delta
        stack.stake, stack.factor = stack.now, None
        stack.at_close = bool(stack.now)


def _taken_early(r: "BlackjackRound", stack: "Stack", hand: Hand, delta: Decimal) -> None:
    if extras.less(r, stack, delta):
        stack.taken += delta
        return
    half = None if stack.stake is None else stack.stake / 2
    if -delta == half and len(hand) == 2 and not (r.subsequent and not hand.asked):  # noqa: PLR2004
        if decisions.may_surrender(r, hand):
            if stack.by == "dealer":
                decisions.surrender(r, hand, inferred=True)
                payments.settled(r, stack)
            else:
                r.half_taken[hand.box] = delta
        elif stack.by == "dealer":
            _no_surrender(r, stack, hand, delta)
        return
    if hand.asked == "surrender" and stack.by == "dealer":
        _no_surrender(r, stack, hand, delta)
        return
    if r.acting() is None and stack.by == "dealer":
        dealer.stood_short(r, stack.spot.text)


def _no_surrender(r: "BlackjackRound", stack: "Stack", hand: Hand, delta: Decimal) -> None:
    why = "after a split" if hand.split else f"against the {spoken(r.upcard)}"
    r.alert(
        "surrender-not-allowed",
        f"{plain(-delta)} of box {hand.box} was taken as a Surrender, which the book does not allow {why}.",
        Remedy("correct-payment", r.faultclause("surrender-not-allowed"), says=f"Put {plain(-delta)} and the cards back."),
        anchor=stack.spot.text,
        box=hand.box,
        hand=hand.number,
        evidence=(stack.spot.text, *[seen.id for seen in hand.cards]),
    )
    hand.asked = ""


def _paid_early(r: "BlackjackRound", stack: "Stack", hand: Hand, delta: Decimal) -> None:
    if len(r.dealer) == 1 and (hand.natural or (hand.asked == "even-money" and delta == stack.stake)):
        _blackjack_early(r, stack, hand, delta)
    else:
        dealer.stood_short(r, stack.spot.text)


def _blackjack_early(r: "BlackjackRound", stack: "Stack", hand: Hand, delta: Decimal) -> None:
    if delta != stack.stake:
        code, says = "blackjack-paid-early", f"was paid {plain(delta)} while the dealer may still have Blackjack"
        remedy = "Take it back and wait for the dealer's second card."
    elif not r.upcard_is_ace or not hand.natural or r.book.id == "live-blackjack":
        code, says = "even-money-not-allowed", "was paid 1 to 1, which is only for a Blackjack against an Ace"
        remedy = "Take it back and wait for the dealer's second card."
    elif r.too_late:
        code, says = "even-money-too-late", "was paid even money after a third card had been dealt"
        remedy = "Wait for the dealer: Stand Off against his Blackjack, else the Blackjack is paid."
    else:
        decisions.even_money(r, stack, hand, inferred=True)
        payments.settled(r, stack)
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


