"""One round of Si Ki Pi: four cards each, two hands of two, compared with the dealer's."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import inf

from feltwatch.engine.model.events import Chips, Dealt, Decision, Event, Move, Signal
from feltwatch.engine.model.money import ZERO
from feltwatch.engine.model.shoe import OPENING
from feltwatch.engine.model.spots import Zone
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import checks
from feltwatch.engine.round.base import CardSeen, Plan
from feltwatch.engine.round.phase import Trigger
from feltwatch.engine.round.stack import Stack
from feltwatch.engine.sikipi import deal_checks, setting, settlement
from feltwatch.engine.sikipi import reveal as exposure
from feltwatch.engine.sikipi.deal_order import Deal, DealOrder
from feltwatch.engine.sikipi.hand import FourCards
from feltwatch.engine.sikipi.state import SikipiState


@dataclass(frozen=True, slots=True, eq=False)
class BoxRuling:
    """What a ruling on a box that waits does: a value, so that a round in the middle can be kept and gone on with."""

    round: SikipiState
    plan: Plan
    hand: FourCards
    lost: str

    def __call__(self, choice: str, _: int | None) -> None:
        r, hand = self.round, self.hand
        if choice == "uphold" and self.lost:
            settlement.give_back(r, hand, r.book.clause(self.lost))
        elif choice == "uphold":
            self.plan.waits = True  # confirmed, but not what follows from it
            return
        r.held_back.discard(hand.box)
        r.known(hand)


class SikipiRound(SikipiState):
    """The deal, the look, the setting, the reveal; `hands` are by box, the dealer's is box 0."""

    # ---- the deal -----------------------------------------------------------------------------------------------

    def apply(self, event: Event, n: int) -> None:
        if type(event) is not Dealt and not self.void:
            self.t, self.n = event.t, n
            self.heard = self.heard or isinstance(event, Signal | Decision)
            deal_checks.stopped(self, event.t)
        super().apply(event, n)

    def dealt_in(self) -> None:
        mains = [stack for stack in self.stacks.values() if stack.spot.kind == "main"]
        boxes = {stack.spot.box for stack in mains if stack.bet.placed}
        spare = {stack.spot.box for stack in mains if stack.bet.left_over} - boxes
        self.deal = Deal(sorted(boxes), spare, self.switches.dealing)

    def card(self, seen: CardSeen, event: Dealt) -> None:
        if seen.zone.box is not None:
            together = event.order_lost or self.last_t == seen.t
            self.last_t = seen.t
            self._arrives(seen, self.hand(seen.zone.box), together=together)

    def _arrives(self, seen: CardSeen, hand: FourCards, *, together: bool) -> None:
        again = deal_checks.arrives(self, seen, hand, together=together)
        self.any_down = self.any_down or not seen.up
        if self.void:
            return
        as_shown = seen.up and seen.zone.part != "cards" and not self.any_down  # we look on from the showdown only
        if seen.up and not self.revealed and not as_shown:
            if again:
                exposure.turned_up(self, seen, hand)
            else:
                exposure.dealt_up(self, seen, hand)
        if (again or as_shown) and not self.void:
            self._lies(seen, hand, None)

    def turned(self, seen: CardSeen, *, was_up: bool) -> None:
        box = self.owner.get(seen.id)
        if box is None:
            return
        hand = self.hands[box]
        if seen.up and not was_up and not self.revealed:
            exposure.turned_up(self, seen, hand)
        if seen.card is not None and not self.void:
            self.known(hand)
            if not self.opened and len(self.deal.drawn) >= OPENING:
                self._opening()

    def moved(self, seen: CardSeen, source: Zone, event: Move) -> None:
        box, owner = seen.zone.box, self.owner.get(seen.id)
        if box is None:
            self._lifted(owner)  # a card in the hand still belongs to it
        elif owner is None:
            self._enters(seen)
        elif owner == box:
            self._lies(seen, self.hands[box], event.by)
        elif not self.revealed:
            seen.zone = source  # as it lay when it was seen that it lies wrong
            deal_checks.proves(self)
            seen.zone = event.zone
            self.gives(seen, box)
            deal_checks.healed(self)

    def _enters(self, seen: CardSeen) -> None:
        """A card that lay outside, or was seen in the shoe, comes to its place: it is dealt only now."""
        if not self.closed:
            self.close()
        seen.t, seen.n = self.t, self.n
        event = Dealt(self.t, seen.id, seen.zone, seen.card, seen.up)
        checks.drawn(self, seen, event)
        if not self.void:
            self.card(seen, event)

    def _lifted(self, box: int | None) -> None:
        """Once the deal is over, a Player looks at a hand that leaves the table, reported or not."""
        if box is not None and self.over():
            self.hands[box].lifted = True

    def _lies(self, seen: CardSeen, hand: FourCards, by: str | None) -> None:
        if seen.zone.part != "cards":
            deal_checks.played_on(self)
        if hand.box == 0 and not self.revealed and seen.zone.part != "cards" and self.over():
            exposure.reveal(self)
        if not self.void:
            setting.lies(self, hand, by)

    def removed(self, seen: CardSeen) -> None:
        if seen.card is not None:
            self.shoe.copies[seen.card] = self.shoe.copies.get(seen.card, 1) - 1  # it may come back by another name
        deal_checks.proves(self)
        if self.deal.order is DealOrder.BROKEN:
            deal_checks.taken_away(self, seen)
        else:
            self._lifted(self.owner.get(seen.id))

    def _opening(self) -> None:
        """Once the first cards are all known, look whether they came shuffled (5.5.4)."""
        faces = [seen.card for seen in self.deal.drawn[:OPENING]]
        if None in faces:
            return
        self.opened = True
        self.shoe.opening.clear()
        for face, seen in zip(faces, self.deal.drawn, strict=False):
            checks.opens(self, seen, face)

    # ---- the look, the setting ----------------------------------------------------------------------------------

    def looks(self, hand: FourCards) -> None:
        """A Player sees his cards."""
        if self.over() and not self.revealed and not hand.viewed:
            deal_checks.count(self, late=False)
        hand.viewed = True
        self._distributed()

    def shows(self, hand: FourCards) -> None:
        """A card of a box lies face up."""
        hand.shown = True
        self._distributed()

    def _distributed(self) -> None:
        if self.over() or self.any_set:
            deal_checks.played_on(self)
        if self.deal.order is DealOrder.BROKEN and not self.void:
            deal_checks.seen_while_broken(self)

    def sets(self, hand: FourCards) -> None:
        self.change_phase(Trigger.HAND_PLACED)
        self.looks(hand)

    def known(self, hand: FourCards) -> None:
        """Where all four faces of a hand are known, judge how it is set and settle what that decides."""
        cards = hand.faces()
        if not cards:
            return
        deal_checks.came_to_light(self)
        setting.judge(self, hand, cards)
        if hand.box:
            settlement.settle_box(self, hand)
        else:
            settlement.settle_dealer(self, cards)

    def settle_all(self) -> None:
        for hand in (*self.playing(), self.dealer):
            self.known(hand)

    def signalled(self, event: Signal) -> None:
        if event.box is None:
            return
        hand = self.hand(event.box)
        if event.name in ("house-way-requested", "walked-away"):
            if event.name == "house-way-requested":
                self.asked.add(event.box)
            self.known(hand)
        elif event.name == "players-viewed" and hand.cards:
            setting.viewed(self, hand, event.player)
        elif event.name == "cards-touched" and hand.cards:
            setting.handled(self, hand, event)
        elif event.name == "cards-shown" and hand.cards:
            setting.shown(self, hand)

    def decided(self, event: Decision) -> None:
        """Si Ki Pi knows no decisions but how a hand is set."""

    def rejudges(self, seen: CardSeen) -> bool:
        """A face that becomes known changes nothing that happened before; one that was read wrong may."""
        return seen.card is not None

    # ---- rulings ------------------------------------------------------------------------------------------------

    def waits(self, name: str, hand: FourCards, lost: str = "") -> None:
        """A box waits for a ruling; if upheld, its hand is out if `lost` is set."""
        self.held_back.add(hand.box)
        plan = self.plan(name)
        plan.rule = BoxRuling(self, plan, hand, lost)

    def invalidate(self, box: int) -> None:
        settlement.give_back(self, self.hand(box), self.book.clause("returned"))

    def error_remedy(self, targets: Sequence[tuple[CardSeen, Zone]], *, says: str = "", can: bool = True) -> Remedy:
        del targets, can
        boxes = tuple(hand.box for hand in self.playing())
        return Remedy("options", self.book.clause("options"), deal_checks.AS_THEY_LIE, boxes=boxes, says=says)

    # ---- chips after the close ----------------------------------------------------------------------------------

    def astray(self, stack: Stack, before: Decimal) -> Decimal:
        if stack.bet.stake is None:
            return ZERO
        moved = self.early_chips.get(stack.spot.text, (ZERO, ZERO, False))[0]
        return stack.bet.stake + stack.settled.balance + moved - before

    def takes_more(self, stack: Stack, delta: Decimal | None, event: Chips) -> bool:
        if event.by == "player" or delta is None or not self.undecided(stack):
            return False
        settlement.note_early(self, stack, delta, (stack.now.amount or ZERO) - delta)
        return True

    def early(self, stack: Stack, delta: Decimal, before: Decimal) -> None:
        if self.revealed or not self._takes_back(stack):
            settlement.note_early(self, stack, delta, before)

    def withdrawn_chips(self, stack: Stack, delta: Decimal) -> bool:
        """A Player may take back a bet while the options are open, and once all is shown what he won, if unread yet."""
        if self.revealed:
            stack.settled.carried -= delta
            stack.settled.collected = True
            return True
        return self._takes_back(stack)

    def emptied(self, stack: Stack) -> None:
        self._takes_back(stack)

    def _takes_back(self, stack: Stack) -> bool:
        """5.6.3: a whole stake that goes while the options are open is a bet returned."""
        box = stack.spot.box
        may = any("return-bet" in alert.remedy.options and box in alert.remedy.boxes for alert in self.alerts.values())
        if stack.now.present or self.any_set or not may:
            return False
        if self.bets_on("main", box) == [stack]:
            self.invalidate(box)
            deal_checks.chosen(self)
        else:
            self.line(stack, "no-action", self.book.clause("returned"))
            stack.bet.refused = True  # the others on the box play on
        return True

    # ---- the end ------------------------------------------------------------------------------------------------

    def first_cards(self) -> bool:
        return not self.over()

    def unwatched(self, lasted: float) -> None:
        if self.deal.slip is not None:
            self.deal.slip = replace(self.deal.slip, t=self.deal.slip.t + lasted)
        for hand in self.playing():
            hand.viewed = hand.viewed or (self.over() and not self.only_seen)  # its Player may have looked

    @property
    def unclear(self) -> bool:
        return bool(self.doubt) or self.deal.order is DealOrder.DOUBTED

    def must_draw(self) -> bool:
        return bool(self.deal.boxes) and not self.revealed and not self.complete()

    def ending(self) -> None:
        deal_checks.stopped(self, inf)
        if self.over() and not self.revealed:
            deal_checks.count(self, late=True)

    def misplaced(self) -> Sequence[str]:
        if not self.complete():
            return ["the deal was never completed"]
        reasons = [] if self.dealer.faces() else ["the dealer's hand was never seen"]
        for hand in self.playing():
            if any(self.undecided(stack) for stack in self.bets_on("main", hand.box)):
                cards = hand.faces()
                if not cards or setting.due_parts(self, hand, cards) is None:
                    reasons.append(f"box {hand.box}'s Low and High Hand were never seen")
        return reasons

    def left_code(self, stack: Stack, *, lost: bool, announced: bool) -> str:
        if stack.spot.kind != "main":
            return "bonus-not-settled"
        return super().left_code(stack, lost=lost, announced=announced)
