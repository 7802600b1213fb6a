"""What is installed away from the project works like the project: nothing that it needs is left out of the wheel."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

from feltwatch.models.shipped.registry import HERE

ROOT = HERE.parents[1]
PARTS = ("engine", "vision", "models", "datasets", "edge", "pyproject.toml", "LICENSE")
PICTURE = ROOT / "docs" / "pictures" / "table.jpg"
ROOMS = ("engine", "vision", "models", "datasets", "edge")
API = "edge/api"  # is `feltwatch` itself


def test_every_folder_of_modules_is_a_package_of_the_wheel() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    folders = (
        path.parent.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("__init__.py")
    )
    needed = sorted(["feltwatch", *(f"feltwatch.{name.replace('/', '.')}" for name in folders if name != API)])
    lines = "".join(f'    "{name}",\n' for name in needed)
    assert listed == needed, f"in pyproject.toml, packages should list:\n{lines}"


def test_a_folder_of_modules_without_init_is_not_left_out() -> None:
    folders = {path.parent for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_a_wheel_holds_all_that_the_commands_need(tmp_path: Path) -> None:
    source, wheels, installed = (tmp_path / name for name in ("source", "wheels", "installed"))
    source.mkdir()
    for part in PARTS:
        found = ROOT / part
        if found.is_dir():
            shutil.copytree(found, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(found, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", wheels, source], check=True)
    (wheel,) = wheels.glob("*.whl")
    theirs = {name: f"# {name} of another project\n" for name in ("datasets", "models", "engine", "edge", "vision")}
    for name, text in theirs.items():
        (installed / name).mkdir(parents=True)
        (installed / name / "__init__.py").write_text(text)
    with ZipFile(wheel) as packed:
        assert {name.partition("/")[0].partition("-")[0] for name in packed.namelist()} == {"feltwatch"}
    subprocess.run([*pip, "install", "--no-deps", "--target", installed, wheel], check=True)
    assert {name: (installed / name / "__init__.py").read_text() for name in theirs} == theirs
    away = {**os.environ, "PYTHONPATH": str(installed)}
    where = [
        sys.executable,
        "-c",
        "import feltwatch.edge as edge, feltwatch.models as models; print(edge.__file__, models.__file__)",
    ]
    done = subprocess.run(where, cwd=tmp_path, env=away, capture_output=True, check=True)
    assert done.stdout.count(bytes(installed)) == 2
    ran = [sys.executable, "-m", "feltwatch.edge.cli.main"]
    done = subprocess.run([*ran, "detect", PICTURE, "--json"], cwd=tmp_path, env=away, capture_output=True, check=True)
    assert any(card["card"] for card in json.loads(done.stdout)["cards"])
    clip = installed / "feltwatch" / "datasets" / "clips" / "demo.mp4"
    replay: list[str | Path] = [
        "replay",
        clip,
        "-c",
        clip.with_name("demo.table.toml"),
        "-o",
        tmp_path,
        "--from",
        "32",
        "--quiet",
    ]
    done = subprocess.run([*ran, *replay], cwd=tmp_path, env=away, capture_output=True, check=True)
    report = (tmp_path / "demo" / "report.html").read_text("utf-8")
    for page in ("report.css", "report.js"):
        assert (ROOT / "edge" / "pages" / page).read_text("utf-8").strip() in report
    assert '"found":true' in (tmp_path / "demo" / "events.jsonl").read_text("utf-8")
    assert (installed / "feltwatch" / "edge" / "pages" / "calibrate.html").is_file()
