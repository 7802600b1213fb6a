"""`feltwatch calibrate` without a browser: points or sheets in, a table's file out; bad input in one line."""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import cv2
import numpy as np
import pytest

from feltwatch.edge.calibrate.command import calibrate, draft_of
from feltwatch.edge.calibrate.file_writer import dragged, save, text_of
from feltwatch.edge.calibrate.points import named_points
from feltwatch.edge.calibrate.sheet import PAPERS
from feltwatch.edge.cli.options import COMMANDS, command_parser
from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import find_book
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.layout.zones import PRESETS, load_layout
from tests.film_frames import CLIP, TABLE, frame
from tests.printed_sheets import A4, SIZE, camera, laid
from tests.test_schemas import TABLE as TABLE_SCHEMA

NAMES = ("box1.main", "box4.main", "box7.main", "felt.left", "felt.right", "dealer.cards.1", "dealer.cards.4")
LENS = ["--lens=-0.08,0.01,0,0,0", "--camera-matrix=1863.511,1863.511,959.5,539.5"]


def options_of(*arguments: str) -> argparse.Namespace:
    return command_parser().parse_args(["calibrate", *arguments])


def run(*arguments: str | Path) -> int:
    return calibrate(options_of(*map(str, arguments)))


def refused(*arguments: str | Path) -> str:
    with pytest.raises(UsageError) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@cache
def pixels() -> dict[str, tuple[float, float]]:
    known = named_points(load_layout("blackjack-7"))
    shown = camera().to_picture([known[name].at for name in NAMES]).tolist()
    return {name: (u, v) for name, (u, v) in zip(NAMES, shown, strict=True)}


def rows(names: tuple[str, ...] = NAMES, off: tuple[float, float] = (0, 0)) -> str:
    """Write points down, the last of them off by some pixels."""
    lines = ""
    for name in names:
        u, v = pixels()[name]
        du, dv = off if name == names[-1] else (0, 0)
        lines += f'[[points]]\nname = "{name}"\nimage = [{u + du:.2f}, {v + dv:.2f}]\n'
    return lines


def in_millimetres(places: list[tuple[float, float]], mirror: int = 1) -> str:
    shown = camera().to_picture(places).tolist()
    return "".join(
        f"[[points]]\nimage = [{u:.2f}, {v:.2f}]\ntable = [{mirror * x}, {y}]\n"
        for (u, v), (x, y) in zip(shown, places, strict=True)
    )


@pytest.fixture
def points(tmp_path: Path) -> Path:
    path = tmp_path / "points.toml"
    path.write_text(rows())
    return path


@pytest.fixture(scope="module")
def photograph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("picture") / "table.png", frame(3))


@pytest.fixture
def stream(tmp_path: Path) -> Iterator[str]:
    """Serve a film as a camera does: it begins with grey, and no one can leap in it."""
    film(tmp_path / "stream.avi", grey=3)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as http.server names it
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/stream.avi"
    server.shutdown()
    thread.join()
    server.server_close()


