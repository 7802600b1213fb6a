"""The drawing on a picture: where ink falls, where none may, and that the picture itself stays as it was."""

import numpy as np
import pytest

from feltwatch.vision.arrays import Colour, Mask, Pixels, Quad
from feltwatch.vision.detection.detections import DetectedCard, DetectedHand, DetectedStack, Detections
from feltwatch.vision.drawing.annotate import CHIPS, DOWN, HANDS, PAPER, READ, UNTOLD, annotate

FELT = (60, 90, 40)


def felt(height: int = 720, width: int = 1280) -> Pixels:
    return np.full((height, width, 3), FELT, np.uint8)


def quad(x: float, y: float, width: float = 90, height: float = 130) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def card(where: Quad, face: str | None = "9h", *, up: bool = True) -> DetectedCard:
    return DetectedCard(where, up, face, 0.9)


def inked(sheet: Pixels, colour: Colour) -> Mask:
    """Give where a colour was drawn; thin lines are a little paler than their ink."""
    return np.asarray(np.abs(sheet.astype(int) - colour).max(axis=2) <= 50)


def count(sheet: Pixels, colour: Colour) -> int:
    return int(inked(sheet, colour).sum())


def touched(sheet: Pixels) -> Mask:
    return np.asarray((sheet != FELT).any(axis=2))


def indices(where: Quad) -> list[tuple[slice, slice]]:
    """Give the two corner indices of an upright card, a little within its outline."""
    (left, top), _, (right, bottom), _ = where
    wide, high = int((right - left) * 0.2), int((bottom - top) * 0.25)
    return [
        (slice(int(top) + 4, int(top) + high), slice(int(left) + 4, int(left) + wide)),
        (slice(int(bottom) - high, int(bottom) - 4), slice(int(right) - wide, int(right) - 4)),
    ]


def test_the_picture_stays_as_it_was() -> None:
    picture = felt()
    picture.flags.writeable = False
    sheet = annotate(picture, Detections((card(quad(200, 200)),), (DetectedStack((600, 400), 30, 0.8),)))
    assert (sheet.shape, sheet.dtype) == (picture.shape, picture.dtype)
    assert not touched(picture).any()
    assert touched(sheet).any()


def test_nothing_seen_is_nothing_drawn() -> None:
    assert not touched(annotate(felt(), Detections())).any()


@pytest.mark.parametrize(
    ("one", "colour"),
    [
        (card(quad(200, 200), "Kd"), READ),
        (card(quad(200, 200), None), UNTOLD),
        (card(quad(200, 200), None, up=False), DOWN),
    ],
)
def test_each_kind_of_card_has_its_colour(one: DetectedCard, colour: Colour) -> None:
    sheet = annotate(felt(), Detections((one,)))
    around = 2 * (90 + 130)
    assert count(sheet, colour) > around * 0.9
    assert all(count(sheet, other) == 0 for other in {READ, UNTOLD, DOWN} - {colour})
    assert not touched(sheet)[:190].any(), "what belongs to a card that lies alone stays on it"
    assert not touched(sheet)[:, 300:].any()


def test_a_card_that_lies_alone_bears_its_tag_in_the_middle() -> None:
    where = quad(200, 200)
    sheet = annotate(felt(), Detections((card(where),)))
    assert count(sheet[245:285, 215:275], PAPER) > 200
    assert not any(touched(sheet[index]).any() for index in indices(where))


def test_red_and_black_suits_are_told_apart() -> None:
    red, black = (annotate(felt(), Detections((card(quad(200, 200), face),))) for face in ("9h", "9s"))
    assert count(red, (30, 10, 210)) > 50
    assert count(red, (0, 0, 0)) < count(black, (0, 0, 0))
    assert count(black, (30, 10, 210)) == 0
    assert count(black, (0, 0, 0)) > 50
    heart, diamond = (annotate(felt(), Detections((card(quad(200, 200), face),))) for face in ("9h", "9d"))
    assert (heart != diamond).any()


def test_no_tag_of_a_fan_hides_an_index_or_another_tag() -> None:
    faces = ["9h", "Ts", "Ad", "7c"]
    where = [quad(400 + 26 * n, 300 + 5 * n) for n in range(len(faces))]
    cards = tuple(card(one, face) for one, face in zip(where, faces, strict=True))
    sheet = annotate(felt(), Detections(cards))
    for one in where:
        top_left = sheet[indices(one)[0]]
        assert count(top_left, PAPER) == 0
    single = [count(annotate(felt(), Detections((one,))), PAPER) for one in cards]
    assert count(sheet, PAPER) >= sum(single) * 0.98


def test_the_tag_of_a_card_at_the_edge_stays_in_the_picture() -> None:
    alone = count(annotate(felt(), Detections((card(quad(400, 300)),))), PAPER)
    for x, y in ((-80, 300), (1270, 300), (400, -120), (400, 715), (-85, -125)):
        assert count(annotate(felt(), Detections((card(quad(x, y)),))), PAPER) >= alone * 0.98


def test_chips_are_circles() -> None:
    sheet = annotate(felt(), Detections(stacks=(DetectedStack((600.0, 400.0), 30.0, 0.8),)))
    rows, columns = np.nonzero(inked(sheet, CHIPS))
    away = np.hypot(columns - 600, rows - 400)
    assert len(away) > 150, "the whole way round"
    assert np.abs(away - 30).max() <= 2
    assert not touched(sheet)[384:416, 584:616].any()


def test_hands_are_outlined_thinly() -> None:
    sheet = annotate(felt(), Detections(hands=(DetectedHand(quad(300, 300, 200, 100), 0.8),)))
    assert count(sheet, HANDS) > 550
    assert not touched(sheet)[305:395, 305:495].any()


def test_lines_grow_with_the_picture() -> None:
    def thickness(height: int) -> int:
        scale = height // 720
        where = quad(200 * scale, 200 * scale, 90 * scale, 130 * scale)
        sheet = annotate(felt(height, height * 16 // 9), Detections((card(where),)))
        return count(sheet[210 * scale : 211 * scale, 190 * scale : 210 * scale], READ) // scale

    assert thickness(2160) >= 2 * thickness(720) >= 2


@pytest.mark.parametrize("size", [(1, 1), (9, 700), (64, 64)])
def test_a_tiny_picture_and_odd_cards_are_drawn_all_the_same(size: tuple[int, int]) -> None:
    point: Quad = ((3, 3), (3, 3), (3, 3), (3, 3))
    outside = quad(-5000, 9000)
    seen = Detections((card(point), card(outside), card(quad(0, 0), None)), (DetectedStack((0, 0), 0, 0.1),))
    assert annotate(felt(*size), seen).shape == (*size, 3)
