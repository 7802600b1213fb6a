"""Checks of a camera: that it delivers frames, how fast, and that the table is in view."""

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
from feltwatch.edge.doctor.checks import CheckResult, bad, graded, ok, readable
from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.video_file import open_video, silence_libraries
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.image_file import spelled

FIRST_S: Final = 5.0  # until the first frame
WATCHED_S: Final = 2.0
PATIENCE_MS: Final = 5_000
DARK: Final = (16.0, 45.0)  # mean grey: below the first nothing is visible, below the second little
BRIGHT: Final = 225.0
FLAT: Final = 6.0  # standard deviation of grey levels below which a frame shows nothing
RATE: Final = 10.0  # frames a second that a table needs
SAME: Final = 10  # frames that are the same to the bit: a working camera has noise
PORTS: Final = {"rtsp": 554, "rtsps": 322, "http": 80, "https": 443, "rtmp": 1935}


@dataclass(frozen=True, slots=True)
class CameraProbe:
    """What a camera delivered in a short time."""

    first_s: float
    picture: Pixels  # the last
    rate: float
    frozen: bool  # every frame was the same


def camera(table: TableFile, camera: CameraFile, environ: Mapping[str, str] = os.environ) -> Iterator[CheckResult]:
    """Check one camera of a table."""
    try:
        source = camera_address(camera, environ)
    except UsageError as error:
        yield bad(f"{error}; correct camera.password_file")
        return
    yield from readable((camera.password_file, table.path if has_password(camera.source) else None))
    if not source:
        yield bad(
            f"{table.path}: camera.source: expected a URL, a device's number or a file, found none; name the camera"
        )
        return
    if not is_live(source):
        yield from check_video(table, camera)
        return
    if fault := connection_fault(source):
        yield bad(fault)
        return
    found = probe(source)
    if isinstance(found, str):
        yield bad(f"{hidden(source)}: {found}")
        return
    says = f"{hidden(source)}: first frame after {found.first_s:.1f} s, then {found.rate:.1f} frames/s"
    slow = f"expected {RATE:g} or more; check the camera's settings and the network" if found.rate < RATE else None
    yield graded(says, doubt=slow)
    if found.frozen:
        yield bad("every frame is the same: the camera is frozen; switch it off and on")
    yield from check_frame(table, camera, found.picture)


def check_video(table: TableFile, camera: CameraFile) -> Iterator[CheckResult]:
    """Check a video file that is used in place of a camera."""
    beside = table.path.parent / camera.source
    path = beside if beside.exists() else Path(camera.source)
    try:
        video = open_video(path)
    except UsageError as error:
        yield bad(str(error))
        return
    yield ok(f"{spelled(path)}: a video of {video.seconds:.0f} s in place of a camera, {video.fps:g} frames/s")
    silence_libraries()
    with closing(_Capture(str(path.absolute()))) as capture:
        picture = capture.read()
    if picture is None:
        yield bad(f"{spelled(path)}: expected a frame in it, found none; record it again")
    else:
        yield from check_frame(table, camera, picture)


def check_frame(table: TableFile, camera: CameraFile, picture: Pixels) -> Iterator[CheckResult]:
    """Check a frame: its light, and whether the layout is in view."""
    height, width = picture.shape[:2]
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    mean, spread = float(grey.mean()), float(grey.std())
    fault = doubt = None
    if mean < DARK[0] or spread < FLAT:
        fault = "nothing is visible; remove the lens cap, light the table, or clean the lens"
    elif mean < DARK[1]:
        doubt = "the image is dark; light the table, or expose longer"
    elif mean > BRIGHT:
        doubt = "the image is too bright; expose shorter"
    yield graded(f"{width} x {height}, brightness {mean:.0f} of 255, contrast {spread:.0f}", fault=fault, doubt=doubt)
    watched = layout_parts(table.cameras, table.layout).get(camera.name)
    try:
        fit = fit_camera(table.path, camera, (width, height), watched)
    except UsageError as error:
        yield bad(f"{error}; calibrate it again with `feltwatch calibrate`")
        return
    seen = "this camera only records" if watched is None else "all that this camera watches is in view"
    yield ok(f"{seen}; its points fit within {fit.off_mm.max():.1f} mm")


def connection_fault(source: str) -> str | None:
    """Return why a camera's address does not answer, or None: a decoder would report only that it failed."""
    if source.isdigit():
        return _device(Path(f"/dev/video{source}"))
    try:
        parts = urlsplit(source)
        host, port = parts.hostname, parts.port or PORTS.get(parts.scheme)
        if host is not None and port is not None:  # else of a kind that only the decoder knows
            socket.create_connection((host, port), FIRST_S).close()
    except ValueError as error:
        return f"{hidden(source)}: not an address: {error}; correct camera.source"
    except socket.gaierror:
        return f"{host}: the name cannot be resolved; check camera.source and the DNS server"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return f"{host}:{port}: no answer ({why}); check the camera's cable, power and address"
    return None


def _device(path: Path) -> str | None:
    if not path.exists():
        return f"{path}: no such device; plug the camera in, or name another number"
    if not os.access(path, os.R_OK | os.W_OK):
        return f"{path}: this user may not open it; add the user of the service to the group of the device"
    return None


def probe(source: str) -> CameraProbe | str:
    """Read frames for a short time; return what came, or what is wrong."""
    silence_libraries()
    start = time.monotonic()
    with closing(_Capture(source)) as capture:
        picture = capture.read()
        first_s = time.monotonic() - start
        if picture is None:
            return (
                "it answers, but sends no video; check its path, user and password, and that no other program uses it"
            )
        if first_s > FIRST_S:
            return f"expected a frame within {FIRST_S:g} s, found the first after {first_s:.1f}; check the network"
        marks, since = [_mark(picture)], time.monotonic()
        while time.monotonic() < since + WATCHED_S:
            found = capture.read()
            if found is None:
                return f"it stopped after {len(marks)} frames; check the network"
            picture = found
            marks.append(_mark(found))
        rate = (len(marks) - 1) / (time.monotonic() - since)
        return CameraProbe(first_s, picture, rate, frozen=len(marks) > SAME and len({*marks}) == 1)


def _mark(picture: Pixels) -> int:
    return zlib.crc32(np.ascontiguousarray(picture).data)


class _Capture:
    """A capture of OpenCV with time limits."""

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
