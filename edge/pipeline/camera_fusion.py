"""Several cameras over one table: what each sees of its part, told as one stream of table events.

Each camera has a watcher of its own, for its part of the layout. What they tell is put in the order in which it
happened, under names that do not collide; what nobody sees is said, and a table is clear when all see it so.

While a camera sees nothing, what the others tell waits for it: which card fell first is not known. If it sees again
soon, and something happened in its part meanwhile, all that waited is told as of a gap. If not, the round is lost.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf
from typing import Final

import numpy as np

from feltwatch.edge.config.camera_parts import Size, fit_camera, layout_parts, named_parts
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.pipeline.camera_track import Held, Seat
from feltwatch.edge.pipeline.meanwhile import CAME
from feltwatch.edge.pipeline.reconciling import HANDS_S
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.still_reader import Eyes
from feltwatch.vision.drawing.view import View
from feltwatch.vision.events.card_events import APART_S, PATIENCE_S, Event
from feltwatch.vision.events.occlusion import FIRST, unseen
from feltwatch.vision.layout.zones import OFF_TABLE, Layout
from feltwatch.vision.table_watcher import Watcher

LATE_S: Final = 0.5  # what came so long ago may come from another camera yet
STALL_S: Final = 1.5  # a camera that is so far behind the others sees nothing
BACK_S: Final = 2.0  # so long after it sees again a camera has told what came meanwhile, where no hand is in the way
LEFT_OUT: Final = ("t", "together", "hidden")  # of what came unseen
LOST_S: Final = 8.0  # what was not seen for longer is not waited for


class Joined:
    """Holds the watchers of one table's cameras. It can be pickled; the eyes are then handed in again."""

    def __init__(self, table: TableFile, sizes: Mapping[str, Size], eyes: Eyes) -> None:
        self.table, self.eyes_of_all = table, eyes
        self.parts = layout_parts(table.cameras, table.layout)
        self.seats: dict[str, Seat] = {}
        for name, size in sizes.items():
            self.join(name, size)
        self.now: float | None = None  # of the newest picture
        self.begun = 0.0
        self.told = 0.0  # the time of the last event
        self.last: Held | None = None  # the last card that was told
        self.waiting: list[Held] = []
        self.since: float | None = None  # when it was last seen whole, if it is not, or was not until just now
        self.back: float | None = None  # when it was seen whole again
        self.lost = False  # for so long that nobody can tell what happened
        self.cleared = False  # a camera saw its part clear, and that is not told yet

    def join(self, camera: str, size: Size) -> None:
        """Begin to watch with a camera, now that it is known how large its pictures are."""
        part = self.parts.get(camera)
        if part is None:
            return  # it only records
        file = next(one for one in self.table.cameras if one.name == camera)
        watcher = Watcher(fit_camera(self.table.path, file, size, part).camera, part, self.eyes)
        self.seats[camera] = Seat(camera, watcher, "" if camera == next(iter(self.parts)) else f".{camera}")

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

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels | None = None) -> list[Event]:
        """Take a camera's frame, and give the table events that can be told by now."""
        seat = self.seats.get(camera)
        self._passed(t)
        if seat is not None:
            dark = self._dark(seat)
            seat.stale = seat.watcher.started and (seat.stale or dark is not None)
            if seat.stale and dark is not None:  # it may see again with this very picture
                self.since = dark if self.since is None else min(dark, self.since)
            if seat.stale and seat.watcher.hanging.since is None:
                seat.renew(t)
            events = seat.watcher.step(t, picture, small)
            seat.at, seat.dark = t, seat.watcher.hanging.since
            for event in events:
                self._take(seat, event)
        return [*self._tells()]

    def blind(self, camera: str, t: float) -> None:
        """Know that a camera sees nothing since then: no picture comes, or none that can be used."""
        seat = self.seats.get(camera)
        if seat is not None and seat.dark is None:
            seat.dark = t if seat.at is None else min(t, seat.at)

    def sees(self, camera: str, t: float) -> None:
        """Know that a camera sees again from then on."""
        seat = self.seats.get(camera)
        if seat is not None and seat.dark is not None:
            seat.dark, seat.at, seat.stale = None, t, True

    def wait(self, t: float) -> list[Event]:
        """Let time pass, and give the table events that can be told by now."""
        self._passed(t)
        return [*self._tells()]

    def tick(self, t: float) -> Event | None:
        """Say that nothing happened, as far as can be seen; nothing while it is not known whether something did."""
        self._passed(t)
        late = [seat.at for seat in self.seats.values() if self._dark(seat) is None and (seat.at or 0.0) < t - LATE_S]
        if late or (self.since is not None and not self.lost):
            return None
        found = {zone for seat in self.seats.values() for zone in self._unseen(seat, inf)} | self._absent()
        found |= {held.zone for held in self.waiting if held.zone}
        self.told = max(self.told, t)
        return {"t": self.told, "event": "tick", **({"hidden": sorted(found)} if found else {})}

    def finish(self) -> list[Event]:
        """Tell what is still held when the footage ends."""
        for seat in self.seats.values():
            for event in seat.watcher.finish():
                self._take(seat, event)
        lost = [*self._loses()] if self.since is not None and self.back is None and not self.lost else []
        found = [*lost, *self._over()] if self.since is not None else []
        return [*found, *self._due(over=True)]

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

    # ---- what a camera tells ----------------------------------------------------------------------------------------

    def _passed(self, t: float) -> None:
        if self.now is None:
            self.begun = t
        self.now = t if self.now is None else max(self.now, t)

    def _dark(self, seat: Seat) -> float | None:
        """Give since when a camera sees nothing, if it does not."""
        if seat.dark is not None or self.now is None:
            return seat.dark
        at = self.begun if seat.at is None else seat.at
        return at if self.now - at > STALL_S else None

    def _take(self, seat: Seat, event: Event) -> None:
        """Take over what a camera tells, under the names that all know."""
        t, own = float(str(event["t"])), event.get("id")
        if seat.before is not None and not self.lost:
            seat.after.append(event)  # what changed is told when it is clear what lies there
            return
        if event["event"] == "clear":
            self.cleared = True
            seat.names.clear()
            seat.twins.clear()
            return
        if self.lost:
            event.pop("found", None)  # nothing is judged anyway, before the table is clear
        came = event["event"] == "card"
        if own in seat.twins or (came and any(seat.is_twin(str(own), other) for other in self._others(seat))):
            return
        if came and not event.get("found"):
            event = next((moved for other in self._others(seat) if (moved := seat.moved(event, other))), event)
        if own is not None:
            event = event | {"id": seat.called(str(own))}
        rested = float(str(event["rested"])) if event["event"] == "card" else None
        held = Held(seat, event, t, rested)
        place = next((n for n, one in enumerate(self.waiting) if held.before(one)), len(self.waiting))
        self.waiting.insert(place, held)

    def _others(self, seat: Seat) -> Iterator[Seat]:
        return (other for other in self.seats.values() if other is not seat)

    # ---- what nobody saw --------------------------------------------------------------------------------------------

    def _tells(self) -> Iterator[Event]:
        """Tell what can be told, minding whether the whole table is seen."""
        now = self.now or 0.0
        dark = [since for seat in self.seats.values() if (since := self._dark(seat)) is not None]
        dark += [self.begun for name in self.parts if name not in self.seats]
        if dark:
            self.since, self.back = min([*dark, *([] if self.since is None else [self.since])]), None
            if now - self.since > LOST_S and not self.lost:
                yield from self._loses()
        elif self.since is not None:
            self.back = now if self.back is None else self.back
            waited = now - self.back
            if waited > HANDS_S or (waited > BACK_S and not any(map(self._is_hidden, self.seats.values()))):
                yield from self._over()
        if self.since is not None and not self.lost:
            return
        yield from self._due()
        if self.cleared and self.since is None and not any(seat.has_cards for seat in self.seats.values()):
            self.cleared = False
            yield from self._due(over=True)
            self.told = max(self.told, now)
            yield {"t": self.told, "event": "clear"}

    def _is_hidden(self, seat: Seat) -> bool:
        """Tell whether a card that lay there before, and is not found, may lie under what hides it."""
        missed = seat.missed()
        return bool(missed) and not missed.isdisjoint(self._unseen(seat, inf))

    def _loses(self) -> Iterator[Event]:
        """Tell that what happened nobody can tell any more; what waited is of no use."""
        dark = [seat.name for seat in self.seats.values() if self._dark(seat) is not None]
        dark += [name for name in self.parts if name not in self.seats]
        why = f"nobody saw {', '.join(_named(self.parts[name]) for name in dark)}"
        yield self._gap(self.now or 0.0) | {"lost": True, "why": why}
        self.lost = self.cleared = True

    def _over(self) -> Iterator[Event]:
        """The table is seen whole again: tell what happened unseen, all at one moment, and what waited with it."""
        back, seats = self.back or 0.0, [seat for seat in self.seats.values() if seat.before is not None]
        told = [(seat, *seat.meanwhile([*self._others(seat)])) for seat in seats if not self.lost]
        changed = [event for _, unseen, _ in told for event in unseen]
        unseen = [held for held in self.waiting if held.happened <= back] if changed else []
        if changed:
            yield self._gap(back)
            self.cleared = self.cleared or any(seat.had_cards for seat in seats)
            self.waiting = [held for held in self.waiting if held not in unseen]
            for event in sorted([held.event for held in unseen] + changed, key=lambda one: one["event"] not in CAME):
                yield {"t": self.told} | {name: event[name] for name in event if name not in LEFT_OUT}
            if self.cleared and not any(seat.had_cards_at(back) for seat in self.seats.values()):
                self.cleared = False
                yield {"t": self.told, "event": "clear"}
        self.since, self.back, self.lost = None, None, False
        for seat in seats:
            seat.before = None
        for seat, _, since in told:
            for event in since:
                self._take(seat, event)

    def _gap(self, t: float) -> Event:
        before, self.told = self.told, max(self.told, t)
        return {"t": self.told, "event": "gap", "since": max(self.since or 0.0, before)}

    # ---- what can be told -------------------------------------------------------------------------------------------

    def _due(self, *, over: bool = False) -> Iterator[Event]:
        while self.waiting and (over or self._ripe(self.waiting[0])):
            held = self.waiting.pop(0)
            self.told = max(self.told, held.t)
            yield held.event | {"t": self.told} | self._hidden(held) | self._apart(held)
            if held.rested is not None:
                self.last = held

    def _ripe(self, held: Held) -> bool:
        """Tell whether no camera can have to tell of anything before it any more; none is waited for too long."""
        others = [other for other in self._others(held.seat) if self._dark(other) is None]
        if any(other.at is None or other.at < held.t for other in others):
            return False
        waited = (self.now or 0.0) - held.t
        return waited >= PATIENCE_S or not any(other.comes_before(held) for other in others)

    def _hidden(self, held: Held) -> Event:
        """Unite what no camera could see by then."""
        if held.rested is None and held.event["event"] != "chips":
            return {}
        before = held.t if held.rested is None else held.rested
        found = {str(zone) for zone in held.event.get("hidden", ())}  # type: ignore[attr-defined]  # a list
        found |= {zone for other in self._others(held.seat) for zone in self._unseen(other, before)} | self._absent()
        return {"hidden": sorted(found)} if found else {}

    def _unseen(self, seat: Seat, before: float) -> list[str]:
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

    def _apart(self, held: Held) -> Event:
        """Take back that a card was drawn together with the one before it, if another's card came between them."""
        last = self.last
        if "together" in held.event and (last is None or last.seat is not held.seat):
            return {"together": False}
        return {}


def _named(part: Layout) -> str:
    return ", ".join(named_parts([area.name for area in part.areas if area.name not in OFF_TABLE]))
