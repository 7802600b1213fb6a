"""Several cameras over one table: what each sees of its part, told as one stream of table events.

Each camera has a watcher of its own, for its part of the layout. What they tell is put in the order in which it
happened, under names that do not collide; what nobody sees is said, and a table is clear when all see it so.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

import numpy as np

from edge.table_cameras import Size, hung, named_parts, parts_of
from edge.table_file import TableFile
from edge.withheld import Gap
from vision.eyes import Eyes
from vision.layout import Layout
from vision.pictures import Picture
from vision.telling import APART_S, LIKELY, PATIENCE_S, Event
from vision.tracks import Card, distance
from vision.unseen import FIRST, unseen
from vision.view import View
from vision.watcher import Watcher

HOLD_S: Final = 0.3  # so long what a camera tells waits for the others to have got so far
STALL_S: Final = 1.5  # a camera that is so far behind the others sees nothing
BACK_S: Final = 2.0  # so long after it sees again a camera has told what came meanwhile
LOST_S: Final = 8.0  # what was not seen for longer is not waited for
TWIN_MM: Final = 25.0  # two cameras see one card so far apart


@dataclass(slots=True)
class _Seat:
    """One camera's place at the table."""

    name: str
    watcher: Watcher
    suffix: str  # of the names of its cards
    at: float | None = None  # of its last picture
    dark: float | None = None  # since when it sees nothing
    back: float = -inf  # since when it sees again
    missed: bool = False  # it told something that may have happened while it saw nothing
    names: dict[str, str] = field(default_factory=dict)  # of cards that came from another's part
    twins: set[str] = field(default_factory=set)  # cards that another tells already

    def called(self, name: str) -> str:
        return self.names.get(name, name + self.suffix)

    def card(self, name: object) -> Card | None:
        return next((card for card in self.watcher.lying.cards if card.id == name), None)

    @property
    def has_cards(self) -> bool:
        return self.watcher.telling.dealt or bool(self.watcher.lying.cards)


@dataclass(slots=True)
class _Held:
    """An event that waits for the other cameras."""

    seat: _Seat
    event: Event
    t: float
    rested: float | None = None  # of a card that came

    @property
    def zone(self) -> str | None:
        return None if self.rested is None else str(self.event["zone"])


