"""What every round has, whatever is played: a table, a film, hooks at its moments, and what is owed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from random import Random

from feltwatch.datasets.deal.film import FilmScript
from feltwatch.datasets.deal.shoe import DealerShoe
from feltwatch.datasets.deal.story import DEALER, DealtRound, Owed
from feltwatch.datasets.scene.dealer import HOUSE, Dealer
from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import Card

BetKey = tuple[int, int, str]  # box, hand, bet
BetResult = tuple[str, Decimal]  # result, net
Hook = Callable[..., object]

NOTHING = Decimal(0)
VOIDED = 0.25  # how often a supervisor voids a round that could be put right
MAIN = "main"


@dataclass(frozen=True, slots=True)
class TableSetup:
    """The table as it stands before a round."""

    book: Book
    boxes: int
    occupied: int
    minimum: int
    maximum: int
    settings: Mapping[str, str]
    pace: float
    apart: bool = True  # whether the second stack of a split may stand, and be reported, by itself
    told: bool = False  # whether decisions are reported, as by a table with gesture recognition
    dealer: Dealer = HOUSE


class Voided(Exception):  # noqa: N818  it is no fault of ours
    """The round is void; nothing more is dealt."""


@dataclass(slots=True)
class HeldCards:
    """The cards of a hand and what is bet on it; box 0 is the dealer."""

    box: int
    ids: list[str] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    bets: dict[str, int] = field(default_factory=dict)  # Initial Bets, by name

    @property
    def zone(self) -> str:
        return f"box{self.box}.cards" if self.box else "dealer.cards"


@dataclass(slots=True)
class Fate:
    """What is meant to happen to a hand: the ranks of its cards as they come ("": any), and its decisions."""

    ranks: list[str] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)


class Game(ABC):
    """One round at a table. `owes` collects the alerts that must stand, `lines` what the bets come to."""

    def __init__(self, setup: TableSetup, rng: Random, shoe: DealerShoe, now: int, ids: Iterator[int]) -> None:
        self.setup = setup
        self.book = setup.book
        self.rng = rng
        self.shoe = shoe
        self.film = FilmScript(rng, now, setup.pace, ids, setup.dealer)
        self.seats = sorted(rng.sample(range(1, setup.boxes + 1), setup.occupied))
        self.stakes: dict[str, int] = {}  # what lies on a spot and plays there
        self.fates: dict[int, Fate] = {}  # by box, 0 the dealer
        self.hooks: dict[str, Hook] = {}
        self.shuffled = False  # just before it
        self.plain = False  # no more than main bets: what is to happen must not be disturbed
        self.left: set[str] = set()  # cards that are forgotten at the end
        self.owes: list[str] = []
        self.lines: dict[BetKey, BetResult] = {}
        self.result = "completed"

    # ---- what errors lay hold of ------------------------------------------------------------------------------------

    def fate(self, box: int, ranks: str = "", acts: str = "") -> None:
        """Say what shall come to a box (0: the dealer): ranks and decisions, each a word of a line; `-`: any."""
        self.fates[box] = Fate(["" if one == "-" else one for one in ranks.split()], acts.split())

    def on(self, moment: str, hook: Hook) -> None:
        self.hooks[moment] = hook

    def moment(self, name: str, *about: object) -> bool:
        """Let the hook of a moment act; say if it took the matter over."""
        hook = self.hooks.get(name)
        return hook is not None and bool(hook(*about))

    def once(self, moment: str, act: Callable[[], object]) -> None:
        """Act at the first such moment, and leave what follows as it is."""

        def hook(*_: object) -> bool:
            del self.hooks[moment]
            act()
            return False

        self.on(moment, hook)

    def stops(self, code: str) -> None:
        """An error of dealing: void by the book or a supervisor, else corrected by what follows."""
        self.owes.append(code)
        if self.book.reconstructs == "void" and "live_error" not in self.setup.settings:
            self.gives_up()
        if self.rng.random() < VOIDED:
            self.void(code)

    def voids(self, code: str) -> None:
        """An error for which the book voids the round."""
        self.owes.append(code)
        self.gives_up()

    def gives_up(self) -> None:
        """The round is void and everybody knows it."""
        self.film.wait((2.0, 4.0))
        raise Voided

    def void(self, code: str) -> None:
        """A supervisor declares the round void."""
        self.film.wait((2.0, 4.0))
        self.film.signal("ruling", choice="void", code=code)
        self.film.wait((0.5, 1.0))
        raise Voided

    # ---- cards ------------------------------------------------------------------------------------------------------

    def draw(self, box: int) -> Card:
        """Draw the next card as it is meant to come to a box."""
        fate = self.fates.get(box)
        return self.shoe.draw(fate.ranks.pop(0) if fate and fate.ranks else "")

    def adds(self, hand: HeldCards, name: str, face: Card) -> None:
        hand.ids.append(name)
        hand.cards.append(face)

    def astray(self, box: int, zone: str) -> tuple[str, Card]:
        """Lay the card that is due to a box somewhere else; it is in no hand yet."""
        face = self.draw(box)
        return self.film.deal(face, zone, up=self.open_cards), face

    def mends(self, card: tuple[str, Card], hand: HeldCards) -> None:
        """A card that lay wrong is pushed to where it belongs."""
        self.film.wait((0.8, 2.0))
        self.film.slide(card[0], hand.zone)
        self.adds(hand, *card)

    def strays(self, code: str, box: int, zone: str, hand: HeldCards) -> None:
        """The card due to a box falls elsewhere; that stops the game, and then the card goes to its hand."""
        card = self.astray(box, zone)
        self.stops(code)
        self.mends(card, hand)

    # ---- chips ------------------------------------------------------------------------------------------------------

    def bet(self, spot: str, amount: int, start: int | None = None) -> None:
        """A Player bets before the close."""
        self.stakes[spot] = self.stakes.get(spot, 0) + amount
        self.film.put(spot, amount, by=player(spot), start=start)

    def bets(self, amounts: Mapping[str, int]) -> None:
        """Everybody bets at once, as people do."""
        window = 900 * len(amounts) / self.setup.pace
        begins = self.film.now
        for spot, amount in amounts.items():
            self.bet(spot, amount, begins + round(self.rng.random() * window))
        self.film.rest()

    def pays(self, spot: str, amount: int) -> None:
        self.film.put(spot, amount, by=DEALER, how="pay")

    def takes(self, spot: str, amount: int) -> None:
        self.film.less(spot, amount, by=DEALER)

    def collects(self, spot: str) -> None:
        """The Player takes up what lies there, while the dealer goes on."""
        self.film.all_off(spot, by=player(spot), start=self.film.now + self.rng.randrange(50, 600))

    def wins(self, spot: str, amount: int) -> None:
        self.pays(spot, amount)
        self.collects(spot)

    # ---- the round --------------------------------------------------------------------------------------------------

    def play(self) -> None:
        """Play the round to its end, whatever happens in it."""
        try:
            self.opens()
            self.closes()
            self.runs()
        except Voided:
            self.result = "void"
            self.lines = dict.fromkeys(self.keys(), ("void", NOTHING))
            self._gives_back()
        self.film.rest()
        self.moment("end")
        self.ends()

    def opens(self) -> None:
        if self.shuffled:
            self.film.signal("shuffled", count=0)
            self.film.wait((1.0, 2.0))
        self.film.signal("place-bets")
        self.film.wait((0.3, 1.0))
        amounts = self.amounts()
        self.moment("bets", amounts)
        self.bets(amounts)
        self.moment("betting")

    def closes(self) -> None:
        self.film.wait((0.5, 1.5))
        self.film.signal("no-more-bets")
        self.film.wait((0.3, 0.8))
        self.moment("closed")

    def _gives_back(self) -> None:
        """Every bet lies again as it did, and is taken up."""
        for spot, stake in self.stakes.items():
            over = self.film.lies(spot) - stake
            if over > 0:
                self.takes(spot, over)
            elif over < 0:
                self.pays(spot, -over)
        for spot in [*self.film.chips]:
            if self.film.lies(spot):
                self.collects(spot)

    def ends(self) -> None:
        """The cards come off the layout, hand by hand."""
        zones = sorted({card.zone for card in self.film.cards.values()}, reverse=True)
        for swept in gathered(zones, self.setup.dealer.gather):
            here = [name for name, card in self.film.cards.items() if card.zone in swept and name not in self.left]
            self.film.sweep(here)
        self.film.rest()
        self.film.now += 20
        if not self.moment("clear"):
            self.film.tell("clear")
        self.film.wait((0.8, 1.5))
        for spot in [spot for spot in self.film.chips if self.film.lies(spot)]:
            self.collects(spot)  # what was forgotten
        self.film.rest()
        self.film.wait((1.0, 2.0))

    # ---- what a game adds -------------------------------------------------------------------------------------------

    open_cards = True  # they are dealt face up

    @abstractmethod
    def amounts(self) -> dict[str, int]:
        """Choose the bets of the round."""

    @abstractmethod
    def first(self, box: int) -> HeldCards:
        """Give the hand of a box, before any split."""

    def spot(self, hand: HeldCards, bet: str) -> str:
        """Give the spot on which a bet of a hand lies."""
        return f"box{hand.box}.{bet}"

    def first_zone(self) -> str:
        return f"box{self.seats[0]}.cards"

    @abstractmethod
    def slots(self) -> list[int]:
        """Give the boxes in the order in which they get their first cards, 0 the dealer."""

    @abstractmethod
    def rigs(self, result: str) -> None:
        """See to it that the main bet of the first box wins, loses or stands off against the dealer's whole hand."""

    @abstractmethod
    def runs(self) -> None:
        """Deal, play and settle."""

    @abstractmethod
    def keys(self) -> list[BetKey]:
        """Give every bet of every hand."""

    def story(self, seed: int, error: str | None) -> DealtRound:
        setup = self.setup
        return DealtRound(
            setup.book.id,
            seed,
            setup.boxes,
            self.shoe.decks,
            Decimal(setup.minimum),
            Decimal(setup.maximum),
            setup.settings,
            self.film.events(),
            self.film.moves(),
            Owed(tuple(self.owes), self.lines, self.result),
            self.film.now / 1000,
            error,
        )


