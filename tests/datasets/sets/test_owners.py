"""The owner map that is drawn again from the truth, against what the renderer itself showed."""

import cv2
import numpy as np
import pytest

from feltwatch.datasets.art.hands.hands import SPRITES
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene import scene_sampler
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.datasets.sets.owners import owner_drawing
from feltwatch.datasets.truth import CardTruth, StackTruth, Truth

NEAR = 0.06  # of a card: edges are drawn to the pixel, and small cards have few


@pytest.fixture(autouse=True)
def bundled_art(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"decks": ("house",), "backs": ("house-blue", "house-red")}
    monkeypatch.setattr(scene_sampler, "art", lambda kind, _: names[kind])
    monkeypatch.setattr(scene_sampler, "SPRITES", {"train": SPRITES["demo"]})
    monkeypatch.setattr(scene_sampler, "FELTS", {"train": ("house-green",)})


def shown(truth: Truth) -> list[float]:
    """Give what part of each card its map shows."""
    owners = owner_drawing(truth).owners((truth.width, truth.height))
    counts = np.bincount(owners.ravel(), minlength=len(truth.cards) + 1)
    areas = [max(abs(cv2.contourArea(np.array(card.quad, np.float32))), 1.0) for card in truth.cards]
    return [min(float(counts[n]) / area, 1.0) for n, area in enumerate(areas, 1)]


def test_each_card_shows_as_much_as_the_renderer_showed_of_it() -> None:
    checked = 0
    for seed in range(6):
        truth = render(cast("train", seed, (1280, 720))).truth
        for card, part in zip(truth.cards, shown(truth), strict=True):
            assert part == pytest.approx(card.visible, abs=NEAR), f"seed {seed}, {card.id}"
            checked += 1
    assert checked > 60


def square(left: float, visible: float, name: str = "c1") -> CardTruth:
    return CardTruth(name, ((left, 10), (left + 40, 10), (left + 40, 66), (left, 66)), "9h", up=True, visible=visible)


def test_a_card_that_shows_more_than_its_place_allows_is_in_the_air() -> None:
    stack = StackTruth(None, (30, 30), (30, 30), 12, 3.0, (5,), ((18, 18), (42, 18), (42, 42), (18, 42)))
    laid, held = Truth(200, 100, (square(10, 0.74),), (stack,)), Truth(200, 100, (square(10, 1.0),), (stack,))
    assert owner_drawing(laid).above == ()
    assert owner_drawing(held).above == (0,)
    assert shown(held) == [1.0]
    below = Truth(200, 100, (square(10, 1.0), square(30, 0.5, "c2")))  # the first is held over the second
    assert owner_drawing(below).above == (0,)


def test_a_window_shows_what_lies_there() -> None:
    drawing = owner_drawing(Truth(200, 100, (square(10, 1.0), square(80, 1.0, "c2"))))
    twice = np.array([[2.0, 0, -108], [0, 2.0, 0]])  # from x = 54 on, twice as large
    owners = drawing.owners((120, 120), twice)
    assert set(np.unique(owners)) == {0, 2}
    assert owners[60, 53] == 2
    assert owners[60, 49] == 0
