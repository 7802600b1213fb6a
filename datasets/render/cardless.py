"""Pictures that hold no cards and no chips: some to train with, and others to count false cards on.

A source is a package, and stands whole on one side of the split.
"""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path, PurePosixPath

import cv2

from feltwatch.datasets.art.cards.fingerprints import fingerprint
from feltwatch.datasets.common.cache import cache_dir, picture_of, write_picture, write_whole
from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.manifest import ArtSource, CardlessPictures, read
from feltwatch.datasets.sources.unpack import Package
from feltwatch.vision.arrays import Pixels

LONGEST_PX = 1600
SHORTEST_PX = 200  # of the shorter side: what is smaller is an icon
PLAIN = 6.0  # what varies less, in every channel, shows nothing
QUALITY = 92
SAME = 8  # bits of 64: two sizes of one picture differ in 2 at most, photographs of a kind in 16 at least; measured
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
ARCHIVES = (".zip", ".jar", ".pk3")
NOTE = ".made-of"


def cardless(split: str) -> tuple[Path, ...]:
    """Give the cardless pictures of a split that are here, sorted; `feltwatch.datasets fetch cardless` brings them."""
    sources = [one.name for one in read().source if one.kind == "cardless" and one.split == split]
    found = sorted(path for name in sources for path in (cache_dir() / "cardless" / name).glob("*.jpg"))
    return tuple(found)


def whole(row: CardlessPictures, source: ArtSource, cache: Path) -> bool:
    """Say whether the pictures lie here, and are those that the manifest asks for today."""
    note = cache / "cardless" / row.name / NOTE
    return note.is_file() and note.read_text("utf-8") == _note(row, source)


def write(row: CardlessPictures, source: ArtSource, package: Package, cache: Path) -> None:
    """Write a package's pictures beside their place, and move them there whole."""
    folder = cache / "cardless" / row.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".part-") as part:
        made = Path(part) / "made"
        for number, (name, picture) in enumerate(pictures(row, package), 1):
            stem = "".join(letter if letter.isalnum() else "-" for letter in PurePosixPath(name).stem.lower())
            write_picture(made / f"{number:04d}-{stem[:60]}.jpg", picture, QUALITY)
        if not made.is_dir():
            raise DataError(f"{package.path.name}: holds no picture that is asked for")
        write_whole(made / NOTE, _note(row, source).encode())
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


def pictures(row: CardlessPictures, package: Package) -> Iterator[tuple[str, Pixels]]:
    """Give what the row takes, in the order of the names, without what is small, plain or seen already."""
    seen: list[int] = []
    for name, data in sorted(_taken(row, package)):
        found = scaled(picture_of(data, f"{package.path.name}: {name}")[..., :3])
        if min(found.shape[:2]) < SHORTEST_PX or float(found.std(axis=(0, 1)).max()) < PLAIN:
            continue
        looks = print_of(found)
        if all((looks ^ other).bit_count() > SAME for other in seen):
            seen.append(looks)
            yield name, found


def print_of(picture: Pixels) -> int:
    """Hash a picture small: what differs in size or in compression only is the same."""
    return fingerprint(cv2.resize(picture, (128, 128), interpolation=cv2.INTER_AREA).astype("uint8"), 0.0)


def scaled(picture: Pixels) -> Pixels:
    height, width = picture.shape[:2]
    if (longest := max(height, width)) <= LONGEST_PX:
        return picture
    size = tuple(max(1, round(side * LONGEST_PX / longest)) for side in (width, height))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype("uint8")


def _taken(row: CardlessPictures, package: Package) -> Iterator[tuple[str, bytes]]:
    for name in package.names():
        if name.lower().endswith(ARCHIVES):
            if any(one.startswith(f"{name}/") for one in row.take):
                yield from _inside(row, name, package.read(name))
        elif _asked(row, name):
            yield name, package.read(name)


def _inside(row: CardlessPictures, outer: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for inner in archive.namelist():
                if _asked(row, f"{outer}/{inner}"):
                    yield f"{outer}/{inner}", archive.read(inner)
    except zipfile.BadZipFile as fault:
        raise DataError(f"{outer}: not a whole archive: {fault}") from fault


def _asked(row: CardlessPictures, name: str) -> bool:
    def among(patterns: tuple[str, ...]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    return name.lower().endswith(PICTURES) and among(row.take) and not among(row.leave)


def _note(row: CardlessPictures, source: ArtSource) -> str:
    return "\n".join((source.sha256, *row.take, "", *row.leave))
