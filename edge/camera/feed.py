"""One camera over a table: a thread reads it; it gives live and good frames, or reports its trouble."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final, Protocol

from feltwatch.edge.camera.picture_health import Patience, PictureHealth, Size, Trouble
from feltwatch.edge.config.camera_parts import camera_called
from feltwatch.vision.arrays import Pixels

__all__ = ["Feed", "Newest", "Patience", "Shot", "Size", "Source", "Taker", "Trouble"]

RATE_S: Final = 5.0  # over which the rate is measured
RATES: Final = 1000  # frames that count for it at most
TICK_S: Final = 0.001  # pictures lie at least so far apart
CLOSING_S: Final = 1.0  # beyond the time that a camera is waited for


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: `t` by the table's clock, `taken` by the monotonic one, and `small` as attention sees it."""

    t: float
    taken: float
    picture: Pixels
    small: Pixels
    key: bool = True  # it was coded by itself


class Taker(Protocol):
    """Who takes what a source gives."""

    def put(self, shot: Shot) -> None:
        """Take a live picture; its time counts from when reading began."""

    def old(self, size: Size) -> None:
        """Hear of a frame of that size that had waited on its way, and is not given."""

    def lost(self) -> None:
        """Hear that the camera does not answer, or has gone."""


class Source(Protocol):
    """A camera: gives what it takes, until there is no more or it is asked to stop."""

    def read(self, taker: Taker, stop: threading.Event) -> None: ...


class Newest:
    """Holds one picture, the newest; what it replaces unseen is dropped, and counted."""

    def __init__(self) -> None:
        self.dropped = 0
        self.over = False
        self.fault: Exception | None = None
        self._shot: Shot | None = None
        self._news = threading.Condition()

    def put(self, shot: Shot) -> None:
        with self._news:
            self.dropped += self._shot is not None
            self._shot = shot
            self._news.notify_all()

    def end(self, fault: Exception | None = None) -> None:
        """Say that nothing more comes; the last picture is still given."""
        with self._news:
            self.over, self.fault = True, fault
            self._news.notify_all()

    def take(self, wait_s: float, live: Callable[[Shot], bool]) -> Shot | None:
        """Give the newest picture as soon as there is one; one that is live no more is dropped."""

        def ready() -> bool:
            if self._shot is not None and not self.over and not live(self._shot):
                self._shot = None
                self.dropped += 1
            return self._shot is not None or self.over

        with self._news:
            self._news.wait_for(ready, wait_s)
            shot, self._shot = self._shot, None
        if shot is None and self.fault is not None:
            raise self.fault
        return shot

    def left(self) -> bool:
        with self._news:
            return self._shot is not None


class Feed:
    """Reads one camera, and judges its pictures.

    Whether it has stalled is judged by who asks: the reader may hang in OpenCV for seconds. `offset` is the table's
    time when the feed is started, so that after a restart, and for every camera of a table, there is one clock.
    """

    def __init__(
        self,
        source: Source,
        name: str,
        where: str,
        *,
        offset: float = 0.0,
        now: Callable[[], float] = monotonic,
        patience: Patience | None = None,
    ) -> None:
        self.source, self.name, self.where = source, name, where
        self.offset, self.now = offset, now
        self.patience = patience or Patience()
        self.came = 0
        self.refused = 0  # of them: not live, or not good
        self._newest = Newest()
        self._health = PictureHealth(name, self.patience)
        self._times: deque[float] = deque(maxlen=RATES)
        self._lock = threading.Lock()
        self._began = self._live_at = self._good_at = now()
        self._late = 0  # frames that were not live since the last that was
        self._lost_since: float | None = None
        self._bad: Trouble | None = None
        self._t = -1.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name=f"camera {name}", daemon=True)

    def start(self) -> None:
        self._began = self._live_at = self._good_at = self.now()
        self._thread.start()

    def stop(self) -> None:
        """Ask the reader to end, without waiting for it."""
        self._stop.set()
        self._newest.end()

    def close(self) -> None:
        """Wait until the reader has ended: Python would abort, were it to exit while one decodes."""
        self.stop()
        if self._thread.ident is not None:
            self._thread.join(max(self.patience.open_s, self.patience.read_s) + CLOSING_S)

    def take(self, wait_s: float) -> Shot | None:
        """Give the newest live and good picture that was not given yet, or none after the wait."""
        return self._newest.take(wait_s, lambda shot: self.now() - shot.taken < self.patience.stalled_s)

    @property
    def trouble(self) -> Trouble | None:
        """Say why there are no pictures; until one comes, though the cause may be gone."""
        if self._newest.over:
            return None
        with self._lock:
            if self._lost_since is not None:
                says = f"{camera_called(self.name)} is lost: it does not answer; it is tried again until it does"
                return Trouble("lost", self._clock(self._lost_since), says)
            if self.now() - self._live_at < self.patience.stalled_s:
                return self._bad
            sends = "only pictures that have waited on their way" if self._late else "no pictures"
            return Trouble(
                "stalled", self._clock(self._live_at), f"{camera_called(self.name)} has stalled: it sends {sends}"
            )

    @property
    def ended(self) -> bool:
        """Tell whether footage is over, and all of it was taken."""
        return self._newest.over and not self._newest.left()

    @property
    def fault(self) -> Exception | None:
        """What went wrong in the reader: our mistake, raised again by `take`."""
        return self._newest.fault

    @property
    def dropped(self) -> int:
        """Good frames dropped because the device was busy."""
        return self._newest.dropped

    @property
    def size(self) -> Size | None:
        return self._health.size

    def age(self) -> float:
        """Give the seconds since the last good picture, or since the start."""
        return self.now() - self._good_at

    def fps(self) -> float:
        """Give the frames that came in a second, over the last few."""
        now = self.now()
        with self._lock:
            while self._times and self._times[0] < now - RATE_S:
                self._times.popleft()
            return len(self._times) / max(min(RATE_S, now - self._began), 1.0)

    # ---- what the source tells ------------------------------------------------------------------------------------

    def put(self, shot: Shot) -> None:
        t = max(round(self.offset + shot.t, 3), round(self._t + TICK_S, 3))
        good, trouble = self._health.judge(t, shot.picture, shot.small, key=shot.key)
        with self._lock:
            self._arrived()
            self._t, self._live_at, self._late = t, shot.taken, 0
            self._lost_since, self._bad = None, trouble
            if good:
                self._good_at = shot.taken
            else:
                self.refused += 1
        if good:
            self._newest.put(replace(shot, t=t))

    def old(self, size: Size) -> None:
        with self._lock:
            self._arrived()
            self._late += 1
            self.refused += 1
            now = self.now()
            resized = self._health.resized(self._clock(now), size)
            if resized is not None:  # it shows, however late it comes, what the next will be
                self._live_at, self._lost_since, self._bad = now, None, resized

    def lost(self) -> None:
        with self._lock:
            if self._lost_since is None:
                self._lost_since = self.now()

    def _arrived(self) -> None:
        self.came += 1
        self._times.append(self.now())

    def _clock(self, at: float) -> float:
        return round(self.offset + at - self._began, 3)

    def _read(self) -> None:
        try:
            self.source.read(self, self._stop)
        except Exception as error:  # noqa: BLE001  raised again where the pictures are used
            self._newest.end(error)
        else:
            self._newest.end()
