"""Errors in the order of dealing: a card falls where it was not due."""

from typing import TYPE_CHECKING

from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.blackjack_table import DealtHand
from feltwatch.datasets.deal.faults.registry import Needs, blackjack

if TYPE_CHECKING:
    from feltwatch.engine.model.cards import Card

MUST_DRAW = "5 4"  # two cards that cannot stand
STOOD = "T 8"
NO_ACE = "23456789"


@blackjack("wrong-box-order")
def wrong_box_order(g: Blackjack) -> None:
    """Two neighbours get each other's card."""
    at = g.rng.randrange(len(g.seats) - 1)
    box, after = g.seats[at : at + 2]
    held: list[tuple[str, Card]] = []

    def slot(place: int, due: int) -> bool:
        if place == at:
            held.append(g.astray(due, g.first(after).zone))
            if g.book.reconstructs == "void":
                g.stops("wrong-box-order")
        elif place == at + 1:
            held.append(g.astray(due, g.first(box).zone))
            g.stops("wrong-box-order")
            g.mends(held[0], g.first(box))
            g.mends(held[1], g.first(after))
        return place in (at, at + 1)

    g.on("slot", slot)


def _misplaced(g: Blackjack, code: str, at: int, zone: str) -> None:
    """The card of one slot falls on another zone, and is pushed to where it was due."""

    def slot(place: int, due: int) -> bool:
        if place == at:
            g.strays(code, due, zone, g.first(due))
        return place == at

    g.on("slot", slot)


@blackjack("box-skipped", Needs(settings={"live_error": "ask-operator"}))
def box_skipped(g: Blackjack) -> None:
    at = g.rng.randrange(len(g.seats) - 1)
    _misplaced(g, "box-skipped", at, f"box{g.seats[at + 1]}.cards")


@blackjack("card-to-box-without-bet", Needs(1, free=True))
def card_to_box_without_bet(g: Blackjack) -> None:
    free = g.rng.choice([box for box in range(1, g.setup.boxes + 1) if box not in g.seats])
    _misplaced(g, "card-to-box-without-bet", g.rng.randrange(len(g.seats)), f"box{free}.cards")


@blackjack("box-double-card")
def box_double_card(g: Blackjack) -> None:
    at = g.rng.randrange(1, len(g.seats))
    _misplaced(g, "box-double-card", at, f"box{g.seats[at - 1]}.cards")


@blackjack("dealer-first-card-missing", Needs(1))
def dealer_first_card_missing(g: Blackjack) -> None:
    _misplaced(g, "dealer-first-card-missing", len(g.seats), f"box{g.seats[0]}.cards")


@blackjack("dealer-second-card-too-early", Needs(1))
def dealer_second_card_too_early(g: Blackjack) -> None:
    """The dealer serves himself before the first hand, which has to draw."""
    first = g.seats[0]
    g.fate(first, MUST_DRAW)
    g.fate(0, NO_ACE)

    def hand(mine: DealtHand) -> bool:
        if mine.box == first and len(mine.cards) == 2:
            g.strays("dealer-second-card-too-early", first, g.dealer.zone, mine)
        return False

    g.on("hand", hand)


@blackjack("subsequent-deal-wrong-box")
def subsequent_deal_wrong_box(g: Blackjack) -> None:
    """A box that stood gets the card of the next, which is being played."""
    stood, acting = g.seats[:2]
    g.fate(stood, STOOD, "stand")
    g.fate(acting, "2 3 2", "hit")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        if hand.box == acting and len(hand.cards) == 3:
            g.gesture(hand, "hit")
            g.strays("subsequent-deal-wrong-box", acting, g.first(stood).zone, hand)
        return False

    g.on("act", act)


@blackjack("acting-box-passed-over")
def acting_box_passed_over(g: Blackjack) -> None:
    """A hand that must draw is passed over."""
    first, second = g.seats[:2]
    g.fate(first, MUST_DRAW)
    g.fate(second, "T 6")
    g.fate(0, NO_ACE)

    def hand(mine: DealtHand) -> bool:
        if mine.box == first and len(mine.cards) == 2:
            g.strays("acting-box-passed-over", first, g.first(second).zone, mine)
        return False

    g.on("hand", hand)


@blackjack("simultaneous-cards")
def simultaneous_cards(g: Blackjack) -> None:
    """Two cards leave the shoe together; the Player takes the first, the other is the next card."""
    first, second = g.seats[:2]
    g.fate(first, "5 4 8")
    g.fate(second, MUST_DRAW)
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        if hand.box != first:
            return False
        g.gesture(hand, "hit")
        g.card(hand)
        face = g.draw(second)
        name = g.film.deal(face, hand.zone, together=True)
        g.stops("simultaneous-cards")
        g.mends((name, face), g.first(second))
        return True

    g.on("act", act)


@blackjack("missing-card")
def missing_card(g: Blackjack) -> None:
    """The second hand of a split is left with one card."""
    first, second = g.seats[:2]
    g.fate(first, "8 8 9")
    g.fate(second, "T 6")
    g.fate(0, NO_ACE)

    def hand(mine: DealtHand) -> bool:
        if mine.box != first or mine.number > 1:
            return False
        new = g.splits_bets(mine)
        g.card(mine)
        g.gesture(mine, "stand")
        g.strays("missing-card", first, g.first(second).zone, new)
        return True

    g.on("hand", hand)


@blackjack("card-dropped", Needs(1))
def card_dropped(g: Blackjack) -> None:
    """A card slips off the table while the first cards are dealt, is found, and goes back to its place."""
    at = g.rng.randrange(2 * len(g.seats))

    def slot(place: int, due: int) -> bool:
        if place == at:
            g.card(g.first(due))
            name = g.first(due).ids[-1]
            g.film.drop(name)
            g.stops("card-dropped")
            g.film.wait((2.0, 5.0))
            g.film.found(name)
        return place == at

    g.on("slot", slot)
