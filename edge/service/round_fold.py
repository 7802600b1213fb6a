"""Verdicts, folded into rounds: the report of a round that is over, and one more when a later fact changes it.

The fold reads verdicts and nothing else. Fed with those of a journal again it is what it was.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec import Raw

from feltwatch.edge.messaging import schema
from feltwatch.edge.service.state_report import counted
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Started, Verdict, Withdrawn, encode
from feltwatch.engine.round.base import Round
from feltwatch.engine.table import Table

KEPT: Final = 3  # rounds: the engine thinks again of the one that is on and of the one before


@dataclass(slots=True)
class Story:
    """One round, as its verdicts tell it."""

    number: int
    began: float
    whole: bool  # its beginning was told, so that nothing of it is missing
    alerts: dict[str, schema.Raised] = field(default_factory=dict)
    settlements: dict[tuple[int, int, str], Raw] = field(default_factory=dict)
    end: Ended | None = None
    ended: float = 0.0  # when it ended first

    @property
    def standing(self) -> list[schema.Raised]:
        return [alert for alert in self.alerts.values() if alert.withdrawn is None]

    def take(self, verdict: Verdict) -> bool:
        """Take a verdict of this round; tell whether it changes what is told of a round."""
        if isinstance(verdict, Alert):
            self.alerts[verdict.id] = _raised(verdict)
        elif isinstance(verdict, Withdrawn) and verdict.alert in self.alerts:
            self.alerts[verdict.alert] = msgspec.structs.replace(self.alerts[verdict.alert], withdrawn=verdict.why)
        elif isinstance(verdict, Settlement):
            self.settlements[verdict.key] = Raw(encode(verdict).encode())
        elif isinstance(verdict, Ended):
            self.ended = self.ended if self.end else verdict.t
            self.end = verdict
        else:
            return False
        return True

    def told(self, done: Round | None, *, revises: bool) -> schema.Round:
        """Give what is told of it; it must have ended."""
        assert self.end is not None  # noqa: S101  who calls looked
        return schema.Round(
            round=self.number,
            result=self.end.result,  # type: ignore[arg-type]  # the engine's
            why=self.end.why,
            inferred=self.end.inferred,
            began=self.began,
            ended=self.ended,
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

    def take(self, verdicts: Sequence[Verdict], table: Table | None) -> list[schema.Round]:
        """Take what one event brought; give the rounds that are to be told for it.

        To be called after every event, also where that brought nothing: a table may forget a round as it ends. A round
        of which only the end was heard is not told.
        """
        before = {number for number, story in self.stories.items() if story.end is not None}
        changed: dict[int, None] = {}
        for verdict in verdicts:
            if isinstance(verdict, Started):
                before.discard(verdict.round)
            if self._story(verdict).take(verdict):
                changed[verdict.round] = None
        self._look(table)
        return [*self._ended(changed, before)]

    def _look(self, table: Table | None) -> None:
        both = () if table is None else (table.last, table.life)
        self._rounds |= {life.number: life.round for life in both if life is not None}
        for number in self._rounds.keys() - self.stories.keys():
            del self._rounds[number]

    def _story(self, verdict: Verdict) -> Story:
        starts = isinstance(verdict, Started)
        if starts or verdict.round not in self.stories:
            self.stories.pop(verdict.round, None)
            self.stories[verdict.round] = Story(verdict.round, verdict.t, whole=starts)
            while len(self.stories) > KEPT:
                del self.stories[next(iter(self.stories))]
        return self.stories[verdict.round]

    def _ended(self, changed: Iterable[int], before: set[int]) -> Iterable[schema.Round]:
        for number in changed:
            story = self.stories.get(number)
            if story is not None and story.whole and story.end is not None:
                yield story.told(self._rounds.get(number), revises=number in before)


def _raised(alert: Alert) -> schema.Raised:
    return schema.Raised(
        id=alert.id,
        round=alert.round,
        t=alert.t,
        code=alert.code,
        clause=alert.clause,
        severity=alert.severity,  # type: ignore[arg-type]  # the engine's
        box=alert.box,
        hand=alert.hand,
        says=alert.says,
        withdrawn=None,
    )
