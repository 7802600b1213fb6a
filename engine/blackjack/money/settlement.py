"""Settlement of the hands: each bet of each hand, by the book's own clauses."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.blackjack.money import side_bets
from feltwatch.engine.model.money import ZERO
from feltwatch.engine.round.line import plays

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.round.stack import Stack

Lost = Decimal | Fraction | None


def betting(r: "BlackjackState", hand: BlackjackHand) -> list["Stack"]:
    """Give the stacks that play on a hand: the Seated Player's, and those who follow."""
    return [s for s in r.bettors.get(hand.box, ()) if (s.spot.text, hand.number) in r.wagers]


def waits(r: "BlackjackState", hand: BlackjackHand) -> bool:
    """Tell whether some bet on a hand is still open."""
    return any((hand.box, hand.number, stack.spot.bet) not in r.settlements for stack in betting(r, hand))


def wager(r: "BlackjackState", stack: "Stack", hand: BlackjackHand) -> Decimal | None:
    base, extra = r.wagers[stack.spot.text, hand.number]
    return None if base is None else base + (extra or ZERO)


def put(r: "BlackjackState", hand: BlackjackHand, result: str, clause: str, *, pays: str = "") -> None:
    """Write the line of every bet on a hand."""
    for stack in betting(r, hand):
        one(r, stack, hand, result, clause, pays=pays)


def one(  # noqa: PLR0913  a line is what it is
    r: "BlackjackState",
    stack: "Stack",
    hand: BlackjackHand,
    result: str,
    clause: str,
    *,
    pays: str = "",
    lost: Lost = None,
) -> None:
    odds = r.book.pays[pays] if pays else None
    units = stack.bet.grown if hand.doubled and not hand.split else None
    r.line(stack, result, clause, hand=hand.number, odds=odds, stake=wager(r, stack, hand), lost=lost, units=units)


def bust(r: "BlackjackState", hand: BlackjackHand) -> None:
    put(r, hand, "lose", r.book.clause("bust"))


def surrendered(r: "BlackjackState", hand: BlackjackHand) -> None:
    """Half of the Initial Bet is given up."""
    if r.switches.sur_early == "false" and r.upcard_is_ten and not r.dealer_shown:
        return
    if r.dealer_shown and r.dealer.natural and r.switches.sur_early == "false":
        put(r, hand, "lose", r.book.clause("vs-blackjack"))
        return
    for stack in betting(r, hand):
        stake = wager(r, stack, hand)
        half = None if stake is None else plays(r, stack, stake, hand.number) / 2
        one(r, stack, hand, "surrender", r.book.clause("surrender"), lost=half)


def even_money(r: "BlackjackState", stack: "Stack", hand: BlackjackHand) -> None:
    one(r, stack, hand, "even-money", r.book.clause("even-money"), pays="main")


def natural(r: "BlackjackState", hand: BlackjackHand) -> None:
    """A Blackjack wins unless the dealer has one too; against a 2 to 9 it is paid at once."""
    for stack in betting(r, hand):
        if stack.spot.text in r.even:
            continue
        if r.dealer.natural:
            one(r, stack, hand, "stand-off", r.book.clause("even-money" if r.upcard_is_ace else "blackjack"))
        else:
            one(r, stack, hand, "blackjack", r.book.clause("blackjack"), pays="blackjack")


def reopen(r: "BlackjackState", hand: BlackjackHand) -> None:
    """What a hand came to no longer holds: a card of it was put elsewhere."""
    for stack in betting(r, hand):
        undo(r, stack, hand.number)


def undo(r: "BlackjackState", stack: "Stack", number: int) -> None:
    """Take back a line that was said and neither paid nor taken yet."""
    key = (stack.spot.box, number, stack.spot.bet)
    if key in r.settlements and stack.settled.untouched:
        line = r.settlements.pop(key)
        r.out.append(replace(line, t=r.t, result="no-action", returned=None, odds=None, revises=True))


def open_hands(r: "BlackjackState") -> list[BlackjackHand]:
    """Give the hands that still play against the dealer."""
    return [h for h in r.all_hands() if not (h.bust or h.surrendered or h.invalid or h.away)]


