"""Recorded footage: any file that OpenCV opens, what it says of itself, and the true times of its frames."""

import os
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.diagnosis import diagnosis, is_picture, new_size, no_file
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.image_file import spelled

RATES = (1.0, 240.0)  # frames a second that are believed of a file; others are measured
PROBED = 9  # frames that tell the rate then
USUAL_RATE = 25.0
LEAP_S = 1.0  # a time that falls back by more is a new start of the recorder's clock
TICK_S = 0.001  # frames lie at least so far apart
SILENT = "-8"  # FFmpeg's word for it


@dataclass(frozen=True, slots=True)
class Video:
    """What a file says of itself."""

    path: Path
    width: int
    height: int
    fps: float
    seconds: float  # as announced; 0 where nothing is
    timed: bool  # frames have times of their own

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height


@dataclass(frozen=True, slots=True)
class VideoClock:
    """The time of the last frame, and how the file's own times lead to it: strictly upwards, whatever they do."""

    t: float = -1.0
    shift: float = 0.0  # of a recorder's clock that was restarted
    back: bool = False  # the last time fell back: a stray frame of a damaged file, or such a start

    def after(self, reading: float, video: Video) -> "VideoClock":
        """Give the clock at the next frame."""
        if self.t < 0:
            return VideoClock(round(max(reading, 0.0), 3))
        step = 1 / video.fps
        if not video.timed:
            return VideoClock(round(self.t + step, 6))
        if reading + self.shift >= self.t - LEAP_S:
            return VideoClock(round(max(reading + self.shift, self.t + TICK_S), 3), self.shift)
        shift = self.t + step - reading if self.back else self.shift
        return VideoClock(round(self.t + step, 3), shift, back=not self.back)


@dataclass(frozen=True, slots=True)
class FramePlace:
    """A frame that was looked at: enough to find it again, and to prove that it was found."""

    number: int  # of the frames since the start that was asked for
    reading: float
    clock: VideoClock
    crc: int


@dataclass(frozen=True, slots=True)
class Frame:
    number: int
    reading: float  # the file's own time, seconds
    clock: VideoClock
    picture: Pixels
    small: Pixels | None = None  # as attention sees it, where that was asked for

    @property
    def t(self) -> float:
        return self.clock.t

    def place(self) -> FramePlace:
        return FramePlace(self.number, self.reading, self.clock, zlib.crc32(self.picture.data))


@dataclass(frozen=True, slots=True)
class End:
    """How the footage ended."""

    damage: str | None  # as a sentence


class PlaceLostError(Exception):
    """The file holds other pictures than it did."""


def open_video(path: Path) -> Video:
    """Find out what a file is; refuse one that is not a video in one line."""
    if found := no_file(path):
        raise UsageError(f"{spelled(path)}: {found}")
    capture = open_capture(path)
    if capture is None:
        raise UsageError(f"{spelled(path)}: {diagnosis(path)}")
    try:
        return _described(path, capture)
    finally:
        capture.release()


def check_one_size(video: Video) -> None:
    """Refuse footage whose pictures change their size: OpenCV would go on showing the last one of the first size."""
    found = new_size(video.path, _silently)
    if found:
        t, (width, height) = found
        raise UsageError(
            f"{spelled(video.path)}: expected pictures of one size, found {video.width} x {video.height} and from "
            f"{t:.1f} s on {width} x {height}; cut the file there"
        )


def _described(path: Path, capture: cv2.VideoCapture) -> Video:
    readings: list[float] = []
    width = height = 0
    while len(readings) < PROBED and capture.grab():
        if not width:
            whole, picture = capture.retrieve()
            height, width = picture.shape[:2] if whole else (0, 0)
        readings.append(capture.get(cv2.CAP_PROP_POS_MSEC) / 1000)
    if len(readings) == 1 and is_picture(path):
        raise UsageError(f"{spelled(path)}: expected a video, found a picture; `feltwatch detect` looks at pictures")
    if not width:
        raise UsageError(f"{spelled(path)}: expected a video, found one without frames; record it again")
    stated, frames = capture.get(cv2.CAP_PROP_FPS), capture.get(cv2.CAP_PROP_FRAME_COUNT)
    timed = len(readings) == 1 or readings[-1] > readings[0]
    fps = stated if RATES[0] <= stated <= RATES[1] else _measured(readings)
    seconds = frames / stated if frames > 0 and stated > 0 else 0.0
    return Video(path, width, height, round(fps, 3), round(seconds, 3), timed)


def _measured(readings: list[float]) -> float:
    took = readings[-1] - readings[0]
    rate = (len(readings) - 1) / took if took > 0 else USUAL_RATE
    return float(np.clip(rate, *RATES))


@cache
def silence_libraries() -> None:
    """Silence FFmpeg's and OpenCV's complaints about a file: our lines report them.

    FFmpeg asks once in a process, before the first video.
    """
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", SILENT)
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def _silently(path: str, parameters: list[int]) -> cv2.VideoCapture:
    silence_libraries()
    return cv2.VideoCapture(path, cv2.CAP_FFMPEG, parameters)


def open_capture(path: Path) -> cv2.VideoCapture | None:
    """Open a file as a video, in silence."""
    try:
        # A whole path, as what stands before a colon would be taken for a protocol
        found = _silently(str(path.absolute()), [])
    except (UnicodeError, cv2.error):
        return None
    return found if found.isOpened() else None
