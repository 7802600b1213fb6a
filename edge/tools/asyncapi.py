"""The AsyncAPI document of the messages that a table publishes and accepts, made from their types."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

import msgspec
from msgspec import UNSET

from feltwatch.edge.messaging import schema as bodies
from feltwatch.edge.messaging.commands import KINDS as INPUTS
from feltwatch.edge.messaging.commands import MOST_ID, SENDER
from feltwatch.edge.messaging.encode import KINDS, NAME, ROOT, SHORT, MessageKind
from feltwatch.edge.messaging.schema import (
    Body,
    Command,
    Evidence,
    Files,
    Head,
    Health,
    Note,
    RoundSummary,
    State,
    Status,
)

Node = dict[str, Any]  # of a document in JSON

VERSION: Final = "1.0.0"  # of the messages, not of the program
SCHEMAS: Final = "#/components/schemas"
TYPES: Final[Mapping[str, type[Body]]] = {
    "status": Status,
    "state": State,
    "round": RoundSummary,
    "evidence": Evidence,
    "note": Note,
    "command": Command,
    "head": Head,
    "health": Health,
}
ORDER: Final = ("schema", "id", "table", "seq", "at")  # of the envelope
BINDING: Final = "0.2.0"  # version of the MQTT bindings
IN: Final = ("cmd/signal", "cmd/signal/{sender}")
PARAMETERS: Final = {
    "site": "the site, as `table.site` in the table's file",
    "table": "the table, as `table.id` in the table's file",
    "sender": "the user name of the sender at the broker",
}


def document(examples: Mapping[str, Sequence[Node]]) -> Node:
    """Give the document, with examples of messages by kind."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "feltwatch",
            "version": VERSION,
            "description": "Messages that a watched casino table publishes and accepts over MQTT. See docs/mqtt.md.",
            "license": {"name": "AGPL-3.0-or-later"},
        },
        "defaultContentType": "application/json",
        "servers": {"broker": _server()},
        "channels": {
            **{name: _channel(kind) for name, kind in KINDS.items()},
            **{_key(last): _in(last) for last in IN},
        },
        "operations": {**{f"send-{name}": _sends(kind) for name, kind in KINDS.items()}, **_receives()},
        "components": {
            "messages": {
                **{name: _message(kind, examples.get(name, ())) for name, kind in KINDS.items()},
                "input": _input(examples.get("input", ())),
            },
            "schemas": schemas(),
            "securitySchemes": {
                "password": {"type": "userPassword", "description": "user and password"},
                "certificate": {"type": "X509", "description": "a client certificate"},
            },
        },
    }


def _server() -> Node:
    will = {"topic": f"{ROOT}/{{site}}/{{table}}/status", "qos": 1, "message": "a status, offline", "retain": True}
    return {
        "host": "broker.example:8883",
        "protocol": "secure-mqtt",
        "protocolVersion": "5.0",
        "description": "`mqtts://broker.example:8883` in a table's file; each table has a connection of its own",
        "security": [{"$ref": f"#/components/securitySchemes/{name}"} for name in ("password", "certificate")],
        "bindings": {"mqtt": {"lastWill": will, "keepAlive": 10, "bindingVersion": BINDING}},
    }


# ---- channels and operations ----------------------------------------------------------------------------------------


def _channel(kind: MessageKind) -> Node:
    return _at(kind.name, kind.says, kind.name)


def _in(last: str) -> Node:
    return _at(last, "signals and decisions from outside", "input")


def _at(last: str, says: str, message: str) -> Node:
    address = f"{ROOT}/{{site}}/{{table}}/{last}"
    return {
        "address": address,
        "description": says,
        "parameters": {name: {"description": text} for name, text in PARAMETERS.items() if f"{{{name}}}" in address},
        "messages": {message: {"$ref": f"#/components/messages/{message}"}},
    }


def _key(last: str) -> str:
    return last.replace("/", "-").replace("{", "").replace("}", "")


def _sends(kind: MessageKind) -> Node:
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{kind.name}"},
        "summary": kind.says,
        "messages": [{"$ref": f"#/channels/{kind.name}/messages/{kind.name}"}],
        "bindings": {"mqtt": {"qos": kind.qos, "retain": kind.retain, "bindingVersion": BINDING}},
    }


def _receives() -> Node:
    answer = {
        "channel": {"$ref": "#/channels/command"},
        "messages": [{"$ref": "#/channels/command/messages/command"}],
    }
    return {
        f"receive-{_key(last)}": {
            "action": "receive",
            "channel": {"$ref": f"#/channels/{_key(last)}"},
            "summary": "a signal or a decision; the answer tells whether it was taken",
            "messages": [{"$ref": f"#/channels/{_key(last)}/messages/input"}],
            "reply": answer,
            "bindings": {"mqtt": {"qos": 1, "retain": False, "bindingVersion": BINDING}},
        }
        for last in IN
    }


# ---- messages -------------------------------------------------------------------------------------------------------


def _message(kind: MessageKind, examples: Sequence[Node]) -> Node:
    return _with({"name": kind.schema, "title": kind.name, "summary": kind.says, "payload": _payload(kind)}, examples)


def _input(examples: Sequence[Node]) -> Node:
    payload = {"$ref": f"{SCHEMAS}/Input"}
    return _with({"name": "input", "title": "a signal or a decision", "payload": payload}, examples)


def _with(message: Node, examples: Sequence[Node]) -> Node:
    return {**message, "examples": [{"payload": one} for one in examples]} if examples else message


