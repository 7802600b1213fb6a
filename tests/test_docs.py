"""The pages stay true: commands in them run, JSON in them is valid, generated tables are fresh."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from feltwatch.datasets.truth import truth_of
from feltwatch.edge.cli.main import main
from feltwatch.engine.books.alert_texts import MEANINGS
from feltwatch.engine.books.error_catalogue import CODES
from feltwatch.engine.model.verdicts import SEVERITIES
from feltwatch.engine.transcript.parse import parse
from feltwatch.models.evaluate import USED
from feltwatch.models.shipped.registry import NETWORKS, models
from feltwatch.vision.layout.zones import parse_layout
from tests.pages import DOCS, EARLIER, FIGURES, PAGES
from tests.test_schemas import EVENT, VERDICT

ROOT = DOCS.parent
WRITTEN = [ROOT / "README.md", *(path for path in sorted(DOCS.glob("*.md")) if path.name not in PAGES)]


def blocks(kind: str) -> list[tuple[str, str]]:
    return [
        (f"{path.name}:{path.read_text()[: found.start()].count(chr(10)) + 1}", found[1])
        for path in WRITTEN
        for found in re.finditer(rf"^```{kind}\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)
    ]


NOT_RUN = "   # not run: "  # after a command, with the reason: the network, the user's own files, an hour

SHOWN = [
    (where, command.partition("\n")[0], command.partition("\n")[2])
    for where, text in blocks("console")
    for command in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
]
CONSOLE = [one for one in SHOWN if NOT_RUN not in one[1]]


@pytest.mark.parametrize(("where", "command", "expected"), CONSOLE, ids=[f"{c[0]} {c[1]}" for c in CONSOLE])
def test_the_commands_of_the_pages_say_what_they_say(where: str, command: str, expected: str, tmp_path: Path) -> None:
    """Each is run in the checkout by a user whose home is empty."""
    del where
    own = {name: value for name, value in os.environ.items() if name not in ("FELTWATCH_CACHE", "XDG_CACHE_HOME")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env={**own, "PATH": path, "HOME": str(tmp_path)},
        check=False,
    )
    said = done.stdout
    pattern = re.escape(expected.rstrip("\n")).replace(re.escape("…"), ".*")
    assert re.fullmatch(pattern, said.rstrip("\n"), re.DOTALL), f"exit code {done.returncode}: {said}"


@pytest.mark.parametrize("path", sorted((DOCS / "examples").glob("*.round")), ids=lambda path: path.stem)
def test_the_rounds_of_the_pages_can_be_watched(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "--watch", str(path)]) == 0
    said = capsys.readouterr().out
    assert all(f"── {scenario.title} ──" in said for scenario in parse(path.read_text("utf-8")))


JSON = [(where, line) for where, text in blocks("json") for line in text.splitlines()]


@pytest.mark.parametrize(("where", "line"), JSON, ids=[f"{where} {number}" for number, (where, _) in enumerate(JSON)])
def test_the_messages_of_the_pages_are_valid(where: str, line: str) -> None:
    del where
    found = json.loads(line)
    if "cards" in found:
        assert truth_of(found).to_dict() == found
    else:
        (EVENT if "event" in found else VERDICT).validate(found)


@pytest.mark.parametrize(("where", "text"), blocks("toml"))
def test_the_layouts_of_the_pages_are_layouts(where: str, text: str) -> None:
    assert parse_layout(text, where).boxes == (1,)


def test_few_commands_are_not_run_and_each_says_why() -> None:
    left_out = [command.partition(NOT_RUN) for _, command, expected in SHOWN if NOT_RUN in command and not expected]
    assert len(left_out) == len(SHOWN) - len(CONSOLE) <= 4
    assert all(reason.strip() for _, _, reason in left_out)


def test_the_pages_have_examples() -> None:
    assert len(CONSOLE) >= 12
    assert len(JSON) >= 15


# what measures the pipeline, which models may not import
COMMANDS = dict.fromkeys(("rounds", "disturbed"), "python -m feltwatch.edge.tools.evaluate_rounds")
COMMANDS["stills"] = "python -m feltwatch.edge.tools.evaluate_stills"


@pytest.mark.parametrize(
    "path", sorted(path for path in FIGURES.glob("*.json") if path.stem != "plain"), ids=lambda path: path.stem
)
def test_the_figures_are_those_of_the_networks_that_ship(path: Path) -> None:
    kept = json.loads(path.read_text("utf-8"))
    ours = {name: one.sha256 for name, one in models().items() if name in USED.get(path.stem, NETWORKS)}
    if path.stem not in EARLIER:
        assert kept["models"] == ours
    else:
        assert kept["models"] != ours, f"{path.stem} is measured with the networks that ship: take it out of EARLIER"
    assert kept["command"].startswith(COMMANDS.get(path.stem, f"python -m feltwatch.models evaluate {path.stem}"))
    assert "/" not in kept["command"]


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_fresh(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "python -m tests.pages writes it"


def test_every_alert_has_its_meaning() -> None:
    assert tuple(MEANINGS) == CODES
    assert len(CODES) == 102
    assert set(SEVERITIES) == {"S1", "S2", "S3", "S4"}


def anchors(path: Path) -> set[str]:
    """Give the names of a page's headings as links have them."""
    heads = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_lead_somewhere() -> None:
    for path in WRITTEN:
        for target in re.findall(r"\]\(([^):]+)\)", path.read_text()):
            file, _, anchor = target.partition("#")
            page = path.parent / file if file else path
            assert page.exists(), f"{path.name}: {target}"
            assert not anchor or anchor in anchors(page), f"{path.name}: {target}"


def test_the_contributors_page_shows_every_room() -> None:
    page = (DOCS / "contributing.md").read_text("utf-8")
    tree = page[page.index("    engine/ ") : page.index("    tests/ ")]
    parts = re.split(r"^ {4}(\w+)/", tree, flags=re.MULTILINE)[1:]
    shown = {
        f"{top}/{room}"
        for top, text in zip(parts[::2], parts[1::2], strict=True)
        for room in re.findall(r"^ {6}(\w+)/", text, re.MULTILINE)
    }
    rooms = {str(path.parent.relative_to(ROOT)) for top in parts[::2] for path in (ROOT / top).glob("*/__init__.py")}
    assert rooms <= shown
    assert all((ROOT / room).is_dir() for room in shown)
