"""The fuzzer's corpus, replayed: no stream of bytes makes the judge raise anything."""

from pathlib import Path

import pytest

from tests.fuzz.stream import judge

FILES = sorted((Path(__file__).parent / "corpus").iterdir())


def test_the_corpus_is_there() -> None:
    assert len(FILES) > 20
    assert sum(path.stat().st_size for path in FILES) < 500_000


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_no_stream_of_bytes_breaks_the_judge(path: Path) -> None:
    judge(path.read_bytes())
