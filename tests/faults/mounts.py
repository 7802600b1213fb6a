"""Small disks of their own, where this machine lets a test mount one."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic


def _done(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0
    except OSError:
        return False


@contextmanager
def mounted(folder: Path, size: int) -> Iterator[Path | None]:
    """Give a folder that is a disk of so many bytes, or none where no one may mount."""
    folder.mkdir(parents=True, exist_ok=True)
    if not _done("mount", "-t", "tmpfs", "-o", f"size={size}", "feltwatch-test", str(folder)):
        yield None
        return
    try:
        yield folder
    finally:
        if not _done("umount", str(folder)):
            _done("umount", "-l", str(folder))


def grown(folder: Path) -> bool:
    """Make a small disk larger."""
    return _done("mount", "-o", "remount,size=16m", str(folder))


@dataclass
class Looped:
    """A file system in a file, which the system makes read-only when it is damaged, as it does on a bad disk."""

    folder: Path
    image: Path

    def damage(self) -> None:
        """Have the system find an error on it; from then on nothing can be written, also into files that are open."""
        device = Path(self._device()).name
        Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("1")

    def mend(self) -> None:
        """Check it and put it in again; what is open of it stays what it was."""
        assert _done("umount", "-l", str(self.folder))
        end = monotonic() + 60
        while self._device():
            assert monotonic() < end
            threading.Event().wait(0.05)
        _done("fsck.ext4", "-fy", str(self.image))
        assert _done("mount", "-o", MOUNT, str(self.image), str(self.folder))

    def _device(self) -> str:
        """Give what it hangs on, if anybody uses it."""
        command = ["losetup", "-j", str(self.image)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(":")[0]


MOUNT = "loop,errors=remount-ro"


@contextmanager
def looped(folder: Path, size: int) -> Iterator[Looped | None]:
    """Give a file system in a file, or none where this machine does not let one be damaged on purpose.

    It hangs in a disk that cannot be written, so that no one writes beneath it while it is out.
    """
    image = folder / "image"
    with mounted(folder / "point", 1 << 16) as point:
        place = (point or folder) / "disk"
        place.mkdir()
        with image.open("wb") as file:
            file.truncate(size)
        if not (
            point
            and _done("mkfs.ext4", "-q", str(image))
            and _done("mount", "-o", "remount,ro", str(point))
            and _done("mount", "-o", MOUNT, str(image), str(place))
        ):
            yield None
            return
        try:
            yield Looped(place, image)
        finally:
            if not _done("umount", str(place)):
                _done("umount", "-l", str(place))
