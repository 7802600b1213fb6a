"""Chips: what lies where, the snapshot at the close, the limits, and who may move what afterwards."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from engine import payments
from engine.money import ZERO, down, plain, pro_rata
from engine.spots import Spot
from engine.verdicts import Remedy

if TYPE_CHECKING:
    from engine.events import Chips
    from engine.round import Round

SLIP_S = 5.0  # a chip taken here and put there within this time was moved


@dataclass(slots=True)
class Stack:
    """The chips on one spot."""

    spot: Spot
    now: Decimal | None = None
    units: int | None = None
    present: bool = False
    stake: Decimal | None = None  # as it lay when the bets closed: what the bet is settled on (5.14)
    at_close: bool = False
    by: str | None = None  # whose hand touched it last
    held: bool = False  # left over from the round before, and not touched since
    factor: Decimal | None = None  # the part of a box over its maximum that plays, of `stake`
    rejected: bool = False
    touched: bool = False
    collected: bool = False
    done: set[tuple[int, int, str]] = field(default_factory=set)  # lines paid or taken
    short: tuple[str, Decimal] | None = None  # an underpayment: its alert, and what is still missing

    def plays(self, stake: Decimal, *, scale: bool) -> Decimal:
        """Give the part of a stake that wins or loses."""
        if self.factor is None or not self.stake:
            return stake
        extra = stake - self.stake
        return self.factor + (extra * self.factor / self.stake if scale else extra) if extra >= 0 else self.factor


class Slip(NamedTuple):
    """The last unexplained movement of chips by a player."""

    alert: str
    spot: Spot
    delta: Decimal
    t: float


def chips(r: "Round", event: "Chips") -> None:
    """Take note of what now lies on a spot, and judge the change."""
    spot = event.spot
    if spot is None or spot.box > int(r.switches.boxes) or spot.kind not in r.book.bets:
        r.outside_chips = event.amount != 0
        return
    stack = r.stacks.get(spot.text)
    if stack is None:
        stack = r.stacks[spot.text] = Stack(spot)
    before, was_present = stack.now, stack.present
    stack.now, stack.units = event.amount, event.units
    stack.present = event.amount != 0
    stack.held, stack.by = False, event.by
    if event.player is not None:
        _seat(r, stack, event.player)
    if not r.closed:
        _limits(r, spot.box)
        return
    if r.void:
        return
    stack.touched = True
    known = event.amount is not None and (before is not None or not was_present)
    delta = event.amount - (before or ZERO) if known and event.amount is not None else None
    if delta != 0:
        _moved(r, stack, event, before or ZERO, delta)


def _moved(r: "Round", stack: Stack, event: "Chips", before: Decimal, delta: Decimal | None) -> None:
    if event.by == "dealer":
        if delta is not None:
            payments.by_dealer(r, stack, delta, before)
    elif event.by == "player":
        if delta is None:
            r.takes_more(stack, delta, event)
        elif delta > 0:
            _added(r, stack, event, delta)
        else:
            _taken(r, stack, delta)
    elif delta is None or delta > 0:
        if not (delta is not None and payments.matches(r, stack, delta)) and not r.takes_more(stack, delta, event):
            _late_box(r, stack, delta)
    elif not payments.matches(r, stack, delta):
        payments.unseen_hand(r, stack, delta, before)


def _added(r: "Round", stack: Stack, event: "Chips", delta: Decimal) -> None:
    if r.takes_more(stack, delta, event):
        return
    if _late_box(r, stack, delta):
        return
    spot = stack.spot
    lines = payments.lines(r, stack)
    code = "bet-capped" if any(line.net and line.net > 0 for line in lines) else "past-posting"
    says = f"{_name(spot)} grew by {plain(delta)} after the bets were closed; it is settled as it lay then."
    _slipped(r, code, stack, delta, says)


def _late_box(r: "Round", stack: Stack, delta: Decimal | None) -> bool:
    """A bet on a box that had none at the close."""
    spot = stack.spot
    if spot.kind != "main" or spot.hand or any(s.at_close and s.spot.box == spot.box for s in r.stacks.values()):
        return False
    amount = "" if delta is None else f" of {plain(delta)}"
    stack.rejected = True
    r.alert(
        "new-player-mid-round",
        f"A bet{amount} came onto box {spot.box}, which had none when the bets closed; refuse it.",
        Remedy("reject-bet", r.book.clause("closed"), says=f"Give the bet on box {spot.box} back."),
        anchor=spot.text,
        box=spot.box,
        evidence=(spot.text,),
    )
    return True


def _taken(r: "Round", stack: Stack, delta: Decimal) -> None:
    """A player's hand took chips."""
    if stack.rejected or not stack.at_close:
        return
    lines = payments.lines(r, stack)
    lost = any(line.net is not None and line.net < 0 for line in lines if line.key not in stack.done)
    if r.undecided(stack) or lost:
        if not r.withdrawn_chips(stack, delta):
            says = f"{_name(stack.spot)} shrank by {plain(-delta)} by a player's hand after the bets were closed."
            _slipped(r, "bet-pinched", stack, delta, says)
    else:
        stack.collected = True


