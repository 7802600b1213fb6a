"""The figures of the synthetic casino, each beside its yardstick. What they come to is for people to judge."""

import cv2
import pytest

from feltwatch.edge.cli.options import command_parser
from feltwatch.edge.tools.bench_datasets import Effort, figures

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
