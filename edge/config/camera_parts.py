"""Which camera watches which part of a layout, and how a camera is fitted to the points of its file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from feltwatch.edge.errors import UsageError
from feltwatch.vision.arrays import PixelSize
from feltwatch.vision.geometry.calibration import Fit, Lens, Mark, calibrated, check_view
from feltwatch.vision.geometry.camera import CameraError
from feltwatch.vision.layout.zones import Layout, LayoutError

ONLY_CAMERA: Final = "camera"  # the name of a table's only camera


def camera_called(name: str) -> str:
    """Give how people are shown a camera's name.

    >>> camera_called("north"), camera_called("camera")
    ('camera north', 'the camera')
    """
    return "the camera" if name == ONLY_CAMERA else f"camera {name}"


@dataclass(frozen=True)
class CameraFile:
    """A camera of a table's file."""

    name: str
    source: str  # of its frames; empty where the file names none
    loop: bool  # a video file starts again at its end
    lens: Lens
    marks: tuple[Mark, ...]
    watches: tuple[str, ...] | None = ()  # (): all that no other camera watches; None: it only records evidence
    password_file: Path | None = None  # for the user that `source` names


def layout_parts(cameras: Sequence[CameraFile], layout: Layout) -> Mapping[str, Layout]:
    """Give each camera its part of the layout; refuse parts that two cameras watch, or that none does."""
    mine: dict[str, str] = {}
    for camera in cameras:
        for part in camera.watches or ():
            try:
                found = areas_of(part, layout)
            except LayoutError as error:
                raise LayoutError(f"camera {camera.name!r} watches {error}") from error
            for name in found:
                if mine.setdefault(name, camera.name) != camera.name:
                    raise LayoutError(
                        f"cameras {mine[name]!r} and {camera.name!r} both watch {name!r}: expected one camera "
                        "for each part of the layout"
                    )
    left = [area.name for area in layout.areas if area.name not in mine]
    rest = [camera.name for camera in cameras if camera.watches == ()]
    if len(rest) > 1:
        raise LayoutError(f"cameras {' and '.join(map(repr, rest))} have no watches: expected one such camera at most")
    if left and not rest:
        raise LayoutError(f"no camera watches {', '.join(_short(left, layout))}: name them in the watches of a camera")
    mine |= dict.fromkeys(left, *rest) if rest else {}
    if rest and not left:
        raise LayoutError(f"camera {rest[0]!r}: nothing is left to watch; write watches = [] if it only records")
    whole = len(set(mine.values())) == 1
    return {
        camera.name: layout if whole else layout.part({name for name, by in mine.items() if by == camera.name})
        for camera in cameras
        if camera.watches is not None
    }


def areas_of(part: str, layout: Layout) -> list[str]:
    """Give the areas of a part of the layout: of a box, of the dealer, or the one of that name."""
    found = [area.name for area in layout.areas if area.name == part or area.name.startswith(f"{part}.")]
    if not found:
        there = ", ".join(_short([area.name for area in layout.areas], layout))
        raise LayoutError(f"{part!r}: expected parts of the layout: {there}")
    return found


def fit_camera(path: Path, camera: CameraFile, size: PixelSize, watched: Layout | None = None) -> Fit:
    """Fit a camera to its points, for frames of a size; refuse one that does not see what it watches."""
    where = f"{path}: " if camera.name == ONLY_CAMERA else f"{path}: camera {camera.name!r}: "
    try:
        fit = calibrated(size, camera.marks, camera.lens)
        if watched is not None:
            check_view(fit.camera, watched)
    except CameraError as error:
        raise UsageError(f"{where}{error}") from error
    return fit


def named_parts(areas: Sequence[str]) -> tuple[str, ...]:
    """Give the boxes, the dealer and the other parts of a table that these areas belong to.

    >>> named_parts(["box1.cards", "box1.main", "shoe", "dealer.cards"])
    ('box1', 'shoe', 'dealer')
    """
    return tuple(dict.fromkeys(name.partition(".")[0] for name in areas))


def _short(names: Sequence[str], layout: Layout) -> list[str]:
    """Name a box in place of its areas, where all of them are in the list."""
    whole = {
        part
        for part in named_parts(names)
        if all(area.name in names for area in layout.areas if area.name.startswith(f"{part}."))
    }
    return list(dict.fromkeys(part if (part := name.partition(".")[0]) in whole else name for name in names))
