"""The compositor's truth against its own pixels, and that a seed gives the same picture."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from feltwatch.datasets.art.cards.decks import CARD_PX
from feltwatch.datasets.art.chips.chips import chip_set, draw_stack
from feltwatch.datasets.art.hands.hands import SPRITES
from feltwatch.datasets.lighting import Light, Sensor
from feltwatch.datasets.render import compose
from feltwatch.datasets.render.cards import ImageRegion, Texture, draw_card, texture_of
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene import scene_sampler
from feltwatch.datasets.scene.light import Shade, shade_of
from feltwatch.datasets.scene.scene import Scene
from feltwatch.datasets.scene.scene_sampler import cast
from feltwatch.datasets.truth import truth_of
from feltwatch.vision.arrays import Floats, Mask, Pixels

SCENES = 500
CORNER = 0.085  # of a card's width: there its corners are cut round
PLAIN = Light(vignette=0, dark=0, gloss=0, slope=0, shadow=(0.0, 0.0))
RAW = Sensor(blur_px=0, noise=0, jpeg=0)


@pytest.fixture(autouse=True)
def bundled_art(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cast with the art of the repository, whatever else was fetched."""
    names = {"decks": ("house",), "backs": ("house-blue", "house-red")}
    monkeypatch.setattr(scene_sampler, "art", lambda kind, _: names[kind])
    monkeypatch.setattr(scene_sampler, "SPRITES", dict.fromkeys(("train", "test"), SPRITES["demo"]))
    monkeypatch.setattr(scene_sampler, "FELTS", {"train": ("house-green",), "test": ("house-green",)})


def flat(grey: int) -> Texture:
    return texture_of(np.full((CARD_PX[1], CARD_PX[0], 3), grey, np.uint8))


def depth(quad: Floats, at: tuple[NDArray[np.signedinteger], ...]) -> Floats:
    """Give how many pixels the middles of pixels lie inside a quad; outside it is negative."""
    y, x = at
    ways = np.roll(quad, -1, axis=0) - quad
    turn = np.sign(ways[0, 0] * ways[1, 1] - ways[0, 1] * ways[1, 0])
    apart = [
        turn * (way[0] * (y - start[1]) - way[1] * (x - start[0])) / np.hypot(*way)
        for start, way in zip(quad, ways, strict=True)
    ]
    return np.asarray(np.min(apart, axis=0))


def rounded(quad: Floats, at: tuple[NDArray[np.signedinteger], ...]) -> Mask:
    """Give the pixels at which a card is cut round, and so is not its quad."""
    y, x = at
    size = max(3.0, CORNER * float(np.linalg.norm(quad[1] - quad[0])))
    return np.asarray(np.min([np.hypot(x - corner[0], y - corner[1]) for corner in quad], axis=0) <= size)


def wrong_pixels(drawn: Pixels, quad: Floats) -> int:
    """Count the pixels of a white card on black that lie a pixel or more beyond the quad's edge, or are missing."""
    patch = ImageRegion.around(quad, 6, drawn.shape)
    if patch is None:
        return 0
    seen = patch.of(drawn)[..., 0] > 127
    at = tuple(np.mgrid[patch.top : patch.bottom, patch.left : patch.right])
    deep = depth(quad, at)
    missing = ~seen & (deep >= 1) & ~rounded(quad, at)
    return int((seen & (deep <= -1)).sum() + missing.sum())


def bare(seed: int) -> Scene:
    scene = cast("train", seed, (960, 540))
    return replace(scene, stacks=(), hands=(), light=PLAIN, sensor=RAW, clutter=False)


def test_every_quad_of_500_scenes_is_where_its_card_is_drawn() -> None:
    """Within a pixel, for every camera, lens, bend, lean and height."""
    white = flat(255)
    cards = 0
    for seed in range(SCENES):
        scene = bare(seed)
        for card in scene.cards[::6]:
            quad = scene.camera.to_picture(card.corners)
            black = np.zeros((540, 960, 3), np.uint8)
            draw_card(black, scene.camera, card, white, PLAIN)
            assert wrong_pixels(black, quad) == 0, f"scene {seed}, card {card.id}"
            cards += 1
    assert cards > 1000


