"""What the service says of itself: a line a record on standard error; text for people, JSON for machines.

On a terminal, and with FELTWATCH_LOG=text, `feltwatch: sentence`; else, and with FELTWATCH_LOG=json, an object.
Passwords never leave: those of addresses, and those given to `Secrets`.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from math import isfinite
from typing import Final, TextIO

from feltwatch.engine.model.verdicts import Alert, Verdict, Withdrawn

NAME: Final = "feltwatch"
URL_USER: Final = re.compile(r"(?<=://)[^/\s]*@")
PARAMETER: Final = re.compile(r"(?i)(?<=[?&;])(password|passwd|pwd|pass|token|secret)=[^&;\s]*")
SHORTEST: Final = 4  # a secret of fewer signs is in every other word
OURS: Final = "feltwatch_more"  # the member of a record that holds what `say` was given
PRIORITY: Final = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}


class Secrets:
    """What no line may show."""

    def __init__(self) -> None:
        self._known: tuple[str, ...] = ()

    def hide(self, secret: str) -> None:
        if len(secret) >= SHORTEST:
            self._known = tuple(sorted({*self._known, secret}, key=len, reverse=True))

    def hidden(self, text: str) -> str:
        for secret in self._known:
            text = text.replace(secret, "…")
        return PARAMETER.sub(r"\1=…", URL_USER.sub("…@", text))


def say(says: str, *, table: str | None = None, level: int = logging.INFO, **more: object) -> None:
    """Log a sentence about a table or the whole device, with whatever else a machine may want to know of it."""
    logging.getLogger(NAME).log(level, "%s", says, extra={OURS: {"table": table, **more}})


def log_verdict(verdict: Verdict, table: str) -> None:
    """Log an alert, or the withdrawal of one, as a warning; an alert that only advises, as information."""
    if isinstance(verdict, Alert):
        where = "" if verdict.box is None else f", box {verdict.box}"
        says = f"ALERT {verdict.severity} {verdict.code} (clause {verdict.clause}{where}): {verdict.says}"
        level = logging.INFO if verdict.severity == "advise" else logging.WARNING
        say(says, table=table, level=level, alert=verdict.id, code=verdict.code, severity=verdict.severity)
    elif isinstance(verdict, Withdrawn):
        says = f"alert {verdict.alert} is withdrawn: {verdict.why}"
        say(says, table=table, level=logging.WARNING, alert=verdict.alert)


def start(
    stream: TextIO | None = None, environ: Mapping[str, str] = os.environ, secrets: Secrets | None = None
) -> Secrets:
    """Have all that is logged go to a stream, standard error where none is named; give what hides secrets in it."""
    stream = sys.stderr if stream is None else stream
    secrets = secrets or Secrets()
    root = logging.getLogger()
    for old in [one for one in root.handlers if isinstance(one, _Handler)]:
        root.removeHandler(old)
    if stream is not None:  # a service may have none
        handler = _Handler(stream)
        handler.setFormatter(_form(stream, environ)(secrets))
        root.addHandler(handler)
    root.setLevel(logging.WARNING)  # of libraries
    logging.getLogger(NAME).setLevel(logging.INFO)
    logging.captureWarnings(capture=True)
    return secrets


class _Handler(logging.StreamHandler[TextIO]):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  logging's name
        """Go on: the log has no reader, or its disk is full, and watching matters more."""


class _Human(logging.Formatter):
    """`feltwatch: bj-07: sentence`: one line; what follows an exception stands below it, indented."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        where = [NAME, *_table(record)]
        lines = [": ".join([*where, plain(record.getMessage())])]
        if record.exc_info:
            lines += [f"  {plain(line)}" for line in self.formatException(record.exc_info).splitlines()]
        return self._secrets.hidden("\n".join(lines))


class _JsonFormatter(logging.Formatter):
    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        more: dict[str, object] = getattr(record, OURS, {})
        row = {"at": at, "level": record.levelname.lower(), "table": more.get("table"), "says": record.getMessage()}
        row |= {name: value for name, value in more.items() if name not in row}
        if record.name != NAME:
            row["from"] = record.name
        if record.exc_info:
            row["trace"] = self.formatException(record.exc_info)
        return json.dumps(_cleaned(row, self._secrets), ensure_ascii=False, separators=(",", ":"), default=str)


class _Journald(_JsonFormatter):
    """As systemd's journal takes it: the level before the line, so that `journalctl -p warning` finds it."""

    def format(self, record: logging.LogRecord) -> str:
        return f"<{PRIORITY.get(record.levelno, 6)}>{super().format(record)}"


def _form(stream: TextIO, environ: Mapping[str, str]) -> type[_Human | _JsonFormatter]:
    asked = environ.get("FELTWATCH_LOG", "")
    if asked == "text" or (asked != "json" and stream.isatty()):
        return _Human
    return _Journald if _is_journal(stream, environ.get("JOURNAL_STREAM", "")) else _JsonFormatter


def _is_journal(stream: TextIO, announced: str) -> bool:
    """True if a stream is the one that systemd says leads to its journal."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return announced == f"{found.st_dev}:{found.st_ino}"


def _table(record: logging.LogRecord) -> list[str]:
    table = getattr(record, OURS, {}).get("table")
    return [plain(str(table))] if table else []


def plain(text: str) -> str:
    r"""Write signs that move a terminal's cursor, or begin a line, as their numbers.

    >>> plain("a\nfeltwatch: \x1b[2Jb")
    'a\\nfeltwatch: \\x1b[2Jb'
    """
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _cleaned(value: object, secrets: Secrets) -> object:
    """Hide secrets before JSON escapes them: escaped they would not be found."""
    if isinstance(value, str):
        return secrets.hidden(value).encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {str(key): _cleaned(one, secrets) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(one, secrets) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)  # JSON has no word for it
    return value if value is None or isinstance(value, bool | int | float) else _cleaned(str(value), secrets)
