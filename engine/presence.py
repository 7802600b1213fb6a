"""Chips of which is known that they lie there, and in how many stacks: what a hand that moves them may mean."""

from typing import TYPE_CHECKING

from engine import payments

if TYPE_CHECKING:
    from engine.after_close import Before
    from engine.bets import Stack
    from engine.round import Round

SAYS = {
    "losing-bet-paid": ("it lost, and the dealer put chips down beside it", "Take the payment back, and the bet."),
    "push-paid": ("a Stand Off, and the dealer put chips down beside it", "Take the payment back."),
    "winning-bet-taken": ("it won, and the dealer took it", "Put it back and pay it."),
    "push-taken": ("a Stand Off, and the dealer took it", "Put it back."),
    "dealer-bj-extra-taken": ("the Initial Bet alone was lost, and the dealer took all", "Put the second bet back."),
}


def grew(stack: "Stack", piles: int | None) -> bool:
    """Tell whether more stacks stand here than before, where no more than these can be counted."""
    return stack.units is None and stack.piles is not None and piles is not None and stack.piles > piles


def by_dealer(r: "Round", stack: "Stack", before: "Before", *, sure: bool) -> None:
    """Judge what the dealer put down or took: a stack beside the bet is a payment, an empty spot a bet taken."""
    first, stack.house = sure and not stack.house, True
    paid = grew(stack, before.piles) and bool(before.piles)
    taken = before.lay and not stack.present
    if not (paid or taken) or stack.faulted:
        r.given_back = r.given_back or (not before.lay and bool(payments.lines(r, stack)) and not stack.faulted)
        return
    if r.undecided(stack):
        r.touched(stack)
    found = payments.lines(r, stack)
    if not found or r.undecided(stack):
        return
    results = {line.result for line in found}
    code = _wrong(r, stack, results, paid=paid) if first else ""
    if code:
        payments.say(r, code, stack, *SAYS[code])
        return
    payments.settled(r, stack)
    if first and results <= (payments.WON if paid else {"lose"}):
        r.went_on = r.n


def _wrong(r: "Round", stack: "Stack", results: set[str], *, paid: bool) -> str:
    """Name what is wrong with a bet that was paid, or taken: "" where it may be right."""
    if results == {"lose"}:
        return "losing-bet-paid" if paid else "dealer-bj-extra-taken" if r.took_extra(stack) else ""
    if results == {"stand-off"}:
        return "push-paid" if paid else "push-taken"
    return "winning-bet-taken" if results <= payments.WON and not paid else ""


def fewer(r: "Round", stack: "Stack", before: "Before", *, untouched: bool) -> None:
    """Take note of chips that went, or were pushed about, by a hand that is not the dealer's."""
    fell = stack.piles is not None and before.piles is not None and stack.piles < before.piles
    if stack.by == "player" and stack.present and fell and stack.units is None:
        r.fewer(stack)
    if stack.present or not untouched or stack.house or stack.spot.kind != "main":
        return
    results = {line.result for line in payments.lines(r, stack)}
    if results and (results <= payments.WON or (results == {"lose"} and stack.by == "player")):
        r.given_back = True  # what lost is the House's, and what won would have been paid first
