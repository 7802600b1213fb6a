"""Side bets of the blackjack books: pairs, Under and Over 13, Boom Busted, Insurance."""

from fractions import Fraction
from typing import TYPE_CHECKING

from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.verdicts import Remedy

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.hands import BlackjackHand
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.round.stack import Stack

FIRST_TWO = ("pair", "under13", "over13", "rws-pairs")
THIRTEEN = 13


def pair_kind(one: Card, two: Card) -> str:
    """Name the pair of the 2024 book, or "".

    >>> from feltwatch.engine.model.cards import cards
    >>> pair_kind(*cards("Qc Qs")), pair_kind(*cards("Ah Ah")), pair_kind(*cards("Qc Kc"))
    ('coloured-pair', 'ace-pair-suited', '')
    """
    if one.rank != two.rank:
        return ""
    if one.suit == two.suit:
        return "ace-pair-suited" if one.rank == "A" else "suited-pair"
    return "coloured-pair" if one.red == two.red else "mixed-pair"


def wins(kind: str, one: Card, two: Card) -> str:
    """Give what a side bet on the first two cards wins by (a key of the pay table), or ""."""
    if kind == "pair":
        return "pair" if one.rank == two.rank else ""
    if kind == "rws-pairs":
        return pair_kind(one, two)
    points = one.value + two.value  # the Ace counts 1 here, a Blackjack is Under 13
    return kind if (points < THIRTEEN if kind == "under13" else points > THIRTEEN) else ""


def settle_first_two(r: "BlackjackState") -> None:
    """Decide the side bets on the first two cards of each box."""
    for stack in r.stacks.values():
        if stack.spot.kind in FIRST_TWO and stack.bet.in_play:
            _first_two(r, stack)


def _first_two(r: "BlackjackState", stack: "Stack") -> None:
    hands = r.hands.get(stack.spot.box)
    if not hands or len(hands[0]) < 2 or hands[0].invalid:
        return
    kind = stack.spot.kind
    one, two = hands[0].cards[0].card, hands[0].cards[1].card
    if one is None or two is None:
        return
    won = wins(kind, one, two)
    if won:
        r.line(stack, "win", r.book.clause(won), odds=r.book.pays[won])
    else:
        thirteen = kind in ("under13", "over13") and one.value + two.value == THIRTEEN
        r.line(stack, "lose", r.book.clause("thirteen" if thirteen else kind))


def settle_boom(r: "BlackjackState") -> None:
    """Boom Busted goes by the number of cards with which the dealer busts."""
    dealer = r.dealer
    for stack in booms(r):
        key = boom(dealer)
        if key:
            r.line(stack, "win", r.book.clause(key), odds=r.book.pays[key])
        else:
            r.line(stack, "lose", r.book.clause("boom-lost"))


def boom(dealer: "BlackjackHand") -> str:
    """Give what Boom Busted wins by (a key of the pay table), or ""."""
    return f"boom{min(len(dealer), 8)}" if dealer.bust else ""


def booms(r: "BlackjackState") -> list["Stack"]:
    return [s for s in r.stacks.values() if s.spot.kind == "boom-busted" and s.bet.in_play]


def settle_insurance(r: "BlackjackState", dealer: "BlackjackHand") -> None:
    """Insurance wins on a dealer's Blackjack only."""
    clause = r.book.clause("insurance")
    for stack in insured(r):
        hands = r.hands.get(stack.spot.box)
        if hands and hands[0].invalid:
            continue
        if dealer.natural:
            r.line(stack, "win", clause, odds=r.book.pays["insurance"])
        else:
            r.line(stack, "lose", clause)


def limit_insurance(r: "BlackjackState", stack: "Stack", main: "Stack | None") -> None:
    """Cut an insurance to half of the Initial Bet (live: it must be just that), and say so (3.14.2.a)."""
    stake = stack.bet.stake
    if main is None or main.bet.stake is None or stake is None:
        return
    half = main.bet.stake / 2
    over = stake - half
    if over > 0 or (over and r.book.id == "live-blackjack"):
        stack.bet.factor = Fraction(min(half, stake))
        says = f"Give {plain(over)} back." if over > 0 else f"Add {plain(-over)}: it is half the main bet."
        r.alert(
            "insurance-wrong-amount",
            f"The insurance of box {stack.spot.box} is {plain(stake)}; half of the Initial Bet is {plain(half)}.",
            Remedy("reject-bet", r.faultclause("insurance-wrong-amount"), says=says),
            anchor=stack.spot.text,
            box=stack.spot.box,
            evidence=(stack.spot.text,),
        )


def insured(r: "BlackjackState") -> list["Stack"]:
    return [s for s in r.stacks.values() if s.spot.kind == "insurance" and s.bet.in_play]
