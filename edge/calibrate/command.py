"""`feltwatch calibrate`: an image of the table in, table.toml out, by sheets, a file of points, or a web page."""

import argparse
import difflib
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2

from feltwatch.edge.calibrate.file_writer import NEW_FILE, Draft, Values, save
from feltwatch.edge.calibrate.overlay import draw
from feltwatch.edge.calibrate.points import NamedMark, named_points, read_points
from feltwatch.edge.calibrate.sheet import print_sheets
from feltwatch.edge.calibrate.source import first_image, hidden, is_live
from feltwatch.edge.config.secret_files import has_password, read_password, with_password
from feltwatch.edge.config.table_file import TableFile, layout_as_written, read_table
from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import Book, BookError, find_book
from feltwatch.vision.arrays import Pixels, Point
from feltwatch.vision.geometry.calibration import Fit, Lens, MisfitError, calibrated, check_view, mirrored
from feltwatch.vision.geometry.camera import NO_LENS, CameraError
from feltwatch.vision.geometry.markers import PLACES, parse_places, seen_sheets, sheet_marks
from feltwatch.vision.image_file import spelled
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import PRESETS, Layout, LayoutError, load_layout

SIKIPI = "si-ki-pi"
SERVICE = ("mqtt", "record", "serve", "vision")  # parts that calibration leaves as they are
USUAL = {"blackjack": ("blackjack-rws-v5", "blackjack-7"), SIKIPI: ("si-ki-pi-v3", "si-ki-pi-6")}  # book and preset


@dataclass(frozen=True)
class Calibration:
    """What was measured: which pixels show which points of the felt, and where the zones are."""

    points: tuple[NamedMark, ...]
    layout: Layout


def calibrate(options: argparse.Namespace) -> int:
    """Calibrate one table; return 0 when its file is written."""
    places = _places(options.places)
    if options.sheet is not None:
        return _sheets(options, places)
    draft = draft_of(options)
    overlay = _free(options.overlay, "--overlay", options.force)
    if overlay is not None and overlay.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise UsageError(f"--overlay {spelled(overlay)}: expected a file that ends in .png or .jpg")
    given = read_points(Path(options.points), named_points(draft.shown)) if options.points is not None else None
    picture = first_image(_opened(options.source, draft))
    source = hidden(options.source)
    if given is not None:
        _finish(picture, draft, Calibration(tuple(given), draft.layout), overlay, spelled(options.points))
    elif options.markers:
        _finish(picture, draft, _by_sheets(picture, source, draft, places), overlay, source)
    else:
        from feltwatch.edge.calibrate.web_page import Session, serve_page  # noqa: PLC0415  only clicking needs a web server

        def keep(points: Sequence[NamedMark], layout: Layout) -> None:
            _finish(picture, draft, Calibration(tuple(points), layout), overlay, source)

        serve_page(Session(picture, draft, keep), options.port, show=not options.no_open)
    return 0


def _opened(source: str, draft: Draft) -> str:
    """Give the address to open, with the password from the file that the table's file will name."""
    name = draft.camera.get("password_file")
    if name is None or not is_live(source) or has_password(source):
        return source
    return with_password(source, read_password(draft.path.parent / str(name)))


def _sheets(options: argparse.Namespace, places: dict[int, Point] | None) -> int:
    path = Path(options.sheet)
    _free(options.sheet, "--sheet", options.force)
    for written in print_sheets(path, options.paper, places):
        _say(f"{spelled(written)}: written; print it at 100 %, put each sheet where it says")
    return 0


def _places(name: str | None) -> dict[int, Point] | None:
    if name is None:
        return None
    try:
        return parse_places(Path(name).read_text("utf-8"), spelled(name))
    except OSError as error:
        raise UsageError(f"--places {spelled(name)}: expected a file: {(error.strerror or '').lower()}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--places {spelled(name)}: expected a file: it is not text in UTF-8") from error
    except LayoutError as error:
        raise UsageError(f"--places {error}") from error


def _free(name: str | None, option: str, force: bool) -> Path | None:  # noqa: FBT001  as given on the command line
    if name is None:
        return None
    path = Path(name)
    if path.exists() and not force:
        raise UsageError(f"{option} {spelled(name)}: exists already; name another file, or overwrite it with --force")
    if not path.parent.is_dir():
        raise UsageError(f"{option} {spelled(name)}: expected a file in a directory that exists")
    return path


