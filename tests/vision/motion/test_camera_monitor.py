"""A camera that hangs otherwise than it did is waited for, and said; nothing else is."""

from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.motion.camera_monitor import CameraMonitor
from feltwatch.vision.motion.change_detector import ChangeDetector
from tests.film_frames import frame
from tests.film_watched import clip

Disturb = Callable[[Pixels], Pixels]
STEP_S = 0.04
LOOKED_S = 3.0  # long enough to know that the felt is usually found


def turned(degrees: float, x: float = 0.0, y: float = 0.0, grown: float = 1.0) -> Disturb:
    def disturb(picture: Pixels) -> Pixels:
        height, width = picture.shape[:2]
        way = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, grown) + np.array([[0, 0, x], [0, 0, y]])
        return np.asarray(cv2.warpAffine(picture, way, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)

    return disturb


def elsewhere(picture: Pixels) -> Pixels:
    """Give another room altogether."""
    dice = np.random.default_rng(3)
    blots = dice.integers(0, 255, (40, 70, 3), np.uint8)
    return np.asarray(cv2.resize(blots, picture.shape[1::-1], interpolation=cv2.INTER_CUBIC), np.uint8)


class Camera:
    """Sees one still table, until something happens to it."""

    def __init__(self) -> None:
        video, table = clip()
        camera = table.camera(video.size).camera
        self.attention, self.hanging = ChangeDetector(video.size), CameraMonitor(camera, table.layout)
        self.picture = frame(400)
        self.t = 0.0

    def sees(self, seconds: float, disturb: Disturb = np.array) -> Iterator[tuple[bool, tuple[str, ...]]]:
        """Give after each frame whether it waits, and what it says."""
        picture = disturb(self.picture)
        for _ in range(round(seconds / STEP_S)):
            self.t += STEP_S
            waits = self.hanging.step(self.attention.step(self.t, picture), self.attention)
            yield waits, self.hanging.doubts()


@pytest.fixture
def camera() -> Camera:
    found = Camera()
    assert {*found.sees(LOOKED_S)} == {(False, ())}
    return found


@pytest.mark.parametrize(
    "disturb",
    [
        turned(0, 30, 10),
        turned(0, 500, -60),
        turned(2),
        turned(10),
        turned(45),
        turned(180),
        turned(0, grown=1.1),
        turned(0, grown=1.4),
        elsewhere,
    ],
)
def test_a_camera_that_is_turned_away_is_waited_for_at_once_and_said_within_two_seconds(
    camera: Camera, disturb: Disturb
) -> None:
    found = [*camera.sees(2.0, disturb)]
    assert all(waits for waits, _ in found)  # from the first frame on
    (said,) = {said for _, said in found if said}
    assert said[0].startswith("the camera was moved")
    assert found[-1][1] == said


def test_a_small_push_is_noticed_at_the_next_look(camera: Camera) -> None:
    found = [*camera.sees(2.0, turned(0, 11, 0))]
    assert found[-1] == (True, ("the camera was moved: the felt lies 12 mm off; hang it back, or calibrate it again",))
    assert [waits for waits, _ in found].index(True) <= 0.4 / STEP_S + 1


def test_a_camera_that_is_hung_back_is_watched_through_again(camera: Camera) -> None:
    for disturb in (turned(2), turned(30), elsewhere):
        assert [*camera.sees(2.0, disturb)][-1][1]
        found = [*camera.sees(5.0)]
        assert found[round(0.5 / STEP_S) :] == [(False, ())] * (len(found) - round(0.5 / STEP_S))


@pytest.mark.parametrize("disturb", [turned(0, 6, 4), turned(0.2), lambda picture: picture // 5])
def test_a_nudge_of_a_few_millimetres_and_dim_light_are_nothing(camera: Camera, disturb: Disturb) -> None:
    assert {*camera.sees(2.0, disturb)} == {(False, ())}


def test_where_the_felt_was_never_found_not_finding_it_says_nothing() -> None:
    camera = Camera()
    camera.picture = np.full_like(camera.picture, 90)
    assert {*camera.sees(LOOKED_S)} == {(False, ())}
    assert {*camera.sees(2.0, elsewhere)} == {(False, ())}


def test_one_who_leans_over_the_table_for_a_moment_is_waited_for_and_not_said(camera: Camera) -> None:
    found = [*camera.sees(0.8, elsewhere)]
    assert {*found} == {(True, ())}
    assert [*camera.sees(1.0)][-1] == (False, ())


def test_a_camera_that_is_turned_away_again_and_again_is_said_each_time(camera: Camera) -> None:
    for degrees in (30, -40, 50, 170, -60, 90):
        assert [*camera.sees(1.2, turned(degrees))][-1][1]
        assert [*camera.sees(1.6)][-1] == (False, ())


def test_a_felt_that_is_found_every_other_time_only_is_watched_all_the_same(camera: Camera) -> None:
    for _ in range(6):  # so often that it could have been turned away
        assert [*camera.sees(0.4, elsewhere)]
        [*camera.sees(0.4)]
    waited = [waits for _ in range(8) for seen in (elsewhere, np.array) for waits, _ in camera.sees(0.4, seen)]
    assert sum(waited) <= 0.5 * len(waited)
