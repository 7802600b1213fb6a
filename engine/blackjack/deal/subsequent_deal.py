"""The Subsequent Deal: every further card against the hand whose turn it is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.deal import misplaced_cards
from feltwatch.engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW, BlackjackHand
from feltwatch.engine.blackjack.money import additional_bets, settlement, side_bets
from feltwatch.engine.blackjack.play import dealer, decisions, inferred, offers, turns
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.events import Dealt
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.spots import SHOE
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round import bets, camera_only, payments
from feltwatch.engine.round.base import CardSeen
from feltwatch.engine.round.phase import Trigger

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.model.verdicts import Settlement
    from feltwatch.engine.round.stack import Stack

OFFER_S = 2.0
IDLE_S = 30.0
SPLIT_CHIPS_S = 5.0


def begin(r: "BlackjackState") -> None:
    """The Initial Deal is complete: decide what two cards decide."""
    r.change_phase(Trigger.FIRST_CARDS_COMPLETE)
    r.complete_at = r.idle_from = r.t
    check_insurance(r)
    bets.lone_side_bets(r, dealt=True)
    side_bets.settle_first_two(r)
    for hand in r.all_hands():
        if hand.natural and r.upcard is not None and not r.upcard_is_ace and not r.upcard_is_ten:
            settlement.natural(r, hand)
    if len(r.dealer) > 1:
        dealer.after(r)
    else:
        offers.first_two(r)


def begin_again(r: "BlackjackState") -> None:
    """The first cards were put right after they were complete: what they decided is looked at once more (B21)."""
    r.dealer_shown = r.dealer.complete = False
    for hand in r.all_hands():
        if not hand.natural or hand.surrendered or r.upcard_is_ace or r.upcard_is_ten:
            settlement.reopen(r, hand)
        hand.surrendered, hand.stood, hand.asked, hand.left = False, "", "", False
    r.even.clear()
    for stack in r.stacks.values():
        stack.bet.refused = stack.bet.refused and stack.spot.kind != "insurance"
    begin(r)


def dealt(r: "BlackjackState", seen: CardSeen, event: Dealt | None = None) -> None:
    """A card after the Initial Deal."""
    if r.misdeal is not None:
        r.lapsed, r.misdeal = r.misdeal, None
    if r.apart:
        misplaced_cards.returned(r, seen)
    if r.stray is not None:
        misplaced_cards.let_lie(r)
    if seen.zone.box == 0:
        to_dealer(r, seen)
        return
    hand = r.hand(seen.zone.box or 0, seen.zone.hand)
    if hand is None:
        misplaced_cards.no_bet(r, seen)
    elif hand.invalid and len(hand) < 2 and not r.subsequent:
        hand.add(seen)  # the Initial Deal may go on over a box whose bet was given back
    else:
        r.hit = True
        if event is not None and event.crosswise and not hand.asked and not hand.doubled:
            inferred.crosswise(r, hand)
        if hand.refusal:
            hand = inferred.played_apart(r, hand, seen.zone.hand)
        if seen.zone.hand != hand.number:
            hand = inferred.split_unseen(r, hand, seen.zone.hand)
        to_player(r, hand, seen)


def opened(r: "BlackjackState") -> None:
    """The first card of the Subsequent Deal: what should have been settled by now (3.13, 3.15)."""
    if r.subsequent:
        return
    payments.underpaid(r)
    r.change_phase(Trigger.CARD_COUNTS)
    if "side-bet-not-settled" in r.book.faults:
        for stack in list(r.stacks.values()):
            line = r.settlements.get((stack.spot.box, 1, stack.spot.bet))
            if stack.spot.kind in side_bets.FIRST_TWO and stack.bet.placed and line is not None:
                side_unsettled(r, stack, line)
    for hand in r.all_hands():
        if hand.natural and (hand.box, hand.number, "main") in r.settlements:
            _unpaid_blackjack(r, hand)
    late_offer = r.told and r.t - r.complete_at < OFFER_S and not r.offered
    if r.upcard_is_ace and late_offer and not side_bets.insured(r) and not r.even:
        r.alert(
            "insurance-not-offered",
            "The dealer shows an Ace and the next card fell before Insurance was offered.",
            Remedy("continue", r.faultclause("insurance-not-offered"), says="Offer Insurance before the first hit."),
            anchor="offer",
        )


def side_unsettled(r: "BlackjackState", stack: "Stack", line: "Settlement") -> None:
    if line.result not in ("win", "lose") or stack.bet.refused or not (stack.settled.untouched and stack.now.present):
        return
    due = plain(abs(line.net)) if line.net is not None else "what is due"
    what = f"pay {due}" if line.result == "win" else f"take {due}"
    clause = r.book.clause("side-settle")
    boom = stack.spot.kind == "boom-busted"
    r.alert(
        "side-bet-not-settled",
        f"The {stack.spot.bet} bet of box {stack.spot.box} is decided and still lies: {what} now.",
        Remedy("correct-payment", "3.25" if boom else clause, says=f"{what.capitalize()} as soon as possible."),
        anchor=stack.spot.text,
        box=stack.spot.box,
        evidence=(stack.spot.text,),
        clause="3.25" if boom else "",
    )


def _unpaid_blackjack(r: "BlackjackState", hand: BlackjackHand) -> None:
    for stack in settlement.betting(r, hand):
        line = r.settlements.get((hand.box, hand.number, stack.spot.bet))
        if line is None or line.result != "blackjack" or not (stack.settled.untouched and stack.now.present):
            continue
        due = "what is due" if line.net is None else plain(line.net)
        name = r.alert(
            "blackjack-not-paid",
            f"Box {hand.box} has Blackjack against the {spoken(r.upcard)} and is not paid; pay {due} now.",
            Remedy("correct-payment", r.book.clause("blackjack"), says=f"Pay {due} before play goes on."),
            anchor=stack.spot.text,
            box=hand.box,
            hand=hand.number,
            evidence=(stack.spot.text, *[seen.id for seen in hand.cards]),
        )
        stack.settled.faulted = bool(name)


# ---- a card to a player ---------------------------------------------------------------------------------------------


def to_player(r: "BlackjackState", hand: BlackjackHand, seen: CardSeen) -> None:
    """Judge a card on a player's hand, then let it count."""
    why = r.finished(hand)
    acting = r.acting()
    if why:
        at = f" at {hand.points}" if hand.total else ""
        misplaced_cards.slip(r, why, hand, seen, f"The hand was complete{at}.")
        return
    passed = turns.between(r, acting, hand)
    blocked = next((one for one in passed if turns.blocks(r, one)), None)
    if blocked is not None:
        code = _passed_over(r, hand, blocked)
        says = f"It was the turn of box {blocked.box}{f' hand {blocked.number}' if blocked.split else ''}"
        misplaced_cards.slip(
            r, code, hand, seen, f"{says}{f', at {blocked.points}' if blocked.total else ''}.", passed=passed
        )
        return
    turns.stands(r, passed)
    take(r, hand, seen)


