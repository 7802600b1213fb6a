"""Supervises one table: a session that fails is logged and restarted from the journal, with backoff."""

import logging
import traceback
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Final

from feltwatch.edge.errors import UsageError
from feltwatch.edge.health.vitals import Vitals
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.service.logs import say
from feltwatch.edge.service.open_table import OpenTable, SessionConfig, open_table
from feltwatch.edge.service.session import TableSession

BACKOFF_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)  # before a restart
LASTED_S: Final = 60.0  # after which a session counts as having worked
LONGEST: Final = 300  # letters of an error


class TableSupervisor:
    """Runs one table. `failed` is the error of a table that could not be started at all."""

    def __init__(self, config: SessionConfig, networks: Networks) -> None:
        self.config, self.networks = config, networks
        self.table: OpenTable | None = None
        self.failed: UsageError | None = None

    def run(self, stop: Event) -> None:
        """Run until the cameras' videos end or it is asked to stop."""
        failures, crash = 0, ""
        while not stop.is_set():
            began, session = monotonic(), None
            try:
                with ExitStack() as stack:
                    self.table = open_table(self.config, stack)
                    session = TableSession(self.table, self.networks, crash)
                    session.run(stop.is_set)
            except UsageError as error:
                if not failures and (session is None or not session.has_stepped):
                    self.failed = error
                    return
                crash = str(error)
            except Exception as error:  # noqa: BLE001  the one handler for errors of our own: logged, then a restart
                crash = _text(error)
                say(crash, table=self.config.table.id, level=logging.ERROR, trace=traceback.format_exc())
            else:
                return
            finally:
                self.table = None  # its health is over: it is not stuck, it is restarted
            failures = 1 if monotonic() - began > LASTED_S else failures + 1
            pause = BACKOFF_S[min(failures, len(BACKOFF_S)) - 1]
            say(f"restarting in {pause:g} s: {crash}", table=self.config.table.id, level=logging.ERROR)
            stop.wait(pause)

    def vitals(self) -> Vitals | None:
        return None if self.table is None else self.table.health.vitals()


def _text(error: Exception) -> str:
    """Describe an error and where it happened, in one line."""
    found = traceback.extract_tb(error.__traceback__)
    where = f"{Path(found[-1].filename).stem}.{found[-1].name}" if found else "an unknown place"
    return f"an internal error in {where}: {type(error).__name__}: {error}".partition("\n")[0][:LONGEST]
