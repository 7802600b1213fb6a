"""The cameras over one table as one: each sees its part, and together they give one stream of table events.

Each camera has a watcher of its own, for its part of the layout. Their events are put in the order in which things
happened, under names that do not collide; what no camera sees is reported, and a table is clear when all see it so.

A camera is blind while no usable frame comes, while frames come too seldom to follow a round, and after it was knocked
until it knows again where it hangs. Meanwhile the events of the others wait: which card fell first is not known. If it
sees again soon, and something happened in its part meanwhile, all that waited is reported as of a gap. If not, the
round is lost.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Final

import numpy as np

from feltwatch.edge.config.camera_parts import fit_camera, layout_parts, named_parts
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.pipeline.camera_track import CameraTrack, PendingEvent
from feltwatch.edge.pipeline.reconciler import HANDS_S
from feltwatch.edge.pipeline.scene_diff import id_of
from feltwatch.engine.model.events import Chips, Clear, Correct, Dealt, Event, Gap, Tick
from feltwatch.engine.model.spots import Zone, parse_zone
from feltwatch.vision.arrays import Pixels, PixelSize
from feltwatch.vision.detection.still_reader import StillReader
from feltwatch.vision.drawing.view import TableView
from feltwatch.vision.events.card_events import APART_S, PATIENCE_S
from feltwatch.vision.events.occlusion import FIRST, unseen
from feltwatch.vision.layout.zones import OFF_TABLE, Layout
from feltwatch.vision.table_watcher import STILL_S, TableWatcher

SELDOM_S: Final = 0.4  # between two frames: with three a second rounds are followed, with two they are not
STANDS_S: Final = 10.0  # so long it is reported that frames came too seldom
WHOLE_S: Final = 2.0  # a look at the whole table takes its time
LATE_S: Final = 0.5  # what came so long ago may come from another camera yet
STALL_S: Final = 1.5  # a camera that is so far behind the others is blind
BACK_S: Final = 2.0  # so long after it sees again a camera has found what changed, where no hand is in the way
LOST_S: Final = 8.0  # a camera that is blind for longer is not waited for


class CameraFusion:
    """Holds the watchers of one table's cameras. It can be pickled; `resume` then hands in what is not its own."""

    def __init__(self, table: TableFile, eyes: StillReader, *, everywhere: bool = False) -> None:
        self.table, self.eyes = table, eyes
        self.everywhere = everywhere  # have every watcher look at every frame in full
        self.parts = layout_parts(table.cameras, table.layout)
        self.tracks: dict[str, CameraTrack] = {}
        self.now: float | None = None  # of the newest frame
        self.begun = 0.0
        self.reported = 0.0  # the time of the last event
        self.last: PendingEvent | None = None  # the last card that was reported
        self.waiting: list[PendingEvent] = []
        self.since: float | None = None  # when the table was last seen whole, if it is not, or was not until just now
        self.back: float | None = None  # when it was seen whole again
        self.is_lost = False  # it was not seen whole for so long that the round cannot be known
        self.is_cleared = False  # a camera saw its part clear, and that is not reported yet
        self._looked_whole: dict[str, bool] = {}  # whether the last look of a camera was at the whole table
        self._seldom: dict[str, float] = {}  # when a camera's frames last came too seldom

    def join(self, camera: str, size: PixelSize) -> None:
        """Begin to watch with a camera, now that it is known how large its frames are."""
        part = self.parts.get(camera)
        if part is None:
            return  # it only records
        file = next(one for one in self.table.cameras if one.name == camera)
        watcher = TableWatcher(
            fit_camera(self.table.path, file, size, part).camera, part, self.eyes, everywhere=self.everywhere
        )
        watcher.still_s = STILL_S  # a round may be on: what moves is known before the first look
        suffix = "" if camera == next(iter(self.parts)) else f".{camera}"
        self.tracks[camera] = CameraTrack(camera, watcher, suffix)
        self._looked_whole[camera] = True

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in ("table", "eyes", "parts")}

    def resume(self, table: TableFile, eyes: StillReader) -> None:
        """Go on, as it comes out of a file."""
        self.table, self.eyes = table, eyes
        self.parts = layout_parts(table.cameras, table.layout)
        for track in self.tracks.values():
            track.watcher.eyes = eyes

    # ---- frames -----------------------------------------------------------------------------------------------------

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels | None = None) -> list[Event]:
        """Take a camera's frame, and give the table events that can be reported by now."""
        if camera not in self.tracks:
            self.join(camera, (picture.shape[1], picture.shape[0]))
        track = self.tracks.get(camera)
        self._pass(t)
        if track is not None:
            blind = self._blind_since(track)
            track.is_stale = track.watcher.started and (track.is_stale or blind is not None)
            if track.is_stale and blind is not None:  # it may see again with this very frame
                self.since = blind if self.since is None else min(blind, self.since)
            if track.is_stale and track.watcher.hanging.since is None:
                track.restart(t)
            events = track.watcher.step(t, picture, small)
            track.at, track.blind_since = t, track.watcher.hanging.since
            for event in events:
                self._take(track, event)
        return [*self._report()]

    def check_pace(self, camera: str, t: float) -> None:
        """Find a camera blind whose last frame before this one is too long ago."""
        track = self.tracks.get(camera)
        if track is None or track.at is None:
            return
        if t - track.at > (WHOLE_S if self._looked_whole[camera] else SELDOM_S):
            self.blind(camera, track.at)
            self._seldom[camera] = t
        self._looked_whole[camera] = self._blind_since(track) is not None

    def blind(self, camera: str, t: float) -> None:
        """Know that a camera is blind since then: no frame comes, or none that can be used."""
        track = self.tracks.get(camera)
        if track is not None and track.blind_since is None:
            track.blind_since = t if track.at is None else min(t, track.at)

    def tick(self, t: float) -> Tick | None:
        """Report that nothing happened, as far as can be seen; None while it is not known whether something did."""
        self._pass(t)
        tracks = self.tracks.values()
        late = [one for one in tracks if self._blind_since(one) is None and (one.at or 0.0) < t - LATE_S]
        if late or (self.since is not None and not self.is_lost):
            return None
        found = {zone for track in tracks for zone in self._unseen(track, inf)} | self._absent()
        found |= {pending.zone for pending in self.waiting if pending.zone}
        self.reported = max(self.reported, t)
        return Tick(self.reported, _in_order(found))

    def finish(self) -> list[Event]:
        """Give the events that still wait when the footage ends."""
        lost = [*self._lose()] if self.since is not None and self.back is None and not self.is_lost else []
        found = [*lost, *self._end_outage()] if self.since is not None else []
        return [*found, *self._due(over=True), *self._clear()]

    def view(self, camera: str) -> TableView:
        """Give what a camera believes to lie there now; its cards have the names by which they are reported."""
        track = self.tracks.get(camera)
        if track is None:
            return TableView()
        found = track.watcher.view()
        cards = tuple(replace(card, id=track.name_of(card.id)) for card in found.cards if card.id not in track.twins)
        return replace(found, cards=cards, doubts=self.doubts())

    def doubts(self) -> tuple[str, ...]:
        """Say, for people, what cannot be relied on now."""
        found = []
        for track in self.tracks.values():
            found += [f"camera {track.name!r}: {doubt}" for doubt in track.watcher.hanging.doubts()]
            if self._blind_since(track) is not None:
                found.append(f"camera {track.name!r} sees nothing: unwatched are {_named(self.parts[track.name])}")
        missing = [name for name in self.parts if name not in self.tracks]
        found += [f"camera {name!r} sees nothing yet: unwatched are {_named(self.parts[name])}" for name in missing]
        seldom = [name for name, at in self._seldom.items() if (self.now or 0.0) - at < STANDS_S]
        found += [
            f"camera {name!r}: fewer than 3 frames/s are analysed: rounds will be unresolved; reduce the CPU load"
            for name in seldom
        ]
        return tuple(found)

    # ---- the events of one camera -----------------------------------------------------------------------------------

    def _pass(self, t: float) -> None:
        if self.now is None:
            self.begun = t
        self.now = t if self.now is None else max(self.now, t)

    def _blind_since(self, track: CameraTrack) -> float | None:
        """Give since when a camera is blind, if it is."""
        if track.blind_since is not None or self.now is None:
            return track.blind_since
        at = self.begun if track.at is None else track.at
        return at if self.now - at > STALL_S else None

    def _take(self, track: CameraTrack, event: Event) -> None:
        """Take over an event of a camera, under the names that all know."""
        if track.before is not None and not self.is_lost:
            track.after.append(event)  # what changed is reported when it is clear what lies there
            return
        if isinstance(event, Clear):
            self.is_cleared = True
            track.names.clear()
            track.twins.clear()
            return
        own = id_of(event)
        if own in track.twins:
            return
        if isinstance(event, Dealt):
            others = [*self._others(track)]
            if any(track.is_twin(event.id, other) for other in others):
                return
            if self.is_lost:
                event = event._replace(found=False)  # nothing is judged anyway, before the table is clear
            if not event.found:
                event = next((moved for other in others if (moved := track.moved_from(other, event))), event)
        pending = PendingEvent(track, track.named(event))
        place = next((n for n, one in enumerate(self.waiting) if pending.is_before(one)), len(self.waiting))
        self.waiting.insert(place, pending)

    def _others(self, track: CameraTrack) -> Iterator[CameraTrack]:
        return (other for other in self.tracks.values() if other is not track)

    # ---- outages ----------------------------------------------------------------------------------------------------

    def _report(self) -> Iterator[Event]:
        """Give the events that are due, minding whether the whole table is seen."""
        now = self.now or 0.0
        blind = [since for track in self.tracks.values() if (since := self._blind_since(track)) is not None]
        blind += [self.begun for name in self.parts if name not in self.tracks]
        if blind:
            self.since, self.back = min([*blind, *([] if self.since is None else [self.since])]), None
            if now - self.since > LOST_S and not self.is_lost:
                yield from self._lose()
        elif self.since is not None:
            self.back = now if self.back is None else self.back
            waited = now - self.back
            if waited > HANDS_S or (waited > BACK_S and not any(map(self._is_hidden, self.tracks.values()))):
                yield from self._end_outage()
        if self.since is not None and not self.is_lost:
            return
        yield from self._due()
        yield from self._clear()

    def _clear(self) -> Iterator[Event]:
        """Report that the table is clear, once a camera said so and no camera has cards left."""
        if self.is_cleared and self.since is None and not any(track.has_cards for track in self.tracks.values()):
            self.is_cleared = False
            yield from self._due(over=True)
            self.reported = max(self.reported, self.now or 0.0)
            yield Clear(self.reported)

    def _is_hidden(self, track: CameraTrack) -> bool:
        """True if a card that lay there before, and is not found, may lie under what hides it."""
        missed = track.missed()
        return bool(missed) and not missed.isdisjoint(self._unseen(track, inf))

    def _lose(self) -> Iterator[Event]:
        """Report that the round cannot be known any more; the events that waited are of no use."""
        blind = [track.name for track in self.tracks.values() if self._blind_since(track) is not None]
        blind += [name for name in self.parts if name not in self.tracks]
        why = f"{', '.join(_named(self.parts[name]) for name in blind)} were not seen"
        yield self._gap(self.now or 0.0)._replace(lost=True, why=why)
        self.is_lost = self.is_cleared = True

    def _end_outage(self) -> Iterator[Event]:
        """The table is seen whole again: report the changes, all at one moment, and the events that waited."""
        back, tracks = self.back or 0.0, [track for track in self.tracks.values() if track.before is not None]
        found = [(track, *track.changes([*self._others(track)])) for track in tracks if not self.is_lost]
        changed = [event for _, unseen, _ in found for event in unseen]
        if changed:
            waited = [pending for pending in self.waiting if pending.happened <= back]
            self.waiting = [pending for pending in self.waiting if pending not in waited]
            yield self._gap(back)
            self.is_cleared = self.is_cleared or any(track.had_cards for track in tracks)
            events = [pending.event for pending in waited] + changed
            for event in sorted(events, key=lambda one: isinstance(one, Correct)):
                yield self._in_gap(event)
            if self.is_cleared and not any(track.had_cards_at(back) for track in self.tracks.values()):
                self.is_cleared = False
                yield Clear(self.reported)
        self.since, self.back, self.is_lost = None, None, False
        for track in tracks:
            track.before = None
        for track, _, since in found:
            for event in since:
                self._take(track, event)

    def _gap(self, t: float) -> Gap:
        before, self.reported = self.reported, max(self.reported, t)
        return Gap(self.reported, max(self.since or 0.0, before))

    def _in_gap(self, event: Event) -> Event:
        """Give an event as unseen: at the time of the gap, in an unknown order."""
        if isinstance(event, Dealt):
            event = event._replace(order_lost=False)
        if isinstance(event, Dealt | Chips):
            event = event._replace(hidden=())
        return event._replace(t=self.reported)

    # ---- what is due ------------------------------------------------------------------------------------------------

    def _due(self, *, over: bool = False) -> Iterator[Event]:
        while self.waiting and (over or self._is_ripe(self.waiting[0])):
            pending = self.waiting.pop(0)
            self.reported = max(self.reported, pending.t)
            event = pending.event._replace(t=self.reported)
            if isinstance(event, Dealt | Chips):
                event = event._replace(hidden=self._hidden(event, pending))
            if isinstance(event, Dealt):
                # a card was not drawn together with the one before it if another camera's card came between them
                alone = self.last is None or self.last.track is not pending.track
                event = event._replace(order_lost=event.order_lost and not alone)
                self.last = pending
            yield event

    def _is_ripe(self, pending: PendingEvent) -> bool:
        """True if no camera can have to report anything before it any more; none is waited for too long."""
        others = [other for other in self._others(pending.track) if self._blind_since(other) is None]
        if any(other.at is None or other.at < pending.t for other in others):
            return False
        waited = (self.now or 0.0) - pending.t
        return waited >= PATIENCE_S or not any(other.comes_before(pending) for other in others)

    def _hidden(self, event: Dealt | Chips, pending: PendingEvent) -> tuple[Zone, ...]:
        """Unite the places that no camera could see by then."""
        before = pending.happened
        unseen_by_others = {zone for other in self._others(pending.track) for zone in self._unseen(other, before)}
        return _in_order({*event.hidden} | unseen_by_others | self._absent())

    def _unseen(self, track: CameraTrack, before: float) -> tuple[Zone, ...]:
        """Give the places of a camera to which a card may have come by then that is not reported."""
        watcher, blind = track.watcher, self._blind_since(track)
        if blind is None:
            return watcher.telling.hidden(watcher.hidden, before)
        everywhere = np.ones_like(watcher.felt)
        names = unseen(watcher.zones, everywhere, watcher.lying.cards, 0) if blind <= before - APART_S else ()
        return tuple(map(parse_zone, names))

    def _absent(self) -> set[Zone]:
        """Give the places for cards of cameras that have not shown anything yet."""
        areas = [area for name, part in self.parts.items() if name not in self.tracks for area in part.areas]
        return {parse_zone(area.name) for area in areas if area.name.endswith(FIRST)}


def _in_order(zones: set[Zone]) -> tuple[Zone, ...]:
    return tuple(sorted(zones, key=lambda zone: zone.text))


def _named(part: Layout) -> str:
    return ", ".join(named_parts([area.name for area in part.areas if area.name not in OFF_TABLE]))
