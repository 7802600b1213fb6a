"""The AsyncAPI document: whole in itself, true of every kind of message, and not satisfied with anything else."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from feltwatch.edge.messaging import encode as messages
from feltwatch.edge.messaging import schema as bodies
from feltwatch.edge.messaging.commands import Door, Taken
from feltwatch.edge.messaging.encode import KINDS
from feltwatch.edge.messaging.schema import Body
from feltwatch.edge.tools.asyncapi import ORDER, TYPES, document
from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.events import PARSERS
from tests.asyncapi_check import channel, validate, validator
from tests.example_messages import ADDRESS, BOXES, Came, Told, shown
from tests.mqtt_page import PART
from tests.pages import DOCS

Node = Mapping[str, Any]

DOCUMENT = document(shown())
COMMANDS = ADDRESS.topic("cmd/signal")
TEXT = (DOCS / "mqtt.md").read_text("utf-8")


def nodes(found: object) -> Iterator[Node]:
    if isinstance(found, dict):
        yield found
        for one in found.values():
            yield from nodes(one)
    elif isinstance(found, list):
        for one in found:
            yield from nodes(one)


def at(pointer: str) -> Any:  # noqa: ANN401  any node of the document
    found: Any = DOCUMENT
    for part in pointer.removeprefix("#/").split("/"):
        found = found[part]
    return found


# ---- the document ---------------------------------------------------------------------------------------------------


def test_every_reference_leads_somewhere_and_stands_alone() -> None:
    """Beside `$ref` other members count for nothing in the JSON Schema that AsyncAPI is made of."""
    found = [one for one in nodes(DOCUMENT) if "$ref" in one]
    assert len(found) > 80
    for one in found:
        assert isinstance(at(one["$ref"]), dict), one
        assert [*one] == ["$ref"], one


def test_nothing_is_described_that_no_message_holds() -> None:
    used = {one["$ref"] for one in nodes(DOCUMENT) if "$ref" in one}
    parts = DOCUMENT["components"]
    assert {f"#/components/{kind}/{name}" for kind, several in parts.items() for name in several} <= used


def test_there_is_a_channel_and_an_operation_for_every_kind() -> None:
    assert set(DOCUMENT["channels"]) == {*KINDS, "cmd-signal", "cmd-signal-sender"}
    for name, kind in KINDS.items():
        operation = DOCUMENT["operations"][f"send-{name}"]
        binding = operation["bindings"]["mqtt"]
        assert (operation["action"], binding["qos"], binding["retain"]) == ("send", kind.qos, kind.retain)
        assert at(operation["channel"]["$ref"])["address"] == f"feltwatch/{{site}}/{{table}}/{name}"
    received = [one for one in DOCUMENT["operations"].values() if one["action"] == "receive"]
    assert {at(one["channel"]["$ref"])["address"].partition("{table}")[2] for one in received} == {
        "/cmd/signal",
        "/cmd/signal/{sender}",
    }
    assert {one["reply"]["channel"]["$ref"] for one in received} == {"#/channels/command"}


def test_every_channel_names_its_parameters_and_one_message() -> None:
    for one in DOCUMENT["channels"].values():
        assert set(re.findall(r"\{(\w+)\}", one["address"])) == set(one["parameters"])
        assert len(one["messages"]) == 1
    for one in DOCUMENT["operations"].values():
        for message in one["messages"]:
            assert message["$ref"].startswith(f"{one['channel']['$ref']}/messages/")


@pytest.mark.parametrize("checked", [Draft7Validator, Draft202012Validator])
def test_every_schema_is_a_schema(checked: Any) -> None:  # noqa: ANN401  two classes with one method
    for one in (*DOCUMENT["components"]["schemas"].values(), *_payloads()):
        checked.check_schema(one)


def _payloads() -> list[Node]:
    return [one["payload"] for one in DOCUMENT["components"]["messages"].values()]


def test_every_kind_has_examples_and_they_are_messages() -> None:
    for name, one in DOCUMENT["components"]["messages"].items():
        assert one["examples"], name
        for example in one["examples"]:
            topic = ADDRESS.topic("cmd/signal/desk" if name == "input" else name)
            assert validate(topic, json.dumps(example["payload"]).encode()) == example["payload"]


def test_events_and_verdicts_are_those_of_the_schemas_that_ship() -> None:
    for name in ("event", "verdict"):
        kept = json.loads((DOCS.parent / "edge" / "schemas" / f"{name}.schema.json").read_text("utf-8"))
        schemas = DOCUMENT["components"]["schemas"]
        assert [schemas[f"{name}.{one['title']}"] for one in kept["oneOf"]] == kept["oneOf"]
        assert len(schemas[name.capitalize()]["oneOf"]) == len(kept["oneOf"])


def test_every_event_of_the_engine_is_described() -> None:
    """Those that the page of events shows are one of each kind at least."""
    rows = re.findall(r'^\{"t":.*"event":.*$', (DOCS / "events.md").read_text("utf-8"), re.MULTILINE)
    events = [json.loads(row) for row in rows]
    assert {one["event"] for one in events} == set(PARSERS)
    assert {f"event.{kind}" for kind in PARSERS} <= set(DOCUMENT["components"]["schemas"])
    for one in events:
        validator("event").validate({**shown()["event"][0], "event": one})


def test_every_member_of_a_body_is_described_and_always_there() -> None:
    """All members are reported, null where there is nothing to say, but for those that only some notes have."""
    for name, one in TYPES.items():
        schema = DOCUMENT["components"]["schemas"].get(one.__name__) or _payload(name)
        own = [field.encode_name for field in msgspec.structs.fields(one)]
        assert set(own) <= set(schema["properties"])
        assert set(own) - set(schema["required"]) == ({"upto", "hash", "details"} if name == "note" else set())
        assert schema["additionalProperties"] is False
    assert not [one for one in nodes(DOCUMENT["components"]["schemas"]) if "default" in one]


def _payload(name: str) -> Node:
    found: Node = DOCUMENT["components"]["messages"][name]["payload"]
    return found


def test_every_type_says_what_it_is() -> None:
    kinds = [
        one for one in vars(bodies).values() if isinstance(one, type) and issubclass(one, Body) and one is not Body
    ]
    assert len(kinds) >= 15
    assert all(one.__doc__ and one.__doc__.endswith(".") for one in kinds)


# ---- what is no message ---------------------------------------------------------------------------------------------


def spoilt() -> Iterator[tuple[str, str, Any]]:
    """Give messages of every kind, each with one thing wrong."""
    for name, examples in shown().items():
        if name == "input":
            continue
        good = examples[0]
        for member in good:
            yield name, f"without {member}", {key: value for key, value in good.items() if key != member}
        yield name, "more than there is", {**good, "colour": "red"}
        yield name, "of another kind", {**good, "schema": "gossip/1"}
        yield name, "of another version", {**good, "schema": f"{name}/2"}
        yield name, "of another table", {**good, "table": "bj-08"}
        yield name, "another order", dict(reversed(good.items()))
        yield name, "seq as text", {**good, "seq": str(good["seq"])}
        yield name, "another seq", {**good, "seq": good["seq"] + 1}
        yield name, "an id of nobody", {**good, "id": f"x-{good['seq']}"}
        yield name, "a time of nowhere", {**good, "at": "2026-01-02T03:04:05+08:00"}
        if name != "status":
            yield name, "no body", {**good, name: {}}
            yield name, "an unknown member", {**good, name: {**good[name], "colour": "red"}}


SPOILT = [one for one in spoilt() if one[:2] != ("event", "an unknown member")]  # which events allow


@pytest.mark.parametrize(("name", "payload"), [(o[0], o[2]) for o in SPOILT], ids=[f"{o[0]} {o[1]}" for o in SPOILT])
def test_what_is_not_as_described_is_refused(name: str, payload: Any) -> None:  # noqa: ANN401  any JSON
    with pytest.raises(AssertionError):
        validate(ADDRESS.topic(name), json.dumps(payload).encode())


@pytest.mark.parametrize(
    "topic", ["feltwatch/main-floor/bj-07/gossip", "feltwatch/bj-07/event", "event", "a/b/c/event/x"]
)
def test_a_topic_that_is_not_described_is_refused(topic: str) -> None:
    with pytest.raises(AssertionError, match="no such channel"):
        channel(topic)


@pytest.mark.parametrize(
    "text",
    [
        '{"event":"clear"}',
        '{"event":"signal"}',
        '{"event":"signal","name":"coffee"}',
        '{"event":"signal","name":"place-bets","sender":"a/b"}',
        '{"event":"signal","name":"place-bets","command":""}',
        '{"event":"decision","box":0,"action":"hit"}',
    ],
)
def test_what_the_door_refuses_is_not_described_either(text: str) -> None:
    assert not isinstance(Door(ADDRESS, BOXES).take(Came(COMMANDS, text.encode()), Told().table, 1, 1), Taken)
    assert not validator("input").is_valid(json.loads(text))


# ---- the page -------------------------------------------------------------------------------------------------------


def test_the_page_shows_every_kind_of_message() -> None:
    assert {*PART.findall(TEXT)} == {*KINDS, "topics", "envelope", "refusals"}
    texts = re.findall(r"^```json\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    kinds = set()
    for line in "".join(texts).splitlines():
        kind = json.loads(line)["schema"].partition("/")[0]
        validate(ADDRESS.topic(kind), line.encode())
        kinds.add(kind)
    assert kinds == set(KINDS)


def test_the_commands_of_the_page_are_taken_when_their_time_has_come() -> None:
    told, door = Told(BOOKS["blackjack-rws-v5"]), Door(ADDRESS, BOXES)
    for line in (DOCS / "examples" / "overdraw.jsonl").read_text("utf-8").splitlines()[:-1]:
        told.event(line)
    told.event('{"t":27.6,"event":"card","id":"c6","zone":"box3.cards","card":"8h"}')
    (block,) = re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    commands = [shlex.split(line) for line in block.splitlines()]
    assert len(commands) == 3
    for words in commands:
        assert words[0] == "mosquitto_pub"
        topic, text = words[words.index("-t") + 1], words[words.index("-m") + 1]
        validate(topic, text.encode())
        answer = door.take(Came(topic, text.encode()), told.table, 28.0, 1.0)
        assert isinstance(answer, Taken), answer


def test_the_links_of_the_page_lead_somewhere() -> None:
    found = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert len(found) >= 5
    assert all((DOCS / one).exists() for one in found), found


def test_the_order_of_the_envelope_is_the_one_that_is_told() -> None:
    (first, *_) = shown()["event"]
    assert tuple(first) == (*ORDER, "event")
    assert messages.KINDS["event"].schema == first["schema"]
