"""Sets: what ultralytics expects, the same from any worker and however often it is stopped."""

import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.photos.photo_sources import PhotoSource, source_named
from feltwatch.datasets.photos.real import Photograph
from feltwatch.datasets.sets.labels import Labelling, blanked, boxes_of, labelled, lines, moved, tiles
from feltwatch.datasets.sets.sets import (
    BLOCK,
    CropSample,
    Item,
    SetPlan,
    add_photographs,
    write_crops,
    write_tables,
    written_truths,
)
from feltwatch.datasets.truth import CardTruth, StackTruth, Truth
from feltwatch.vision.arrays import Quad

CARD: Quad = ((100.0, 40.0), (160.0, 52.0), (142.0, 140.0), (82.0, 128.0))
STACK = StackTruth(
    "box1.main",
    (220.0, 60.0),
    (222.0, 75.0),
    18.0,
    12.0,
    (100, 25),
    tuple((220 + 18 * float(np.cos(a)), 66 + 22 * float(np.sin(a))) for a in np.linspace(0, 6.28, 20)),
)
HAND = ((300.0, 150.0), (420.0, 150.0), (420.0, 260.0), (330.0, 260.0))
TABLE = Truth(
    400,
    240,
    (CardTruth("c1", CARD, "9h", up=True, visible=1.0), CardTruth("c2", CARD, None, up=False, visible=0.05)),
    (STACK,),
    (HAND,),
)


def fake(index: int) -> Item:
    dice = np.random.default_rng(index)
    image = dice.integers(0, 255, (240, 400, 3)).astype(np.uint8)
    return Item(image, TABLE, {"deck": f"deck-{index % 2}", "felt": "green"})


def fake_block(index: int) -> list[CropSample]:
    image = np.full((128, 96, 3), index, np.uint8)
    return [CropSample(image, ("9h", "As", "back")[number % 3], "deck-0") for number in range(BLOCK)]


def digest(folder: Path) -> str:
    found = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return found.hexdigest()


corner = st.floats(0, 400), st.floats(0, 240)


@given(st.lists(st.tuples(*corner), min_size=4, max_size=4))
def test_labels_come_back(points: list[tuple[float, float]]) -> None:
    a, b, c, d = points
    truth = Truth(400, 240, (CardTruth("c", (a, b, c, d), "9h", up=True, visible=1.0),))
    text = "\n".join(lines(truth, Labelling()))
    for one, other in zip(labelled(truth, Labelling()), boxes_of(text, (400, 240), "here"), strict=True):
        assert one.kind == other.kind
        assert np.abs(np.array(one.quad) - np.array(other.quad)).max() < 0.001


def test_each_kind_has_its_class_and_a_hidden_card_none() -> None:
    assert [line[0] for line in lines(TABLE, Labelling())] == ["0", "2", "3"]
    assert [line[0] for line in lines(TABLE, Labelling(visible=0.01))] == ["0", "1", "2", "3"]


@given(st.floats(-150, 450), st.floats(-150, 300))
def test_nothing_leaves_the_picture(x: float, y: float) -> None:
    for line in lines(moved(TABLE, (x, y), (400, 240)), Labelling()):
        assert all(0 <= float(part) <= 1 for part in line.split()[1:])


def test_a_card_mostly_outside_is_not_labelled() -> None:
    assert lines(moved(TABLE, (-130, 0), (400, 240)), Labelling(inside=0.5))[0][0] == "2"


def test_a_tile_moves_the_truth_along() -> None:
    found = list(tiles(np.zeros((240, 400, 3), np.uint8), TABLE, 200, 0.0))
    assert [(cut.shape, truth.width, truth.height) for cut, truth in found] == [((200, 200, 3), 200, 200)] * 4
    x, y = found[2][1].cards[0].quad[0]
    assert (x, y) == (100.0, 0.0)
    assert found[2][1].cards[0].visible == pytest.approx(0.999, abs=0.1)
    assert found[1][1].stacks[0].center == (20.0, 60.0)


def test_what_nobody_knows_the_corners_of_is_greyed_out() -> None:
    box: Quad = ((250.0, 10.0), (300.0, 10.0), (300.0, 80.0), (250.0, 80.0))
    truth = replace(TABLE, cards=(TABLE.cards[0], CardTruth("c3", box, "Ks", up=True, visible=1.0, label="box")))
    image, left = blanked(np.full((240, 400, 3), 9, np.uint8), truth)
    assert image[40, 270].tolist() == [114] * 3
    assert image[90, 120].tolist() == [9] * 3
    assert [card.id for card in left.cards] == ["c1"]


def test_workers_do_not_change_order_nor_bytes(tmp_path: Path) -> None:
    plan = SetPlan(14, 3)
    write_tables(tmp_path / "one", fake, plan)
    write_tables(tmp_path / "two", fake, replace(plan, jobs=2))
    assert digest(tmp_path / "one") == digest(tmp_path / "two")
    assert list(ordered(abs, range(-3, 0), 1)) == [3, 2, 1]


