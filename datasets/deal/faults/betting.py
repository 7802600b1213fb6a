"""Bets that lie wrong, or move when they may not; the same in every game."""

from feltwatch.datasets.deal.faults.registry import Needs, both
from feltwatch.datasets.deal.game import NOTHING, Game
from feltwatch.datasets.deal.rules import SIDES
from feltwatch.datasets.deal.story import DEALER

LATE = Needs(2, 4)


def _free(g: Game) -> int:
    return g.rng.choice([box for box in range(1, g.setup.boxes + 1) if box not in g.seats])


def _main(g: Game, at: int = 0) -> str:
    return f"box{g.seats[at]}.main"


@both("past-posting", Needs(1, plain=False))
def past_posting(g: Game) -> None:
    """A bet grows after the close; what came too late goes back."""

    def late() -> None:
        spot, more = _main(g), g.setup.minimum
        g.film.put(spot, more, by=f"box{g.seats[0]}")
        g.owes.append("past-posting")
        g.film.wait((0.8, 2.0))
        g.film.less(spot, more, by=f"box{g.seats[0]}")

    g.once("closed", late)


@both("bet-pinched", Needs(1, plain=False))
def bet_pinched(g: Game) -> None:
    """A Player takes part of his bet back after the close, and has to put it down again."""

    def pinch() -> None:
        spot = _main(g)
        less = g.stakes[spot] // 2
        g.film.less(spot, less, by=f"box{g.seats[0]}")
        g.owes.append("bet-pinched")
        g.film.wait((0.8, 2.0))
        g.film.put(spot, less, by=f"box{g.seats[0]}")

    g.once("closed", pinch)


@both("chip-moved", Needs(1, plain=True))
def chip_moved(g: Game) -> None:
    """A chip goes from a side bet to the main bet after the close, and back."""
    side = f"box{g.seats[0]}.{SIDES[g.book.id][0]}"
    g.on("bets", lambda amounts: amounts.update({side: 5}))

    def moves() -> None:
        hand = f"box{g.seats[0]}"
        g.film.all_off(side, by=hand)
        g.film.put(_main(g), 5, by=hand)
        g.owes.append("chip-moved")
        g.film.wait((0.8, 2.0))
        g.film.less(_main(g), 5, by=hand)
        g.film.put(side, 5, by=hand)

    g.once("closed", moves)


@both("bet-outside-box", Needs(1, plain=False))
def bet_outside_box(g: Game) -> None:
    """Chips lie on a line when the bets close; they go back."""
    hand = f"box{g.seats[0]}"
    g.once("betting", lambda: g.film.put("outside", 25, by=hand))

    def back() -> None:
        g.owes.append("bet-outside-box")
        g.film.wait((0.8, 2.0))
        g.film.all_off("outside", by=hand)

    g.once("closed", back)


@both("new-player-mid-round", Needs(1, free=True, plain=False))
def new_player_mid_round(g: Game) -> None:
    """A bet comes onto a free box after the close, and goes back."""
    box = _free(g)

    def late() -> None:
        g.film.put(f"box{box}.main", 2 * g.setup.minimum, by=f"box{box}")
        g.owes.append("new-player-mid-round")
        g.film.wait((0.8, 2.0))
        g.film.all_off(f"box{box}.main", by=f"box{box}")

    g.once("closed", late)


@both("side-bet-without-initial", Needs(1, free=True, plain=False))
def side_bet_without_initial(g: Game) -> None:
    """A side bet lies on a box without a main bet; the dealer gives it back after the first card."""
    box, kind = _free(g), SIDES[g.book.id][0]
    g.once("betting", lambda: g.film.put(f"box{box}.{kind}", 10, by=f"box{box}"))

    def back() -> None:
        g.owes.append("side-bet-without-initial")
        g.lines[box, 1, kind] = ("no-action", NOTHING)
        g.film.wait((0.5, 1.0))
        g.film.all_off(f"box{box}.{kind}", by=DEALER)

    g.once("dealt", back)


@both("bet-below-minimum", Needs(1, 4, minimum=50))
def bet_below_minimum(g: Game) -> None:
    """A bet below the minimum is left, and plays unchanged."""
    g.on("bets", lambda amounts: amounts.update({_main(g): 20}))
    g.once("closed", lambda: g.owes.append("bet-below-minimum"))


@both("box-over-maximum", Needs(1, 4))
def box_over_maximum(g: Game) -> None:
    """A bet above the maximum is left to lie; no more than the maximum plays."""
    g.fate(g.seats[0], "T 9", "stand")
    over = g.setup.maximum + 2 * g.setup.minimum
    g.on("bets", lambda amounts: amounts.update({_main(g): over}))

    def closed() -> None:
        g.owes.append("box-over-maximum")
        g.stakes[_main(g)] = g.setup.maximum

    g.once("closed", closed)
