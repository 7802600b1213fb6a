"""table.toml: one table, its book and limits, its camera, and where on the felt things lie."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from feltwatch.edge.config.table_cameras import CameraFile, cameras_of, hung
from feltwatch.edge.config.table_service import MqttFile, RecordFile, mqtt_of, name_of, record_of, serve_of
from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import Book, BookError, find_book
from feltwatch.engine.books.settings import SwitchError
from feltwatch.vision.geometry.calibration import Fit, Lens, Mark
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import PRESETS, Layout, LayoutError, is_number, known_keys, layout_of, load_layout

SERVICE = ("mqtt", "record", "serve")  # parts that only the service needs
PARTS = {"table", "camera", "cameras", "layout", *SERVICE}
TABLE = {"id", "site", "book", "decks", "min", "max", "settings"}


@dataclass(frozen=True)
class TableFile:
    path: Path
    id: str
    site: str
    book: Book
    cameras: tuple[CameraFile, ...]
    layout: Layout
    mqtt: MqttFile | None  # with none there is a broker of our own
    record: RecordFile
    serve: tuple[str, int] | None  # where figures for Prometheus are to be had

    @property
    def first(self) -> CameraFile:
        """Give the only camera, or the first of several that watches."""
        return next((one for one in self.cameras if one.watches is not None), self.cameras[0])

    @property
    def source(self) -> str:
        return self.first.source

    @property
    def lens(self) -> Lens:
        return self.first.lens

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.first.marks

    def camera(self, size: tuple[int, int]) -> Fit:
        """Hang the first camera over the felt, for pictures of a size."""
        return hung(self.path, self.first, size)


def read_table(path: Path) -> TableFile:
    """Read a table's file; whatever is wrong with it is said in one line."""
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: expected a table's file: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected a table's file: it is not text in UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    try:
        return _table(found, path)
    except (LayoutError, BookError, SwitchError) as error:
        raise UsageError(f"{path}: {error}") from error


def _table(found: Mapping[str, object], path: Path) -> TableFile:
    known_keys(found, PARTS, "the file")
    table = _part(found, "table", TABLE)
    mqtt, record, serve = (_optional(found, name) for name in SERVICE)
    home = path.absolute().parent
    plain = _layout(found)
    book = _book(table, plain.boxes)
    layout = for_book(plain, book)
    return TableFile(
        path,
        name_of(_text(table, "table", "id"), "table.id"),
        name_of(_text(table, "table", "site"), "table.site"),
        book,
        cameras_of(found, layout),
        layout,
        mqtt_of(mqtt, home) if mqtt is not None else None,
        record_of(record or {}, home),
        serve_of(serve or {}),
    )


def _part(found: Mapping[str, object], name: str, keys: set[str]) -> Mapping[str, object]:
    part = found.get(name)
    if not isinstance(part, dict):
        raise LayoutError(f"expected [{name}], found {'none' if part is None else repr(part)}")
    known_keys(part, keys, f"[{name}]")
    return part


def _optional(found: Mapping[str, object], name: str) -> Mapping[str, object] | None:
    part = found.get(name)
    if part is not None and not isinstance(part, dict):
        raise LayoutError(f"expected [{name}], found {part!r}")
    return part


def _text(part: Mapping[str, object], where: str, key: str) -> str:
    value = part.get(key)
    if not isinstance(value, str) or not value.strip():
        raise LayoutError(f"{where}.{key}: expected a text, found {value!r}")
    return value


def _book(table: Mapping[str, object], boxes: Sequence[int]) -> Book:
    decks = table.get("decks")
    if decks is not None and (not isinstance(decks, int) or isinstance(decks, bool)):
        raise LayoutError(f"table.decks: expected a whole number, found {decks!r}")
    settings = table.get("settings", {})
    if not isinstance(settings, dict):
        raise LayoutError(f"table.settings: expected names with values, found {settings!r}")
    texts = {name: value if isinstance(value, str) else str(value).lower() for name, value in settings.items()}
    if boxes:
        texts.setdefault("boxes", str(max(boxes)))  # not all of them need be watched
    return find_book(_text(table, "table", "book")).at_table(
        decks=decks, minimum=_amount(table, "min"), maximum=_amount(table, "max"), settings=texts
    )


def _amount(table: Mapping[str, object], key: str) -> Decimal | None:
    value = table.get(key)
    if value is None:
        return None
    if not is_number(value) or float(value) < 0:  # type: ignore[arg-type]  # a number
        raise LayoutError(f"table.{key}: expected an amount of money, found {value!r}")
    return Decimal(str(value))


def _layout(found: Mapping[str, object]) -> Layout:
    layout = _part(found, "layout", {"preset", "name", "outline", "zones"})
    preset = layout.get("preset")
    if preset is None:
        return layout_of(layout, "layout")
    if "zones" in layout or "outline" in layout:
        raise LayoutError("layout: expected either preset or zones, found both")
    if preset not in PRESETS:
        raise LayoutError(f"layout.preset: expected one of {', '.join(PRESETS)}, found {preset!r}")
    return load_layout(str(preset))
