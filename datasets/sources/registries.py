"""Packages from the registries this machine already knows, by the system's own tools, checked by their sha256."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.sources.manifest import ArtSource
from feltwatch.models.files import digest

LIMIT_S = 1800
TOOLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "debian": ("apt-get", "download", "{package}={version}"),
        "npm": ("npm", "pack", "--silent", "{package}@{version}"),
        "pypi": (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "{package}=={version}"),
    }
)


class ToolMissingError(DataError):
    """The registry's tool is not on this machine."""


def obtain(source: ArtSource, folder: Path) -> Path:
    """Give the package's file in that folder, brought there if it is not; its sha256 is what the manifest says."""
    path = folder / source.file
    if path.is_file() and digest(path) == source.sha256:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as part:
        brought = _download(source, Path(part))
        found = digest(brought)
        if found != source.sha256:
            raise DataError(f"{source.name}: {brought.name}: sha256 expected {source.sha256}, found {found}")
        brought.replace(path)
    return path


def _download(source: ArtSource, folder: Path) -> Path:
    tool, *words = (word.format(package=source.package, version=source.version) for word in TOOLS[source.registry])
    if shutil.which(tool) is None:
        raise ToolMissingError(f"{source.name}: {tool} is not here, and only it brings {source.registry} packages")
    try:
        done = subprocess.run(  # noqa: S603  the words are those of the manifest, and no shell reads them
            [tool, *words], cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as fault:
        raise DataError(f"{source.name}: {tool} took more than {LIMIT_S} s") from fault
    brought = [path for path in folder.iterdir() if path.is_file()]
    if done.returncode != 0 or len(brought) != 1:
        said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        command = " ".join([Path(tool).name, *words])
        raise DataError(f"{source.name}: {command} failed: {said[-1] if said else 'it said nothing'}")
    return brought[0]
