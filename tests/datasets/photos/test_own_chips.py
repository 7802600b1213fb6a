"""A customer's own chips: found in a photograph, laid flat, and drawn in stacks."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.art.chips.chip_faces import SIZE
from feltwatch.datasets.art.chips.chips import chip_set
from feltwatch.datasets.art.chips.own_chips import face_of_top, main, scan_chip
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.scene.scene_sampler import Own, cast
from feltwatch.vision.arrays import Pixels

GREEN, WHITE = (60, 120, 20), (230, 230, 230)


def chip(spots: int = 6) -> Pixels:
    """A green chip with white edge spots, from above, on a brown table."""
    picture = np.full((400, 520, 3), (40, 60, 90), np.uint8)
    cv2.circle(picture, (250, 190), 150, GREEN, -1, cv2.LINE_AA)
    for n in range(spots):
        turn = n * 360 / spots
        cv2.ellipse(picture, (250, 190), (142, 142), turn, -4, 4, WHITE, 16, cv2.LINE_AA)
    cv2.circle(picture, (250, 190), 70, WHITE, -1, cv2.LINE_AA)
    return picture


def seen_aslant(picture: Pixels) -> Pixels:
    corners = np.array([[0, 0], [519, 0], [519, 399], [0, 399]], np.float32)
    there = np.array([[30, 60], [500, 40], [515, 360], [10, 380]], np.float32)
    way = cv2.getPerspectiveTransform(corners, there)
    seen = cv2.warpPerspective(picture, way, (520, 400), borderValue=(40, 60, 90))
    return seen.astype(np.uint8, copy=False)


@pytest.mark.parametrize("spots", [4, 6, 8])
def test_a_chip_is_laid_flat_and_its_spots_are_counted(spots: int) -> None:
    top = scan_chip(seen_aslant(chip(spots)), "25.jpg")
    assert top.shape == (SIZE, SIZE, 3)
    face = face_of_top(top)
    assert np.abs(np.array(face.base) - GREEN).max() < 20
    assert len(face.sectors) == spots
    assert all(np.abs(np.array(sector.colour) - WHITE).max() < 90 for sector in face.sectors)


def test_a_set_is_drawn_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "mine").mkdir()
    for value in (25, 100):
        cv2.imwrite(str(tmp_path / "mine" / f"{value}.png"), chip(6))
    assert main([str(tmp_path / "mine"), "--name", "ours"]) == 0
    assert sorted(chip_set("ours").faces) == [25, 100]
    scene = cast("train", 5, (640, 360), Own(("house",), ("house-red",), "ours"))
    assert {value for stack in scene.stacks for value in stack.chips} <= {25, 100}
    chip_set.cache_clear()


@pytest.mark.parametrize(
    ("name", "picture", "says"),
    [
        ("ten.png", chip(), "'ten' is no value of a chip"),
        ("10.png", np.full((200, 200, 3), 90, np.uint8), "no chip found"),
        ("10.png", cv2.resize(chip(), (520, 130)).astype(np.uint8), "seen too much from the side"),
    ],
)
def test_bad_pictures_are_named(name: str, picture: Pixels, says: str, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / name), picture)
    with pytest.raises(DataError, match=says):
        main([str(tmp_path), "--name", "bad"])


def test_a_set_that_is_not_here_is_named() -> None:
    with pytest.raises(DataError, match="chips 'nobodys': not here"):
        chip_set("nobodys")
