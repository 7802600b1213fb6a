"""A WebM film of single pictures: any browser plays it, and it can be stopped and stepped through at every picture.

A lossy WebP picture is a VP8 key frame in a wrapping of its own; here it is taken out and put into a film's wrapping.
So every OpenCV that writes WebP writes films, with the same bytes each time, and each picture at its own time. The film
writers of OpenCV do neither: H.264 is not among their codecs, VP8 comes with a random id, VP9 takes half a minute.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

KEY = 0x80  # flag of a block that can be shown without any other
CLUSTER_MS = 5_000  # how far a film is divided, so that a player finds its way
LAST_MS = 100  # how long the last picture stands


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture of a film: when it was taken, and itself as a lossy WebP."""

    t: float
    webp: bytes


def webm(shots: Sequence[Shot], size: tuple[int, int]) -> bytes:
    """Give the film of shots, in the order of their time and all of a size (width, height)."""
    times = [round((shot.t - shots[0].t) * 1000) for shot in shots]
    head = _element(
        0x1A45DFA3,
        _number(0x4286, 1)  # version of the wrapping
        + _number(0x42F7, 1)
        + _number(0x42F2, 4)  # longest id
        + _number(0x42F3, 8)  # longest size
        + _element(0x4282, b"webm")
        + _number(0x4287, 2)
        + _number(0x4285, 2),
    )
    length = (times[-1] if times else 0) + LAST_MS
    about = _element(
        0x1549A966,
        _number(0x2AD7B1, 1_000_000)  # nanoseconds of a tick
        + _element(0x4489, struct.pack(">d", length))
        + _element(0x4D80, b"feltwatch")
        + _element(0x5741, b"feltwatch"),
    )
    video = _number(0xB0, size[0]) + _number(0xBA, size[1])
    track = _number(0xD7, 1) + _number(0x73C5, 1) + _number(0x83, 1) + _element(0x86, b"V_VP8") + _element(0xE0, video)
    tracks = _element(0x1654AE6B, _element(0xAE, track))
    clusters = _clusters(shots, times)
    cues = _cues(clusters, len(about) + len(tracks))
    return head + _element(0x18538067, about + tracks + cues + b"".join(data for _, data in clusters))


def _clusters(shots: Sequence[Shot], times: Sequence[int]) -> list[tuple[int, bytes]]:
    """Give the film in pieces, each with the time at which it starts."""
    starts: list[int] = []
    for number, time in enumerate(times):
        if not starts or time - times[starts[-1]] >= CLUSTER_MS:
            starts.append(number)
    found = []
    for first, end in pairwise([*starts, len(shots)]):
        blocks = [
            _element(0xA3, b"\x81" + struct.pack(">hB", time - times[first], KEY) + vp8(shot.webp))
            for shot, time in zip(shots[first:end], times[first:end], strict=True)
        ]
        found.append((times[first], _element(0x1F43B675, _number(0xE7, times[first]) + b"".join(blocks))))
    return found


def _cues(clusters: Sequence[tuple[int, bytes]], before: int) -> bytes:
    """Say where the pieces start, counted from the start of the film's content; sizes are fixed, so it can be known."""
    at = before + len(_cue_list([(time, 0) for time, _ in clusters]))
    places = []
    for time, data in clusters:
        places.append((time, at))
        at += len(data)
    return _cue_list(places)


def _cue_list(places: Sequence[tuple[int, int]]) -> bytes:
    points = [
        _element(0xBB, _number(0xB3, time) + _element(0xB7, _number(0xF7, 1) + _number(0xF1, at)))
        for time, at in places
    ]
    return _element(0x1C53BB6B, b"".join(points))


def vp8(webp: bytes) -> bytes:
    """Take the VP8 key frame out of a lossy WebP."""
    at = 12  # after RIFF, its size, and WEBP
    while at + 8 <= len(webp):
        kind, size = webp[at : at + 4], int.from_bytes(webp[at + 4 : at + 8], "little")
        if kind == b"VP8 ":
            return webp[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    raise ValueError("expected a lossy WebP")


def _element(name: int, content: bytes) -> bytes:
    """Wrap content: an id, which tells its own length, the content's size in eight bytes, the content."""
    return name.to_bytes((name.bit_length() + 7) // 8, "big") + (1 << 56 | len(content)).to_bytes(8, "big") + content


def _number(name: int, value: int) -> bytes:
    return _element(name, value.to_bytes(8, "big"))
