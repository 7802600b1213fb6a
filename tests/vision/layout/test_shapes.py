"""The tables that are built in: their files, their spots for every book, and what lies where."""

from importlib import resources
from itertools import combinations

import cv2
import numpy as np
import pytest

from feltwatch.datasets.scene.dealer import Dealer
from feltwatch.datasets.scene.placement import Laying, lay_card
from feltwatch.engine.books import BOOKS
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from feltwatch.engine.model.cards import CARDS
from feltwatch.vision.layout.shapes import SHAPES, for_book, layout_of, to_toml
from feltwatch.vision.layout.zones import PRESETS, Area, Layout, load_layout, parse_layout

SIKIPI = "si-ki-pi-v3"
TABLES = [(name, book) for name in PRESETS for book in BOOK_ORDER if (book == SIKIPI) == (name == "si-ki-pi-6")]
SET = {"low": 2, "high": 2, "hand2": 4, "hand3": 4, "hand4": 4}  # more cards than these reach beyond such a zone
MOST = 6
THROWS = 8


def printed(name: str, book: str) -> Layout:
    return for_book(load_layout(name), BOOKS[book])


def spots(layout: Layout) -> list[Area]:
    return [area for area in layout.areas if not area.for_cards]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_what_its_shape_makes(name: str) -> None:
    written = resources.files("feltwatch.vision.layout.presets").joinpath(f"{name}.toml").read_text("utf-8")
    assert to_toml(layout_of(SHAPES[name])) == written
    assert load_layout(name) == layout_of(SHAPES[name])


def test_every_shape_is_a_preset() -> None:
    assert tuple(SHAPES) == PRESETS
    assert [load_layout(name).boxes for name in PRESETS] == [
        (1, 2, 3, 4, 5, 6, 7),
        (1, 2, 3, 4, 5),
        (1, 2, 3, 4, 5, 6),
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_a_layout_comes_back_from_its_text(name: str) -> None:
    layout = load_layout(name)
    assert parse_layout(to_toml(layout), "here") == layout


@pytest.mark.parametrize(("name", "book"), TABLES)
def test_every_bet_of_a_book_has_its_spot_in_every_box(name: str, book: str) -> None:
    layout = printed(name, book)
    known = {area.name for area in spots(layout)}
    assert {f"box{box}.{bet}" for box in layout.boxes for bet in BOOKS[book].bets} <= known
    behind = "behind1" if book == "live-blackjack" else "main/standing1"
    assert {f"box{box}.{behind}" for box in layout.boxes} <= known
    other = "main/standing1" if book == "live-blackjack" else "behind1"
    assert not any(spot.endswith(other) for spot in known)


@pytest.mark.parametrize(("name", "book"), TABLES)
def test_no_two_spots_overlap(name: str, book: str) -> None:
    for one, other in combinations(spots(printed(name, book)), 2):
        first, second = (np.array(area.polygon, np.float32) for area in (one, other))
        shared, _ = cv2.intersectConvexConvex(first, second)
        assert shared < 1, f"{one.name} and {other.name} share {shared:.0f} square millimetres"


@pytest.mark.parametrize(("name", "book"), TABLES)
def test_what_is_laid_first_lies_in_its_own_area(name: str, book: str) -> None:
    layout = printed(name, book)
    for area in layout.areas:
        found = layout.zone_at(area.first) if area.for_cards else layout.spot_at(area.first)
        assert found == area.name


@pytest.mark.parametrize("name", PRESETS)
def test_cards_lie_in_the_zone_they_are_laid_in(name: str) -> None:
    """Six cards of a hand, four of a split hand, two of a hand that is set: as many as zones are made for."""
    layout = load_layout(name)
    for area in layout.areas:
        if not area.for_cards or area.name == "float":
            continue
        for place in range(SET.get(area.name.partition(".")[2], MOST)):
            for seed in range(THROWS):
                laying = Laying("c1", CARDS["9h"], area.name, place, up=True, crosswise=bool(seed % 2))
                card = lay_card(layout, Dealer(seed=seed), laying)
                assert layout.zone_at((card.x, card.y)) == area.name == card.zone, f"place {place}, seed {seed}"


@pytest.mark.parametrize("name", PRESETS)
def test_boxes_run_from_the_dealers_left_to_his_right(name: str) -> None:
    layout = load_layout(name)
    across = [layout.by_name[f"box{box}.main"].first[0] for box in layout.boxes]
    assert across == sorted(across)
    assert across[0] < 0 < across[-1]
    assert layout.by_name["shoe"].first[0] < 0 < layout.by_name["discard"].first[0]
