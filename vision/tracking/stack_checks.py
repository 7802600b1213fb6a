"""Stacks that look otherwise once something was over them: chips were laid on them, taken off or exchanged.

A stack over which nothing was cannot have changed. So those show how far the same top differs from its own picture on
this table: by the camera's noise, its compression and its light. Another top differs by much more.
"""

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.roi_detection import CHIP_MM, StackGlimpse
from feltwatch.vision.motion.change_detector import ChangeDetector, FrameChange
from feltwatch.vision.tracking.roi_context import RoiContext
from feltwatch.vision.tracking.stack_picture import StackPicture
from feltwatch.vision.tracking.track import StackTrack

NOISE: Final = 6.0  # grey levels by which a top may differ from its picture: where a hand was, a film is coarser
HALVES_S: Final = 20.0  # what was measured is forgotten so slowly
NOISES: Final = 2.0  # times the most that was measured is no noise any more
OVER: Final = 0.2  # of a stack is disturbed: a hand is over it
RESTS_S: Final = 0.25  # so long nothing has moved there, and it is compared
EVERY_S: Final = 0.4  # so often it is
AGAIN_S: Final = 0.3  # the same while it looks otherwise; twice to eight times as long if that does not end
COVERED: Final = 0.15  # of what lies around a stack looks otherwise: something lies there, and perhaps on the stack
LEFT_S: Final = 3.0  # what lies there for so long was left there
PUSHED_MM: Final = 2.0  # a stack that sways with the camera moves by less
SURE: Final = 0.6  # a score: these are chips, and nothing lies on them


class StackChange(Enum):
    """What a hand did to a stack that still stands there."""

    ALTERED = auto()  # chips came onto it, or went, or were exchanged
    PUSHED = auto()  # it looks the same and lies elsewhere: a like chip may lie on it


class StackChecks:
    """Compares stacks with their pictures, and knows by how much those differ that no hand touched."""

    def __init__(self) -> None:
        self.noise = 0.0
        self.at = 0.0  # when the noise was last measured

    @property
    def limit(self) -> float:
        """Give the grey levels up to which a top is the same."""
        return NOISES * max(self.noise, NOISE)

    def differing(
        self, stacks: Sequence[StackTrack], frame: Pixels, sight: FrameChange, attention: ChangeDetector
    ) -> Iterator[StackTrack]:
        """Follow what passes over the stacks; give those that rest again and look otherwise."""
        for stack in stacks:
            over = stack.patch.share(sight.changed | sight.moved) > OVER
            if stack.touched is None and over:
                stack.touched = stack.same_at
            elif stack.touched is None:
                stack.same_at = sight.t
            rests = bool((attention.moved_at[stack.patch.box][stack.patch.mask] <= sight.t - RESTS_S).all())
            if rests and sight.t >= stack.compare_at and self._differs(stack, frame, sight, over=over):
                yield stack

    def change(self, stack: StackTrack, seen: StackGlimpse, look: RoiContext) -> StackChange | None:
        """Say what has become of a stack that a look shows whole, if that is certain; it has a new picture then."""
        if stack.touched is None or not _is_whole(stack, seen, look):
            return None
        if stack.picture is None:
            _is_known(stack, StackPicture.of(look.picture, look.sight, seen.center, seen.radius_px), look.t)
            return None
        if stack.picture.hidden(look.picture, look.sight) > COVERED:
            return None
        found = stack.picture.compared(look.picture, look.sight)
        now = StackPicture.of(look.picture, look.sight, seen.center, seen.radius_px)
        if found.apart > self.limit:
            if not self._is_seen_again(stack, now, look):
                return None
            what = StackChange.ALTERED
        elif np.hypot(*found.moved) >= PUSHED_MM / CHIP_MM * stack.radius:
            what = StackChange.PUSHED
        else:
            return None
        stack.since = stack.touched
        _is_known(stack, now, look.t)
        return what

    def _is_seen_again(self, stack: StackTrack, now: StackPicture, look: RoiContext) -> bool:
        """Tell whether another top was seen before, and for long enough."""
        if stack.other is None or stack.other.compared(look.picture, look.sight).apart > self.limit:
            stack.other, stack.other_at = now, look.t
        return look.t - stack.other_at >= RESTS_S

    def _differs(self, stack: StackTrack, frame: Pixels, sight: FrameChange, *, over: bool) -> bool:
        """Compare a stack that rests with its picture; one that looks the same gets a new one."""
        if self._is_covered(stack, frame, sight):
            return False
        apart = None if stack.picture is None else stack.picture.compared(frame, sight).apart
        if stack.touched is not None and (apart is None or apart > self.limit):
            stack.compare_at = sight.t + AGAIN_S * 2 ** min(stack.others, 3)
            stack.others += 1
            return True
        stack.compare_at = sight.t + EVERY_S
        if stack.touched is None:
            self._measured(sight.t, apart or 0.0)
        if not over:
            center = stack.center if stack.picture is None else stack.picture.center
            _is_known(stack, StackPicture.of(frame, sight, center, stack.radius), sight.t)
        return False

    def _is_covered(self, stack: StackTrack, frame: Pixels, sight: FrameChange) -> bool:
        """Tell whether something lies about a stack; once it has lain there for long, that is how the stack looks."""
        if stack.picture is None or stack.picture.hidden(frame, sight) <= COVERED:
            stack.covered_at = None
            return False
        stack.compare_at = sight.t + EVERY_S
        stack.covered_at = sight.t if stack.covered_at is None else stack.covered_at
        if sight.t - stack.covered_at > LEFT_S:
            _is_known(stack, StackPicture.of(frame, sight, stack.center, stack.radius), sight.t)
        return True

    def _measured(self, t: float, apart: float) -> None:
        self.noise = max(apart, self.noise * 0.5 ** ((t - self.at) / HALVES_S))
        self.at = t


def _is_known(stack: StackTrack, picture: StackPicture, t: float) -> None:
    """From now on a stack is compared with this."""
    stack.picture, stack.touched, stack.same_at, stack.other, stack.others = picture, None, t, None, 0


def _is_whole(stack: StackTrack, seen: StackGlimpse, look: RoiContext) -> bool:
    """Tell whether a look shows nothing but a stack: no hand and no card over it, and nothing in motion."""
    if seen.score < SURE or stack.patch.share(look.moving) > 0 or look.under_hand(stack.patch):
        return False
    return not any(stack.patch.overlap(look.patch(card.quad)) > 0 for card in look.glimpse.cards)
