"""What happened where the table has changed: the cards that left and those that came that leave least unexplained."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Ints16, Mask, Pixels
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.geometry.flat_felt import FlatPart
from feltwatch.vision.scene.rectangle_search import CardPose, RectangleSearch, Size, corners, lump
from feltwatch.vision.scene.scene import BARE, FeltScene, fill, opened
from feltwatch.vision.tracking.roi_context import ReadFaces
from feltwatch.vision.tracking.track import CardTrack, bearing, distance

# What stories cost, in square millimetres of change that they leave unexplained.
NEW: Final = 200.0
READ_NEW: Final = 30.0  # whose face is read for certain, and no other's near it
TWIN: Final = 300.0  # whose face another near it bears that stays
GONE: Final = 150.0
MOVED: Final = 220.0
TURNED: Final = 220.0
HIDDEN: Final = 300.0  # for each card that showed and does so no more
SHOWED_MM2, LEFT_MM2 = 1200.0, 600.0  # it showed so much, and less than so much is left
GAIN: Final = 40.0  # a story explains so much more than "nothing happened", or it is none
MARGIN: Final = 40.0  # and so much more than the next one
LEAST: Final = 200.0  # of change; less is no card
LITTLE: Final = 80.0  # the same where a face is read that was not there
CONCERNED: Final = 150.0  # of a card that shows has changed
IN_PART: Final = 0.25  # the same of one that hardly shows
SOME: Final = 40.0
SETS: Final = 12  # of cards that may have left
LUMPS: Final = 2  # changes that are searched for cards at once
PLACED: Final = 4  # cards that came at once
SURE: Final = 0.94
UNREAD: Final = 0.1  # of a card's place is not explained where no face is read
NO_CARD: Final = 1500.0  # what the reader takes for none
TURN_MM: Final = 110.0  # a card is turned so near
SAME_MM, SAME_DEG = 3.0, 4.0  # a card lies as it did
FREE: Final = 0.55  # of a card's place is seen
PART: Final = 0.2  # the same of one that the networks read for certain
ALL: Final = 0.93  # the same of one that the networks do not find
WRONG: Final = 0.2  # of the place of a card that left looks otherwise than the story says
CHIP_MM: Final = 28.0
NEAR_MM: Final = 95.0


@dataclass(slots=True, eq=False)
class Placement:
    """A card as it may have come to lie."""

    quad: Floats  # pixels of the first picture
    place: tuple[float, float]
    angle: float
    up: bool
    faces: Floats
    outline: Floats  # in the part
    cost: float  # of its place that it does not explain
    seen: CardGlimpse | None = None
    edge: float = 0.0  # of its edge is no paper
    paper: float = 0.0  # how light its edge is

    @property
    def best(self) -> int:
        return int(self.faces.argmax())


@dataclass(frozen=True, slots=True)
class Story:
    gone: tuple[CardTrack, ...]
    placed: tuple[Placement, ...]
    was: tuple[CardTrack | None, ...]  # which card that left each placed one is
    cost: float
    sound: bool = True  # where cards left, it is seen well that they did

    def differs(self, other: "Story") -> bool:
        return self.tells() != other.tells()

    def tells(self) -> tuple[frozenset[int], frozenset[tuple[int, int, int]]]:
        at = frozenset((round(one.place[0] / 8), round(one.place[1] / 8), one.best) for one in self.placed)
        return frozenset(id(card) for card in self.gone), at


@dataclass(frozen=True)
class View:
    """A part of the felt as it looks now, and what is known and seen of it."""

    now: Pixels
    part: FlatPart
    free: Mask  # what is to be explained: near what has changed, at rest, and no hand
    rest: Mask  # all that is at rest, and no hand
    cards: Sequence[CardTrack]  # that lie there, in their order
    seen: Sequence[CardGlimpse]
    stacks: Sequence[tuple[float, float]]
    size: Size
    back: int  # the reader's classes for a back and for no card
    none: int
    read: ReadFaces
    coming: Sequence[CardTrack] = field(default_factory=tuple)
    paper: float = 0.0  # the least light of what is paper
    searches: bool = True  # for cards that the networks do not find


class Explainer:
    def __init__(self, scene: FeltScene) -> None:
        self.scene = scene

    def stories(self, view: View) -> list[Story]:
        """Give what may have happened, the likeliest first; nothing is a story too."""
        base, owner = self.scene.without(view.now, view.part, view.cards, ())
        weight = view.free.astype(np.float32)
        corner = self.scene.corner(view.part)
        for place in view.stacks:
            x, y = place - corner
            cv2.circle(weight, (round(x), round(y)), round(CHIP_MM), 0, -1)
        change = opened(base * weight)
        if float(change.sum()) < (LITTLE if any(is_news(seen, view.cards) for seen in view.seen) else LEAST):
            return []
        concerned = [
            card
            for n, card in enumerate(view.cards)
            if _concerned(float(change[owner == n].sum()), int(np.count_nonzero(view.free[owner == n])))
        ]
        placements = [*self._placements(view, change, concerned)]
        found = []
        for gone in self._sets(concerned):
            left, shows = change, owner
            if gone:
                other, shows = self.scene.without(view.now, view.part, view.cards, gone)
                left = opened(other * weight)
            stays = {n: card for n, card in enumerate(view.cards) if card not in gone}
            found.append(self._best(gone, stays, (left, shows), placements, view))
        return sorted(found, key=lambda one: one.cost)

    def _sets(self, concerned: Sequence[CardTrack]) -> list[tuple[CardTrack, ...]]:
        """Give which of the cards that have changed may have left: each, with what lies on it, and all."""
        found: list[tuple[CardTrack, ...]] = [(), tuple(concerned)]
        for card in concerned:
            on = [one for one in concerned if one.layer > card.layer and one.patch.overlap(card.patch) > 0]
            found += [(card,), (card, *on)]
        unique = {frozenset(map(id, one)): one for one in found}
        return [*unique.values()][:SETS]

    def _placements(self, view: View, change: Floats32, concerned: Sequence[CardTrack]) -> Iterator[Placement]:
        """Give the cards that may have come: those that the networks see, and rectangles that hold what changed."""
        corner = self.scene.corner(view.part)
        search = RectangleSearch(view.now, change, view.rest, view.size, view.paper)
        left = change.copy()
        poses: list[tuple[CardPose, CardGlimpse | None]] = []
        for seen in view.seen:
            if self._lies(seen, view, concerned):
                continue
            found = self._placed(view, search, seen.quad, seen.faces, up=seen.up >= 0.5, seen=seen)
            if found is None:
                continue
            yield found
            if not found.up or float(found.faces.max()) >= SURE:
                fill(left, found.outline, 0)
            else:  # it may be two that are taken for one
                poses.append((search.better((*(seen.place - corner).tolist(), seen.angle)), seen))
        if view.searches:
            poses += [(pose, None) for pose in self._searched(view, left, corner)]
        if not poses:
            return
        quads = np.array([self.scene.felt.camera.to_picture(corners(pose, view.size) + corner) for pose, _ in poses])
        for quad, reading, (_, seen_so) in zip(quads, view.read(quads), poses, strict=True):
            found = self._placed(view, search, quad, reading.all, up=True, seen=seen_so)
            if found is not None and found.best not in (view.back, view.none):
                yield found

    def _searched(self, view: View, left: Floats32, corner: Floats) -> list[tuple[float, float, float]]:
        found = []
        for _ in range(LUMPS):
            most = lump(left, view.size)
            if float(most.sum()) < LEAST:
                break
            rows, columns = np.nonzero(most)
            x, y = float(corner[0] + np.median(columns)), float(corner[1] + np.median(rows))
            near = [card for card in (*view.cards, *view.coming) if distance(card.place, (x, y)) <= NEAR_MM]
            guesses = [(*(card.place - corner).tolist(), card.angle + turn) for card in near for turn in (0.0, 90.0)]
            search = RectangleSearch(view.now, most, view.rest, view.size, view.paper)
            poses = [one.pose for one in search.poses(guesses)]
            found += poses
            if poses:
                fill(left, corners(poses[0], view.size), 0)  # what is left of it may be another card's
            else:
                left = left * (most == 0)
        return found

    def _lies(self, seen: CardGlimpse, view: View, concerned: Sequence[CardTrack]) -> bool:
        """Tell whether what is seen is a card that lies there, as it did."""
        for card in view.cards:
            if distance(card.place, seen.place) <= SAME_MM and abs(bearing(card.angle, seen.angle)) <= SAME_DEG:
                same = card.up == (seen.up >= 0.5) and (not card.up or card.votes.best[0] == int(seen.faces.argmax()))
                sure = seen.up >= 0.5 and float(seen.faces.max()) >= SURE
                if same or not (sure or card in concerned):
                    return True
        return False

    def _placed(
        self, view: View, search: RectangleSearch, quad: Floats, faces: Floats, *, up: bool, seen: CardGlimpse | None
    ) -> Placement | None:
        """Weigh a card that may have come to lie within a quad."""
        felt = self.scene.felt.camera.to_felt(quad)
        outline = felt - self.scene.corner(view.part)
        inside = np.zeros(view.free.shape, np.uint8)
        fill(inside, outline, 1)
        size = int(np.count_nonzero(inside))
        likely = float(faces.max()) if int(faces.argmax()) not in (view.back, view.none) else 0.0
        least = ALL if seen is None else PART if likely >= SURE else FREE
        if size < FREE * view.size[0] * view.size[1] or np.count_nonzero(view.rest[inside > 0]) < least * size:
            return None
        x, y = (float(value) for value in felt.mean(axis=0))
        along = felt[3] - felt[0] + felt[2] - felt[1]
        angle = float(np.degrees(np.arctan2(along[1], along[0]))) % 180
        pose = (*(np.array([x, y]) - self.scene.corner(view.part)).tolist(), angle)
        cost = NO_CARD * max(float(faces[view.none]) - 0.3, 0.0)
        edge = search.edge((pose[0], pose[1], angle))
        if up:
            cost += edge + (0.0 if likely >= SURE else UNREAD * size)
        else:
            cost += UNREAD * size
        paper = search.paper((pose[0], pose[1], angle))
        return Placement(quad, (x, y), angle, up, faces, outline, cost, seen, edge, paper)

    def _best(
        self,
        gone: tuple[CardTrack, ...],
        stays: Mapping[int, CardTrack],
        picture: tuple[Floats32, Ints16],
        placements: Sequence[Placement],
        view: View,
    ) -> Story:
        """Add the cards that explain most, one by one, as long as that pays."""
        left, owner = picture[0].copy(), picture[1].copy()
        placed: list[Placement] = []
        was: list[CardTrack | None] = []
        cost = GONE * len(gone)
        while len(placed) < PLACED:
            best: tuple[float, Placement, CardTrack | None, float] | None = None
            for one in placements:
                if any(one is other or _alike(one, other) for other in placed):
                    continue
                inside = np.zeros(left.shape, np.uint8)
                fill(inside, one.outline, 1)
                card, prior = self._who(one, [card for card in gone if card not in was], [*stays.values()])
                prior += _hides(owner, inside > 0, stays)
                gain = float(left[inside > 0].sum()) - one.cost - prior
                if gain > 0 and (best is None or gain > best[0]):
                    best = gain, one, card, prior
            if best is None:
                break
            _, one, card, prior = best
            placed.append(one)
            was.append(card)
            fill(left, one.outline, 0)
            fill(owner, one.outline, BARE)
            cost += one.cost + prior
        return Story(gone, tuple(placed), tuple(was), cost + float(left.sum()), self._is_sound(gone, left, view))

    def _is_sound(self, gone: Sequence[CardTrack], left: Floats32, view: View) -> bool:
        """Tell whether the places of cards that left are seen, and look as the story says."""
        for card in gone:
            inside = np.zeros(left.shape, np.uint8)
            fill(inside, self.scene.outline(card, view.part), 1)
            own = inside > 0
            if float(view.rest[own].mean()) < FREE or float(left[own].mean()) > WRONG:
                return False
        return True

    def _who(
        self, one: Placement, gone: Sequence[CardTrack], stays: Sequence[CardTrack]
    ) -> tuple[CardTrack | None, float]:
        """Give which of the cards that left one that came is, and what the story costs then."""
        alike = [card for card in gone if card.up and one.up and card.votes.best[0] == one.best]
        alike += [card for card in gone if not card.up and not one.up]
        if alike:
            return min(alike, key=lambda card: distance(card.place, one.place)), MOVED - GONE
        turned = [card for card in gone if card.up != one.up and distance(card.place, one.place) <= TURN_MM]
        if turned:
            return min(turned, key=lambda card: distance(card.place, one.place)), TURNED - GONE
        if not one.up or float(one.faces.max()) < SURE:
            return None, NEW
        twins = (card for card in stays if card.up and card.votes.best[0] == one.best)
        return None, TWIN if any(distance(card.place, one.place) <= NEAR_MM for card in twins) else READ_NEW


def is_news(seen: CardGlimpse, cards: Sequence[CardTrack]) -> bool:
    """Tell whether a face is read for certain that no card near it bears."""
    if seen.up < 0.5 or float(seen.faces.max()) < SURE:
        return False
    near = (card for card in cards if card.up and distance(card.place, seen.place) <= NEAR_MM)
    return all(card.votes.best[0] != int(seen.faces.argmax()) for card in near)


def _concerned(changed: float, shows: int) -> bool:
    return changed > CONCERNED or (changed > SOME and changed > IN_PART * shows)


def _hides(owner: Ints16, inside: Mask, stays: Mapping[int, CardTrack]) -> float:
    """Give what it costs to say that a card came to lie so that it hides others that showed."""
    cost = 0.0
    for n in np.unique(owner[inside]).tolist():
        shows = int(np.count_nonzero(owner == n))
        left = shows - int(np.count_nonzero(owner[inside] == n))
        if n in stays and shows >= SHOWED_MM2:
            cost += HIDDEN * max(0.0, 1 - left / LEFT_MM2)
    return cost


def _alike(one: Placement, other: Placement) -> bool:
    return distance(one.place, other.place) <= SAME_MM and abs(bearing(one.angle, other.angle)) <= SAME_DEG
