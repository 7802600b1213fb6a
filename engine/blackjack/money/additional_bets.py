"""Chips added for doubles and splits: as they come, fall short, or go back."""

from decimal import Decimal
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.model.money import ZERO, plain
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round.stack import Handled

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.round.stack import Stack

MIN_HANDS = 2  # of a split
Key = tuple[str, int]  # the spot of a main bet, and the hand


def fit(r: "BlackjackState", hand: BlackjackHand, extra: Decimal | None, base: Decimal | None) -> Decimal | None:
    """A double is at most the Initial Bet (live: just it); what is above is given back."""
    if extra is None or base is None:
        return extra
    exact = r.book.id == "live-blackjack"
    if extra <= base and not (exact and extra != base):
        return extra
    r.alert(
        "double-bet-wrong-amount",
        f"Box {hand.box} doubles with {plain(extra)} on {plain(base)}.",
        Remedy(
            "correct-payment",
            r.faultclause("double-bet-wrong-amount"),
            says=f"Make it {plain(base)} before the card; afterwards only {plain(base)} plays.",
        ),
        anchor=f"box{hand.box}-hand{hand.number}",
        box=hand.box,
        hand=hand.number,
        evidence=(r.seat(hand.box).spot.text,),
    )
    return min(extra, base)


def told(r: "BlackjackState", key: Key, amount: Decimal | None) -> None:
    """An extra bet was announced; its chips come before the card, or after it."""
    r.told_extra[key] = (amount, ZERO)


def awaited(r: "BlackjackState", hand: BlackjackHand) -> bool:
    """Tell whether the chips of an announced double are still to come."""
    return (r.seat(hand.box).spot.text, hand.number) in r.told_extra


def came(r: "BlackjackState", hand: BlackjackHand, delta: Decimal | None) -> bool:
    """Take chips as those of an announced extra bet, of this hand or of the newest; tell whether they are."""
    text = r.seat(hand.box).spot.text
    newest = max(one.number for one in r.hands[hand.box])
    key = next((key for key in ((text, hand.number), (text, newest)) if key in r.told_extra), None)
    if key is None:
        return False
    if delta is not None:
        _sum_up(r, hand, key, delta)
    return True


def _sum_up(r: "BlackjackState", hand: BlackjackHand, key: Key, delta: Decimal) -> None:
    amount, before = r.told_extra[key]
    seen = max(before + delta, ZERO)
    r.told_extra[key] = (amount, seen)
    base = r.wagers[key][0]
    if key[1] == hand.number and (hand.asked == "double" or hand.doubled):
        r.wagers[key] = (base, fit(r, hand, seen, base))
    if hand.full_double or hand.number != key[1]:
        due = base if amount is None else amount
        if due is None or seen >= due:
            del r.told_extra[key]


def card_falls(r: "BlackjackState", hand: BlackjackHand) -> None:
    """A double's card: chips that have begun to come are all there will be."""
    r.split_off = None
    if not r.told_extra:
        return
    key = (r.seat(hand.box).spot.text, hand.number)
    if r.told_extra.get(key, (None, ZERO))[1]:
        del r.told_extra[key]


def less(r: "BlackjackState", stack: "Stack", delta: Decimal) -> bool:
    """Chips of an extra bet go back before its card: what was too much, or a bet thought better of."""
    spot = stack.spot
    for hand in r.hands.get(spot.box, ()):
        key = (spot.text, hand.number)
        if hand.extra and stack is r.seat(spot.box):
            hand.extra = max(hand.extra + delta, ZERO) or None
            fit(r, hand, hand.extra, r.wagers.get(key, (None, None))[0])
            return True
        if r.told_extra.get(key, (None, ZERO))[1] and not hand.full_double:
            _sum_up(r, hand, key, delta)
            return True
        base, extra = r.wagers.get(key, (None, None))
        if extra and not hand.full_double:
            r.wagers[key] = (base, max(extra + delta, ZERO))
            return True
    return False


# ---- splits ---------------------------------------------------------------------------------------------------------


def split_paid(r: "BlackjackState", hand: BlackjackHand, delta: Decimal | None) -> None:
    """The second stack of a split: equal to the first."""
    r.split_wait = None
    text = r.seat(hand.box).spot.text
    base = r.wagers.get((text, hand.number), (None, None))[0]
    if delta is None or base is None or delta == base:
        return
    name = r.alert(
        "split-bet-wrong-amount",
        f"Box {hand.box} splits with {plain(delta)} beside {plain(base)}.",
        Remedy(
            "correct-payment",
            r.faultclause("split-bet-wrong-amount"),
            says=f"Make it {plain(base)} before the next card.",
        ),
        anchor=f"box{hand.box}-hand{hand.number}",
        box=hand.box,
        hand=hand.number,
        evidence=(text,),
    )
    if delta < base:
        r.split_off = (hand, base - delta, name)


def split_made_up(r: "BlackjackState", box: int, delta: Decimal | None) -> bool:
    """The rest of a split bet that was short is put down before the next card."""
    if r.split_off is None or r.split_off[0].box != box:
        return False
    hand, missing, name = r.split_off
    left = ZERO if delta is None else missing - delta
    r.split_off = (hand, left, name) if left > 0 else None
    if left == 0:
        r.withdraw(name, "the rest was put down")
    return True


def split_unpaid(r: "BlackjackState", hand: BlackjackHand) -> None:
    """Cards parted and no second stack: without a bet it is no split (3.21)."""
    r.split_wait = None
    seat = r.seat(hand.box)
    if seat.bet.stake is None and not _as_it_was(r, seat, hand):
        return
    r.alert(
        "split-bet-missing",
        f"Box {hand.box} was split and no second bet lies there.",
        Remedy("options", r.faultclause("split-bet-missing"), says="Ask for the bet; without it there is no split."),
        anchor=f"box{hand.box}-hand{hand.number}",
        box=hand.box,
        hand=hand.number,
        evidence=tuple(seen.id for seen in hand.cards),
    )
    base = r.wagers.get((seat.spot.text, hand.number), (None, None))[0]
    r.split_off = (hand, ZERO if base is None else base, "")


def _as_it_was(r: "BlackjackState", seat: "Stack", hand: BlackjackHand) -> bool:
    """Tell whether a bet whose amount is not known lies as it did: one stack more may be the second bet."""
    first = len(r.hands[hand.box]) == MIN_HANDS and not any(
        r.stacks[text].spot.box == hand.box for text in r.second_stacks
    )
    return first and (seat.now.units is not None or (seat.now.piles is not None and seat.settled.handled is Handled.NO))
