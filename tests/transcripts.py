"""Runs a transcript's scenario through the engine and compares, line by line."""

import json
from decimal import Decimal

from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.events import parse
from feltwatch.engine.model.verdicts import (
    Alert,
    Decided,
    Ended,
    Offered,
    Remark,
    Remedy,
    Settlement,
    Verdict,
    Withdrawn,
)
from feltwatch.engine.table import Table
from feltwatch.engine.transcript.parse import Scenario, Step


def exact(found: dict[str, object]) -> object:
    """Send an event through JSON, as the command does."""
    return json.loads(json.dumps(found, default=float), parse_float=Decimal)


class Run:
    """One scenario under one book."""

    def __init__(self, scenario: Scenario, book: str) -> None:
        low, high = scenario.limits or (None, None)
        self.table = Table(
            BOOKS[book].at_table(decks=scenario.decks, minimum=low, maximum=high, settings=scenario.settings)
        )
        self.scenario = scenario
        self.said: list[Verdict] = []
        self.codes: dict[str, str] = {}
        self.alert: Alert | None = None

    def play(self) -> list[Verdict]:
        for step in self.scenario.steps:
            self.step(step)
        return self.said

    def step(self, step: Step) -> None:
        where = f"line {step.number}: {step.text}"
        fresh: list[Verdict] = []
        for event in step.events:
            fresh += self.table.apply(parse(exact(event)))
        self.said += fresh
        alerts = [v for v in fresh if isinstance(v, Alert)]
        self.codes.update({v.id: v.code for v in alerts})
        assert sorted(v.code for v in alerts) == sorted(step.alerts), (
            f"{where}: alerts {[(v.code, v.says) for v in alerts]}, expected {step.alerts}"
        )
        fallen = [self.codes[v.alert] for v in fresh if isinstance(v, Withdrawn)]
        assert sorted(fallen) == sorted(step.withdrawn), f"{where}: withdrawn {fallen}, expected {step.withdrawn}"
        self.alert = alerts[-1] if alerts else self.alert
        for check in step.checks:
            self.check(where, check, fresh)

    def check(self, where: str, text: str, fresh: list[Verdict]) -> None:
        word, _, rest = text.partition(" ")
        if word == "settles":
            self.settles(where, rest)
        elif word == "ends":
            ends = [v.result for v in fresh if isinstance(v, Ended)]
            assert ends == [rest], f"{where}: ended {ends}, expected {rest}"
        elif word == "why":
            whys = [v.why for v in fresh if isinstance(v, Ended)]
            assert rest.strip('"') in whys, f"{where}: ended because {whys}, expected {rest}"
        elif word == "remarks":
            remarks = [v.says for v in fresh if isinstance(v, Remark)]
            assert remarks == [rest.strip('"')], f"{where}: remarks {remarks}, expected {rest}"
        elif word == "infers":
            found = [f"{v.box}.{v.hand} {v.action}" for v in fresh if isinstance(v, Decided)]
            assert rest in found, f"{where}: inferred {found}, expected {rest}"
        elif word == "offers":
            place, *actions = rest.split()
            offered = [v.actions for v in self.said if isinstance(v, Offered) and f"{v.box}.{v.hand}" == place]
            assert offered, f"{where}: nothing was offered to {place}"
            assert offered[-1] == tuple(actions), f"{where}: offered {offered[-1]}"
        elif word == "unsettled":
            found = [f"{v.box} {v.bet}" for v in self.said if isinstance(v, Settlement)]
            assert rest not in found, f"{where}: {rest} is settled"
        else:
            self.of_alert(where, word, rest)

    def of_alert(self, where: str, word: str, rest: str) -> None:
        alert = self.alert
        assert alert is not None, f"{where}: no alert was raised"
        if word == "about":  # the newest alert of that code
            self.alert = next(v for v in reversed(self.said) if isinstance(v, Alert) and v.code == rest)
            return
        remedy = self.table_remedy(alert)
        found: dict[str, object] = {
            "clause": alert.clause,
            "severity": alert.severity,
            "t": str(alert.t),
            "box": str(alert.box),
            "hand": str(alert.hand),
            "evidence": " ".join(alert.evidence[:-1]),
            "outcome": remedy.outcome,
            "by": remedy.clause,
            "options": " ".join(remedy.options),
            "boxes": " ".join(map(str, remedy.boxes)),
            "ask": "; ".join(remedy.ask),
            "moves": " ".join(f"{move.card}>{move.target}" for move in remedy.moves),
        }
        if word == "says":
            assert rest.strip('"') in alert.says + " " + remedy.says, f"{where}: says {alert.says!r} {remedy.says!r}"
        elif word == "hands":
            for part in rest.split():
                zone, _, cards = part.partition("=")
                got = ",".join(card or "??" for card in remedy.hands.get(zone, ("absent",)))
                assert got == cards, f"{where}: {zone} is {got}, expected {cards} in {remedy.hands}"
        else:
            assert found[word] == rest, f"{where}: {word} is {found[word]!r}, expected {rest!r}"

    def table_remedy(self, alert: Alert) -> Remedy:
        for life in (self.table.life, self.table.last):
            if life is not None and alert.id in life.round.alerts:
                return life.round.alerts[alert.id].remedy
        return alert.remedy

    def settles(self, where: str, rest: str) -> None:
        place, bet, result, *more = rest.split()
        box, _, hand = place.partition(".")
        number = max(v.round for v in self.said if isinstance(v, Settlement))
        lines = [
            v
            for v in self.said
            if isinstance(v, Settlement) and (v.box, v.hand, v.bet, v.round) == (int(box), int(hand or 1), bet, number)
        ]
        assert lines, f"{where}: no settlement of {place} {bet}"
        line = lines[-1]
        got = line.to_dict()
        assert line.result == result, f"{where}: {place} {bet} is {line.result}, expected {result}"
        for key, value in zip(more[::2], more[1::2], strict=True):
            assert str(got.get(key)) == value, f"{where}: {key} is {got.get(key)}, expected {value}"