def _slipped(r: "Round", code: str, stack: Stack, delta: Decimal, says: str) -> None:
    """Raise it; where it undoes the last such slip elsewhere, both are one chip moved."""
    last, spot = r.slip, stack.spot
    moved = last is not None and last.spot != spot and last.delta == -delta and r.t - last.t <= SLIP_S
    if moved and last is not None:
        source, target = (last.spot, spot) if delta > 0 else (spot, last.spot)
        says = (
            f"{plain(abs(delta))} was moved from {_name(source)} to {_name(target)} after the bets were closed; "
            "both are settled as they lay then."
        )
        code = "chip-moved"
    name = r.alert(
        code,
        says,
        Remedy("correct-payment" if code != "past-posting" else "reject-bet", r.book.clause("position"), says=says),
        anchor=f"{spot.text}-{r.n}",
        box=spot.box,
        evidence=(spot.text,),
        replaces=last.alert if moved and last is not None else "",
    )
    r.slip = Slip(name, spot, delta, r.t)


def _name(spot: Spot) -> str:
    who = {"s": "the Standing Player's ", "b": "the bet behind's "}.get(spot.who[:1], "")
    return f"{who}{spot.kind} bet of box {spot.box}"


def _seat(r: "Round", stack: Stack, player: str) -> None:
    """Live tables know whose bet it is: nobody holds two seats, no seated player bets behind."""
    spot = stack.spot
    if not stack.present or spot.kind != "main":
        return
    if spot.who.startswith("behind"):
        if r.seats.get(player):
            stack.rejected = True
            r.alert(
                "behind-by-seated-player",
                f"Player {player} holds a seat and may not bet behind box {spot.box}.",
                Remedy("reject-bet", "behind-1", says="Refuse the bet behind."),
                anchor=spot.text,
                box=spot.box,
                evidence=(spot.text,),
            )
    elif not spot.who:
        seat_taken(r, player, spot.box)


def seat_taken(r: "Round", player: str, box: int) -> None:
    """Take note of a seat; nobody holds two at a table that forbids it."""
    held = r.seats.setdefault(player, set())
    if held - {box}:
        r.alert(
            "one-seat-per-player",
            f"Player {player} holds seat {min(held - {box})} and has taken seat {box} as well.",
            Remedy("reject-bet", "flow-1", says=f"Release seat {box}."),
            anchor=f"{player}-{box}",
            box=box,
        )
    held.add(box)


# ---- limits ---------------------------------------------------------------------------------------------------------


def mains(r: "Round", box: int) -> list[Stack]:
    """Give the main bets of a box, the Seated Player's first."""
    found = [s for s in r.stacks.values() if s.spot.box == box and s.spot.kind == "main" and s.present and not s.held]
    return sorted(found, key=lambda s: (s.spot.who != "", len(s.spot.who), s.spot.who))


