"""Sheets on the felt hang the camera: laid askew, shrunk by the printer, or in the dark; what cannot be is reported."""

import numpy as np
import pytest

from feltwatch.vision.geometry.calibration import Fit
from feltwatch.vision.geometry.camera import CameraError
from feltwatch.vision.geometry.markers import PLACES, cells, parse_places, seen_sheets, sheet_marks, side_mm
from feltwatch.vision.layout.zones import LayoutError
from tests.film_frames import frame
from tests.printed_sheets import A3, A4, SIZE, camera, laid


def worst_mm(fit: Fit) -> float:
    """Give how far off the camera is, anywhere on the felt."""
    x, y = np.meshgrid(np.linspace(-900, 900, 19), np.linspace(20, 880, 10))
    felt = np.column_stack([x.ravel(), y.ravel()])
    felt = felt[np.hypot(felt[:, 0], felt[:, 1] + 60) < 960]
    return float(np.hypot(*(fit.camera.to_felt(camera().to_picture(felt)) - felt).T).max())


@pytest.mark.parametrize(("turns", "grown"), [(0.0, 1.0), (8.0, 1.0), (180.0, 1.0), (8.0, 0.95)])
def test_four_sheets_hang_the_camera_however_they_are_turned_and_printed(turns: float, grown: float) -> None:
    picture = laid(A4, turns, grown)
    seen = seen_sheets(picture)
    assert list(seen) == [1, 2, 3, 4]
    found = sheet_marks(SIZE, seen, A4)
    assert len(found.marks) == len(found.names) == 16
    assert found.fit.off_mm.max() < 0.5
    assert found.grown == pytest.approx(grown, abs=0.006)
    assert worst_mm(found.fit) < 1  # the bend of the lens worked out


def test_sheets_of_a3_are_seen_in_the_dark_with_noise_and_three_are_enough() -> None:
    dice = np.random.default_rng(2)
    dark = np.clip(laid(A3) * 0.3 + dice.normal(0, 4, (1080, 1920, 3)), 0, 255).astype(np.uint8)
    seen = seen_sheets(dark)
    assert list(seen) == [11, 12, 13, 14]
    del seen[13]
    found = sheet_marks(SIZE, seen, PLACES)
    assert found.names[0] == "sheet 11, top left"
    assert worst_mm(found.fit) < 4


def test_a_sheet_that_lies_elsewhere_is_named() -> None:
    seen = seen_sheets(laid({**A4, 3: (310.0, 610.0)}))
    with pytest.raises(CameraError, match=r"sheet 3 lies elsewhere .*: lay its middle at \[260, 640\], or say with"):
        sheet_marks(SIZE, seen, A4)


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ((), r"expected 3 or more of the sheets 1, 2, 3, 4, saw none: lay them flat"),
        ((2,), "saw sheet 2 only"),
        ((2, 4), "saw sheets 2, 4 only"),
    ],
)
def test_too_few_sheets_are_refused_and_those_seen_are_named(there: tuple[int, ...], said: str) -> None:
    seen = seen_sheets(laid({sheet: A4[sheet] for sheet in there}))
    with pytest.raises(CameraError, match=said):
        sheet_marks(SIZE, seen, A4)


def test_sheets_in_a_row_hold_no_plane_by_their_middles_and_some_by_their_corners() -> None:
    row = {1: (-600.0, 300.0), 2: (-200.0, 300.0), 3: (200.0, 300.0), 4: (600.0, 300.0)}
    found = sheet_marks(SIZE, seen_sheets(laid(row)), row)
    assert found.fit.off_mm.max() < 3


def test_no_sheet_is_seen_where_none_lies() -> None:
    assert [seen_sheets(frame(number)) for number in (3, 300, 700)] == [{}, {}, {}]


def test_markers_are_those_that_are_looked_for() -> None:
    assert len({cells(sheet).tobytes() for sheet in range(1, 20)}) == 19
    assert cells(1).shape == (7, 7)
    assert cells(1)[0].all()
    assert (side_mm(9), side_mm(11)) == (160.0, 240.0)


def test_places_are_read() -> None:
    text = "[[sheets]]\nid = 1\nat = [-500, 300]\n[[sheets]]\nid = 2\nat = [0.5, 600]\n"
    assert parse_places(text, "here") == {1: (-500.0, 300.0), 2: (0.5, 600.0)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "here: expected [[sheets]], each with id and at = [x, y] in millimetres, found None"),
        ("[[sheet]]\nid = 1", "here: unknown key 'sheet': did you mean 'sheets'?"),
        ("[[sheets]]\nid = 1\nplace = 3", "here: sheets 1: unknown key 'place'"),
        ("[[sheets]]\nid = 10\nat = [0, 0]", "here: sheets 1: id: expected 1 to 9, or 11 to 19 for A3, each once"),
        ("[[sheets]]\nid = 1\nat = [0, 0]\n[[sheets]]\nid = 1\nat = [0, 9]", "here: sheets 2: id: expected"),
        ("[[sheets]]\nid = 1\nat = [0]", "here: sheets 1: at: expected 2 numbers in millimetres, found [0]"),
        ("sheets = [1]", "here: sheets 1: expected id and at = [x, y], found 1"),
        ("[[sheets", "here: not TOML"),
    ],
)
def test_places_that_cannot_be_are_refused(text: str, said: str) -> None:
    with pytest.raises(LayoutError) as caught:
        parse_places(text, "here")
    assert str(caught.value).startswith(said)
