"""table.toml: every key is used, and a wrong one is reported in one line."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.errors import UsageError
from feltwatch.vision.geometry.calibration import LIMIT_MM, Lens, Mark, calibrated
from feltwatch.vision.geometry.camera import NO_LENS, CameraError, look_at

SIZE = (1920, 1080)
EYE = (80.0, -150.0, 2000.0)
CURVE = (-0.08, 0.01, 0.0, 0.0, 0.0)
CAMERA = look_at(SIZE, EYE, (0.0, 440.0), 2150.0, CURVE, 1.5)
PLACES = [(900.0, 40.0), (600.0, 700.0), (0.0, 890.0), (-600.0, 700.0), (-900.0, 40.0), (0.0, 100.0)]


def points(camera_points: list[tuple[float, float]] = PLACES) -> str:
    rows = zip(CAMERA.to_picture(camera_points).tolist(), camera_points, strict=True)
    return "".join(f"[[camera.points]]\nimage = [{u:.3f}, {v:.3f}]\ntable = [{x}, {y}]\n" for (u, v), (x, y) in rows)


GOOD = f"""
[table]
id = "bj-07"
site = "main-floor"
book = "blackjack-rws-v5"
decks = 8
min = 25
max = 5000

[layout]
preset = "blackjack-7"

[camera]
source = "rtsp://camera/7"
lens = {list(CURVE)}
camera_matrix = {list(CAMERA.matrix)}

{points()}
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_table_is_read(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, GOOD))
    assert (table.id, table.site, table.source, table.mqtt) == ("bj-07", "main-floor", "rtsp://camera/7", None)
    assert (table.book.id, table.book.decks, table.book.minimum) == ("blackjack-rws-v5", 8, Decimal(25))
    assert table.layout.boxes == (1, 2, 3, 4, 5, 6, 7)
    assert table.camera(SIZE).off_mm.max() < 0.01


@pytest.mark.parametrize(("settings", "boxes"), [("", "5"), ('settings = { boxes = 4, live_error = "cancel" }', "4")])
def test_the_layout_says_how_many_boxes_there_are_unless_the_house_does(
    tmp_path: Path, settings: str, boxes: str
) -> None:
    five = GOOD.replace("blackjack-7", "blackjack-5").replace("max = 5000", f"max = 5000\n{settings}")
    assert read_table(written(tmp_path, five)).book.switches.boxes == boxes


def test_of_a_layout_of_a_few_boxes_the_highest_counts(tmp_path: Path) -> None:
    zone = '[[layout.zones]]\nname = "box3.cards"\npolygon = [[0, 300], [200, 300], [200, 600], [0, 600]]\n'
    table = read_table(written(tmp_path, GOOD.replace('[layout]\npreset = "blackjack-7"\n', zone)))
    assert table.layout.boxes == (3,)
    assert table.book.switches.boxes == "3"


