"""The annotated video: what was recognised in each frame, drawn once all of the video was analysed."""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.edge.evidence.render import draw_frame
from feltwatch.edge.replay.checkpoint import unpickled
from feltwatch.edge.replay.job import InterruptedReplayError
from feltwatch.edge.replay.output import unwritable
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import RATES, Video, open_capture
from feltwatch.engine.model.verdicts import Alert, Verdict
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.drawing.view import TableView
from feltwatch.vision.image_file import spelled

NAME = "annotated.mp4"
CODEC = "mp4v"  # MPEG-4: in every OpenCV, the same bytes each time, 100 frames of 1080p a second on two cores
SHOWN_S = 6.0  # an alert stays in the image
MOST_FPS = 60.0


@dataclass(frozen=True, slots=True)
class AnnotatedFrame:
    """What was recognised in one frame."""

    t: float
    view: TableView
    says: tuple[str, ...]  # new alerts


def remember(t: float, view: TableView | None, verdicts: Sequence[Verdict]) -> bytes:
    """Encode the view of a frame and its new alerts; a view of None repeats the one before."""
    says = tuple(f"{one.severity.upper()} {one.code} ({one.clause})" for one in verdicts if isinstance(one, Alert))
    return pickle.dumps((t, view, says), pickle.HIGHEST_PROTOCOL)


def remembered(path: Path) -> Iterator[AnnotatedFrame]:
    """Decode the views of all frames from their file."""
    last = TableView()
    with path.open("rb") as file:
        for found in unpickled(file):
            if isinstance(found, tuple):
                t, view, says = found
                last = last if view is None else view
                yield AnnotatedFrame(t, last, says)


def annotated(
    part: Path, video: Video, since: float, seen: Iterable[AnnotatedFrame], go_on: Callable[[float], bool]
) -> None:
    """Draw every frame again, at the footage's own pace: where it has no frame, the last one stands."""
    path = part / NAME
    fps = min(max(video.fps, RATES[0]), MOST_FPS)
    size = (video.width - video.width % 2, video.height - video.height % 2)
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*CODEC), fps, size)
    if not writer.isOpened():
        raise UsageError(f"{spelled(path)}: expected OpenCV to write video in {CODEC}, found that it cannot")
    try:
        written = _write(writer, fps, _drawn(video, since, seen, go_on), size)
    finally:
        writer.release()
    _check_whole(path, written)


def _drawn(
    video: Video, since: float, seen: Iterable[AnnotatedFrame], go_on: Callable[[float], bool]
) -> Iterator[tuple[float, Pixels]]:
    notes: list[tuple[float, str]] = []
    with Decoding(video, since) as frames:
        for frame, one in zip(frames, seen, strict=False):
            if not go_on(one.t):
                raise InterruptedReplayError(f"{spelled(video.path)}: stopped while the annotated video was written")
            notes = [(t, text) for t, text in notes if one.t - t < SHOWN_S] + [(one.t, text) for text in one.says]
            yield one.t, draw_frame(frame.picture, one.view, one.t, [text for _, text in notes])


def _write(writer: cv2.VideoWriter, fps: float, drawn: Iterable[tuple[float, Pixels]], size: tuple[int, int]) -> int:
    """Write the frames at their times; give how many were written."""
    width, height = size
    written, first = 0, 0.0
    last: Pixels | None = None
    for t, picture in drawn:
        if last is None:
            first = t
        while last is not None and written < round((t - first) * fps):
            writer.write(last)
            written += 1
        last = np.ascontiguousarray(picture[:height, :width])
    if last is not None:
        writer.write(last)
        written += 1
    return written


def _check_whole(path: Path, written: int) -> None:
    """Open the video and count its frames: OpenCV does not report that it could not write."""
    capture = open_capture(path)
    found = 0
    if capture is not None:
        found = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        capture.release()
    if found != written:
        path.unlink(missing_ok=True)
        raise unwritable(path, OSError(ENOSPC, "the video was not written whole"))
