"""`feltwatch doctor`: looks at all that a table needs; a line for each thing, with what is to be done about it.

Nothing heavy is imported here: a library that does not load is what one of the checks finds.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from feltwatch.edge.doctor.checks import Check, Finding, State, bad, found_by, ok
from feltwatch.edge.doctor.host import checks as checks_of_box
from feltwatch.edge.doctor.host import networks
from feltwatch.edge.errors import UsageError
from feltwatch.edge.service.host import Box
from feltwatch.edge.service.logs import Secrets, plain

if TYPE_CHECKING:
    from feltwatch.edge.config.camera_parts import CameraFile
    from feltwatch.edge.config.table_file import TableFile


def doctor(options: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> int:
    """Give 0 where all is well, though there may be warnings; 1 where something is not."""
    paths = [Path(path) for path in dict.fromkeys(options.table)]
    for path in paths:
        if not path.is_file():
            raise UsageError(f"{path}: expected a table's file, found none; `feltwatch calibrate` makes one")
    report = Report(sys.stdout)
    for check in checks_of_box(len(paths), Box()):
        report.tell(check)
    for path in paths:
        where = f"{path}: " if len(paths) > 1 else ""
        tables: list[TableFile] = []
        report.tell(Check("table", lambda path=path, tables=tables: _table(path, tables)), where)  # type: ignore[misc]  # of this turn
        for table in tables:
            for check in checks_of_table(table, environ):
                report.tell(check, where)
    return report.end()


def _table(path: Path, tables: "list[TableFile]") -> Iterator[Finding]:
    """Read a table's file, for the checks that follow."""
    from feltwatch.edge.config.table_file import read_table  # noqa: PLC0415  with it comes OpenCV

    try:
        table = read_table(path)
    except UsageError as error:
        yield bad(str(error))
        return
    tables.append(table)
    broker = table.mqtt.url if table.mqtt is not None else "a broker of its own"
    yield ok(f"{path}: {table.id} at {table.site}, {table.book.id}, {broker}")


def checks_of_table(table: "TableFile", environ: Mapping[str, str]) -> Iterator[Check]:
    """Give the checks of a table; what one of them needs is loaded when it is its turn."""

    def camera(one: "CameraFile") -> Iterator[Finding]:
        from feltwatch.edge.doctor.camera import camera as look  # noqa: PLC0415  with it comes OpenCV

        return look(table, one, environ)

    def broker() -> Iterator[Finding]:
        from feltwatch.edge.doctor.broker import broker as look  # noqa: PLC0415  with it come paho-mqtt and cryptography

        return look(table, environ)

    def disk() -> Iterator[Finding]:
        from feltwatch.edge.doctor.record import room as look  # noqa: PLC0415  with it comes SQLite

        return look(table, environ)

    def journal() -> Iterator[Finding]:
        from feltwatch.edge.doctor.record import journal as look  # noqa: PLC0415  as above

        return look(table, environ)

    for one in table.cameras:
        name = "camera" if len(table.cameras) == 1 else f"camera {one.name}"
        yield Check(name, partial(camera, one))
    if table.provider != "cpu":  # which is checked once for the device
        yield Check("provider", partial(networks, table.provider))
    yield from (Check("broker", broker), Check("disk", disk), Check("journal", journal))


class Report:
    """Says what is found as it is found, and counts it."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.counts = dict.fromkeys(State, 0)
        self._secrets = Secrets()  # an address in somebody else's sentence may hold one

    def tell(self, check: Check, where: str = "") -> None:
        for finding in found_by(check):
            self.counts[finding.state] += 1
            says = plain(self._secrets.hidden(finding.says))
            self.out.write(f"{finding.state:<5} {where}{check.name}: {says}\n")
            self.out.flush()

    def end(self) -> int:
        """Sum up; give the exit code."""
        counts = [(State.BAD, "fault"), (State.WARN, "warning")]
        said = [f"{self.counts[state]} {name}{'s' * (self.counts[state] != 1)}" for state, name in counts]
        self.out.write(f"{' and '.join(said)} in {sum(self.counts.values())} findings\n")
        return 1 if self.counts[State.BAD] else 0
