"""One round as it is kept to be lived through again, and what a second look at it changes."""

from dataclasses import dataclass, field, replace
from decimal import Decimal

from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.events import Chips, Dealt, Event, Move, Turn
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.model.spots import Spot, Zone
from feltwatch.engine.model.verdicts import Remedied, Verdict, Withdrawn
from feltwatch.engine.round.base import Round

DISMISSED = "a supervisor dismissed it"
OTHERWISE = "a later fact shows otherwise"
Lying = tuple[Spot, Decimal | None, bool]  # chips as a round ends: where, how much, whether they were left there
SWEPT = 2  # cards that have left the table when a round is over


@dataclass(slots=True)
class Life:
    """A round with all that is needed to live through it again: how it began, and what happened."""

    number: int
    began: float
    shoe: Shoe
    stale: dict[str, Zone]
    held: dict[str, Lying]
    seats: dict[str, set[int]]
    heard: bool  # a signal or a decision was reported before it
    round: Round = field(init=False)
    log: list[tuple[int, Event]] = field(default_factory=list)
    faces: dict[str, Card | None] = field(default_factory=dict)  # what late reads say of cards
    dismissed: frozenset[str] = frozenset()
    over: tuple[float, bool] | None = None
    doubt: str = ""  # an unseen order of cards that decides the result of a hand


def placed_anew(done: Round) -> set[str]:
    """Give the spots whose chips came for the next round, since those of this one had gone, or never were."""
    if not done.only_seen:
        return set()
    return {
        text
        for text, stack in done.stacks.items()
        if not stack.bet.refused and (stack.settled.emptied is not None or not stack.bet.placed)
    }


def is_next(done: Round, event: Event) -> bool:
    """Tell whether a bet or a card is of the next round, since the cards of this one were taken up, or all but one."""
    if isinstance(event, Chips) and event.spot is not None:
        stack = done.stacks.get(event.spot.text)
        free = stack is None or not (stack.now.present or done.undecided(stack))
        more = event.by == "player" or (event.by is None and free)
        if event.amount == 0 or not more:
            return False
    elif not (isinstance(event, Dealt) and event.zone.box and event.id not in done.seen):
        return False
    cards = [seen for seen in done.seen.values() if seen.zone.box is not None]
    lies = [seen for seen in cards if not seen.gone]
    swept = len(cards) - len(lies)
    if not any(seen.zone.box for seen in lies):
        bets = any(stack.now.present and stack.bet.placed for stack in done.stacks.values())
        return swept >= SWEPT and (not lies or not bets)
    return len(lies) == 1 and swept > SWEPT


def put_before_close(life: Life) -> bool:
    """Chips reported too late were there, or had gone, when the first card fell."""
    n, event = life.log.pop()
    place = next(i for i, (_, one) in enumerate(life.log) if isinstance(one, Dealt | Move) and one.zone.box is not None)
    life.log.insert(place, (n, event._replace(t=life.log[place][1].t)))
    return True


def as_known(event: Event, faces: dict[str, Card | None]) -> Event:
    """Give a card's event with the face that is known by now."""
    if not isinstance(event, Dealt | Turn) or event.id not in faces:
        return event
    return event._replace(card=faces[event.id], sure=1.0, late=event.card is None)


def changes(old: Round, new: Round, t: float) -> list[Verdict]:
    """Say what a second look changes: alerts that fall, alerts that come, settlements that differ."""
    found: list[Verdict] = [
        Withdrawn(t, old.number, name, DISMISSED if name in new.dismissed else OTHERWISE)
        for name in old.alerts
        if name not in new.alerts
    ]
    for name, alert in new.alerts.items():
        if name not in old.alerts:
            found.append(alert)
        elif old.alerts[name].remedy != alert.remedy:
            found.append(Remedied(t, new.number, name, alert.remedy))
    for key, line in new.settlements.items():
        before = old.settlements.get(key)
        if before is None:
            found.append(replace(line, t=t, revises=False))
        elif replace(before, t=0, revises=False) != replace(line, t=0, revises=False):
            found.append(replace(line, t=t, revises=True))
    for key, line in old.settlements.items():
        if key not in new.settlements:
            found.append(replace(line, t=t, result="no-action", returned=None, odds=None, revises=True))
    return found
