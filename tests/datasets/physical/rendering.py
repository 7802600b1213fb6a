"""The physical grade with Blender: pictures agree with their truth within a pixel.

`make physical` runs this file by name; plain pytest does not take it for a test, as `make test` has no Blender.
"""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from feltwatch.datasets.art.hands.hands import SceneHand
from feltwatch.datasets.common.cache import write_picture
from feltwatch.datasets.physical import command
from feltwatch.datasets.physical.command import photographed, render
from feltwatch.datasets.scene.scene import Scene
from feltwatch.datasets.truth import read_truth
from feltwatch.vision.arrays import Floats, Pixels
from tests.datasets.physical.helpers import plain_scene

MOST_PX = 0.6
FEW = 2  # rays for each pixel where only a picture is wanted


def edge_error(image: Pixels, quad: Floats) -> float:
    """Give the mean distance, in pixels, between a quad's sides and where the picture grows dark across them."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    steps = np.linspace(-4, 4, 81)
    found = []
    for a, b in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = (b - a) / np.linalg.norm(b - a)
        out = np.array([along[1], -along[0]])
        out *= np.sign((a - quad.mean(axis=0)) @ out)
        for share in np.linspace(0.2, 0.8, 25):
            points = (a + (b - a) * share + steps[:, None] * out).astype(np.float32)
            line = cv2.remap(grey, points[None, :, 0], points[None, :, 1], cv2.INTER_LINEAR)[0]
            inner, outer = float(line[5:25].mean()), float(line[-25:-5].mean())
            if inner - outer > 60:  # not where print reaches the edge
                found.append(float(steps[int(np.argmax(line < (inner + outer) / 2))]))
    assert len(found) > 50
    return float(np.mean(np.abs(found)))


@pytest.mark.parametrize(("seed", "lens"), [(1, False), (2, True), (3, True)])
def test_cards_lie_where_the_truth_says(seed: int, lens: bool) -> None:  # noqa: FBT001 - one of two cameras
    made = render(plain_scene(seed, lens=lens), 8)
    assert len(made.truth.cards) == 5
    for card in made.truth.cards:
        assert edge_error(made.image, np.array(card.quad)) < MOST_PX


def test_what_the_truth_calls_a_hand_is_what_a_hand_changes() -> None:
    scene = plain_scene(4)
    hand = replace(scene, hands=(SceneHand("hand-demo-001", 150.0, 200.0, 20.0, -80.0),))
    made = render(hand, FEW)
    changed = np.abs(made.image.astype(int) - photographed(scene, FEW)).sum(axis=2)
    assert (changed[made.hands > 0] > 30).mean() > 0.8
    assert made.truth.hands


def test_a_scene_gives_the_same_picture_twice() -> None:
    scene = plain_scene(5)
    assert np.array_equal(photographed(scene, FEW), photographed(scene, FEW))


def test_the_command_goes_on_with_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def cast(split: str, seed: int, size: tuple[int, int]) -> Scene:
        asked.append((split, seed, size))
        return plain_scene(seed)

    monkeypatch.setattr(command, "cast", cast)
    wanted = ["-o", str(tmp_path), "--count", "2", "--seed", "7", "--samples", "1", "--size", "960x540"]
    write_picture(tmp_path / "train-000008.jpg", np.zeros((8, 8, 3), np.uint8))
    (tmp_path / "train-000008.json").write_text("{}", "utf-8")
    assert command.main(wanted) == 0
    assert asked == [("train", 7, (960, 540))]
    assert len(read_truth(tmp_path / "train-000007.json").cards) == 5
    assert command.main(wanted) == 0
    assert len(asked) == 1
