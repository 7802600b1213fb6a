"""The only door for what comes in: signals and decisions from outside, one JSON object a message.

Nothing that comes can raise, cost more than a look at its first bytes, or fill a disk: who sends too much is answered
once a second, with a count. A command is answered where it is taken, and where it is refused.
"""

import re
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple, Protocol

import msgspec
from msgspec import Raw

from feltwatch.edge.messaging.command_rules import objection
from feltwatch.edge.messaging.encode import Address
from feltwatch.edge.messaging.schema import NONE, Command
from feltwatch.engine.model.events import Decision, Event, EventError, Signal, decode_json, encode, parse
from feltwatch.engine.table import Table

MOST_BYTES: Final = 4096
RATE, BURST = 10.0, 20.0  # commands a second that are looked at, and how many at once
ANSWERS, MANY_ANSWERS = 1.0, 20.0  # refusals a second that are answered one by one, and how many at once
QUIET_S: Final = 1.0  # between two words on those that are not
REMEMBERED: Final = 1000  # ids of commands
SENDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
MOST_TEXT, MOST_SAID, MOST_ID = 128, 300, 64  # letters
MOST_CARDS: Final = 1000  # that are counted or burnt: twelve decks have fewer
KINDS: Final = ("signal", "decision")
TOO_MANY: Final = "too many came, or too large ones: they were not looked at, or refused without an answer each"
AGAIN: Final = "a command of this id was taken before; this one changes nothing"


