"""The JSON Schemas: every golden event and every verdict that comes of it is valid, and they refuse what we refuse."""

import json
from decimal import Decimal
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from feltwatch.engine.model.events import EventError, decode
from feltwatch.engine.model.verdicts import encode
from feltwatch.engine.transcript.parse import Scenario
from tests.edge.cli.test_judge import BAD
from tests.test_rounds import CASES
from tests.transcripts import Run


def schema(name: str) -> Draft202012Validator:
    found = json.loads(files("feltwatch.edge").joinpath("schemas", f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(found)
    return Draft202012Validator(found)


EVENT, VERDICT = schema("event"), schema("verdict")


@pytest.mark.parametrize(("scenario", "book"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_golden_events_and_their_verdicts_are_valid(scenario: Scenario, book: str) -> None:
    for event in scenario.events():
        EVENT.validate(json.loads(json.dumps(event, default=float)))
    for verdict in Run(scenario, book).play():
        VERDICT.validate(json.loads(encode(verdict)))


NOT_ABOUT_SHAPE = {"broken JSON", "too fine an amount", "not a number", "too deep", "too long a number", "no UTF-8"}
NOT_ABOUT_SHAPE |= {"a line of 5 MB", "time running backwards", "huge exponent"}


@pytest.mark.parametrize("name", sorted(set(BAD) - NOT_ABOUT_SHAPE))
def test_the_event_schema_refuses_what_the_door_refuses(name: str) -> None:
    raw = BAD[name][0]
    assert isinstance(raw, str)
    with pytest.raises(EventError):
        decode(raw.encode())
    assert not EVENT.is_valid(json.loads(raw))


def test_exact_numbers_are_kept_at_the_door() -> None:
    event = decode(b'{"t":1,"event":"chips","spot":"box1.main","amount":0.1}')
    assert event[2] == Decimal("0.1")  # type: ignore[misc]  # a Chips
