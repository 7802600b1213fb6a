"""Periodic work between two frames: doubts, camera trouble, clock, disk, signed heads, state, health."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import inf
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

from feltwatch.edge.config.camera_parts import camera_called
from feltwatch.edge.health.device import is_synchronised
from feltwatch.edge.health.message import health_of
from feltwatch.edge.journal.store import rfc3339, utc
from feltwatch.edge.messaging import schema
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.service.open_table import OpenTable
from feltwatch.edge.service.recovery import LOOK_BACK, SNAPSHOT
from feltwatch.edge.service.state_report import state
from feltwatch.vision.detection.known_deck import DeckOrigin, write_deck

STATE_S: Final = 0.2
HEALTH_S: Final = 10.0
HEAD_S: Final = 60.0
DISK_S: Final = 1.0
STEADY_S: Final = 3600.0  # after the clock was set, before files may be too old
PRUNE_S: Final = 3600.0
DECK_S: Final = 5.0
Element = TypeVar("Element")


class Housekeeping:
    """Does each periodic job of a table when it is due."""

    def __init__(self, table: OpenTable) -> None:
        self.table = table
        self.has_changed = True  # the state may differ from the one last published
        self._doubts: tuple[str, ...] = ()
        self._troubles: dict[str, str] = {}  # by camera
        self._due: dict[str, float] = {}
        self._leapt_at = -inf  # when the clock was last set
        self._signed = 0  # the last entry with a signed head
        self._learns_deck = False

    def run_due(self, pipeline: TablePipeline | None) -> None:
        """Do what is due."""
        self._read_notices()
        if self._is_due("state", STATE_S):
            self._check_cameras(pipeline)
            self._check_doubts(pipeline)
            self._check_clock()
            self._publish_state(pipeline)
        if self._is_due("health", HEALTH_S):
            self._publish_health()
        if self._is_due("head", HEAD_S):
            self.sign()
        if self._is_due("disk", DISK_S):
            self._check_disk()
        if self._is_due("prune", PRUNE_S):
            self._prune()
        if self._learns_deck and self._is_due("deck", DECK_S):
            self._learn_deck(pipeline)

    def begin_deck(self, pipeline: TablePipeline) -> None:
        """Begin to learn the table's deck, where its file asks for it."""
        table = self.table.config.table
        self._learns_deck = table.learn_deck and pipeline.learn_deck()
        if self._learns_deck:
            self.table.note("deck", f"{table.deck}: the deck is learnt from the cards on the table; none is there yet")

    def _learn_deck(self, pipeline: TablePipeline | None) -> None:
        """Write the table's deck once every face is known; it is used from then on."""
        table = self.table.config.table
        origin = DeckOrigin(f"deck of {table.id}", utc()[:10], "footage")
        found = None if pipeline is None else pipeline.learnt_deck(origin)
        if found is None or table.deck is None:
            return
        self._learns_deck = False
        self.table.note("deck", f"{table.deck}: the deck was learnt and is used from now on: {found.named}")
        try:
            write_deck(table.deck, found, replace=False)
        except OSError as error:
            self.table.note("disk", f"{table.deck}: the deck that was learnt cannot be written ({error.strerror})")

    def finish(self, pipeline: TablePipeline | None) -> None:
        """Do what is left when the session ends."""
        self._read_notices()
        if self._learns_deck:
            self._learn_deck(pipeline)
        self._publish_state(pipeline)

    def _is_due(self, name: str, every_s: float) -> bool:
        now = self.table.now()
        if now < self._due.get(name, 0.0):
            return False
        self._due[name] = now + every_s
        return True

    def _read_notices(self) -> None:
        """Report what other threads left."""
        notices = self.table.notices
        for stored in _all(notices.evidence):
            self.table.writer.evidence(stored)
        for says in _all(notices.broker):
            self.table.note("broker", says)
        for says in _all(notices.disk):
            self.table.note("disk", says)

    def _check_cameras(self, pipeline: TablePipeline | None) -> None:
        """Report which camera is in trouble, and which works again."""
        for feed in self.table.feeds:
            found = feed.trouble
            before = self._troubles.get(feed.name)
            now = None if found is None else found.says
            if now == before:
                continue
            self.has_changed = True
            self.table.telemetry.set_trouble(feed.name, now)
            if found is not None:
                self._troubles[feed.name] = found.says
                self.table.note("camera", found.says, camera=feed.name, since=found.since)
                if pipeline is not None:
                    pipeline.blind(feed.name, found.since)
            else:
                del self._troubles[feed.name]
                self.table.note("camera", f"{camera_called(feed.name)} works again", camera=feed.name)

    def _check_doubts(self, pipeline: TablePipeline | None) -> None:
        """Report what cannot be seen well, when it begins."""
        doubts = () if pipeline is None else pipeline.doubts()
        for one in doubts:
            if one not in self._doubts:
                self.table.note("doubt", one)
        self.has_changed = self.has_changed or doubts != self._doubts
        self._doubts = doubts

    def _check_clock(self) -> None:
        leap = self.table.clock.find_jump()
        if leap is not None:
            self._leapt_at = self.table.now()
            self.table.note("clock", f"{leap}; the order of messages is that of `seq`")

    def _publish_state(self, pipeline: TablePipeline | None) -> None:
        if not self.has_changed or pipeline is None:
            return
        self.has_changed = False
        table = self.table
        found = state(pipeline.table, table.recovered.rounds, self._doubts, self._troubles)
        if found != table.latest.state:
            table.latest.state = found
            table.outbox.publish_state(table.encoder.state(found))

    def _check_disk(self) -> None:
        """Keep the evidence within its limits, and retry what could not be written."""
        self.table.buffer.retry()
        done = self.table.retention.enforce(sure=self._is_sure())
        self._read_notices()  # that a file was stored is reported before that it was removed
        for stored in done.removed:
            self.table.writer.evidence(stored)
        for says in done.notices:
            self.table.note("disk", says)

    def _is_sure(self) -> bool:
        """True where the clock shows how old files are: it was not set for a while."""
        return self.table.now() - self._leapt_at > STEADY_S

    def _publish_health(self) -> None:
        table = self.table
        table.outbox.publish_state(table.encoder.health(health_of(table.health.vitals())))

    def sign(self) -> None:
        """Sign the head of the journal, if it grew."""
        table, signer = self.table, self.table.recovered.signer
        head = table.journal.head
        if head.seq == self._signed:
            return
        signature = signer.sign(head)
        body = schema.Head(seq=head.seq, hash=head.hash.hex(), signature=signature, key=signer.public)
        table.writer.add("head", body)
        self._signed = table.journal.head.seq
        table.outbox.wake()

    def _prune(self) -> None:
        """Remove entries that are too old, were sent, and are not needed after a restart; a note records it."""
        if not self._is_sure() or is_synchronised() is False:
            return
        journal = self.table.journal
        before = datetime.now(UTC) - timedelta(days=self.table.config.table.record.journal_days)
        needed = journal.remembered(SNAPSHOT)
        upto = min(
            journal.before(rfc3339(before)),
            journal.unsent()[0][0] - 1,
            journal.head.seq - LOOK_BACK,
            journal.head.seq if needed is None else needed[0],
        )
        if upto > journal.base[0]:
            (last,) = journal.read(upto - 1, 1)
            self.table.writer.pruned(last)
            journal.drop(upto)


def _all(queue: "SimpleQueue[Element]") -> Iterator[Element]:
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return
