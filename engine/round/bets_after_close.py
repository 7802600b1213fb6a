"""Chips that move after the close: who may move them, and what it is called when he may not."""

from decimal import Decimal
from typing import TYPE_CHECKING

from feltwatch.engine.model.money import ZERO, plain
from feltwatch.engine.model.spots import Spot
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import camera_only, payments
from feltwatch.engine.round.stack import EMPTY, Certainty, SeenNow, Slip

if TYPE_CHECKING:
    from feltwatch.engine.model.events import Chips
    from feltwatch.engine.round.stack import Stack
    from feltwatch.engine.round.state import RoundState

SLIP_S = 5.0  # a chip taken here and put there within this time was moved


def name(spot: Spot) -> str:
    """Name a bet as the floor does: "the Standing Player's main bet of box 3"."""
    who = {"s": " Standing Player's", "b": " bet behind's"}.get(spot.who[:1], "")
    return f"the{who} {spot.kind} bet of box {spot.box}"


def moved(r: "RoundState", stack: "Stack", event: "Chips", before: SeenNow) -> None:
    """Judge a change on a spot."""
    amount, lay = before.known, before.present
    if stack.bet.refused or stack.settled.certainty is Certainty.UNWATCHED:
        return
    if stack.spot.hand and stack.now.present:
        r.second_stacks.add(stack.spot.text)
    if stack.now.amount is None or (amount is None and lay):
        camera_only.settled_before(r, event)
        _uncounted(r, stack, event, before if lay else EMPTY)
        return
    was = amount or ZERO
    delta = stack.now.amount - was
    if lay:
        stack.settled.certainty = Certainty.SURE
    if not delta:
        return
    if event.by == "dealer":
        payments.by_dealer(r, stack, delta, was)
    elif delta > 0:
        _added(r, stack, event, delta, was)
    elif event.by == "player":
        _taken(r, stack, -delta, was)
    else:
        payments.unseen_hand(r, stack, delta, was)


def _uncounted(r: "RoundState", stack: "Stack", event: "Chips", before: SeenNow) -> None:
    """Something may have changed and its amount is not known: only more chips than ever may mean something."""
    most = max(before.units or 0, stack.bet.grown or stack.bet.units or 0)
    same = stack.now.units is not None and stack.now.units == before.units
    more = stack.now.units is not None and before.units is not None and stack.now.units > most
    grew = camera_only.grew(stack, before.piles)
    unsure = stack.settled.unsure
    if not same:
        stack.settled.certainty = Certainty.UNSURE
    if event.by == "dealer":
        camera_only.by_dealer(r, stack, event, before, sure=not unsure)
    elif event.changed and before.present:
        _altered(r, stack, event, untouched=not unsure)
    elif not (more or grew or (before.units == 0 and stack.now.present)):
        camera_only.fewer(r, stack, event, before, untouched=not unsure)
    elif _decided(r, stack):
        _on_decided_uncounted(r, stack, grew=grew and not (unsure or camera_only.doubtful(r, event)))
    elif grew and before.present and event.by is None:
        r.went_on = r.n  # else it says nothing: chips that were there all along may be seen only now
    elif not camera_only.doubtful(r, event, stack.spot.box) and r.takes_more(stack, None, event):
        stack.bet.grown = stack.now.units
        if not unsure or stack.now.units is not None:
            stack.settled.certainty = Certainty.SURE
    elif event.by == "player" or stack.now.units is not None:
        _late(r, stack, event, (stack.now.units or 0) - most if more else 0)


def _on_decided_uncounted(r: "RoundState", stack: "Stack", *, grew: bool) -> None:
    """One stack more on a bet that is decided: a payment, or a Player's own beside a bet that waits for it."""
    results = {line.result for line in payments.lines(r, stack)}
    if results and stack.settled.emptied is not None and stack.now.by is None:
        r.given_back = True  # it is back, from any hand
    if not grew or not results <= payments.WON or not results:
        return
    if stack.now.by == "player":
        _slipped(r, "bet-capped", stack, None, "a stack of chips")
    else:
        r.went_on = r.n


