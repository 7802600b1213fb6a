"""What the engine says: rounds, alerts, settlements; frozen values and their one JSON shape: `encode` and `decode`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from feltwatch.engine.model.money import plain

SEVERITIES = {"S1": "void", "S2": "stop", "S3": "correct", "S4": "advise"}


@dataclass(frozen=True, slots=True)
class CardMove:
    """One card of a reconstruction: which, from where, to where."""

    card: str
    face: str | None
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """How to put it right."""

    outcome: str
    clause: str
    options: tuple[str, ...] = ()
    hands: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    moves: tuple[CardMove, ...] = ()
    ask: tuple[str, ...] = ()  # decisions made on a wrong card, to be asked again
    boxes: tuple[int, ...] = ()  # whose players have the options
    says: str = ""

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {
            "outcome": self.outcome,
            "clause": self.clause,
            "options": list(self.options),
            "hands": {zone: list(cards) for zone, cards in self.hands.items()},
            "says": self.says,
        }
        if self.moves:
            found["moves"] = [
                {"id": move.card, "card": move.face, "from": move.source, "to": move.target} for move in self.moves
            ]
        if self.ask:
            found["ask"] = list(self.ask)
        if self.boxes:
            found["boxes"] = list(self.boxes)
        return found


@dataclass(frozen=True, slots=True)
class Alert:
    """The table erred: which clause, where, by what evidence, and the remedy."""

    t: float
    round: int
    code: str
    book: str
    clause: str
    severity: str
    id: str
    box: int | None
    hand: int | None
    says: str
    evidence: tuple[str, ...]
    remedy: Remedy
    replaces: str | None = None

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {
            "t": self.t,
            "verdict": "alert",
            "round": self.round,
            "code": self.code,
            "book": self.book,
            "clause": self.clause,
            "severity": self.severity,
            "id": self.id,
            "box": self.box,
            "hand": self.hand,
            "says": self.says,
            "evidence": list(self.evidence),
            "remedy": self.remedy.to_dict(),
        }
        if self.replaces:
            found["replaces"] = self.replaces
        return found


@dataclass(frozen=True, slots=True)
class Remedied:
    """The remedy of an alert as it stands after more cards have fallen."""

    t: float
    round: int
    alert: str
    remedy: Remedy

    def to_dict(self) -> dict[str, object]:
        return {
            "t": self.t,
            "verdict": "remedy",
            "round": self.round,
            "alert": self.alert,
            "remedy": self.remedy.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An alert that a later fact made false."""

    t: float
    round: int
    alert: str
    why: str

    def to_dict(self) -> dict[str, object]:
        return {"t": self.t, "verdict": "withdrawn", "round": self.round, "alert": self.alert, "why": self.why}


