"""Cards strewn anywhere: the same for the same seed, where the truth says, on any ground."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.__main__ import main
from feltwatch.datasets.art.felts.felt_styles import FELTS
from feltwatch.datasets.common.cache import write_picture
from feltwatch.datasets.render.cards import NIGHT, back_pack, deck_pack, dyed, with_portrait
from feltwatch.datasets.render.strewn import SIDE, strewn
from feltwatch.vision.arrays import Pixels


def test_a_seed_gives_one_picture() -> None:
    (one, made_of), (other, _) = strewn("test", 5), strewn("test", 5)
    assert (one.image == other.image).all()
    assert one.truth == other.truth
    assert made_of["deck"] == "house"
    assert made_of["felt"] in FELTS["test"]


def test_whole_cards_lie_where_the_truth_says() -> None:
    """Where a card's quad ends the picture changes: paper lies within, the ground without."""
    seen = 0
    for seed in range(12):
        drawn, _ = strewn("test", seed)
        for card in drawn.truth.cards:
            quad = np.array(card.quad)
            if card.visible < 0.999 or not card.up or not (quad > 10).all() or not (quad < SIDE - 10).all():
                continue
            middle = quad.mean(axis=0)
            sides = (quad + np.roll(quad, -1, axis=0)) / 2
            grey = cv2.cvtColor(drawn.image, cv2.COLOR_BGR2GRAY).astype(int)
            for side in sides:
                way = (side - middle) / np.hypot(*(side - middle))
                within, without = (side + way * off for off in (-5, 5))
                seen += abs(grey[round(within[1]), round(within[0])] - grey[round(without[1]), round(without[0])]) > 6
                seen -= 0.75
    assert seen > 0


def test_the_ground_may_be_any_picture(tmp_path: Path) -> None:
    write_picture(tmp_path / "rooms" / "ground.png", np.full((300, 500, 3), (250, 10, 250), np.uint8))
    drawn = [strewn("test", seed, [tmp_path / "rooms" / "ground.png"]) for seed in range(8)]
    purple = [bool((one.image.reshape(-1, 3).mean(axis=0) @ [1, -2, 1]) > 100) for one, _ in drawn]
    assert [made_of.get("ground") == "rooms" for _, made_of in drawn] == purple
    assert 2 <= sum(purple) <= 7


def test_a_black_deck_has_light_pips_on_dark_paper() -> None:
    light, dark = (deck_pack(name).faces["9c"] for name in ("house", f"house{NIGHT}"))
    assert light.mean() > 180
    assert dark.mean() < 75
    assert back_pack(f"house-red{NIGHT}").faces["back"].shape == back_pack("house-red").faces["back"].shape


def test_a_court_may_bear_the_portrait_of_another_and_keeps_its_index_and_pip() -> None:
    faces = deck_pack("house").faces
    own, other = faces["Jc"], faces["Js"]
    mixed = with_portrait(own, other)
    height, width = own.shape[:2]
    corner = (slice(0, int(0.3 * height)), slice(0, int(0.4 * width)))
    assert (mixed[corner] == own[corner]).all()
    assert (mixed[::-1, ::-1][corner] == own[::-1, ::-1][corner]).all()
    middle = (slice(int(0.4 * height), int(0.6 * height)), slice(int(0.3 * width), int(0.7 * width)))
    assert (mixed[middle] == other[middle]).all()
    assert (mixed[middle] != own[middle]).any()


GREEN = (30.0, 150.0, 20.0)


def farthest(one: Pixels, other: Pixels | tuple[float, ...]) -> float:
    """Give by how much two pictures, or a picture and a colour, differ at most."""
    return float(np.abs(one.astype(float) - other).max(initial=0))


@pytest.mark.parametrize(("name", "court"), [("9s", False), ("9h", False), ("Jc", True), ("Qd", True)])
def test_a_card_in_another_ink_has_its_paper_and_the_ink_for_what_was_printed(name: str, *, court: bool) -> None:
    face = deck_pack("house").faces[name]
    found = dyed(face, GREEN, court=court)
    index = (slice(0, int(0.3 * face.shape[0])), slice(0, int(0.17 * face.shape[1])))
    least = face[index].min(axis=2)
    paper, ink = least > 248, least < 8
    assert ink.sum() > 200
    assert paper.sum() > 1000
    assert farthest(found[index][paper], face[index][paper]) <= 6
    assert farthest(found[index][ink], GREEN) <= 8


def test_what_is_half_ink_becomes_half_the_new_ink() -> None:
    face = np.full((60, 40, 3), 250, np.uint8)
    face[5:20, 5:20] = 0
    face[30:40, 5:20] = 125
    found = dyed(face, (50.0, 150.0, 250.0), court=False)
    assert found[10, 10].tolist() == [50, 150, 250]
    assert found[35, 10].tolist() == [150, 200, 250]
    assert found[50, 30].tolist() == [250, 250, 250]


@pytest.mark.parametrize("court", [True, False])
def test_the_portrait_of_a_court_card_stays_in_its_inks(*, court: bool) -> None:
    face = deck_pack("house").faces["Js"]
    found = dyed(face, GREEN, court=court)
    height, width = face.shape[:2]
    middle = (slice(int(0.4 * height), int(0.6 * height)), slice(int(0.3 * width), int(0.7 * width)))
    corner = (slice(0, int(0.3 * height)), slice(0, int(0.4 * width)))
    assert (farthest(found[middle], face[middle]) == 0) is court
    for turned in (face[::-1, ::-1], face):
        new = found if turned is face else found[::-1, ::-1]
        assert farthest(new[corner], turned[corner]) > 100


def test_an_ink_that_is_blacker_than_black_is_black() -> None:
    face = deck_pack("house").faces["9s"]
    assert farthest(dyed(face, (-6.0, 0.0, 0.0), court=False), dyed(face, (0.0, 0.0, 0.0), court=False)) <= 6


def test_a_set_of_them_keeps_to_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-o", str(tmp_path / "set"), "--count", "2", "--split", "test", "--jobs", "1"]
    assert main(["set", "strewn", *words]) == 0
    assert main(["set", "tables", *words]) == 2
    assert "holds strewn, not tables" in capsys.readouterr().err
    assert main(["set", "strewn", *words, "--deck", "house"]) == 2
    assert "--deck, --chips and --layout are for tables" in capsys.readouterr().err
