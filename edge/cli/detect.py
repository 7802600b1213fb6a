"""`feltwatch detect`: images and videos in; the cards, chips and hands in each frame out, as soon as it is analysed."""

import argparse
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from glob import glob, has_magic
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import open_video
from feltwatch.edge.wording import face
from feltwatch.engine.model.cards import Card
from feltwatch.vision.arrays import Pixels, Point, Quad
from feltwatch.vision.detection.detections import SMALL_PX, DetectedCard, Detections
from feltwatch.vision.drawing.annotate import annotate
from feltwatch.vision.image_file import PictureError, read_picture, spelled

IMAGES = (".bmp", ".jpeg", ".jpg", ".png", ".webp")
VIDEOS = (".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ts", ".webm")
UNREAD = {
    "small": f"too small to read (less than {SMALL_PX:.0f} pixels tall): use more pixels, or a closer camera",
    "covered": "partly covered",
    "uncertain": "not certain enough to report",
}


class _Image(NamedTuple):
    name: str
    t: float | None  # of a video's frame
    picture: Pixels
    drawing: Path | None  # where to write what was found


def detect(options: argparse.Namespace) -> int:
    """Look at each image and video; give 2 if one was bad."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without suits gets their numbers
    look: Callable[[Pixels], Detections] | None = None
    faults: list[str] = []
    for frame in _frames(options, faults):
        look = look or _opened(options)
        seen = look(frame.picture)
        if frame.drawing is not None:
            _write(frame.drawing, annotate(frame.picture, seen))
        sys.stdout.write(_line(frame, seen) if options.as_json else _text(frame, seen))
        sys.stdout.flush()
    return 2 if faults else 0


def _frames(options: argparse.Namespace, faults: list[str]) -> Iterator[_Image]:
    """Give the images, and a frame of each video now and then. A bad file is reported; the others still come."""
    names = []
    for given in options.images:
        try:
            names += files_of(given)
        except PictureError as error:
            _report(error, faults)
    for name, drawing in zip(names, _drawings(options, names), strict=True):
        try:
            if Path(name).suffix.lower() in VIDEOS:
                yield from _frames_of_video(name, drawing, options.every)
            else:
                yield _Image(name, None, read_picture(name), drawing)
        except (PictureError, VideoError) as error:
            _report(error, faults)


def files_of(given: str) -> list[str]:
    """Give the files that an argument names: a file, the images and videos of a folder, or what a pattern matches."""
    if Path(given).is_dir():
        found = [str(path) for path in Path(given).iterdir() if path.suffix.lower() in IMAGES + VIDEOS]
        if not found:
            raise PictureError(f"{spelled(given)}: expected a folder with images or videos, found none in it")
        return sorted(found)
    if has_magic(given) and not Path(given).exists():
        if not (found := glob(given, recursive=True)):  # noqa: PTH207  Path.glob takes no absolute pattern
            raise PictureError(f"{spelled(given)}: expected a pattern that matches files, found none")
        return sorted(found)
    return [given]


def _frames_of_video(name: str, drawing: Path | None, every_s: float) -> Iterator[_Image]:
    """Give the frames of a video that lie at least so many seconds apart."""
    due = 0.0
    try:
        with Decoding(open_video(Path(name))) as decoding:
            for frame in decoding:
                if frame.t >= due:
                    due = frame.t + every_s
                    own = None if drawing is None else drawing.with_stem(f"{drawing.stem}-{frame.t:07.2f}s")
                    yield _Image(name, frame.t, frame.picture, own)
        if decoding.end.damage:
            raise VideoError(f"{spelled(name)}: {decoding.end.damage}")
    except UsageError as error:
        raise VideoError(str(error)) from error


class VideoError(ValueError):
    """One line for a person: what is wrong with a video."""


def _report(error: Exception, faults: list[str]) -> None:
    faults.append(str(error))
    if sys.stderr is not None:
        sys.stderr.write(f"feltwatch: {error}\n")


def _opened(options: argparse.Namespace) -> Callable[[Pixels], Detections]:
    """Load the models: only for a picture that can be looked at."""
    from feltwatch.models.shipped.registry import ModelError  # noqa: PLC0415  with it comes the model runtime
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  as above

    try:
        return open_eyes(options.provider, options.threads).look
    except ModelError as error:
        raise UsageError(str(error)) from error


def _drawings(options: argparse.Namespace, names: Sequence[str]) -> Sequence[Path | None]:
    if options.annotate is None:
        return [None] * len(names)
    folder = Path(options.annotate)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--annotate {spelled(folder)}: expected a directory: {error.strerror}") from error
    return drawings(folder, names)


def drawings(folder: Path, names: Sequence[str]) -> list[Path]:
    """Give each picture a file of its own in the folder; never one of the pictures themselves."""
    taken = {_same(name) for name in names}
    found = []
    for name in names:
        tries = (folder / f"{Path(name).stem}{more}.png" for more in chain([""], (f"-{n}" for n in count(2))))
        found.append(next(one for one in tries if _same(one) not in taken))
        taken.add(_same(found[-1]))
    return found


def _same(path: str | Path) -> str:
    """Give what two paths share that lead to one file, also where case does not count."""
    return os.path.realpath(path).casefold()


def _write(path: Path, picture: Pixels) -> None:
    try:
        path.write_bytes(cv2.imencode(".png", picture)[1].tobytes())
    except OSError as error:
        raise UsageError(f"{spelled(path)}: cannot be written ({error.strerror})") from error


def _line(frame: _Image, seen: Detections) -> str:
    found: dict[str, object] = {
        "image": frame.name,
        **({} if frame.t is None else {"t": frame.t}),
        "cards": [
            {
                "card": card.face,
                "face": "up" if card.up else "down",
                "quad": _quad(card.quad),
                "confidence": _share(card.confidence),
                **({"unread": card.unread} if card.unread else {}),
            }
            for card in seen.cards
        ],
        "chips": [
            {
                "center": _point(stack.center),
                "radius": _pixels(stack.radius),
                "confidence": _share(stack.confidence),
            }
            for stack in seen.stacks
        ],
        "hands": [{"quad": _quad(hand.quad), "confidence": _share(hand.confidence)} for hand in seen.hands],
    }
    if frame.drawing is not None:
        found["annotated"] = str(frame.drawing)
    return json.dumps(found, separators=(",", ":")) + "\n"


def _quad(quad: Quad) -> list[list[float]]:
    return [_point(point) for point in quad]


def _point(point: Point) -> list[float]:
    return [_pixels(value) for value in point]


def _pixels(value: float) -> float:
    return round(float(value), 1) + 0.0  # no -0.0


def _share(value: float) -> float:
    return round(float(value), 4)


def _text(frame: _Image, seen: Detections) -> str:
    counts = [_counted(len(seen.cards), "card"), _counted(len(seen.stacks), "stack") + " of chips"]
    if seen.hands:
        counts.append(_counted(len(seen.hands), "hand"))
    where = spelled(frame.name) if frame.t is None else f"{spelled(frame.name)} at {frame.t:.2f} s"
    lines = [f"{where}: {', '.join(counts)}"]
    lines += ["  " + " ".join(_face(card) for card in row) for row in rows(seen.cards)]
    unread = Counter(card.unread for card in seen.cards if card.unread)
    lines += [f"  ?? {_counted(unread[why], 'card')} {text}" for why, text in UNREAD.items() if unread[why]]
    return "".join(line + "\n" for line in lines)


def _counted(number: int, name: str) -> str:
    return f"{number or 'no'} {name}{'' if number == 1 else 's'}"


def _face(card: DetectedCard) -> str:
    return face(Card.parse(card.face) if card.face else None, up=card.up)


def rows(cards: Sequence[DetectedCard]) -> list[list[DetectedCard]]:
    """Give the cards as one reads: rows from the top, each from the left."""
    if not cards:
        return []
    reach = float(np.median([np.ptp(np.array(card.quad)[:, 1]) for card in cards])) / 2
    found: list[list[DetectedCard]] = []
    top = -np.inf
    for card in sorted(cards, key=lambda card: _middle(card)[1]):
        if _middle(card)[1] > top + reach:
            top = _middle(card)[1]
            found.append([])
        found[-1].append(card)
    return [sorted(row, key=lambda card: _middle(card)[0]) for row in found]


def _middle(card: DetectedCard) -> Point:
    x, y = np.mean(card.quad, axis=0).tolist()
    return x, y