def _passed_over(r: "BlackjackState", hand: BlackjackHand, one: BlackjackHand) -> str:
    """Name the error of dealing to a hand before another that needed a card."""
    if one.box == hand.box:
        return "split-wrong-order"
    if len(one) < 2:
        return "missing-card"
    if one.asked == "double" or one.extra or _second_stack(r, one):
        return "double-card-missing"
    if one.asked == "hit":
        return "subsequent-deal-wrong-box"
    told_only = (one.points or 0) >= MUST_DRAW_BELOW
    first = told_only and not r.subsequent and not any(h.stood for h in r.all_hands())
    return "extra-card-to-hand" if first else "acting-box-passed-over"


def _second_stack(r: "BlackjackState", one: BlackjackHand) -> bool:
    """Tell whether one stack more is there, from any hand: for a hand that must draw, that is a double."""
    seat = r.seat(one.box)
    return len(r.hands[one.box]) == 1 and seat.bet.stake is None and camera_only.grew(seat, seat.bet.piles)


def take(r: "BlackjackState", hand: BlackjackHand, seen: CardSeen) -> None:
    """A hand takes a card in its turn."""
    opened(r)
    if hand.refusal:
        decisions.refused_card(r, hand)
    asked, hand.asked, hand.stood, hand.left = hand.asked, "", "", False
    first_two = len(hand) == 2
    if hand.extra and first_two:
        inferred.doubled_by_chips(r, hand)
    elif asked == "double":
        hand.doubled = True
    unasked = r.told and not asked and not hand.doubled and len(hand) > 1 and hand.box not in r.absent
    if unasked and (hand.points or 0) >= MUST_DRAW_BELOW:
        _unrequested(r, hand, seen)
    elif hand.points == LIMIT and len(hand) > 1:
        _hard21(r, hand, seen)
    additional_bets.card_falls(r, hand)
    misplaced_cards.count(r, hand, seen)
    if hand.split and len(hand) == 2:
        offers.offer(r, hand)
    if len(r.dealer) > 1:
        dealer.after(r)


def _hard21(r: "BlackjackState", hand: BlackjackHand, seen: CardSeen) -> None:
    """The words of the book allow it, but do not mean it (B5b)."""
    r.alert(
        "hit-on-21",
        f"Box {hand.box} takes a card on a hard 21: make sure it was asked for.",
        Remedy("continue", r.faultclause("hit-on-21"), says="Confirm the request."),
        anchor=seen.id,
        box=hand.box,
        hand=hand.number,
        evidence=(seen.id,),
        severity="advise",
    )


