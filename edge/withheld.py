"""Verdicts on moments that were not seen whole: they wait until it is known whether anything happened there.

While a part of the table is not seen, an alert may rest on a card that nobody saw. So nothing is said then. Once it is
seen again, late cards have put right what they can: if no alert stands, all is said. If one does, and something happened
unseen, or if nobody saw that part for too long, nothing more is concluded of the round: it ends unresolved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.verdicts import Alert, Ended, Remedied, Started, Verdict, Withdrawn


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which a part of the table was not seen."""

    since: float
    t: float  # now
    why: str  # for people: who sees nothing of what
    lost: bool = False  # for so long that much may have happened
    over: bool = False  # all is seen again, and what came meanwhile is told
    missed: bool = False  # something may have happened unseen


class Withheld:
    """Lets through what can be said. It can be pickled."""

    def __init__(self) -> None:
        self.kept: list[Verdict] = []
        self.round = 0  # the last that began
        self.standing: dict[str, Alert] = {}  # alerts that were said, of this round and the one before
        self.doubted: dict[int, str] = {}  # rounds that were not seen whole, and why
        self.ended: Ended | None = None  # the last end of a round that was said

    def step(self, verdicts: Sequence[Verdict], gap: Gap | None) -> list[Verdict]:
        """Take the verdicts of a frame, and whether something was not seen; give what can be said."""
        if gap is None:
            return self._said(verdicts)
        self.kept += verdicts
        if not (gap.over or gap.lost):
            return []
        kept, self.kept = _settled(self.kept), []
        back: list[Verdict] = []
        if gap.lost or (gap.missed and any(isinstance(one, Alert) for one in kept)):
            rounds = {one.round for one in kept if isinstance(one, Started)}
            if self.round and (self.ended is None or self.ended.round < self.round or self.ended.t >= gap.since):
                rounds.add(self.round)
            self.doubted |= {number: gap.why for number in rounds if number not in self.doubted}
            raised = [one for one in self.standing.values() if one.t >= gap.since and one.round in rounds]
            back = [Withdrawn(gap.t, one.round, one.id, gap.why) for one in raised]
            for one in raised:
                del self.standing[one.id]
        return [*back, *self._said(kept)]

    def _said(self, verdicts: Sequence[Verdict]) -> list[Verdict]:
        found = []
        for verdict in verdicts:
            if isinstance(verdict, Started):
                self.round = verdict.round
                self.standing = {name: one for name, one in self.standing.items() if one.round >= verdict.round - 1}
                self.doubted = {number: why for number, why in self.doubted.items() if number >= verdict.round - 1}
            said = self._of_doubted(verdict) if verdict.round in self.doubted else verdict
            if isinstance(said, Alert):
                self.standing[said.id] = said
            elif isinstance(said, Withdrawn):
                self.standing.pop(said.alert, None)
            elif isinstance(said, Ended):
                self.ended = said
            if said is not None:
                found.append(said)
        return found

    def _of_doubted(self, verdict: Verdict) -> Verdict | None:
        """Give what is still said of a round that was not seen whole: that it began and ended, what is taken back."""
        if isinstance(verdict, Withdrawn | Remedied):
            return verdict if verdict.alert in self.standing else None
        if isinstance(verdict, Ended):
            said = replace(verdict, result="unresolved", why=self.doubted[verdict.round], inferred=False)
            again = self.ended is not None and (self.ended.round, self.ended.result) == (said.round, said.result)
            return None if again else said
        return verdict if isinstance(verdict, Started) else None


def _settled(kept: Sequence[Verdict]) -> list[Verdict]:
    """Leave out alerts that were taken back before they were said."""
    found: list[Verdict] = []
    for one in kept:
        if isinstance(one, Withdrawn) and any(isinstance(said, Alert) and said.id == one.alert for said in found):
            found = [said for said in found if one.alert not in _about(said)]
        else:
            found.append(one)
    return found


def _about(verdict: Verdict) -> tuple[str, ...]:
    """Give the alert that a verdict raises or speaks of."""
    if isinstance(verdict, Alert):
        return (verdict.id,)
    return (verdict.alert,) if isinstance(verdict, Withdrawn | Remedied) else ()