def _limits(r: "Round", box: int) -> None:
    """Before the close: excess is rejected, a box under the minimum may be raised or withdrawn (5.1, 5.2)."""
    low, high = r.book.minimum, r.book.maximum
    if low is None and high is None:
        return
    stacks = mains(r, box)
    if any(s.now is None for s in stacks):
        return
    amounts = [s.now or ZERO for s in stacks]
    total = sum(amounts, ZERO)
    over, under = f"r{r.number}-box-over-maximum-box{box}", f"r{r.number}-bet-below-minimum-box{box}"
    if high is not None and total > high:
        _over(r, box, stacks, high)
    elif over in r.alerts:
        r.withdraw(over, f"box {box} is within the maximum again")
    short = low is not None and stacks and (total < low or (r.switches.min_scope == "bet" and min(amounts) < low))
    if short:
        r.alert(
            "bet-below-minimum",
            f"Box {box} holds {plain(total)}, under the minimum of {plain(low)}: raise it or take it back.",
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
    elif under in r.alerts:
        r.withdraw(under, f"box {box} holds {plain(total)} now")


def _over(r: "Round", box: int, stacks: list[Stack], high: Decimal) -> None:
    room, back = high, []
    for stack in stacks:
        amount = stack.now or ZERO
        taken = min(room, amount)
        room -= taken
        if taken < amount:
            back.append(f"{plain(amount - taken)} of {_name(stack.spot)}")
    total = sum((s.now or ZERO for s in stacks), ZERO)
    r.alert(
        "box-over-maximum",
        f"Box {box} holds {plain(total)}, over the maximum of {plain(high)}.",
        Remedy("reject-bet", r.book.clauses.get("limit", ""), says=f"Before the close give back {' and '.join(back)}."),
        anchor=f"box{box}",
        box=box,
        evidence=tuple(s.spot.text for s in stacks),
    )


def close(r: "Round") -> None:
    """The snapshot: what lies now is what the bets are settled on."""
    for stack in r.stacks.values():
        if stack.present and not stack.held:
            stack.at_close, stack.stake = True, stack.now
    if r.book.maximum is not None:
        for box in {s.spot.box for s in r.stacks.values()}:
            _apportion(r, box, r.book.maximum)
    if r.outside_chips:
        r.alert(
            "bet-outside-box",
            "Chips lie on a line or outside every box as the bets close: whose, and on which bet?",
            Remedy("options", r.book.clause("position"), says="Clarify before the first card; else settled as recorded."),
            anchor="outside",
        )
    _over_initial(r)


def _apportion(r: "Round", box: int, high: Decimal) -> None:
    stacks = [s for s in mains(r, box) if s.stake is not None and not s.spot.hand]
    stakes = [s.stake or ZERO for s in stacks]
    if sum(stakes) <= high:
        return
    shares = pro_rata(stakes, r.book.minimum or ZERO, high, simple=r.switches.pro_rata == "simple")
    for stack, share in zip(stacks, shares, strict=True):
        if r.switches.prorata_rounding == "exact":
            stack.factor = Decimal(share.numerator) / share.denominator
        else:
            stack.factor = down(share, r.chip)


def _over_initial(r: "Round") -> None:
    """Under 13 and Over 13 stay within the Initial Bet of their box (B6)."""
    both: dict[int, Decimal] = {}
    for stack in r.stacks.values():
        if stack.spot.kind not in ("under13", "over13") or not stack.at_close or stack.stake is None:
            continue
        box = stack.spot.box
        initial = sum((s.stake or ZERO for s in mains(r, box)), ZERO)
        both[box] = both.get(box, ZERO) + stack.stake
        measured = both[box] if r.switches.under_over_limit == "sum" else stack.stake
        if not 0 < initial < measured:
            continue
        if r.switches.under_over_excess == "capped":
            stack.factor = initial
        name = r.alert(
            "side-bet-over-initial",
            f"The {stack.spot.kind} bet of box {box} ({plain(stack.stake)}) is above its Initial Bet ({plain(initial)}).",
            Remedy(
                "options",
                r.book.clause("excess"),
                ("uphold", "dismiss"),
                says=f"Uphold: settled on {plain(initial)}, the excess returned. Dismiss: settled on {plain(stack.stake)}.",
            ),
            anchor=stack.spot.text,
            box=box,
            evidence=(stack.spot.text,),
        )
        if name and r.switches.under_over_excess == "supervisor":
            r.plan_cap(name, stack, initial)


def lone_side_bets(r: "Round") -> None:
    """Side bets on a box without an Initial Bet are removed and returned (5.15)."""
    anywhere = any(s.at_close and s.spot.kind == "main" for s in r.stacks.values())
    for stack in r.stacks.values():
        spot = stack.spot
        if spot.kind in ("main", "insurance") or not stack.at_close or stack.rejected:
            continue
        if anywhere if spot.kind == "boom-busted" else mains(r, spot.box):
            continue
        stack.rejected = True
        where = "any box" if spot.kind == "boom-busted" else f"box {spot.box}"
        r.alert(
            "side-bet-without-initial",
            f"A {spot.kind} bet{'' if stack.stake is None else f' of {plain(stack.stake)}'} lies on box {spot.box} "
            f"without an Initial Bet on {where}.",
            Remedy("reject-bet", r.book.clause("reject"), says="Remove it from play and give it back."),
            anchor=spot.text,
            box=spot.box,
            evidence=(spot.text,),
        )
        r.line(stack, "no-action", r.book.clause("reject"))
