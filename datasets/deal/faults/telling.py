"""Errors that rest on a Player's request: decisions are reported, as where gestures are recognised."""

from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.blackjack_table import DealtHand
from feltwatch.datasets.deal.faults.order import MUST_DRAW, NO_ACE
from feltwatch.datasets.deal.faults.registry import Needs, blackjack

TOLD = Needs(told=True, settings={"decisions": "told"})


@blackjack("extra-card-to-hand", TOLD)
def extra_card_to_hand(g: Blackjack) -> None:
    """The first card of all falls on the second box, and the first had not yet said what it wants: it hits."""
    first, second = g.seats[:2]
    g.fate(first, "T 4")
    g.fate(second, "T 6")
    g.fate(0, NO_ACE)

    def hand(mine: DealtHand) -> bool:
        if mine.box == first and len(mine.cards) == 2:
            g.strays("extra-card-to-hand", first, g.first(second).zone, mine)
        return False

    g.on("hand", hand)


@blackjack("card-without-request", TOLD)
def card_without_request(g: Blackjack) -> None:
    """A hand of 13 gets a card without a request; its Player keeps it."""
    first = g.seats[0]
    g.fate(first, "T 3 2", "stand")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> None:
        g.card(hand)
        g.stops("card-without-request")
        g.film.wait((0.8, 2.0))
        g.film.signal("ruling", choice="continue", code="card-without-request")

    g.once("act", lambda: act(g.first(first)))


@blackjack("player-under-12-not-drawn", TOLD)
def player_under_12_not_drawn(g: Blackjack) -> None:
    """A Player would stand on 9; he has to draw."""
    first = g.seats[0]
    g.fate(first, MUST_DRAW)
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> None:
        g.gesture(hand, "stand")
        g.owes.append("player-under-12-not-drawn")
        g.film.wait((0.8, 2.0))
        g.card(hand)

    g.once("act", lambda: act(g.first(first)))


@blackjack("surrender-too-late", TOLD)
def surrender_too_late(g: Blackjack) -> None:
    """A Player would surrender after another has drawn; he plays on."""
    first, second = g.seats[:2]
    g.fate(first, MUST_DRAW)
    g.fate(second, "T 6", "stand")
    g.fate(0, NO_ACE)

    def hand(mine: DealtHand) -> bool:
        if mine.box == second:
            g.gesture(mine, "surrender")
            g.owes.append("surrender-too-late")
        return False

    g.on("hand", hand)


@blackjack("insurance-not-offered", TOLD)
def insurance_not_offered(g: Blackjack) -> None:
    """The dealer shows an Ace and serves the first box at once."""
    g.fate(g.seats[0], MUST_DRAW)
    g.fate(0, "A")
    g.on("natural", lambda _: True)

    def offer() -> bool:
        g.owes.append("insurance-not-offered")
        g.card(g.first(g.seats[0]))
        return True

    g.on("offer", offer)


@blackjack("dealer-draws-before-players-done", Needs(1, settings={"live_error": "ask-operator"}))
def dealer_draws_before_players_done(g: Blackjack) -> None:
    """The dealer's second card came too early and was left to lie; then he takes a third."""
    first = g.seats[0]
    g.fate(first, "5 4 2")
    g.fate(0, "5 6")

    def hand(mine: DealtHand) -> bool:
        if mine.box != first or len(mine.cards) > 2:
            return False
        early = "dealer-second-card-too-early"
        g.card(g.dealer)
        g.owes.append(early)
        g.film.wait((0.8, 2.0))
        g.film.signal("ruling", choice="continue", code=early)
        g.film.wait((0.3, 0.8))
        g.card(mine)
        g.strays("dealer-draws-before-players-done", first, g.dealer.zone, mine)
        return False

    g.on("hand", hand)