def test_zones_may_be_given_one_by_one_and_a_broker_named(tmp_path: Path) -> None:
    zone = '[[layout.zones]]\nname = "box1.cards"\npolygon = [[0, 300], [200, 300], [200, 600], [0, 600]]\n'
    text = GOOD.replace('[layout]\npreset = "blackjack-7"', zone) + '[mqtt]\nurl = "mqtt://broker:1883"\n'
    table = read_table(written(tmp_path, text))
    assert table.layout.boxes == (1,)
    assert table.layout.zone_at((100, 400)) == "box1.cards"
    assert table.mqtt is not None
    assert table.mqtt.url == "mqtt://broker:1883"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[table]", "[tabel]", "the file: unknown key 'tabel': did you mean 'table'?"),
        ('id = "bj-07"', "id = 7", "line 3: table.id: expected letters, digits, '.', '_' and '-', at most 64"),
        ('id = "bj-07"', 'id = "bj/07"', "table.id: expected letters, digits"),
        ('id = "bj-07"', 'id = "../etc"', "table.id: expected letters, digits"),
        ('site = "main-floor"', 'site = "#"', "table.site: expected letters, digits"),
        ("min = 25", 'min = "x"', "table.min: expected an amount of money, found 'x'"),
        ("decks = 8", "deks = 8", "[table]: unknown key 'deks': did you mean 'decks'?"),
        ("decks = 8", "decks = 99", "blackjack-rws-v5 is played with"),
        ("blackjack-rws-v5", "bridge", "unknown book 'bridge'"),
        ("blackjack-7", "poker-9", "layout.preset: expected one of blackjack-7"),
        (f"lens = {list(CURVE)}", "", "camera.camera_matrix: expected lens beside it; give both or neither"),
        (f"lens = {list(CURVE)}", "lens = [1]", "camera.lens: expected 5 numbers, found [1]"),
        ("image = [", "image = [1, ", "camera.points 1.image: expected 2 numbers, in pixels, found [1, "),
        ("[[camera.points]]", "[[camera.point]]", "[camera]: unknown key 'point': did you mean 'points'?"),
        ("table = [900.0, 40.0]", "table = [900.0, inf]", "line 20: camera.points 1.table: expected 2 numbers"),
        (
            "table = [900.0, 40.0]",
            "tabel = [900.0, 40.0]",
            "line 20: camera.points 1: unknown key 'tabel': did you mean",
        ),
        ("table = [900.0, 40.0]", "", "line 18: camera.points 1.table: expected 2 numbers, in millimetres, found none"),
        ('book = "blackjack-rws-v5"', "", "line 2: table.book: expected the name of a book, found none"),
        (
            "max = 5000",
            "max = 5000\nsettings = 7",
            "table.settings: expected settings of the book, each with its value",
        ),
        ("max = 5000", "max = 5000\nsettings = { burn = [1] }", "table.settings: expected settings of the book"),
        ("max = 5000", "max = 5000\nsettings = { bern = 1 }", "bern"),
        (
            "max = 5000",
            'max = 5000\n[vision]\nprovider = "tpu"',
            "vision.provider: expected one of cpu, openvino, cuda",
        ),
        ("[table]", "[table", "not TOML"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = written(tmp_path, GOOD.replace(old, new))
    with pytest.raises(UsageError) as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.toml: expected a table's file: no such file"):
        read_table(tmp_path / "no.toml")


@pytest.mark.parametrize("eye", [EYE, (0.0, 440.0, 2000.0), (0.0, 1700.0, 1200.0)])
@pytest.mark.parametrize("known", [True, False])
def test_a_camera_is_hung_where_it_hangs(eye: tuple[float, float, float], *, known: bool) -> None:
    curve = CURVE if known else NO_LENS
    camera = look_at(SIZE, eye, (0.0, 440.0), 2300.0, curve, 1.5)
    dice = np.random.default_rng(7)
    shown = camera.to_picture(PLACES) + dice.normal(0, 0.3, (len(PLACES), 2))
    marks = [Mark((u, v), place) for (u, v), place in zip(shown.tolist(), PLACES, strict=True)]
    fit = calibrated(SIZE, marks, Lens(camera.matrix, curve) if known else Lens())
    felt = dice.uniform((-800, 50), (800, 750), (60, 2))
    assert np.hypot(*(fit.camera.to_felt(camera.to_picture(felt)) - felt).T).max() < 3
    assert fit.off_mm.max() < 3
    if known:
        assert fit.camera.eye == pytest.approx(eye, abs=25)


def test_a_point_that_does_not_fit_is_named() -> None:
    shown = CAMERA.to_picture(PLACES)
    shown[3] += (60, 20)
    marks = [Mark((u, v), place) for (u, v), place in zip(shown.tolist(), PLACES, strict=True)]
    with pytest.raises(CameraError, match=rf"point 4 \(image .* is the worst, \d+ mm off where at most {LIMIT_MM:.0f}"):
        calibrated(SIZE, marks, Lens(CAMERA.matrix, CURVE))


def test_where_the_others_would_hold_no_plane_the_point_that_is_furthest_off_is_named() -> None:
    places = [(-800.0, 0.0), (0.0, 0.0), (800.0, 0.0), (-500.0, 800.0), (500.0, 800.0)]
    shown = CAMERA.to_picture(places)
    shown[4] += (150, 40)
    marks = [Mark((u, v), place) for (u, v), place in zip(shown.tolist(), places, strict=True)]
    with pytest.raises(CameraError, match="is the worst"):
        calibrated(SIZE, marks, Lens(CAMERA.matrix, CURVE))


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (PLACES[:3], "expected 4 or more, found 3"),
        ([(100.0 * n, 50.0 * n) for n in range(5)], "found too many on one line"),
        ([(-800.0, 0.0), (-300.0, 0.0), (200.0, 0.0), (800.0, 0.0), (0.0, 800.0)], "found too many on one line"),
        ([PLACES[0], PLACES[0], PLACES[1], PLACES[2]], "or in one place"),
        ([PLACES[0]] * 4, "or in one place"),
    ],
)
def test_points_that_hold_no_plane_are_refused(places: list[tuple[float, float]], said: str) -> None:
    camera = look_at(SIZE, EYE, (0.0, 440.0), 2150.0)
    marks = [Mark((u, v), place) for (u, v), place in zip(camera.to_picture(places).tolist(), places, strict=True)]
    with pytest.raises(CameraError, match=said):
        calibrated(SIZE, marks)


