"""The state of a round of Si Ki Pi that all its rules read and change: the deal, and the hands."""

from typing import TYPE_CHECKING

from feltwatch.engine.books import Book
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.round.base import CardSeen, Round
from feltwatch.engine.round.phase import Phase
from feltwatch.engine.round.stack import Stack
from feltwatch.engine.sikipi.deal_order import Deal
from feltwatch.engine.sikipi.hand import FOUR, FourCards
from feltwatch.engine.sikipi.phases import NEXT

if TYPE_CHECKING:
    from decimal import Decimal


class SikipiState(Round):
    """The deal and the hands, without the rules; `hands` are by box, the dealer is box 0."""

    NEXT = NEXT

    def __init__(self, book: Book, number: int, shoe: Shoe, dismissed: frozenset[str] = frozenset()) -> None:
        super().__init__(book, number, shoe, dismissed)
        if shoe.opening:
            shoe.shuffled(shoe.burn)  # 2.2.1: every round is a fresh deal of the one deck
        self.deal = Deal([], set(), self.switches.dealing)
        self.dealer = FourCards(0)
        self.hands: dict[int, FourCards] = {0: self.dealer}
        self.owner: dict[str, int] = {}  # whose hand a card belongs to
        self.asked: set[int] = set()  # boxes to be set the House Way
        self.examiners: dict[str, int] = {}  # which hand each Player looked at first
        self.held_back: set[int] = set()  # boxes that wait for a ruling of their own
        self.early_chips: dict[str, tuple[Decimal, Decimal, bool]] = {}
        self.any_down = False  # a card was dealt face down
        self.opened = False  # the first cards were looked at for their order
        self.last_t = -1.0

    @property
    def any_set(self) -> bool:
        return self.phase in (Phase.SETTING, Phase.REVEAL)

    @property
    def revealed(self) -> bool:
        return self.phase is Phase.REVEAL

    def hand(self, box: int) -> FourCards:
        found = self.hands.get(box)
        if found is None:
            found = self.hands[box] = FourCards(box)
        return found

    def playing(self) -> list[FourCards]:
        """Give the hands with an Initial Bet, clockwise."""
        return [hand for box in self.deal.boxes if (hand := self.hand(box)).valid]

    def plays(self, hand: FourCards) -> bool:
        return hand.valid and hand.box in self.deal.boxes

    def bets_on(self, kind: str, box: int | None = None) -> list[Stack]:
        return [
            stack
            for stack in self.stacks.values()
            if stack.spot.kind == kind and stack.bet.in_play and box in (None, stack.spot.box)
        ]

    def by_house(self, box: int) -> bool:
        """Tell whether a hand is set the House Way: the dealer's, an absent Player's, one that asked (3.19, 5.3)."""
        return box == 0 or box in self.asked or box in self.absent

    def over(self) -> bool:
        """Tell whether the deal is over: the dealer's last card is the last of all."""
        return len(self.dealer.cards) >= FOUR

    def complete(self) -> bool:
        return self.over() and all(len(hand.cards) >= FOUR for hand in self.playing())

    def looked(self, but: FourCards | None = None) -> bool:
        """Tell whether any Player has seen cards distributed to him."""
        return any(hand.viewed or (hand.shown and hand is not but) for hand in self.hands.values())

    def gives(self, seen: CardSeen, box: int) -> None:
        self.hands[self.owner[seen.id]].cards.remove(seen)
        self.hand(box).cards.append(seen)
        self.owner[seen.id] = box

    def drops(self, seen: CardSeen) -> None:
        """A card belongs to no hand."""
        self.hands[self.owner.pop(seen.id)].cards.remove(seen)
        seen.gone = True

    def undecided(self, stack: Stack) -> bool:
        spot = stack.spot
        return stack.bet.in_play and (spot.box, 1, spot.bet) not in self.settlements

    def looks(self, hand: FourCards) -> None:
        """A Player sees his cards."""
        raise NotImplementedError

    def shows(self, hand: FourCards) -> None:
        """A card of a box lies face up."""
        raise NotImplementedError

    def sets(self, hand: FourCards) -> None:
        """A Player places his Low and High Hand."""
        raise NotImplementedError

    def known(self, hand: FourCards) -> None:
        """Judge and settle a hand whose four faces are all known."""
        raise NotImplementedError

    def settle_all(self) -> None:
        """Judge and settle every hand that is known."""
        raise NotImplementedError

    def waits(self, name: str, hand: FourCards, lost: str = "") -> None:
        """Let a box wait for a ruling."""
        raise NotImplementedError
