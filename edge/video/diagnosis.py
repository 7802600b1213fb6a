"""What a file is that OpenCV cannot show: read from its own first words, so that one line can say what to do."""

import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2

from feltwatch.vision.arrays import PixelSize

HEAD = 1 << 20  # bytes in which Matroska and AVI name their tracks
INDEX = 64 << 20  # bytes of an MP4's index that are read
PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"BM", b"GIF8")
SOUNDS = (b"ID3", b"fLaC", b"\xff\xfb", b"\xff\xf3", b"\xff\xf1", b"\xff\xf9", b"#!AMR")
PACKED = ("expected a video in a codec that is there", "convert it, for example to H.264 in MP4")
PARAMETERS = {"h264": (0x1F, 0, (7,)), "avc1": (0x1F, 0, (7,)), "hevc": (0x7E, 1, (33,)), "hvc1": (0x7E, 1, (33,))}
START = re.compile(b"\x00\x00\x01")

Opener = Callable[[str, list[int]], cv2.VideoCapture]


def no_file(path: Path) -> str | None:
    """Say why there is nothing to be read at a path."""
    try:
        found = os.stat(path)  # noqa: PTH116  Path("") would be the directory we are in
        if stat.S_ISDIR(found.st_mode):
            return "expected a video, found a directory; name the videos in it"
        if not stat.S_ISREG(found.st_mode):
            return "expected a video in a file, found a device or a pipe; `feltwatch run` watches cameras"
        if not found.st_size:
            return "expected a video, found an empty file; copy it again"
        with path.open("rb"):
            return None
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        return f"expected a video that can be read, found none ({why}); check the path"


def is_picture(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8).startswith(PICTURES)


def diagnosis(path: Path) -> str:
    """Say of a file that OpenCV does not open what it is instead of a video."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head[4:8] in (b"ftyp", b"moov", b"mdat", b"free", b"wide", b"skip"):
        return _mp4(path)
    if head.startswith(b"\x1aE\xdf\xa3"):
        return _tracks("Matroska", re.findall(rb"\x86[\x80-\xff]([AV]_[A-Z0-9_/]+)", head), b"V_")
    if head.startswith(b"RIFF") and head[8:12] == b"AVI ":
        return _tracks("AVI", re.findall(rb"strh.{4}((?:vids|auds).{4})", head, re.DOTALL), b"vids")
    if head.startswith(SOUNDS) or (head.startswith(b"RIFF") and head[8:12] == b"WAVE"):
        return _sound()
    if head.startswith(b"OggS"):
        return "expected a video, found an Ogg without pictures that can be shown; name a video"
    return "expected a video, found another kind of file, or one damaged from its start; check that it is the right one"


def _sound() -> str:
    return "expected a video, found sound without pictures; name the file that has the pictures"


def _tracks(kind: str, names: list[bytes], video: bytes) -> str:
    pictures = [name for name in names if name.startswith(video)]
    if not names:
        return f"expected a video, found a {kind} file without tracks; it is damaged, or cut off: copy it again"
    if not pictures:
        return _sound()
    codec = pictures[0].removeprefix(video).decode("latin-1").strip(" \0")
    return f"{PACKED[0]}, found {_spelled(codec)} in {kind}, or no frame at all; {PACKED[1]}"


def _mp4(path: Path) -> str:
    index = next((body for name, body in _boxes(path) if name == b"moov"), None)
    if index is None:
        return "expected a video, found an MP4 without its index: it was cut off while it was written; copy it again"
    tracks = index.split(b"trak")[1:]
    pictures = [track for track in tracks if b"vide" in track]
    if not pictures:
        return _sound() if any(b"soun" in track for track in tracks) else "expected a video, found an MP4 without one"
    found = re.search(rb"stsd.{12}(.{4})", pictures[0], re.DOTALL)
    sizes = re.search(rb"stsz.{8}(.{4})", pictures[0], re.DOTALL)
    if found is None or (sizes and not int.from_bytes(sizes[1], "big")):
        return "expected a video, found one without frames; record it again"
    return f"{PACKED[0]}, found {_spelled(found[1].decode('latin-1'))} in MP4; {PACKED[1]}"


def _boxes(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Give the outer boxes of an MP4; of the one with the pictures only its name."""
    with path.open("rb") as file:
        end = path.stat().st_size
        at = 0
        while at + 8 <= end:
            file.seek(at)
            head = file.read(16)
            length, name = int.from_bytes(head[:4], "big"), head[4:8]
            if length == 1:
                length = int.from_bytes(head[8:16], "big")
            length = length if length >= 8 else end - at
            file.seek(at)
            yield name, file.read(min(length, INDEX)) if name == b"moov" else b""
            at += length


def _spelled(codec: str) -> str:
    return f"'{''.join(c if c.isprintable() else '?' for c in codec)}'"


def new_size(path: Path, opener: Opener) -> tuple[float, PixelSize] | None:
    """Give about when and to what the pictures change their size, for H.264 and H.265: both say so in their key frames.

    Nothing is decoded but the key frames that bring new parameters, each opened as a video of its own.
    """
    capture = opener(str(path.absolute()), [cv2.CAP_PROP_FORMAT, -1])
    codec = int(capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little").decode("latin-1").lower()
    if not capture.isOpened() or codec not in PARAMETERS:
        return None
    known: set[bytes] = set()
    first: PixelSize | None = None
    packets = 0
    try:
        while capture.grab():
            packets += 1
            if not capture.get(cv2.CAP_PROP_LRF_HAS_KEY_FRAME):
                continue
            whole, packet = capture.retrieve()
            data = packet.tobytes() if whole else b""
            parameters = _parameters(data, codec)
            if parameters <= known:
                continue
            known |= parameters
            size = _opened_size(data, codec, opener)
            first = first or size
            if size and size != first:
                return (packets - 1) / max(capture.get(cv2.CAP_PROP_FPS), 1.0), size
    finally:
        capture.release()
    return None


def _parameters(data: bytes, codec: str) -> set[bytes]:
    """Give the sets of parameters that a packet brings."""
    mask, shift, kinds = PARAMETERS[codec]
    units = START.split(data)[1:]
    return {unit.rstrip(b"\0") for unit in units if unit and (unit[0] & mask) >> shift in kinds}


def _opened_size(data: bytes, codec: str, opener: Opener) -> PixelSize | None:
    suffix = ".hevc" if codec in ("hevc", "hvc1") else ".h264"
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:
        file.write(data)
        file.flush()
        alone = opener(file.name, [])
        found = int(alone.get(cv2.CAP_PROP_FRAME_WIDTH)), int(alone.get(cv2.CAP_PROP_FRAME_HEIGHT))
        alone.release()
    return found if min(found) > 0 else None