def draft_of(options: argparse.Namespace) -> Draft:
    """Collect what is known of the table before its points are."""
    if options.source is None:
        raise UsageError("calibrate: expected SOURCE: an image, a video, a stream's URL or a device's number")
    path = _free(options.output, "-o", options.force)
    if path is None:
        raise UsageError("calibrate: expected -o FILE: the table's file to write, such as -o table.toml")
    like = _like(options, path)
    text = like.path.read_text("utf-8") if like else ""
    raw = tomllib.loads(text)
    book, layout, felt = _game(options, like, raw)
    table = {
        "id": options.id or (like.id if like else path.stem),
        "site": options.site or (like.site if like else "main"),
        "book": book.id,
        "decks": book.decks if options.decks or "decks" in raw.get("table", {"decks": 0}) else None,
        "min": _number(book.minimum),
        "max": _number(book.maximum),
        "settings": raw.get("table", {}).get("settings", {}) if like and like.book.id == book.id else {},
    }
    alone = like if like is not None and len(like.cameras) == 1 else None
    lens = _lens(options, alone)
    camera: dict[str, object] = {"source": _source(options, alone)}
    if alone is not None and camera["source"] == alone.source:
        camera |= {key: raw["camera"][key] for key in ("password_file", "loop") if key in raw["camera"]}
    if options.password_file is not None:
        camera["password_file"] = _password_file(options, path)
    if lens.matrix is not None:
        camera |= {"lens": list(lens.curve), "camera_matrix": list(lens.matrix)}
    watches = tuple(part.strip() for part in options.watches.split(",")) if options.watches else ()
    service = {name: raw[name] for name in SERVICE if name in raw}
    mode = NEW_FILE & like.path.stat().st_mode if like else NEW_FILE
    known = _without_empty(table), _without_empty(camera), service
    draft = Draft(path, *known, book, layout, lens, text, felt, mode, watches)
    try:
        draft.seen_by(layout)
    except LayoutError as error:
        raise UsageError(f"--watches: {error}") from error
    return draft


def _like(options: argparse.Namespace, path: Path) -> TableFile | None:
    """Read the file of --like. With several cameras, one is calibrated, to a file of its own."""
    like = read_table(Path(options.like)) if options.like else None
    if like is not None and len(like.cameras) > 1:
        where = f"--like {spelled(options.like)}: this table has several cameras"
        if not options.watches:
            raise UsageError(f"{where}: expected --watches with the parts that this one watches, found none")
        if path.exists() and path.samefile(like.path):
            raise UsageError(f"{where}: expected -o with another file, from which to take this one's points")
    return like


def _without_empty(values: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value is not None and value not in ("", {})}


def _game(
    options: argparse.Namespace, like: TableFile | None, raw: Mapping[str, Any]
) -> tuple[Book, Layout, Values | None]:
    """Give the book and the layout, each by its name, by the other, or from the file of --like; and how that has it."""
    preset = options.preset
    if preset is not None and preset not in PRESETS:
        near = difflib.get_close_matches(preset, PRESETS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(PRESETS)}"
        raise UsageError(f"--preset {preset!r} is unknown: {hint}")
    family = SIKIPI if (preset or "").startswith(SIKIPI) else "blackjack"
    try:
        book = _book(options, options.book or (like.book.id if like else USUAL[family][0]), like)
    except BookError as error:
        raise UsageError(f"--book: {error}") from error
    if preset is not None and family != book.family:
        raise UsageError(
            f"--preset {preset!r} is no table of {book.id}: expected {USUAL[book.family][1]!r} or the like"
        )
    if like is not None and preset is None and like.book.family == book.family:
        return book, layout_as_written(raw), raw["layout"]
    return book, load_layout(preset or USUAL[book.family][1]), None


def _book(options: argparse.Namespace, name: str, like: TableFile | None) -> Book:
    same = like.book if like is not None and like.book.id == name else None
    return find_book(name).at_table(
        decks=options.decks if options.decks is not None or same is None else same.decks,
        minimum=_amount(options.minimum, "--min") or (same.minimum if same else None),
        maximum=_amount(options.maximum, "--max") or (same.maximum if same else None),
    )


def _amount(text: str | None, option: str) -> Decimal | None:
    if text is None:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value < 0:
        raise UsageError(f"{option}: expected an amount such as 25, found {text!r}")
    return value


def _number(amount: Decimal | None) -> float | int | None:
    if amount is None:
        return None
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def _source(options: argparse.Namespace, like: TableFile | None) -> str:
    """Give the live camera that the file names; an image or a video is none."""
    if options.camera is not None:
        return str(options.camera)
    if is_live(options.source):
        return str(options.source)
    return like.source if like is not None else ""


