"""`python -m tests.pinned_wheels`: all that feltwatch runs with can be had for both kinds of device without a compiler.

It has pip fetch each pin of requirements/run.txt for each of them, wheels alone, by its hash: what is not there fails.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT: Final = Path(__file__).parents[1]
RUN: Final = ROOT / "requirements" / "run.txt"
DEV: Final = ROOT / "requirements" / "dev.txt"
PYTHON: Final = "3.11"
GLIBC: Final = 36  # Debian 12 has 2.36
OLDEST: Final = 17
MACHINES: Final = ("x86_64", "aarch64")
PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)==(\S+) \\$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wheel:
    name: str
    version: str
    glibc: int | None  # the least 2.x it runs with; none where it is of Python alone
    bytes: int


def pins(path: Path) -> dict[str, str]:
    """Give name and version of each package that a file of requirements pins."""
    return {canonicalize_name(name): version for name, version in PIN.findall(path.read_text("utf-8"))}


def declared() -> list[Requirement]:
    """Give what pyproject.toml says is needed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [Requirement(text) for text in project["dependencies"]]


def closure(roots: Sequence[Requirement], machine: str) -> Iterator[str]:
    """Give all that these need in turn, on a Linux device, as the packages that are installed here say."""
    marks = {
        "platform_machine": machine,
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
        "python_version": PYTHON,
        "python_full_version": f"{PYTHON}.9",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    seen: set[tuple[str, frozenset[str]]] = set()
    todo = [*roots]
    while todo:
        one = todo.pop()
        name, extras = canonicalize_name(one.name), frozenset(one.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        yield name
        for text in requires(name) or ():
            need = Requirement(text)
            wanted = [{**marks, "extra": extra} for extra in (extras or {""})]
            if need.marker is None or any(need.marker.evaluate(known) for known in wanted):
                todo.append(need)


def platforms(machine: str) -> list[str]:
    """Name what a wheel may say that it runs on: any Linux whose C library is no newer than Debian's."""
    newer = [f"manylinux_2_{minor}_{machine}" for minor in range(GLIBC, OLDEST - 1, -1)]
    older = [f"{name}_{machine}" for name in ("manylinux2014", "manylinux2010", "manylinux1")]
    return [*newer, *older]


def fetched(machine: str, folder: Path) -> list[Wheel]:
    """Have pip fetch everything for a kind of device; raises with what pip says where something is not there."""
    where = [text for name in platforms(machine) for text in ("--platform", name)]
    version = ["--python-version", PYTHON, "--implementation", "cp", "--abi", "cp311", "--abi", "abi3", "--abi", "none"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    kinds = ["--only-binary=:all:", "--no-deps", "-r", str(RUN), "-d", str(folder)]
    done = subprocess.run([*command, *kinds, *version, *where], capture_output=True, text=True, check=False)
    if done.returncode:
        faults = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise SystemExit(f"wheels: {machine}: " + "; ".join(faults or [done.stderr[-500:]]))
    return [_wheel(path) for path in sorted(folder.glob("*.whl"))]


def _wheel(path: Path) -> Wheel:
    name, version, _, tags = parse_wheel_filename(path.name)
    asked = [least(tag.platform) for tag in tags]
    known = [one for one in asked if one is not None]
    return Wheel(str(name), str(version), min(known, default=None), path.stat().st_size)


def least(platform: str) -> int | None:
    """Give the C library that a wheel's platform asks for.

    >>> least("manylinux_2_28_aarch64"), least("manylinux2014_x86_64"), least("any")
    (28, 17, None)
    """
    if platform == "any":
        return None
    found = re.match(r"manylinux_2_(\d+)_", platform)
    return int(found[1]) if found else OLDEST


def main() -> int:
    due = pins(RUN)
    for machine in MACHINES:
        with tempfile.TemporaryDirectory(prefix="wheels-") as folder:
            found = fetched(machine, Path(folder))
        got = {str(canonicalize_name(one.name)): one.version for one in found}
        wrong = sorted(name for name in {*due, *got} if due.get(name) != got.get(name))
        if wrong:
            raise SystemExit(f"wheels: {machine}: expected what run.txt pins, found otherwise: {', '.join(wrong)}")
        own = [one for one in found if one.glibc is not None]
        size, glibc = sum(one.bytes for one in found) / 1e6, max(one.glibc or 0 for one in own)
        sys.stdout.write(
            f"{machine}: {len(found)} wheels, {size:.0f} MB, for Python {PYTHON} and glibc 2.{glibc} or newer; "
            f"made for this machine: {', '.join(one.name for one in own)}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
