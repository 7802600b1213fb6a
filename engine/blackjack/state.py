"""The state of a round of blackjack that all its rules read and change: hands, bets, whose turn it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import MUST_DRAW_BELOW, BlackjackHand, why_finished
from feltwatch.engine.blackjack.phases import NEXT, PLAY
from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.model.spots import Zone, parse_spot
from feltwatch.engine.round import payments
from feltwatch.engine.round.base import CardSeen, Plan, Round
from feltwatch.engine.round.bets import ranked
from feltwatch.engine.round.phase import Phase
from feltwatch.engine.round.stack import Stack

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(slots=True)
class Misdeal:
    """An open error of order: the sequence of cards is kept, and laid again over the expected slots."""

    alert: str
    code: str
    seen: CardSeen
    at: int  # its place in the sequence
    due: int  # the box (0: the dealer) whose card it was
    t: float
    plan: Plan


@dataclass(slots=True)
class Stray:
    """A card that does not count, and what a ruling can make of it."""

    alert: str
    code: str
    seen: CardSeen
    hand: BlackjackHand | None  # on which it lies
    target: Zone
    plan: Plan
    passed: tuple[BlackjackHand, ...] = ()
    other: CardSeen | None = None  # the card it was drawn with, which counts


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A reported decision that the book forbids, while it waits for its chips."""

    code: str
    hand: BlackjackHand
    anchor: str
    why: str  # what of this hand forbids it
    t: float
    n: int


