"""Fetching: real packages, tiny ones, made here; no network."""

import gzip
import hashlib
import io
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from feltwatch.datasets.__main__ import main
from feltwatch.datasets.art.cards import sheets
from feltwatch.datasets.collection.fetch import fetch, wanted
from feltwatch.datasets.common.cache import write_whole
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources import registries
from feltwatch.datasets.sources.card_codes import FACES, in_pattern
from feltwatch.datasets.sources.manifest import ArtSource, Manifest, parse, read
from feltwatch.datasets.sources.unpack import Package

SUIT_INK = {"s": "black", "h": "red", "d": "blue", "c": "green"}


def sheet_of_cards(*, without: str = "") -> str:
    """Give a whole deck on one sheet, as Debian has them: a group a card, moved to its place."""
    cards = [
        f'<g id="{in_pattern("{suit}_{number}", face)}" transform="translate({number % 13 * 20} {number // 13 * 30})">'
        f'<rect x="1" y="1" width="18" height="25" rx="2" fill="white" style="visibility:visible"/>'
        f'<rect x="6" y="6" width="8" height="15" fill="{SUIT_INK[face[1]]}"/></g>'
        for number, face in enumerate(FACES)
        if face != without
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="4in" height="4in" viewBox="0 0 260 120">{"".join(cards)}</svg>'
    )


def tar_of(files: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:  # type: ignore[call-overload]  # the mode is a plain text
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return data.getvalue()


def deb_of(files: Mapping[str, bytes], inner: str = "data.tar.xz") -> bytes:
    members = {"debian-binary": b"2.0\n", "control.tar.gz": tar_of({}), inner: tar_of(files, "w:xz")}
    data = b"!<arch>\n"
    for name, content in members.items():
        data += (
            f"{name:16}{0:<12}{0:<6}{0:<6}{'100644':8}{len(content):<10}`\n".encode()
            + content
            + b"\n" * (len(content) % 2)
        )
    return data


def zip_of(files: Mapping[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


FILES = {"art/a.txt": b"ace", "art/empty": b""}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("p.deb", deb_of({f"./{name}": content for name, content in FILES.items()})),
        ("p.tgz", tar_of(FILES)),
        ("p.tar.gz", tar_of(FILES)),
        ("p.whl", zip_of(FILES)),
    ],
)
def test_every_kind_of_package_is_read(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    package = Package(tmp_path / name)
    assert package.names("art/") == ["art/a.txt", "art/empty"]
    assert package.read("art/a.txt") == b"ace"
    with pytest.raises(DataError, match=f"{name}: holds no art/b"):
        package.read("art/b")


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("p.deb", b"no package", "not a Debian package"),
        ("p.deb", deb_of({})[:-9], "bytes are missing"),
        ("p.deb", deb_of({}).replace(b"`\n", b"!!", 1), "damaged at byte 8"),
        ("p.deb", deb_of({}, "data.tar.zst"), "data.tar.xz or data.tar.gz expected"),
        ("p.tgz", b"no archive", "not a whole package"),
        ("p.whl", b"no archive", "not a whole package"),
    ],
)
def test_a_damaged_package_is_told_in_one_line(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match=says):
        Package(tmp_path / name)


