"""The pictures of the pages that show what feltwatch draws: `python -m tests.browser.pictures` makes them again.

It takes a minute, and Chromium for the report. Look at them before you commit them.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

from feltwatch.edge.cli.main import main
from feltwatch.vision.arrays import Pixels
from tests.browser.driver import Browser
from tests.film_frames import CLIP, TABLE
from tests.pages import DOCS

PICTURES = DOCS / "pictures"
POINTS = DOCS / "examples" / "points.toml"
REPORT = (1100, 1100)
MARGIN = 10  # round an alert
QUALITY = 85  # of the JPEG files


def write(name: str, picture: Pixels) -> None:
    cv2.imwrite(str(PICTURES / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


def smaller(picture: Pixels, size: tuple[int, int]) -> Pixels:
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def read(path: Path) -> Pixels:
    found = cv2.imread(str(path))
    assert found is not None, path
    return np.asarray(found, np.uint8)


def overlay(folder: Path) -> None:
    path = folder / "overlay.png"
    points = ["--points", str(POINTS), "--overlay", str(path)]
    assert main(["calibrate", str(CLIP), "-o", str(folder / "table.toml"), *points]) == 0
    write("calibrated", smaller(read(path), (1200, 675)))


def still(evidence: Path) -> None:
    """Show the frame of an alert's still, without the band below it."""
    (path,) = evidence.glob("*.jpg")
    found = read(path)
    write("watched", smaller(found[: found.shape[1] * 9 // 16], (1280, 720)))


def report(page: Path, folder: Path) -> None:
    """Show the first screen of a report, and its alert down to the end of the still."""
    with Browser(REPORT[0], 4500) as browser:
        browser.open(page.resolve().as_uri())
        browser.wait("document.querySelector('.alert img').complete")
        browser.run("document.documentElement.style.overflow = 'hidden'")  # no scroll bar
        browser.picture(folder / "report.png")
        place = browser.run(
            "const box = document.querySelector('.alert').getBoundingClientRect();"
            "const end = document.querySelector('.alert img').getBoundingClientRect();"
            "return [box.left, box.top, box.right, end.bottom]"
        )
    assert isinstance(place, list)
    left, top, right, bottom = (round(float(one)) for one in place)
    found = read(folder / "report.png")
    write("report", found[: REPORT[1]])
    write("alert", found[top : bottom + 2, max(left - MARGIN, 0) : right + MARGIN])


def pictures() -> int:
    with TemporaryDirectory() as name:
        folder = Path(name)
        overlay(folder)
        assert main(["replay", str(CLIP), "-c", str(TABLE), "-o", str(folder), "--quiet"]) == 0
        still(folder / "demo" / "evidence")
        report(folder / "demo" / "report.html", folder)
    return 0


if __name__ == "__main__":
    sys.exit(pictures())