def _altered(r: "RoundState", stack: "Stack", event: "Chips", *, untouched: bool) -> None:
    """A stack of a bet is not as it was, by more chips or fewer: an error where a Player may not touch it at all."""
    if event.by != "player" or camera_only.lay_before(event, r.closed_at):
        return
    if not _decided(r, stack):
        if r.first_cards() or stack.spot.kind not in ("main", "insurance"):  # later it may be a double
            _say_altered(r, "past-posting", stack)
        return
    results = {line.result for line in payments.lines(r, stack)}
    if not results or not untouched or camera_only.doubtful(r, event):
        return
    if results <= payments.WON:
        _say_altered(r, "bet-capped", stack)
    elif results == {"lose"}:
        _say_altered(r, "bet-pinched", stack)


def _say_altered(r: "RoundState", code: str, stack: "Stack") -> None:
    """Raise it without an amount, as more chips or fewer may lie there."""
    when = "after the bets were closed" if code == "past-posting" else "after it was decided"
    says = f"A player's hand changed {name(stack.spot)} {when}: chips were added, taken or exchanged."
    _say(r, code, stack, None, says, "Compare the bet with the footage; it is settled as it lay at the close.")


def _late(r: "RoundState", stack: "Stack", event: "Chips", chips: int) -> None:
    """More chips that the game does not explain; where only stacks are counted, it explains any after the deal."""
    if _late_box(r, stack, None) or event.by != "player":
        return
    if chips:
        _slipped(r, "past-posting", stack, None, f"{chips} chips")
    elif stack.now.units is None and r.first_cards():
        _slipped(r, "past-posting", stack, None, "a stack of chips")


# ---- more chips -----------------------------------------------------------------------------------------------------


def _added(r: "RoundState", stack: "Stack", event: "Chips", delta: Decimal, was: Decimal) -> None:
    """A player's hand, or one not seen, put chips down."""
    seen = event.by == "player"
    if not seen and payments.matches(r, stack, delta):
        return
    if _moved_here(r, stack, delta, alerted=True):
        return
    missing = r.astray(stack, was)
    if 0 < delta <= missing:
        return  # what was taken from the bet is back
    if _decided(r, stack):
        _on_decided(r, stack, delta, seen=seen)
    elif not (
        r.takes_more(stack, delta, event)
        or _moved_here(r, stack, delta, alerted=False)
        or _late_box(r, stack, delta)
        or not seen
    ):
        _slipped(r, "past-posting", stack, delta)


def _decided(r: "RoundState", stack: "Stack") -> bool:
    """Tell whether what lies here can no longer play: its bet is decided, or every bet is."""
    if payments.lines(r, stack):
        return not r.undecided(stack)
    if stack.spot.kind == "insurance" or not r.settlements:
        return False
    return not any(r.undecided(other) for other in r.stacks.values())


def _on_decided(r: "RoundState", stack: "Stack", delta: Decimal, *, seen: bool) -> None:
    """More chips on a bet that has won and waits for its payment; else they are for the next round."""
    if payments.due(r, stack).wins <= stack.settled.paid:
        return
    if seen:
        _slipped(r, "bet-capped", stack, delta)
    else:
        stack.settled.certainty = Certainty.UNSURE  # the House may have paid it


def _late_box(r: "RoundState", stack: "Stack", delta: Decimal | None) -> bool:
    """A bet on a box that had none at the close."""
    spot = stack.spot
    if spot.kind != "main" or spot.hand or any(s.bet.placed and s.spot.box == spot.box for s in r.stacks.values()):
        return False
    amount = "" if delta is None else f" of {plain(delta)}"
    stack.bet.refused = True
    r.alert(
        "new-player-mid-round",
        f"A bet{amount} came onto box {spot.box}, which had none when the bets closed; refuse it.",
        Remedy("reject-bet", r.book.clause("closed"), says=f"Give the bet on box {spot.box} back."),
        anchor=spot.text,
        box=spot.box,
        evidence=(spot.text,),
    )
    return True