class BlackjackState(Round):
    """Hands, bets and what waits, without the rules; `hands` are as the cards lie, or as a ruling has put them."""

    NEXT = NEXT

    def __init__(self, book: Book, number: int, shoe: Shoe, dismissed: frozenset[str] = frozenset()) -> None:
        super().__init__(book, number, shoe, dismissed)
        self.boxes: list[int] = []
        self.optional: set[int] = set()  # boxes with chips left over from the round before
        self.hands: dict[int, list[BlackjackHand]] = {}
        self.dealer = BlackjackHand(0)
        self.bettors: dict[int, list[Stack]] = {}
        self.wagers: dict[tuple[str, int], tuple[Decimal | None, Decimal | None]] = {}
        self.even: set[str] = set()
        self.order: list[int] = []
        self.sequence: list[CardSeen] = []  # every card in the order it left the shoe
        self.misdeal: Misdeal | None = None
        self.lapsed: Misdeal | None = None  # play went on over an error of the first cards
        self.stray: Stray | None = None  # the last card out of place, while it waits for a ruling
        self.apart: dict[str, Stray] = {}  # cards out of place that count on no hand
        self.waiting: list[CardSeen] = []  # cards that are the next, after a ruling
        # No phases: a card that falls out of turn does not count, but what all have seen cannot be decided on any more.
        self.hit = False  # a third card fell to a Player
        self.frozen = False  # a dealer's card came too early
        self.dealer_shown = False  # the dealer's second card is known, in its turn or too early
        self.settling = False  # the dealer has paid or taken bets; a side bet settled late does not count (I-16)
        self.squeezing: set[int] = set()
        self.offered = False  # Insurance was offered, or taken
        self.idle_from = 0.0
        self.complete_at = 0.0
        self.split_wait: tuple[BlackjackHand, float] | None = None
        self.half_taken: dict[int, list[tuple[Stack, Decimal]]] = {}
        self.following: dict[
            str, tuple[BlackjackHand, Decimal | None]
        ] = {}  # chips of those who follow what is not yet clear
        self.told_insurance: set[str] = set()
        self.told_extra: dict[
            tuple[str, int], tuple[Decimal | None, Decimal]
        ] = {}  # announced: how much, and seen so far
        self.split_off: tuple[BlackjackHand, Decimal, str] | None = None  # what a split bet still lacks, and its alert
        self.inferred: dict[tuple[int, int], tuple[int, str]] = {}
        self.forbidden: list[Forbidden] = []  # reported decisions that wait for their chips
        self.last_dealt: CardSeen | None = None
        self.before_last = -1.0

    def all_hands(self) -> Iterator[BlackjackHand]:
        for box in self.boxes:
            yield from self.hands[box]

    def hand(self, box: int, number: int = 1) -> BlackjackHand | None:
        """Give a hand of a box, the nearest there is; the dealer's for box 0."""
        if box == 0:
            return self.dealer
        found = self.hands.get(box)
        if not found:
            return None
        return next((h for h in found if h.number == number), found[0])

    def seat(self, box: int) -> Stack:
        """Give the bet that decides for a box: the Seated Player's, else the first that lies there."""
        return self.bettors[box][0]

    def stack(self, text: str) -> Stack:
        found = self.stacks.get(text)
        if found is None:
            found = self.stacks[text] = Stack(parse_spot(text))
        return found

    def finished(self, hand: BlackjackHand) -> str:
        if hand.away:
            return "away"
        hard21 = self.switches.hard21_may_hit == "false"
        return why_finished(hand, hard21=hard21, absent=hand.box in self.absent)

    def acting(self) -> BlackjackHand | None:
        """Give the lowest unfinished hand clockwise; of a live split both get their second card first."""
        for box in self.boxes:
            hands = self.hands[box]
            if len(hands) > 1 and self.book.id == "live-blackjack":
                for hand in hands:
                    if len(hand) < 2:
                        return hand
            for hand in hands:
                if not self.finished(hand):
                    return hand
        return None

    def must_take(self, hand: BlackjackHand) -> bool:
        """Tell whether the next card is this hand's: it asked for it, or the book makes it draw."""
        if len(hand) < 2 or hand.asked in ("hit", "double") or hand.extra:
            return True
        points = hand.points
        return points is not None and points < MUST_DRAW_BELOW and hand.box != 0

    @property
    def playing(self) -> bool:
        """Tell whether the Initial Deal is complete."""
        return self.phase in PLAY

    @property
    def subsequent(self) -> bool:
        """Tell whether a card has counted after the Initial Deal."""
        return self.phase is Phase.SUBSEQUENT_DEAL

    @property
    def too_late(self) -> bool:
        """Tell whether a card beyond the Initial Deal ended what must be decided before it."""
        return self.hit or self.dealer_shown or self.frozen

    @property
    def upcard(self) -> Card | None:
        return self.dealer.cards[0].card if self.dealer.cards else None

    @property
    def upcard_is_ace(self) -> bool:
        card = self.upcard
        return card is not None and card.rank == "A"

    @property
    def upcard_is_ten(self) -> bool:
        card = self.upcard
        return card is not None and card.value == 10

    def open_box(self, box: int) -> None:
        """A box takes part: its Seated Player's bet first, then the others'."""
        stacks = self.bettors[box] = ranked(self.bettors[box])
        self.boxes = sorted([*self.boxes, box])
        self.hands[box] = [BlackjackHand(box)]
        for stack in stacks:
            self.wagers[stack.spot.text, 1] = (stack.bet.stake, None)

    def undecided(self, stack: Stack) -> bool:
        spot = stack.spot
        if spot.kind != "main":
            return (spot.box, 1, spot.bet) not in self.settlements and stack.bet.placed
        bet, hands = payments.bet(spot), payments.hands(self, spot)
        text = f"box{spot.box}.{bet}"
        return any((text, hand) in self.wagers and (spot.box, hand, bet) not in self.settlements for hand in hands)

    def dealer_blackjack(self) -> bool:
        return self.dealer.natural

    def may_reconstruct(self) -> bool:
        """5.9, 5.10.1: only before any settlement has taken place (I-3)."""
        return not self.settling or self.switches.reconstruct_scope == "always"

    def waved(self, code: str, anchor: str) -> bool:
        """Tell whether a supervisor has said that this is no error."""
        return f"r{self.number}-{code}-{anchor}" in self.dismissed

    def infer(self, box: int, hand: int, action: str) -> None:
        if action != "insurance":  # a bet of its own: the hand is still to be decided
            self.inferred[box, hand] = (self.n, action)
        super().infer(box, hand, action)

    def next_card(self, seen: CardSeen) -> None:
        """Deal a card that was kept apart as the next card."""
        raise NotImplementedError

    def rule_on(self, stray: Stray, choice: str) -> None:
        """Carry out a ruling on a card out of place."""
        raise NotImplementedError
