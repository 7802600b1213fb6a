"""A camera on the network, for tests to mistreat: real sockets, real coding; RTSP with H.264, or JPEG over HTTP."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from time import monotonic
from types import TracebackType
from typing import Final, Self

import av
import cv2
import numpy as np

from feltwatch.vision.arrays import Pixels

CLOCK: Final = 90_000  # ticks a second of RTP
PACKET: Final = 1400  # bytes of a picture in one packet
SEND_S: Final = 2.0  # a client that takes nothing for so long is let go
START: Final = re.compile(b"\x00\x00\x00?\x01")

Scene = Callable[[int, float], Pixels]  # a picture's number, and when it is taken by the monotonic clock


@dataclass
class Client:
    """One connection; it gets pictures from when it asked for them."""

    socket: socket.socket
    playing: bool = False
    sending: threading.Lock = field(default_factory=threading.Lock)
    number: int = 0  # of the packets sent
    waits: bool = True  # for a picture that can be decoded without those before it

    def send(self, data: bytes) -> None:
        with self.sending:
            self.socket.sendall(data)


class NetworkCamera:
    """Serves what `scene` gives at so many pictures a second, to every client, until it is mistreated."""

    def __init__(self, scene: Scene, kind: str = "rtsp", fps: float = 25.0) -> None:
        self.scene, self.kind, self.fps = scene, kind, fps
        self.silent = False  # nothing comes out, though every connection is open; new ones are not answered
        self.shot = 0  # pictures taken
        self.left: dict[int, float] = {}  # by its number, when a picture was on its way
        self._coder: _H264 | _Jpeg = _H264(fps) if kind == "rtsp" else _Jpeg()
        self._clients: list[Client] = []
        self._lock = threading.RLock()
        self._held: list[tuple[bytes, float, bool]] | None = None
        self._over = threading.Event()
        self._door: socket.socket | None = None
        self._threads: list[threading.Thread] = []
        self._port = 0

    @property
    def url(self) -> str:
        scheme = "rtsp" if self.kind == "rtsp" else "http"
        return f"{scheme}://127.0.0.1:{self._port}/table"

    @property
    def unplugged(self) -> bool:
        return self._door is None

    def __enter__(self) -> Self:
        self.plug()
        self._thread(self._shoot)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self.unplug()
        for thread in self._threads:
            thread.join()

    # ---- what happens to it ------------------------------------------------------------------------------------------

    def plug(self) -> None:
        """Answer, where it answered before."""
        with self._lock:
            self._door = socket.create_server(("127.0.0.1", self._port))
            self._port = self._door.getsockname()[1]
            self._thread(self._answer, self._door)

    def unplug(self) -> None:
        """Be gone at once: no one is answered."""
        with self._lock:
            door, self._door = self._door, None
            if door is not None:
                with suppress(OSError):
                    door.shutdown(socket.SHUT_RDWR)
                door.close()
            for client in [*self._clients]:
                self._drop(client)

    def hold(self) -> None:
        """Let everything wait on its way."""
        with self._lock:
            self._held = []

    def let_go(self) -> None:
        """Let what has waited arrive at once."""
        with self._lock:
            held, self._held = self._held or [], None
            for one in held:
                self._send(*one)

    # ---- pictures -------------------------------------------------------------------------------------------------

    def _shoot(self) -> None:
        start = monotonic()
        while not self._over.wait(max(0.0, start + self.shot / self.fps - monotonic())):
            now = monotonic()
            with self._lock:
                fresh = any(client.waits and client.playing for client in self._clients)
            for data, key in self._coder.coded(self.scene(self.shot, now), now - start, fresh=fresh):
                self.left.setdefault(self.shot, monotonic())
                with self._lock:
                    if self.silent:
                        for client in self._clients:
                            client.waits = True  # what follows could not be decoded without what was lost
                        continue
                    if self._held is not None:
                        self._held.append((data, now - start, key))
                    else:
                        self._send(data, now - start, key)
            self.shot += 1

    def _send(self, data: bytes, t: float, key: bool) -> None:  # noqa: FBT001  as it was kept
        for client in [*self._clients]:
            if not client.playing or (client.waits and not key):
                continue
            client.waits = False
            try:
                client.send(b"".join(_packets(client, data, t)) if self.kind == "rtsp" else _part(data))
            except OSError:
                self._drop(client)

    def _drop(self, client: Client) -> None:
        with self._lock:
            if client in self._clients:
                self._clients.remove(client)
        with suppress(OSError):
            client.socket.shutdown(socket.SHUT_RDWR)
        client.socket.close()

    # ---- those who ask --------------------------------------------------------------------------------------------

    def _thread(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.start()
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]

    def _answer(self, door: socket.socket) -> None:
        while True:
            try:
                found, _ = door.accept()
            except OSError:
                return
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, int(SEND_S).to_bytes(8, "little") + bytes(8))
            client = Client(found)
            with self._lock:
                if self._door is not door:
                    found.close()
                    return
                self._clients.append(client)
                self._thread(self._listen, client)

    def _listen(self, client: Client) -> None:
        talk = self._rtsp if self.kind == "rtsp" else self._http
        waiting = b""
        try:
            while data := client.socket.recv(65536):
                waiting += data
                while b"\r\n\r\n" in waiting:
                    request, _, waiting = waiting.partition(b"\r\n\r\n")
                    if not self.silent:
                        talk(client, request.lstrip(b"\0").decode("latin-1"))
        except OSError:
            pass
        self._drop(client)

    def _http(self, client: Client, request: str) -> None:
        del request
        client.send(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n")
        client.playing = True

    def _rtsp(self, client: Client, request: str) -> None:
        method = request.split(maxsplit=1)[0]
        if method == "$":
            return
        number = re.search(r"CSeq: *(\d+)", request, re.IGNORECASE)
        head = [f"CSeq: {number[1] if number else 0}"]
        body = ""
        if method == "OPTIONS":
            head.append("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER")
        elif method == "DESCRIBE":
            body = SDP
            head += ["Content-Type: application/sdp", f"Content-Base: {self.url}/", f"Content-Length: {len(body)}"]
        elif method == "SETUP":
            head += ["Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 7"]
        else:
            head.append("Session: 7")
        client.send(("\r\n".join(["RTSP/1.0 200 OK", *head, "", ""]) + body).encode())
        client.playing |= method == "PLAY"


SDP: Final = """v=0
o=- 0 0 IN IP4 127.0.0.1
s=table
c=IN IP4 127.0.0.1
t=0 0
m=video 0 RTP/AVP 96
a=rtpmap:96 H264/90000
a=fmtp:96 packetization-mode=1
a=control:one
""".replace("\n", "\r\n")


class _H264:
    def __init__(self, fps: float) -> None:
        self.fps = fps
        self.coder: av.VideoCodecContext | None = None

    def coded(self, picture: Pixels, t: float, *, fresh: bool) -> Iterator[tuple[bytes, bool]]:
        height, width = picture.shape[:2]
        if self.coder is None or (self.coder.width, self.coder.height) != (width, height):
            self.coder = self._opened(width, height)
        frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
        frame.pts, frame.time_base = round(t * CLOCK), Fraction(1, CLOCK)
        if fresh:
            frame.pict_type = av.video.frame.PictureType.I
        for packet in self.coder.encode(frame):
            yield bytes(packet), packet.is_keyframe

    def _opened(self, width: int, height: int) -> av.VideoCodecContext:
        coder = av.CodecContext.create("libx264", "w")
        assert isinstance(coder, av.VideoCodecContext)
        coder.width, coder.height, coder.pix_fmt = width, height, "yuv420p"
        coder.time_base, coder.framerate, coder.gop_size = Fraction(1, CLOCK), Fraction(self.fps), round(self.fps)
        coder.options = {"preset": "ultrafast", "tune": "zerolatency", "qp": "26", "forced-idr": "1"}
        return coder


class _Jpeg:
    def coded(self, picture: Pixels, t: float, *, fresh: bool) -> Iterator[tuple[bytes, bool]]:
        del t, fresh
        good, data = cv2.imencode(".jpg", picture)
        assert good
        yield np.asarray(data).tobytes(), True


def _part(data: bytes) -> bytes:
    head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data + b"\r\n"


def _packets(client: Client, data: bytes, t: float) -> Iterator[bytes]:
    """Give a coded picture as RTP (RFC 6184) between the answers of RTSP."""
    units = [unit.rstrip(b"\0") for unit in START.split(data) if unit]
    pieces = [(piece, unit is units[-1] and last) for unit in units for piece, last in _pieces(unit)]
    for piece, last in pieces:
        client.number = (client.number + 1) % 65536
        head = bytes([0x80, 96 | last << 7]) + client.number.to_bytes(2, "big")
        head += (round(t * CLOCK) % 2**32).to_bytes(4, "big") + b"feed"
        yield b"$\0" + (len(head) + len(piece)).to_bytes(2, "big") + head + piece


def _pieces(unit: bytes) -> Iterator[tuple[bytes, bool]]:
    if len(unit) <= PACKET:
        yield unit, True
        return
    for at in range(1, len(unit), PACKET):
        last = at + PACKET >= len(unit)
        kind = unit[0] & 31 | (at == 1) << 7 | last << 6
        yield bytes([unit[0] & 0xE0 | 28, kind]) + unit[at : at + PACKET], last
