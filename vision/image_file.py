"""Photographs from disk, as a person sees them; for a file that cannot be used, one clear line.

Pillow reads the header and the checksums, OpenCV decodes the pixels. Left alone, decoders turn grey and CMYK to colour,
16 bits to 8 and half a file to half an image without a word, and take the memory that a header asks for.
"""

import io
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageFile, ImageOps
from PIL.BmpImagePlugin import BmpImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.WebPImagePlugin import WebPImageFile

from feltwatch.vision.arrays import AnyArray, Pixels

MOST_PIXELS: Final = 80_000_000  # 240 MB in memory
AT_MOST: Final = f"expected at most {MOST_PIXELS // 1_000_000} megapixels"
MOST_BYTES: Final = 4 * MOST_PIXELS
LONGEST_SIDE: Final = 32_000  # OpenCV warps no longer one

_KINDS: Final[dict[str, tuple[bytes, type[ImageFile.ImageFile], bytes]]] = {  # its first bytes, header, last bytes
    "JPEG": (rb"\xff\xd8", JpegImageFile, b"\xff\xd9"),
    "PNG": (rb"\x89PNG\r\n\x1a\n", PngImageFile, b"IEND\xaeB`\x82"),
    "WebP": (rb"RIFF....WEBP", WebPImageFile, b""),
    "BMP": (rb"BM", BmpImageFile, b""),
}
_BAD: Final = (SyntaxError, OSError, ValueError)  # what Pillow raises for a file that is damaged or cut short
_OTHER_KINDS: Final = (  # that people do send
    (0, b"GIF8", "a GIF"),
    (0, b"II*\0", "a TIFF"),
    (0, b"MM\0*", "a TIFF"),
    (0, b"\0\0\0\x0cjP", "a JPEG 2000"),
    (0, b"\xff\x0a", "a JPEG XL"),
    (0, b"%PDF", "a PDF"),
    (4, b"ftypavif", "an AVIF"),
    (4, b"ftypheic", "a HEIC"),
    (4, b"ftypheix", "a HEIC"),
    (4, b"ftypmif1", "a HEIC"),
    (4, b"ftyp", "a video"),
)
_NO_FILE: Final = (
    (stat.S_ISDIR, "a directory; name the pictures in it"),
    (stat.S_ISFIFO, "a pipe; save the picture first"),
    (stat.S_ISSOCK, "a socket; save the picture first"),
    (stat.S_ISCHR, "a device; save the picture first"),
    (stat.S_ISBLK, "a device; save the picture first"),
)
_DAMAGE: Final = re.compile("premature end|bad huffman|found marker", re.IGNORECASE)  # as the JPEG decoder words it


class PictureError(ValueError):
    """A file that is no usable photograph: its name, what was expected, what was found, what to do."""


class _FaultError(Exception):
    """What is wrong with a file, without its name."""


def read_picture(path: str | Path) -> Pixels:
    """Read a photograph: turned as its EXIF says, and laid on white where it is transparent.

    While it is decoded nothing in this process can write to standard error.
    """
    try:
        data = _read(path)
        kind, image = _opened(data)
        _check(kind, image)
        _check_whole(data, kind, image)
        return _decoded(data, kind, image)
    except _FaultError as error:
        raise PictureError(f"{spelled(path)}: {error}") from error


