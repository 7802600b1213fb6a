"""What the bets of blackjack come to, and the chips that move for it; by the books, not by the engine."""

from feltwatch.datasets.deal.blackjack_table import BlackjackTable, DealtHand
from feltwatch.datasets.deal.game import MAIN, NOTHING, BetResult
from feltwatch.datasets.deal.rules import LIMIT, LIVE, boom_odds, may_surrender, natural, points, side_odds

FIRST_TWO = ("pair", "under13", "over13", "rws-pairs")


# ---- after two cards ------------------------------------------------------------------------------------------------


def first_two(g: BlackjackTable) -> None:
    """What is decided, bet or asked between the first two cards and the third."""
    sides(g)
    if g.up.rank == "A" and not g.moment("offer"):
        g.film.wait((2.5, 4.0))  # Insurance is offered
        if not g.plain:
            insurance(g)
    for box in g.seats:
        hand = g.hands[box][0]
        if hand.natural:
            _natural(g, hand)
        elif not g.plain and box not in g.fates and may_surrender(g.book, g.up) and g.rng.random() < 0.06:
            surrender(g, hand)


def sides(g: BlackjackTable) -> None:
    for spot in [spot for kind in FIRST_TWO for spot in g.side(kind)]:
        one, two = g.hands[int(spot[3])][0].cards[:2]
        side_bet(g, spot, side_odds(g.book, spot.partition(".")[2], one, two))


def side_bet(g: BlackjackTable, spot: str, odds: int) -> None:
    """Settle a bet of its own: pay `odds` to one, or take it."""
    stake = g.stakes[spot]
    key = int(spot[3]), 1, spot.partition(".")[2]
    g.lines[key] = ("win", NOTHING + stake * odds) if odds else ("lose", NOTHING - stake)
    if g.moment("side", spot, odds):
        return
    if odds:
        g.wins(spot, stake * odds)
    else:
        g.takes(spot, stake)


def insurance(g: BlackjackTable) -> None:
    for box in g.seats:
        stake = g.hands[box][0].bets
        for bet, insures in ((MAIN, "insurance"), ("main/standing1", "insurance/standing1")):
            if bet in stake and g.rng.random() < 0.25:
                less = g.book.id != LIVE and g.rng.random() < 0.3
                g.bet(f"box{box}.{insures}", stake[bet] // 2 - (stake[bet] // 10 if less else 0))


def _natural(g: BlackjackTable, hand: DealtHand) -> None:
    """A Blackjack is paid at once against 2 to 9; against an Ace its Player may have even money."""
    if g.book.id == LIVE or g.moment("natural", hand):
        return
    if g.up.rank != "A" and g.up.value < 10:
        for bet, stake in hand.bets.items():
            g.owe(hand, bet, "blackjack", blackjack_win(g, stake))
            g.wins(g.spot(hand, bet), blackjack_win(g, stake))
        out(g, hand)
    elif g.up.rank == "A" and [*hand.bets] == [MAIN] and not g.side("insurance") and g.rng.random() < 0.4:
        even_money(g, hand)


def even_money(g: BlackjackTable, hand: DealtHand) -> None:
    g.decided(hand, "even-money")
    g.owe(hand, MAIN, "even-money", hand.bets[MAIN])
    g.wins(g.spot(hand, MAIN), hand.bets[MAIN])
    out(g, hand)


def blackjack_win(g: BlackjackTable, stake: int) -> int:
    odds = g.book.pays["blackjack"]
    return stake * odds.pays // odds.stake


def surrender(g: BlackjackTable, hand: DealtHand) -> None:
    """Half of each bet on the box is given up; the cards go."""
    g.gesture(hand, "surrender")
    for bet, stake in hand.bets.items():
        g.owe(hand, bet, "surrender", -(stake // 2))
        if not g.moment("surrender", hand, bet):
            g.takes(g.spot(hand, bet), stake // 2)
    for bet in hand.bets:
        g.collects(g.spot(hand, bet))
    g.film.rest()
    out(g, hand)


def out(g: BlackjackTable, hand: DealtHand) -> None:
    """A hand is settled, and its cards are taken up."""
    hand.done = True
    g.film.rest()
    g.takes_cards(hand)


def bust(g: BlackjackTable, hand: DealtHand) -> None:
    """What is bet on a hand over 21 is taken at once."""
    g.film.wait((0.2, 0.5))
    for bet in hand.bets:
        g.owe(hand, bet, "lose", -hand.stake(bet))
        if not g.moment("settle", hand, bet):
            g.takes(g.spot(hand, bet), hand.stake(bet))
    out(g, hand)


# ---- against the dealer ---------------------------------------------------------------------------------------------


def round_ends(g: BlackjackTable) -> None:
    """The dealer is done: Insurance, then box after box, then Boom Busted."""
    g.film.wait((0.5, 1.2))
    dealer = g.dealer.cards
    for spot in g.side("insurance"):
        side_bet(g, spot, 2 if natural(dealer) else 0)
    decides(g)
    order = [*g.seats[1::-1], *g.seats[2:]] if g.moment("boxes") else g.seats
    for box in order:
        pays_box(g, box)
    for spot in g.side("boom-busted"):
        side_bet(g, spot, boom_odds(g.book, dealer))


def decides(g: BlackjackTable) -> None:
    """Say what every bet that still plays comes to."""
    for hand in g.waiting():
        for bet in hand.bets:
            g.lines[hand.box, hand.number, bet] = result(g, hand, bet)


def result(g: BlackjackTable, hand: DealtHand, bet: str) -> BetResult:
    """Compare a hand with the dealer's."""
    stake, dealer = hand.stake(bet), g.dealer.cards
    if natural(dealer):
        return _against_blackjack(g, hand, bet)
    if hand.natural:
        return "blackjack", NOTHING + blackjack_win(g, stake)
    due = points(dealer)
    if due > LIMIT or hand.points > due:
        return "win", NOTHING + stake
    return ("lose", NOTHING - stake) if hand.points < due else ("stand-off", NOTHING)


def _against_blackjack(g: BlackjackTable, hand: DealtHand, bet: str) -> BetResult:
    """The split and doubled hands of a box lose one Initial Bet together; live: all that lies there."""
    if hand.natural:
        return "stand-off", NOTHING
    if g.book.id == LIVE:
        return "lose", NOTHING - hand.stake(bet)
    still = [one for one in g.hands[hand.box] if not one.done and bet in one.bets]
    return ("lose", NOTHING - hand.bets[bet]) if hand is still[0] else ("no-action", NOTHING)


def pays_box(g: BlackjackTable, box: int) -> None:
    """Take what is lost, pay what is won; then the Player takes up what is his."""
    hands = [hand for hand in g.hands[box] if not hand.done]
    for hand in hands:
        for bet in hand.bets:
            if not g.moment("settle", hand, bet):
                pays(g, hand, bet)
    g.film.wait((0.1, 0.3))
    for spot in dict.fromkeys(g.spot(hand, bet) for hand in hands for bet in hand.bets):
        if g.film.lies(spot) and not g.moment("collect", spot):
            g.collects(spot)


def pays(g: BlackjackTable, hand: DealtHand, bet: str) -> None:
    net = int(g.lines[hand.box, hand.number, bet][1])
    if net < 0:
        g.takes(g.spot(hand, bet), -net)
    elif net > 0:
        g.pays(g.spot(hand, bet), net)