def forgets(g: Game) -> None:
    """One card is left on the layout, and the next round is announced without looking."""

    def end() -> None:
        g.left |= set([*g.film.cards][:1])

    g.on("end", end)
    g.on("clear", lambda: True)


def inherits(g: Game, before: Game) -> None:
    """The card left by the round before lies there until the second card has been dealt."""
    g.film.cards |= {name: before.film.cards[name] for name in before.left}

    def slot(place: int, _: int) -> bool:
        if place == 1:
            g.owes.append("stale-card")
            g.film.sweep([*before.left])
        return False

    g.on("slot", slot)


def gathered(zones: Sequence[str], gather: str) -> list[list[str]]:
    """Give the zones from which cards are taken up in one motion, motion by motion.

    >>> gathered(["dealer.low", "box1.low", "box1.high"], "boxes")
    [['dealer.low'], ['box1.low', 'box1.high']]
    """
    if gather == "sweep":
        return [[*zones]]
    if gather == "boxes":
        places = dict.fromkeys(zone.partition(".")[0] for zone in zones)
        return [[zone for zone in zones if zone.partition(".")[0] == place] for place in places]
    return [[zone] for zone in zones]


def joined(stories: Sequence[DealtRound]) -> DealtRound:
    """Make one story of several rounds, owed what the last owes."""
    events = [event for story in stories for event in story.events]
    moves = [move for story in stories for move in story.moves]
    return replace(stories[-1], events=tuple(events), moves=tuple(moves), rounds=len(stories))


def player(spot: str) -> str:
    """Name whose hand it is that bets on a spot."""
    return spot.partition(".")[0]
