"""The image to calibrate on: a photograph, or the first good frame of a video, a stream or a device."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError, without_login
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.image_file import PictureError, read_picture, spelled

PICTURES = (b"\xff\xd8", b"\x89PNG", b"RIFF", b"BM", b"GIF8", b"II*\0", b"MM\0*", b"%PDF")
HEAD = 16  # bytes that identify the kind of a file
FLAT = 6.0  # standard deviation of grey levels below which a frame shows nothing
MOST_FRAMES = 100  # until one shows something
PATIENCE_MS = 10_000
OPENS = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, PATIENCE_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, PATIENCE_MS]


def first_image(source: str) -> Pixels:
    """Return an image of the table, or raise UsageError."""
    if is_live(source):
        return _first_good(_live(source), hidden(source))
    path = Path(source)
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"{spelled(source)}: expected an image, a video or a stream: {why}") from error
    if head.startswith(PICTURES) and not _is_avi(head):
        return _photograph(source)
    return _first_good(_video_frames(path), spelled(source))


def is_live(source: str) -> bool:
    return source.isdigit() or "://" in source


def hidden(source: str) -> str:
    """Write a source so that it can be shown: on one line, without the user and password of its URL."""
    return without_login(spelled(source))


def _is_avi(head: bytes) -> bool:
    return head.startswith(b"RIFF") and head[8:11] == b"AVI"


def _photograph(source: str) -> Pixels:
    try:
        return read_picture(source)
    except PictureError as error:
        raise UsageError(str(error)) from error


def _video_frames(path: Path) -> Iterator[Pixels]:
    from feltwatch.edge.video.decoder import Decoding  # noqa: PLC0415  a photograph needs none of it
    from feltwatch.edge.video.video_file import open_video  # noqa: PLC0415  as above

    with Decoding(open_video(path)) as frames:
        for frame in frames:
            yield frame.picture


def _live(source: str) -> Iterator[Pixels]:
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # our error line reports what is wrong with a stream
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    number = int(source) if source.isdigit() else None
    capture = cv2.VideoCapture(number) if number is not None else cv2.VideoCapture(source, cv2.CAP_FFMPEG, OPENS)
    try:
        if not capture.isOpened():
            what = f"no device {source}" if number is not None else "none that can be opened"
            raise UsageError(
                f"{hidden(source)}: expected a live camera, found {what}; check its address, its cable and its password"
            )
        while True:
            good, picture = capture.read()
            if not good:
                return
            yield np.asarray(picture, np.uint8)
    finally:
        capture.release()


def _first_good(frames: Iterator[Pixels], name: str) -> Pixels:
    """Give the first frame that shows something: a stream that is joined midway begins with grey."""
    count = 0
    with closing(frames):  # type: ignore[type-var]  # both are generators
        for picture in frames:
            if float(picture[::8, ::8].std()) > FLAT:
                return picture.copy()
            count += 1
            if count == MOST_FRAMES:
                break
    found = f"{count} frames of one colour" if count else "no frame"
    raise UsageError(
        f"{name}: expected an image that shows the table, found {found}; check the camera's lens and light"
    )
