"""The state of a table: the events so far, what the engine makes of them, and what lies there.

It is a fold over events, the same whether they come from a camera now or from the journal after a power cut. A snapshot
of it is small: the table as it stood before the last round but one ended, and the events since.
"""

import json
import zlib
from dataclasses import dataclass, field
from typing import Any, Final

from feltwatch.engine import table_snapshot
from feltwatch.engine.books import Book
from feltwatch.engine.model import events
from feltwatch.engine.model.cards import CARDS, Card
from feltwatch.engine.model.events import Chips, Clear, Correct, Dealt, Event, Gap, Move, Remove, Signal, Turn
from feltwatch.engine.model.spots import ZONES, Zone
from feltwatch.engine.model.verdicts import Ended, Verdict
from feltwatch.engine.table import Table

LAW: Final = 1  # counts up when a snapshot is written otherwise
QUIET: Final = 1000  # events between two rounds after which a new snapshot is due
TAKEN_UP: Final = ("discard", "shoe", "float")  # a card there lies on the layout no more


@dataclass(frozen=True, slots=True)
class SceneCard:
    """A card on the layout, as far as it is known."""

    zone: Zone
    face: Card | None
    up: bool
    place: tuple[float, float] | None = None  # millimetres, where a camera sees it
    across: bool = False  # it lies crosswise


@dataclass(slots=True)
class Snapshot:
    """The table between two rounds, what lay there, and the events since."""

    state: dict[str, object]
    since: list[Event] = field(default_factory=list)


class TableState:
    """Takes events in their order; judges them from when the layout was clear."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.table = Table(book)
        self.judges = True  # False for a round that was being dealt when watching began
        self.t = 0.0
        self.cards: dict[str, SceneCard] = {}
        self.chips: dict[str, Chips] = {}  # the last event of each spot on which some lie
        self.snapshots = [Snapshot(self._state())]
        self.is_due = False  # a newer snapshot can be stored than the last

    def apply(self, event: Event) -> list[Verdict]:
        """Take an event; give the verdicts it brings."""
        self.t = event.t
        self._place(event)
        self.snapshots[-1].since.append(event)
        verdicts = self._judge(event)
        ended = any(isinstance(verdict, Ended) for verdict in verdicts)
        if (ended or len(self.snapshots[-1].since) >= QUIET) and self._rests():
            self.snapshots = [*self.snapshots[-1:], Snapshot(self._state())]
            self.is_due = True
        return verdicts

    def _judge(self, event: Event) -> list[Verdict]:
        if isinstance(event, Dealt) and event.found and not self.table.blind:
            self.judges = False
        if self.judges or isinstance(event, Gap):
            self.judges = True  # after a gap the engine itself knows of what it can say nothing
            return self.table.apply(event)
        opens = isinstance(event, Signal) and event.name == "place-bets"
        self.judges = opens or isinstance(event, Clear)
        return self.table.apply(event) if opens else []

    # ---- what lies there ------------------------------------------------------------------------------------------

    def _place(self, event: Event) -> None:
        """Keep book of what lies there."""
        if isinstance(event, Chips):
            spot = spot_of(event)
            self.chips.pop(spot, None)
            if event.amount != 0:
                self.chips[spot] = event
        elif isinstance(event, Clear) or (isinstance(event, Gap) and event.lost):
            self.cards.clear()
        elif isinstance(event, Remove):
            self.cards.pop(event.id, None)
        elif isinstance(event, Dealt | Turn | Move | Correct):
            self._move(event)

    def _move(self, event: Dealt | Turn | Move | Correct) -> None:
        before = self.cards.get(event.id)
        if isinstance(event, Dealt):
            found = SceneCard(event.zone, event.card, event.up)
        elif before is None:
            return
        elif isinstance(event, Move):
            found = SceneCard(event.zone, before.face, before.up)
        elif isinstance(event, Turn):
            found = SceneCard(before.zone, event.card or before.face, event.up)
        else:
            found = SceneCard(before.zone, event.card, before.up)
        if found.zone.part in TAKEN_UP:
            self.cards.pop(event.id, None)
        else:
            self.cards[event.id] = found

    # ---- snapshots --------------------------------------------------------------------------------------------------

    def _rests(self) -> bool:
        """True while no round is being played."""
        table = self.table
        return table.life is None and table.unseen is None and not table.held

    def _state(self) -> dict[str, object]:
        return {
            "law": LAW,
            "t": self.t,
            "judges": self.judges,
            "cards": {name: [one.zone.text, one.face and one.face.text, one.up] for name, one in self.cards.items()},
            "chips": [events.to_dict(one) for one in self.chips.values()],
            "table": table_snapshot.taken(self.table),
        }

    def to_snapshot(self) -> bytes:
        """Give all it takes to go on from here."""
        self.is_due = False
        since = [events.encode(event) for one in self.snapshots for event in one.since]
        return zlib.compress(
            json.dumps([self.snapshots[0].state, since], separators=(",", ":"), default=float).encode()
        )

    @staticmethod
    def from_snapshot(book: Book, stored: bytes) -> "TableState":
        """Go on from a snapshot, of whatever version. Raises ValueError where it is not ours."""
        try:
            state, since = _loaded(stored)
            if state["law"] != LAW:
                raise ValueError(f"expected a snapshot of law {LAW}, found {state['law']!r}")
            found = TableState(book)
            found.t, found.judges = float(state["t"]), bool(state["judges"])
            found.cards = {
                name: SceneCard(ZONES[zone], face and CARDS[face], up)
                for name, (zone, face, up) in state["cards"].items()
            }
            chips = [event for one in state["chips"] if isinstance(event := events.parse(one), Chips)]
            found.chips = {spot_of(event): event for event in chips}
            found.table = table_snapshot.restored(book, state["table"])
            found.snapshots = [Snapshot(found._state())]
            for line in since:
                found.apply(events.decode(line.encode()))
        except (zlib.error, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"expected a snapshot of a table, found something else: {error!r}") from error
        found.is_due = False
        return found


def _loaded(stored: bytes) -> tuple[Any, list[str]]:
    found = events.decode_json(zlib.decompress(stored))
    if not isinstance(found, list):
        raise TypeError(found)
    state, since = found
    return state, since


def spot_of(event: Chips) -> str:
    return "outside" if event.spot is None else event.spot.text
