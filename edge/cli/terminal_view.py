"""A round shown to a person: what falls where, alerts as they fire, the table, and what is paid."""

import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from feltwatch.edge.wording import cure, face, place
from feltwatch.engine.blackjack.hands import total
from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.events import (
    Chips,
    Clear,
    Correct,
    Dealt,
    Decision,
    Event,
    Move,
    Remove,
    Signal,
    Tick,
    Turn,
)
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.verdicts import (
    Alert,
    Decided,
    Ended,
    Remark,
    Remedied,
    Settlement,
    Started,
    Verdict,
    Withdrawn,
)
from feltwatch.engine.round.base import CardSeen, Round
from feltwatch.engine.table import Table

if TYPE_CHECKING:
    from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline

WIDTH = 100
RED, BOLD, DIM, PLAIN = "\033[31;1m", "\033[1m", "\033[2m", "\033[0m"
MARKS = {"void": "VOID", "stop": "STOP", "correct": "CORRECT", "advise": "NOTE"}


class Watch:
    """Turns events and verdicts into lines. `table` is looked at, never changed."""

    def __init__(self, book: Book, table: Table, title: str = "") -> None:
        self.book = book
        self.table = table
        self.title = title
        self.colour = sys.stdout.isatty()
        self.settled: dict[tuple[int, int, str], Settlement] = {}
        self.shown: Round | None = None

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{PLAIN}" if self.colour else text

    def head(self) -> list[str]:
        line = f"── {self.title or 'Table'} ── {self.book.title} "
        return ["", self._paint(line + "─" * max(0, WIDTH - len(line)), BOLD)]

    def event(self, event: Event) -> list[str]:
        """Say what has just happened at the table."""
        if self.table.life is not None:
            self.shown = self.table.life.round
        text = self._happened(event)
        return [f"{event.t:7.1f}  {text}"] if text else []

    def _happened(self, event: Event) -> str:  # noqa: PLR0911  one answer a kind of event
        if isinstance(event, Signal):
            return self._signal(event)
        if isinstance(event, Chips):
            spot = "outside the boxes" if event.spot is None else place(event.spot.text)
            amount = "chips" if event.amount is None else f"{plain(event.amount)}"
            return f"{amount} now on {spot}{f', by the {event.by}' if event.by else ''}"
        if isinstance(event, Dealt):
            return f"{face(event.card, up=event.up)} to {place(event.zone.text)}{self._count(event)}"
        if isinstance(event, Turn):
            return f"{event.id} is turned: {face(event.card)}"
        if isinstance(event, Correct):
            return f"{event.id} is {face(event.card)} after all"
        if isinstance(event, Move):
            return f"{self._card(event.id)} is moved to {place(event.zone.text)}"
        if isinstance(event, Remove):
            return f"{self._card(event.id)} is taken away"
        if isinstance(event, Decision):
            return f"box {event.box}{f' hand {event.hand}' if event.hand > 1 else ''}: {event.action}"
        return "the cards are cleared" if isinstance(event, Clear) else ""

    def _signal(self, event: Signal) -> str:
        if event.name == "ruling":
            about = f" for box {event.box}" if event.box else ""
            return self._paint(f"ruling: {event.choice}{about}", BOLD)
        said = {"place-bets": "“Place your bets, please.”", "no-more-bets": "“No more bets.”"}
        return said.get(event.name, event.name.replace("-", " ") + (f", box {event.box}" if event.box else ""))

    def _card(self, name: str) -> str:
        seen = self.shown.seen.get(name) if self.shown else None
        return name if seen is None else face(seen.card, up=seen.up)

    def _count(self, event: Dealt) -> str:
        """Give the total of the blackjack hand a card has come to."""
        if self.book.family != "blackjack" or self.shown is None or event.zone.box is None:
            return ""
        cards = [one.card for one in _lying(self.shown, event.zone.text)]
        found = total(cards)
        if found is None or len(cards) < 2:
            return ""
        return f"   ({'soft ' if found.soft else ''}{found.points})"

    def verdicts(self, verdicts: list[Verdict]) -> list[str]:
        found: list[str] = []
        for verdict in verdicts:
            found += self._verdict(verdict)
        return found

    def _verdict(self, verdict: Verdict) -> list[str]:
        if isinstance(verdict, Alert):
            return self._alert(verdict)
        if isinstance(verdict, Settlement):
            self.settled[verdict.key] = verdict
            return []
        if isinstance(verdict, Withdrawn | Remark):
            return [self._paint(f"         ~~ {_aside(verdict)}", DIM)]
        if isinstance(verdict, Decided) and verdict.action != "stand":
            return [self._paint(f"         (box {verdict.box}: {verdict.action}, as it seems)", DIM)]
        if isinstance(verdict, Remedied):
            return self._hands(verdict.remedy.hands)
        if isinstance(verdict, Started):
            self.settled.clear()
        return self._ended(verdict) if isinstance(verdict, Ended) else []

    def _alert(self, alert: Alert) -> list[str]:
        mark = f"!! {MARKS[alert.severity]}: {alert.code} (clause {alert.clause})"
        lines = ["", "         " + self._paint(mark, RED if alert.severity in ("void", "stop") else BOLD)]
        lines += [f"            {line}" for line in textwrap.wrap(alert.says, WIDTH - 12)]
        lines += [f"            {line}" for line in textwrap.wrap(cure(alert.remedy), WIDTH - 12)]
        return [*lines, *self._hands(alert.remedy.hands), ""]

    def _hands(self, hands: object) -> list[str]:
        if not isinstance(hands, dict) or not hands:
            return []
        parts = []
        for zone, cards in hands.items():
            faces = " ".join(face(Card.parse(card)) if card else "▒▒" for card in cards)
            parts.append(f"{place(zone)}: {faces or '-'}")
        return [f"            As it should lie: {' | '.join(parts)}"]

    def _ended(self, ended: Ended) -> list[str]:
        return [*self._felt(), "", self._paint(f"         Round {ended.round} {ended.result}: {ended.why}.", BOLD)]

    def _felt(self) -> list[str]:
        """Draw the table as the round leaves it: every hand, its total, and what its bets came to."""
        if self.shown is None:
            return []
        lying = {seen.zone.text for seen in self.shown.seen.values() if seen.zone.box is not None}
        lines = [""]
        for zone in sorted(lying, key=_clockwise):
            cards = _lying(self.shown, zone)
            faces = " ".join(face(seen.card, up=seen.up) for seen in cards)
            lines.append(f"         {place(zone):14} {faces:26} {self._points(cards):8} {self._paid(zone)}".rstrip())
        return lines

    def _points(self, cards: list[CardSeen]) -> str:
        if self.book.family != "blackjack":
            return ""
        found = total([seen.card for seen in cards])
        return "" if found is None else f"{found.points}{' bust' if found.points > 21 else ''}"

    def _paid(self, zone: str) -> str:
        box, _, part = zone.partition(".")
        if not box.startswith("box") or part == "low":
            return ""
        hand = int(part[4:]) if part.startswith("hand") else 1
        lines = [s for s in self.settled.values() if (s.box, s.hand) == (int(box[3:]), hand)]
        return ", ".join(_money(line) for line in lines)