SERVICE = """
[mqtt]
url = "mqtts://broker.example"
user = "bj-07"
password_file = "secret"
ca = "ca.pem"
cert = "bj-07.pem"
key = "/etc/bj-07.key"
[record]
folder = "kept"
days = 7
[serve]
http = "127.0.0.1:9464"
"""


def test_what_the_service_needs_is_read(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, GOOD + SERVICE))
    assert table.mqtt is not None
    assert (table.mqtt.host, table.mqtt.port, table.mqtt.tls, table.mqtt.user) == (
        "broker.example",
        8883,
        True,
        "bj-07",
    )
    assert (table.mqtt.ca, table.mqtt.key) == (tmp_path / "ca.pem", Path("/etc/bj-07.key"))
    assert table.mqtt.password_file == tmp_path / "secret"
    assert (table.record.folder, table.record.days, table.record.gigabytes) == (tmp_path / "kept", 7.0, 200.0)
    assert table.serve == ("127.0.0.1", 9464)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mqtts://broker.example", "http://broker", "mqtt.url: expected an address such as 'mqtts://broker:8883'"),
        ("mqtts://broker.example", "mqtts://broker:99999", "mqtt.url: expected an address such as"),
        ("mqtts://broker.example", "mqtts://a:tellnobody@broker", "expected no user or password in an address"),
        ("mqtts://broker.example", "mqtts://a:tellnobody@broker:x", "expected no user or password in an address"),
        ("mqtts://broker.example", "mqtt://broker.example", "begins with mqtts:// beside certificates"),
        ('cert = "bj-07.pem"\n', "", "mqtt.key: expected cert beside it; give both or neither"),
        ('user = "bj-07"', "user = 7", "mqtt.user: expected a name, found 7"),
        ('ca = "ca.pem"', "ca = 7", "mqtt.ca: expected a path, found 7"),
        ('user = "bj-07"', "pasword_file = 1", "[mqtt]: unknown key 'pasword_file': did you mean 'password_file'?"),
        ('user = "bj-07"', "keepalive = 1", "mqtt.keepalive: expected a number from 5 to 600, found 1"),
        ("days = 7", 'days = "x"', "record.days: expected a number from 0.01"),
        ("127.0.0.1:9464", "9464", "serve.http: expected an address such as '127.0.0.1:9464', found '9464'"),
        ("[record]", "[[record]]", "expected [record], found ["),
    ],
)
def test_what_cannot_be_of_the_service_is_said_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = written(tmp_path, GOOD + SERVICE.replace(old, new))
    with pytest.raises(UsageError) as caught:
        read_table(path)
    assert said in str(caught.value)
    assert "tellnobody" not in str(caught.value)


def test_a_table_may_have_a_deck_of_its_own(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, GOOD.replace("decks = 8", 'decks = 8\ndeck = "own.deck"\nlearn_deck = true')))
    assert (table.deck, table.learn_deck) == (tmp_path / "own.deck", True)
    plain = read_table(written(tmp_path, GOOD))
    assert (plain.deck, plain.learn_deck) == (None, False)
    with pytest.raises(UsageError, match=r"line 7: table\.learn_deck: expected deck beside it, the file to write"):
        read_table(written(tmp_path, GOOD.replace("min = 25", "learn_deck = true")))
