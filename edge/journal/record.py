"""What a table tells: kept in its journal first, then said to whoever listens here. The outbox reads the journal."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TextIO

from feltwatch.edge.evidence.store import StoredFiles
from feltwatch.edge.journal.store import Entry, Fact, utc
from feltwatch.edge.json_lines import json_line
from feltwatch.edge.messaging.encode import alert_body
from feltwatch.edge.messaging.schema import Body, Evidence, File, Files, Note, NoteKind, written
from feltwatch.edge.pipeline.sight import Judged
from feltwatch.engine.model.verdicts import Alert, encode

FileNames = Mapping[str, Mapping[str, str]]  # by alert id: the names of its "still" and "clip"


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
    ) -> None:
        self.keep, self.out, self.now = keep, out, now

    def write(self, judged: Judged, at: str, names: FileNames) -> None:
        """Write what one frame or command brought, alerts with the names of their files."""
        facts = [Fact("event", json_line(event).rstrip()) for event in judged.events]
        for verdict in judged.verdicts:
            facts.append(Fact("verdict", encode(verdict)))
            if isinstance(verdict, Alert):
                found = names.get(verdict.id)
                files = None if found is None else Files(still=found["still"], clip=found["clip"])
                facts.append(Fact("alert", alert_body(verdict, files)))
        facts += [Fact("round", written(body)) for body in judged.rounds]
        if facts:
            self.keep(at, facts, judged.memory)
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
