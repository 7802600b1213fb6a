"""What a table tells: kept in its journal first, then said to whoever listens here. The outbox reads the journal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TextIO

from feltwatch.edge.evidence.store import StoredFiles
from feltwatch.edge.journal.store import Entry, Fact, utc
from feltwatch.edge.messaging.encode import alert_body, withdrawal_body
from feltwatch.edge.messaging.schema import Body, Evidence, File, Files, Note, NoteKind, Round, written
from feltwatch.engine.model import events, verdicts
from feltwatch.engine.model.events import Event
from feltwatch.engine.model.verdicts import Alert, Verdict, Withdrawn

FileNames = Mapping[str, Mapping[str, str]]  # by alert id: the names of its "still" and "clip"


@dataclass(frozen=True, slots=True)
class Happening:
    """What one frame brought, or one command."""

    events: Sequence[Event]
    verdicts: Sequence[Verdict]
    rounds: Sequence[Round] = ()  # that are over, whole
    memory: Mapping[str, bytes] | None = None  # what it takes to go on from here, where that is other than before


class Keep(Protocol):
    """What puts facts on disk, in order, now or when the disk takes them again."""

    def __call__(self, at: str, facts: Sequence[Fact], memory: Mapping[str, bytes] | None = None) -> object: ...


class Record:
    """Turns what happens at a table into the entries of its journal."""

    def __init__(
        self,
        keep: Keep,
        out: TextIO | None = None,
        now: Callable[[], str] = utc,
        utc_of: Callable[[float], str] | None = None,
    ) -> None:
        """Without `utc_of`, which gives the UTC time of a `t`, an alert has the time at which it is written."""
        self.keep, self.out, self.now = keep, out, now
        self.utc_of = utc_of or (lambda _: now())

    def write(self, found: Happening, at: str, names: FileNames) -> None:
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
            self.keep(at, facts, found.memory)
            self._say(facts)

    def note(self, kind: NoteKind, says: str, *, camera: str | None = None, since: float | None = None) -> None:
        """Tell something of the box itself."""
        self.add("note", Note(kind=kind, says=says, camera=camera, since=since))

    def add(self, kind: str, body: Body) -> None:
        self.keep(self.now(), [Fact(kind, written(body))])

    def evidence(self, stored: StoredFiles) -> None:
        """Tell what came of the files of an alert."""
        files = [File(name=one.name, sha256=one.sha256, bytes=one.bytes) for one in stored.files]
        self.add("evidence", Evidence(alert=stored.alert, files=files, dropped=stored.dropped))

    def pruned(self, last: Entry) -> None:
        """Tell which entries are dropped now."""
        says = f"entries up to {last.seq}, of {last.at} and before, are older than the journal is kept"
        self.add("note", Note(kind="pruned", says=says, upto=last.seq, hash=last.hash.hex()))

    def _say(self, facts: Sequence[Fact]) -> None:
        if self.out is not None:
            self.out.write("".join(f"{fact.body}\n" for fact in facts if fact.kind in ("event", "verdict")))
            self.out.flush()
