"""What changed in a camera's part while it saw nothing: what it found then, held against what lay there before."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

from feltwatch.engine.model.spots import ZONES
from feltwatch.vision.events.card_events import Event
from feltwatch.vision.table_watcher import Watcher
from feltwatch.vision.tracking.track import distance

NEAR_MM: Final = 40.0  # a card that lies so near may be the one that lay there
CAME: Final = ("card", "chips", "turn", "move", "remove")  # what may have come unseen


@dataclass(frozen=True, slots=True)
class Lay:
    """A card as it lay at one moment."""

    zone: str
    face: str | None
    up: bool
    place: tuple[float, float] | None = None  # millimetres
    across: bool = False  # it lies crosswise

    def near(self, other: "Lay") -> bool:
        return self.away(other) <= NEAR_MM

    def away(self, other: "Lay") -> float:
        return NEAR_MM if None in (self.place, other.place) else distance(self.place, other.place)  # type: ignore[arg-type]  # both


@dataclass(frozen=True, slots=True)
class Found:
    """What a camera found when it saw again, and what happened since."""

    cards: Mapping[str, Lay]
    chips: Sequence[Event]  # on spots where others stood before
    since: Sequence[Event]


def lay_before(watcher: Watcher) -> dict[str, Lay]:
    """Give the cards that were told of a part before nothing was seen any more."""
    cards = [card for card in watcher.telling.theirs(watcher.lying) if card.id]
    return {card.id: Lay(card.zone or "outside", card.face, card.up, card.place) for card in cards}


def found(watcher: Watcher, events: Sequence[Event], back: float) -> Found:
    """Part what a watcher that began then has told: what lay there, and what happened since."""
    places = {card.id: card.place for card in watcher.telling.theirs(watcher.lying)}
    cards: dict[str, Lay] = {}
    chips: dict[object, Event] = {}
    rest: list[Event] = []
    for event in events:
        name, kind = str(event.get("id")), event["event"]
        old = bool(event.get("found")) or _since(event) <= back
        if kind == "card" and old:
            face = None if event["card"] is None else str(event["card"])
            across = bool(event.get("crosswise"))
            cards[name] = Lay(str(event["zone"]), face, event["face"] == "up", places.get(name), across)
        elif kind == "correct" and name in cards:
            cards[name] = replace(cards[name], face=None if event["card"] is None else str(event["card"]))
        elif kind == "chips" and old and event["spot"] not in chips:
            chips[event["spot"]] = {key: value for key, value in event.items() if key != "by"}
        else:
            rest.append(event)
    return Found(cards, [*chips.values()], rest)


def same(before: Mapping[str, Lay], now: Mapping[str, Lay]) -> dict[str, str]:
    """Say which of the cards that lie there now lay there before: by place and face, by place, or by face alone."""
    left, pairs = dict(before), dict[str, str]()
    for alike in (_lies, _may_lie, _was_turned, _was_moved):
        for name, lay in now.items():
            fit = [one for one in left if name not in pairs and alike(left[one], lay)]
            if fit:
                pairs[name] = min(fit, key=lambda one: left[one].away(lay))
                del left[pairs[name]]
    return pairs


def changes(before: Mapping[str, Lay], now: Found, pairs: Mapping[str, str]) -> Iterator[Event]:
    """Tell what changed: of a card that lay there before under its name of then, of others under that of now."""
    for name, lay in now.cards.items():
        if name in pairs:
            yield from _changed(pairs[name], before[pairs[name]], lay)
        else:
            across = {"crosswise": True} if lay.across else {}
            yield {"event": "card", "id": name, "zone": lay.zone, **_side(lay), **_hand(lay.zone), **across}
    for name in before:
        if name not in pairs.values():
            yield {"event": "remove", "id": name}
    yield from now.chips


def settled(now: Found, pairs: Mapping[str, str], lie: Collection[str]) -> Found:
    """Leave out what looked like a card at first glance, but was not read, and does not lie there."""
    none = {name for name, lay in now.cards.items() if lay.face is None} - {*pairs} - {*lie}
    cards = {name: lay for name, lay in now.cards.items() if name not in none}
    return Found(cards, now.chips, [event for event in now.since if event.get("id") not in none])


def _changed(name: str, was: Lay, lay: Lay) -> Iterator[Event]:
    if was.zone != lay.zone:
        yield {"event": "move", "id": name, "zone": lay.zone, **_hand(lay.zone)}
    if was.up != lay.up:
        yield {"event": "turn", "id": name, **_side(lay)}
    elif was.face is None and lay.face is not None:
        yield {"event": "correct", "id": name, "card": lay.face}


def _since(event: Event) -> float:
    return float(str(event.get("since", inf)))


def _side(lay: Lay) -> Event:
    return {"card": lay.face, "face": "up" if lay.up else "down"}


def _lies(was: Lay, lay: Lay) -> bool:
    return (was.zone, was.up, was.face) == (lay.zone, lay.up, lay.face) and lay.face is not None


def _may_lie(was: Lay, lay: Lay) -> bool:
    return was.up == lay.up and None in (was.face, lay.face) and was.near(lay)


def _was_turned(was: Lay, lay: Lay) -> bool:
    return lay.up and not was.up and was.near(lay)


def _was_moved(was: Lay, lay: Lay) -> bool:
    return was.up and lay.up and was.face == lay.face and lay.face is not None


def _hand(zone: str) -> Event:
    place = ZONES.get(zone)
    return {"hand": place.hand} if place is not None and place.box and place.part == "cards" else {}
