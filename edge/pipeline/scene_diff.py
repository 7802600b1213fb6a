"""What changed on a layout during an outage: the scene before it compared with the scene found after it.

A camera that was blind for seconds and a service that was restarted ask the same: which of the cards that lie there now
lay there before, and what happened since. They differ only in how far a card may be trusted to be the same one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from feltwatch.edge.pipeline.table_state import SceneCard, spot_of
from feltwatch.engine.model.events import Chips, Correct, Dealt, Event, Move, Tick, Turn
from feltwatch.vision.tracking.track import distance

NEAR_MM: Final = 40.0  # a card that lies so near may be the one that lay there


@dataclass(frozen=True, slots=True)
class SceneAfterOutage:
    """What was found when watching began again, and what happened since."""

    cards: Mapping[str, SceneCard]  # with the faces that are known by now
    chips: Mapping[str, Chips]  # of spots on which others stand than were seen before
    arrivals: Mapping[str, Dealt]  # of those cards, as they were reported
    since: Sequence[Event]

    def without(self, names: Collection[str]) -> "SceneAfterOutage":
        """Leave out what looked like a card, and is none."""
        cards = {name: card for name, card in self.cards.items() if name not in names}
        return replace(self, cards=cards, since=[one for one in self.since if id_of(one) not in names])


def id_of(event: Event) -> str | None:
    """Give the id of the card that an event is about."""
    return getattr(event, "id", None)


def scene_of(
    events: Sequence[Event], begun: float, places: Mapping[str, tuple[float, float]] | None = None
) -> SceneAfterOutage:
    """Split the events of a watcher that began then: what lay there already, and what happened since."""
    where = places or {}
    cards: dict[str, SceneCard] = {}
    arrivals: dict[str, Dealt] = {}
    chips: dict[str, Chips] = {}
    since: list[Event] = []
    for event in events:
        if isinstance(event, Dealt) and (event.found or _is_old(event, begun)):
            cards[event.id] = SceneCard(event.zone, event.card, event.up, where.get(event.id), event.crosswise)
            arrivals[event.id] = event
        elif isinstance(event, Correct) and event.id in cards:
            cards[event.id] = replace(cards[event.id], face=event.card)
        elif isinstance(event, Chips) and _is_old(event, begun) and spot_of(event) not in chips:
            chips[spot_of(event)] = event._replace(by=None)  # whose hand it was, was not seen
        elif not isinstance(event, Tick):
            since.append(event)
    return SceneAfterOutage(cards, chips, arrivals, since)


def _is_old(event: Dealt | Chips, begun: float) -> bool:
    """True if it may have been so when watching began."""
    return event.since is not None and event.since <= begun


def changes_of(name: str, before: SceneCard, now: SceneCard, t: float) -> Iterator[Event]:
    """Give the events that turn the card before into the card now."""
    if now.zone != before.zone:
        yield Move(t, name, now.zone)
    if now.up != before.up:
        yield Turn(t, name, now.up, now.face)
    elif before.face is None and now.face is not None:
        yield Correct(t, name, now.face)


# ---- which card is which --------------------------------------------------------------------------------------------

Rule = Callable[[SceneCard, SceneCard], bool]


def match(before: Mapping[str, SceneCard], now: Mapping[str, SceneCard], rules: Sequence[Rule]) -> dict[str, str]:
    """Give, for cards that lie there now, which one each was before: by the first rule that fits, the nearest first."""
    left, found = dict(before), dict(now)
    pairs: dict[str, str] = {}
    for rule in rules:
        fits = [(was, name) for was in left for name in found if rule(left[was], found[name])]
        fits.sort(key=lambda fit: (_away(before[fit[0]], now[fit[1]]), before[fit[0]].face != now[fit[1]].face))
        for was, name in fits:
            stays = rule is not _split or any(before[one].zone == before[was].zone for one in pairs.values())
            if was in left and name in found and stays:
                pairs[name] = was
                del left[was], found[name]
    return pairs


def _away(card: SceneCard, other: SceneCard) -> float:
    return 0.0 if card.place is None or other.place is None else distance(card.place, other.place)


def _is_near(card: SceneCard, other: SceneCard) -> bool:
    if card.place is None or other.place is None:
        return card.zone == other.zone
    return _away(card, other) <= NEAR_MM


def _same(was: SceneCard, now: SceneCard) -> bool:
    return (was.zone, was.up, was.face) == (now.zone, now.up, now.face) and now.face is not None


def _unread(was: SceneCard, now: SceneCard) -> bool:
    return was.up == now.up and None in (was.face, now.face) and _is_near(was, now)


def _turned(was: SceneCard, now: SceneCard) -> bool:
    return now.up and not was.up and _is_near(was, now)


def _moved(was: SceneCard, now: SceneCard) -> bool:
    return was.up and now.up and was.face == now.face and now.face is not None


def _split(was: SceneCard, now: SceneCard) -> bool:
    """One of a pair was moved to a hand of its own, its fellow stays; any other card may be a new one of that face."""
    parts = was.zone.box == now.zone.box and was.zone.part == now.zone.part == "cards"
    return _moved(was, now) and parts and bool(was.zone.box) and was.zone.hand == 1 < now.zone.hand


def _set(was: SceneCard, now: SceneCard) -> bool:
    """A card of a hand that lay face down was laid elsewhere in that hand."""
    return not was.up and was.zone.box is not None and was.zone.box == now.zone.box


BLIND: Final = (_same, _unread, _turned, _moved)  # for seconds
RESTARTED: Final = (_same, _unread, _turned, _split, _set)  # after any time
