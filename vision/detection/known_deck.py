"""A table's own deck: a clean picture of each of its 52 faces, and of its back, in one file that proves it is whole.

The file is a zip archive: `deck.json`, which says where the pictures come from, and a PNG for each face (`9h.png`) and
the back. Its digest covers every pixel and every word.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np

from feltwatch.engine.model.cards import CARDS
from feltwatch.models.files import write_whole
from feltwatch.vision.arrays import Pixels

FACES: Final = tuple(CARDS)
BACK: Final = "back"
PICTURE_PX: Final = (126, 176)  # width, height: two pixels a millimetre of a card
FORMAT, VERSION = "feltwatch deck", 1
HEADER: Final = "deck.json"
MOST_BYTES: Final = 16_000_000
MOST_PICTURE_BYTES: Final = 200_000  # as a PNG; without compression it has 66,528
LONGEST_NAME: Final = 80
EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # of every entry, so that the same deck gives the same bytes


class DeckFileError(ValueError):
    """One line for a person: the file, what was expected, what was found."""


@dataclass(frozen=True, slots=True)
class DeckOrigin:
    """Where the pictures of a deck come from."""

    maker: str  # as the user calls the deck: maker, colour
    learnt: str  # the day, such as 2026-11-20
    source: str  # "footage", "photographs" or "spread"


@dataclass(frozen=True, eq=False)
class KnownDeck:
    """The pictures of one deck: each PICTURE_PX large, cut at the card's edge, blue first."""

    origin: DeckOrigin
    faces: Mapping[str, Pixels]
    back: Pixels | None = None

    def __post_init__(self) -> None:
        missing = [face for face in FACES if face not in self.faces]
        if missing:
            raise ValueError(f"expected 52 faces, found {len(self.faces)}; missing: {' '.join(missing)}")
        for picture in self.pictures.values():
            if picture.shape != (*PICTURE_PX[::-1], 3) or picture.dtype != np.uint8:
                raise ValueError(f"expected pictures of {PICTURE_PX}, found {picture.shape} of {picture.dtype}")
            picture.flags.writeable = False

    @property
    def pictures(self) -> dict[str, Pixels]:
        """Give every picture by its name, in the order of the file."""
        found = {face: self.faces[face] for face in FACES}
        return found if self.back is None else {**found, BACK: self.back}

    @cached_property
    def digest(self) -> str:
        """Give the SHA-256 of all that the file says and shows."""
        found = hashlib.sha256(json.dumps(_header(self.origin, tuple(self.pictures)), sort_keys=True).encode())
        for picture in self.pictures.values():
            found.update(np.ascontiguousarray(picture).tobytes())
        return found.hexdigest()

    @property
    def named(self) -> str:
        """Give its name and digest as people read them."""
        return f"{self.origin.maker}, learnt {self.origin.learnt} from {self.origin.source}, {self.digest[:12]}…"


def _header(origin: DeckOrigin, pictures: tuple[str, ...]) -> dict[str, object]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "maker": origin.maker,
        "learnt": origin.learnt,
        "source": origin.source,
        "pictures": list(pictures),
    }


# ---- the file -------------------------------------------------------------------------------------------------------


def write_deck(path: Path, deck: KnownDeck, *, replace: bool = True) -> None:
    """Write a deck's file whole, or not at all."""
    write_whole(path, deck_bytes(deck), replace=replace)


def deck_bytes(deck: KnownDeck) -> bytes:
    header = {**_header(deck.origin, tuple(deck.pictures)), "sha256": deck.digest}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        text = json.dumps(header, indent=2, ensure_ascii=False) + "\n"
        file.writestr(zipfile.ZipInfo(HEADER, EPOCH), text.encode())
        for name, picture in deck.pictures.items():
            file.writestr(zipfile.ZipInfo(f"{name}.png", EPOCH), cv2.imencode(".png", picture)[1].tobytes())
    return out.getvalue()


def read_deck(path: Path) -> KnownDeck:
    """Read a deck's file and check it; raise DeckFileError with one line."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DeckFileError(f"{path}: expected a deck file of at most {MOST_BYTES:,} bytes, found {size:,}")
        data = path.read_bytes()
    except OSError as error:
        raise DeckFileError(
            f"{path}: expected a deck file, found none that can be read ({(error.strerror or str(error)).lower()}); "
            "`feltwatch deck` makes one"
        ) from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            return _read(file)
    except zipfile.BadZipFile:
        raise DeckFileError(f"{path}: expected a file that `feltwatch deck` wrote, found another kind") from None
    except _DeckFaultError as fault:
        raise DeckFileError(f"{path}: {fault}") from None


class _DeckFaultError(Exception):
    """What is wrong with a deck file, without its name."""


def _read(file: zipfile.ZipFile) -> KnownDeck:
    header = _checked(_entry(file, HEADER))
    pictures = {name: _picture(_entry(file, f"{name}.png"), name) for name in header["pictures"]}
    missing = [face for face in FACES if face not in pictures]
    if missing:
        count = len(FACES) - len(missing)
        raise _DeckFaultError(f"expected 52 faces, found {count}; missing: {' '.join(missing)}; make it again")
    origin = DeckOrigin(header["maker"], header["learnt"], header["source"])
    deck = KnownDeck(origin, MappingProxyType({face: pictures[face] for face in FACES}), pictures.get(BACK))
    if deck.digest != header["sha256"]:
        raise _DeckFaultError(
            f"expected the deck that was learnt ({str(header['sha256'])[:12]}…), found {deck.digest[:12]}…: "
            "the file was altered; make it again, or copy it again"
        )
    return deck


def _entry(file: zipfile.ZipFile, name: str) -> bytes:
    try:
        if file.getinfo(name).file_size > MOST_PICTURE_BYTES:
            raise _DeckFaultError(f"{name}: expected at most {MOST_PICTURE_BYTES:,} bytes, found more; make it again")
        return file.read(name)
    except KeyError:
        raise _DeckFaultError(f"expected {name} in it, found none; make it again") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError):
        raise _DeckFaultError(f"{name}: expected a whole entry, found a damaged one; copy the file again") from None


def _checked(data: bytes) -> dict[str, str]:
    """Give the header: what of it is not text, is the list of pictures."""
    try:
        found = json.loads(data)
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise _DeckFaultError(f"{HEADER}: expected JSON, found something else; make the file again") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _DeckFaultError(f"{HEADER}: expected the format {FORMAT!r}, found another; `feltwatch deck` makes one")
    if found.get("version") != VERSION:
        raise _DeckFaultError(
            f"{HEADER}: expected version {VERSION}, found {found.get('version')!r}; "
            "make the file again with this feltwatch"
        )
    texts = ("maker", "learnt", "source", "sha256")
    wrong = [name for name in texts if not isinstance(found.get(name), str)]
    names = found.get("pictures")
    if wrong or not isinstance(names, list) or any(name not in (*FACES, BACK) for name in names):
        raise _DeckFaultError(
            f"{HEADER}: {(*wrong, 'pictures')[0]}: expected as `feltwatch deck` writes it, found otherwise"
        )
    return found


def _picture(data: bytes, name: str) -> Pixels:
    found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if found is None or found.shape != (*PICTURE_PX[::-1], 3):
        size = "none" if found is None else f"{found.shape[1]} x {found.shape[0]}"
        raise _DeckFaultError(f"{name}.png: expected a picture of {PICTURE_PX[0]} x {PICTURE_PX[1]}, found {size}")
    return np.asarray(found, np.uint8)
