"""What is reported of the service: a line a record, for people or machines, and never a password."""

import io
import json
import logging
import os
import pty
import re
import sys
import warnings
from collections.abc import Iterator

import pytest

from feltwatch.edge.service.logs import NAME, Secrets, say, start

RTSP = "rtsp://admin:hunter2@10.0.0.7/stream?channel=1&password=hunter3&x=1"


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    before = (root.level, [*root.handlers])
    yield
    logging.captureWarnings(capture=False)
    for handler in [one for one in root.handlers if one not in before[1]]:
        root.removeHandler(handler)
    root.setLevel(before[0])
    logging.getLogger(NAME).setLevel(logging.NOTSET)


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def told_of(fault: Exception) -> None:
    try:
        raise fault
    except type(fault):
        logging.getLogger(NAME).exception("a fault of ours")


def test_a_machine_gets_an_object_a_line() -> None:
    out = io.StringIO()
    start(out, {})
    say("the camera is lost; trying again", table="bj-07", level=logging.WARNING, camera="main", lost=2)
    say("two\nlines")
    camera, two = lines(out)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(camera.pop("at")))
    assert camera == {
        "level": "warning",
        "table": "bj-07",
        "says": "the camera is lost; trying again",
        "camera": "main",
        "lost": 2,
    }
    assert [*two] == ["at", "level", "table", "says"]
    assert (two["level"], two["table"], two["says"]) == ("info", None, "two\nlines")


def test_a_person_gets_a_sentence_a_line() -> None:
    out = io.StringIO()
    start(out, {"FELTWATCH_LOG": "text"})
    say("18 of 21 frames dropped in all")
    say("the camera is lost", table="bj-07", camera="main")
    say("a\nfeltwatch: the table is well \x1b[2J\r\u202e", table="bj\n07")  # from a sender who would be read as us
    assert out.getvalue().splitlines() == [
        "feltwatch: 18 of 21 frames dropped in all",
        "feltwatch: bj-07: the camera is lost",
        "feltwatch: bj\\n07: a\\nfeltwatch: the table is well \\x1b[2J\\r\\u202e",
    ]


@pytest.mark.parametrize(("asked", "is_text"), [("", True), ("text", True), ("json", False)])
def test_a_terminal_is_a_person_unless_it_is_told_otherwise(asked: str, *, is_text: bool) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        start(terminal, {"FELTWATCH_LOG": asked})
        say("all is well")
        said = os.read(ours, 1_000).decode()
    os.close(ours)
    assert (said.strip() == "feltwatch: all is well") == is_text
    assert said.startswith("feltwatch" if is_text else "{")


def test_systemds_journal_gets_the_level_before_the_line() -> None:
    ours, theirs = os.pipe()
    with os.fdopen(theirs, "w") as stream:
        found = os.fstat(theirs)
        start(stream, {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"})
        say("the disk is full", level=logging.ERROR)
        start(stream, {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino + 1}"})  # of another stream than this
        say("the disk is full", level=logging.ERROR)
    with os.fdopen(ours) as read:
        journal, other = read.read().splitlines()
    assert journal.startswith("<3>{")
    assert json.loads(journal[3:])["says"] == json.loads(other)["says"] == "the disk is full"


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_password_is_ever_shown(form: str) -> None:
    out = io.StringIO()
    secrets = start(out, {"FELTWATCH_LOG": form})
    secrets.hide('tell"nobody\\')
    secrets.hide("ab")  # too short: it would be everywhere
    say(f'cannot open {RTSP} with tell"nobody\\ about', table="bj-07", source=RTSP, more=['tell"nobody\\'])
    say("rtsp://u:p@ss@host/x and mqtts://broker:8883 and http://h/?a=1;Token=abc")
    told_of(ValueError(f'refused: tell"nobody\\ at {RTSP}'))
    said = out.getvalue()
    assert not re.search(r"hunter|nobody|p@ss|=abc", said)
    assert said.count("10.0.0.7/stream?channel=1&password=…&x=1") == (2 if form == "text" else 3)
    assert "mqtts://broker:8883" in said
    assert "about" in said
    assert "ValueError: refused" in said


def test_what_follows_a_fault_is_below_its_line() -> None:
    out = io.StringIO()
    start(out, {"FELTWATCH_LOG": "text"})
    told_of(RuntimeError("ours"))
    first, *rest = out.getvalue().splitlines()
    assert first == "feltwatch: a fault of ours"
    assert rest[-1] == "  RuntimeError: ours"
    assert all(line.startswith("  ") for line in rest)


def test_libraries_are_heard_when_they_warn_only() -> None:
    out = io.StringIO()
    start(out, {})
    logging.getLogger("some.library").info("a client connected")
    logging.getLogger("some.library").warning("a client is refused")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        start(out, {})
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    broker, warned = lines(out)
    assert (broker["says"], broker["from"]) == ("a client is refused", "some.library")
    assert warned["from"] == "py.warnings"


def test_started_twice_it_says_everything_once() -> None:
    out = io.StringIO()
    start(io.StringIO(), {})
    start(out, {})
    say("once")
    assert len(lines(out)) == 1


def test_values_that_json_has_no_words_for_are_said_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    with monkeypatch.context() as alone:
        alone.setattr(logging.getLogger(), "handlers", [])  # pytest's own would report a character that no pipe takes
        start(out, {})
        say("odd \udc80", a=float("nan"), b=float("inf"), c=1.5, d=None, e=True, f={"g": (1, "h", object)})
    (told,) = lines(out)
    assert told["says"] == "odd ?"
    assert (told["a"], told["b"], told["c"], told["d"], told["e"]) == ("nan", "inf", 1.5, None, True)
    assert told["f"] == {"g": [1, "h", "<class 'object'>"]}


def test_a_stream_that_breaks_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.pipe()
    stream = os.fdopen(theirs, "w", buffering=1)
    start(stream, {})
    os.close(ours)
    for _ in range(3):
        say("nobody reads this any more")
    with pytest.raises(BrokenPipeError):
        stream.close()
    monkeypatch.setattr(sys, "stderr", None)
    start(None, {})
    say("nobody at all")


def test_secrets_hide_the_longer_first() -> None:
    secrets = Secrets()
    secrets.hide("word")
    secrets.hide("password")
    assert secrets.hidden("a password, a word") == "a …, a …"
