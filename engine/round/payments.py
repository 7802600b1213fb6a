"""Payments: the chips that the House puts down or takes up, against what every bet came to."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from feltwatch.engine.model.money import ZERO, decimal, plain
from feltwatch.engine.model.spots import MAX_HANDS, Spot
from feltwatch.engine.model.verdicts import Remedy, Settlement
from feltwatch.engine.round.stack import Certainty, Handled, Stack

if TYPE_CHECKING:
    from feltwatch.engine.round.state import RoundState

COMMISSION = Decimal("0.95")  # what is left of a win after it
ALL_HANDS = tuple(range(1, MAX_HANDS + 1))
WON = {"win", "blackjack", "even-money"}
GIVEN_BACK = {"void", "no-action"}  # the bet goes back to its Player, by whose hand it may be


class PaymentsDue(NamedTuple):
    """What the decided lines of a stack come to: to be paid, to be taken; before rounding where that changed it."""

    wins: Decimal
    most: Decimal
    losses: Decimal
    least: Decimal


# ---- what is due ----------------------------------------------------------------------------------------------------


def bet(spot: Spot) -> str:
    """Name the bet whose chips lie here, as settlement lines do: the second stack of a split belongs to the first's."""
    if not spot.hand:
        return spot.bet
    if spot.who.startswith("behind"):
        return spot.who
    return f"main/{spot.who}" if spot.who else "main"


def lines(r: "RoundState", stack: Stack) -> list[Settlement]:
    """Give the settlement lines that are paid or taken on this stack."""
    spot, name, known = stack.spot, bet(stack.spot), r.settlements
    return [known[key] for hand in hands(r, spot) if (key := (spot.box, hand, name)) in known]


def hands(r: "RoundState", spot: Spot) -> Sequence[int]:
    """Give the hands whose chips lie on a spot: of a split those that have no spot of their own."""
    if spot.hand or spot.kind != "main":
        return (spot.hand or 1,)
    if not r.second_stacks:
        return ALL_HANDS
    tail = f"/{spot.who}" if spot.who else ""
    return [n for n in ALL_HANDS if f"box{spot.box}.hand{n}{tail}" not in r.second_stacks]


def due(r: "RoundState", stack: Stack) -> PaymentsDue:
    wins = most = losses = least = ZERO
    for line in lines(r, stack):
        net = line.net or ZERO
        exact = net if line.exact is None else decimal(Fraction(line.exact))
        if net > 0:
            wins, most = wins + net, most + max(net, exact)
        else:
            losses, least = losses - net, least + min(-net, -exact)
    return PaymentsDue(wins, most, losses, least)


def settled(r: "RoundState", stack: Stack) -> None:
    """Some settlement has taken place: that ends reconstruction, and shows the order of settling."""
    r.settlement_seen(stack)
    box = stack.spot.box
    if stack.spot.kind != "main" or box in r.settled_boxes or not r.final_settling():
        return
    later = [done for done in r.settled_boxes if done > box]
    r.settled_boxes.append(box)
    if later and r.switches.settlement_order == "right-to-left":
        r.alert(
            "settlement-order",
            f"Box {box} was settled after box {later[-1]}; the house settles box 1 first.",
            Remedy("continue", r.book.clause("round"), says="Log only."),
            anchor=f"box{box}",
            box=box,
        )


# ---- the dealer's hand ----------------------------------------------------------------------------------------------


def by_dealer(r: "RoundState", stack: Stack, delta: Decimal, before: Decimal) -> None:
    """Judge chips that the dealer put down or took."""
    if stack.bet.refused or not (lines(r, stack) or r.undecided(stack)):
        return
    if delta > 0:
        _puts(r, stack, delta, before)
    else:
        _takes(r, stack, -delta, before)


def _puts(r: "RoundState", stack: Stack, amount: Decimal, before: Decimal) -> None:
    """First what was taken too much goes back, then what won is paid, then what is missing of the bet is restored."""
    owed, so_far = due(r, stack), stack.settled
    missing = max(r.astray(stack, before), ZERO)
    back = min(amount, max(so_far.taken - owed.losses, ZERO))
    so_far.taken -= back
    amount -= back
    paid = min(amount, max(owed.most - so_far.paid, ZERO))
    if paid:
        so_far.paid += paid
        settled(r, stack)
        _in_part(r, stack, owed)
    over = amount - paid
    if over <= missing:
        return
    if r.undecided(stack):
        r.early(stack, over, before)
    else:
        so_far.paid += over
        _overpaid(r, stack, owed)


