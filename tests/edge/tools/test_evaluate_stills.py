"""Photographs of real tables: the files drawn for them are whole, and reports of a still are counted right."""

from pathlib import Path

import pytest

from feltwatch.datasets.photos.photo_sources import source_named
from feltwatch.datasets.photos.real import Photograph
from feltwatch.datasets.truth import CardTruth, Truth
from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.tools.evaluate_stills import TABLES, Lies, compared, lying, main, reported
from feltwatch.edge.video.decoder import Decoding
from tests.film_watched import clip, eyes

HANDS = 26.0  # of the bundled film: cards lie before the dealer


@pytest.mark.parametrize("path", sorted(TABLES.glob("*.toml")), ids=lambda path: path.stem)
def test_a_photographed_table_hangs_and_all_its_zones_are_in_the_picture(path: Path) -> None:
    table = read_table(path)
    size = (1920, 1080) if "static" in path.name else (1280, 720)
    fit = table.camera(size)
    assert fit.off_mm.max() < 1
    assert "dealer.cards" in table.layout.by_name
    assert 120 < fit.camera.scale(0.0, 0.0) * 88 < 700  # a card's height in pixels


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        ([("box1.cards", "9h"), ("box2.cards", "Ks")], {"right": 2}),
        ([("box1.cards", "9h"), ("box1.cards", "Ks")], {"right": 1, "wrong zone": 1}),
        ([("box1.cards", "8h"), ("box2.cards", None)], {"wrong face": 1, "cannot tell": 1}),
        ([("box1.cards", "9h")], {"right": 1, "not reported": 1}),
        ([("box1.cards", "9h"), ("box2.cards", "Ks"), ("box2.cards", "2c")], {"right": 2, "reported too many": 1}),
    ],
)
def test_what_is_reported_is_held_against_what_lies_there(said: list[Lies], counted: dict[str, int]) -> None:
    assert compared([("box1.cards", "9h"), ("box2.cards", "Ks")], said) == counted


def test_a_still_is_watched_as_a_table_on_which_nothing_moves() -> None:
    video, table = clip()
    with Decoding(video, HANDS) as frames:
        picture = next(iter(frames)).picture
    places = {area.name: table.camera(video.size).camera.to_picture(area.polygon) for area in table.layout.areas}
    (a, b), (c, d) = places["dealer.cards"].min(axis=0), places["dealer.cards"].max(axis=0)
    card = CardTruth("c1", ((a, b), (c, b), (c, d), (a, d)), "Ts", up=True, visible=1.0)
    photo = Photograph("p.jpg", source_named("maslana_redtable"), lambda: picture, Truth(*video.size, (card,)))
    assert lying(photo, table) == [("dealer.cards", "Ts")]
    said = reported(photo, table, eyes())
    assert ("dealer.cards", "Ts") in said
    assert {zone for zone, _ in said} <= {"box1.cards", "box6.cards", "dealer.cards"}


def test_a_folder_without_the_photographs_is_said_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