def _password_file(options: argparse.Namespace, path: Path) -> str:
    """Give how the table's file names the file of the camera's password."""
    source = _source(options, None)
    if not urlsplit(source).username or has_password(source):
        raise UsageError(
            "--password-file: expected a SOURCE with a user and no password, such as rtsp://viewer@camera/7, "
            f"found {hidden(source)}"
        )
    found = Path(options.password_file)
    beside = found.resolve().parent == path.resolve().parent
    return found.name if beside else str(found.absolute())


def _lens(options: argparse.Namespace, like: TableFile | None) -> Lens:
    if (options.lens is None) != (options.camera_matrix is None):
        raise UsageError("calibrate: expected --lens and --camera-matrix together, found one of them")
    if options.lens is None:
        return like.lens if like is not None else Lens()
    fx, fy, cx, cy = _numbers(options.camera_matrix, 4, "--camera-matrix")
    if min(fx, fy) <= 0:
        raise UsageError(f"--camera-matrix: expected focal lengths above 0, found {fx:g} and {fy:g}")
    return Lens((fx, fy, cx, cy), _numbers(options.lens, len(NO_LENS), "--lens"))


def _numbers(text: str, count: int, option: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if len(found) != count or not all(abs(value) < float("inf") for value in found):
        raise UsageError(f"{option}: expected {count} numbers with commas between, found {text!r}")
    return found


def _by_sheets(picture: Pixels, source: str, draft: Draft, places: dict[int, Point] | None) -> Calibration:
    height, width = picture.shape[:2]
    try:
        found = sheet_marks((width, height), seen_sheets(picture), places or PLACES, draft.lens)
    except CameraError as error:
        raise UsageError(f"{source}: {error}") from error
    if found.grown != 1:
        _say(f"note: the sheets are printed at {found.grown:.0%} of their size; the calibration allows for it")
    points = (NamedMark(name, mark) for name, mark in zip(found.names, found.marks, strict=True))
    return Calibration(tuple(points), draft.layout)


def _finish(picture: Pixels, draft: Draft, taken: Calibration, overlay: Path | None, where: str) -> None:
    """Show how well the points fit; if they do, write the overlay and the table's file."""
    height, width = picture.shape[:2]
    marks = [point.mark for point in taken.points]
    shown = for_book(taken.layout, draft.book)
    try:
        fit = calibrated((width, height), marks, draft.lens)
    except MisfitError as error:
        _say(error_table(taken.points, error.fit, error.worst))
        _overlay(overlay, picture, error.fit, shown, taken.points)
        raise UsageError(f"{where}: {error}") from error
    except CameraError as error:
        raise UsageError(f"{where}: {error}") from error
    _say(error_table(taken.points, fit, int(fit.off_mm.argmax())))
    if mirrored(fit.camera):
        raise UsageError(
            f"{where}: the points are mirrored: expected x to run to the dealer's right and y towards the Players; "
            "exchange left and right"
        )
    _overlay(overlay, picture, fit, shown, taken.points)
    try:
        check_view(fit.camera, draft.seen_by(shown))
    except CameraError as error:
        raise UsageError(f"{where}: {error}") from error
    save(draft, marks, taken.layout)
    _say(f"{spelled(draft.path)}: written")
    if has_password(str(draft.camera.get("source", ""))):
        _say("note: this file holds the camera's password; --password-file keeps it in a file of its own")


def error_table(points: Sequence[NamedMark], fit: Fit, worst: int) -> str:
    """Write the error of each point, the worst marked."""
    wide = max(5, *(len(point.name) for point in points))
    lines = [f"     {'point':{wide}}      picture, px         felt, mm   off, mm"]
    for number, (point, off) in enumerate(zip(points, fit.off_mm.tolist(), strict=True)):
        (u, v), (x, y) = point.mark.image, point.mark.table
        sign = "  <- worst" if number == worst else ""
        lines.append(f"{number + 1:3}  {point.name:{wide}}  {u:7.1f} {v:7.1f}  {x:7.1f} {y:7.1f}  {off:7.1f}{sign}")
    return "\n".join(lines)


def _overlay(path: Path | None, picture: Pixels, fit: Fit, layout: Layout, points: Sequence[NamedMark]) -> None:
    if path is None:
        return
    worst = int(fit.off_mm.argmax())
    name = f" ({points[worst].name})" if points[worst].name else ""
    title = f"worst point: {worst + 1}{name}, {fit.off_mm[worst]:.1f} mm off; errors are drawn 10 times their length"
    drawn = draw(picture, fit, layout, [point.mark for point in points], title)
    try:
        path.write_bytes(cv2.imencode(path.suffix.lower(), drawn)[1].tobytes())
    except OSError as error:
        raise UsageError(f"{spelled(path)}: cannot be written ({error.strerror})") from error
    _say(f"{spelled(path)}: written; look at it")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
