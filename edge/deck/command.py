"""`feltwatch deck`: learns a table's own deck and writes it to one file, or nothing at all."""

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from feltwatch.edge.errors import UsageError

if TYPE_CHECKING:
    from feltwatch.vision.detection.known_deck import DeckOrigin, KnownDeck

SOURCES: Final = {"learn": "footage", "photographs": "photographs", "spread": "spread"}


def deck(options: argparse.Namespace, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> int:
    """Learn a deck, or show what is in deck files; give 2 if something was wrong with what it was given."""
    from feltwatch.edge.deck.faults import DeckFaultsError  # noqa: PLC0415  with it comes OpenCV

    if options.way == "show":
        return _show(options.sources)
    out = _output(options)
    try:
        found = _learnt(options, _origin(options, out, now()))
    except DeckFaultsError as error:
        for line in error.lines:
            sys.stderr.write(f"feltwatch: {line}\n")
        return 2
    _write(out, found)
    sys.stdout.write(f"{out}: {found.named}, 52 faces, {'with' if found.back is not None else 'without'} a back\n")
    return 0


def _learnt(options: argparse.Namespace, origin: "DeckOrigin") -> "KnownDeck":
    from feltwatch.models.shipped.registry import ModelError  # noqa: PLC0415  as above

    try:
        return {"learn": _from_footage, "photographs": _from_photographs, "spread": _from_spread}[options.way](
            options, origin
        )
    except ModelError as error:
        raise UsageError(str(error)) from error


def _from_footage(options: argparse.Namespace, origin: "DeckOrigin") -> "KnownDeck":
    from feltwatch.edge.config.table_file import read_table  # noqa: PLC0415  as above
    from feltwatch.edge.deck.learn import learnt_from  # noqa: PLC0415  as above
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  as above

    if options.table is None:
        raise UsageError("deck learn: expected the table's file with -c, found none")
    table = read_table(Path(options.table))
    eyes = open_eyes(options.provider, options.threads)
    return learnt_from(options.sources, table, eyes, origin, lambda line: print(line, file=sys.stderr))  # noqa: T201


def _from_photographs(options: argparse.Namespace, origin: "DeckOrigin") -> "KnownDeck":
    from feltwatch.edge.deck.photographs import photographed  # noqa: PLC0415  as above
    from feltwatch.models.shipped.registry import model  # noqa: PLC0415  as above
    from feltwatch.vision.detection.reader import Reader  # noqa: PLC0415  as above

    folder = Path(_only(options.sources, "folder"))
    back = None if options.back is None else Path(options.back)
    return photographed((folder, back), origin, Reader(model("reader"), options.provider, options.threads))


def _from_spread(options: argparse.Namespace, origin: "DeckOrigin") -> "KnownDeck":
    from feltwatch.edge.deck.faults import DeckFaultsError  # noqa: PLC0415  as above
    from feltwatch.edge.deck.spread import spread_deck  # noqa: PLC0415  as above
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  as above
    from feltwatch.vision.image_file import PictureError, read_picture, spelled  # noqa: PLC0415  as above

    path = _only(options.sources, "picture")
    try:
        picture = read_picture(path)
    except PictureError as error:
        raise DeckFaultsError([str(error)]) from error
    return spread_deck(picture, spelled(path), origin, open_eyes(options.provider, options.threads))


def _only(sources: list[str], kind: str) -> str:
    if len(sources) != 1:
        raise UsageError(f"deck: expected one {kind}, found {len(sources)}: {', '.join(sources)}")
    return sources[0]


def _output(options: argparse.Namespace) -> Path:
    if options.output is None:
        raise UsageError("deck: expected the file to write with -o, found none")
    out = Path(options.output)
    if out.exists() and not options.force:
        raise UsageError(f"{out}: expected a new file, found one that exists; name another, or add --force")
    if not out.absolute().parent.is_dir():
        raise UsageError(f"{out}: expected a folder to write to, found none; make {out.absolute().parent} first")
    return out


def _origin(options: argparse.Namespace, out: Path, now: datetime) -> "DeckOrigin":
    from feltwatch.vision.detection.known_deck import LONGEST_NAME, DeckOrigin  # noqa: PLC0415  as above

    maker = out.stem if options.maker is None else options.maker
    if not maker.isprintable() or not 1 <= len(maker) <= LONGEST_NAME:
        raise UsageError(f"--maker: expected a name of 1 to {LONGEST_NAME} letters on one line, found {maker!r}")
    return DeckOrigin(maker, f"{now:%Y-%m-%d}", SOURCES[options.way])


def _write(out: Path, found: "KnownDeck") -> None:
    from feltwatch.vision.detection.known_deck import write_deck  # noqa: PLC0415  as above

    try:
        write_deck(out, found)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written ({error.strerror})") from error


def _show(files: list[str]) -> int:
    from feltwatch.vision.detection.known_deck import DeckFileError, read_deck  # noqa: PLC0415  as above

    bad = 0
    for name in files:
        try:
            found = read_deck(Path(name))
        except DeckFileError as error:
            sys.stderr.write(f"feltwatch: {error}\n")
            bad = 2
            continue
        back = "with" if found.back is not None else "without"
        sys.stdout.write(f"{name}: {found.named}, 52 faces, {back} a back\n")
    return bad
