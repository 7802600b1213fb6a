"""Photographs: whole cards are found where they plainly lie, and a broken folder is reported in one line."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.photos.quads import quad_of_box, quad_of_index, quads_in, ratio, upright
from feltwatch.datasets.photos.real import crops_of, main, photographs
from feltwatch.vision.arrays import Pixels, Quad
from feltwatch.vision.geometry.rectify import SIZE

TILTED: Quad = ((150.0, 90.0), (268.0, 120.0), (226.0, 290.0), (106.0, 258.0))


def picture_with(quad: Quad, size: tuple[int, int] = (400, 360)) -> Pixels:
    """Draw a white card with an index on a dark, noisy felt."""
    dice = np.random.default_rng(5)
    felt = dice.normal((60, 90, 40), 6, (size[1], size[0], 3)).clip(0, 255).astype(np.uint8)
    card = np.full((352, 252, 3), 238, np.uint8)
    card[20:60, 12:40] = card[292:332, 212:240] = (30, 30, 200)
    goal = np.array(quad, np.float32)
    home = cv2.getPerspectiveTransform(np.array([(0, 0), (252, 0), (252, 352), (0, 352)], np.float32) - 0.5, goal)
    seen = cv2.warpPerspective(card, home, size)
    mask = cv2.warpPerspective(np.full((352, 252), 255, np.uint8), home, size)
    return cv2.GaussianBlur(np.where(mask[..., None] > 127, seen, felt), (0, 0), 0.8).astype(np.uint8)


def bounds(quad: Quad) -> list[float]:
    points = np.array(quad)
    return [float(one) for one in (*points.min(axis=0), *points.max(axis=0))]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path / "cache"))

    def written(objects: list[dict[str, object]], name: str = "mine", size: tuple[int, int] = (400, 360)) -> Path:
        folder = tmp_path / name
        (folder / "images").mkdir(parents=True)
        cv2.imwrite(str(folder / "images" / "a.png"), picture_with(TILTED, size))
        entry = {"image": "a.png", "width": size[0], "height": size[1], "objects": objects}
        (folder / "labels.json").write_text(json.dumps([entry]), "utf-8")
        return folder

    return written


def test_a_card_is_found_to_the_pixel() -> None:
    found = quad_of_box(quads_in(picture_with(TILTED)), tuple(bounds(TILTED)))  # type: ignore[arg-type]  # four of them
    assert found is not None
    assert np.abs(np.array(found.quad) - np.array(TILTED)).max() < 1.5
    assert ratio(found.quad) == pytest.approx(0.70, abs=0.04)


def test_a_box_round_something_else_finds_no_card() -> None:
    assert quad_of_box(quads_in(picture_with(TILTED)), (20.0, 20.0, 90.0, 120.0)) is None


def test_an_index_finds_its_card_and_not_one_that_holds_another_index() -> None:
    found = quads_in(picture_with(TILTED))
    home = cv2.getPerspectiveTransform(
        np.array([(0, 0), (252, 0), (252, 352), (0, 352)], np.float32), np.array(TILTED, np.float32)
    )
    x, y = cv2.perspectiveTransform(np.array([[(26.0, 40.0)]], np.float32), home)[0, 0]
    box = (float(x) - 10, float(y) - 14, float(x) + 10, float(y) + 14)
    match = quad_of_index(found, box)
    assert match is not None
    assert np.abs(np.array(match.quad) - np.array(TILTED)).max() < 1.5
    middle = np.array(TILTED).mean(axis=0)
    other = (float(middle[0]) - 8, float(middle[1]) - 8, float(middle[0]) + 8, float(middle[1]) + 8)
    assert quad_of_index(found, box, [other]) is None


def test_corners_begin_at_the_top_left_of_a_card_that_stands() -> None:
    turned: Quad = (TILTED[2], TILTED[1], TILTED[0], TILTED[3])
    assert upright(turned) == TILTED


def test_a_photograph_has_the_quad_where_its_label_has_only_a_box(write: Callable[..., Path]) -> None:
    folder = write([{"label": "9H", "bbox": bounds(TILTED), "kind": "full_card"}])
    (photo,) = photographs(folder)
    (card,) = photo.truth.cards
    assert (card.face, card.label, card.up, photo.split) == ("9h", "card", True, "train")
    assert photo.wholly_labelled
    assert np.abs(np.array(card.quad) - np.array(TILTED)).max() < 1.5
    ((_, crop),) = crops_of(photo)
    assert crop.shape == (SIZE[1], SIZE[0], 3)
    assert next(photographs(folder.parent)).truth == photo.truth  # as kept


def test_a_card_that_is_not_found_stays_a_box_and_an_index_an_index(write: Callable[..., Path]) -> None:
    folder = write(
        [
            {"label": "9", "bbox": [10, 10, 60, 80], "kind": "card_rank_only"},
            {"label": "KS", "bbox": [300, 300, 320, 330], "kind": "corner_index"},
        ]
    )
    (photo,) = photographs(folder)
    assert [(card.label, card.face) for card in photo.truth.cards] == [("box", None), ("index", "Ks")]
    assert photo.ranks == {"c1": "9"}
    assert not photo.wholly_labelled


def test_a_picture_pressed_into_a_square_is_stretched_back(write: Callable[..., Path]) -> None:
    pressed: Quad = ((100.0, 100.0), (245.0, 100.0), (245.0, 228.0), (100.0, 228.0))  # 0.637 when 9:16 again
    folder = write([{"label": "9H", "bbox": bounds(pressed), "kind": "full_card"}], "ahaann_cards", (400, 400))
    cv2.imwrite(str(folder / "images" / "a.png"), picture_with(pressed, (400, 400)))
    (photo,) = photographs(folder)
    assert (photo.truth.width, photo.truth.height) == (225, 400)
    assert photo.load().shape == (400, 225, 3)
    assert ratio(photo.truth.cards[0].quad) == pytest.approx(0.637, abs=0.02)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "expected a JSON list"),
        ("{}", "found dict"),
        ('[{"image": "a.png"}]', "expected an object with image"),
        ('[{"image": "b.png", "width": 9, "height": 9, "objects": []}]', "'b.png' is not in mine/images"),
        ('[{"image": "../a.png", "width": 9, "height": 9, "objects": []}]', "is not in mine/images"),
        ('[{"image": "a.png", "width": 9, "height": 9, "objects": []}]', "400x360, but labels.json says 9x9"),
    ],
)
def test_a_broken_folder_is_told_in_one_line(write: Callable[..., Path], text: str, says: str) -> None:
    folder = write([])
    (folder / "labels.json").write_text(text, "utf-8")
    with pytest.raises(DataError) as caught:
        list(photographs(folder))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ({"label": "1X", "bbox": [0, 0, 9, 9], "kind": "full_card"}, "unknown label '1X'"),
        ({"label": "9H", "bbox": [0, 0, 9, 9], "kind": "cat"}, "unknown kind 'cat'"),
        ({"label": "9H", "bbox": [9, 0, 9, 9], "kind": "full_card"}, "holds nothing"),
        ({"label": "9H", "bbox": [9, 0], "kind": "full_card"}, "expected bbox"),
        ({"label": "9H"}, "expected label, bbox and kind"),
    ],
)
def test_a_broken_label_is_told_by_its_place(write: Callable[..., Path], found: dict[str, object], says: str) -> None:
    with pytest.raises(DataError, match=r"labels.json: picture 1 \(a.png\), object 1: ") as caught:
        list(photographs(write([found])))
    assert says in str(caught.value)


def test_no_folder_and_no_labels_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        list(photographs(tmp_path / "none"))
    with pytest.raises(DataError, match=r"no labels\.json"):
        list(photographs(tmp_path))


def test_what_has_no_licence_is_counted_and_never_written(
    write: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    objects: list[dict[str, object]] = [{"label": "9H", "bbox": bounds(TILTED), "kind": "full_card"}]
    write(objects, "real/mine")
    write(objects, "real/maslana_redtable")
    assert main([str(tmp_path / "real"), "-o", str(tmp_path / "crops")]) == 0
    assert [path.parent.parent.name for path in (tmp_path / "crops").rglob("*.jpg")] == ["mine"]
    assert "looked at and measured only" in capsys.readouterr().out
