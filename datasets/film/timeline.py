"""A story on a table: where every card, chip and hand is at any moment, as a scene to be drawn."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, hypot, radians, sin

from feltwatch.datasets.art.chips.chips import ChipStack
from feltwatch.datasets.art.felts.things import LaidThing
from feltwatch.datasets.art.hands.hands import SceneHand
from feltwatch.datasets.deal.story import (
    DEALER,
    CarriedCard,
    ChipMove,
    DealtRound,
    Gesture,
    HandMove,
    Nudge,
    ThingMove,
)
from feltwatch.datasets.scene.dealer import Dealer
from feltwatch.datasets.scene.placement import Laying, lay_card, lay_stacks, lay_thing
from feltwatch.datasets.scene.rows import Hand, dice_for, row_of
from feltwatch.datasets.scene.scene import LaidCard, Scene

HandPlace = tuple[float, float, float]

ARC_MM: Mapping[str, float] = {"deal": 35.0, "turn": 45.0, "slide": 3.0, "lift": 4.0, "drop": 60.0}
ARC_ELSE_MM = 25.0
GRIP_MM = 26.0  # from the middle of a card back to the fingers that hold it
REACH_S = 0.45  # a hand needs so long to come to the table, and to leave it
LINGER_S = 1.1  # it stays if it is needed again within
HAND_MM = 12.0  # height of the fingers over what they hold
QUICK_MM_S = 2500.0  # no hand comes faster to what it is to do
LIFT_DEG = 22.0
TAKEN_MM, HELD_MM, HELD_DEG = 310.0, 30.0, 48.0  # so far, so high and so steep is a card that is taken up
TURNED_DEG = 2.0  # by how much a card that is turned comes to lie otherwise
IN_A_ROW = 4  # stacks that stand side by side on a main spot; the next row is nearer the dealer
ROW_MM = 41.0
APART: Mapping[str, int] = {"hand2": 4, "hand3": 6, "hand4": 2}  # where on the main spot the stakes of a split begin


@dataclass(frozen=True, slots=True)
class Visit:
    """A hand at work: from one place to another."""

    start: float
    end: float
    begin: HandPlace
    finish: HandPlace
    arc: float

    def at(self, t: float) -> HandPlace:
        p = smooth((t - self.start) / max(self.end - self.start, 1e-6))
        x, y, z = (a + (b - a) * p for a, b in zip(self.begin, self.finish, strict=True))
        return x, y, z + self.arc * 4 * p * (1 - p)


@dataclass(frozen=True, slots=True)
class TimelineMoment:
    """What is on the table at one time: what rests, and what moves over it."""

    rest: int  # the number of the resting state; the same number is the same picture
    cards: tuple[LaidCard, ...]
    stacks: tuple[ChipStack, ...]
    moving_cards: tuple[LaidCard, ...]
    moving_stacks: tuple[ChipStack, ...]
    hands: tuple[SceneHand, ...]
    things: tuple[LaidThing, ...] = ()
    moving_things: tuple[LaidThing, ...] = ()

    @property
    def still(self) -> bool:
        return not (self.moving_cards or self.moving_stacks or self.moving_things or self.hands)


@dataclass(frozen=True, slots=True)
class Act:
    """What changes the table and is no event of the game: a push, a pair laid apart, a thing that comes or goes."""

    t: float
    what: str
    id: str
    about: Mapping[str, object]


def smooth(p: float) -> float:
    p = min(max(p, 0.0), 1.0)
    return p * p * (3 - 2 * p)


class Reel:
    """Stories, one after another, played on the table of a scene that is bare of cards, chips and hands."""

    def __init__(
        self, bare: Scene, dealer: Dealer, stories: Sequence[DealtRound], sprites: Sequence[str], foreign: str
    ) -> None:
        self.bare = bare
        self.dealer = dealer
        self.sprites = sprites
        self.foreign = foreign  # the deck of a card that is not of the table's
        self.ends = max(story.ends for story in stories)
        moves = sorted((move for story in stories for move in story.moves), key=lambda move: (move.start, move.end))
        self._cards: dict[str, list[CarriedCard]] = defaultdict(list)
        self._chips: dict[str, list[ChipMove]] = defaultdict(list)
        self._things: dict[str, list[ThingMove]] = defaultdict(list)
        self._rounds: dict[str, int] = {}  # in which each card was dealt
        for number, story in enumerate(stories):
            for move in story.moves:
                if isinstance(move, CarriedCard):
                    self._rounds.setdefault(move.card, number)
        for move in moves:
            if isinstance(move, CarriedCard):
                self._cards[move.card].append(move)
            elif isinstance(move, ChipMove):
                self._chips[move.spot].append(move)
            elif isinstance(move, ThingMove):
                self._things[move.thing].append(move)
        self._changes = sorted({t for move in moves for t in _changes(move)})
        self._poses: dict[CarriedCard, LaidCard] = {}
        self._standing: dict[ChipMove, tuple[ChipStack, ...]] = {}
        self._lying: dict[str, LaidThing] = {}
        self._visits = {actor: _by_hand(found) for actor, found in self._work(moves).items()}

    def scene_at(self, t: float) -> Scene:
        """Give the whole table at a time."""
        now = self.moment(t)
        return replace(
            self.bare,
            cards=now.cards + now.moving_cards,
            stacks=now.stacks + now.moving_stacks,
            hands=now.hands,
            things=now.things + now.moving_things,
            seed=self.bare.seed + round(t * 1000),
        )

    def moment(self, t: float) -> TimelineMoment:
        resting: list[tuple[float, LaidCard]] = []
        moving: list[LaidCard] = []
        for moves in self._cards.values():
            n = bisect_right([move.start for move in moves], t) - 1
            if n >= 0:
                card = self._card_at(moves, n, t)
                resting.append((_laid_at(moves, n), card)) if moves[n].end <= t else moving.append(card)
        still: list[ChipStack] = []
        carried: list[ChipStack] = []
        for moves_ in self._chips.values():
            here, away = self._chips_at(moves_, t)
            still += here
            carried += away
        resting.sort(key=lambda one: (one[0], one[1].z))
        moving.sort(key=lambda card: card.z)
        cards = tuple(card for _, card in resting)
        things, brought = self._things_at(t)
        return TimelineMoment(
            bisect_right(self._changes, t),
            cards,
            tuple(still),
            tuple(moving),
            tuple(carried),
            tuple(self._hands_at(t)),
            things,
            brought,
        )

    # ---- cards ------------------------------------------------------------------------------------------------------

    def _pose(self, move: CarriedCard) -> LaidCard:
        """Give where a card rests after a move; worked out once, as every frame asks again."""
        if move not in self._poses:
            self._poses[move] = self._laid(move)
        return self._poses[move]

    def _laid(self, move: CarriedCard) -> LaidCard:
        moves = self._cards[move.card]
        n = moves.index(move)
        if move.nudge is not None:
            return self._pushed(move, move.nudge)
        before = next((one for one in reversed(moves[:n]) if not one.lifted), None)
        if before is not None and self._stays(before, move):
            found = self._turned(move, self._pose(before))
        else:
            found = lay_card(self.bare.layout, self.dealer, self._laying(move))
        if move.foreign:
            found = replace(found, deck=self.foreign)
        if not move.lifted:
            return found
        found = replace(found, angle=found.angle + 180, lean=LIFT_DEG)
        return self._taken_up(move, found) if self.dealer.taken_up else found

    def _taken_up(self, move: CarriedCard, card: LaidCard) -> LaidCard:
        """Give a card that its Player holds up before him at the edge of the table."""
        way = radians(self._outward(move.by))
        x, y = card.x + TAKEN_MM * cos(way), card.y + TAKEN_MM * sin(way)
        return replace(card, x=x, y=y, z=card.z + HELD_MM, lean=HELD_DEG, zone=None)

    def _laying(self, move: CarriedCard) -> Laying:
        return Laying(
            move.card,
            move.face,
            move.zone,
            move.place,
            move.up,
            move.crosswise,
            self._rounds[move.card],
            move.parted,
        )

    def _stays(self, before: CarriedCard, move: CarriedCard) -> bool:
        """True if a card that is turned or lifted lies again where it lay."""
        if move.how not in ("turn", "lift") or (before.zone, before.place) != (move.zone, move.place):
            return False
        hands = [Hand(move.zone, self._rounds[move.card], one.up, one.parted) for one in (before, move)]
        rows = [row_of(self.bare.layout, self.dealer, hand) for hand in hands]
        return rows[0] == rows[1]

    def _turned(self, move: CarriedCard, card: LaidCard) -> LaidCard:
        """Give a card that was turned: it comes down a little beside where it lay."""
        found = replace(card, up=move.up)
        if move.how != "turn" or not self.dealer.turned_mm:
            return found
        dice = dice_for(self.dealer.seed, f"{move.card} turned")
        x, y = dice.normal(0, self.dealer.turned_mm, 2)
        return self._shifted(found, (found.x + float(x), found.y + float(y)), float(dice.normal(0, TURNED_DEG)))

    def _shifted(self, card: LaidCard, to: tuple[float, float], deg: float) -> LaidCard:
        """Move a card, but not out of its zone."""
        zone_at = self.bare.layout.zone_at
        x, y = to if zone_at(to) == zone_at((card.x, card.y)) else (card.x, card.y)
        return replace(card, x=x, y=y, angle=card.angle + deg)

    def _pushed(self, move: CarriedCard, nudge: Nudge) -> LaidCard:
        """Push a card with others: they turn about the middle of one of them."""
        card, about = (self._rested(name, move.start) for name in (move.card, nudge.about))
        turn, x, y = radians(nudge.deg), card.x - about.x, card.y - about.y
        to = (
            about.x + x * cos(turn) - y * sin(turn) + nudge.x_mm,
            about.y + x * sin(turn) + y * cos(turn) + nudge.y_mm,
        )
        return self._shifted(card, to, nudge.deg)

    def _rested(self, name: str, t: float) -> LaidCard:
        """Give how a card lay just before a time."""
        return self._pose(next(move for move in reversed(self._cards[name]) if move.end <= t))

    def _before(self, moves: Sequence[CarriedCard], n: int) -> LaidCard:
        """Give where a card is before its move n: where the last one left it, or in the mouth of the shoe."""
        if n:
            return self._pose(moves[n - 1])
        shoe = self.bare.layout.by_name["shoe"]
        first = moves[0]
        pose = self._pose(first)
        return replace(pose, up=False, x=shoe.first[0] + 95, y=shoe.first[1] + 20, z=14.0, angle=180.0, bend=0.0)

    def _card_at(self, moves: Sequence[CarriedCard], n: int, t: float) -> LaidCard:
        """Give where a card is in its move n, or after it."""
        target = self._pose(moves[n])
        return target if t >= moves[n].end else _between(self._before(moves, n), target, moves[n], t)

    # ---- things, and what is no event -------------------------------------------------------------------------------

    def _things_at(self, t: float) -> tuple[tuple[LaidThing, ...], tuple[LaidThing, ...]]:
        """Give the things that lie on the table, and those that are brought or taken away."""
        lying, moving = [], []
        for name, moves in self._things.items():
            n = bisect_right([move.start for move in moves], t) - 1
            if n < 0:
                continue
            thing, move = self._thing(name), moves[n]
            if t < move.end:
                p = smooth((t - move.start) / (move.end - move.start))
                (x, y), share = self._home(move.by, f"{move.by}.main"), 1 - p if move.there else p
                moving.append(replace(thing, x=thing.x + (x - thing.x) * share, y=thing.y + (y - thing.y) * share))
            elif move.there:
                lying.append(thing)
        return tuple(lying), tuple(moving)

    def _thing(self, name: str) -> LaidThing:
        """Give a thing where it lies: clear of all cards and chips of the film."""
        if name not in self._lying:
            first = self._things[name][0]
            cards = [self._pose(move) for moves in self._cards.values() for move in moves]
            stacks = [stack for moves_ in self._chips.values() for move in moves_ for stack in self._stood(move)]
            taken = {(round(card.x), round(card.y)) for card in cards}
            taken |= {(round(stack.x), round(stack.y)) for stack in stacks}
            home = self._where(f"{first.by}.main")
            self._lying[name] = lay_thing(self.bare.layout, self.dealer, (name, first.kind), home, sorted(taken))
        return self._lying[name]

    def acts(self) -> list[Act]:
        """Give what changes the table and is no event, in order of time."""
        found = []
        for moves in self._cards.values():
            for n, move in enumerate(moves):
                if move.how in ("nudge", "spread"):
                    old, new = self._before(moves, n), self._pose(move)
                    by = {"by_mm": [round(new.x - old.x, 1), round(new.y - old.y, 1)], "by_deg": _bearing(old, new)}
                    found.append(Act(move.end, move.how, move.card, {"zone": move.zone, **by}))
        for things in self._things.values():
            found += [Act(one.end, "thing", one.thing, {"kind": one.kind, "there": one.there}) for one in things]
        return sorted(found, key=lambda act: (act.t, act.id))

    # ---- chips ------------------------------------------------------------------------------------------------------

    def _chips_at(self, moves: Sequence[ChipMove], t: float) -> tuple[list[ChipStack], list[ChipStack]]:
        """Give the stacks of a spot that stand, and those on their way to it or from it."""
        n = bisect_right([move.start for move in moves], t) - 1
        if n < 0:
            return [], []
        move = moves[n]
        after = list(self._stood(move))
        if t >= move.end:
            return after, []
        before = list(self._stood(moves[n - 1])) if n else []
        kept = sum(1 for a, b in zip(before, after, strict=False) if a.chips == b.chips)
        p = smooth((t - move.start) / (move.end - move.start))
        if _grown(before, after):
            return before, []  # the hand hides the chip that it puts on top
        if len(after) > kept and len(before) > kept:
            return (before if t < _halfway(move) else after), []
        carried = after[kept:] if len(after) > kept else before[kept:]
        away = self._home(move.by, move.spot)
        share = 1 - p if len(after) > kept else p
        return before[:kept], [_toward(stack, away, share) for stack in carried]

    def _stood(self, move: ChipMove) -> tuple[ChipStack, ...]:
        if move not in self._standing:
            self._standing[move] = tuple(self._stands(move))
        return self._standing[move]

    def _stands(self, move: ChipMove) -> Iterator[ChipStack]:
        """Let stacks stand in rows on a main spot, where the stakes of a split stand too: their zones are for cards."""
        spot, first = _printed(move.spot)
        area = self.bare.layout.by_name.get(spot)
        found = lay_stacks(self.bare.layout, self.dealer, spot, ((),) * first + move.stacks)
        for number, stack in enumerate(found[first:], first):
            row = number // IN_A_ROW if spot.endswith(".main") and area else 0
            way, back = radians(area.turn if area else 0.0), row * IN_A_ROW
            step = area.step if area else (0.0, 0.0)
            x = stack.x - back * step[0] + row * ROW_MM * cos(way)
            y = stack.y - back * step[1] + row * ROW_MM * sin(way)
            yield replace(stack, spot=move.spot, x=x, y=y)

    def _home(self, by: str, place: str) -> tuple[float, float]:
        """Give where a hand takes chips: the dealer's float, or the Player's side of the table."""
        x, y = self._where(_printed(place)[0])
        if by == DEALER:
            return x * 0.25, 40.0
        way = radians(self._outward(by))
        return x + 260 * cos(way), y + 260 * sin(way)

    def _outward(self, by: str) -> float:
        area = self.bare.layout.by_name.get(f"{by}.main")
        return area.turn + 180 if area else 90.0

    def _where(self, place: str) -> tuple[float, float]:
        area = self.bare.layout.by_name.get(place)
        row = row_of(self.bare.layout, self.dealer, Hand(place)) if area is None else None
        return area.first if area else row.first if row else (0.0, 400.0)

    # ---- hands ------------------------------------------------------------------------------------------------------

    def _work(self, moves: Sequence[HandMove]) -> dict[str, list[Visit]]:
        """Give what each hand does, in order."""
        found: dict[str, list[Visit]] = defaultdict(list)
        for move in moves:
            if isinstance(move, CarriedCard):
                found[move.by].append(self._card_visit(move))
            elif isinstance(move, ChipMove):
                found[move.by].append(self._chip_visit(move))
            elif isinstance(move, ThingMove):
                thing, (x, y) = self._thing(move.thing), self._home(move.by, f"{move.by}.main")
                ends = ((x, y, HAND_MM), (thing.x, thing.y, HAND_MM))
                found[move.by].append(Visit(move.start, move.end, *(ends if move.there else ends[::-1]), ARC_ELSE_MM))
            else:
                x, y = self._where(move.over)
                found[move.by].append(Visit(move.start, move.end, (x, y, 30.0), (x + 12, y + 12, 20.0), 30.0))
        return found

    def _card_visit(self, move: CarriedCard) -> Visit:
        moves = self._cards[move.card]
        begin, finish = self._before(moves, moves.index(move)), self._pose(move)
        ends = [self._grip(move.by, card) for card in (begin, finish)]
        return Visit(move.start, move.end, ends[0], ends[1], ARC_MM.get(move.how, ARC_ELSE_MM))

    def _grip(self, by: str, card: LaidCard) -> HandPlace:
        way = radians(self._arm(by, card.x, card.y))
        return card.x + GRIP_MM * cos(way), card.y + GRIP_MM * sin(way), card.z + HAND_MM

    def _chip_visit(self, move: ChipMove) -> Visit:
        moves = self._chips[move.spot]
        n = moves.index(move)
        before = sum(map(sum, moves[n - 1].stacks)) if n else 0
        place, home = (*self._where(_printed(move.spot)[0]), 20.0), (*self._home(move.by, move.spot), 25.0)
        coming = sum(map(sum, move.stacks)) >= before
        ends = (home, place) if coming else (place, home)
        return Visit(move.start, move.end, *ends, ARC_ELSE_MM)

    def _arm(self, by: str, x: float, y: float) -> float:
        """Give the way from the fingers to the elbow."""
        if by == DEALER:
            return degrees(atan2(-520 - y, x * 0.35 - x))
        return self._outward(by)

    def _hands_at(self, t: float) -> Iterator[SceneHand]:
        for number, (actor, both) in enumerate(sorted(self._visits.items())):
            name = self.sprites[number % len(self.sprites)]
            for place in (self._hand_at(actor, visits, t) for visits in both):
                if place is not None:
                    yield SceneHand(name, *place, self._arm(actor, place[0], place[1]))

    def _hand_at(self, actor: str, visits: Sequence[Visit], t: float) -> HandPlace | None:
        n = bisect_right([visit.start for visit in visits], t) - 1
        last = visits[n] if n >= 0 else None
        if last is not None and t <= last.end:
            return last.at(t)
        following = visits[n + 1] if n + 1 < len(visits) else None
        if last is not None and following is not None and following.start - last.end < LINGER_S:
            return Visit(last.end, following.start, last.finish, following.begin, 20.0).at(t)
        if last is not None and t < last.end + REACH_S:
            return Visit(last.end, last.end + REACH_S, last.finish, self._off(actor, last.finish), 20.0).at(t)
        if following is not None and t > following.start - REACH_S:
            start = self._off(actor, following.begin)
            return Visit(following.start - REACH_S, following.start, start, following.begin, 20.0).at(t)
        return None

    def _off(self, actor: str, place: HandPlace) -> HandPlace:
        """Give where a hand is when it is off the table."""
        if actor == DEALER:
            return place[0] * 0.5, -480.0, 60.0
        way = radians(self._outward(actor))
        x, y = self._where(f"{actor}.main")
        return x + 620 * cos(way), y + 620 * sin(way), 60.0


def _between(begin: LaidCard, finish: LaidCard, move: CarriedCard, t: float) -> LaidCard:
    """Give a card on its way. It turns over, if it must, in the second half."""
    share = (t - move.start) / (move.end - move.start)
    p = smooth(share)
    turn = (finish.angle - begin.angle + 180) % 360 - 180
    if not (begin.up or finish.up) or move.how == "collect":
        turn = (turn + 90) % 180 - 90  # a back looks the same from both ends
    flips = begin.up != finish.up
    over = smooth((share - 0.5) / 0.4) if flips else 1.0
    return replace(
        finish,
        up=begin.up if over < 0.5 else finish.up,
        x=begin.x + (finish.x - begin.x) * p,
        y=begin.y + (finish.y - begin.y) * p,
        z=begin.z + (finish.z - begin.z) * p + ARC_MM.get(move.how, ARC_ELSE_MM) * 4 * p * (1 - p),
        angle=finish.angle - turn * (1 - p),
        turned=(180 * over if over < 0.5 else 180 * (over - 1)) if flips else 0.0,
        lean=finish.lean * p,
        bend=finish.bend * p,
    )


def _laid_at(moves: Sequence[CarriedCard], n: int) -> float:
    """Give since when a card lies over those under it: a push changes nothing about that."""
    while n and moves[n].how in ("nudge", "spread"):
        n -= 1
    return moves[n].end


def _bearing(old: LaidCard, new: LaidCard) -> float:
    return round((new.angle - old.angle + 180) % 360 - 180, 1)


def _grown(before: Sequence[ChipStack], after: Sequence[ChipStack]) -> bool:
    """True if chips are put on top of stacks that stay."""
    same = len(before) <= len(after) and all(
        a.chips[: len(b.chips)] == b.chips for b, a in zip(before, after, strict=False)
    )
    return same and any(a.chips != b.chips for b, a in zip(before, after, strict=False))


def _toward(stack: ChipStack, away: tuple[float, float], share: float) -> ChipStack:
    return replace(stack, x=stack.x + (away[0] - stack.x) * share, y=stack.y + (away[1] - stack.y) * share)


def _changes(move: HandMove) -> tuple[float, ...]:
    """Give when what rests on the table becomes another by a move."""
    if isinstance(move, Gesture):
        return ()
    return (move.start, _halfway(move), move.end) if isinstance(move, ChipMove) else (move.start, move.end)


def _halfway(move: ChipMove) -> float:
    """Give when stacks are exchanged for others under a hand."""
    return (move.start + move.end) / 2


def _printed(spot: str) -> tuple[str, int]:
    """Give the printed spot on which the chips of a spot stand, and as which stack of it they begin."""
    box, _, bet = spot.partition(".")
    return (f"{box}.main", APART[bet]) if bet in APART else (spot, 0)


def _by_hand(visits: Sequence[Visit]) -> tuple[list[Visit], list[Visit]]:
    """Share a person's work: the other hand does what the one would come too late to."""
    both: tuple[list[Visit], list[Visit]] = ([], [])
    for visit in sorted(visits, key=lambda one: (one.start, one.end)):
        if any(hand and (hand[-1].start, hand[-1].end) == (visit.start, visit.end) for hand in both):
            continue  # of many things swept together a hand leads the first
        hand = next((hand for hand in both if _in_time(hand, visit)), None)
        if hand is not None:
            hand.append(visit)
            continue
        hand = min(both, key=lambda one: one[-1].end)
        if visit.end > hand[-1].end + 1e-9:  # it comes late
            start = max(visit.start, hand[-1].end)
            hand.append(replace(visit, start=start, begin=hand[-1].finish))
    return both


def _in_time(hand: Sequence[Visit], visit: Visit) -> bool:
    """Say whether a hand can be where a visit begins when it does."""
    if not hand:
        return True
    (x, y, _), (u, v, _) = hand[-1].finish, visit.begin
    return visit.start - hand[-1].end >= hypot(u - x, v - y) / QUICK_MM_S - 1e-9
