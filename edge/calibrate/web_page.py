"""The web page on which an installer clicks points of the felt and drags zones; it lives until the file is written.

Only this machine reaches it, and only who knows the key in its address: other people who work here do not.
"""

import json
import secrets
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from urllib.parse import parse_qs, urlsplit

import cv2

from feltwatch.edge.calibrate.file_writer import Draft, Point, dragged
from feltwatch.edge.calibrate.points import NamedMark, marks_of, named_points
from feltwatch.edge.cli.browser import has_screen
from feltwatch.edge.cli.browser import show as open_page
from feltwatch.edge.errors import UsageError
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.geometry.calibration import Fit, MisfitError, calibrated, check_view, edge_of, mirrored
from feltwatch.vision.geometry.camera import CameraError
from feltwatch.vision.image_file import spelled
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import PRESETS, Layout, LayoutError, known_keys, layout_of, load_layout, numbers

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")  # by which a browser may call us: a page elsewhere that was made to lead here may not
MOST = 1_000_000  # bytes of a request
MIRRORED = "The points are mirrored: left and right, or near and far, were taken for each other."
OWN_ONLY = (
    "default-src 'none'; img-src 'self' data:; connect-src 'self'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'"
)

Keep = Callable[[Sequence[NamedMark], Layout], None]
Json = Mapping[str, object]


@dataclass(frozen=True)
class Proposal:
    """What the page holds: points, and the layout with zones as they were dragged."""

    points: tuple[NamedMark, ...]
    layout: Layout  # the whole preset
    moved: Mapping[str, Sequence[Point]]  # zones that do not lie as in it; millimetres
    dragged: Mapping[str, Sequence[Point]]  # zones just dragged; pixels


@dataclass(frozen=True)
class Session:
    """One calibration by hand."""

    picture: Pixels
    draft: Draft
    keep: Keep  # writes the file, or raises UsageError
    key: str = field(default_factory=lambda: secrets.token_urlsafe(18))

    @property
    def size(self) -> tuple[int, int]:
        height, width = self.picture.shape[:2]
        return width, height

    @cached_property
    def layouts(self) -> Mapping[str, Layout]:
        """The layouts to choose from: the one that was asked for, and the other presets of the game."""
        named = {self.draft.layout.name: self.draft.layout}
        own = self.draft.layout.name.startswith("si-ki-pi") or self.draft.book.family == "si-ki-pi"
        return named | {
            name: load_layout(name) for name in PRESETS if name not in named and name.startswith("si-ki-pi") == own
        }

    def start(self) -> Json:
        """Give what the page must know to begin."""
        table = self.draft.table
        return {
            "table": f"table {table['id']}",
            "book": self.draft.book.title,
            "file": spelled(self.draft.path.name),
            "width": self.size[0],
            "height": self.size[1],
            "preset": self.draft.layout.name,
            "presets": {name: self._preset(layout) for name, layout in self.layouts.items()},
        }

    def _preset(self, layout: Layout) -> Json:
        shown = for_book(layout, self.draft.book)
        return {
            "edge": shown.outline,
            "zones": {area.name: area.polygon for area in shown.areas},
            "points": {one.name: {"says": one.says, "at": one.at} for one in named_points(shown).values()},
        }

    def proposal(self, said: object) -> Proposal:
        """Take what the page says; what it cannot say is a LayoutError."""
        if not isinstance(said, dict):
            raise LayoutError(f"expected an object, found {said!r}")
        known_keys(said, {"preset", "points", "zones", "dragged"}, "the page")
        layout = self.layouts.get(str(said.get("preset")))
        if layout is None:
            raise LayoutError(f"preset: expected one of {', '.join(self.layouts)}, found {said.get('preset')!r}")
        known = named_points(for_book(layout, self.draft.book))
        points = tuple(marks_of(said.get("points"), known))
        return Proposal(points, layout, _shapes(said, "zones", layout), _shapes(said, "dragged", layout))

    def fit(self, one: Proposal) -> Json:
        """Say how the points fit and where that puts the zones."""
        try:
            fit, bad = calibrated(self.size, [point.mark for point in one.points], self.draft.lens), ""
            worst = int(fit.off_mm.argmax())
        except MisfitError as error:
            fit, bad, worst = error.fit, _for_people(error, one.points), error.worst
        except CameraError as error:
            return {"good": False, "bad": str(error).removeprefix("camera.points: ")}
        if mirrored(fit.camera):
            bad = MIRRORED
        moved = {**one.moved, **{name: _felt(fit, pixels) for name, pixels in one.dragged.items()}}
        layout, wrong = self._moved(one, moved)
        bad = bad or wrong
        if wrong:
            moved = dict(one.moved)
        shown = for_book(layout, self.draft.book)
        try:
            check_view(fit.camera, shown)
        except CameraError as error:
            bad = bad or str(error)
        return {"good": not bad, "bad": bad, "moved": moved, "worst": worst, **_seen(fit, shown, one.points)}

    def _moved(self, one: Proposal, moved: Mapping[str, Sequence[Point]]) -> tuple[Layout, str]:
        """Give the layout with zones moved; or as it was, and why a zone cannot be so."""
        try:
            zones = [{"name": name, "polygon": [list(point) for point in shape]} for name, shape in moved.items()]
            if zones:
                layout_of({"zones": zones}, "zones")
            return dragged(one.layout, moved), ""
        except LayoutError as error:
            return dragged(one.layout, one.moved), str(error)

    def save(self, one: Proposal) -> Json:
        layout, bad = self._moved(one, one.moved)
        if bad:
            return {"bad": bad}
        try:
            self.keep(one.points, layout)
        except UsageError as error:
            return {"bad": str(error)}
        return {"saved": spelled(self.draft.path)}


