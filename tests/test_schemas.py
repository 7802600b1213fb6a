"""The JSON Schemas: golden events, their verdicts and every table's file are valid; what we refuse, they refuse."""

import json
import tomllib
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
from jsonschema import Draft202012Validator

from feltwatch.edge.config.table_file import TableDocument
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


EVENT, VERDICT, TABLE = schema("event"), schema("verdict"), schema("table")
ROOT = Path(__file__).resolve().parents[1]


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


TABLES = [path for path in ROOT.rglob("*.toml") if ".venv" not in path.parts and "[table]" in path.read_text("utf-8")]
SHORT = {"table": {"id": "a", "site": "b", "book": "live-blackjack"}, "layout": {"preset": "blackjack-7"}}
CAMERA = {"points": [{"image": [1, 2], "table": [3, 4.5]}]}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_file_is_valid(path: Path) -> None:
    TABLE.validate(tomllib.loads(path.read_text("utf-8")))


def test_there_are_table_files() -> None:
    assert len(TABLES) >= 9


@pytest.mark.parametrize(
    "more",
    [
        {"camera": CAMERA},
        {"cameras": [CAMERA | {"name": "left", "watches": ["box1"]}, CAMERA | {"name": "wide", "watches": []}]},
        {"camera": CAMERA | {"source": 0, "lens": [0, 0, 0, 0, 0.1], "camera_matrix": [1, 1, 0, 0], "loop": True}},
        {"camera": CAMERA, "table": SHORT["table"] | {"settings": {"live_das": True, "burn": 1, "two_pairs": "named"}}},
        {"camera": CAMERA, "vision": {"provider": "openvino"}, "serve": {"http": "127.0.0.1:9464"}},
        {"camera": CAMERA, "layout": {"zones": [{"name": "box1.main", "circle": [1, 2, 3]}]}},
    ],
)
def test_the_schema_and_the_reader_take_the_same_table_files(more: dict[str, object]) -> None:
    TABLE.validate(SHORT | more)
    msgspec.convert(SHORT | more, TableDocument)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"camera": CAMERA, "cameras": [CAMERA | {"name": "left"}]},
        {"camera": CAMERA, "mqqt": {}},
        {"camera": CAMERA | {"watches": []}},
        {"camera": {"points": [{"image": [1, 2, 3], "table": [3, 4]}]}},
        {"camera": {"points": [{"image": [1, "2"], "table": [3, 4]}]}},
        {"camera": {"source": "rtsp://camera"}},
        {"camera": CAMERA, "table": {"id": "a/b", "site": "b", "book": "live-blackjack"}},
        {"camera": CAMERA, "table": SHORT["table"] | {"min": -1}},
        {"camera": CAMERA, "layout": {"preset": "poker-9"}},
        {"camera": CAMERA, "layout": {"preset": "blackjack-7", "zones": []}},
        {"camera": CAMERA, "layout": {"zones": [{"name": "box1.main"}]}},
        {"camera": CAMERA, "mqtt": {"url": "mqtt://broker", "rate": 0}},
        {"camera": CAMERA, "vision": {"provider": "tpu"}},
        {"camera": CAMERA, "record": {"days": "x"}},
    ],
)
def test_the_schema_and_the_reader_refuse_the_same_table_files(more: dict[str, object]) -> None:
    assert not TABLE.is_valid(SHORT | more)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(SHORT | more, TableDocument)


@pytest.mark.parametrize("settings", [{"live_dsa": True}, {"live_das": "yes"}, {"boxes": [7]}])
def test_the_schema_knows_the_settings(settings: dict[str, object]) -> None:
    whole = SHORT | {"camera": CAMERA, "table": SHORT["table"] | {"settings": settings}}
    assert not TABLE.is_valid(whole)


def test_exact_numbers_are_kept_at_the_door() -> None:
    event = decode(b'{"t":1,"event":"chips","spot":"box1.main","amount":0.1}')
    assert event[2] == Decimal("0.1")  # type: ignore[misc]  # a Chips
