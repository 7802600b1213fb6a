"""Payments: the chips that the dealer moves are compared with what every bet came to."""

from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING

from engine.money import ZERO, plain
from engine.verdicts import Remedy, Settlement

if TYPE_CHECKING:
    from engine.bets import Stack
    from engine.round import Round

RETURNED = ("void", "no-action", "stand-off")


def lines(r: "Round", stack: "Stack") -> list[Settlement]:
    """Give the settlement lines that are paid or taken on this stack."""
    spot = stack.spot
    if spot.kind != "main":
        found = r.settlements.get((spot.box, 1, spot.bet))
        return [found] if found else []
    if spot.hand:
        found = r.settlements.get((spot.box, spot.hand, "main"))
        return [found] if found else []
    bet = spot.bet
    return [
        line
        for hand in (1, 2, 3, 4)
        if (line := r.settlements.get((spot.box, hand, bet))) is not None
        and not (hand > 1 and not spot.who and f"box{spot.box}.hand{hand}" in r.stacks)
    ]


def _open(r: "Round", stack: "Stack") -> list[Settlement]:
    return [line for line in lines(r, stack) if line.key not in stack.done and line.net]


def matches(r: "Round", stack: "Stack", delta: Decimal) -> bool:
    """Tell whether a change of chips is just what some decided lines were due, and tick them off."""
    still = _open(r, stack)
    for size in range(1, len(still) + 1):
        for some in combinations(still, size):
            if sum((line.net or ZERO for line in some), ZERO) == delta:
                stack.done.update(line.key for line in some)
                _settled(r, stack)
                return True
    return False


def _settled(r: "Round", stack: "Stack") -> None:
    """Some settlement has taken place: that ends reconstruction, and shows the order of settling."""
    r.settlement_seen(stack)
    box = stack.spot.box
    if stack.spot.kind != "main" or box in r.settled_boxes[-1:]:
        return
    later = [done for done in r.settled_boxes if done > box]
    r.settled_boxes.append(box)
    if later and r.switches.settlement_order == "right-to-left" and r.final_settling():
        r.alert(
            "settlement-order",
            f"Box {box} was settled after box {later[-1]}; the house settles box 1 first.",
            Remedy("continue", r.book.clause("round"), says="Log only."),
            anchor=f"box{box}",
            box=box,
        )


def by_dealer(r: "Round", stack: "Stack", delta: Decimal, before: Decimal) -> None:
    """Judge chips that the dealer put down or took."""
    if stack.rejected:
        return
    if stack.short and stack.short[1] == delta:
        r.withdraw(stack.short[0], "the rest was paid")
        stack.short = None
        return
    if matches(r, stack, delta):
        return
    still = _open(r, stack)
    wins = [line for line in still if line.net and line.net > 0]
    losses = [line for line in still if line.net and line.net < 0]
    if delta > 0 and wins:
        _wrong(r, stack, delta, wins)
    elif delta < 0 and losses:
        _took(r, stack, delta, losses)
    elif r.undecided(stack):
        r.early(stack, delta, before)
    else:
        _against(r, stack, delta)


def _say(r: "Round", code: str, stack: "Stack", says: str, remedy: str) -> str:
    spot = stack.spot
    name = r.alert(
        code,
        says,
        Remedy("correct-payment", r.faultclause(code), says=remedy),
        anchor=f"{spot.text}-{r.n}",
        box=spot.box,
        evidence=(spot.text,),
    )
    _settled(r, stack)
    return name


def _wrong(r: "Round", stack: "Stack", delta: Decimal, wins: list[Settlement]) -> None:
    """Paid, but not what was due."""
    due = sum((line.net or ZERO for line in wins), ZERO)
    line = wins[0]
    code = {"main": "wrong-payout", "insurance": "insurance-wrong-settlement"}.get(stack.spot.kind, "side-bet-wrong-result")
    if r.book.family == "si-ki-pi":
        if stack.spot.kind == "main" and delta == line.effective_stake:
            code = "commission-not-taken"
        elif stack.spot.kind != "main" and delta == due * Decimal("0.95"):
            code = "commission-on-bonus"
    apart = abs(delta - due)
    more = "too much" if delta > due else "too little"
    says = f"Box {stack.spot.box} {line.bet}: due {plain(due)}, paid {plain(delta)}, {plain(apart)} {more}."
    remedy = f"{'Take' if delta > due else 'Pay'} {plain(apart)} {'back' if delta > due else 'more'}."
    stack.done.update(line.key for line in wins)
    name = _say(r, code, stack, says, remedy)
    if name and delta < due:
        stack.short = (name, due - delta)


def _took(r: "Round", stack: "Stack", delta: Decimal, losses: list[Settlement]) -> None:
    """Taken, but not what was due."""
    due = -sum((line.net or ZERO for line in losses), ZERO)
    if -delta < due and losses[0].result != "surrender":
        return  # a first handful; what still lies at the end is looked at then
    stack.done.update(line.key for line in losses)
    apart = -delta - due
    others = [line for line in lines(r, stack) if line.key not in stack.done or line.result in RETURNED]
    if losses[0].result == "surrender":
        code = "surrender-half-wrong"
    elif stack.spot.kind != "main":
        code = "insurance-wrong-settlement" if stack.spot.kind == "insurance" else "side-bet-wrong-result"
    elif r.dealer_blackjack():
        code = "dealer-bj-extra-taken"
    elif any(line.net and line.net > 0 for line in others):
        code = "winning-bet-taken"
    elif others:
        code = "push-taken"
    else:
        code = "wrong-payout"
    says = f"Box {stack.spot.box} {losses[0].bet}: {plain(due)} was lost, {plain(-delta)} was taken."
    remedy = f"Give {plain(apart)} back." if apart > 0 else f"Take {plain(-apart)} more."
    _say(r, code, stack, says, remedy)


def _against(r: "Round", stack: "Stack", delta: Decimal) -> None:
    """Paid where nothing was won, or taken where nothing was lost."""
    found = [line for line in lines(r, stack) if line.net is not None]
    if not found:
        return
    line = next((one for one in found if one.net), found[0])
    net = line.net or ZERO
    if delta < 0 and line.key in stack.done and net > 0:
        return  # the dealer takes a payment back, or clears what the player left
    kind = stack.spot.kind
    if kind != "main":
        code = "insurance-wrong-settlement" if kind == "insurance" else "side-bet-wrong-result"
    elif delta > 0:
        code = "losing-bet-paid" if net < 0 else "push-paid"
        if net > 0:
            code = "wrong-payout"
    else:
        code = "winning-bet-taken" if net > 0 else "push-taken"
    if delta < 0 and net < 0:
        return  # a second handful of a lost bet
    owed = f"due {plain(net)}" if net > 0 else f"{plain(-net)} was lost" if net < 0 else "a Stand Off"
    did = f"paid {plain(delta)}" if delta > 0 else f"taken {plain(-delta)}"
    if delta > 0:
        remedy = f"Take {plain(delta)} back{f', and the stake of {plain(-net)}' if net < 0 else ''}."
        stack.done.difference_update({line.key} if net < 0 else ())
    else:
        remedy = f"Put {plain(-delta)} back{f' and pay {plain(net)}' if net > 0 else ''}."
    _say(r, code, stack, f"Box {stack.spot.box} {line.bet}: {owed}, {did}.", remedy)


def unseen_hand(r: "Round", stack: "Stack", delta: Decimal, before: Decimal) -> None:
    """Chips went, and nobody saw by whose hand: only what the game itself explains is taken from it."""
    if r.undecided(stack):
        r.early(stack, delta, before)
    else:
        stack.collected = True
