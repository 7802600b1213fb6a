"""Laws of the one owner of the geometry between picture and felt."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feltwatch.vision.geometry.camera import Camera, CameraError, look_at
from feltwatch.vision.layout.zones import PRESETS, load_layout

SIZE = (1920, 1080)
EYE = st.tuples(st.floats(-700, 700), st.floats(-900, 1500), st.floats(800, 3200))
TARGET = st.tuples(st.floats(-200, 200), st.floats(250, 650))
VIEW = st.floats(600, 2600)
ROLL = st.floats(-180, 180)
K1 = st.floats(-0.2, 0.05)
LENS = st.builds(
    lambda k1, share, p1, p2: (k1, abs(k1) * share, p1, p2, 0.0),
    K1,
    st.floats(0, 0.25),
    st.floats(-0.002, 0.002),
    st.floats(-0.002, 0.002),
)
CAMERA = st.builds(look_at, st.just(SIZE), EYE, TARGET, VIEW, LENS, ROLL)
PIXELS = st.lists(st.tuples(st.floats(0, 1919), st.floats(0, 1079)), min_size=1, max_size=8)


def steep(camera: Camera) -> bool:
    """Tell a camera that looks down at the felt, through a lens that does not fold the picture's corners back."""
    fx, _, cx, cy = camera.matrix
    square = (cx * cx + cy * cy) / fx**2 * 1.6
    return bool(camera.r[2, 2] < -0.6 and 1 + 3 * min(camera.lens[0], 0) * square > 0.2)


@given(CAMERA, PIXELS, st.floats(0, 120))
def test_a_pixel_comes_back_from_any_height(camera: Camera, pixels: list[tuple[float, float]], z: float) -> None:
    assume(steep(camera))
    felt = camera.to_felt(pixels, z)
    back = camera.to_picture(np.column_stack([felt, np.full(len(felt), z)]))
    assert np.abs(back - pixels).max() < 0.05


@given(CAMERA, st.floats(-600, 600), st.floats(50, 850), st.floats(0, 120))
def test_a_place_comes_back_from_any_height(camera: Camera, x: float, y: float, z: float) -> None:
    assume(steep(camera))
    pixel = camera.to_picture([[x, y, z]])
    assume(bool(((pixel >= 0) & (pixel < SIZE)).all()))
    assert np.abs(camera.to_felt(pixel, z) - [x, y]).max() < 0.01


@given(st.builds(look_at, st.just(SIZE), EYE, TARGET, VIEW), st.floats(0, 120))
def test_without_a_lens_straight_is_straight(camera: Camera, z: float) -> None:
    assume(steep(camera))
    one, middle, other = camera.to_picture([[-200, 300, z], [0, 400, z], [200, 500, z]])
    way, part = other - one, middle - one
    assert abs(way[0] * part[1] - way[1] * part[0]) < 1e-6 * float(way @ way)


@given(CAMERA)
def test_a_higher_thing_is_larger(camera: Camera) -> None:
    assume(steep(camera))
    x, y = camera.to_felt([[(SIZE[0] - 1) / 2, (SIZE[1] - 1) / 2]])[0].tolist()
    assert camera.scale(x, y, 60.0) > camera.scale(x, y) > 0


@given(EYE, TARGET, VIEW)
def test_the_target_is_in_the_middle_and_so_much_is_seen(
    eye: tuple[float, float, float], target: tuple[float, float], view: float
) -> None:
    camera = look_at(SIZE, eye, target, view)
    middle = camera.to_picture([target])[0]
    assert middle == pytest.approx([(SIZE[0] - 1) / 2, (SIZE[1] - 1) / 2], abs=0.02)  # OpenCV rounds half turns
    assert camera.eye == pytest.approx(eye, abs=0.02)
    right, forward = camera.r[0], camera.r[2]
    assert right @ forward == pytest.approx(0, abs=1e-9)
    ends = np.array([*target, 0.0]) + np.outer([-view / 2, view / 2], right)
    seen = camera.to_picture(ends)
    assert seen[1, 0] - seen[0, 0] == pytest.approx(SIZE[0])


@given(
    st.sampled_from(PRESETS), st.floats(-300, 300), st.floats(-500, 440), st.floats(1500, 3200), st.floats(1500, 2600)
)
def test_the_dealer_is_at_the_top_and_box_1_at_the_right(name: str, x: float, y: float, z: float, view: float) -> None:
    layout = load_layout(name)
    camera = look_at(SIZE, (x, y, z), (0.0, 440.0), view)
    first, last = (layout.by_name[f"box{n}.main"].first for n in (1, layout.boxes[-1]))
    dealer = layout.by_name["float"].first
    pixels = camera.to_picture([first, last, dealer])
    assert pixels[0, 0] > pixels[1, 0]
    assert pixels[2, 1] < pixels[:2, 1].min()
    assert pixels[1, 0] < pixels[2, 0] < pixels[0, 0]


def test_a_half_turn_puts_the_players_at_the_top() -> None:
    camera = look_at(SIZE, (0.0, 300.0, 2000.0), (0.0, 440.0), 2000.0, roll_deg=180.0)
    near, far = camera.to_picture([[0, 100], [0, 800]])
    assert near[1] > far[1]


def test_no_points_are_no_points() -> None:
    camera = look_at(SIZE, (0.0, 300.0, 2000.0), (0.0, 440.0), 2000.0)
    assert camera.to_picture(np.empty((0, 2))).shape == (0, 2)
    assert camera.to_felt(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("eye", "view"), [((0.0, 0.0, -5.0), 900.0), ((0.0, 0.0, 0.0), 900.0), ((0.0, 0.0, 2000.0), 0.0)]
)
def test_a_camera_that_cannot_be_is_refused(eye: tuple[float, float, float], view: float) -> None:
    with pytest.raises(CameraError) as told:
        look_at(SIZE, eye, (0.0, 440.0), view)
    assert str(told.value) == f"expected a camera above the felt that sees some of it, found eye {eye}, view {view} mm"
