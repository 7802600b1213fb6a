"""Drawings to pictures: a card a file, or a whole deck on one sheet whose parts have names."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import resvg_py

from feltwatch.datasets.common.cache import picture_of
from feltwatch.datasets.common.errors import DataError
from feltwatch.vision.arrays import Pixels

FULL_PX = 504  # width of a card as kept in the cache: twice the texture
LOOK_PX = 1000  # width of the sheet when looking for a part
MARGIN = 0.06  # of the part's size, kept round it until its own alpha cuts it

_ROOT = re.compile(r"<svg\b[^>]*>", re.DOTALL)
_SIZES = re.compile(r'\s(?:width|height|viewBox|preserveAspectRatio)\s*=\s*(?:"[^"]*"|\'[^\']*\')')
_VISIBILITY = re.compile(r"""(?<=[;"'\s])visibility\s*:\s*visible\s*;?|\svisibility=["']visible["']""")
_NUMBER = re.compile(r"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class DrawingPart:
    """A part of a drawing, in the drawing's own units."""

    x: float
    y: float
    width: float
    height: float


def plain(drawing: str) -> str:
    """Take every word about visibility out of a drawing, so that only ours counts."""
    return _VISIBILITY.sub("", drawing)


def render(drawing: str, where: object, width: int, only: str | None = None) -> Pixels:
    """Give a drawing as BGRA pixels; with `only`, nothing but the part of that name shows."""
    style = f"svg {{visibility: hidden}} [id='{only}'] {{visibility: visible}}" if only else None
    options: dict[str, Any] = {"width": width, "dpi": 96, "skip_system_fonts": False, "style_sheet": style}
    try:
        data = resvg_py.svg_to_bytes(svg_string=drawing, **options)
    except ValueError as fault:
        raise DataError(f"{where}: cannot be drawn: {fault}") from fault
    picture = picture_of(bytes(data), where)
    return picture if picture.shape[2] == 4 else np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])


def view(drawing: str, where: object) -> DrawingPart:
    """Give what the drawing shows: its viewBox, or its width and height."""
    root = _root(drawing, where)
    if found := re.search(r"""\sviewBox\s*=\s*["']([^"']*)["']""", root):
        numbers = [float(number) for number in _NUMBER.findall(found[1])]
        if len(numbers) == 4:
            return DrawingPart(*numbers)
    sizes = [re.search(rf"""\s{side}\s*=\s*["']\s*([0-9.eE+-]+)""", root) for side in ("width", "height")]
    if sizes[0] is None or sizes[1] is None:
        raise DataError(f"{where}: the drawing has neither viewBox nor size")
    return DrawingPart(0, 0, float(sizes[0][1]), float(sizes[1][1]))


def showing(drawing: str, where: object, box: DrawingPart) -> str:
    """Give the same drawing with another view."""
    root = _root(drawing, where)
    sized = f' viewBox="{box.x} {box.y} {box.width} {box.height}" width="{box.width}" height="{box.height}">'
    return drawing.replace(root, _SIZES.sub("", root).rstrip(">").rstrip() + sized, 1)


def find(drawing: str, where: object, part: str) -> DrawingPart:
    """Give the box of a part, found by drawing it alone: what it shows is where it is.

    A part that lies off the page is looked for in a field five pages wide.
    """
    page = view(drawing, where)
    field = DrawingPart(page.x - 2 * page.width, page.y - 2 * page.height, 5 * page.width, 5 * page.height)
    for looked in (page, field):
        alpha = render(showing(drawing, where, looked), where, LOOK_PX, only=part)[..., 3]
        rows, columns = np.flatnonzero(alpha.any(1)), np.flatnonzero(alpha.any(0))
        if rows.size:
            scale = looked.width / alpha.shape[1]
            x, y = looked.x + (columns[0] - 1) * scale, looked.y + (rows[0] - 1) * scale
            return DrawingPart(x, y, (columns[-1] - columns[0] + 3) * scale, (rows[-1] - rows[0] + 3) * scale)
    raise DataError(f"{where}: a sheet without {part!r}")


def cut_out(drawing: str, where: object, part: str, width: int = FULL_PX) -> Pixels:
    """Give one part of a sheet, cut at its own edge, about that wide."""
    box = find(drawing, where, part)
    near = DrawingPart(
        box.x - MARGIN * box.width,
        box.y - MARGIN * box.height,
        box.width * (1 + 2 * MARGIN),
        box.height * (1 + 2 * MARGIN),
    )
    return cropped(render(showing(drawing, where, near), where, round(width * (1 + 2 * MARGIN)), only=part), where)


def cropped(picture: Pixels, where: object) -> Pixels:
    """Cut a BGRA picture to what is solid in it."""
    solid = picture[..., 3] > 127
    rows, columns = np.flatnonzero(solid.any(1)), np.flatnonzero(solid.any(0))
    if rows.size == 0:
        raise DataError(f"{where}: an empty drawing")
    return picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _root(drawing: str, where: object) -> str:
    found = _ROOT.search(drawing)
    if found is None:
        raise DataError(f"{where}: no drawing")
    return found[0]