class ReceivedCommand(Protocol):
    """What came, as a broker gave it."""

    @property
    def topic(self) -> str: ...

    @property
    def payload(self) -> bytes: ...

    @property
    def retained(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Taken:
    """A command that is taken: the event, and the answer, which is journalled before it."""

    event: Event
    body: Command


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer to one that is not, or to many."""

    body: Command


class CommandRefusedError(Exception):
    """Why a command is refused, in one clause."""


class _Said(NamedTuple):
    """Who says it, and under which id."""

    topic: str
    sender: str | None
    proven: bool
    command: str | None = None

    def answer(self, *, why: str = "", event: Raw = NONE, times: int = 1) -> Command:
        topic = _fit(self.topic, MOST_TEXT)
        return Command(
            topic=topic,
            sender=self.sender,
            proven=self.proven,
            command=self.command,
            taken=not why,
            why=_fit(why, MOST_SAID),
            event=event,
            times=times,
        )


@dataclass(slots=True)
class _Bucket:
    """So many a second, and so many at once."""

    rate: float
    most: float
    left: float
    at: float | None = None

    def takes(self, now: float) -> bool:
        passed = 0.0 if self.at is None else max(0.0, now - self.at)
        self.left, self.at = min(self.most, self.left + passed * self.rate), now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Door:
    """Takes what comes to one table. Time is given to it: `now` runs on evenly, `t` is the table's."""

    def __init__(self, address: Address, boxes: Collection[int], *, has_access_list: bool = True) -> None:
        self._has_access_list = has_access_list  # of the broker: only it makes the sender in a topic reliable
        self._topic = address.topic("cmd/signal")
        self._boxes = frozenset(boxes)
        self._looks = _Bucket(RATE, BURST, BURST)
        self._answers = _Bucket(ANSWERS, MANY_ANSWERS, MANY_ANSWERS)
        self._quiet: list[_Said] = []  # refused commands without an answer yet: the first, and one that differs from it
        self._times = 0  # how many these are
        self._answered_at: float | None = None
        self._ids: OrderedDict[tuple[str | None, bool, str], bool] = OrderedDict()  # taken; whether that was said again

    def take(self, incoming: ReceivedCommand, table: Table, t: float, now: float) -> Taken | Refused | None:
        """Take a command, or refuse it; None: it is counted and answered later, or was answered twice before."""
        said = self._from(incoming.topic)
        if not self._looks.takes(now):
            return self._counted(said, now)
        try:
            found = self._opened(incoming, said)
            said = _named(found, said)
            if self._again(said):
                return None
            event = _event(found, t)
            self._check(event, table)
        except (CommandRefusedError, EventError) as error:
            return self._refused(said, str(error), now)
        self._remember(said, again=False)
        return Taken(event, said.answer(event=Raw(encode(event).encode())))

    def refuse(self, incoming: ReceivedCommand, why: str, now: float) -> Refused | None:
        """Refuse what came, whatever it is."""
        said = self._from(incoming.topic)
        return self._refused(said, why, now) if self._looks.takes(now) else self._counted(said, now)

    def unread(self, times: int) -> None:
        """Hear of so many that came and never got here: too many waited, or they were too large."""
        self._count(_Said(self._topic, None, proven=False), times)

    def due(self, now: float) -> Refused | None:
        """Tell of those that were only counted, once the time for it has come; to be asked now and then."""
        if not self._times or (self._answered_at is not None and now - self._answered_at < QUIET_S):
            return None
        first, *others = self._quiet
        said = first if not others else _Said(self._topic, None, proven=False)
        answer = said.answer(why=TOO_MANY, times=self._times)
        self._quiet, self._times, self._answered_at = [], 0, now
        return Refused(answer)

    def recall(self, body: str) -> None:
        """Remember a command of the journal: one that comes again after a restart is not taken twice."""
        found = msgspec.json.decode(body, type=Command)
        if found.taken:
            self._remember(_Said(found.topic, found.sender, found.proven, found.command), again=False)

    # ---- who, and how many ------------------------------------------------------------------------------------------

    def _from(self, topic: str) -> _Said:
        name = topic.removeprefix(f"{self._topic}/")
        known = name != topic and SENDER.fullmatch(name) is not None
        return _Said(topic, name if known else None, known and self._has_access_list)

    def _counted(self, said: _Said, now: float) -> Refused | None:
        self._count(said, 1)
        return self.due(now)

    def _count(self, said: _Said, times: int) -> None:
        self._times += times
        if len(self._quiet) < 2 and said not in self._quiet:
            self._quiet.append(said)

    def _refused(self, said: _Said, why: str, now: float) -> Refused | None:
        if not self._answers.takes(now):
            return self._counted(said._replace(command=None), now)
        return Refused(said.answer(why=why))

    def _again(self, said: _Said) -> bool:
        """True if a command was answered twice; one that was answered once is refused."""
        if said.command is None or (answered := self._ids.get((said.sender, said.proven, said.command))) is None:
            return False
        self._remember(said, again=True)
        if not answered:
            raise CommandRefusedError(AGAIN)
        return True

    def _remember(self, said: _Said, *, again: bool) -> None:
        if said.command is not None:
            self._ids[said.sender, said.proven, said.command] = again
            while len(self._ids) > REMEMBERED:
                self._ids.popitem(last=False)

    # ---- what -------------------------------------------------------------------------------------------------------

    def _opened(self, incoming: ReceivedCommand, said: _Said) -> Mapping[str, object]:
        if said.sender is None and incoming.topic != self._topic:
            raise CommandRefusedError("expected the topic cmd/signal, or cmd/signal/ and the sender's name")
        if incoming.retained:
            raise CommandRefusedError("a retained message: expected one that is sent now; clear it at the broker")
        if len(incoming.payload) > MOST_BYTES:
            raise CommandRefusedError(f"{len(incoming.payload)} bytes: expected at most {MOST_BYTES}")
        found = decode_json(incoming.payload)
        if not isinstance(found, dict) or found.get("event") not in KINDS:
            raise CommandRefusedError('expected a JSON object with "event":"signal" or "event":"decision"')
        return found

    def _check(self, event: Signal | Decision, table: Table) -> None:
        if against := objection(event, table, self._boxes):
            raise CommandRefusedError(against)


def _named(found: Mapping[str, object], said: _Said) -> _Said:
    """Give who says it by the payload too, and the id of the command."""
    sender, command = found.get("sender"), found.get("command")
    if sender is not None and (not isinstance(sender, str) or not SENDER.fullmatch(sender)):
        raise CommandRefusedError("sender: expected letters, figures and . _ @ -, up to 64, a letter or figure first")
    if said.sender is not None and sender not in (None, said.sender):
        raise CommandRefusedError("sender: expected none, or the one that the topic names")
    if command is not None and (
        not isinstance(command, str) or not 0 < len(command) <= MOST_ID or not _is_fit(command)
    ):
        raise CommandRefusedError(f"command: expected an id of at most {MOST_ID} letters and figures")
    return said._replace(sender=said.sender or sender, command=command)


def _event(found: Mapping[str, object], t: float) -> Signal | Decision:
    """Give the event, with the table's time."""
    event = parse({**found, "t": Decimal(str(t))})
    if not isinstance(event, Signal | Decision):
        raise CommandRefusedError("expected a signal or a decision")
    for value in event:
        if isinstance(value, str) and not (_is_fit(value) and len(value) <= MOST_TEXT):
            raise CommandRefusedError(f"expected texts of at most {MOST_TEXT} letters and figures")
    if isinstance(event, Signal) and (event.number or 0) > MOST_CARDS:
        raise CommandRefusedError(f"count: expected at most {MOST_CARDS} cards")
    return event


def _is_fit(text: str) -> bool:
    """True if a text can be passed on: no control characters, nothing that UTF-8 cannot encode."""
    return text.isprintable()


def _fit(text: str, most: int) -> str:
    """Give the part of a text that can be passed on."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    return "".join(letter if letter.isprintable() else "?" for letter in cut)
