"""What is seen of a round, written down with its times: every motion, and the table event it ends in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import cos, pi, sin, sqrt
from random import Random

from feltwatch.datasets.deal.chips import Stacks, beside, in_two, on_top, stacked, without, worth
from feltwatch.datasets.deal.story import DEALER, THINGS, CarriedCard, ChipMove, Gesture, HandMove, Nudge, ThingMove
from feltwatch.datasets.scene.dealer import HOUSE, Dealer
from feltwatch.engine.model.cards import Card

Span = tuple[float, float]  # seconds, at the least and at the most

CARRY: Span = (0.5, 0.9)  # a card from the shoe to its place
BEAT: Span = (0.8, 1.4)  # from one card to the next
SLIDE: Span = (0.4, 0.8)
TURN: Span = (0.3, 0.6)
SWEEP: Span = (0.7, 1.1)
CHIPS_DOWN: Span = (0.5, 0.9)
WAVE: Span = (0.5, 0.9)
AT_ONCE: Span = (0.05, 0.2)  # until the next act, where it follows at once
SHORT_S = 0.8  # a pause that begins with less may be left out
HURRIED: Span = (0.75, 1.1)  # of the time a card takes: then the next sets off
APART_MS = 150  # between two cards that come to rest
PUSH: Span = (0.2, 0.5)
PUSH_MM: Span = (2.0, 20.0)
PUSH_DEG = 8.0
RESTS: Span = (1.5, 4.0)
PARTS_MS = 40  # of two packets that are turned at once, the one that lies over the other comes down so much later
BESIDES_MS = 60  # the second hand is there so much before the first, and so much longer


@dataclass(slots=True)
class TableCard:
    """A card on the table."""

    id: str
    face: Card
    up: bool
    zone: str
    place: int


class FilmScript:
    """A clock in milliseconds, and what has happened by it."""

    def __init__(self, rng: Random, now: int, pace: float, ids: Iterator[int], dealer: Dealer = HOUSE) -> None:
        self.rng = rng
        self.dealer = dealer
        self.habits = Random(f"{dealer.name} {dealer.seed} {now}")  # noqa: S311  the story's own dice stay as they are
        self.parted: set[str] = set()  # zones whose first hand lies aside since its pair was split
        self.things: dict[str, str] = {}  # that lie on the table
        self._resting: dict[str, int] = {}  # zones over which a Player's hand rests: the number of its gesture
        self.now = now
        self.pace = pace
        self.busy = now  # until when another hand is at work beside the dealer's
        self.cards: dict[str, TableCard] = {}
        self.chips: dict[str, Stacks] = {}
        self._ids = ids
        self._events: list[tuple[int, dict[str, object]]] = []
        self._moves: list[HandMove] = []
        self.discarded = 0  # cards that lie in the discard tray
        self._beat = 0  # of the last card dealt
        self._landed = now

    # ---- time -------------------------------------------------------------------------------------------------------

    def wait(self, span: Span) -> None:
        """Nothing of the game happens for a while: the shorter, the quicker the table is."""
        lasts = self._ms(span, self.pace)
        if span[0] < SHORT_S and self._chance(self.dealer.close):
            lasts = self._ms(AT_ONCE, 1.0)
        self.now += lasts
        self._besides()

    def _chance(self, often: float) -> bool:
        """Draw whether a habit shows now; a habit that a dealer has not draws nothing."""
        return often > 0 and self.habits.random() < often

    def rest(self) -> None:
        """Wait until every hand is off the table."""
        self.now = max(self.now, self.busy)

    def _ms(self, span: Span, pace: float) -> int:
        return round(1000 * self.rng.uniform(*span) / pace)

    def _lasts(self, span: Span) -> int:
        return self._ms(span, sqrt(self.pace))  # hands hurry less than the game does

    # ---- events -----------------------------------------------------------------------------------------------------

    def tell(self, event: str, at: int = -1, /, **more: object) -> None:
        when = self.now if at < 0 else at
        self._events.append((when, {"t": Decimal(when) / 1000, "event": event, **more}))

    def signal(self, name: str, **more: object) -> None:
        self.tell("signal", name=name, **more)

    def events(self) -> tuple[Mapping[str, object], ...]:
        return tuple(event for _, event in sorted(self._events, key=lambda one: one[0]))

    def moves(self) -> tuple[HandMove, ...]:
        return tuple(sorted(self._moves, key=lambda one: one.start))

    # ---- cards ------------------------------------------------------------------------------------------------------

    def deal(
        self,
        face: Card,
        zone: str,
        *,
        up: bool = True,
        crosswise: bool = False,
        foreign: bool = False,
        together: bool = False,
    ) -> str:
        """Carry a card out of the shoe to its place."""
        name = f"c{next(self._ids)}"
        start, end = self.now, self.now + self._lasts(CARRY)
        if together:
            start, end = self.now - self._beat, self._landed
        elif self.dealer.close:
            end = max(end, self._landed + APART_MS)
        self._carries(name, face, zone, (start, end), up=up, crosswise=crosswise, foreign=foreign)
        more: dict[str, object] = {"crosswise": True} if crosswise else {}
        more |= {"together": True} if together else {}
        self.tell("card", end, id=name, zone=zone, card=face.text if up else None, face="up" if up else "down", **more)
        if not together:
            self._beat, self._landed = max(self._ms(BEAT, self.pace), end - start), end
            if self._chance(self.dealer.close):
                self._beat = round((end - start) * self.habits.uniform(*HURRIED))
            self.now = start + self._beat
        return name

    def deal_packet(self, faces: Sequence[Card], zone: str) -> list[str]:
        """Carry cards out of the shoe to their place as one packet, face down."""
        start, end = self.now, self.now + self._lasts(CARRY)
        names = [f"c{next(self._ids)}" for _ in faces]
        for name, face in zip(names, faces, strict=True):
            self._carries(name, face, zone, (start, end), up=False)
            self.tell("card", end, id=name, zone=zone, card=None, face="down")
        self._landed, self.now = end, start + max(self._ms(BEAT, self.pace), end - start)
        return names

    def _carries(  # noqa: PLR0913  what a card may be
        self,
        name: str,
        face: Card,
        zone: str,
        when: tuple[int, int],
        *,
        up: bool,
        crosswise: bool = False,
        foreign: bool = False,
    ) -> None:
        card = self.cards[name] = TableCard(name, face, up, zone, self._place(zone))
        self._gives_way(zone, when[0])
        self._moves.append(
            CarriedCard(
                when[0] / 1000,
                when[1] / 1000,
                name,
                face,
                up,
                zone,
                card.place,
                crosswise=crosswise,
                foreign=foreign,
                parted=zone in self.parted,
            )
        )

    def _settled(self) -> int:
        """Wait until the last card dealt lies; give the time."""
        self.now = max(self.now, self._landed)
        return self.now

    def _place(self, zone: str) -> int:
        return 1 + max((card.place for card in self.cards.values() if card.zone == zone), default=-1)

    def slide(self, name: str, zone: str, *, by: str = DEALER, hand: int | None = None) -> None:
        """Push a card to another zone."""
        self.slide_all([name], zone, by=by, hand=hand)

    def slide_all(self, names: Sequence[str], zone: str, *, by: str = DEALER, hand: int | None = None) -> None:
        """Push cards to another zone in one motion."""
        start = self._settled()
        end = start + self._lasts(SLIDE)
        more: dict[str, object] = {} if hand is None else {"hand": hand}
        for name in names:
            card = self.cards[name]
            card.place, card.zone = self._place(zone), zone
            self._moved(card, start, end, "slide", by)
            self.tell("move", end, id=name, zone=zone, **more, by=_whose(by))
        self.now = end

    def spread(self, name: str) -> None:
        """Lay the first card of a pair that is split aside, too; it keeps its zone, so nothing is reported."""
        card = self.cards[name]
        if card.zone not in self.parted:
            self.parted.add(card.zone)
            start = self._settled()
            self.now = start + self._lasts(SLIDE)
            self._moved(card, start, self.now, "spread", DEALER)

    def turn(self, name: str, *, by: str = DEALER) -> None:
        """Turn a card face up where it lies."""
        self.turn_all([name], by=by)

    def turn_all(self, names: Sequence[str], *, by: str = DEALER) -> None:
        """Turn cards face up in one motion: a packet that is turned lies the other way round."""
        start = self._settled()
        end = start + self._lasts(TURN)
        for n, zone in enumerate(dict.fromkeys(self.cards[name].zone for name in names)):
            packet = [self.cards[name] for name in names if self.cards[name].zone == zone]
            rests = end + n * PARTS_MS
            for card, place in zip(packet, [card.place for card in reversed(packet)], strict=True):
                card.up, card.place = True, place
                self._moved(card, start, rests, "turn", by)
                self.tell("turn", rests, id=card.id, face="up", card=card.face.text, by=_whose(by))
            if self.dealer.two_hands:
                begins, ends = (start - BESIDES_MS) / 1000, (rests + BESIDES_MS) / 1000
                self._moves.append(Gesture(max(begins, 0.0), ends, zone, by))
            self.now = rests

    def _moved(self, card: TableCard, start: int, end: int, how: str, by: str, nudge: Nudge | None = None) -> None:
        self._moves.append(
            CarriedCard(
                start / 1000,
                end / 1000,
                card.id,
                card.face,
                card.up,
                card.zone,
                card.place,
                how=how,
                by=by,
                parted=card.zone in self.parted,
                nudge=nudge,
            )
        )

    def look(self, names: Sequence[str], by: str) -> None:
        """The Player bends up the corners of his cards, or takes them up, and lets them lie again."""
        start = self._settled()
        up, down = start + self._lasts(WAVE), start + self._lasts((1.4, 2.2))
        for name in names:
            card = self.cards[name]
            held = [(up, down, True)] if self.dealer.taken_up else []
            for begins, ends, lifted in ((start, up, True), *held, (down, down + 300, False)):
                self._moves.append(
                    CarriedCard(
                        begins / 1000,
                        ends / 1000,
                        name,
                        card.face,
                        card.up,
                        card.zone,
                        card.place,
                        how="lift",
                        by=by,
                        lifted=lifted,
                    )
                )
        self.now = down + 300

    def sweep(self, names: Sequence[str], zone: str = "discard", *, how: str = "collect") -> None:
        """Take cards up in one sweep and lay them away."""
        if not names:
            return
        start = self._settled()
        end = start + self._lasts(SWEEP)
        for name in names:
            card = self.cards.pop(name)
            self._moves.append(
                CarriedCard(start / 1000, end / 1000, name, card.face, card.up, zone, self.discarded, how=how)
            )
            self.discarded += 1
            self.tell("remove", end, id=name)
        self.now = end

    def drop(self, name: str) -> None:
        """A card slips off the table."""
        card = self.cards[name]
        start = self._settled()
        end = start + self._lasts(SLIDE)
        self._moves.append(
            CarriedCard(start / 1000, end / 1000, name, card.face, card.up, "outside", how="drop", by=DEALER)
        )
        self.tell("remove", end, id=name)
        self.now = end

    def found(self, name: str) -> None:
        """A card that had slipped off the table goes back to its place."""
        card = self.cards[name]
        start, end = self.now, self.now + self._lasts(CARRY)
        self._moves.append(
            CarriedCard(start / 1000, end / 1000, name, card.face, card.up, card.zone, card.place, how="found")
        )
        face = card.face.text if card.up else None
        self.tell("card", end, id=name, zone=card.zone, card=face, face="up" if card.up else "down")
        self.now = end

    # ---- chips ------------------------------------------------------------------------------------------------------

    def lies(self, spot: str) -> int:
        return worth(self.chips.get(spot, ()))

    def put(self, spot: str, amount: int, *, by: str, how: str = "place", start: int | None = None) -> None:
        """Set chips down on a spot: beside those that lie there, or a Player on top of them."""
        before, more = self.chips.get(spot, ()), stacked(amount, self.rng)
        if by != DEALER and before and self._chance(self.dealer.on_top):
            found = on_top(before, more)
        elif by != DEALER and not before and self._chance(self.dealer.several):
            found = in_two(more, self.habits)
        else:
            found = beside(before, more)
        self._change(spot, found, by=by, how=how, start=start)

    def less(self, spot: str, amount: int, *, by: str, how: str = "take", start: int | None = None) -> None:
        """Take chips off a spot."""
        found = without(self.chips.get(spot, ()), amount, self.rng)
        self._change(spot, found, by=by, how=how, start=start)

    def all_off(self, spot: str, *, by: str, start: int | None = None) -> None:
        if self.chips.get(spot):
            self._change(spot, (), by=by, how="take", start=start)

    def _change(self, spot: str, stacks: Stacks, *, by: str, how: str, start: int | None) -> None:
        """Other chips lie there now; `start` is given for a hand at work beside the dealer's."""
        begins = self.now if start is None else start
        end = begins + self._lasts(CHIPS_DOWN)
        self.chips[spot] = stacks
        self._moves.append(ChipMove(begins / 1000, end / 1000, spot, stacks, how, by))
        self.tell("chips", end, spot=spot, amount=worth(stacks), by=_whose(by))
        if start is None:
            self.now = end
        else:
            self.busy = max(self.busy, end)

    def wave(self, over: str, by: str) -> None:
        """A hand comes over a place and goes again."""
        start, end = self.now, self.now + self._lasts(WAVE)
        self._moves.append(Gesture(start / 1000, end / 1000, over, by))
        self.now = end

    # ---- what else happens ------------------------------------------------------------------------------------------

    def _besides(self) -> None:
        """Let something happen that is no act of the game: a hand rests, cards are pushed, a thing comes or goes."""
        zones = list(dict.fromkeys(card.zone for card in self.cards.values()))
        if zones and self._chance(self.dealer.rests):
            self._rests(self.habits.choice(zones))
        if zones and self._chance(self.dealer.nudges):
            self._nudges(self.habits.choice(zones))
        if self.chips and self._chance(self.dealer.things):
            self._thing(_owner(self.habits.choice([*self.chips])))

    def _rests(self, zone: str) -> None:
        """Lay a hand over cards for seconds: the dealer does nothing else, a Player goes when cards are moved there."""
        begins = self.now / 1000
        lasts = round(1000 * self.habits.uniform(*RESTS))
        if _owner(zone) == DEALER:
            self.now += lasts
        elif zone in self._resting:
            return
        else:
            self._resting[zone] = len(self._moves)
        self._moves.append(Gesture(begins, begins + lasts / 1000, zone, _owner(zone)))

    def _gives_way(self, zone: str, at: int) -> None:
        """Let the hand that rests over a zone leave it."""
        n = self._resting.pop(zone, None)
        hand = self._moves[n] if n is not None else None
        if n is not None and isinstance(hand, Gesture) and hand.end > at / 1000:
            self._moves[n] = replace(hand, end=max(at / 1000, hand.start + 0.1))

    def _nudges(self, zone: str) -> None:
        """Push the top card of a hand, its last two, or all."""
        hand = sorted((card for card in self.cards.values() if card.zone == zone), key=lambda card: card.place)
        pushed = hand[-self.habits.choice([1, 2, len(hand)]) :]
        far, way = self.habits.uniform(*PUSH_MM), self.habits.uniform(0, 2 * pi)
        nudge = Nudge(far * cos(way), far * sin(way), self.habits.uniform(-PUSH_DEG, PUSH_DEG), pushed[0].id)
        start = self._settled()
        end = start + round(1000 * self.habits.uniform(*PUSH))
        by = self.habits.choice([DEALER, _owner(zone)])
        for card in pushed:
            self._moved(card, start, end, "nudge", by, nudge)
        self.now = end + APART_MS

    def _thing(self, by: str) -> None:
        """Let a Player put a thing on the table, or take his away."""
        mine = [thing for thing, owner in self.things.items() if owner == by]
        thing = mine[0] if mine else f"{self.habits.choice(THINGS)}@{self.now}"
        start, end = self.now / 1000, (self.now + round(1000 * self.habits.uniform(*SLIDE))) / 1000
        self._moves.append(ThingMove(start, end, thing, thing.partition("@")[0], not mine, by))
        if mine:
            del self.things[thing]
        else:
            self.things[thing] = by


def _owner(place: str) -> str:
    """Give whose a zone or spot is: the dealer's, or that of a box's Player."""
    return place.partition(".")[0] if place.startswith("box") else DEALER


def _whose(by: str) -> str:
    return "dealer" if by == DEALER else "player"
