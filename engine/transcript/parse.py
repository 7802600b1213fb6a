"""Rounds written down as a dealer would tell them: the golden-file format (`*.round`), read into table events.

docs/rounds.md describes it. A scenario begins with `round "title"`; a line that ends with `!! code` must raise just
those alerts, and indented lines below it say what else must then be true.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from feltwatch.engine.transcript.grammar import Teller, TranscriptError

__all__ = ["SHORT", "Scenario", "Step", "TranscriptError", "parse"]

SHORT = {
    "v4": "blackjack-rws-v4",
    "v5": "blackjack-rws-v5",
    "2024": "rws-blackjack-2024",
    "live": "live-blackjack",
    "skp": "si-ki-pi-v3",
}


@dataclass(slots=True)
class Step:
    """One line: the events it stands for, and what must come of them."""

    number: int
    text: str
    events: list[dict[str, object]]
    alerts: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Scenario:
    """One round (or a few) as text, with the book that judges it and the clauses that it proves."""

    title: str
    number: int
    books: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    decks: int | None = None
    limits: tuple[Decimal, Decimal] | None = None
    cites: list[tuple[str, str]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def events(self) -> Iterator[dict[str, object]]:
        for step in self.steps:
            yield from step.events


def _header(scenario: Scenario, word: str, rest: str) -> bool:
    """Take a line that comes before the events; say whether it was one."""
    if word == "book":
        scenario.books = [SHORT.get(name, name) for name in rest.split()]
    elif word == "decks":
        scenario.decks = int(rest)
    elif word == "limits":
        low, high = rest.split()
        scenario.limits = Decimal(low), Decimal(high)
    elif word == "set":
        scenario.settings.update(dict(pair.split("=", 1) for pair in rest.split()))
    elif word == "cites":
        for part in rest.split(";"):
            name, *clauses = part.split()
            scenario.cites += [(SHORT[name], clause.strip(",")) for clause in clauses]
    else:
        return False
    return True


_COMMENT = re.compile(r"(?:^|\s)#")  # not the # of a clause such as 4.2#1


def parse(text: str) -> list[Scenario]:
    r"""Read the scenarios of a transcript.

    >>> scenario = parse('round "one card"\nbook v5\nbets 1:100\n9h to box 1')[0]
    >>> [event["event"] for event in scenario.events()]
    ['chips', 'card']
    """
    found: list[Scenario] = []
    teller = Teller()
    for number, raw in enumerate(text.split("\n"), 1):
        line = _COMMENT.split(raw, maxsplit=1)[0].rstrip()
        if not line.strip():
            continue
        word, _, rest = line.strip().partition(" ")
        if word == "round":
            found.append(Scenario(rest.strip('"'), number))
            teller = Teller()
        elif not found:
            raise TranscriptError(f'line {number}: expected round "title", found {line!r}')
        elif raw[0] in " \t" and found[-1].steps:
            found[-1].steps[-1].checks.append(line.strip())
        else:
            _line(found[-1], teller, number, line.strip())
    return found


def _line(scenario: Scenario, teller: Teller, number: int, line: str) -> None:
    word, _, rest = line.partition(" ")
    try:
        if scenario.steps or not _header(scenario, word, rest.strip()):
            scenario.steps.append(_step(teller, number, line))
    except KeyError as error:
        raise TranscriptError(f"line {number}: unknown word {error}") from error
    except (ValueError, ArithmeticError) as error:
        raise TranscriptError(f"line {number}: {error}") from error


def _step(teller: Teller, number: int, line: str) -> Step:
    body, _, fallen = line.partition("~~")
    body, _, raised = body.partition("!!")
    return Step(number, body.strip(), teller.tell(body.strip()), raised.split(), fallen.split())
