"""One camera among several at a table, and its events while they wait for the other cameras."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from feltwatch.edge.pipeline.scene_diff import BLIND, SceneAfterOutage, changes_of, id_of, match, scene_of
from feltwatch.edge.pipeline.table_state import SceneCard
from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.model.events import Dealt, Event, Move, Remove
from feltwatch.engine.model.spots import Zone, parse_zone
from feltwatch.vision.events.card_events import LIKELY
from feltwatch.vision.table_watcher import TableWatcher
from feltwatch.vision.tracking.track import distance

TWIN_MM: Final = 25.0  # two cameras see one card so far apart


def has_cards(watcher: TableWatcher) -> bool:
    return watcher.telling.dealt or bool(watcher.lying.cards)


@dataclass(slots=True)
class CameraTrack:
    """A camera that watches its part of the layout."""

    name: str
    watcher: TableWatcher
    suffix: str  # of the names of its cards
    at: float | None = None  # of its last frame
    blind_since: float | None = None
    is_stale: bool = False  # what it knows is of before it was blind
    back_at: float = 0.0  # when it saw again
    before: dict[str, SceneCard] | None = None  # the scene before it was blind, until the changes are reported
    had_cards: bool = False  # then
    after: list[Event] = field(default_factory=list)  # its events since
    names: dict[str, str] = field(default_factory=dict)  # of cards that came from another camera's part
    twins: set[str] = field(default_factory=set)  # cards that another camera reports already

    def name_of(self, card: str) -> str:
        return self.names.get(card, card + self.suffix)

    def named(self, event: Event) -> Event:
        """Give an event with the name under which all cameras know its card."""
        card = id_of(event)
        return event if card is None else event._replace(id=self.name_of(card))  # type: ignore[call-arg]  # it has an id

    def restart(self, t: float) -> None:
        """Find the cards again, after a time in which it was blind."""
        self.had_cards = (self.before is not None and self.had_cards) or has_cards(self.watcher)
        self.before = self.before or self._scene()
        self.watcher, self.is_stale, self.back_at, self.after = self.watcher.restarted(), False, t, []

    def _scene(self) -> dict[str, SceneCard]:
        """Give the cards that were reported of its part."""
        cards = [card for card in self.watcher.telling.theirs(self.watcher.lying) if card.id]
        return {
            card.id: SceneCard(parse_zone(card.zone), CARDS.get(card.face or ""), card.up, card.place) for card in cards
        }

    def _found(self) -> SceneAfterOutage:
        """Give the scene it found when it saw again."""
        places = {card.id: card.place for card in self.watcher.telling.theirs(self.watcher.lying)}
        return scene_of(self.after, self.back_at, places)

    def changes(self, others: Sequence["CameraTrack"]) -> tuple[list[Event], list[Event]]:
        """Give what changed while it was blind, but for what others report, and what happened since.

        A card that lay there already has its name of before from now on.
        """
        if self.before is None:
            return [], []
        before, found = self.before, self._found()
        pairs = match(before, found.cards, BLIND)
        lie = {card.id for card in self.watcher.lying.cards}
        unread = {name for name, card in found.cards.items() if card.face is None}
        found = found.without(unread - {*pairs} - lie)  # it looked like a card at first glance
        self.before, self.after = None, []
        events = [event for event in self._changed(before, found, pairs) if id_of(event) not in self.twins]
        twins = {name for name, was in pairs.items() if was in self.twins}
        events = [self.named(event) for event in events]
        self.names = {name: self.name_of(was) for name, was in pairs.items()}
        self.twins = twins
        came = [event for event in events if isinstance(event, Dealt)]
        theirs = [event for event in came if any(self.is_twin(event.id, other) for other in others)]
        return [event for event in events if event not in theirs], [*found.since]

    def _changed(self, before: dict[str, SceneCard], found: SceneAfterOutage, pairs: dict[str, str]) -> list[Event]:
        t = self.back_at
        events: list[Event] = []
        for name, card in found.cards.items():
            if name in pairs:
                events += changes_of(pairs[name], before[pairs[name]], card, t)
            else:
                events.append(Dealt(t, name, card.zone, card.face, card.up, crosswise=card.across))
        events += [Remove(t, name) for name in before if name not in pairs.values()]
        return [*events, *found.chips.values()]

    def missed(self) -> set[Zone]:
        """Give where cards lay before it was blind that are not found again so far."""
        if self.before is None:
            return set()
        pairs = match(self.before, self._found().cards, BLIND)
        return {card.zone for name, card in self.before.items() if name not in pairs.values()}

    @property
    def has_cards(self) -> bool:
        return has_cards(self.watcher)

    def had_cards_at(self, t: float) -> bool:
        """True if some of the cards that lie there now, or are just gone, lay there then."""
        return any(card.rested <= t for card in self.watcher.telling.theirs(self.watcher.lying))

    # ---- beside the others ------------------------------------------------------------------------------------------

    def is_twin(self, name: str, other: "CameraTrack") -> bool:
        """True if a card that came lies on the border, and another camera reports it already."""
        cards = self.watcher.lying.cards
        card = next((card for card in cards if card.id and name in (card.id, self.name_of(card.id))), None)
        if card is None:
            return False
        near = [one for one in other.watcher.lying.cards if distance(one.place, card.place) <= TWIN_MM]
        known = [one for one in near if one.id and one.id not in other.twins and one.up == card.up]
        if any(None in (one.face, card.face) or one.face == card.face for one in known):
            self.twins.add(card.id)
            return True
        return False

    def moved_from(self, other: "CameraTrack", event: Dealt) -> Move | None:
        """Give the move of a card that has just left another camera's part and lies here now."""
        if event.up and event.card is None:
            return None
        for left in sorted(other.watcher.telling.left, key=lambda one: -one.at):
            card = left.card
            alike = card.up == event.up and CARDS.get(card.face or "") is event.card
            if card.id and card.id not in other.twins and alike:
                other.watcher.telling.left.remove(left)
                self.names[event.id] = other.name_of(card.id)
                return Move(event.t, event.id, event.zone)
        return None

    def comes_before(self, pending: "PendingEvent") -> bool:
        """True if this camera is about to report a card that came to rest before that one."""
        rested = pending.rested
        if rested is None:
            return False
        likely = any(one.rested < rested and one.looks >= LIKELY for one in self.watcher.lying.coming)
        return likely or any(one.card.rested < rested for one in self.watcher.telling.waiting)


@dataclass(slots=True)
class PendingEvent:
    """An event that waits for the other cameras."""

    track: CameraTrack
    event: Event

    @property
    def t(self) -> float:
        return self.event.t

    @property
    def rested(self) -> float | None:
        """Give when a card that came had come to rest."""
        return self.event.rested if isinstance(self.event, Dealt) else None

    @property
    def happened(self) -> float:
        return self.t if self.rested is None else self.rested

    @property
    def zone(self) -> Zone | None:
        """Give where a card came to."""
        return self.event.zone if isinstance(self.event, Dealt) else None

    def is_before(self, other: "PendingEvent") -> bool:
        """True if this happened before what waits already: of cards the one that rested first."""
        if self.rested is not None and other.rested is not None and self.track is not other.track:
            return self.rested < other.rested
        return self.t < other.t
