"""Opens a camera by its kind (network stream, device, or a video played at its own speed) and reads its frames."""

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

import cv2
import numpy as np

from feltwatch.edge.camera.feed import FrameSink, LiveFrame, Source, Timeouts
from feltwatch.edge.camera.freshness import Liveness
from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import RATES, USUAL_RATE, open_video, silence_libraries
from feltwatch.vision.motion.change_detector import shrunk

# A packet that is lost in UDP is a grey smear on the felt; and what a camera sends is known after a fifth of a second
STREAM: Final = "rtsp_transport;tcp|analyzeduration;200000"
PORTS: Final = {"rtsp": 554, "http": 80, "https": 443}
KNOCK: Final = "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\nUser-Agent: feltwatch\r\n\r\n"
PARTIAL: Final = (ord("P"), ord("B"))  # kinds of frames that are coded as what has changed
DEVICES: Final = "/dev/"
BUFFERS: Final = 2  # of a device: one that is filled while the other is read
RENEWED_S: Final = 60.0  # a stream that is late again so soon after it was reopened has no usable dates
BEHIND_S: Final = 1.0  # a film that cannot be played so fast goes on from where it is


def open_source(
    source: str, folder: Path, where: str, *, loop: bool = False, timeouts: Timeouts | None = None
) -> Source:
    """Give the camera that is named: a URL, a device or its number, or a film beside its table's file.

    A camera need not be there yet; a film must.
    """
    if not source:
        raise UsageError(f"{where}: expected a URL, a device's number or a file, found none; name the camera")
    if source.isdecimal() or "://" in source or source.startswith(DEVICES):
        return CameraSource(source, timeouts=timeouts)
    beside = folder / source
    return FileSource(beside if beside.exists() else Path(source), loop=loop)


class FileSource:
    """Footage as if it were being taken now; over and over, if that is wanted, with time going on."""

    def __init__(self, path: Path, *, loop: bool = False, now: Callable[[], float] = monotonic) -> None:
        self.video = open_video(path)
        self.loop, self.now = loop, now

    def read(self, sink: FrameSink, stop: threading.Event) -> None:
        start, first = self.now(), 0.0
        while not stop.is_set():
            last = 0.0
            with Decoding(self.video, small=True) as frames:
                for frame in frames:
                    assert frame.small is not None  # noqa: S101  it was asked for
                    last = frame.t
                    start += max(0.0, self.now() - (start + first + frame.t) - BEHIND_S)
                    if stop.wait(max(0.0, start + first + frame.t - self.now())):
                        return
                    sink.put(LiveFrame(first + frame.t, self.now(), frame.picture, frame.small))
            if not self.loop:
                return
            first = round(first + last + 1 / self.video.fps, 3)


class CameraSource:
    """A device or a stream. One that is lost, or was never there, is tried again until it is back."""

    def __init__(self, source: str, *, timeouts: Timeouts | None = None, now: Callable[[], float] = monotonic) -> None:
        self.source, self.now = source, now
        self.timeouts = timeouts or Timeouts()

    def read(self, sink: FrameSink, stop: threading.Event) -> None:
        reading = _CameraReader(self, sink, stop)
        lost = 0
        while not stop.is_set():
            given, renew = reading.read(self._opened())
            if renew or stop.is_set():
                continue
            sink.lost()
            lost = 0 if given else lost
            stop.wait(self.timeouts.again_s[min(lost, len(self.timeouts.again_s) - 1)])
            lost += 1

    def _opened(self) -> cv2.VideoCapture | None:
        silence_libraries()
        if not answers(self.source, self.timeouts.open_s):
            return None
        try:
            found = self._found()
        except cv2.error:
            return None
        return found if found.isOpened() else None

    def _found(self) -> cv2.VideoCapture:
        if "://" in self.source:
            os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", STREAM)
            waits = {
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC: self.timeouts.open_s,
                cv2.CAP_PROP_READ_TIMEOUT_MSEC: self.timeouts.read_s,
            }
            limits = [number for name, seconds in waits.items() for number in (name, round(seconds * 1000))]
            return cv2.VideoCapture(self.source, cv2.CAP_FFMPEG, limits)
        found = cv2.VideoCapture(int(self.source) if self.source.isdecimal() else self.source, cv2.CAP_V4L2)
        found.set(cv2.CAP_PROP_BUFFERSIZE, BUFFERS)
        return found


class _CameraReader:
    """Reads one connection after another."""

    def __init__(self, camera: CameraSource, sink: FrameSink, stop: threading.Event) -> None:
        self.camera, self.sink, self.stop = camera, sink, stop
        self.start = camera.now()
        self.renewed: float | None = None  # when a connection was given up because what came was late

    def read(self, capture: cv2.VideoCapture | None) -> tuple[bool, bool]:
        """Give pictures until there are no more; say whether there were any, and whether to reopen it at once."""
        if capture is None:
            return False, False
        try:
            return self._read(capture)
        finally:
            capture.release()

    def _read(self, capture: cv2.VideoCapture) -> tuple[bool, bool]:
        stated = capture.get(cv2.CAP_PROP_FPS)
        liveness = Liveness(self.camera.timeouts, stated if RATES[0] <= stated <= RATES[1] else USUAL_RATE)
        given = False
        while not self.stop.is_set() and _grabbed(capture):
            taken = self.camera.now()
            found = liveness.judge(taken, capture.get(cv2.CAP_PROP_POS_MSEC) / 1000)
            if found == "live":
                if not self._give(capture, taken):
                    break
                given = True
                continue
            self.sink.old((int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))))
            if found == "behind" and self._may_renew(taken):
                self.renewed = taken
                return given, True
            if found == "behind":
                liveness.count()
        return given, False

    def _give(self, capture: cv2.VideoCapture, taken: float) -> bool:
        try:
            whole, found = capture.retrieve()
        except cv2.error:
            return False
        if whole:
            picture = np.asarray(found, np.uint8)
            key = int(capture.get(cv2.CAP_PROP_FRAME_TYPE)) not in PARTIAL
            self.sink.put(LiveFrame(round(taken - self.start, 3), taken, picture, shrunk(picture), key))
        return bool(whole)

    def _may_renew(self, now: float) -> bool:
        return self.renewed is None or now - self.renewed >= RENEWED_S


def answers(source: str, wait_s: float) -> bool:
    """Say whether a camera in the network is there at all.

    OpenCV opens one stream at a time in a process: while it waits for a camera that is dead, no other can come back.
    """
    try:
        url = urlsplit(source)
        if url.scheme not in PORTS or url.hostname is None:
            return True  # nothing is known of how it would answer
        with socket.create_connection((url.hostname, url.port or PORTS[url.scheme]), wait_s) as found:
            if url.scheme != "rtsp":
                return True
            found.sendall(KNOCK.encode("ascii"))
            return bool(found.recv(1))
    except (OSError, ValueError):  # ValueError: what is no port
        return False


def _grabbed(capture: cv2.VideoCapture) -> bool:
    try:
        return capture.grab()
    except cv2.error:
        return False
