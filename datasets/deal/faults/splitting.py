"""Splits and doubles that the book does not allow, or not so."""

from feltwatch.datasets.deal.blackjack import Blackjack
from feltwatch.datasets.deal.blackjack_table import DealtHand
from feltwatch.datasets.deal.faults.order import MUST_DRAW, NO_ACE
from feltwatch.datasets.deal.faults.registry import Needs, blackjack
from feltwatch.datasets.deal.game import MAIN
from feltwatch.datasets.deal.rules import LIVE


def _refused(g: Blackjack, hand: DealtHand, code: str, amount: int = 0) -> None:
    """A second bet comes that may not come; it is given back."""
    spot, stake = f"box{hand.box}.main", amount or hand.bets[MAIN]
    g.film.put(spot, stake, by=f"box{hand.box}")
    g.stops(code)
    g.film.wait((0.8, 2.0))
    g.film.less(spot, stake, by=f"box{hand.box}")


@blackjack("split-not-identical-value")
def split_not_identical_value(g: Blackjack) -> None:
    """A 9 and a 10 are parted, and pushed together again."""
    first = g.seats[0]
    g.fate(first, "9 T", "stand")
    g.fate(0, NO_ACE)

    def act() -> None:
        hand = g.first(first)
        spot, name = f"box{first}.main", hand.ids[1]
        g.film.put(spot, hand.bets[MAIN], by=f"box{first}")
        g.film.slide(name, f"box{first}.hand2", hand=2)
        g.stops("split-not-identical-value")
        g.film.wait((0.8, 2.0))
        g.film.slide(name, hand.zone, hand=1)
        g.film.less(spot, hand.bets[MAIN], by=f"box{first}")

    g.once("act", act)


@blackjack("split-too-many-hands")
def split_too_many_hands(g: Blackjack) -> None:
    """A pair comes to the last hand the book allows, and a second bet for it."""
    first, most = g.seats[0], g.book.max_hands
    g.fate(0, NO_ACE)
    if most == 2:
        g.fate(first, "8 8 8 9", "split stand stand")
    else:
        g.fate(first, "8 8 8 8 8 9 9 9", "split split split stand stand stand stand")

    def act(hand: DealtHand) -> bool:
        pair = len(hand.cards) == 2 and hand.cards[0].rank == hand.cards[1].rank
        if hand.box == first and len(g.hands[first]) == most and pair:
            del g.hooks["act"]
            if most == 2:  # live: a second bet alone would be a double
                g.film.slide(hand.ids[1], f"box{first}.hand3", hand=3)
                g.stops("split-too-many-hands")
            _refused(g, hand, "split-too-many-hands")
        return False

    g.on("act", act)


@blackjack("split-aces-resplit")
def split_aces_resplit(g: Blackjack) -> None:
    """Aces come to split Aces, and a second bet for them."""
    first = g.seats[0]
    g.fate(first, "A A A 9", "split")
    g.fate(0, NO_ACE)

    def full(hand: DealtHand) -> bool:
        if hand.box == first and hand.number == 1:
            _refused(g, hand, "split-aces-resplit")
        return False

    g.on("full", full)


@blackjack("split-wrong-order")
def split_wrong_order(g: Blackjack) -> None:
    """The card of the first hand falls on the second."""
    first = g.seats[0]
    g.fate(first, "8 8 2 3 7" if g.book.id == LIVE else "8 8 2", "split")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        if hand.box != first or hand.number > 1 or not hand.split or len(hand.cards) != 2:
            return False
        g.strays("split-wrong-order", first, g.hands[first][1].zone, hand)
        return False

    g.on("act", act)


