"""Draws evidence: the still of an alert, the frames of its clip, and the frames of the annotated video."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from feltwatch.edge.video.webm import Shot, webm
from feltwatch.edge.wording import clock, cure
from feltwatch.engine.model.verdicts import Alert
from feltwatch.vision.arrays import Colour, Pixels
from feltwatch.vision.drawing.overlay import captioned, close_up, noted, overlay, scaled
from feltwatch.vision.drawing.view import TableView

CLIP_HEIGHT = 540  # pixels
RING_QUALITY, CLIP_QUALITY, STILL_QUALITY = 88, 32, 92
CAPTION_LINES = 4

COLOURS: Mapping[str, Colour] = {"void": (60, 20, 170), "stop": (40, 40, 220), "correct": (20, 140, 240)}
BEFORE_ALERT: Colour = (120, 120, 120)  # of the caption in a clip

TimeText = Callable[[float], str]  # writes the time of a frame for people


@dataclass(frozen=True, slots=True)
class SmallFrame:
    """A frame made small for a clip, with what was recognised in it."""

    t: float
    jpeg: bytes
    scale: float  # of the small frame to the full one
    size: tuple[int, int]  # of the small frame
    view: TableView


@dataclass(frozen=True, slots=True)
class ClipFrame:
    """A frame as a clip shows it."""

    shot: Shot
    size: tuple[int, int]


def draw_frame(image: Pixels, view: TableView, t: float, notes: Sequence[str] = ()) -> Pixels:
    """Draw a frame of the annotated video: what was recognised, the time, and a few lines; on a copy."""
    return noted(overlay(image, view), clock(t), (*view.doubts, *notes))


def small_size(image: Pixels) -> tuple[tuple[int, int], float]:
    """Give the size of a frame in a clip, and its scale to the full frame."""
    scale = min(1.0, CLIP_HEIGHT / image.shape[0])
    return (_even(image.shape[1] * scale), _even(image.shape[0] * scale)), scale


def _even(length: float) -> int:
    return max(2, round(length / 2) * 2)


def shrink(t: float, image: Pixels, view: TableView) -> SmallFrame:
    """Make a frame small enough to keep some seconds of them in memory."""
    size, scale = small_size(image)
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    jpeg = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, RING_QUALITY])[1].tobytes()
    return SmallFrame(t, jpeg, scale, size, view)


def draw_still(alert: Alert, t: float, image: Pixels, view: TableView, time_text: TimeText = clock) -> bytes:
    """Draw the still of an alert, as a JPEG."""
    sheet = captioned(
        overlay(image, view, alert.evidence),
        _head(alert, time_text(t)),
        [alert.says, cure(alert.remedy)],
        COLOURS[alert.severity],
        inset=close_up(image, view, alert.evidence),
    )
    return cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, STILL_QUALITY])[1].tobytes()


def draw_clip_frame(frame: SmallFrame, alert: Alert, raised: float, time_text: TimeText = clock) -> ClipFrame:
    """Draw one frame of a clip; `raised` is the time of the alert's frame."""
    small = np.asarray(cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    sheet = overlay(small, scaled(frame.view, frame.scale), alert.evidence, every_face=False)
    colour = COLOURS[alert.severity] if frame.t >= raised else BEFORE_ALERT
    sheet = captioned(sheet, _head(alert, time_text(frame.t)), [alert.says], colour, room=CAPTION_LINES)
    webp = cv2.imencode(".webp", sheet, [cv2.IMWRITE_WEBP_QUALITY, CLIP_QUALITY])[1].tobytes()
    return ClipFrame(Shot(frame.t, webp), (sheet.shape[1], sheet.shape[0]))


def encode_clip(frames: Sequence[ClipFrame]) -> bytes:
    """Give the WebM file of frames in the order of their time."""
    return webm([one.shot for one in frames], frames[-1].size)


def _head(alert: Alert, time_text: str) -> str:
    return f"{time_text}   {alert.severity.upper()}   {alert.code}   {alert.book} {alert.clause}"
