"""The printed sheets: as large as they say, and found again when they are drawn as a printer would."""

import re
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from feltwatch.edge.calibrate.sheet import PAPERS, POINTS, print_sheets
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.geometry.markers import PLACES, seen_sheets, side_mm

PX_PER_MM = 3
SHAPE = re.compile(r"^([\d.]+) g ([\d.]+) ([\d.]+) m ((?:[\d.]+ [\d.]+ l ?)+)h f$", re.MULTILINE)


def pages(data: bytes) -> list[str]:
    return [found.decode() for found in re.findall(rb"stream\n(.*?)\nendstream", data, re.DOTALL)]


def drawn(page: str, paper: tuple[float, float]) -> Pixels:
    """Fill the shapes of a page of PDF, as a printer does."""
    sheet = np.full((round(paper[1] * PX_PER_MM), round(paper[0] * PX_PER_MM), 3), 255, np.uint8)
    for shade, x, y, rest in SHAPE.findall(page):
        points = np.array([float(x), float(y), *map(float, re.findall(r"[\d.]+", rest))]).reshape(-1, 2) / POINTS
        points[:, 1] = paper[1] - points[:, 1]
        fine = np.round(points * PX_PER_MM * 16 - 8).astype(np.int32)
        cv2.fillPoly(sheet, [fine], (round(float(shade) * 255),) * 3, cv2.LINE_AA, 4)
    return sheet


@pytest.mark.parametrize("paper", PAPERS)
def test_a_pdf_holds_each_sheet_in_its_true_size(paper: str, tmp_path: Path) -> None:
    (path,) = print_sheets(tmp_path / "sheet.pdf", paper, None)
    data = path.read_bytes()
    wanted = [sheet for sheet in PLACES if (sheet > 10) == (paper == "a3")]
    width, height = PAPERS[paper]
    boxes = re.findall(rb"MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert [(float(x) / POINTS, float(y) / POINTS) for x, y in boxes] == [pytest.approx((width, height), abs=0.01)] * 4
    for sheet, page in zip(wanted, pages(data), strict=True):
        seen = seen_sheets(drawn(page, PAPERS[paper]))
        assert list(seen) == [sheet]
        corners = (seen[sheet] + 0.5) / PX_PER_MM
        assert np.hypot(*(corners[1] - corners[0])) == pytest.approx(side_mm(sheet), abs=0.5)
        assert corners.mean(axis=0) == pytest.approx((width / 2, height / 2), abs=0.3)
        assert corners[0][1] < corners[3][1]
        x, y = PLACES[sheet]
        assert f"({abs(x):g} mm to the dealer's {'right' if x > 0 else 'left'},)" in page
        assert f"({y:g} mm from the dealer's edge,)" in page


def test_a_pdf_is_whole(tmp_path: Path) -> None:
    (path,) = print_sheets(tmp_path / "sheet.pdf", "a4", None)
    data = path.read_bytes()
    start = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    assert data[start:].startswith(b"xref\n0 13\n")
    for number, at in enumerate(re.findall(rb"^(\d{10}) 00000 n $", data, re.MULTILINE), 1):
        assert data[int(at) :].startswith(f"{number} 0 obj\n".encode())
    for length, page in re.findall(rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", data, re.DOTALL):
        assert int(length) == len(page)


def test_a_png_says_how_large_it_is(tmp_path: Path) -> None:
    paths = print_sheets(tmp_path / "sheet.png", "a4", {1: (0.0, 400.0), 7: (-300.5, 400.0)})
    assert [path.name for path in paths] == ["sheet-1.png", "sheet-7.png"]
    for path, sheet in zip(paths, (1, 7), strict=True):
        data = path.read_bytes()
        at = data.index(b"pHYs")
        across, down, unit = struct.unpack(">IIB", data[at + 4 : at + 13])
        assert struct.unpack(">I", data[at + 13 : at + 17])[0] == zlib.crc32(data[at : at + 13])
        picture = cv2.imread(str(path))
        assert picture is not None
        assert (unit, picture.shape[1] / across, picture.shape[0] / down) == (1, 0.21, 0.297)
        (corners,) = seen_sheets(np.asarray(picture, np.uint8)).values()
        assert np.hypot(*(corners[1] - corners[0])) / across * 1000 == pytest.approx(side_mm(sheet), abs=0.3)


def test_a_png_is_whole_to_any_reader(tmp_path: Path) -> None:
    (path,) = print_sheets(tmp_path / "sheet.png", "letter", {3: (10.0, 20.0)})
    with Image.open(path) as image:
        assert (image.size, image.mode) == ((round(215.9 * 8), round(279.4 * 8)), "L")
        image.verify()
