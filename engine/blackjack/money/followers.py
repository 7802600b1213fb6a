"""Those who bet on another's hand: a Standing Player, or one behind, follows a double or a split, or lets it pass."""

from decimal import Decimal
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import payments

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.round.stack import Stack

SPLIT, DOUBLE = "split-bet-wrong-amount", "double-bet-wrong-amount"


def came(r: "BlackjackState", stack: "Stack", delta: Decimal | None) -> bool:
    """Take a follower's chips as his part of the last double or split of the box; say whether they are."""
    spot = stack.spot
    text = f"box{spot.box}.{payments.bet(spot)}"
    if (text, 1) not in r.wagers:
        return False
    hands = r.hands[spot.box]
    doubled = next((h for h in hands if h.asked == "double" and (text, h.number) in r.wagers), None)
    pending = next((h for h in hands if h.extra and (text, h.number) in r.wagers), None)
    new = _just_split(r, text, hands)
    if doubled is not None:
        _double(r, stack, (text, doubled.number), delta)
    elif pending is not None:
        before = r.following.get(text, (pending, None))[1]
        r.following[text] = (pending, delta if before is None or delta is None else before + delta)
    elif new is not None:
        _split(r, stack, (text, new.number), delta)
    return not (doubled is None and pending is None and new is None)


def _just_split(r: "BlackjackState", text: str, hands: list[BlackjackHand]) -> BlackjackHand | None:
    """Give the newest hand while one may still follow onto it."""
    new = max(hands, key=lambda hand: hand.number)
    first_two = len(new) == 1 or (len(new) == 2 and r.book.id == "live-blackjack")
    base, bet = r.wagers[text, 1][0], r.wagers.get((text, new.number), (None, None))[0]
    full = (text, new.number) in r.wagers and (bet is None or bet == base)
    let_pass = r.switches.follower_resplit == "first-only" and len(hands) > 2 and (text, 2) not in r.wagers
    return new if new.split and first_two and not full and not let_pass else None


def _split(r: "BlackjackState", stack: "Stack", key: tuple[str, int], delta: Decimal | None) -> None:
    base, before = r.wagers[key[0], 1][0], r.wagers.get(key, (None, None))[0]
    laid = delta if before is None or delta is None else before + delta
    r.wagers[key] = (laid if base is None or laid is None else min(laid, base), None)
    _judge(r, SPLIT, stack, key, laid, base)


def _double(r: "BlackjackState", stack: "Stack", key: tuple[str, int], delta: Decimal | None) -> None:
    base, before = r.wagers[key]
    laid = delta if before is None or delta is None else before + delta
    r.wagers[key] = (base, laid if base is None or laid is None else min(laid, base))
    less = laid is not None and base is not None and laid < base and r.book.id != "live-blackjack"
    _judge(r, DOUBLE, stack, key, base if less else laid, base)


def _judge(
    r: "BlackjackState", code: str, stack: "Stack", key: tuple[str, int], laid: Decimal | None, due: Decimal | None
) -> None:
    name = f"{key[0]}-hand{key[1]}"
    if laid is None or due is None or laid == due:
        r.withdraw(f"r{r.number}-{code}-{name}", "the amount was made right")
        return
    r.alert(
        code,
        f"{plain(laid)} was added on {key[0]}, where {plain(due)} is due.",
        Remedy("correct-payment", r.faultclause(code), says=f"Make it {plain(due)} before the next card."),
        anchor=name,
        box=stack.spot.box,
        hand=key[1],
        evidence=(stack.spot.text,),
    )


def doubled(r: "BlackjackState", hand: BlackjackHand) -> None:
    """The second stack was a double: so were the chips of those who followed."""
    for text in _on(r, hand):
        _double(r, r.stack(text), (text, hand.number), r.following.pop(text)[1])


def split(r: "BlackjackState", hand: BlackjackHand, new: BlackjackHand) -> None:
    """The second stack was a split: those who followed play on the new hand as well."""
    for text in _on(r, hand):
        _split(r, r.stack(text), (text, new.number), r.following.pop(text)[1])


def _on(r: "BlackjackState", hand: BlackjackHand) -> list[str]:
    return [text for text, (one, _) in r.following.items() if one is hand] if r.following else []


def back(r: "BlackjackState", stack: "Stack", delta: Decimal) -> bool:
    """A follower thinks better of it before the card."""
    found = r.following.get(stack.spot.text)
    if found is None:
        return False
    hand, laid = found
    if laid is None or laid + delta <= 0:
        del r.following[stack.spot.text]
    else:
        r.following[stack.spot.text] = (hand, laid + delta)
    return True