def _takes(r: "RoundState", stack: Stack, amount: Decimal, before: Decimal) -> None:
    """First an overpayment comes back, then what lost, then what never belonged to the bet, then a payment."""
    owed, so_far = due(r, stack), stack.settled
    surplus = max(-r.astray(stack, before), ZERO)
    back = min(amount, max(so_far.paid - owed.most, ZERO))
    so_far.paid -= back
    amount -= back
    lost = min(amount, max(owed.losses - so_far.taken, ZERO))
    if lost:
        so_far.taken += lost
        amount -= lost
        settled(r, stack)
    amount -= min(amount, surplus)
    if not amount:
        return
    if r.undecided(stack):
        r.early(stack, -amount, before)
        return
    again = min(amount, so_far.paid)
    so_far.paid -= again
    amount -= again
    if {line.result for line in lines(r, stack)} <= GIVEN_BACK and not r.dealer_blackjack():
        so_far.carried += amount
    elif amount:
        so_far.taken += amount
        _overtaken(r, stack, amount, owed)


def _in_part(r: "RoundState", stack: Stack, owed: PaymentsDue) -> None:
    """A payment of part of what is due may be the first of two; but not one that is short by a commission."""
    if r.book.family == "si-ki-pi" and stack.spot.kind != "main" and stack.settled.paid == owed.wins * COMMISSION:
        _underpaid(r, stack, owed, "commission-on-bonus")


def _overpaid(r: "RoundState", stack: Stack, owed: PaymentsDue) -> None:
    """Paid too much, or paid where nothing was won."""
    so_far = stack.settled
    paid, over = plain(so_far.paid), plain(so_far.paid - owed.wins)
    remedy = f"Take {over} back."
    if owed.wins:
        code = "wrong-payout"
        says = f"due {plain(owed.wins)}, paid {paid}, {over} too much"
        if r.book.family == "si-ki-pi" and so_far.paid == lines(r, stack)[0].effective_stake:
            code = "commission-not-taken"
    elif owed.losses:
        code, says = "losing-bet-paid", f"{plain(owed.losses)} was lost, {paid} was paid"
        if owed.losses > so_far.taken:
            both = plain(so_far.paid + owed.losses - so_far.taken)
            remedy = f"Take {both} back: the payment of {paid} and the stake of {plain(owed.losses - so_far.taken)}."
    else:
        code, says = "push-paid", f"a Stand Off, {paid} was paid"
    say(r, code, stack, says, remedy)


def _overtaken(r: "RoundState", stack: Stack, over: Decimal, owed: PaymentsDue) -> None:
    """Taken too much, or taken where nothing was lost."""
    results = {line.result for line in lines(r, stack)}
    so_far = stack.settled
    unpaid = owed.wins - so_far.paid
    remedy = f"Put {plain(over)} back{f' and pay {plain(unpaid)}' if unpaid > 0 else ''}."
    says = f"{plain(owed.losses)} was lost, {plain(so_far.taken)} was taken"
    if "surrender" in results:
        code = "surrender-half-wrong"
    elif results & {"lose", "no-action"} and r.dealer_blackjack() and "dealer-bj-extra-taken" in r.book.faults:
        code = "dealer-bj-extra-taken"
    elif owed.wins:
        code = "winning-bet-taken"
        says = f"due {plain(owed.wins)}, taken {plain(over)}"
    elif results & {"stand-off", "no-action"}:
        code = "push-taken"
        says = f"a Stand Off, taken {plain(over)}"
    else:
        code = "wrong-payout"
    say(r, code, stack, says, remedy)


def _underpaid(r: "RoundState", stack: Stack, owed: PaymentsDue, code: str = "wrong-payout") -> None:
    so_far = stack.settled
    short = plain(owed.wins - so_far.paid)
    says = f"due {plain(owed.wins)}, paid {plain(so_far.paid)}, {short} too little"
    say(r, code, stack, says, f"Pay {short} more.")


def say(r: "RoundState", code: str, stack: Stack, says: str, remedy: str) -> None:
    """Raise what is wrong with a settlement, under the name it has on this kind of bet."""
    spot = stack.spot
    if spot.kind == "insurance":
        code = "insurance-wrong-settlement"
    elif spot.kind != "main" and not code.startswith("commission"):
        code = "side-bet-wrong-result"
    line = next((one for one in lines(r, stack) if one.net is None or one.net), None)
    clause = line.clause if line is not None else r.faultclause(code)
    if code == "wrong-payout" and line is not None and line.odds:
        clause = r.book.clauses.get("pay-blackjack" if line.result == "blackjack" else "pay-win", clause)
    found = Remedy("correct-payment", clause, says=remedy)
    r.remedied(f"r{r.number}-{code}-{spot.text}", found)
    r.alert(
        code,
        f"Box {spot.box} {spot.bet}: {says}.",
        found,
        anchor=spot.text,
        box=spot.box,
        hand=line.hand if line is not None and spot.kind == "main" else None,
        evidence=(spot.text,),
    )
    stack.settled.faulted = True
    settled(r, stack)


