"""Errors of drawing: a hand that is complete gets a card, or one that is not is left."""

from collections.abc import Callable

from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.blackjack_table import DealtHand
from feltwatch.datasets.deal.faults.order import MUST_DRAW, NO_ACE
from feltwatch.datasets.deal.faults.registry import Needs, blackjack
from feltwatch.datasets.deal.game import MAIN

TWO_BOXES = Needs()


def _one_too_many(g: Blackjack, code: str, when: Callable[[DealtHand], bool]) -> None:
    """A complete hand gets the card of the next box, which must draw."""
    heir = g.seats[1]
    g.fate(heir, MUST_DRAW)
    spent: list[str] = []

    def full(hand: DealtHand) -> bool:
        if when(hand) and not spent:
            spent.append(code)
            g.film.wait((0.2, 0.5))
            g.strays(code, heir, hand.zone, g.first(heir))
        return False

    g.on("full", full)


@blackjack("hit-on-soft-21")
def hit_on_soft_21(g: Blackjack) -> None:
    g.fate(g.seats[0], "A 4 6", "hit")
    g.fate(0, NO_ACE)
    _one_too_many(g, "hit-on-soft-21", lambda hand: hand.box == g.seats[0])


@blackjack("hit-on-blackjack")
def hit_on_blackjack(g: Blackjack) -> None:
    g.fate(g.seats[0], "A K")
    g.fate(0, "TJQK")
    _one_too_many(g, "hit-on-blackjack", lambda hand: hand.box == g.seats[0])


@blackjack("hit-on-21")
def hit_on_21(g: Blackjack) -> None:
    """A hard 21 gets a card: only a question where the book lets it be asked for."""
    g.fate(g.seats[0], "T 4 7", "hit")
    g.fate(0, NO_ACE)
    if g.book.switches.hard21_may_hit == "false":
        _one_too_many(g, "hit-on-21", lambda hand: hand.box == g.seats[0])
        return

    def full(hand: DealtHand) -> bool:
        if hand.box == g.seats[0] and len(hand.cards) == 3:
            g.owes.append("hit-on-21")
            g.gesture(hand, "hit")
            g.card(hand)
        return False

    g.on("full", full)


@blackjack("card-after-bust")
def card_after_bust(g: Blackjack) -> None:
    g.fate(g.seats[0], "T 6 T", "hit")
    g.fate(0, NO_ACE)
    _one_too_many(g, "card-after-bust", lambda hand: hand.box == g.seats[0])


@blackjack("hit-after-double")
def hit_after_double(g: Blackjack) -> None:
    g.fate(g.seats[0], "6 5 4", "double")
    g.fate(0, NO_ACE)
    _one_too_many(g, "hit-after-double", lambda hand: hand.box == g.seats[0])


@blackjack("split-aces-extra-card")
def split_aces_extra_card(g: Blackjack) -> None:
    """A hand of split Aces gets a third card."""
    g.fate(g.seats[0], "A A 5 6", "split")
    g.fate(0, NO_ACE)
    _one_too_many(g, "split-aces-extra-card", lambda hand: hand.box == g.seats[0] and hand.number == 2)


@blackjack("double-card-missing")
def double_card_missing(g: Blackjack) -> None:
    """The bet is doubled and the next box is served."""
    first, second = g.seats[:2]
    g.fate(first, "6 5 4")
    g.fate(second, "T 6")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        if hand.box != first:
            return False
        g.adds_double(hand)
        g.strays("double-card-missing", first, g.first(second).zone, hand)
        return True

    g.on("act", act)


@blackjack("card-after-stand", Needs(told=True))
def card_after_stand(g: Blackjack) -> None:
    g.fate(g.seats[0], "T 4", "stand")
    g.fate(0, NO_ACE)
    _one_too_many(g, "card-after-stand", lambda hand: hand.box == g.seats[0])


@blackjack("dealer-overdraw", Needs(1, plain=False))
def dealer_overdraw(g: Blackjack) -> None:
    """The dealer draws on 17; the card is laid away."""
    g.fate(g.seats[0], "T 9", "stand")
    g.fate(0, "T 7")

    def drawn() -> None:
        g.film.wait((0.2, 0.5))
        name, _ = g.astray(0, g.dealer.zone)
        g.stops("dealer-overdraw")
        g.film.wait((0.8, 2.0))
        g.film.sweep([name], how="tuck")

    g.on("drawn", drawn)


@blackjack("dealer-under-17-stands", Needs(1))
def dealer_under_17_stands(g: Blackjack) -> None:
    """The dealer stops at 16 and pays; he takes it back and draws."""
    box = g.seats[0]
    g.fate(box, "T 9", "stand")
    g.fate(0, "T 6")

    def dealer() -> bool:
        g.film.wait((0.4, 1.0))
        g.card(g.dealer)
        hand = g.first(box)
        g.pays(g.spot(hand, MAIN), hand.bets[MAIN])
        g.stops("dealer-under-17-stands")
        g.film.wait((0.8, 2.0))
        g.takes(g.spot(hand, MAIN), hand.bets[MAIN])
        g.dealers_turn()
        return True

    g.on("dealer", dealer)


@blackjack("dealer-not-drawn-for-boom", Needs(1, 1))
def dealer_not_drawn_for_boom(g: Blackjack) -> None:
    """All hands are bust and Boom Busted is taken before the dealer has drawn out."""
    box = g.seats[0]
    g.fate(box, "T 6 T", "hit")
    g.fate(0, NO_ACE)
    g.on("bets", lambda amounts: amounts.update({f"box{box}.boom-busted": 10}))

    def dealer() -> bool:
        spot = f"box{box}.boom-busted"
        g.film.wait((0.4, 1.0))
        g.takes(spot, 10)
        g.owes.append("dealer-not-drawn-for-boom")
        g.film.wait((0.8, 2.0))
        g.pays(spot, 10)
        return False

    g.on("dealer", dealer)


@blackjack("dealer-draw-not-needed", Needs(1, 1))
def dealer_draw_not_needed(g: Blackjack) -> None:
    """Every hand is bust, and the dealer draws all the same."""
    g.fate(g.seats[0], "T 6 T", "hit")
    g.fate(0, NO_ACE)

    def dealer() -> bool:
        g.film.wait((0.4, 1.0))
        g.card(g.dealer)
        g.owes.append("dealer-draw-not-needed")
        return True

    g.on("dealer", dealer)


@blackjack("hand-unresolved", Needs(1))
def hand_unresolved(g: Blackjack) -> None:
    """A Player cannot make up his mind."""
    g.fate(g.seats[0], "T 4")
    g.fate(0, NO_ACE)

    def act() -> None:
        for _ in range(32):
            g.film.now += 1000
            g.film.tell("tick")
        g.owes.append("hand-unresolved")

    g.once("act", act)
