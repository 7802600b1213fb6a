"""Whether a command makes sense for a table now; if not, a clause for a person says why.

A command that the engine would ignore, or take for another, is refused: no sender shall believe that it was
heard.
"""

from collections.abc import Collection, Mapping
from typing import Final

from feltwatch.engine.model.events import Decision, Signal
from feltwatch.engine.round.base import Round
from feltwatch.engine.round.payments import bet
from feltwatch.engine.table import Table

BETWEEN: Final = frozenset({"place-bets", "no-more-bets", "shuffled"})  # these count while no round is on, too
ON_CARDS: Final = frozenset({"players-viewed", "cards-touched", "cards-shown"})  # of a box that has cards
GAMES: Final[Mapping[str, str]] = {
    "players-viewed": "si-ki-pi",
    "house-way-requested": "si-ki-pi",
    "cards-touched": "si-ki-pi",
    "cards-shown": "si-ki-pi",
    "squeeze-granted": "blackjack",
    "insurance-offered": "blackjack",
}
ON_THE_BOX: Final = frozenset({"insurance", "even-money"})  # decisions on a box, whatever the hand
OF_THEIR_OWN: Final = ("void", "return-bet")  # rulings that need no alert


def objection(event: Signal | Decision, table: Table, boxes: Collection[int]) -> str:
    """Say why an event makes no sense at this table now, with these boxes; "" where it does."""
    if event.box is not None and event.box not in boxes:
        return f"box {event.box} is not on this layout, which has {_listed(boxes)}"
    return _decision(event, table) if isinstance(event, Decision) else _signal(event, table, boxes)


def _decision(event: Decision, table: Table) -> str:
    if table.book.family != "blackjack":
        return f"{table.book.title} knows no decisions"
    if table.life is None:
        return f"no round is on: {event.action} is decided while cards lie"
    now = table.life.round
    if now.void:
        return f"round {now.number} is void: nothing is decided in it any more"
    hand = 0 if event.action in ON_THE_BOX else event.hand
    if not _has_cards(now, event.box, hand):
        where = f"box {event.box} hand {hand}" if hand > 1 else f"box {event.box}"
        return f"no card lies on {where}: {event.action} is decided on cards"
    return _paid(event, now)


def _paid(event: Decision, now: Round) -> str:
    """A decision may come late, when it was inferred differently, but not once its bet was settled for that."""
    stacks = [one for one in now.stacks.values() if one.spot.kind == "main" and one.spot.box == event.box]
    bets = {bet(one.spot) for one in stacks}
    results = {
        line.result for line in now.settlements.values() if line.key[:2] == (event.box, event.hand) and line.bet in bets
    }
    moved = any(not one.settled.untouched or one.settled.by_dealer or one.settled.emptied is not None for one in stacks)
    if moved and results and event.action not in results:
        return f"the bet of box {event.box} hand {event.hand} was settled: nothing is decided on it any more"
    return ""


def _signal(event: Signal, table: Table, boxes: Collection[int]) -> str:
    game = GAMES.get(event.name, table.book.family)
    if game != table.book.family:
        return f"{table.book.title} knows no {event.name}"
    if event.seat is not None and event.seat not in boxes:
        return f"seat {event.seat} is not on this layout, which has {_listed(boxes)}"
    if event.name == "ruling" and _is_late(event, table):
        return ""  # it changes nothing, and is kept as a remark
    if table.life is None or event.name in BETWEEN:
        return "" if event.name in BETWEEN else f"no round is on: {event.name} counts in a round"
    now = table.life.round
    if event.name in ON_CARDS and event.box is not None and not _has_cards(now, event.box):
        return f"no card lies on box {event.box}"
    return _ruling(event, now) if event.name == "ruling" else ""


def _is_late(event: Signal, table: Table) -> bool:
    """True if a ruling names an alert of the round before."""
    return table.last is not None and event.alert in table.last.round.alerts


def _ruling(event: Signal, now: Round) -> str:
    """A ruling is about an alert that stands in this round: the one it names, else the last that waits."""
    alerts = now.alerts
    standing = f"; there {'stand' if len(alerts) > 1 else 'stands'} {', '.join(alerts)}" if alerts else ""
    if event.alert is not None and event.alert not in alerts:
        gone = f"alert {event.alert} was dismissed" if event.alert in now.dismissed else ""
        return f"{gone or f'no alert {event.alert} stands in round {now.number}'}{standing}"
    codes = {alert.code for alert in alerts.values()} if event.alert is None else {alerts[event.alert].code}
    if event.code is not None and event.code not in codes:
        about = f"alert {event.alert} is no {event.code}" if event.alert else f"no {event.code} stands in this round"
        return f"{about}{standing}"
    if not alerts and event.choice not in OF_THEIR_OWN:
        return f"no alert stands in round {now.number}: there is nothing to rule upon"
    return _return_bet(event, now) if event.choice == "return-bet" else ""


def _return_bet(event: Signal, now: Round) -> str:
    """A Player's bet: the box is named, or the alert names whose may choose so."""
    alert = now.alerts.get(now.meant(event))
    if event.box is None and (alert is None or not alert.remedy.boxes):
        return "return-bet: expected the box whose bet goes back"
    if event.box is not None and not any(stack.spot.box == event.box for stack in now.stacks.values()):
        return f"no bet lies on box {event.box}"
    return ""


def _has_cards(now: Round, box: int, hand: int = 0) -> bool:
    """True if a card lies on a box, or on one hand of it."""
    return any(seen.zone.box == box and hand in (0, seen.zone.hand) and not seen.gone for seen in now.seen.values())


def _listed(boxes: Collection[int]) -> str:
    found = sorted(boxes)
    if found == [*range(1, len(found) + 1)] and len(found) > 1:
        return f"boxes 1 to {len(found)}"
    return f"{'boxes' if len(found) > 1 else 'box'} {', '.join(map(str, found))}"
