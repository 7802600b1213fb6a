"""One round as it is lived through: what lies where, what has been said, and what waits for a ruling."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from feltwatch.engine.model.events import Chips, Dealt, Decision, Event, Gap, Move, Remove, Signal, Tick, Turn
from feltwatch.engine.model.money import Odds
from feltwatch.engine.model.spots import OUTSIDE, Spot, Zone
from feltwatch.engine.model.verdicts import CardMove, Ended, Settlement
from feltwatch.engine.round import bets, camera_only, checks, payments
from feltwatch.engine.round.findings import CardSeen, Plan
from feltwatch.engine.round.line import BetTerms, worth
from feltwatch.engine.round.phase import Trigger
from feltwatch.engine.round.stack import BetStatus, Certainty, SeenNow, Stack
from feltwatch.engine.round.state import RoundState


class Round(RoundState):
    """State derived from a log of events; the log is the truth, and feeding it again gives the same state."""

    # ---- events -------------------------------------------------------------------------------------------------

    def apply(self, event: Event, n: int) -> None:
        """Take one event. Never raises, whatever the order of events."""
        self.t = event.t
        self.n = n
        kind = type(event)
        if kind in _TOLD:
            self.heard = True
        elif kind in _PLAY:
            self.went_on, self.played_at = n, event.t
        HANDLERS[kind](self, event)
        if kind in _LAID and event.zone.box is not None:  # type: ignore[union-attr]  # a Dealt or a Move
            self.fell[event.zone.box] = event.t  # type: ignore[union-attr]  # as above

    def on_signal(self, event: Signal) -> None:
        checks.signal(self, event)

    def on_chips(self, event: Chips) -> None:
        bets.chips(self, event)

    def on_dealt(self, event: Dealt) -> None:
        if event.id in self.seen:
            self.found(event.id)
            self.on_move(Move(event.t, event.id, event.zone))
            return
        if event.zone == OUTSIDE or (event.zone.box or 0) > int(self.switches.boxes):
            seen = self.see(event)
            checks.outside(self, seen)
            return
        if not self.closed and event.zone.box is not None:
            self.close()
        seen = self.see(event)
        checks.drawn(self, seen, event)
        if not self.void:
            self.card(seen, event)

    def found(self, name: str) -> None:
        """A card that had left the table is back."""
        self.seen[name].gone = False
        plan = self.dropped.pop(name, None)
        if plan is not None:
            plan.waits = False

    def see(self, event: Dealt) -> CardSeen:
        sure = event.sure >= self.min_sure
        seen = CardSeen(event.id, event.zone, event.card if sure else None, event.up, event.t, self.n, late=event.late)
        self.seen[event.id] = seen
        if not sure:
            checks.misread(self, seen, event.sure)
        return seen

    def on_turn(self, event: Turn) -> None:
        seen = self.seen.get(event.id)
        if seen is None:
            return
        if event.sure < self.min_sure:
            checks.misread(self, seen, event.sure)
        elif event.card is not None:
            if seen.card is None:
                checks.counted(self, seen, event.card)
            seen.card = event.card
        was_up, seen.up = seen.up, event.up
        if event.up and not was_up:
            seen.turned_by, seen.late = event.by, event.late
        if not self.void:
            self.turned(seen, was_up=was_up)

    def on_move(self, event: Move) -> None:
        seen = self.seen.get(event.id)
        if seen is None:
            if event.id in self.stale:
                self.stale[event.id] = event.zone
            return
        if seen.gone:
            self.found(event.id)
        if event.zone.part == "discard":
            self.on_remove(Remove(event.t, event.id))
            return
        source, seen.zone = seen.zone, event.zone
        if source != event.zone and not self.void:
            self.moved(seen, source, event)

    def on_remove(self, event: Remove) -> None:
        if self.stale.pop(event.id, None) is not None:
            return
        seen = self.seen.get(event.id)
        if seen is not None and not seen.gone:
            seen.gone, seen.gone_at = True, event.t
            if not self.void:
                self.removed(seen)

    def on_decision(self, event: Decision) -> None:
        if not self.void:
            self.decided(event)

    def on_tick(self, event: Tick) -> None:
        """Time alone passed: what waits too long is looked at after every event."""

    def on_gap(self, event: Gap) -> None:
        """A gap: what may have been paid or taken in it raises no alert."""
        for stack in self.stacks.values():
            if self.closed and not self.undecided(stack):
                stack.settled.certainty = Certainty.UNWATCHED
            elif self.closed and stack.now.t > event.since and not stack.settled.unsure:
                stack.settled.certainty = Certainty.UNSURE
        self.gap, self.gap_t = event.says, event.t
        self.unwatched(event.t - event.since)

    # ---- what a game adds ---------------------------------------------------------------------------------------

    def close(self) -> None:
        """Freeze the bets: by the announcement, else at the first card."""
        self.change_phase(Trigger.BETS_CLOSE)
        self.closed_at = self.t
        bets.close(self)
        self.dealt_in()

    def dealt_in(self) -> None:
        raise NotImplementedError

    def card(self, seen: CardSeen, event: Dealt) -> None:
        raise NotImplementedError

    def turned(self, seen: CardSeen, *, was_up: bool) -> None:
        raise NotImplementedError

    def moved(self, seen: CardSeen, source: Zone, event: Move) -> None:
        raise NotImplementedError

    def removed(self, seen: CardSeen) -> None:
        raise NotImplementedError

    def decided(self, event: Decision) -> None:
        raise NotImplementedError

    def done(self, zone: Zone) -> bool:
        """Tell whether the cards of a hand decide nothing any more; the dealer's do while any bet is open."""
        mine = [stack for stack in self.stacks.values() if stack.bet.placed and zone.box in (0, stack.spot.box)]
        if not zone.box:
            return bool(mine) and not any(self.undecided(stack) for stack in mine)
        mains = [payments.bet(stack.spot) for stack in mine if stack.spot.kind == "main"]
        return bool(mains) and all((zone.box, zone.hand, bet) in self.settlements for bet in mains)

    def unwatched(self, lasted: float) -> None:
        """After a gap so long, what waits may have come, and announcements went unheard."""
        raise NotImplementedError

    def misplaced(self) -> Sequence[str]:
        """Give the reasons why the result of the round cannot be known."""
        raise NotImplementedError

    def ending(self) -> None:
        """Judge what only the end of a round shows."""
        raise NotImplementedError

    def void_hands(self) -> None:
        """Forget what is open: the round has no result."""

    def line(  # noqa: PLR0913  a settlement line is what it is
        self,
        stack: Stack,
        result: str,
        clause: str,
        *,
        hand: int = 1,
        odds: Odds | None = None,
        stake: Decimal | None = None,
        lost: Decimal | Fraction | None = None,
        commission: Decimal | None = None,
        units: int | None = None,
    ) -> None:
        """Say what one bet comes to. `lost` is how much of the stake goes, where it is not all or nothing."""
        stake = stack.bet.stake if stake is None else stake
        found = None if stake is None else worth(self, stack, stake, hand, BetTerms(result, odds, lost, commission))
        self.settle(
            Settlement(
                self.t,
                self.number,
                stack.spot.box,
                hand,
                payments.bet(stack.spot),
                stake,
                result,
                clause,
                str(odds) if odds else None,
                found.returned if found else None,
                None if found is None or found.effective == stake else found.effective,
                found.exact if found else None,
                (stack.bet.units if units is None else units) if stake is None else None,
            )
        )

    # ---- whole-round outcomes -----------------------------------------------------------------------------------

    def void_round(self, why: str) -> None:
        """The round has no result: every bet of it goes back (5.17)."""
        if self.void:
            return
        self.void = why
        self.void_hands()
        bets.return_all(self)

    def finish(self, t: float, *, announced: bool = False) -> None:
        """The round is over: compare what lies with what was due, and say how it ended."""
        self.t = t
        inferred = False
        if self.lost and not self.void:
            result, why = "unresolved", self.lost
        else:
            unseen = bool(self.doubt)  # before what only the end of the round leaves open
            inferred = not self.void and camera_only.breaks_off(self)
            if not self.void and not (unseen and self.gap):
                self.ending()
            if not self.void and not unseen:
                payments.lying(self, announced=announced)
            result, why = self._result()
        self.ended = Ended(t, self.number, result, why, inferred)
        self.out.append(self.ended)
        self.change_phase(Trigger.ROUND_ENDS)

    def nothing_follows(self) -> None:
        """The input ends in the middle of the round: say what only waited for what might come next."""

    def forgotten(self, lying: Mapping[str, object]) -> None:
        """The next round is announced: look once more at what still lies."""

    # ---- second thoughts ----------------------------------------------------------------------------------------

    def rejudges(self, seen: CardSeen) -> bool:
        """Tell whether a face that becomes known late changes what its card meant when it fell."""
        del seen
        return True

    def late(self, event: Decision) -> int | None:
        """Give the event before which a reported decision belongs, where another was inferred from that event."""
        del event
        return None

    def meant(self, event: Signal) -> str:
        return checks.meant(self, event)

    def seats_kept(self) -> dict[str, set[int]]:
        """Give the seats that go on into the next round; one without action for a round is taken away (flow-8)."""
        return {player: boxes - self.absent for player, boxes in self.seated.items() if boxes - self.absent}

    def hold(self, spot: Spot, amount: Decimal | None, *, left: bool) -> None:
        """Chips still lie here: those left from the round before are a bet only if a card comes or they are touched."""
        stack = self.stacks[spot.text] = Stack(spot, now=SeenNow(amount, present=True, known=amount))
        if left:
            stack.bet.status = BetStatus.LEFT_OVER

    def _result(self) -> tuple[str, str]:
        if self.void:
            return "void", self.void
        if not self.drawn:
            return ("unresolved", self.gap) if self.gap else ("void", "no card was dealt")
        waiting = [self.alerts[name].code for name, plan in self.plans.items() if plan.waits and name in self.alerts]
        if waiting:
            return "unresolved", f"no ruling came on {', '.join(waiting)}"
        if self.doubt:
            return "unresolved", self.doubt
        unknown = self.misplaced()
        if unknown:
            return "unresolved", "; ".join(unknown)
        return "completed", "every bet is settled"

    # ---- rulings ------------------------------------------------------------------------------------------------

    def moves(self, targets: Sequence[tuple[CardSeen, Zone]]) -> tuple[CardMove, ...]:
        return tuple(
            CardMove(seen.id, seen.card.text if seen.card else None, seen.zone.text, zone.text)
            for seen, zone in targets
            if seen.zone != zone
        )


__all__ = ["CardSeen", "Plan", "Round"]

_TOLD = (Signal, Decision)
_PLAY = (Dealt, Turn, Move)
_LAID = (Dealt, Move)
HANDLERS: dict[type, Callable[[Round, object], None]] = {
    Signal: lambda r, e: r.on_signal(e),  # type: ignore[arg-type]  # keyed by the event's own type
    Chips: lambda r, e: r.on_chips(e),  # type: ignore[arg-type]  # as above
    Dealt: lambda r, e: r.on_dealt(e),  # type: ignore[arg-type]  # as above
    Turn: lambda r, e: r.on_turn(e),  # type: ignore[arg-type]  # as above
    Move: lambda r, e: r.on_move(e),  # type: ignore[arg-type]  # as above
    Remove: lambda r, e: r.on_remove(e),  # type: ignore[arg-type]  # as above
    Decision: lambda r, e: r.on_decision(e),  # type: ignore[arg-type]  # as above
    Tick: lambda r, e: r.on_tick(e),  # type: ignore[arg-type]  # as above
    Gap: lambda r, e: r.on_gap(e),  # type: ignore[arg-type]  # as above
}