@blackjack("split-bet-missing")
def split_bet_missing(g: Blackjack) -> None:
    """A pair is parted and the second bet is long in coming."""
    first = g.seats[0]
    g.fate(first, "8 8 9 9", "stand stand")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        del g.hooks["act"]
        new = g.parted(hand)
        g.film.slide(new.ids[0], new.zone, hand=2)
        for _ in range(6):
            g.film.now += 1000
            g.film.tell("tick")
        g.owes.append("split-bet-missing")
        new.bets[MAIN] = hand.bets[MAIN]
        g.film.put(g.spot(new, MAIN), new.bets[MAIN], by=f"box{first}")
        g.film.wait((0.2, 0.5))
        g.card(hand)
        if g.book.id == LIVE:
            g.card(new)
        return False

    g.on("act", act)


@blackjack("split-bet-wrong-amount")
def split_bet_wrong_amount(g: Blackjack) -> None:
    """The second bet of a split is more than the first; what is too much goes back."""
    first = g.seats[0]
    g.fate(first, "8 8 9 9", "stand stand")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        del g.hooks["act"]
        new, stake = g.parted(hand), hand.bets[MAIN]
        new.bets[MAIN] = stake
        g.film.put(g.spot(new, MAIN), stake + g.setup.minimum, by=f"box{first}")
        g.film.slide(new.ids[0], new.zone, hand=2)
        g.owes.append("split-bet-wrong-amount")
        g.film.wait((0.8, 2.0))
        g.film.less(g.spot(new, MAIN), g.setup.minimum, by=f"box{first}")
        g.card(hand)
        if g.book.id == LIVE:
            g.card(new)
        return False

    g.on("act", act)


@blackjack("double-not-allowed")
def double_not_allowed(g: Blackjack) -> None:
    """A second bet comes onto a hand of three cards."""
    first = g.seats[0]
    g.fate(first, "5 4 2", "hit hit")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        if hand.box == first and len(hand.cards) == 3:
            del g.hooks["act"]
            _refused(g, hand, "double-not-allowed")
        return False

    g.on("act", act)


@blackjack("double-bet-wrong-amount")
def double_bet_wrong_amount(g: Blackjack) -> None:
    """A double is for more than the bet; what is too much goes back before the card."""
    first = g.seats[0]
    g.fate(first, "6 5 -")
    g.fate(0, NO_ACE)

    def act(hand: DealtHand) -> bool:
        if hand.box != first:
            return False
        spot, stake = g.spot(hand, MAIN), hand.bets[MAIN]
        g.film.put(spot, stake + g.setup.minimum, by=f"box{first}")
        g.owes.append("double-bet-wrong-amount")
        g.film.wait((0.8, 2.0))
        g.film.less(spot, g.setup.minimum, by=f"box{first}")
        hand.extra[MAIN] = stake
        g.doubled_card(hand)
        return True

    g.on("act", act)


@blackjack("double-bet-withdrawn")
def double_bet_withdrawn(g: Blackjack) -> None:
    """A Player takes his second bet back after the card, and has to put it down again."""
    first = g.seats[0]
    g.fate(first, "6 5 3", "double")
    g.fate(0, NO_ACE)

    def full(hand: DealtHand) -> bool:
        if hand.box == first:
            spot, stake = g.spot(hand, MAIN), hand.extra[MAIN]
            g.film.wait((0.3, 0.8))
            g.film.less(spot, stake, by=f"box{first}")
            g.owes.append("double-bet-withdrawn")
            g.film.wait((0.8, 2.0))
            g.film.put(spot, stake, by=f"box{first}")
        return False

    g.on("full", full)


# ---- surrender, Insurance, even money -------------------------------------------------------------------------------


@blackjack("surrender-not-allowed", Needs(1))
def surrender_not_allowed(g: Blackjack) -> None:
    """Half a bet is taken against an Ace (live: or a ten), and put back."""
    first = g.seats[0]
    g.fate(first, "T 6", "stand")
    g.fate(0, "TJQKA" if g.book.id == LIVE else "A")

    def interim() -> bool:
        spot, half = f"box{first}.main", g.first(first).bets[MAIN] // 2
        g.gesture(g.first(first), "surrender")
        g.takes(spot, half)
        g.owes.append("surrender-not-allowed")
        g.film.wait((0.8, 2.0))
        g.pays(spot, half)
        return False

    g.on("interim", interim)


