"""Cards that are not of the set, came too often, unshuffled, or without a bet; the same in every game."""

from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.faults.registry import Needs, blackjack, both
from feltwatch.datasets.deal.game import Game
from feltwatch.datasets.deal.shoe import new_deck


@both("foreign-card", Needs(1, plain=False))
def foreign_card(g: Game) -> None:
    """A card of another set comes out of the shoe."""
    at = g.rng.randrange(len(g.seats))

    def slot(place: int, box: int) -> bool:
        if place == at:
            hand = g.first(box)
            face = g.draw(box)
            name = g.film.deal(face, hand.zone, up=g.open_cards, foreign=True)
            g.adds(hand, name, face)
            g.film.signal("foreign-card", box=box, id=name)
            g.voids("foreign-card")
        return False

    g.on("slot", slot)


@both("unexpected-card", Needs(1))
def unexpected_card(g: Game) -> None:
    """The dealer deals although there is no bet."""
    g.on("bets", lambda amounts: amounts.clear())

    def dealt() -> None:
        g.film.deal(g.draw(0), g.first_zone(), up=g.open_cards)
        g.stops("unexpected-card")
        g.void("unexpected-card")

    g.once("closed", dealt)


@both("burn-card-dealt", Needs(1, plain=False, settings={"burn": "1"}))
def burn_card_dealt(g: Game) -> None:
    """The first card after the shuffle is dealt instead of burnt."""
    g.owes.append("burn-card-dealt")


@both("card-outside-box", Needs(1, plain=False))
def card_outside_box(g: Game) -> None:
    """A card comes to rest between the boxes, and is pushed to its place."""
    by_way_of(g, "card-outside-box", "outside")


@blackjack("boxed-card", Needs(1, plain=False))
def boxed_card(g: Blackjack) -> None:
    """A card lies face up in the mouth of the shoe; it is used all the same."""
    by_way_of(g, "boxed-card", "shoe")


def by_way_of(g: Game, code: str, zone: str) -> None:
    """A card lies elsewhere first, and is no error once it is where it belongs."""
    at = g.rng.randrange(2 * len(g.seats) + 1)

    def slot(place: int, due: int) -> bool:
        if place == at:
            card = g.astray(due, zone)
            g.owes.append(code)
            g.mends(card, g.first(due))
        return place == at

    g.on("slot", slot)


@blackjack("excess-identical-card", Needs(5, decks=4))
def excess_identical_card(g: Blackjack) -> None:
    """One face comes once more than there are decks."""
    text = g.rng.choice(new_deck(g.rng))
    slots = g.slots()
    most = len(slots)
    places = sorted(g.rng.sample(range(most), g.shoe.decks + 1 - g.shoe.drawn[text]))

    def slot(place: int, box: int) -> bool:
        if place not in places:
            return False
        spent = g.shoe.all_drawn(text)
        face = g.shoe.face(text)
        g.adds(g.first(box), g.film.deal(face, g.first(box).zone), face)
        if spent:
            g.voids("excess-identical-card")
        return True

    g.on("slot", slot)


@blackjack("unshuffled-suspect", Needs(7, fresh=True))
def unshuffled_suspect(g: Blackjack) -> None:
    """The cards come in the order of a new deck."""
    deck = new_deck(g.rng)

    def slot(place: int, box: int) -> bool:
        face = g.shoe.face(deck[place])
        g.adds(g.first(box), g.film.deal(face, g.first(box).zone), face)
        if place == 14:
            g.owes.append("unshuffled-suspect")
            g.void("unshuffled-suspect")
        return True

    g.on("slot", slot)
