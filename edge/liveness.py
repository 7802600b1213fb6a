"""Whether a frame is live, or has waited on its way: pure, from when frames came and how they are dated.

What is recognised:
- What a stream hands over at once when it is opened (a second or more of RTSP, while FFmpeg finds out what it is).
- What comes in a burst after the network, the camera or this machine stood still.
- Frames that pile up because nobody was fast enough to take them; taking none for a moment brings them in.
- A stream that comes back at its own pace, but late by what it stood still: only a new connection is live then.
- Of a camera that does not date its frames (JPEG over HTTP) all but the last: they are counted instead, at the pace
  at which they came before.
What is not: a delay that was there when the stream was opened and never changes, as of a relay that keeps seconds in
store; and a machine that can never decode frames without dates as fast as they come.
"""

from collections import deque
from math import inf
from typing import Final, Literal

from edge.picture_health import Patience

Found = Literal["live", "old", "behind"]

SETTLED_S: Final = 0.25  # frames came at their own pace for so long: what had waited is through
PACE: Final = 1.3  # times as fast as real time is still its own pace
ENDLESS_S: Final = 2.0  # what comes faster for so long had not waited: its dates are wrong
UNSURE: Final = 0.5  # of the time between two frames is believed as long as it was not measured
DRIFT: Final = 0.001  # a camera's clock may go wrong by that
SLOWER: Final = 1.5  # times the time between two frames: the camera takes fewer now
HICCUP: Final = 4  # times as long as usual says nothing of the usual
LEARNT: Final = 1 / 64


class Liveness:
    """One connection's frames, in order."""

    def __init__(self, patience: Patience, fps: float) -> None:
        self._late_s = patience.late_s
        self._usual = 1 / fps  # seconds between two frames
        self._measured = False  # that is no longer what somebody says
        self._dated = True  # frames say when they were taken
        self._number = 0
        self._counted = 0.0  # the time of a frame that does not
        self._stretch: deque[tuple[float, float, int]] = deque()  # when frames came lately, their times and numbers
        self._waits_since: float | None = None  # when what came was first not live
        self._least = inf  # the least that a frame came after its own time, as far as clocks drift apart
        self._last: tuple[float, float] | None = None  # when the last frame came, and how long after its time
        self._jumped = False  # it fell behind all at once

    def judge(self, came: float, date: float) -> Found:
        """Judge the next frame; `behind` is a stream that comes in at its pace, and late."""
        self._number += 1
        self._counted += self._usual
        time = date if self._dated else self._counted
        lag = came - time
        waits = self._last is None or self._waits_since is not None
        found = self._waited(came, time, lag) if waits else self._live(came, lag)
        self._last = (came, lag)
        return found

    def count(self) -> None:
        """Believe no date of this stream any more; what comes at its own pace is live."""
        self._dated, self._measured, self._jumped, self._least = False, False, False, inf
        self._waits_since = self._last[0] if self._last else None
        self._stretch.clear()

    def _live(self, came: float, lag: float) -> Found:
        assert self._last is not None  # noqa: S101  it was live before
        passed = came - self._last[0]
        self._least = min(lag, self._least + DRIFT * min(passed, 1.0))
        if lag - self._least <= self._late_s:
            if passed < HICCUP * self._usual:
                self._usual += LEARNT * (passed - self._usual)
            return "live"
        self._jumped = lag - self._last[1] > self._late_s / 2
        self._waits_since = came
        self._stretch.clear()
        return "old"

    def _waited(self, came: float, time: float, lag: float) -> Found:
        """Let go by what had waited, until what comes is live."""
        self._waits_since = came if self._waits_since is None else self._waits_since
        self._stretch.append((came, time, self._number))
        while len(self._stretch) > 1 and came - self._stretch[1][0] >= SETTLED_S:
            self._stretch.popleft()
        first, then, number = self._stretch[0]
        passed, frames = came - first, self._number - number
        if passed < SETTLED_S:
            return "old"
        shown = frames * self._usual * (1.0 if self._measured else UNSURE)
        if (max(shown, time - then) if self._dated else shown) > PACE * passed:
            # What it fell behind may come in so; or its dates went with real time before, and are believed
            known = self._least < inf and (self._dated or lag - self._least > self._late_s)
            if not known and came - self._waits_since >= ENDLESS_S:
                self._usual = passed / frames
                self.count()
            return "old"
        return self._paced(lag, passed / frames)

    def _paced(self, lag: float, usual: float) -> Found:
        """Judge a frame of a stream that comes at its own pace: it is as live as it gets."""
        if self._dated and self._least < inf and lag - self._least > self._late_s:
            if self._jumped:
                return "behind"
            self.count()  # it fell behind little by little, and nothing had piled up: its dates are wrong
            return "old"
        if not self._measured or usual > SLOWER * self._usual:
            self._usual, self._measured = usual, True
        self._waits_since = None
        self._least = min(self._least, lag) if self._dated else lag
        return "live"
