"""`python -m feltwatch.edge.tools.evaluate_rounds` as its users meet it: what is done is not done again."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from feltwatch.edge.tools.evaluate_rounds import Run, code_digest, film_of, main
from feltwatch.models.shipped.registry import models
from tests.film_frames import CLIP


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Give a folder with one film, and what came of it: nothing."""
    folder = tmp_path / "films"
    folder.mkdir()
    for path in CLIP.parent.glob("demo.*"):
        shutil.copy(path, folder / path.name)
    run = Run(folder / "demo.mp4", "plain", tmp_path / "out.parts" / "plain" / "demo.json", code_digest(), 1)
    work = {"frames": 875, "lost": 0, "looks": 400, "seconds": 35.0, "watching_s": 7.0, "decoding_s": 3.5}
    run.kept.parent.mkdir(parents=True)
    run.kept.write_text(json.dumps({"key": run.key(), "work": work, "events": [], "verdicts": []}))
    return folder


def test_what_is_done_is_not_done_again(films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(films), "-o", str(tmp_path / "out.json")]) == 0
    kept = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert kept["command"] == "python -m feltwatch.edge.tools.evaluate_rounds"
    assert kept["models"] == {name: one.sha256 for name, one in models().items()}
    assert kept["figures"]["rounds"] == {"plain": {"films": 1, "rounds": 2}}
    assert kept["figures"]["errors a camera can see"]["plain"]["missed"] == 1
    assert "times real time" in capsys.readouterr().out


def test_what_other_code_made_is_known_by_it(films: Path) -> None:
    run = Run(films / "demo.mp4", "plain", films / "kept.json", code_digest(), 1)
    assert run.key() == replace(run, threads=2).key()
    assert run.key() != replace(run, code="other").key()
    assert run.key() != replace(run, condition="lost").key()
    (films / "demo.mp4").write_bytes(b"another film")
    assert run.key() != Run(films / "demo.mp4", "plain", films / "kept.json", "", 1).key()


def test_what_is_true_of_a_film_lies_beside_it(films: Path) -> None:
    film = film_of(films / "demo.mp4")
    assert (film.name, film.book, len(film.owed)) == ("demo", "blackjack-rws-v5", 2)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["/nowhere", "-o", "OUT"], "expected films of `python -m feltwatch.datasets footage`, found none"),
        (["FILMS"], "-o"),
        (["FILMS", "-o", "/proc/none/out.json"], "cannot be written"),
        (["FILMS", "-o", "OUT", "--jobs", "0"], "found '0'"),
        (["FILMS", "-o", "OUT", "--conditions", "plain,fog"], "fog"),
    ],
)
def test_wrong_usage_is_one_line(
    words: list[str], says: str, films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"FILMS": str(films), "OUT": str(tmp_path / "out.json")}
    assert main([places.get(word, word) for word in words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("feltwatch.edge.tools.evaluate_rounds: ")
    assert says in line
