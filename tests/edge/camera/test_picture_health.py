"""Which pictures show a table: the bundled film does, also dimmed; a black, covered, frozen or resized one does not."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import av
import cv2
import numpy as np
import pytest

from feltwatch.edge.camera.picture_health import PictureHealth, Timeouts, Trouble, lit, shows_anything
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.motion.change_detector import shrunk
from tests.film_frames import CLIP, frame

STEP_S = 0.04
NUMBERS = range(0, 870, 174)  # frames of the film, from all of it
SIZE = (640, 360)


def noisy(picture: Pixels, strong: float, seed: int = 0) -> Pixels:
    grain = np.random.default_rng(seed).normal(0, strong, (*picture.shape[:2], 1))
    return np.asarray(np.clip(picture + grain, 0, 255), np.uint8)


def resized(picture: Pixels, size: tuple[int, int] = SIZE) -> Pixels:
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def dimmed(picture: Pixels, light: float) -> Pixels:
    return np.asarray(cv2.convertScaleAbs(picture, alpha=light), np.uint8)


def seen(picture: Pixels) -> bool:
    return shows_anything(lit(shrunk(picture)))


@pytest.mark.parametrize("light", [1.0, 0.5, 0.2, 0.1])
def test_a_table_in_dim_light_is_not_black(light: float) -> None:
    for number in NUMBERS:
        assert seen(dimmed(frame(number), light))
        assert seen(noisy(resized(dimmed(frame(number), light), (1280, 720)), 3.0))


def test_a_picture_with_little_in_it_shows_that_little() -> None:
    felt = np.full((720, 1280, 3), (40, 90, 30), np.uint8)
    assert not seen(felt)
    felt[300:400, 600:670] = 255  # a card
    assert seen(felt)
    assert seen(noisy(felt, 6.0))


def test_a_table_in_the_dark_is_black() -> None:
    assert not seen(dimmed(frame(0), 0.02))


def shaded(picture: Pixels) -> Pixels:
    """Give what comes through a cloth: light from one side."""
    height, width = picture.shape[:2]
    return np.broadcast_to(np.linspace(20, 180, width)[None, :, None], (height, width, 3)).astype(np.uint8)


def dated(picture: Pixels, text: str = "2026-01-02 03:04:05 TABLE 7") -> Pixels:
    """Write the time over a picture, as cameras do."""
    picture = picture.copy()
    cv2.putText(picture, text, (40, 90), cv2.FONT_HERSHEY_SIMPLEX, 2, (255, 255, 255), 4)
    return picture


COVERED: list[tuple[Callable[[Pixels], Pixels], str]] = [
    (np.zeros_like, "its picture is black; is there light, and is the lens free?"),
    (lambda picture: noisy(np.zeros_like(picture), 8.0), "its picture is black"),
    (lambda picture: dated(np.zeros_like(picture)), "its picture is black"),
    (lambda picture: noisy(resized(np.full_like(picture, 90), (1280, 720)), 10.0), "its picture is of one colour"),
    (lambda picture: np.full_like(picture, 120), "its picture is of one colour; is the lens covered?"),
    (lambda picture: np.full_like(picture, (20, 60, 200)), "its picture is of one colour"),
    (lambda picture: dated(noisy(np.full_like(picture, 90), 6.0)), "its picture is of one colour"),
    (shaded, "its picture is of one colour"),
    (lambda picture: np.full_like(picture, 255), "its picture is of one colour"),
]


@pytest.mark.parametrize(("covers", "says"), COVERED)
def test_a_picture_that_shows_nothing_is_bad_at_once_and_said_when_it_lasts(
    covers: Callable[[Pixels], Pixels], says: str
) -> None:
    health = PictureHealth("front", Timeouts())
    covered = covers(frame(100))
    table, small = resized(frame(100), (covered.shape[1], covered.shape[0])), shrunk(covered)
    assert health.judge(0.0, table, shrunk(table)) == (True, None)
    for t in (1.0, 1.5, 1.99):
        assert health.judge(t, covered, small) == (False, None)
    good, trouble = health.judge(2.0, covered, small)
    assert trouble is not None
    assert (good, trouble.kind, trouble.since) == (False, "black", 1.0)
    assert trouble.says.startswith(f"camera front sees nothing: {says}")
    assert health.judge(2.1, table, shrunk(table)) == (True, None)


def test_pictures_of_another_size_are_bad_until_the_right_ones_are_back() -> None:
    health = PictureHealth("front", Timeouts())
    table = frame(100)
    small = np.ascontiguousarray(table[::3, ::3])
    assert health.judge(0.0, np.zeros_like(small), shrunk(np.zeros_like(small))) == (False, None)
    assert health.size is None  # what shows nothing has no size
    assert health.judge(1.0, table, shrunk(table)) == (True, None)
    says = "camera front sends pictures of 640 x 360, not of 1920 x 1080; set it back, or calibrate it again"
    assert health.judge(2.0, small, shrunk(small)) == (False, Trouble("resized", 2.0, says))
    assert health.judge(3.0, table, shrunk(table)) == (True, None)
    assert health.size == (1920, 1080)


# ---- frozen ---------------------------------------------------------------------------------------------------------


class Watch:
    """The reports about the frames of a camera, and which of them are good."""

    def __init__(self) -> None:
        self.health = PictureHealth("front", Timeouts())
        self.t = 0.0
        self.said: list[tuple[float, Trouble | None]] = []
        self.good = 0

    def sees(self, picture: Pixels, *, key: bool = True) -> Trouble | None:
        good, trouble = self.health.judge(self.t, picture, shrunk(picture), key=key)
        if trouble != (self.said[-1][1] if self.said else None):
            self.said.append((round(self.t, 3), trouble))
        assert good == (trouble is None)
        self.good += good
        self.t += STEP_S
        return trouble


def test_one_picture_again_and_again_is_said_after_three_seconds_and_over_soon_after_the_next() -> None:
    watch, table = Watch(), resized(frame(100))
    pictures = [noisy(table, 2.0, n) for n in range(25)]
    for picture in [*pictures, *[pictures[-1]] * 100]:
        watch.sees(picture)
    ((said, trouble),) = watch.said
    assert trouble is not None
    assert trouble.says == "camera front is frozen: it sends the same picture again and again; restart it"
    assert 0.96 <= trouble.since <= 0.96 + 0.2
    assert said == pytest.approx(trouble.since + 3.0, abs=STEP_S)
    assert [watch.sees(picture) for picture in pictures[:6]][-1] is None


def test_a_frozen_picture_over_which_the_time_runs_on_is_frozen() -> None:
    watch, table = Watch(), frame(100)
    for n in range(85):
        trouble = watch.sees(dated(table, f"03:04:{n // 25:02}"))
    assert trouble is not None


def test_a_short_still_stretch_is_nothing() -> None:
    watch, table = Watch(), resized(frame(100))
    for picture in [noisy(table, 2.0, n) for n in range(5)]:
        for _ in range(60):
            watch.sees(picture)
    assert watch.said == []
    assert watch.good == 300


def test_what_moves_ends_it_at_once_whatever_kind_of_picture_shows_it() -> None:
    watch, table = Watch(), resized(frame(100))
    for _ in range(80):
        watch.sees(table)
    assert watch.said[-1][1] is not None
    table[200:240, 300:330] = 255  # a card
    assert watch.sees(table, key=False) is None


def test_a_film_of_a_table_is_never_frozen() -> None:
    watch = Watch()
    film = cv2.VideoCapture(str(CLIP))
    number = 0
    while number < 450 and film.grab():
        number += 1
        if number % 5 == 0:  # as often as they are compared
            watch.t = number * STEP_S
            watch.sees(np.asarray(film.retrieve()[1], np.uint8))
    film.release()
    assert watch.good == 90
    assert watch.said == []


def coded(pictures: list[Pixels], options: dict[str, str], gop: int) -> Iterator[tuple[Pixels, bool]]:
    """Give pictures as they come out of H.264, and whether each is a key picture."""
    coder, decoder = av.CodecContext.create("libx264", "w"), av.CodecContext.create("h264", "r")
    assert isinstance(coder, av.VideoCodecContext)
    assert isinstance(decoder, av.VideoCodecContext)
    coder.width, coder.height, coder.pix_fmt = *pictures[0].shape[1::-1], "yuv420p"
    coder.time_base, coder.framerate, coder.gop_size, coder.options = Fraction(1, 25), Fraction(25), gop, options
    for number, picture in enumerate(pictures):
        given = av.VideoFrame.from_ndarray(picture, format="bgr24")
        given.pts = number
        for packet in coder.encode(given):
            for found in decoder.decode(packet):
                yield np.asarray(found.to_ndarray(format="bgr24"), np.uint8), bool(found.key_frame)


FAST = {"preset": "ultrafast", "tune": "zerolatency"}


@pytest.mark.parametrize("gop", [25, 50])
def test_a_picture_that_freezes_before_a_coder_is_said_within_five_seconds(gop: int) -> None:
    table, watch = resized(frame(100)), Watch()
    alive = [noisy(table, 3.0, n) for n in range(30)]
    for picture, key in coded([*alive, *[alive[-1]] * 130], FAST | {"qp": "28"}, gop):
        watch.sees(picture, key=key)
    ((said, trouble),) = watch.said
    assert trouble is not None
    assert trouble.kind == "frozen"
    assert said - 29 * STEP_S <= 5.0


@pytest.mark.parametrize("quality", [{"qp": "28"}, {"crf": "34"}, {"crf": "20"}])
def test_a_table_on_which_nothing_happens_is_not_frozen_however_much_its_coder_hides(quality: dict[str, str]) -> None:
    table, watch = resized(frame(100)), Watch()
    for picture, key in coded([noisy(table, 2.0, n % 17) for n in range(160)], FAST | quality, 50):
        watch.sees(picture, key=key)
    assert watch.said == []


@pytest.mark.parametrize("quality", [{"qp": "22"}, {"qp": "26"}, {"qp": "34"}, {"crf": "28"}])
@pytest.mark.parametrize("colour", [0, 90, 170])
def test_a_covered_lens_shows_nothing_whatever_a_coder_makes_of_its_noise(quality: dict[str, str], colour: int) -> None:
    table = resized(frame(100), (1280, 720))
    covered = np.full_like(table, colour)
    pictures = [*[noisy(table, 3.0, n) for n in range(4)], *[noisy(covered, 4.0, n) for n in range(12)]]
    shown = [seen(picture) for picture, _ in coded(pictures, FAST | quality, 8)]
    assert shown == [True] * 4 + [False] * 12  # and nothing of the table is left in it


@pytest.mark.parametrize("quality", [{"qp": "22"}, {"qp": "34"}])
def test_a_dim_table_shows_whatever_a_coder_makes_of_it(quality: dict[str, str]) -> None:
    table = dimmed(resized(frame(100), (1280, 720)), 0.2)
    assert all(seen(picture) for picture, _ in coded([noisy(table, 3.0, n) for n in range(10)], FAST | quality, 8))
