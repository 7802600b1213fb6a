"""From points that a person gave, in the picture and on the felt, to the camera that sees them so."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Point
from feltwatch.vision.geometry.camera import NO_LENS, Camera, CameraError
from feltwatch.vision.layout.zones import Layout

LEAST = 4  # marks
FIRM = 0.003  # how well marks must hold the plane: 0 where three of any four lie on one line, 0.2 for a square
LIMIT_MM = 15.0  # a mark that is further off is wrong
HAIR = 0.002  # of the picture's width: so far may a zone leave the picture
STEP_MM = 20.0  # along the edge of a zone that is followed through the lens
BENDS = 8  # marks that can tell how a lens bends
UNKNOWN = 8  # numbers that are then worked out: where the camera hangs, its focal length, the bend
PLAINLY = 15.0  # as statistics call it, the F by which the bend explains what a straight lens leaves; 1 says nothing
MOST_BENT = 0.6
FOCAL = (0.3, 6.0)  # of the picture's width: between them a focal length is believed
FIXED = (
    cv2.CALIB_USE_INTRINSIC_GUESS
    | cv2.CALIB_FIX_PRINCIPAL_POINT
    | cv2.CALIB_FIX_ASPECT_RATIO
    | cv2.CALIB_ZERO_TANGENT_DIST
    | cv2.CALIB_FIX_K1
    | cv2.CALIB_FIX_K2
    | cv2.CALIB_FIX_K3
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of the felt, and where the picture shows it."""

    image: Point  # pixels
    table: Point  # millimetres


@dataclass(frozen=True)
class Fit:
    camera: Camera
    off_mm: Floats  # how far from each mark its pixel lies on the felt


class MisfitError(CameraError):
    """Marks that do not fit each other: how they were taken all the same, and which of them is wrong."""

    def __init__(self, says: str, fit: Fit, worst: int) -> None:
        super().__init__(says)
        self.fit = fit
        self.worst = worst


@dataclass(frozen=True, slots=True)
class Lens:
    """What is known of a camera before it hangs: focal lengths and centre in pixels, and how it bends."""

    matrix: tuple[float, float, float, float] | None = None
    curve: tuple[float, ...] = NO_LENS


def calibrated(size: tuple[int, int], marks: Sequence[Mark], lens: Lens = Lens()) -> Fit:
    """Place the camera whose marks are nearest to the given ones, by least squares; refuse what cannot be."""
    _check(marks)
    found = _best(size, marks, lens)
    if found.off_mm.max() > LIMIT_MM:
        worst = _worst(size, marks, lens)
        one = marks[worst]
        raise MisfitError(
            f"camera.points do not fit each other: point {worst + 1} (image {_text(one.image)}, table "
            f"{_text(one.table)}) is the worst, {found.off_mm[worst]:.0f} mm off where at most {LIMIT_MM:.0f} are "
            "expected: measure it again, or give the camera's lens",
            found,
            worst,
        )
    return found


def mirrored(camera: Camera) -> bool:
    """True if the marks are such that the felt is seen from below: left and right were taken for each other."""
    return bool(camera.eye[2] <= 0)


def check_view(camera: Camera, layout: Layout) -> None:
    """Refuse a layout with a zone outside the picture, and name the zone that leaves it furthest."""
    found = [(*_leaves(camera, area.polygon), area.name) for area in layout.areas]
    far, side, name = max(found)
    if far > HAIR * camera.width:
        by = f"by {far:.0f} px " if np.isfinite(far) else ""
        raise CameraError(
            f"zone {name!r} leaves the picture {by}at the {side}: "
            f"turn the camera so that it sees {'all it watches' if layout.elsewhere else 'the whole table'}, "
            "or draw the zone where the camera sees it"
        )


def edge_of(polygon: Sequence[Point]) -> Floats:
    """Give the points along a polygon's edge, so near to each other that a lens bends nothing between them."""
    corners = np.array(polygon, np.float64)
    parts = []
    for here, there in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        count = max(1, round(float(np.hypot(*(there - here))) / STEP_MM))
        parts.append(here + (there - here) * (np.arange(count) / count)[:, None])
    return np.vstack(parts)


def _leaves(camera: Camera, polygon: Sequence[Point]) -> tuple[float, str]:
    """Give by how many pixels a polygon leaves the picture, and on which side."""
    points = edge_of(polygon)
    depth = points @ camera.r[2, :2] + camera.translation[2]
    if depth.min() <= 0:
        return np.inf, "bottom"  # it reaches behind the camera
    pixels = camera.to_picture(points)
    ends = {
        "left": -float(pixels[:, 0].min()),
        "right": float(pixels[:, 0].max()) - (camera.width - 1),
        "top": -float(pixels[:, 1].min()),
        "bottom": float(pixels[:, 1].max()) - (camera.height - 1),
    }
    side = max(ends, key=lambda name: ends[name])
    inside = (pixels >= 0).all(axis=1) & (pixels <= [camera.width - 1, camera.height - 1]).all(axis=1)
    back = camera.to_felt(pixels[inside])
    if len(back) and np.abs(back - points[inside]).max() > LIMIT_MM:
        return np.inf, side  # so far out that the lens model folds it back into the picture
    return ends[side], side


def _check(marks: Sequence[Mark]) -> None:
    if len(marks) < LEAST:
        raise CameraError(f"camera.points: expected {LEAST} or more, found {len(marks)}")
    if _firmness(marks) < FIRM:
        raise CameraError(
            "camera.points: expected four that span an area, no three of them on one line; "
            "found too many on one line or in one place"
        )


