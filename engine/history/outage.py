"""Gaps without watching: what came then is taken in the order that the book objects to least, or the round is lost.

A `gap` is a time without watching. What is reported at exactly its time came unseen: which card fell first, whose
hand moved chips, is unknown. No alert may rest on that. So the cards are lived through in an order against which the
book has nothing; where there is none, or where another order would mean something else, the round ends unresolved, and
nothing is judged until the layout is clear.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Final

from feltwatch.engine.history.occluded_order import Entry, Lives, Log
from feltwatch.engine.model.events import Chips, Dealt, Event, Gap, Move, Remove, Turn
from feltwatch.engine.model.spots import Zone
from feltwatch.engine.round.base import Round

TRIES: Final = 200  # orders, or beginnings of one, that are tried
PLAYED_S: Final = 8.0  # in so long a hand may be dealt, split, lost and taken up
MOST: Final = 3  # unseen cards of one hand; every order of them is tried
FOUR: Final = 4  # cards of each hand are dealt first; else
FIRST_TWO: Final = 2  # and which of a hand's cards these are means something
BETS_SAY: Final = frozenset(  # where a card was due hangs on which boxes have a bet
    {
        "box-double-card",
        "box-skipped",
        "card-to-box-without-bet",
        "dealer-first-card-missing",
        "dealer-second-card-too-early",
        "unexpected-card",
        "wrong-box-order",
    }
)
CAME: Final = (Chips, Dealt, Turn, Move, Remove)


@dataclass(slots=True)
class Unseen:
    """A gap, and what came in it."""

    number: int
    gap: Gap
    entries: Log = field(default_factory=list)

    def takes(self, number: int, event: Event) -> bool:
        """Take what came unseen; say whether it did."""
        if event.t != self.gap.t or not isinstance(event, CAME):
            return False
        self.entries.append((number, event))
        return True

    @property
    def begins(self) -> bool:
        """Tell whether cards were dealt."""
        return any(isinstance(one, Dealt) and one.zone.box is not None for _, one in self.entries)


class Lost(Exception):  # noqa: N818  it is no fault of ours
    """What lies does not say what happened; the text says why not."""


def explained(unseen: Unseen, log: Log, lives: Lives) -> Log:
    """Give what came unseen, and the gap itself, in the order in which it may have happened."""
    now = lives(log)
    end = (unseen.number, unseen.gap)
    open_ = [now.alerts[name].code for name, plan in now.plans.items() if plan.waits and name in now.alerts]
    if now.void or not (unseen.entries or (open_ and now.closed and not now.uncounted)):
        return [*unseen.entries, end]
    if open_:
        raise Lost(f"nobody saw what followed {open_[-1]}")
    gone = [event.id for _, event in unseen.entries if isinstance(event, Remove) and _counts(now, event.id)]
    if gone:
        raise Lost("a card is gone" if len(gone) == 1 else "cards are gone")
    cards = [entry for entry in unseen.entries if isinstance(entry[1], Dealt)]
    moves = [entry for entry in unseen.entries if isinstance(entry[1], Move)]
    why = Lost("what lies does not follow from what lay before")
    for before, after in _parted(unseen.entries, now):
        trial = _Trial(unseen.gap, log, lives, now)
        found = trial.order(before, [*cards, *moves], [*after, end])
        try:
            if found is not None:
                trial.check(found, cards)
                return trial.dated(found)
        except Lost as lost:
            why = lost
    raise why


class _Trial:
    """Looks for an order of cards, by living through it."""

    def __init__(self, gap: Gap, log: Log, lives: Lives, now: Round) -> None:
        self.gap, self.log, self.lives, self.now = gap, log, lives, now
        self.grave = _grave(now)
        self.tries = TRIES

    def order(self, before: Log, cards: Log, after: Log) -> Log | None:
        """Give all entries, cards and moves in an order that breaks no rule; those of a hand as reported."""
        for found in self._orders(before, cards):
            if self.right([*found, *after]):
                return [*found, *after]
        return None

    def _orders(self, begun: Log, left: Log) -> Iterator[Log]:
        if not left:
            yield begun
            return
        heads: dict[object, Entry] = {}
        for entry in left:
            heads.setdefault(_zone(entry) if isinstance(entry[1], Dealt) else entry[0], entry)
        for entry in sorted(heads.values(), key=self._turn(begun)):
            if self.tries <= 0:
                return
            self.tries -= 1
            if self.right([*begun, entry]):
                yield from self._orders([*begun, entry], [one for one in left if one is not entry])

    def _turn(self, begun: Log) -> Callable[[Entry], tuple[int, bool, str]]:
        """Give whose turn it likely is: the one with fewest first cards, the dealer last; then cards move."""
        first = FOUR if self.now.book.family == "si-ki-pi" else FIRST_TWO
        lie = [seen.zone for seen in self.now.seen.values() if not seen.gone]
        lie += [_zone(entry) for entry in begun if isinstance(entry[1], Dealt)]

        def turn(entry: Entry) -> tuple[int, bool, str]:
            if isinstance(entry[1], Move):
                return first, False, ""
            zone = _zone(entry)
            return min(lie.count(zone), first if zone.box else first - 1), not zone.box, zone.text

        return turn

    def right(self, found: Log) -> bool:
        """Tell whether the book has no more against the round so than before."""
        tried = self.lives([*self.log, *self.dated(found)])
        return not (_grave(tried) - self.grave or (tried.unclear and not self.now.unclear))

    def dated(self, found: Log) -> Log:
        """Give entries times between the two watched moments; the gap itself is the last."""
        since, lasted = self.gap.since, self.gap.t - self.gap.since
        return [(n, _at(event, since + lasted * place / (len(found) + 1))) for place, (n, event) in enumerate(found, 1)]

    def check(self, found: Log, cards: Log) -> None:
        """See to it that no other order of a hand's cards would mean something else, and no open bet is gone."""
        then = self.lives([*self.log, *self.dated(found)])
        if self.now.first_cards() and not then.first_cards() and self.gap.t - self.gap.since > PLAYED_S:
            raise Lost("nobody saw how the first cards were played")
        lay = [seen.zone for seen in self.now.seen.values() if not seen.gone]
        for zone in dict.fromkeys(_zone(entry) for entry in cards):
            mine = [entry for entry in cards if _zone(entry) == zone and entry[1].up]  # type: ignore[union-attr]  # a Dealt
            if len(mine) > 1 and not self._same(found, mine, lay.count(zone), zone):
                raise Lost(f"nobody saw in which order the cards of {zone.text} came")
        for _, event in found:
            if isinstance(event, Chips) and event.spot is not None and not then.void:
                self._moved(event, then)
            elif isinstance(event, Dealt) and event.crosswise:
                self._doubled(event, then)

    def _moved(self, event: Chips, then: Round) -> None:
        """See to it that the chips of an open bet did not go, and that it is known what was bet."""
        stack, before = then.stacks.get(event.spot.text), self.now.stacks.get(event.spot.text)  # type: ignore[union-attr]  # it has one
        if stack is None or not (stack.bet.placed and then.undecided(stack)):
            return
        lay = None if before is None else before.now.amount
        less = event.amount is not None and lay is not None and event.amount < lay
        if event.amount == 0 or (less and self.now.closed):
            raise Lost(f"chips of the {stack.spot.bet} bet of box {stack.spot.box} are gone")
        if event.amount is not None and (not self.now.closed or then.astray(stack, event.amount) < 0):
            raise Lost(f"nobody saw what was bet on box {stack.spot.box}")

    def _doubled(self, event: Dealt, then: Round) -> None:
        """See to it that a bet whose amount is known grew with the card of its double."""
        name = f"box{event.zone.box}.main"
        before, stack = self.now.stacks.get(name), then.stacks.get(name)
        if before is not None and stack is not None and stack.now.amount == before.now.amount is not None:
            raise Lost(f"nobody saw how box {event.zone.box} doubled")

    def _same(self, found: Log, mine: Log, lay: int, zone: Zone) -> bool:
        """Tell whether the cards of a hand mean the same in any order."""
        if lay + len(mine) <= FIRST_TWO:
            return bool(zone.box)  # which of the dealer's cards was the first means much
        if lay < (FIRST_TWO if zone.box else 1) or len(mine) > MOST:
            return False
        places = [n for n, entry in enumerate(found) if entry in mine]
        for other in permutations(mine):
            tried = [*found]
            for place, entry in zip(places, other, strict=True):
                tried[place] = entry
            if not self.right(tried):
                return False
        return True


