"""Cardless pictures: which are taken of a package, how they are written, and that no package is on both sides."""

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.collection.fetch import fetch, wanted
from feltwatch.datasets.common.cache import read_picture, write_whole
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.render.cardless import cardless, print_of, scaled
from feltwatch.datasets.sources import registries
from feltwatch.datasets.sources.manifest import Manifest, parse, read
from feltwatch.vision.arrays import Pixels


def scene(seed: int, width: int = 320, height: int = 240) -> Pixels:
    """Give a picture of large blots, which are others with every seed."""
    blots = np.random.default_rng(seed).integers(0, 255, (6, 8, 3)).astype(np.uint8)
    return cv2.resize(blots, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.uint8)


def png(picture: Pixels) -> bytes:
    return cv2.imencode(".png", picture)[1].tobytes()


def zip_of(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


PACKAGE = zip_of(
    {
        "p/b room.png": png(scene(1)),
        "p/a-wide.png": png(scene(2, 2000, 500)),
        "p/c-smaller.png": png(scene(1, 240, 200)),  # seen already
        "p/cards/ace.png": png(scene(3)),
        "p/icon.png": png(scene(4, 64, 64)),
        "p/plain.png": png(np.full((240, 320, 3), 90, np.uint8)),
        "p/clear.png": png(np.dstack((scene(5), scene(5)[..., 0]))),
        "p/notes.txt": b"no picture",
        "other/d.png": png(scene(6)),
        "in.jar": zip_of({"t/wood.png": png(scene(7)), "t/wood_normal.png": png(scene(8)), "u/e.png": png(scene(9))}),
        "not-asked-for.zip": b"no archive",
    }
)

TEXT = f"""
[[source]]
name = "shop"
kind = "cardless"
registry = "pypi"
package = "shop"
version = "1"
file = "shop-1.whl"
licence = "CC0-1.0"
sha256 = "{hashlib.sha256(PACKAGE).hexdigest()}"
split = "train"

[[cardless]]
name = "shop"
take = ["p/*", "in.jar/t/*"]
leave = ["*/cards/*", "*_normal.png"]
"""

WRITTEN = ["0001-wood.jpg", "0002-a-wide.jpg", "0003-b-room.jpg", "0004-clear.jpg"]


def fetched(manifest: Manifest, cache: Path, package: bytes = PACKAGE) -> list[str]:
    said = list[str]()
    write_whole(cache / "packages" / "shop-1.whl", package)
    fetch(manifest, wanted(manifest, ["cardless"]), cache, said.append)
    return said


def test_a_package_becomes_pictures(tmp_path: Path) -> None:
    assert fetched(parse(TEXT, "m"), tmp_path)[-1] == f"fetch: 1 of 1 whole in {tmp_path}"
    folder = tmp_path / "cardless" / "shop"
    assert sorted(path.name for path in folder.glob("*.jpg")) == WRITTEN
    assert read_picture(folder / "0002-a-wide.jpg").shape == (400, 1600, 3)
    assert read_picture(folder / "0004-clear.jpg").shape == (240, 320, 3)
    assert not [*tmp_path.rglob(".part-*"), *tmp_path.rglob("*.part")]


def test_they_are_made_again_only_when_the_manifest_asks_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched(parse(TEXT, "m"), tmp_path)
    (tmp_path / "packages" / "shop-1.whl").unlink()
    monkeypatch.setattr(registries, "TOOLS", {"pypi": ("no-such-tool",)})
    said = list[str]()
    same = parse(TEXT, "m")
    assert fetch(same, wanted(same, []), tmp_path, said.append) == 0
    assert len(said) == 1
    fewer = parse(TEXT.replace('"*/cards/*"', '"*/cards/*", "*/clear*"'), "m")
    assert fetch(fewer, wanted(fewer, ["shop"]), tmp_path, said.append) == 1
    fetched(fewer, tmp_path)
    assert sorted(path.name for path in (tmp_path / "cardless" / "shop").glob("*.jpg")) == WRITTEN[:3]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"p/a.png": b"no picture"}, "fetch: shop-1.whl: p/a.png: not a whole picture"),
        ({"p/a.txt": b""}, "fetch: shop-1.whl: holds no picture that is asked for"),
        ({"in.jar": b"no archive"}, "fetch: in.jar: not a whole archive: File is not a zip file"),
    ],
)
def test_a_damaged_package_is_told_in_one_line(tmp_path: Path, files: Mapping[str, bytes], says: str) -> None:
    package = zip_of(files)
    text = TEXT.replace(hashlib.sha256(PACKAGE).hexdigest(), hashlib.sha256(package).hexdigest())
    assert says in fetched(parse(text, "m"), tmp_path, package)
    assert not list((tmp_path / "cardless").iterdir())


def test_a_split_gives_its_own_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path))
    assert cardless("test") == ()
    split = {one.name: one.split for one in read().source}
    for one in read().cardless:
        write_whole(tmp_path / "cardless" / one.name / "0001-a.jpg", b"picture")
    for side in ("train", "test"):
        found = cardless(side)
        assert list(found) == sorted(found)
        assert {split[path.parent.name] for path in found} == {side}


def test_a_picture_is_known_again_at_another_size_and_told_from_others() -> None:
    picture, smaller = scene(1, 1200, 900), scene(1, 400, 300)
    assert (print_of(picture) ^ print_of(smaller)).bit_count() <= 4
    assert all((print_of(picture) ^ print_of(scene(seed))).bit_count() > 10 for seed in range(2, 40))
    assert scaled(smaller) is smaller
    assert scaled(scene(1, 20, 3200)).shape == (1600, 10, 3)


def test_no_package_is_on_both_sides() -> None:
    sides = {"train": set[str](), "test": set[str]()}
    for source in read().source:
        if source.kind == "cardless":
            sides[source.split].add(f"{source.registry} {source.package}")
    assert len(sides["train"]) >= 8
    assert len(sides["test"]) >= 8
    assert sides["train"].isdisjoint(sides["test"])
    assert {one.name for one in read().cardless} == {one.name for one in read().source if one.kind == "cardless"}


SECOND = TEXT.replace('name = "shop"', 'name = "shop-2"').replace('version = "1"', 'version = "2"')


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TEXT + SECOND.replace('split = "train"', 'split = "test"'), "m: package 'shop' is split: 'shop' is train, "),
        (TEXT.replace('split = "train"\n', ""), "m: source 'shop': split: no ''; there are: train, val, "),
        (TEXT.replace('take = ["p/*", ', "take = [1, "), "m: cardless 'shop': take: "),
        (TEXT.replace('[[cardless]]\nname = "shop"', '[[cardless]]\nname = "shap"'), "m: 'shap': source: no 'shap'; "),
    ],
)
def test_a_fault_of_the_manifest_is_told_in_one_line(text: str, says: str) -> None:
    with pytest.raises(DataError) as told:
        parse(text, "m")
    assert str(told.value).startswith(says)
    assert "\n" not in str(told.value)
