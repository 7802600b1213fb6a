"""One camera over a table: a thread reads it; it gives live and good frames, or reports its trouble."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final, Protocol

from feltwatch.edge.camera.picture_health import PictureHealth, Timeouts, Trouble
from feltwatch.edge.config.camera_parts import camera_called
from feltwatch.vision.arrays import Pixels, PixelSize

__all__ = ["Feed", "FrameSink", "LatestFrame", "LiveFrame", "Source", "Timeouts", "Trouble"]

RATE_S: Final = 5.0  # over which the rate is measured
RATES: Final = 1000  # frames that count for it at most
TICK_S: Final = 0.001  # the least time between two frames
CLOSING_S: Final = 1.0  # beyond the timeouts of the camera


@dataclass(frozen=True, slots=True)
class LiveFrame:
    """One frame: `t` by the table's clock, `taken` by the monotonic one, `small` for the change detector."""

    t: float
    taken: float
    picture: Pixels
    small: Pixels
    key: bool = True  # coded without reference to other frames


class FrameSink(Protocol):
    """Receives what a source reads."""

    def put(self, shot: LiveFrame) -> None:
        """Take a live frame; its time counts from when reading began."""

    def old(self, size: PixelSize) -> None:
        """Count a frame of that size that was delayed on its way and is not used."""

    def lost(self) -> None:
        """Note that the camera does not answer or has disconnected."""


class Source(Protocol):
    """A camera or a video: passes on frames until it ends or is asked to stop."""

    def read(self, sink: FrameSink, stop: threading.Event) -> None: ...


class LatestFrame:
    """Holds one frame, the latest; a frame that it replaces is dropped and counted."""

    def __init__(self) -> None:
        self.dropped = 0
        self.over = False
        self.fault: Exception | None = None
        self._frame: LiveFrame | None = None
        self._changed = threading.Condition()

    def put(self, frame: LiveFrame) -> None:
        with self._changed:
            self.dropped += self._frame is not None
            self._frame = frame
            self._changed.notify_all()

    def end(self, fault: Exception | None = None) -> None:
        """Announce that no more frames come; the last one can still be taken."""
        with self._changed:
            self.over, self.fault = True, fault
            self._changed.notify_all()

    def take(self, wait_s: float, is_live: Callable[[LiveFrame], bool]) -> LiveFrame | None:
        """Give the latest frame as soon as there is one; a frame that is too old by then is dropped."""
        with self._changed:
            self._drop_old(is_live)
            self._changed.wait_for(self._is_ready, wait_s)
            frame, self._frame = self._frame, None
        if frame is None and self.fault is not None:
            raise self.fault
        return frame

    def has_frame(self) -> bool:
        with self._changed:
            return self._frame is not None

    def _is_ready(self) -> bool:
        return self._frame is not None or self.over

    def _drop_old(self, is_live: Callable[[LiveFrame], bool]) -> None:
        if self._frame is not None and not self.over and not is_live(self._frame):
            self._frame = None
            self.dropped += 1


class Feed:
    """Reads one camera in a thread and checks its frames.

    Whether the camera has stalled is computed when asked, because the reader may hang in OpenCV for seconds. `offset`
    is the table's time at the start of the feed, so that all cameras have one clock, after a restart too.
    """

    def __init__(
        self,
        source: Source,
        name: str,
        where: str,
        *,
        offset: float = 0.0,
        now: Callable[[], float] = monotonic,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.source, self.name, self.where = source, name, where
        self.offset, self.now = offset, now
        self.timeouts = timeouts or Timeouts()
        self.came = 0
        self.refused = 0  # of these: not live, or not usable
        self._latest = LatestFrame()
        self._health = PictureHealth(name, self.timeouts)
        self._lock = threading.Lock()
        self._began = self._live_at = now()
        self._late = 0  # delayed frames since the last live one
        self._lost_since: float | None = None
        self._bad: Trouble | None = None
        self._t = -1.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name=f"camera {name}", daemon=True)

    def start(self) -> None:
        self._began = self._live_at = self.now()
        self._thread.start()

    def stop(self) -> None:
        """Ask the reader to end; do not wait for it."""
        self._stop.set()
        self._latest.end()

    def close(self) -> None:
        """Wait until the reader has ended: Python aborts if it exits while a thread decodes."""
        self.stop()
        if self._thread.ident is not None:
            self._thread.join(max(self.timeouts.open_s, self.timeouts.read_s) + CLOSING_S)

    def take(self, wait_s: float) -> LiveFrame | None:
        """Give the latest live and usable frame, each once; None if there is none within the wait."""
        return self._latest.take(wait_s, lambda shot: self.now() - shot.taken < self.timeouts.stalled_s)

    @property
    def trouble(self) -> Trouble | None:
        """Give the reason why there are no frames; it stays until a frame comes."""
        if self._latest.over:
            return None
        with self._lock:
            if self._lost_since is not None:
                says = f"{camera_called(self.name)} is lost: it does not answer; retrying"
                return Trouble("lost", self._clock(self._lost_since), says)
            if self.now() - self._live_at < self.timeouts.stalled_s:
                return self._bad
            sends = "only delayed frames" if self._late else "no frames"
            return Trouble(
                "stalled", self._clock(self._live_at), f"{camera_called(self.name)} has stalled: it sends {sends}"
            )

    @property
    def ended(self) -> bool:
        """True if the footage is over and its last frame was taken."""
        return self._latest.over and not self._latest.has_frame()

    @property
    def fault(self) -> Exception | None:
        """The exception that ended the reader, an error of feltwatch; `take` raises it."""
        return self._latest.fault

    @property
    def dropped(self) -> int:
        """Good frames dropped because the device was busy."""
        return self._latest.dropped

    @property
    def size(self) -> PixelSize | None:
        return self._health.size

    # ---- from the source ------------------------------------------------------------------------------------

    def put(self, shot: LiveFrame) -> None:
        t = max(round(self.offset + shot.t, 3), round(self._t + TICK_S, 3))
        good, trouble = self._health.judge(t, shot.picture, shot.small, key=shot.key)
        with self._lock:
            self.came += 1
            self._t, self._live_at, self._late = t, shot.taken, 0
            self._lost_since, self._bad = None, trouble
            self.refused += not good
        if good:
            self._latest.put(replace(shot, t=t))

    def old(self, size: PixelSize) -> None:
        with self._lock:
            self.came += 1
            self._late += 1
            self.refused += 1
            now = self.now()
            resized = self._health.resized(self._clock(now), size)
            if resized is not None:  # the size is wrong however late the frame is
                self._live_at, self._lost_since, self._bad = now, None, resized

    def lost(self) -> None:
        with self._lock:
            if self._lost_since is None:
                self._lost_since = self.now()

    def _clock(self, at: float) -> float:
        return round(self.offset + at - self._began, 3)

    def _read(self) -> None:
        try:
            self.source.read(self, self._stop)
        except Exception as error:  # noqa: BLE001  raised again by `take`
            self._latest.end(error)
        else:
            self._latest.end()