@blackjack("insurance-not-allowed", Needs(1))
def insurance_not_allowed(g: Blackjack) -> None:
    """Chips come onto the insurance line and the dealer shows no Ace."""
    g.fate(g.seats[0], "T 6")
    g.fate(0, "T")
    g.on("interim", lambda: _insured_in_vain(g, g.seats[0], "insurance-not-allowed"))


@blackjack("insurance-too-late")
def insurance_too_late(g: Blackjack) -> None:
    """Chips come onto the insurance line after the first further card."""
    g.fate(g.seats[0], MUST_DRAW)
    g.fate(g.seats[1], "T 6")
    g.fate(0, "A")
    g.on("full", lambda hand: hand.box == g.seats[0] and _insured_in_vain(g, g.seats[1], "insurance-too-late"))


def _insured_in_vain(g: Blackjack, box: int, code: str) -> bool:
    g.film.put(f"box{box}.insurance", g.first(box).bets[MAIN] // 2, by=f"box{box}")
    g.owes.append(code)
    g.film.wait((0.8, 2.0))
    g.film.all_off(f"box{box}.insurance", by=f"box{box}")
    return False


@blackjack("insurance-wrong-amount", Needs(1))
def insurance_wrong_amount(g: Blackjack) -> None:
    """A Player insures himself for more than half of his bet; what is too much goes back."""
    first = g.seats[0]
    g.fate(first, "T 6", "stand")
    g.fate(0, "A")

    def interim() -> bool:
        half = g.first(first).bets[MAIN] // 2
        spot = f"box{first}.insurance"
        g.film.wait((0.5, 1.0))
        g.bet(spot, half + 10)
        g.owes.append("insurance-wrong-amount")
        g.film.wait((0.8, 2.0))
        g.film.less(spot, 10, by=f"box{first}")
        g.stakes[spot] = half
        return False

    g.on("interim", interim)


@blackjack("even-money-not-allowed", Needs(1))
def even_money_not_allowed(g: Blackjack) -> None:
    """A Blackjack is paid 1 to 1 against a ten (live: there is no even money)."""
    g.fate(g.seats[0], "A K")
    g.fate(0, "A" if g.book.id == LIVE else "T")
    g.on("interim", lambda: _paid_in_vain(g, "even-money-not-allowed", 1, 1))


@blackjack("even-money-too-late")
def even_money_too_late(g: Blackjack) -> None:
    """A Blackjack is paid even money after a third card was dealt."""
    g.fate(g.seats[0], "A K")
    g.fate(g.seats[1], MUST_DRAW)
    g.fate(0, "A")
    g.on("natural", lambda hand: hand.box == g.seats[0])
    g.on("full", lambda hand: hand.box == g.seats[1] and _paid_in_vain(g, "even-money-too-late", 1, 1))


@blackjack("blackjack-paid-early", Needs(1))
def blackjack_paid_early(g: Blackjack) -> None:
    """A Blackjack is paid while the dealer shows a ten."""
    g.fate(g.seats[0], "A K")
    g.fate(0, "T")
    odds = g.book.pays["blackjack"]
    g.on("interim", lambda: _paid_in_vain(g, "blackjack-paid-early", odds.pays, odds.stake))


def _paid_in_vain(g: Blackjack, code: str, pays: int, stake: int) -> bool:
    """The first box is paid what is not due to it, and it is taken back."""
    spot = f"box{g.seats[0]}.main"
    amount = g.stakes[spot] * pays // stake
    g.pays(spot, amount)
    g.owes.append(code)
    g.film.wait((0.8, 2.0))
    g.takes(spot, amount)
    return False
