"""What `feltwatch doctor` looks at through a camera: that it delivers, how fast, and whether the table is in view."""

import os
import socket
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import cv2
import numpy as np

from feltwatch.edge.calibrate.source import hidden, is_live
from feltwatch.edge.camera.sources import STREAM
from feltwatch.edge.config.camera_parts import CameraFile, fit_camera, layout_parts
from feltwatch.edge.config.secret_files import camera_address, has_password
from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.doctor.checks import Finding, bad, judged, ok, readable
from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.video_file import hush, open_video
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.image_file import spelled

FIRST_S: Final = 5.0  # until the first picture
WATCHED_S: Final = 2.0
PATIENCE_MS: Final = 5_000
DARK: Final = (16.0, 45.0)  # mean grey: nothing is seen, little is
BRIGHT: Final = 225.0
FLAT: Final = 6.0  # grey levels that a picture of something deviates from its mean at least
RATE: Final = 10.0  # pictures a second that a table wants
SAME: Final = 10  # pictures that are the same to the bit: no camera takes such
PORTS: Final = {"rtsp": 554, "rtsps": 322, "http": 80, "https": 443, "rtmp": 1935}


@dataclass(frozen=True, slots=True)
class Look:
    """What came from a camera in a while."""

    first_s: float
    picture: Pixels  # the last
    rate: float
    alike: bool  # none was different from the one before


def camera(table: TableFile, camera: CameraFile, environ: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Check one camera of a table."""
    try:
        source = camera_address(camera, environ)
    except UsageError as error:
        yield bad(f"{error}; correct camera.password_file")
        return
    yield from readable((camera.password_file, table.path if has_password(camera.source) else None))
    if not source:
        yield bad(f"{table.path}: camera.source: names no camera; name a URL, a device's number or a file")
        return
    if not is_live(source):
        yield from film(table, camera)
        return
    if fault := reached(source):
        yield bad(fault)
        return
    found = watched(source)
    if isinstance(found, str):
        yield bad(f"{hidden(source)}: {found}")
        return
    says = f"{hidden(source)}: the first picture after {found.first_s:.1f} s, then {found.rate:.1f} a second"
    slow = f"expected {RATE:g} or more; look at its settings and the network" if found.rate < RATE else None
    yield judged(says, doubt=slow)
    if found.alike:
        yield bad("it gives the same picture again and again: it is frozen; switch it off and on")
    yield from shown(table, camera, found.picture)


def film(table: TableFile, camera: CameraFile) -> Iterator[Finding]:
    """Look at footage that stands for a camera."""
    beside = table.path.parent / camera.source
    path = beside if beside.exists() else Path(camera.source)
    try:
        video = open_video(path)
    except UsageError as error:
        yield bad(str(error))
        return
    yield ok(
        f"{spelled(path)}: a film of {video.seconds:.0f} s that stands for a camera, {video.fps:g} pictures a second"
    )
    hush()
    with closing(_Capture(str(path.absolute()))) as capture:
        picture = capture.read()
    if picture is None:
        yield bad(f"{spelled(path)}: expected a picture in it, found none; record it again")
    else:
        yield from shown(table, camera, picture)


def shown(table: TableFile, camera: CameraFile, picture: Pixels) -> Iterator[Finding]:
    """Judge a picture: its light, and whether the layout is in it."""
    height, width = picture.shape[:2]
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    mean, spread = float(grey.mean()), float(grey.std())
    fault = doubt = None
    if mean < DARK[0] or spread < FLAT:
        fault = "nothing is to be seen; take off its cap, give it light, or wipe its lens"
    elif mean < DARK[1]:
        doubt = "it is dark; give the table light, or expose longer"
    elif mean > BRIGHT:
        doubt = "it is too bright; expose shorter"
    yield judged(f"{width} x {height}, brightness {mean:.0f} of 255, contrast {spread:.0f}", fault=fault, doubt=doubt)
    watched = layout_parts(table.cameras, table.layout).get(camera.name)
    try:
        fit = fit_camera(table.path, camera, (width, height), watched)
    except UsageError as error:
        yield bad(f"{error}; calibrate it again with `feltwatch calibrate`")
        return
    seen = "it only records" if watched is None else "all that it watches is in view"
    yield ok(f"{seen}; its points fit within {fit.off_mm.max():.1f} mm")


def reached(source: str) -> str | None:
    """Say why nobody answers at a camera's address, before a decoder says only that it did not work."""
    if source.isdigit():
        return _device(Path(f"/dev/video{source}"))
    try:
        parts = urlsplit(source)
        host, port = parts.hostname, parts.port or PORTS.get(parts.scheme)
        if host is not None and port is not None:  # else of a kind that only the decoder knows
            socket.create_connection((host, port), FIRST_S).close()
    except ValueError as error:
        return f"{hidden(source)}: no address: {error}; correct camera.source"
    except socket.gaierror:
        return f"{host}: a name that is not known here; look at camera.source, and at the name server"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return f"{host}:{port}: nobody answers there ({why}); look at its cable, its power and its address"
    return None


def _device(path: Path) -> str | None:
    if not path.exists():
        return f"{path}: not there; plug the camera in, or name the number of another"
    if not os.access(path, os.R_OK | os.W_OK):
        return f"{path}: may not be opened by this user; add the user of the service to the group of the device"
    return None


def watched(source: str) -> Look | str:
    """Watch a while, or say what is wrong."""
    hush()
    start = time.monotonic()
    with closing(_Capture(source)) as capture:
        picture = capture.read()
        first_s = time.monotonic() - start
        if picture is None:
            return "it answers, and gives no pictures; look at its path, user and password, and that nobody else has it"
        if first_s > FIRST_S:
            return f"expected a picture within {FIRST_S:g} s, found the first after {first_s:.1f}; look at the network"
        marks, since = [_mark(picture)], time.monotonic()
        while time.monotonic() < since + WATCHED_S:
            found = capture.read()
            if found is None:
                return f"it stopped after {len(marks)} pictures; look at the network"
            picture = found
            marks.append(_mark(found))
        rate = (len(marks) - 1) / (time.monotonic() - since)
        return Look(first_s, picture, rate, alike=len(marks) > SAME and len({*marks}) == 1)


def _mark(picture: Pixels) -> int:
    return zlib.crc32(np.ascontiguousarray(picture).data)


class _Capture:
    """OpenCV's, that gives up in time."""

    def __init__(self, source: str) -> None:
        if source.isdigit():
            self._capture = cv2.VideoCapture(int(source))
            return
        os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", STREAM)
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, PATIENCE_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, PATIENCE_MS]
        self._capture = cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)

    def read(self) -> Pixels | None:
        if not self._capture.isOpened():
            return None
        whole, picture = self._capture.read()
        return np.asarray(picture, np.uint8) if whole else None

    def close(self) -> None:
        self._capture.release()