def _firmness(marks: Sequence[Mark]) -> float:
    """Give how well the marks tell one plane in the picture from any other: by the equations of a homography."""
    image, table = (_evened([getattr(mark, name) for mark in marks]) for name in ("image", "table"))
    rows = []
    for (u, v), (x, y) in zip(image, table, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y, -u], [0, 0, 0, x, y, 1, -v * x, -v * y, -v]]
    sizes = np.linalg.svd(np.array(rows), compute_uv=False)
    return float(sizes[7] / sizes[0])


def _evened(points: Sequence[Point]) -> Floats:
    apart = np.array(points, np.float64) - np.mean(points, axis=0)
    return np.asarray(apart / max(float(np.sqrt((apart**2).sum(axis=1).mean())), 1e-9))


def _best(size: tuple[int, int], marks: Sequence[Mark], lens: Lens) -> Fit:
    """Take the lens for straight if it is not known, unless the marks plainly say how it bends."""
    straight = _fit(size, marks, lens)
    if lens.matrix is not None or len(marks) < BENDS:
        return straight
    bend = _bent(size, *_arrays(marks))
    if bend is None:
        return straight
    bent = _fit(size, marks, bend)
    left, still = (max(float((fit.off_mm**2).sum()), 1e-6) for fit in (straight, bent))
    plainly = (left / still - 1) * (2 * len(marks) - UNKNOWN) > PLAINLY
    return bent if plainly else straight


def _arrays(marks: Sequence[Mark]) -> tuple[Floats, Floats]:
    """Give the pixels of marks (N x 2), and their places on the felt (N x 3)."""
    places = np.array([(*mark.table, 0.0) for mark in marks], np.float64)
    return np.array([mark.image for mark in marks], np.float64), places


def _bent(size: tuple[int, int], pixels: Floats, solid: Floats) -> Lens | None:
    """Give the focal length and the first of the lens's curves, by which it bends most, that fit the marks best.

    None where that is no lens: marks that are wrong can bend a camera into anything.
    """
    focal, _, cx, cy = _matrix(size, solid, pixels, NO_LENS)
    guess = np.array([[focal, 0, cx], [0, focal, cy], [0, 0, 1]], np.float64)
    views = ([solid.astype(np.float32)], [pixels.astype(np.float32)])
    _, k, curve, *_ = cv2.calibrateCamera(*views, size, guess, np.zeros(5), flags=FIXED & ~cv2.CALIB_FIX_K1)
    focal, curl = float(k[0, 0]), float(np.ravel(curve)[0])
    if not FOCAL[0] * size[0] <= focal <= FOCAL[1] * size[0] or abs(curl) > MOST_BENT:
        return None
    return Lens((focal, focal, cx, cy), (curl, 0.0, 0.0, 0.0, 0.0))


def _fit(size: tuple[int, int], marks: Sequence[Mark], lens: Lens) -> Fit:
    pixels, solid = _arrays(marks)
    places = solid[:, :2]
    matrix = lens.matrix or _matrix(size, solid, pixels, lens.curve)
    fx, fy, cx, cy = matrix
    k = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    curve = np.array(lens.curve, np.float64)
    good, turn, shift = cv2.solvePnP(solid, pixels, k, curve, flags=cv2.SOLVEPNP_IPPE)
    if not good:
        raise CameraError("camera.points: no camera can see them so: measure them again")
    turn, shift = cv2.solvePnPRefineLM(solid, pixels, k, curve, turn, shift)
    x, y, z = (float(value) for value in np.ravel(turn))
    right, down, away = (float(value) for value in np.ravel(shift))
    camera = Camera(*size, matrix, tuple(lens.curve), (x, y, z), (right, down, away))
    return Fit(camera, np.asarray(np.hypot(*(camera.to_felt(pixels) - places).T)))


def _matrix(
    size: tuple[int, int], solid: Floats, pixels: Floats, curve: tuple[float, ...]
) -> tuple[float, float, float, float]:
    """Guess the focal length from the marks; seen from straight above they do not tell, nor does it matter there."""
    width, height = size
    middle = ((width - 1) / 2, (height - 1) / 2)
    guess = np.array([[width, 0, middle[0]], [0, width, middle[1]], [0, 0, 1]], np.float64)
    bend = np.array(curve, np.float64)
    views = ([solid.astype(np.float32)], [pixels.astype(np.float32)])
    _, k, *_ = cv2.calibrateCamera(*views, size, guess, bend, flags=FIXED)
    focal = float(k[0, 0])
    if not FOCAL[0] * width <= focal <= FOCAL[1] * width:
        focal = float(width)
    return focal, focal, *middle


def _worst(size: tuple[int, int], marks: Sequence[Mark], lens: Lens) -> int:
    """Give the mark without which the others fit best; where they are too few to tell, the one that is furthest off."""
    rest = [[*marks[:n], *marks[n + 1 :]] for n in range(len(marks))]
    if any(len(others) < LEAST or _firmness(others) < FIRM for others in rest):
        return int(_best(size, marks, lens).off_mm.argmax())
    return int(np.argmin([_best(size, others, lens).off_mm.max() for others in rest]))


def _text(point: Point) -> str:
    return f"[{point[0]:g}, {point[1]:g}]"
