"""Errors that only Si Ki Pi knows: of its deal, of cards shown, set and handled, and of its payments."""

from feltwatch.datasets.deal.faults.registry import Needs, sikipi
from feltwatch.datasets.deal.game import MAIN
from feltwatch.datasets.deal.houseway import house_way
from feltwatch.datasets.deal.shoe import new_deck
from feltwatch.datasets.deal.sikipi import FourCardHand, Sikipi, otherwise

RICH = Needs(1, plain=False)


def _late_slot(g: Sikipi) -> int:
    """Give a card of the second or third round of the deal, one at a time: not the dealer's."""
    g.packets = False
    once = len(g.seats) + 1
    return once * g.rng.randint(1, 2) + g.rng.randrange(len(g.seats))


@sikipi("wrong-box-order", RICH)
def wrong_box_order(g: Sikipi) -> None:
    """A card falls on the hand after the one it was due to, and is pushed back."""
    at = _late_slot(g)

    def slot(place: int, box: int) -> bool:
        if place == at:
            g.strays("wrong-box-order", box, g.first(g.slots()[at + 1]).zone, g.first(box))
        return place == at

    g.on("slot", slot)


@sikipi("card-to-box-without-bet", Needs(1, free=True, plain=False))
def card_to_box_without_bet(g: Sikipi) -> None:
    at = _late_slot(g)
    free = g.rng.choice([box for box in range(1, g.setup.boxes + 1) if box not in g.seats])

    def slot(place: int, box: int) -> bool:
        if place == at:
            g.strays("card-to-box-without-bet", box, f"box{free}.cards", g.first(box))
        return place == at

    g.on("slot", slot)


@sikipi("wrong-card-count", RICH)
def wrong_card_count(g: Sikipi) -> None:
    """A box gets a fifth card, which is laid away before anybody has looked."""

    def dealt() -> None:
        name, _ = g.astray(0, g.first(g.seats[0]).zone)
        g.stops("wrong-card-count")
        g.film.wait((0.8, 2.0))
        g.film.sweep([name], how="tuck")

    g.once("dealt", dealt)


@sikipi("dealer-cards-exposed", RICH)
def dealer_cards_exposed(g: Sikipi) -> None:
    """One of the dealer's cards falls face up, or two: then the round is void."""
    _exposed(g, "dealer-cards-exposed", 0, 2 if g.rng.random() < 0.3 else 1)


@sikipi("player-cards-exposed-by-dealer", RICH)
def player_cards_exposed_by_dealer(g: Sikipi) -> None:
    _exposed(g, "player-cards-exposed-by-dealer", g.seats[-1], g.rng.randint(1, 2))


def _exposed(g: Sikipi, code: str, box: int, many: int) -> None:
    def slot(_: int, due: int) -> bool:
        hand = g.first(due)
        if due != box or not 1 <= len(hand.cards) <= many:
            return False
        g.card(hand, up=True)
        if len(hand.cards) == 2:
            g.owes.append(code)
        elif box == 0:
            g.film.wait((2.0, 4.0))
            g.gives_up()
        return True

    g.on("slot", slot)


@sikipi("player-exposed-own-cards", RICH)
def player_exposed_own_cards(g: Sikipi) -> None:
    def seen(hand: FourCardHand) -> None:
        if hand.box == g.seats[0]:
            g.owes.append("player-exposed-own-cards")
            g.film.turn(hand.ids[0], by=hand.place)

    g.on("seen", seen)


@sikipi("cards-touched-after-set", RICH)
def cards_touched_after_set(g: Sikipi) -> None:
    """A Player takes up a card of his Low Hand again, and lays it back."""

    def touched(hand: FourCardHand) -> None:
        if hand.box != g.seats[0] or hand.lies is None:
            return
        name = hand.ids[hand.cards.index(hand.lies[0][0])]
        g.film.wait((0.3, 0.8))
        g.film.slide(name, hand.zone, by=hand.place)
        g.film.slide(name, f"{hand.place}.low", by=hand.place)
        g.owes.append("cards-touched-after-set")

    g.on("set", touched)


@sikipi("other-player-handles-cards", Needs(2, plain=False, told=True))
def other_player_handles_cards(g: Sikipi) -> None:
    """A hand from another seat goes over the cards of a box."""
    box, other = g.seats[:2]

    def touched(hand: FourCardHand) -> bool:
        if hand.box == box:
            g.film.wave(hand.zone, f"box{other}")
            g.film.signal("cards-touched", box=box, seat=other)
            g.owes.append("other-player-handles-cards")
        return False

    g.on("look", touched)


@sikipi("wrong-house-way", RICH)
def wrong_house_way(g: Sikipi) -> None:
    """The dealer sets his own hand otherwise than the House does, and then as it does."""
    g.fate(0, "K Q 7 6")

    def house(dealer: FourCardHand) -> bool:
        wrong, due = otherwise(dealer.cards), house_way(dealer.cards)
        if wrong is None:
            return False
        g.sets(dealer, wrong)
        g.owes.append("wrong-house-way")
        g.film.wait((0.8, 2.0))
        for part, two, lay in zip(("low", "high"), due, wrong, strict=True):
            for face in two:
                if face not in lay:
                    g.film.slide(dealer.ids[dealer.cards.index(face)], f"dealer.{part}")
        return True

    g.on("house", house)


