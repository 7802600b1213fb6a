"""The check of a table's own deck: whether its file is there, whole, and which deck it is."""

from collections.abc import Iterator

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.doctor.checks import CheckResult, bad, ok
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.table_deck import deck_of


def deck(table: TableFile) -> Iterator[CheckResult]:
    try:
        found = deck_of(table)
    except UsageError as error:
        yield bad(str(error))
        return
    if found is None:
        yield ok(f"{table.deck}: none is there yet; `run` learns it from the cards on the table")
    else:
        back = "with its back" if found.back is not None else "without a back"
        yield ok(f"{table.deck}: {found.named}, {back}")
