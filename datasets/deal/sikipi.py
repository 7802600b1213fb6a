"""A round of Si Ki Pi: four cards each, set in two hands, shown and compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from feltwatch.datasets.deal.game import MAIN, NOTHING, BetKey, Game, HeldCards, TableSetup
from feltwatch.datasets.deal.houseway import Set, beats, bonus, house_way, same, ways
from feltwatch.datasets.deal.rules import SIDES
from feltwatch.datasets.deal.shoe import DealerShoe
from feltwatch.datasets.deal.story import DEALER
from feltwatch.datasets.scene.dealer import PRINTED
from feltwatch.engine.model.cards import Card

FOUR = 4
FEE = 20  # the House has one in twenty of a win


@dataclass(slots=True)
class FourCardHand(HeldCards):
    """Four cards, and how they were set."""

    lies: Set | None = None

    @property
    def place(self) -> str:
        return f"box{self.box}" if self.box else "dealer"


class Sikipi(Game):
    """The dealer's own view of the round."""

    open_cards = False

    def __init__(self, setup: TableSetup, rng: Random, shoe: DealerShoe, now: int, ids: Iterator[int]) -> None:
        super().__init__(setup, rng, shoe, now, ids)
        self.hands: dict[int, FourCardHand] = {}
        self.meant: dict[int, list[Card]] = {}
        self.packets = rng.random() < 0.3  # four cards at once to each, or one by one
        if setup.dealer.deal != PRINTED:
            self.packets = setup.dealer.deal != "piles"

    # ---- bets -------------------------------------------------------------------------------------------------------

    def amounts(self) -> dict[str, int]:
        found: dict[str, int] = {}
        chance = self.rng.random
        for box in self.seats:
            found[f"box{box}.main"] = self.stake()
            if self.plain:
                continue
            if chance() < 0.15:
                found[f"box{box}.main/standing1"] = self.stake()
            for kind in SIDES[self.book.id]:
                if chance() < 0.25:
                    found[f"box{box}.{kind}"] = self.rng.choice((5, 10, 20, 25))
        return dict(self.rng.sample([*found.items()], len(found)))

    def stake(self) -> int:
        """Give an amount whose twentieth can be laid in chips."""
        return max(self.setup.minimum, FEE) * 2 * self.rng.randint(1, 5)

    # ---- the round --------------------------------------------------------------------------------------------------

    def runs(self) -> None:
        mains = {box: [spot.partition(".")[2] for spot in self.stakes if _main(spot, box)] for box in self.seats}
        self.hands = {
            box: FourCardHand(box, bets={bet: self.stakes[f"box{box}.{bet}"] for bet in mains.get(box, ())})
            for box in (*self.seats, 0)
        }
        for box, fate in self.fates.items():  # one deck: a Player's cards are reserved for him
            self.meant[box] = [self.shoe.draw(rank) for rank in fate.ranks]
        if self.packets and self.setup.dealer.deal != PRINTED and "slot" not in self.hooks:
            for hand in self.hands.values():
                self.packet(hand)
        else:
            for place, box in enumerate(self.slots()):
                if not self.moment("slot", place, box):
                    self.card(self.hands[box])
        self.moment("dealt")
        for box in self.seats:
            self.looks(self.hands[box])
        self.reveals()
        for box in self.order():
            self.settles(self.hands[box])
        self.moment("settled")

    def order(self) -> list[int]:
        """Give the boxes as they are settled."""
        return [*self.seats[1::-1], *self.seats[2:]] if self.moment("boxes") else self.seats

    def slots(self) -> list[int]:
        once = [*self.seats, 0]
        return [box for box in once for _ in range(FOUR)] if self.packets else once * FOUR

    def first(self, box: int) -> FourCardHand:
        return self.hands[box]

    def rigs(self, result: str) -> None:
        good, poor = "9 9 8 8", "T J Q 3"
        box, dealer = {"win": (good, poor), "lose": (poor, good), "stand-off": ("6 5 A K", "8 2 T J")}[result]
        self.fate(self.seats[0], box, "house")
        self.fate(0, dealer)

    def draw(self, box: int) -> Card:
        meant = self.meant.get(box)
        return meant.pop(0) if meant else self.shoe.draw()

    def card(self, hand: FourCardHand, *, up: bool = False) -> None:
        face = self.draw(hand.box)
        self.adds(hand, self.film.deal(face, hand.zone, up=up), face)

    def packet(self, hand: FourCardHand) -> None:
        """Four cards leave the shoe as one packet."""
        faces = [self.draw(hand.box) for _ in range(FOUR)]
        for name, face in zip(self.film.deal_packet(faces, hand.zone), faces, strict=True):
            self.adds(hand, name, face)

    # ---- looking, setting -------------------------------------------------------------------------------------------

    def looks(self, hand: FourCardHand) -> None:
        """A Player looks at his cards and sets them."""
        self.film.wait((0.2, 0.6))
        if self.moment("look", hand):
            return
        self.film.look(hand.ids, hand.place)
        self.film.signal("players-viewed", box=hand.box)
        self.film.wait((0.5, 2.0))
        self.moment("seen", hand)
        self.sets(hand, self.fancy(hand), by=hand.place)
        self.moment("set", hand)

    def fancy(self, hand: FourCardHand) -> Set:
        """Set as the House would, or otherwise: a Player may do as he likes, his High Hand not under his Low."""
        fate = self.fates.get(hand.box)
        wise = bool(fate and fate.acts) or self.rng.random() < 0.5
        return house_way(hand.cards) if wise else self.rng.choice(ways(hand.cards))

    def sets(self, hand: FourCardHand, way: Set, *, by: str = DEALER) -> None:
        hand.lies = way
        names = dict(zip(hand.cards, hand.ids, strict=True))
        parts = [*zip(("low", "high"), way, strict=True)]
        for part, two in reversed(parts) if self.setup.dealer.parts == "reversed" else parts:
            cards = [names[face] for face in two]
            for moved in [cards] if self.setup.dealer.in_pairs else [[name] for name in cards]:
                self.film.slide_all(moved, f"{hand.place}.{part}", by=by)

    def reveals(self) -> None:
        """The dealer turns his cards and sets them, then shows box after box."""
        self.film.wait((0.4, 1.0))
        dealer = self.hands[0]
        self.moment("reveal")
        self.shows(dealer)
        if self.setup.dealer.show != PRINTED:
            self.film.wait((0.4, 1.2))  # all see them
        if not self.moment("house", dealer):
            self.sets(dealer, house_way(dealer.cards))

    def shows(self, hand: FourCardHand) -> None:
        for names in self.turns([name for name in hand.ids if not self.film.cards[name].up]):
            self.film.turn_all(names)
            for name in names:
                self.moment("turned", hand, name)

    def turns(self, names: list[str]) -> list[list[str]]:
        """Give the cards of a hand that are turned in one motion, motion by motion."""
        show = self.setup.dealer.show
        if show == "packet":
            return [names] if names else []
        if show == "by-parts":
            zones = dict.fromkeys(self.film.cards[name].zone for name in names)
            return [[name for name in names if self.film.cards[name].zone == zone] for zone in zones]
        return [[name] for name in (reversed(names) if show == "backwards" else names)]

    # ---- settlement -------------------------------------------------------------------------------------------------

    def settles(self, hand: FourCardHand) -> None:
        """Show a hand, compare it, pay or take."""
        self.shows(hand)
        self.film.wait((0.3, 0.8))
        self.moment("shown", hand)
        self.decides(hand)
        for bet in [*hand.bets, *self.bonuses(hand.box)]:
            if not self.moment("settle", hand, bet):
                self.pays_bet(hand, bet)
        for bet in [*hand.bets, *self.bonuses(hand.box)]:
            spot = self.spot(hand, bet)
            if self.film.lies(spot) and not self.moment("collect", spot):
                self.collects(spot)

    def decides(self, hand: FourCardHand) -> None:
        """Say what every bet on a box comes to."""
        mine, dealers = hand.lies, house_way(self.hands[0].cards)
        if mine is not None:
            won = sum(beats(one, other) for one, other in zip(mine, dealers, strict=True))
            for bet, stake in hand.bets.items():
                worth = (-stake, 0, stake - stake // FEE)[won]
                self.lines[hand.box, 1, bet] = (("lose", "stand-off", "win")[won], NOTHING + worth)
        for bet in self.bonuses(hand.box):
            made = bonus(hand.cards if bet == "bonus" else self.hands[0].cards)
            stake = self.stakes[f"box{hand.box}.{bet}"]
            line = ("win", NOTHING + stake * self.book.pays[made].pays) if made else ("lose", NOTHING - stake)
            self.lines[hand.box, 1, bet] = line

    def bonuses(self, box: int) -> list[str]:
        return [bet for bet in SIDES[self.book.id] if f"box{box}.{bet}" in self.stakes]

    def pays_bet(self, hand: FourCardHand, bet: str) -> None:
        spot, net = f"box{hand.box}.{bet}", int(self.lines[hand.box, 1, bet][1])
        if net < 0:
            self.takes(spot, -net)
        elif net > 0:
            self.pays(spot, net)

    # ---- what is owed -----------------------------------------------------------------------------------------------

    def keys(self) -> list[BetKey]:
        return [(int(spot[3]), 1, spot.partition(".")[2]) for spot in self.stakes]


def _main(spot: str, box: int) -> bool:
    return spot.startswith(f"box{box}.{MAIN}")


def otherwise(cards: Sequence[Card]) -> Set | None:
    """Give a way of setting that is not the House's, if there is one."""
    due = house_way(cards)
    return next((way for way in ways(cards) if not same(way, due)), None)
