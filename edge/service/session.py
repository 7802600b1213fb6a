"""One session of a table: greets, analyses frame by frame until the end, and stops in good order.

One thread runs it: it alone takes frames, accepts commands and writes the journal. Reports of other threads (the
outbox, the recorder) wait in queues until it reads them.
"""

from collections.abc import Callable
from functools import partial
from logging import ERROR
from typing import Final

from feltwatch.edge.camera.feed import Feed, LiveFrame
from feltwatch.edge.evidence.store import EVIDENCE, found_on_disk, unreported
from feltwatch.edge.journal.store import utc
from feltwatch.edge.messaging.commands import Refused, Taken
from feltwatch.edge.messaging.schema import RoundSummary
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline
from feltwatch.edge.service.housekeeping import Housekeeping
from feltwatch.edge.service.journal_writer import Happening
from feltwatch.edge.service.logs import log_verdict, say
from feltwatch.edge.service.open_table import OpenTable, Show
from feltwatch.edge.service.recovery import LOOK_BACK, SNAPSHOT
from feltwatch.engine.model.verdicts import Alert, Ended
from feltwatch.models.files import remove_unfinished

TURN_S: Final = 0.1  # to wait for a frame
GOODBYE_S: Final = 10.0  # for unacknowledged messages, when the service stops
UNSEEN: Final = "no camera has shown the table yet"
COMMANDS: Final = 20  # that are accepted between two frames


