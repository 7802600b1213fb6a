"""The page's server: who may ask, what it answers, and what it refuses."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.edge.calibrate.command import draft_of
from feltwatch.edge.calibrate.points import NamedMark, named_points
from feltwatch.edge.calibrate.web_page import PageServer, Session
from feltwatch.edge.errors import UsageError
from feltwatch.vision.layout.zones import Layout, load_layout
from tests.edge.calibrate.test_command import options_of
from tests.film_frames import frame
from tests.printed_sheets import camera

NAMES = ("box1.main", "box4.main", "box7.main", "felt.left", "dealer.cards.1", "dealer.cards.4")


ORIGIN = {"origin": "http://evil.example"}


@dataclass
class Kept:
    """What the page asked to be written; the first `fails` times it cannot be."""

    fails: int = 0
    points: list[NamedMark] = field(default_factory=list)
    layouts: list[Layout] = field(default_factory=list)

    def __call__(self, points: object, layout: Layout) -> None:
        if self.fails:
            self.fails -= 1
            raise UsageError("table.toml: cannot be written (No space left on device)")
        assert isinstance(points, tuple)
        self.points, self.layouts = list(points), [*self.layouts, layout]


@dataclass
class Page:
    server: PageServer
    kept: Kept

    def ask(
        self,
        path: str,
        body: object = None,
        *,
        key: str | None = None,
        host: str | None = None,
        origin: str | None = None,
        raw: bytes | None = None,
    ) -> tuple[int, bytes]:
        port = self.server.port
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        headers = {name: value for name, value in (("Host", host), ("Origin", origin)) if value}
        address = f"{path}?key={self.server.session.key if key is None else key}"
        connection.request("GET" if data is None else "POST", address, data, headers)
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def tell(self, path: str, body: object) -> dict[str, object]:
        found = json.loads(self.ask(path, body)[1])
        assert isinstance(found, dict)
        return found


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    draft = draft_of(options_of("picture.png", "-o", str(tmp_path / "table.toml")))
    kept = Kept()
    with PageServer(0, Session(frame(3), draft, kept)) as server:
        yield Page(server, kept)


def said(off: float = 0.0, **more: object) -> dict[str, object]:
    known = named_points(load_layout("blackjack-7"))
    shown = camera().to_picture([known[name].at for name in NAMES])
    shown[2] += off
    points = [{"name": name, "image": at} for name, at in zip(NAMES, shown.tolist(), strict=True)]
    return {"preset": "blackjack-7", "points": points, "zones": {}} | more


def test_the_page_comes_with_what_it_needs(page: Page) -> None:
    status, html = page.ask("/")
    assert status == 200
    assert b"<!doctype html>" in html
    assert b"http://" not in html.replace(b"http://www.w3.org/2000/svg", b"")
    start = json.loads(page.ask("/start")[1])
    assert (start["width"], start["height"], start["file"], start["preset"]) == (
        1920,
        1080,
        "table.toml",
        "blackjack-7",
    )
    assert list(start["presets"]) == ["blackjack-7", "blackjack-5"]
    assert start["presets"]["blackjack-7"]["points"]["box1.main"]["says"] == "box 1: middle of the main spot"
    picture = cv2.imdecode(np.frombuffer(page.ask("/picture")[1], np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert float(np.abs(picture.astype(int) - frame(3)).mean()) < 3


@pytest.mark.parametrize("path", ["/", "/start", "/picture", "/nothing"])
@pytest.mark.parametrize(
    "with_key", [{"key": ""}, {"key": "guessed"}, {"host": "evil.example"}, {"host": "evil:80"}, ORIGIN]
)
def test_who_does_not_know_the_key_or_calls_us_otherwise_is_turned_away(
    page: Page, path: str, with_key: dict[str, str]
) -> None:
    assert page.ask(path, **with_key) == (403, b"Forbidden")  # type: ignore[arg-type]  # key and host are texts


def test_nobody_else_may_save(page: Page) -> None:
    assert page.ask("/save", said(), key="guessed")[0] == 403
    assert page.kept.layouts == []
    assert (
        page.ask("/save", host="localhost:9000", origin="http://localhost:9000", body=said())[0] == 200
    )  # through a tunnel
    assert len(page.kept.layouts) == 1


def test_it_says_how_points_fit_and_where_the_zones_are(page: Page) -> None:
    found = page.tell("/fit", said())
    assert (found["good"], found["bad"]) == (True, "")
    zones, off = found["zones"], found["off"]
    assert isinstance(zones, dict)
    assert isinstance(off, list)
    assert len(off) == len(NAMES)
    shoe = camera().to_picture(load_layout("blackjack-7").by_name["shoe"].polygon)
    assert np.abs(np.array(zones["shoe"]) - shoe).max() < 12  # the lens is not given


@pytest.mark.parametrize(
    ("off", "more", "bad"),
    [
        (60.0, {}, "camera.points do not fit each other: point 3 (image"),
        (0.0, {"points": []}, "expected 4 or more, found 0"),
        (0.0, {"dragged": {"shoe": [[1, 1], [2, 2], [3, 3]]}}, "polygon: the points hold no area"),
        (
            0.0,
            {"dragged": {"shoe": [[-90, 100], [40, 100], [40, 200]]}},
            "zone 'shoe' leaves the picture by 90 px at the",
        ),
    ],
)
def test_what_is_bad_is_said_and_not_good(page: Page, off: float, more: dict[str, object], bad: str) -> None:
    found = page.tell("/fit", said(off, **more))
    assert found["good"] is False
    assert bad in str(found["bad"])


def test_the_worst_point_is_named_as_the_page_names_it(page: Page) -> None:
    found = page.tell("/fit", said(60.0))
    assert found["worst"] == 2
    assert str(found["bad"]).endswith("(point 3 is box7.main)")


def test_left_and_right_taken_for_each_other_is_refused(page: Page) -> None:
    places = [(-850, 100), (850, 100), (400, 700), (-400, 700)]
    shown = camera().to_picture(places).tolist()
    points = [{"table": [-x, y], "image": at} for (x, y), at in zip(places, shown, strict=True)]
    assert "mirrored" in str(page.tell("/fit", said(points=points))["bad"])


def test_a_zone_is_dragged_in_pixels_and_kept_in_millimetres(page: Page) -> None:
    shoe = np.array(load_layout("blackjack-7").by_name["shoe"].polygon)
    zones = page.tell("/fit", said())["zones"]
    assert isinstance(zones, dict)
    pixels = [[u - 10, v + 20] for u, v in zones["shoe"]]
    moved = page.tell("/fit", said(dragged={"shoe": pixels}))["moved"]
    assert isinstance(moved, dict)
    way = np.array(moved["shoe"]) - shoe
    assert way.mean(axis=0) == pytest.approx([11, 22], abs=3)
    assert page.tell("/save", said(zones=moved))["saved"]
    (layout,) = page.kept.layouts
    assert layout.by_name["shoe"].polygon == tuple((x, y) for x, y in moved["shoe"])
    assert [point.name for point in page.kept.points] == list(NAMES)


def test_what_cannot_be_written_is_said_and_can_be_tried_again(page: Page) -> None:
    page.kept.fails = 1
    assert page.tell("/save", said()) == {"bad": "table.toml: cannot be written (No space left on device)"}
    assert "saved" in page.tell("/save", said())
    page.server.wait()
    with pytest.raises(ConnectionRefusedError):
        page.ask("/start")


@pytest.mark.parametrize(
    ("body", "bad"),
    [
        (b"{", "Expecting property name"),
        (b"\xff", "utf-8"),
        (b"3", "expected an object, found 3"),
        (b"{}", "preset: expected one of blackjack-7, blackjack-5, found None"),
        (b'{"preset": "si-ki-pi-6"}', "preset: expected one of"),
        (b'{"preset": "blackjack-7"}', "expected [[points]]"),
        (b'{"preset": "blackjack-7", "points": [3]}', "points 1: expected image"),
        (b'{"preset": "blackjack-7", "points": [], "zones": 3}', "zones: expected names with polygons"),
        (b'{"preset": "blackjack-7", "points": [], "zones": {"x": []}}', "zones: expected a zone with three"),
        (b'{"preset": "blackjack-7", "points": [], "zones": {"shoe": [1, 2, 3]}}', "zones: shoe: expected 2 numbers"),
        (b'{"preset": "blackjack-7", "points": [], "zone": {}}', "the page: unknown key 'zone'"),
    ],
)
@pytest.mark.parametrize("path", ["/fit", "/save"])
def test_what_the_page_would_never_say_is_refused(page: Page, path: str, body: bytes, bad: str) -> None:
    status, data = page.ask(path, raw=body)
    assert status == 400
    assert bad in json.loads(data)["bad"]
    assert page.kept.layouts == []


def test_other_paths_and_endless_bodies_are_refused(page: Page) -> None:
    assert page.ask("/other")[0] == 404
    assert page.ask("/other", {})[0] == 404
    connection = HTTPConnection("127.0.0.1", page.server.port, timeout=10)
    connection.putrequest("POST", f"/fit?key={page.server.session.key}")
    connection.putheader("Content-Length", str(10**12))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