@dataclass(frozen=True, slots=True, eq=False)
class RequestRuling:
    """What a ruling on a card without a request does: a value, so that a round in the middle can be kept."""

    round: "BlackjackState"
    hand: BlackjackHand
    seen: CardSeen

    def __call__(self, choice: str, _: int | None) -> None:
        r, hand, seen = self.round, self.hand, self.seen
        r.inferred.pop((hand.box, hand.number), None)  # later reports are not about that card
        if choice == "continue-reconstructed" and seen in hand.cards:
            hand.drop(seen)
            settlement.reopen(r, hand)
            hand.stood = "told"
            r.next_card(seen)


def _unrequested(r: "BlackjackState", hand: BlackjackHand, seen: CardSeen) -> None:
    """A card at 12 or more without a request: ask; if the Player stood, it is the next card."""
    code = "hit-on-21" if hand.points == LIMIT else "card-without-request"
    name = r.alert(
        code,
        f"Box {hand.box} at {hand.points} got the {spoken(seen.card)} without asking for it.",
        r.error_remedy([(seen, SHOE)], says=f"Ask box {hand.box}; if it stood, this is the next card."),
        anchor=seen.id,
        box=hand.box,
        hand=hand.number,
        evidence=(seen.id,),
    )

    if name:
        r.inferred[hand.box, hand.number] = (r.n, "unasked")
        r.plan(name, RequestRuling(r, hand, seen))
        r.cancel(name)


def waited(r: "BlackjackState", t: float) -> None:
    """Look at what has waited too long: a decision, or the chips of a split."""
    if r.split_wait is not None and t - r.split_wait[1] >= SPLIT_CHIPS_S:
        additional_bets.split_unpaid(r, r.split_wait[0])
    hand = r.acting()
    if hand is None or t - r.idle_from <= IDLE_S or hand.left or hand.up or len(hand) < 2:
        return
    if hand.points is None or hand.points >= LIMIT:
        return
    r.alert(
        "hand-unresolved",
        f"Box {hand.box} has waited at {hand.points} for {IDLE_S:.0f} seconds without a decision or a card.",
        Remedy("continue", r.faultclause("hand-unresolved"), says="Ask the Player for his decision."),
        anchor=f"box{hand.box}-hand{hand.number}-{len(hand)}",
        box=hand.box,
        hand=hand.number,
    )


def squeeze_exposed(r: "BlackjackState", seen: CardSeen) -> None:
    r.alert(
        "squeeze-card-exposed",
        f"The {spoken(seen.card)} for box {seen.zone.box} was dealt face up although it may be squeezed.",
        Remedy("continue", r.faultclause("squeeze-card-exposed"), says="Go on; the result stands."),
        anchor=seen.id,
        box=seen.zone.box,
        evidence=(seen.id,),
    )


def no_insurance(r: "BlackjackState", stack: "Stack") -> None:
    stack.bet.refused = True
    r.alert(
        "insurance-not-allowed",
        f"Chips lie on the insurance line of box {stack.spot.box} and the dealer shows the {spoken(r.upcard)}.",
        Remedy("reject-bet", r.faultclause("insurance-not-allowed"), says="Give them back: only an Ace is insured."),
        anchor=f"{stack.spot.text}-{r.n}",
        box=stack.spot.box,
        evidence=(stack.spot.text,),
    )


def check_insurance(r: "BlackjackState") -> None:
    """Chips on the insurance line before the cards say that there is nothing to insure."""
    for stack in side_bets.insured(r):
        if not r.upcard_is_ace and r.upcard is not None:
            no_insurance(r, stack)


# ---- a card to the dealer --------------------------------------------------------------------------------------------


def to_dealer(r: "BlackjackState", seen: CardSeen) -> None:
    """A card on the dealer's hand after the Initial Deal."""
    waiting = tuple(hand for hand in r.all_hands() if not r.finished(hand))
    blocked = next((hand for hand in waiting if turns.blocks(r, hand)), None)
    if blocked is not None:
        if len(blocked) < 2:
            code = "missing-card"
        elif blocked.asked == "double" or blocked.extra:
            code = "double-card-missing"
        else:
            code = "dealer-second-card-too-early" if len(r.dealer) == 1 else "dealer-draws-before-players-done"
        at = f", at {blocked.points}," if blocked.total else ""
        misplaced_cards.slip(r, code, r.dealer, seen, f"Box {blocked.box}{at} is not done.", passed=waiting)
        return
    turns.stands(r, waiting)
    if dealer.stands(r) and len(r.dealer) > 1:
        dealer.after(r)
        dealer.overdraw(r, seen)
        return
    opened(r)
    if not dealer.pending(r) and not dealer.is_blackjack_unpaid(r):
        r.alert(
            "dealer-draw-not-needed",
            "The dealer drew although no bet waited for it.",
            Remedy("continue", r.faultclause("dealer-draw-not-needed"), says="Log only."),
            anchor="draw",
            evidence=(seen.id,),
        )
    r.dealer.add(seen)
    dealer.after(r)
