"""`feltwatch detect`: pictures in; the cards, chips and hands on each out, as soon as it has been looked at."""

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from itertools import chain, count
from pathlib import Path

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.edge.wording import face
from feltwatch.engine.model.cards import Card
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.detections import Point, Quad, Seen, SeenCard
from feltwatch.vision.drawing.annotate import annotate
from feltwatch.vision.image_file import PictureError, read_picture, spelled


def detect(options: argparse.Namespace) -> int:
    """Look at each picture; give 2 if one was bad."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without suits gets their numbers
    look: Callable[[Pixels], Seen] | None = None
    bad = False
    for name, drawing in zip(options.images, _drawings(options), strict=True):
        try:
            picture = read_picture(name)
        except PictureError as error:
            bad = True
            if sys.stderr is not None:
                sys.stderr.write(f"feltwatch: {error}\n")
            continue
        look = look or _opened(options)
        seen = look(picture)
        if drawing is not None:
            _write(drawing, annotate(picture, seen))
        sys.stdout.write(_line(name, seen, drawing) if options.as_json else _text(name, seen))
        sys.stdout.flush()
    return 2 if bad else 0


def _opened(options: argparse.Namespace) -> Callable[[Pixels], Seen]:
    """Load the models: only for a picture that can be looked at."""
    from feltwatch.models.shipped.registry import ModelError  # noqa: PLC0415  with it comes the model runtime
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  as above

    try:
        return open_eyes(options.provider, options.threads).look
    except ModelError as error:
        raise UsageError(str(error)) from error


def _drawings(options: argparse.Namespace) -> Sequence[Path | None]:
    if options.annotate is None:
        return [None] * len(options.images)
    folder = Path(options.annotate)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--annotate {spelled(folder)}: expected a directory: {error.strerror}") from error
    return drawings(folder, options.images)


def drawings(folder: Path, names: Sequence[str]) -> list[Path]:
    """Give each picture a file of its own in the folder, none of which is one of the pictures."""
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


def _line(name: str, seen: Seen, drawing: Path | None) -> str:
    found: dict[str, object] = {
        "image": name,
        "cards": [
            {
                "card": card.face,
                "face": "up" if card.up else "down",
                "quad": _quad(card.quad),
                "confidence": _share(card.confidence),
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
    if drawing is not None:
        found["annotated"] = str(drawing)
    return json.dumps(found, separators=(",", ":")) + "\n"


def _quad(quad: Quad) -> list[list[float]]:
    return [_point(point) for point in quad]


def _point(point: Point) -> list[float]:
    return [_pixels(value) for value in point]


def _pixels(value: float) -> float:
    return round(float(value), 1) + 0.0  # no -0.0


def _share(value: float) -> float:
    return round(float(value), 4)


def _text(name: str, seen: Seen) -> str:
    counts = [_counted(len(seen.cards), "card"), _counted(len(seen.stacks), "stack") + " of chips"]
    if seen.hands:
        counts.append(_counted(len(seen.hands), "hand"))
    lines = [f"{spelled(name)}: {', '.join(counts)}"]
    lines += ["  " + " ".join(_face(card) for card in row) for row in rows(seen.cards)]
    return "".join(line + "\n" for line in lines)


def _counted(number: int, name: str) -> str:
    return f"{number or 'no'} {name}{'' if number == 1 else 's'}"


def _face(card: SeenCard) -> str:
    return face(Card.parse(card.face) if card.face else None, up=card.up)


def rows(cards: Sequence[SeenCard]) -> list[list[SeenCard]]:
    """Give the cards as one reads: rows from the top, each from the left."""
    if not cards:
        return []
    reach = float(np.median([np.ptp(np.array(card.quad)[:, 1]) for card in cards])) / 2
    found: list[list[SeenCard]] = []
    top = -np.inf
    for card in sorted(cards, key=lambda card: _middle(card)[1]):
        if _middle(card)[1] > top + reach:
            top = _middle(card)[1]
            found.append([])
        found[-1].append(card)
    return [sorted(row, key=lambda card: _middle(card)[0]) for row in found]


def _middle(card: SeenCard) -> Point:
    x, y = np.mean(card.quad, axis=0).tolist()
    return x, y