def test_a_card_is_cut_out_of_a_sheet_at_its_edge() -> None:
    drawing = sheets.plain(sheet_of_cards())
    found = sheets.cut_out(drawing, "here", "heart_king", width=180)
    assert abs(found.shape[1] - 180) <= 8
    assert abs(found.shape[0] / found.shape[1] - 25 / 18) < 0.02
    assert found[found.shape[0] // 2, found.shape[1] // 2].tolist() == [0, 0, 255, 255]
    with pytest.raises(DataError, match="here: a sheet without 'heart_emperor'"):
        sheets.cut_out(drawing, "here", "heart_emperor")


def test_a_card_off_the_page_is_found() -> None:
    drawing = sheets.plain(sheet_of_cards().replace('viewBox="0 0 260 120"', 'viewBox="0 -150 260 120"'))
    assert sheets.cut_out(drawing, "here", "club_1", width=90).shape[1] >= 70


def shop(data: bytes, registry: str = "npm") -> Manifest:
    return parse(
        f"""
        design = [{{name = "tiny", source = "shop", family = "f", split = "train", sheet = "s.svgz",
                    card = "{{suit}}_{{number}}"}}]
        art = [{{name = "cloth/c.png", source = "shop", path = "c.png"}}]
        back = [{{name = "tiny-back", source = "shop", split = "train", path = "s.svgz", part = "club_1"}}]
        [[source]]
        name = "shop"
        kind = "decks"
        registry = "{registry}"
        package = "shop"
        version = "1"
        file = "shop-1.tgz"
        licence = "CC0-1.0"
        sha256 = "{hashlib.sha256(data).hexdigest()}"
        """.replace("\n                    ", " "),
        "m",
    )


@pytest.fixture
def package() -> bytes:
    return tar_of({"s.svgz": gzip.compress(sheet_of_cards().encode()), "c.png": b"cloth"})


def test_a_package_becomes_a_deck_and_is_not_made_twice(
    tmp_path: Path, package: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "FULL_PX", 60)
    monkeypatch.setattr(sheets, "LOOK_PX", 400)
    manifest, said = shop(package), list[str]()
    write_whole(tmp_path / "packages" / "shop-1.tgz", package)
    asked = wanted(manifest, [])
    assert fetch(manifest, asked, tmp_path, said.append) == 0
    assert {path.stem for path in (tmp_path / "decks" / "tiny").iterdir()} == set(FACES)
    assert (tmp_path / "cloth" / "c.png").read_bytes() == b"cloth"
    assert (tmp_path / "backs" / "tiny-back.png").is_file()
    assert said[-1] == f"fetch: 3 of 3 whole in {tmp_path}"
    (tmp_path / "packages" / "shop-1.tgz").unlink()
    again = list[str]()
    assert fetch(manifest, asked, tmp_path, again.append) == 0
    assert again == said[-1:]
    assert not [*tmp_path.rglob(".part-*"), *tmp_path.rglob("*.part")]


def test_a_sheet_without_a_card_is_told_and_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "FULL_PX", 20)
    monkeypatch.setattr(sheets, "LOOK_PX", 300)
    data = tar_of({"s.svgz": gzip.compress(sheet_of_cards(without="2s").encode()), "c.png": b"cloth"})
    write_whole(tmp_path / "packages" / "shop-1.tgz", data)
    said = list[str]()
    manifest = shop(data)
    assert fetch(manifest, wanted(manifest, []), tmp_path, said.append) == 1
    assert "fetch: shop-1.tgz: s.svgz: a sheet without 'spade_2'" in said
    assert said[-1] == f"fetch: 2 of 3 whole in {tmp_path}; 1 failed"
    assert not (tmp_path / "decks" / "tiny").exists()


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    tools = {"npm": (sys.executable, "-c", code), "debian": ("no-such-apt", "download", "{package}={version}")}
    monkeypatch.setattr(registries, "TOOLS", tools)
    folder.mkdir(exist_ok=True)


def source_of(data: bytes, registry: str = "npm") -> ArtSource:
    return shop(data, registry).source[0]


def test_a_package_is_brought_by_the_registry_s_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "open('any.tgz', 'wb').write(b'whole')")
    assert registries.obtain(source_of(b"whole"), tmp_path).read_bytes() == b"whole"
    with pytest.raises(DataError, match=r"shop: any.tgz: sha256 expected [0-9a-f]{64}, found [0-9a-f]{64}"):
        registries.obtain(replace(source_of(b"other"), file="other.tgz"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["shop-1.tgz"]


def test_a_tool_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "raise SystemExit('no such package')")
    with pytest.raises(DataError, match="failed: no such package"):
        registries.obtain(source_of(b"whole"), tmp_path)


def test_without_apt_the_rest_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "")
    manifest, said = shop(b"whole", "debian"), list[str]()
    assert fetch(manifest, wanted(manifest, ["cloth"]), tmp_path, said.append) == 1
    assert "fetch: shop: no-such-apt is not here, and only it brings debian packages" in said


def test_any_subset_can_be_asked_for() -> None:
    manifest = read()
    assert [one.name for one in wanted(manifest, ["anglo"]).fetched][:4] == [
        "anglo",
        "anglo-bitmap",
        "gnomangelo",
        "gnomangelo-bitmap",
    ]
    drawn = wanted(manifest, ["club-standard"])
    assert {one.name for one in drawn.fetched} == {"cardsjs-aguilar", "fonts/nimbus-narrow"}
    everything = {one.name for one in wanted(manifest, []).fetched}
    assert "svg-cards" not in everything
    assert {one.name for one in wanted(manifest, ["svg-cards"]).fetched} == {"svg-cards"}
    with pytest.raises(DataError, match="no 'anglos' in the manifest"):
        wanted(manifest, ["anglos"])


def test_the_command_line_speaks_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fetch", "anglos"]) == 2
    assert capsys.readouterr().err.startswith("datasets: fetch: no 'anglos'")
    assert main(["fetsh"]) == 2
    assert "no command 'fetsh'; there are: fetch, decks" in capsys.readouterr().err
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert main(["decks"]) == 0
    assert "test: " in capsys.readouterr().out


def test_a_drawing_without_size_is_told() -> None:
    for text, says in (("<svg/>", "neither viewBox nor size"), ("text", "no drawing")):
        with pytest.raises(DataError, match=says):
            sheets.view(text, "here")
    with pytest.raises(DataError, match="empty drawing"):
        sheets.cropped(np.zeros((4, 4, 4), np.uint8), "here")
    with pytest.raises(DataError, match="cannot be drawn"):
        sheets.render("<svg", "here", 20)