def test_resumed_is_uninterrupted(tmp_path: Path) -> None:
    def stops(index: int) -> Item:
        if index == 3:
            raise KeyboardInterrupt
        return fake(index)

    with pytest.raises(KeyboardInterrupt):
        write_tables(tmp_path / "stopped", stops, SetPlan(6, 3))
    assert write_tables(tmp_path / "stopped", fake, SetPlan(6, 3)) == 3
    assert write_tables(tmp_path / "whole", fake, SetPlan(6, 3)) == 6
    assert digest(tmp_path / "stopped") == digest(tmp_path / "whole")
    assert write_tables(tmp_path / "whole", fake, SetPlan(6, 3)) == 0


def test_the_folders_are_what_ultralytics_reads(tmp_path: Path) -> None:
    write_tables(tmp_path / "t", fake, SetPlan(2, 3))
    write_tables(tmp_path / "t", fake, SetPlan(1, 4, "val"))
    found = sorted(str(p.relative_to(tmp_path / "t")) for p in (tmp_path / "t").rglob("*.*") if "notes" not in p.parts)
    stems = ("train/0000000", "train/0000001", "val/0000000")
    expected = [f"images/{stem}.jpg" for stem in stems] + [f"labels/{stem}.txt" for stem in stems]
    assert found == sorted([*expected, "data.yaml", "recipe.json"])
    yaml = (tmp_path / "t" / "data.yaml").read_text("utf-8")
    names = "names:\n  0: card_up\n  1: card_down\n  2: chip_stack\n  3: hand\n"
    assert yaml == f"train: images/train\nval: images/val\n{names}"
    assert [truth.to_dict() for _, truth in written_truths(tmp_path / "t", "val")] == [TABLE.to_dict()]


def test_the_recipe_counts_what_the_set_is_made_of(tmp_path: Path) -> None:
    write_tables(tmp_path / "t", fake, SetPlan(3, 3))
    train = json.loads((tmp_path / "t" / "recipe.json").read_text("utf-8"))["splits"]["train"]
    assert train["decks"] == {"deck-0": 2, "deck-1": 1}
    assert train["felts"] == {"green": 3}
    assert (train["count"], train["recipe"]["seed"]) == (3, 3)


def test_two_recipes_are_not_mixed(tmp_path: Path) -> None:
    write_tables(tmp_path / "t", fake, SetPlan(1, 3))
    with pytest.raises(DataError, match="train was begun with seed 3"):
        write_tables(tmp_path / "t", fake, SetPlan(1, 4))
    with pytest.raises(DataError, match="holds tables, not crops"):
        write_crops(tmp_path / "t", fake_block, SetPlan(1, 3))
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "a").write_text("", "utf-8")
    with pytest.raises(DataError, match="is no set of ours"):
        write_tables(tmp_path / "strange", fake, SetPlan(1, 4))


def test_crops_lie_in_folders_by_face(tmp_path: Path) -> None:
    assert write_crops(tmp_path / "c", fake_block, SetPlan(BLOCK + 1, 3)) == 2 * BLOCK
    folders = [path for path in (tmp_path / "c" / "train").iterdir() if path.is_dir()]
    assert len(folders) == 54
    assert len(list((tmp_path / "c" / "train" / "9h").glob("*.jpg"))) == 2 * BLOCK // 3
    assert write_crops(tmp_path / "c", fake_block, SetPlan(BLOCK + 1, 3)) == 0


def test_an_unknown_class_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'joker' is no class"):
        write_crops(tmp_path / "c", lambda _: [CropSample(np.zeros((8, 8, 3), np.uint8), "joker", "d")], SetPlan(1, 3))


def photos() -> Iterator[Photograph]:
    index = replace(TABLE, cards=(replace(TABLE.cards[0], label="index"),), stacks=(), hands=())
    own = PhotoSource("ours", "train", "CC0", "us")
    for name, source, truth in (
        ("a.jpg", own, TABLE),
        ("b.jpg", own, index),
        ("c.jpg", source_named("maslana_redtable"), TABLE),
        ("d.jpg", replace(own, name="held", split="val"), TABLE),
    ):
        yield Photograph(name, source, lambda: np.full((240, 400, 3), 90, np.uint8), truth)


def test_only_licensed_wholly_labelled_photographs_of_the_split_are_added(tmp_path: Path) -> None:
    write_tables(tmp_path / "t", fake, SetPlan(1, 3))
    assert add_photographs(tmp_path / "t", photos(), SetPlan(1, 3), "tables") == 1
    train = json.loads((tmp_path / "t" / "recipe.json").read_text("utf-8"))["splits"]["train"]
    assert train["photographs"] == {"ours": {"licence": "CC0", "note": "us"}}
    assert train["decks"] == {"deck-0": 1, "ours": 1}
    assert (tmp_path / "t" / "images" / "train" / "ours-a.jpg").is_file()


def test_crops_of_photographs_are_added(tmp_path: Path) -> None:
    write_crops(tmp_path / "c", fake_block, SetPlan(1, 3))
    assert add_photographs(tmp_path / "c", photos(), SetPlan(1, 3), "crops") == 2
    assert (tmp_path / "c" / "train" / "9h" / "ours-a-0.jpg").is_file()


@pytest.mark.parametrize("text", ["9 0 0 0 0 0 0 0 0", "0 1 2", "0 0 0 0 0 0 0 0 2", "x"])
def test_broken_labels_are_told_by_line(text: str) -> None:
    with pytest.raises(DataError, match="here: line 1: expected"):
        boxes_of(text, (10, 10), "here")
