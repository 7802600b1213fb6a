"""What is installed away from the project works like the project: nothing that it needs is left out of the wheel."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from feltwatch.models.shipped.registry import HERE

ROOT = HERE.parents[1]
PARTS = ("engine", "vision", "models", "datasets", "edge", "pyproject.toml", "LICENSE")
PICTURE = ROOT / "docs" / "pictures" / "table.jpg"


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
    subprocess.run([*pip, "install", "--no-deps", "--target", installed, wheel], check=True)
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
