"""Writes the table's file of a calibration, and reads it back before it replaces the old one."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from feltwatch.edge.calibrate.toml_text import changed
from feltwatch.edge.config.camera_parts import areas_of
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import Book
from feltwatch.vision.arrays import Point
from feltwatch.vision.geometry.calibration import Lens, Mark
from feltwatch.vision.image_file import spelled
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import PRESETS, Area, Layout, load_layout

NEW_FILE = 0o640
Values = Mapping[str, object]  # of one part of the file, as TOML has them


@dataclass(frozen=True)
class Draft:
    """A table's file before its points are known."""

    path: Path
    table: Values
    camera: Values  # without its points
    service: Mapping[str, Values]  # parts that calibration leaves as they are
    book: Book
    layout: Layout
    lens: Lens
    like: str = ""  # the text of the file whose comments and order are kept
    felt: Values | None = None  # the layout as that file writes it, while no zone is moved
    mode: int = NEW_FILE  # the rights of a new file
    watches: tuple[str, ...] = ()  # the parts that this one of several cameras must see

    def seen_by(self, layout: Layout) -> Layout:
        """Give the part of a layout that the camera must see."""
        if not self.watches:
            return layout
        return layout.part({name for part in self.watches for name in areas_of(part, layout)})

    @property
    def shown(self) -> Layout:
        """The layout as it is printed for the book."""
        return for_book(self.layout, self.book)


def dragged(layout: Layout, zones: Mapping[str, Sequence[Point]]) -> Layout:
    """Give the layout with zones moved; the place of the first card or stack moves with its zone."""
    areas = tuple(_dragged(area, zones[area.name]) if area.name in zones else area for area in layout.areas)
    return Layout(layout.name, layout.outline, areas)


def _dragged(area: Area, polygon: Sequence[Point]) -> Area:
    way = np.mean(polygon, axis=0) - np.mean(area.polygon, axis=0)
    first = (round(float(area.first[0] + way[0]), 1), round(float(area.first[1] + way[1]), 1))
    return replace(area, polygon=tuple((round(x, 1), round(y, 1)) for x, y in polygon), first=first)


def save(draft: Draft, marks: Sequence[Mark], layout: Layout) -> TableFile:
    """Write the file: only if it can be read again, and never half of it."""
    text = text_of(draft, marks, layout)
    if draft.like:
        text = changed(draft.like, text)
    folder = draft.path.parent
    try:
        handle, name = tempfile.mkstemp(prefix=f".{draft.path.name}.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            found = read_table(Path(name))
            _guard(Path(name), draft)
            Path(name).replace(draft.path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{spelled(draft.path)}: cannot be written ({error.strerror})") from error
    except UsageError as error:  # with the name that the file would have had
        raise UsageError(str(error).replace(name, str(draft.path))) from error
    return replace(found, path=draft.path)


def _guard(new: Path, draft: Draft) -> None:
    """Give a new file the rights and the owner of the one it replaces; it may hold the camera's password."""
    if not draft.path.exists():
        new.chmod(draft.mode)
        return
    before = draft.path.stat()
    new.chmod(before.st_mode & 0o777)
    with suppress(OSError):  # only root may give files away
        os.chown(new, before.st_uid, before.st_gid)


def text_of(draft: Draft, marks: Sequence[Mark], layout: Layout) -> str:
    """Give the file's text: a preset by its name, moved zones one by one."""
    lines = ["[table]", *_values(draft.table), "", "[camera]", *_values(draft.camera)]
    if "source" not in draft.camera:
        lines.append('# source = "rtsp://..."  # feltwatch run needs it')
    for mark in marks:
        lines += ["", "[[camera.points]]", f"image = {_pair(mark.image, 2)}", f"table = {_pair(mark.table, 1)}"]
    lines += ["", "[layout]", *_layout(layout, draft)]
    for name, values in draft.service.items():
        lines += ["", f"[{name}]", *_values(values)]
    return "\n".join(lines) + "\n"


def _values(values: Values) -> list[str]:
    plain = [f"{key} = {_value(value)}" for key, value in values.items() if not isinstance(value, dict)]
    for key, value in values.items():
        if isinstance(value, dict) and value:
            inside = ", ".join(f"{json.dumps(name)} = {_value(one)}" for name, one in value.items())
            plain.append(f"{key} = {{ {inside} }}")
    return plain


def _value(value: object) -> str:
    """Write a text, a number, true or false, or a list of them: in these JSON is TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _layout(layout: Layout, draft: Draft) -> list[str]:
    if draft.felt is not None and layout == draft.layout:
        zones = draft.felt.get("zones", ())
        lines = _values({key: value for key, value in draft.felt.items() if key != "zones"})
        return lines + [line for zone in zones for line in ("", "[[layout.zones]]", *_values(zone))]  # type: ignore[attr-defined]  # a list of parts
    if layout.name in PRESETS and layout == load_layout(layout.name):
        return [f'preset = "{layout.name}"']
    layout = for_book(layout, draft.book)
    lines = [f"name = {_value(layout.name)}"]
    if _holds_all(layout):
        lines.append(f"outline = {_points(layout.outline)}")
    for area in layout.areas:
        lines += ["", "[[layout.zones]]", f"name = {_value(area.name)}", f"polygon = {_points(area.polygon)}"]
        lines += [f"first = {_pair(area.first, 1)}", f"step = {_pair(area.step, 1)}", f"turn = {area.turn:g}"]
    return lines


def _holds_all(layout: Layout) -> bool:
    """True if the felt's edge encloses all zones; if not, the file leaves it out, and it is the zones' hull."""
    edge = Area("felt", layout.outline, (0.0, 0.0))
    return all(edge.holds(point) for area in layout.areas for point in area.polygon)


def _points(points: Sequence[Point]) -> str:
    return "[" + ", ".join(_pair(point, 1) for point in points) + "]"


def _pair(point: Point, digits: int) -> str:
    return "[" + ", ".join(f"{round(float(value), digits) + 0.0:g}" for value in point) + "]"