class Joined:
    """Holds the watchers of one table's cameras. It can be pickled; the eyes are then handed in again."""

    def __init__(self, table: TableFile, sizes: Mapping[str, Size], eyes: Eyes) -> None:
        self.table, self.eyes_of_all = table, eyes
        self.parts = parts_of(table.cameras, table.layout)
        self.seats: dict[str, _Seat] = {}
        for name, size in sizes.items():
            self.join(name, size)
        self.now: float | None = None  # of the newest picture
        self.begun = 0.0
        self.told = 0.0  # the time of the last event
        self.last: _Held | None = None  # the last card that was told
        self.waiting: list[_Held] = []
        self._gap: Gap | None = None

    def join(self, camera: str, size: Size) -> None:
        """Begin to watch with a camera, now that it is known how large its pictures are."""
        part = self.parts.get(camera)
        if part is None:
            return  # it only records
        file = next(one for one in self.table.cameras if one.name == camera)
        watcher = Watcher(hung(self.table.path, file, size, part).camera, part, self.eyes)
        self.seats[camera] = _Seat(camera, watcher, "" if camera == next(iter(self.parts)) else f".{camera}")

    @property
    def eyes(self) -> Eyes:
        return self.eyes_of_all

    @eyes.setter
    def eyes(self, eyes: Eyes) -> None:
        self.eyes_of_all = eyes
        for seat in self.seats.values():
            seat.watcher.eyes = eyes

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "eyes_of_all"}

    def step(self, camera: str, t: float, picture: Picture, small: Picture | None = None) -> list[Event]:
        """Take a camera's frame, and give the table events that can be told by now."""
        seat = self.seats.get(camera)
        self._passed(t)
        if seat is None:
            return [*self._due()]  # it only records
        was = self._dark(seat)
        events = seat.watcher.step(t, picture, small)
        seat.at = t
        if seat.watcher.hanging.moved_mm:
            self.blind(camera, t)
        else:
            seat.dark = None
            if was is not None:
                seat.back, seat.missed = t, False
        for event in events:
            self._take(seat, event)
        return [*self._due()]

    def blind(self, camera: str, t: float) -> None:
        """Know that a camera sees nothing since then: no picture comes, or none that can be used."""
        seat = self.seats.get(camera)
        if seat is not None and seat.dark is None:
            seat.dark = t if seat.at is None else min(t, seat.at)

    def sees(self, camera: str, t: float) -> None:
        """Know that a camera sees again from then on."""
        seat = self.seats.get(camera)
        if seat is not None and seat.dark is not None:
            seat.dark, seat.at, seat.back, seat.missed = None, t, t, False

    def wait(self, t: float) -> list[Event]:
        """Let time pass, and give the table events that can be told by now."""
        self._passed(t)
        return [*self._due()]

    def tick(self, t: float) -> Event:
        """Say that nothing happened, as far as can be seen."""
        self._passed(t)
        found = {zone for seat in self.seats.values() for zone in self._unseen(seat, inf)} | self._absent()
        found |= {held.zone for held in self.waiting if held.zone}
        self.told = max(self.told, t)
        return {"t": self.told, "event": "tick", **({"hidden": sorted(found)} if found else {})}

    def finish(self) -> list[Event]:
        """Tell what is still held when the footage ends."""
        for seat in self.seats.values():
            for event in seat.watcher.finish():
                self._take(seat, event)
        return [*self._due(over=True)]

    def view(self, camera: str | None = None) -> View:
        """Give what a camera believes to lie there now; its cards have the names by which they are told."""
        seat = self.seats.get(camera or next(iter(self.parts)))
        if seat is None:
            return View()
        found = seat.watcher.view()
        cards = tuple(replace(card, id=seat.called(card.id)) for card in found.cards if card.id not in seat.twins)
        return replace(found, cards=cards, doubts=self.doubts())

    def doubts(self) -> tuple[str, ...]:
        """Say, for people, what cannot be relied on now."""
        found = []
        for seat in self.seats.values():
            dark = self._dark(seat)
            found += [f"camera {seat.name!r}: {doubt}" for doubt in seat.watcher.hanging.doubts()]
            if dark is not None:
                found.append(f"camera {seat.name!r} sees nothing: nobody watches {_named(self.parts[seat.name])}")
        missing = [name for name in self.parts if name not in self.seats]
        found += [f"camera {name!r} sees nothing yet: nobody watches {_named(self.parts[name])}" for name in missing]
        return tuple(found)

    def gap(self) -> Gap | None:
        """Say whether something is not seen now, or was not until just now; the last time, that this is over."""
        now = self.now or 0.0
        dark = {seat.name: since for seat in self.seats.values() if (since := self._dark(seat)) is not None}
        dark |= {name: self.begun for name in self.parts if name not in self.seats}
        if dark:
            since = min(dark.values()) if self._gap is None else min(self._gap.since, *dark.values())
            lost = now - min(dark.values()) > LOST_S or (self._gap is not None and self._gap.lost)
            names = ", ".join(_named(self.parts[name]) for name in self.parts if name in dark)
            self._gap = Gap(since, now, f"for a while nobody saw {names}", lost=lost)
        elif self._gap is not None:
            self._gap = replace(self._gap, t=now)
            back = [seat for seat in self.seats.values() if seat.back >= self._gap.since]
            if all(now - seat.back > BACK_S for seat in back):
                over = replace(self._gap, over=True, missed=any(seat.missed for seat in back))
                self._gap = None
                return over
        return self._gap

    # ---- what a camera tells ----------------------------------------------------------------------------------------

    def _passed(self, t: float) -> None:
        if self.now is None:
            self.begun = t
        self.now = t if self.now is None else max(self.now, t)

    def _dark(self, seat: _Seat) -> float | None:
        """Give since when a camera sees nothing, if it does not."""
        if seat.dark is not None or self.now is None:
            return seat.dark
        at = self.begun if seat.at is None else seat.at
        return at if self.now - at > STALL_S else None

    def _take(self, seat: _Seat, event: Event) -> None:
        """Take over what a camera tells, under the names that all know."""
        t, own = float(str(event["t"])), event.get("id")
        known = event["event"] in ("card", "chips")  # since when it may have been so
        since = float(str(event.get("since", -inf))) if known else -inf
        seat.missed |= t - seat.back <= BACK_S and since <= seat.back
        if event["event"] == "clear":
            self._clear(seat, event)
            return
        if own in seat.twins or (event["event"] == "card" and self._is_twin(seat, event)):
            return
        if event["event"] == "card" and not event.get("found"):
            event = self._moved(seat, event) or event
        if own is not None:
            event = event | {"id": seat.called(str(own))}
        rested = event.get("rested")
        held = _Held(seat, event, t, float(str(rested)) if event["event"] == "card" else None)
        place = next((n for n, one in enumerate(self.waiting) if _before(held, one)), len(self.waiting))
        self.waiting.insert(place, held)

    def _clear(self, seat: _Seat, event: Event) -> None:
        """The table is clear once no camera sees cards any more."""
        seat.names.clear()
        seat.twins.clear()
        if not any(other.has_cards for other in self.seats.values() if other is not seat):
            self.waiting.append(_Held(seat, event, float(str(event["t"]))))

    def _is_twin(self, seat: _Seat, event: Event) -> bool:
        """Tell whether it is a card on the border that another camera tells already."""
        card = seat.card(event["id"])
        for other in self._others(seat):
            for one in other.watcher.lying.cards:
                known = one.id and one.id not in other.twins and card is not None
                alike = one.up == (event["face"] == "up") and (
                    one.face == event["card"] or None in (one.face, event["card"])
                )
                if known and alike and card is not None and distance(one.place, card.place) <= TWIN_MM:
                    seat.twins.add(card.id)
                    return True
        return False

    def _moved(self, seat: _Seat, event: Event) -> Event | None:
        """Say of a card that has just gone from another camera's part that it lies here now."""
        for other in self._others(seat):
            for left in sorted(other.watcher.telling.left, key=lambda one: -one.at):
                card = left.card
                alike = card.up == (event["face"] == "up") and card.face == event["card"]
                if alike and card.id and card.id not in other.twins and not (card.up and card.face is None):
                    other.watcher.telling.left.remove(left)
                    seat.names[str(event["id"])] = other.called(card.id)
                    moved: Event = {"t": event["t"], "event": "move", "id": event["id"], "zone": event["zone"]}
                    return moved | ({"hand": event["hand"]} if "hand" in event else {})
        return None

    def _others(self, seat: _Seat) -> Iterator[_Seat]:
        return (other for other in self.seats.values() if other is not seat)

    # ---- what can be told -------------------------------------------------------------------------------------------

    def _due(self, *, over: bool = False) -> Iterator[Event]:
        while self.waiting and (over or self._ripe(self.waiting[0])):
            held = self.waiting.pop(0)
            self.told = max(self.told, held.t)
            yield held.event | {"t": self.told} | self._hidden(held) | self._apart(held)
            if held.rested is not None:
                self.last = held

    def _ripe(self, held: _Held) -> bool:
        """Tell whether no camera can have to tell of anything before it any more; none is waited for too long."""
        waited = (self.now or 0.0) - held.t
        others = [other for other in self._others(held.seat) if self._dark(other) is None]
        if waited < HOLD_S and any(other.at is None or other.at < held.t for other in others):
            return False
        return waited >= PATIENCE_S or not any(_comes_before(held, other.watcher) for other in others)

    def _hidden(self, held: _Held) -> Event:
        """Unite what no camera could see by then."""
        if held.rested is None and held.event["event"] != "chips":
            return {}
        before = held.t if held.rested is None else held.rested
        found = {str(zone) for zone in held.event.get("hidden", ())}  # type: ignore[attr-defined]  # a list
        found |= {zone for other in self._others(held.seat) for zone in self._unseen(other, before)} | self._absent()
        return {"hidden": sorted(found)} if found else {}

    def _unseen(self, seat: _Seat, before: float) -> list[str]:
        """Give the places of a camera to which a card may have come by then that is not told."""
        watcher, dark = seat.watcher, self._dark(seat)
        if dark is None:
            found = watcher.telling.hidden(watcher.hidden, before).get("hidden", [])
            return [*found]  # type: ignore[misc]  # a list
        everywhere = np.ones_like(watcher.felt)
        return [*unseen(watcher.zones, everywhere, watcher.lying.cards, 0)] if dark <= before - APART_S else []

    def _absent(self) -> set[str]:
        """Give the places for cards of cameras that have not shown anything yet."""
        areas = [area for name, part in self.parts.items() if name not in self.seats for area in part.areas]
        return {area.name for area in areas if area.name.endswith(FIRST)}

    def _apart(self, held: _Held) -> Event:
        """Take back that a card was drawn together with the one before it, if another's card came between them."""
        last = self.last
        if "together" in held.event and (last is None or last.seat is not held.seat):
            return {"together": False}
        return {}


def _before(held: _Held, other: _Held) -> bool:
    """Tell whether what has come now happened before what waits already: of cards the one that rested first."""
    if held.rested is not None and other.rested is not None and held.seat is not other.seat:
        return held.rested < other.rested
    return held.t < other.t


def _comes_before(held: _Held, watcher: Watcher) -> bool:
    """Tell whether a camera is about to tell of a card that came to rest before this one."""
    if held.rested is None:
        return False
    likely = any(card.rested < held.rested and card.looks >= LIKELY for card in watcher.lying.coming)
    return likely or any(one.card.rested < held.rested for one in watcher.telling.waiting)


def _named(part: Layout) -> str:
    return ", ".join(named_parts([area.name for area in part.areas]))
