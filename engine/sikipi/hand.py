"""The four cards of a box or of the dealer, and what has been done with them."""

from dataclasses import dataclass, field

from engine.cards import Card
from engine.round import Seen
from engine.sikipi.ranking import Part

FOUR = 4
TWO = 2  # cards of the Low Hand, and of the High Hand


@dataclass(slots=True)
class Hand:
    """What lies on one box; box 0 is the dealer. A lifted card stays in it."""

    box: int
    cards: list[Seen] = field(default_factory=list)
    placed: tuple[list[Seen], list[Seen]] | None = None  # Low and High Hand as they were set
    viewed: bool = False  # its Player has looked at his cards
    lifted: bool = False  # it was taken up after the deal, as one who looks does
    shown: bool = False  # a card of it was turned up, whoever did it
    touched: bool = False  # its Player handled it again after it was set
    valid: bool = True  # its bets play
    exposed: set[str] = field(default_factory=set)  # cards that the dealer turned up before the reveal

    @property
    def name(self) -> str:
        return f"box {self.box}" if self.box else "the dealer"

    def has(self) -> int:
        """Give how many cards were dealt to it; one lifted and put down again is one card."""
        lying = sum(not seen.gone for seen in self.cards)
        return lying if lying > FOUR else min(len(self.cards), FOUR)

    def four(self) -> list[Seen]:
        """Give its four cards, none if they are not four."""
        if len(self.cards) == FOUR:
            return self.cards
        lying = [seen for seen in self.cards if not seen.gone]
        return lying if len(lying) == FOUR else []

    def faces(self) -> list[Card]:
        """Give its four faces, none unless all are known."""
        known = [seen.card for seen in self.four() if seen.card is not None]
        return known if len(known) == FOUR else []

    def all_up(self) -> bool:
        four = self.four()
        return bool(four) and all(seen.up for seen in four)

    def lying(self) -> tuple[list[Seen], list[Seen]] | None:
        """Give the two parts that lie in the places for Low and High Hand, if both are complete."""
        low = [seen for seen in self.cards if seen.zone.part == "low" and not seen.gone]
        high = [seen for seen in self.cards if seen.zone.part == "high" and not seen.gone]
        return (low, high) if len(low) == len(high) == TWO else None

    def parts(self) -> tuple[Part, Part] | None:
        """Give the faces of Low and High Hand as they were set, if all are known."""
        if self.placed is None:
            return None
        (a, b), (c, d) = self.placed
        if a.card is None or b.card is None or c.card is None or d.card is None:
            return None
        return (a.card, b.card), (c.card, d.card)
