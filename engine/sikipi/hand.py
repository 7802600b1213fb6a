"""The four cards of a box or of the dealer, and what has been done with them."""

from dataclasses import dataclass, field

from feltwatch.engine.model.cards import Card
from feltwatch.engine.round.base import CardSeen
from feltwatch.engine.sikipi.ranking import Part

FOUR = 4
TWO = 2  # cards of the Low Hand, and of the High Hand


@dataclass(slots=True)
class FourCards:
    """What lies on one box; box 0 is the dealer. A lifted card stays in it."""

    box: int
    cards: list[CardSeen] = field(default_factory=list)
    placed: tuple[list[CardSeen], list[CardSeen]] | None = None  # Low and High Hand as they were set
    viewed: bool = False  # its Player has looked at his cards
    lifted: bool = False  # it was taken up after the deal, as one who looks does
    shown: bool = False  # a card of it was turned up, by any hand
    touched: bool = False  # its Player handled it again after it was set
    valid: bool = True  # its bets play
    exposed: set[str] = field(default_factory=set)  # cards that the dealer turned up before the reveal

    @property
    def name(self) -> str:
        return f"box {self.box}" if self.box else "the dealer"

    def faces(self) -> list[Card]:
        """Give its four faces, none unless it has four cards and all are known."""
        known = [seen.card for seen in self.cards if seen.card is not None]
        return known if len(known) == len(self.cards) == FOUR else []

    def all_up(self) -> bool:
        return len(self.cards) == FOUR and all(seen.up for seen in self.cards)

    def lying(self) -> tuple[list[CardSeen], list[CardSeen]] | None:
        """Give the two parts that lie in the places for Low and High Hand, if both are complete."""
        low = [seen for seen in self.cards if seen.zone.part == "low"]
        high = [seen for seen in self.cards if seen.zone.part == "high"]
        return (low, high) if len(low) == len(high) == TWO else None

    def parted(self) -> bool:
        """Tell whether cards lie in both places; of squared ones fewer may be seen than there are."""
        return {"low", "high"} <= {seen.zone.part for seen in self.cards}

    def parts(self) -> tuple[Part, Part] | None:
        """Give the faces of Low and High Hand as they were set, if all are known."""
        if self.placed is None:
            return None
        known = [seen.card for part in self.placed for seen in part if seen.card is not None]
        return ((known[0], known[1]), (known[2], known[3])) if len(known) == FOUR else None
