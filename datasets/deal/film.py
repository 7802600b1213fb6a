"""What is seen of a round, written down with its times: every motion, and the table event it ends in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt
from random import Random

from feltwatch.datasets.deal.chips import Stacks, beside, stacked, without, worth
from feltwatch.datasets.deal.story import DEALER, CarriedCard, ChipMove, Gesture, HandMove
from feltwatch.engine.model.cards import Card

Span = tuple[float, float]  # seconds, at the least and at the most

CARRY: Span = (0.5, 0.9)  # a card from the shoe to its place
BEAT: Span = (0.8, 1.4)  # from one card to the next
SLIDE: Span = (0.4, 0.8)
TURN: Span = (0.3, 0.6)
SWEEP: Span = (0.7, 1.1)
CHIPS_DOWN: Span = (0.5, 0.9)
WAVE: Span = (0.5, 0.9)


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

    def __init__(self, rng: Random, now: int, pace: float, ids: Iterator[int]) -> None:
        self.rng = rng
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
        """Nothing happens for a while: the shorter, the quicker the table is."""
        self.now += self._ms(span, self.pace)

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
        lying = self.cards[name] = TableCard(name, face, up, zone, self._place(zone))
        self._moves.append(
            CarriedCard(
                start / 1000, end / 1000, name, face, up, zone, lying.place, crosswise=crosswise, foreign=foreign
            )
        )
        more: dict[str, object] = {"crosswise": True} if crosswise else {}
        more |= {"together": True} if together else {}
        self.tell("card", end, id=name, zone=zone, card=face.text if up else None, face="up" if up else "down", **more)
        if not together:
            self._beat, self._landed = max(self._ms(BEAT, self.pace), end - start), end
            self.now = start + self._beat
        return name

    def _place(self, zone: str) -> int:
        return 1 + max((card.place for card in self.cards.values() if card.zone == zone), default=-1)

    def slide(self, name: str, zone: str, *, by: str = DEALER, hand: int | None = None) -> None:
        """Push a card to another zone."""
        card = self.cards[name]
        place = self._place(zone)
        start, end = self.now, self.now + self._lasts(SLIDE)
        card.zone, card.place = zone, place
        self._moves.append(
            CarriedCard(start / 1000, end / 1000, name, card.face, card.up, zone, place, how="slide", by=by)
        )
        more: dict[str, object] = {} if hand is None else {"hand": hand}
        self.tell("move", end, id=name, zone=zone, **more, by=_whose(by))
        self.now = end

    def turn(self, name: str, *, by: str = DEALER) -> None:
        """Turn a card face up where it lies."""
        card = self.cards[name]
        card.up = True
        start, end = self.now, self.now + self._lasts(TURN)
        self._moves.append(
            CarriedCard(start / 1000, end / 1000, name, card.face, True, card.zone, card.place, how="turn", by=by)  # noqa: FBT003
        )
        self.tell("turn", end, id=name, face="up", card=card.face.text, by=_whose(by))
        self.now = end

    def look(self, names: Sequence[str], by: str) -> None:
        """The Player bends up the corners of his cards, and lets them lie again."""
        start = self.now
        up, down = start + self._lasts(WAVE), start + self._lasts((1.4, 2.2))
        for name in names:
            card = self.cards[name]
            for begins, ends, lifted in ((start, up, True), (down, down + 300, False)):
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
        start, end = self.now, self.now + self._lasts(SWEEP)
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
        start, end = self.now, self.now + self._lasts(SLIDE)
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
        """Set chips down beside those that lie on a spot."""
        found = beside(self.chips.get(spot, ()), stacked(amount, self.rng))
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


def _whose(by: str) -> str:
    return "dealer" if by == DEALER else "player"