def spelled(path: str | Path) -> str:
    """Write a path so that it stays on one line and any terminal can show it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(path))


def _read(path: str | Path) -> bytes:
    try:
        found = os.stat(path)  # noqa: PTH116  Path("") would be the current directory
        for is_such, name in _NO_FILE:
            if is_such(found.st_mode):  # opening a pipe could wait for ever
                raise _FaultError(f"expected a picture, found {name}")
        if found.st_size > MOST_BYTES:
            raise _FaultError(f"expected at most {MOST_BYTES} bytes, found {found.st_size}; make the picture smaller")
        return Path(path).read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise _FaultError(f"expected a picture that can be read, found none ({why}); check the path") from error


def _opened(data: bytes) -> tuple[str, ImageFile.ImageFile]:
    """Read the header; Pillow decodes no pixel yet."""
    for kind, (mark, header, _) in _KINDS.items():
        if re.match(mark, data, re.DOTALL):
            try:
                return kind, header(io.BytesIO(data))
            except Image.DecompressionBombError as error:
                raise _FaultError(f"{AT_MOST}, found {error}; make the picture smaller") from error
            except _BAD as error:
                raise _FaultError(
                    f"expected a whole {kind}, found a header that is damaged, empty or cut short after {len(data)} "
                    "bytes; copy it again"
                ) from error
    raise _FaultError(f"expected a JPEG, PNG, WebP or BMP picture, found {_other(data)}")


def _other(data: bytes) -> str:
    if not data:
        return "an empty file; copy it again"
    for at, mark, name in _OTHER_KINDS:
        if data.startswith(mark, at):
            return f"{name}; save it as JPEG or PNG"
    head = data[:512]
    if all(byte >= 32 or byte in b"\t\n\f\r\x1b" for byte in head):
        return "text; check that this is the right file"
    return f"bytes of no known kind ({head[:4].hex(' ')}); check that this is the right file"


def _check(kind: str, image: ImageFile.ImageFile) -> None:
    size = f"{image.width} x {image.height}"
    if image.width * image.height > MOST_PIXELS:
        raise _FaultError(f"{AT_MOST}, found {size} pixels; make the picture smaller")
    if max(image.size) > LONGEST_SIDE:
        raise _FaultError(f"expected sides of at most {LONGEST_SIDE} pixels, found {size}; make the picture smaller")
    stored = re.search(r";(1[56])", str(image.tile))  # Pillow itself would round 16 bits to 8
    if stored:
        found = "16" if kind == "PNG" else "5"
        raise _FaultError(f"expected 8 bits a channel, found {found}; save it with 8")
    if image.mode == "CMYK":
        raise _FaultError("expected red, green and blue, found CMYK; save it as RGB")
    if image.mode in ("1", "L", "LA", "I", "I;16") or (image.mode == "P" and _is_grey(image)):
        raise _FaultError("expected a picture in colour, found a grey one; take or save it in colour")


def _is_grey(image: ImageFile.ImageFile) -> bool:
    """True where every colour of the palette is a grey."""
    if image.palette is None:
        return True
    colours, step = image.palette.palette, len(image.palette.rawmode or image.palette.mode)
    return colours[0::step] == colours[1::step] == colours[2::step]


def _check_whole(data: bytes, kind: str, image: ImageFile.ImageFile) -> None:
    """Refuse a file that ends too early, or whose own checksums are wrong."""
    whole = _KINDS[kind][2] in data
    for codec, _, start, how in image.tile:
        if codec == "raw" and isinstance(how, tuple):  # BMP: rows of so many bytes
            whole = len(data) >= start + how[1] * image.height
    if not whole:
        raise _FaultError(f"expected a whole {kind}, found one cut short after {len(data)} bytes; copy it again")
    if kind == "PNG":
        try:
            _KINDS[kind][1](io.BytesIO(data)).verify()  # of its own: an image that was verified cannot be decoded
        except _BAD as error:
            raise _FaultError(f"expected a whole PNG, found damaged data in it ({error}); copy it again") from error


def _decoded(data: bytes, kind: str, image: ImageFile.ImageFile) -> Pixels:
    with _recorded_complaints() as complaints:
        try:
            found = _laid_on_white(image) if image.has_transparency_data else _by_opencv(data)
        except (*_BAD, cv2.error, MemoryError):
            found = None
        damaged = _DAMAGE.search(complaints())
    if found is None or damaged:
        raise _FaultError(f"expected a whole {kind}, found damaged data in it; copy it again, or save it again")
    return np.ascontiguousarray(found, dtype=np.uint8)


def _by_opencv(data: bytes) -> AnyArray | None:
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


def _laid_on_white(image: Image.Image) -> AnyArray | None:
    with warnings.catch_warnings(), suppress(*_BAD):  # a torn EXIF block turns nothing
        warnings.simplefilter("ignore")
        image = ImageOps.exif_transpose(image)
    white = Image.new("RGBA", image.size, "white")
    white.alpha_composite(image.convert("RGBA"))
    return np.asarray(white)[..., 2::-1]


@contextmanager
def _recorded_complaints() -> Iterator[Callable[[], str]]:
    """Catch what the decoders' C code writes to standard error: it belongs in the one line of the error, or nowhere."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept, complaints = os.dup(2), os.memfd_create("complaints")
    except (OSError, AttributeError):  # this process has no standard error, or this system no such files
        yield str
        return
    os.dup2(complaints, 2)
    try:
        yield lambda: os.pread(complaints, 65_536, 0).decode("latin-1")
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(complaints)
