"""Chips: what lies where, the snapshot at the close, and the limits of a box."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from feltwatch.engine.model.money import ZERO, decimal, down, plain, pro_rata
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import bets_after_close
from feltwatch.engine.round.bets_after_close import name
from feltwatch.engine.round.stack import BetStatus, Emptied, Handled, SeenNow, Stack

if TYPE_CHECKING:
    from feltwatch.engine.model.events import Chips
    from feltwatch.engine.round.state import RoundState


def chips(r: "RoundState", event: "Chips") -> None:
    """Take note of what now lies on a spot, and judge the change."""
    spot = event.spot
    if spot is None or spot.box > int(r.switches.boxes) or spot.kind not in r.book.bets:
        where = {"" if spot is None else spot.text}
        r.outside_chips = r.outside_chips - where if event.amount == 0 else r.outside_chips | where
        return
    stack = r.stacks.get(spot.text)
    if stack is None:
        stack = r.stacks[spot.text] = Stack(spot)
    before, present = stack.now, event.amount != 0
    known = before.known if event.amount is None else event.amount
    piles = event.stacks if present else 0
    stack.now = SeenNow(event.amount, event.units, piles, present, known, event.by, event.t)
    if r.closed:
        _changed_after_close(r, stack, event, before)
        return
    more = event.amount is not None and before.known is not None and event.amount > before.known
    if stack.bet.left_over and more and event.by != "dealer":  # a payment that came late is no bet
        stack.bet.status = BetStatus.NONE
    _seat(r, stack, event.player)
    _limits(r, spot.box)


def _changed_after_close(r: "RoundState", stack: Stack, event: "Chips", before: SeenNow) -> None:
    if stack.bet.left_over:
        stack.bet.status = BetStatus.NONE
    if stack.settled.handled is Handled.NO:
        stack.settled.handled = Handled.YES
    if before.present and not stack.now.present and stack.settled.emptied is None:
        stack.settled.emptied = Emptied(event.t, event.by)
    if not r.void:
        bets_after_close.moved(r, stack, event, before)


def _seat(r: "RoundState", stack: Stack, player: str | None) -> None:
    """Live tables know whose bet it is: no player holds two seats, no seated player bets behind."""
    spot = stack.spot
    if spot.kind != "main" or (spot.who and not spot.who.startswith("behind")):
        return
    if not stack.now.present:
        stack.bet.refused = False
        if not spot.who and stack.player is not None:
            r.seats.get(stack.player, set()).discard(spot.box)
    elif player is not None:
        stack.player = player
        if not spot.who:
            seat_taken(r, player, spot.box)
        elif r.seats.get(player):
            _behind(r, stack, player)


def _behind(r: "RoundState", stack: Stack, player: str) -> None:
    box = stack.spot.box
    found = r.alert(
        "behind-by-seated-player",
        f"Player {player} holds a seat and may not bet behind box {box}.",
        Remedy("reject-bet", r.faultclause("behind-by-seated-player"), says="Refuse the bet behind."),
        anchor=stack.spot.text,
        box=box,
        evidence=(stack.spot.text,),
    )
    stack.bet.refused = stack.bet.refused or bool(found)


def seat_taken(r: "RoundState", player: str, box: int) -> None:
    """Note a seat; no player holds two at a table that forbids it."""
    held = r.seats.setdefault(player, set())
    if held - {box}:
        r.alert(
            "one-seat-per-player",
            f"Player {player} holds seat {min(held - {box})} and has taken seat {box} as well.",
            Remedy("reject-bet", r.faultclause("one-seat-per-player"), says=f"Release seat {box}."),
            anchor=f"{player}-{box}",
            box=box,
        )
    held.add(box)
    for stack in r.stacks.values():
        if stack.player == player and stack.spot.who and stack.now.present and not r.closed:
            _behind(r, stack, player)


# ---- limits ---------------------------------------------------------------------------------------------------------


def mains(r: "RoundState", box: int) -> list[Stack]:
    """Give the main bets of a box, the one that decides for it first."""
    return ranked(
        s
        for s in r.stacks.values()
        if s.spot.box == box and s.spot.kind == "main" and not s.spot.hand and s.now.present and not s.bet.left_over
    )


def ranked(stacks: Iterable[Stack]) -> list[Stack]:
    """The Seated Player first, the others as they came; at an empty seat the highest Bet decides (1.26)."""
    found = list(stacks)
    if any(not s.spot.who for s in found):
        return sorted(found, key=lambda s: s.spot.who != "")
    return sorted(found, key=lambda s: -(s.now.amount or ZERO))


def _limits(r: "RoundState", box: int) -> None:
    """Before the close: excess is rejected, a box under the minimum may be raised or withdrawn (5.1, 5.2)."""
    low, high = r.book.minimum, r.book.maximum
    if low is None and high is None:
        return
    stacks = [s for s in mains(r, box) if not s.bet.refused]
    if any(s.now.amount is None for s in stacks):
        return
    amounts = [s.now.amount or ZERO for s in stacks]
    total = sum(amounts, ZERO)
    if high is not None and total > high:
        _over(r, box, stacks, high)
    else:
        r.withdraw(_over_name(r, box), f"box {box} is within the maximum again")
    if low is not None and stacks and (total < low or (r.switches.min_scope == "bet" and min(amounts) < low)):
        _under(r, box, stacks, low)
    else:
        r.withdraw(f"r{r.number}-bet-below-minimum-box{box}", f"box {box} holds {plain(total)} now")


def _over_name(r: "RoundState", box: int) -> str:
    return f"r{r.number}-box-over-maximum-box{box}"


def _under(r: "RoundState", box: int, stacks: list[Stack], low: Decimal) -> None:
    least = min((s.now.amount or ZERO for s in stacks), default=ZERO)
    total = sum((s.now.amount or ZERO for s in stacks), ZERO)
    holds = f"holds {plain(total)}" if total < low else f"holds a bet of {plain(least)}"
    r.alert(
        "bet-below-minimum",
        f"Box {box} {holds}, under the minimum of {plain(low)}: raise it or take it back.",
        Remedy(
            "options",
            r.book.clauses.get("below", ""),
            ("increase", "withdraw"),
            says="Unnoticed until the close it wins or loses as it lies.",
        ),
        anchor=f"box{box}",
        box=box,
        evidence=tuple(s.spot.text for s in stacks),
    )


def _over(r: "RoundState", box: int, stacks: list[Stack], high: Decimal) -> None:
    """The excess is refused, the last to come first; the Seated Player has the first call on the room (5.1)."""
    room, back = high, []
    for stack in stacks:
        amount = stack.now.amount or ZERO
        taken = min(room, amount)
        room -= taken
        if taken < amount:
            back.append(f"{plain(amount - taken)} of {name(stack.spot)}")
    total = sum((s.now.amount or ZERO for s in stacks), ZERO)
    says = f"Before the close give back {' and '.join(back)}."
    remedy = Remedy("reject-bet", r.book.clauses.get("limit", ""), says=says)
    r.alert(
        "box-over-maximum",
        f"Box {box} holds {plain(total)}, over the maximum of {plain(high)}.",
        remedy,
        anchor=f"box{box}",
        box=box,
        evidence=tuple(s.spot.text for s in stacks),
    )
    r.remedied(_over_name(r, box), remedy)


def close(r: "RoundState") -> None:
    """The snapshot: what lies now is what the bets are settled on."""
    for stack in r.stacks.values():
        if stack.now.present and not stack.bet.left_over:
            stack.bet.place(stack.now)
            stack.bet.units, stack.bet.piles = stack.now.units, stack.now.piles
            if stack.bet.refused:
                r.line(stack, "no-action", r.book.clause("reject"))
    limited = "pro-rata" in r.book.clauses or r.switches.v4_fallback == "v5"
    if r.book.maximum is not None and limited:
        for box in sorted({s.spot.box for s in r.stacks.values()}):
            _apportion(r, box, r.book.maximum)
    if r.outside_chips:
        r.alert(
            "bet-outside-box",
            "Chips lie on a line or outside every box as the bets close: whose, and on which bet?",
            Remedy("options", r.book.clause("position"), says="Clarify before the first card; else it is settled so."),
            anchor="outside",
        )
    _over_initial(r)
    r.uncounted = any(stack.bet.placed and stack.bet.stake is None for stack in r.stacks.values())


def _apportion(r: "RoundState", box: int, high: Decimal) -> None:
    """A box over its maximum whose excess was not refused plays pro rata (5.1.1, 5.1.2)."""
    stacks = [s for s in mains(r, box) if s.bet.in_play]
    stakes = [s.bet.stake for s in stacks if s.bet.stake is not None]
    if len(stakes) < len(stacks) or sum(stakes) <= high:
        return
    exact = r.switches.prorata_rounding == "exact"
    shares = pro_rata(stakes, r.book.minimum or ZERO, high, simple=r.switches.pro_rata == "simple")
    for stack, share in zip(stacks, shares, strict=True):
        stack.bet.factor = share if exact else Fraction(down(share, r.chip))
    each = [f"{plain(decimal(s.bet.factor or Fraction(0)))} of {plain(s.bet.stake)}" for s in stacks]
    says = f"The excess was not refused: the box plays pro rata, {' and '.join(each)}."
    total = sum((s.bet.factor or Fraction(0) for s in stacks), Fraction(0))
    if total > high:
        says += f" That is {plain(decimal(total))}, since no Bet plays under the minimum: report it to the supervisor."
    r.remedied(_over_name(r, box), Remedy("continue", r.book.clauses.get("pro-rata", ""), says=says))


def _over_initial(r: "RoundState") -> None:
    """Under 13 and Over 13 stay within the Initial Bet of their box (B6)."""
    both: dict[int, Decimal] = {}
    for stack in r.stacks.values():
        if stack.spot.kind not in ("under13", "over13") or not stack.bet.placed or stack.bet.stake is None:
            continue
        box = stack.spot.box
        stakes = [s.bet.stake for s in mains(r, box) if s.bet.placed]
        initial = sum((stake or ZERO for stake in stakes), ZERO)
        others = both.get(box, ZERO) if r.switches.under_over_limit == "sum" else ZERO
        both[box] = both.get(box, ZERO) + stack.bet.stake
        if stakes and None not in stakes and others + stack.bet.stake > initial:
            _above(r, stack, stack.bet.stake, max(initial - others, ZERO))


@dataclass(frozen=True, slots=True, eq=False)
class ExcessRuling:
    """What a ruling on a side bet above its most does: a value, so that a round in the middle can be kept."""

    round: "RoundState"
    stack: Stack
    most: Decimal

    def __call__(self, choice: str, _: int | None) -> None:
        if choice == "uphold":
            self.stack.bet.factor = Fraction(self.most)
            self.round.again(self.stack)


def _above(r: "RoundState", stack: Stack, stake: Decimal, most: Decimal) -> None:
    """A side bet lies above what it may be: ask, or do as the table is set (B6)."""
    asks = r.switches.under_over_excess == "supervisor"
    capped = f"settled on {plain(most)}, the excess returned"
    says = f"Uphold: {capped}. Dismiss: settled on {plain(stake)}."
    if not asks:
        says = f"It is {capped}." if r.switches.under_over_excess == "capped" else f"It is settled on {plain(stake)}."
    found = r.alert(
        "side-bet-over-initial",
        f"The {stack.spot.kind} bet of box {stack.spot.box} ({plain(stake)}) is above what it may be ({plain(most)}).",
        Remedy(
            "options" if asks else "continue", r.book.clause("excess"), ("uphold", "dismiss") if asks else (), says=says
        ),
        anchor=stack.spot.text,
        box=stack.spot.box,
        evidence=(stack.spot.text,),
    )

    if r.switches.under_over_excess == "capped":
        stack.bet.factor = Fraction(most)
    elif found and asks:
        r.plan(found, ExcessRuling(r, stack, most), waits=False)


def lone_side_bets(r: "RoundState", *, dealt: bool = False) -> None:
    """Side bets on a box without an Initial Bet are removed and returned (5.15).

    Chips left over from the last round may still become a bet, until every box has its cards.
    """
    bets = [s for s in r.stacks.values() if s.spot.kind == "main" and (s.bet.placed or (s.bet.left_over and not dealt))]
    boxes = {s.spot.box for s in bets}
    for stack in r.stacks.values():
        spot = stack.spot
        if spot.kind in ("main", "insurance") or not stack.bet.in_play:
            continue
        boom = spot.kind == "boom-busted"
        if boxes if boom else spot.box in boxes:
            continue
        stack.bet.refused = True
        amount = "" if stack.bet.stake is None else f" of {plain(stack.bet.stake)}"
        where = "any box" if boom else f"box {spot.box}"
        r.alert(
            "side-bet-without-initial",
            f"A {spot.kind} bet{amount} lies on box {spot.box} without an Initial Bet on {where}.",
            Remedy("reject-bet", r.book.clause("reject"), says=f"Remove it and give{amount[3:] or ' it'} back."),
            anchor=spot.text,
            box=spot.box,
            evidence=(spot.text,),
        )
        r.line(stack, "no-action", r.book.clause("reject"))


def return_all(r: "RoundState") -> None:
    """The round is void: every bet of it goes back (5.17)."""
    clause = r.book.clause("void")
    for stack in list(r.stacks.values()):
        if stack.bet.left_over or not (stack.bet.placed if r.closed else stack.now.present):
            continue
        for hand in r.void_lines(stack):
            r.line(stack, "void", clause, hand=hand, stake=r.void_stake(stack, hand))
