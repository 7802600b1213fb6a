"""The scene: felt, and cards on it in the order in which they lie, as they look from straight above.

It tells how the table would look if some of the cards were gone: as it was last seen where the same thing shows, and
else as the card or the felt below looked when it was last seen.
"""

from collections.abc import Collection, Sequence
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Ints16, Mask, Pixels
from feltwatch.vision.geometry.flat_felt import FlatFelt, FlatPart
from feltwatch.vision.motion.change_detector import FrameChange
from feltwatch.vision.tracking.card_look import CardLook
from feltwatch.vision.tracking.track import CardTrack

SOFT: Final = 1.0  # millimetres by which pictures are blurred before they are compared
NOISE: Final = 9.0  # grey levels: less is noise
PLAIN: Final = 38.0  # so many more are a change beyond doubt
ALIKE: Final = 22.0  # grey levels: what differs by less tells how the light has changed
SHADE: Final = (0.7, 1.4)  # so much darker or lighter may what shows be than when it was last seen
DARK, BRIGHT = 25.0, 235.0
SPARSE: Final = 4  # millimetres between the points that tell it
FEW: Final = 40  # such points at least
HOW_WRONG: Final = np.clip((np.arange(256) - NOISE) / PLAIN, 0, 1).astype(np.float32)  # by grey levels
GREYS: Final = np.arange(256.0)[:, None, None]
UNSEEN: Final = 0.3  # a point that was never seen is neither like nor unlike
BARE: Final = -1  # owned by no card
EDGE: Final = np.ones((3, 3), np.uint8)  # an edge may be seen a pixel further


