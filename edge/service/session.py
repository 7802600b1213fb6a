"""One table from a beginning to its end: opened from its journal, watched picture by picture, closed in good order.

One thread watches: it alone takes pictures, lets commands in and writes the journal. What other threads have to say
(the outbox, the evidence) waits in a queue until it comes by.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from logging import ERROR
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, time
from typing import Final, TextIO

from feltwatch.edge.camera.feed import Feed, Shot
from feltwatch.edge.camera.sources import open_source
from feltwatch.edge.config.secret_files import camera_address
from feltwatch.edge.config.table_file import MqttSettings, TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.recorder import EvidenceRecorder
from feltwatch.edge.evidence.retention import Retention, RetentionLimits, estimate, measure_use
from feltwatch.edge.evidence.store import EVIDENCE, StoredFiles, found_on_disk, unreported
from feltwatch.edge.journal.record import Happening, Record
from feltwatch.edge.journal.store import claimed, rfc3339, utc
from feltwatch.edge.journal.write_buffer import WriteBuffer
from feltwatch.edge.messaging.commands import Refused, Taken
from feltwatch.edge.messaging.encode import TableEncoder
from feltwatch.edge.messaging.mqtt import Terms
from feltwatch.edge.messaging.outbox import Inbox, Outbox, OutboxHooks
from feltwatch.edge.messaging.schema import NoteKind, Round
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline
from feltwatch.edge.service.health import Health, Pulse, Sources, Vitals
from feltwatch.edge.service.host_clock import Clock
from feltwatch.edge.service.housekeeping import Duties
from feltwatch.edge.service.logs import log_verdict, say
from feltwatch.edge.service.recovery import LOOK_BACK, SNAPSHOT, Recovered, open_door, recover
from feltwatch.engine.model.verdicts import Alert
from feltwatch.models.files import remove_unfinished

TURN_S: Final = 0.1  # so long a picture is waited for
GOODBYE_S: Final = 10.0  # for what is not acknowledged when all ends
CUT_SHORT_S: Final = 2.0  # for it to let go when something broke
UNSEEN: Final = "no camera has shown the table yet"
COMMANDS: Final = 20  # that are let in between two pictures


Show = Callable[[StepResult], None]
OpenShow = Callable[[TablePipeline, str], Show]  # of a table and its id


@dataclass(frozen=True)
class Orders:
    """What a table is watched with."""

    table: TableFile
    journal: Path
    broker: MqttSettings
    mqtt5: bool = True
    until: float | None = None  # on the monotonic clock
    out: TextIO | None = None  # where events and verdicts are written as they come
    show: OpenShow | None = None  # makes what shows people each step

    @property
    def folder(self) -> Path:
        return self.journal.parent


@dataclass(slots=True)
class Later:
    """What other threads have to say, until the one that watches comes by."""

    kept: SimpleQueue[StoredFiles] = field(default_factory=SimpleQueue)
    broker: SimpleQueue[str] = field(default_factory=SimpleQueue)
    disk: SimpleQueue[str] = field(default_factory=SimpleQueue)


class Sitting:
    """Holds a table from a beginning to its end, or until something of ours breaks."""

    def __init__(self, orders: Orders, networks: Networks, why: str = "", now: Callable[[], float] = monotonic) -> None:
        self.orders, self.networks, self.now = orders, networks, now
        self.broke = why  # what ended the sitting before this one
        self.stepped = False
        self.unread = 0  # commands that never got to the door
        self.began = now()
        self.later = Later()
        self.inbox = Inbox()
        self.newest: Shot | None = None
        self.show: Show | None = None
        self.pulse = Pulse(now)
        self.clock = Clock()
        self.pipeline: TablePipeline | None = None
        self.health: Health | None = None

    @property
    def lasted_s(self) -> float:
        return self.now() - self.began

    def vitals(self) -> Vitals | None:
        return None if self.health is None else self.health.vitals()

    def hold(self, stop: Callable[[], bool]) -> None:
        """Watch until the footage is over, the time is, or it is asked to stop."""
        with ExitStack() as stack:
            self._open(stack)
            while not stop() and not self._over():
                self._turn()
            self._end()

    # ---- beginning --------------------------------------------------------------------------------------------------

    def _open(self, stack: ExitStack) -> None:
        orders, table = self.orders, self.orders.table
        sources = [
            open_source(camera_address(one), table.path.parent, f"{table.path}: camera.source", loop=one.loop)
            for one in table.cameras
        ]
        self.space = self._space()
        stack.enter_context(claimed(orders.journal))
        found = self._opened()
        stack.callback(found.journal.close)
        self.journal, self.signer = found.journal, found.signer
        self.buffer = WriteBuffer(found.journal.add, self.later.disk.put, self.space)
        self.recorder = EvidenceRecorder(
            orders.folder, self.later.kept.put, [one.name for one in table.cameras], self.space
        )
        stack.callback(self.recorder.close)
        self.record = Record(self.buffer.add, orders.out, utc_of=self._utc_of)
        self.fold = found.rounds
        self.encoder = TableEncoder(table, found.journal, found.signer.public)
        self.door = open_door(self.encoder.address, table, found.journal)
        self.state = found.state  # of the run before
        self.offset = 0.0 if self.state is None else round(self.state.t + found.away_s, 3)
        self.feeds = [
            Feed(source, one.name, str(table.path), offset=self.offset, now=self.now)
            for source, one in zip(sources, table.cameras, strict=True)
        ]
        for feed in self.feeds:
            stack.callback(feed.close)
        stack.callback(self._stop_feeds)  # all of them, before one is waited for
        self.duties = Duties(self)
        self.outbox = self._outbox()
        stack.callback(self.outbox.close, CUT_SHORT_S)
        self.health = Health(self._sources())
        self._greet(found)
        self._answer_for(found)
        self.outbox.start()
        for feed in self.feeds:
            feed.start()

    def _stop_feeds(self) -> None:
        for feed in self.feeds:
            feed.stop()

    def _space(self) -> Retention:
        """Have room before anything is written: the disk may have been full when power failed."""
        record = self.orders.table.record
        limits = RetentionLimits(record.days, record.gigabytes)
        space = Retention(self.orders.folder, limits)
        free = space.free(self.orders.folder).free
        found = measure_use(self.orders.folder, self.orders.journal)
        say(estimate(found, limits, record.journal_days, free), table=self.orders.table.id)
        return space

    def _opened(self) -> Recovered:
        try:
            return recover(self.orders.journal, self.orders.table, time())
        except UsageError:
            if not self.space.give_back():
                raise
            return recover(self.orders.journal, self.orders.table, time())

    def _outbox(self) -> Outbox:
        encoder, table = self.encoder, self.orders.table
        hooks = OutboxHooks(
            encode=encoder.entry,
            birth=lambda: (encoder.status("online"), encoder.state(self.duties.state)),
            farewell=partial(encoder.status, "offline", "feltwatch was stopped"),
            command=self.inbox.put,
            say=self.later.broker.put,
        )
        client = f"feltwatch-{table.site}-{table.id}"
        terms = Terms(client, encoder.will(), encoder.address.commands, mqtt5=self.orders.mqtt5)
        return Outbox(self.journal, self.orders.broker, terms, hooks)

    def _sources(self) -> Sources:
        return Sources(
            table=self.orders.table.id,
            pulse=self.pulse,
            cameras={feed.name: feed for feed in self.feeds},
            seq=lambda: self.journal.head.seq,
            outbox=self.outbox.depth,
            broker=lambda: self.outbox.connected,
            folder=self.orders.folder,
            clock=self.clock,
        )

    def _greet(self, found: Recovered) -> None:
        """Say how it begins, and what the run before it left."""
        if found.aside is not None:
            self.note("broken", f"the journal was damaged, and lies in {found.aside.name} now; this is a new one")
        if self.broke:
            self.note("broken", f"begun again after {self.broke}")
        elif found.last is None:
            self.note("started", "watching begins with a new journal")
        elif found.is_clean:
            self.note("started", f"watching begins again; nobody watched since {found.last.at}")
        else:
            self.note(
                "started",
                f"watching begins again; the run before ended without a word: the record goes to entry "
                f"{found.last.seq}, {found.last.at}, and nobody watched since",
            )

    def _answer_for(self, found: Recovered) -> None:
        """Say what came of evidence that the run before promised, and did not tell of any more."""
        remove_unfinished(self.orders.folder / EVIDENCE)
        for expected in unreported(found.journal.read(found.since, LOOK_BACK, ("alert", "evidence"))):
            for stored in found_on_disk(self.orders.folder, expected):
                self.record.evidence(stored)

    # ---- watching ---------------------------------------------------------------------------------------------------

    def _over(self) -> bool:
        limit = self.orders.until
        return all(feed.ended for feed in self.feeds) or (limit is not None and self.now() >= limit)

    def _turn(self) -> None:
        """Take what has come: commands, a picture of each camera, what others had to say."""
        for _ in range(COMMANDS):
            if not self._command():
                break
        for feed in self.feeds:
            shot = feed.take(TURN_S / len(self.feeds))
            if shot is not None:
                self._look(feed, shot)
        self.outbox.check()
        self.duties.tend()

    def _look(self, feed: Feed, shot: Shot) -> None:
        if self.pipeline is None:
            self.pipeline = self.networks.pipeline(self.orders.table, self.state)
            self.show = None if self.orders.show is None else self.orders.show(self.pipeline, self.orders.table.id)
        self.newest = shot
        start = self.now()
        result = self.pipeline.step(feed.name, shot.t, shot.picture, shot.small)
        self.stepped = True
        self.pulse.stepped(self.now() - start)
        self.recorder.frame(feed.name, shot.t, shot.picture, self.pipeline.view(feed.name))
        if result.judged:
            self.tell(self.pipeline, result)
            self.pulse.lag.add(self.now() - shot.taken)

    def _utc_of(self, t: float) -> str:
        """Give the UTC time of a moment, by the newest frame and when it was taken."""
        ago = 0.0 if self.newest is None else self.now() - self.newest.taken + self.newest.t - t
        return rfc3339(datetime.fromtimestamp(time() - ago, UTC))

    def tell(self, pipeline: TablePipeline, result: StepResult) -> None:
        """Keep what came, and have it told; evidence is made of what is kept."""
        rounds: list[Round] = []
        for one in result.judged:
            rounds += self.fold.take(one.verdicts, pipeline.table)
        memory = {SNAPSHOT: pipeline.state.to_snapshot()} if pipeline.state.is_due else None
        found = Happening(result.events, result.verdicts, rounds, memory)
        alerts = [verdict for verdict in result.verdicts if isinstance(verdict, Alert)]
        for alert in alerts:
            self.pulse.alert(alert.severity)
        for verdict in result.verdicts:
            log_verdict(verdict, self.orders.table.id)
        if self.show is not None:
            self.show(result)
        at = utc()
        self.recorder.record(alerts, partial(self.record.write, found, at), at, self.orders.table.id)
        self.outbox.wake()
        self.duties.changed = True

    def note(self, kind: NoteKind, says: str, *, camera: str | None = None, since: float | None = None) -> None:
        """Say something of the box itself, to people here and to whoever listens."""
        say(says, table=self.orders.table.id)
        self.record.note(kind, says, camera=camera, since=since)
        self.outbox.wake()

    def _command(self) -> bool:
        incoming = self.inbox.take()
        found: Taken | Refused | None
        if incoming is None:
            self._count_unread()
            found = self.door.due(self.now())
        elif self.pipeline is None:
            found = self.door.refuse(incoming, UNSEEN, self.now())
        else:
            t = round(max(self.pipeline.t or 0.0, self.offset + self.now() - self.began), 3)
            found = self.door.take(incoming, self.pipeline.table, t, self.now())
        if found is not None:
            self._answer(found)
        return incoming is not None

    def _count_unread(self) -> None:
        unread = self.inbox.dropped + self.outbox.oversized
        if unread > self.unread:
            self.door.unread(unread - self.unread)
            self.unread = unread

    def _answer(self, found: Taken | Refused) -> None:
        body = found.body
        sender = body.sender or "somebody unnamed"
        by = sender if body.proven else f"{sender} (not proven)"
        says = f"a command of {by} on {body.topic}: {'taken' if body.taken else body.why}"
        say(says if body.times == 1 else f"{says} ({body.times} times)", table=self.orders.table.id)
        self.record.add("command", body)
        self.outbox.wake()
        if isinstance(found, Taken):
            assert self.pipeline is not None  # noqa: S101  the door is open only then
            self.tell(self.pipeline, self.pipeline.apply(found.event))

    # ---- ending -----------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        if self.pipeline is not None:
            self.tell(self.pipeline, self.pipeline.finish())
        self.recorder.close()
        self.duties.last()
        self.note("stopped", "feltwatch was stopped")
        self.duties.sign()
        for batch in self.buffer.finish():
            for fact in batch.facts:  # the last place that is left for it
                say(f"not in the journal: {batch.at} {fact.kind} {fact.body}", table=self.orders.table.id, level=ERROR)
        self.outbox.close(GOODBYE_S)
        left = self.outbox.depth()
        if left:
            say(f"{left} messages wait in the journal for a broker", table=self.orders.table.id)
