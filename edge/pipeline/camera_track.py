"""One camera among several at a table, and what it tells while that waits for the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from feltwatch.edge.pipeline.meanwhile import Lay, changes, found, lay_before, same, settled
from feltwatch.vision.events.card_events import LIKELY, Event
from feltwatch.vision.table_watcher import Watcher
from feltwatch.vision.tracking.track import distance

TWIN_MM: Final = 25.0  # two cameras see one card so far apart


def has_cards(watcher: Watcher) -> bool:
    return watcher.telling.dealt or bool(watcher.lying.cards)


@dataclass(slots=True)
class Seat:
    """A camera that watches its part."""

    name: str
    watcher: Watcher
    suffix: str  # of the names of its cards
    at: float | None = None  # of its last picture
    dark: float | None = None  # since when it sees nothing
    stale: bool = False  # what it knows is of before it saw nothing
    back: float = 0.0  # when it saw again
    before: dict[str, Lay] | None = None  # what lay there before it saw nothing; until it is told what changed
    had_cards: bool = False  # then
    after: list[Event] = field(default_factory=list)  # what it has told since
    names: dict[str, str] = field(default_factory=dict)  # of cards that came from another's part
    twins: set[str] = field(default_factory=set)  # cards that another tells already

    def called(self, name: str) -> str:
        return self.names.get(name, name + self.suffix)

    def renew(self, t: float) -> None:
        """See anew, after a time in which nothing was seen."""
        self.had_cards = (self.before is not None and self.had_cards) or has_cards(self.watcher)
        self.before = self.before or lay_before(self.watcher)
        self.watcher, self.stale, self.back, self.after = self.watcher.anew(), False, t, []

    def meanwhile(self, others: Sequence["Seat"]) -> tuple[list[Event], list[Event]]:
        """Tell what changed in that time, but for what others tell, and what happened since.

        What lay there already is called by its name of before from now on.
        """
        before, events, self.before, self.after = self.before, self.after, None, []
        if before is None:
            return [], []
        now = found(self.watcher, events, self.back)
        pairs = same(before, now.cards)
        now = settled(now, pairs, [card.id for card in self.watcher.lying.cards])
        told = [*changes(before, now, pairs)]
        twins = {name for name, was in pairs.items() if was in self.twins}
        told = [self._called(event) for event in told if event.get("id") not in self.twins]
        self.names = {name: self.called(was) for name, was in pairs.items()}
        self.twins = twins
        came = [event for event in told if event["event"] == "card"]
        ours = [event for event in came if any(self.is_twin(str(event["id"]), other) for other in others)]
        return [event for event in told if event not in ours], [*now.since]

    def missed(self) -> set[str]:
        """Give where cards lay before nothing was seen that are not found again so far."""
        if self.before is None:
            return set()
        pairs = same(self.before, found(self.watcher, self.after, self.back).cards)
        return {lay.zone for name, lay in self.before.items() if name not in pairs.values()}

    def _called(self, event: Event) -> Event:
        return event | {"id": self.called(str(event["id"]))} if "id" in event else event

    @property
    def has_cards(self) -> bool:
        return has_cards(self.watcher)

    def had_cards_at(self, t: float) -> bool:
        """Tell whether some of the cards that lie there now, or are just gone, lay there then."""
        return any(card.rested <= t for card in self.watcher.telling.theirs(self.watcher.lying))

    def is_twin(self, name: str, other: "Seat") -> bool:
        """Tell whether a card that came lies on the border, and another camera tells of it already."""
        cards = self.watcher.lying.cards
        card = next((card for card in cards if card.id and name in (card.id, self.called(card.id))), None)
        if card is None:
            return False
        near = [one for one in other.watcher.lying.cards if distance(one.place, card.place) <= TWIN_MM]
        told = [one for one in near if one.id and one.id not in other.twins and one.up == card.up]
        if any(None in (one.face, card.face) or one.face == card.face for one in told):
            self.twins.add(card.id)
            return True
        return False

    def moved(self, event: Event, other: "Seat") -> Event | None:
        """Say of a card that has just gone from another camera's part that it lies here now."""
        up, face = event["face"] == "up", event["card"]
        if up and face is None:
            return None
        for left in sorted(other.watcher.telling.left, key=lambda one: -one.at):
            card = left.card
            if card.id and card.id not in other.twins and (card.up, card.face) == (up, face):
                other.watcher.telling.left.remove(left)
                self.names[str(event["id"])] = other.called(card.id)
                hand = {"hand": event["hand"]} if "hand" in event else {}
                return {"t": event["t"], "event": "move", "id": event["id"], "zone": event["zone"], **hand}
        return None

    def comes_before(self, held: "Held") -> bool:
        """Tell whether this camera is about to tell of a card that came to rest before that one."""
        if held.rested is None:
            return False
        likely = any(one.rested < held.rested and one.looks >= LIKELY for one in self.watcher.lying.coming)
        return likely or any(one.card.rested < held.rested for one in self.watcher.telling.waiting)


@dataclass(slots=True)
class Held:
    """An event that waits for the other cameras."""

    seat: Seat
    event: Event
    t: float
    rested: float | None = None  # of a card that came

    @property
    def happened(self) -> float:
        return self.t if self.rested is None else self.rested

    @property
    def zone(self) -> str | None:
        return None if self.rested is None else str(self.event["zone"])

    def before(self, other: "Held") -> bool:
        """Tell whether this happened before what waits already: of cards the one that rested first."""
        if self.rested is not None and other.rested is not None and self.seat is not other.seat:
            return self.rested < other.rested
        return self.t < other.t
