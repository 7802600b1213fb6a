"""Photographs from disk, as a person sees them; and one clear line for a file that is none."""

import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.image_headers import Header, HeaderError, check_whole, orientation, read_header

MOST_PIXELS = 80_000_000  # 240 MB in memory
MOST_BYTES = 4 * MOST_PIXELS
LONGEST_SIDE = 32_000  # OpenCV warps no longer one

_NO_FILE = (
    (stat.S_ISDIR, "a directory; name the pictures in it"),
    (stat.S_ISFIFO, "a pipe; save the picture first"),
    (stat.S_ISSOCK, "a socket; save the picture first"),
    (stat.S_ISCHR, "a device; save the picture first"),
    (stat.S_ISBLK, "a device; save the picture first"),
)
_DAMAGE = re.compile("premature end|bad huffman|found marker", re.IGNORECASE)  # as the JPEG decoder words it
_EXIF = 0  # as OpenCV numbers what it finds beside the pixels
_FLIPS = {  # steps down and across that undo each EXIF orientation; from 5 on after rows and columns are swapped
    1: (1, 1),
    2: (1, -1),
    3: (-1, -1),
    4: (-1, 1),
    5: (1, 1),
    6: (1, -1),
    7: (-1, -1),
    8: (-1, 1),
}


class PictureError(ValueError):
    """A file that is no picture for us: its name, what was expected, what was found, what to do."""


def read_picture(path: str | Path) -> Pixels:
    """Read a photograph: turned as its EXIF says, and laid on white where it is transparent.

    While it is decoded nothing in this process can write to standard error.
    """
    try:
        data = _read(path)
        header = read_header(data)
        _check(header)
        check_whole(data, header)
        return _decode(data, header)
    except HeaderError as error:
        raise PictureError(f"{spelled(path)}: {error}") from error


def spelled(path: str | Path) -> str:
    """Write a path so that it stays on one line and any terminal can show it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(path))


def _read(path: str | Path) -> bytes:
    try:
        found = os.stat(path)  # noqa: PTH116  Path("") would be the directory we are in
        for is_such, name in _NO_FILE:
            if is_such(found.st_mode):  # opening a pipe could wait for ever
                raise HeaderError(f"expected a picture, found {name}")
        if found.st_size > MOST_BYTES:
            raise HeaderError(f"expected at most {MOST_BYTES} bytes, found {found.st_size}; make the picture smaller")
        return Path(path).read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise HeaderError(f"expected a picture that can be read, found none ({why}); check the path") from error


def _check(header: Header) -> None:
    size = f"{header.width} x {header.height}"
    if min(header.width, header.height) < 1:
        raise HeaderError(f"expected a picture, found an empty one of {size} pixels; save it anew")
    if header.width * header.height > MOST_PIXELS:
        limit = f"{MOST_PIXELS // 1_000_000} megapixels"
        raise HeaderError(f"expected at most {limit}, found {size} pixels; make the picture smaller")
    if max(header.width, header.height) > LONGEST_SIDE:
        raise HeaderError(f"expected sides of at most {LONGEST_SIDE} pixels, found {size}; make the picture smaller")
    if header.bits != 8:
        raise HeaderError(f"expected 8 bits a channel, found {header.bits}; save it with 8")
    if header.channels == 4:
        raise HeaderError("expected red, green and blue, found CMYK; save it as RGB")
    if header.channels != 3:
        raise HeaderError(
            f"expected a picture in colour, found a grey one ({header.channels} channel); take or save it in colour"
        )


def _decode(data: bytes, header: Header) -> Pixels:
    raw = np.frombuffer(data, np.uint8)
    with _overheard() as said:
        try:
            found = _laid_on_white(raw) if header.alpha else cv2.imdecode(raw, cv2.IMREAD_COLOR)
        except (cv2.error, MemoryError):
            found = None
        damaged = _DAMAGE.search(said())
    if found is None or damaged:
        raise HeaderError(f"expected a whole {header.kind}, found damaged data in it; copy it again, or save it anew")
    return np.ascontiguousarray(found, dtype=np.uint8)


def _laid_on_white(raw: Pixels) -> NDArray[np.generic] | None:
    """Decode a picture with transparent parts, which OpenCV neither lays on anything nor turns."""
    found, kinds, beside = cv2.imdecodeWithMetadata(raw, cv2.IMREAD_UNCHANGED)
    if found is None or found.ndim != 3 or found.shape[2] != 4 or found[..., 3].min() == 255:
        return cv2.imdecode(raw, cv2.IMREAD_COLOR)
    alpha = found[..., 3:].astype(np.uint16)
    laid = ((found[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
    exif = dict(zip(kinds, beside, strict=True)).get(_EXIF)
    held = 1 if exif is None else orientation(exif.tobytes())
    if held >= 5:
        laid = laid.transpose(1, 0, 2)
    down, across = _FLIPS[held]
    return laid[::down, ::across]


@contextmanager
def _overheard() -> Iterator[Callable[[], str]]:
    """Catch what the decoders' C code writes to standard error: it belongs in our one line, or nowhere."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept, heard = os.dup(2), os.memfd_create("heard")
    except (OSError, AttributeError):  # this process has no standard error, or this system no such files
        yield str
        return
    os.dup2(heard, 2)
    try:
        yield lambda: os.pread(heard, 65_536, 0).decode("latin-1")
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(heard)
