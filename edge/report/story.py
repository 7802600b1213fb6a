"""Events and verdicts, folded into rounds as a person tells them: who got which cards, and what came of it."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from feltwatch.engine.model.spots import PlaceTextError, parse_zone

Row = Mapping[str, object]  # one line of events.jsonl or verdicts.jsonl
GONE = ("discard", "shoe", "float")  # a card that is moved there has left the layout
CLEARING = ("remove", "clear", "tick")  # events that say only that cards are taken up


@dataclass(slots=True)
class Lay:
    """One card of a round: where it lay, and what is known of it in the end."""

    id: str
    t: float
    zone: str
    face: str | None
    up: bool
    gone: float | None = None
    early: bool = False  # taken away while its hand still lay there
    reads: list[tuple[float, str | None]] = field(default_factory=list)  # what it was taken for, when it was corrected


@dataclass(slots=True)
class Raised:
    """One alert: as it was said, its remedy as it stands in the end, and whether it was taken back."""

    said: Row
    remedy: Row
    lay: dict[str, list[Lay]]  # the hands that the remedy is about, as they lay then
    withdrawn: tuple[float, str] | None = None

    @property
    def id(self) -> str:
        return str(self.said["id"])

    @property
    def t(self) -> float:
        return seconds(self.said)


@dataclass(slots=True)
class Story:
    """One round."""

    number: int
    start: float
    end: float | None = None  # None: it was still open when the footage ended
    result: str = "open"
    why: str = ""
    cards: dict[str, Lay] = field(default_factory=dict)
    decisions: list[Row] = field(default_factory=list)
    settlements: dict[tuple[int, int, str], Row] = field(default_factory=dict)
    alerts: list[Raised] = field(default_factory=list)

    @property
    def standing(self) -> list[Raised]:
        return [alert for alert in self.alerts if alert.withdrawn is None]


def seconds(row: Row) -> float:
    return float(cast("float", row["t"]))


def whole(row: Row, key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0


def stories(events: Sequence[Row], verdicts: Sequence[Row]) -> list[Story]:
    """Give the rounds in their order."""
    found = {
        whole(row, "round"): Story(whole(row, "round"), seconds(row))
        for row in verdicts
        if row["verdict"] == "round-started"
    }
    if not found:
        return []
    fold = _Fold(sorted(found.values(), key=lambda story: story.number))
    happened = iter(events)
    row = next(happened, None)
    for verdict in verdicts:
        while row is not None and seconds(row) <= seconds(verdict):
            fold.event(row)
            row = next(happened, None)
        story = found.get(whole(verdict, "round"))
        if story is not None:
            fold.verdict(story, verdict)
    while row is not None:
        fold.event(row)
        row = next(happened, None)
    _mark_early(fold.rounds, events)
    return fold.rounds


class _Fold:
    """Rounds on their way."""

    def __init__(self, rounds: list[Story]) -> None:
        self.rounds = rounds
        self.starts = [story.start for story in rounds]
        self.cards: dict[str, Lay] = {}  # by id, the latest
        self.alerts: dict[str, Raised] = {}

    def event(self, row: Row) -> None:
        kind, name = row["event"], str(row.get("id"))
        if kind == "card":
            self._card(row, name)
        elif kind == "decision":
            self._round(row).decisions.append(row)
        elif name in self.cards:
            self._later(str(kind), row, self.cards[name])

    def _round(self, row: Row) -> Story:
        at = bisect_right(self.starts, seconds(row)) - 1
        return self.rounds[max(0, at)]

    def _card(self, row: Row, name: str) -> None:
        story = self._round(row)
        if name in story.cards:
            story.cards[name].gone = None
            story.cards[name].zone = _zone(row)
            return
        lay = Lay(name, seconds(row), _zone(row), _face(row), row.get("face", "up") == "up")
        story.cards[name] = self.cards[name] = lay

    def _later(self, kind: str, row: Row, lay: Lay) -> None:
        """Take what happens to a card after it has come."""
        if kind == "turn":
            lay.up = row.get("face", "up") == "up"
            lay.face = _face(row) or lay.face
        elif kind == "correct":
            if lay.face != _face(row):
                lay.reads.append((seconds(row), lay.face))
            lay.face = _face(row)
        elif kind == "remove" or (kind == "move" and _zone(row) in GONE):
            lay.gone = seconds(row)
        elif kind == "move":
            lay.zone, lay.gone = _zone(row), None

    def verdict(self, story: Story, row: Row) -> None:
        kind = row["verdict"]
        if kind == "alert":
            remedy = cast("Row", row["remedy"])
            raised = Raised(row, remedy, self._lying(story, remedy))
            self.alerts[raised.id] = raised
            story.alerts.append(raised)
        elif kind == "decision":
            story.decisions.append(row)
        elif kind == "settlement":
            story.settlements[whole(row, "box"), whole(row, "hand"), str(row["bet"])] = row
        elif kind == "round-ended":
            story.end, story.result, story.why = seconds(row), str(row["result"]), str(row["why"])
        elif kind in ("remedy", "withdrawn"):
            self._about(story, row, self.alerts.get(str(row["alert"])))

    def _about(self, story: Story, row: Row, raised: Raised | None) -> None:
        if raised is None:
            return
        if row["verdict"] == "withdrawn":
            raised.withdrawn = (seconds(row), str(row["why"]))
        else:
            raised.remedy = cast("Row", row["remedy"])
            raised.lay = self._lying(story, raised.remedy)

    def _lying(self, story: Story, remedy: Row) -> dict[str, list[Lay]]:
        zones = cast("Row", remedy.get("hands") or {})
        return {zone: [lay for lay in story.cards.values() if lay.zone == zone and lay.gone is None] for zone in zones}


def _zone(row: Row) -> str:
    try:
        return parse_zone(row.get("zone"), row.get("hand")).text
    except PlaceTextError:
        return str(row.get("zone"))


def _face(row: Row) -> str | None:
    face = row.get("card")
    return None if face is None else str(face)


def _mark_early(rounds: Iterable[Story], events: Sequence[Row]) -> None:
    """Mark the cards that went while their hand stayed: something was done at the table before the others went."""
    times = [seconds(row) for row in events if row["event"] not in CLEARING]
    for story in rounds:
        for lay in story.cards.values():
            others = [one.gone for one in story.cards.values() if one.zone == lay.zone and one is not lay]
            if lay.gone is not None and others:
                last = max(float("inf") if gone is None else gone for gone in others)
                done = bisect_right(times, lay.gone)
                lay.early = done < len(times) and times[done] < last
