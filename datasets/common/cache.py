"""Where fetched and drawn things lie, and how they are written: whole or not at all."""

import os
from pathlib import Path

import cv2
import numpy as np

from feltwatch.datasets.common.errors import DataError
from feltwatch.models import files
from feltwatch.vision.arrays import Pixels

BUNDLED = Path(__file__).parents[1] / "art"


def cache_dir() -> Path:
    """Give `$FELTWATCH_CACHE`, or `feltwatch` in the cache directory of the system."""
    if own := os.environ.get("FELTWATCH_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "feltwatch"


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; raises DataError where it cannot be written."""
    try:
        files.make_folder(path.parent)
        files.write_whole(path, data)
    except OSError as fault:
        raise DataError(f"{path}: cannot be written: {fault.strerror}") from fault


def check_writable(path: Path) -> None:
    """Refuse a place that cannot be written, before the work whose result goes there."""
    if not path.name or path.is_dir():
        raise DataError(f"{path}: cannot be written: expected the name of a file, found a directory")
    probe = path.with_name(f".probe-{path.name}")
    write_whole(probe, b"")
    probe.unlink()


def write_picture(path: Path, picture: Pixels, quality: int = 90) -> None:
    """Write a picture in the format its name says; quality counts for webp and jpg only."""
    options = {".webp": [cv2.IMWRITE_WEBP_QUALITY, quality], ".jpg": [cv2.IMWRITE_JPEG_QUALITY, quality]}
    done, data = cv2.imencode(path.suffix, picture, options.get(path.suffix, []))
    if not done:
        raise DataError(f"{path}: the picture cannot be encoded")
    write_whole(path, data.tobytes())


def picture_of(data: bytes, where: object) -> Pixels:
    """Decode a picture with whatever channels it has, eight bits each."""
    buffer = np.frombuffer(data, np.uint8)
    found = cv2.imdecode(buffer, cv2.IMREAD_UNCHANGED) if buffer.size else None
    if found is None:
        raise DataError(f"{where}: not a whole picture")
    if found.dtype != np.uint8:
        found = cv2.convertScaleAbs(found, alpha=1 / 257)
    if found.ndim == 2:
        found = cv2.cvtColor(found, cv2.COLOR_GRAY2BGR)
    return found.astype(np.uint8, copy=False)


def read_picture(path: Path) -> Pixels:
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise DataError(f"{path}: cannot be read: {fault.strerror}") from fault
    return picture_of(data, path)