@sikipi("foul-hand", RICH)
def foul_hand(g: Sikipi) -> None:
    """A Player lays his better part as the Low Hand; it counts as his High Hand."""
    g.rigs("win")

    def look(hand: FourCardHand) -> bool:
        if hand.box != g.seats[0]:
            return False
        low, high = house_way(hand.cards)
        g.film.look(hand.ids, hand.place)
        g.film.signal("players-viewed", box=hand.box)
        g.sets(hand, (high, low), by=hand.place)
        hand.lies = low, high
        return True

    g.on("look", look)
    g.once("shown", lambda: g.owes.append("foul-hand"))


@sikipi("hand-not-set", RICH)
def hand_not_set(g: Sikipi) -> None:
    """The dealer turns his cards before the last Player has set his; that one sets them then."""
    last = g.seats[-1]

    def look(hand: FourCardHand) -> bool:
        if hand.box == last:
            g.film.look(hand.ids, hand.place)
            g.film.signal("players-viewed", box=hand.box)
        return hand.box == last

    def house(_: FourCardHand) -> bool:
        g.owes.append("hand-not-set")
        hand = g.first(last)
        g.film.wait((0.5, 1.5))
        g.sets(hand, g.fancy(hand), by=hand.place)
        return False

    g.on("look", look)
    g.on("house", house)


@sikipi("duplicate-card", RICH)
def duplicate_card(g: Sikipi) -> None:
    """A card of the first box is one that the dealer has as well."""
    twin: list[str] = []

    def slot(place: int, box: int) -> bool:
        if box not in (g.seats[0], 0) or g.first(box).cards:
            return False
        del place
        face = g.shoe.face(twin[0]) if twin else g.draw(box)
        twin.append(face.text)
        g.adds(g.first(box), g.film.deal(face, g.first(box).zone, up=False), face)
        return True

    def turned(hand: FourCardHand, name: str) -> None:
        if hand.box and name == hand.ids[0]:
            g.voids("duplicate-card")

    g.on("slot", slot)
    g.on("turned", turned)


@sikipi("unshuffled-suspect", Needs(3, 3))
def unshuffled_suspect(g: Sikipi) -> None:
    """The cards came in the order of a new deck, as is seen when they are shown."""
    deck = new_deck(g.rng)

    def slot(place: int, box: int) -> bool:
        face = g.shoe.face(deck[place])
        g.adds(g.first(box), g.film.deal(face, g.first(box).zone, up=False), face)
        return True

    def turned(hand: FourCardHand, name: str) -> None:
        if hand.box == g.seats[-1] and name == hand.ids[-1]:
            g.owes.append("unshuffled-suspect")
            g.void("unshuffled-suspect")

    g.on("slot", slot)
    g.on("turned", turned)


# ---- payments -------------------------------------------------------------------------------------------------------


@sikipi("commission-not-taken", RICH)
def commission_not_taken(g: Sikipi) -> None:
    """A win is paid in full; the commission is taken after all."""
    g.rigs("win")

    def settle(hand: FourCardHand, bet: str) -> bool:
        if (hand.box, bet) != (g.seats[0], MAIN):
            return False
        stake = hand.bets[bet]
        g.pays(g.spot(hand, bet), stake)
        g.owes.append("commission-not-taken")
        g.film.wait((0.8, 2.0))
        g.takes(g.spot(hand, bet), stake - int(g.lines[hand.box, 1, bet][1]))
        return True

    g.on("settle", settle)


def _bonus(g: Sikipi, code: str, pays: int, after: int) -> None:
    """A Bonus of 20 on two pairs: first so much is put down, then so much more (or less)."""
    g.rigs("win")
    spot = f"box{g.seats[0]}.bonus"
    g.on("bets", lambda amounts: amounts.update({spot: 20}))

    def settle(hand: FourCardHand, bet: str) -> bool:
        if g.spot(hand, bet) != spot:
            return False
        if pays:
            g.pays(spot, pays)
        g.owes.append(code)
        g.film.wait((0.8, 2.0))
        if after > 0:
            g.pays(spot, after)
        elif after < 0:
            g.takes(spot, -after)
        return True

    g.on("settle", settle)
    if not pays:
        g.on("collect", lambda where: where == spot)


@sikipi("commission-on-bonus", RICH)
def commission_on_bonus(g: Sikipi) -> None:
    """Commission is kept from a Bonus; what is missing is paid."""
    _bonus(g, "commission-on-bonus", 228, 12)


@sikipi("side-bet-wrong-result", RICH)
def side_bet_wrong_result(g: Sikipi) -> None:
    """Two pairs are paid as three of a kind; what is too much is taken back."""
    _bonus(g, "side-bet-wrong-result", 400, -160)


@sikipi("bonus-not-settled", RICH)
def bonus_not_settled(g: Sikipi) -> None:
    """A Bonus that won is forgotten."""
    _bonus(g, "bonus-not-settled", 0, 0)
