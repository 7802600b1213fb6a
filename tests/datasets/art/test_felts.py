"""Felts: words read rightly from above, the same name gives the same felt, no combination is in two splits."""

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest

from feltwatch.datasets.art.drawing.houses import HOUSES
from feltwatch.datasets.art.drawing.prints import DEALER, PLAYERS, Sheet, Type, words
from feltwatch.datasets.art.felts.clutter import draw_clutter
from feltwatch.datasets.art.felts.felt_print import hub, print_layout
from feltwatch.datasets.art.felts.felt_styles import COUNTS, FELTS, felt_style
from feltwatch.datasets.art.felts.felts import draw_felt, felt_for
from feltwatch.datasets.art.felts.furniture import draw_furniture
from feltwatch.vision.geometry.camera import look_at
from feltwatch.vision.layout.zones import load_layout

LAYOUT = load_layout("blackjack-7")
CAMERA = look_at((960, 540), (0, 300, 2200), (0, 420), 2150)
COARSE = 0.25  # px a millimetre: enough to tell two felts apart


def match(facing: str, *, turned: bool) -> float:
    """Give how well an L printed on a sheet looks like an L in a camera's picture."""
    sheet = Sheet(np.zeros((400, 400), dtype=np.uint8), 200, 220, 1.0)
    sheet.write("L", Type(), (0, 420), 270 if facing == PLAYERS else 90, 80)
    flipped = sheet.ink[:, ::-1]
    x, y = np.meshgrid(np.arange(300), np.arange(300))
    camera = look_at((300, 300), (0, 420, 2000), (0, 420.01), 300)
    points = camera.to_felt(np.column_stack([x.ravel(), y.ravel()]))
    columns, rows = (points[:, 0] + 199.5).reshape(300, 300), (points[:, 1] - 220.5).reshape(300, 300)
    seen = cv2.remap(flipped, columns.astype(np.float32), rows.astype(np.float32), cv2.INTER_LINEAR)
    letter = words("L", Type(), 80)
    wanted = cv2.rotate(letter, cv2.ROTATE_180) if turned else letter
    return float(cv2.matchTemplate(seen, wanted, cv2.TM_CCOEFF_NORMED).max())


def test_words_are_not_mirrored() -> None:
    assert match(PLAYERS, turned=False) > 0.95
    assert match(DEALER, turned=True) > 0.95
    assert match(PLAYERS, turned=True) < 0.9  # an L on its head is not an L


def test_the_same_name_gives_the_same_felt() -> None:
    style = felt_style("felt-train-07")
    first, second = (draw_felt(LAYOUT, style, COARSE) for _ in range(2))
    assert (first.image == second.image).all()
    assert (first.image != draw_felt(LAYOUT, replace(style, seed=1), COARSE).image).any()
    assert felt_for(LAYOUT, "felt-train-07", COARSE) is felt_for(LAYOUT, "felt-train-07", COARSE)


def test_a_felt_covers_the_table_and_its_surroundings() -> None:
    felt = draw_felt(LAYOUT, felt_style("house-green"), COARSE)
    assert felt.image.shape == (475, 675, 3)
    assert not felt.image.flags.writeable
    np.testing.assert_allclose(felt.to_texture([[-1348, -448], [1348, 1448]]), [[0, 0], [674, 474]])
    cloth = felt.image[tuple(np.rint(felt.to_texture([[330, 330]])[0]).astype(int)[::-1])]
    assert cloth[1] > cloth[0]
    assert cloth[1] > cloth[2]


def test_ink_lies_on_the_main_spots() -> None:
    sheet = Sheet(np.zeros((950, 1350), dtype=np.uint8), 1350, -450, 0.5)
    masks = [ink for ink, _ in print_layout(LAYOUT, felt_style("house-green"), sheet)]
    inked = np.maximum.reduce(masks)
    for area in LAYOUT.areas:
        if area.name.endswith(".main"):
            x, y = (int(v) for v in sheet.at([area.first])[0])
            assert inked[y - 24 : y + 25, x - 24 : x + 25].max() == 255
    np.testing.assert_allclose(hub(LAYOUT), (0, -60), atol=1)


@pytest.mark.parametrize("name", ["blackjack-5", "si-ki-pi-6"])
def test_other_tables_are_printed_too(name: str) -> None:
    layout = load_layout(name)
    assert draw_felt(layout, felt_style("felt-test-02"), COARSE).image.std() > 10


def test_felts_are_split_whole() -> None:
    assert {split: len(names) for split, names in FELTS.items()} == {
        **COUNTS,
        "train": COUNTS["train"] + 1,
    }
    assert len(FELTS["train"]) >= 60
    seen = {split: {felt_style(name).house for name in names} for split, names in FELTS.items()}
    for one, other in combinations(FELTS, 2):
        assert not {*FELTS[one]} & {*FELTS[other]}
        assert not seen[one] & seen[other]
        assert not {*HOUSES[one]} & {*HOUSES[other]}
    with pytest.raises(KeyError, match="felt-nowhere"):
        felt_style("felt-nowhere")


def test_furniture_stands_in_its_zones() -> None:
    image = np.full((540, 960, 3), 90, dtype=np.uint8)
    draw_furniture(image, CAMERA, LAYOUT, "house-green")
    for name in ("float", "shoe", "discard"):
        x, y = CAMERA.to_picture([LAYOUT.by_name[name].first])[0]
        assert (image[int(y), int(x)] != 90).any()
    again = np.full((540, 960, 3), 90, dtype=np.uint8)
    draw_furniture(again, CAMERA, LAYOUT, "house-green")
    assert (image == again).all()


@pytest.mark.parametrize("seed", range(12))
def test_clutter_comes_from_its_seed(seed: int) -> None:
    first, second = (np.full((540, 960, 3), 90, dtype=np.uint8) for _ in range(2))
    for image in (first, second):
        draw_clutter(image, CAMERA, np.random.default_rng(seed))
    assert (first == second).all()
    assert (first != 90).any()
