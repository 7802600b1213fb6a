"""`feltwatch calibrate` of one of several cameras over a table: it need not see what the others watch."""

from pathlib import Path

import pytest

from feltwatch.edge.config.table_file import read_table
from feltwatch.vision.geometry.camera import look_at
from tests.edge.calibrate.test_command import LENS, refused, rows, run
from tests.film_frames import CLIP, TABLE

HALF = look_at((1920, 1080), (-450.0, 250.0, 1700.0), (-300.0, 440.0), 1750.0)
MARKS = [(-900.0, 200.0), (-718.8, 355.0), (-283.9, 719.9), (0.0, 770.0), (200.0, 100.0), (-700.0, 40.0)]
WATCHES = "--watches=box1,box2,box3,dealer,shoe"


@pytest.fixture
def points(tmp_path: Path) -> Path:
    shown = HALF.to_picture(MARKS).tolist()
    lines = [
        f"[[points]]\nimage = [{u}, {v}]\ntable = [{x}, {y}]\n" for (u, v), (x, y) in zip(shown, MARKS, strict=True)
    ]
    path = tmp_path / "points.toml"
    path.write_text("".join(lines))
    return path


@pytest.fixture
def several(tmp_path: Path) -> Path:
    head, _, points = TABLE.read_text("utf-8").partition("[camera]")
    one = points.replace("[[camera.", "[[cameras.")
    path = tmp_path / "several.toml"
    path.write_text(f'{head}[[cameras]]\nname = "wide"\nwatches = []\n{one}\n[[cameras]]\nname = "top"\n{one}')
    return path


def test_a_camera_need_only_see_what_it_watches(points: Path, tmp_path: Path) -> None:
    arguments: list[str | Path] = [CLIP, "-o", tmp_path / "left.toml", "--points", points, "--preset", "blackjack-7"]
    assert "leaves the picture" in refused(*arguments)
    assert run(*arguments, WATCHES) == 0
    assert read_table(tmp_path / "left.toml").camera((1920, 1080)).off_mm.max() < 0.1


def test_a_part_that_is_not_there_is_named(points: Path, tmp_path: Path) -> None:
    said = refused(CLIP, "-o", tmp_path / "left.toml", "--points", points, "--watches", "box1,box9")
    assert said.startswith("--watches: 'box9': expected parts of the layout: box1, box2")


def test_of_several_cameras_the_others_are_not_lost(several: Path, tmp_path: Path) -> None:
    path = tmp_path / "points.toml"
    path.write_text(rows())
    arguments: list[str | Path] = [CLIP, "--points", path, "--like", several, *LENS]
    said = refused(*arguments, "-o", tmp_path / "one.toml")
    assert said.endswith(
        "this table has several cameras: expected --watches with the parts that this one watches, found none"
    )
    assert "expected -o with another file" in refused(*arguments, "-o", several, "--force", "--watches", "box1")
    assert run(*arguments, "-o", tmp_path / "one.toml", "--watches", "box1") == 0
    assert (read_table(tmp_path / "one.toml").id, read_table(tmp_path / "one.toml").source) == ("demo", "")
