"""One table, held for as long as it is asked. What breaks of ours is said, and begun again from the journal."""

import logging
import traceback
from pathlib import Path
from threading import Event
from typing import Final

from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.networks import Networks
from feltwatch.edge.service.health import Vitals
from feltwatch.edge.service.logs import say
from feltwatch.edge.service.session import Orders, Sitting

AGAIN_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)  # waits before a table that broke is begun again
LASTED_S: Final = 60.0  # after which it counts as having worked
LONGEST: Final = 300  # letters of what broke


class Post:
    """Holds one table. `failed` is what was wrong with what it was given, from the start."""

    def __init__(self, orders: Orders, networks: Networks) -> None:
        self.orders, self.networks = orders, networks
        self.sitting: Sitting | None = None
        self.failed: UsageError | None = None

    def hold(self, stop: Event) -> None:
        """Watch until the footage is over or it is asked to stop."""
        failures, why = 0, ""
        while not stop.is_set():
            sitting = self.sitting = Sitting(self.orders, self.networks, why)
            try:
                sitting.hold(stop.is_set)
            except UsageError as error:
                if not failures and not sitting.stepped:
                    self.failed = error
                    return
                why = str(error)
            except Exception as error:  # noqa: BLE001  the one place for what is our own fault: said, and begun again
                why = _said(error)
                say(why, table=self.orders.table.id, level=logging.ERROR, trace=traceback.format_exc())
            else:
                return
            failures = 1 if sitting.lasted_s > LASTED_S else failures + 1
            pause = AGAIN_S[min(failures, len(AGAIN_S)) - 1]
            say(f"begun again in {pause:g} s: {why}", table=self.orders.table.id, level=logging.ERROR)
            stop.wait(pause)

    def vitals(self) -> Vitals | None:
        return None if self.sitting is None else self.sitting.vitals()


def _said(error: Exception) -> str:
    """Say what broke, and where: enough to know it again."""
    found = traceback.extract_tb(error.__traceback__)
    where = f"{Path(found[-1].filename).stem}.{found[-1].name}" if found else "nowhere"
    return f"an error of feltwatch itself in {where}: {type(error).__name__}: {error}".partition("\n")[0][:LONGEST]
