"""The outbox: a journal's entries go to the broker until it has acknowledged each of them.

Nothing is queued here: the journal is on disk, and the outbox knows only what of it is not acknowledged. One thread
connects, sends and hears; a second one does no more than wait for news of the journal. What goes wrong with the broker
is reported once and retried, for years if need be. A fault of ours ends the thread, and `check` raises it.
"""

import os
import random
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.journal.store import Entry
from feltwatch.edge.messaging.errors import BrokerLostError, RefusedError
from feltwatch.edge.messaging.mqtt import Incoming, Link, LinkTerms, Outgoing, Waker
from feltwatch.edge.messaging.publisher import Entries, Sending
from feltwatch.edge.messaging.send_queue import Lanes

AGAIN_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)  # waits before another try
JITTER: Final = 0.2  # more or less, so that a room full of tables does not come at once
LASTED_S: Final = 30.0  # a connection of that age was a good one
WORKED_S: Final = 5.0  # so was one of that age over which something was acknowledged
WORKED_FAILURES: Final = 2  # one over which something was acknowledged counts for no more than these
NEWS_S: Final = 0.2  # a thread that waits for news looks up so often
GOODBYE_S: Final = 1.0  # kept for the last words when closing


@dataclass(frozen=True, slots=True)
class OutboxHooks:
    """What the outbox asks and reports. It calls each hook in its own thread, so none may take long."""

    encode: Callable[[Entry], Outgoing]
    birth: Callable[[], Sequence[Outgoing]]  # after every connect
    farewell: Callable[[], Outgoing]
    command: Callable[[str, bytes, bool], None]  # topic, payload, and whether it was retained
    say: Callable[[str], None]  # to people


@dataclass(frozen=True, slots=True)
class OutboxClock:
    now: Callable[[], float] = monotonic
    chance: Callable[[], float] = random.random


class Inbox:
    """Commands that wait to be looked at: so many at most, what comes beside them is counted and gone."""

    def __init__(self, most: int = 100) -> None:
        self.dropped = 0
        self._most = most
        self._waiting: deque[Incoming] = deque()

    def put(self, topic: str, payload: bytes, retained: bool) -> None:  # noqa: FBT001  as OutboxHooks has it
        if len(self._waiting) >= self._most:
            self.dropped += 1
        else:
            self._waiting.append(Incoming(topic, payload, retained))

    def take(self) -> Incoming | None:
        return self._waiting.popleft() if self._waiting else None


