"""The state of a table out of its journal: what there is to go on with after a crash or a power cut."""

from collections.abc import Sequence
from typing import Final, Protocol

from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.engine.books import Book
from feltwatch.engine.model.events import decode

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


def recall(book: Book, journal: Journal) -> TableState | None:
    """Give the state of a table: its last snapshot, and the events since; None where the journal holds no event."""
    seq, state = 0, None
    remembered = journal.remembered(NAME)
    if remembered is not None:
        try:
            seq, state = remembered[0], TableState.from_snapshot(book, remembered[1])
        except ValueError:
            state = None  # then it is made of all that is in the journal
    while entries := journal.read(seq, PAGE, ("event",)):
        state = state or TableState(book)
        for entry in entries:
            state.apply(decode(entry.body.encode()))
        seq = entries[-1].seq
    return state
