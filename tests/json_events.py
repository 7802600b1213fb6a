"""Events as tests write them and compare them: as JSON objects."""

import json
from collections.abc import Iterable, Mapping

from feltwatch.engine.model import events

Event = dict[str, object]


def as_json(found: Iterable[events.Event]) -> list[Event]:
    """Give events as they are written to files and messages."""
    return [json.loads(events.encode(event)) for event in found]


def typed(event: Mapping[str, object]) -> events.Event:
    """Give the event that a JSON object is."""
    return events.decode(json.dumps(event, default=float).encode())