class FeltScene:
    def __init__(self, felt: FlatFelt) -> None:
        self.felt = felt
        self._known: Pixels | None = None  # as it looked when it was last understood
        self._first: tuple[Pixels, tuple[float, float], float] | None = None
        self.ground: Pixels | None = None  # as it looked where no card lay
        self.is_ground: Mask | None = None
        self.unknown = np.zeros((felt.size[1], felt.size[0]), bool)  # what shows there has changed and was not seen yet

    def forget(self, card: CardTrack) -> None:
        """A card has come to lie: how it looks there is not known yet."""
        part = self.felt.around(self.felt.camera.to_felt(card.quad), 3.0)
        fill(self.unknown[part], self.outline(card, part), 1)

    def sharp(self, sight: FrameChange, picture: Pixels, part: FlatPart) -> Pixels:
        """Give a part of the felt as it looks now."""
        return _lit(self.felt.cut(picture, sight.shift, part), sight.gain)

    def begin(self, sight: FrameChange, picture: Pixels, cards: Sequence[CardTrack] = ()) -> None:
        """All that lies there now is what is known: felt, but for some cards."""
        self._known, self._first = None, (picture.copy(), sight.shift, sight.gain)
        if not cards:
            self.ground = self.is_ground = None
        elif self.ground is None:
            for card in cards:
                part = self.felt.around(self.felt.camera.to_felt(card.quad), 3.0)
                fill(self.grounds()[1][part], self.outline(card, part), 0)
        self.unknown.fill(False)  # noqa: FBT003  what the array is filled with

    def go_on_from(self, other: "FeltScene") -> None:
        """Know the bare felt as it was known before time went by unseen."""
        if other.begun:
            self.ground, self.is_ground = other.grounds()

    @property
    def begun(self) -> bool:
        return self._first is not None

    @property
    def known(self) -> Pixels:
        if self._known is None:
            assert self._first is not None  # noqa: S101  begun
            picture, shift, gain = self._first
            self._known = _lit(self.felt.cut(picture, shift, (slice(None), slice(None))), gain)
        return self._known

    def grounds(self) -> tuple[Pixels, Mask]:
        """Give the felt without cards, and where it is known."""
        if self.ground is None or self.is_ground is None:
            self.ground, self.is_ground = self.known.copy(), np.ones(self.known.shape[:2], bool)
        return self.ground, self.is_ground

    def part(self, where: Mask, room: float = 4.0) -> FlatPart:
        """Give the part of the felt around what a mask of the small picture marks."""
        left, top, wide, high = cv2.boundingRect(where.view(np.uint8))
        x, y = np.array([left, left + wide / 2, left + wide]), np.array([top, top + high / 2, top + high])
        edge = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2) * self.felt.factor - 0.5
        return self.felt.around(self.felt.camera.to_felt(edge), room)

    def corner(self, part: FlatPart) -> Floats:
        """Give the point of the felt at the first pixel of a part."""
        return np.array([self.felt.low[0] + part[1].start, self.felt.low[1] + part[0].start], np.float64)

    def outline(self, card: CardTrack, part: FlatPart) -> Floats:
        return np.asarray(self.felt.camera.to_felt(card.quad) - self.corner(part))

    # ---- what is seen -----------------------------------------------------------------------------------------------

    def now(self, sight: FrameChange, picture: Pixels, part: FlatPart) -> Pixels:
        """Give a part of the felt as it looks now, in the light of what is known."""
        then, now = _soft(self.known[part]), _soft(self.sharp(sight, picture, part))
        before, here = then[::SPARSE, ::SPARSE], now[::SPARSE, ::SPARSE]
        same = (_most(_apart(here, before)) < ALIKE) & (_least(before) > DARK) & (_most(before) < BRIGHT)
        if np.count_nonzero(same) < FEW:
            return now
        light = np.median(before[same] / np.maximum(here[same], 1.0), axis=0)
        return np.asarray(cv2.LUT(now, np.clip(GREYS * light, 0, 255).astype(np.uint8)), np.uint8)

    def changed(self, sight: FrameChange, picture: Pixels, where: Mask) -> float:
        """Give how many square millimetres look otherwise than they are known, within a mask of the small picture."""
        part = self.part(where)
        wrong, _ = self.without(self.now(sight, picture, part), part, (), ())
        rows, columns = self.felt.small(part)
        return float(opened(wrong * where[rows, columns]).sum())

    def owners(self, cards: Sequence[CardTrack], part: FlatPart) -> Ints16:
        """Say which of some cards, in the order in which they lie, shows at each point; BARE where none does."""
        found = np.full((part[0].stop - part[0].start, part[1].stop - part[1].start), BARE, np.int16)
        for n, card in enumerate(cards):
            fill(found, self.outline(card, part), n)
        return found

    def without(
        self, now: Pixels, part: FlatPart, cards: Sequence[CardTrack], gone: Collection[CardTrack]
    ) -> tuple[Floats32, Ints16]:
        """Say of each point how wrong it would look, from 0 to 1, if some cards were gone; and what shows there."""
        before = self.owners(cards, part)
        then = self.known[part]
        blind = np.zeros(before.shape, bool)
        after = before
        if gone:
            order = [card for card in cards if card not in gone]
            numbers = np.array([BARE, *(cards.index(card) for card in order)], np.int16)
            after = numbers[self.owners(order, part) + 1]
            other = after != before
            below, seen = self._painted(part, cards, after, other)
            for card in gone:
                inside = np.zeros(before.shape, bool)
                fill(inside, self.outline(card, part), 1)
                _relight(below, now, inside & other & seen)
            then = np.where(other[..., None], below, then)
            blind = other & ~seen
        pale = _soft(then)
        low, high = np.asarray(cv2.erode(pale, EDGE), np.uint8), np.asarray(cv2.dilate(pale, EDGE), np.uint8)
        found = HOW_WRONG[_most(np.asarray(cv2.max(cv2.subtract(now, high), cv2.subtract(low, now)), np.uint8))]
        found[blind] = UNSEEN
        found[self.unknown[part]] = 0
        return found, after

    def _painted(self, part: FlatPart, cards: Sequence[CardTrack], owner: Ints16, where: Mask) -> tuple[Pixels, Mask]:
        """Give how the felt and cards look that were not seen last, as far as they ever were."""
        ground, is_ground = self.grounds()
        found, seen = ground[part].copy(), is_ground[part].copy()
        for n in np.unique(owner[where]).tolist():
            if n == BARE:
                continue
            mine = where & (owner == n)
            look = cards[n].look
            seen[mine] = False
            if look is None:
                continue
            home = self.upright(cards[n], part, look.picture.shape)
            size = (owner.shape[1], owner.shape[0])
            picture = cv2.warpAffine(look.picture, home, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
            was = cv2.warpAffine(look.seen.view(np.uint8), home, size, flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP)
            found[mine] = picture[mine]
            seen[mine] = was[mine] > 0
        return found, seen

    def upright(self, card: CardTrack, part: FlatPart, shape: tuple[int, ...]) -> Floats:
        """Give the way from points of a part to those of a card's own picture."""
        a, b, _, d = self.outline(card, part)
        source = np.array([a, b, d], np.float32)
        goal = np.array([[0, 0], [shape[1], 0], [0, shape[0]]], np.float32) - np.float32(0.5)
        return np.asarray(cv2.getAffineTransform(source, goal), np.float64)

    # ---- what is learnt ---------------------------------------------------------------------------------------------

    def learn(self, sight: FrameChange, picture: Pixels, where: Mask, cards: Sequence[CardTrack]) -> None:
        """What lies within a mask of the small picture now is what is known of it; the cards are in their order."""
        part = self.part(where)
        rows, columns = self.felt.small(part)
        self.take(part, _lit(self.felt.cut(picture, sight.shift, part), sight.gain), where[rows, columns], cards)

    def take(self, part: FlatPart, now: Pixels, mine: Mask, cards: Sequence[CardTrack]) -> None:
        """What shows at points of a part is what is known of it, and of the card or the felt that shows there."""
        ground, is_ground = self.grounds()
        self.known[part][mine] = now[mine]
        self.unknown[part][mine] = False
        owner = self.owners(cards, part)
        bare = mine & (cv2.dilate((owner != BARE).astype(np.uint8), EDGE) == 0)
        ground[part][bare] = now[bare]
        is_ground[part][bare] = True
        for n in np.unique(owner[mine]).tolist():
            if n != BARE:
                self._cut(cards[n], part, now, mine & (owner == n))

    def _cut(self, card: CardTrack, part: FlatPart, now: Pixels, mine: Mask) -> None:
        """Keep what shows of a card."""
        sides = np.hypot(*(np.roll(self.outline(card, part), -1, axis=0) - self.outline(card, part)).T)
        shape = (round(float(sides[[1, 3]].mean())), round(float(sides[[0, 2]].mean())))
        if card.look is None or card.look.picture.shape[:2] != shape:
            card.look = CardLook(np.zeros((*shape, 3), np.uint8), np.zeros(shape, bool))
        home, size = self.upright(card, part, shape), (shape[1], shape[0])
        shown = cv2.warpAffine(mine.view(np.uint8), home, size, flags=cv2.INTER_NEAREST) > 0
        card.look.picture[shown] = cv2.warpAffine(now, home, size, flags=cv2.INTER_LINEAR)[shown]
        card.look.seen |= shown


def fill(into: Ints16 | Floats32 | Pixels | Mask, points: Floats, value: int) -> None:
    """Fill an outline."""
    mask = np.zeros(into.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(points * 16).astype(np.int32)], 1, shift=4)
    into[mask > 0] = value


def opened(change: Floats32) -> Floats32:
    """Leave out what is no wider than a pixel or two."""
    return np.asarray(cv2.morphologyEx(change, cv2.MORPH_OPEN, EDGE), np.float32)


def _relight(then: Pixels, now: Pixels, where: Mask) -> None:
    """Show in the light of now what was last seen in another: a shade changes all colours alike."""
    if np.count_nonzero(where) >= FEW:
        before, here = then[where].astype(np.float32), now[where].astype(np.float32)
        light = float(np.median(here.sum(axis=1) / np.maximum(before.sum(axis=1), 1)))
        if SHADE[0] <= light <= SHADE[1]:
            then[where] = np.clip(before * light, 0, 255)


def _soft(picture: Pixels) -> Pixels:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), SOFT), np.uint8)


def _apart(one: Pixels, other: Pixels) -> Pixels:
    return np.asarray(cv2.absdiff(one, other), np.uint8)


def _most(picture: Pixels) -> Pixels:
    """Give the largest of the three colours."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _least(picture: Pixels) -> Pixels:
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)


def _lit(picture: Pixels, gain: float) -> Pixels:
    return picture if gain == 1 else np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)
