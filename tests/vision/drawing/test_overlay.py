"""What is drawn over a frame: all of it thinly, what is named boldly, and words that hide nothing."""

import numpy as np
import pytest

from feltwatch.vision.arrays import Mask, Pixels, Quad
from feltwatch.vision.drawing.annotate import CHIPS, HANDS, PAPER, READ
from feltwatch.vision.drawing.overlay import BAND, NAMED, captioned, close_up, noted, overlay, scaled
from feltwatch.vision.drawing.view import LyingCard, StandingStack, TableView

FELT = (60, 90, 40)
LONG = "The dealer had 17 and drew the 3 of diamonds, and went on to draw another. " * 4


def felt(height: int = 720, width: int = 1280) -> Pixels:
    return np.full((height, width, 3), FELT, np.uint8)


def quad(x: float, y: float, width: float = 90, height: float = 130) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def card(name: str, x: float, zone: str | None = "box3.cards") -> LyingCard:
    return LyingCard(name, quad(x, 200), up=True, face="9s", zone=zone, sure=0.9)


VIEW = TableView(
    (card("c1", 100), card("c2", 400)),
    (StandingStack("box3.main", (700, 500), 30), StandingStack(None, (900, 500), 30)),
    (quad(1000, 100),),
)


def inked(sheet: Pixels, colour: tuple[int, int, int]) -> Mask:
    return np.asarray(np.abs(sheet.astype(int) - colour).max(axis=2) <= 35)


def test_all_is_drawn_and_the_frame_stays_as_it_was() -> None:
    picture = felt()
    picture.flags.writeable = False
    sheet = overlay(picture, VIEW)
    assert (picture == FELT).all()
    for colour in (READ, CHIPS, HANDS, PAPER):
        assert inked(sheet, colour).any()
    assert not inked(sheet, NAMED).any()


def test_what_is_named_stands_out_and_nothing_else() -> None:
    sheet = inked(overlay(felt(), VIEW, ("c2", "box3.main", "e8")), NAMED)
    assert sheet[190:340, 390:500].any()
    assert sheet[450:550, 650:750].any()
    assert not sheet[190:340, 90:200].any()
    assert not sheet[450:550, 850:950].any()


def test_faces_are_told_of_all_or_only_of_what_is_named() -> None:
    def told(sheet: Pixels, left: int) -> bool:
        return bool(inked(sheet, PAPER)[150:380, left - 20 : left + 110].any())

    every, named = overlay(felt(), VIEW, ("c2",)), overlay(felt(), VIEW, ("c2",), every_face=False)
    assert (told(every, 100), told(every, 400)) == (True, True)
    assert (told(named, 100), told(named, 400)) == (False, True)


@pytest.mark.parametrize(("zone", "names", "told"), [("discard", (), False), ("discard", ("c1",), True)])
def test_a_heap_is_not_told_card_by_card(zone: str, names: tuple[str, ...], *, told: bool) -> None:
    assert inked(overlay(felt(), TableView((card("c1", 100, zone),)), names), PAPER).any() == told


def test_a_view_fits_a_smaller_picture() -> None:
    small = scaled(VIEW, 0.5)
    assert small.cards[1].quad[2] == (245.0, 165.0)
    assert (small.stacks[0].center, small.stacks[0].radius) == ((350.0, 250.0), 15.0)
    assert small.hands[0][0] == (500.0, 50.0)
    assert scaled(VIEW, 1.0) == VIEW


def test_a_caption_stands_under_the_picture() -> None:
    sheet = captioned(felt(), "0:28.9   STOP", ["The dealer drew."])
    assert (sheet[:720] == FELT).all()
    assert sheet.shape[0] % 2 == 0
    assert inked(sheet[720:], NAMED)[:, :6].all()
    assert inked(sheet[720:], PAPER).any()


def test_a_long_caption_gets_more_rows_or_ends_in_dots() -> None:
    short, long = (captioned(felt(), "head", [text]).shape[0] for text in ("one", LONG))
    assert long > short
    fixed = {captioned(felt(), "head", [text], room=3).shape[0] for text in ("one", LONG)}
    assert len(fixed) == 1
    assert (captioned(felt(), "head", ["W" * 900]).shape[0]) == short


def test_words_stay_within_their_rows() -> None:
    sheet = captioned(felt(), "head", [LONG, "W" * 400])
    assert not inked(sheet[720:], PAPER)[:, -8:].any()


def test_notes_keep_the_size_of_a_frame_and_leave_it_alone() -> None:
    picture = felt()
    sheet = noted(picture, "0:29.6", ["the camera was moved by 14 mm", "\x1b[31mred\n"])
    assert sheet.shape == picture.shape
    assert (picture == FELT).all()
    assert inked(sheet, BAND)[600:, :200].any()
    assert (sheet[:500] == FELT).all()


def test_what_is_named_is_shown_close_up() -> None:
    picture = felt(1440, 2560)
    picture[200:330, 400:490] = 255
    near = close_up(picture, VIEW, ("c2",))
    assert near is not None
    assert 1.4 * 130 < near.shape[0] <= 0.45 * 1440
    assert (near == 255).all(axis=2).mean() > 0.15
    assert (near[:5] == FELT).all()
    sheet = captioned(picture, "head", ["one"], inset=near)
    assert sheet.shape[0] >= 1440 + near.shape[0]
    assert (sheet[1440:] == 255).all(axis=2).sum() >= (near == 255).all(axis=2).sum()


@pytest.mark.parametrize("named", [(), ("c9", "e4"), ("c1", "box3.main", "c2")])
def test_what_is_not_there_or_lies_apart_has_no_close_up(named: tuple[str, ...]) -> None:
    assert close_up(felt(), VIEW, named) is None


def test_what_lies_beyond_the_picture_has_no_close_up() -> None:
    assert close_up(felt(), TableView((card("c1", 5000),)), ("c1",)) is None
    assert close_up(felt(), TableView((), (StandingStack("box3.main", (1275, 715), 30),)), ("box3.main",)) is not None
