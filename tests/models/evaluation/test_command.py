"""`python -m feltwatch.models evaluate` as its users meet it."""

import json
import pickle
from pathlib import Path

import pytest

from feltwatch.models import evaluate
from feltwatch.models.__main__ import main
from feltwatch.models.evaluation.looking import Looker
from feltwatch.models.evaluation.photographs import Photographs
from feltwatch.models.evaluation.report import reported
from feltwatch.models.evaluation.sweeps import Sweep, SweepStep
from feltwatch.models.evaluation.tables import TableLooks


def test_figures_are_kept_with_the_command_and_the_models_they_are_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.toml").write_text("model = []\n")
    figures = {"pictures": 3, "agrees": True}
    monkeypatch.setattr(evaluate, "PARTS", {"tables": lambda *_: figures, "parity": lambda *_: {"agrees": False}})
    words = ["evaluate", "tables", "--models", str(tmp_path), "-o", str(tmp_path / "out.json")]
    assert main(words) == 0
    assert json.loads((tmp_path / "out.json").read_text()) == {
        "command": "python -m feltwatch.models evaluate tables --seed 1 --count 500 --split test",
        "models": {},
        "figures": figures,
    }
    assert capsys.readouterr().out.splitlines()[0] == "tables"
    assert main(["evaluate", "parity", "--models", str(tmp_path)]) == 1  # two networks that should agree do not


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "WHAT"),
        (["dice"], "dice"),
        (["tables", "--split", "train"], "train"),
        (["photographs"], "folder"),
        (["tables", "--count", "0"], "expected a whole number, 1 or more; found '0'"),
        (["tables", "--seed", "-1"], "found '-1'"),
        (["tables", "--threads", "two"], "found 'two'"),
        (["tables", "-o", "/proc/none/figures.json"], "cannot be written"),
        (["tables", "-o", "."], "expected the name of a file"),
        (["tables", "--models", "/nowhere"], "/nowhere/manifest.toml"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("models: ")
    assert says in line


def test_the_commands_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "train | export | evaluate" in capsys.readouterr().out
    assert main([]) == 2
    assert "expected train, export, evaluate" in capsys.readouterr().err


def test_what_looks_can_be_sent_to_another_process() -> None:
    looker = Looker(Path("manifest.toml"), 2)
    for one in (
        TableLooks(looker, "val", 3),
        Photographs(looker),
        Sweep(Path("m.toml"), "val", 3),
        SweepStep("glare", 0.0, 1),
    ):
        assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  our own bytes


def test_how_far_it_is_is_said_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(reported(range(3), 3, "things")) == [0, 1, 2]
    assert capsys.readouterr().err == "things: 3 of 3, 0 s\n"