# ---- an unseen hand -------------------------------------------------------------------------------------------------


def matches(r: "RoundState", stack: Stack, delta: Decimal) -> bool:
    """Tell whether a change of chips is a payment or a collection that is due, all or part of it; count it if so."""
    owed, so_far = due(r, stack), stack.settled
    if delta > 0 and so_far.paid + delta <= owed.most:
        so_far.paid += delta
    elif delta < 0 and so_far.taken - delta <= owed.losses:
        so_far.taken -= delta
    else:
        return False
    settled(r, stack)
    return True


def unseen_hand(r: "RoundState", stack: Stack, delta: Decimal, before: Decimal) -> None:
    """Chips went by an unseen hand: only what the game itself explains is concluded from it."""
    if matches(r, stack, delta):
        return
    if r.undecided(stack):
        if -delta > max(-r.astray(stack, before), ZERO):
            r.early(stack, delta, before)
        return
    owed, so_far = due(r, stack), stack.settled
    lost = min(-delta, max(owed.losses - so_far.taken, ZERO))
    so_far.taken += lost
    so_far.carried -= delta + lost
    so_far.collected = True


# ---- the end --------------------------------------------------------------------------------------------------------


def underpaid(r: "RoundState") -> None:
    """Play goes on, or the round closes: what was paid in part by now was paid too little."""
    for stack in r.stacks.values():
        owed, so_far = due(r, stack), stack.settled
        if ZERO < so_far.paid < owed.wins and not (so_far.faulted or so_far.unsure or r.undecided(stack)):
            _underpaid(r, stack, owed)


def lying(r: "RoundState", *, announced: bool) -> None:
    """What lies when the round closes was not taken, or was not paid."""
    underpaid(r)
    for stack in r.stacks.values():
        found, so_far = lines(r, stack), stack.settled
        if not found or stack.bet.refused or so_far.faulted or so_far.certainty is Certainty.UNWATCHED:
            continue
        owed = due(r, stack)
        if None in (line.net for line in found):
            _uncounted(r, stack, found, announced=announced)
        elif so_far.paid - so_far.taken not in (owed.wins - owed.losses, owed.most - owed.losses):
            _left(r, stack, owed, announced=announced)


def _left(r: "RoundState", stack: Stack, owed: PaymentsDue, *, announced: bool) -> None:
    so_far = stack.settled
    open_loss = owed.losses - so_far.taken if owed.least > so_far.taken else ZERO
    lies = open_loss if stack.now.amount is None else min(open_loss, stack.now.amount)
    if lies and stack.now.present:
        if so_far.taken and any(line.result == "surrender" for line in lines(r, stack)):
            says = f"{plain(owed.losses)} is given up, {plain(so_far.taken)} was taken"
            say(r, "surrender-half-wrong", stack, says, f"Take {plain(lies)} more.")
        else:
            _lies(r, stack, f"take {plain(lies)}", lost=True, announced=announced)
    if owed.wins and not (so_far.paid or so_far.collected or so_far.unsure) and stack.now.present:
        _lies(r, stack, f"pay {plain(owed.wins)}", lost=False, announced=announced)


def _uncounted(r: "RoundState", stack: Stack, found: list[Settlement], *, announced: bool) -> None:
    """Chips that could not be counted: that they still lie says enough of a lost bet; of a won one, their number."""
    if not (stack.settled.untouched and stack.now.present):
        return
    results = {line.result for line in found}
    if results == {"lose"}:
        _lies(r, stack, "take it", lost=True, announced=announced)
    elif results <= WON and (stack.now.units is not None or (stack.now.piles and stack.settled.handled is Handled.NO)):
        _lies(r, stack, f"pay it {found[0].odds}", lost=False, announced=announced)


def _lies(r: "RoundState", stack: Stack, what: str, *, lost: bool, announced: bool) -> None:
    spot = stack.spot
    code = r.left_code(stack, lost=lost, announced=announced)
    results = {"lose", "surrender"} if lost else WON
    found = [line for line in lines(r, stack) if line.result in results]
    if not code:
        return
    did = "lost" if lost else "won"
    compared = {r.book.clauses.get(topic) for topic in ("win", "dealer-bust", "blackjack", "lose")}
    r.alert(
        code,
        f"The round closes and the {bet(spot)} bet of box {spot.box} {did} and still lies: {what}.",
        Remedy("correct-payment", found[0].clause, says=f"{what.capitalize()} before the next round begins."),
        anchor=spot.text,
        box=spot.box,
        hand=found[0].hand if spot.kind == "main" else None,
        evidence=(spot.text,),
        clause=found[0].clause if found[0].clause in compared else "",
    )
