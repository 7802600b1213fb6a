"""Layouts: what lies where, and one clear line for a file that cannot be."""

from pathlib import Path

import pytest

from feltwatch.vision.layout.zones import Layout, LayoutError, load_layout, parse_layout

OUTLINE = "outline = [[-900, 0], [900, 0], [900, 900], [-900, 900]]"
MAIN = """
[[zones]]
name = "box1.main"
circle = [100, 700, 30]
"""
CARDS = """
[[zones]]
name = "box1.cards"
polygon = [[0, 300], [200, 300], [200, 600], [0, 600]]
first = [80, 480]
step = [17, 0]
turn = 270.0
"""
HAND = """
[[zones]]
name = "box1.hand2"
polygon = [[100, 300], [200, 300], [200, 400], [100, 400]]
"""


def table(*zones: str) -> str:
    return "\n".join([OUTLINE, *zones])


def parsed(*zones: str) -> Layout:
    return parse_layout(table(*zones), "my.toml")


def test_a_layout_is_read() -> None:
    layout = parsed(MAIN, CARDS)
    assert layout.name == "my.toml"
    assert layout.boxes == (1,)
    cards, main = layout.by_name["box1.cards"], layout.by_name["box1.main"]
    assert (cards.first, cards.step, cards.turn) == ((80.0, 480.0), (17.0, 0.0), 270.0)
    assert (main.first, main.step, main.turn) == ((100.0, 700.0), (0.0, 0.0), 90.0)
    assert cards.for_cards
    assert not main.for_cards
    assert main.size == pytest.approx(3.14159 * 30**2, rel=0.02)


def test_a_layout_without_an_outline_reaches_as_far_as_its_zones() -> None:
    layout = parse_layout(CARDS + HAND, "my.toml")
    assert sorted(layout.outline) == [(0, 300), (0, 600), (200, 300), (200, 600)]


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text('name = "corner table"\n' + table(MAIN), "utf-8")
    assert load_layout(str(path)).name == "corner table"


def test_the_smallest_zone_that_holds_a_point_is_meant() -> None:
    layout = parsed(MAIN, CARDS, HAND)
    assert layout.zone_at((50, 350)) == "box1.cards"
    assert layout.zone_at((150, 350)) == "box1.hand2"
    assert layout.zone_at((100, 700)) is None
    assert layout.spot_at((100, 700)) == "box1.main"
    assert layout.spot_at((150, 350)) is None
    assert layout.zone_at((-500, 100)) is None


def test_things_are_laid_in_the_middle_of_a_zone_that_does_not_say_where() -> None:
    assert parsed(HAND).by_name["box1.hand2"].first == (150.0, 350.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            table(CARDS, CARDS),
            "my.toml: two zones are named 'box1.cards': expected each name once",
        ),
        (
            table(MAIN.replace("700", "890")),
            "my.toml: zone 'box1.main' leaves the table at [126.0, 905.0]: see outline",
        ),
        (
            table(CARDS.replace("polygon", "polygno")),
            "my.toml: zone 1: unknown key 'polygno': did you mean 'polygon'?",
        ),
        (
            table(MAIN + "colour = 3\n"),
            "my.toml: zone 1: unknown key 'colour': expected circle, first, name, polygon, step, turn",
        ),
        (
            OUTLINE.replace("outline", "outlin") + MAIN,
            "my.toml: unknown key 'outlin': did you mean 'outline'?",
        ),
        (
            table(MAIN, '\n[[zones]]\nname = "box1.cards"\n'),
            "my.toml: zone 2 (box1.cards): expected either polygon or circle",
        ),
        (
            table(CARDS + "circle = [0, 300, 20]\n"),
            "my.toml: zone 1 (box1.cards): expected either polygon or circle",
        ),
        (
            table('\n[[zones]]\nname = "box1.cards"\npolygon = 7\n'),
            "my.toml: zone 1 (box1.cards): polygon: expected three or more points [x, y] in millimetres, found 7",
        ),
        (
            table('\n[[zones]]\nname = "box1.cards"\npolygon = [[0, 300], [200, 300], [400, 300]]\n'),
            "my.toml: zone 1 (box1.cards): polygon: the points hold no area",
        ),
        (
            table(CARDS.replace("[200, 300]", "[200]")),
            "my.toml: zone 1 (box1.cards): polygon: point 2: expected 2 numbers in millimetres, found [200]",
        ),
        (
            table(MAIN.replace("30]", "true]")),
            "my.toml: zone 1 (box1.main): circle: expected 3 numbers in millimetres, found [100, 700, True]",
        ),
        (
            table(MAIN.replace("30]", "nan]")),
            "my.toml: zone 1 (box1.main): circle: expected 3 numbers in millimetres, found [100, 700, nan]",
        ),
        (
            table(MAIN.replace("30]", "0]")),
            "my.toml: zone 1 (box1.main): circle: expected a radius above 0, found 0",
        ),
        (
            table(CARDS.replace("270.0", '"up"')),
            "my.toml: zone 1 (box1.cards): turn: expected one number in degrees, found 'up'",
        ),
        (
            table(MAIN.replace("box1.main", "box1.maine")),
            "my.toml: zone 1: expected a name such as 'box1.cards' or 'box1.main', found 'box1.maine'",
        ),
        (
            table(MAIN.replace('"box1.main"', "1")),
            "my.toml: zone 1: expected a name such as 'box1.cards' or 'box1.main', found 1",
        ),
        (
            "zones = [1]\n" + OUTLINE,
            "my.toml: zone 1: expected a table with name and polygon, found 1",
        ),
        (
            "outline = [[0, 0], [1, 1]]" + MAIN,
            "my.toml: outline: expected three or more points [x, y] in millimetres, found [[0, 0], [1, 1]]",
        ),
        (OUTLINE, "my.toml: expected [[zones]], found None"),
        ("outline = [", "my.toml: not TOML: Invalid value (at end of document)"),
    ],
)
def test_a_layout_that_cannot_be_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(LayoutError) as told:
        parse_layout(text, "my.toml")
    assert str(told.value) == says


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(LayoutError) as told:
        load_layout("blackjack-9")
    assert str(told.value) == (
        "unknown layout 'blackjack-9': expected one of blackjack-7, blackjack-5, si-ki-pi-6, or a .toml file"
    )


def test_a_file_that_is_not_there_or_broken_is_refused(tmp_path: Path) -> None:
    missing, broken = str(tmp_path / "none.toml"), tmp_path / "broken.toml"
    with pytest.raises(LayoutError) as told:
        load_layout(missing)
    assert str(told.value) == f"{missing}: expected a layout file: no such file or directory"
    broken.write_bytes(b"outline = \xff\xfe")
    with pytest.raises(LayoutError) as told:
        load_layout(str(broken))
    assert str(told.value) == f"{broken}: expected a layout file: it is not text in UTF-8"
