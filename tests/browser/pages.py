"""Pages of feltwatch in a real browser.

`make browser` runs this file by name; plain pytest does not take it for a test, as not every machine has a browser.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from feltwatch.edge.calibrate.points import named_points
from feltwatch.edge.config.table_file import read_table
from feltwatch.vision.geometry.camera import Camera
from tests.browser.driver import Browser
from tests.film_frames import CLIP, TABLE

SIZE = (1920, 1080)
NAMES = ("box1.main", "box7.main", "box4.main", "felt.left", "dealer.cards.1", "dealer.cards.4")
SHOTS = os.environ.get("FELTWATCH_SHOTS")  # a directory for pictures of the pages, to look at


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as one:
        yield one


def camera() -> Camera:
    return read_table(TABLE).camera(SIZE).camera


class Calibrating:
    """`feltwatch calibrate` with its page open."""

    def __init__(self, browser: Browser, output: Path, *options: str) -> None:
        self.browser = browser
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "feltwatch.edge.cli.main",
                "calibrate",
                str(CLIP),
                "-o",
                str(output),
                "--no-open",
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/\?key=\S+", self.process.stdout.readline())
        assert found, self.process.communicate()[1]
        browser.open(found[0])
        browser.wait("fit && target")

    def at(self, u: float, v: float) -> tuple[float, float]:
        """Give where the window shows a pixel of the picture."""
        box = "const box = $('view').getBoundingClientRect(), [x, y] = screen([arguments[0], arguments[1]]);"
        found = self.browser.run(f"{box} return [x + box.left, y + box.top]", u, v)
        assert isinstance(found, list)
        return found[0], found[1]

    def give(self, name: str, *, off: tuple[float, float] = (0, 0)) -> None:
        """Choose a point by its name and click it in the picture."""
        layout = read_table(TABLE).layout
        u, v = camera().to_picture([named_points(layout)[name].at])[0]
        count = self.browser.run("return points.length")
        assert isinstance(count, int)
        self.browser.run("aim({name: arguments[0]})", name)
        self.browser.drag([self.at(float(u) + off[0], float(v) + off[1])])
        self.browser.wait(f"points.length === {count + 1}")

    def fitted(self) -> None:
        self.browser.wait("fit && fit.off && fit.off.length === points.length")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def done(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err

    def shot(self, name: str) -> None:
        if SHOTS:
            self.browser.picture(Path(SHOTS) / f"{name}.png")


Open = Callable[..., Calibrating]


@pytest.fixture
def calibrating(browser: Browser) -> Iterator[Open]:
    pages = []

    def begin(output: Path, *options: str) -> Calibrating:
        pages.append(Calibrating(browser, output, *options))
        return pages[-1]

    yield begin
    for page in pages:
        page.end()


def test_points_are_clicked_and_the_file_is_written(calibrating: Open, browser: Browser, tmp_path: Path) -> None:
    output = tmp_path / "table.toml"
    page = calibrating(output, "--id", "bj-07", "--overlay", str(tmp_path / "over.png"))
    assert "4 more points" in browser.text("#verdict")
    page.shot("1-begin")
    for name in NAMES:
        page.give(name)
    page.fitted()
    browser.wait("fit.good")
    page.shot("2-points")
    assert browser.text("#verdict").startswith("It fits. Worst point: ")
    browser.click("#save")
    browser.wait("$('done').style.display === 'grid'")
    code, out, err = page.done()
    assert (code, err) == (0, "")
    assert "<- worst" in out
    table = read_table(output)
    assert table.id == "bj-07"
    assert 'preset = "blackjack-7"' in output.read_text()
    felt = np.array([(x, y) for x in (-700, 0, 700) for y in (100, 400, 700) if np.hypot(x, y) < 900])
    off = table.camera(SIZE).camera.to_felt(camera().to_picture(felt)) - felt
    assert np.hypot(*off.T).max() < 8  # clicked to a pixel of the window, the lens not known
    assert (tmp_path / "over.png").exists()


def test_a_wrong_point_is_named_and_nothing_is_saved_until_it_is_moved(
    calibrating: Open, browser: Browser, tmp_path: Path
) -> None:
    page = calibrating(tmp_path / "table.toml")
    for name in NAMES[:-1]:
        page.give(name)
    page.give(NAMES[-1], off=(70, 40))
    page.fitted()
    assert "point 6" in browser.text("#verdict")
    assert "is the worst" in browser.text("#verdict")
    assert browser.run("return $('save').disabled") is True
    page.shot("3-wrong")
    u, v = camera().to_picture([named_points(read_table(TABLE).layout)[NAMES[-1]].at])[0]
    page.browser.drag([page.at(float(u) + 70, float(v) + 40), page.at(float(u), float(v))])
    browser.wait("fit.good")
    browser.click("#save")
    browser.wait("$('done').style.display === 'grid'")
    assert page.done()[0] == 0


def test_zones_are_dragged_undone_and_written_out(calibrating: Open, browser: Browser, tmp_path: Path) -> None:
    output = tmp_path / "table.toml"
    page = calibrating(output)
    for name in NAMES:
        page.give(name)
    page.fitted()
    browser.wait("fit.good")
    browser.click("#tab-zones")
    before = read_table(TABLE).layout.by_name
    x, y = np.mean(before["discard"].polygon, axis=0)
    (u, v), (u2, v2) = camera().to_picture([(x, y), (x - 30, y + 60)])
    page.browser.drag([page.at(float(u), float(v)), page.at(float(u2), float(v2))])
    browser.wait("zones.discard && zone === 'discard'")
    corner = camera().to_picture([before["float"].polygon[2]])[0]
    browser.drag([page.at(*camera().to_picture([np.mean(before["float"].polygon, axis=0)])[0])])
    browser.wait("zone === 'float'")
    page.browser.drag([page.at(*corner), page.at(corner[0] - 15, corner[1] + 10)])
    browser.wait("zones.float")
    browser.keys("#view", "\ue015")  # arrow down
    browser.wait("past.length === 3")
    page.shot("4-zones")
    browser.click("#undo")
    browser.wait("past.length === 2 && fit.good")
    assert browser.text("#changed").startswith("2 zones moved")
    browser.click("#save")
    browser.wait("$('done').style.display === 'grid'")
    assert page.done()[0] == 0
    after = read_table(output).layout.by_name
    assert "preset" not in output.read_text()
    way = np.mean(after["discard"].polygon, axis=0) - [x, y]
    assert way == pytest.approx([-30, 60], abs=4)
    assert np.array(after["discard"].first) - before["discard"].first == pytest.approx(way, abs=0.2)
    moved = np.hypot(*(np.array(after["float"].polygon) - before["float"].polygon).T)
    assert (moved > 5).tolist() == [False, False, True, False]
    untouched = set(after) - {"discard", "float"}
    assert all(after[name].polygon == before[name].polygon for name in untouched)


def test_millimetres_may_be_typed_and_points_dropped(calibrating: Open, browser: Browser, tmp_path: Path) -> None:
    page = calibrating(tmp_path / "table.toml")
    for x, y in ((-800, 150), (800, 150), (450.5, 650), (-450, 650)):
        browser.type("#x", str(x))
        browser.type("#y", str(y).replace(".", ","))
        browser.click("#typed")
        count = browser.run("return points.length")
        browser.drag([page.at(*camera().to_picture([(x, y)])[0])])
        browser.wait(f"points.length === {count} + 1")
    page.fitted()
    browser.wait("fit.good")
    assert "450.5, 650 mm" in browser.text("#list")
    assert "eight points" in browser.text("#verdict")
    browser.click("#list li:last-child button")
    browser.wait("points.length === 3 && $('save').disabled")
    assert "1 more point" in browser.text("#verdict")
    page.process.send_signal(signal.SIGINT)
    assert page.done()[0] == 130
    assert not (tmp_path / "table.toml").exists()


def test_the_page_takes_nothing_from_elsewhere(calibrating: Open, browser: Browser, tmp_path: Path) -> None:
    page = calibrating(tmp_path / "table.toml")
    found = browser.run(
        "const own = one => one.origin === location.origin ? one.pathname : one.href;"
        "return performance.getEntriesByType('resource').map(one => own(new URL(one.name)))"
    )
    assert isinstance(found, list)
    assert {"/start", "/picture"} <= set(found) <= {"/start", "/picture", "/fit"}
    assert browser.run("return getComputedStyle(document.querySelector('aside')).backgroundColor") != "rgba(0, 0, 0, 0)"
    page.process.send_signal(signal.SIGINT)
    assert page.done()[0] == 130
