"""Every message held against the AsyncAPI document: what a broker carries for a table must be as described."""

import json
import re
from functools import cache
from typing import Any, Final

from jsonschema import Draft7Validator

from feltwatch.edge.tools.asyncapi import ORDER, document

Node = dict[str, Any]

DATE: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@cache
def _document() -> Node:
    return document({})


@cache
def validator(message: str) -> Draft7Validator:
    """Give what holds payloads against the schema of a message of the document."""
    return Draft7Validator(
        {"$ref": f"#/components/messages/{message}/payload", "components": _document()["components"]}
    )


def channel(topic: str) -> tuple[str, dict[str, str]]:
    """Give the channel of a topic, and what stands for its parameters."""
    for name, one in _document()["channels"].items():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(one["address"]))
        found = re.fullmatch(pattern, topic)
        if found is not None:
            return name, found.groupdict()
    raise AssertionError(f"{topic}: no such channel in the document")


def validate(topic: str, payload: bytes) -> Node:
    """Give a message that is as the document says, topic and all; anything else is an AssertionError."""
    name, parameters = channel(topic)
    (message,) = _document()["channels"][name]["messages"]
    found: Node = json.loads(payload.decode("utf-8"))
    faults = [f"{'/'.join(map(str, one.path))}: {one.message}" for one in validator(message).iter_errors(found)]
    assert not faults, f"{topic}: {faults[:3]} in {payload[:500]!r}"
    if message != "input":
        _check_envelope(found, name, parameters["table"], topic)
    return found


def _check_envelope(found: Node, kind: str, table: str, topic: str) -> None:
    assert tuple(found)[: len(ORDER)] == ORDER, f"{topic}: members in another order: {[*found]}"
    assert found["schema"].partition("/")[0] == kind, f"{topic}: {found['schema']}"
    assert found["table"] == table, f"{topic}: of table {found['table']}"
    assert found["id"].split("-")[1] == str(found["seq"]), f"{topic}: id {found['id']} with seq {found['seq']}"
    assert DATE.fullmatch(found["at"]), f"{topic}: at {found['at']}"
