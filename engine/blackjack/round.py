"""One round of blackjack: who bets, whose turn it is, and what each event means to it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from feltwatch.engine.blackjack.deal import (
    drawn_together,
    early_pickup,
    initial_deal,
    misplaced_cards,
    moved_cards,
    subsequent_deal,
)
from feltwatch.engine.blackjack.deal.remedies import error_remedy
from feltwatch.engine.blackjack.hands import MUST_DRAW_BELOW
from feltwatch.engine.blackjack.money import settlement, side_bets
from feltwatch.engine.blackjack.play import chips, dealer, decisions, forbidden
from feltwatch.engine.blackjack.state import BlackjackState, Stray
from feltwatch.engine.model.events import Chips, Dealt, Decision, Event, Move, Signal
from feltwatch.engine.model.money import ZERO
from feltwatch.engine.model.spots import Zone
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import checks, payments
from feltwatch.engine.round.base import CardSeen
from feltwatch.engine.round.stack import Stack

IN_TURN = ("hit", "stand", "double", "split")


class BlackjackRound(BlackjackState):
    """Boxes act clockwise, the dealer last. `hands` hold the cards where they are, or where a ruling has put them."""

    # ---- the bets close, the cards come ---------------------------------------------------------------------------

    def dealt_in(self) -> None:
        for stack in self.stacks.values():
            spot = stack.spot
            if spot.kind == "main" and stack.bet.in_play and not spot.hand:
                self.bettors.setdefault(spot.box, []).append(stack)
        for box in sorted(self.bettors):
            self.open_box(box)
        held = {s.spot.box for s in self.stacks.values() if s.bet.left_over and s.spot.kind == "main"}
        self.optional = held - set(self.boxes)
        self.order = [*self.boxes, 0, *self.boxes]

    def on_dealt(self, event: Dealt) -> None:
        if self.only_seen and self.first_cards():
            initial_deal.missing(self, event)
        super().on_dealt(event)

    def card(self, seen: CardSeen, event: Dealt) -> None:
        if seen.zone.box is None:
            return
        if self.squeezing and seen.up and seen.zone.box in self.squeezing:
            self.squeezing.discard(seen.zone.box)
            subsequent_deal.squeeze_exposed(self, seen)
        if self.plans and (found := self.plans.get(f"r{self.number}-card-dropped-{seen.id}")) is not None:
            found.waits = False
        together = event.order_lost or (event.rested is None and self._together(seen))
        self.before_last = self.last_dealt.t if self.last_dealt else -1.0
        self.last_dealt = seen
        self.sequence.append(seen)
        self.idle_from = seen.t
        if together:
            drawn_together.simultaneous(self, seen)
        elif self.playing:
            early_pickup.went_on(self, seen)
            subsequent_deal.dealt(self, seen, event)
        else:
            initial_deal.dealt(self, seen)

    def _together(self, seen: CardSeen) -> bool:
        """Two cards on one place at one instant: which came first is unknown (5.12)."""
        last = self.last_dealt
        return last is not None and last.t == seen.t > 0 and last.zone == seen.zone and self.before_last < last.t

    def turned(self, seen: CardSeen, *, was_up: bool) -> None:
        """A squeezed card is turned: its face, where new, makes the table live the round again."""

    def moved(self, seen: CardSeen, source: Zone, event: Move) -> None:
        del event
        if source.box is None and not any(one is seen for one in self.sequence):
            self._arrives(seen)
        elif not self.playing or (self.misdeal is not None and seen.zone.box != source.box):
            initial_deal.moved(self, seen, source)
        else:
            moved_cards.moved(self, seen, source)

    def _arrives(self, seen: CardSeen) -> None:
        """A card that lay outside, or was seen in the shoe, comes to its place: it is dealt only now."""
        if seen.zone.box is None:
            return
        if not self.closed:
            self.close()
        seen.t, seen.n = self.t, self.n
        event = Dealt(self.t, seen.id, seen.zone, seen.card, seen.up)
        checks.drawn(self, seen, event)
        if not self.void:
            self.card(seen, event)

    def removed(self, seen: CardSeen) -> None:
        early_pickup.removed(self, seen)

    def on_decision(self, event: Decision) -> None:
        """A decision reported in turn shows that all are; one made before play (Insurance, Surrender) does not."""
        if self.switches.decisions == "auto" and not self.told and event.action in IN_TURN:
            self.told = True
            for hand in self.all_hands():  # hands before it may have stood without a report
                earlier = (hand.box, hand.number) < (event.box, event.hand)
                hand.left = hand.left or (earlier and (hand.points or 0) >= MUST_DRAW_BELOW)
        if not self.void:
            self.decided(event)

    def decided(self, event: Decision) -> None:
        self.idle_from = event.t
        decisions.told(self, event)
        if self.waiting:
            moved_cards.serve(self)

    def signalled(self, event: Signal) -> None:
        if event.name == "squeeze-granted":
            self.squeezing.add(event.box or 0)
        elif event.name == "insurance-offered":
            self.offered = True

    def apply(self, event: Event, n: int) -> None:
        if self.forbidden and not self.void:
            self.n = n
            forbidden.review(self, event)
        super().apply(event, n)
        late = self.split_wait is not None or event.t - self.idle_from > subsequent_deal.IDLE_S
        if late and self.playing and not self.void:
            subsequent_deal.waited(self, event.t)

    # ---- chips after the close --------------------------------------------------------------------------------------

    def takes_more(self, stack: Stack, delta: Decimal | None, event: Chips) -> bool:
        return chips.added(self, stack, delta, event)

    def withdrawn_chips(self, stack: Stack, delta: Decimal) -> bool:
        return chips.taken_back(self, stack, delta)

    def early(self, stack: Stack, delta: Decimal, before: Decimal) -> None:
        if not dealer.settle_early(self):
            chips.early(self, stack, delta)
        elif not payments.matches(self, stack, delta) and stack.now.by == "dealer":
            payments.by_dealer(self, stack, delta, before)

    def touched(self, stack: Stack) -> None:
        chips.touched(self, stack)

    def fewer(self, stack: Stack) -> None:
        chips.fewer(self, stack)

    def took_extra(self, stack: Stack) -> bool:
        return chips.took_extra(self, stack)

    def first_cards(self) -> bool:
        return not self.playing

    @property
    def unclear(self) -> bool:
        apart = [seen.zone for seen in self.seen.values() if seen.zone.hand > 1 and seen.zone.box and not seen.gone]
        made = {(hand.box, hand.number) for hand in self.all_hands()}  # an unseen split has made none
        return bool(self.doubt) or any((zone.box, zone.hand) not in made for zone in apart)

    def breaks_off(self) -> None:
        if self.first_cards():
            initial_deal.left_alone(self)

    def astray(self, stack: Stack, before: Decimal) -> Decimal:
        return chips.astray(self, stack, before)

    def settlement_seen(self, stack: Stack) -> None:
        late = self.subsequent and stack.spot.kind in side_bets.FIRST_TWO
        self.settling = self.settling or (self.playing and not late)
        misplaced_cards.reviewed(self)

    def final_settling(self) -> bool:
        return self.dealer.complete

    def left_code(self, stack: Stack, *, lost: bool, announced: bool) -> str:
        kind = stack.spot.kind
        if kind == "boom-busted":
            return "side-bet-not-settled" if announced else ""
        if kind in side_bets.FIRST_TWO and "side-bet-not-settled" not in self.book.faults:
            return "losing-bet-not-taken" if lost else "winning-bet-not-paid"
        return super().left_code(stack, lost=lost, announced=announced)

    def forgotten(self, lying: Mapping[str, object]) -> None:
        for stack in side_bets.booms(self):
            line = self.settlements.get((stack.spot.box, 1, stack.spot.bet))
            if stack.spot.text in lying and line is not None:
                subsequent_deal.side_unsettled(self, stack, line)

    def void_lines(self, stack: Stack) -> Sequence[int]:
        if stack.spot.kind != "main" or stack.spot.hand:
            return (1,) if not stack.spot.hand else ()
        return [h for text, h in self.wagers if text == stack.spot.text] or (1,)

    def void_stake(self, stack: Stack, hand: int) -> Decimal | None:
        found = self.wagers.get((stack.spot.text, hand))
        if found is None:
            return super().void_stake(stack, hand)
        return None if found[0] is None else found[0] + (found[1] or ZERO)

    # ---- what follows from an error ---------------------------------------------------------------------------------

    def error_remedy(self, targets: Sequence[tuple[CardSeen, Zone]], *, says: str = "", can: bool = True) -> Remedy:
        return error_remedy(self, targets, says=says, can=can)

    def invalidate(self, box: int) -> None:
        for hand in self.hands.get(box, ()):
            hand.invalid = True
        settlement.give_back(self, box)

    def again(self, stack: Stack) -> None:
        settlement.cut(self, stack)

    def unwatched(self, lasted: float) -> None:
        self.told, self.idle_from, waits = False, self.t, self.split_wait  # decisions were reported during the gap
        self.split_wait = waits and (waits[0], waits[1] + lasted)

    def must_draw(self) -> bool:
        if not self.closed or not self.boxes:
            return False
        short = any(self.must_take(hand) for hand in self.all_hands() if not self.finished(hand))
        return not self.playing or short or dealer.draws(self)

    def void_hands(self) -> None:
        self.misdeal = self.stray = self.split_wait = None
        self.apart.clear()
        self.waiting.clear()

    def next_card(self, seen: CardSeen) -> None:
        """Deal a card that was kept apart as the next card."""
        moved_cards.next_card(self, seen)

    def rule_on(self, stray: Stray, choice: str) -> None:
        """Carry out a ruling on a card out of place."""
        moved_cards.ruled(self, stray, choice)

    def late(self, event: Decision) -> int | None:
        """Give the place in the log before which a reported decision belongs, where another was inferred."""
        found = self.inferred.get((event.box, event.hand))
        if found is None or found[0] >= self.n + 1 or found[1] == event.action:
            return None
        hand = self.hand(event.box, event.hand)
        open_again = hand is not None and not self.finished(hand) and found[1] != "unasked"
        return None if open_again else found[0]

    # ---- the end ----------------------------------------------------------------------------------------------------

    def nothing_follows(self) -> None:
        forbidden.at_the_end(self)

    def ending(self) -> None:
        forbidden.at_the_end(self)
        if self.playing and not self.dealer.complete:
            early_pickup.at_the_end(self)
            dealer.left_short(self)

    def misplaced(self) -> Sequence[str]:
        found = [
            f"the {stack.spot.bet} bet of box {stack.spot.box} was not decided"
            for stack in self.stacks.values()
            if (stack.bet.placed or stack.spot.hand) and not stack.bet.refused and self.undecided(stack)
        ]
        if not self.playing and (found or not self.boxes):
            return ["the first cards were never complete"]
        found += early_pickup.reasons(self)
        unread = [seen.id for seen in self.sequence if seen.card is None]
        if found and unread:
            found.append(f"card {', '.join(unread)} was never read")
        return found
