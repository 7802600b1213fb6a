"""`feltwatch judge`: a stream of table events in, verdicts out, each as soon as its event has come."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO

from feltwatch.edge.cli.terminal_view import Watch
from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import Book, BookError, find_book
from feltwatch.engine.books.settings import SwitchError
from feltwatch.engine.model.events import Event, EventError, decode, parse
from feltwatch.engine.model.verdicts import Verdict, encode
from feltwatch.engine.table import Table
from feltwatch.engine.transcript import parse as transcript

LINE_LIMIT = 65_536  # bytes; an event takes a few hundred


def judge(options: argparse.Namespace) -> int:
    """Judge a file or a pipe."""
    if options.file.endswith(".round"):
        return _transcript(options)
    if options.book is None:
        raise UsageError("judge needs --book BOOK; 'feltwatch books' lists them")
    book = table_book(options.book, options)
    with _opened(options.file) as (name, stream):
        table = Table(book)
        _stream(name, stream, table, Watch(book, table) if options.watch else None)
    return 0


def table_book(name: str, options: argparse.Namespace) -> Book:
    """Give a book with the decks, limits and settings of the command line."""
    settings = {}
    for pair in options.settings:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--set: expected NAME=VALUE, found {pair!r}")
        settings[key] = value
    try:
        return find_book(name).at_table(
            decks=options.decks, minimum=options.minimum, maximum=options.maximum, settings=settings
        )
    except (BookError, SwitchError) as error:
        raise UsageError(str(error)) from error


@contextmanager
def _opened(name: str) -> Iterator[tuple[str, BinaryIO]]:
    if name == "-":
        yield "standard input", sys.stdin.buffer
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115  closed by the with below; only the opening is guarded
    except OSError as error:
        raise UsageError(f"{name}: cannot be read ({error.strerror})") from error
    with stream:
        yield name, stream


def events(name: str, stream: BinaryIO) -> Iterator[Event]:
    """Give the events of a stream, each as its line is complete; a bad line ends it with its number."""
    number, last, empty = 0, 0.0, True
    while raw := stream.readline(LINE_LIMIT + 1):
        number += 1
        where = f"{name}:{number}"
        if len(raw) > LINE_LIMIT:
            raise UsageError(f"{where}: a line longer than {LINE_LIMIT} bytes; an event is one JSON object a line")
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if not raw.strip():
            continue
        empty = False
        try:
            event = decode(raw)
        except EventError as error:
            raise UsageError(f"{where}: {error}") from error
        if event.t < last:
            raise UsageError(f"{where}: 't' runs backwards: {event.t:g} after {last:g}")
        last = event.t
        yield event
    if empty:
        found = "blank lines" if number else "nothing"
        raise UsageError(f"{name}: no events; expected one JSON object a line, found {found}")


def _stream(name: str, stream: BinaryIO, table: Table, watch: Watch | None) -> None:
    say = _lines if watch is None else _shown(watch)
    for event in events(name, stream):
        say(event, table.apply(event))
    say(None, table.finish())


def _lines(_: Event | None, verdicts: list[Verdict]) -> None:
    if verdicts:
        sys.stdout.write("".join([encode(verdict) + "\n" for verdict in verdicts]))
        sys.stdout.flush()


def _shown(watch: Watch) -> Callable[[Event | None, list[Verdict]], None]:
    def show(event: Event | None, verdicts: list[Verdict]) -> None:
        happened = watch.event(event) if event is not None else ()
        sys.stdout.write("".join(line + "\n" for line in (*happened, *watch.verdicts(verdicts))))
        sys.stdout.flush()

    sys.stdout.write("\n".join(watch.head()) + "\n")
    return show


def _transcript(options: argparse.Namespace) -> int:
    """Judge rounds written as text; the file names its own books."""
    with _opened(options.file) as (name, stream):
        try:
            scenarios = transcript.parse(stream.read().decode("utf-8"))
        except (transcript.TranscriptError, UnicodeDecodeError) as error:
            raise UsageError(f"{name}: {error}") from error
    if not scenarios:
        raise UsageError(f"{name}: no rounds; expected round \"title\" and lines such as '9h to box 3'")
    for scenario in scenarios:
        judge_round(scenario, name, options)
    return 0


def judge_round(scenario: transcript.Scenario, name: str, options: argparse.Namespace) -> None:
    """Judge one round written as text."""
    where = f"{name}:{scenario.number}"
    book_name = options.book or next(iter(scenario.books), None)
    if book_name is None:
        raise UsageError(f"{where}: the round names no book; give --book BOOK")
    low, high = scenario.limits or (options.minimum, options.maximum)
    settings = [f"{key}={value}" for key, value in scenario.settings.items()]
    own = argparse.Namespace(
        decks=scenario.decks or options.decks, minimum=low, maximum=high, settings=[*settings, *options.settings]
    )
    book = table_book(book_name, own)
    table = Table(book)
    say = _shown(Watch(book, table, scenario.title)) if options.watch else _lines
    for step in scenario.steps:
        for found in step.events:
            try:
                event = parse({**found, "t": Decimal(repr(found["t"]))})
            except EventError as error:
                raise UsageError(f"{name}:{step.number}: {error}") from error
            say(event, table.apply(event))
    say(None, table.finish())
