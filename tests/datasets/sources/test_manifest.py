"""The manifest: what it must hold, and how its faults are reported."""

from collections import Counter
from pathlib import Path

import pytest

from feltwatch.datasets.art.cards import drawn, drawn_backs
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.manifest import PATH, Manifest, names_of, parse, read, split_of

TEXT = """
design = [
    {name = "one", source = "shop", family = "f", split = "train", sheet = "a.svg", card = "{suit}_{number}"},
    {name = "two", source = "shop", family = "g", split = "test", sheet = "b.svg", card = "{suit}_{number}"},
]
courts = [{name = "one", design = "one", box = [0.1, 0.1, 0.9, 0.9]}]
recipe = [{name = "ours", courts = "one", font = "serif", index = "jumbo"}]
art = [{name = "fonts/serif", source = "shop", path = "serif.ttf"}]
[[source]]
name = "shop"
kind = "decks"
registry = "npm"
package = "shop"
version = "1"
file = "shop-1.tgz"
licence = "CC0-1.0"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""

RESERVED_DECKS = {"react-2color-bf", "svg-cards", "bellot", "paris", "react-casino", "kde-standard"}
RESERVED_BACKS = {"gnomangelo-back", "gnomangelo-bitmap-back", "paris-back", "guyenne-back"}


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return read()


def test_there_is_enough_to_train_and_to_judge_with(manifest: Manifest) -> None:
    splits, families = manifest.deck_splits(), manifest.families()
    assert Counter(splits.values())["train"] >= 48
    assert Counter(splits.values())["val"] >= 3
    tested = {families[name] for name, split in splits.items() if split == "test"}
    assert len(tested) >= 8
    assert tested.isdisjoint(families[name] for name, split in splits.items() if split in ("train", "val"))
    held = [one for one in manifest.design if one.split == "test"]
    assert any(one.four_colour for one in held)
    assert any(one.large_index for one in held)
    backs = Counter(one.split for one in manifest.back_recipe)
    assert (backs["train"] >= 40, backs["test"] >= 10) == (True, True)


def test_the_reserved_are_in_neither(manifest: Manifest) -> None:
    assert {name for name, split in manifest.deck_splits().items() if split == "reserved"} == RESERVED_DECKS
    assert {name for name, split in manifest.back_splits().items() if split == "reserved"} == RESERVED_BACKS


def test_a_deck_of_ours_stands_where_its_court_art_stands(manifest: Manifest) -> None:
    for recipe in manifest.recipe:
        drawn.check(recipe)
        assert manifest.deck_splits()[recipe.name] == manifest.design_of(recipe).split
    for row in manifest.back_recipe:
        drawn_backs.check(row)


def test_aces_are_held_back_too(manifest: Manifest) -> None:
    aces = {side: set[str]() for side in ("train", "val", "test")}
    for recipe in manifest.recipe:
        aces[manifest.design_of(recipe).split].add(recipe.ace)
    assert len(aces["train"]) >= 8
    assert aces["test"] - aces["train"] == {"laced", "sunburst"}


def test_every_package_has_licence_and_hash_and_no_address(manifest: Manifest) -> None:
    assert all(one.licence for one in manifest.source)
    assert "//" not in PATH.read_text("utf-8")
    photographs = {one.name: one.split for one in manifest.source if one.kind == "photographs"}
    assert Counter(photographs.values()) == {"train": 3, "val": 1, "test": 3}


def test_the_bundled_deck_is_no_training_deck() -> None:
    assert split_of("house") == "test"
    assert split_of("a customer's own") == "train"
    assert "house" in names_of("decks", "test")
    assert {"house-red", "house-blue"} <= set(names_of("backs", "test"))


def test_a_deck_with_foreign_indices_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path))
    foreign = next(one.name for one in read().design if one.courts_only)
    for name in (foreign, "ours"):
        (tmp_path / "decks" / name).mkdir(parents=True)
    assert names_of("decks", "train") == ("ours",)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("licence =", "license =", "m: source 'shop': unknown key 'license'; did you mean 'licence'?"),
        ("art = ", "arts = ", "m: unknown key 'arts'; did you mean 'art'?"),
        ('licence = "CC0-1.0"\n', "", "m: source 'shop': 'licence' is missing"),
        ('split = "test"', 'split = "tset"', "m: 'two': split: no 'tset'; did you mean 'test'?"),
        ('family = "g"', 'family = "f"', "m: family 'f' is split: 'one' is train, 'two' is test"),
        ('name = "two"', 'name = "one"', "m: design 'one': there are two of that name"),
        ('name = "two", source = "shop"', 'name = "two", source = "shp"', "m: 'two': source: no 'shp'; did you mean"),
        ('courts = "one"', 'courts = "three"', "m: recipe 'ours': courts: no 'three'"),
        ('font = "serif"', 'font = "sans"', "m: recipe 'ours': font: no 'fonts/sans'"),
        ("[0.1, 0.1, 0.9, 0.9]", "[0.1]", "m: courts 'one': box: four numbers expected, found [0.1]"),
        ('index = "jumbo"', "court_mm = true", "m: recipe 'ours': court_mm: float expected, found True"),
        ('registry = "npm"', 'registry = "npn"', "m: source 'shop': registry: no 'npn'; did you mean 'npm'?"),
        ('version = "1"\n', "", "m: source 'shop': 'version' is missing"),
        ('0000"', '"', "m: source 'shop': sha256: 64 hexadecimal digits expected"),
        ("design = [", "design = [3,", "m: design 1: a table of keys expected, found 3"),
        ("design = [", "design = ", "m: "),
    ],
)
def test_a_fault_is_told_in_one_line(old: str, new: str, says: str) -> None:
    assert old in TEXT
    with pytest.raises(DataError) as told:
        parse(TEXT.replace(old, new), "m")
    assert str(told.value).startswith(says)
    assert "\n" not in str(told.value)


def test_the_sample_is_whole() -> None:
    found = parse(TEXT, "m")
    assert found.deck_splits() == {"one": "train", "two": "test", "ours": "train"}
    assert found.families()["ours"] == "f"
