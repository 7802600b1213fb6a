"""Stills and clips on the page itself, as small as they must be, and the digests of all that lies beside it."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

import cv2
import numpy as np

STILLS_BYTES = 2_500_000  # of all stills on a page together, before they are written as text
CLIPS_BYTES = 3_000_000  # of all clips on a page together
SIZES = ((12, 1280, 82), (30, 960, 78), (80, 640, 72), (10**6, 480, 65))  # up to how many stills: width, quality
KINDS = {".webm": "video/webm", ".mp4": "video/mp4", ".webp": "image/webp", ".jpg": "image/jpeg"}


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file of evidence on the page."""

    path: str  # within the folder, as a link
    sha256: str
    data: str | None  # the picture or clip itself as a data URI; None where the page would grow too large
    kind: str


def shown(folder: Path, evidence: Mapping[str, Mapping[str, str]]) -> dict[tuple[str, str], ShownFile]:
    """Give what is there of each alert's evidence, by alert and kind ("still", "clip")."""
    files = {
        (alert, kind): (path, _read(folder, path))
        for alert, found in sorted(evidence.items())
        for kind, path in sorted(found.items())
    }
    there = {key: (path, data) for key, (path, data) in files.items() if data is not None}
    stills = _stills({key: data for key, (_, data) in there.items() if key[1] == "still"})
    found, left = {}, CLIPS_BYTES
    for key, (path, data) in there.items():
        mime = KINDS.get(Path(path).suffix, "application/octet-stream")
        inside = stills.get(key)
        if key[1] != "still" and len(data) <= left:
            inside, left = _uri(mime, data), left - len(data)
        found[key] = ShownFile(quote(path), sha256(data).hexdigest(), inside, mime)
    return found


def _read(folder: Path, path: str) -> bytes | None:
    """Read a file of the folder; nothing where there is none, or where the path leads elsewhere."""
    whole = (folder / path).resolve()
    if not whole.is_relative_to(folder.resolve()) or not whole.is_file():
        return None
    return whole.read_bytes()


def _stills(files: Mapping[tuple[str, str], bytes]) -> dict[tuple[str, str], str]:
    """Give the stills the smaller the more there are, and no more of them than a page can bear."""
    width, quality = next((width, quality) for most, width, quality in SIZES if len(files) <= most)
    kept, left = {}, STILLS_BYTES
    for key, data in files.items():
        small = _smaller(data, width, quality)
        if 0 < len(small) <= left:
            kept[key] = _uri("image/jpeg", small)
            left -= len(small)
    return kept


def _smaller(data: bytes, width: int, quality: int) -> bytes:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        return b""
    if picture.shape[1] > width:
        height = max(1, round(picture.shape[0] * width / picture.shape[1]))
        picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def _uri(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{b64encode(data).decode('ascii')}"


def digests_of(folder: Path, names: Sequence[str]) -> list[tuple[str, str]]:
    """Give the SHA-256 of the files that are there."""
    return [(name, sha256((folder / name).read_bytes()).hexdigest()) for name in names if (folder / name).is_file()]
