"""The order of the deal: which slot each card is due to, one at a time or in packets of four (3.15, 3.16)."""

from bisect import insort
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import pairwise

from feltwatch.engine.model.spots import DISCARD, Zone, hand_zone
from feltwatch.engine.round.base import CardSeen
from feltwatch.engine.sikipi.hand import FOUR


class DealOrder(Enum):
    KEPT = auto()  # every card fell where it was due
    DOUBTED = auto()  # one was not seen to: misdealt, or backs that lie on each other are miscounted
    BROKEN = auto()  # one did not, and the cards still lie wrong
    LOOSE = auto()  # they lie as a ruling or a miscount left them: nothing more is concluded from the order


MISCOUNTED = 2  # backs of a deal that were missed, or taken for two; of more not all can be hidden by others


@dataclass(frozen=True, slots=True)
class DealSlip:
    """The first card that was not where it was due, and which box was (0: the dealer; None: none)."""

    seen: CardSeen
    box: int
    due: int | None
    number: int  # in the deal
    t: float


@dataclass(slots=True)
class Deal:
    """The cards in the order they left the shoe, and the slots they are due to."""

    boxes: list[int]  # with an Initial Bet, clockwise
    spare: set[int]  # boxes with chips left over from the round before
    setting: str  # single, packet or auto
    packets: bool = field(init=False)
    slots: list[int] = field(init=False)
    drawn: list[CardSeen] = field(default_factory=list)
    together: set[str] = field(default_factory=set)  # fell with the card before: their order is unknown
    order: DealOrder = DealOrder.KEPT
    slip: DealSlip | None = None
    proven: bool = False  # cards were moved to put the slip right
    alert: str = ""  # what was said of it
    uncounted: str = ""  # why it is not known how many backs fell
    first: int = 0  # where the first card fell

    def __post_init__(self) -> None:
        self.packets = self.setting == "packet"
        self.lay_out()

    def lay_out(self) -> None:
        once = [*self.boxes, 0]
        self.slots = [box for box in once for _ in range(FOUR)] if self.packets else once * FOUR

    def due(self) -> int | None:
        """Give the box the next card is due to, None once every slot is full."""
        return self.slots[len(self.drawn)] if len(self.drawn) < len(self.slots) else None

    def restyle(self, box: int) -> bool:
        """Learn from the first box whether packets are dealt; say if this card shows that they are not after all."""
        count = len(self.drawn)
        if self.setting != "auto" or not 0 < count < FOUR:
            return False
        were, self.packets = self.packets, box == self.first and (count == 1 or self.packets)
        if were != self.packets:
            self.lay_out()
        return were and not self.packets

    def takes_spare(self, box: int) -> bool:
        """Chips left over are a bet after all if a card comes to their box in its turn."""
        count = len(self.drawn)
        in_first_pass = count % FOUR == 0 if self.packets else count <= len(self.boxes)
        if box not in self.spare or not in_first_pass:
            return False
        before, due = self.slots[count - 1] if count else 0, self.due()
        if due is None or not before < box or (due and box > due):
            return False
        self.spare.discard(box)
        insort(self.boxes, box)
        self.lay_out()
        return True

    def take(self, seen: CardSeen, box: int, *, together: bool) -> None:
        if not self.drawn:
            self.first = box
        self.drawn.append(seen)
        if together:
            self.together.add(seen.id)

    def replace(self, old: CardSeen, new: CardSeen) -> None:
        """A card that was lifted lies there again under another name."""
        for place, seen in enumerate(self.drawn):
            if seen is old:
                self.drawn[place] = new

    def targets(self) -> list[tuple[CardSeen, Zone]]:
        """Lay the cards over the slots in the order they left the shoe; what is left over goes to the discards."""
        found = []
        for place, seen in enumerate(self.drawn):
            box = self.slots[place] if place < len(self.slots) else None
            zone = DISCARD if box is None else hand_zone(box)
            found.append((seen, seen.zone if seen.zone.box == zone.box else zone))
        return found

    def in_place(self) -> bool:
        """Tell whether every card lies where it was due."""
        if len(self.drawn) > len(self.slots):
            return False
        return all(seen.zone.box == box for seen, box in zip(self.drawn, self.slots, strict=False))

    def doubtful(self) -> set[int]:
        """Give the boxes due to cards that fell together: which goes where is unknown."""
        found: set[int] = set()
        for (_, before), (seen, zone) in pairwise(self.targets()):
            if seen.id in self.together and zone.box != before.box:
                found |= {before.box or 0, zone.box or 0}
        return found

    def swapped(self) -> bool:
        """The last two fell together: take them the other way round if that makes the order right."""
        self.drawn[-2:] = self.drawn[:-3:-1]
        if self.in_place():
            return True
        self.drawn[-2:] = self.drawn[:-3:-1]
        return False

    def explained(self, *, whole: bool = False) -> bool:
        """Tell whether the deal (the whole of it) goes by the book but for backs that were miscounted."""
        fell = [seen.zone.box or 0 for seen in self.drawn]
        once = [*self.boxes, 0]
        orders = [once * FOUR, [box for box in once for _ in range(FOUR)]] if self.setting == "auto" else [self.slots]
        return any(_runs(fell, slots, MISCOUNTED, whole=whole) for slots in orders)


def _runs(fell: list[int], slots: list[int], left: int, *, whole: bool) -> bool:
    """Tell whether cards fell in an order, but for so many that were not seen, seen late, or twice where one lay."""

    def goes(card: int, slot: int, left: int) -> bool:
        over = card == len(fell)
        if over and (not whole or slot == len(slots)):
            return True
        if not over and slot < len(slots) and fell[card] == slots[slot] and goes(card + 1, slot + 1, left):
            return True
        if not left:
            return False
        late = fell[card : card + 2] == slots[slot : slot + 2][::-1] and len(fell) >= card + 2
        if late and goes(card + 2, slot + 2, left - 1):
            return True
        twice = not over and fell[card] in fell[:card] and goes(card + 1, slot, left - 1)
        return twice or (slot < len(slots) and goes(card, slot + 1, left - 1))

    return goes(0, 0, left)
