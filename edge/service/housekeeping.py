"""What the thread that watches sees to between two pictures: doubts, cameras, clock, disk, heads, state, health."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import inf
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, TypeVar

from feltwatch.edge.config.camera_parts import camera_called
from feltwatch.edge.journal.store import rfc3339
from feltwatch.edge.messaging import schema
from feltwatch.edge.messaging.health_told import health_of
from feltwatch.edge.service.host_clock import synchronised
from feltwatch.edge.service.recovery import LOOK_BACK, SNAPSHOT
from feltwatch.edge.service.state_report import state

if TYPE_CHECKING:
    from feltwatch.edge.service.session import Sitting

TEND_S: Final = 0.2
HEALTH_S: Final = 10.0
HEAD_S: Final = 60.0
DISK_S: Final = 1.0
STEADY_S: Final = 3600.0
TIDY_S: Final = 3600.0
NOTHING: Final = schema.State(
    round=None, since=None, hands={}, bets={}, alerts=[], settlements=[], doubts=[], cameras={}
)
Item = TypeVar("Item")


class Duties:
    """Tends one sitting; each duty when its time has come."""

    def __init__(self, sitting: "Sitting") -> None:
        self.of = sitting
        self.changed = True  # the state is not as it was last told
        self.state = NOTHING
        self._doubts: tuple[str, ...] = ()
        self._troubles: dict[str, str] = {}
        self._due: dict[str, float] = {}
        self._leapt_at = -inf  # when the clock was last set
        self._signed = 0  # the last entry that a head speaks of

    def tend(self) -> None:
        """Do what is due."""
        self._hear()
        if self._is_due("tend", TEND_S):
            self._cameras()
            self._see()
            self._time()
            self._tell_state()
        if self._is_due("health", HEALTH_S):
            self.tell_health()
        if self._is_due("head", HEAD_S):
            self.sign()
        if self._is_due("disk", DISK_S):
            self._disk()
        if self._is_due("tidy", TIDY_S):
            self._tidy()

    def last(self) -> None:
        """Do what is left when all ends."""
        self._hear()
        self._tell_state()

    def _is_due(self, name: str, every_s: float) -> bool:
        now = self.of.now()
        if now < self._due.get(name, 0.0):
            return False
        self._due[name] = now + every_s
        return True

    def _hear(self) -> None:
        """Take up what other threads have to say."""
        for kept in _all(self.of.later.kept):
            self.of.record.evidence(kept)
        for says in _all(self.of.later.broker):
            self.of.note("broker", says)
        for says in _all(self.of.later.disk):
            self.of.note("disk", says)

    def _cameras(self) -> None:
        """Say which camera is in trouble, and which is out of it."""
        for feed in self.of.feeds:
            found = feed.trouble
            before = self._troubles.get(feed.name)
            now = None if found is None else found.says
            if now == before:
                continue
            self.changed = True
            self.of.pulse.trouble(feed.name, now)
            if found is not None:
                self._troubles[feed.name] = found.says
                self.of.note("camera", found.says, camera=feed.name, since=found.since)
                if self.of.pipeline is not None:
                    self.of.pipeline.blind(feed.name, found.since)
            else:
                del self._troubles[feed.name]
                self.of.note("camera", f"{camera_called(feed.name)} sees again", camera=feed.name)

    def _see(self) -> None:
        """Say what cannot be seen well, when it begins."""
        doubts = () if self.of.pipeline is None else self.of.pipeline.doubts()
        for one in doubts:
            if one not in self._doubts:
                self.of.note("doubt", one)
        self.changed = self.changed or doubts != self._doubts
        self._doubts = doubts

    def _time(self) -> None:
        leap = self.of.clock.look()
        if leap is not None:
            self._leapt_at = self.of.now()
            self.of.note("clock", f"{leap}; the order of messages is that of `seq`")

    def _tell_state(self) -> None:
        pipeline = self.of.pipeline
        if not self.changed or pipeline is None:
            return
        self.changed = False
        found = state(pipeline.table, self.of.fold, self._doubts, self._troubles)
        if found != self.state:
            self.state = found
            self.of.outbox.publish_state(self.of.encoder.state(found))

    def _disk(self) -> None:
        """Keep the footage within its limits, and write what could not be written before."""
        self.of.buffer.retry()
        done = self.of.space.enforce(sure=self._is_sure())
        self._hear()  # what was kept is told before it is told to be gone
        for kept in done.removed:
            self.of.record.evidence(kept)
        for says in done.notices:
            self.of.note("disk", says)

    def _is_sure(self) -> bool:
        """Tell whether the clock says how old things are: it was not set for a while."""
        return self.of.now() - self._leapt_at > STEADY_S

    def tell_health(self) -> None:
        vitals = self.of.vitals()
        if vitals is not None:
            self.of.outbox.publish_state(self.of.encoder.health(health_of(vitals)))

    def sign(self) -> None:
        """Sign how far the journal goes, if it went on."""
        head = self.of.journal.head
        if head.seq == self._signed:
            return
        signature = self.of.signer.sign(head)
        body = schema.Head(seq=head.seq, hash=head.hash.hex(), signature=signature, key=self.of.signer.public)
        self.of.record.add("head", body)
        self._signed = self.of.journal.head.seq
        self.of.outbox.wake()

    def _tidy(self) -> None:
        """Drop what is older than is to be kept, is told, and is not needed to go on; on record."""
        if not self._is_sure() or synchronised() is False:
            return
        journal = self.of.journal
        before = datetime.now(UTC) - timedelta(days=self.of.orders.table.record.journal_days)
        needed = journal.remembered(SNAPSHOT)
        upto = min(
            journal.before(rfc3339(before)),
            journal.unsent()[0][0] - 1,
            journal.head.seq - LOOK_BACK,
            journal.head.seq if needed is None else needed[0],
        )
        if upto > journal.base[0]:
            (last,) = journal.read(upto - 1, 1)
            self.of.record.pruned(last)
            journal.drop(upto)


def _all(queue: "SimpleQueue[Item]") -> Iterator[Item]:
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return