class Outbox:
    """What a table says, on its way to the broker. `refused` and `trouble` are sentences for people, or None."""

    def __init__(
        self,
        journal: Entries,
        broker: MqttSettings,
        terms: LinkTerms,
        hooks: OutboxHooks,
        environ: Mapping[str, str] = os.environ,
        clock: OutboxClock = OutboxClock(),
    ) -> None:
        self.connected = False
        self.connections = 0
        self.acknowledged = 0  # entries, since the start
        self.oversized = 0  # commands that were too large to be looked at
        self.refused: str | None = None  # the broker says no
        self.trouble: str | None = None  # there is no connection, for this or another reason
        self.deaf: str | None = None  # there is a connection, and the broker lets no commands come
        self.fault: Exception | None = None
        self._journal, self._broker, self._terms, self._hooks = journal, broker, terms, hooks
        self._environ, self._clock = environ, clock
        head = journal.head.seq
        self._lanes = Lanes.begun(journal.unsent(), head, broker.rate)
        self._states: dict[str, Outgoing] = {}
        self._guard = threading.Lock()
        self._waker = Waker()
        self._stop = threading.Event()
        self._until = 0.0
        self._failures = 0
        self._proved = False  # of this connection: what we say is taken, so that what was said against it holds no more
        self._threads = [
            threading.Thread(target=self._watched, args=(work,), name=f"outbox-{name}", daemon=True)
            for name, work in (("talk", self._run), ("news", self._listen))
        ]

    def start(self) -> None:
        for one in self._threads:
            one.start()

    def close(self, timeout_s: float = 5.0) -> None:
        """Send what can be sent in the time, say goodbye, and go. What is left is sent next time."""
        self._until = self._clock.now() + timeout_s
        self._stop.set()
        self._waker.poke()
        end = monotonic() + timeout_s + NEWS_S
        for one in self._threads:
            if one.is_alive():
                one.join(max(0.0, end - monotonic()))
        if not any(one.is_alive() for one in self._threads):
            self._waker.close()

    def check(self) -> None:
        """Raise what went wrong with us."""
        if self.fault is not None:
            raise self.fault

    def wake(self) -> None:
        """Wake the outbox: new entries are sent sooner."""
        self._waker.poke()

    def publish_state(self, message: Outgoing) -> None:
        """Say what is so now. Only the newest of a topic goes, and only over a connection that is there."""
        with self._guard:
            if self.connected:
                self._states.pop(message.topic, None)
                self._states[message.topic] = message
        self._waker.poke()

    def depth(self) -> int:
        """Give the number of entries that are not acknowledged."""
        lanes = self._lanes
        return len(lanes.left) + max(0, self._journal.head.seq - lanes.head)

    def _watched(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001  the watching thread raises it
            self.fault = self.fault or error
            self._stop.set()

    def _listen(self) -> None:
        seq = self._journal.head.seq
        while not self._stop.is_set():
            found = self._journal.wait(seq, NEWS_S)
            if found > seq:
                seq = found
                self._waker.poke()

    def _run(self) -> None:
        while not self._stop.is_set():
            since = self._clock.now()
            count = self.acknowledged
            try:
                self._talk()
            except BrokerLostError as error:
                refused = isinstance(error, RefusedError)
                if not refused:
                    self._clear_trouble(self._clock.now() - since, worked=self.acknowledged > count)
                self._report_trouble(str(error), refused=refused)
                wait = AGAIN_S[min(self._failures, len(AGAIN_S) - 1)]
                self._failures += 1
                self._stop.wait(wait * (1.0 + JITTER * (2.0 * self._clock.chance() - 1.0)))

    def _clear_trouble(self, age_s: float, *, worked: bool) -> None:
        """A good connection is tried again soon; one that worked for a moment, not at once: two may be taking turns."""
        if age_s > LASTED_S or (worked and age_s > WORKED_S):
            self._failures = 0
        elif worked:
            self._failures = min(self._failures, WORKED_FAILURES)

    def _talk(self) -> None:
        """Hold one connection, from its beginning to its end."""
        link = Link(self._broker, self._terms, self._environ, self._clock.now)
        sending: Sending | None = None
        try:
            link.open(self._waker)
            lanes = Lanes.begun(self._lanes.left.unsent(self._lanes.head), self._journal.head.seq, self._broker.rate)
            sending = Sending(self._journal, link, lanes, self._hooks.encode, self._hooks.say, self._clock.now)
            self._welcomed()
            while not (self._stop.is_set() and self._done(sending)):
                self._turn(link, sending)
            self._leave(link)
        finally:
            link.close()
            with self._guard:
                self.connected = False
            self.oversized += link.oversized
            if sending is not None:
                self._heard(link, sending)
                sending.keep(at_once=True)

    def _turn(self, link: Link, sending: Sending) -> None:
        sending.fill(self._state)
        sending.keep()
        link.step(sending.wait_s(), self._waker)
        self._heard(link, sending)
        if not self._proved and (sending.count or (link.listens and not link.flying and not sending.lanes.left)):
            self._proved = True
            self.refused = self.trouble = None
            self._hooks.say(f"{self._broker.url}: connected")

    def _heard(self, link: Link, sending: Sending) -> None:
        count = sending.count
        sending.hear()
        self.acknowledged += sending.count - count
        self._lanes = sending.lanes
        while link.received:
            one = link.received.popleft()
            self._hooks.command(one.topic, one.payload, one.retained)
        if link.listens and link.deaf != self.deaf:
            self.deaf = link.deaf
            self._hooks.say(self.deaf or f"{self._broker.url}: commands come again")

    def _welcomed(self) -> None:
        with self._guard:
            self._states.clear()  # older than what the birth says
            self.connected = True
        birth = self._hooks.birth()
        with self._guard:
            self._states = {message.topic: message for message in birth} | self._states
        self.connections += 1
        self._proved = False

    def _report_trouble(self, text: str, *, refused: bool) -> None:
        """Say why there is no connection; once, not each time."""
        if text != self.trouble:
            self._hooks.say(f"{text}; {self.depth()} messages wait, trying again")
        self.trouble, self.refused = text, text if refused else None

    def _state(self) -> Outgoing | None:
        with self._guard:
            return self._states.pop(next(iter(self._states))) if self._states else None

    def _done(self, sending: Sending) -> bool:
        if self._clock.now() > self._until - GOODBYE_S:
            return True
        with self._guard:
            return not self._states and not sending.lanes.left

    def _leave(self, link: Link) -> None:
        """Say goodbye; if that fails, disconnect without it, so that the last will is published."""
        last: int | None = None
        while last not in link.acknowledged and self._clock.now() < self._until:
            if last is None and link.flying < link.window:
                last = link.publish(self._hooks.farewell())
            link.step(GOODBYE_S, self._waker)
        if last in link.acknowledged:
            link.leave(GOODBYE_S, self._waker)