def against_second(r: "BlackjackState") -> None:
    """The dealer's second card decides Insurance, Blackjacks, and whether a late Surrender counts."""
    r.dealer_shown = True
    side_bets.settle_insurance(r, r.dealer)
    for hand in r.all_hands():
        if hand.invalid:
            continue
        if hand.surrendered:
            surrendered(r, hand)
        elif hand.natural:
            natural(r, hand)


def against_dealer(r: "BlackjackState") -> None:
    """The dealer's hand is complete: compare."""
    if len(r.dealer) == 2:
        against_second(r)
    side_bets.settle_boom(r)
    still = [h for h in open_hands(r) if not h.natural and h.total is not None and len(h) > 1]
    if r.dealer.natural:
        _blackjack(r, still)
        return
    due = r.dealer.points or 0
    for hand in still:
        mine = hand.points or 0
        if r.dealer.bust:
            put(r, hand, "win", r.book.clause("dealer-bust"), pays="main")
        elif mine > due:
            put(r, hand, "win", r.book.clause("win"), pays="main")
        elif mine < due:
            put(r, hand, "lose", r.book.clause("lose"))
        else:
            put(r, hand, "stand-off", r.book.clause("push"))


def _blackjack(r: "BlackjackState", still: list[BlackjackHand]) -> None:
    """A dealer's Blackjack: what split and doubled hands lose is the book's own matter (B3, B4, L-3)."""
    if r.switches.bj_beats_21 == "false":
        for hand in [h for h in still if h.points == 21]:
            put(r, hand, "stand-off", r.book.clause("push"))
            still.remove(hand)
    live = r.book.id == "live-blackjack"
    literal = r.book.id == "blackjack-rws-v4" and r.switches.v4_all_wagers_lose == "literal" and r.upcard_is_ace
    if (live and r.switches.live_vs_bj == "all") or literal:
        for hand in still:
            put(r, hand, "lose", r.book.clause("vs-blackjack"))
        return
    for box in r.boxes:
        for stack in r.bettors.get(box, ()):
            mine = [h for h in still if h.box == box and (stack.spot.text, h.number) in r.wagers]
            if all(h.total is not None for h in r.hands[box]):  # else it is unknown which of them loses it
                _initial_bet(r, stack, mine)


def _initial_bet(r: "BlackjackState", stack: "Stack", mine: list[BlackjackHand]) -> None:
    """Un-bust hands lose the Initial Bet: one together, or one each."""
    for index, hand in enumerate(mine):
        base, extra = r.wagers[stack.spot.text, hand.number]
        if not hand.split and not extra:
            one(r, stack, hand, "lose", r.book.clause("vs-blackjack"))
            continue
        clause = r.book.clause("split-vs-blackjack" if hand.split else "double-vs-blackjack")
        if index and r.switches.split_vs_bj == "collective":
            one(r, stack, hand, "no-action", clause, lost=ZERO)
        else:
            lost = None if base is None else plays(r, stack, base)
            one(r, stack, hand, "lose", clause, lost=lost)


def give_back(r: "BlackjackState", box: int) -> None:
    """A Player takes his Bet back and the Hand is invalid (5.7.3); decided side bets stay decided (I-4b)."""
    clause = r.book.clause("returned")
    for hand in r.hands.get(box, ()):
        for stack in betting(r, hand):
            one(r, stack, hand, "void", clause)
    for stack in r.stacks.values():
        if stack.spot.box != box or stack.spot.kind in ("main", "boom-busted") or not stack.bet.placed:
            continue
        decided = r.settlements.get((box, 1, stack.spot.bet))
        if decided is None or r.switches.returned_side_bets == "all-return":
            r.line(stack, "void", clause)


def cut(r: "BlackjackState", stack: "Stack") -> None:
    """A stake plays on less than it was: settle it again."""
    if stack.spot.kind in side_bets.FIRST_TWO and (stack.spot.box, 1, stack.spot.bet) in r.settlements:
        side_bets.settle_first_two(r)
