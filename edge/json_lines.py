"""JSON Lines: one JSON object a line, as events and verdicts are stored in files and in the journal."""

import json
from collections.abc import Mapping


def json_line(values: Mapping[str, object]) -> str:
    """Write an object as one line of JSON, with the newline."""
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False) + "\n"
