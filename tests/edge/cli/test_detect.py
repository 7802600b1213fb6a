"""`feltwatch detect` as its users meet it: pictures good and bad, lines for people and for programs, drawings."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

from feltwatch.edge.cli.detect import drawings, rows
from feltwatch.edge.cli.main import main
from feltwatch.vision.arrays import Pixels, Quad
from feltwatch.vision.detection.detections import DetectedCard, DetectedHand, DetectedStack, Detections
from feltwatch.vision.image_file import read_picture
from tests.edge.scripted_watcher import write_video

ROOT = Path(__file__).parents[3]
DETECT = [sys.executable, "-m", "feltwatch.edge.cli.main", "detect"]


def quad(x: float, y: float) -> Quad:
    return ((x, y), (x + 63, y), (x + 63, y + 88), (x, y + 88))


SEEN = Detections(
    cards=(
        DetectedCard(quad(210.04, 100.06), up=True, face="Th", confidence=0.987654),
        DetectedCard(quad(100, 130), up=True, face="9s", confidence=1.0),
        DetectedCard(quad(-0.04, 300), up=False, face=None, confidence=0.9),
        DetectedCard(quad(90, 301), up=True, face=None, confidence=0.25, unread="covered"),
    ),
    stacks=(DetectedStack((300.33, 310.0), 20.25, 0.87654),),
    hands=(DetectedHand(quad(500, 100), 0.5),),
)


class ShelfError(ValueError):
    """Stands in for the fault of a model file."""


@dataclass
class FakeEyes:
    """Sees the same on every picture."""

    opened: list[tuple[str, int]] = field(default_factory=list)
    looked: list[tuple[int, ...]] = field(default_factory=list)

    def open_eyes(self, provider: str = "cpu", threads: int = 2) -> "FakeEyes":
        if provider == "abacus":
            raise ShelfError("unknown provider 'abacus': expected cpu")
        self.opened.append((provider, threads))
        return self

    def look(self, picture: Pixels) -> Detections:
        self.looked.append(picture.shape)
        return SEEN if len(self.looked) != 2 else Detections()


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> FakeEyes:
    """Put plain values where the models are, so that the command alone is tested."""
    fake = FakeEyes()
    shelf, module = (
        ModuleType("feltwatch.models.shipped.registry"),
        ModuleType("feltwatch.vision.detection.still_reader"),
    )
    shelf.ModelError = ShelfError  # type: ignore[attr-defined]  # a module made here
    module.open_eyes = fake.open_eyes  # type: ignore[attr-defined]  # as above
    monkeypatch.setitem(sys.modules, "feltwatch.models.shipped.registry", shelf)
    monkeypatch.setitem(sys.modules, "feltwatch.vision.detection.still_reader", module)
    return fake


def table(path: Path, height: int = 400) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = np.full((height, 640, 3), (60, 90, 40), np.uint8)
    path.write_bytes(cv2.imencode(path.suffix, picture)[1].tobytes())
    return str(path)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*DETECT, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)


def test_a_line_of_json_is_as_the_interfaces_say(
    eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = table(tmp_path / "table é.jpg")
    assert main(["detect", name, "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    (line,) = said.out.splitlines()
    found = json.loads(line)
    assert list(found) == ["image", "cards", "chips", "hands"]
    assert found["image"] == name
    assert [(card["card"], card["face"], card["confidence"]) for card in found["cards"]] == [
        ("Th", "up", 0.9877),
        ("9s", "up", 1.0),
        (None, "down", 0.9),
        (None, "up", 0.25),
    ]
    assert [card.get("unread") for card in found["cards"]] == [None, None, None, "covered"]
    assert found["cards"][0]["quad"] == [[210.0, 100.1], [273.0, 100.1], [273.0, 188.1], [210.0, 188.1]]
    assert "-0.0" not in line
    assert found["chips"] == [{"center": [300.3, 310.0], "radius": 20.2, "confidence": 0.8765}]
    assert found["hands"] == [{"quad": [list(point) for point in quad(500.0, 100.0)], "confidence": 0.5}]
    assert eyes.opened == [("cpu", 2)]


def test_people_get_rows_as_one_reads(eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = table(tmp_path / "one.png"), table(tmp_path / "other.png")
    assert main(["detect", one, other, "--threads", "1"]) == 0
    assert capsys.readouterr().out == (
        f"{one}: 4 cards, 1 stack of chips, 1 hand\n  9♠ 10♥\n  ▒▒ ??\n  ?? 1 card partly covered\n"
        f"{other}: no cards, no stacks of chips\n"
    )
    assert eyes.opened == [("cpu", 1)]


def test_the_other_pictures_are_still_done(eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, last = table(tmp_path / "good.webp", 300), table(tmp_path / "last.bmp", 200)
    text = tmp_path / "text.jpg"
    text.write_text("nine of hearts")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert main(["detect", "nowhere.jpg", good, str(text), str(empty), f"{empty}/*.png", last, "--json"]) == 2
    said = capsys.readouterr()
    assert [json.loads(line)["image"] for line in said.out.splitlines()] == [good, last]
    assert [line.partition(": expected")[0] for line in said.err.splitlines()] == [
        f"feltwatch: {empty}",
        f"feltwatch: {empty}/*.png",
        "feltwatch: nowhere.jpg",
        f"feltwatch: {text}",
    ]
    assert eyes.looked == [(300, 640, 3), (200, 640, 3)]
    assert len(eyes.opened) == 1


def test_folders_and_patterns_give_their_images(
    eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "shift"
    two, one = table(folder / "b.png"), table(folder / "a.JPG")
    (folder / "notes.txt").write_text("not an image")
    assert main(["detect", str(folder), f"{folder}/*.png", "--json"]) == 0
    assert [json.loads(line)["image"] for line in capsys.readouterr().out.splitlines()] == [one, two, two]
    assert len(eyes.looked) == 3


def test_a_name_with_the_signs_of_a_pattern_is_a_name_where_the_file_exists(
    eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = table(tmp_path / "table[1].png")
    assert main(["detect", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["image"] == name
    assert eyes.looked == [(400, 640, 3)]


@pytest.mark.usefixtures("eyes")
def test_frames_of_a_video_come_at_intervals_with_their_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    video = write_video(tmp_path / "film.mp4", [n / 10 for n in range(25)])
    out = tmp_path / "out"
    assert main(["detect", str(video), "--every", "1", "--json", "--annotate", str(out)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["image"], one["t"]) for one in found] == [(str(video), t) for t in (0.0, 1.0, 2.0)]
    assert sorted(path.name for path in out.iterdir()) == [f"film-000{t}.00s.png" for t in range(3)]
    assert main(["detect", str(video), "--every", "2"]) == 0
    assert [line.partition(": ")[0] for line in capsys.readouterr().out.splitlines() if "film" in line] == [
        f"{video} at {t}.00 s" for t in (0, 2)
    ]


def test_a_file_that_is_no_video_is_one_line(
    eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_text("no video")
    assert main(["detect", str(bad), table(tmp_path / "a.png"), "--json"]) == 2
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == len(eyes.looked) == 1
    assert shown.err.startswith(f"feltwatch: {bad}: expected a video")


def test_models_are_not_opened_for_bad_pictures_alone(eyes: FakeEyes) -> None:
    assert main(["detect", "nowhere.jpg", "--json", "--provider", "abacus"]) == 2
    assert eyes.opened == []


def test_a_fault_of_the_models_is_one_line(eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detect", table(tmp_path / "a.png"), "--provider", "abacus"]) == 2
    assert capsys.readouterr() == ("", "feltwatch: unknown provider 'abacus': expected cpu\n")
    assert eyes.looked == []


def test_drawings_are_written_beside_nothing_they_could_overwrite(
    eyes: FakeEyes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [table(tmp_path / "a" / "x.jpg"), table(tmp_path / "b" / "x.bmp"), table(tmp_path / "out" / "y.png")]
    before = Path(names[2]).read_bytes()
    out = tmp_path / "out"
    assert main(["detect", *names, "--annotate", str(out), "--json"]) == 0
    written = [json.loads(line)["annotated"] for line in capsys.readouterr().out.splitlines()]
    assert written == [str(out / "x.png"), str(out / "x-2.png"), str(out / "y-2.png")]
    assert Path(names[2]).read_bytes() == before
    drawn, empty = (read_picture(path) for path in written[:2])
    assert drawn.shape == (400, 640, 3)
    assert (drawn != (60, 90, 40)).any()
    assert (empty == (60, 90, 40)).all()
    assert len(eyes.looked) == 3


def test_each_picture_has_a_drawing_of_its_own() -> None:
    found = drawings(Path("out"), ["x.jpg", "b/X.png", "b/x.png", "x-2.jpg", "x.jpg", "out/z.png"])
    assert len({str(path).lower() for path in found}) == 6
    assert found[0] == Path("out/x.png")
    assert Path("out/z.png") not in found


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "the following arguments are required: IMAGE"),
        (("a.png", "--threads", "0"), "expected a number from 1 to 1024, found '0'"),
        (("a.png", "--threads", "two"), "expected a number from 1 to 1024, found 'two'"),
        (("a.png", "--annotate", "pyproject.toml"), "--annotate pyproject.toml: expected a directory"),
        (("a.png", "--annotate", "pyproject.toml/x"), "--annotate pyproject.toml/x: expected a directory"),
    ],
)
def test_wrong_usage_is_one_clear_line(arguments: tuple[str, ...], says: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_bad_pictures_are_a_line_each(tmp_path: Path) -> None:
    (tmp_path / "empty.jpg").touch()
    grey = tmp_path / "grey.jpg"
    grey.write_bytes(cv2.imencode(".jpg", np.full((40, 40), 99, np.uint8))[1].tobytes())
    (tmp_path / "folder").mkdir()
    half = tmp_path / "half.png"
    half.write_bytes(Path(table(tmp_path / "a.png")).read_bytes()[:200])
    done = run(
        "--json",
        str(tmp_path / "empty.jpg"),
        str(grey),
        str(half),
        str(tmp_path / "folder"),
        "README.md",
        "\udcff\n.jpg",
    )
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert len(lines) == 6
    assert all(line.startswith("feltwatch: ") and ": expected " in line for line in lines)


def test_rows_of_no_cards_are_none() -> None:
    assert rows(()) == []
    tilted = [
        DetectedCard(quad(100 * n, 20.0 * n), up=True, face=face, confidence=1) for n, face in enumerate(("As", "2d"))
    ]
    assert [[card.face for card in row] for row in rows(tilted[::-1])] == [["As", "2d"]]


def test_felt_without_cards_has_none(tmp_path: Path) -> None:
    names = [table(tmp_path / "felt.png"), table(tmp_path / "strip.jpg", 9)]
    done = run("--json", *names)
    assert (done.returncode, done.stderr) == (0, "")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"image": name, "cards": [], "chips": [], "hands": []} for name in names
    ]


ON_TOP = {"4h", "Th", "8h", "6s", "Kd", "Qd"}  # of docs/pictures/table.jpg; those that they cover are hard to read


def test_cards_on_the_bundled_table_are_seen_and_none_is_misread() -> None:
    """The picture is of the house deck, which no network was taught with."""
    done = run("--json", "docs/pictures/table.jpg")
    (found,) = (json.loads(line) for line in done.stdout.splitlines())
    told = sorted(card["card"] for card in found["cards"] if card["card"])
    assert len(told) >= 3
    assert set(told) <= ON_TOP
    assert len(found["chips"]) >= 5


def test_an_unknown_provider_is_one_clear_line(tmp_path: Path) -> None:
    done = run("--provider", "abacus", table(tmp_path / "felt.png"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "abacus" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    names = [table(tmp_path / f"{n}.png") for n in range(3)]
    with subprocess.Popen(
        [*DETECT, "--json", *names], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0
