"""`feltwatch run`: a camera through the pipeline; events and verdicts on standard output as they happen.

A frame that comes while the one before it is still being looked at takes its place: the watching is never behind.
"""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Protocol, TextIO

import cv2
import numpy as np

from edge.decoding import Decoding
from edge.journal import Fact, Journal, utc
from edge.replay import Stop, eyes_desk, stopping
from edge.replay_film import json_line
from edge.replay_state import Opener, Step, Watching
from edge.table_file import TableFile, read_table
from edge.usage import UsageError
from edge.video import hush, open_video
from engine.verdicts import encode
from vision.attention import shrunk
from vision.pictures import Picture

EVERY_S = 60.0  # between two words on dropped frames
LOOK_S = 0.2  # between two looks at whether to stop
PATIENCE_MS = 10_000  # for a camera in the network to answer
AGAIN_S = (1.0, 2.0, 5.0, 10.0, 30.0)  # waits before a lost camera is tried once more
RTSP = "rtsp_transport;tcp"  # a packet that is lost in UDP is a grey smear on the felt


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture, and when it was taken: seconds from the start."""

    t: float
    picture: Picture
    small: Picture | None = None  # as attention sees it, if that was made on the way


class Newest:
    """Holds one picture, the newest; what it replaces unseen is dropped, and counted."""

    def __init__(self) -> None:
        self.came = 0
        self.dropped = 0
        self._shot: Shot | None = None
        self._over = False
        self._fault: Exception | None = None
        self._news = threading.Condition()

    def put(self, shot: Shot) -> None:
        with self._news:
            self.came += 1
            self.dropped += self._shot is not None
            self._shot = shot
            self._news.notify()

    def end(self, fault: Exception | None = None) -> None:
        """Say that nothing more comes; the last picture is still given."""
        with self._news:
            self._over, self._fault = True, fault
            self._news.notify()

    def shots(self, stop: Callable[[], bool]) -> Iterator[Shot]:
        """Give the newest picture each time that one is asked for, waiting for it."""
        while not stop():
            with self._news:
                if self._shot is None and not self._over:
                    self._news.wait(LOOK_S)
                shot, self._shot = self._shot, None
            if shot is not None:
                yield shot
            elif self._over:
                if self._fault is not None:
                    raise self._fault
                return


class Source(Protocol):
    """A camera: puts what it takes, until there is no more or it is asked to stop."""

    def read(self, newest: Newest, stop: threading.Event) -> None: ...


class FileSource:
    """Footage as if it were being taken now."""

    def __init__(self, path: Path, now: Callable[[], float] = monotonic) -> None:
        self.video = open_video(path)
        self.now = now

    def read(self, newest: Newest, stop: threading.Event) -> None:
        start: float | None = None
        with Decoding(self.video, small=True) as frames:
            for frame in frames:
                start = self.now() - frame.t if start is None else start
                if stop.wait(max(0.0, start + frame.t - self.now())):
                    return
                newest.put(Shot(frame.t, frame.picture, frame.small))


class CameraSource:
    """A device or a stream. One that is lost is tried again until it is back."""

    def __init__(self, source: str, where: str, now: Callable[[], float] = monotonic) -> None:
        self.source, self.where, self.now = source, where, now
        self.capture = self._opened()
        if self.capture is None:
            raise UsageError(f"{where}: camera.source: expected a camera that answers, found none; check it is there")

    def read(self, newest: Newest, stop: threading.Event) -> None:
        start = self.now()
        lost = 0
        while not stop.is_set():
            if self.capture is not None and self.capture.grab():
                t = round(self.now() - start, 3)
                whole, picture = self.capture.retrieve()
                if whole:
                    taken = np.asarray(picture, np.uint8)
                    newest.put(Shot(t, taken, shrunk(taken)))
                    lost = 0
                    continue
            self._close()
            _say(f"{self.where}: the camera is lost; trying again")
            if stop.wait(AGAIN_S[min(lost, len(AGAIN_S) - 1)]):
                break
            lost += 1
            self.capture = self._opened()
        self._close()

    def _opened(self) -> cv2.VideoCapture | None:
        hush()
        if self.source.isdigit():
            found = cv2.VideoCapture(int(self.source))
        else:
            os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", RTSP)
            patience = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, PATIENCE_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, PATIENCE_MS]
            found = cv2.VideoCapture(self.source, cv2.CAP_FFMPEG, patience)
        return found if found.isOpened() else None

    def _close(self) -> None:
        if self.capture is not None:
            self.capture.release()
            self.capture = None


class Telling:
    """Says what happens as it happens; where there is a journal, nothing is said that is not on disk."""

    def __init__(self, out: TextIO, journal: Journal | None = None, now: Callable[[], str] = utc) -> None:
        self.out, self.journal, self.now = out, journal, now

    def tell(self, step: Step) -> None:
        facts = [Fact("event", json_line(event).rstrip()) for event in step.events]
        facts += [Fact("verdict", encode(verdict)) for verdict in step.verdicts]
        if not facts:
            return
        if self.journal is not None:
            self.journal.add(self.now(), facts)
        self.out.write("".join(f"{fact.body}\n" for fact in facts))
        self.out.flush()


def run(options: argparse.Namespace, opener: Opener = eyes_desk) -> int:
    """Watch until the camera's footage ends, the time is over, or a signal says so."""
    table = read_table(Path(options.table))
    source = source_of(table)
    desk = opener(options.provider, options.threads)
    journal = Journal(Path(options.journal), table.id) if options.journal else None
    told = Telling(sys.stdout, journal)
    try:
        with stopping() as stop:
            watch(source, lambda size: desk.begin(table, size), stop, told, options.seconds)
    finally:
        if journal is not None:
            journal.close()
    return 0


