"""What every bet comes to, as soon as the cards that decide it are known (3.22 to 3.24, 4.1, 4.2)."""

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from feltwatch.engine.model.money import EVEN, ZERO, Odds, decimal, up
from feltwatch.engine.round import payments
from feltwatch.engine.round.line import plays
from feltwatch.engine.sikipi.bonus import bonus_hand
from feltwatch.engine.sikipi.deal_order import DealOrder
from feltwatch.engine.sikipi.hand import FourCards
from feltwatch.engine.sikipi.ranking import outcome
from feltwatch.engine.sikipi.setting import due_parts, house_parts

if TYPE_CHECKING:
    from feltwatch.engine.model.cards import Card
    from feltwatch.engine.round.stack import Stack
    from feltwatch.engine.sikipi.state import SikipiState

COMMISSION = Fraction(5, 100)  # 4.1, of the win
_TOPICS = {"win": "win", "lose": "lose", "stand-off": "push"}


def settle_dealer(r: "SikipiState", cards: "list[Card]") -> None:
    """The dealer's four cards are known: that decides the Bonus on his hand, and every box that is known."""
    if r.deal.order is DealOrder.BROKEN:
        return
    made = bonus_hand(cards)
    for stack in r.bets_on("dealer-bonus"):
        _bonus(r, stack, made)
    for hand in r.playing():
        settle_box(r, hand)


def settle_box(r: "SikipiState", hand: FourCards) -> None:
    """Four known cards decide the Bonus, with the dealer's the main bets: Standing Players share the hand."""
    cards = hand.faces()
    if not cards or not hand.valid or hand.box in r.held_back or r.deal.order is DealOrder.BROKEN:
        return
    made = bonus_hand(cards)
    for stack in r.bets_on("bonus", hand.box):
        _bonus(r, stack, made)
    dealers, mine = r.dealer.faces(), due_parts(r, hand, cards)
    if not dealers or mine is None:
        return
    result = outcome(mine, house_parts(r, dealers))
    for stack in r.bets_on("main", hand.box):
        if result == "win":
            _decides(r, stack, result, "win", EVEN, commission(r, stack))
        else:
            _decides(r, stack, result, _TOPICS[result])


def commission(r: "SikipiState", stack: "Stack") -> Decimal | None:
    """Give the 5 per cent of the win that go to the House; of a bet cut by its limit, of what plays (S-15)."""
    if stack.bet.stake is None:
        return None
    exact = EVEN.win(plays(r, stack, stack.bet.stake)) * COMMISSION
    return decimal(exact) if r.switches.commission == "exact" else up(exact, r.chip)


def _bonus(r: "SikipiState", stack: "Stack", made: str) -> None:
    """No commission on a Bonus (4.2)."""
    if made:
        _decides(r, stack, "win", made, r.book.pays[made])
    else:
        _decides(r, stack, "lose", "bonus-lost")


def _decides(
    r: "SikipiState",
    stack: "Stack",
    result: str,
    topic: str,
    odds: Odds | None = None,
    fee: Decimal | None = None,
) -> None:
    r.line(stack, result, r.book.clause(topic), odds=odds, commission=fee)
    moved = r.early_chips.pop(stack.spot.text, None)
    if moved is not None:
        _catches_up(r, stack, moved)


def _catches_up(r: "SikipiState", stack: "Stack", moved: tuple[Decimal, Decimal, bool]) -> None:
    """Chips had moved before the cards were read: judge them now."""
    delta, before, by_dealer = moved
    if by_dealer:
        payments.by_dealer(r, stack, delta, before)
    elif delta > 0:
        payments.matches(r, stack, delta)
    else:
        payments.unseen_hand(r, stack, delta, before)


def note_early(r: "SikipiState", stack: "Stack", delta: Decimal, before: Decimal) -> None:
    """Keep in mind what moved on a bet that is not decided yet."""
    moved, first, by_dealer = r.early_chips.get(stack.spot.text, (ZERO, before, False))
    r.early_chips[stack.spot.text] = moved + delta, first, by_dealer or stack.now.by == "dealer"


def give_back(r: "SikipiState", hand: FourCards, clause: str) -> None:
    """The hand is out and its bets go back; a Bonus on the dealer's hand stays alive (S-16)."""
    hand.valid = False
    if r.deal.order is DealOrder.KEPT and not r.complete():
        r.deal.order = DealOrder.LOOSE
    decided_stay = r.switches.returned_side_bets == "decided-stay"
    for stack in (*r.bets_on("main", hand.box), *r.bets_on("bonus", hand.box)):
        if stack.spot.kind == "main" or not decided_stay or r.undecided(stack):
            r.line(stack, "no-action", clause)
