"""The web page on which an installer clicks points of the felt and drags zones; it lives until the file is written.

Only this device reaches it, and only with the key in its address: other users of the device do not have that.
"""

import json
import secrets
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from importlib import resources
from urllib.parse import urlsplit

import cv2
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feltwatch.edge.browser import has_screen
from feltwatch.edge.browser import show as open_page
from feltwatch.edge.calibrate.file_writer import Draft, dragged
from feltwatch.edge.calibrate.points import NamedMark, marks_of, named_points
from feltwatch.edge.errors import UsageError
from feltwatch.edge.http_server import HttpServer, read_body
from feltwatch.vision.arrays import Pixels, Point
from feltwatch.vision.geometry.calibration import Fit, MisfitError, calibrated, check_view, edge_of, mirrored
from feltwatch.vision.geometry.camera import CameraError
from feltwatch.vision.image_file import spelled
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import PRESETS, Layout, LayoutError, known_keys, layout_of, load_layout, numbers

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")  # the only names a browser may use for us: another site's page may lead here by its own
BODY_BYTES = 1_000_000  # of a request
MIRRORED = "The points are mirrored: left and right, or near and far, were taken for each other."
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; connect-src 'self'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'",
}

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


class PageServer(HttpServer):
    """Serves the page of one session until its file is written."""

    def __init__(self, port: int, session: Session) -> None:
        self.session = session
        self._saving = threading.Lock()
        self._saved = False
        routes = [
            Route("/", self._page),
            Route("/start", self._start),
            Route("/picture", self._picture),
            Route("/fit", self._fit, methods=["POST"]),
            Route("/save", self._save, methods=["POST"]),
        ]
        app = Starlette(routes=routes, middleware=[Middleware(PageGuard, key=session.key)])
        super().__init__(app, (HOST, port), "--port")

    @property
    def address(self) -> str:
        return f"{self.url}/?key={self.session.key}"

    def _page(self, _: Request) -> Response:
        return HTMLResponse(resources.files("feltwatch.edge.pages").joinpath("calibrate.html").read_bytes())

    def _start(self, _: Request) -> Response:
        return JSONResponse(self.session.start())

    def _picture(self, _: Request) -> Response:
        quality = [cv2.IMWRITE_JPEG_QUALITY, 95]
        return Response(cv2.imencode(".jpg", self.session.picture, quality)[1].tobytes(), media_type="image/jpeg")

    async def _fit(self, request: Request) -> Response:
        return await self._answer(request, self.session.fit)

    async def _save(self, request: Request) -> Response:
        return await self._answer(request, self._save_once)

    async def _answer(self, request: Request, answer: Callable[[Proposal], Json]) -> Response:
        """Answer a proposal of the page."""
        body = await read_body(request, BODY_BYTES)
        try:
            proposal = self.session.proposal(json.loads(body))
        except (LayoutError, ValueError) as error:
            return JSONResponse({"good": False, "bad": str(error)}, HTTPStatus.BAD_REQUEST)
        return JSONResponse(await run_in_threadpool(answer, proposal))

    def _save_once(self, proposal: Proposal) -> Json:
        with self._saving:
            if self._saved:
                return {"bad": "saved already"}
            found = self.session.save(proposal)
            if "saved" in found:
                self._saved = True
                self.stop()
            return found


class PageGuard:
    """Refuses requests without the key, and those that another site's page or name leads here."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self.app, self.key = app, key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app if self._is_trusted(Request(scope)) else PlainTextResponse("Forbidden", HTTPStatus.FORBIDDEN)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await app(scope, receive, send_guarded)

    def _is_trusted(self, request: Request) -> bool:
        origin = request.headers.get("Origin")
        callers = [f"//{request.headers.get('Host', '')}", *([] if origin is None else [origin])]
        key = request.query_params.get("key", "")
        return all(_host(one) in NAMES for one in callers) and secrets.compare_digest(key.encode(), self.key.encode())


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:  # no address at all
        return None


def serve_page(session: Session, port: int, *, show: bool) -> None:
    """Open the page and serve it until the file is written."""
    with PageServer(port, session) as server:
        sys.stdout.write(f"open {server.address}\nand calibrate there; Ctrl-C cancels\n")
        sys.stdout.flush()
        if show and has_screen():
            threading.Thread(target=open_page, args=(server.address,), daemon=True).start()
        server.wait()
