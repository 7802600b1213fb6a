"""A customer's own deck: photographs simulated with perspective, light and a patterned ground."""

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.__main__ import main
from feltwatch.datasets.art.cards.decks import CARD_PX, DeckError, load_deck, load_folder
from feltwatch.datasets.common.cache import BUNDLED, read_picture, write_picture
from feltwatch.datasets.photos.scan import evened, laid_flat, scan_card
from feltwatch.datasets.sources.card_codes import FACES
from feltwatch.vision.arrays import Pixels

HOUSE = load_deck("house").faces


def ground(height: int, width: int, colour: tuple[int, int, int], seed: int = 1) -> Pixels:
    dice = np.random.default_rng(seed)
    rough = cv2.GaussianBlur(dice.normal(0, 40, (height, width, 3)).astype(np.float32), (0, 0), 3)
    cloth: Pixels = np.clip(np.array(colour, np.float32) + rough, 0, 255).astype(np.uint8)
    return cloth


def photograph(
    card: Pixels, colour: tuple[int, int, int] = (40, 90, 30), turn: float = 8, *, shade: bool = True
) -> Pixels:
    """Lay a card with round corners on a table and look at it a little from the side."""
    width, height = 700, 840
    picture = ground(height, width, colour).astype(np.float32)
    w, h = CARD_PX
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - np.float32(0.5)
    spin = cv2.getRotationMatrix2D((350, 420), turn, 1.5)[:, :2]
    seen = ((corners - (w / 2, h / 2)) @ spin.T + (350, 420)).astype(np.float32)
    seen[:2] += np.array([[13, 0], [-15, 8]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, seen)
    mask = np.zeros((h * 4, w * 4), np.float32)
    cv2.rectangle(mask, (52, 0), (w * 4 - 52, h * 4), 1, -1)
    cv2.rectangle(mask, (0, 52), (w * 4, h * 4 - 52), 1, -1)
    for x in (52, w * 4 - 52):
        for y in (52, h * 4 - 52):
            cv2.circle(mask, (x, y), 52, 1, -1)
    small = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA)
    alpha = cv2.warpPerspective(small, matrix, (width, height), flags=cv2.INTER_LINEAR)[..., None]
    laid = cv2.warpPerspective(card, matrix, (width, height), flags=cv2.INTER_CUBIC).astype(np.float32)
    picture = picture * (1 - alpha) + laid * alpha
    if shade:
        picture *= np.linspace(1.0, 0.85, width, dtype=np.float32)[None, :, None]
    noise = np.random.default_rng(2).normal(0, 3, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def gap(one: Pixels, other: Pixels) -> float:
    """Give the mean difference inside the round corners, a little blur and the brightness of the paper forgiven."""
    soft = [cv2.GaussianBlur(picture[16:-16, 16:-16], (0, 0), 2).astype(float) for picture in (one, other)]
    one_paper, other_paper = (np.percentile(picture, 80) for picture in soft)
    return float(np.abs(soft[0] * (other_paper / one_paper) - soft[1]).mean())


@pytest.mark.parametrize(
    ("face", "colour", "turn"),
    [
        ("As", (40, 90, 30), 8.0),
        ("7d", (60, 40, 30), -14.0),
        ("Kh", (30, 30, 150), 2.0),
        ("Qc", (40, 90, 30), -6.0),
    ],
)
def test_a_photographed_card_comes_back(face: str, colour: tuple[int, int, int], turn: float) -> None:
    found = scan_card(photograph(HOUSE[face], colour, turn), "here")
    assert found.shape == (CARD_PX[1], CARD_PX[0], 3)
    own, others = gap(found, HOUSE[face]), [gap(found, HOUSE[other]) for other in ("2s", "Jd", "5h")]
    assert own < 6
    assert own < min(others) * 0.6


def test_a_card_that_lies_across_is_stood_up() -> None:
    across = scan_card(photograph(HOUSE["7d"], turn=94), "here")
    assert min(gap(across, HOUSE["7d"]), gap(across[::-1, ::-1], HOUSE["7d"])) < 9


def test_a_tight_scan_is_taken_as_it_is() -> None:
    big = cv2.resize(HOUSE["Kh"], (756, 1056), interpolation=cv2.INTER_CUBIC).astype(np.uint8)
    assert gap(scan_card(big, "here"), HOUSE["Kh"]) < 4


def test_uneven_light_is_evened_gently() -> None:
    slope = np.linspace(1.0, 0.8, CARD_PX[0], dtype=np.float32)[None, :, None]
    dim = np.clip(HOUSE["7d"] * slope, 0, 255).astype(np.uint8)
    paper = evened(dim)[170:180, [20, -20]].astype(int)
    assert abs(paper[:, 0] - paper[:, 1]).max() <= 6
    assert (evened(dim).astype(int) <= dim.astype(int) * 1.25 + 1).all()


def test_laid_flat_is_the_identity_on_a_texture() -> None:
    width, height = CARD_PX
    quad = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    assert np.array_equal(laid_flat(HOUSE["Kh"], quad), HOUSE["Kh"])


@pytest.mark.parametrize(
    ("picture", "says"),
    [
        (ground(600, 900, (50, 60, 70)), "no card found; lay it alone"),
        (
            cv2.rectangle(np.full((800, 800, 3), 30, np.uint8), (300, 100), (500, 700), (250, 250, 250), -1),
            "0.33 as wide",
        ),
    ],
)
def test_what_is_no_card_is_told(picture: Pixels, says: str) -> None:
    with pytest.raises(DeckError, match=says):
        scan_card(picture, "here")


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    """Give 52 pictures named as people name them; all but one are scans."""
    folder = tmp_path / "photographs"
    for face in FACES:
        name = f"{face[0].replace('T', '10')}{face[1].upper()}"
        write_picture(folder / f"{name}.png", HOUSE[face])
    (folder / "9H.png").unlink()
    write_picture(folder / "nine_of_hearts.jpg", photograph(HOUSE["9h"]))
    return folder


def test_a_folder_becomes_a_deck_of_train(
    photographs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FELTWATCH_CACHE", str(tmp_path / "cache"))
    back = BUNDLED / "backs" / "house-red.webp"
    assert main(["deck", str(photographs), "--name", "ours", "--back", str(back)]) == 0
    assert "52 cards" in capsys.readouterr().out
    deck = load_deck("ours")
    assert (deck.split, set(deck.faces)) == ("train", set(FACES))
    assert gap(deck.faces["9h"], HOUSE["9h"]) < 9
    assert read_picture(tmp_path / "cache" / "sheets" / "ours.png").shape[1] > 1000
    assert len(load_folder(tmp_path / "cache" / "decks" / "ours").faces) == 52
    assert (tmp_path / "cache" / "backs" / "ours-back.png").is_file()


@pytest.mark.parametrize(
    ("name", "spoil", "says"),
    [
        ("house", "", "deck name 'house': taken by the manifest"),
        ("../x", "", "letters, digits and dashes expected"),
        ("ours", "KD.png", "51 cards, 52 expected; missing: Kd"),
    ],
)
def test_a_wrong_order_is_told_in_one_line(
    photographs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, spoil: str, says: str
) -> None:
    if spoil:
        (photographs / spoil).unlink()
    assert main(["deck", str(photographs), "--name", name, "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
