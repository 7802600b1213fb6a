"""What a calibration refuses, beside the points that tests of a table's file refuse."""

import numpy as np
import pytest

from feltwatch.vision.geometry.calibration import LIMIT_MM, Mark, MisfitError, calibrated, check_view, edge_of, mirrored
from feltwatch.vision.geometry.camera import CameraError, look_at
from feltwatch.vision.layout.zones import PRESETS, Layout, load_layout

SIZE = (1920, 1080)
PLACES = [(900.0, 40.0), (600.0, 700.0), (0.0, 890.0), (-600.0, 700.0), (-900.0, 40.0), (0.0, 100.0)]
CAMERA = look_at(SIZE, (80.0, -150.0, 2000.0), (0.0, 440.0), 2150.0)


def marks() -> list[Mark]:
    shown = CAMERA.to_picture(PLACES).tolist()
    return [Mark((u, v), place) for (u, v), place in zip(shown, PLACES, strict=True)]


def test_a_bad_fit_says_how_it_fits_and_which_mark_is_wrong() -> None:
    given = marks()
    given[2] = Mark((given[2].image[0] + 60, given[2].image[1]), given[2].table)
    with pytest.raises(MisfitError) as caught:
        calibrated(SIZE, given)
    assert caught.value.worst == 2
    assert caught.value.fit.off_mm.shape == (len(given),)
    assert caught.value.fit.off_mm[2] > LIMIT_MM


def test_left_and_right_taken_for_each_other_is_told() -> None:
    assert not mirrored(calibrated(SIZE, marks()).camera)
    other = [Mark(one.image, (-one.table[0], one.table[1])) for one in marks()]
    assert mirrored(calibrated(SIZE, other).camera)


@pytest.mark.parametrize("name", PRESETS)
def test_a_table_that_is_wholly_seen_is_not_refused(name: str) -> None:
    check_view(look_at(SIZE, (0.0, 300.0, 2000.0), (0.0, 440.0), 2300.0), load_layout(name))


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ((400.0, 440.0), r"zone 'box1\.\S+' leaves the picture by \d+ px at the right: turn the camera"),
        ((-400.0, 440.0), r"zone 'box7\.\S+' leaves the picture by \d+ px at the left"),
        ((0.0, 900.0), r"zone '(shoe|discard|float)' leaves the picture by \d+ px at the top"),
        ((0.0, 0.0), r"zone 'box4\.\S+' leaves the picture by \d+ px at the bottom"),
    ],
)
def test_a_zone_that_leaves_the_picture_is_named(target: tuple[float, float], said: str) -> None:
    camera = look_at(SIZE, (target[0], target[1] - 100, 2000.0), target, 2150.0)
    with pytest.raises(CameraError, match=said):
        check_view(camera, load_layout("blackjack-7"))


def test_a_zone_behind_the_camera_leaves_the_picture() -> None:
    camera = look_at(SIZE, (0.0, 500.0, 300.0), (0.0, 1500.0), 1500.0)
    layout = load_layout("blackjack-7")
    shoe = Layout("shoe", layout.outline, (layout.by_name["shoe"],))
    with pytest.raises(CameraError, match="zone 'shoe' leaves the picture at the bottom"):
        check_view(camera, shoe)


def test_a_zone_that_a_lens_would_fold_back_leaves_the_picture() -> None:
    camera = look_at(SIZE, (0.0, 440.0, 500.0), (0.0, 440.0), 700.0, (-0.35, 0.0, 0.0, 0.0, 0.0))
    with pytest.raises(CameraError, match="leaves the picture"):
        check_view(camera, load_layout("blackjack-7"))


def test_a_hair_is_forgiven() -> None:
    layout = load_layout("blackjack-7")
    shoe = Layout("shoe", layout.outline, (layout.by_name["shoe"],))
    camera = look_at(SIZE, (0.0, 300.0, 2000.0), (0.0, 440.0), 2300.0)
    corner = camera.to_picture(layout.by_name["shoe"].polygon)[:, 1].min()
    for lower, refused in ((2.0, False), (9.0, True)):
        high = look_at(SIZE, (0.0, 300.0, 2000.0), (0.0, 440.0), 2300.0)
        shifted = type(high)(
            *SIZE, (*high.matrix[:3], high.matrix[3] - corner - lower), high.lens, high.rotation, high.translation
        )
        if refused:
            with pytest.raises(CameraError, match="at the top"):
                check_view(shifted, shoe)
        else:
            check_view(shifted, shoe)


def test_an_edge_is_followed_in_small_steps() -> None:
    points = edge_of([(0, 0), (100, 0), (100, 50)])
    assert np.hypot(*np.diff(points, axis=0).T).max() <= 25
    assert [0.0, 0.0] in points.tolist()
    assert [100.0, 50.0] in points.tolist()


@pytest.mark.parametrize(
    ("curve", "count", "limit_mm"), [(-0.2, 12, 3.0), (-0.35, 12, 5.0), (0.0, 12, 2.0), (-0.2, 7, 99.0)]
)
def test_marks_tell_how_a_lens_bends_if_they_are_enough(curve: float, count: int, limit_mm: float) -> None:
    places = [*PLACES, (-260.0, 230.0), (260.0, 95.0), (-350.0, 450.0), (350.0, 450.0), (820.0, 380.0), (-820.0, 380.0)]
    bent = look_at(SIZE, (80.0, -150.0, 2000.0), (0.0, 440.0), 2300.0, (curve, abs(curve) / 4, 0.0, 0.0, 0.0))
    dice = np.random.default_rng(8)
    shown = bent.to_picture(places[:count]) + dice.normal(0, 0.5, (count, 2))
    given = [Mark((u, v), place) for (u, v), place in zip(shown.tolist(), places, strict=False)]
    try:
        fit = calibrated(SIZE, given)
    except MisfitError as error:
        fit = error.fit
    felt = dice.uniform((-800, 50), (800, 750), (60, 2))
    assert np.hypot(*(fit.camera.to_felt(bent.to_picture(felt)) - felt).T).max() < limit_mm
    assert (fit.camera.lens[0] != 0) == (curve != 0 and count >= 8)
