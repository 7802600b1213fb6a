"""Benchmarks: each figure beside its yardstick. What they come to is for people to judge."""

import cv2
import pytest

from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.tools import bench_engine
from feltwatch.edge.tools.bench_datasets import Effort, figures
from feltwatch.edge.tools.bench_engine import RoundCost

TINY = Effort(crops=6, tables=2, rounds=1, film_s=0.4, size=(320, 180), fps=5.0)


def test_every_figure_stands_beside_its_yardstick() -> None:
    threads = cv2.getNumThreads()
    found = list(figures(TINY))
    assert cv2.getNumThreads() == threads
    assert [figure.title for figure in found] == [
        "a crop for the reader",
        "a full table of 320 x 180",
        "a simulated round, over 5 books",
        "a frame of footage, 320 x 180, while cards are dealt",
    ]
    for figure in found:
        title, yardstick, work, ratio, rate = figure.lines()
        assert title == figure.title
        assert yardstick.endswith(" ms")
        assert work.endswith(" ms")
        assert ratio.split() == ["ratio", f"{figure.work_s / figure.yard_s:.1f}"]
        assert "one core" in rate


@pytest.mark.parametrize(("words", "what"), [([], "engine"), (["datasets"], "datasets")])
def test_the_engine_is_measured_unless_something_else_is_named(words: list[str], what: str) -> None:
    assert command_parser().parse_args(["bench", *words]).what == what


@pytest.mark.parametrize(
    ("judged_s", "with_json_s", "code"),
    [(12.0, 20.0, 0), (12.1, 20.0, 1), (12.0, 20.1, 1)],
    ids=["within", "judging", "JSON"],
)
def test_judging_has_a_budget_for_events_and_one_for_json(
    judged_s: float, with_json_s: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_engine, "cost", lambda: RoundCost(1.0, judged_s, with_json_s))
    assert bench_engine.bench(command_parser().parse_args(["bench", "--rounds", "2"])) == code
    out = capsys.readouterr().out
    assert f"{judged_s:.1f}   (at most 12)" in out
    assert f"{with_json_s:.1f}   (at most 20)" in out


def test_reading_and_writing_json_costs_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_engine, "REPEATS", 5)
    found = bench_engine.cost()
    assert 0 < found.parsed_s < found.judged_s < found.with_json_s
