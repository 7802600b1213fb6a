"""What changed in a camera's part while it saw nothing: what it found then, held against what lay there before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.spots import ZONES
from vision.telling import Event
from vision.tracks import distance
from vision.watcher import Watcher

NEAR_MM: Final = 40.0  # a card that lies so near may be the one that lay there
CAME: Final = ("card", "chips", "turn", "move", "remove")  # what may have come unseen


@dataclass(frozen=True, slots=True)
class Lay:
    """A card as it lay at one moment."""

    zone: str
    face: str | None
    up: bool
    place: tuple[float, float] | None = None  # millimetres

    def near(self, other: "Lay") -> bool:
        return self.away(other) <= NEAR_MM

    def away(self, other: "Lay") -> float:
        return NEAR_MM if None in (self.place, other.place) else distance(self.place, other.place)  # type: ignore[arg-type]  # both


@dataclass(frozen=True, slots=True)
class Found:
    """What a camera found when it saw again, and what happened since."""

    cards: Mapping[str, Lay]
    stacks: Mapping[str, int]  # by spot
    since: Sequence[Event]


def lay_before(watcher: Watcher) -> Found:
    """Give what was told of a part before nothing was seen any more."""
    cards = [card for card in watcher.telling.theirs(watcher.lying) if card.id]
    lay = {card.id: Lay(card.zone or "outside", card.face, card.up, card.place) for card in cards}
    return Found(lay, {spot or "outside": count for spot, count in watcher.bets.spots.items() if count}, ())


def found(watcher: Watcher, events: Sequence[Event], back: float) -> Found:
    """Part what a watcher that began then has told: what lay there, and what happened since."""
    places = {card.id: card.place for card in watcher.telling.theirs(watcher.lying)}
    cards: dict[str, Lay] = {}
    stacks: dict[str, int] = {}
    rest: list[Event] = []
    for event in events:
        name, kind = str(event.get("id")), event["event"]
        old = bool(event.get("found")) or float(str(event.get("since", back + 1))) <= back
        if kind == "card" and old:
            face = None if event["card"] is None else str(event["card"])
            cards[name] = Lay(str(event["zone"]), face, event["face"] == "up", places.get(name))
        elif kind == "correct" and name in cards:
            cards[name] = replace(cards[name], face=None if event["card"] is None else str(event["card"]))
        elif kind == "chips" and old and event["spot"] not in stacks:
            stacks[str(event["spot"])] = len(list(event.get("stacks", ())))  # type: ignore[call-overload]  # a list
        else:
            rest.append(event)
    return Found(cards, {spot: count for spot, count in stacks.items() if count}, rest)


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


def changes(before: Found, now: Found, pairs: Mapping[str, str]) -> Iterator[Event]:
    """Tell what changed: of a card that lay there before under its name of then, of others under that of now."""
    for name, lay in now.cards.items():
        if name in pairs:
            yield from _changed(pairs[name], before.cards[pairs[name]], lay)
        else:
            yield {"event": "card", "id": name, "zone": lay.zone, **_side(lay), **_hand(lay.zone)}
    for name in before.cards:
        if name not in pairs.values():
            yield {"event": "remove", "id": name}
    for spot in sorted({*before.stacks, *now.stacks}):
        count = now.stacks.get(spot, 0)
        if count != before.stacks.get(spot, 0):
            chips: Event = {"event": "chips", "spot": spot, "amount": None if count else 0}
            yield chips | ({"stacks": [{"top": None, "count": None}] * count} if count else {})


def _changed(name: str, was: Lay, lay: Lay) -> Iterator[Event]:
    if was.zone != lay.zone:
        yield {"event": "move", "id": name, "zone": lay.zone, **_hand(lay.zone)}
    if was.up != lay.up:
        yield {"event": "turn", "id": name, **_side(lay)}
    elif was.face is None and lay.face is not None:
        yield {"event": "correct", "id": name, "card": lay.face}


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