def _parted(entries: Sequence[Entry], now: Round) -> Iterator[tuple[Log, Log]]:
    """Give what may have come before the cards, and after them, the likeliest first."""
    rest = [entry for entry in entries if isinstance(entry[1], Turn | Remove)]
    chips = [(n, event) for n, event in entries if isinstance(event, Chips)]
    if not now.closed:
        boxes = {one.zone.box for _, one in entries if isinstance(one, Dealt)}
        theirs: Log = [(n, event) for n, event in chips if event.spot is not None and event.spot.box in boxes]
        yield [*chips], rest
        yield theirs, [*rest, *(entry for entry in chips if entry not in theirs)]
        return
    gone: Log = [(n, event) for n, event in chips if event.amount == 0]
    late: Log = [(n, event) for n, event in chips if event.amount != 0 and _insures(event)]  # as it may have come
    put: Log = [entry for entry in chips if entry not in gone and entry not in late]
    yield put, [*rest, *gone, *late]  # a double or a split comes before its card
    if gone:
        yield [*put, *gone], [*rest, *late]
    if put:
        yield [], [*rest, *chips]


def _insures(event: Chips) -> bool:
    return event.spot is not None and event.spot.kind == "insurance"


def _counts(round_: Round, name: str) -> bool:
    """Tell whether a card lay in a hand that was not decided."""
    seen = round_.seen.get(name)
    return seen is not None and not seen.gone and seen.zone.box is not None and not round_.done(seen.zone)


def _grave(round_: Round) -> set[str]:
    return {name for name, alert in round_.alerts.items() if alert.severity != "advise"}


def _zone(entry: Entry) -> Zone:
    event = entry[1]
    assert isinstance(event, Dealt)  # noqa: S101  only cards are put in order
    return event.zone


def _at(event: Event, t: float) -> Event:
    if isinstance(event, Gap):
        return event
    if isinstance(event, Dealt):
        return event._replace(t=t, rested=t)
    return event._replace(t=t)
