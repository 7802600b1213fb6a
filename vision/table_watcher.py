"""Watching a table: frames in, table events out; the same for live cameras and recorded footage.

What changed and came to rest is looked at with both networks, at full resolution; everything else is known already.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Final

import cv2
import numpy as np

from feltwatch.engine.model.events import Event, Tick
from feltwatch.vision.arrays import Floats, Ints, Mask, Pixels
from feltwatch.vision.detection.roi_detection import Aim, Rect, glimpse, grouped
from feltwatch.vision.detection.still_reader import StillReader
from feltwatch.vision.drawing.view import LyingCard, StandingStack, TableView, quad_of
from feltwatch.vision.events.card_events import CardEvents, TableNow
from feltwatch.vision.events.chip_events import ChipEvents
from feltwatch.vision.events.occlusion import unseen
from feltwatch.vision.geometry.camera import Camera
from feltwatch.vision.geometry.flat_felt import FlatFelt, FlatPart
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.layout.zones import Layout
from feltwatch.vision.motion.camera_monitor import CameraMonitor
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange
from feltwatch.vision.motion.coverage import left_to_others, watched
from feltwatch.vision.motion.hand_attribution import HandAttribution
from feltwatch.vision.scene.explain import LITTLE
from feltwatch.vision.scene.scene import FeltScene
from feltwatch.vision.scene.scene_tracker import SceneTracker
from feltwatch.vision.tracking import piles
from feltwatch.vision.tracking.back_matching import BackMatcher, PileView
from feltwatch.vision.tracking.card_tracker import CardTracker
from feltwatch.vision.tracking.chip_tracker import ChipTracker
from feltwatch.vision.tracking.four_card_hands import are_dealt, sided
from feltwatch.vision.tracking.roi_context import RoiContext
from feltwatch.vision.tracking.track import CardTrack, StackTrack
from feltwatch.vision.tracking.track_changes import TrackChange

LEAST: Final = 22  # points of the small picture: less is no thing
DUE: Final = 0.35  # of a change must not have been looked at just now
ROUND_MM: Final = 70.0  # seen around what changed, so that a card there is seen whole
SMALLEST_PX: Final = 160
LOOKS: Final = 3  # in one frame; what is left waits for the next
WAITS: Final = (0.0, 0.07, 0.07, 0.08, 0.12, 0.2, 0.3, 0.5, 0.8)  # seconds after each look at the same change
STILL_S: Final = 0.2  # before the first look in the midst of a round
SOON_S: Final = 0.1  # a back that was seen once is looked for, if nothing else has led there
SWEEP_S: Final = 0.4
AROUND: Final = np.ones((9, 9), np.uint8)  # points of the small picture around what changed
ZOOMS: Final = (1.0, 1.0, 0.86, 1.16)  # what is looked at again is looked at otherwise
GIVEN_UP: Final = 4  # looks at least, and
GIVEN_UP_S: Final = 1.2  # so long at rest, before what cannot be explained is taken as it is
BUSY: Final = 0.2  # of what is around is in motion: a hand is at work there, and what is to be looked at must be
TURNING: Final = 0.04  # of a hand's place is in motion while its cards are turned
SHOW_S: Final = 0.075  # so often they are looked at
LARGE_MM2: Final = 1800.0  # so large


@dataclass(frozen=True, slots=True)
class Region:
    """What has changed and come to rest in one place."""

    where: Mask
    rect: Rect  # of the whole picture, with room around
    tries: int


class TableWatcher:
    """Holds what is known of one table. It can be pickled; the eyes are then handed in again."""

    def __init__(self, camera: Camera, layout: Layout, eyes: StillReader, *, everywhere: bool = False) -> None:
        self.camera, self.layout, self.eyes = camera, layout, eyes
        self.everywhere = everywhere  # look at every frame in full: slow, to prove that attention misses nothing
        size = (camera.width, camera.height)
        self.attention = ChangeDetector(size)
        self.scene = FeltScene(FlatFelt.of(camera, layout, self.attention.factor))
        classes = eyes.reader.classes
        self.follows_scene = not are_dealt(layout)  # backs on backs are followed by their print
        lying = SceneTracker(layout, classes, self.scene) if self.follows_scene else CardTracker(layout, classes)
        self.lying: CardTracker = lying
        self.stacks = ChipTracker(layout)
        self.sides = HandAttribution(camera, layout, self.attention.size, self.attention.factor)
        self.hanging = CameraMonitor(camera, layout)
        self.backs = BackMatcher(camera, eyes.reader.classes)
        self.telling = CardEvents(layout, eyes.reader.classes)
        self.bets = ChipEvents()
        shape = (self.attention.size[1], self.attention.size[0])
        self.felt = watched(camera, layout, self.attention)
        self.elsewhere = left_to_others(camera, layout, self.attention)
        hands = [area for area in layout.areas if area.for_cards]
        self.zones = {
            area.name: Patch.of(camera.to_picture(area.polygon), self.attention.factor, shape) for area in hands
        }
        self.wait = np.zeros(shape, np.float32)  # until when a change need not be looked at again
        self.tries = np.zeros(shape, np.uint8)
        self.large = LARGE_MM2 * (camera.scale(*layout.middle) / self.attention.factor) ** 2
        self.room = ROUND_MM * camera.scale(*layout.middle) / self.attention.factor
        self.started = False
        self.still_s = 0.0  # so long it is seen what moves before the first look
        self.first: float | None = None  # when the first picture came
        self.sweep = 0.0  # when it is next seen to that no card is believed to lie on bare felt
        self.show = 0.0  # when hands that are being turned are next looked at
        self.looks = 0
        self.hands: tuple[Floats, ...] = ()
        self.hidden: dict[str, float] = {}  # places for cards that cannot be seen, and since when

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "eyes"}

    def restarted(self) -> "TableWatcher":
        """Give one that knows the felt and the chips as this one, and finds the cards again: time went by unseen."""
        found = TableWatcher(self.camera, self.layout, self.eyes, everywhere=self.everywhere)
        found.attention, found.sides, found.hanging = self.attention, self.sides, self.hanging
        found.stacks, found.bets, found.backs, found.lying.sizes = self.stacks, self.bets, self.backs, self.lying.sizes
        found.telling.setting, found.still_s = self.telling.setting, STILL_S
        found.scene.go_on_from(self.scene)
        found.stacks.forget()
        return found

    def step(self, t: float, picture: Pixels, small: Pixels | None = None) -> list[Event]:
        """Take a frame, with its small picture if that was made, and give the table events it brings."""
        if picture.shape[:2] != (self.camera.height, self.camera.width):
            raise ValueError(
                f"expected pictures of {self.camera.width} x {self.camera.height}, "
                f"found {picture.shape[1]} x {picture.shape[0]}"
            )
        sight = self.attention.step(t, picture, small)
        if self.hanging.step(sight, self.attention) or self._settles(t):
            return []  # positions are unknown: no report is better than a wrong one
        self.attention.let_be(sight, self.elsewhere)
        disturbed = sight.changed | sight.moved
        self.sides.step(t, disturbed)
        facts: list[TrackChange] = []
        if not self.started:
            facts = self._begin(sight, picture)
        elif disturbed.any():
            np.copyto(self.tries, 0, where=sight.moved)
            np.copyto(self.wait, 0, where=sight.moved)
            calm = self.attention.calm(t)
            for region in self._regions(sight, calm):
                facts += self._attend(sight, picture, region, calm)
        facts += self._soon(sight, picture)
        facts += self._again(sight, picture)
        facts += self._shown(sight, picture)
        facts += self._altered(sight, picture)
        if (asked := self.telling.asks(t, self.lying)) is not None:
            facts += self._look(sight, picture, self._around(asked), ~self.attention.calm(t), asked)
        if t >= self.sweep:
            self.sweep = t + SWEEP_S
            facts += self._check(sight, picture)
        left = sight.changed | sight.moved  # but for what is understood by now
        self.hidden = {
            name: self.hidden.get(name, t) for name in unseen(self.zones, left, self.lying.cards, self.large)
        }
        now = TableNow(self.lying, self.sides, disturbed, self.hidden)
        events = [*self.telling.facts(t, facts, now, first=not self.started)]
        events += self.telling.passing(t, self.lying, self.hidden)
        if self.lying.cards or not self.telling.clearing:
            hidden = self.telling.hidden(self.hidden, t)
            events += [event._replace(hidden=hidden) for event in self.bets.reports(t, self.stacks, self.sides)]
        self.started = True
        if self._idle(sight):
            self.scene.begin(sight, picture)
            self.attention.renew(sight, self._taken())
            self.tries.fill(0)
            self.wait.fill(0)
            self.sides.over.clear()
            self.lying.forget()
            self.backs.forget()
            self.stacks.forget()
            self.sweep = t + SWEEP_S
        return events

    def _idle(self, sight: FrameChange) -> bool:
        """True if no card lies and nothing happens: then what was before does not matter any more.

        So a replay that begins here goes on as one that has come here from the start.
        """
        busy = self.lying.cards or self.lying.coming or self.stacks.coming or self.stacks.changes or self.telling.left
        if busy or self.telling.dealt or self.stacks.in_doubt(sight.t):
            return False
        return int(np.count_nonzero((sight.changed | sight.moved) & self.felt)) < LEAST

    def tick(self, t: float) -> Tick:
        """Report that nothing happened, as far as can be seen."""
        return Tick(t, self.telling.hidden(self.hidden, inf))

    def _settles(self, t: float) -> bool:
        """True if it is not known yet what moves."""
        self.first = t if self.first is None else self.first
        return t - self.first < self.still_s

    # ---- looking ----------------------------------------------------------------------------------------------------

    def _begin(self, sight: FrameChange, picture: Pixels) -> list[TrackChange]:
        """Look at the whole table once: what lies there already."""
        whole = (0, 0, self.camera.width, self.camera.height)
        seen = glimpse(self.eyes, self.camera, picture, whole, sight.shift, Aim())
        nothing, moving = np.zeros_like(sight.changed), ~self.attention.calm(sight.t)
        look = RoiContext(sight, self.attention, self.sides, picture, seen, nothing, moving, first=True)
        facts = [*self.lying.take(look)]
        self.stacks.take(look)
        taken = np.zeros_like(nothing)
        things: tuple[CardTrack | StackTrack, ...] = (*self.lying.cards, *self.stacks.stacks)
        for thing in things:
            thing.patch.onto(taken)
        for hand in look.hands:
            hand.onto(taken)
        if not self.attention.is_bare.any():
            self.attention.is_bare = ~taken
        self.scene.begin(sight, picture, self.lying.cards)
        return facts

    def _check(self, sight: FrameChange, picture: Pixels) -> list[TrackChange]:
        """See to it that what is believed to lie there does: on bare felt lies nothing, and what shows can be seen."""
        moving = ~self.attention.calm(sight.t)
        facts = [*self.lying.swept(sight, self.attention, moving | sight.changed)]
        card = self.lying.doubtful(sight.t, moving)
        if card is not None:
            facts += self._look(sight, picture, self._around(card), moving, card)
        return facts

    def _soon(self, sight: FrameChange, picture: Pixels) -> list[TrackChange]:
        """Look once more for a back that was seen once: it need not wait for what changes around it."""
        facts: list[TrackChange] = []
        moving = ~self.attention.calm(sight.t)
        backs = [card for card in self.lying.coming if not card.up and card.patch.share(moving) == 0]
        for card in backs:
            if sight.t - card.missed_at >= SOON_S and sight.t >= card.look_at:
                card.look_at = sight.t + SOON_S
                facts += self._look(sight, picture, self._around(card), moving)
        return facts

    def _again(self, sight: FrameChange, picture: Pixels) -> list[TrackChange]:
        """Look at backs over which a hand was: a print laid on its like may change too little to be seen from afar."""
        facts: list[TrackChange] = []
        moving = ~self.attention.calm(sight.t)
        for card in [*piles.stirred(self.lying.cards, self.attention, moving)]:
            if card in self.lying.cards and sight.t >= card.look_at:
                card.looked = 0 if card.met_at > card.look_at else min(card.looked + 1, len(WAITS) - 1)
                card.look_at = sight.t + WAITS[card.looked]
                facts += self._look(sight, picture, self._around(card), moving)
        return facts

    def _altered(self, sight: FrameChange, picture: Pixels) -> list[TrackChange]:
        """Look at stacks that look otherwise than before something was over them."""
        facts: list[TrackChange] = []
        moving = ~self.attention.calm(sight.t)
        for stack in [*self.stacks.checks.differing(self.stacks.stacks, picture, sight, self.attention)]:
            if stack in self.stacks.stacks:
                facts += self._look(sight, picture, self._in(stack.patch), moving)
        return facts

    def _shown(self, sight: FrameChange, picture: Pixels) -> list[TrackChange]:
        """Look at a hand of four that is being turned, though it is in motion."""
        if not (self.telling.fours and self.telling.setting) or sight.t < self.show:
            return []
        cards = self.telling.theirs(self.lying)
        shares = {name: patch.share(sight.moved) for name, patch in self.zones.items()}
        busy = [name for name in shares if shares[name] >= TURNING and self.telling.shown.hides(name, cards)]
        if not busy:
            return []
        self.show = sight.t + SHOW_S
        region = self._in(self.zones[max(busy, key=lambda name: shares[name])])
        return self._look(sight, picture, region, ~self.attention.calm(sight.t))

    def _around(self, card: CardTrack) -> Region:
        return self._in(card.patch)

    def _in(self, patch: Patch) -> Region:
        low = patch.box[1].start, patch.box[0].start
        high = patch.box[1].stop, patch.box[0].stop
        rect = self._rect(np.array([[*low, high[0] - low[0], high[1] - low[1]]]))
        return Region(np.zeros_like(self.felt), rect, 0)

    def _regions(self, sight: FrameChange, calm: Mask) -> Iterator[Region]:
        """Give the places where something changed and is calm, and that were not looked at just now."""
        rest = sight.changed & calm & self.felt
        if self.everywhere:
            yield Region(rest, (0, 0, self.camera.width, self.camera.height), int(self.tries[rest].max(initial=0)))
            return
        ready = rest & (self.wait <= sight.t)
        if np.count_nonzero(ready) < DUE * LEAST:
            return
        joined = cv2.dilate(rest.view(np.uint8), np.ones((5, 5), np.uint8))
        x, y, wide, high = cv2.boundingRect(joined)
        part = slice(y, y + high), slice(x, x + wide)
        count, labels = cv2.connectedComponents(np.ascontiguousarray(joined[part]), connectivity=8)
        inside = rest[part]
        named = labels[inside]
        sizes = np.bincount(named, minlength=count)
        due = np.bincount(labels[ready[part]], minlength=count)
        large = np.flatnonzero((sizes >= LEAST) & (due > 0) & (due >= np.minimum(DUE * sizes, self.large)))
        boxes = np.zeros((count, 4), np.int32)
        for n in large:
            boxes[n] = cv2.boundingRect((labels == n).view(np.uint8))
        boxes[:, :2] += (x, y)
        found = [int(n) for n in large if sizes[n] >= self._least(sight, boxes[n])]
        for group in grouped(found, boxes, self.room)[:LOOKS]:
            where = np.zeros_like(rest)
            mine = np.zeros(count, bool)
            mine[group] = True
            where[part][inside] = mine[named]
            tries = int(np.median(self.tries[where]))
            yield Region(where, self._rect(boxes[group]), tries)

    def _least(self, sight: FrameChange, box: Ints) -> float:
        """Give how much must be at rest to be worth a look: more where a hand is at work."""
        left, top, wide, high = (int(value) for value in box[:4])
        around = sight.moved[max(top - 4, 0) : top + high + 4, max(left - 4, 0) : left + wide + 4]
        return self.large if float(around.mean()) > BUSY else LEAST

    def _rect(self, boxes: Ints) -> Rect:
        """Give the part of the picture around boxes of the small one."""
        factor = self.attention.factor
        low = boxes[:, :2].min(axis=0) * factor
        high = (boxes[:, :2] + boxes[:, 2:4]).max(axis=0) * factor
        middle = self.camera.to_felt([(low + high) / 2])[0]
        room = ROUND_MM * self.camera.scale(float(middle[0]), float(middle[1]))
        low, high = low - room, high + room
        short = np.maximum(SMALLEST_PX - (high - low), 0) / 2
        left, top = np.clip(np.floor(low - short).astype(int), 0, None)
        right, bottom = np.clip(np.ceil(high + short).astype(int), None, [self.camera.width, self.camera.height])
        return int(left), int(top), int(right), int(bottom)

    def _look(
        self, sight: FrameChange, picture: Pixels, region: Region, moving: Mask, sought: CardTrack | None = None
    ) -> list[TrackChange]:
        zoom = 1.0 if self.everywhere else ZOOMS[region.tries % len(ZOOMS)]
        seen = glimpse(self.eyes, self.camera, picture, region.rect, sight.shift, Aim(zoom, self.lying.sizes.usual))
        fours = self.telling.progress(self.lying)
        if self.telling.fours:
            seen = sided(seen, self.layout, self.lying.faces, fours)
        known = (*self.lying.cards, *self.lying.coming)
        shot = PileView(picture, sight.shift, lambda quad: self._still(quad, moving), known)
        seen = self.backs.sharpened(seen, shot)
        if self.telling.fours and self.telling.setting:
            self.telling.shown.keep(sight.t, seen.cards, fours)
        self.looks += 1
        self.hands = seen.hands
        look = RoiContext(
            sight,
            self.attention,
            self.sides,
            picture,
            seen,
            region.where,
            moving,
            sought=sought,
            fours=fours,
            part=self._flat(region.rect),
            read=lambda quads: self.eyes.reader.read(picture, quads - sight.shift),
            again=region.tries > 0,
        )
        facts = [*self.lying.take(look)]
        self.stacks.take(look)
        self._leftover(look, region)
        if self.attention.learnt.any():
            order = sorted(self.lying.cards, key=lambda card: card.layer)
            self.scene.learn(sight, picture, self.attention.learnt, order)
            self.attention.learnt.fill(False)  # noqa: FBT003  what the array is filled with
        return facts

    def _attend(self, sight: FrameChange, picture: Pixels, region: Region, calm: Mask) -> list[TrackChange]:
        """Look at what has changed, unless at full resolution it is no more than light and noise."""
        if self.follows_scene and not self.everywhere:
            near = calm & (cv2.dilate(region.where.view(np.uint8), AROUND) > 0)
            if self.scene.changed(sight, picture, near) < LITTLE:
                self._put_off(region.where, region.tries, sight.t)
                return []
        return self._look(sight, picture, region, ~calm)

    def _flat(self, rect: Rect) -> FlatPart:
        left, top, right, bottom = rect
        edge = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
        return self.scene.felt.around(self.camera.to_felt(edge), 0.0)

    def _still(self, quad: Floats, moving: Mask) -> bool:
        return Patch.of(quad, self.attention.factor, moving.shape).share(moving) <= piles.STIRS

    def _leftover(self, look: RoiContext, region: Region) -> None:
        """Look again at what stays unexplained, less and less often; in the end accept it."""
        left = region.where & ~look.explained
        taken = self._taken()
        back = left & look.bare & ~taken
        if back.any():  # the felt is as it was
            self.attention.understood(look.sight, back)
            look.sight.changed[back] = False
            left &= ~back
        soon = any(thing.missed_at == look.t for thing in self._things())
        tries = self._put_off(left, region.tries, look.t, soon=soon)
        if tries >= GIVEN_UP and not look.glimpse.hands:
            old = left & (self.attention.moved_at < look.t - GIVEN_UP_S) & ~self._awaited()
            self.attention.understood(look.sight, old)
            self.attention.empty(look.sight, old & ~taken)
            self.tries[old] = 0

    def _put_off(self, where: Mask, tries: int, t: float, *, soon: bool = False) -> int:
        """What was looked at so often in vain waits; give how often it was."""
        tries = min(tries + 1, 250)
        self.tries[where] = tries
        self.wait[where] = t + (0.0 if soon else WAITS[min(tries, len(WAITS) - 1)])
        return tries

    def _taken(self) -> Mask:
        taken = np.zeros_like(self.tries, bool)
        for thing in self._things():
            thing.patch.onto(taken)
        return taken

    def _awaited(self) -> Mask:
        """Give where something may have come that is not reported yet."""
        found = np.zeros_like(self.tries, bool)
        for card in self.lying.coming:
            card.patch.onto(found)
        return found

    def _things(self) -> tuple[CardTrack | StackTrack, ...]:
        return (*self.lying.cards, *self.lying.coming, *self.stacks.stacks, *self.stacks.coming)

    # ---- for people -------------------------------------------------------------------------------------------------

    def view(self) -> TableView:
        """Give what is believed to lie there now."""
        cards = tuple(
            LyingCard(card.id, quad_of(card.quad), card.up, card.face, card.zone, card.votes.best[1])
            for card in self.lying.cards
        )
        stacks = tuple(StandingStack(one.spot, one.center, one.radius) for one in self.stacks.stacks)
        return TableView(cards, stacks, tuple(quad_of(hand) for hand in self.hands), self.hanging.doubts())
