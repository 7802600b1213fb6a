"""[[cameras]] in a table's file: each part of the layout is watched by one of them, and by one alone."""

from pathlib import Path

import pytest

from feltwatch.edge.config.camera_parts import CameraFile, layout_parts
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.errors import UsageError
from tests.film_frames import TABLE

POINTS = TABLE.read_text("utf-8").partition("[[camera.points]]")[2]
LEFT = '"box1", "box2", "box3", "dealer", "shoe"'


def file(*cameras: tuple[str, str]) -> str:
    """Give a table's file with cameras of these names, each with lines of its own."""
    head = TABLE.read_text("utf-8").partition("[camera]")[0]
    several = [
        f'[[cameras]]\nname = "{name}"\nsource = "rtsp://{name}"\n{lines}\n[[cameras.points]]'
        + POINTS.replace("[[camera.", "[[cameras.")
        for name, lines in cameras
    ]
    return head + "\n".join(several)


def table(tmp_path: Path, text: str) -> TableFile:
    path = tmp_path / "table.toml"
    path.write_text(text, "utf-8")
    return read_table(path)


def test_one_camera_watches_all() -> None:
    one = read_table(TABLE)
    assert [(camera.name, camera.watches, camera.loop) for camera in one.cameras] == [("camera", (), False)]
    assert layout_parts(one.cameras, one.layout) == {"camera": one.layout}


def test_a_camera_that_names_nothing_watches_what_is_left(tmp_path: Path) -> None:
    found = table(tmp_path, file(("left", f"watches = [{LEFT}]"), ("right", "loop = true"), ("wide", "watches = []")))
    assert [camera.name for camera in found.cameras] == ["left", "right", "wide"]
    assert [camera.loop for camera in found.cameras] == [False, True, False]
    assert (found.source, found.first.name) == ("rtsp://left", "left")
    parts = layout_parts(found.cameras, found.layout)
    assert list(parts) == ["left", "right"]  # the third only records
    assert parts["left"].boxes == (1, 2, 3)
    assert parts["right"].boxes == (4, 5, 6, 7)
    assert {area.name for area in parts["right"].areas} >= {"discard", "float", "box4.main", "box7.hand4"}
    assert {*parts["left"].areas, *parts["right"].areas} == {*found.layout.areas}
    assert parts["left"].elsewhere == parts["right"].areas


def test_one_part_is_watched_by_one_where_the_others_only_record(tmp_path: Path) -> None:
    found = table(tmp_path, file(("wide", "watches = []"), ("top", "")))
    assert found.source == "rtsp://top"
    assert layout_parts(found.cameras, found.layout) == {"top": found.layout}


def test_what_lies_nearer_to_anothers_part_is_not_told(tmp_path: Path) -> None:
    found = table(tmp_path, file(("left", f"watches = [{LEFT}]"), ("right", "")))
    left, right = layout_parts(found.cameras, found.layout).values()
    for place, cards, watcher in (
        ((-184.0, 511.0), True, left),  # box 3
        ((20.0, 540.0), True, right),  # box 4
        ((-60.0, 500.0), True, right),  # both boxes hold it: that of the smaller
        ((-90.0, 300.0), True, left),  # outside of all
        ((-284.0, 720.0), False, left),  # chips of box 3
        ((100.0, 640.0), False, right),  # outside, nearest to box 4
    ):
        assert [part.ignores(place, cards=cards) for part in (left, right)] == [watcher is right, watcher is left], (
            place
        )
    for part in (left, right):
        assert part.ignores((0.0, 40.0), cards=False)  # the float belongs to no box


@pytest.mark.parametrize(
    ("cameras", "said"),
    [
        (
            ((("left", f"watches = [{LEFT}]")),),
            "no camera watches box4, box5, box6, box7, discard, float: name them in the watches of",
        ),
        (
            (("left", f"watches = [{LEFT}]"), ("right", 'watches = ["box4", "box5", "box6", "box7", "shoe"]')),
            "cameras 'left' and 'right' both watch 'shoe': expected one camera for each part",
        ),
        (
            (("left", 'watches = ["box1.main"]'), ("right", 'watches = ["box1"]'), ("rest", "")),
            "both watch 'box1.main'",
        ),
        ((("left", ""), ("right", "")), "cameras 'left' and 'right' have no watches: expected one such camera at most"),
        (
            (("left", 'watches = ["box9"]'), ("right", "")),
            "camera 'left' watches 'box9': expected parts of the layout: box1",
        ),
        (
            (("left", 'watches = "box1"'), ("right", "")),
            "cameras 1 (left).watches: expected parts of the layout such as",
        ),
        ((("left", ""), ("left", "watches = []")), "cameras: expected each name once, found two cameras named 'left'"),
        (
            (("left/right", ""),),
            "cameras 1 (left/right).name: expected letters, digits, - and _, at most 32, found 'left/right'",
        ),
        ((("left", "loop = 1"),), "cameras 1 (left).loop: expected true or false, found 1"),
        ((("left", "watch = []"),), "cameras 1 (left): unknown key 'watch': did you mean 'watches'?"),
        ((("left", "watches = []"),), "no camera watches box1, box2"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(tmp_path: Path, cameras: tuple[tuple[str, str], ...], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        table(tmp_path, file(*cameras))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_camera_that_is_left_with_nothing_is_named(tmp_path: Path) -> None:
    one = read_table(TABLE)
    every = ", ".join(f'"{area.name}"' for area in one.layout.areas)
    with pytest.raises(UsageError, match=r"camera 'right': nothing is left to watch; write watches = \[\]"):
        table(tmp_path, file(("left", f"watches = [{every}]"), ("right", "")))


def test_either_one_camera_or_several(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected either \[camera\] or \[\[cameras\]\], found both"):
        table(tmp_path, TABLE.read_text("utf-8") + '\n[[cameras]]\nname = "left"\npoints = []\n')
    with pytest.raises(UsageError, match=r"expected \[\[cameras\]\], one for each camera, found \[\]"):
        table(tmp_path, "cameras = []\n" + TABLE.read_text("utf-8").partition("[camera]")[0])


def test_a_single_camera_may_begin_anew(tmp_path: Path) -> None:
    found = table(tmp_path, TABLE.read_text("utf-8").replace("[camera]", "[camera]\nloop = true"))
    assert isinstance(found.first, CameraFile)
    assert found.first.loop