def test_a_shift_of_two_pixels_is_found() -> None:
    scene = bare(3)
    card = scene.cards[0]
    black = np.zeros((540, 960, 3), np.uint8)
    draw_card(black, scene.camera, card, flat(255), PLAIN)
    assert wrong_pixels(black, scene.camera.to_picture(card.corners) + 2.0) > 0


def test_each_pixel_shows_the_card_that_the_truth_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Overlaps: well inside the part of a card that is visible, nothing else is drawn."""
    for seed in range(40):
        scene = bare(seed)
        order = {card.id: n for n, card in enumerate(scene.cards, 1)}
        monkeypatch.setattr(compose, "texture_for", lambda _, card, order=order: flat(2 * order[card.id]))
        canvas = compose.TableCanvas(np.zeros((540, 960, 3), np.uint8), np.zeros((540, 960), np.uint8))
        compose.draw_things(canvas, scene)
        truth = compose.truth_of_scene(scene, canvas.owner, compose.DrawnThings([], []))
        cut = np.zeros((540, 960), np.uint8)  # a round corner of a card lets through what lies below
        for x, y in (corner for card in truth.cards for corner in card.quad):
            cv2.circle(cut, (round(x), round(y)), 8, 255, -1)
        for number, card in enumerate(truth.cards, 1):
            mine = (canvas.owner == number).astype(np.uint8)
            deep = cv2.erode(mine, np.ones((5, 5), np.uint8), borderValue=0) > 0
            assert (np.abs(canvas.image[deep & (cut == 0), 0].astype(int) - 2 * number) <= 1).all(), (
                f"scene {seed}, {card.id}"
            )
            assert card.visible <= 1


def test_the_hull_of_a_stack_is_what_is_drawn() -> None:
    scene = cast("train", 5, (1920, 1080))
    assert scene.stacks
    chips = chip_set(scene.chips)
    for stack in scene.stacks:
        white = np.full((1080, 1920, 3), 1, np.uint8)
        truth = draw_stack(white, scene.camera, stack, chips)
        told = np.zeros(white.shape[:2], np.uint8)
        cv2.fillPoly(told, [np.round(np.array(truth.hull) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        touched = (white != 1).any(axis=2).astype(np.uint8)
        outside = touched & (cv2.dilate(told, np.ones((3, 3))) == 0)
        missing = cv2.erode(told, np.ones((3, 3))) & (touched == 0)
        assert not outside.any()
        assert missing.sum() <= 0.02 * told.sum()  # a pixel of a chip may be as black as the ground


def test_the_same_seed_gives_the_same_bytes() -> None:
    one, two = (render(cast("train", 11, (1280, 720))) for _ in range(2))
    assert one.image.tobytes() == two.image.tobytes()
    assert one.truth == two.truth
    other = render(cast("train", 12, (1280, 720)))
    assert other.image.tobytes() != one.image.tobytes()


def test_a_truth_comes_back_from_json() -> None:
    truth = render(cast("train", 4, (1280, 720))).truth
    back = truth_of(truth.to_dict())
    assert [card.id for card in back.cards] == [card.id for card in truth.cards]
    assert back.to_dict() == truth.to_dict()


def test_a_covered_card_is_less_visible_and_keeps_its_whole_quad() -> None:
    scene = cast("train", 3, (1920, 1080))
    lone = scene.cards[0]
    over = replace(lone, id="over", x=lone.x + 5, z=0.6)
    bare = replace(scene, cards=(lone,), stacks=(), hands=())
    alone, covered = render(bare).truth, render(replace(bare, cards=(lone, over))).truth
    assert alone.cards[0].quad == covered.cards[0].quad
    assert covered.cards[0].visible < 0.25 < alone.cards[0].visible


def test_light_is_smooth_and_neutral_where_there_is_none() -> None:
    shade = shade_of(Light(vignette=0), 640, 360)
    assert isinstance(shade, Shade)
    assert (shade.gain == 128).all()
    assert shade.glare is None


def test_picture_and_felt_come_back() -> None:
    """Law of the one owner of that geometry: there and back, for any camera that is cast."""
    for seed in range(40):
        camera = cast("train", seed, (1920, 1080)).camera
        points = np.random.default_rng(seed).uniform((-500, 100), (500, 800), (50, 2))
        pixels = camera.to_picture(points)
        near = ((pixels > 0) & (pixels < [1920, 1080])).all(axis=1)
        assert np.abs(camera.to_felt(pixels[near]) - points[near]).max(initial=0) < 0.01
