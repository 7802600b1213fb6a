"""The course of a table out of its journal: what there is to go on with after a crash or a power cut."""

import json
from collections.abc import Sequence
from typing import Final, Protocol

from feltwatch.edge.pipeline.table_state import Course
from feltwatch.engine.books import Book

NAME: Final = "table"  # under which the journal remembers it
PAGE: Final = 5_000  # entries that are read at a time


class Entry(Protocol):
    @property
    def seq(self) -> int: ...

    @property
    def body(self) -> str: ...


class Journal(Protocol):
    """The journal, as far as recovery reads it."""

    def remembered(self, name: str) -> tuple[int, bytes] | None: ...

    def read(self, after: int, most: int, kinds: Sequence[str] = ()) -> Sequence[Entry]: ...


def recall(book: Book, journal: Journal) -> Course | None:
    """Give the course of a table: what is remembered of it, and the events since; None where nothing was ever told."""
    seq, course = 0, None
    remembered = journal.remembered(NAME)
    if remembered is not None:
        try:
            seq, course = remembered[0], Course.again(book, remembered[1])
        except ValueError:
            course = None  # then it is made of all that is in the journal
    while entries := journal.read(seq, PAGE, ("event",)):
        course = course or Course(book)
        for entry in entries:
            course.take(json.loads(entry.body))
        seq = entries[-1].seq
    return course
