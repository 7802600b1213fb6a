"""docs/mqtt.md, with the parts under a mark made from the types of the messages; and docs/asyncapi.json."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from feltwatch.edge.messaging.commands import Door, Refused
from feltwatch.edge.messaging.encode import KINDS, MessageKind
from feltwatch.edge.tools.asyncapi import TYPES, document, envelope, schemas
from tests.example_messages import ADDRESS, BOXES, Came, Told, shown

Node = dict[str, Any]

PAGE: Final = Path(__file__).parent.parent / "docs" / "mqtt.md"
PART: Final = re.compile(r"<!-- made: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
PLAIN: Final = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
DESCRIBED_ELSEWHERE: Final = ("Event", "Verdict")  # types that have a page of their own


def asyncapi() -> str:
    return json.dumps(document(_examples()), indent=1, ensure_ascii=False) + "\n"


def page() -> str:
    """Give the page with its generated parts renewed."""
    parts = _parts()
    return PART.sub(
        lambda found: f"<!-- made: {found[1]} -->\n{parts[found[1]]()}\n<!-- end -->", PAGE.read_text("utf-8")
    )


def _parts() -> dict[str, Callable[[], str]]:
    described: set[str] = set()
    bodies = {name: _body(kind, described) for name, kind in KINDS.items()}
    return {
        "topics": _topics,
        "envelope": lambda: _members(envelope(KINDS["event"]), [*envelope(KINDS["event"])]),
        **{name: (lambda text=text: text) for name, text in bodies.items()},  # type: ignore[misc]  # mypy takes no default here
        "refusals": lambda: _table(("command", "why it is refused"), refusals()),
    }


@cache
def _examples() -> dict[str, list[Any]]:
    return shown()


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


# ---- topics and bodies ----------------------------------------------------------------------------------------------


def _topics() -> str:
    def rows() -> Iterator[Sequence[str]]:
        for kind in KINDS.values():
            marks = ["yes" if mark else "" for mark in (kind.retain, kind.journalled)]
            yield (f"`{kind.name}`", kind.says, str(kind.qos), *marks)
        yield ("`cmd/signal/<sender>`, `cmd/signal`", "input: a signal or a decision", "1", "refused", "its answer")

    return _table(("under `feltwatch/<site>/<table>/`", "content", "QoS", "retained", "journalled"), rows())


def _body(kind: MessageKind, described: set[str]) -> str:
    """Give the members of a body, the types in it that are not described yet, and examples."""
    lines = "\n".join(json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in _examples()[kind.name])
    example = f"```json\n{lines}\n```"
    if kind.name not in TYPES:
        return example
    named = _named()
    body = named[TYPES[kind.name].__name__]
    parts = [body["description"], _members(body["properties"], body["required"])]
    for name in _inner(body, named):
        if name not in described:
            inner = named[name]
            parts += [f"`{name}`: {inner['description']}", _members(inner["properties"], inner["required"])]
            described.add(name)
    return "\n\n".join([*parts, example])


def _named() -> Node:
    """Give every schema by its name, and that of `status`, whose members stand in the message itself."""
    status = document({})["components"]["messages"]["status"]["payload"]["properties"]
    own = {name: one for name, one in status.items() if name not in envelope(KINDS["status"])}
    return {**schemas(), "Status": {"description": TYPES["status"].__doc__, "properties": own, "required": [*own]}}


def _inner(body: Node, named: Mapping[str, Node]) -> list[str]:
    text = json.dumps(body)
    return [
        name for name in named if name[0].isupper() and f'schemas/{name}"' in text and name not in DESCRIBED_ELSEWHERE
    ]


def _members(properties: Mapping[str, Node], needed: Sequence[str]) -> str:
    def rows() -> Iterator[Sequence[str]]:
        for name, one in properties.items():
            kind = _kind(one) + ("" if name in needed else "; may be absent")
            yield (f"`{name}`", kind, str(one.get("description") or _described(one)))

    return _table(("member", "type", "meaning"), rows())


def _described(one: Node) -> str:
    return next((str(part["description"]) for part in one.get("anyOf", ()) if "description" in part), "")


def _kind(one: Node) -> str:
    """Describe in words what a schema allows."""
    if "anyOf" in one or "allOf" in one:
        return " or ".join(dict.fromkeys(_kind(part) for part in (*one.get("anyOf", ()), *one.get("allOf", ()))))
    if "$ref" in one:
        return f"`{one['$ref'].rpartition('/')[2].rpartition('.')[2]}`"
    if "enum" in one or "const" in one:
        return ", ".join(f"`{value}`" for value in one.get("enum", [one.get("const")]))
    if one["type"] == "array":
        return f"list of {_kind(one['items'])}"
    if one["type"] == "object":
        return f"by name, {_kind(one['additionalProperties'])}"
    return PLAIN.get(one["type"], str(one["type"]))


# ---- commands -------------------------------------------------------------------------------------------------------

DECIDES: Final = '{{"event":"decision","box":{},"action":"stand"}}'
RULES: Final = '{"event":"signal","name":"ruling","choice":"dismiss","alert":"r7-box-skipped-c9"}'
LEAVES: Final = '{"event":"signal","name":"walked-away","box":9}'
PERHAPS: Final = '{"event":"signal","name":"ruling","choice":"perhaps"}'
CLEAR: Final = '{"event":"clear"}'
CLOSES: Final = '{"event":"signal","name":"no-more-bets","command":"a"}'


def refusals() -> Iterator[tuple[str, str]]:
    """Give commands that are refused, each with the reason: before the first round, then with a card on box 1."""
    table, door = Told(), Door(ADDRESS, BOXES)
    topic = ADDRESS.topic("cmd/signal/desk")

    def why(came: Came, now: float) -> str:
        answer = door.take(came, table.table, 1.0, now)
        assert isinstance(answer, Refused)
        return str(answer.body.why)

    yield f"`{DECIDES.format(1)}` between two rounds", why(Came(topic, DECIDES.format(1).encode()), 0)
    table.event('{"t":0,"event":"chips","spot":"box1.main","amount":100,"by":"player"}')
    table.event('{"t":1,"event":"card","id":"c1","zone":"box1.cards","card":"9h"}')
    for number, text in enumerate((DECIDES.format(2), RULES, LEAVES, PERHAPS, CLEAR), 1):
        yield f"`{text}`", why(Came(topic, text.encode()), number)
    yield "text that is not JSON", why(Came(topic, b"stand"), 10)
    yield "a retained message", why(Came(topic, RULES.encode(), retained=True), 11)
    yield "a payload of 5000 bytes", why(Came(topic, b" " * 5000), 12)
    yield "anything on `cmd/other`", why(Came(ADDRESS.topic("cmd/other"), RULES.encode()), 13)
    door.take(Came(topic, CLOSES.encode()), table.table, 1.0, 14)
    yield f"`{CLOSES}` once more", why(Came(topic, CLOSES.encode()), 15)
