"""Verdicts, folded into rounds: what is told of a round that is over, and once more when a later fact changes it.

The fold reads verdicts as they are journalled, and nothing else. Fed with those of a journal again it is what it was.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec
from msgspec import Raw, Struct

from feltwatch.edge.messaging import schema
from feltwatch.edge.service.state_report import counted
from feltwatch.engine.round.base import Round
from feltwatch.engine.table import Table

KEPT: Final = 3  # rounds: the engine thinks again of the one that is on and of the one before
Key = tuple[int, int, str]


class _Line(Struct, frozen=True, kw_only=True):
    """What of a verdict matters to the story of its round."""

    verdict: str
    round: int
    t: float
    id: str = ""
    code: str = ""
    clause: str = ""
    severity: Literal["void", "stop", "correct", "advise"] = "advise"
    box: int | None = None
    hand: int | None = None
    says: str = ""
    alert: str = ""
    why: str = ""
    bet: str = ""
    result: str = ""
    inferred: bool = False


_LINE: Final = msgspec.json.Decoder(_Line)


@dataclass(frozen=True, slots=True)
class End:
    """How a round ended."""

    t: float
    result: Literal["completed", "void", "unresolved"]
    why: str
    inferred: bool


@dataclass(slots=True)
class Story:
    """One round, as its verdicts tell it."""

    number: int
    began: float
    whole: bool  # its beginning was told, so that nothing of it is missing
    alerts: dict[str, schema.Raised] = field(default_factory=dict)
    settlements: dict[Key, Raw] = field(default_factory=dict)
    end: End | None = None

    @property
    def standing(self) -> list[schema.Raised]:
        return [alert for alert in self.alerts.values() if alert.withdrawn is None]

    def take(self, line: _Line, text: str) -> bool:
        """Take a verdict of this round; tell whether it changes what is told of a round."""
        if line.verdict == "alert":
            self.alerts[line.id] = _raised(line)
        elif line.verdict == "withdrawn" and line.alert in self.alerts:
            self.alerts[line.alert] = msgspec.structs.replace(self.alerts[line.alert], withdrawn=line.why)
        elif line.verdict == "settlement":
            self.settlements[line.box or 0, line.hand or 0, line.bet] = Raw(text.encode())
        elif line.verdict == "round-ended":
            self.end = End(self.end.t if self.end else line.t, line.result, line.why, line.inferred)  # type: ignore[arg-type]  # the engine's
        else:
            return False
        return True

    def told(self, done: Round | None, *, revises: bool) -> schema.Round:
        """Give what is told of it; it must have ended."""
        assert self.end is not None  # noqa: S101  who calls looked
        return schema.Round(
            round=self.number,
            result=self.end.result,
            why=self.end.why,
            inferred=self.end.inferred,
            began=self.began,
            ended=self.end.t,
            hands=None if done is None else counted(done),
            settlements=[*self.settlements.values()],
            alerts=[*self.alerts.values()],
            revises=revises,
        )


class RoundFold:
    """Rounds on their way, by number; those the engine still thinks of."""

    def __init__(self) -> None:
        self.stories: dict[int, Story] = {}
        self._rounds: dict[int, Round] = {}  # as the table held them when they were last looked at

    def take(self, verdicts: Sequence[str], table: Table | None) -> list[schema.Round]:
        """Take what one event brought, as it is journalled; give the rounds that are to be told for it.

        To be called after every event, also where that brought nothing: a table may forget a round as it ends. A round
        of which only the end was heard is not told.
        """
        before = {number for number, story in self.stories.items() if story.end is not None}
        changed: dict[int, None] = {}
        for text in verdicts:
            line = _LINE.decode(text)
            if line.verdict == "round-started":
                before.discard(line.round)
            if self._story(line).take(line, text):
                changed[line.round] = None
        self._look(table)
        return [*self._ended(changed, before)]

    def _look(self, table: Table | None) -> None:
        both = () if table is None else (table.last, table.life)
        self._rounds |= {life.number: life.round for life in both if life is not None}
        for number in self._rounds.keys() - self.stories.keys():
            del self._rounds[number]

    def _story(self, line: _Line) -> Story:
        starts = line.verdict == "round-started"
        if starts or line.round not in self.stories:
            self.stories.pop(line.round, None)
            self.stories[line.round] = Story(line.round, line.t, whole=starts)
            while len(self.stories) > KEPT:
                del self.stories[next(iter(self.stories))]
        return self.stories[line.round]

    def _ended(self, changed: Iterable[int], before: set[int]) -> Iterable[schema.Round]:
        for number in changed:
            story = self.stories.get(number)
            if story is not None and story.whole and story.end is not None:
                yield story.told(self._rounds.get(number), revises=number in before)


def _raised(line: _Line) -> schema.Raised:
    return schema.Raised(
        id=line.id,
        round=line.round,
        t=line.t,
        code=line.code,
        clause=line.clause,
        severity=line.severity,
        box=line.box,
        hand=line.hand,
        says=line.says,
        withdrawn=None,
    )
