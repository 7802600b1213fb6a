"""The state of a round that the rules of every game read and change: cards, bets, findings, what a camera has seen."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from feltwatch.engine.books import Book
from feltwatch.engine.model.events import Chips, Signal
from feltwatch.engine.model.money import Odds
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.model.spots import Zone
from feltwatch.engine.model.verdicts import Ended, Remedy
from feltwatch.engine.round.findings import CardSeen, Findings, Plan
from feltwatch.engine.round.phase import Phase, Transitions, Trigger
from feltwatch.engine.round.stack import Slip, Stack


class RoundState(Findings):
    """What is known of a round, without the rules; what a rule needs of its game is a hook that the game fills in."""

    NEXT: ClassVar[Transitions]  # the game's table of phases

    def __init__(self, book: Book, number: int, shoe: Shoe, dismissed: frozenset[str] = frozenset()) -> None:
        super().__init__(book, number, dismissed)
        self.phase = Phase.BETTING
        self.closed_at = 0.0
        self.heard = False  # a signal or a decision was reported, in this round or before it
        self.uncounted = False  # the bets are closed, and the amount of some is not known
        self.fell: dict[int, float] = {}  # when the last card came to a box
        self.went_on = 0  # the last event that shows play going on
        self.played_at = 0.0  # when the last card was dealt, moved or turned
        self.given_back = False  # a decided bet went back to its Player, as of a round that is void
        self.doubt = ""  # an unseen fact that decides how the round ended
        self.lost = ""  # why its continuation is unknown
        self.gap = ""  # the gap in watching, if there was one
        self.gap_t = 0.0  # when watching resumed
        self.shoe = shoe
        self.seen: dict[str, CardSeen] = {}
        self.stacks: dict[str, Stack] = {}
        self.stale: dict[str, Zone] = {}
        self.told = book.switches.decisions == "told"
        self.void = ""
        self.absent: set[int] = set()
        self.dropped: dict[str, Plan] = {}
        self.outside_chips: set[str] = set()
        self.slip: Slip | None = None
        self.seats: dict[str, set[int]] = {}  # who holds which, as reported or as his bets show
        self.second_stacks: set[str] = set()  # spots on which the second stack of a split lies by itself
        self.seated: dict[str, set[int]] = {}  # as reported
        self.min_sure = float(book.switches.min_confidence)
        self.chip = Decimal(book.switches.smallest_chip)
        self.drawn = 0
        self.settled_boxes: list[int] = []
        self.ended: Ended | None = None

    def change_phase(self, trigger: Trigger) -> None:
        """Go to the phase to which the game's table leads; a trigger that it does not list here changes nothing."""
        self.phase = self.NEXT.get((self.phase, trigger), self.phase)

    @property
    def closed(self) -> bool:
        return self.phase is not Phase.BETTING

    @property
    def only_seen(self) -> bool:
        """Tell whether only a camera reports: nothing came from outside, and not every amount is known."""
        return self.uncounted and not self.heard

    @property
    def unclear(self) -> bool:
        """Tell whether what was seen so far leaves open how the round will end."""
        raise NotImplementedError

    def touched(self, stack: "Stack") -> None:
        """The dealer's hand paid or took a bet that is not decided; how much is not known."""

    def fewer(self, stack: "Stack") -> None:
        """A player's hand took one of several stacks of a bet; how much is not known."""

    def emptied(self, stack: "Stack") -> None:
        """All of a bet that is not decided was taken up, not by the dealer as far as is seen; how much is not known."""

    def took_extra(self, stack: "Stack") -> bool:
        """Tell whether a bet that was lost, and taken whole, was lost in part only."""
        del stack
        return False

    def breaks_off(self) -> None:
        """Look for what only shows when the cards are taken up in the midst of a round."""

    def first_cards(self) -> bool:
        """Tell whether the first cards are still being dealt."""
        raise NotImplementedError

    def dealer_blackjack(self) -> bool:
        return False

    def cancel(self, name: str) -> None:
        """Where a book voids the round for every error, do so."""
        if name and self.book.reconstructs == "void" and self.switches.live_error == "cancel" and not self.only_seen:
            self.plans.pop(name, None)
            self.void_round(self.alerts[name].says)

    def signalled(self, event: Signal) -> None:
        """Take what a signal means to this game."""

    def again(self, stack: Stack) -> None:
        """Settle a stack once more, its stake having changed."""
        raise NotImplementedError

    def astray(self, stack: Stack, before: Decimal) -> Decimal:
        """Tell how much of a bet is missing from its spot (below 0: lies there beyond it), where the game can tell."""
        raise NotImplementedError

    def early(self, stack: Stack, delta: Decimal, before: Decimal) -> None:
        """Judge chips that the dealer paid or took before the bet was decided."""
        raise NotImplementedError

    def error_remedy(self, targets: Sequence[tuple[CardSeen, Zone]], *, says: str = "", can: bool = True) -> Remedy:
        """Give the remedy of a dealing error by this book."""
        raise NotImplementedError

    def final_settling(self) -> bool:
        """Tell whether the hands are being settled after the dealer's play."""
        return True

    def settlement_seen(self, stack: Stack) -> None:
        """A bet was paid or taken."""

    def invalidate(self, box: int) -> None:
        """Give a box its bets back; its cards stay in the sequence."""
        raise NotImplementedError

    def left_code(self, stack: Stack, *, lost: bool, announced: bool) -> str:
        """Name the error of a bet that still lies at the end."""
        del announced
        if stack.spot.kind == "main":
            return "losing-bet-not-taken" if lost else "winning-bet-not-paid"
        return "insurance-wrong-settlement" if stack.spot.kind == "insurance" else "side-bet-not-settled"

    def must_draw(self) -> bool:
        """Tell whether the round needs another card."""
        raise NotImplementedError

    def takes_more(self, stack: Stack, delta: Decimal | None, event: Chips) -> bool:
        """Tell whether more chips on this spot after the close are the game's own (and take note of them)."""
        raise NotImplementedError

    def undecided(self, stack: Stack) -> bool:
        """Tell whether some bet on this stack is still open."""
        raise NotImplementedError

    def withdrawn_chips(self, stack: Stack, delta: Decimal) -> bool:
        """Tell whether fewer chips by a player's hand are explained otherwise than as a bet taken back."""
        raise NotImplementedError

    def void_lines(self, stack: Stack) -> Sequence[int]:
        """Give the hands for which a stack has a line."""
        del stack
        return (1,)

    def void_stake(self, stack: Stack, hand: int) -> Decimal | None:
        """Give what lies on a stack for that hand."""
        del hand
        return stack.now.amount if not self.closed else stack.bet.stake

    def close(self) -> None:
        """Freeze the bets."""
        raise NotImplementedError

    def line(  # noqa: PLR0913  a settlement line is what it is
        self,
        stack: Stack,
        result: str,
        clause: str,
        *,
        hand: int = 1,
        odds: Odds | None = None,
        stake: Decimal | None = None,
        lost: Decimal | Fraction | None = None,
        commission: Decimal | None = None,
        units: int | None = None,
    ) -> None:
        """Say what one bet comes to. `lost` is how much of the stake goes, where it is not all or nothing."""
        raise NotImplementedError

    def void_round(self, why: str) -> None:
        """Give every bet of the round back: it has no result."""
        raise NotImplementedError
