"""Whether a frame is live, or has waited on its way: pure, from when frames came and how they are dated.

What is recognised:
- What a stream hands over at once when it is opened (a second or more of RTSP, while FFmpeg finds out what it is).
- What comes in a burst after the network, the camera or this machine stood still.
- Frames that pile up because they were not taken fast enough; taking none for a moment brings them in.
- A stream that comes back at its own pace, but late by what it stood still: only a new connection is live then.
- Of a camera that does not date its frames (JPEG over HTTP) all but the last: they are counted instead, at the pace
  at which they came before.
What is not: a delay that was there when the stream was opened and never changes, as of a relay that keeps seconds in
store; and a machine that can never decode frames without dates as fast as they come.
"""

from collections import deque
from dataclasses import dataclass
from math import inf
from typing import Final, Literal

from feltwatch.edge.camera.picture_health import Timeouts

Freshness = Literal["live", "old", "behind"]

SETTLED_S: Final = 0.25  # frames came at their own pace for so long: what had waited is through
PACE: Final = 1.3  # times as fast as real time is still its own pace
WAITED: Final = 3  # frames at least had to be waited for, and
SHARE: Final = 0.3  # of those that came; networks bring them two or three at a time
SOON: Final = 0.5  # of the time between two frames: what comes sooner was there already
ENDLESS_S: Final = 2.0  # what comes faster for so long had not waited: its dates are wrong
UNSURE: Final = 0.5  # of the time between two frames is believed as long as it was not measured
RUSH_S: Final = 0.5  # a stream that gains time on all that came so long before was not live then
DRIFT: Final = 0.001  # a camera's clock may go wrong by that
SLOWER: Final = 1.5  # times the time between two frames: the camera takes fewer now
HICCUP: Final = 4  # times as long as usual says nothing of the usual
LEARNT: Final = 1 / 64


@dataclass(frozen=True, slots=True)
class _Arrival:
    number: int
    came: float
    time: float  # its own
    waited: bool  # it had to be waited for

    @property
    def lag(self) -> float:
        return self.came - self.time


class Liveness:
    """One connection's frames, in order."""

    def __init__(self, timeouts: Timeouts, fps: float) -> None:
        self._late_s = timeouts.late_s
        self._usual = 1 / fps  # seconds between two frames
        self._measured = False  # no longer the given value
        self._dated = True  # frames say when they were taken
        self._counted = 0.0  # the time of a frame that does not
        self._last: _Arrival | None = None
        self._least = inf  # the least that a frame came after its own time, as far as clocks drift apart
        self._before: tuple[float, float, float] = (0.0, inf, inf)  # when that was noted, it, and what it was before
        self._waits: _Arrival | None = None  # the first that was not live, while what comes is not
        self._stretch: deque[_Arrival] = deque()  # what came lately while it was not
        self._jumped = False  # it fell behind all at once
        self._rushed = False  # it gained time once

    def judge(self, came: float, date: float) -> Freshness:
        """Judge the next frame; `behind` is a stream that comes in at its pace, and late."""
        self._counted += self._usual
        frame = self._frame(came, date if self._dated else self._counted)
        if self._last is None:
            self._waits = frame
        found = self._live(frame, self._last) if self._waits is None and self._last else self._waited(frame)
        self._last = frame
        return found

    def count(self) -> None:
        """Believe no date of this stream any more; what comes at its own pace is live."""
        self._dated, self._measured, self._jumped = False, False, False
        self._begin(self._last)

    def _frame(self, came: float, time: float) -> _Arrival:
        if self._last is None:
            return _Arrival(0, came, time, waited=False)
        step = min(max(time - self._last.time, self._usual / 4), self._usual)
        return _Arrival(self._last.number + 1, came, time, waited=came - self._last.came >= SOON * step)

    def _begin(self, frame: _Arrival | None) -> None:
        """Wait until it is known what is live."""
        self._waits, self._least, self._before = frame, inf, (0.0, inf, inf)
        self._stretch.clear()

    def _live(self, frame: _Arrival, last: _Arrival) -> Freshness:
        passed = frame.came - last.came
        self._least = min(frame.lag, self._least + DRIFT * min(passed, 1.0))
        if frame.came - self._before[0] >= RUSH_S:
            self._before = (frame.came, self._least, self._before[1])
        if self._least < self._before[2] - self._late_s / 2:
            self._begin(frame)  # so what was taken for live was not: what had waited comes in only now
            if self._rushed:
                self.count()  # again and again: its dates run too fast
            self._rushed = True
            return "old"
        if frame.lag - self._least <= self._late_s:
            if passed < HICCUP * self._usual:
                self._usual += LEARNT * (passed - self._usual)
            return "live"
        self._jumped = frame.lag - last.lag > self._late_s / 2
        self._waits = frame
        self._stretch.clear()
        return "old"

    def _waited(self, frame: _Arrival) -> Freshness:
        """Let go by what had waited, until what comes is live."""
        self._stretch.append(frame)
        while len(self._stretch) > WAITED + 1 and frame.came - self._stretch[1].came >= SETTLED_S:
            self._stretch.popleft()
        if self._paced(self._stretch[0], frame):
            return self._settled(frame)
        waits = self._waits or frame
        passed = frame.came - waits.came
        # What it fell behind may come in so; or its dates went with real time before, and are believed
        known = self._least < inf and (self._dated or frame.lag - self._least > self._late_s)
        if not known and passed >= ENDLESS_S and self._shown(waits, frame) > PACE * passed:
            self._usual = passed / (frame.number - waits.number)
            self.count()
            self._waits = frame
        return "old"

    def _paced(self, first: _Arrival, frame: _Arrival) -> bool:
        """Say whether frames come as they are taken: they must be waited for, and go no faster than real time."""
        passed, frames = frame.came - first.came, frame.number - first.number
        waited = sum(one.waited for one in self._stretch) - first.waited
        if passed < SETTLED_S or waited < max(WAITED, SHARE * frames):
            return False
        before = self._stretch[-2]
        if (frame.came - before.came) * (frames - 1) > HICCUP * (before.came - first.came):
            return False  # whether it was waited for, or this machine slept, the next will tell
        return self._shown(first, frame) <= PACE * passed

    def _shown(self, first: _Arrival, frame: _Arrival) -> float:
        """Give the time that frames show."""
        counted = (frame.number - first.number) * self._usual * (1.0 if self._measured else UNSURE)
        if not self._dated:
            return counted
        return frame.time - first.time if self._least < inf else max(frame.time - first.time, counted)

    def _settled(self, frame: _Arrival) -> Freshness:
        """Judge a frame of a stream that comes at its own pace: it is as live as it gets."""
        if self._dated and self._least < inf and frame.lag - self._least > self._late_s:
            if self._jumped:
                return "behind"
            self.count()  # it fell behind little by little, and nothing had piled up: its dates are wrong
            return "old"
        first = self._stretch[0]
        usual = (frame.came - first.came) / (frame.number - first.number)
        if not self._measured or usual > SLOWER * self._usual:
            self._usual, self._measured = usual, True
        self._least = min(self._least, frame.lag) if self._dated else frame.lag
        self._before, self._waits = (frame.came, self._least, self._least), None
        return "live"
