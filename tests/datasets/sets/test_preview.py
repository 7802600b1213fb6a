"""Contact sheets: everything is shown once, nothing is wider than a screen."""

from pathlib import Path

import numpy as np
import pytest

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sets.labels import Labelling, lines
from feltwatch.datasets.sets.preview import CAPTION, GAP, drawn_on, fitted, labels_on, main, sheets
from feltwatch.datasets.sets.sets import Item, SetPlan, write_tables
from feltwatch.datasets.truth import CardTruth, Truth

TRUTH = Truth(
    200, 100, (CardTruth("c", ((20.0, 20.0), (60.0, 20.0), (60.0, 80.0), (20.0, 80.0)), "9h", up=True, visible=1.0),)
)


def fake(index: int) -> Item:
    return Item(np.full((100, 200, 3), index, np.uint8), TRUTH, {})


def test_sheets_hold_every_tile_and_stay_narrow() -> None:
    tiles = [(f"9h {n}", np.full((96, 72, 3), 1 + n % 200, np.uint8)) for n in range(1000)]
    pages = list(sheets(tiles, (72, 96)))
    assert len(pages) == 2
    assert all(max(page.shape[:2]) <= 2400 for page in pages)
    step_y, step_x = 96 + CAPTION + GAP, 72 + GAP
    middles = [page[48::step_y, 36::step_x, 0].ravel() for page in pages]
    shown = np.concatenate(middles)[:1000]
    assert shown.tolist() == [1 + n % 200 for n in range(1000)]


def test_a_picture_keeps_its_shape() -> None:
    tile = fitted(np.full((50, 100, 3), 200, np.uint8), (60, 60))
    assert tile[:30, :].min() == 200
    assert tile[30:].max() == 64


def test_truth_and_labels_are_drawn_at_the_same_place() -> None:
    bare = np.zeros((100, 200, 3), np.uint8)
    text = "\n".join(lines(TRUTH, Labelling()))
    assert labels_on(bare, text, "here")[20, 40].any()
    assert drawn_on(bare, TRUTH)[80, 40].any()
    assert not bare.any()


def test_a_written_set_is_shown(tmp_path: Path) -> None:
    write_tables(tmp_path / "t", fake, SetPlan(3, 1))
    assert main([str(tmp_path / "t"), "-o", str(tmp_path / "sheet.png")]) == 0
    assert (tmp_path / "sheet.png").is_file()
    with pytest.raises(DataError, match="nothing to show"):
        main([str(tmp_path / "t"), "--split", "val"])


def test_wrong_wishes_are_told(tmp_path: Path) -> None:
    for arguments, says in (
        (["--of", "photographs"], "name their folder"),
        ([str(tmp_path / "none")], "no such folder"),
        (["--count", "0"], "one or more"),
    ):
        with pytest.raises(DataError, match=says):
            main(arguments)
