"""The shipped networks: a wrong, cut or missing file is refused by name."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from feltwatch.models.shipped.registry import NETWORKS, ModelError, change, model, models

ROW = """[[model]]
name = "reader"
file = "reader.onnx"
sha256 = "{digest}"
input = "crops"
preprocessing = "none"
classes = ["9h"]
licence = "AGPL-3.0-or-later"
data = "drawn"
settings = {{ temperature = 1.0 }}
figures = {{}}
"""
DATA = b"a network" * 1000


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    (tmp_path / "reader.onnx").write_bytes(DATA)
    path = tmp_path / "manifest.toml"
    path.write_text(ROW.format(digest=sha256(DATA).hexdigest()), "utf-8")
    return path


def test_a_whole_file_is_given(manifest: Path) -> None:
    assert model("reader", manifest).load() == DATA


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(DATA[:-1]),
        lambda path: path.write_bytes(b"x" + DATA[1:]),
        lambda path: path.write_bytes(b""),
        lambda path: path.unlink(),
    ],
    ids=["cut", "altered", "empty", "missing"],
)
def test_another_file_is_refused_by_name(manifest: Path, spoil: Callable[[Path], object]) -> None:
    spoil(manifest.parent / "reader.onnx")
    with pytest.raises(ModelError, match=r"reader\.onnx.*reader.*install feltwatch again"):
        model("reader", manifest).load()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[[model]]", "[model]", "expected a list"),
        ('input = "crops"\n', "", "expected of each"),
        ('file = "reader.onnx"', 'file = "../reader.onnx"', "beside the manifest"),
        ("name =", "name", "cannot be read"),
        ('classes = ["9h"]', "classes = 5", "reader: classes: expected a list of names, found 5"),
        (
            "settings = { temperature = 1.0 }",
            'settings = { temperature = "hot" }',
            "settings: expected numbers by name",
        ),
        ('sha256 = "', 'sha256 = 5 # "', "sha256: expected text, found 5"),
        ('file = "reader.onnx"', 'file = ".."', "beside the manifest"),
    ],
)
def test_a_spoilt_manifest_is_reported_in_one_line(manifest: Path, old: str, new: str, says: str) -> None:
    manifest.write_text(manifest.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ModelError, match=says) as reported:
        models(manifest)
    assert "\n" not in str(reported.value)


def test_a_setting_that_is_not_there_is_named(manifest: Path) -> None:
    with pytest.raises(ModelError, match="reader: settings: expected sure"):
        model("reader", manifest).setting("sure")


def test_what_is_changed_is_read_back(manifest: Path) -> None:
    before = model("reader", manifest)
    change(manifest, "reader", settings={"temperature": 1.25, "sure": 0.97}, data='drawn "and" photographed, “so”')
    after = model("reader", manifest)
    assert (after.settings, after.data) == ({"temperature": 1.25, "sure": 0.97}, 'drawn "and" photographed, “so”')
    assert replace(after, settings=before.settings, data=before.data) == before


def test_an_unknown_model_is_reported_with_those_that_are(manifest: Path) -> None:
    with pytest.raises(ModelError, match="no model 'ears'; it lists reader"):
        model("ears", manifest)


def test_the_shipped_networks_are_whole_and_small() -> None:
    assert {name: len(one.load()) < 12_000_000 for name, one in models().items()} == dict.fromkeys(NETWORKS, True)
