"""A table that only a camera reports: chips counted in stacks, and a round that is broken off."""

from typing import TYPE_CHECKING

from feltwatch.engine.round import payments
from feltwatch.engine.round.stack import Handled, SeenNow, Stack

if TYPE_CHECKING:
    from feltwatch.engine.model.events import Chips
    from feltwatch.engine.model.verdicts import Alert
    from feltwatch.engine.round.state import RoundState

LYING = (
    "losing-bet-not-taken",
    "winning-bet-not-paid",
    "blackjack-not-paid",
    "side-bet-not-settled",
    "bonus-not-settled",
    "insurance-wrong-settlement",
)
TOGETHER_S = 0.75  # cards that leave the table within it are taken up in one sweep
LATE_S = 1.0  # how long chips may have been there unseen, without `since`
SAYS = {
    "losing-bet-paid": ("it lost, and the dealer put chips down beside it", "Take the payment back, and the bet."),
    "push-paid": ("a Stand Off, and the dealer put chips down beside it", "Take the payment back."),
    "winning-bet-taken": ("it won, and the dealer took it", "Put it back and pay it."),
    "push-taken": ("a Stand Off, and the dealer took it", "Put it back."),
    "dealer-bj-extra-taken": ("the Initial Bet alone was lost, and the dealer took all", "Put the second bet back."),
}


def grew(stack: Stack, piles: int | None) -> bool:
    """Tell whether more stacks stand here than before, where no more than these can be counted."""
    return stack.now.units is None and stack.now.piles is not None and piles is not None and stack.now.piles > piles


def lay_before(event: "Chips", t: float) -> bool:
    """Tell whether chips reported now may have been there at that time: a hand may have covered them."""
    return (event.t - LATE_S if event.since is None else event.since) < t


def lay_at_close(r: "RoundState", event: "Chips") -> bool:
    """Tell whether a camera tells only now what lay on a spot, or had gone from it, before the first card fell."""
    if r.heard or not r.closed or not r.first_cards() or event.by == "dealer" or event.spot is None:
        return False
    unread = event.units is None and (event.amount is None or not event.amount)
    return unread and lay_before(event, r.closed_at)


def settled_before(r: "RoundState", event: "Chips") -> None:
    """Take back that a bet was not settled: its chips were moved in time, and a camera tells of it only now."""
    if event.spot is None or not r.only_seen:
        return
    for code in LYING:
        name = f"r{r.number}-{code}-{event.spot.text}"
        if name in r.alerts and lay_before(event, r.alerts[name].t):
            r.withdraw(name, "its chips had been moved before")


def doubtful(r: "RoundState", event: "Chips", box: int | None = None) -> bool:
    """Tell whether a card fell (on that box) while the chips may have lain there unseen."""
    last = max(r.fell.values(), default=0.0) if box is None else r.fell.get(box, 0.0)
    return event.units is None and lay_before(event, last)


def by_dealer(r: "RoundState", stack: Stack, event: "Chips", before: SeenNow, *, sure: bool) -> None:
    """Judge what the dealer put down or took: a stack beside the bet is a payment, an empty spot a bet taken."""
    first = sure and not stack.settled.by_dealer
    stack.settled.handled = Handled.BY_DEALER
    paid = grew(stack, before.piles) and bool(before.piles)
    taken = before.present and not stack.now.present
    if (paid or taken) and stack.spot.kind == "main" and not lay_before(event, r.played_at):
        r.went_on = r.n
    faulted = stack.settled.faulted
    if not (paid or taken) or faulted:
        r.given_back = r.given_back or (not before.present and bool(payments.lines(r, stack)) and not faulted)
        return
    if r.undecided(stack):
        r.touched(stack)
    found = payments.lines(r, stack)
    if not found or r.undecided(stack):
        return
    results = {line.result for line in found}
    code = _wrong(r, stack, results, paid=paid) if first and not r.doubt else ""
    if code:
        payments.say(r, code, stack, *SAYS[code])
        return
    payments.settled(r, stack)


def _wrong(r: "RoundState", stack: Stack, results: set[str], *, paid: bool) -> str:
    """Name what is wrong with a bet that was paid, or taken: "" where it may be right."""
    if results == {"lose"}:
        return "losing-bet-paid" if paid else "dealer-bj-extra-taken" if r.took_extra(stack) else ""
    if results == {"stand-off"}:
        return "push-paid" if paid else "push-taken"
    return "winning-bet-taken" if results <= payments.WON and not paid else ""


def fewer(r: "RoundState", stack: Stack, event: "Chips", before: SeenNow, *, untouched: bool) -> None:
    """Take note of chips that went, or were pushed about, by a hand that is not the dealer's."""
    fell = stack.now.piles is not None and before.piles is not None and stack.now.piles < before.piles
    if stack.now.by == "player" and stack.now.present and fell and not doubtful(r, event, stack.spot.box):
        r.fewer(stack)
    if untouched and not stack.now.present and r.undecided(stack):
        r.emptied(stack)
    if stack.now.present or not untouched or stack.settled.by_dealer or stack.spot.kind != "main":
        return
    results = {line.result for line in payments.lines(r, stack)}
    if results and (results <= payments.WON or (results == {"lose"} and stack.now.by == "player")):
        r.given_back = True  # what lost is the House's, and what won would have been paid first


# ---- a round that was not continued after an error: a camera sees no ruling --------------------------------------


def breaks_off(r: "RoundState") -> bool:
    """Declare a round void that ended with an uncorrected error; tell whether that was concluded."""
    if not r.only_seen:
        return False
    r.breaks_off()
    halted = [alert for name, alert in r.alerts.items() if r.raised[name] >= r.went_on and _halts(r, alert)]
    if not halted:
        return False
    if any(stack.now.present for stack in _mains(r)) or r.gap_t > halted[-1].t:
        r.doubt = f"nobody saw what followed {halted[-1].code}"
    elif r.given_back or halted[-1].remedy.outcome == "void" or _went_back(r, halted[-1]):
        r.void_round(f"the round was broken off and its bets went back: {halted[-1].says}")
        return True
    else:
        r.doubt = f"nobody saw whether the round was void after {halted[-1].code}"
    return False


def _mains(r: "RoundState") -> list[Stack]:
    return [stack for stack in r.stacks.values() if stack.spot.kind == "main" and stack.bet.placed]


def _went_back(r: "RoundState", alert: "Alert") -> bool:
    """Tell whether open bets were taken up by their Players after an error, and none by the dealer."""
    mains = _mains(r)
    emptied = (stack.settled.emptied for stack in mains)
    by = {one.by for one in emptied if one is not None and one.t >= alert.t}
    return any(r.undecided(stack) for stack in mains) and "player" in by and "dealer" not in by


def _halts(r: "RoundState", alert: "Alert") -> bool:
    """Tell whether an error stops the game, and was not put right."""
    stops = alert.severity in ("void", "stop") and alert.remedy.outcome != "correct-payment"
    return stops and not _taken_away(r, alert)


def _taken_away(r: "RoundState", alert: "Alert") -> bool:
    """Tell whether the last card of an error left the table by itself, the others of the hand and the bets staying."""
    cards = [r.seen[name] for name in alert.evidence if name in r.seen]
    left = cards[-1].gone_at if cards else None
    if left is None:
        return False
    emptied = (stack.settled.emptied for stack in _mains(r))
    if all(one is not None and one.t <= left for one in emptied):
        return False
    return any(one.gone_at is None or one.gone_at > left + TOGETHER_S for one in cards[:-1])