class TableSession:
    """Watches an open table until its cameras end or it is asked to stop. `crash` is what ended the session before."""

    def __init__(self, table: OpenTable, networks: Networks, crash: str = "") -> None:
        self.table, self.networks, self.crash = table, networks, crash
        self.began = table.now()
        self.has_stepped = False
        self.pipeline: TablePipeline | None = None
        self.show: Show | None = None
        self.is_output_closed = False
        self.housekeeping = Housekeeping(table)
        self._unread = 0  # commands that never reached the door

    def run(self, stop: Callable[[], bool]) -> None:
        """Run until every camera's video ends, the time is over, or `stop` is set."""
        self._greet()
        self._report_evidence()
        self.table.outbox.start()
        for feed in self.table.feeds:
            feed.start()
        while not stop() and not self._is_over():
            self._turn()
        self._end()

    # ---- start ------------------------------------------------------------------------------------------------------

    def _greet(self) -> None:
        """Report how the session starts, and how the run before it ended."""
        table, found = self.table, self.table.recovered
        if found.aside is not None:
            table.note("broken", f"the journal was damaged: it is now {found.aside.name}, and a new one was created")
        if self.crash:
            table.note("broken", f"restarted after {self.crash}")
        elif found.last is None:
            table.note("started", "started with a new journal")
        elif found.is_clean:
            table.note("started", f"started again; events since {found.last.at} were not observed")
        else:
            table.note(
                "started",
                f"started again after a run that ended uncleanly (last journal entry {found.last.seq}, "
                f"{found.last.at}); events since then were not observed",
            )

    def _report_evidence(self) -> None:
        """Report what became of evidence that the last run promised and did not report."""
        folder, found = self.table.config.folder, self.table.recovered
        remove_unfinished(folder / EVIDENCE)
        for expected in unreported(found.journal.read(found.since, LOOK_BACK, ("alert", "evidence"))):
            for stored in found_on_disk(folder, expected):
                self.table.writer.evidence(stored)

    # ---- frames and commands ----------------------------------------------------------------------------------------

    def _is_over(self) -> bool:
        limit = self.table.config.until
        return all(feed.ended for feed in self.table.feeds) or (limit is not None and self.table.now() >= limit)

    def _turn(self) -> None:
        """Take what has come: commands, a frame of each camera, reports of other threads."""
        for _ in range(COMMANDS):
            if not self._command():
                break
        for feed in self.table.feeds:
            shot = feed.take(TURN_S / len(self.table.feeds))
            if shot is not None:
                self._analyse(feed, shot)
        self.table.outbox.check()
        self.housekeeping.run_due(self.pipeline)

    def _analyse(self, feed: Feed, shot: LiveFrame) -> None:
        table = self.table
        if self.pipeline is None:
            self.pipeline = self.networks.pipeline(table.config.table, table.recovered.state)
            self.housekeeping.begin_deck(self.pipeline)
        table.latest.shot = shot
        start = table.now()
        result = self.pipeline.step(feed.name, shot.t, shot.picture, shot.small)
        self.has_stepped = True
        table.telemetry.record_step(table.now() - start)
        table.recorder.frame(feed.name, shot.t, shot.picture, self.pipeline.view(feed.name))
        if result.judged:
            self.publish(self.pipeline, result)
            table.telemetry.lag.record(table.now() - shot.taken)

    def publish(self, pipeline: TablePipeline, result: StepResult) -> None:
        """Write to the journal what a frame or command brought, then record evidence and send the messages."""
        table, rounds = self.table, list[RoundSummary]()
        for one in result.judged:
            rounds += table.recovered.rounds.take(one.verdicts, one.rounds)
        memory = {SNAPSHOT: pipeline.state.to_snapshot()} if pipeline.state.is_due else None
        found = Happening(result.events, result.verdicts, rounds, memory)
        alerts = [verdict for verdict in result.verdicts if isinstance(verdict, Alert)]
        for alert in alerts:
            table.telemetry.count_alert(alert.severity)
        at = utc()
        table.recorder.record(alerts, partial(table.writer.write, found, at), at, table.id)
        table.outbox.wake()
        self.housekeeping.has_changed = True
        for verdict in result.verdicts:
            if isinstance(verdict, Ended):
                table.telemetry.count_round(verdict.result)
            log_verdict(verdict, table.id)
        self._show_people(pipeline, result)

    def _show_people(self, pipeline: TablePipeline, result: StepResult) -> None:
        """Show people what is in the journal. When the reader of standard output ends, the table is still watched."""
        if self.table.config.show is None or self.is_output_closed:
            return
        try:
            self.show = self.show or self.table.config.show(pipeline, self.table.id)
            self.show(result)
        except BrokenPipeError:
            self.is_output_closed = True

    def _command(self) -> bool:
        table, incoming = self.table, self.table.inbox.take()
        found: Taken | Refused | None
        if incoming is None:
            self._count_unread()
            found = table.door.due(table.now())
        elif self.pipeline is None:
            found = table.door.refuse(incoming, UNSEEN, table.now())
        else:
            t = round(max(self.pipeline.t or 0.0, table.recovered.offset + table.now() - self.began), 3)
            found = table.door.take(incoming, self.pipeline.table, t, table.now())
        if found is not None:
            self._answer(found)
        return incoming is not None

    def _count_unread(self) -> None:
        unread = self.table.inbox.dropped + self.table.outbox.oversized
        if unread > self._unread:
            self.table.door.unread(unread - self._unread)
            self._unread = unread

    def _answer(self, found: Taken | Refused) -> None:
        body = found.body
        sender = body.sender or "an unnamed sender"
        by = sender if body.proven else f"{sender} (not proven)"
        says = f"command from {by} on {body.topic}: {'accepted' if body.taken else body.why}"
        say(says if body.times == 1 else f"{says} ({body.times} times)", table=self.table.id)
        self.table.writer.add("command", body)
        self.table.outbox.wake()
        if isinstance(found, Taken):
            assert self.pipeline is not None  # noqa: S101  the door is open only then
            self.publish(self.pipeline, self.pipeline.apply(found.event))

    # ---- end --------------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        table = self.table
        if self.pipeline is not None:
            self.publish(self.pipeline, self.pipeline.finish())
        table.recorder.close()
        self.housekeeping.finish(self.pipeline)
        table.note("stopped", "feltwatch was stopped")
        self.housekeeping.sign()
        for batch in table.buffer.finish():
            for fact in batch.facts:  # the log is the last place left for it
                say(f"not in the journal: {batch.at} {fact.kind} {fact.body}", table=table.id, level=ERROR)
        table.outbox.close(GOODBYE_S)
        left = table.outbox.depth()
        if left:
            say(f"{left} messages were not sent; they stay in the journal until a broker takes them", table=table.id)
