"""Verdicts folded into rounds: what a round came to. The service, the messages and the report all read it from here."""

from dataclasses import dataclass, field

from feltwatch.engine.model.events import Decision
from feltwatch.engine.model.verdicts import (
    Alert,
    Decided,
    Ended,
    Remedied,
    Remedy,
    Settlement,
    Verdict,
    Withdrawn,
)


@dataclass(slots=True)
class AlertStory:
    """An alert, its remedy as it stands in the end, and its withdrawal if there was one."""

    alert: Alert
    remedy: Remedy
    withdrawn: Withdrawn | None = None


@dataclass(slots=True)
class RoundStory:
    """One round, folded from its verdicts."""

    number: int
    start: float
    has_start: bool = True  # its start was seen, so that nothing of it is missing
    alerts: dict[str, AlertStory] = field(default_factory=dict)  # by id, in the order in which they were raised
    settlements: dict[tuple[int, int, str], Settlement] = field(default_factory=dict)  # by box, hand and bet
    decisions: list[Decided | Decision] = field(default_factory=list)
    end: Ended | None = None  # the last one: a later fact may change how the round ended
    ended: float | None = None  # when it ended first

    @property
    def standing(self) -> list[AlertStory]:
        """Give the alerts that were not withdrawn."""
        return [one for one in self.alerts.values() if one.withdrawn is None]

    def take(self, verdict: Verdict) -> bool:
        """Take a verdict of this round; True where it changes the message about the round."""
        if isinstance(verdict, Alert):
            self.alerts[verdict.id] = AlertStory(verdict, verdict.remedy)
        elif isinstance(verdict, Settlement):
            self.settlements[verdict.key] = verdict
        elif isinstance(verdict, Ended):
            self.ended = verdict.t if self.ended is None else self.ended
            self.end = verdict
        elif isinstance(verdict, Withdrawn) and verdict.alert in self.alerts:
            self.alerts[verdict.alert].withdrawn = verdict
        else:
            self._take_detail(verdict)
            return False
        return True

    def _take_detail(self, verdict: Verdict) -> None:
        if isinstance(verdict, Remedied) and verdict.alert in self.alerts:
            self.alerts[verdict.alert].remedy = verdict.remedy
        elif isinstance(verdict, Decided):
            self.decisions.append(verdict)
