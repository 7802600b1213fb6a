"""Nothing of val, test or reserve may be trained on: the committed fingerprints hold that, and a leak is found."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.__main__ import main
from feltwatch.datasets.art.cards.decks import load_back, load_deck
from feltwatch.datasets.art.cards.fingerprints import (
    Prints,
    distance,
    fingerprint,
    print_of_back,
    print_of_deck,
    read_prints,
    written,
)
from feltwatch.datasets.art.felts.felt_styles import FELTS
from feltwatch.datasets.collection.leaks import (
    SAME_BACK,
    SAME_DECK,
    held_back,
    leaks,
    leaks_by_name,
    leaks_of_folder,
    nearest,
)
from feltwatch.datasets.common.cache import write_picture
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.manifest import Manifest, read
from feltwatch.vision.arrays import Pixels

HOUSE = load_deck("house").faces  # of the split test
BACK = load_back("house-red")


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return read()


@pytest.fixture(scope="module")
def prints() -> Prints:
    return read_prints()


def as_it_is(picture: Pixels) -> Pixels:
    return picture


def recoloured(picture: Pixels) -> Pixels:
    hue = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    hue[..., 0] = (hue[..., 0].astype(int) + 40) % 180
    return cv2.cvtColor(hue, cv2.COLOR_HSV2BGR).astype(np.uint8)


def swapped(picture: Pixels) -> Pixels:
    return picture[..., [2, 0, 1]].copy()


def scaled(picture: Pixels) -> Pixels:
    small = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_CUBIC).astype(np.uint8)


def compressed(picture: Pixels) -> Pixels:
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 40])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def askew(picture: Pixels) -> Pixels:
    return cv2.resize(picture[5:-4, 3:-5], (picture.shape[1], picture.shape[0])).astype(np.uint8)


def upside_down(picture: Pixels) -> Pixels:
    return picture[::-1, ::-1].copy()


def all_of_it(picture: Pixels) -> Pixels:
    return compressed(scaled(recoloured(picture)))


CHANGES = [as_it_is, recoloured, swapped, scaled, compressed, askew, upside_down, all_of_it]


def test_everything_listed_has_its_fingerprint(manifest: Manifest, prints: Prints) -> None:
    """Who adds a deck or a back hashes it: python -m feltwatch.datasets leaks --write."""
    assert set(prints.decks) == set(manifest.deck_splits())
    assert set(prints.backs) == set(manifest.back_splits())


def test_no_deck_and_no_back_of_train_is_held_back(manifest: Manifest, prints: Prints) -> None:
    training = Prints(
        {name: one for name, one in prints.decks.items() if manifest.deck_splits()[name] == "train"},
        {name: one for name, one in prints.backs.items() if manifest.back_splits()[name] == "train"},
    )
    assert len(training.decks) >= 48
    assert leaks(training, manifest, prints) == []
    assert set(held_back(manifest, prints).decks).isdisjoint(training.decks)


def test_two_makers_are_further_apart_than_the_threshold(manifest: Manifest, prints: Prints) -> None:
    lines = nearest(manifest, prints, 1)
    deck, back = (float(line.split()[1]) for line in lines)
    assert deck > SAME_DECK + 2
    assert back > SAME_BACK + 2


@pytest.mark.parametrize("change", CHANGES)
def test_a_test_deck_in_train_is_found_however_changed(
    manifest: Manifest, prints: Prints, change: Callable[[Pixels], Pixels]
) -> None:
    stolen = print_of_deck({face: change(picture) for face, picture in HOUSE.items()})
    (found,) = leaks(Prints({"our-own": stolen}, {}), manifest, prints)
    assert found.startswith("deck 'our-own' looks like 'house' of test: ")


@pytest.mark.parametrize("name", ["house", "svg-cards", "bellot", "bonded", "atlasnye", "react-2color-bf"])
def test_a_held_back_deck_in_train_is_found_by_name(manifest: Manifest, prints: Prints, name: str) -> None:
    (found,) = leaks(Prints({name: prints.decks[name]}, {}), manifest, prints)
    assert found == f"deck '{name}' is of the split {manifest.deck_splits()[name]}"


@pytest.mark.parametrize("name", ["kde-standard", "svg-cards", "paris", "react-casino"])
def test_a_reserved_deck_under_another_name_is_found_by_looks(manifest: Manifest, prints: Prints, name: str) -> None:
    (found,) = leaks(Prints({"customer": prints.decks[name]}, {}), manifest, prints)
    assert "of reserved" in found


def test_bellot_is_the_art_of_svg_cards(prints: Prints) -> None:
    assert distance(prints.decks["bellot"], prints.decks["svg-cards"]) < SAME_DECK


@pytest.mark.parametrize("change", [as_it_is, swapped, upside_down])
def test_a_test_back_in_train_is_found(manifest: Manifest, prints: Prints, change: Callable[[Pixels], Pixels]) -> None:
    (found,) = leaks(Prints({}, {"our-back": print_of_back(change(BACK))}), manifest, prints)
    assert found.startswith("back 'our-back' looks like 'house-red' of test: ")


def test_a_set_is_checked_by_the_names_it_is_made_of(manifest: Manifest) -> None:
    felt = FELTS["test"][0]
    made_of: dict[str, dict[str, object]] = {
        "decks": {"club-standard": 3, "bonded": 1, "a customer's own": 2},
        "backs": {"back-lattice-00": 1, "house-red": 1},
        "felts": {FELTS["train"][0]: 4, felt: 1},
        "grounds": {"adminbsb": 2, "argon-design-system": 1},
        "photographs": {"ahaann_cards": {}, "teogop_real": {}},
    }
    assert leaks_by_name(made_of, "train", manifest) == [
        "deck 'bonded' is of the split test and lies in train",
        "back 'house-red' is of the split test and lies in train",
        f"felt '{felt}' is of the split test and lies in train",
        "ground 'argon-design-system' is of the split test and lies in train",
        "photograph 'teogop_real' is of the split test and lies in train",
    ]
    assert leaks_by_name({"decks": {"club-standard": 1, "atlasnye": 1}}, "val", manifest) == [
        "deck 'club-standard' is of the split train and lies in val"
    ]


def test_a_written_set_is_checked_by_its_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = {
        "splits": {"train": {"decks": {"orell": 5}}, "val": {"decks": {"house": 1}}, "test": {"decks": {"house": 1}}}
    }
    (tmp_path / "recipe.json").write_text(json.dumps(recipe), "utf-8")
    assert main(["leaks", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert said.splitlines() == [
        f"leak: {tmp_path}: deck 'house' is of the split test and lies in val",
        "leaks: 1 found",
    ]
    (tmp_path / "recipe.json").write_text("[]", "utf-8")
    assert main(["leaks", str(tmp_path)]) == 2
    assert "not the recipe of a written set" in capsys.readouterr().err


def test_folders_of_decks_and_backs_are_checked_by_looks(manifest: Manifest, prints: Prints, tmp_path: Path) -> None:
    for face, picture in HOUSE.items():
        write_picture(tmp_path / "sneaky" / f"{face}.jpg", scaled(picture), 80)
    write_picture(tmp_path / "sneaky-back.png", BACK)
    deck, back = leaks_of_folder(tmp_path, manifest, prints)
    assert "deck 'sneaky' looks like 'house' of test" in deck
    assert "back 'sneaky-back' looks like 'house-red' of test" in back
    assert leaks_of_folder(tmp_path / "sneaky", manifest, prints)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="neither a written set"):
        leaks_of_folder(tmp_path / "empty", manifest, prints)
    with pytest.raises(DataError, match="no such folder"):
        leaks_of_folder(tmp_path / "nowhere", manifest, prints)


def test_fingerprints_come_back_from_their_file(prints: Prints, tmp_path: Path) -> None:
    path = tmp_path / "prints.txt"
    path.write_text(written(prints), "utf-8")
    assert read_prints(path) == prints
    path.write_text("deck house 12\n", "utf-8")
    with pytest.raises(DataError, match="'deck' or 'back', a name and its hashes expected"):
        read_prints(path)
    assert 0 <= fingerprint(BACK) < 1 << 64