def _shapes(said: Json, key: str, layout: Layout) -> dict[str, Sequence[Point]]:
    found = said.get(key, {})
    if not isinstance(found, dict):
        raise LayoutError(f"{key}: expected names with polygons, found {found!r}")
    shapes: dict[str, Sequence[Point]] = {}
    for name, shape in found.items():
        if name not in layout.by_name or not isinstance(shape, list) or len(shape) < 3:
            raise LayoutError(f"{key}: expected a zone with three or more points, found {name!r}")
        pairs = [numbers(point, 2, f"{key}: {name}", "") for point in shape]
        shapes[name] = tuple((x, y) for x, y in pairs)
    return shapes


def _felt(fit: Fit, pixels: Sequence[Point]) -> list[Point]:
    return [(round(x, 1), round(y, 1)) for x, y in fit.camera.to_felt(pixels).tolist()]


def _seen(fit: Fit, layout: Layout, points: Sequence[NamedMark]) -> Json:
    camera = fit.camera
    known = list(named_points(layout).values())
    return {
        "off": fit.off_mm.round(2).tolist(),
        "zones": {area.name: camera.to_picture(area.polygon).round(2).tolist() for area in layout.areas},
        "edge": camera.to_picture(edge_of(layout.outline)).round(1).tolist(),
        "known": {one.name: camera.to_picture([one.at])[0].round(1).tolist() for one in known},
        "seen": camera.to_picture([point.mark.table for point in points]).round(2).tolist(),
    }


def _for_people(error: MisfitError, points: Sequence[NamedMark]) -> str:
    """Name the point as the page does."""
    name = points[error.worst].name
    return f"{error}{f' (point {error.worst + 1} is {name})' if name else ''}"


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, session: Session) -> None:
        super().__init__((HOST, port), _Handler)
        self.session = session
        self.one_at_a_time = threading.Lock()
        self.saved = False

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/?key={self.session.key}"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 30
    protocol_version = "HTTP/1.1"
    server_version = "feltwatch"
    sys_version = ""

    def do_GET(self) -> None:
        path = self._asked()
        session = self.server.session
        if path == "/":
            page = resources.files("feltwatch.edge.pages").joinpath("calibrate.html").read_bytes()
            self._give(page, "text/html; charset=utf-8")
        elif path == "/start":
            self._tell(session.start())
        elif path == "/picture":
            quality = [cv2.IMWRITE_JPEG_QUALITY, 95]
            self._give(cv2.imencode(".jpg", session.picture, quality)[1].tobytes(), "image/jpeg")
        elif path is not None:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        path = self._asked()
        if path is None:
            return
        length = self.headers.get("Content-Length", "")
        if path not in ("/fit", "/save"):
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        if not length.isdigit() or int(length) > MOST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        session, server = self.server.session, self.server
        try:
            proposal = session.proposal(json.loads(self.rfile.read(int(length))))
        except (LayoutError, ValueError) as error:
            self._tell({"good": False, "bad": str(error)}, HTTPStatus.BAD_REQUEST)
            return
        if path == "/fit":
            self._tell(session.fit(proposal))
            return
        with server.one_at_a_time:
            found = {"bad": "saved already"} if server.saved else session.save(proposal)
            server.saved = server.saved or "saved" in found
        self.close_connection = True
        self._tell(found)
        if "saved" in found:
            threading.Thread(target=server.shutdown).start()

    def _asked(self) -> str | None:
        """Give the path that is asked for; turn away who does not know the key, or calls us by another name."""
        asked = urlsplit(self.path)
        key = parse_qs(asked.query).get("key", [""])[0]
        name = urlsplit(f"//{self.headers.get('Host', '')}").hostname
        if name in NAMES and secrets.compare_digest(key.encode(), self.server.session.key.encode()):
            return asked.path
        self._refuse(HTTPStatus.FORBIDDEN)
        return None

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self._give(status.phrase.encode(), "text/plain", status)

    def _tell(self, found: Json, status: HTTPStatus = HTTPStatus.OK) -> None:
        self._give(json.dumps(found).encode(), "application/json", status)

    def _give(self, data: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(data))),
            ("Content-Security-Policy", OWN_ONLY),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as http.server names it
        """Keep quiet: the terminal is for the installer."""


def by_hand(session: Session, port: int, *, show: bool) -> None:
    """Open the page and serve it until the file is written."""
    try:
        server = Server(port, session)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"--port {port}: cannot be listened on ({why}); name another, or leave it out") from error
    with server:
        sys.stdout.write(f"open {server.address}\nand calibrate there; Ctrl-C gives it up\n")
        sys.stdout.flush()
        if show and has_screen():
            threading.Thread(target=open_page, args=(server.address,), daemon=True).start()
        server.serve_forever(poll_interval=0.1)
