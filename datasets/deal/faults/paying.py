"""Errors of paying and taking; the same in every game."""

from collections.abc import Callable

from feltwatch.datasets.deal.faults.registry import Needs, both
from feltwatch.datasets.deal.game import MAIN, Game, HeldCards

PAID = Needs(1, plain=False)


def _at_settling(g: Game, result: str, act: Callable[[HeldCards, str, int], None], *, kept: bool = False) -> None:
    """The main bet of the first box comes to that result; `act` settles it; `kept`: its Player leaves it there."""
    g.rigs(result)
    spot = f"box{g.seats[0]}.main"

    def settle(hand: HeldCards, bet: str) -> bool:
        if (hand.box, bet) != (g.seats[0], MAIN):
            return False
        act(hand, spot, int(g.lines[hand.box, 1, bet][1]))
        return True

    g.on("settle", settle)
    if kept:
        g.on("collect", lambda where: where == spot)


def _pause(g: Game, code: str) -> None:
    g.owes.append(code)
    g.film.wait((0.8, 2.0))


@both("winning-bet-taken", PAID)
def winning_bet_taken(g: Game) -> None:
    def act(hand: HeldCards, spot: str, net: int) -> None:
        g.takes(spot, hand.bets[MAIN])
        _pause(g, "winning-bet-taken")
        g.pays(spot, hand.bets[MAIN])
        g.pays(spot, net)

    _at_settling(g, "win", act)


@both("losing-bet-paid", PAID)
def losing_bet_paid(g: Game) -> None:
    def act(hand: HeldCards, spot: str, _: int) -> None:
        g.pays(spot, hand.bets[MAIN])
        _pause(g, "losing-bet-paid")
        g.takes(spot, 2 * hand.bets[MAIN])

    _at_settling(g, "lose", act)


@both("push-taken", PAID)
def push_taken(g: Game) -> None:
    def act(hand: HeldCards, spot: str, _: int) -> None:
        g.takes(spot, hand.bets[MAIN])
        _pause(g, "push-taken")
        g.pays(spot, hand.bets[MAIN])

    _at_settling(g, "stand-off", act)


@both("push-paid", PAID)
def push_paid(g: Game) -> None:
    def act(hand: HeldCards, spot: str, _: int) -> None:
        g.pays(spot, hand.bets[MAIN])
        _pause(g, "push-paid")
        g.takes(spot, hand.bets[MAIN])

    _at_settling(g, "stand-off", act)


@both("wrong-payout", PAID)
def wrong_payout(g: Game) -> None:
    """Too much is paid, and taken back; or too little, unnoticed."""

    def act(_: HeldCards, spot: str, net: int) -> None:
        if g.rng.random() < 0.5:
            g.pays(spot, net - 5)
            g.owes.append("wrong-payout")
            return
        over = 5 + net // 10
        g.pays(spot, net + over)
        _pause(g, "wrong-payout")
        g.takes(spot, over)

    _at_settling(g, "win", act)


@both("losing-bet-not-taken", PAID)
def losing_bet_not_taken(g: Game) -> None:
    _at_settling(g, "lose", lambda *_: g.owes.append("losing-bet-not-taken"), kept=True)


@both("winning-bet-not-paid", PAID)
def winning_bet_not_paid(g: Game) -> None:
    _at_settling(g, "win", lambda *_: g.owes.append("winning-bet-not-paid"), kept=True)


@both("bet-capped", PAID)
def bet_capped(g: Game) -> None:
    """A Player adds to a bet that has won; it goes back and the bet is paid as it lay."""

    def act(hand: HeldCards, spot: str, net: int) -> None:
        g.film.put(spot, g.setup.minimum, by=f"box{hand.box}")
        _pause(g, "bet-capped")
        g.film.less(spot, g.setup.minimum, by=f"box{hand.box}")
        g.pays(spot, net)

    _at_settling(g, "win", act)


@both("settlement-order", Needs(2, settings={"settlement_order": "right-to-left"}))
def settlement_order(g: Game) -> None:
    """The second box is settled before the first."""
    g.rigs("win")
    g.fate(g.seats[1], *(("T 9", "stand") if g.open_cards else ("7 7 6 6", "house")))
    g.on("boxes", lambda: True)
    g.owes.append("settlement-order")