def _payload(kind: MessageKind) -> Node:
    """Give the schema of a whole message: the envelope, and the body under the name of its kind."""
    body = {kind.name: {"$ref": f"{SCHEMAS}/{_component(kind.name)}"}}
    if kind.name == "status":
        body = _body(Status)["properties"]
    members = {**envelope(kind), **body}
    return {"type": "object", "required": [*members], "properties": members, "additionalProperties": False}


def _component(kind: str) -> str:
    return TYPES[kind].__name__ if kind in TYPES else kind.capitalize()


def envelope(kind: MessageKind) -> Node:
    """Give what every message of a kind begins with."""
    count = {"status": "-status-[0-9]+", "health": "-health-[0-9]+", "state": "-state"}.get(kind.name, "")
    least, seq = (1, "the number of its journal entry") if kind.journalled else (0, "the last journal entry before it")
    return {
        "schema": {"const": kind.schema, "description": "kind and version of the body"},
        "id": {
            "type": "string",
            "pattern": f"^[0-9a-f]{{{SHORT}}}-{'[1-9]' if kind.journalled else ''}[0-9]*{count}$",
            "description": "stays the same when the message is sent again",
        },
        "table": {"type": "string", "pattern": f"^{NAME.pattern}$", "description": "as in the topic"},
        "seq": {"type": "integer", "minimum": least, "description": seq},
        "at": {
            "type": "string",
            "format": "date-time",
            "pattern": "Z$",
            "description": "UTC time at which it was made",
        },
    }


# ---- schemas --------------------------------------------------------------------------------------------------------


def schemas() -> Node:
    """Give the schema of every body by its name; events and verdicts are those of edge/schemas."""
    verdicts, events = _parts("verdict"), _parts("event")
    types = {name: _tidy(schema) for name, schema in _types().items() if name != "Status"}
    found = {**events, **verdicts, **types, **_alerts(verdicts), "Input": _outside(events)}
    return dict(sorted(found.items()))


def _types() -> Node:
    _, found = msgspec.json.schema_components([*TYPES.values(), Files], ref_template=f"{SCHEMAS}/{{name}}")
    return found


def _body(one: type[Body]) -> Node:
    found: Node = _tidy(_types()[one.__name__])
    return found


def _parts(name: str) -> Node:
    """Give a schema of edge/schemas, each of its branches by its own name."""
    found = json.loads(files("feltwatch.edge").joinpath("schemas", f"{name}.schema.json").read_text("utf-8"))
    branches = {f"{name}.{branch['title']}": branch for branch in found["oneOf"]}
    whole = {
        "title": found["title"],
        "description": found["description"],
        "oneOf": [{"$ref": f"{SCHEMAS}/{one}"} for one in branches],
    }
    return {name.capitalize(): whole, **branches}


def _alerts(verdicts: Node) -> Node:
    """Give the two shapes of what goes out on `alert`: an alert is raised, or one is withdrawn."""
    files = {
        "description": "null if it has no evidence files, as for severity advise",
        "anyOf": [{"$ref": f"{SCHEMAS}/Files"}, {"type": "null"}],
    }
    name = {"type": "string", "minLength": 1, "description": "the alert that is withdrawn, as in `alert`"}
    whole = {
        "title": "Alert",
        "description": "An alert that was raised, or the withdrawal of one: `id` names the alert, `state` says which.",
        "oneOf": [{"$ref": f"{SCHEMAS}/alert.open"}, {"$ref": f"{SCHEMAS}/alert.withdrawn"}],
    }
    return {
        "Alert": whole,
        "alert.open": _with_state(
            "The verdict, and where its evidence will be. `evidence` follows when it is complete.",
            verdicts["verdict.alert"],
            "open",
            {"files": files},
        ),
        "alert.withdrawn": _with_state(
            "The verdict that withdraws an alert: a later fact made it false.",
            verdicts["verdict.withdrawn"],
            "withdrawn",
            {"id": name},
        ),
    }


def _with_state(description: str, verdict: Node, state: str, more: Node) -> Node:
    added = {
        **more,
        "state": {"const": state, "description": "whether the alert stands"},
        "time": {"type": "string", "format": "date-time", "pattern": "Z$", "description": "UTC, the time of `t`"},
    }
    return {
        **verdict,
        "description": description,
        "required": [*verdict["required"], *added],
        "properties": {**verdict["properties"], **added},
    }


def _outside(events: Node) -> Node:
    """Give what may come in: two kinds of events, without their time, with who says it and under which id."""
    more = {
        "sender": {
            "type": "string",
            "pattern": f"^{SENDER.pattern}$",
            "description": "the sender, if the topic does not name him",
        },
        "command": {
            "type": "string",
            "minLength": 1,
            "maxLength": MOST_ID,
            "description": "an id of the sender's choice; a command with an id that was taken before is refused",
        },
    }
    branches = []
    for name in INPUTS:
        event = events[f"event.{name}"]
        given = {key: value for key, value in event["properties"].items() if key != "t"}
        needed = [key for key in event["required"] if key != "t"]
        branches.append({**event, "required": needed, "properties": {**given, **more}})
    return {
        "title": "Input",
        "description": "A signal or a decision like the event, without `t`: it happens when it arrives.",
        "oneOf": branches,
    }


def _tidy(schema: Node) -> Node:
    """Give the schema of a body that is always sent whole: a member may be absent only if its type allows it."""
    found: Node = _without_defaults(schema)
    one = vars(bodies)[found["title"]]
    found["required"] = [field.encode_name for field in msgspec.structs.fields(one) if field.default is not UNSET]
    return found


def _without_defaults(found: Any) -> Any:  # noqa: ANN401  any node of a document
    if isinstance(found, dict):
        return {key: _without_defaults(value) for key, value in found.items() if key != "default"}
    return [*map(_without_defaults, found)] if isinstance(found, list) else found