class Commentary:
    """Prints what happens at a table that is watched, step by step; what only clears and pays the table is left out."""

    def __init__(self, pipeline: "TablePipeline", title: str, out: TextIO) -> None:
        self.table, self.out = pipeline.table, out
        self.watch = Watch(pipeline.table.book, pipeline.table, title)
        self._print(self.watch.head())

    def __call__(self, step: "StepResult") -> None:
        for one in step.judged:
            if one.event is not None:
                lines = self.watch.event(one.event)
                self._print(lines if self._matters(one.event) else [])
            self._print(self.watch.verdicts([*one.verdicts]))

    def _matters(self, event: Event) -> bool:
        """Bets matter until the first card lies there; then cards do."""
        if isinstance(event, Chips):
            life = self.table.life
            return event.amount is None and life is not None and not life.round.seen
        return not isinstance(event, Remove | Clear | Tick)

    def _print(self, lines: Sequence[str]) -> None:
        self.out.write("".join(f"{line}\n" for line in lines))
        self.out.flush()


def _money(line: Settlement) -> str:
    net = line.net
    amount = "" if net is None else f" {'+' if net > 0 else ''}{plain(net)}"
    return f"{'' if line.bet == 'main' else line.bet + ' '}{line.result}{amount}"


def _lying(round_: Round, zone: str) -> list[CardSeen]:
    return sorted((seen for seen in round_.seen.values() if seen.zone.text == zone), key=lambda seen: seen.n)


def _clockwise(zone: str) -> tuple[int, str]:
    return (0, zone) if zone.startswith("dealer") else (int(zone[3]), zone)


def _aside(verdict: Withdrawn | Remark) -> str:
    if isinstance(verdict, Withdrawn):
        return f"withdrawn: {verdict.alert} ({verdict.why})"
    return f"ruling ignored: {verdict.says}"
