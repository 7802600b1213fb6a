"""What lies in a package: .deb, .tgz, .tar.gz, .whl and .zip, read without any tool."""

import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from feltwatch.datasets.common.errors import DataError

AR_MAGIC = b"!<arch>\n"
AR_HEADER = 60  # name 16, time 12, owner 6, group 6, mode 8, size 10, end 2


def members_of_ar(data: bytes, where: object) -> dict[str, bytes]:
    """Give the members of a Unix archive, which is what a .deb is."""
    if not data.startswith(AR_MAGIC):
        raise DataError(f"{where}: not a Debian package")
    found, at = {}, len(AR_MAGIC)
    while at + AR_HEADER <= len(data):
        header = data[at : at + AR_HEADER]
        size = header[48:58].strip()
        if header[58:] != b"`\n" or not size.isdigit():
            raise DataError(f"{where}: damaged at byte {at}")
        start, end = at + AR_HEADER, at + AR_HEADER + int(size)
        if end > len(data):
            raise DataError(f"{where}: cut off, {end - len(data)} bytes are missing")
        found[header[:16].decode("ascii", "replace").strip().rstrip("/")] = data[start:end]
        at = end + int(size) % 2
    return found


class Package:
    """The files of one package, by their path inside it; links are followed inside the package only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._files = dict(_files(path))
        except (OSError, tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, EOFError) as fault:
            raise DataError(f"{path}: not a whole package: {fault}") from fault

    def names(self, under: str = "") -> list[str]:
        return sorted(name for name in self._files if name.startswith(under))

    def read(self, name: str) -> bytes:
        if name not in self._files:
            raise DataError(f"{self.path.name}: holds no {name}")
        return self._files[name]

    def read_svg(self, name: str) -> str:
        """Give the text of an .svg or .svgz."""
        data = self.read(name)
        try:
            return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8")
        except (OSError, EOFError, UnicodeDecodeError) as fault:
            raise DataError(f"{self.path.name}: {name}: not a whole drawing: {fault}") from fault


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist() if not name.endswith("/"))
    elif path.suffix == ".deb":
        members = members_of_ar(path.read_bytes(), path)
        names = [name for name in members if name.startswith("data.tar")]
        if not names or names[0].endswith(".zst"):
            raise DataError(f"{path}: holds {', '.join(members)}; data.tar.xz or data.tar.gz expected")
        with tarfile.open(fileobj=io.BytesIO(members[names[0]])) as archive:
            yield from _tar_files(archive)
    else:
        with tarfile.open(path) as archive:
            yield from _tar_files(archive)


def _tar_files(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in archive.getmembers():
        if not (member.isfile() or member.islnk() or member.issym()):
            continue
        try:
            opened = archive.extractfile(member)
        except KeyError:  # a link to another package
            continue
        if opened is not None:
            yield member.name.removeprefix("./"), opened.read()
