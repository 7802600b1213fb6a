"""The frames of a video in order: from its start, from a second, or from where one stopped; decoded in a thread."""

import threading
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from queue import Full, Queue
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.video_file import End, Frame, FramePlace, PlaceLostError, Video, VideoClock, open_capture
from feltwatch.vision.image_file import spelled
from feltwatch.vision.motion.change_detector import shrunk

AHEAD = 4  # frames that are decoded before they are wanted: 100 MB of pictures of 4K
BACK_S = 2.0  # decoding starts so long before the frame that is sought: of the first ones some may be broken
REACH_S = 5.0  # a leap into the footage may land so much before that
TRIES = 1000  # pieces of a damaged file that are passed over before its rest is given up
SHORT_S = 1.0  # footage may end so much before the end that its file announces

Decoded = Frame | End | Exception


class Decoding:
    """Decodes in a thread of its own that is never more than a few frames ahead."""

    def __init__(
        self, video: Video, since: float = 0.0, after: FramePlace | None = None, *, small: bool = False
    ) -> None:
        self.end = End(None)  # known when the frames have ended
        self._frames = _frames(video, since, after)
        self._small = small  # each frame is to come with its small picture, made in this thread too
        self._queue: Queue[Decoded] = Queue(AHEAD)
        self._stop = threading.Event()
        self.thread = threading.Thread(target=self._decode, name=f"decode {video.path.name}", daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self.thread.join()

    def __iter__(self) -> Iterator[Frame]:
        while True:
            found = self._queue.get()
            if isinstance(found, Exception):
                raise found
            if isinstance(found, End):
                self.end = found
                return
            yield found

    def _decode(self) -> None:
        try:
            for found in self._frames:
                self._put(self._seen(found) if self._small else found)
                if self._stop.is_set():
                    break
        except Exception as error:  # noqa: BLE001  raised again where the frames are used
            self._put(error)
        finally:
            self._frames.close()

    def _seen(self, found: Frame | End) -> Decoded:
        return replace(found, small=shrunk(found.picture)) if isinstance(found, Frame) else found

    def _put(self, found: Decoded) -> None:
        while not self._stop.is_set():
            try:
                self._queue.put(found, timeout=0.1)
            except Full:
                continue
            return


def _frames(video: Video, since: float, after: FramePlace | None) -> Generator[Frame | End, None, None]:
    reading = _FileReader(video, since)
    try:
        if after:
            reading.go_on(after)
        else:
            reading.leap()
        while frame := reading.next():
            yield frame
        yield End(reading.damage())
    finally:
        reading.capture.release()


class _FileReader:
    """A file being read: frames before `since` are passed over, and the others counted."""

    def __init__(self, video: Video, since: float) -> None:
        self.video = video
        self.since = since
        self.open()

    def open(self) -> None:
        self.capture = _opened(self.video.path)
        self.clock = VideoClock()
        self.number = 0

    def next(self, *, wanted: bool = True) -> Frame | None:
        """Give the next frame; without its picture where that is not wanted."""
        while self._grab():
            reading = self.capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            self.clock = self.clock.after(reading, self.video)
            if self.clock.t < self.since:
                continue
            self.number += 1
            if not wanted:
                return Frame(self.number, reading, self.clock, np.empty((0, 0, 3), np.uint8))
            whole, picture = self.capture.retrieve()
            if whole:
                return Frame(self.number, reading, self.clock, np.asarray(picture, np.uint8))
        return None

    def _grab(self) -> bool:
        """Go to the next frame that can be decoded: after a damaged stretch there may be more."""
        if self.capture.grab():
            return True
        return self.damage() is not None and any(self.capture.grab() for _ in range(TRIES))

    def damage(self) -> str | None:
        """Say what is missing if the footage ends here."""
        reached, announced = self.clock.t + 1 / self.video.fps, self.video.seconds
        if reached + SHORT_S >= announced:
            return None
        return f"the footage ends at {reached:.1f} s of {announced:.1f} s: the rest is damaged or missing"

    def leap(self) -> None:
        """Start shortly before `since`; what cannot be leapt into is read from its start."""
        if not self.video.timed or self.since <= 2 * BACK_S:
            return
        found = self._leapt(self.since)
        if found is None or not self.since - BACK_S - REACH_S <= found <= self.since:
            self.capture.release()
            self.open()

    def go_on(self, place: FramePlace) -> None:
        """Stand behind a place, so that the next frame is the one that came after it."""
        if self.video.timed and not place.clock.shift and place.reading > 2 * BACK_S and self._leap_to(place):
            self.clock, self.number = place.clock, place.number
            return
        self.capture.release()
        self.open()
        frame = None
        while self.number < place.number:
            frame = self.next(wanted=self.number + 1 == place.number)
            if frame is None:
                break
        if frame is None or frame.place() != place:
            raise PlaceLostError

    def _leap_to(self, place: FramePlace) -> bool:
        reading = self._leapt(place.reading)
        while reading is not None and reading < place.reading:
            reading = self._reading()
        if reading != place.reading:
            return False
        whole, picture = self.capture.retrieve()
        return bool(whole) and Frame(place.number, reading, place.clock, np.asarray(picture, np.uint8)).place() == place

    def _leapt(self, to: float) -> float | None:
        self.capture.set(cv2.CAP_PROP_POS_MSEC, (to - BACK_S) * 1000)
        return self._reading()

    def _reading(self) -> float | None:
        return self.capture.get(cv2.CAP_PROP_POS_MSEC) / 1000 if self.capture.grab() else None


def _opened(path: Path) -> cv2.VideoCapture:
    capture = open_capture(path)
    if capture is None:
        raise UsageError(f"{spelled(path)}: expected the video that was there, found none that opens; put it back")
    return capture
