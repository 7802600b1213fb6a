"""A table's own deck in a pipeline: before the eyes of every camera, and as it was after a restart."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.table_deck import deck_digest
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.vision.detection.deck_use import RUN
from feltwatch.vision.detection.known_deck import FACES, write_deck
from tests.edge.scripted_watcher import BLIND, write_table
from tests.vision.toy_deck import ORIGIN, fit_of, house, other, reading, shown


@pytest.fixture
def table(tmp_path: Path) -> TableFile:
    path = tmp_path / "own.deck"
    write_deck(path, house())
    return replace(read_table(write_table(tmp_path / "table.toml")), deck=path)


def test_the_eyes_have_the_deck(table: TableFile) -> None:
    pipeline = TablePipeline(table, BLIND)
    assert pipeline.deck is not None
    assert pipeline.fusion.eyes.deck is pipeline.deck
    assert not pipeline.learn_deck()
    plain = TablePipeline(replace(table, deck=None), BLIND)
    assert plain.fusion.eyes is BLIND
    assert plain.learnt_deck(ORIGIN) is None


def test_what_was_noticed_is_still_known_after_a_restart(table: TableFile) -> None:
    pipeline = TablePipeline(table, BLIND)
    assert pipeline.deck is not None
    for face in FACES[:RUN]:
        picture, quad = shown(other().faces[face])
        pipeline.deck.improve(picture, quad[None], [fit_of(quad)], [reading({face: 0.999})])
    doubts = [one for one in pipeline.doubts() if "deck" in one]
    assert len(doubts) == 1
    again = pickle.loads(pickle.dumps(pipeline))  # noqa: S301  our own
    again.resume(table, BLIND)
    assert [one for one in again.doubts() if "deck" in one] == doubts


def test_a_deck_decides_what_a_replay_gives(table: TableFile) -> None:
    assert deck_digest(table) == {"deck": house().digest}
    assert deck_digest(replace(table, deck=None)) == {}
    away = replace(table, deck=table.path.parent / "none.deck")
    assert deck_digest(replace(away, learn_deck=True)) == {}
    with pytest.raises(UsageError, match=r"table\.deck: .*none\.deck: expected a deck file, found none"):
        deck_digest(away)
