"""A deck from photographs, by the reader that ships; each fault is a line with its picture, and nothing is written."""

import shutil
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.art.cards.decks import load_back, load_deck
from feltwatch.datasets.common.cache import write_picture
from feltwatch.edge.cli.main import main
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.deck_checks import ends_likeness
from feltwatch.vision.detection.known_deck import FACES, read_deck
from feltwatch.vision.image_file import read_picture
from tests.datasets.photos.test_scan import photograph

CARDS = load_deck("house").faces


@pytest.fixture(scope="session")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder of 52 photographs and one of the back."""
    folder = tmp_path_factory.mktemp("photographs")
    for face, card in {**CARDS, "back": load_back("house-blue")}.items():
        write_picture(folder / f"{face}.jpg", photograph(card), 92)
    return folder


@pytest.fixture
def folder(taken: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(taken, tmp_path / "cards"))


def run(folder: Path, *more: str) -> tuple[int, Path]:
    out = folder.parent / "own.deck"
    return main(["deck", "photographs", str(folder), "-o", str(out), "--threads", "1", *more]), out


def test_52_photographs_make_a_deck(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(folder, "--maker", "Example, blue")
    assert (code, capsys.readouterr().err) == (0, "")
    deck = read_deck(out)
    assert (deck.origin.maker, deck.origin.source) == ("Example, blue", "photographs")
    assert deck.back is not None
    assert min(ends_likeness(picture) for picture in deck.faces.values()) > 0.7


def cut(picture: Pixels) -> Pixels:
    return picture[:470].copy()


def covered(picture: Pixels) -> Pixels:
    found = picture.copy()
    cv2.circle(found, (515, 650), 90, (110, 130, 190), -1)
    return found


def blurred(picture: Pixels) -> Pixels:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 14), np.uint8)


def grey(picture: Pixels) -> Pixels:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


def changed(name: str, change: Callable[[Pixels], Pixels]) -> Callable[[Path], object]:
    return lambda folder: write_picture(folder / name, change(read_picture(folder / name)), 92)


FAULTS: list[tuple[str, Callable[[Path], object], str]] = [
    ("51", lambda folder: (folder / "9h.jpg").unlink(), "cards: expected 52 pictures, found 51; missing: 9h"),
    ("renamed", lambda folder: (folder / "9h.jpg").rename(folder / "x.jpg"), "x.jpg: expected a name such as 9h.jpg"),
    (
        "two of one name",
        lambda folder: shutil.copy(folder / "9h.jpg", folder / "nine_of_hearts.jpg"),
        "nine_of_hearts.jpg: expected one picture of 9h, found a second beside 9h.jpg",
    ),
    (
        "two of one face",
        lambda folder: shutil.copy(folder / "9h.jpg", folder / "8h.jpg"),
        "8h.jpg: expected the 8h, found a picture of the 9h",
    ),
    ("blurred", changed("9h.jpg", blurred), "9h.jpg: expected a sharp picture, found edges"),
    ("cut", changed("9h.jpg", cut), "9h.jpg: "),
    ("covered", changed("9h.jpg", covered), "9h.jpg: expected a whole card with an index at both ends"),
    ("grey", changed("9h.jpg", grey), "9h.jpg: expected a picture in colour, found a grey one"),
    ("no picture", lambda folder: (folder / "9h.jpg").write_bytes(b""), "9h.jpg: expected a JPEG"),
]


@pytest.mark.parametrize(("change", "says"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
def test_a_fault_names_its_picture_and_nothing_is_written(
    change: Callable[[Path], object], says: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(folder)
    code, out = run(folder)
    lines = capsys.readouterr().err.splitlines()
    assert code == 2
    assert any(says in line for line in lines), lines
    assert all(line.startswith(f"feltwatch: {folder}") for line in lines)
    assert [path.name for path in out.parent.iterdir()] == ["cards"]


def test_every_fault_has_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "2s.jpg").unlink()
    changed("9h.jpg", blurred)(folder)
    assert run(folder)[0] == 2
    assert [line.split(": ")[1].rsplit("/", 1)[-1] for line in capsys.readouterr().err.splitlines()] == [
        "cards",
        "9h.jpg",
    ]
    for face in FACES:
        (folder / f"{face}.jpg").write_bytes(b"GIF8")
    assert run(folder)[0] == 2
    assert capsys.readouterr().err.splitlines()[-1] == "feltwatch: and 40 more"


def test_wrong_usage_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "own.deck").touch()
    assert run(folder)[0] == 2
    assert run(folder, "--force", "--maker", "two\nlines")[0] == 2
    assert main(["deck", "photographs", str(folder)]) == 2
    assert main(["deck", "photographs", str(folder), str(folder), "-o", str(folder.parent / "new.deck")]) == 2
    assert main(["deck", "photographs", str(folder), "-o", str(folder / "none" / "new.deck")]) == 2
    assert main(["deck", "photographs", str(folder / "none"), "-o", str(folder.parent / "new.deck")]) == 2
    assert main(["deck", "learn", "shift.mp4", "-o", str(folder.parent / "new.deck")]) == 2
    said = capsys.readouterr().err.splitlines()
    expected = (
        "a new file",
        "a name of 1 to 80",
        "the file to write",
        "one folder",
        "a folder to write to",
        "a folder",
    )
    assert [part in line for part, line in zip((*expected, "the table's file"), said, strict=True)] == [True] * 7


def test_a_deck_file_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = run(folder)
    bad = folder / "9h.jpg"
    capsys.readouterr()
    assert main(["deck", "show", str(out)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"{out}: own, learnt ")
    assert shown.endswith(f" from photographs, {read_deck(out).digest[:12]}…, 52 faces, with a back\n")
    assert main(["deck", "show", str(bad), str(out)]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == (shown, 1)
    assert f"{bad}: expected a file that `feltwatch deck` wrote" in said.err
