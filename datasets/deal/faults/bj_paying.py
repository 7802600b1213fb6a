"""Errors of paying and taking that only blackjack knows."""

from feltwatch.datasets.deal import settle
from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.blackjack_table import DealtHand
from feltwatch.datasets.deal.faults.order import MUST_DRAW, NO_ACE
from feltwatch.datasets.deal.faults.registry import Needs, blackjack
from feltwatch.datasets.deal.game import MAIN
from feltwatch.datasets.deal.rules import SIDES


@blackjack("blackjack-not-paid")
def blackjack_not_paid(g: Blackjack) -> None:
    """A Blackjack against 2 to 9 is forgotten until the next card has fallen."""
    first, second = g.seats[:2]
    g.fate(first, "A K")
    g.fate(second, MUST_DRAW)
    g.fate(0, NO_ACE)
    g.on("natural", lambda hand: hand.box == first)

    def full(hand: DealtHand) -> bool:
        if hand.box == second:
            late = g.first(first)
            win = settle.blackjack_win(g, late.bets[MAIN])
            g.owes.append("blackjack-not-paid")
            g.owe(late, MAIN, "blackjack", win)
            g.wins(g.spot(late, MAIN), win)
            settle.out(g, late)
        return False

    g.on("full", full)


@blackjack("surrender-half-wrong", Needs(1))
def surrender_half_wrong(g: Blackjack) -> None:
    """The whole bet of one who surrenders is taken; half of it goes back."""
    first = g.seats[0]
    g.fate(first, "T 6")
    g.fate(0, NO_ACE)

    def half(hand: DealtHand, bet: str) -> bool:
        spot, stake = g.spot(hand, bet), hand.bets[bet]
        g.takes(spot, stake // 2)
        g.takes(spot, stake - stake // 2)
        g.owes.append("surrender-half-wrong")
        g.film.wait((0.8, 2.0))
        g.pays(spot, stake - stake // 2)
        return True

    g.on("surrender", half)
    g.once("interim", lambda: settle.surrender(g, g.first(first)))


@blackjack("dealer-bj-extra-taken", Needs(1))
def dealer_bj_extra_taken(g: Blackjack) -> None:
    """The dealer's Blackjack takes the double as well; it goes back."""
    first = g.seats[0]
    g.fate(first, "6 5 3", "double")
    g.fate(0, "T A")

    def taken(hand: DealtHand, bet: str) -> bool:
        if hand.box != first:
            return False
        g.takes(g.spot(hand, bet), hand.stake(bet))
        g.owes.append("dealer-bj-extra-taken")
        g.film.wait((0.8, 2.0))
        g.pays(g.spot(hand, bet), hand.extra[bet])
        return True

    g.on("settle", taken)


def _side(g: Blackjack) -> str:
    return f"box{g.seats[0]}.{SIDES[g.book.id][0]}"


@blackjack("side-bet-not-settled", Needs(1))
def side_bet_not_settled(g: Blackjack) -> None:
    """A lost side bet still lies there when the first hand has drawn."""
    g.fate(g.seats[0], MUST_DRAW)
    g.fate(0, NO_ACE)
    g.on("bets", lambda amounts: amounts.update({_side(g): 10}))
    g.on("side", lambda spot, _: spot == _side(g))

    def late() -> None:
        g.owes.append("side-bet-not-settled")
        g.takes(_side(g), 10)

    g.once("full", late)


@blackjack("side-bet-wrong-result", Needs(1))
def side_bet_wrong_result(g: Blackjack) -> None:
    """A lost side bet is paid; all of it is taken back."""
    g.fate(g.seats[0], "T 8")
    g.on("bets", lambda amounts: amounts.update({_side(g): 10}))

    def pays(spot: str, _: int) -> bool:
        if spot != _side(g):
            return False
        g.pays(spot, 60)
        g.owes.append("side-bet-wrong-result")
        g.film.wait((0.8, 2.0))
        g.takes(spot, 70)
        return True

    g.on("side", pays)


@blackjack("side-bet-over-initial", Needs(1))
def side_bet_over_initial(g: Blackjack) -> None:
    """An Over 13 bet is above the main bet; it plays unchanged."""
    box = g.seats[0]
    g.fate(box, "T 8", "stand")

    def bets(amounts: dict[str, int]) -> None:
        amounts[f"box{box}.over13"] = amounts[f"box{box}.main"] + g.setup.minimum

    g.on("bets", bets)
    g.once("closed", lambda: g.owes.append("side-bet-over-initial"))


@blackjack("insurance-wrong-settlement", Needs(1))
def insurance_wrong_settlement(g: Blackjack) -> None:
    """Insurance is paid and the dealer has no Blackjack; all of it is taken back."""
    first = g.seats[0]
    g.fate(first, "T 8", "stand")
    g.fate(0, "A 9")
    spot = f"box{first}.insurance"
    g.once("interim", lambda: g.bet(spot, g.first(first).bets[MAIN] // 2))

    def pays(where: str, _: int) -> bool:
        if where != spot:
            return False
        g.pays(spot, 2 * g.stakes[spot])
        g.owes.append("insurance-wrong-settlement")
        g.film.wait((0.8, 2.0))
        g.takes(spot, 3 * g.stakes[spot])
        return True

    g.on("side", pays)