def source_of(table: TableFile) -> Source:
    """Open the camera that a table's file names."""
    source = table.source
    if not source:
        raise UsageError(
            f"{table.path}: camera.source: expected a URL, a device's number or a file, found none; name the camera"
        )
    if source.isdigit() or "://" in source:
        return CameraSource(source, str(table.path))
    beside = table.path.parent / source
    return FileSource(beside if beside.exists() else Path(source))


def watch(
    source: Source,
    begin: Callable[[tuple[int, int]], Watching],
    stop: Stop,
    out: Telling,
    seconds: float | None = None,
) -> Newest:
    """Look at the newest picture, again and again."""
    newest, enough = Newest(), threading.Event()
    reader = threading.Thread(target=_read, args=(source, newest, enough), name="camera", daemon=True)
    reader.start()
    drops = _Drops(newest)
    pipeline: Watching | None = None
    size = (0, 0)
    doubts: tuple[str, ...] = ()
    try:
        for shot in newest.shots(stop):
            if seconds is not None and shot.t >= seconds:
                break
            found = (shot.picture.shape[1], shot.picture.shape[0])
            if pipeline is None:
                pipeline, size = begin(found), found
            if found != size:
                told = [f"{width} x {height}" for width, height in (size, found)]
                raise UsageError(f"the camera: expected pictures of {told[0]}, found {told[1]}; calibrate it again")
            out.tell(pipeline.step(shot.t, shot.picture, shot.small))
            doubts = _told(pipeline.watcher.view().doubts, doubts)
            drops.tell(shot.t)
    finally:
        enough.set()
        reader.join(PATIENCE_MS / 1000 + 1)  # Python would end a thread that still decodes in the midst of it, and abort
    if pipeline is not None:
        out.tell(pipeline.finish())
    drops.tell_all()
    return newest


def _read(source: Source, newest: Newest, stop: threading.Event) -> None:
    try:
        source.read(newest, stop)
    except Exception as error:  # noqa: BLE001  raised again where the pictures are used
        newest.end(error)
    else:
        newest.end()


def _told(doubts: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    """Say the doubts that are new."""
    for one in doubts:
        if one not in before:
            _say(one)
    return doubts


class _Drops:
    """Says once a minute how many frames were dropped, and at the end."""

    def __init__(self, newest: Newest) -> None:
        self.newest = newest
        self.told = (0, 0)
        self.next = EVERY_S

    def tell(self, t: float) -> None:
        if t < self.next:
            return
        self.next = t + EVERY_S
        came, dropped = self.newest.came, self.newest.dropped
        if dropped > self.told[1]:
            _say(f"{dropped - self.told[1]} of {came - self.told[0]} frames dropped in the last minute")
        self.told = (came, dropped)

    def tell_all(self) -> None:
        if self.newest.dropped:
            _say(f"{self.newest.dropped} of {self.newest.came} frames dropped in all")


def _say(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"feltwatch: {text}\n")
        sys.stderr.flush()
