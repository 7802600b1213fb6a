"""The order in which cards came, where it was not seen: as the book demands, if what was seen allows it.

A hand may lie over a place while a card comes to rest there. Then it is known between which two moments it came
(`since`, `rested`), and events reported before it mark this place as hidden (`hidden`). No alert may rest on
that: a card is taken for dealt before all else where it may have been and the book has less against it so, and what is
only wrong if nothing came to a hidden place waits until that is seen again.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

from feltwatch.engine.model.events import Chips, Dealt, Event, Remove, Tick
from feltwatch.engine.model.spots import Zone
from feltwatch.engine.round.base import Round

HELD_S: Final = 4.0  # a hand that covers a place for longer is not waited for
UNSEEN: Final = 2  # cards at most that may have come without being seen

Entry = tuple[int, Event]  # as in the log of a round: its number, and what happened
Log = list[Entry]
Lives = Callable[[Sequence[Entry]], Round]  # gives the round as it is after these events


def faults(round_: Round) -> int:
    """Count what the book has against a round, but for advice."""
    return sum(alert.severity != "advise" for alert in round_.alerts.values())


def place(log: Log, entry: Entry, lives: Lives) -> int | None:
    """Give the place in the log of a card that may have come, or gone, earlier; None: where it was reported."""
    _, event = entry
    if not isinstance(event, Dealt | Remove) or event.since is None or _pair(event):
        return None
    later = [n for n, (_, one) in enumerate(log) if latest(one) > event.since]
    if isinstance(event, Remove):  # it had come before
        came = max((n for n, (_, one) in enumerate(log) if getattr(one, "id", None) == event.id), default=-1)
        later = [n for n in later if n > came]
    else:  # between two ticks it is as before both
        later = [n for n in later if not (n and type(log[n][1]) is type(log[n - 1][1]) is Tick)]
    least = faults(lives([*log, entry])) if later else 0
    if isinstance(event, Remove):
        return later[0] if least else None  # it is known when
    found = None
    for n in reversed(later):
        tried = faults(lives([*log[:n], dated(entry, log[n]), *log[n:]])) if least else least
        if tried < least:
            least, found = tried, n
    return found


def doubt(later: Sequence[Entry], event: Event) -> str:
    """Say what is not known where a card is taken for dealt before others of its own hand: what that hand drew."""
    if not isinstance(event, Dealt) or not event.up:
        return ""  # a back is as good as another
    if any(isinstance(one, Dealt) and one.zone == event.zone for _, one in later):
        return f"nobody saw in which order the cards of {event.zone.text} came"
    return ""


def _pair(event: Event) -> bool:
    """Tell whether a card was seen to be drawn together with the one before it: that is its place."""
    return isinstance(event, Dealt) and event.order_lost


def latest(event: Event) -> float:
    """Give when something had happened at the latest."""
    return min(event.rested, event.t) if isinstance(event, Dealt) and event.rested is not None else event.t


def dated(entry: Entry, following: Entry) -> Entry:
    """Give an event as if it had been reported just before another."""
    return entry[0], entry[1]._replace(t=following[1].t)


def in_doubt(log: Log, entry: Entry, now: Round, lives: Lives) -> bool:
    """Tell whether a card, or what is paid or taken, is wrong only if no card came to hidden places."""
    n, event = entry
    if not isinstance(event, Dealt | Chips) or not event.hidden or _pair(event):
        return False
    before = faults(now)
    if faults(lives([*log, entry])) <= before:
        return False
    unseen = [(n, Dealt(event.t, f"unseen in {zone.text}", zone, None)) for zone in event.hidden]
    tried = (some for count in range(1, UNSEEN + 1) for some in combinations(unseen, count))
    return any(faults(lives([*log, *some, entry])) <= before for some in tried)


def released(held: Log, last: Entry) -> Log:
    """Give what waits and what has come now, in order, with what is hidden still."""
    (_, first), (_, event) = held[0], last
    assert isinstance(first, Dealt | Chips)  # noqa: S101  what all wait for
    found = [*held, last]
    if isinstance(event, Dealt) and event.zone in first.hidden and event.since is not None:
        found = [dated(last, held[0]), *held] if event.since < latest(first) else found
    if event.t - first.t >= HELD_S:
        return [(n, seen(one, ())) for n, one in found]
    return [(n, seen(one, event.hidden)) for n, one in found] if isinstance(event, Dealt | Chips | Tick) else found


def seen(event: Event, hidden: tuple[Zone, ...]) -> Event:
    """Give an event without the places that are seen by now."""
    if not isinstance(event, Dealt | Chips) or not event.hidden:
        return event
    return event._replace(hidden=tuple(zone for zone in event.hidden if zone in hidden))
