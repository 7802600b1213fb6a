"""What a new user gets wrong: every command says it in one line and gives 2, never a traceback."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.__main__ import COMMANDS, main
from feltwatch.datasets.common.cache import BUNDLED

HOUSE = BUNDLED / "decks" / "house"
FILM = [
    "footage",
    "--book",
    "blackjack-rws-v5",
    "--split",
    "demo",
    "--size",
    "320x180",
    "--fps",
    "2",
    "--occupied",
    "1",
]
SET = ["set", "tables", "--split", "test", "--count", "1", "--jobs", "1"]
ZONES = {
    "dealer.cards": "polygon = [[-260, 95], [260, 95], [260, 230], [-260, 230]]",
    "box1.cards": "polygon = [[-600, 380], [-400, 380], [-400, 620], [-600, 620]]",
    "box1.main": "circle = [-500, 740, 45]",
    "shoe": "polygon = [[-820, 5], [-620, 5], [-620, 105], [-820, 105]]",
    "discard": "polygon = [[620, 5], [820, 5], [820, 105], [620, 105]]",
    "float": "polygon = [[-310, 4], [310, 4], [310, 78], [-310, 78]]",
}
RECIPE = {"what": "tables", "classes": ["card_up", "card_down", "chip_stack", "hand"]}


def layout(path: Path, leave: str = "", more: str = "") -> None:
    rows = [f'[[zones]]\nname = "{name}"\n{place}\n' for name, place in ZONES.items() if name != leave]
    path.write_text("outline = [[-900, 0], [900, 0], [900, 900], [-900, 900]]\n" + "".join(rows) + more, "utf-8")


def deck(folder: Path, change: Callable[[Path], object]) -> None:
    """Write a deck and spoil one card of it; the others are never looked at when their names do."""
    folder.mkdir()
    for path in HOUSE.iterdir():
        (folder / path.name).symlink_to(path)
    first = folder / "2s.webp"
    first.unlink()
    change(first)


def labels(folder: Path, text: str) -> None:
    (folder / "images").mkdir(parents=True)
    cv2.imwrite(str(folder / "images" / "a.png"), np.zeros((30, 40, 3), np.uint8))
    (folder / "labels.json").write_text(text, "utf-8")


def labelled(**changed: object) -> str:
    thing = {"label": "9H", "bbox": [1, 1, 9, 9], "kind": "full_card"} | changed
    return json.dumps([{"image": "a.png", "width": 40, "height": 30, "objects": [thing]}])


def recipe(folder: Path, found: object, note: str = "") -> None:
    (folder / "notes" / "test").mkdir(parents=True)
    (folder / "recipe.json").write_text(json.dumps(found), "utf-8")
    if note:
        (folder / "notes" / "test" / "0000000.json").write_text(note, "utf-8")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand among things that are wrong, with nothing fetched."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("file").write_text("x", "utf-8")
    Path("empty").mkdir()
    Path("chips").mkdir()
    Path("chips/5.jpg").write_text("no picture", "utf-8")


def fault_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail; give its one line."""
    assert main(arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("datasets: ")
    return lines[0]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "expected a command"),
        ("nonsense", "no command 'nonsense'"),
        ("fetch nonsense", "no 'nonsense' in the manifest"),
        ("fetch --photographs nowhere", "nowhere: no such folder"),
        ("decks --split nonsense", "invalid choice: 'nonsense'"),
        ("deck nowhere --name ours", "nowhere: no such folder"),
        ("deck file --name ours", "file: no such folder"),
        ("deck empty --name ours", "empty: 0 cards, 52 expected"),
        ("deck empty --name ../ours", "letters, digits and dashes expected"),
        ("deck empty --name house", "taken by the manifest"),
        (f"deck {HOUSE} --name ours -o file", "file/decks: Not a directory"),
        ("chips empty --name ours", "no pictures"),
        ("chips chips --name ours", "5.jpg: not a whole picture"),
        ("chips chips --name ../ours", "letters, digits and dashes expected"),
        ("leaks nowhere", "nowhere: no such folder"),
        ("leaks empty", "neither a written set"),
        ("photographs empty", "no labels.json"),
        ("preview empty", "nothing to show"),
        ("preview --seed -1 --split test", "--seed -1: expected zero"),
        ("preview --count x", "invalid int value: 'x'"),
        ("preview --of decks --split test -o file/x.png", "file/x.png: cannot be written"),
        ("realism --photographs nowhere", "nowhere: no such folder"),
        ("realism --photographs empty --seed -1", "--seed -1: expected zero"),
        ("realism --photographs empty --count 3", "--count 3: at least 20"),
        ("physical -o out --count 0", "expected a count"),
        ("physical -o out --count 1 --size x", "expected a size like"),
    ],
)
def test_a_command_says_what_is_wrong(line: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert says in fault_of(line.split(), capsys)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--count 0", "--count 0: expected 1 or more"),
        ("--count x", "invalid int value"),
        ("--seed -1", "--seed -1: expected 0 or more"),
        ("--jobs 0", "--jobs 0: expected 1 or more"),
        ("--tile 5", "--tile 5: expected 64 pixels or more"),
        ("--visible nan", "--visible nan: expected a part"),
        ("--inside 7", "--inside 7.0: expected a part"),
        ("--deck nonsense", "deck 'nonsense': not here"),
        ("--deck house --split train", "deck 'house' is of the split test"),
        ("--chips nonsense", "chips 'nonsense': not here"),
        ("--photographs nowhere", "nowhere: no such folder"),
        ("--layout nonsense", "unknown layout 'nonsense'"),
        ("--layout nowhere.toml", "nowhere.toml: expected a layout file"),
        ("--split train", "of the split 'train' are here"),
        ("--split val", "of the split 'val' are here"),
        ("-o file", "file/recipe.json: cannot be written"),
    ],
)
def test_a_set_says_what_is_wrong(line: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert says in fault_of([*SET, "-o", "out", *line.split()], capsys)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--book nonsense", "unknown book 'nonsense'"),
        ("--error nonsense", "no error 'nonsense'"),
        ("--split nonsense", "invalid choice: 'nonsense'"),
        ("--split val", "of the split 'val' are here"),
        *[(f"--size {size}", "expected width x height") for size in ("321x180", "x", "²x²", "320", "2x2", "99998x2")],
        *[(f"--fps {fps}", "--fps") for fps in ("0", "-1", "nan", "inf", "x")],
        ("--pace nan", "--pace nan: expected 0.1 to 20"),
        ("--crf 99", "--crf 99: expected 0 to 51"),
        ("--occupied 0", "--occupied 0: expected 1 to 7"),
        ("--rounds 0", "--rounds 0: expected 1 or more"),
        ("--films -2", "--films -2: expected 1 or more"),
        ("--seed -1", "--seed -1: expected 0 or more"),
        ("--name a/b", "letters, digits and dashes expected"),
        ("--name a --films 2", "--name names one film"),
        ("--book si-ki-pi-v3 --layout blackjack-7", "needs these zones too: box1.low"),
        ("-o file", "file: File exists"),
    ],
)
def test_footage_says_what_is_wrong(line: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert says in fault_of([*FILM, "-o", "out", *line.split()], capsys)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('[[zones]]\nname = "shoe"\ncircle = [0, 500, 40]\n', "two zones are named 'shoe'"),
        ('[[zones]]\nname = "box2.main"\ncircle = [2000, 500, 40]\n', "leaves the table"),
        ('[[zones]]\nname = "box2.main"\ncircel = [0, 500, 40]\n', "did you mean 'circle'?"),
        ('[[zones]]\nname = "box2.main"\ncircle = [0, 500, -4]\n', "a radius above 0"),
        ('[[zones]]\nname = "box2.zzz"\ncircle = [0, 500, 40]\n', "found 'box2.zzz'"),
        ("nonsense", "not TOML"),
    ],
)
def test_a_layout_is_checked(more: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    layout(Path("table.toml"), more=more)
    assert says in fault_of([*SET, "-o", "out", "--layout", "table.toml"], capsys)
    assert says in fault_of([*FILM, "-o", "out", "--layout", "table.toml"], capsys)


@pytest.mark.parametrize("zone", list(ZONES))
def test_a_film_needs_its_zones(zone: str, capsys: pytest.CaptureFixture[str]) -> None:
    layout(Path("table.toml"), leave=zone)
    assert fault_of([*FILM, "-o", "out", "--layout", "table.toml"], capsys).endswith(f"needs these zones too: {zone}")


def test_boxes_are_counted_from_one_and_must_do_for_the_error(capsys: pytest.CaptureFixture[str]) -> None:
    layout(Path("table.toml"), more='[[zones]]\nname = "box9.main"\ncircle = [0, 500, 40]\n')
    assert "box2.cards, box2.main" in fault_of([*FILM, "-o", "out", "--layout", "table.toml"], capsys)
    layout(Path("table.toml"))
    fault = fault_of([*FILM, "-o", "out", "--layout", "table.toml", "--error", "box-skipped"], capsys)
    assert "boxes, found 1" in fault


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _: None, "51 cards, 52 expected; missing: 2s"),
        (lambda first: first.write_bytes((HOUSE / first.name).read_bytes()[:300]), "2s.webp: not a whole picture"),
        (lambda first: first.with_suffix(".jpg").write_text("text"), "2s.jpg: not a whole picture"),
        (lambda first: first.mkdir(), "2s.webp: cannot be read"),
        (lambda first: first.with_name("zz.webp").write_text("text"), "'zz' names no card"),
    ],
)
def test_a_deck_is_checked(change: Callable[[Path], object], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    deck(Path("deck"), change)
    assert says in fault_of(["deck", "deck", "--name", "ours"], capsys)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "expected a JSON list"),
        ("{}", "expected a list"),
        ('[{"image": "b.png", "width": 4, "height": 4, "objects": []}]', "'b.png' is not in"),
        (labelled(bbox=[float("nan"), 1, 9, 9]), "expected bbox"),
        (labelled(bbox=[1, 1, float("inf"), 9]), "expected bbox"),
        (labelled(polygon=["a", "b"]), "expected polygon"),
        (labelled(polygon=[[1], [2], [3], [4]]), "expected polygon"),
        (labelled(label="11Z"), "unknown label '11Z'"),
    ],
)
def test_labels_are_checked(text: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    labels(Path("mine"), text)
    assert says in fault_of(["photographs", "mine"], capsys)


def test_a_set_looks_at_its_photographs_before_it_renders(capsys: pytest.CaptureFixture[str]) -> None:
    labels(Path("mine"), "{")
    line = [*SET, "-o", "out", "--split", "train", "--photographs", "mine"]
    assert "expected a JSON list" in fault_of(line, capsys)
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("found", "note", "says"),
    [
        ([1], "", "not a recipe"),
        ({}, "", "not a recipe"),
        ({"what": "crops"}, "", "holds crops, not tables"),
        (RECIPE | {"splits": {"test": 3}}, "", "expected an object for each split"),
        (RECIPE | {"splits": {"test": {"recipe": {"seed": 7}}}}, "", "was begun with"),
        *[(RECIPE, note, "not the note of a picture") for note in ("{", "[]", "{}", '{"count": "x", "made_of": 3}')],
    ],
)
def test_a_set_is_checked_before_it_is_gone_on_with(
    found: object, note: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe(Path("set"), found, note)
    assert says in fault_of([*SET, "-o", "set"], capsys)


def test_what_the_system_refuses_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(_: Path) -> None:
        raise PermissionError(13, "Permission denied", "empty")

    monkeypatch.setattr(Path, "iterdir", refused)
    assert "empty: Permission denied" in fault_of(["chips", "empty", "--name", "ours"], capsys)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_an_argument_that_is_not_known_is_one_line(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--help" in fault_of([command, "--nonsense"], capsys)