# ---- fewer chips ----------------------------------------------------------------------------------------------------


def _taken(r: "RoundState", stack: "Stack", amount: Decimal, was: Decimal) -> None:
    """A player's hand took chips: his own where they won or go back, else a part of the bet."""
    amount -= min(amount, max(-r.astray(stack, was), ZERO))  # what never belonged to the bet
    if not amount:
        return
    if r.undecided(stack):
        if r.withdrawn_chips(stack, -amount):
            return
        if r.gap_t > r.closed_at and not stack.now.present:  # an unseen event may have made the round void
            r.doubt = r.doubt or f"nobody saw why {name(stack.spot)} went back"
        else:
            _slipped(r, "bet-pinched", stack, -amount)
        return
    owed = payments.due(r, stack)
    pinched = min(amount, max(owed.losses - stack.settled.taken - (stack.now.amount or ZERO), ZERO))
    if stack.settled.faulted:
        pinched = ZERO  # the House erred first: he takes what it paid him
    if pinched:
        _slipped(r, "bet-pinched", stack, -pinched)
    stack.settled.carried += amount - pinched
    stack.settled.collected = stack.settled.collected or amount > pinched
    if owed.wins > stack.settled.paid and not pinched:
        r.slip = Slip("", stack.spot, -amount, r.t)


# ---- saying it ------------------------------------------------------------------------------------------------------

SAYS = {
    "past-posting": "{name} grew by {amount} after the bets were closed; it is settled as it lay then.",
    "bet-capped": "{name} grew by {amount} after it had won; pay it as it lay when the bets were closed.",
    "bet-pinched": "{name} shrank by {amount} by a player's hand after the bets were closed.",
}
DOES = {
    "past-posting": "Give {amount} back: it does not play.",
    "bet-capped": "Give {amount} back and pay the bet as it lay at the close.",
    "bet-pinched": "Have {amount} put back; the bet is settled as it lay at the close.",
}


def _moved_here(r: "RoundState", stack: "Stack", delta: Decimal, *, alerted: bool) -> bool:
    """Tell whether these are the chips just taken elsewhere, and if so say that they were moved."""
    last = r.slip
    if last is None or last.delta != -delta or last.spot == stack.spot or r.t - last.t > SLIP_S:
        return False
    if alerted and not last.alert:
        return False
    source, target = (last.spot, stack.spot) if delta > 0 else (stack.spot, last.spot)
    says = (
        f"{plain(abs(delta))} was moved from {name(source)} to {name(target)} after the bets were closed; "
        "both are settled as they lay then."
    )
    _say(r, "chip-moved", stack, delta, says, f"Put {plain(abs(delta))} back where it lay.")
    return True


def _slipped(r: "RoundState", code: str, stack: "Stack", delta: Decimal | None, amount: str = "") -> None:
    """Raise it; where it undoes the last such slip elsewhere, both are one chip moved."""
    if delta is not None and _moved_here(r, stack, delta, alerted=True):
        return
    words = {"name": f"The{name(stack.spot)[3:]}", "amount": amount or plain(abs(delta or ZERO))}
    _say(r, code, stack, delta, SAYS[code].format(**words), DOES[code].format(**words))


def _say(r: "RoundState", code: str, stack: "Stack", delta: Decimal | None, says: str, does: str) -> None:
    spot, last = stack.spot, r.slip
    found = r.alert(
        code,
        says,
        Remedy("reject-bet" if code == "past-posting" else "correct-payment", r.book.clause("position"), says=does),
        anchor=f"{spot.text}-{r.n}",
        box=spot.box,
        evidence=(spot.text,),
        replaces=last.alert if code == "chip-moved" and last is not None else "",
    )
    r.slip = None if code == "chip-moved" or delta is None else Slip(found, spot, delta, r.t)
