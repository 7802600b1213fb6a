"""The course of a table: what was told of it so far, what the engine makes of it, and what lies there.

It is a fold over events, the same whether they come from a camera now or from the journal after a power cut. What it
takes to go on is small: the table as it stood before the last round but one ended, and the events since.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from feltwatch.edge.cli.judge import read
from feltwatch.engine import table_snapshot
from feltwatch.engine.books import Book
from feltwatch.engine.model.spots import ZONES
from feltwatch.engine.model.verdicts import Ended, Verdict
from feltwatch.engine.table import Table

Event = dict[str, object]
LAW: Final = 1  # counts up when what is kept is written otherwise
QUIET: Final = 1000  # events between two rounds after which the table as it stands is kept


@dataclass(frozen=True, slots=True)
class Lay:
    """A card as it lies, as far as was told."""

    zone: str
    face: str | None
    up: bool


@dataclass(slots=True)
class Part:
    """The table between two rounds, what lay there, and what was told since."""

    state: dict[str, object]
    told: list[str] = field(default_factory=list)


class Course:
    """Takes events in their order; judges them from when the layout was clear."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.table = Table(book)
        self.judges = True  # not a round that was being dealt when watching began
        self.t = 0.0
        self.cards: dict[str, Lay] = {}
        self.chips: dict[str, Event] = {}  # the last word on each spot on which some lie
        self.parts = [Part(self._state())]
        self.fresh = False  # there is more to be kept than was asked for last

    def take(self, event: Event) -> list[Verdict]:
        """Take an event; give what the engine says to it."""
        line = json.dumps(event, separators=(",", ":"))
        self.t = float(str(event["t"]))
        self._lies(event)
        self.parts[-1].told.append(line)
        said = self._judged(event, line)
        ended = any(isinstance(verdict, Ended) for verdict in said)
        if (ended or len(self.parts[-1].told) >= QUIET) and self._rests():
            self.parts = [*self.parts[-1:], Part(self._state())]
            self.fresh = True
        return said

    def _judged(self, event: Event, line: str) -> list[Verdict]:
        kind = event["event"]
        if event.get("found") and not self.table.blind:
            self.judges = False
        if self.judges or kind == "gap":
            self.judges = True  # after it the engine itself knows of what it can tell nothing
            return self.table.apply(read(line.encode()))
        self.judges = kind == "clear" or (kind == "signal" and event.get("name") == "place-bets")
        return self.table.apply(read(line.encode())) if self.judges and kind == "signal" else []

    def _lies(self, event: Event) -> None:
        """Keep book of what lies there."""
        kind, name = event["event"], str(event.get("id"))
        if kind == "chips":
            spot = str(event.get("spot") or "outside")
            self.chips.pop(spot, None)
            if event["amount"] != 0:
                self.chips[spot] = event
        elif kind in ("clear", "gap"):
            if kind == "clear" or event.get("lost"):
                self.cards.clear()
        elif kind == "remove":
            self.cards.pop(name, None)
        elif kind in ("card", "turn", "move", "correct"):
            self._moves(name, event)

    def _moves(self, name: str, event: Event) -> None:
        lay = self.cards.get(name)
        if lay is None and event["event"] != "card":
            return
        lay = lay or Lay("", None, up=True)
        zone = _zone(event) if "zone" in event else lay.zone
        face = event.get("card", lay.face)
        if event["event"] == "turn" and face is None:
            face = lay.face
        up = event["face"] == "up" if "face" in event else lay.up
        if zone in ("discard", "shoe", "float"):
            self.cards.pop(name, None)
        else:
            self.cards[name] = Lay(zone, None if face is None else str(face), up)

    # ---- to go on -------------------------------------------------------------------------------------------------

    def _rests(self) -> bool:
        """Tell whether no round is being played."""
        table = self.table
        return table.life is None and table.unseen is None and not table.held

    def _state(self) -> dict[str, object]:
        return {
            "law": LAW,
            "t": self.t,
            "judges": self.judges,
            "cards": {name: [one.zone, one.face, one.up] for name, one in self.cards.items()},
            "chips": list(self.chips.values()),
            "table": table_snapshot.taken(self.table),
        }

    def kept(self) -> bytes:
        """Give what it takes to go on from here."""
        self.fresh = False
        told = [line for part in self.parts for line in part.told]
        return zlib.compress(json.dumps([self.parts[0].state, told], separators=(",", ":")).encode())

    @staticmethod
    def again(book: Book, kept: bytes) -> "Course":
        """Go on from what was kept, by whatever version. Raises ValueError where it is not ours."""
        try:
            state, told = json.loads(zlib.decompress(kept))
            if state["law"] != LAW:
                raise ValueError(f"expected what was kept by law {LAW}, found {state['law']!r}")
            found = Course(book)
            found.t, found.judges = float(state["t"]), bool(state["judges"])
            found.cards = {name: Lay(zone, face, up) for name, (zone, face, up) in state["cards"].items()}
            found.chips = {str(event.get("spot") or "outside"): event for event in state["chips"]}
            found.table = table_snapshot.restored(book, state["table"])
            found.parts = [Part(found._state())]
            for line in told:
                found.take(json.loads(line))
        except (zlib.error, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"expected what was kept of a table, found something else: {error!r}") from error
        found.fresh = False
        return found


def _zone(event: Mapping[str, object]) -> str:
    """Give a zone by its own name: `hand` says of which hand of the box it is."""
    zone, hand = str(event["zone"] or "outside"), event.get("hand")
    place = ZONES.get(zone)
    if place is not None and place.box and place.part == "cards" and place.hand == 1 and hand not in (None, 1):
        return f"box{place.box}.hand{hand}"
    return zone