def film(path: Path, grey: int, *, shows: bool = True) -> Path:
    """Write a film that begins with grey."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, SIZE)
    for picture in [np.full_like(frame(3), 128)] * grey + [frame(3)] * shows:
        writer.write(picture)
    writer.release()
    return path


def written(path: Path, picture: Pixels) -> Path:
    cv2.imwrite(str(path), picture)
    return path


def worst_mm(path: Path) -> float:
    x, y = np.meshgrid(np.linspace(-900, 900, 19), np.linspace(20, 880, 10))
    felt = np.column_stack([x.ravel(), y.ravel()])
    felt = felt[np.hypot(felt[:, 0], felt[:, 1] + 60) < 960]
    found = read_table(path).camera(SIZE).camera
    return float(np.hypot(*(found.to_felt(camera().to_picture(felt)) - felt).T).max())


def test_a_file_of_points_makes_a_table(
    points: Path, photograph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, overlay = tmp_path / "bj-07.toml", tmp_path / "over.png"
    own = ["--site", "pit-2", "--book", "blackjack-rws-v4", "--decks", "6", "--min", "25", "--max", "2500.50"]
    assert run(photograph, "-o", output, "--points", points, "--overlay", overlay, *own, *LENS) == 0
    table = read_table(output)
    assert (table.id, table.site, table.source, table.book.id) == ("bj-07", "pit-2", "", "blackjack-rws-v4")
    assert (table.book.decks, table.book.minimum, table.book.maximum) == (6, Decimal(25), Decimal("2500.5"))
    assert 'preset = "blackjack-7"' in output.read_text()
    assert worst_mm(output) < 0.1
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in said[1:8]] == list(NAMES)
    assert sum("<- worst" in line for line in said) == 1
    assert said[-2:] == [f"{overlay}: written; look at it", f"{output}: written"]
    drawn = cv2.imread(str(overlay))
    assert drawn is not None
    assert drawn.shape == frame(3).shape
    assert float(np.abs(drawn.astype(int) - frame(3)).mean()) > 5


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_placed_by_millimetres(preset: str, photograph: Path, tmp_path: Path) -> None:
    path, output = tmp_path / "points.toml", tmp_path / "table.toml"
    path.write_text(in_millimetres([(-850, 100), (850, 100), (400, 700), (-400, 700), (0, 300)]))
    assert run(photograph, "-o", output, "--points", path, "--preset", preset, *LENS) == 0
    table = read_table(output)
    assert table.layout.name == preset
    assert table.book.family == ("si-ki-pi" if preset.startswith("si-ki-pi") else "blackjack")


def test_a_film_gives_its_first_good_frame(points: Path, tmp_path: Path) -> None:
    late = film(tmp_path / "late.avi", grey=3)
    drawn = []
    for source in (late, CLIP):
        overlay = tmp_path / f"{source.stem}.png"
        assert run(source, "-o", tmp_path / f"{source.stem}.toml", "--points", points, "--overlay", overlay) == 0
        drawn.append(cv2.imread(str(overlay)))
    assert drawn[0] is not None
    assert drawn[1] is not None
    assert float(np.abs(drawn[0].astype(int) - drawn[1]).mean()) < 6  # the same table under the same lines


def test_a_live_camera_is_written_down(points: Path, tmp_path: Path, stream: str) -> None:
    url, output = stream, tmp_path / "table.toml"
    assert run(url, "-o", output, "--points", points) == 0
    assert read_table(output).source == url
    assert run(CLIP, "-o", output, "--points", points, "--camera", "rtsp://eye/1", "--force") == 0
    assert read_table(output).source == "rtsp://eye/1"


def test_sheets_hang_the_camera(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shrunk = written(tmp_path / "sheets.png", laid(A4, 10.0, 0.95))
    output = tmp_path / "table.toml"
    assert run(shrunk, "-o", output, "--markers", *LENS) == 0
    assert worst_mm(output) < 1
    out = capsys.readouterr().out
    assert re.search(r"the sheets are printed at 9[45] % of their size", out.replace("%", " %"))
    assert "sheet 4, bottom left" in out


def test_sheets_may_lie_where_a_file_says(tmp_path: Path) -> None:
    places = {1: (-600.0, 300.0), 2: (-100.0, 500.0), 3: (300.0, 600.0), 5: (600.0, 250.0)}
    path = tmp_path / "places.toml"
    path.write_text("".join(f"[[sheets]]\nid = {n}\nat = {list(at)}\n" for n, at in places.items()))
    picture = written(tmp_path / "sheets.png", laid(places))
    assert run(picture, "-o", tmp_path / "table.toml", "--markers", "--places", path, *LENS) == 0
    assert worst_mm(tmp_path / "table.toml") < 1


def test_a_table_is_calibrated_again_as_it_was(photograph: Path, tmp_path: Path) -> None:
    old, output = tmp_path / "old.toml", tmp_path / "new.toml"
    zone = '[[layout.zones]]\nname = "box1.cards"\npolygon = [[0, 300], [200, 300], [200, 600], [0, 600]]\n'
    text = TABLE.read_text().replace('[layout]\npreset = "blackjack-7"', zone)
    text = text.replace("[layout]", "").replace("min = 50", 'min = 50\nsettings = { dealer_soft17 = "hit" }')
    old.write_text(text + '\n[mqtt]\nurl = "mqtt://broker"\n\n[record]\ndays = 7\n')
    path = tmp_path / "again.toml"
    path.write_text(in_millimetres([(-850, 100), (850, 100), (400, 700), (-400, 700), (0, 300)]))
    assert run(photograph, "-o", output, "--points", path, "--like", old, "--max", "900") == 0
    was, now = read_table(old), read_table(output)
    assert now.layout.areas == was.layout.areas
    assert (now.id, now.site, now.source, now.mqtt, now.lens) == (was.id, was.site, was.source, was.mqtt, was.lens)
    assert now.book.switches == was.book.switches
    assert (now.book.minimum, now.book.maximum) == (Decimal(50), Decimal(900))


COMMENTED = """#:schema table.schema.json
# the table by the door
[table]
id = "bj-07"  # as on its sign
site = "main"
book = "blackjack-rws-v5"
min = 50
max = 5000  # raised in May

