"""Every golden transcript, under every book it names."""

from pathlib import Path

import pytest

from feltwatch.engine.transcript.parse import Scenario, parse
from tests import sentences
from tests.transcripts import Run

FILES = sorted((Path(__file__).parent / "rounds").rglob("*.round"))


def cases() -> list[tuple[str, Scenario, str]]:
    return [
        (f"{path.stem}:{scenario.number} {scenario.title} [{book}]", scenario, book)
        for path in FILES
        for scenario in parse(path.read_text())
        for book in scenario.books
    ]


CASES = cases()


@pytest.mark.parametrize(("scenario", "book"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_round_is_judged_as_written(scenario: Scenario, book: str) -> None:
    Run(scenario, book).play()


def test_the_sentences_are_those_that_were_read_and_kept() -> None:
    assert sentences.FILE.read_text(encoding="utf-8") == sentences.page(), "python -m tests.pages writes them"
