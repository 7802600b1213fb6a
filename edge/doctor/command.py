"""`feltwatch doctor`: checks all that a table needs; one line a finding, each with what to do about it.

Nothing heavy is imported here: one of the checks must be able to report a library that does not load.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from feltwatch.edge.doctor.checks import Check, CheckResult, CheckState, bad, ok, results_of
from feltwatch.edge.doctor.host import checks as device_checks
from feltwatch.edge.doctor.host import networks
from feltwatch.edge.errors import UsageError
from feltwatch.edge.health.device import Device
from feltwatch.edge.service.logs import Secrets, plain

if TYPE_CHECKING:
    from feltwatch.edge.config.camera_parts import CameraFile
    from feltwatch.edge.config.table_file import TableFile


def doctor(options: argparse.Namespace, environ: Mapping[str, str] = os.environ) -> int:
    """Return 0 if nothing is bad, with or without warnings; else 1."""
    paths = [Path(path) for path in dict.fromkeys(options.table)]
    for path in paths:
        if not path.is_file():
            raise UsageError(f"{path}: expected a table's file, found none; `feltwatch calibrate` makes one")
    report = DoctorReport(sys.stdout)
    for check in device_checks(len(paths), Device()):
        report.write(check)
    for path in paths:
        where = f"{path}: " if len(paths) > 1 else ""
        tables: list[TableFile] = []
        report.write(Check("table", lambda path=path, tables=tables: _table(path, tables)), where)  # type: ignore[misc]  # of this turn
        for table in tables:
            for check in checks_of_table(table, environ):
                report.write(check, where)
    return report.end()


def _table(path: Path, tables: "list[TableFile]") -> Iterator[CheckResult]:
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
    """Give the checks of a table; each loads what it needs when it runs."""

    def camera(one: "CameraFile") -> Iterator[CheckResult]:
        from feltwatch.edge.doctor.camera import camera as check  # noqa: PLC0415  with it comes OpenCV

        return check(table, one, environ)

    def deck() -> Iterator[CheckResult]:
        from feltwatch.edge.doctor.deck import deck as check  # noqa: PLC0415  with it comes OpenCV

        return check(table)

    def broker() -> Iterator[CheckResult]:
        from feltwatch.edge.doctor.broker import broker as check  # noqa: PLC0415  with it come paho-mqtt and cryptography

        return check(table, environ)

    def disk() -> Iterator[CheckResult]:
        from feltwatch.edge.doctor.record import room as check  # noqa: PLC0415  with it comes SQLite

        return check(table, environ)

    def journal() -> Iterator[CheckResult]:
        from feltwatch.edge.doctor.record import journal as check  # noqa: PLC0415  as above

        return check(table, environ)

    for one in table.cameras:
        name = "camera" if len(table.cameras) == 1 else f"camera {one.name}"
        yield Check(name, partial(camera, one))
    if table.deck is not None:
        yield Check("deck", deck)
    if table.provider != "cpu":  # which is checked once for the device
        yield Check("provider", partial(networks, table.provider))
    yield from (Check("broker", broker), Check("disk", disk), Check("journal", journal))


class DoctorReport:
    """Writes findings as they come, and counts them."""

    def __init__(self, out: TextIO) -> None:
        self.out = out
        self.counts = dict.fromkeys(CheckState, 0)
        self._secrets = Secrets()  # an address in a library's message may hold one

    def write(self, check: Check, where: str = "") -> None:
        for finding in results_of(check):
            self.counts[finding.state] += 1
            says = plain(self._secrets.hidden(finding.says))
            self.out.write(f"{finding.state:<5} {where}{check.name}: {says}\n")
            self.out.flush()

    def end(self) -> int:
        """Write the summary; return the exit code."""
        counts = [(CheckState.BAD, "fault"), (CheckState.WARN, "warning")]
        said = [f"{self.counts[state]} {name}{'s' * (self.counts[state] != 1)}" for state, name in counts]
        self.out.write(f"{' and '.join(said)} in {sum(self.counts.values())} findings\n")
        return 1 if self.counts[CheckState.BAD] else 0
