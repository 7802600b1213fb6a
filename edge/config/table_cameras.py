"""The cameras of a table's file: `[camera]`, or several `[[cameras]]`, each with its part of the layout to watch."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from feltwatch.edge.errors import UsageError
from feltwatch.vision.geometry.calibration import Fit, Lens, Mark, calibrated, check_view
from feltwatch.vision.geometry.camera import NO_LENS, CameraError
from feltwatch.vision.layout.zones import Layout, LayoutError, known_keys, numbers

CAMERA = {"source", "loop", "lens", "camera_matrix", "points"}
ONE = "camera"  # what a table's only camera is called
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")

Size = tuple[int, int]


@dataclass(frozen=True)
class CameraFile:
    name: str
    source: str  # of its pictures; empty where none is given
    loop: bool  # footage begins anew when it is over
    lens: Lens
    marks: tuple[Mark, ...]
    watches: tuple[str, ...] | None = ()  # () is all that no other is said to watch; None: it only records evidence


def cameras_of(found: Mapping[str, object], layout: Layout) -> tuple[CameraFile, ...]:
    """Take the cameras out of what a file says; each part of the layout must be watched by one of them."""
    several = found.get("cameras")
    if several is None:
        one = found.get("camera")
        if not isinstance(one, dict):
            raise LayoutError(f"expected [camera], found {'none' if one is None else repr(one)}")
        known_keys(one, CAMERA, "[camera]")
        return (_camera(one, ONE, ONE),)
    if "camera" in found:
        raise LayoutError("expected either [camera] or [[cameras]], found both")
    if not isinstance(several, list) or not several:
        raise LayoutError(f"expected [[cameras]], one for each camera, found {several!r}")
    cameras = tuple(_named(one, f"cameras {number}") for number, one in enumerate(several, 1))
    names = [camera.name for camera in cameras]
    for name in names:
        if names.count(name) > 1:
            raise LayoutError(f"two cameras are named {name!r}: expected each name once")
    parts_of(cameras, layout)
    return cameras


def parts_of(cameras: Sequence[CameraFile], layout: Layout) -> Mapping[str, Layout]:
    """Give each camera that watches its part of the layout; refuse what is watched twice, or by none."""
    mine: dict[str, str] = {}
    for camera in cameras:
        for part in camera.watches or ():
            try:
                found = places_of(part, layout)
            except LayoutError as error:
                raise LayoutError(f"camera {camera.name!r} watches {error}") from error
            for name in found:
                if mine.setdefault(name, camera.name) != camera.name:
                    raise LayoutError(
                        f"cameras {mine[name]!r} and {camera.name!r} both watch {name!r}: expected each part of the "
                        "layout to be watched by one"
                    )
    left = [area.name for area in layout.areas if area.name not in mine]
    rest = [camera.name for camera in cameras if camera.watches == ()]
    if len(rest) > 1:
        raise LayoutError(f"cameras {' and '.join(map(repr, rest))} do not say what they watch: expected one at most")
    if left and not rest:
        raise LayoutError(f"no camera watches {', '.join(_short(left, layout))}: expected each part to be watched")
    mine |= dict.fromkeys(left, *rest) if rest else {}
    if rest and not left:
        raise LayoutError(f"camera {rest[0]!r}: nothing is left to watch; expected watches = [] if it only records")
    whole = len(set(mine.values())) == 1
    return {
        camera.name: layout if whole else layout.part({name for name, by in mine.items() if by == camera.name})
        for camera in cameras
        if camera.watches is not None
    }


def places_of(part: str, layout: Layout) -> list[str]:
    """Give the places of a part of the layout: of a box, of the dealer, or the one of that name."""
    found = [area.name for area in layout.areas if area.name == part or area.name.startswith(f"{part}.")]
    if not found:
        there = ", ".join(_short([area.name for area in layout.areas], layout))
        raise LayoutError(f"{part!r}: expected parts of the layout: {there}")
    return found


def hung(path: Path, camera: CameraFile, size: Size, watched: Layout | None = None) -> Fit:
    """Hang a camera over the felt, for pictures of a size, so that it sees what it watches."""
    where = f"{path}: " if camera.name == ONE else f"{path}: camera {camera.name!r}: "
    try:
        fit = calibrated(size, camera.marks, camera.lens)
        if watched is not None:
            check_view(fit.camera, watched)
    except CameraError as error:
        raise UsageError(f"{where}{error}") from error
    return fit


def named_parts(areas: Sequence[str]) -> tuple[str, ...]:
    """Give the boxes, the dealer and the other parts of a table that these are places of.

    >>> named_parts(["box1.cards", "box1.main", "shoe", "dealer.cards"])
    ('box1', 'shoe', 'dealer')
    """
    return tuple(dict.fromkeys(name.partition(".")[0] for name in areas))


def _short(names: Sequence[str], layout: Layout) -> list[str]:
    """Name a box for all its places, where all of them are meant."""
    whole = {
        part
        for part in named_parts(names)
        if all(area.name in names for area in layout.areas if area.name.startswith(f"{part}."))
    }
    return list(dict.fromkeys(part if (part := name.partition(".")[0]) in whole else name for name in names))


def _named(found: object, where: str) -> CameraFile:
    if not isinstance(found, dict):
        raise LayoutError(f"{where}: expected a camera with name, source and points, found {found!r}")
    name = found.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise LayoutError(f"{where}: name: expected letters, figures, - and _, at most 32, found {name!r}")
    known_keys(found, CAMERA | {"name", "watches"}, f"{where} ({name})")
    return _camera(found, f"{where} ({name})", name)


def _camera(found: Mapping[str, object], where: str, name: str) -> CameraFile:
    loop = found.get("loop", False)
    if not isinstance(loop, bool):
        raise LayoutError(f"{where}.loop: expected true or false, found {loop!r}")
    watches = _watches(found["watches"], where) if "watches" in found else ()
    return CameraFile(name, _source(found, where), loop, _lens(found, where), _marks(found, where), watches)


def _watches(found: object, where: str) -> tuple[str, ...] | None:
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise LayoutError(f'{where}.watches: expected parts of the layout such as ["box1", "dealer"], found {found!r}')
    return tuple(found) or None


def _source(camera: Mapping[str, object], where: str) -> str:
    value = camera.get("source", "")
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise LayoutError(f"{where}.source: expected a URL, a device's number or a file, found {value!r}")
    return str(value)


def _lens(camera: Mapping[str, object], where: str) -> Lens:
    if ("lens" in camera) != ("camera_matrix" in camera):
        there, other = ("lens", "camera_matrix") if "lens" in camera else ("camera_matrix", "lens")
        raise LayoutError(f"{where}.{there} is given without {where}.{other}: expected both or neither")
    if "lens" not in camera:
        return Lens()
    fx, fy, cx, cy = numbers(camera["camera_matrix"], 4, f"{where}.camera_matrix", "")
    if min(fx, fy) <= 0:
        raise LayoutError(f"{where}.camera_matrix: expected focal lengths above nought, found {fx:g} and {fy:g}")
    return Lens((fx, fy, cx, cy), numbers(camera["lens"], len(NO_LENS), f"{where}.lens", ""))


def _marks(camera: Mapping[str, object], where: str) -> tuple[Mark, ...]:
    points = camera.get("points")
    if not isinstance(points, list):
        name = f"[[{where}.points]]" if where == ONE else f"{where}: points"
        raise LayoutError(f"expected {name}, each with image and table; `feltwatch calibrate` writes them")
    return tuple(_mark(point, f"{where}.points {number}") for number, point in enumerate(points, 1))


def _mark(point: object, where: str) -> Mark:
    if not isinstance(point, dict):
        raise LayoutError(f"{where}: expected image = [x, y] and table = [x, y], found {point!r}")
    known_keys(point, {"image", "table"}, where)
    ends = [numbers(point.get(key), 2, f"{where}: {key}", "") for key in ("image", "table")]
    return Mark((ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]))
