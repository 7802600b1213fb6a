"""Writes what happens at a table to its journal, from which the outbox reads the messages, and to standard output."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from feltwatch.edge.evidence.store import StoredFiles
from feltwatch.edge.journal.store import Entry, Fact, utc
from feltwatch.edge.messaging.encode import alert_body, withdrawal_body
from feltwatch.edge.messaging.schema import Body, Evidence, File, Files, Note, NoteKind, RoundSummary, written
from feltwatch.engine.model import events, verdicts
from feltwatch.engine.model.events import Event
from feltwatch.engine.model.verdicts import Alert, Verdict, Withdrawn

AlertFiles = Mapping[str, Mapping[str, str]]  # by alert id: the names of its "still" and "clip"


@dataclass(frozen=True, slots=True)
class Happening:
    """What one frame or one command brought."""

    events: Sequence[Event]
    verdicts: Sequence[Verdict]
    rounds: Sequence[RoundSummary] = ()  # messages about rounds that ended
    memory: Mapping[str, bytes] | None = None  # the snapshot of the table, when one is due


AddEntries = Callable[[str, Sequence[Fact], Mapping[str, bytes] | None], object]  # of the journal or its write buffer


class JournalWriter:
    """Turns what happens at a table into entries of its journal."""

    def __init__(
        self,
        add: AddEntries,
        out: TextIO | None = None,
        now: Callable[[], str] = utc,
        utc_of: Callable[[float], str] | None = None,
    ) -> None:
        """Without `utc_of`, which gives the UTC time of a `t`, an alert has the time at which it is written."""
        self.add_facts, self.out, self.now = add, out, now
        self.utc_of = utc_of or (lambda _: now())

    def write(self, found: Happening, at: str, names: AlertFiles) -> None:
        """Write what one frame or command brought, alerts with the names of their files."""
        facts = [Fact("event", events.encode(event)) for event in found.events]
        for verdict in found.verdicts:
            facts.append(Fact("verdict", verdicts.encode(verdict)))
            if isinstance(verdict, Alert):
                own = names.get(verdict.id)
                files = None if own is None else Files(still=own["still"], clip=own["clip"])
                facts.append(Fact("alert", alert_body(verdict, files, self.utc_of(verdict.t))))
            elif isinstance(verdict, Withdrawn):
                facts.append(Fact("alert", withdrawal_body(verdict, self.utc_of(verdict.t))))
        facts += [Fact("round", written(body)) for body in found.rounds]
        if facts:
            self.add_facts(at, facts, found.memory)
            self._print(facts)

    def note(self, kind: NoteKind, says: str, *, camera: str | None = None, since: float | None = None) -> None:
        """Write a note about the device or the service."""
        self.add("note", Note(kind=kind, says=says, camera=camera, since=since))

    def add(self, kind: str, body: Body) -> None:
        self.add_facts(self.now(), [Fact(kind, written(body))], None)

    def evidence(self, stored: StoredFiles) -> None:
        """Write what became of the files of an alert."""
        files = [File(name=one.name, sha256=one.sha256, bytes=one.bytes) for one in stored.files]
        self.add("evidence", Evidence(alert=stored.alert, files=files, dropped=stored.dropped))

    def pruned(self, last: Entry) -> None:
        """Write which entries are about to be removed."""
        says = f"entries up to {last.seq}, of {last.at} and before, are older than record.journal_days"
        self.add("note", Note(kind="pruned", says=says, upto=last.seq, hash=last.hash.hex()))

    def _print(self, facts: Sequence[Fact]) -> None:
        if self.out is None:
            return
        try:
            self.out.write("".join(f"{fact.body}\n" for fact in facts if fact.kind in ("event", "verdict")))
            self.out.flush()
        except BrokenPipeError:  # its reader has ended; the table is still watched
            self.out = None
