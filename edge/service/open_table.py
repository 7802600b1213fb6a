"""Opens everything that one table needs while it is watched: journal, cameras, recorder, commands, outbox."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from time import monotonic, time
from typing import Final, TextIO

from feltwatch.edge.camera.feed import Feed, LiveFrame
from feltwatch.edge.camera.sources import open_source
from feltwatch.edge.config.secret_files import camera_address
from feltwatch.edge.config.table_file import MqttSettings, TableFile
from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.recorder import EvidenceRecorder
from feltwatch.edge.evidence.retention import Retention, RetentionLimits, estimate, measure_use
from feltwatch.edge.evidence.store import StoredFiles
from feltwatch.edge.health.device import WallClock
from feltwatch.edge.health.vitals import HealthMonitor, HealthSources, Telemetry
from feltwatch.edge.journal.store import Journal, claimed, rfc3339
from feltwatch.edge.journal.write_buffer import WriteBuffer
from feltwatch.edge.messaging import schema
from feltwatch.edge.messaging.commands import Door
from feltwatch.edge.messaging.encode import TableEncoder
from feltwatch.edge.messaging.mqtt import LinkTerms
from feltwatch.edge.messaging.outbox import Inbox, Outbox, OutboxHooks
from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline
from feltwatch.edge.service.journal_writer import JournalWriter
from feltwatch.edge.service.logs import say
from feltwatch.edge.service.recovery import Recovered, open_door, recover

CUT_SHORT_S: Final = 2.0  # for unacknowledged messages, when a session breaks
NO_STATE: Final = schema.State(
    round=None, since=None, hands={}, bets={}, alerts=[], settlements=[], doubts=[], cameras={}
)

Show = Callable[[StepResult], None]
OpenShow = Callable[[TablePipeline, str], Show]  # of a table and its id


@dataclass(frozen=True)
class SessionConfig:
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


@dataclass(frozen=True, slots=True)
class Notices:
    """Reports of other threads, until the session reads them."""

    evidence: SimpleQueue[StoredFiles] = field(default_factory=SimpleQueue)
    broker: SimpleQueue[str] = field(default_factory=SimpleQueue)
    disk: SimpleQueue[str] = field(default_factory=SimpleQueue)


@dataclass(slots=True)
class Latest:
    """The newest frame, and the state last published: a new connection publishes it again."""

    state: schema.State = NO_STATE
    shot: LiveFrame | None = None

    def utc_of(self, t: float, now: Callable[[], float]) -> str:
        """Give the UTC time of a moment, by the newest frame and when it was taken."""
        ago = 0.0 if self.shot is None else now() - self.shot.taken + self.shot.t - t
        return rfc3339(datetime.fromtimestamp(time() - ago, UTC))


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Everything that is open for one table. `now` is the monotonic clock."""

    config: SessionConfig
    recovered: Recovered
    notices: Notices
    inbox: Inbox
    latest: Latest
    telemetry: Telemetry
    clock: WallClock
    retention: Retention
    buffer: WriteBuffer
    recorder: EvidenceRecorder
    writer: JournalWriter
    encoder: TableEncoder
    door: Door
    feeds: tuple[Feed, ...]
    outbox: Outbox
    health: HealthMonitor
    now: Callable[[], float]

    @property
    def id(self) -> str:
        return self.config.table.id

    @property
    def journal(self) -> Journal:
        return self.recovered.journal

    def note(self, kind: schema.NoteKind, says: str, *, camera: str | None = None, since: float | None = None) -> None:
        """Report something about the device or the service, in the log and as a message."""
        say(says, table=self.id)
        self.writer.note(kind, says, camera=camera, since=since)
        self.outbox.wake()


def open_table(config: SessionConfig, stack: ExitStack, now: Callable[[], float] = monotonic) -> OpenTable:
    """Open a table; `stack` closes it again. Cameras and outbox are not started yet."""
    table, notices, inbox, latest = config.table, Notices(), Inbox(), Latest()
    telemetry, clock = Telemetry(now), WallClock()
    sources = [
        open_source(camera_address(one), table.path.parent, f"{table.path}: camera.source", loop=one.loop)
        for one in table.cameras
    ]
    retention = _open_retention(config)
    stack.enter_context(claimed(config.journal))
    recovered = _recovered(config, retention)
    stack.callback(recovered.journal.close)
    buffer = WriteBuffer(recovered.journal.add, notices.disk.put, retention)
    cameras = [one.name for one in table.cameras]
    recorder = EvidenceRecorder(config.folder, notices.evidence.put, cameras, retention)
    stack.callback(recorder.close)
    encoder = TableEncoder(table, recovered.journal, recovered.signer.public)
    feeds = tuple(
        Feed(source, one.name, str(table.path), offset=recovered.offset, now=now)
        for source, one in zip(sources, table.cameras, strict=True)
    )
    for feed in feeds:
        stack.callback(feed.close)
    for feed in feeds:
        stack.callback(feed.stop)  # all of them, before the first is waited for
    outbox = _open_outbox(config, encoder, (notices, inbox, latest), recovered.journal)
    stack.callback(outbox.close, CUT_SHORT_S)
    sources_of_health = HealthSources(
        table=table.id,
        telemetry=telemetry,
        cameras={feed.name: feed for feed in feeds},
        seq=lambda: recovered.journal.head.seq,
        outbox=outbox.depth,
        broker=lambda: outbox.connected,
        folder=config.folder,
        clock=clock,
    )
    return OpenTable(
        config=config,
        recovered=recovered,
        notices=notices,
        inbox=inbox,
        latest=latest,
        telemetry=telemetry,
        clock=clock,
        retention=retention,
        buffer=buffer,
        recorder=recorder,
        writer=JournalWriter(buffer.add, config.out, utc_of=lambda t: latest.utc_of(t, now)),
        encoder=encoder,
        door=open_door(encoder.address, table, recovered.journal),
        feeds=feeds,
        outbox=outbox,
        health=HealthMonitor(sources_of_health),
        now=now,
    )


def _open_outbox(
    config: SessionConfig, encoder: TableEncoder, ends: tuple[Notices, Inbox, Latest], journal: Journal
) -> Outbox:
    notices, inbox, latest = ends
    hooks = OutboxHooks(
        encode=encoder.entry,
        birth=lambda: (encoder.status("online"), encoder.state(latest.state)),
        farewell=partial(encoder.status, "offline", "feltwatch was stopped"),
        command=inbox.put,
        say=notices.broker.put,
    )
    terms = LinkTerms(
        f"feltwatch-{config.table.site}-{config.table.id}", encoder.will(), encoder.address.commands, mqtt5=config.mqtt5
    )
    return Outbox(journal, config.broker, terms, hooks)


def _open_retention(config: SessionConfig) -> Retention:
    """Make room before anything is written: the disk may have been full when power failed."""
    record = config.table.record
    limits = RetentionLimits(record.days, record.gigabytes)
    found = Retention(config.folder, limits)
    free = found.free(config.folder).free
    used = measure_use(config.folder, config.journal)
    say(estimate(used, limits, record.journal_days, free), table=config.table.id)
    return found


def _recovered(config: SessionConfig, retention: Retention) -> Recovered:
    try:
        return recover(config.journal, config.table, time())
    except UsageError:
        if not retention.give_back():
            raise
        return recover(config.journal, config.table, time())
