"""What a round has found: alerts, plans that wait for a ruling, settlements."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.spots import Zone
from feltwatch.engine.model.verdicts import Alert, Decided, Offered, Remedied, Remedy, Settlement, Verdict, Withdrawn


@dataclass(slots=True)
class CardSeen:
    """One card of the round: where it lies and what is known of its face."""

    id: str
    zone: Zone
    card: Card | None
    up: bool
    t: float
    n: int  # ordinal of its event
    gone: bool = False
    gone_at: float | None = None
    turned_by: str | None = None
    late: bool = False  # its face was not known when it fell, or was turned


@dataclass(slots=True)
class Plan:
    """What a supervisor may order for an alert: where each card goes, and whose players may choose."""

    alert: str
    targets: list[tuple[CardSeen, Zone]] = field(default_factory=list)
    rule: Callable[[str, int | None], None] | None = None  # what else a ruling sets right
    waits: bool = True  # a round with this open cannot be known


class Findings:
    """The alerts, plans and settlements of a round; each is raised once, and kept as it now stands."""

    def __init__(self, book: Book, number: int, dismissed: frozenset[str]) -> None:
        self.book = book
        self.switches = book.switches
        self.number = number
        self.dismissed = dismissed
        self.t = 0.0
        self.n = 0
        self.out: list[Verdict] = []
        self.alerts: dict[str, Alert] = {}
        self.plans: dict[str, Plan] = {}
        self.settlements: dict[tuple[int, int, str], Settlement] = {}
        self.raised: dict[str, int] = {}  # by which event an alert was

    def alert(  # noqa: PLR0913  an alert is what it says it is
        self,
        code: str,
        says: str,
        remedy: Remedy,
        *,
        anchor: str,
        box: int | None = None,
        hand: int | None = None,
        evidence: tuple[str, ...] = (),
        severity: str = "",
        clause: str = "",
        t: float | None = None,
        replaces: str = "",
    ) -> str:
        """Raise an alert once; give its id, or "" where the book has no such error or a supervisor dismissed it."""
        fault = self.book.faults.get(code)
        name = f"r{self.number}-{code}-{anchor}"
        if replaces:
            self.withdraw(replaces, f"it is a case of {code}")
        if fault is None or name in self.dismissed or name in self.alerts:
            return ""
        found = Alert(
            self.t if t is None else t,
            self.number,
            code,
            self.book.id,
            clause or fault.clause,
            severity or fault.severity,
            name,
            box,
            hand,
            says,
            (*evidence, f"e{self.n}"),
            remedy,
            replaces or None,
        )
        self.alerts[name] = found
        self.raised[name] = self.n
        self.out.append(found)
        return name

    def withdraw(self, name: str, why: str) -> None:
        if self.alerts.pop(name, None) is not None:
            self.plans.pop(name, None)
            self.out.append(Withdrawn(self.t, self.number, name, why))

    def remedied(self, name: str, remedy: Remedy) -> None:
        """Say how the remedy of an alert stands now."""
        found = self.alerts.get(name)
        if found is not None and found.remedy != remedy:
            self.alerts[name] = replace(found, remedy=remedy)
            self.out.append(Remedied(self.t, self.number, name, remedy))

    def infer(self, box: int, hand: int, action: str) -> None:
        self.out.append(Decided(self.t, self.number, box, hand, action, inferred=True))

    def offers(self, box: int, hand: int, actions: tuple[str, ...]) -> None:
        self.out.append(Offered(self.t, self.number, box, hand, actions))

    def settle(self, line: Settlement) -> None:
        """Say what a bet comes to; say it again only where it changed."""
        old = self.settlements.get(line.key)
        if old is not None:
            if replace(old, t=line.t, revises=False) == line:
                return
            line = replace(line, revises=True)
        self.settlements[line.key] = line
        self.out.append(line)

    def plan(self, name: str, rule: Callable[[str, int | None], None] | None = None, *, waits: bool = True) -> Plan:
        """Let an alert wait for its ruling."""
        plan = Plan(name, rule=rule, waits=waits)
        if name:
            self.plans[name] = plan
        return plan

    def faultclause(self, code: str) -> str:
        fault = self.book.faults.get(code)
        return fault.clause if fault else ""