[table.settings]
# agreed with the house
dealer_soft17 = "hit"

[layout]
preset = "blackjack-7"  # printed in 2024

# over the dealer
[camera]
source = "rtsp://viewer@camera/7"
password_file = "bj-07.camera"  # not in the backup

# from the sheets
[[camera.points]]
image = [1.0, 2.0]
table = [3.0, 4.0]

[mqtt]
url = "mqtt://broker"  # in the server room
"""


def test_what_is_calibrated_again_keeps_its_preset_and_its_comments(photograph: Path, tmp_path: Path) -> None:
    path, given = tmp_path / "bj-07.toml", tmp_path / "points.toml"
    path.write_text(COMMENTED)
    path.chmod(0o600)
    given.write_text(in_millimetres([(-850, 100), (850, 100), (400, 700), (-400, 700), (0, 300)]))
    assert run(photograph, "-o", path, "--points", given, "--like", path, "--force", "--max", "900") == 0
    text = path.read_text()
    before, points, after = COMMENTED.partition("[[camera.points]]")
    new = text[text.index("[[camera.points]]") : text.index("[mqtt]")]
    assert text == before.replace("max = 5000", "max = 900") + new + "[mqtt]" + after.partition("[mqtt]")[2]
    assert len(read_table(path).marks) == new.count(points) == 5
    assert path.stat().st_mode & 0o777 == 0o600
    assert run(photograph, "-o", tmp_path / "new.toml", "--points", given, "--like", path) == 0
    assert (tmp_path / "new.toml").read_text() == text
    TABLE_SCHEMA.validate(tomllib.loads(text))
    assert (tmp_path / "new.toml").stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    assert run(photograph, "-o", tmp_path / "other.toml", "--points", given, "--like", path) == 0
    assert (tmp_path / "other.toml").stat().st_mode & 0o777 == 0o640


def test_another_book_takes_its_settings_out_and_leaves_the_rest(photograph: Path, tmp_path: Path) -> None:
    old, path, given = tmp_path / "old.toml", tmp_path / "new.toml", tmp_path / "points.toml"
    old.write_text(COMMENTED)
    given.write_text(in_millimetres([(-850, 100), (850, 100), (400, 700), (-400, 700), (0, 300)]))
    assert run(photograph, "-o", path, "--points", given, "--like", old, "--book", "live-blackjack") == 0
    text = path.read_text()
    assert "agreed with the house" not in text
    assert 'preset = "blackjack-7"  # printed in 2024' in text
    assert 'id = "bj-07"  # as on its sign' in text
    assert read_table(path).book.switches == find_book("live-blackjack").at_table(settings={"boxes": "7"}).switches


def test_zones_one_by_one_are_kept_as_they_are_written(photograph: Path, tmp_path: Path) -> None:
    zone = "[[layout.zones]]  # measured\nname = 'box1.cards'\npolygon = [[0, 300], [200, 300], [200, 600], [0, 600]]\n"
    old, path, given = tmp_path / "old.toml", tmp_path / "new.toml", tmp_path / "points.toml"
    old.write_text(COMMENTED.replace('preset = "blackjack-7"  # printed in 2024\n', 'name = "ours"\n' + zone))
    given.write_text(in_millimetres([(-850, 100), (850, 100), (400, 700), (-400, 700), (0, 300)]))
    assert run(photograph, "-o", path, "--points", given, "--like", old) == 0
    assert zone in path.read_text()


def test_a_live_cameras_password_stays_in_its_file(
    points: Path, tmp_path: Path, stream: str, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "bj.camera"
    secret.write_text("hunter2\n")
    path = tmp_path / "bj.toml"
    arguments: list[str | Path] = [stream, "-o", path, "--points", points]
    said = refused(*arguments, "--password-file", secret)
    assert said.startswith("--password-file: expected a SOURCE with a user and no password, such as rtsp://viewer@")
    named = stream.replace("://", "://viewer@")
    assert run(named, *arguments[1:], "--password-file", secret) == 0
    table = read_table(path)
    assert (table.source, table.first.password_file) == (named, secret)
    assert "note" not in capsys.readouterr().out
    assert run(named.replace("viewer@", "viewer:hunter2@"), *arguments[1:], "--force") == 0
    said = capsys.readouterr().out
    assert "note: this file holds the camera's password; --password-file keeps it in a file of its own" in said
    assert "hunter2" not in said


def test_zones_that_were_moved_are_written_out(tmp_path: Path) -> None:
    draft = draft_of(options_of("picture.png", "-o", str(tmp_path / "table.toml")))
    shoe = draft.layout.by_name["shoe"]
    inside = dragged(draft.layout, {"shoe": [(x + 20, y + 30) for x, y in shoe.polygon]})
    beyond = dragged(draft.layout, {"shoe": [(x - 300, y) for x, y in shoe.polygon]})
    for layout in (inside, beyond):
        table = save(draft, read_table(TABLE).marks, layout)
        TABLE_SCHEMA.validate(tomllib.loads(draft.path.read_text()))
        assert table.path == draft.path
        found = tomllib.loads(draft.path.read_text())["layout"]
        assert ("outline" in found) == (layout is inside)
        assert table.layout.by_name["shoe"] == layout.by_name["shoe"]
        assert set(table.layout.by_name) == set(draft.shown.by_name)
    assert beyond.by_name["shoe"].first == (shoe.first[0] - 300, shoe.first[1])
    assert list(tmp_path.iterdir()) == [draft.path]


def test_the_options_name_every_preset_and_paper() -> None:
    parser = argparse.ArgumentParser()
    COMMANDS["calibrate"].add_options(parser)
    told = {action.dest: action for action in parser._actions}  # noqa: SLF001  argparse has no other way to look
    assert f"layout: {', '.join(PRESETS)} (" in (told["preset"].help or "")
    assert told["paper"].choices is not None
    assert set(told["paper"].choices) == set(PAPERS)


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    draft = draft_of(options_of("picture.png", "-o", str(folder / "table.toml")))
    folder.rmdir()
    with pytest.raises(UsageError, match=r"table\.toml: cannot be written \(No such file"):
        save(draft, read_table(TABLE).marks, draft.layout)


def test_a_text_may_hold_anything(tmp_path: Path) -> None:
    name = 'tab"le\\ ä\x7f\n2'
    draft = draft_of(options_of("picture.png", "-o", str(tmp_path / "table.toml"), "--id", name))
    assert tomllib.loads(text_of(draft, (), draft.layout))["table"]["id"] == name


SQUARE = [(-850, 100), (850, 100), (400, 700), (-400, 700)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "expected [[points]], each with image = [x, y] and name, or table = [x, y]"),
        ("points = 3", "expected [[points]]"),
        ("points = [3]", "points 1: expected image = [x, y] and name, or table = [x, y], found 3"),
        ("[[point]]", "the file: unknown key 'point': did you mean 'points'?"),
        ("[[points", "expected a file of points in TOML"),
        ('[[points]]\nname = "box1.main"', "points 1: image: expected 2 numbers in pixels, found None"),
        ("[[points]]\nimage = [1, 2]", "points 1: expected either name, or table = [x, y] in millimetres"),
        ('[[points]]\nname = "box1.man"\nimage = [1, 2]', "unknown name 'box1.man': did you mean 'box1.main'?"),
        ('[[points]]\nname = "zzz"\nimage = [1, 2]', "unknown name 'zzz': expected one such as felt.left"),
        ("[[points]]\nimage = [1, 2]\ntable = [1, nan]", "points 1: table: expected 2 numbers in millimetres"),
        (rows(NAMES[:3]), "camera.points: expected 4 or more, found 3"),
        (in_millimetres([(x, 300.0) for x in (-800, -300, 0, 400, 800)]), "found too many on one line"),
        (in_millimetres([(300.0, 300.0)] * 5), "found too many on one line or in one place"),
        (rows(off=(70, 30)), "camera.points do not fit each other: point 7 (image"),
        (in_millimetres([*SQUARE, (0, 300)], mirror=-1), "the points are mirrored: expected x to run to the dealer's"),
    ],
)
def test_points_that_cannot_be_are_refused(given: str, said: str, photograph: Path, tmp_path: Path) -> None:
    path = tmp_path / "points.toml"
    path.write_text(given)
    found = refused(photograph, "-o", tmp_path / "table.toml", "--points", path)
    assert found.startswith(f"{path}: ")
    assert said in found
    assert not (tmp_path / "table.toml").exists()


def test_a_bad_fit_is_shown_before_it_is_refused(
    photograph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, overlay = tmp_path / "points.toml", tmp_path / "over.jpg"
    path.write_text(rows(off=(70, 30)))
    refused(photograph, "-o", tmp_path / "table.toml", "--points", path, "--overlay", overlay)
    (worst,) = [line for line in capsys.readouterr().out.splitlines() if "<- worst" in line]
    assert worst.split()[:2] == ["7", "dealer.cards.4"]
    assert overlay.exists()


def test_zones_that_leave_the_picture_are_named(tmp_path: Path, points: Path) -> None:
    cut = written(tmp_path / "cut.png", np.ascontiguousarray(frame(3)[:, :1500]))
    found = refused(cut, "-o", tmp_path / "table.toml", "--points", points, *LENS)
    assert re.search(r"zone 'box1\.\S+' leaves the picture by \d+ px at the right: turn the camera", found)
    assert not (tmp_path / "table.toml").exists()


OUT = "-o=OUT/table.toml"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([OUT], "calibrate: expected SOURCE: an image, a video, a stream's URL or a device's number"),
        (["PICTURE"], "calibrate: expected -o FILE: the table's file to write, such as -o table.toml"),
        (["PICTURE", "-o=OUT/no/table.toml"], "table.toml: expected a file in a directory that exists"),
        (
            ["PICTURE", "-o=OUT/there.toml"],
            "there.toml: exists already; name another file, or overwrite it with --force",
        ),
        (["PICTURE", OUT, "--overlay=OUT/there.toml"], "--overlay OUT/there.toml: exists already"),
        (["PICTURE", OUT, "--overlay=OUT/over.gif"], "over.gif: expected a file that ends in .png or .jpg"),
        (["PICTURE", OUT, "--preset=blackjak-7"], "--preset 'blackjak-7' is unknown: did you mean 'blackjack-7'?"),
        (["PICTURE", OUT, "--preset=poker"], "--preset 'poker' is unknown: expected one of blackjack-7, blackjack-5"),
        (["PICTURE", OUT, "--book=bridge"], "--book: unknown book 'bridge': expected one of"),
        (["PICTURE", OUT, "--decks=99"], "is played with"),
        (["PICTURE", OUT, "--min=90", "--max=10"], "the minimum (90) is above the maximum (10)"),
        (["PICTURE", OUT, "--min=some"], "--min: expected an amount such as 25, found 'some'"),
        (["PICTURE", OUT, "--max=inf"], "--max: expected an amount such as 25, found 'inf'"),
        (
            ["PICTURE", OUT, "--preset=si-ki-pi-6", "--book=live-blackjack"],
            "--preset 'si-ki-pi-6' is no table of live-blackjack: expected 'blackjack-7' or the like",
        ),
        (["PICTURE", OUT, "--lens=0,0,0,0,0"], "expected --lens and --camera-matrix together, found one of them"),
        (["PICTURE", OUT, "--lens=0,0", "--camera-matrix=1,1,1,1"], "--lens: expected 5 numbers with commas between"),
        (["PICTURE", OUT, "--lens=0,0,0,0,x", "--camera-matrix=1,1,1,1"], "--lens: expected 5 numbers"),
        (["PICTURE", OUT, "--lens=0,0,0,0,0", "--camera-matrix=0,1,1,1"], "--camera-matrix: expected focal lengths"),
        (["PICTURE", OUT, "--like=OUT/none.toml"], "none.toml: expected a table's file: no such file"),
        (["PICTURE", OUT, "--points=OUT/none.toml"], "none.toml: expected a file of points: no such file"),
        (["PICTURE", OUT, "--places=OUT/none.toml"], "--places OUT/none.toml: expected a file: no such file"),
        (["PICTURE", OUT, "--places=OUT/there.toml"], "--places OUT/there.toml: expected [[sheets]]"),
        (
            ["PICTURE", OUT, "--markers"],
            "table.png: expected 3 or more of the sheets 1, 2, 3, 4, 11, 12, 13, 14, saw none",
        ),
        (["OUT/none.png", OUT, "--markers"], "OUT/none.png: expected an image, a video or a stream: no such file"),
        (["OUT", OUT, "--markers"], "OUT: expected an image, a video or a stream: is a directory"),
        (["OUT/there.toml", OUT, "--markers"], "there.toml: "),
        (["OUT/half.png", OUT, "--markers"], "half.png: "),
        (
            ["OUT/black.avi", OUT, "--markers"],
            "black.avi: expected an image that shows the table, found 3 frames of one",
        ),
        (["97", OUT, "--markers"], "97: expected a live camera, found no device 97"),
        (["PICTURE", OUT, "--port=99999"], "--port: 127.0.0.1:99999: expected a port below 65536"),
        (["--sheet=OUT/sheet.doc"], "--sheet OUT/sheet.doc: expected a file that ends in .pdf or .png"),
        (["--sheet=OUT/there.toml"], "--sheet OUT/there.toml: exists already"),
        (["--sheet=OUT/no/sheet.pdf"], "--sheet OUT/no/sheet.pdf: expected a file in a directory that exists"),
        (["--sheet=OUT/s.pdf", "--places=OUT/places.toml"], "--places: expected sheets 1 to 9, which are those for a4"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(
    arguments: list[str], said: str, photograph: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "there.toml").touch()
    (tmp_path / "half.png").write_bytes(photograph.read_bytes()[:9000])
    (tmp_path / "places.toml").write_text("[[sheets]]\nid = 11\nat = [0, 0]\n")
    if "OUT/black.avi" in arguments:
        film(tmp_path / "black.avi", grey=3, shows=False)
    given = [one.replace("PICTURE", str(photograph)).replace("OUT", str(tmp_path)) for one in arguments]
    found = refused(*given).replace(str(tmp_path), "OUT")
    assert said in found
    assert capfd.readouterr().err == ""
    assert not (tmp_path / "table.toml").exists()


def test_a_camera_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    """In a process of its own: what the decoder may write to standard error is settled when it is first used."""
    source = "rtsp://me:secret@127.0.0.1:9/1"
    script = (
        "import argparse; from feltwatch.edge.calibrate.command import calibrate\n"
        "from feltwatch.edge.cli.options import command_parser\n"
        "parser = command_parser()\n"
        f"try: calibrate(parser.parse_args(['calibrate', '{source}', '-o', 'table.toml', '--markers']))\n"
        "except Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(
        "rtsp://…@127.0.0.1:9/1: expected a live camera, found none that can be opened; check"
    )
    assert "secret" not in done.stdout
    assert done.stderr == ""