@dataclass(frozen=True, slots=True)
class Settlement:
    """What one bet of one hand comes to."""

    t: float
    round: int
    box: int
    hand: int
    bet: str
    stake: Decimal | None
    result: str
    clause: str
    odds: str | None = None
    returned: Decimal | None = None
    effective: Decimal | None = None  # the part of the stake that plays, where a limit cut it
    exact: str | None = None  # the net before rounding, where rounding changed it
    units: int | None = None
    revises: bool = False

    @property
    def key(self) -> tuple[int, int, str]:
        return self.box, self.hand, self.bet

    @property
    def effective_stake(self) -> Decimal | None:
        return self.stake if self.effective is None else self.effective

    @property
    def net(self) -> Decimal | None:
        return None if self.stake is None or self.returned is None else self.returned - self.stake

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {
            "t": self.t,
            "verdict": "settlement",
            "round": self.round,
            "box": self.box,
            "hand": self.hand,
            "bet": self.bet,
            "stake": plain(self.stake),
            "result": self.result,
            "odds": self.odds,
            "returned": plain(self.returned),
            "net": plain(self.net),
            "clause": self.clause,
        }
        if self.effective is not None:
            found["effective"] = plain(self.effective)
        if self.exact is not None:
            found["exact"] = self.exact
        if self.units is not None:
            found["units"] = self.units
        if self.revises:
            found["revises"] = True
        return found


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as the engine takes it: reported, or inferred from what happened next."""

    t: float
    round: int
    box: int
    hand: int
    action: str
    inferred: bool

    def to_dict(self) -> dict[str, object]:
        return {
            "t": self.t,
            "verdict": "decision",
            "round": self.round,
            "box": self.box,
            "hand": self.hand,
            "action": self.action,
            "inferred": self.inferred,
        }


@dataclass(frozen=True, slots=True)
class Offered:
    """What the book lets a hand do."""

    t: float
    round: int
    box: int
    hand: int
    actions: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "t": self.t,
            "verdict": "offer",
            "round": self.round,
            "box": self.box,
            "hand": self.hand,
            "actions": list(self.actions),
        }


@dataclass(frozen=True, slots=True)
class Started:
    """A round began."""

    t: float
    round: int

    def to_dict(self) -> dict[str, object]:
        return {"t": self.t, "verdict": "round-started", "round": self.round}


@dataclass(frozen=True, slots=True)
class Ended:
    """A round is over: completed, void, or not to be known."""

    t: float
    round: int
    result: str
    why: str
    inferred: bool = False  # it was not declared void

    def to_dict(self) -> dict[str, object]:
        found: dict[str, object] = {
            "t": self.t,
            "verdict": "round-ended",
            "round": self.round,
            "result": self.result,
            "why": self.why,
        }
        if self.inferred:
            found["inferred"] = True
        return found


@dataclass(frozen=True, slots=True)
class Remark:
    """A ruling that changes nothing, since it came too late or names no alert that stands; kept for the record."""

    t: float
    round: int
    choice: str
    alert: str | None
    says: str

    def to_dict(self) -> dict[str, object]:
        return {
            "t": self.t,
            "verdict": "remark",
            "round": self.round,
            "choice": self.choice,
            "alert": self.alert,
            "says": self.says,
        }


Verdict = Alert | Remedied | Withdrawn | Settlement | Decided | Offered | Started | Ended | Remark

_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False)


def encode(verdict: Verdict) -> str:
    """Give the verdict as one line of JSON."""
    return _ENCODER.encode(verdict.to_dict())


# ---- out of JSON again ----------------------------------------------------------------------------------------------

_DECODER = json.JSONDecoder(parse_float=Decimal)
Row = Mapping[str, Any]  # a JSON object that `encode` wrote


def decode(line: str) -> Verdict:
    """Give the verdict that a line of JSON holds. Raises ValueError where it holds none.

    >>> decode(encode(Started(1.5, 3)))
    Started(t=1.5, round=3)
    """
    try:
        row = _DECODER.decode(line)
        return _READERS[row["verdict"]](float(row["t"]), row)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"expected a verdict, found {line[:80]!r}") from error


def _remedy(row: Row) -> Remedy:
    return Remedy(
        row["outcome"],
        row["clause"],
        tuple(row["options"]),
        {zone: tuple(cards) for zone, cards in row["hands"].items()},
        tuple(CardMove(one["id"], one["card"], one["from"], one["to"]) for one in row.get("moves", ())),
        tuple(row.get("ask", ())),
        tuple(row.get("boxes", ())),
        row["says"],
    )


def _alert(t: float, row: Row) -> Alert:
    texts = {name: row[name] for name in ("round", "code", "book", "clause", "severity", "id", "box", "hand", "says")}
    return Alert(
        t=t, **texts, evidence=tuple(row["evidence"]), remedy=_remedy(row["remedy"]), replaces=row.get("replaces")
    )


def _settlement(t: float, row: Row) -> Settlement:
    values: dict[str, Any] = {name: _amount(row.get(name)) for name in ("stake", "returned", "effective")}
    values |= {name: row[name] for name in ("round", "box", "hand", "bet", "result", "clause", "odds")}
    values |= {"exact": row.get("exact"), "units": row.get("units"), "revises": row.get("revises", False)}
    return Settlement(t=t, **values)


def _amount(value: object) -> Decimal | None:
    return None if value is None else Decimal(str(value))


_READERS: Mapping[str, Callable[[float, Row], Verdict]] = {
    "alert": _alert,
    "remark": lambda t, row: Remark(t, row["round"], row["choice"], row["alert"], row["says"]),
    "remedy": lambda t, row: Remedied(t, row["round"], row["alert"], _remedy(row["remedy"])),
    "withdrawn": lambda t, row: Withdrawn(t, row["round"], row["alert"], row["why"]),
    "settlement": _settlement,
    "decision": lambda t, row: Decided(t, row["round"], row["box"], row["hand"], row["action"], row["inferred"]),
    "offer": lambda t, row: Offered(t, row["round"], row["box"], row["hand"], tuple(row["actions"])),
    "round-started": lambda t, row: Started(t, row["round"]),
    "round-ended": lambda t, row: Ended(t, row["round"], row["result"], row["why"], row.get("inferred", False)),
}
