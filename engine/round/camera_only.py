"""A round of which a camera is all there is: what it has seen that says how to take the rest."""

from typing import TYPE_CHECKING

from feltwatch.engine.books import Book
from feltwatch.engine.round.findings import Voice

if TYPE_CHECKING:
    from feltwatch.engine.round.bets import Stack


class Watched(Voice):
    """Nobody announces, decides or rules, and amounts are not known: what people do has to say it."""

    def __init__(self, book: Book, number: int, dismissed: frozenset[str]) -> None:
        super().__init__(book, number, dismissed)
        self.closed = False
        self.closed_at = 0.0
        self.heard = False  # a signal or a decision was told, in this round or before it
        self.uncounted = False  # the amount of some bet is not known
        self.fell: dict[int, float] = {}  # when the last card came to a box
        self.went_on = 0  # the last event that shows play going on
        self.played_at = 0.0  # when the last card was dealt, moved or turned
        self.given_back = False  # a decided bet went back to its Player, as of a round that is void
        self.doubt = ""  # what nobody saw, and decides how the round ended
        self.lost = ""  # why nobody can tell how it went on
        self.gap = ""  # when nobody watched, if that was so
        self.gap_t = 0.0  # when somebody did again

    @property
    def only_seen(self) -> bool:
        """Tell whether a camera is all there is: nothing was told, and not every amount is known."""
        return self.closed and self.uncounted and not self.heard

    @property
    def unclear(self) -> bool:
        """Tell whether what was seen so far leaves open how the round will end."""
        raise NotImplementedError

    def touched(self, stack: "Stack") -> None:
        """The dealer's hand paid or took a bet that is not decided; how much is not known."""

    def fewer(self, stack: "Stack") -> None:
        """A player's hand took one of several stacks of a bet; how much is not known."""

    def took_extra(self, stack: "Stack") -> bool:
        """Tell whether a bet that was lost, and taken whole, was lost in part only."""
        del stack
        return False

    def breaks_off(self) -> None:
        """Look for what only shows when the cards are taken up in the midst of a round."""

    def first_cards(self) -> bool:
        """Tell whether the first cards are still being dealt."""
        raise NotImplementedError
